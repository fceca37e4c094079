"""What an optimizer knows of its parameters is a table: to look it up waits for nothing."""

import torch


class Plain(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.addcmul_(p.detach(), p.detach(), value=-1.0)
                state = self.state[p]
                if len(state) == 0:
                    state["step"] = 0
                state["step"] += 1


class OfNoOptimizer:
    def __init__(self, kept):
        self.state = kept

    def look(self, mask):
        kept = torch.relu(self.state)
        mask = mask.unsqueeze(0) > 0
        return kept[mask]  # expect: HS302
