"""One element of a tensor that has more dimensions than indices is no element: what is stored there is filled in."""

import torch

from settings import SIZES


def matrices(x: torch.Tensor) -> torch.Tensor:
    made = torch.zeros(3, 3, *x.shape[1:], device=x.device) + 0j
    made[0, 0] = 0.5
    made[2, 2] = 1
    made[0, 0, 0] = 1  # expect: HS406
    return made


def one_matrix(x: torch.Tensor, sizes: list[int]) -> torch.Tensor:
    made = torch.zeros(*sizes, device=x.device)
    made[0, 0] = 0.5  # expect: HS406
    return made


def by_another_index(mask: torch.Tensor, other: torch.Tensor):
    mask[0] = 1.0  # silent: HS406
    other[0] = 1.0  # expect: HS406
    return mask[:, :3], other[None, :3], other[..., 0], other[3:]


def by_its_sizes(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor):
    x[0] = 1.0  # silent: HS406
    y[0] = 1.0  # silent: HS406
    z[0] = 1.0  # expect: HS406
    return x.shape[1], y.size(-2), z.shape[0], z.size(-1)


def by_what_works_along_them(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor, v: torch.Tensor, w: torch.Tensor):
    x[0] = 1.0  # silent: HS406
    y[0] = 1.0  # silent: HS406
    z[0] = 1.0  # silent: HS406
    v[0] = 1.0  # expect: HS406
    w[0] = 1.0  # expect: HS406
    told = x.sum(dim=1), torch.softmax(y, 1), z.transpose(-2, -1)
    return told, v.sum(dim=0), torch.softmax(v, -1), w.unsqueeze(1), w.sum(keepdim=True, dim=(0,))


def of_what_it_is_made(x: torch.Tensor):
    q = x.softmax(dim=1)
    q[0] = 0.0  # silent: HS406
    r = torch.nn.functional.log_softmax(x, dim=-2)
    r[0] = 0.0  # silent: HS406
    s = x.softmax(dim=-1)
    s[0] = 0.0  # expect: HS406
    t = x.sum(dim=1)
    t[0] = 0.0  # expect: HS406
    u = torch.roll(s, 1, dims=0)
    u[0] = 0.0  # expect: HS406
    return q, r, s, t, u


def with_another_under_its_name(x: torch.Tensor, y: torch.Tensor):
    width = x.shape[1], y.shape[1]
    x = x.flatten()
    x[0] = 1.0  # expect: HS406
    y = y.float()
    y[0] = 1.0  # silent: HS406
    return x, y, width


def planes_and_rows(x: torch.Tensor, y: torch.Tensor):
    x[0, 0] = 1.0  # silent: HS406
    y[0, 0] = 1.0  # expect: HS406
    return x[:, :, 0], y[:, 0]


shared = torch.zeros(*SIZES, device="cuda")
shared[0] = 1.0  # silent: HS406
left = shared[:, :3]
line = torch.zeros(*SIZES, device="cuda")
line[0] = 1.0  # expect: HS406
