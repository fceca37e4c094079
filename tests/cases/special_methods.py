"""Operators and other special methods of a project's own classes, which give tensors."""

import torch
from torch import Tensor


class Quaternion:
    def __init__(self, data: Tensor):
        self.data = data

    def __abs__(self):
        return self.data.norm(dim=-1)

    def __eq__(self, other):
        return (self.data == other.data).all(-1)

    def __ne__(self, other):
        return self.data.shape != other.data.shape

    def __gt__(self, other):
        return self.data > other

    def __add__(self, other):
        return self.data.sum() + other

    def __radd__(self, other):
        return self.data.sum() + other

    def __neg__(self):
        return -self.data.sum()

    def __bool__(self):
        return bool((abs(self) > 0).all())  # expect: HS103

    def __contains__(self, value):
        return value in self.data  # expect: HS106

    def __getitem__(self, item):
        return Quaternion(self.data[item])  # expect: HS302

    def __iter__(self):
        for row in self.data:
            yield row.sum()

    def __len__(self):
        return self.data.shape[0]


def compared(a: Quaternion, b: Quaternion, x: Tensor):
    if all(a == b):  # expect: HS106
        return 1
    if a != b:  # silent: HS201
        return 2
    if (a > 1).any():  # expect: HS201
        return 3
    if (1 < a).any():  # expect: HS201
        return 4
    if len(a) > 3:  # silent: HS201
        return 5
    if a is b:  # silent: HS201
        return 6
    return a[x > 0]


def computed(a: Quaternion):
    if a + 1 > 0:  # expect: HS201
        return 1
    if 1 + a > 0:  # expect: HS201
        return 2
    if -a > 0:  # expect: HS201
        return 3
    for each in a:
        if each > 0:  # expect: HS201
            return 4
    return abs(a).shape[0] > 3


class Pose:
    """Python makes a `!=` of `==`, and asks the tensor that this gives."""

    def __init__(self, matrix: Tensor):
        self.matrix = matrix

    def __eq__(self, other):
        return (self.matrix == other.matrix).all()


def moved(a: Pose, b: Pose):
    changed = a != b  # expect: HS204
    if changed:  # silent: HS201
        return 1
    return (a == b) & (b == a)  # silent: HS204


class Span:
    """Its methods give numbers."""

    def __init__(self, start: int, end: int):
        self.start, self.end = start, end

    def __lt__(self, other):
        return self.start < other.start

    def __add__(self, other):
        return self.end + other.end

    def __eq__(self, other):
        return self.start == other.start


def spans(a: Span, b: Span):
    if a < b:  # silent: HS201
        return 1
    if a == b:  # silent: HS201
        return 2
    if a + b > 3:  # silent: HS201
        return 3
    return sorted([a, b])  # silent: HS106


class Angle:
    """The getter of a property and its setter have one name."""

    def __init__(self, value: Tensor):
        self._value = value

    @property
    def degrees(self):
        return self._value.sum().item()  # expect: HS101

    @degrees.setter
    def degrees(self, value: Tensor):
        if value.max() > 360:  # expect: HS201
            raise ValueError("too large")
        self._value = value


def turned(angle: Angle):
    if angle.degrees > 3:  # silent: HS201
        return torch.ones(1)
    return None


class Clamp(torch.autograd.Function):
    """What `forward` leaves in the context, `backward` finds there."""

    @staticmethod
    def forward(ctx, x, low, high):
        ctx.step = (x.max() - x.min()) / 3
        ctx.levels = 3
        ctx.save_for_backward(x)
        return x.clamp(float(low), float(high))  # expect: HS103, HS103

    @staticmethod
    def backward(ctx, grad):
        if ctx.step != 0:  # expect: HS201
            return grad, None, None
        if ctx.levels > 2:  # silent: HS201
            return None, None, None
        (x,) = ctx.saved_tensors
        if x.any():  # expect: HS201
            return grad, None, None
        if ctx.needs_input_grad[0]:  # silent: HS201
            return grad * 2, None, None
        return None, None, None


def clamped(x: Tensor):
    return Clamp.apply(x, x.min(), x.max())


class Along(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.save_for_backward(x, torch.tensor(dim))
        return x.logsumexp(dim)

    @staticmethod
    def backward(ctx, grad):
        x, dim = ctx.saved_tensors
        if dim == -1:  # silent: HS201
            return grad.unsqueeze(-1) * x, None
        if x == 0:  # expect: HS201
            return grad.unsqueeze(dim) * x, None  # silent: HS605
        return grad, None
