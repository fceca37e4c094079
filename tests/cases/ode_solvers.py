import torch
from torchdiffeq import odeint, odeint_adjoint


def sample(model, x: torch.Tensor, steps: int):
    times = torch.linspace(0.0, 1.0, steps, device=x.device)
    path = odeint(model, x, times, method="euler")  # expect: HS605
    trained = odeint_adjoint(model, x, times)  # expect: HS605
    return path[-1], trained[-1]


def on_the_host(model):
    return odeint(model, torch.zeros(4), torch.linspace(0.0, 1.0, 8))  # silent: HS605
