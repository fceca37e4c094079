"""What the scan still gets wrong. A line that has become right moves to the case file of its topic."""
from typing import Union

import numpy as np
import torch
from torch import Tensor, nn
from torch.types import _Number
from torch.utils.data import DataLoader


def fields_of_a_result(x: Tensor):
    # The named results of max, sort, topk and their like are tensors.
    best = x.max(dim=1).values
    if (best > 0).all():  # missed-alarm: HS201
        return best.tolist()  # missed-alarm: HS101
    labels = x.topk(5).indices
    return labels.tolist(), float(x.sort(dim=0).values[0])  # missed-alarm: HS101, HS103


def stores_of_a_result(x: Tensor, y: Tensor):
    mask = x > 0
    x[mask] = y.max(1).values  # missed-alarm: HS303
    return x


def until_numpy(outputs):
    # Nothing but a tensor has `cpu().numpy()`.
    logits = outputs.logits
    return logits.cpu().numpy()  # missed-alarm: HS102


def state(model: nn.Module):
    # The values of a state dict are tensors.
    return {name: value.cpu() for name, value in model.state_dict().items()}  # missed-alarm: HS102


def keyword_of_format(loss: Tensor):
    return "loss {loss:.3f}".format(loss=loss)  # missed-alarm: HS105


def replaced_when_none(x: Tensor, table: Tensor, position_ids=None):
    # What a tensor takes the place of when it is None is a tensor otherwise.
    if position_ids is None:
        position_ids = torch.arange(x.shape[1], device=x.device)
    last = position_ids.max() + 1
    return table[:last]  # missed-alarm: HS308


def not_a_tensor(value: Union[int, float, Tensor]) -> float:
    # A use inside the branch proves nothing outside of it.
    if isinstance(value, Tensor):
        return value.item()  # expect: HS101
    return float(value)  # false-alarm: HS103


class Sgd(torch.optim.Optimizer):
    def __init__(self, params, lr: Union[float, Tensor] = 1e-3, weight_decay: Union[float, Tensor] = 0.0):
        # A setting that may be a tensor is a number in nearly every run.
        if not 0.0 <= lr:  # false-alarm: HS201
            raise ValueError(f"invalid learning rate: {lr}")
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay})

    def decayed(self, grad: Tensor, p: Tensor, weight_decay: Union[float, Tensor]):
        if weight_decay != 0:  # false-alarm: HS201
            grad = grad.add(p, alpha=weight_decay)  # false-alarm: HS104
        return grad


def number_by_alias(scale: Union[Tensor, float]):
    if isinstance(scale, _Number):
        return float(scale)  # false-alarm: HS103
    return 1.0


def compared_unknowns(x: Tensor, data):
    # A comparison as the index of a tensor is a mask.
    x[data.y == 0] = 0.0  # false-alarm: HS406
    return x[data.y == 1]  # missed-alarm: HS302


def new_by_size(x: Tensor, n: int):
    # Numbers are sizes there, and not data.
    return x.new(n, 3).zero_(), x.new(x.shape)  # false-alarm: HS605


def moved_batch(model, loader):
    # What was moved with `.cuda()` out of an unpacked batch is a tensor.
    for images, labels in loader:
        labels = labels.cuda()  # expect: HS401
        if (labels == 3).any():  # missed-alarm: HS201
            break
        accuracy = (model(images).argmax(1) == labels).float().mean()
        print("accuracy", accuracy)  # missed-alarm: HS105


def into_host_memory(batches: list[Tensor]):
    # A device tensor stored into a CPU tensor is a copy to the host.
    losses = torch.zeros(len(batches))
    host = torch.zeros(4)
    for k, batch in enumerate(batches):
        losses[k] = batch.cuda().mean()  # missed-alarm: HS102
        host[:] = batch.cuda()  # missed-alarm: HS102
        host.copy_(batch.cuda())  # missed-alarm: HS102  # false-alarm: HS401
    return losses, host


def random_positions(x: Tensor, n: int):
    chosen = np.random.permutation(n)
    return x[chosen]  # missed-alarm: HS405


def class_pattern(value):
    match value:
        case Tensor():
            return value.max().item() + float(value.min())  # expect: HS101  # missed-alarm: HS103
    return None


def counted_from_zero(batches: list[Tensor], labels: Tensor, best: float):
    # A loop that adds tensors to 0 leaves a tensor behind.
    correct = 0
    for batch in batches:
        correct += (batch.argmax(1) == labels).sum()
    accuracy = correct / len(labels)
    print("accuracy", accuracy)  # missed-alarm: HS105
    if accuracy > best:  # missed-alarm: HS201
        best = accuracy
    return best


class Head(nn.Module):
    def forward(self, x: Tensor, targets=None):
        if targets is None:
            return x[:, [-1]]  # expect: HS405
        return x.mean()


def calls_of_forward(steps: int):
    # The wait is in a branch that this call does not take, and `forward` is hot of itself.
    head = Head()
    x = torch.zeros(4, 4, device="cuda")
    for _ in range(steps):
        x = x + head(x, x)  # false-alarm: HS606
    return x


def members_of_tensors(model, x):
    # A module has none of these members, and an array has no `cpu`.
    out = model(x)
    first = out.squeeze().cpu()  # missed-alarm: HS102
    second = out["scores"].argmax(-1).cpu()  # missed-alarm: HS102
    return first, second, out.logits.softmax(-1).mean().cpu()  # missed-alarm: HS102


def result_of_a_model(model, x: Tensor):
    # What a model makes of a device tensor is on the device.
    out = model(x.cuda())
    if out.mean() > 0:  # missed-alarm: HS201
        print(float(out.max()))  # missed-alarm: HS103
    return out.tolist()  # missed-alarm: HS101


def batch_in_part(model, loader: DataLoader, device: torch.device):
    # Whoever moves one part of a batch has the other part on the host.
    for images, targets in loader:
        model(images.to(device))  # expect: HS401
        print(targets["id"].item(), targets["lengths"].tolist())  # false-alarm: HS101


def first_device():
    # 0 and 1 are ordinals of devices, not the flags False and True.
    return torch.zeros(3).to(0), torch.zeros(3).to(1)  # missed-alarm: HS401


def main():
    # What is made from here on is on the GPU.
    torch.set_default_device("cuda")
    a = torch.zeros(3)
    return a.max().item()  # missed-alarm: HS101


def device_as_context(n: int):
    with torch.device("cuda"):
        a = torch.zeros(n)
    return a.sum().item()  # missed-alarm: HS101


def best_by_key(losses: list[Tensor]):
    # With a key the tensors themselves are not compared.
    return max(losses, key=lambda t: t.shape[0])  # false-alarm: HS106


def streams_at_hand(batches: list[Tensor]):
    for batch in batches:
        batch.mul_(2)
        torch.cuda.current_stream().synchronize()  # missed-alarm: HS502


def asserted_close(x: Tensor, y: Tensor):
    # The rule of comparisons takes torch.testing, but the event is called a call.
    torch.testing.assert_close(x, y)  # missed-alarm: HS107  # false-alarm: HS605


def with_labels_on_the_host(model, val_loader):
    # Both sides of a comparison live where the one that is known lives.
    outputs, labels = [], []
    for x, y in val_loader:
        outputs.append(model(x.cuda()).softmax(-1))  # expect: HS401
        labels.append(y)
    probabilities = torch.cat(outputs).cpu()  # expect: HS102
    right = (probabilities.argmax(1) == torch.cat(labels)).float()
    return right.mean().item()  # false-alarm: HS101
