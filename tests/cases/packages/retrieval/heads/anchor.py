import math

import numpy as np
import torch

from ..core import ops
from ..core.base import BaseHead


class AnchorHead(BaseHead):
    def __init__(self, num_classes, dim, margin=0.1, device="cpu", **kwargs):
        super().__init__(names=("nonzero",), **kwargs)
        self.W = torch.nn.Parameter(torch.randn(dim, num_classes))
        self.register_buffer("counts", torch.zeros(num_classes))
        self.margin = margin
        self.scale = np.sqrt(2) * math.log(num_classes - 1)
        self.queue = torch.zeros(100, dim)
        self.queue_ptr = 0

    def compute(self, dist, labels, pairs):
        (a, p), (a2, n) = pairs
        pos, neg = dist[a, p], dist[a2, n]
        loss = torch.relu(pos.mean() - neg.mean() + self.margin)
        cos = self.cosine(dist, labels)
        w = self.class_weights(labels)
        return {"losses": torch.cat([loss.view(1), cos * w.mean()]), "idx": a}

    def cosine(self, feats, labels):
        logits = feats @ self.W
        target = torch.zeros_like(logits)
        target[torch.arange(len(labels)), labels] = 1  # expect: HS405, HS406
        target.scatter_(1, labels.view(-1, 1), 1)
        B = (logits * (1 - target)).exp().sum(1)
        med = torch.median(logits[target == 1])  # expect: HS302
        theta = torch.min(torch.tensor(math.pi / 4, device=logits.device), med)  # expect: HS404
        self.scale = torch.log(B.mean()) / torch.cos(theta)
        return logits.sum(1)

    def class_weights(self, labels):
        u, c = labels.unique(return_counts=True)  # expect: HS304
        self.counts[u] += c
        n = ops.count(labels > 0)
        w = torch.ones(n)
        w = ops.on(w, labels.device)
        rare = self.counts < 2
        if rare.sum() > 3:  # expect: HS201
            w = w * 2
        return w

    def enqueue(self, feats):
        k = feats.shape[0]
        self.queue = ops.on(self.queue, feats.device)
        self.queue[self.queue_ptr : self.queue_ptr + k] = feats.detach()
        self.queue_ptr = (self.queue_ptr + k) % 100

    @torch.no_grad()
    def classify(self, feats, k=3):
        sims = feats @ self.W
        vals, idx = sims.topk(k)
        for row in idx:
            yield ops.to_list(row)

    def extra_metrics(self, pred, y):
        return {f"top{i}": v.item() for i, v in enumerate(ops.accuracy(pred, y, (1, 5)))}  # expect: HS101
