import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, width)

    def forward(self, x):
        return self.head(x)


def build_model(width=3):
    return Net(width)


def settings():
    return {"seed": torch.initial_seed()}
