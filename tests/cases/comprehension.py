import torch
from torch import Tensor


def read_each(losses: list[Tensor], x: Tensor):
    values = [loss.item() for loss in losses]  # expect: HS101
    table = {i: float(row.mean()) for i, row in enumerate(x)}  # expect: HS103
    texts = [f"{loss:.3f}" for loss in losses]  # expect: HS105
    chosen = {int(label) for label in x.argmax(-1)}  # expect: HS103
    return values, table, texts, chosen, sum(loss.item() for loss in losses)  # expect: HS101


def metadata_of_each(losses: list[Tensor]):
    shapes = [loss.shape for loss in losses]  # silent: HS101
    sizes = {i: loss.numel() for i, loss in enumerate(losses)}  # silent: HS101
    detached = [loss.detach() for loss in losses]  # silent: HS101
    return max(s[0] for s in shapes), sizes, detached  # silent: HS106


def on_the_host(depth: int, rate: float):
    rates = [x.item() for x in torch.linspace(0, rate, depth)]  # silent: HS101
    grid = [[float(v) for v in row] for row in torch.eye(3)]  # silent: HS103
    return rates, grid


def move_each(values: list, device: torch.device):
    built = [torch.tensor(value, device=device) for value in values]  # expect: HS404
    uploaded = [torch.zeros(3).to(device) for _ in values]  # expect: HS401
    return built, uploaded


def move_batch(batch: dict, device: torch.device):
    return {key: value.to(device) for key, value in batch.items()}  # silent: HS401


def scopes(x: Tensor, rows: list[int]):
    x_total = x.sum()
    doubled = [x * 2 for x in rows]
    if x_total > 0:  # expect: HS201
        return doubled
    total = sum(x for x in rows)  # silent: HS106
    if total > 0:  # silent: HS201
        return rows
    return x.tolist()  # expect: HS101


def masks(xs: list[Tensor], keep: list[Tensor]):
    selected = [x[k > 0] for x, k in zip(xs, keep)]  # expect: HS302
    return [s for s in selected if s.numel() > 0]  # silent: HS201


def nested(targets: list[dict[str, Tensor]]):
    for target in targets:
        boxes = target["boxes"]
        degenerate = boxes[:, 2:] <= boxes[:, :2]
        if degenerate.any():  # expect: HS201
            bad = torch.where(degenerate.any(dim=1))[0][0]  # expect: HS301
            yield boxes[bad].tolist()  # expect: HS101, HS308
