from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import torch

if TYPE_CHECKING:
    from torch import Tensor


def quoted(x: "torch.Tensor", names: "list[str]") -> "float":
    print(names)  # silent: HS105
    return x.sum().item()  # expect: HS101


def under_type_checking(x: Tensor, y: Tensor | None) -> float:
    if y is not None and y.any():  # expect: HS201
        return float(y.sum())  # expect: HS103
    return float(x.sum())  # expect: HS103


def containers(xs: Sequence["Tensor"], table: "dict[str, torch.Tensor]"):
    for x in xs:
        print(x.max().item())  # expect: HS101
    for name, value in table.items():
        print(name, value)  # expect: HS105
    return {name: float(value) for name, value in table.items()}  # expect: HS103


@dataclass
class Batch:
    x: torch.Tensor
    lengths: "torch.Tensor"
    names: list[str] = field(default_factory=list)
    size: int = 0

    def longest(self):
        if self.size > 0:  # silent: HS201
            print(self.names)  # silent: HS105
        return self.lengths.max().item()  # expect: HS101


class Output(NamedTuple):
    loss: torch.Tensor
    count: int


def fields(batch: Batch, output: Output):
    if output.loss > 1:  # expect: HS201
        print(batch.size, output.count)  # silent: HS105
    if output.count > 1:  # silent: HS201
        return batch.x.tolist()  # expect: HS101
    return batch.x[batch.lengths > 0]  # expect: HS302


def numbers(value: int, ratio: "float", anything: Any):
    if value > 1 and ratio < 0.5:  # silent: HS201
        return float(anything)  # silent: HS103
    return int(value)  # silent: HS103


def jaxtyped(x: Float[Tensor, "batch dim"], keep: Bool[Tensor, "batch"]):
    return x[keep]  # expect: HS302
