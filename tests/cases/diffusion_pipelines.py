import torch
from torch import Tensor, nn


class Pipeline:
    """Runs several models, on the device of whichever comes first."""

    def __init__(self, text_encoder, text_encoder_2, transformer: nn.Module, tokenizer, tokenizer_2, scheduler):
        self.text_encoder = text_encoder
        self.text_encoder_2 = text_encoder_2
        self.transformer = transformer
        self.tokenizer = tokenizer
        self.tokenizer_2 = tokenizer_2
        self.scheduler = scheduler

    @property
    def device(self) -> torch.device:
        for module in vars(self).values():
            if isinstance(module, nn.Module):
                return module.device
        return torch.device("cpu")

    def encode(self, prompt: str, device: torch.device, embeds: Tensor | None = None):
        if embeds is None:
            tokens = self.tokenizer(prompt, return_tensors="pt")
            embeds = self.text_encoder(tokens.input_ids.to(device))[0]  # expect: HS401
        embeds = embeds.to(device=device)  # silent: HS401
        return embeds.repeat(2, 1, 1)

    def pooled(self, prompt: str, device: torch.device):
        tokens = self.tokenizer_2(prompt, return_tensors="pt").to(device)  # expect: HS401
        return self.text_encoder_2(**tokens)[0]  # expect: HS605

    def shown(self, ids: Tensor):
        return self.tokenizer_2.decode(ids)  # expect: HS605

    def moved_by_part(self, prompt: str, device: torch.device):
        tokens = self.tokenizer(prompt, return_tensors="pt")
        tokens = {name: part.to(device) for name, part in tokens.items()}  # expect: HS401
        return self.text_encoder(**tokens)[0]  # expect: HS605

    def masked(self, prompt: str, device: torch.device, guided: bool):
        if guided:
            tokens = self.tokenizer(prompt, return_tensors="pt")
            mask = tokens.attention_mask.to(device)  # expect: HS401
            embeds = self.text_encoder(tokens.input_ids.to(device), attention_mask=mask)  # expect: HS401, HS605
        else:
            embeds = mask = None
        return embeds, mask

    def latents_for(self, frames: int, device: torch.device, latents: Tensor | None = None) -> Tensor:
        if latents is not None:
            return latents.to(device)  # silent: HS401
        count = frames // 4
        first = 0 if frames < 4 else count
        return torch.randn(1, 4, count, device=device), count, first

    def __call__(self, prompt, frames: int, latents=None, embeds: Tensor | None = None):
        device = self.device
        embeds = self.encode(prompt, device, embeds)
        noise = torch.randn_like(embeds, device=device).to(self.transformer.device)  # silent: HS401
        embeds = (embeds + noise).to(device)  # silent: HS401
        table = torch.arange(frames).to(device)  # expect: HS401
        latents, count, first = self.latents_for(frames, device, latents)
        if first > 0:  # silent: HS201
            latents[:, :, :first] = 0
        for _ in range(count):  # silent: HS104
            latents = latents * embeds.mean()
        return latents, table

    def denoised(self, latents: Tensor, device: torch.device):
        self.scheduler.set_timesteps(10, device=device)
        timesteps = self.scheduler.timesteps
        for i, t in enumerate(timesteps):
            latents = self.transformer(latents, t.expand(latents.shape[0]))
            if i < len(timesteps) - 1:
                later = timesteps[i + 1]
                latents = latents + torch.tensor([later])  # expect: HS104
        return latents


def by_what_is_moved(sampler, x: Tensor):
    steps = sampler.steps()
    for t in steps:
        x = x * t.repeat(2).to(x.dtype)
        if steps[0 + 1] > t:  # expect: HS201
            return x
    return x


def of_a_distribution(sampler, shape, limits):
    """Distributions expand, too, to a shape."""
    parts = sampler.parts()
    for part in parts:
        part = part.expand(shape)
        if parts[0 + 1] > limits:  # silent: HS201
            return part
    return parts


def with_all(x: Tensor, weights, return_all: bool = False):
    if not return_all:
        return x * weights
    return x * weights, x, weights


def where_a_flag_decides(x: Tensor, weights, flag: bool):
    """What is returned for a flag counts; not all callers take it apart."""
    return with_all(x, weights, flag).max().item()  # expect: HS101


def noise_for(count: int, device: torch.device, noise: Tensor | None = None) -> Tensor:
    if noise is not None:
        return noise
    return torch.randn(count, device=device), count


def one_of_two(device: torch.device, noise=None):
    noise, count = noise_for(4, device, noise)
    if count > 2:  # silent: HS201
        noise = noise * 2
    return noise
