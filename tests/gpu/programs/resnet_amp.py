"""A small residual network, trained with autocast and a GradScaler. Rows that wait are marked with their rule.

The marks are `# waits: CODE`; a row with two expressions that wait has two codes.
"""

import sys

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1)
        self.second = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        return F.relu(x + self.second(F.relu(self.first(x))))


class Masked(torch.autograd.Function):
    """Waits in the backward pass."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        if torch.isnan(gradient).any():  # waits: HS201
            raise ValueError("NaN")
        return gradient


def main(steps: int = 20) -> None:
    torch.manual_seed(0)
    device = torch.device("cuda")
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3), Block(32), Block(32), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)
    )
    model.to(device)  # waits: HS401
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda")
    generator = torch.Generator().manual_seed(1)
    total = 0.0
    for step in range(steps):
        images = torch.randn(16, 3, 64, 64, generator=generator)
        labels = torch.randint(0, 10, (16,), generator=generator)
        images = images.to(device)  # waits: HS401
        labels = labels.to(device)  # waits: HS401
        with torch.autocast("cuda"):
            logits = Masked.apply(model(images))
            loss = F.cross_entropy(logits, labels)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)  # waits: HS603
        scaler.update()
        total += loss.item()  # waits: HS101
        right = logits.argmax(1) == labels
        wrong = images[~right]  # waits: HS302
        if step % 5 == 0:
            print(f"step {step}: {float(loss):.2f}, {len(wrong)} wrong")  # waits: HS103
            torch.cuda.synchronize()  # waits: HS501
            host = logits.detach().cpu()  # waits: HS102
    print("mean", round(total / steps, 3), tuple(host.shape), sys.argv[1:])


if __name__ == "__main__":
    main()
