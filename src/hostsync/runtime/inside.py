"""What waited inside an expression, in words: the functions of libraries and the operations of a site's parts."""

from __future__ import annotations

from collections.abc import Iterable

from hostsync.runtime.records import Part, Place, Site
from hostsync.runtime.tally import merged_parts

NAMED = 2
"""Names that one cell, or one message, holds."""


def parts_of(site: Site) -> tuple[Part, ...]:
    """The parts of a site; one, of its example, where they were not told apart."""
    if site.parts:
        return site.parts
    return (Part(site.example.library, site.operation, site.count, site.seconds, site.longest),)


def functions(site: Site) -> tuple[tuple[str, int], ...]:
    """What waited, and how often, the longest blocked first. Empty names stand for the expression itself."""
    counts: dict[str, int] = {}
    for part in parts_of(site):
        name = _function(part, site)
        counts[name] = counts.get(name, 0) + part.count
    return tuple(counts.items())


def named(counts: Iterable[tuple[str, int]]) -> str:
    """`nested_numpify 246, send_to_device 90 and 2 more`; without the count if it is one; empty for none."""
    counts = tuple(counts)
    if len(counts) == 1 or not any(name for name, _ in counts):
        return counts[0][0] if counts else ""
    return _listed([f"{name or 'itself'} {count:,}" for name, count in counts])


def operations(sites: Iterable[Site]) -> str:
    """The operations in which sites waited, for a message: `cpu`, or `cpu, to and 2 more`. Empty if not known."""
    parts = merged_parts(site._replace(parts=parts_of(site)) for site in sites)
    return _listed(list(dict.fromkeys(filter(None, (short(part.operation) for part in parts)))))


def by_place(site: Site) -> tuple[tuple[Place, tuple[str, ...], int, float], ...]:
    """Where libraries waited, the longest blocked first: the place, its operations, how often, and for how long."""
    found: dict[Place, tuple[list[str], int, float]] = {}
    for part in parts_of(site):
        if part.library is not None:
            names, count, seconds = found.get(part.library, ([], 0, 0.0))
            found[part.library] = ([*names, short(part.operation)], count + part.count, seconds + part.seconds)
    rows = [(place, tuple(dict.fromkeys(filter(None, names))), n, s) for place, (names, n, s) in found.items()]
    return tuple(sorted(rows, key=lambda row: (-row[3], -row[2])))


def short(operation: str) -> str:
    """`item` of `aten::item`."""
    return operation.rpartition("::")[2]


def _function(part: Part, site: Site) -> str:
    # All nodes of a backward pass wait in the function that runs it.
    if site.phase == "backward" and part.operation:
        return short(part.operation)
    return "" if part.library is None else part.library.function


def _listed(names: list[str]) -> str:
    if len(names) <= NAMED:
        return " and ".join(names)
    return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
