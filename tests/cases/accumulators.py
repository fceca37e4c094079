import numpy as np
import torch
from torch import Tensor, nn

device = torch.device("cuda")


def number(model: nn.Module, batches: list[Tensor]):
    total = 0.0
    for batch in batches:
        total += model(batch).mean().item()  # expect: HS101
    if total > 1:  # silent: HS201
        print(f"{total:.3f}")  # silent: HS105
    return max(total, 0.0)  # silent: HS106


def tensor_from_number(batches: list[Tensor], labels: Tensor):
    correct = 0
    total = 0
    best = 0.0
    for batch in batches:
        correct += (batch.argmax(1) == labels).sum()
        total += len(batch)
    accuracy = correct / total
    return max(best, float(accuracy)), total  # expect: HS103


def explicit_tensor(batches: list[Tensor]):
    total = torch.zeros((), device=device)
    count = 0
    for batch in batches:
        total += batch.sum()
        count += batch.numel()
    print(f"{count} values")  # silent: HS105
    return total.item() / count  # expect: HS101


def lists(batches: list[Tensor]):
    losses = []
    for batch in batches:
        losses.append(batch.mean())
    print(torch.stack(losses).mean().item())  # expect: HS101
    numbers = [loss.item() for loss in losses]  # expect: HS101
    print(np.mean(numbers), sum(numbers), torch.tensor(numbers).max().item())  # silent: HS101, HS105
    return sum(losses) / len(losses)


def dictionary(batches: list[Tensor]):
    history = {"loss": [], "steps": 0}
    for batch in batches:
        history["loss"].append(batch.mean().item())  # expect: HS101
        history["steps"] += 1
    if history["steps"] > 3:  # silent: HS201
        print(history["steps"])  # silent: HS105
    return history


def on_the_host(count: int):
    total = torch.zeros(())
    losses = torch.zeros(count)
    for k in range(count):
        losses[k] = 0.5 * k  # silent: HS406
        total += losses[k]
    if total > 1:  # silent: HS201
        print(losses.mean())  # silent: HS105
    return total.item()  # silent: HS101


def first_seen(batches: list[Tensor]):
    running = None
    for batch in batches:
        running = batch.mean() if running is None else 0.9 * running + 0.1 * batch.mean()  # silent: HS201
    return running.item()  # expect: HS101


def extremes(batches: list[Tensor]):
    worst = float("-inf")
    for batch in batches:
        worst = max(worst, batch.max().item())  # expect: HS101
    low = min(batch.shape[0] for batch in batches)  # silent: HS106
    return worst, low


def counted_from_zero(batches: list[Tensor], labels: Tensor, best: float):
    correct = 0
    for batch in batches:
        correct += (batch.argmax(1) == labels).sum()
    accuracy = correct / len(labels)
    print("accuracy", accuracy)  # expect: HS105
    if accuracy > best:  # expect: HS201
        best = accuracy
    return best
