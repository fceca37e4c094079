import functools

import torch
from torch import Tensor, nn


def make_logger(model: nn.Module):
    history = []

    def hook(module, inputs, output: Tensor):
        history.append(output.abs().max().item())  # expect: HS101

    model.register_forward_hook(hook)
    return history


def make_schedule(steps: int):
    table = torch.linspace(1.0, 0.0, steps)

    def at(step: int):
        return table[step].item()  # silent: HS101

    return at


def make_reader(x: Tensor):
    device_values = torch.zeros(10, device="cuda")

    def read(step: int):
        return device_values[step].item() + x.sum().item()  # expect: HS101

    return read


def lambdas(xs: list[Tensor]):
    read = lambda t: t.detach().cpu().numpy()  # expect: HS102
    double = lambda t: t * 2
    ordered = sorted(xs, key=lambda t: t.shape[0])  # silent: HS106
    return [read(x) for x in xs], [double(x) for x in xs], ordered


def partials(x: Tensor):
    clamp = functools.partial(torch.clamp, min=0.0)
    return clamp(x)


def nested_draw(image: Tensor):
    def norm(t: Tensor, low, high):
        t.clamp_(min=low, max=high)
        t.sub_(low).div_(max(high - low, 1e-5))  # silent: HS106

    def norm_range(t: Tensor, value_range):
        if value_range is not None:  # silent: HS201
            norm(t, value_range[0], value_range[1])
        else:
            norm(t, float(t.min()), float(t.max()))  # expect: HS103

    norm_range(image, None)
    return image


def closure_step(model, x: Tensor, y: Tensor, optimizer):
    def closure():
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        return loss

    return optimizer.step(closure)


def decorator(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        result = function(*args, **kwargs)
        return result

    return wrapper


@decorator
def decorated(x: Tensor):
    return x.sum().item()  # expect: HS101


def makes_a_class(x: Tensor):
    class Made:
        again = makes_a_class

        def read(self, y: Tensor):
            return y.item()  # expect: HS101

    return Made().read(x)
