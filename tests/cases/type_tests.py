"""Tests of a kind: where one has told that something is no tensor, it is none; afterwards it is what it was."""

from typing import Optional, Union

import numpy as np
import torch


def as_number(x: torch.Tensor):
    if torch.is_tensor(x):
        return x.item()  # expect: HS101
    else:
        return float(x)


def as_number_in_one(x: torch.Tensor):
    return x.item() if isinstance(x, torch.Tensor) else float(x)  # expect: HS101


def early(x: torch.Tensor):
    if not isinstance(x, torch.Tensor):
        return int(x)
    return int(x.sum())  # expect: HS103


def afterwards(x: torch.Tensor):
    if isinstance(x, torch.Tensor):
        scale = x.detach()
    else:
        scale = float(x)
    if x.sum() > 0:  # expect: HS201
        return scale
    return int(x.max())  # expect: HS103


def made(x: torch.Tensor, device):
    if not torch.is_tensor(x):
        x = torch.tensor(x, device=device)  # expect: HS404
    return x.tolist()  # expect: HS101


def chain(x: Union[int, torch.Tensor]):
    if isinstance(x, int):
        return x + 1
    elif isinstance(x, torch.Tensor):
        return x.item()  # expect: HS101
    return float(x)


def window(box: torch.Tensor, image: torch.Tensor, width: int):
    left = max(box[0], 0)  # expect: HS106
    right = min(box[2] + 1, width)  # expect: HS106
    image[:, left:right] = 0  # expect: HS308
    return max(width, 3) + min(image.shape)


def of_numbers(image: torch.Tensor, width: int):
    left = max(width - 3, 0)
    image[:, left:] = 0
    return image


def beside_numbers(mask, weights):
    scaled = torch.exp(-weights * 2)
    if 0.0 in mask:  # expect: HS106
        mask = mask.float()
    if torch.all(mask == 1):  # expect: HS201
        return scaled
    return int(weights.max())  # expect: HS103


def with_a_device(lengths):
    table = torch.zeros(4, device=lengths.device)
    assert lengths.min() > 0  # expect: HS203
    return table, int(lengths.max())  # expect: HS103


def without_one(lengths):
    table = torch.zeros(4)
    assert lengths.min() > 0  # expect: HS203
    return table, int(lengths.max())  # expect: HS103


def used_behind_a_test(lr, eps=1e-3, mode=None, data=None, device=None):
    if isinstance(lr, torch.Tensor):
        if lr.numel() != 1:
            raise ValueError
        print(lr)  # expect: HS105
    if not 0.0 <= lr:
        raise ValueError
    small = eps.squeeze(0) if isinstance(eps, torch.Tensor) else eps
    if torch.is_tensor(mode) and mode.numel() > 3:
        return small
    if mode < 3 or eps > 3:
        return small
    if device is None:
        device = data.device if isinstance(data, torch.Tensor) else None
    return torch.as_tensor(data, dtype=lr.dtype, device=device)


def used_after_one(lr, device: Union[str, torch.device]):
    if isinstance(lr, list):
        lr = lr[0]
    if lr.requires_grad and lr > 3:  # expect: HS201
        return lr
    return _made(device="cpu").item()


def _made(device: Union[str, torch.device]) -> torch.Tensor:
    return torch.rand(3, device=device)


class Boxes:
    def __init__(self, boxes: Union[torch.Tensor, list[torch.Tensor]]):
        if isinstance(boxes, list):
            boxes = torch.stack(boxes)
        self.boxes = boxes

    def ends(self):
        return self.boxes[[0, -1]]  # expect: HS405


def never_equal(x: Tensor, kernel: Tensor | None, mode: str):
    if kernel == "fir" or kernel == mode:  # silent: HS201
        return x
    if kernel in ("sde", None):  # silent: HS106
        return -x
    if x != None:  # noqa: E711  # silent: HS201
        x = x + 1
    if x == [1, 2] or x.shape != x or x != {}:  # silent: HS201
        x = x - 1
    if kernel in ("auto", 1.0, 2.0):  # expect: HS106
        return x * 2
    return x / 2 if kernel == 1.0 else x  # expect: HS201


KINDS = (np.ndarray, torch.Tensor, torch.nn.Parameter)
NUMBERS = (int, float)


def by_a_named_tuple(bound: Tensor, low: float):
    kinds = (np.ndarray, torch.Tensor)
    if isinstance(bound, kinds):
        if (bound < low).sum() > 0:  # expect: HS201
            return low
    elif bound < low:  # silent: HS201
        return low
    if isinstance(bound, KINDS) and bound.max() > low:  # expect: HS201
        return low
    if isinstance(bound, NUMBERS) and bound > low:  # silent: HS201
        return low
    return bound


def traced_sizes(x: Tensor, heads: int, scale: float = 1.0):
    """Sizes are tensors under tracing alone; what is handed in may be one, whatever the annotation says."""
    width = x.shape[-1]
    if isinstance(width, torch.Tensor):
        each = width.div(heads, rounding_mode="trunc")
        assert each * heads == width  # silent: HS203
    else:
        each = width // heads
    assert each * heads == width  # silent: HS203
    if isinstance(scale, Tensor):
        scale = scale.item()  # expect: HS101
    return x.view(-1, each) * scale


def cast(value) -> torch.Tensor:
    if isinstance(value, list):
        return torch.tensor(value)
    return value


def uncast(value):
    if isinstance(value, list):
        return torch.tensor(value)
    return value


def is_more(first, second):
    if cast(first) > 0:  # expect: HS201
        return first
    return second if uncast(second) > 0 else first  # silent: HS201


def promised(values, dtype=None) -> torch.Tensor:
    if isinstance(values, torch.Tensor):
        return values.to(dtype)
    if isinstance(values, (list, tuple)):
        return torch.tensor(values, dtype=dtype)


class Chosen:
    def __init__(self, classes: Optional[list[int]] = None):
        if classes is not None:
            classes = promised(classes, torch.long)
        self.classes = classes

    def of(self, x: Tensor):
        return x if self.classes is None else x[self.classes]  # expect: HS405


class Miner:
    def sample(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        raise NotImplementedError


class Counting(Miner):
    def sample(self, x):
        kept = torch.zeros(len(x), dtype=bool)
        return x, kept


class Losing(Miner):
    def sample(self, x):
        return x, x > 0


class Loss(torch.nn.Module):
    def __init__(self, miner: Miner, other: "Miner | None" = None):
        super().__init__()
        self.miner = miner
        self.other = other

    def forward(self, x: torch.Tensor):
        if isinstance(self.miner, Counting):
            x, kept = self.miner.sample(x)
            # On the host: its positions are found there.
            return x[kept], kept.sum().item()  # silent: HS302, HS101
        x, kept = self.miner.sample(x)
        return x[kept], kept.sum().item()  # expect: HS101

    def of_the_other(self, x: torch.Tensor):
        assert isinstance(self.other, Losing)
        x, kept = self.other.sample(x)
        return kept.sum().item()  # expect: HS101


def of_a_local(miner: Miner, x: torch.Tensor):
    if not isinstance(miner, Counting):
        return miner.sample(x)[1].sum().item()  # expect: HS101
    return miner.sample(x)[1].sum().item()  # silent: HS101


def stays_what_it_is(miner: Counting, x: torch.Tensor):
    if isinstance(miner, Miner):
        return miner.sample(x)[1].sum().item()  # silent: HS101
    return None


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.names = torch.zeros(3)
        self.scale = torch.nn.Parameter(torch.ones(1))

    def read(self):
        return self.scale.item()  # expect: HS101


def of_parts(model: torch.nn.Module):
    for part in model.modules():
        if isinstance(part, Scale):
            yield part.scale.item()  # expect: HS101
            # It is no buffer, so it stays on the host.
            yield part.names.tolist()  # silent: HS101
        if isinstance(part, torch.nn.BatchNorm2d):
            yield float(part.running_mean[0])  # expect: HS103
        if isinstance(part, str):
            yield part.count("a")


def python_types(x: torch.Tensor):
    whole = torch.zeros(len(x), dtype=int)
    mask = torch.ones(len(x), dtype=bool)
    x = x[mask]  # silent: HS302, HS405
    x = x[x.to(bool)]  # expect: HS302
    x = x[x.type(bool)]  # expect: HS302
    x = x[x.to(dtype=int)]  # silent: HS302
    x = x[x.new_ones(3, dtype=bool)]  # expect: HS302
    x = x[torch.tensor([1, 0], dtype=bool)]  # silent: HS405, HS302
    return x[whole]  # expect: HS405


def of_what_tensors_have(x, y: torch.Tensor):
    if isinstance(x, torch.dtype) and x in (torch.float16, torch.bfloat16):  # silent: HS106
        return y.to(x)
    if isinstance(x, torch.device) and x == y.device:  # silent: HS201
        return y
    return torch.exp(x) if x in (0, 1) else y  # expect: HS106


def each_side_by_itself(x: Union[float, torch.Tensor], seen: Optional[torch.Tensor]):
    if x != x if isinstance(x, float) else x.isnan().any():  # expect: HS201
        return None
    if not (seen.any() if seen is not None else False):  # expect: HS201
        return x
    if x > 0 if isinstance(x, float) else x.dim() > 0:  # silent: HS201
        return seen
    return x
