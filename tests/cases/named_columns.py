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
