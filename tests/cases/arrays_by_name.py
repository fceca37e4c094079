"""What an unknown function gives is an array where its name says so: `to_numpy(x)`, `tensor2numpy(x)`."""

import numpy as np
import torch
from elsewhere import as_tensor, convert, convert_to_numpy, helpers, tensor2numpy


def sizes(shape):
    return convert_to_numpy(shape, wrap_sequence=True).tolist()  # silent: HS101


def first(scores):
    return tensor2numpy(scores).max().item()  # silent: HS101


def by_attribute(scores):
    return helpers.to_np(scores).item()  # silent: HS101


def on_the_host(scores, device):
    return torch.from_numpy(helpers.as_ndarray(scores)).to(device)  # expect: HS401


def no_such_name(scores):
    return convert(scores).tolist()  # expect: HS101


def the_other_way(scores):
    return as_tensor(scores).tolist()  # expect: HS101


def from_numpy(scores):
    return helpers.numpy_to_torch(scores).tolist()  # expect: HS101


def mean_of_scores(scores):
    return scores.mean().item()  # silent: HS101


def mean_of_others(scores):
    return scores.mean().item()  # expect: HS101


def means(values: np.ndarray, others):
    return mean_of_others(np.asarray(values)), mean_of_others(others)


MEAN = mean_of_scores(np.array([1.0, 2.0]))


def annotated_by_what_makes_them(pred: torch.tensor, table: np.array, keep: np.array):
    return pred[pred != 3], table[keep != 3].max().item()  # expect: HS302
