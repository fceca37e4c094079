"""One element of a tensor that has more dimensions than indices is no element: what is stored there is filled in."""

import torch


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
