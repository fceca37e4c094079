import os
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

out_dir = "out"
eval_iters = 200
log_interval = 1
gradient_accumulation_steps = 40
batch_size = 12
block_size = 1024
device = "cuda"
device_type = "cuda" if "cuda" in device else "cpu"
train_data = np.memmap("train.bin", dtype=np.uint16, mode="r")
val_data = np.memmap("val.bin", dtype=np.uint16, mode="r")


class Attention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.c_attn = nn.Linear(width, 3 * width)
        self.n_head = heads
        self.register_buffer("bias", torch.tril(torch.ones(block_size, block_size)).view(1, 1, block_size, block_size))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        att = q @ k.transpose(-2, -1) * (1.0 / k.size(-1) ** 0.5)
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))  # silent: HS303
        return F.softmax(att, dim=-1) @ v


class GPT(nn.Module):
    def __init__(self, width: int = 64, vocabulary: int = 100):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(block_size, width)
        self.attention = Attention(width, 4)
        self.lm_head = nn.Linear(width, vocabulary)

    def forward(self, idx, targets=None):
        device = idx.device
        b, t = idx.size()
        assert t <= block_size, f"too long: {t}"  # silent: HS203
        pos = torch.arange(0, t, dtype=torch.long, device=device)
        x = self.attention(self.wte(idx) + self.wpe(pos))
        if targets is not None:  # silent: HS201
            logits = self.lm_head(x)
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        else:
            logits = self.lm_head(x[:, -1:, :])  # silent: HS405
            loss = None
        return logits, loss


def get_batch(split):
    data = train_data if split == "train" else val_data
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([torch.from_numpy((data[i : i + block_size]).astype(np.int64)) for i in ix])  # silent: HS104, HS308
    y = torch.stack([torch.from_numpy((data[i + 1 : i + 1 + block_size]).astype(np.int64)) for i in ix])
    if device_type == "cuda":  # silent: HS201
        x, y = x.pin_memory().to(device, non_blocking=True), y.pin_memory().to(device, non_blocking=True)  # silent: HS403
    else:
        x, y = x.to(device), y.to(device)  # expect: HS401
    return x, y


model = GPT().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4)


@torch.no_grad()
def estimate_loss():
    out = {}
    model.eval()
    for split in ["train", "val"]:
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            X, Y = get_batch(split)
            logits, loss = model(X, Y)
            losses[k] = loss.item()  # expect: HS101
        out[split] = losses.mean()
    model.train()
    return out


iter_num = 0
best_val_loss = 1e9
X, Y = get_batch("train")
t0 = time.time()
while True:  # silent: HS202
    losses = estimate_loss()
    print(f"step {iter_num}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")  # silent: HS105
    if losses["val"] < best_val_loss:  # silent: HS201
        best_val_loss = losses["val"]
        torch.save({"best": best_val_loss}, os.path.join(out_dir, "ckpt.pt"))
    for micro_step in range(gradient_accumulation_steps):
        logits, loss = model(X, Y)
        loss = loss / gradient_accumulation_steps
        X, Y = get_batch("train")
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if iter_num % log_interval == 0:  # silent: HS201
        lossf = loss.item() * gradient_accumulation_steps  # expect: HS101
        print(f"iter {iter_num}: loss {lossf:.4f}, time {time.time() - t0:.2f}")  # silent: HS105
    iter_num += 1
    if iter_num > 100:  # silent: HS201
        break
