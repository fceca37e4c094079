import torch
from torch import Tensor


def f(x: Tensor):
    n = (x > 0).sum()
    a = torch.zeros(n, 3)  # expect: HS104
    b = torch.ones((n,))  # expect: HS104
    c = x.view(n, -1)  # expect: HS104
    d = x.reshape(n, 3)  # expect: HS104
    e = x.reshape((n, 3))  # expect: HS104
    g = x.repeat(n, 1)  # expect: HS104
    h = x.expand(n, -1)  # expect: HS104
    i = x.new_zeros(n)  # expect: HS104
    j = torch.arange(n)  # expect: HS104
    k = torch.linspace(0, 1, n)  # expect: HS104
    l = x.narrow(0, n, 1)  # expect: HS605
    m = x.split(n)  # expect: HS605
    o = x.topk(n)  # expect: HS605
    p = torch.eye(n)  # expect: HS104
    q = x.roll(n)  # expect: HS605
    r = torch.randn(n, 4)  # expect: HS104
    s = torch.nn.functional.pad(x, (0, n))  # expect: HS104
    t = x.masked_fill(x > 0, n)  # expect: HS303
    u = x.chunk(n)  # expect: HS605
    return a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r, s, t, u


def parts_of(flat: torch.Tensor, shapes) -> list[torch.Tensor]:
    found, start = [], 0
    for shape in shapes:
        found.append(flat[start : start + shape.numel()].view(shape))
        start += shape.numel()
    return found


def of_segments(x: torch.Tensor, counts: torch.Tensor, ends: torch.Tensor):
    a = torch.segment_reduce(x, "sum", lengths=counts)  # expect: HS605
    b = torch.segment_reduce(x, "sum", lengths=counts, unsafe=True)  # silent: HS605
    return a, b, torch.segment_reduce(x, "sum", offsets=ends)  # silent: HS605


class Hypotheses:
    def __init__(self, kept, groups):
        self.kept, self.groups = kept, groups

    def longest(self, tokens: torch.Tensor, pad):
        lengths = tokens.new(self.groups * self.kept)
        found = tokens.new(self.groups * self.kept, 8).fill_(pad)
        found[0, lengths[0]] = 3  # expect: HS308,HS406
        listed = tokens.new(pad)
        return found, tokens[listed[0]]  # silent: HS308


def spread_out(patches: torch.Tensor):
    _, rows, columns, device, dtype = *patches.shape, patches.device, patches.dtype
    rows = torch.arange(rows, device=device)  # silent: HS104
    rows = rows.flatten()[:, None] * torch.arange(columns, device=device)[None]  # silent: HS104
    first, *others, last = *patches.shape, patches.sum()
    if columns > 3:  # silent: HS201
        return rows.to(dtype)
    return last.item()  # expect: HS101


def spread_out_without_a_word(patches, base=10000, dtype=torch.float32):
    _, n, dim, device, dtype = *patches.shape, patches.device, patches.dtype

    n = torch.arange(n, device=device)  # silent: HS104
    omega = torch.arange(dim // 2, device=device) / (dim // 2 - 1)
    omega = 1.0 / (base**omega)
    n = n.flatten()[:, None] * omega[None, :]
    return torch.cat((n.sin(), n.cos()), dim=1).type(dtype)


def of_types(x: torch.Tensor, *args, **kwargs):
    device, dtype, _, _ = torch._C._nn._parse_to(*args, **kwargs)
    if dtype is not None:
        if not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"no numbers: {dtype}")
        if dtype.is_complex:
            complex_dtype = dtype
            for pair in PAIRS:
                if pair[0] == complex_dtype:  # silent: HS201
                    return x.to(pair[1])
    return x


PAIRS = [(torch.complex64, torch.float32), (torch.complex128, torch.float64)]


def beside_a_spread(x: Tensor, groups: Tensor, n: int):
    found = torch.zeros((*x.shape[:-1], groups.max() + 1), device=x.device)  # expect: HS104
    return found, torch.zeros((*x.shape[:-1], n + 1), device=x.device)  # silent: HS104


def of_packed_sequences(x, bounds):
    lengths = bounds[1:] - bounds[:-1]
    total = int(bounds[-1])  # expect: HS103
    parts = [x[bounds[i] : bounds[i + 1]] for i in range(len(lengths))]  # expect: HS104, HS104
    return total, parts


def of_packed_lists(x, bounds):
    lengths = [end - start for start, end in zip(bounds[:-1], bounds[1:])]
    return lengths, int(bounds[-1])  # silent: HS103
