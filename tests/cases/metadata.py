import logging
import math
from typing import Optional

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

log = logging.getLogger(__name__)


def shapes(x: Tensor, y: Tensor, n: int):
    b, c, *rest = x.shape
    if x.shape != y.shape or x.shape[-1] in (1, 3):  # silent: HS106, HS201, HS204
        x = x[..., :1]
    if max(x.shape[-2:]) > 512 or min(x.size()) == 0:  # silent: HS106, HS201
        x = F.interpolate(x, scale_factor=0.5)
    assert x.shape == (b, c), f"{x.shape} {tuple(y.shape)}"  # silent: HS105, HS203
    half = int(x.shape[0] * 0.5)  # silent: HS103
    rows = math.ceil(x.size(0) / 2) * math.sqrt(x.size(-1))  # silent: HS103
    for i in range(0, x.size(1), 2):  # silent: HS104
        y = y[i:]  # silent: HS308
    first, second = torch.split(x, [half, x.shape[0] - half])  # silent: HS104
    z = x.view(b, -1).expand(n, -1).reshape(x.size()[0], x.numel() // b)  # silent: HS104
    while len(rest) > 1 and b:  # silent: HS202
        rest = rest[1:]
    return rows, first, second, z.repeat(n, 1), torch.arange(end=x.shape[1], device=x.device)  # silent: HS104


def flags(x: Tensor, y: Tensor, device: torch.device):
    if x.is_contiguous() and x.is_floating_point() and not x.is_complex():  # silent: HS201, HS204
        x = x.contiguous()
    if x.dtype in (torch.float16, torch.bfloat16) or x.layout == torch.strided:  # silent: HS106, HS201
        x = x.float()
    if x.data_ptr() == y.data_ptr() or x.grad_fn is None or x.is_leaf:  # silent: HS201
        y = y.clone()
    if "cuda" in str(device) or device.type in ("cuda", "xpu"):  # silent: HS105, HS106, HS201
        y = y.half()
    if x.device == torch.device("cpu") or x.get_device() >= 0:  # silent: HS201
        y = y * 2
    if torch.promote_types(x.dtype, y.dtype) == torch.float32 and torch.is_autocast_enabled():  # silent: HS201
        y = y + 1
    lowest = torch.finfo(x.dtype).min
    if lowest < -1e4:  # silent: HS201
        print(lowest, torch.iinfo(torch.int64).max)  # silent: HS105
    return y.masked_fill(x > 0, lowest)  # silent: HS303


def environment():
    if torch.cuda.device_count() > 1 and torch.cuda.is_available():  # silent: HS201
        print(torch.cuda.get_device_name(0), torch.cuda.memory_allocated() / 2**20)  # silent: HS105
    if torch.__version__ >= "2.0" and torch.backends.cudnn.is_available():  # silent: HS201
        torch.backends.cudnn.benchmark = True
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)  # silent: HS102, HS104
    return int(seed), torch.get_num_threads() > 1, torch.cuda.get_device_properties(0).total_memory  # silent: HS103


def containers(tensors: list[Tensor], state: dict[str, Tensor], model: nn.Module):
    if not tensors:  # silent: HS201
        return None
    if any(t.requires_grad for t in tensors):  # silent: HS106
        tensors = [t.detach() for t in tensors]
    if all(t.shape == tensors[0].shape for t in tensors) and len(tensors) > 1:  # silent: HS106, HS201
        return torch.stack(tensors)
    while tensors:  # silent: HS202
        tensors.pop()
    for name in sorted(state.keys()):  # silent: HS106
        if "bias" in name or name in state:  # silent: HS106, HS201
            print(name, state[name].shape)  # silent: HS105
    missing = [k for k in state if k not in dict(model.named_parameters())]  # silent: HS106, HS201
    if state:  # silent: HS201
        log.info("missing %s of %d", missing, len(state))  # silent: HS105
    return sorted(tensors, key=id)  # silent: HS106


def modules(model: nn.Module, conv: nn.Conv2d, loss: nn.CrossEntropyLoss):
    print(model)  # silent: HS105
    log.info("%s with %d parameters", model, sum(p.numel() for p in model.parameters()))  # silent: HS105
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f}M")  # silent: HS105
    if conv.kernel_size[0] > 1 and conv.bias is not None and model.training:  # silent: HS201
        return conv.in_channels
    if loss.reduction == "mean" or conv.weight.shape[0] == 1:  # silent: HS201
        return None
    return model if model is not None else conv  # silent: HS201


def optional(x: Tensor, mask: Optional[Tensor] = None, size: Optional[int] = None, name: str = "x"):
    size = size or x.shape[-1]  # silent: HS204
    if mask is not None and mask.dtype == torch.bool and mask.dim() == 2:  # silent: HS201, HS204
        mask = mask[:, None]
    masked = mask is not None
    if masked and size > 1 and name:  # silent: HS201
        return x * mask
    return x if size else None  # silent: HS201


def learning_rate(optimizer: torch.optim.Optimizer, step: int, warmup: int):
    lr = optimizer.param_groups[0]["lr"]
    if step < warmup:  # silent: HS201
        lr = lr * min(1.0, step / max(1, warmup))  # silent: HS106
    for group in optimizer.param_groups:
        group["lr"] = lr
    print(f"{lr:.6f} {optimizer.param_groups[0]['lr']}")  # silent: HS105
    return float(lr), 0.5 * (1.0 + math.cos(math.pi * step / warmup))  # silent: HS103


class Block(nn.Module):
    def __init__(self, width: int, p: float = 0.0, window: Optional[int] = None):
        super().__init__()
        self.p = p
        self.window = window
        self.norm = nn.LayerNorm(width) if width > 1 else nn.Identity()  # silent: HS201
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(3)])

    def forward(self, x: Tensor, return_all: bool = False):
        if self.training and self.p > 0:  # silent: HS201, HS204
            x = F.dropout(x, self.p)
        hidden = []
        for i, layer in enumerate(self.layers):
            x = layer(self.norm(x))
            if return_all or i in (1, 2):  # silent: HS106, HS201
                hidden.append(x)
        if self.window is not None and x.shape[1] % self.window:  # silent: HS201
            x = F.pad(x, (0, 0, 0, self.window - x.shape[1] % self.window))  # silent: HS104
        return (x, hidden) if return_all else x  # silent: HS201
