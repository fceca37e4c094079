import torch
from torch import Tensor


def loads(x: Tensor, threshold: float):
    mask = x > threshold
    selected = x[mask]  # expect: HS302
    columns = x[:, mask[0]]  # expect: HS302
    direct = x[x != 0]  # expect: HS302
    negated = x[~mask]  # expect: HS302
    combined = x[(x > 0) & (x < 1)]  # expect: HS302
    picked = torch.masked_select(x, mask)  # expect: HS302
    kept = torch.where(mask, x, torch.zeros_like(x))  # silent: HS301, HS302
    filled = x.masked_fill(mask, 0.0)  # silent: HS303
    weighted = (x * mask).sum() / mask.sum()  # silent: HS302
    return selected, columns, direct, negated, combined, picked, kept, filled, weighted


def stores(x: Tensor, y: Tensor):
    mask = x.isnan()
    x[mask] = 0.0  # silent: HS303, HS406
    x[x < 0] = 0  # silent: HS303, HS406
    x[:, mask[0]] = 1.0  # silent: HS303
    x[mask] = y[mask]  # expect: HS302, HS303
    x[mask] = y.mean()  # expect: HS303
    x = x.masked_fill(mask, y.mean())  # expect: HS303
    return torch.where(mask, y, x)  # silent: HS301


def indices(scores: Tensor, labels: Tensor):
    a = torch.nonzero(labels == 1).squeeze(1)  # expect: HS301
    b = torch.where(scores > 0.5)[0]  # expect: HS301
    c = (labels < 0).nonzero(as_tuple=True)[0]  # expect: HS301
    d = torch.argwhere(scores > 0.9)  # expect: HS301
    e = torch.count_nonzero(labels)  # silent: HS301
    f = scores.topk(5).indices  # silent: HS301
    return a, b, c, d, e, f


def counts(labels: Tensor, lengths: Tensor, x: Tensor):
    classes = labels.unique()  # expect: HS304
    pairs, inverse = torch.unique(labels, return_inverse=True)  # expect: HS304
    runs = torch.unique_consecutive(labels)  # expect: HS304
    histogram = torch.bincount(labels, minlength=10)  # expect: HS305
    spread = torch.histc(x)  # expect: HS305
    ranged = torch.histc(x, bins=10, min=0.0, max=1.0)  # silent: HS305
    common = x.mode(dim=0)  # silent: HS305
    ordered = labels.sort().values  # silent: HS304
    repeated = x.repeat_interleave(lengths.long(), dim=0)  # expect: HS306
    sized = x.repeat_interleave(lengths.long(), dim=0, output_size=64)  # silent: HS306
    doubled = x.repeat_interleave(2, dim=0)  # silent: HS306
    hot = torch.nn.functional.one_hot(labels)  # expect: HS307
    known = torch.nn.functional.one_hot(labels, num_classes=10)  # silent: HS307
    combos = torch.combinations(labels)  # expect: HS309
    upper = torch.triu_indices(4, 4, offset=1, device=x.device)  # silent: HS309
    summed = torch.zeros(10, device=x.device).index_add_(0, labels.long(), x)  # silent: HS305
    return classes, pairs, inverse, runs, histogram, spread, ranged, common, ordered, repeated, sized, doubled, hot, known, combos, upper, summed


def not_masks(x: Tensor, index: Tensor):
    rows = x[index.long()]  # silent: HS302
    x[index.long()] = rows  # silent: HS303
    flags = [value > 0 for value in (1, 2, 3)]
    return flags, x[:, None]  # silent: HS302


def annotated(x: torch.FloatTensor, keep: torch.BoolTensor):
    return x[keep]  # expect: HS302


def logical(pred: Tensor, target: Tensor):
    positive = torch.logical_and(pred > 0, target > 0)
    finite = torch.isfinite(pred)
    return pred[positive], pred[finite]  # expect: HS302


def compared_unknowns(x: Tensor, data):
    # A comparison as the index of a tensor is a mask.
    x[data.y == 0] = 0.0  # silent: HS406
    return x[data.y == 1]  # expect: HS302


def made_on_the_host(x: Tensor):
    keep = torch.rand(len(x)) < 0.5
    if not keep.any():  # silent: HS201
        return x
    # Its positions are found on the host and copied without a wait (measured, H200, torch 2.11).
    return x[keep]  # silent: HS302, HS405


def normalized(image, nonzero: bool, divisor=None):
    """What is stored through something called a mask, and is a tensor, is stored into one."""
    mask = image != 0 if nonzero else None
    values = image[mask] if mask is not None else image  # expect: HS302
    divisor = divisor if divisor is not None else values.std()
    if mask is None:
        return image / divisor
    image[mask] = values / divisor  # expect: HS303
    image[mask] = 0.0  # silent: HS303
    return image


def named_for_what_they_select(
    points: torch.Tensor, unfinished_mask_start: torch.Tensor, mask_indices: torch.Tensor, mask_token_ids: torch.Tensor
):
    points[unfinished_mask_start] = points.flip(0)[unfinished_mask_start]  # expect: HS302, HS303
    masked = points[mask_indices]  # silent: HS302
    return masked, points[mask_token_ids]  # silent: HS302


def by_one_bool(rows, flags, device):
    chosen = torch.ones((), dtype=torch.bool, device=device)
    return rows[:, chosen]  # expect: HS302


def by_one_bool_of_itself(x):
    return x[x][:, x.any()]  # expect: HS302


def of_batches_that_stay_on_the_host(loader, model):
    for x, y in loader:
        out = model(x.cuda())  # expect: HS401
        a = out[y == 1]  # silent: HS302
        b = out[out == 1]  # expect: HS302
    return a, b


def repeated_truths(g: torch.Tensor, n: int):
    even = torch.tensor([True, False] * 4, device=g.device)  # expect: HS404
    odd = torch.tensor(4 * [False, True])
    at = torch.tensor([0, 1] * 4)
    first = g[even]  # expect: HS302
    second = g[odd]  # silent: HS302, HS405
    third = g[at]  # expect: HS405
    return first, second, third
