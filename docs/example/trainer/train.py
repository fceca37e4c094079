"""Trains the tagger: `python train.py`; with `--without-waits` the loop that does not wait for the GPU."""

import argparse

import torch

from data import TAGS, make_loader
from evaluate import accuracy, confusion
from model import Tagger, loss_over_all, masked_loss


def train_epoch(model, loader, optimizer, device, steps):
    """As people write it first."""
    model.train()
    total = 0.0
    for step, (tokens, tags) in enumerate(loader):
        if step >= steps:
            break
        tokens = tokens.to(device)
        tags = tags.to(device)
        logits = model(tokens)
        loss = masked_loss(logits, tags)
        loss = loss * torch.tensor(1.0 / (1 + step // 100), device=device)

        if torch.isnan(loss):
            raise RuntimeError(f"loss is NaN at step {step}")
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

        total += loss.item()
        if step % 10 == 0:
            print(f"step {step}: loss {loss:.3f}, gradient norm", norm)
    return total / steps


def train_epoch_without_waits(model, loader, optimizer, device, steps, weight):
    """The same, with what is logged kept on the device and read once, at the end."""
    model.train()
    total = torch.zeros((), device=device)
    broken = torch.zeros((), dtype=torch.bool, device=device)
    for step, (tokens, tags) in enumerate(loader):
        if step >= steps:
            break
        tokens = tokens.to(device, non_blocking=True)
        tags = tags.to(device, non_blocking=True)
        loss = loss_over_all(model(tokens), tags, weight)
        loss = loss * (1.0 / (1 + step // 100))

        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

        broken |= torch.isnan(loss)
        total += loss.detach()
    # hostsync: allow[item-read-back] once an epoch, after all steps are enqueued
    mean, is_broken = torch.stack([total / steps, broken.float()]).tolist()
    if is_broken:
        raise RuntimeError("a loss was NaN")
    return mean


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--without-waits", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tagger(check=not args.without_waits).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    count = args.steps * args.batch_size

    pin_memory = device.type == "cuda"
    if args.without_waits:
        loader = make_loader(count, args.batch_size, pin_memory=pin_memory)
        weight = torch.full((TAGS,), 1.0, device=device)
        loss = train_epoch_without_waits(model, loader, optimizer, device, args.steps, weight)
    else:
        loader = make_loader(count, args.batch_size)
        loss = train_epoch(model, loader, optimizer, device, args.steps)

    held_out = make_loader(10 * args.batch_size, args.batch_size, seed=1, pin_memory=pin_memory)
    print(f"mean loss {loss:.3f}, accuracy {accuracy(model, held_out, device):.1%}")
    print(confusion(model, held_out, device).int().tolist())


if __name__ == "__main__":
    main()
