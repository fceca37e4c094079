import torch

from . import parts
from .parts import Cosine, Part


class Loss(Part):
    def __init__(self, distance=None, reducer=None, picker=None, weights=None):
        super().__init__("loss")
        self.distance = Cosine() if distance is None else distance
        self.reducer = self.default_reducer() if reducer is None else reducer
        self.picker = picker or parts.Pick(0.2)
        self.weights = weights if weights is None else torch.tensor(weights)

    def default_reducer(self):
        return parts.Mean()

    def run(self, x, labels, ref=None):
        ref = x if ref is None else ref
        sim = self.distance(x, ref)
        i, j = self.picker(sim, labels)
        picked = sim[i, j]
        if self.weights is not None:
            self.weights = self.weights.to(x.device)  # expect: HS401
            picked = picked * self.weights[labels[i]]
        pos = picked > 0
        total = self.reducer(picked, pos)
        stats = self.stats(sim, labels)
        return total + stats["mean"]

    def stats(self, sim, labels):
        same = labels.unsqueeze(0) == labels.unsqueeze(1)
        d = {"mean": sim.mean(), "pos": sim[same], "n": same.sum()}  # expect: HS302
        if d["n"] == 0:  # expect: HS201
            d["mean"] = torch.zeros_like(d["mean"])
        return d


class Weighted(Loss):
    def __init__(self, gamma=2.0, **kwargs):
        super().__init__(**kwargs)
        self.gamma = gamma
        self.trackers = {}

    def run(self, x, labels, ref=None):
        base = super().run(x, labels, ref)
        w = self.focal(x.detach(), labels)
        self.trackers["w"] = w.max().item()  # expect: HS101
        hard = w > w.mean()
        x = x[hard]  # expect: HS302
        labels = labels[hard]  # expect: HS302
        for c in range(int(labels.max()) + 1):  # expect: HS103
            sel = labels == c
            if sel.sum() > 1:  # expect: HS201
                base = base + x[sel].var()  # expect: HS302
        return base

    def focal(self, x, labels):
        p = torch.softmax(x, -1)
        return (1 - p.gather(1, labels.view(-1, 1)).squeeze(1)) ** self.gamma


def build(name, **kw):
    return {"loss": Loss, "weighted": Weighted}[name](**kw)


def evaluate(loss, data):
    values = []
    for x, y in data:
        with torch.no_grad():
            v = loss(x, y)
        values.append(v)
    values = torch.stack(values)
    best = values.argmin()
    return values[best].item(), best.item()  # expect: HS101, HS101, HS308
