"""What stands in the body of a class runs once, where the class is defined."""

import torch

scale = torch.rand(1, device="cuda")


class Settings:
    """A text."""

    first = scale.item()  # expect: HS101
    if scale > 0.5:  # expect: HS201
        second = 1
    third: int = 3
    fourth = first
    host = torch.zeros(3).sum().item()
    for _step in range(2):
        fifth = float(scale)  # expect: HS103

    def read(self):
        return self.first + scale.item()  # expect: HS101


def made(x: torch.Tensor):
    class Inner:
        values = x.cuda().tolist()  # expect: HS101, HS401

    return Inner


print(Settings.first, scale.item())  # expect: HS101
