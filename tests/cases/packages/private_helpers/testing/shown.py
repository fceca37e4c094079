import torch

from ..functional import _kept_to_itself


def show():
    return _kept_to_itself(torch.ones(4))
