import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm


def cosine_schedule(timesteps: int, s: float = 0.008):
    x = torch.linspace(0, timesteps, timesteps + 1)
    alphas = torch.cos(((x / timesteps) + s) / (1 + s) * math.pi * 0.5) ** 2
    alphas = alphas / alphas[0]
    return torch.clip(1 - alphas[1:] / alphas[:-1], 0, 0.999)


def extract(a: Tensor, t: Tensor, shape):
    b, *_ = t.shape
    return a.gather(-1, t).reshape(b, *((1,) * (len(shape) - 1)))  # silent: HS104


class Diffusion(nn.Module):
    def __init__(self, model: nn.Module, timesteps: int = 1000):
        super().__init__()
        self.model = model
        betas = cosine_schedule(timesteps)
        alphas_cumprod = torch.cumprod(1.0 - betas, dim=0)
        if alphas_cumprod[-1] < 0:  # silent: HS201
            raise ValueError("negative")
        self.num_timesteps = int(betas.shape[0])  # silent: HS103
        self.register_buffer("alphas_cumprod", alphas_cumprod)

    @property
    def device(self):
        return self.alphas_cumprod.device

    def q_sample(self, x: Tensor, t: Tensor, noise: Tensor):
        a = extract(self.alphas_cumprod, t, x.shape)
        return a.sqrt() * x + (1 - a).sqrt() * noise

    @torch.no_grad()
    def p_sample(self, x: Tensor, t: int):
        times = torch.full((x.shape[0],), t, device=self.device, dtype=torch.long)  # silent: HS404, HS104
        noise = torch.randn_like(x) if t > 0 else 0.0  # silent: HS201
        return self.model(x, times) + noise

    @torch.no_grad()
    def sample(self, shape, steps: int):
        image = torch.randn(shape, device=self.device)
        images = []
        for t in tqdm(reversed(range(0, self.num_timesteps)), total=steps):
            image = self.p_sample(image, t)
            images.append(image.cpu())  # expect: HS102
        times = torch.linspace(-1, self.num_timesteps - 1, steps=steps + 1)
        times = list(reversed(times.int().tolist()))  # silent: HS101
        for time, after in zip(times[:-1], times[1:]):
            if after < 0:  # silent: HS201
                break
            alpha = self.alphas_cumprod[time]  # silent: HS308
            image = image * alpha
        scale = torch.tensor([1.0, 2.0], device=self.device)  # expect: HS404
        return image * scale[0], images

    def forward(self, x: Tensor):
        b = x.shape[0]
        t = torch.randint(0, self.num_timesteps, (b,), device=x.device).long()  # silent: HS104, HS401
        noise = torch.randn_like(x)
        prediction = self.model(self.q_sample(x, t, noise), t)
        return F.mse_loss(prediction, noise)
