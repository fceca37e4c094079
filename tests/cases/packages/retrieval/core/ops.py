import torch
import torch.nn.functional as F


def arange_like(x, dim=0):
    return torch.arange(x.size(dim), device=x.device)


def pos_neg(labels, others=None):
    others = labels if others is None else others
    same = labels[:, None] == others[None]
    return same, ~same


def take(x, idx):
    return x[idx]


def count(mask):
    return int(mask.sum())  # expect: HS103


def safe_mean(x, mask):
    n = mask.sum()
    if n == 0:  # expect: HS201
        return x.sum() * 0
    return (x * mask).sum() / n


def to_list(x):
    if isinstance(x, torch.Tensor):
        return x.tolist()  # expect: HS101
    return list(x)


def accuracy(pred, target, topk=(1,)):
    maxk = max(topk)
    _, idx = pred.topk(maxk, 1, True, True)
    correct = idx.t().eq(target.view(1, -1).expand_as(idx.t()))
    return [correct[:k].reshape(-1).float().sum(0).mul_(100.0 / target.size(0)) for k in topk]


def on(x, device=None, dtype=None):
    if device is not None and x.device != device:
        x = x.to(device)  # expect: HS401
    if dtype is not None and x.dtype != dtype:
        x = x.to(dtype)
    return x


def lse(x, keep, add_one=True, dim=1):
    x = x.masked_fill(~keep, -1e9)
    if add_one:
        zeros = torch.zeros(x.size(dim - 1), dtype=x.dtype, device=x.device).unsqueeze(dim)
        x = torch.cat([x, zeros], dim=dim)
    return torch.logsumexp(x, dim=dim, keepdim=True)
