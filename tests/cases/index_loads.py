import numpy as np
import torch
from torch import Tensor


def by_list(x: Tensor):
    a = x[[0, 2, 1]]  # expect: HS405
    b = x[:, [2, 1, 0]]  # expect: HS405
    c = x[..., [0, -1]]  # expect: HS405
    d = x[0, 2]  # silent: HS405
    e = x[:, 0:3]  # silent: HS405
    f = x[(0, 1)]  # silent: HS405
    g = x[None, ..., -1]  # silent: HS405
    return a, b, c, d, e, f, g


def by_list_variable(x: Tensor, keep: list[int]):
    order = [3, 0, 1]
    first = x[order]  # expect: HS405
    second = x[keep]  # expect: HS405
    third = x[range(4)]  # expect: HS405
    rows = [i for i in range(10) if i % 2]
    return first, second, third, x[rows]  # expect: HS405


def by_host_tensor(x: Tensor):
    permutation = torch.randperm(x.shape[0])
    shuffled = x[permutation]  # expect: HS405
    on_device = torch.randperm(x.shape[0], device=x.device)
    again = x[on_device]  # silent: HS405
    return shuffled, again


def by_array(x: Tensor, n: int):
    chosen = np.arange(n)[::-1]
    return x[chosen]  # expect: HS405


def by_device_tensor(x: Tensor, index: Tensor):
    rows = x[index.long()]  # silent: HS405, HS302, HS308
    columns = x[:, index.long()]  # silent: HS405
    batch = torch.arange(x.shape[0], device=x.device)
    picked = x[batch, index.long()]  # silent: HS405
    return rows, columns, picked, torch.gather(x, 1, index), x.index_select(0, index)


def by_scalar_tensor(x: Tensor):
    best = x.sum(-1).argmax()
    row = x[best]  # expect: HS308
    head = x[:best]  # expect: HS308
    column = x[:, best]  # expect: HS308
    kept = x[best.unsqueeze(0)]  # silent: HS308
    chosen = x.index_select(0, best)  # silent: HS308
    return row, head, column, kept, chosen


def loop_over_positions(x: Tensor, lengths: Tensor):
    out = []
    for i in range(x.shape[0]):
        out.append(x[i, : lengths[i]])  # expect: HS308
    return out


def host_sequences(x: Tensor, names: list[str]):
    best = x.argmax()
    word = names[best]  # expect: HS104
    some = names[:best]  # expect: HS104
    fixed = names[x.shape[0] - 1]  # silent: HS104
    table = {"a": 1}
    entry = table.get("a")
    return word, some, fixed, entry


def host_mask(x: Tensor):
    keep = torch.rand(x.shape[0]) > 0.5
    return keep.sum().item()  # silent: HS101


def random_positions(x: Tensor, n: int):
    chosen = np.random.permutation(n)
    return x[chosen]  # expect: HS405


def of_one_dimension(table: torch.Tensor, n: int):
    line = torch.zeros(n, dtype=torch.long, device="cuda")
    block = torch.zeros(n, 2, dtype=torch.long, device="cuda")
    one = table[line[0]]  # expect: HS308
    several = table[block[0]]  # silent: HS308
    return one, several


def read_and_index(boxes, order):
    i = order[0]
    kept = i.item()  # expect: HS101
    rest = boxes[i], boxes[order[1:]]  # expect: HS104
    j = order[:2]
    return kept, rest, boxes[j]  # silent: HS104, HS308


def by_a_list_of_positions(x: torch.Tensor):
    places = [torch.arange(3), torch.arange(3)]
    return x[places]  # expect: HS405


def by_each_position(x: Tensor, scores: Tensor):
    kept = []
    order = scores.argsort(descending=True)
    for i in order:
        kept.append(x[i])  # expect: HS308
    while order.numel() > 0:
        best = order[0]
        kept.append(x[best])  # expect: HS308
        order = order[1:][x[order[1:]].sum() > 0]  # expect: HS302
    return kept


def by_rows(x: Tensor, rows: Tensor):
    index = rows.long().view(-1, 2)
    first = x[index[0]]  # silent: HS308
    return first, [x[row] for row in index]  # silent: HS308


def rows_by_a_list_of_the_host(table: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    rows = order.tolist()  # expect: HS101
    return table[rows]  # expect: HS405


def row_by_a_number_of_the_host(table: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    row = order.max().tolist()  # expect: HS101
    return table[row]


def masks_of_the_host(x: Tensor):
    keep = torch.ones(8, dtype=torch.bool)
    there = torch.zeros(8, 8, device="cuda")
    a = there[keep]  # silent: HS302
    there[:, keep] = there[:, :1]  # silent: HS303
    there[keep] = 0.0  # expect: HS405
    return a, x[:, keep]  # silent: HS302


class Pairs:
    def __init__(self, count: int):
        pairs = [(i, j) for i in range(count) for j in range(i)]
        self.first = tuple(i for i, _ in pairs)
        self.at = (0, 1)

    def forward(self, base: torch.Tensor):
        near = base[..., self.first, :]  # expect: HS405
        # A tuple that is the whole of an index is one number for each dimension.
        return near, base[self.at]  # silent: HS405


def pairs_of_channels(x: Tensor, channels: int):
    for pair in torch.cartesian_prod(torch.arange(channels), torch.arange(channels)):
        x = x + x[:, pair[0], pair[1]].sum()  # silent: HS405
    return x[torch.cartesian_prod(torch.arange(channels), torch.arange(channels))]  # expect: HS405


class Rows:
    def __init__(self, lengths, offsets):
        self.lengths = lengths.long()
        self.offsets = offsets

    def longest(self, rows: torch.Tensor):
        # Who brings the index to the host has seen the table there.
        rows = rows.long().cpu()  # expect: HS102
        lengths = self.lengths[rows]  # silent: HS405
        if lengths.max() > 3:  # silent: HS201
            return None
        return lengths.max().item(), self.offsets[rows]  # silent: HS101, HS405

    def on_the_device(self, rows: torch.Tensor):
        rows = rows.to(device=torch.device("cpu"))  # expect: HS102
        table = torch.zeros(9, device="cuda")
        chosen = torch.arange(3)
        first = table[rows]  # expect: HS405
        return first, self.offsets[rows], self.lengths.float()[chosen]  # expect: HS405


def at_a_position(x: Tensor, position: Tensor, listed: list[Tensor]):
    peak = x.flatten().topk(3).indices
    first = x[tuple(peak)], x[tuple(position)]  # expect: HS308
    shape, rows, parts = x[tuple(x.shape)], x[tuple(position.t())], x[tuple(listed)]  # silent: HS308
    found = x[torch.where(x > 0)], x[tuple(torch.where(x > 0))]  # expect: HS301
    return first, shape, rows, parts, found, x[tuple(position.nonzero().t())]  # expect: HS301


def at_each_length(final: Tensor, lengths: Tensor, table: Tensor):
    last = [final[:, i, n - 1] for i, n in enumerate(lengths)]  # expect: HS308
    return last, [final[:, i, row - 1] for i, row in enumerate(table)]  # silent: HS308


def by_ranges(outputs, x: Tensor, lengths: Tensor):
    last = outputs[0][range(x.shape[0]), lengths]  # expect: HS405
    return last, x[range(3)]  # expect: HS405


def by_slices(x: Tensor, part: slice):
    return x[part], x[part, 0]  # silent: HS405


def cut(x: Tensor):
    return by_slices(x, torch.arange(3))


def by_lists_of_tensors(values: Tensor, indices: Tensor, counts: Tensor):
    rows = [indices[..., i] for i in range(2)]
    several = values[rows]  # silent: HS104
    numbers = [counts.sum() for _ in range(2)]
    return several, values[numbers]  # expect: HS104


def picked_out_of_each_row(scores, labels):
    return scores[torch.arange(len(labels)), labels]  # expect: HS405


def picked_out_of_an_array(table: np.ndarray, labels):
    return table[torch.arange(len(labels)), labels]  # silent: HS405
