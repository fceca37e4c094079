import torch
from torch import nn


class Criterion(nn.Module):
    def __init__(self, matcher, names):
        super().__init__()
        self.matcher = matcher
        self.names = names

    def loss_boxes(self, outputs, targets, pairs):
        index = self.places(pairs)
        boxes = outputs["boxes"][index]  # expect: HS405
        wanted = torch.cat([t["boxes"][j] for t, (_, j) in zip(targets, pairs)])  # expect: HS405
        return (boxes - wanted).abs().sum()

    def loss_labels(self, outputs, targets, pairs):
        logits = outputs["logits"]
        classes = torch.zeros(logits.shape[:2], dtype=torch.int64, device=logits.device)
        classes[self.places(pairs)] = 1  # expect: HS405, HS406
        return nn.functional.cross_entropy(logits.transpose(1, 2), classes)

    def places(self, pairs):
        rows = torch.cat([torch.full_like(i, row) for row, (i, _) in enumerate(pairs)])
        return rows, torch.cat([i for i, _ in pairs])

    def loss(self, name, outputs, targets, pairs):
        return getattr(self, f"loss_{name}")(outputs, targets, pairs)

    def forward(self, outputs, targets):
        pairs = self.matcher(outputs, targets)
        return sum(self.loss(name, outputs, targets, pairs) for name in self.names)


class Chooser:
    def __init__(self, rule):
        self.rule = rule

    def choose(self, scores):
        chosen = self.rule(scores)
        return scores[chosen]  # silent: HS302


class Keeper:
    def __init__(self, rule):
        self.rule = rule

    def keep(self, x, scores):
        return x[self.rule(scores)]  # expect: HS302


def summed(table):
    total = 0
    for name, values in table.items():
        if values.sum() > 0:  # silent: HS201
            total += values.sum().item()  # silent: HS101
    return total


def masked(x, parts):
    first, second = parts
    return x[first], x[second]  # expect: HS302
