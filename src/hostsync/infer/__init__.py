"""From the facts of a module to its host waits: abstract interpretation over values and devices. Pure: no I/O."""

from __future__ import annotations

from collections.abc import Mapping

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.infer.events import Event
from hostsync.infer.versions import TorchRange

__all__ = ["ALL_RELEASES", "TorchRange", "analyse"]


ALL_RELEASES = TorchRange()


def analyse(module: facts.Module, ops: Mapping[str, Op], torch: TorchRange = ALL_RELEASES) -> tuple[Event, ...]:
    """Every place of a module where the host may wait, in source order.

    `ops` is the catalogue's knowledge of torch; `torch` the releases that are asked about.
    """
    from hostsync.infer.module import follow_module

    return follow_module(module, ops, torch)
