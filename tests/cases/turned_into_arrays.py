"""Whoever makes a NumPy array of a tensor as it is has it on the CPU: PyTorch refuses that of a CUDA tensor."""

import numpy as np
import torch
from scipy import stats
from sklearn.metrics import roc_auc_score
from torch import Tensor


def chosen(scores: Tensor, limit: float):
    best = scores[scores > limit]  # silent: HS302
    if scores.max() > 1:  # silent: HS201
        best = best / scores.max()
    return best.detach().numpy()


def chosen_of_both(scores: Tensor, boxes: Tensor):
    joined = torch.cat((boxes, scores[:, None]), dim=1)
    kept = joined[scores > 0]  # expect: HS302
    return kept, joined.numpy(force=True)  # expect: HS102


def by_asarray(scores: Tensor):
    if scores.isnan().any():  # silent: HS201
        raise ValueError("not a number")
    return np.asarray(scores)


def by_stack(scores: Tensor):
    if scores.isnan().any():  # silent: HS201
        raise ValueError("not a number")
    return np.stack([scores, scores])


def by_library(scores: Tensor, labels: Tensor):
    kept = scores[labels >= 0]  # silent: HS302
    return roc_auc_score(labels, scores), kept


def by_statistics(scores: Tensor, labels: Tensor):
    kept = scores[labels >= 0]  # silent: HS302
    return stats.pearsonr(scores, labels).statistic, kept


def by_pinning(scores: Tensor):
    if scores.isnan().any():  # silent: HS201
        raise ValueError("not a number")
    return scores.pin_memory()


def by_function(scores: Tensor):
    if scores.isnan().any():  # expect: HS201
        raise ValueError("not a number")
    return np.shape(scores)


def asked_first(scores: Tensor):
    if scores.max() > 1:  # expect: HS201
        scores = scores / scores.max()
    if scores.is_cuda:
        return scores.cpu().numpy()  # expect: HS102
    return scores.numpy()


def in_one_case(scores: Tensor, keep: bool):
    if scores.max() > 1:  # expect: HS201
        return None
    if keep:
        return scores.cpu()  # expect: HS102
    return scores.numpy()


def either(scores: Tensor, others: Tensor, first: bool):
    chosen = scores if first else others
    if scores.max() > 1:  # expect: HS201
        return None
    return chosen.numpy()


def other_than_that(scores: Tensor, labels: Tensor):
    count = int(labels.sum())  # expect: HS103
    return scores.numpy(), count


def afterwards(scores: Tensor):
    if scores.max() > 1:  # expect: HS201
        return None
    host = scores.cpu()  # expect: HS102
    return host.numpy()


def parts_of_arrays(data):
    boxes = data[:, :4].copy()
    labels = data[:, 4].copy()
    mask = labels > 0
    return boxes[mask], torch.from_numpy(boxes)  # silent: HS302, HS405


def parts_of_lists(rows):
    row = rows[0].copy()
    return row["score"].item()  # expect: HS101


def of_another_type(data):
    first = data[:, 4]
    if data[0, 0] > 3:  # silent: HS201
        return first
    return data.astype("float32")


def of_the_same_type(data):
    first = data[:, 4]
    if data[0, 0] > 3:  # expect: HS201
        return first
    return data.float()


def parts_of_tensors(data):
    boxes = data[:, :4].clone()
    labels = data[:, 4]
    return boxes[labels > 0]  # expect: HS302


class Masks:
    def __init__(self, **parts):
        self.parts = dict(**parts)

    def __getitem__(self, key):
        return self.parts[key]

    def to_numpy(self):
        for key, value in self.parts.items():
            if isinstance(value, torch.Tensor):
                self.parts[key] = value.detach().cpu().numpy()  # expect: HS102


def found(scores: torch.Tensor):
    masks = Masks(scores=scores)
    first = masks["scores"][0].item()  # expect: HS101
    masks.to_numpy()
    return first, masks["scores"][1].item()  # silent: HS101
