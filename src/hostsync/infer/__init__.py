"""From the facts of a module to its host waits: abstract interpretation over values and devices. Pure: no I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.infer.events import Event
from hostsync.infer.versions import TorchRange

if TYPE_CHECKING:
    from hostsync.infer.linking.interface import Interface
    from hostsync.infer.linking.links import Links
    from hostsync.infer.linking.plain import Plain
    from hostsync.infer.module import Followed

__all__ = ["ALL_RELEASES", "Study", "TorchRange", "Wanted", "analyse", "study", "study_again"]


ALL_RELEASES = TorchRange()


def analyse(module: facts.Module, ops: Mapping[str, Op], torch: TorchRange = ALL_RELEASES) -> tuple[Event, ...]:
    """Every place of a module where the host may wait, in source order.

    `ops` is the catalogue's knowledge of torch; `torch` the releases that are asked about.
    """
    from hostsync.infer.module import follow_module

    return follow_module(module, ops, torch).events


class Wanted(NamedTuple):
    """What other modules want to know of one."""

    key: str
    """The name under which they know it."""
    names: tuple[str, ...]
    """The names that they import; `*` stands for all."""
    row_named: Callable[[int], str] = str
    """Gives a row of the module the name under which they are told of it."""


class Study(NamedTuple):
    events: tuple[Event, ...]
    interface: Interface | None
    """None unless it was wanted."""
    told: Plain
    """What the module tells of others, and may be told by them: the fields of `telling.Told`. None unless wanted."""
    followed: Followed
    """For `study_again`."""


def study(
    module: facts.Module,
    ops: Mapping[str, Op],
    torch: TorchRange,
    links: Links | None = None,
    wanted: Wanted | None = None,
) -> Study:
    """As `analyse`, for a module of a project.

    Args:
        module, ops, torch: as there.
        links: what it knows of other modules; None for nothing.
        wanted: what others want to know of it; None for nothing.
    """
    from hostsync.infer.linking.interface import interface_of
    from hostsync.infer.linking.telling import handed_functions, told_of
    from hostsync.infer.linking.waiting import waits_by_function
    from hostsync.infer.module import follow_module

    followed = follow_module(module, ops, torch, links, asked=() if wanted is None else wanted.names)
    if wanted is None:
        return Study(followed.events, None, None, followed)
    names = None if "*" in wanted.names else wanted.names
    handed = handed_functions(followed.context)
    interface = None
    if names != () or handed:
        waits = waits_by_function(followed.context, (*followed.recorded, *followed.before))
        interface = interface_of(followed.context, wanted.key, names, waits, handed)
    return Study(followed.events, interface, list(told_of(followed.context, wanted)), followed)


def study_again(followed: Followed, handed: Sequence[Plain], wanted: Wanted) -> Study:
    """As `study`, of a module that callers in other modules tell something of; without its interface.

    Args:
        followed: of an earlier study, which can't be used a second time.
        handed: what they hand in since, as `telling.from_outside` reads it, one after the other; at least one.
        wanted: as there.
    """
    from hostsync.infer.linking.telling import from_outside, told_of
    from hostsync.infer.module import follow_again

    told: Plain = None
    for news in handed:
        followed = follow_again(followed, from_outside(news, wanted.key, followed.context))
        # After each, as one study may stop here and another go on.
        told = list(told_of(followed.context, wanted))
    return Study(followed.events, None, told, followed)
