import torch
from torch import nn

from . import ops


class Recorder:
    def __init__(self, names):
        self.values = {n: 0.0 for n in names}

    def set(self, **kw):
        for k, v in kw.items():
            if isinstance(v, torch.Tensor):
                v = v.item()  # expect: HS101
            self.values[k] = v


class BaseHead(nn.Module, Recorder):
    def __init__(self, names=(), eps=1e-8, **kwargs):
        nn.Module.__init__(self)
        Recorder.__init__(self, names)
        self.eps = eps
        self.extra = kwargs

    def forward(self, feats, labels, ref=None, ref_labels=None):
        if ref is None:
            ref, ref_labels = feats, labels
        dist = self.distance(feats, ref)
        pairs = self.mine(dist, labels, ref_labels)
        out = self.compute(dist, labels, pairs)
        return self.reduce(out, feats)

    def distance(self, a, b):
        return torch.cdist(a, b)

    def mine(self, dist, labels, ref_labels):
        pos, neg = ops.pos_neg(labels, ref_labels)
        return torch.where(pos), torch.where(neg)  # expect: HS301, HS301

    def compute(self, dist, labels, pairs):
        raise NotImplementedError

    def reduce(self, out, feats):
        losses, idx = out["losses"], out["idx"]
        if len(losses) == 0:
            return feats.sum() * 0
        keep = losses > self.eps
        self.set(nonzero=keep.sum())
        if keep.any():  # expect: HS201
            return losses[keep].mean()  # expect: HS302
        return losses.mean()
