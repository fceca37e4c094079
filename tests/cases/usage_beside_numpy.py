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


class Schedule:
    def set_steps(self, count):
        levels = np.linspace(0, 1, count)
        self.ends = self._ends(levels)
        self.steps = [self._to_step(level, np.log(levels)) for level in levels]
        return _first(levels), first_of_any(levels)

    def _ends(self, levels):
        return levels[0].item(), levels[-1].item()  # silent: HS101

    def _to_step(self, level, logs):
        distances = np.log(level) - logs[:, np.newaxis]
        below = np.cumsum(distances >= 0, axis=0).argmax(axis=0)
        return logs[below]  # silent: HS405


def _first(levels):
    return levels[0].item()  # silent: HS101


def first_of_any(levels):
    return levels[0].item()  # expect: HS101
