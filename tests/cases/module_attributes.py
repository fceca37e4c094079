import torch
from torch import nn


class Scheduler:
    """Not a module: its tables stay where they were made."""

    def __init__(self, steps: int = 1000, beta_start: float = 1e-4, beta_end: float = 0.02):
        self.betas = torch.linspace(beta_start, beta_end, steps)
        self.alphas = 1.0 - self.betas
        self.alphas_cumprod = torch.cumprod(self.alphas, dim=0)
        self.one = torch.tensor(1.0)
        self.timesteps = None
        self.steps = steps

    def set_timesteps(self, count: int, device="cuda"):
        timesteps = torch.arange(0, self.steps, self.steps // count).flip(0)
        self.timesteps = timesteps.to(device)  # expect: HS401
        self.count = count

    def add_noise(self, original: torch.Tensor, noise: torch.Tensor, timesteps: torch.Tensor):
        table = self.alphas_cumprod.to(original.device)  # expect: HS401
        scale = table[timesteps] ** 0.5
        return scale * original + (1 - scale) * noise

    def final(self):
        return self.alphas_cumprod[-1].item()  # silent: HS101

    def index_of(self, timestep):
        found = (self.timesteps == timestep).nonzero()  # expect: HS301
        if len(found) > 1:  # silent: HS201
            return found[1].item()  # expect: HS101
        return found[0].item()  # expect: HS101

    def halfway(self):
        if self.one > 0.5:  # silent: HS201
            return self.count // 2
        return self.count


class Queue(nn.Module):
    def __init__(self, size: int, dim: int):
        super().__init__()
        self.size = size
        self.ptr = 0
        self.register_buffer("queue", torch.randn(dim, size))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def enqueue(self, keys: torch.Tensor):
        count = keys.shape[0]
        ptr = int(self.queue_ptr)  # expect: HS103
        self.queue[:, ptr : ptr + count] = keys.T  # silent: HS303, HS308
        ptr = (ptr + count) % self.size
        self.queue_ptr[0] = ptr  # expect: HS406
        self.ptr = ptr
        if self.ptr == 0:  # silent: HS201
            self.queue.zero_()


class Trainer:
    def __init__(self, model: nn.Module, device: torch.device):
        self.model = model.to(device)
        self.device = device
        self.loss = torch.zeros((), device="cuda")
        self.steps = 0
        self.best = float("inf")

    def train_step(self, batch: torch.Tensor):
        loss = self.model(batch).mean()
        loss.backward()
        self.loss += loss.detach()
        self.steps += 1

    def report(self):
        mean = self.loss.item() / self.steps  # expect: HS101
        if mean < self.best:  # silent: HS201
            self.best = mean
        print(self.loss, self.steps)  # expect: HS105
        return mean
