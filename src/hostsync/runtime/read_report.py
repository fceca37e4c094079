"""Reads the JSON report of a run back: sites for joining, and for merging the reports of several ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hostsync.runtime.records import Part, Place, Site, Wait

VERSION = 1
"""Of the format of the report; what only adds keys keeps it. The first reports have none."""


class ReportError(ValueError):
    """This is no report of `hostsync run --output-format json`; the message says why."""


class Report(NamedTuple):
    """A report as it was written."""

    run: Mapping[str, Any]
    """What is said of the run as a whole: `data_report.run_dict`."""
    sites: tuple[Site, ...]


def read_report(document: object) -> Report:
    """Reads a report.

    Args:
        document: what the file holds, parsed.

    Raises:
        ReportError: it is something else.
    """
    if not isinstance(document, Mapping) or not isinstance(document.get("sites"), list):
        raise ReportError("it is not a report of `hostsync run --output-format json`: there is no list of sites")
    check_version(document)
    try:
        sites = tuple(site_of(entry) for entry in document["sites"])
        run = {str(key): value for key, value in document.items() if key != "sites"}
        for key in ("waits", "blocked_s", "wall_s"):
            float(run[key])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReportError(f"it is not a whole report of `hostsync run`: {type(error).__name__}: {error}") from error
    return Report(run, sites)


def check_version(document: Mapping[str, Any]) -> None:
    """Raises ReportError where a newer release has written the report."""
    version = document.get("hostsync_run", VERSION)
    if not isinstance(version, int) or version > VERSION:
        raise ReportError(f"it is a report of version {version!r}, and this release reads up to {VERSION}")


def site_of(entry: Mapping[str, Any]) -> Site:
    """One site, from its form in a report."""
    place = _place(entry)
    library = entry["library"]
    example = Wait(
        kind=str(entry["kind"]),
        call=str(entry["call"]),
        operation=str(entry["operation"] or ""),
        place=place,
        library=None if library is None else _place(library),
        callers=tuple(caller for caller in map(_place, entry["callers"]) if caller is not None),
        stream=next(iter(entry["streams"]), None),
        thread=str(entry["thread"]),
        phase=str(entry["phase"]),
        seconds=float(entry["longest_s"]),
        bytes=None,
        memory=str(entry["memory"] or ""),
        source=str(entry["seen_by"]),
        allowed=entry["allowed"],
    )
    return Site(
        place=place,
        kind=example.kind,
        operation=example.operation,
        count=int(entry["count"]),
        seconds=float(entry["blocked_s"]),
        longest=example.seconds,
        bytes=int(entry["bytes"]),
        memory=example.memory,
        streams=tuple(int(stream) for stream in entry["streams"]),
        phase=example.phase,
        code=entry["code"],
        allowed=example.allowed,
        example=example,
        # Reports of before have no such list.
        parts=tuple(map(_part, entry.get("inside") or ())),
    )


def _part(entry: Mapping[str, Any]) -> Part:
    library = entry["library"]
    return Part(
        library=None if library is None else _place(library),
        operation=str(entry["operation"] or ""),
        count=int(entry["count"]),
        seconds=float(entry["blocked_s"]),
        longest=float(entry["longest_s"]),
    )


def _place(entry: Mapping[str, Any]) -> Place | None:
    if entry["filename"] is None:
        return None
    start, end = entry["location"], entry["end_location"]
    return Place(
        str(entry["filename"]),
        int(start["row"]),
        int(start["column"] or 0),
        int(end["row"]),
        int(end["column"] or 0),
        str(entry["symbol"]),
    )
