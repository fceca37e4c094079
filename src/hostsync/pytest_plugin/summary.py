"""The summary of a run, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hostsync.lint.baseline import Counts
from hostsync.pytest_plugin.gathering import Gathered
from hostsync.pytest_plugin.settings import Settings
from hostsync.report.escape import visible
from hostsync.report.quantities import counted, duration

MOST_NOTES = 10


def summary(
    gathered: Gathered, settings: Settings, recorded: Counts, is_partial: bool, notes: Sequence[str]
) -> Iterator[str]:
    """The lines of the summary; none when no test was to be watched.

    Args:
        gathered: the run.
        settings: the options.
        recorded: the baseline.
        is_partial: whether tests were selected by hand, so that a baseline can't be called stale.
        notes: what else is to be said.
    """
    if gathered.watched:
        yield from _figures(gathered)
        sites = gathered.sites()
        if sites:
            from hostsync.pytest_plugin.rendering import describe_sites

            yield from describe_sites(sites)
        if gathered.blind:
            yield f"Not to be seen here: {visible('; '.join(gathered.blind))}."
    for reason, tests in gathered.inactive.items():
        yield f"{counted(tests, 'test')} not watched: {visible(reason)}"
    if gathered.elsewhere:
        where = "outside of the tests, or in threads that were there before the test"
        yield f"{counted(gathered.elsewhere, 'wait')} {where}: no test is judged by them."
    unused = list(gathered.unused(settings))
    for text in unused[:MOST_NOTES]:
        yield f"allowance that matched nothing: {visible(text)}"
    if len(unused) > MOST_NOTES:
        yield f"and {len(unused) - MOST_NOTES} more allowances that matched nothing"
    stale = 0 if is_partial or settings.update or not gathered.watched else gathered.stale(recorded)
    if stale:
        yield f"baseline: {counted(stale, 'record')} of more than was found; --host-sync-update renews it"
    yield from map(visible, notes)


def _figures(gathered: Gathered) -> Iterator[str]:
    over = len(gathered.over())
    waits = gathered.sum_of("waits")
    blocked = sum(site["blocked_s"] for site in gathered.sites())
    took = f", {duration(blocked)}" if blocked else ""
    others = [
        f"{gathered.sum_of(key):,} {text}"
        for key, text in (
            ("allowed", "allowed"),
            ("explicit", "explicit"),
            ("warmup", "of warm-up"),
            ("baselined", "in the baseline"),
            ("checked", "asserted"),
            ("first_use", "of compilation and set-up"),
            ("shared", "of shared fixtures"),
        )
        if gathered.sum_of(key)
    ]
    besides = f"; besides {', '.join(others)}" if others else ""
    sources = f" (seen by: {', '.join(gathered.sources)})" if gathered.sources else ""
    have = "has" if over == 1 else "have"
    yield (
        f"{counted(waits, 'unexpected host wait')}{took} in {counted(gathered.watched, 'watched test')}, "
        f"of which {over} {have} too many{besides}{sources}"
    )
