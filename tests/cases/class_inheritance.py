import torch
import transformers
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


class Processor:
    def __call__(self, ids: torch.Tensor, scores: torch.Tensor, limit: float) -> torch.Tensor:
        raise NotImplementedError


class NoRepeats(Processor):
    """What the overridden method says of its parameters holds here as well."""

    def __call__(self, ids, scores, limit):
        for tokens in ids.tolist():  # expect: HS101
            scores = scores - len(tokens)
        return scores if limit > 0 else -scores  # silent: HS201


class Metric:
    def add_state(self, name, default, reduce="sum"):
        setattr(self, name, default)


class Recall(Metric):
    """States that a method sets up under names that it is given."""

    def __init__(self):
        self.add_state("total", torch.tensor(0.0))
        self.add_state("seen", default=torch.zeros(3))
        self.add_state("title", "recall")
        for name in ("scores", "labels"):
            self.add_state(name, [])

    def update(self, scores: torch.Tensor, labels: torch.Tensor):
        self.total += scores.sum()
        self.scores.append(scores)
        self.labels.append(labels)

    def compute(self, i):
        if self.total < 2:  # expect: HS201
            raise ValueError(self.title)
        if self.seen.any():  # expect: HS201
            return self.title[0] > "a"  # silent: HS201
        return self.scores[i][self.labels[i] > 0]  # expect: HS302


class Schedule:
    def __init__(self, steps):
        self.betas = torch.linspace(0, 1, steps)

    def to(self, device):
        for name in ("betas",):
            setattr(self, name, getattr(self, name).to(device))  # expect: HS401
        return self

    def first(self):
        return self.betas[0].item()  # expect: HS101


class StaysThere:
    def __init__(self, steps):
        self.betas = torch.linspace(0, 1, steps)

    def first(self):
        return self.betas[0].item()  # silent: HS101


class Boxes(torch.Tensor):
    pass


def of_a_kind_of_tensor(boxes: Boxes, others):
    if isinstance(others, Boxes):
        others = others[others[:, 0] > 2]  # expect: HS302
    return boxes[boxes[:, 0] > 2], boxes.max().item(), others  # expect: HS302, HS101


class Kept(transformers.PreTrainedModel):
    def __call__(self, x):
        return super().__call__(x)

    def forward(self, x):
        return self.head(x)


def lowest(x: torch.Tensor):
    return Kept()(x).min().item()  # expect: HS101


class KeepsWeights:
    def __init__(self, layer: nn.Linear):
        self.layer = layer
        self.kept: torch.Tensor | None = None

    def keep(self):
        self.kept = self.layer.weight.detach().cpu()  # expect: HS102


class TakesBack(KeepsWeights):
    """What it sets to None is what its base has made, before."""

    def take_back(self):
        weight = self.layer.weight
        weight.data.copy_(self.kept.to(weight.device))  # expect: HS401
        self.kept = None
