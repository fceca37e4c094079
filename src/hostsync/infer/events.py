"""What inference reports: every place where the host may wait, before any rule has named it."""

from __future__ import annotations

from typing import Final, NamedTuple

from hostsync.facts import Place

KINDS: Final = {
    "read-back": "a device value becomes a Python value or a host array",
    "control-flow": "a device value decides which line runs next",
    "shape": "the shape of a result depends on data, so the host must ask the device for it",
    "copy": "a copy between host and device memory that the host waits for",
    "index": "a tensor is read or written at an index, or with a value, that has to cross between host and device",
    "synchronize": "an explicit wait for a device, a stream or an event",
    "call": "a library or project function that waits inside",
}
"""The kinds of event, with what each one means. A rule's front matter names one of these."""


class Reason(NamedTuple):
    """One step of the chain: the expression at `span` made us believe `text` (empty: its own source says it)."""

    span: Place
    text: str


class Event(NamedTuple):
    """One expression that waits, if what the chain says is true."""

    kind: str
    op: str
    """What was done, as a rule names it: a canonical operation (`Tensor.item`, `torch.nonzero`), a Python protocol
    (`builtins.float`, `builtins.print`, `operator.contains`) or a statement (`if`, `while`, `assert`, `ternary`, `and`,
    `or`, `not`, `comprehension-if`, `compare-chain`)."""
    form: str
    """What sets apart the uses of one operation that wait for different reasons, e.g. `pageable`, `list-index`,
    `mask-store`; empty where there is only one. See docs/reference/events.md."""
    span: Place
    subject: str
    """Source text of the value concerned, for the message; may be empty."""
    confidence: str
    symbol: str
    hot: str | None
    chain: tuple[Reason, ...]
    versions: str | None
    """The torch releases in which it waits, when the knowledge restricts it, e.g. `<2.15`."""
