"""What the scan still gets wrong. A line that has become right moves to the case file of its topic."""
from typing import Union

import numpy as np
import torch
from torch import Tensor, nn


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


def random_positions(x: Tensor, n: int):
    chosen = np.random.permutation(n)
    return x[chosen]  # missed-alarm: HS405


def class_pattern(value):
    match value:
        case Tensor():
            return value.max().item() + float(value.min())  # expect: HS101  # missed-alarm: HS103
    return None


def with_labels_on_the_host(model, val_loader):
    # Both sides of a comparison live where the one that is known lives.
    outputs, labels = [], []
    for x, y in val_loader:
        outputs.append(model(x.cuda()).softmax(-1))  # expect: HS401
        labels.append(y)
    probabilities = torch.cat(outputs).cpu()  # expect: HS102
    right = (probabilities.argmax(1) == torch.cat(labels)).float()
    return right.mean().item()  # false-alarm: HS101
