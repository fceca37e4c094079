"""Where there are arrays too, what they share with tensors proves nothing."""
import numpy as np
import torch


class Step:
    def run(self, state):
        if state.mask.all():  # silent: HS201
            return np.zeros(3)
        return torch.zeros(3)


def speaks_of_arrays(scores, limit):
    keep = scores > limit
    return scores[keep], np.asarray(scores)  # silent: HS302


def does_not(scores, limit):
    keep = scores > limit
    return scores[keep]  # expect: HS302


def of_other_things(dataset):
    return dataset["train"].unique("label")  # silent: HS304


def ends_of_arrays(ranges):
    low, high = ranges.max(0)
    if low > 1:  # silent: HS201
        return np.asarray(high)
    return None


def with_positions(scores):
    best, at = scores.max(0)
    if best > 1:  # expect: HS201
        return at
    return None
