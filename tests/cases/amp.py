import torch
from torch import nn
from torch.cuda.amp import GradScaler, autocast


def train(model: nn.Module, loader, optimizer, device: torch.device):
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        y = y.to(device, non_blocking=True)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # silent: HS604
        scaler.step(optimizer)  # expect: HS603
        scaler.update()
        optimizer.zero_grad()


def older(model, batches, optimizer):
    scaler = GradScaler()
    for batch in batches:
        with autocast():
            loss = model(batch).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)  # expect: HS603
        scaler.update()
        if scaler.get_scale() < 1:  # expect: HS605
            break


class Loop:
    def __init__(self, model: nn.Module, optimizer):
        self.model = model
        self.optimizer = optimizer
        self.scaler = torch.amp.GradScaler("cuda")

    def train_step(self, x: torch.Tensor):
        loss = self.model(x).mean()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)  # expect: HS603
        self.scaler.update()
        return loss


def bfloat(model, batches, optimizer):
    for batch in batches:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(batch).mean()
        loss.backward()
        optimizer.step()  # silent: HS603


class Switched:
    """Waits where it is switched on, which the caller decides; what is off does nothing."""

    def __init__(self, model: nn.Module, is_half: bool, device: torch.device):
        self.model = model
        self.scaler = torch.amp.GradScaler(device.type, enabled=is_half and device.type == "cuda")
        self.off = torch.amp.GradScaler("cuda", enabled=False)

    def train_step(self, x: torch.Tensor, optimizer):
        self.scaler.scale(self.model(x).mean()).backward()
        self.scaler.step(optimizer)  # expect: HS603
        self.scaler.update()

    def plain_step(self, x: torch.Tensor, optimizer):
        self.off.scale(self.model(x).mean()).backward()
        self.off.step(optimizer)  # silent: HS603
        return self.off.get_scale()  # silent: HS605


class BySettings:
    """Mixed precision that a configuration decides about is off until somebody asks for it."""

    def __init__(self, model: nn.Module, config, is_half: bool):
        self.model = model
        self.scaler = torch.amp.GradScaler("cuda", enabled=config.training.mixed_precision)
        self.keyed = torch.amp.GradScaler("cuda", enabled=config["amp"])
        self.told = torch.amp.GradScaler("cuda", enabled=is_half)

    def train_step(self, x: torch.Tensor, optimizer):
        self.scaler.scale(self.model(x).mean()).backward()
        self.scaler.step(optimizer)  # possible: HS603
        self.keyed.step(optimizer)  # possible: HS603
        self.told.step(optimizer)  # expect: HS603
