"""What the scan still gets wrong. A line that has become right moves to the case file of its topic."""
import torch
from torch import Tensor


def class_pattern(value):
    match value:
        case Tensor():
            return value.max().item() + float(value)  # expect: HS101  # missed-alarm: HS103
    return None


def element_of_any_rank(table: Tensor, n: int, shape: tuple[int, ...]):
    # An integer picks one number of what holds indices, unless the number of dimensions is known.
    block = torch.zeros(n, *shape, dtype=torch.long, device="cuda")
    return table[block[0]]  # false-alarm: HS308
