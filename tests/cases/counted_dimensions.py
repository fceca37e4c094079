"""How many dimensions a tensor has, where the code says so: a number that is stored into a whole row is filled in."""

import torch


def unpacked(x: torch.Tensor, y: torch.Tensor):
    rows, columns = x.shape
    x[0] = 1.0
    x[rows - 1, columns - 1] = 1.0  # expect: HS406
    (count,) = y.size()
    y[count - 1] = 1.0  # expect: HS406
    return x, y


def compared(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor):
    if x.ndim != 3:
        raise ValueError
    x[0] = 1.0
    x[0, 1] = 1.0
    x[0, 1, 2] = 1.0  # expect: HS406
    if y.dim() == 2:
        y[0] = 1.0
    else:
        y[0] = 1.0  # expect: HS406
    assert len(z.shape) == 2
    z[1] = 1.0
    return x, y, z


def not_said(x: torch.Tensor):
    *_, columns = x.shape
    if x.ndim > 1:
        x[columns - 1] = 1.0  # expect: HS406
    if x.ndim != 2 and columns > 2:
        x[0] = 1.0  # expect: HS406
    return x


def more_than_thought(x: torch.Tensor, rows: list):
    triples = torch.LongTensor([[1, 2, 3]])
    first = x[triples[:, 0]]  # expect: HS405
    pairs = torch.IntTensor(rows)
    return first, x[pairs[:, 0].to(x.device)]  # expect: HS401
