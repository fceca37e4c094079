"""What is on the CPU unless it is told: by nobody, by one caller of several, or perhaps by a dictionary."""

import torch


class Buffer:
    def __init__(self, size, device="cpu"):
        self.device = device
        self.examples = torch.zeros(size, 3, device=device)

    def best(self, scores):
        if self.examples.sum() > 0:  # silent: HS201
            return self.examples.tolist()  # silent: HS101
        # Where nobody asks for a device, what is handed in is on the host, too.
        return scores.to(self.device)


class Told:
    def __init__(self, size, device=torch.device("cpu")):
        self.examples = torch.zeros(size, 3, device=device)

    def best(self):
        return self.examples.tolist()  # expect: HS101


class ToldHere:
    def __init__(self, size, device="cpu"):
        self.examples = torch.zeros(size, 3, device=device)

    def best(self):
        return self.examples.tolist()  # expect: HS101


class Unused:
    def __init__(self, size, device="cpu"):
        self.examples = torch.zeros(size, 3, device=device)

    def best(self):
        return self.examples.tolist()  # expect: HS101


class Unsaid:
    """None stands for what is worked out inside."""

    def __init__(self, size, device=None):
        self.examples = torch.zeros(size, 3, device=device)

    def best(self):
        return self.examples.tolist()  # expect: HS101


def spikes(count, device="cpu"):
    drawn = torch.rand(count, device=device)
    return drawn.tolist()  # silent: HS101


def spikes_somewhere(count, device="cpu"):
    drawn = torch.rand(count, device=device)
    return drawn.tolist()  # expect: HS101


def moved(x: torch.Tensor, device="cpu"):
    return x.to(device)  # silent: HS102


class Grid:
    """Who calls a method without a device may have told another."""

    def fill(self, size, device="cpu"):
        self.points = torch.zeros(size, device=device)

    def rows(self):
        return self.points.tolist()  # expect: HS101


def fetched(x: torch.Tensor, device="cpu"):
    return x.to(device)  # expect: HS102


def here(device):
    return ToldHere(4, device)
