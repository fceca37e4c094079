"""Operations that wait or don't: what guards like vLLM's and TensorRT-LLM's are asked to catch, and what they may not.

python plugin_cases.py FILE.json    asks the oracle about each, and writes the answers
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

MIB = 1 << 20


class Inputs:
    """Made once; everything that a case takes in is warm."""

    def __init__(self) -> None:
        self.x = torch.rand(MIB, device="cuda")
        self.y = torch.rand(MIB, device="cuda")
        self.mask = self.x > 0.5
        self.index = torch.arange(64, device="cuda")
        self.out = torch.empty(8 * MIB, device="cuda")
        self.square = torch.empty(2048, 2048, device="cuda")
        self.pageable = torch.rand(8 * MIB)
        self.small = torch.rand(1024)
        self.pinned = torch.rand(8 * MIB).pin_memory()
        self.pinned_double = torch.rand(8 * MIB, dtype=torch.float64).pin_memory()
        self.pinned_square = torch.rand(2048, 2048).pin_memory()
        self.weight = torch.rand(1024, 1024, device="cuda", requires_grad=True)
        self.event = torch.cuda.Event()
        self.event.record()


def _if(i: Inputs) -> None:
    if i.x.sum() > 0:
        pass


def _store(i: Inputs) -> None:
    i.y[i.mask] = 1.0


def _event(i: Inputs) -> None:
    i.event.record()
    i.event.synchronize()


CASES: dict[str, Callable[[Inputs], object]] = {
    # read-backs and shapes
    "item": lambda i: i.x.sum().item(),
    "tolist": lambda i: i.index.tolist(),
    "branch": _if,
    "cpu": lambda i: i.x.cpu(),
    "mask index": lambda i: i.x[i.mask],
    "nonzero": lambda i: i.mask.nonzero(),
    "list index": lambda i: i.x[[0, 2]],
    # copies to the device
    "pageable, blocking": lambda i: i.out.copy_(i.pageable),
    "pageable, non_blocking": lambda i: i.out.copy_(i.pageable, non_blocking=True),
    "pageable, non_blocking, 4 KiB": lambda i: i.x[:1024].copy_(i.small, non_blocking=True),
    "pinned, blocking": lambda i: i.out.copy_(i.pinned),
    "pinned, non_blocking": lambda i: i.out.copy_(i.pinned, non_blocking=True),
    "pinned, non_blocking, another dtype": lambda i: i.out.copy_(i.pinned_double, non_blocking=True),
    "pinned, non_blocking, another layout": lambda i: i.square.copy_(i.pinned_square.t(), non_blocking=True),
    "torch.tensor of a list": lambda i: torch.tensor([1.0, 2.0], device="cuda"),
    # copies to the host
    "to pageable, non_blocking": lambda i: i.pageable.copy_(i.out, non_blocking=True),
    "to pinned, non_blocking": lambda i: i.pinned.copy_(i.out, non_blocking=True),
    # asked for
    "device synchronize": lambda i: torch.cuda.synchronize(),
    "stream synchronize": lambda i: torch.cuda.current_stream().synchronize(),
    "event synchronize": _event,
    # what does not wait
    "sum": lambda i: i.x.sum(),
    "where": lambda i: torch.where(i.mask, i.x, i.y),
    "mask store of a number": _store,
    "index by a tensor": lambda i: i.x[i.index],
    "matmul and backward": lambda i: (i.weight @ i.weight).sum().backward(),
}


def ask_the_oracle() -> dict[str, bool]:
    """Whether each case waits."""
    import hostsync

    inputs = Inputs()
    answers = {}
    for name, case in CASES.items():
        answers[name] = bool(hostsync.waits(lambda case=case: _dropped(case, inputs)))
        inputs.weight.grad = None
    return answers


def _dropped(case: Callable[[Inputs], Any], inputs: Inputs) -> None:
    case(inputs)


if __name__ == "__main__":
    with Path(sys.argv[1]).open("w") as file:
        json.dump(ask_the_oracle(), file)
