import math

import torch
import torch.nn.functional as F
from torch.distributions import Categorical, Normal


def noise_schedule(steps: int, start: float = 1e-4, end: float = 0.02):
    betas = torch.linspace(start, end, steps)
    alphas = torch.cumprod(1.0 - betas, dim=0)
    final = alphas[-1].item()  # silent: HS101
    if alphas.min() < 1e-6:  # silent: HS201
        alphas = alphas.clamp(min=1e-6)
    while alphas[-1] > 0.5:  # silent: HS202
        alphas = alphas * alphas
    assert torch.all(alphas > 0)  # silent: HS203
    values = [float(value) for value in alphas]  # silent: HS103
    return values, final, math.sqrt(alphas[0])  # silent: HS103


def drop_path_rates(rate: float, depth: int):
    return [x.item() for x in torch.linspace(0, rate, depth)]  # silent: HS101


def crop(height: int, width: int, size: int):
    top = torch.randint(0, height - size + 1, (1,)).item()  # silent: HS101
    left = int(torch.randint(0, width - size + 1, size=(1,)))  # silent: HS103
    if torch.rand(1) < 0.5:  # silent: HS201
        left = width - left
    angle = float(torch.empty(1).uniform_(-10.0, 10.0).item())  # silent: HS101, HS103
    order = torch.randperm(4)
    done = []
    for index in order:
        if index == 0 and angle > 0:  # silent: HS201, HS204
            done.append("brightness")
        elif index == 1:  # silent: HS201
            done.append("contrast")
    return top, left, done


def class_weights(labels: list):
    y = torch.tensor(labels)
    classes, counts = torch.unique(y, return_counts=True)  # silent: HS304
    weights = torch.bincount(y, minlength=10).float()  # silent: HS305
    rare = classes[counts < 3]  # silent: HS302
    weights[rare] = 0.0  # silent: HS406
    weights[0] = 1.0  # silent: HS406
    weights[[1, 2]] *= 2.0  # silent: HS405
    hot = F.one_hot(y)  # silent: HS307
    rows = (hot.sum(1) > 0).nonzero(as_tuple=True)[0]  # silent: HS301
    longest = hot[rows[0]]  # silent: HS308
    spread = y.repeat_interleave(counts)  # silent: HS306
    mask = y > 2
    y[mask] = spread[: mask.sum()]  # silent: HS303, HS308
    pairs = torch.combinations(y)  # silent: HS309
    print("classes", classes, longest, pairs)  # silent: HS105
    return weights.tolist()  # silent: HS101


def whiten(count: int):
    a = torch.rand(count, 8)
    covariance = torch.cov(a.T)  # silent: HS605
    inverse = torch.linalg.inv(covariance)  # silent: HS601
    policy = Categorical(logits=a)  # silent: HS602
    prior = Normal(torch.zeros(8), torch.ones(8))  # silent: HS602
    unit = Normal(0.0, 1.0)  # silent: HS602
    same = torch.allclose(a @ inverse, a)  # silent: HS107
    largest = max(a[0, 0], a[1, 1])  # silent: HS106
    return policy, prior, unit, same, largest


def host_copies(model_output: torch.Tensor):
    host = model_output.detach().cpu()  # expect: HS102
    best = host.argmax(dim=-1).tolist()  # silent: HS101
    top = host.max().item()  # silent: HS101
    array = host.numpy()  # silent: HS102
    again = host.to("cpu")  # silent: HS102
    return best, top, array, again.sum().item()  # silent: HS101


def sizes(x: torch.Tensor):
    count = int(x.shape[0])  # silent: HS103
    if x.size(0) > 1 and x.numel():  # silent: HS201, HS204
        count += x.dim()
    for index in range(x.shape[1]):  # silent: HS104
        count += index
    zeros = torch.zeros(x.shape[0], x.size(-1), device=x.device)  # silent: HS104
    return max(x.shape), len(x), zeros, f"{x.shape} on {x.device}"  # silent: HS105, HS106


def generator_on_the_host(seed: int):
    generator = torch.Generator()
    generator.manual_seed(seed)
    permutation = torch.randperm(100, generator=generator).tolist()  # silent: HS101
    flips = torch.rand(8, generator=generator)
    return permutation, [bool(flip < 0.5) for flip in flips]  # silent: HS103


def copied_from_host(values):
    t = torch.as_tensor([1.0, 2.0, 3.0])
    like = torch.zeros_like(t)
    stacked = torch.stack([t, like, t + like])
    return stacked.sum().item() + torch.cat([t, like])[0].item()  # silent: HS101


def between(limits, **options):
    count = int(torch.randint(*limits, (1,)).item())  # silent: HS101
    there = int(torch.randint(*limits, (1,), **options).item())  # expect: HS101
    return count, there


def whatever_the_annotation_says(latents: torch.Tensor, mean: torch.Tensor, scale: torch.Tensor):
    mean = torch.tensor(mean).view(1, -1).to(latents.device)  # expect: HS401
    if scale.dim() > 1:
        scale = torch.tensor(scale).to(latents.device)  # silent: HS401
    return (latents - mean) / scale
