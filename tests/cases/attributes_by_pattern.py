"""Attributes that are set and read by names that a loop puts together."""

import torch
from torch import nn


class Pyramid(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        for size in sizes:
            self.register_buffer(f"index_{size}", torch.LongTensor([1, size]))
            self.register_buffer("kernel_{}".format(size), torch.ones(size))
            self.register_buffer("rate_%d" % size, torch.ones(()))
            setattr(self, f"scale_{size}", nn.Parameter(torch.ones(())))
            setattr(self, f"level{size}", nn.Linear(size, size))
            setattr(self, f"name{size}", "level")

    def forward(self, x: torch.Tensor, sizes):
        for size in sizes:
            index = getattr(self, f"index_{size}")
            part = x[:, index[0]:index[1]]  # expect: HS308
            kernel = getattr(self, f"kernel_{size}")
            if kernel.sum() > 1:  # expect: HS201
                part = part * kernel
            if float(getattr(self, f"rate_{size}")) > 1:  # expect: HS103
                part = part * 2
            scale = getattr(self, "scale_{}".format(size))
            part = part / float(scale)  # expect: HS103
            part = getattr(self, f"level{size}")(part)
            if getattr(self, f"name{size}") == "level":
                print(part.mean().item())  # expect: HS101
            unknown = getattr(self, f"other_{size}")
            if unknown:
                return part
        return x
