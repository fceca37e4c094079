import torch
from torch import nn


class BaseSampler:
    def __init__(self, steps: int):
        self.sigmas = torch.linspace(1.0, 0.0, steps)
        self.offset = 0
        self.table = None

    def to_device(self, device: torch.device):
        self.table = self.sigmas.to(device)  # expect: HS401

    def last(self):
        return self.sigmas[-1].item()  # silent: HS101

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError


class Euler(BaseSampler):
    def __init__(self, steps: int, churn: float = 0.0):
        super().__init__(steps)
        self.churn = churn

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        sigmas = self.sigmas.to(x.device)  # expect: HS401
        return x * sigmas[0]

    def first(self):
        if self.sigmas[0] > 1:  # silent: HS201
            self.offset += 1
        return float(self.sigmas[0])  # silent: HS103


class Backbone(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))
        self.width = width

    def features(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


class Classifier(Backbone):
    def __init__(self, width: int, classes: int):
        super().__init__(width)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        h = self.features(x)
        if h.abs().max() > 1e4:  # expect: HS201
            h = h.clamp(-1e4, 1e4)
        if self.calls > 100:  # expect: HS201
            return h
        if self.width > 100:  # silent: HS201
            h = h / self.width
        return self.head(h)

    def steps_so_far(self):
        return self.calls.item()  # expect: HS101


class Wrapped(Classifier):
    def forward(self, x):
        logits = super().forward(x)
        return logits if logits.shape[-1] > 1 else logits.sigmoid()  # silent: HS201

    def predict(self, x):
        return self.forward(x).argmax(-1).tolist()  # expect: HS101
