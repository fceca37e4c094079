import json
import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor


def tests_of_counts(mask: Tensor, labels: Tensor, a: Tensor, b: Tensor):
    if mask.sum() == 0:  # expect: HS201
        return None
    if (a != b).sum() > 0:  # expect: HS201
        return None
    if len(mask.nonzero()) == 0:  # expect: HS301
        return None
    if labels.max() >= 10 or labels.min() < 0:  # expect: HS201
        return None
    found = (a == b).all()
    if found:  # expect: HS201
        return a
    if a.eq(b).all() and len(a) > 1:  # expect: HS201
        return b
    return bool(mask.any()), int((a > 0).sum())  # expect: HS103


def sizes_from_values(x: Tensor, lengths: Tensor, labels: Tensor):
    count = labels.max() + 1
    a = torch.zeros(count, device=x.device)  # expect: HS104
    b = torch.zeros(int(labels.max()) + 1, device=x.device)  # expect: HS103
    c = x[:, : lengths.max()]  # expect: HS308
    d = x[: int(lengths.max())]  # expect: HS103
    e = torch.arange(lengths.max(), device=x.device)[None] < lengths[:, None]  # expect: HS104
    f = torch.split(x, lengths.tolist())  # expect: HS101
    for i in range(int(count)):  # expect: HS103
        x = x + i
    return a, b, c, d, e, f


def padded(x: Tensor, lengths: Tensor):
    for i, length in enumerate(lengths):
        x[i, length:] = 0.0  # expect: HS308
    return x


def converging(x: Tensor, eps: float):
    converged = torch.tensor(False, device=x.device)  # expect: HS404
    while not converged:  # expect: HS202
        y = x * 0.5
        converged = (x - y).abs().max() < eps
        x = y
    return x


def unfinished(model, ids: Tensor, eos: int):
    active = torch.ones(ids.shape[0], dtype=torch.long, device=ids.device)
    for _ in range(10):
        token = model(ids)[:, -1].argmax(-1)
        active = active.mul((token != eos).long())
        ids = torch.cat([ids, token[:, None]], dim=-1)
        if active.max() == 0:  # expect: HS201
            break
    return ids


def checked(x: Tensor, y: Tensor):
    assert x.min() >= 0 and x.max() <= 1, "range"  # expect: HS203
    assert torch.isclose(x, y).all()  # expect: HS203
    return x


def many(losses: list[Tensor]):
    a = list(map(float, losses))  # expect: HS103
    b = [loss.item() for loss in losses if loss.requires_grad]  # expect: HS101
    c = sorted(losses, key=lambda t: t.item())  # expect: HS101  # silent: HS106
    print(*losses)  # expect: HS105
    print({"loss": losses[0]}, [losses[1]])  # expect: HS105
    d = json.dumps({"loss": float(losses[0]), "n": len(losses)})  # expect: HS103
    return a, b, c, d, {"loss": losses[-1].item()}  # expect: HS101


def chains(x: Tensor):
    a = x.cuda().cpu()  # expect: HS401, HS102
    b = x.softmax(-1).max(-1)[0].mean().item()  # expect: HS101
    values, indices = x.topk(3)
    c = indices.tolist()  # expect: HS101
    d = values[0, 0].item()  # expect: HS101
    e = np.asarray(x.cpu())  # expect: HS102
    f = x[0, 0].item() if x.numel() else 0.0  # expect: HS101
    g = x.max(dim=1)[1].cpu().numpy()  # expect: HS102
    return a, b, c, d, e, f, g


def similarity(a, b):
    score = F.cosine_similarity(a, b, dim=-1)
    if score.mean() > 0.5:  # expect: HS201
        return score.mean().item()  # expect: HS101
    return torch.sigmoid(a).max().tolist()  # expect: HS101


def from_usage(x, y, mask):
    x = x.unsqueeze(0)
    if x.max() > 1:  # expect: HS201
        x = x / 255
    y = y.masked_fill(mask, 0.0)
    return float(y.sum()), x[y > 0]  # expect: HS103, HS302


def synchronized(batches):
    for batch in batches:
        batch.mul_(2)
        with torch.cuda.device(0):
            torch.cuda.synchronize()  # expect: HS501


def saved(model, path: str):
    # Saving copies each tensor of the state to the host.
    torch.save(model.state_dict(), path)  # expect: HS605


def listed(ids, config):
    rows = ids.tolist()  # expect: HS101
    return rows, config.names.tolist()  # expect: HS101


def pairs_of_lists(scores: Tensor, rows: Tensor, width: int, last: int):
    total = 0
    for score, row in zip(scores, rows.tolist()):  # expect: HS101
        column = row % width
        if column == last:  # silent: HS201
            total += score
    for row in rows.tolist():  # expect: HS101
        if row > last:  # silent: HS201
            total += row
    return total


def resumed(path, self, rank, accelerator):
    there = torch.load(path, map_location=accelerator.device)  # expect: HS605
    own = torch.load(path, map_location=self.device)  # expect: HS605
    numbered = torch.load(path, map_location=f"cuda:{rank}")  # expect: HS605
    moved_back = torch.load(path, map_location=lambda storage, place: storage)
    return there, own, numbered, moved_back


def exported(model, x: torch.Tensor, example):
    fast = torch.jit.trace(model, x)  # expect: HS605
    named = torch.jit.trace(model, example_inputs=(x, x))  # expect: HS605
    unchecked = torch.jit.trace(model, x, check_trace=False)
    host = torch.jit.trace(model, torch.zeros(2, device="cpu"))
    return fast, named, unchecked, host


def scale_logged(scaler, meter, normalizer):
    meter.update(scaler.get_scale())  # expect: HS605
    return {"scaler": scaler.state_dict(), "other": normalizer.get_scale()}  # expect: HS605


def suppressed(logits: torch.Tensor, tokenizer, end):
    logits[:, tokenizer.encode(" ") + [end]] = -float("inf")  # expect: HS405
    return logits


def shown(valid_dataset, model):
    return model(random.choice(valid_dataset)[:-1].to("cuda"))  # expect: HS401


def positions(x: torch.Tensor):
    batch, length = torch.onnx.operators.shape_as_tensor(x)
    table = torch.arange(int(length))
    return x.view(batch, length, -1), table
