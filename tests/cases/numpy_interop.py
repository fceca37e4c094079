from typing import Union

import numpy as np
import scipy.ndimage
import torch
from torch import Tensor


def load_scan(path: str, device: torch.device):
    scan = np.fromfile(path, dtype=np.float32).reshape(-1, 4)
    points = torch.from_numpy(scan[:, :3]).to(device)  # expect: HS401
    labels = torch.as_tensor(np.zeros(len(scan), dtype=np.int64)).to(device)  # expect: HS401
    mean = float(scan.mean())  # silent: HS103
    if scan.max() > 100:  # silent: HS201
        scan = np.clip(scan, 0, 100)
    return points, labels, mean, scan[scan[:, 3] > 0]  # silent: HS302


def schedule(steps: int, device="cuda"):
    timesteps = np.linspace(0, 999, steps).round()[::-1].copy().astype(np.int64)
    sigmas = np.array([0.1, 0.2, 0.3])
    sigmas = np.concatenate([sigmas, [0.0]]).astype(np.float32)
    a = torch.from_numpy(timesteps).to(device)  # expect: HS401
    b = torch.from_numpy(sigmas).to(device=device)  # expect: HS401
    c = torch.from_numpy(sigmas)
    return a, b, c[0].item()  # silent: HS101


def metrics(pred: Tensor, target: Tensor):
    p = pred.detach().cpu().numpy()  # expect: HS102
    t = target.cpu().numpy()  # expect: HS102
    correct = (p.argmax(1) == t).sum().item()  # silent: HS101
    classes = np.unique(t).tolist()  # silent: HS101, HS304
    return correct / len(t), classes, p[t == 1]  # silent: HS302


def mixed(x: Tensor, index: np.ndarray):
    chosen = x[index]  # expect: HS405
    noise = torch.from_numpy(np.random.randn(4)).to(x.device)  # expect: HS401
    y = torch.tensor(index, device=x.device)  # expect: HS404
    return chosen, noise, y


def video_frames(frames: list, size: int):
    stacked = np.stack(frames)
    video = torch.from_numpy(stacked).permute(0, 3, 1, 2).float() / 255
    if video.max() > 1:  # silent: HS201
        video = video / video.max()
    clip = video[np.arange(size)]  # silent: HS405
    return clip.cuda(non_blocking=True)  # expect: HS403


def solved(cost: Tensor, x: Tensor, solve, filters):
    host = cost.cpu().numpy()  # expect: HS102
    rows, columns = solve(host)
    smooth = scipy.ndimage.gaussian_filter(host, 1.0)
    first = torch.as_tensor(rows, dtype=torch.int64)
    second = torch.as_tensor(filters.apply(smooth)).to(x.device)  # expect: HS401
    if rows.sum() > 3:  # silent: HS201
        return x[first]  # expect: HS405
    return x[columns], second  # expect: HS405


def distinct(x: Union[np.ndarray, torch.Tensor]):
    return x.unique()  # expect: HS304


class Schedule:
    def set_sigmas(self, count: int, kind: str):
        sigmas = np.linspace(1.0, 0.1, count)
        if kind == "karras":
            sigmas = self._to_karras(in_sigmas=sigmas)
        return self.to_linear(sigmas)

    def _to_karras(self, in_sigmas: torch.Tensor) -> torch.Tensor:
        return in_sigmas[0].item() + np.arange(3)  # silent: HS101

    def to_linear(self, in_sigmas: torch.Tensor) -> torch.Tensor:
        return in_sigmas[0].item() + np.arange(3)  # expect: HS101


def confusion(a, b, classes: int):
    kept = (a >= 0) & (a < classes)
    if torch.is_tensor(a):
        return torch.bincount(classes * a[kept] + b[kept], minlength=4)  # expect: HS305
    return np.bincount(classes * a[kept].astype(int) + b[kept].astype(int), minlength=4)  # silent: HS302


def read_before(x: Tensor):
    return x.cpu().numpy()[x.argmax().item() :].astype(int)  # expect: HS102


def corners_of(boxes, width: int):
    corners = boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2).astype(np.float64)  # silent: HS405
    return corners.clip(0, width)


def rounded_up(length) -> int:
    return np.ceil(np.log1p(length)).astype("int").item()


def rounded_up_on_the_device(length: torch.Tensor) -> int:
    return torch.log1p(length).ceil().int().item()  # expect: HS101


def resized(sample, scale):
    """Arrays are indexed like this, too, where there are some."""
    height, width = sample["image"].shape[:2]
    rows = (np.arange(round(height * scale)) / scale).astype(int)
    columns = (np.arange(round(width * scale)) / scale).astype(int)
    sample["masks"] = sample["masks"][:, rows][:, :, columns]  # silent: HS405
    return sample


def chosen(sample, rows: list[int]):
    return sample["masks"][:, rows]  # expect: HS405


def where_it_is_not_zero(x: torch.Tensor, cost):
    array = np.zeros(5)
    rows = np.nonzero(array)[0]
    order = np.argsort(rows)
    picked = torch.as_tensor(rows[order])
    found = torch.as_tensor(np.where(array > 0)[0])
    wide = torch.as_tensor(np.expand_dims(order, 0)[0])
    a = x[found]  # expect: HS405
    b = x[wide]  # expect: HS405
    return a, b, x[picked]  # expect: HS405


def where_arrays_say(scores: torch.Tensor, wanted):
    positions = np.where(wanted != 0)
    return scores[positions]  # expect: HS405


def of_a_number_type(x: Tensor):
    return x + np.finfo(np.float32).eps.item()  # silent: HS101


def complete(table, column):
    rows = table[column]
    if rows.isna().any():  # silent: HS201
        rows = rows.interpolate()
    return rows


def turned(x: torch.Tensor, n: int):
    from einops import rearrange

    rows = rearrange(np.arange(n), "(a b) -> (b a)", a=2)
    return x[rows]  # expect: HS405


def corners(x: torch.Tensor, n: int):
    rows, columns = np.tril_indices(n, -1)
    x[rows, columns] = x[columns, rows]  # expect: HS405
    return x[:, np.diag_indices(n)[0]]  # expect: HS405


def by_elements_of_arrays(y: torch.Tensor, scores):
    best = np.argmax(np.random.rand(3, 3), axis=1)
    first = y[best[0]], [y[i] for i in best]  # silent: HS405
    order = np.argsort(np.random.rand(5))
    for i, at in enumerate(order):
        first = y[at], i  # silent: HS405
    ranks = np.asarray(scores).argmax(1)
    return first, y[ranks[0]], y[order], y[ranks], y[np.argsort(scores, axis=-1)[0]]  # expect: HS405, HS405, HS405


def mean_of_numbers(batches, model):
    losses: list[float] = []
    for batch in batches:
        losses.append(float(model(batch)))
    return np.mean(losses).mean().item()  # silent: HS101
