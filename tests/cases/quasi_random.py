"""Sobol sequences are drawn on the CPU, wherever they are used."""
import torch
from torch.quasirandom import SobolEngine


def points(bounds: torch.Tensor, number: int):
    engine = SobolEngine(bounds.shape[-1], scramble=True)
    unit = engine.draw(number).to(bounds)  # expect: HS401
    return bounds[0] + (bounds[1] - bounds[0]) * unit


class Sampler:
    def __init__(self, dimension):
        self.engine = torch.quasirandom.SobolEngine(dimension)

    def first(self):
        return self.engine.draw(4)[0, 0].item()  # silent: HS101
