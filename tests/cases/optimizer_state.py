"""What an optimizer knows of its parameters is a table: to look it up waits for nothing."""

import torch


class Plain(torch.optim.Optimizer):
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.data.unsqueeze(0)
                state = self.state[p]
                if "step" not in state:
                    state["step"] = 0
                    if p.any():  # expect: HS201
                        state["start"] = p.unsqueeze(0).detach().clone()
                    state["average"] = torch.zeros_like(p.data).detach()


class OfNoOptimizer:
    def __init__(self, kept):
        self.state = kept

    def look(self, mask):
        kept = torch.relu(self.state)
        mask = mask.unsqueeze(0) > 0
        return kept[mask]  # expect: HS302
