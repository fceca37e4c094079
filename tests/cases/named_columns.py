"""An index with a name in it is that of a table: tensors have no names."""

import torch


def mean_loss(net, key):
    weights = net.history[-1, "batches", :, key]
    if net.history:  # silent: HS201
        return sum(weights) / max(weights)  # silent: HS106
    return net.table.loc[:, "loss"].max() > 1.0


def positions(net, x: torch.Tensor):
    found = net.scores[:, 0]
    if net.scores.max() > 0:  # expect: HS201
        return found.tolist()  # expect: HS101
    return x


class Best:
    def __init__(self, name: str):
        self.name_ = name

    def in_attributes(self, net, index):
        if net.history[:, self.name_]:
            return [value for value in net.history if value]  # silent: HS201
        return net.history

    def formatted(self, log, key):
        found = [log.rows[:, "{}_best".format(key)], log.rows[:, f"{key}_best"], log.rows[:, key + "_best"]]
        if log.rows.max() > 0:  # expect: HS201
            return found
        if log.rows:  # silent: HS201
            return log.rows
        return None


def by_position(net, column):
    found = net.scores[:, column]
    if net.scores[0]:  # expect: HS201
        return found
    return None
