import math
import random
import torch
import torch.nn as nn
import torch.nn.functional as F


def pairwise(a, b):
    return torch.cdist(a, b)


class BatchHard(nn.Module):
    def __init__(self, margin=0.2, squared=False):
        super().__init__()
        self.margin = margin
        self.squared = squared

    def forward(self, embeddings, labels):
        dist = pairwise(embeddings, embeddings)
        same = labels.unsqueeze(0) == labels.unsqueeze(1)
        diff = ~same
        a, p = torch.where(same)  # expect: HS301
        if len(a) == 0:
            return embeddings.sum() * 0
        hardest = dist[a, p]
        keep = hardest > self.margin
        hardest = hardest[keep]  # expect: HS302
        num = keep.sum()
        if num == 0:  # expect: HS201
            return torch.tensor(0.0, device=embeddings.device)  # expect: HS404
        weights = self.weigh(labels)
        return hardest.mean() + weights.mean()

    def weigh(self, labels):
        classes, counts = torch.unique(labels, return_counts=True)  # expect: HS304
        w = torch.zeros(len(classes))
        w = w.to(labels.device)  # expect: HS401
        for c in classes:
            idx = (labels == c).nonzero()  # expect: HS301
            w[c] = idx.shape[0]  # expect: HS308, HS406
        return w


class Memory(nn.Module):
    def __init__(self, dim, size=1024):
        super().__init__()
        self.size = size
        self.bank = nn.Parameter(torch.zeros(size, dim))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))
        self.label_memory = torch.zeros(size).long()
        self.curr = 0
        self.full = False

    def forward(self, emb, labels):
        ptr = int(self.ptr)  # expect: HS103
        self.label_memory = self.to_device(self.label_memory, emb)
        n = emb.size(0)
        end = self.curr + n
        if end > self.size:
            end = self.size
        self.bank.data[self.curr:end] = emb
        self.label_memory[self.curr:end] = labels
        valid = self.label_memory >= 0
        m = self.bank[valid]  # expect: HS302
        return m

    def to_device(self, x, like):
        if x.device != like.device:
            x = x.to(like.device)  # expect: HS401
        return x


def logsumexp(x, keep_mask=None, dim=1):
    if keep_mask is not None:
        x = x.masked_fill(~keep_mask, torch.finfo(x.dtype).min)
    out = torch.logsumexp(x, dim=dim, keepdim=True)
    if keep_mask is not None:
        out = out.masked_fill(~torch.any(keep_mask, dim=dim, keepdim=True), 0)
    return out


def get_all_pairs(labels, ref_labels=None):
    if ref_labels is None:
        ref_labels = labels
    matches = (labels.unsqueeze(1) == ref_labels.unsqueeze(0)).byte()
    diffs = matches ^ 1
    if ref_labels is labels:
        matches.fill_diagonal_(0)
    a1, p = torch.where(matches)  # expect: HS301
    a2, n = torch.where(diffs)  # expect: HS301
    return a1, p, a2, n


def mine(pairs, t_per=100):
    a, p, a2, n = pairs
    if len(a) == 0 or len(a2) == 0:
        empty = torch.tensor([], device=a.device, dtype=torch.long)  # silent: HS404
        return empty, empty, empty
    mask = a.unsqueeze(1) == a2.unsqueeze(0)
    i, j = torch.where(mask)  # expect: HS301
    return a[i], p[i], n[j]


class Sampler:
    def __init__(self, labels, m):
        if isinstance(labels, torch.Tensor):
            labels = labels.numpy()
        self.labels = labels
        self.m = m


class Augment(nn.Module):
    def __init__(self, p=0.5, degrees=10.0):
        super().__init__()
        self.p = p
        self.degrees = degrees

    def generate(self, shape, device):
        b = shape[0]
        probs = torch.empty(b, device=device).uniform_()
        return {"apply": probs < self.p, "angle": torch.empty(b, device=device).uniform_(-self.degrees, self.degrees)}

    def forward(self, x, params=None):
        if params is None:
            params = self.generate(x.shape, x.device)
        to_apply = params["apply"]
        if not to_apply.any():  # expect: HS201
            return x
        out = x.clone()
        if to_apply.all():  # expect: HS201
            return self.transform(x, params["angle"])
        out[to_apply] = self.transform(x[to_apply], params["angle"][to_apply])  # expect: HS302, HS302, HS303
        return out

    def transform(self, x, angle):
        rad = angle * math.pi / 180
        c, s = torch.cos(rad), torch.sin(rad)
        mat = torch.stack([c, -s, s, c], -1).view(-1, 2, 2)
        inv = torch.inverse(mat)  # expect: HS601
        grid = F.affine_grid(F.pad(inv, (0, 1)), x.shape)
        return F.grid_sample(x, grid)


def crop(x, boxes, size):
    outs = []
    for i in range(x.size(0)):
        x1, y1, x2, y2 = boxes[i].int()
        outs.append(F.interpolate(x[i : i + 1, :, y1:y2, x1:x2], size))  # expect: HS308
    return torch.cat(outs)


def eval_metric(query, reference, labels, k=10):
    sim = query @ reference.t()
    idx = sim.topk(k)[1]
    hit = labels[idx] == labels.unsqueeze(1)
    acc = {}
    for kk in (1, 5, 10):
        acc[kk] = hit[:, :kk].any(1).float().mean().item()  # expect: HS101
    per = [hit[labels == c].float().mean().item() for c in labels.unique()]  # expect: HS101, HS302, HS304
    return acc, sum(per) / len(per)


class Kernel:
    def __init__(self, sigma):
        self.sigma = sigma

    def __call__(self, x):
        k = torch.tensor([1.0, 2.0, 1.0], device=x.device, dtype=x.dtype)  # expect: HS404
        k = k / k.sum()
        if k.ndim != 1:
            raise ValueError(f"bad kernel {k.shape}")
        return F.conv1d(x, k[None, None])


def solve(A, b):
    if A.shape[-1] != A.shape[-2]:
        raise ValueError("square")
    try:
        L = torch.linalg.cholesky(A)  # expect: HS601
    except RuntimeError:
        L = None
    x = torch.linalg.solve(A, b)  # expect: HS601
    return x


def ransac(kp1, kp2, fit, iters=100, thresh=2.0):
    best, best_model = 0, None
    n = len(kp1)
    for i in range(iters):
        sample = torch.randperm(n, device=kp1.device)[:4]
        model = fit(kp1[sample], kp2[sample])
        err = ((kp2 - kp1 @ model) ** 2).sum(-1)
        inl = err <= thresh
        score = inl.sum().float().item()  # expect: HS101
        if score > best:
            best = score
            best_model = model
            best_inl = inl
    return best_model, kp1[best_inl]  # expect: HS302


def train_epoch(model, loader, opt, loss_fn, device, log=print):
    total = 0.0
    correct = 0
    for i, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)  # expect: HS401, HS401
        out = model(x)
        loss = loss_fn(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()  # expect: HS101
        correct += (out.argmax(1) == y).sum().item()  # expect: HS101
        if torch.isnan(loss):  # expect: HS201
            raise RuntimeError("nan")
        if i % 10 == 0:
            log(f"{i} {loss:.3f}")  # expect: HS105
    return total / len(loader), correct


def kept_on_host(found, pairs):
    device = pairs.device
    moved = found.priors.cpu()  # expect: HS102
    boxes = found.boxes
    if boxes.shape[0] > 100:
        boxes = boxes.cpu()  # expect: HS102
    return moved, boxes, device


def first_operand_number(beta, ratio, decay, step, params, grads):
    correction = 1 - torch.pow(beta, step)
    exponents = torch.remainder(ratio, step) + torch.special.xlog1py(decay, step)
    for param, grad in zip(params, grads):
        param.add_(grad, alpha=1 - beta)  # silent: HS104
        param.mul_(math.log(ratio))  # silent: HS103
        param.add_(grad, alpha=decay)  # silent: HS104
    return correction, exponents


def first_operand_tensor(scale, params):
    square = torch.pow(scale, 2)
    for param in params:
        param.add_(square, alpha=1 - scale)  # expect: HS104
    return params


def converted_in_a_list(sizes, rate, x):
    sizes = torch.tensor([sizes], dtype=torch.float32)  # silent: HS104
    rate = torch.tensor([[rate]] * 2)  # silent: HS104
    return sizes.sum(dim=1), rate.unsqueeze(0), x


def of_several_adapters(base, x, names, adapters, *args):
    result = base(x, *args)
    for name in set(names):
        rows = [at for at, other in enumerate(names) if other == name]
        result[rows] += adapters[name](x[rows])  # expect: HS405, HS405
    return result


class Levels:
    def __init__(self, base, eps=1e-6):
        self.base = base
        self.eps = eps

    def __call__(self, boxes):
        area = torch.sqrt(torch.cat([box[:, 2] * box[:, 3] for box in boxes]))
        return torch.floor(torch.log2(area / self.base) + torch.tensor(self.eps, dtype=area.dtype)).to(torch.int64)


def by_level(boxes, base, features):
    levels = Levels(base)(boxes)
    picked = []
    for level, feature in enumerate(features):
        at = torch.where(levels == level)[0]  # expect: HS301
        picked.append(feature[at])  # silent: HS405
    return picked


def at_a_flag(x, count, flag, flags):
    if flag < count:
        return x.unsqueeze(0)[flag]  # silent: HS302
    return x.unsqueeze(0)[flags]  # expect: HS302


def at_a_mask(x, mask=None):
    if mask != None:
        return x.unsqueeze(0)[mask]  # expect: HS302
    return x


def looked_up(x, table, key):
    return x.unsqueeze(0) in table[0]  # silent: HS106


class Grid:
    def __init__(self, size=7, ratio=1.0, low=-1.0):
        self.size = size
        self.ratio = ratio
        self.low = low

    def forward(self, points):
        sized = points.sigmoid() * torch.tensor(self.size)
        anywhere = points.sigmoid() * torch.tensor(self.ratio)
        below = points.sigmoid() - torch.tensor(self.low)
        print(sized.max().item())  # expect: HS101
        print(anywhere.max().item())  # expect: HS101
        return below.max().item()  # expect: HS101


def repeated_as_often_as_told(x, frames, batch):
    first = [0] * (frames // batch.size_of_each)
    return x.unsqueeze(0)[:, first]  # expect: HS405


class Scaled(nn.Module):
    """What has the method of an operator and is handed a tensor is one."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, first, second, third):
        near = first.div(self.scale)
        if near.eq(self.scale).all():  # expect: HS201
            return near
        far = second.sub_(self.scale)
        same = third.eq(self.scale)
        return near[same], float(far.norm())  # expect: HS103, HS302


def by_lengths(weights, ends, starts):
    # No list can be taken from another, and there are no arrays here.
    spread = torch.repeat_interleave(weights, ends[1:] - ends[:-1])  # expect: HS306
    if (ends[1:] - starts[:-1]).max() > 3:  # expect: HS201
        return spread
    return ends[1:] + starts[:-1]
