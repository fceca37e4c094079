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


def to_step(level, logs):
    distances = np.log(level) - logs[:, np.newaxis]
    below = np.cumsum(distances >= 0, axis=0).argmax(axis=0)
    return logs[below]  # silent: HS405


class Causal(torch.nn.Module):
    def forward(self, x: torch.Tensor, cache=None):
        return self._joined(x, cache[0]) if cache is not None else x

    def _joined(self, x, kept):
        return torch.cat([kept.to(x.device), x])  # silent: HS401


def twice(causal: Causal, x: torch.Tensor):
    return causal(causal(x))


def picked(layer: torch.nn.Module, x: torch.Tensor, keys, *args):
    result = layer(x, *args)
    rows = [at for at, key in enumerate(keys) if key]
    return np.asarray(result[rows])  # silent: HS405


def picked_by_keys(layer: torch.nn.Module, x: torch.Tensor, keys, *args):
    result = layer(x, *args)
    return result[list(keys)]  # silent: HS405


def scaled(x: torch.Tensor, spread):
    rows = [1, 2] * spread.astype(np.int64)
    return x[rows]  # expect: HS405
