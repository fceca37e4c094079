"""A run that was watched with its lines counted → evidence."""

from __future__ import annotations

from collections.abc import Iterable

from hostsync.confirm.files import ScannedFiles
from hostsync.confirm.records import MEMORY_KINDS, Evidence, RunInfo, Through, Total, WaitSite
from hostsync.runtime.coverage import Coverage
from hostsync.runtime.executions import Executed, Executions, Span
from hostsync.runtime.inside import functions
from hostsync.runtime.records import Place, Site
from hostsync.runtime.source import lines_of, text_at, without_body
from hostsync.runtime.witness import Witness


def observed(
    sites: Iterable[Site], witness: Witness, coverage: Coverage, files: ScannedFiles, run: RunInfo, warmup: int = 0
) -> Evidence:
    """What a run showed.

    Args:
        sites: its waits.
        witness: was shown the waits.
        coverage: counted the lines of the scanned files.
        files: the scanned files.
        run: what is said of the run.
        warmup: the first executions that did not count.
    """
    inside: list[WaitSite] = []
    elsewhere = Total()
    for site in sites:
        name = None if site.place is None else files.name_of(site.place.filename)
        if site.place is not None and name is not None:
            inside.append(_wait_site(site, site.place, name, witness))
        elif site.allowed is None and (site.kind not in MEMORY_KINDS or site.code is not None):
            elsewhere = elsewhere.plus(site.count, site.seconds)
    through = tuple(
        Through(name, span_of_place(place), passed.waits, passed.waited, passed.seconds)
        for place, passed in witness.passed().items()
        if (name := files.name_of(place.filename)) is not None
    )
    counts = _Counts(coverage, files, warmup) if run.counted else None

    def executions(filename: str, span: Span) -> Executed | None:
        return None if counts is None else counts.of(filename, span)

    return Evidence(tuple(inside), through, elsewhere, executions, (run,))


def _wait_site(site: Site, place: Place, name: str, witness: Witness) -> WaitSite:
    library = site.example.library
    return WaitSite(
        filename=name,
        span=span_of_place(place),
        symbol=place.function,
        text=text_at(place),
        kind=site.kind,
        call=site.example.call,
        operation=site.operation,
        code=site.code,
        allowed=site.allowed,
        waits=site.count,
        waited=witness.waited(place, site.kind),
        seconds=site.seconds,
        library="" if library is None else library.function,
        inside=functions(site),
    )


def span_of_place(place: Place) -> Span:
    """The span of a place, without the body of a statement that has one."""
    return Span(*without_body(place)[1:5])


class _Counts:
    """The executions of expressions, file by file."""

    def __init__(self, coverage: Coverage, files: ScannedFiles, warmup: int) -> None:
        self._codes = coverage.codes()
        self._files = files
        self._warmup = warmup
        self._made: dict[str, Executions] = {}

    def of(self, filename: str, span: Span) -> Executed:
        made = self._made.get(filename)
        if made is None:
            names = [name for name in self._files.seen_as(filename) if name in self._codes]
            codes = [code for name in names for code in self._codes[name]]
            made = self._made[filename] = Executions(codes, lines_of(names[0]) if names else [])
        executed = made.of(span)
        return executed._replace(times=max(0, executed.times - self._warmup))
