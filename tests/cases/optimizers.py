import math

import torch
from torch import Tensor
from torch.optim import Optimizer


class AdamP(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, delta=0.1):
        if not 0.0 <= lr:  # silent: HS204
            raise ValueError(f"Invalid lr: {lr}")
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "delta": delta}
        super().__init__(params, defaults)

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:  # silent: HS201
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:  # silent: HS201
                    continue
                grad = p.grad
                if grad.is_sparse:  # silent: HS201
                    raise RuntimeError("sparse gradients")
                state = self.state[p]
                if len(state) == 0:  # silent: HS201
                    state["step"] = 0
                    state["exp_avg"] = torch.zeros_like(p)
                    state["exp_avg_sq"] = torch.zeros_like(p)
                exp_avg, exp_avg_sq = state["exp_avg"], state["exp_avg_sq"]
                state["step"] += 1
                bias1 = 1 - beta1 ** state["step"]
                bias2 = 1 - beta2 ** state["step"]
                exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
                exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
                denom = (exp_avg_sq.sqrt() / math.sqrt(bias2)).add_(group["eps"])  # silent: HS103
                step_size = group["lr"] / bias1
                if group["weight_decay"] != 0:  # silent: HS201
                    p.mul_(1 - group["lr"] * group["weight_decay"])
                p.addcdiv_(exp_avg, denom, value=-step_size)
        return loss


def projection(p: Tensor, grad: Tensor, perturb: Tensor, delta: float):
    cosine = torch.nn.functional.cosine_similarity(grad.view(1, -1), p.view(1, -1)).abs()
    if cosine.max() < delta / math.sqrt(p[0].numel()):  # expect: HS201
        perturb = perturb - p * (p * perturb).sum()
    return perturb


def trust_ratio(p: Tensor, update: Tensor, use_where: bool):
    w_norm = p.norm(2.0)
    g_norm = update.norm(2.0)
    if use_where:  # silent: HS201
        return torch.where(w_norm > 0, w_norm / g_norm, 1.0)  # silent: HS301
    if w_norm > 0 and g_norm > 0:  # expect: HS201
        return w_norm / g_norm
    return torch.ones_like(w_norm)


def host_state(params):
    for p in params:
        step_t = torch.tensor(0.0)
        step_t += 1
        step = step_t.item()  # silent: HS101
        if step > 10:  # silent: HS201
            p.grad.zero_()


def clip(model: torch.nn.Module, max_norm: float):
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)  # silent: HS604
    torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)  # silent: HS604
    checked = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm, error_if_nonfinite=True)  # expect: HS604
    if norm > 100:  # expect: HS201
        print("large")
    return checked, norm


def fit(model, loader, steps: int):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        optimizer.step()  # silent: HS603
        scheduler.step()  # silent: HS603
        for group in optimizer.param_groups:
            print(group["lr"])  # silent: HS105


def larger_step(closure) -> float:
    return float(closure())  # expect: HS103


def ratios(params: list[torch.Tensor], grads: list[torch.Tensor]) -> list[float]:
    found = []
    for w, g in zip(torch._foreach_norm(params), torch._foreach_norm(grads)):
        found.append(1.0 if g == 0 else (w / g).item())  # expect: HS201,HS101
    torch._foreach_mul_(grads, 0.5)
    return found


class Averaging:
    def __init__(self, model):
        self.model = model
        self.averaged = torch.optim.swa_utils.AveragedModel(model)

    def step(self):
        self.averaged.update_parameters(self.model)  # expect: HS605
