import torch
from torch import Tensor


def branches(loss: Tensor, x: Tensor, mask: Tensor, limit: float):
    if loss > limit:  # expect: HS201
        x = x * 2
    if torch.isnan(loss):  # expect: HS201
        return None
    if not torch.isfinite(loss):  # expect: HS201
        return None
    if mask.any() and limit > 0:  # expect: HS201
        x = x + 1
    elif (x < 0).all():  # expect: HS201
        x = -x
    y = x if loss < 1 else -x  # expect: HS201
    sign = 1 if limit > 0 else -1  # silent: HS201
    if limit > 1 or sign:  # silent: HS201, HS204
        y = y + 1
    return y


def metadata(x: Tensor, y: Tensor, training: bool):
    if x.shape[0] > 1 and x.dim() == 2:  # silent: HS201, HS204
        x = x.squeeze(0)
    if x.requires_grad or x.is_contiguous():  # silent: HS201, HS204
        x = x.detach()
    if x.dtype == torch.float16:  # silent: HS201
        x = x.float()
    if x is y or y is None:  # silent: HS201
        return x
    if x.numel() == 0:  # silent: HS201
        return y
    if torch.is_floating_point(x):  # silent: HS201
        return x
    if len(x) and training:  # silent: HS201
        return x.new_zeros(1)
    if x.device == y.device:  # silent: HS201
        return y
    if torch.is_grad_enabled() or torch.cuda.is_available():  # silent: HS201, HS204
        return x
    return None


def loops(x: Tensor, tolerance: float):
    error = x.norm()
    steps = 0
    while error > tolerance:  # expect: HS202
        x = x / 2
        error = x.norm()
    while steps < 10:  # silent: HS202
        steps += 1
    while True:  # silent: HS202
        x = x * 0.5
        if x.max() < tolerance:  # expect: HS201
            break
    return x


def asserts(x: Tensor, y: Tensor):
    assert (x >= 0).all()  # expect: HS203
    assert not torch.isnan(y).any(), "nan"  # expect: HS203
    assert x.shape == y.shape  # silent: HS203
    assert x.ndim in (2, 3)  # silent: HS203, HS106
    assert isinstance(y, Tensor) and y.numel() > 0  # silent: HS203


def operators(a: Tensor, b: Tensor):
    both = a.any() and b.any()  # expect: HS204
    either = a.any() or b.any()  # expect: HS204
    none = not a.any()  # expect: HS204
    between = 0 < a.mean() < 1  # expect: HS204
    masked = (a > 0) & (b > 0)  # silent: HS204
    inverted = ~masked  # silent: HS204
    ordered = 0 < a.dim() < 3  # silent: HS204
    logical = torch.logical_and(a, b)  # silent: HS204
    missing = a is not None and b is not None  # silent: HS204
    return both, either, none, between, masked, inverted, ordered, logical, missing


def filters(losses: list[Tensor], names: list[str]):
    good = [loss for loss in losses if loss < 1]  # expect: HS201
    named = [name for name in names if name]  # silent: HS201
    shaped = [loss for loss in losses if loss.dim()]  # silent: HS201
    return good, named, shaped


def after_a_copy(x: Tensor):
    host = x.cpu()  # expect: HS102
    if host.sum() > 0:  # silent: HS201
        return host
    return x


def defaults(x: Tensor, weight=None, gain: float = 1.0):
    weight = weight if weight is not None else torch.ones_like(x)  # silent: HS201
    if gain != 1.0:  # silent: HS201
        weight = weight * gain
    return x * weight


def there_or_not(x: Tensor, mask: Tensor | None = None, weight: Tensor | None = None, steps: int = 2):
    noise = found = some = None
    if steps > 1:
        some = (x > 0).squeeze()
        noise, x = torch.split(x, 2)
        found = x.isnan().any()
    if mask:  # expect-possible: HS201  # silent: HS201
        x = x * mask
    if not noise:  # expect-possible: HS201  # silent: HS201
        return x
    if found or some:  # expect: HS201
        return noise
    if some:  # expect: HS201
        return x
    return x if weight.sum() > 0 else noise  # expect: HS201
