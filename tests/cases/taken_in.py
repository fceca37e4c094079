import numpy as np
import torch
from torch import Tensor, nn


class Engine:
    """No module: what it is handed comes from wherever its callers have it, mostly the host."""

    def __init__(self, model: nn.Module, device: torch.device):
        self.device = device
        self.model = model.to(self.device)  # silent: HS401

    def feed(self, batch, images: Tensor):
        x = batch["x"].to(self.device)  # expect: HS401
        y = batch.target.to(device=self.device)  # expect: HS401
        images = images.clone().detach().to(self.device)  # expect: HS401
        late = batch["z"].to(self.device, non_blocking=True)  # silent: HS401, HS403
        again = images.to(self.device)  # silent: HS401
        return self.model(x), y, late, again

    def take(self, pairs):
        for first, second in pairs:
            yield first.to(self.device), second  # expect: HS401

    def beside(self, x: Tensor, y: Tensor):
        return x.to(y.device)  # silent: HS401

    def exchange(self, model):
        return model.to(self.device)  # silent: HS401

    def cast(self, x: Tensor):
        return x.to(torch.float16)  # silent: HS401


class Model(nn.Module):
    """Where a module is, its inputs are."""

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def forward(self, x: Tensor, ids):
        return x.to(self.device), ids.to(self.device)  # silent: HS401


def by_name(batch, images: Tensor, model):
    inputs, targets = batch
    inputs = inputs.cuda()  # expect: HS401
    targets = targets.cuda(non_blocking=True)  # silent: HS401
    images = images.cuda()  # expect: HS401
    return model.cuda()(images), inputs, targets  # silent: HS401


def on_the_device(x: Tensor):
    if x.is_cuda:
        x = x.cuda()  # silent: HS401
    return torch.zeros(3, device="cuda").cuda()  # silent: HS401


class Attack(object):
    """What has a `forward` is no module by that alone."""

    def __init__(self, model: nn.Module):
        self.model = model
        self.device = next(model.parameters()).device

    def forward(self, images):
        # But who calls it does as with a module, and hands in what is on the device.
        return self._forward(images.clone().to(self.device))  # silent: HS401

    def _forward(self, images):
        there = images.cuda()  # expect: HS401
        return self.model(images.to(self.device)), there  # silent: HS401

    def compute_forward(self, batch):
        return self.model(batch.to(self.device))  # expect: HS401

    def __call__(self, images):
        images = images.clone().detach().to(self.device)  # expect: HS401
        return self.forward(images)


class DetectionLoss:
    def __init__(self, model):
        self.device = next(model.parameters()).device

    def __call__(self, batch):
        labels = batch["label"].view(-1, 1).to(self.device)  # expect: HS401
        return labels, batch["box"].mean(1).to(self.device)  # silent: HS401


class Validator:
    """Whoever works out whether a copy blocks has loaders that pin: on a GPU it does not."""

    def preprocess(self, batch, non_blocking=False):
        batch["img"] = batch["img"].to(self.device, non_blocking=self.device.type == "cuda")  # silent: HS401
        batch["cls"] = batch["cls"].to(self.device, non_blocking=self.device.type not in {"cpu", "mps"})  # silent: HS401
        batch["box"] = batch["box"].to(self.device, non_blocking=self.pinned)  # silent: HS401
        batch["ids"] = batch["ids"].to(self.device, non_blocking=non_blocking)  # expect: HS401
        return batch


class Evaluation:
    """Parts of what is handed in, by whatever names."""

    def __init__(self, device: torch.device):
        self.device = device

    def step(self, sample: dict, samples: list, given, named: dict[str, Tensor]):
        a = {k: v.to(self.device) for k, v in sample.items() if torch.is_tensor(v)}  # expect: HS401
        b = {k: v.to(self.device) for k, v in given.items() if isinstance(v, Tensor)}  # expect: HS401
        c = [one.to(self.device) for one in samples]  # expect: HS401
        d = {k: v.to(self.device) for k, v in named.items()}  # expect: HS401
        e = sample["x"].to(self.device)  # expect: HS401
        f = named["x"].to(self.device)  # silent: HS401
        for key, value in given.items():
            given[key] = value.to(self.device)  # expect: HS401
        return a, b, c, d, e, f

    def unknown(self, others, *several):
        a = [one.to(self.device) for one in others if isinstance(one, Tensor)]  # expect: HS401
        return a, [each.to(self.device) for each in several]  # expect: HS401

    def own(self, count: int):
        made = [torch.zeros(3, device=self.device) for _ in range(count)]
        return [one.to(self.device) for one in made]  # silent: HS401


def picked_by_an_array(data, device, steps):
    for _ in range(steps):
        picked = np.random.choice(len(data["x"]), 8)
        x = data["x"][picked].to(device)  # expect: HS401
        y = data["y"][picked, :].float().to(device)  # expect: HS401
        seen = data["x"][picked].to(torch.float64)
        yield x, y, seen


def picked_by_what_is_not_known(data, device, picked):
    return data["x"][picked].to(device)


def an_element(data, device, row):
    return data["x"][row][0].to(device)


class Metric:
    """Gets what a model gave, where it gave it, and is merged with others of its kind."""

    def __init__(self, device: torch.device):
        self.device = device
        self.total = torch.zeros(1, device=device)

    def update(self, scores: Tensor, labels):
        scores = scores.to(self.device)  # silent: HS401
        labels = labels.to(self.device)  # silent: HS401
        self.total += (scores - labels).sum()

    def compute(self):
        return self.total

    def merge(self, others, weights: Tensor):
        for other in others:
            self.total += other.total.to(self.device)  # silent: HS401
            self.total += other.extra.to(self.device)  # expect: HS401
        return self.total * weights.to(self.device)  # expect: HS401


class Buffer:
    """`update` alone makes no metric."""

    def __init__(self, device: torch.device):
        self.device = device

    def update(self, rewards: Tensor):
        self.rewards = rewards.to(self.device)  # expect: HS401


class PrepareBatch:
    """Whoever calls decides whether it blocks; what is made on the spot nobody hands in."""

    def __call__(self, images: Tensor, device: torch.device, non_blocking: bool = False):
        noise = self.get_noise(images).to(device, non_blocking=non_blocking)  # silent: HS401
        return self.images.detach().to(device, non_blocking=non_blocking), noise  # expect: HS401
