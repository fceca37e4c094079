"""What the scan still gets wrong. A line that has become right moves to the case file of its topic."""
from torch import Tensor


def class_pattern(value):
    match value:
        case Tensor():
            return value.max().item() + float(value)  # expect: HS101  # missed-alarm: HS103
    return None
