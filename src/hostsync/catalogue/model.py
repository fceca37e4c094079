"""The types of the catalogue: rules, and what is known about torch's operations."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

# --- operations ----------------------------------------------------------------------------------


class OpParam(NamedTuple):
    name: str
    default: str | None
    """Source text of the default; None where an argument is required."""
    kind: str
    """normal, keyword (after `*`), args (`*size`), kwargs."""


class ArgumentTest(NamedTuple):
    """One test of a condition on the arguments of a call, e.g. `output_size missing`."""

    param: str
    predicate: str
    """missing | given | tensor (a tensor is passed) | number (a Python number) | negative (a number below 0) | positive
    (one above 0) | true | false | data (Python or NumPy data, not a tensor) | mask (a bool tensor on the device) | int,
    float, complex (a tensor of such a dtype) | cpu (a tensor in host memory) | scalar (a tensor without dimensions) |
    matrix (a tensor of two dimensions) | batch (of three or more) | device (a device that is not the CPU) | many
    (several elements) | validating (a distribution that was not made with `validate_args=False`) | 'text' (that string)
    | 2 (that number). Of `self` it is the receiver."""


class Wait(NamedTuple):
    """One circumstance in which an operation makes the host wait."""

    tests: tuple[ArgumentTest, ...]
    """All must hold; empty means always."""
    torch: str
    """The releases it was found in, as a version specifier such as `<2.15`; empty means all."""


class Op(NamedTuple):
    """What is known about one public callable or property of torch."""

    name: str
    """Canonical name: `torch.nonzero`, `torch.nn.functional.one_hot`, `Tensor.item`."""
    params: tuple[OpParam, ...]
    """Parameters as called; `self` of a method is left out."""
    returns: str
    """tensor | tensors (a tuple or named tuple of tensors) | list (a list of tensors) | self (the receiver or first
    argument, changed in place) | python (a number, bool or string) | shape (sizes known to the host) | numpy | device |
    dtype | module | none | object (anything else)."""
    device: str
    """Where a returned tensor lives: args (with its tensor arguments) | argument (`device=`, without it the CPU) | like
    (`device=`, without it with the first tensor) | cpu | accelerator | unknown."""
    dtype: str
    """bool, int or float where the result has such a dtype unless a call asks for another, `same` for that of its first
    tensor, `promoted` for what its tensors and numbers are promoted to, `summed` for that of its first tensor, but int
    of truth values; else empty."""
    ndim: str
    """Number of dimensions of the result: a digit, `same` (as the receiver or first argument), `reduce` (0 unless a
    dim is given, then one fewer), `more` (one more than the receiver or first argument), `size` (as many as it is told
    sizes), `broadcast` (as the tensor that has most), or empty when not known."""
    memory: str
    """`same` where the result is a view of its first tensor without gaps: of pinned memory it is copied without a wait.
    `maybe` where it is that tensor, a part of it, or a copy, as of `float`, `narrow`, `reshape`; else empty."""
    waits: tuple[Wait, ...]
    """When it waits, given its tensors are on an accelerator; empty means never."""
    tensor_only: bool
    """For a method or property of Tensor: no other common type has a member of this name, so a use proves one."""
    is_property: bool
    by_name: bool = False
    """For a method: nothing else has one of this name, so a call of it is this operation, whatever it is called of."""
    indexed: bool = False
    """It goes by the name of the file that defines it, and an index knows the rest of it and of what stands beside."""
    event: str = "call"
    """What its wait is, as an event: read-back | shape (about the shape or range of the result) | synchronize | call
    (any other, inside of it)."""
    positions: bool = False
    """It gives values and where these stood: always if it returns `tensors`, else where it is told a dimension."""

    @property
    def makes_of_sizes(self) -> bool:
        """Whether it makes a tensor of the sizes that it is given one by one: `torch.zeros(3, 4)`."""
        return self.ndim == "size" and self.device != "args" and bool(self.params) and self.params[0].kind == "args"


# --- rules ---------------------------------------------------------------------------------------


class EventMatch(NamedTuple):
    """Which events a rule takes: a kind, and optionally operations and forms (`fnmatch` patterns)."""

    kind: str
    ops: tuple[str, ...]
    forms: tuple[str, ...]


class Help(NamedTuple):
    """What to do about some of the operations of a rule (`fnmatch` patterns)."""

    ops: tuple[str, ...]
    help: str


class Rule(NamedTuple):
    """One rule file. See CONTRIBUTING.md, *A rule is one file*."""

    code: str
    name: str
    summary: str
    """One line, for the table of rules."""
    message: str
    """What waits, for a finding; may use {op}, {subject}."""
    help: str
    """One thing to do, for a finding."""
    since: str
    hot_only: bool
    """Report only in hot code: inside a loop, `forward`, a training or decoding step."""
    fix: str
    """none, unsafe or safe: whether a fix exists and whether it keeps behaviour."""
    events: tuple[EventMatch, ...]
    page: str
    """The Markdown page below the front matter."""
    bad: tuple[str, ...]
    """Python sources of the page's Bad blocks."""
    good: tuple[str, ...]
    path: Path
    helps: tuple[Help, ...] = ()

    @property
    def family(self) -> str:
        return self.code[:3]

    def help_for(self, op: str) -> str:
        """The help for an operation: the first of `helps` that speaks of it, else that of the rule."""
        return next((one.help for one in self.helps if any(fnmatchcase(op, p) for p in one.ops)), self.help)


class Catalogue(NamedTuple):
    rules: tuple[Rule, ...]
    """In order of their codes."""
    ops: Mapping[str, Op]
    """By canonical name."""
