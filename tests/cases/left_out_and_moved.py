"""What is made on the CPU where it is left out, and moved to the device later, is on the CPU until then."""

import torch


class Predictor:
    def __init__(self, device):
        self.device = device

    def add(self, state, points=None, labels=None, box=None):
        if points is None:
            points = torch.zeros(0, 2)
        elif not isinstance(points, torch.Tensor):
            points = torch.tensor(points)
        if labels is None:
            labels = torch.zeros(0, dtype=torch.int32)
        if box is not None:
            corners = torch.tensor([2, 3], device=labels.device)  # silent: HS404
            labels = torch.cat([corners, labels])
            if (points < 0).any():  # silent: HS201
                raise ValueError("outside")
        points = points.to(self.device)  # expect: HS401
        labels = labels.to(state["device"])  # expect: HS401
        return points, labels


def only_cast(x=None):
    if x is None:
        x = torch.zeros(3)
    x = x.to(torch.float16)
    return x.sum().item()  # expect: HS101


def never_moved(x=None):
    if x is None:
        x = torch.zeros(3)
    return x.sum().item()  # expect: HS101
