import copy
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Replay:
    def __init__(self, cap, obs_dim, device):
        self.obs = torch.zeros(cap, obs_dim, device=device)
        self.done = torch.zeros(cap, dtype=torch.bool, device=device)
        self.size, self.cap, self.device = 0, cap, device

    def sample(self, n):
        idx = np.random.randint(0, self.size, size=n)
        o = self.obs[idx]  # expect: HS405
        d = self.done[idx]  # expect: HS405
        return o, d

    def last(self):
        if self.done[-1]:  # expect: HS201
            return self.obs[~self.done]  # expect: HS302
        return self.obs


class Agent(nn.Module):
    def __init__(self, net, n_actions):
        super().__init__()
        self.net = net
        self.n_actions = n_actions

    def act(self, obs, eps):
        if np.random.rand() < eps:
            return np.random.randint(self.n_actions)
        obs = torch.as_tensor(obs, dtype=torch.float32, device="cuda")  # expect: HS404
        with torch.no_grad():
            q = self.net(obs.unsqueeze(0))
        return q.argmax(dim=1).item()  # expect: HS101

    def update(self, batch, opt):
        s, a, r, s2, done = batch
        q = self.net(s).gather(1, a)
        with torch.no_grad():
            target = r + 0.99 * self.net(s2).max(1)[0] * (1 - done)
        loss = F.smooth_l1_loss(q.squeeze(), target)
        opt.zero_grad()
        loss.backward()
        gn = nn.utils.clip_grad_norm_(self.parameters(), 1.0)
        if gn > 10:  # expect: HS201
            print("large", gn.item())  # expect: HS101
        opt.step()
        return float(loss)  # expect: HS103


def scatter_mean(src, index, dim_size=None):
    if dim_size is None:
        dim_size = int(index.max()) + 1  # expect: HS103
    out = src.new_zeros(dim_size, src.size(1))
    out.index_add_(0, index, src)
    count = torch.bincount(index, minlength=dim_size)  # expect: HS305
    return out / count.clamp(min=1).unsqueeze(1)


class Conv(nn.Module):
    def forward(self, x, edge_index, batch=None):
        row, col = edge_index
        mask = row != col
        edge_index = edge_index[:, mask]  # expect: HS302
        deg = scatter_mean(x, row)
        if batch is None:
            batch = torch.zeros(x.size(0), dtype=torch.long, device=x.device)
        num_graphs = batch.max().item() + 1  # expect: HS101
        sizes = torch.bincount(batch).tolist()  # expect: HS101, HS305
        return torch.split(x, sizes), num_graphs


@torch.no_grad()
def generate(model, ids, max_new=20, temperature=1.0, top_p=0.9, eos=2):
    for _ in range(max_new):
        logits = model(ids)[:, -1] / temperature
        probs = logits.softmax(-1)
        sp, si = probs.sort(descending=True)
        cum = sp.cumsum(-1)
        cut = cum - sp > top_p
        sp[cut] = 0.0
        nxt = si.gather(-1, torch.multinomial(sp, 1))
        ids = torch.cat([ids, nxt], -1)
        if (nxt == eos).all():  # expect: HS201
            break
    return ids.tolist()  # expect: HS101


def beam(model, tok, x, k):
    scores = torch.zeros(k, device=x.device)
    beams = x.repeat(k, 1)
    finished = []
    for step in range(10):
        lp = F.log_softmax(model(beams)[:, -1], -1)
        total = scores[:, None] + lp
        top, idx = total.view(-1).topk(k)
        for s, i in zip(top, idx):
            b = i // lp.size(1)
            t = (i % lp.size(1)).item()  # expect: HS101
            if t == tok.eos:
                finished.append((s.item(), beams[b]))  # expect: HS101, HS308
    return max(finished, key=lambda z: z[0])


@dataclass
class Output:
    loss: Optional[Tensor] = None
    logits: Tensor = None
    mask: Optional[Tensor] = None


class Head(nn.Module):
    def __init__(self, dim: int, classes: int):
        super().__init__()
        self.fc = nn.Linear(dim, classes)
        self.weights = [1.0] * classes
        self.anchor = torch.arange(classes).float()

    def forward(self, h: Tensor, target: Optional[Tensor] = None) -> Output:
        logits = self.fc(h)
        mask = target >= 0 if target is not None else None
        loss = None
        if target is not None:
            w = torch.tensor(self.weights, device=h.device)  # expect: HS404
            loss = F.cross_entropy(logits[mask], target[mask], weight=w)  # expect: HS302, HS302
        logits = logits + self.anchor.to(h.device)  # expect: HS401
        return Output(loss=loss, logits=logits, mask=mask)


def evaluate(model: Head, data: List[Dict[str, Tensor]], device: torch.device) -> Dict[str, float]:
    model.eval()
    meters = defaultdict(float)
    preds = []
    for batch in data:
        batch = {k: v.to(device) for k, v in batch.items()}
        out = model(batch["x"], batch["y"])
        meters["loss"] += out.loss.item()  # expect: HS101
        meters["n"] += out.mask.sum().item()  # expect: HS101
        preds.append(out.logits.argmax(-1).cpu())  # expect: HS102
        preds.extend(out.logits[out.mask].cpu().numpy())  # expect: HS102, HS302
    return dict(meters)


def box_iou(a, b):
    area = lambda z: (z[:, 2] - z[:, 0]) * (z[:, 3] - z[:, 1])
    lt = torch.max(a[:, None, :2], b[:, :2])
    rb = torch.min(a[:, None, 2:], b[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (area(a)[:, None] + area(b) - inter)


def match(anchors, targets, hi=0.5, lo=0.4):
    out = []
    for t in targets:
        gt = t["boxes"]
        if gt.numel() == 0:
            out.append(torch.full((len(anchors),), -1, device=anchors.device))
            continue
        iou = box_iou(gt, anchors)
        val, idx = iou.max(0)
        idx[val < lo] = -1
        fg = torch.where(idx >= 0)[0]  # expect: HS301
        labels = t["labels"][idx[fg]]
        pos = (val >= hi).nonzero().squeeze(1)  # expect: HS301
        perm = torch.randperm(pos.numel(), device=pos.device)[:128]
        out.append((labels, pos[perm]))
    return out


def nms_batch(boxes, scores, classes, thr):
    keep = torch.zeros_like(scores, dtype=torch.bool)
    for c in torch.unique(classes):  # expect: HS304
        cur = torch.where(classes == c)[0]  # expect: HS301
        order = scores[cur].argsort(descending=True)
        while order.numel() > 0:
            i = order[0]
            keep[cur[i]] = True  # expect: HS308, HS308, HS406
            if order.numel() == 1:
                break
            iou = box_iou(boxes[cur[i]][None], boxes[cur[order[1:]]])[0]  # expect: HS104, HS308
            order = order[1:][iou <= thr]  # expect: HS302
    return torch.nonzero(keep).squeeze(1)  # expect: HS301


def mixup(x, y, alpha):
    lam = np.random.beta(alpha, alpha)
    perm = torch.randperm(x.size(0))
    x2 = x[perm]  # expect: HS405
    return lam * x + (1 - lam) * x2, y[perm]


class EMA:
    def __init__(self, model, decay):
        self.shadow = copy.deepcopy(model)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for a, b in zip(self.shadow.parameters(), model.parameters()):
            a.mul_(self.decay).add_(b.detach(), alpha=1 - self.decay)

    def distance(self, model):
        d = 0.0
        for a, b in zip(self.shadow.parameters(), model.parameters()):
            d += (a - b).pow(2).sum().item()  # expect: HS101
        return math.sqrt(d)


def pad_batch(seqs, pad):
    lens = torch.tensor([len(s) for s in seqs])
    out = torch.full((len(seqs), int(lens.max())), pad)
    for i, s in enumerate(seqs):
        out[i, : len(s)] = torch.tensor(s)
    return out, lens


class Tagger(nn.Module):
    def __init__(self, emb, rnn):
        super().__init__()
        self.emb, self.rnn = emb, rnn

    def forward(self, ids, lens):
        h = self.emb(ids)
        packed = nn.utils.rnn.pack_padded_sequence(h, lens.cpu(), batch_first=True)  # expect: HS102
        out, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        m = torch.arange(lens.max(), device=ids.device)[None] < lens[:, None]  # expect: HS104
        return out[m]  # expect: HS302


def stats(t: Tensor, name: str = "") -> str:
    assert torch.isfinite(t).all(), name  # expect: HS203
    return f"{name}: {t.mean():.3f} {t.std().item():.3f} {tuple(t.shape)}"  # expect: HS101, HS105


def quantize(x, codebook, ema: bool = False):
    d = torch.cdist(x.flatten(0, -2), codebook)
    code = d.argmin(-1)
    onehot = F.one_hot(code, codebook.shape[0]).type(x.dtype)
    usage = onehot.sum(0)
    dead = usage < 1
    if dead.any():  # expect: HS201
        n = dead.sum()
        idx = torch.randperm(x.shape[0], device=x.device)[:n]  # expect: HS308
        codebook[dead] = x[idx]  # expect: HS303
    perplexity = torch.exp(-(usage / usage.sum() * torch.log(usage + 1e-9)).sum())
    return codebook[code].view_as(x), perplexity.item()  # expect: HS101


def schedule(T, device):
    betas = np.linspace(1e-4, 0.02, T)
    alphas = 1 - betas
    ac = torch.from_numpy(np.cumprod(alphas)).float().to(device)  # expect: HS401
    return {"ac": ac, "sqrt": ac.sqrt()}


def extract(arr, t, shape):
    res = torch.from_numpy(arr).to(device=t.device)[t].float()  # expect: HS401
    while len(res.shape) < len(shape):
        res = res[..., None]
    return res.expand(shape)


def p_sample(model, x, t, sched):
    ts = torch.full((x.shape[0],), t, device=x.device)
    eps = model(x, ts)
    a = sched["ac"][t]
    if t > 0:
        noise = torch.randn_like(x)
    else:
        noise = 0
    return (x - eps) / a.sqrt() + noise


def loop(model, shape, sched, steps):
    x = torch.randn(shape, device="cuda")
    for t in reversed(range(steps)):
        x = p_sample(model, x, t, sched)
        if torch.isnan(x).any():  # expect: HS201
            break
    return x.clamp(-1, 1).cpu().numpy()  # expect: HS102
