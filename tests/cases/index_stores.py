import torch
from torch import Tensor


def scalars(x: Tensor, y: Tensor):
    line = torch.zeros(10, device="cuda")
    line[0] = 1.0  # expect: HS406
    line[-1] = 5  # expect: HS406
    line[2:5] = 1.0  # silent: HS406
    line[:] = 0  # silent: HS406
    line[...] = 2.0  # silent: HS406
    plane = torch.zeros(4, 4, device="cuda")
    plane[0] = 1.0  # silent: HS406
    plane[0, 1] = 1.0  # expect: HS406
    plane[:, 0] = 0.0  # silent: HS406
    plane[0, :2] = 0.0  # silent: HS406
    return line, plane


def at_positions(x: Tensor, index: Tensor):
    rows = index.long()
    x[rows] = 0.0  # expect: HS406
    x[rows, rows] = 1.0  # expect: HS406
    x[rows] = x[rows] * 2  # silent: HS406
    x.index_fill_(0, rows, 0.0)  # silent: HS406
    return x


def at_pairs(x: Tensor, anchor: Tensor, other: Tensor):
    mask = torch.zeros_like(x, dtype=torch.bool)
    mask[anchor, other] = True  # expect: HS406
    mask[anchor] = True  # expect: HS406
    mask[:, anchor] = True  # expect: HS406
    x[anchor] = 1.0  # silent: HS406
    return mask


def in_a_line(n: int, blank, where, mask, device: torch.device):
    line = torch.zeros(n, device=device)
    line[blank] = 1.0  # expect: HS406
    line[where.pos_inds] = 1.0  # expect: HS406
    line[mask] = 1.0  # silent: HS406
    plane = torch.zeros(n, n, device=device)
    plane[blank] = 1.0  # silent: HS406
    return line, plane


def identity(n: int, device: torch.device):
    a = torch.zeros(n, n, device=device)
    for i in range(n):
        a[i, i] = 1.0  # expect: HS406
    return a


def host_lists(n: int):
    values = [0] * n
    values[0] = 1  # silent: HS406
    grid = [[0.0] * n for _ in range(n)]
    grid[0][1] = 2.0  # silent: HS406
    table = {}
    table["x"] = 1.0  # silent: HS406
    return values, grid, table


def with_tensors(x: Tensor, value: Tensor):
    line = torch.zeros(10, device="cuda")
    line[0] = value.sum()  # silent: HS406
    line[1:3] = value[:2]  # silent: HS406, HS303
    line[3] = x[0, 0]  # silent: HS406
    return line


def masked_and_indexed(classes: Tensor, foreground: Tensor):
    targets = torch.zeros(8, 91, device="cuda")
    mask = foreground > 0.5
    targets[mask, classes[mask]] = 1.0  # expect: HS302, HS303
    return targets


def augmented(index: Tensor):
    counts = torch.zeros(10, device="cuda")
    counts[index] += 1  # silent: HS406
    counts[0] += 1  # silent: HS405
    return counts


def by_list(x: Tensor):
    y = torch.zeros(10, 3, device="cuda")
    y[:, [0, 1]] = x[:, [1, 0]]  # expect: HS405
    return y


def by_method(values: Tensor, positions: Tensor):
    line = torch.zeros(8, device="cuda")
    host = torch.tensor([1, 2])
    line.index_put_((host,), values)  # expect: HS605
    line.index_put_((torch.arange(3),), values)  # expect: HS605
    line.index_put_((line > 0,), values)  # expect: HS605
    line.index_put_((host > 1,), values)  # silent: HS605
    line.index_put_((positions,), values)  # silent: HS605
    return torch.index_put(line, (line > 0,), values), line  # expect: HS605


def scattered(values: Tensor):
    line = torch.zeros(8, device="cuda")
    first = torch.slice_scatter(line, torch.ones(4), 0, 0, 4)  # expect: HS605
    second = torch.ones(8).slice_scatter(line, 0, 0, 4)  # expect: HS605
    return first, second, line.slice_scatter(line[:4], 0, 0, 4)  # silent: HS605


class Moments(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        means = torch.zeros(3)
        for i in range(3):
            means[i] = x[:, i].mean()  # expect: HS102
        return means


def moments(x: torch.Tensor):
    means = torch.zeros(3)
    for i in range(3):
        means[i] = x[:, i].mean()  # expect: HS102
    return means


def moments_on_the_gpu(x: torch.Tensor):
    means = torch.zeros(3)
    means[0] = x.cuda().mean()  # expect: HS401, HS102
    return means


def through_positions(free: Tensor, edge_index: Tensor, tracks: Tensor, mask: Tensor):
    free[edge_index[0], edge_index[1]] = False  # expect: HS406
    free[tracks] = 0  # silent: HS406
    free[mask] = 0  # silent: HS406
    free[tracks > 3] = 0  # silent: HS406


def edges_of_bins(values: Tensor):
    edges = torch.quantile(values, torch.linspace(0, 1, 5, device=values.device))
    edges[0], edges[-1] = 0.0, 1.0  # expect: HS406
    middle = torch.quantile(values, 0.5)
    return edges, middle.item()  # expect: HS101


def at_what_nobody_knows(labels: Tensor, rows, columns, known, start):
    hot = torch.zeros(3, 4, device=labels.device)
    hot[rows, columns] = 1  # expect: HS406
    hot[known, labels[known]] = 1  # expect: HS406
    hot[0, rows] = 1  # expect: HS406
    hot[rows] = 1  # silent: HS406
    hot[rows, 1:] = 1  # silent: HS406
    volume = torch.zeros(3, 4, 5, device=labels.device)
    volume[rows, columns] = 0  # silent: HS406
    volume[rows, columns, start] = 0  # expect: HS406
    return hot, volume


def banned(scores, tokens: list[int], table, key):
    n, scores = 2, scores.clone()
    for row in range(3):
        scores[row, tokens] = -float("inf")  # expect: HS405
        table[row, key] = 0  # silent: HS405, HS406
    return scores


class Mixed(torch.nn.Module):
    def __init__(self, base_layer: torch.nn.Module):
        super().__init__()
        self.base_layer = base_layer

    def forward(self, x: torch.Tensor, names: list[str], *args):
        result = self.base_layer(x, *args)
        rows = [at for at, name in enumerate(names) if name == "first"]
        result[rows] = result[rows] * 2  # expect: HS405, HS405
        return result


def calculated(x: Tensor, scores: Tensor, job, count: int):
    lengths = x.new(count * job.kept)
    best = torch.zeros(count * job.kept, device=x.device)
    for i in range(count):
        for j in range(job.kept):
            lengths[job.kept * i + j] = len(job.rows)  # expect: HS406
            best[i * job.kept + j] = float(count)  # expect: HS406
            best[i * job.kept + j] = scores[i]  # silent: HS406
            best[job.where] = float(count)  # silent: HS406


class Ring(torch.nn.Module):
    def __init__(self, options):
        super().__init__()
        self.size = options.size
        self.register_buffer("at", torch.zeros(1, dtype=torch.long))
        self.register_buffer("rows", torch.zeros(4, 4))

    def put(self, x: Tensor, scale):
        at = int(self.at[0])  # expect: HS103
        self.at[0] = (at + x.shape[0]) % self.size  # expect: HS406
        self.at[0] = 2 * scale  # silent: HS406
        self.rows[0] = (at + x.shape[0]) % self.size  # silent: HS406


def truth_values_at_positions(x: torch.Tensor, subset, found: list[torch.Tensor]) -> torch.Tensor:
    chosen = torch.zeros(len(x), dtype=torch.bool, device=x.device)
    chosen[found[-1].flatten()] = True  # expect: HS406
    if subset.dtype != torch.bool:
        chosen[subset] = True  # expect: HS406
    return chosen


def truth_values_at_a_mask(x: torch.Tensor, subset_mask: torch.Tensor) -> torch.Tensor:
    chosen = torch.zeros(len(x), dtype=torch.bool, device=x.device)
    chosen[subset_mask] = True
    chosen[x > 0] = True
    return chosen


def where_rows_are_full(mask: torch.Tensor) -> None:
    mask[torch.where(mask.sum(-1) == mask.shape[-1])] = False  # expect: HS301,HS406


def where_a_mask_of_the_host_says(x: Tensor, mask: Tensor):
    keep = torch.ones(8, dtype=torch.bool)
    keep[2] = False  # silent: HS406
    x[:, keep] = 0.0  # expect: HS405
    host = torch.zeros(4, 8)
    host[:, keep] = 0.0  # silent: HS405
    there = torch.ones(8, dtype=torch.bool, device=x.device)
    x[:, there] = 0.0  # silent: HS405
    return x


def of_what_is_not_known(state, weights, x: Tensor):
    dead = torch.nonzero(x.sum(0) == 0).flatten()  # expect: HS301
    state["average"][dead] = 0  # expect: HS406
    weights.data[:, dead] = 0.0  # expect: HS406
    names = [1, 2]
    state[names[0]] = 0  # silent: HS406
    rows = torch.arange(3)
    state[rows] = 0  # expect: HS405, HS406
    return state


def what_is_banned(scores, x: Tensor, tokens, seen: dict, eos_token_id, blank):
    for i in range(x.shape[0]):
        banned = seen.get(tokens[i], [])
        scores[i, banned] = -float("inf")  # expect: HS405
        x[i, banned] = 0.0  # expect: HS405
        one = seen.get(tokens[i])
        scores[i, one] = 0.0  # silent: HS405
    ends = torch.zeros(4, 4, device=x.device)
    ends[0, 3] = eos_token_id  # expect: HS406
    ends[0, 3] = blank  # silent: HS406
    lengths = x.new(4)
    ends[0, lengths[2]] = eos_token_id  # expect: HS308, HS406
    return scores


def the_largest(x: Tensor):
    rows, columns = x.shape
    row, column = divmod(x.argmax().item(), columns)  # expect: HS101
    x[row, column] = 0.0  # expect: HS406
    return x


def how_often(device):
    from collections import Counter

    found = Counter([1, 2, 2])
    share = torch.zeros(3, device="cuda")
    for i in range(3):
        share[i] = found[i] / max(found.values())  # expect: HS406
    for _, count in found.most_common(2):
        share[0] = count  # expect: HS406
    return share


def at_distinct_values(x: Tensor, labels):
    present = labels.unique()  # expect: HS304
    mask = torch.zeros_like(x)
    mask[:, present] = 1  # expect: HS406
    return torch.cat([mask, present])


def one_of_several_planes(values: torch.Tensor):
    values[2] = 0  # silent: HS406
    values[0] = 0  # expect: HS406
    values[-1] = 0.0  # expect: HS406


def the_corner(count, device: torch.device):
    table = torch.zeros(count, count, device=device)
    table[..., 0, 0] = 1.0  # expect: HS406
    table[..., 0] = 1.0  # silent: HS406
    table[...] = 1.0  # silent: HS406
    table[:, 0] = 1.0  # silent: HS406
    return table


def sold(held, action: torch.Tensor, prices: torch.Tensor):
    sell = action == 2
    first = held[sell, 0]  # expect: HS302
    held[sell, 0] = prices[sell]  # expect: HS302,HS303
    return first


def at_one_truth(gain: torch.Tensor, relevant: torch.Tensor):
    total = gain.sum()
    total[relevant.sum() == 0] = 0.0  # expect: HS303
    gain[relevant == 0] = 0.0  # silent: HS303
    return total


def of_which_the_length_is_asked(x: torch.Tensor, frames: int, shown: int):
    x[:, frames] = x[:, : len(frames)]  # expect: HS405
    several = len(shown) if isinstance(shown, list) else 1
    x[:, shown] = x[:, 0]  # silent: HS405
    return x, several


class Contrastive(nn.Module):
    def __init__(self, size=65536):
        super().__init__()
        self.size = size
        self.register_buffer("pointer", torch.zeros(1, dtype=torch.long))

    def enqueue(self, keys):
        pointer = int(self.pointer)  # expect: HS103
        pointer = (pointer + keys.shape[0]) % self.size
        self.pointer[0] = pointer  # expect: HS406


def below_all(logits: Tensor, kept: Tensor, order: Tensor):
    rows, _ = torch.where(~kept)  # expect: HS301
    columns = order[~kept]  # expect: HS302
    logits[rows, columns] = torch.finfo(logits.dtype).min  # expect: HS406
    logits[~kept] = torch.finfo(logits.dtype).min  # silent: HS303
    return logits
