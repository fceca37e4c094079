"""Settings that may be a number or a tensor: they are numbers nearly always."""
from typing import TypeVar, Union

import torch
from torch import Tensor
from torch.types import _Number

T = TypeVar("T", int, Tensor)


def not_a_tensor(value: Union[int, float, Tensor]) -> float:
    # A use inside the branch proves nothing outside of it.
    if isinstance(value, Tensor):
        return value.item()  # expect: HS101
    return float(value)  # silent: HS103


class Sgd(torch.optim.Optimizer):
    def __init__(self, params, lr: Union[float, Tensor] = 1e-3, weight_decay: Union[float, Tensor] = 0.0):
        # A setting that may be a tensor is a number in nearly every run.
        if not 0.0 <= lr:  # silent: HS201
            raise ValueError(f"invalid learning rate: {lr}")
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay})

    def decayed(self, grad: Tensor, p: Tensor, weight_decay: Union[float, Tensor]):
        if weight_decay != 0:  # silent: HS201
            grad = grad.add(p, alpha=weight_decay)  # silent: HS104
        return grad


def number_by_alias(scale: Union[Tensor, float]):
    if isinstance(scale, _Number):
        return float(scale)  # silent: HS103
    return 1.0


def made_of_a_number(value: Union[float, Tensor]):
    if not isinstance(value, Tensor):
        value = torch.tensor(value)
    if value < 0:  # silent: HS201
        raise ValueError(value)
    return value


def made_of_what_is_handed_in(value: Union[float, Tensor]):
    if not isinstance(value, Tensor):
        value = torch.tensor(value)
    if value < 0:  # expect: HS201
        raise ValueError(value)
    return value


def with_a_tensor(x: Tensor):
    return made_of_what_is_handed_in(x.max())


def made_there(x: Tensor, mean: Union[Tensor, tuple, list, float]):
    if isinstance(mean, (float, tuple, list)):
        mean = torch.as_tensor(mean, device=x.device)  # expect: HS404
    return x - torch.as_tensor(mean, device=x.device, dtype=x.dtype)  # silent: HS404


def place_of(values):
    for value in values:
        if isinstance(value, Tensor):
            return value.device
    return torch.device("cpu")


def made_where_the_number_is(scale: Union[float, Tensor]):
    return torch.tensor([1.0, 2.0], device=place_of([scale]))  # silent: HS404


def place_beside(values):
    # As `place_of`, but handed tensors alone: what one call hands in is evidence for all calls of a function.
    for value in values:
        if isinstance(value, Tensor):
            return value.device
    return torch.device("cpu")


def made_where_the_tensor_is(x: Tensor):
    return torch.tensor([1.0, 2.0], device=place_beside([x]))  # expect: HS404


def first_of(values):
    for value in values:
        if isinstance(value, Tensor):
            return value
    return None


def read(x: Tensor):
    return float(first_of([x, 3]).sum())  # expect: HS103


# The same once more for each of two callers: what one call hands in is evidence for all calls of a function.
def place_of_numbers(values):
    for value in values:
        if isinstance(value, Tensor):
            return value.device
    return torch.device("cpu")


def made_of_numbers(pair: tuple[float, float]):
    beside = torch.zeros(3, device=place_of_numbers([{"pair": pair}, None])).sum()
    return torch.zeros(3, device=place_of_numbers([pair, 1.0])).sum().item(), beside.item()  # silent: HS101


def place_of_anything(values):
    for value in values:
        if isinstance(value, Tensor):
            return value.device
    return torch.device("cpu")


def made_of_anything(pair, key):
    beside = torch.zeros(3, device=place_of_anything([{key: pair}])).sum()
    return torch.zeros(3, device=place_of_anything([[pair, 1.0]])).sum().item(), beside.item()  # expect: HS101, HS101


def to_mel(hz: Union[float, Tensor]):
    given = torch.as_tensor(hz) if not isinstance(hz, Tensor) else hz
    return 2595.0 * torch.log10(1.0 + given / 700.0)


def band(low: float, high: float):
    # What is made a tensor only where it is none is on the CPU then, and else where it is handed in.
    first, last = to_mel(torch.tensor([low, high])).tolist()  # silent: HS101
    return first, last


def to_bark(hz: Union[float, Tensor]):
    given = hz if isinstance(hz, Tensor) else torch.as_tensor(hz)
    return 26.81 * given / (1960.0 + given)


def of_signal(x: Tensor):
    return to_bark(x).tolist()  # expect: HS101


def limits(x: torch.Tensor, most: torch.Tensor, size=None):
    a = torch.clamp(x, 0, most)  # expect: HS605
    b = x.clamp(min=most, max=1.0)  # expect: HS605
    c = x.clip_(0, most)  # expect: HS605
    d = x.clamp(most, most)  # silent: HS605
    e = x.clamp(max=most)  # silent: HS605
    f = x.clamp(0, 1)  # silent: HS605
    # No tensor with dimensions goes with a number: it is something else than it seems.
    f = x.clamp(0, torch.ones(3, device=x.device))  # silent: HS605
    if size is not None:
        x.clamp_(min=0, max=size[0])  # silent: HS605
        if not isinstance(size, torch.Tensor):
            size = x.new_tensor(size)  # expect: HS404
        b = b * size.unsqueeze(0)
    return a, b, c, d, e, f


class Meshes:
    def __init__(self, verts: torch.Tensor):
        self.count = len(verts)
        self.valid = torch.ones(self.count, dtype=torch.bool, device=verts.device)
        self.sizes = [len(v) for v in verts]

    def is_empty(self):
        return self.count == 0 or self.valid.eq(False).all()

    def has_one_size(self):
        return self.count > 0 and len(set(self.sizes)) == 1

    def volume(self):
        if self.is_empty():  # expect: HS201
            return None
        if self.has_one_size():  # silent: HS201
            return self.count
        return self.valid.sum()


def or_number(scale: torch.Tensor, count):
    # Only truth values are answers; of others either operand may be the one.
    chosen = len(count) or scale
    if chosen:  # expect-possible: HS201
        return scale
    return None


class Prior:
    def __init__(self, mean: Union[float, Tensor], steps: "list[float] | Tensor"):
        # Made of a number nearly always, so that it is on the CPU.
        if torch.any(torch.as_tensor(mean) != 0):  # silent: HS201
            raise ValueError(mean)
        steps = torch.as_tensor(steps)
        if torch.any(steps < 0):  # expect: HS201
            raise ValueError(steps)
        # Where the steps are says what else is to be where they are.
        self.scale = torch.as_tensor(mean, device=steps.device)  # expect: HS404
        self.same = torch.as_tensor(1.0, device=torch.as_tensor(mean).device)  # expect: HS404

    @property
    def mean(self):
        return self._mean

    @mean.setter
    def mean(self, value: "float | Tensor"):
        if torch.as_tensor(value).item() != 0.0:  # silent: HS101
            raise ValueError(value)
        self._mean = value


def number_from_callers(value: Union[float, Tensor]):
    return torch.as_tensor(value).max().item()  # expect: HS101


def calls_it(x: Tensor):
    return number_from_callers(x)


def integrated(f, x: Tensor, start=None, end: float = 1.0):
    time = x[0] if start is None else start
    step = 0.1
    while time < end:  # expect: HS202
        x = x + step * f(time, x)
        time = time + step * x.norm()
    if time > end:  # silent: HS201
        step = end - time
    return x, step


def until_nothing_is_left(x: Tensor, flag: bool):
    left = x.sum() if flag else 3
    while left:  # silent: HS202
        left = 0
    return x


def taken_apart(parts: "list[Tensor] | Tensor"):
    kept = []
    while len(parts) > 1:  # silent: HS202
        kept, parts = [*kept, parts[0]], parts[1:]
    return kept


class Table:
    def normalized(self, index: T, rows: int) -> T:
        if isinstance(index, int) or isinstance(index, Tensor) and index.dim() == 0:
            if index < 0:  # expect: HS201
                index = index + rows
        elif isinstance(index, Tensor):
            index = index % rows
        return index

    def index_select(self, index: Tensor, rows: int):
        picked = self.normalized(index, rows)
        if picked.sum() > 0:  # expect: HS201
            return picked
        return None

    def slice(self, index: slice, rows: int):
        start: int = self.normalized(index.start or 0, rows)
        return self.narrow(start)

    def narrow(self, start: int):
        if start == 0:  # silent: HS201
            return self
        return None


def declared_but_read(lengths: Tensor):
    longest: int = lengths.max()
    return torch.zeros(longest)  # expect: HS104


def sizes_or_others(sizes, others: "list[int] | Tensor"):
    return tuple(size if size else other for other, size in zip(others, sizes))


def handed_sizes(x, sizes):
    return [int(size) for size in sizes_or_others(sizes, x.shape[2:])]  # silent: HS103


def handed_a_tensor(x: Tensor, sizes):
    return [int(size) for size in sizes_or_others(sizes, x[0])]  # expect: HS103


def picked(values: Tensor, index: Union[int, Tensor]):
    return values[index], int(index)  # expect: HS103


def picked_here(values: Tensor, index: Union[int, Tensor]):
    # The call below says nothing of a tensor.
    return values[index], int(index)  # expect-possible: HS103  # silent: HS103


def picked_by_turns(values: Tensor, index: Union[int, Tensor]):
    return [int(index) + at for at in range(len(values))]  # expect: HS103


def pick(values, index):
    return picked_here(values, index), picked_by_turns(values, index)
