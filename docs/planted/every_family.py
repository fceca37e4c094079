"""A small training program with planted waits of every family. Rows that the scan reports, and what a run must say.

The marks are `# confirmed: CODE`, `# refuted: CODE` and `# not reached: CODE`, of findings; and `# missed`, of waits
without one.
"""

import operator
import sys

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

DEVICE = torch.device("cuda")


class Gate(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = F.relu(self.layer(x))
        if torch.isnan(hidden).any():  # confirmed: HS201
            raise ValueError("NaN")
        return hidden


def read_backs(loss: torch.Tensor, logits: torch.Tensor) -> float:
    total = loss.item()  # confirmed: HS101
    host = logits.cpu()  # confirmed: HS102
    total += float(loss)  # confirmed: HS103
    text = f"{loss:.3f}"  # confirmed: HS105
    same = torch.equal(logits, logits + 1)  # confirmed: HS107
    return total + len(host) + len(text) + same


def control_flow(loss: torch.Tensor, weight: torch.Tensor) -> int:
    count = 0
    while weight.sum() > 100 + count:  # confirmed: HS202
        count += 1
    assert (loss > -1).all()  # confirmed: HS203
    return count + (not loss.isnan())  # confirmed: HS204


def shapes(logits: torch.Tensor, labels: torch.Tensor) -> int:
    kept = logits[labels > 2]  # confirmed: HS302
    where = torch.nonzero(labels)  # confirmed: HS301
    kinds = labels.unique()  # confirmed: HS304
    counts = torch.bincount(labels)  # confirmed: HS305
    repeated = labels.repeat_interleave(labels)  # confirmed: HS306
    coded = F.one_hot(labels)  # confirmed: HS307
    return sum(len(t) for t in (kept, where, kinds, counts, repeated, coded))


def copies(logits: torch.Tensor) -> torch.Tensor:
    scale = torch.tensor(0.5, device=DEVICE)  # confirmed: HS404
    rows = logits[[0, 2]]  # confirmed: HS405
    return rows * scale


def explicit_and_hidden(model: nn.Module, logits: torch.Tensor) -> None:
    for _ in range(2):
        torch.cuda.synchronize()  # confirmed: HS501
    torch.linalg.inv(logits[:8, :8] + 10 * torch.eye(8, device=DEVICE))  # confirmed: HS601
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)  # confirmed: HS604
    torch.cov(logits)  # confirmed: HS605


def on_the_host(batch: dict[str, torch.Tensor]) -> float:
    return batch["values"].sum().item()  # refuted: HS101


def unseen(values) -> float:
    return operator.methodcaller("item")(values)  # missed


BY_NAME = {"host": on_the_host, "unseen": unseen}
"""Called by name, so that the scan does not know with what."""


def main(steps: int = 5) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(Gate(16), nn.Linear(16, 8)).to(DEVICE)  # missed
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    total = 0.0
    for step in range(steps):
        images = torch.randn(32, 16)
        labels = torch.randint(1, 8, (32,))
        inputs = images.to(DEVICE)  # confirmed: HS401
        targets = labels.to(DEVICE)  # confirmed: HS401
        logits = model(inputs)
        loss = F.cross_entropy(logits, targets)
        optimizer.zero_grad()
        loss.backward()
        explicit_and_hidden(model, logits.detach())  # confirmed: HS606
        optimizer.step()
        total += read_backs(loss.detach(), logits.detach())  # confirmed: HS606
        total += control_flow(loss.detach(), model[1].weight.detach())  # confirmed: HS606
        total += shapes(logits.detach(), targets)  # confirmed: HS606
        for name, values in zip(sorted(BY_NAME), ({"values": images}, loss.detach()), strict=True):
            total += BY_NAME[name](values)
        copies(logits.detach())  # confirmed: HS606
        if step > 1000:
            print(loss)  # not reached: HS105
    print("trained", steps, "steps", sys.argv[1:])


if __name__ == "__main__":
    main()
