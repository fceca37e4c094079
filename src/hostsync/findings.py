"""What hostsync reports: findings and diagnostics, with the key names of the JSON contract (docs, *Output*)."""

from __future__ import annotations

from typing import NamedTuple

CONFIDENCES = ("certain", "likely", "possible")
"""How sure the scan is that the value lives on an accelerator, the surest first."""


class Location(NamedTuple):
    """A 1-based position. `cell` is the 1-based code cell of a notebook; rows then count inside the cell."""

    row: int
    column: int
    cell: int | None = None


class ChainStep(NamedTuple):
    """One line that made the scan believe it: where, and the source text that it speaks of."""

    row: int
    text: str


class Verdict(NamedTuple):
    """What runs on a GPU showed of a finding (`hostsync confirm`)."""

    status: str
    """confirmed: it waited; refuted: it was executed and never waited."""
    waits: int
    """How often the host waited there; one execution may wait several times."""
    waited: int | None
    """Executions that waited; None where they were not counted."""
    executions: int | None
    """How often it was executed; None where that was not counted."""
    seconds: float
    """Time blocked."""
    device: str
    """Names of the GPUs, with commas; empty where it is not known."""
    torch: str
    date: str
    """Of the latest run, as in ISO 8601."""


class Finding(NamedTuple):
    """One expression that makes the host wait."""

    code: str
    name: str
    message: str
    filename: str
    location: Location
    end_location: Location
    confidence: str
    symbol: str
    """Qualified name of the enclosing function, e.g. `Trainer.step`; `<module>` at module level."""
    hot: str | None
    """`loop`, `forward`, `step`, or None outside hot code."""
    chain: tuple[ChainStep, ...]
    help: str
    """One thing to do."""
    versions: str | None
    """The torch releases in which it waits, when not in all that are looked at, e.g. `<2.15`."""
    url: str
    verdict: Verdict | None = None
    """None without verdict files, and where no run has a verdict."""


class Covered(NamedTuple):
    """A finding that is not reported, because somebody accepted it."""

    finding: Finding
    by: str
    """comment or baseline."""
    reason: str
    """Empty where none is given."""


class Diagnostic(NamedTuple):
    """A file that could not be scanned, or was scanned in part: a kind, a place and a sentence."""

    kind: str
    """One of: syntax-error, decode-error, read-error, notebook-error, internal-error."""
    filename: str
    location: Location
    message: str
