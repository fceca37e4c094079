from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.distributions import Bernoulli, Beta, Uniform


def check_shape(x: Tensor, shape: Sequence[str], msg: Optional[str] = None, raises: bool = True) -> bool:
    if len(x.shape) != len(shape):
        if raises:
            raise TypeError(f"{x} must be [{shape}]. Got {x.shape}")
        return False
    return True


def check_same_device(*xs: Tensor) -> bool:
    return len({x.device for x in xs}) == 1


def normalize_homography(h: Tensor, src: Tuple[int, int], dst: Tuple[int, int]) -> Tensor:
    check_shape(h, ["B", "3", "3"])
    n1 = pixel_norm(*src).to(h)  # expect: HS401
    n1_inv = torch.inverse(n1)  # expect: HS601
    n2 = pixel_norm(*dst).to(h)  # expect: HS401
    return n2 @ (h @ n1_inv)


def pixel_norm(height: int, width: int, eps: float = 1e-14) -> Tensor:
    m = torch.tensor([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]])
    m[0, 0] = m[0, 0] * 2.0 / (width - 1 if width != 1 else eps)
    return m.unsqueeze(0)


def axis_angle(rot: Tensor) -> Tensor:
    theta2 = (rot * rot).sum(-1, keepdim=True)
    mask = (theta2 > 1e-6).view(-1, 1, 1)
    pos = mask.type_as(theta2)
    return pos * theta2[..., None]


def ransac_step(kp1: Tensor, kp2: Tensor, inl_th: float) -> Tuple[Tensor, Tensor, float]:
    idx = torch.randperm(len(kp1), device=kp1.device)[:8]
    model = find_model(kp1[idx], kp2[idx])
    err = ((kp1 - kp2) ** 2).sum(-1)
    inliers = err <= inl_th
    score = inliers.sum(dim=-1)
    best = score.argmax()
    if score[best] > 5:  # expect: HS201, HS308
        return model[best], inliers[best], score[best].item()  # expect: HS101, HS308, HS308, HS308
    return model[0], inliers[0], 0.0


def find_model(a: Tensor, b: Tensor) -> Tensor:
    A = torch.cat([a, b], -1)
    _, _, V = torch.linalg.svd(A)  # expect: HS601
    h = V[..., -1].view(-1, 3, 3)
    ok = h[..., -1, -1].abs() > 1e-8
    h = h[ok] / h[ok][..., -1:, -1:]  # expect: HS302, HS302
    return h


def safe_solve(B: Tensor, A: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    sol, info = torch.linalg.solve_ex(A, B)
    valid = info == 0
    return sol, sol, valid


def safe_inverse(A: Tensor) -> Tuple[Tensor, Tensor]:
    inv, info = torch.linalg.inv_ex(A)
    return inv, info == 0


def refine(A: Tensor, b: Tensor) -> Tensor:
    x, valid = safe_inverse(A)
    out = torch.zeros_like(A)
    out[valid] = x[valid]  # expect: HS302, HS303
    return out


def sample_uniform(shape: Tuple[int, ...], low: Union[float, Tensor], high: Union[float, Tensor], device: torch.device) -> Tensor:
    low = torch.as_tensor(low, device=device)  # expect: HS404
    high = torch.as_tensor(high, device=device)  # expect: HS404
    return Uniform(low, high, validate_args=False).rsample(shape)


class RandomOp(nn.Module):
    def __init__(self, p: float = 0.5, scale: Union[Tensor, Tuple[float, float]] = (0.5, 2.0)) -> None:
        super().__init__()
        self.p = p
        self.scale = torch.as_tensor(scale)
        self.dist = Bernoulli(p)
        self.u = Uniform(0.0, 1.0)

    def generate_parameters(self, shape: Tuple[int, ...]) -> Dict[str, Tensor]:
        prob = self.dist.sample((shape[0],)).bool()
        factor = self.u.rsample((shape[0],))
        return {"batch_prob": prob, "factor": factor}

    def apply_transform(self, x: Tensor, params: Dict[str, Tensor]) -> Tensor:
        f = params["factor"].to(x.device, x.dtype)  # expect: HS401
        return x * f.view(-1, 1, 1, 1)

    def forward(self, x: Tensor, params: Optional[Dict[str, Tensor]] = None) -> Tensor:
        if params is None:
            params = self.generate_parameters(x.shape)
        return self.apply_transform(x, params)


def histogram(x: Tensor, bins: int = 256) -> Tensor:
    hist = torch.histc(x.float(), bins=bins, min=0, max=1)
    if hist.max() == 0:  # expect: HS201
        return hist
    lut = hist.cumsum(0) / hist.sum()
    step = (hist.sum() - hist[-1]) // 255
    if step == 0:  # expect: HS201
        return x
    return lut[(x * 255).long()]


def nms(boxes: Tensor, scores: Tensor, thr: float) -> Tensor:
    x1, y1, x2, y2 = boxes.unbind(-1)
    areas = (x2 - x1) * (y2 - y1)
    _, order = scores.sort(descending=True)
    keep = []
    while order.shape[0] > 0:
        i = order[0]
        keep.append(i)
        xx1 = torch.max(x1[i], x1[order[1:]])  # expect: HS308
        w = torch.clamp(x2[order[1:]] - xx1, min=0.0)
        ovr = w / areas[order[1:]]
        inds = torch.where(ovr <= thr)[0]  # expect: HS301
        order = order[inds + 1]
    return torch.stack(keep) if keep else torch.tensor(keep)


class Tracker:
    def __init__(self, patience: int = 3) -> None:
        self.prev: Optional[Tensor] = None
        self.inliers = 0

    def __call__(self, x: Tensor, H: Tensor) -> bool:
        self.inliers = (x > 0).sum().item()  # expect: HS101
        if torch.isnan(H).any():  # expect: HS201
            return False
        if self.prev is not None and torch.allclose(self.prev, H):  # expect: HS107
            return True
        self.prev = H
        return bool((H.det() > 0).all())  # expect: HS103


def warp(img: Tensor, m: Tensor, dsize: Tuple[int, int]) -> Tensor:
    if not isinstance(img, Tensor):
        raise TypeError(f"not a tensor {type(img)}")
    if (m[:, 0, 0] == 0).any():  # expect: HS201
        raise ValueError("singular")
    grid = torch.stack(torch.meshgrid(torch.arange(dsize[0]), torch.arange(dsize[1]), indexing="ij"), -1)
    grid = grid.to(img.device).to(img.dtype)  # expect: HS401
    return F.grid_sample(img, grid[None])


def draw_rectangle(image: Tensor, rect: Tensor, color: Optional[Tensor] = None, fill: Optional[bool] = None) -> Tensor:
    b, c, h, w = image.shape
    if color is None:
        color = torch.tensor([0.0] * c).expand(b, -1)
    for i in range(b):
        for k in range(rect.shape[1]):
            p = rect[i, k].long()
            image[i, :, p[1] : p[3], p[0]] = color[i, :, None]  # expect: HS308
            if fill:
                image[i, :, p[1] : p[3] + 1, p[0] : p[2] + 1] = color[i, :, None, None]  # expect: HS308
    return image


def confusion(pred: Tensor, target: Tensor, n: int) -> Tensor:
    bins = target * n + pred
    out = torch.bincount(bins.flatten(), minlength=n * n)  # expect: HS305
    return out.view(n, n)


def total_loss(preds: List[Tensor], target: Tensor, weights: Optional[List[float]] = None) -> Tensor:
    w = torch.as_tensor(weights or [1.0] * len(preds), device=target.device)  # expect: HS404
    loss = torch.stack([F.mse_loss(p, target) for p in preds])
    if not torch.isfinite(loss).all():  # expect: HS201
        raise FloatingPointError(f"loss {loss.tolist()}")
    return (loss * w).sum()


def crop_by_boxes(x: Tensor, boxes: Tensor) -> List[Tensor]:
    res = []
    for i, b in enumerate(boxes.long()):
        res.append(x[i, :, b[0, 1] : b[2, 1], b[0, 0] : b[1, 0]])  # expect: HS308
    sizes = (boxes[:, 1] - boxes[:, 0]).max(dim=0)[0]
    h, w = int(sizes[1]), int(sizes[0])  # expect: HS103, HS103
    return [F.interpolate(r[None], (h, w)) for r in res]


def fit_gaussian(x: Tensor) -> torch.distributions.MultivariateNormal:
    mu = x.mean(0)
    cov = (x - mu).t() @ (x - mu) / len(x)
    return torch.distributions.MultivariateNormal(mu, cov)  # expect: HS602


def mix(x: Tensor, y: Tensor, alpha: float) -> Tensor:
    lam = Beta(alpha, alpha).sample((x.shape[0],)).to(x)  # expect: HS401
    perm = torch.randperm(x.shape[0], device=x.device)
    sel = lam > 0.5
    y[sel] = y[perm][sel]  # expect: HS302, HS303
    return y
