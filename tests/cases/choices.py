"""Functions, classes and modules of which one is chosen, handed in, or taken where none is given."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def mse(x, y):
    return ((x - y) ** 2).mean()


def loop(f, x):
    for _ in range(3):
        loss = f(x, x)
        if loss < 3:  # expect: HS201
            return loss
    return None


class Metric:
    def __init__(self, fn, count):
        self.fn = fn
        self.count = count

    def __call__(self, *values):
        return self.fn(*values)

    def run(self, x):
        if self.count(x) > 3:  # silent: HS201
            return 2
        if self.fn(x, x) > 0:  # expect: HS201
            return 1
        return 3


def measured(x: Tensor):
    metric = Metric(mse, len)
    metric.run(x)
    loop(mse, x)
    return float(metric(x, x))  # expect: HS103


class Trainer:
    def __init__(self, loss=None):
        self.loss = loss or mse

    def go(self, x: Tensor):
        return float(self.loss(x, x))  # expect: HS103


class Other:
    def __init__(self, loss=None):
        if loss is None:
            loss = F.mse_loss
        self.loss = loss

    def go(self, x: Tensor):
        return float(self.loss(x, x))  # expect: HS103


class Small(nn.Module):
    def forward(self, x):
        return x.sum()


class Large(nn.Module):
    def forward(self, x):
        return x.mean()


class Counting:
    def forward(self, x):
        return len(x)


def head(name):
    return Small if name == "small" else Large


def one_of_two_classes(x: Tensor, name):
    model = head(name)()
    return float(model(x))  # expect: HS103


def one_of_two_objects(x: Tensor, name):
    model = Small() if name == "small" else Large()
    if model.to("cuda")(x) > 3:  # expect: HS201
        return model.forward(x).tolist()  # expect: HS101
    norm = nn.LayerNorm(3) if name else nn.Identity()
    return float(norm(x).sum())  # expect: HS103


def of_objects_that_count(x: Tensor, flag):
    counting = Counting() if flag else Counting()
    return float(counting.forward(x))  # silent: HS103


class Doubled:
    def __init__(self, x: Tensor):
        self.x = x

    def __enter__(self):
        return self.x * 2

    def __exit__(self, *args):
        pass


def entered(x: Tensor):
    with Doubled(x) as y:
        return float(y.sum())  # expect: HS103


def wrapped(closure):
    closure = torch.enable_grad()(closure)
    return closure


@torch.compile(dynamic=True)
def compiled(x: Tensor):
    return x.max()


def calls_what_is_wrapped(x: Tensor):
    again = torch.no_grad()(compiled)
    if again(x) > 0:  # expect: HS201
        return compiled(x).item()  # expect: HS101
    return torch.inference_mode(True)


def one_position(scores: Tensor, models: Tensor, best=0.0):
    top, at = scores.max(dim=0)
    if top > best:  # expect: HS201
        return models[at]  # expect: HS308
    return None


def many_positions(scores: Tensor, models: Tensor):
    top, at = scores.max(dim=0)
    if top is None:
        return None
    return top, models[at]


class Held:
    """Its attribute is set behind Python's back; its property says what it is."""

    def __init__(self, data: Tensor):
        self.__dict__["_data"] = data

    @property
    def data(self) -> Tensor:
        return self._data

    def __bool__(self):
        return bool(self.data)  # expect: HS103


def loaded(path):
    state = torch.load(path, map_location="cpu")
    weight = state["weight"]
    if weight.abs().max() > 1:  # silent: HS201
        return weight.item()  # silent: HS101
    return torch.load(path)["weight"].item()  # expect: HS101, HS605
