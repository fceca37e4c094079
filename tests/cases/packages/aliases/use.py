"""What a name stands for counts, not what it is called."""

from .types import TensorLike, Maybe, Where, new


def read(x: TensorLike, y: Maybe):
    if y is not None and y > 3:  # expect: HS201
        return x.item()  # expect: HS101
    return new([1.0, 2.0], device=x.device)  # expect: HS404


def on(device: Where = None):
    return new([1.0, 2.0], device=device)  # expect: HS404


def here():
    return on("cpu").sum().item()
