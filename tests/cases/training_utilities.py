import math
from collections import deque

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from torch.autograd import Function
from torch.optim import Optimizer


class Quantize(Function):
    @staticmethod
    def forward(ctx, x, scale, zero):
        lo, hi = x.min(), x.max()
        if lo == hi:  # expect: HS201
            return x
        ctx.save_for_backward(x, scale)
        q = torch.round(x / scale) + zero
        ctx.mask = (q >= 0) & (q <= 255)
        return q.clamp(0, 255)

    @staticmethod
    def backward(ctx, grad):
        x, scale = ctx.saved_tensors
        g = grad.clone()
        g[~ctx.mask] = 0
        if torch.isnan(g).any():  # expect: HS201
            raise RuntimeError("nan")
        return g, None, None


class Observer(nn.Module):
    def __init__(self, bits=8):
        super().__init__()
        self.bits = bits
        self.register_buffer("min_val", torch.tensor(float("inf")))
        self.register_buffer("max_val", torch.tensor(float("-inf")))
        self.hist = None

    def forward(self, x):
        x = x.detach()
        self.min_val = torch.minimum(self.min_val, x.min())
        self.max_val = torch.maximum(self.max_val, x.max())
        return x

    def qparams(self):
        if self.min_val == float("inf"):  # expect: HS201
            return 1.0, 0
        scale = (self.max_val - self.min_val) / (2**self.bits - 1)
        zero = int(-self.min_val / scale)  # expect: HS103
        return float(scale), zero  # expect: HS103

    def extra_repr(self):
        return f"min={self.min_val}, max={self.max_val}"  # silent: HS105


class Lion(Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), clip=None):
        super().__init__(params, dict(lr=lr, betas=betas, clip=clip))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = p.grad
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                    state["step"] = 0
                exp_avg = state["exp_avg"]
                update = exp_avg * group["betas"][0] + grad * (1 - group["betas"][0])
                norm = update.norm()
                if group["clip"] is not None and norm > group["clip"]:  # expect: HS201
                    update.mul_(group["clip"] / norm)
                trust = (p.norm() / norm).item()  # expect: HS101
                p.add_(torch.sign(update), alpha=-group["lr"] * trust)
                exp_avg.mul_(group["betas"][1]).add_(grad, alpha=1 - group["betas"][1])
                state["step"] += 1
        return loss


def ppo_update(policy, value, optimizer, rollouts, clip=0.2, epochs=4, target_kl=0.01):
    obs, act, logp_old, adv, ret = rollouts
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    n = obs.shape[0]
    kls = []
    for epoch in range(epochs):
        for idx in torch.randperm(n).split(64):
            dist_ = policy(obs[idx])  # expect: HS405
            logp = dist_.log_prob(act[idx])  # expect: HS602, HS405
            ratio = (logp - logp_old[idx]).exp()  # expect: HS405
            loss = -torch.min(ratio * adv[idx], ratio.clamp(1 - clip, 1 + clip) * adv[idx]).mean()  # expect: HS405, HS405
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            kl = (logp_old[idx] - logp).mean().item()  # expect: HS101, HS405
            kls.append(kl)
        if kl > 1.5 * target_kl:
            break
    frac = ((ratio - 1).abs() > clip).float().mean()
    return {"kl": sum(kls) / len(kls), "clipfrac": frac.item()}  # expect: HS101


def gae(rewards, values, dones, gamma, lam):
    adv = torch.zeros_like(rewards)
    last = 0
    for t in reversed(range(len(rewards))):
        nonterminal = 1.0 - dones[t].float()
        delta = rewards[t] + gamma * values[t + 1] * nonterminal - values[t]
        adv[t] = last = delta + gamma * lam * nonterminal * last
    return adv, adv + values[:-1]


def farthest_points(xyz, npoint):
    B, N, C = xyz.shape
    centroids = torch.zeros(B, npoint, dtype=torch.long).to(xyz.device)  # expect: HS401
    distance = torch.ones(B, N).to(xyz.device) * 1e10  # expect: HS401
    farthest = torch.randint(0, N, (B,), dtype=torch.long).to(xyz.device)  # expect: HS401
    batch = torch.arange(B, dtype=torch.long).to(xyz.device)  # expect: HS401
    for i in range(npoint):
        centroids[:, i] = farthest
        centroid = xyz[batch, farthest, :].view(B, 1, 3)
        d = torch.sum((xyz - centroid) ** 2, -1)
        mask = d < distance
        distance[mask] = d[mask]  # expect: HS302, HS303
        farthest = torch.max(distance, -1)[1]
    return centroids


def ball_query(radius, nsample, xyz, new_xyz):
    B, N, _ = xyz.shape
    S = new_xyz.shape[1]
    idx = torch.arange(N, device=xyz.device).view(1, 1, N).repeat(B, S, 1)
    sq = torch.cdist(new_xyz, xyz) ** 2
    idx[sq > radius**2] = N
    idx = idx.sort(dim=-1)[0][:, :, :nsample]
    first = idx[:, :, 0].view(B, S, 1).repeat(1, 1, nsample)
    mask = idx == N
    idx[mask] = first[mask]  # expect: HS302, HS303
    return idx


class SmoothedValue:
    def __init__(self, window=20):
        self.deque = deque(maxlen=window)
        self.total = 0.0
        self.count = 0

    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n

    def synchronize(self):
        t = torch.tensor([self.count, self.total], dtype=torch.float64, device="cuda")  # expect: HS404
        dist.barrier()
        dist.all_reduce(t)
        t = t.tolist()  # expect: HS101
        self.count, self.total = int(t[0]), t[1]

    @property
    def median(self):
        return torch.tensor(list(self.deque)).median().item()


def reduce_dict(d, average=True):
    world = dist.get_world_size()
    if world < 2:
        return d
    with torch.inference_mode():
        names = sorted(d)
        values = torch.stack([d[k] for k in names], dim=0)
        dist.all_reduce(values)
        if average:
            values /= world
        return {k: v for k, v in zip(names, values)}


def train_one_epoch(model, criterion, optimizer, loader, device, epoch, logger, scaler=None, max_norm=None):
    model.train()
    for images, targets in logger.log_every(loader, 10):
        images = [i.to(device) for i in images]  # expect: HS401
        targets = [{k: v.to(device) for k, v in t.items()} for t in targets]  # expect: HS401
        with torch.cuda.amp.autocast(enabled=scaler is not None):
            loss_dict = model(images, targets)
            losses = sum(loss for loss in loss_dict.values())
        reduced = reduce_dict(loss_dict)
        value = sum(l for l in reduced.values()).item()  # expect: HS101
        if not math.isfinite(value):
            raise SystemExit(1)
        optimizer.zero_grad()
        if scaler is not None:
            scaler.scale(losses).backward()
            scaler.step(optimizer)  # expect: HS603
            scaler.update()
        else:
            losses.backward()
            optimizer.step()
        logger.update(loss=value, lr=optimizer.param_groups[0]["lr"])


class LitModel(nn.Module):
    def training_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        loss = F.cross_entropy(logits, y)
        acc = (logits.argmax(-1) == y).float().mean()
        self.log("acc", acc.item())  # expect: HS101
        if batch_idx % 50 == 0:
            print(f"step {batch_idx} loss {loss.item():.4f}")  # expect: HS101
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        preds = self(x).argmax(-1)
        for c in range(10):
            sel = y == c
            if sel.any():  # expect: HS201
                self.log(f"acc_{c}", (preds[sel] == c).float().mean())  # expect: HS302


def ctc_decode(logp, lengths, blank=0):
    out = []
    best = logp.argmax(-1)
    for seq, n in zip(best, lengths):
        seq = torch.unique_consecutive(seq[:n])  # expect: HS304
        seq = seq[seq != blank]  # expect: HS302
        out.append(seq.tolist())  # expect: HS101
    return out


def mel_mask(lengths, max_len=None):
    if max_len is None:
        max_len = lengths.max().item()  # expect: HS101
    return torch.arange(max_len, device=lengths.device)[None, :] < lengths[:, None]


def monotonic_align(value, mask):
    value = value * mask
    path = torch.zeros_like(value)
    t_x = mask.sum(1)[:, 0].long()
    t_y = mask.sum(2)[:, 0].long()
    for b in range(value.size(0)):
        index = t_x[b] - 1
        for y in range(t_y[b] - 1, -1, -1):  # expect: HS104
            path[b, index, y] = 1  # expect: HS308, HS406
            if index != 0 and value[b, index, y - 1] < value[b, index - 1, y - 1]:  # expect: HS201, HS201, HS308, HS308
                index = index - 1
    return path


def perplexity(model, ids, stride=512):
    nlls = []
    for i in range(0, ids.size(1), stride):
        chunk = ids[:, i : i + stride].cuda()  # expect: HS401
        with torch.no_grad():
            nll = model(chunk, labels=chunk).loss
        nlls.append(nll)
    return torch.exp(torch.stack(nlls).mean()).item()  # expect: HS101


def restored(path, device, map_location="cpu"):
    there = torch.load(path, map_location=device)  # expect: HS605
    named = torch.load("last.pt", map_location="cuda:0")  # expect: HS605
    return there, named, torch.load(path, map_location=map_location)  # silent: HS605


def restored_to_where_it_was(path, map_location=None):
    return torch.load(path, map_location=map_location)  # expect: HS605


def temperature(logits: torch.Tensor, loss_of):
    log_t = torch.zeros((), device=logits.device, requires_grad=True)
    optimizer = torch.optim.LBFGS([log_t])

    def closure():
        loss = loss_of(logits / log_t.exp())
        loss.backward()
        return loss

    optimizer.step(closure)  # expect: HS605
    return log_t


class Meter:
    """Serves for numbers and for tensors."""

    def __init__(self):
        self.val, self.sum, self.count, self.avg = 0, 0, 0, 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


def one_epoch(loader, model, loss_fn):
    losses, hits = Meter(), Meter()
    for x, y in loader:
        x, y = x.cuda(), y.cuda()  # expect: HS401
        out = model(x)
        loss = loss_fn(out, y)
        losses.update(loss.item(), len(x))  # expect: HS101
        hit = (out.argmax(1) == y).float().mean()
        hits.update(hit, len(x))
        print(f"{losses.val:.3f} ({losses.avg:.3f})")  # silent: HS105
        print(f"{hits.val:.3f} of {hits.count}")  # expect: HS105
        print("{0} {loss.val:.3f} {loss.avg:.3f}".format(len(x), loss=losses))  # silent: HS105
        print("{} {} {hits.avg:.3f}".format(len(x), len(y), hits=hits))  # expect: HS105
        print("{0.shape} {hits.count}".format(hit, hits=hits))  # silent: HS105
        print("{1} of {0}".format(len(x), hit))  # expect: HS105
        print("{} of {}".format(len(x), hit))  # expect: HS105
        print("{0}, not {0!r}".format(len(x), hit))  # silent: HS105
        print("{ {0}".format(hit))  # expect: HS105
    return losses.avg, hits.avg


def epochs(loader, model, loss_fn):
    best = least = 0.0
    for _ in range(10):
        loss, hit = one_epoch(loader, model, loss_fn)
        if hit > best:  # expect: HS201
            best = hit
        if loss < least:  # silent: HS201
            least = loss
    return least


class Tally:
    def __init__(self):
        self.total = torch.zeros(1, device="cuda")

    def update(self, number):
        self.total += number


def tallied(numbers):
    tally = Tally()
    for number in range(len(numbers)):
        tally.update(number)
    return f"{tally.total}"  # expect: HS105


def pictures(writer, generator, noise: torch.Tensor, step):
    made = generator(noise)
    torchvision.utils.save_image(made, f"fake_{step}.png")  # expect: HS102
    writer.add_image("fake", made[0].clamp(0, 1), step)  # expect: HS105
    kept = torch.zeros(3, 8, 8)
    torchvision.utils.save_image(kept, "kept.png")  # silent: HS102
    writer.add_images("kept", kept, step)  # silent: HS105
