"""What `hostsync calibrate` does."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from hostsync.calibrate.children import ChildError
from hostsync.calibrate.compare import SILENT, Comparison, Known, compare, load_exceptions
from hostsync.calibrate.derive import all_held_out
from hostsync.calibrate.journal import JournalError, Measurement, read_measurement
from hostsync.calibrate.survey import survey
from hostsync.catalogue.ops import load_ops
from hostsync.cli.exits import FOUND, OK, CommandError
from hostsync.cli.progress import ProgressLine
from hostsync.cli.verifying import require_gpu, write
from hostsync.lint.scan import Progress
from hostsync.report.escape import visible

JOURNAL = "measured.jsonl"
SHOWN = 200
"""Disagreements that are printed."""


def calibrate(
    output: Path | None, comparing: bool, resume: bool, only: str, jobs: int | None, measured: Path | None
) -> int:
    """Measures, writes operations, compares; returns the exit code.

    Args:
        output: file or folder for the operations.
        comparing: hold the shipped operations to the measurement.
        resume: go on with an earlier measurement.
        only: regular expression for what to measure.
        jobs: number of processes; None chooses.
        measured: a measurement to take instead.

    Raises:
        CommandError: there is no GPU, a file can't be read or written, or children can't start.
    """
    if measured is None:
        require_gpu()
        measurement = _measured(output, resume, only, jobs)
    else:
        if output is not None and not _has_torch():
            raise CommandError("--output needs torch, whose signatures go into the files; it is not installed here")
        try:
            measurement = read_measurement(measured)
        except JournalError as error:
            raise CommandError(str(error)) from error
    if not measurement.ops:
        raise CommandError("nothing was measured" + _first_error(measurement))
    exceptions = load_exceptions()
    for text in summary(measurement):
        click.echo(visible(text))
    if output is not None:
        for text in _write(measurement, output, exceptions):
            click.echo(visible(text))
    if not comparing:
        return OK
    found = compare(load_ops(), measurement.ops, measurement.about["torch"], exceptions)
    for text in differences(found, partial=bool(only)):
        click.echo(visible(text))
    return FOUND if found.disagreements else OK


def _has_torch() -> bool:
    try:
        return importlib.util.find_spec("torch") is not None
    except (ImportError, ValueError):
        return False


def journal_of(output: Path) -> Path:
    """Where the measurement for an output is kept."""
    return output.with_suffix(".jsonl") if output.suffix == ".toml" else output / JOURNAL


def _measured(output: Path | None, resume: bool, only: str, jobs: int | None) -> Measurement:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / JOURNAL if output is None else journal_of(output)
        if path.exists() and not resume:
            try:
                unfinished = read_measurement(path).seconds is None
            except JournalError as error:
                raise CommandError(f"{error}; delete it to begin anew") from error
            if unfinished:
                raise CommandError(
                    f"{path}: holds a measurement that was cut off: --resume goes on with it, or delete it"
                )
        with ProgressLine(sys.stderr if sys.stderr.isatty() else None, "items") as line:
            try:
                return survey(
                    path,
                    only=only,
                    resume=resume,
                    jobs=jobs,
                    progress=lambda done, total: line.update(Progress(done, total)),
                )
            except (ChildError, JournalError) as error:
                raise CommandError(str(error)) from error
            except OSError as error:
                raise CommandError(f"{path}: can't be written: {error.strerror or error}") from error
            except KeyboardInterrupt:
                if output is not None and path.exists():
                    click.echo("hostsync: what was measured is kept; --resume goes on with it", err=True)
                raise


def _first_error(measurement: Measurement) -> str:
    return next((f": {name}: {text}" for name, text in measurement.errors.items()), "")


def summary(measurement: Measurement) -> Iterator[str]:
    """How much was measured, and how well conditions that are found on some samples foretell the others."""
    about, ops = measurement.about, measurement.ops
    samples = sum(row[0] for rows in ops.values() for row in rows.values())
    waiting = sum(any(row[1] for row in rows.values()) for rows in ops.values())
    seconds = "" if measurement.seconds is None else f", {measurement.seconds:.0f} s"
    release = about.get("torch", "?").partition("+")[0]
    yield (
        f"{len(ops):,} operations, {samples:,} samples; {waiting:,} operations wait on some sample "
        f"({about.get('device', '?')}, torch {release}, {about.get('date', '?')}{seconds})"
    )
    if measurement.errors or measurement.skipped:
        yield (
            f"{len(measurement.errors):,} calls failed or broke a process; "
            f"{measurement.skipped:,} variants of calls were not legal"
        )
    total = all_held_out(load_ops(), ops)
    if total.samples:
        yield f"held out: {total}"


def _write(measurement: Measurement, output: Path, exceptions: tuple[Known, ...]) -> Iterator[str]:
    from hostsync.calibrate.write import calibrated

    one_file = output.name if output.suffix == ".toml" else ""
    found = calibrated(measurement, load_ops(), exceptions, one_file)
    folder = output.parent if one_file else output
    for name, text in found.texts.items():
        write(folder / name, text)
    yield f"{output}: {found.operations:,} operations; `hostsync check --ops {output}` uses them"
    if found.changed:
        yield f"other than shipped: {', '.join(found.changed)}"
    if found.undecided:
        yield f"no condition found, taken as always: {', '.join(found.undecided)}"


def differences(found: Comparison, *, partial: bool) -> Iterator[str]:
    """What a comparison showed, line by line."""
    for one in found.disagreements[:SHOWN]:
        known = "known to wait" if one.seen == SILENT else "known not to wait"
        what = "does not" if one.seen == SILENT else "waits"
        yield f"{one.op}({one.kinds}): {known}, {what} on {one.samples} of {one.of} samples"
    if len(found.disagreements) > SHOWN:
        yield f"… and {len(found.disagreements) - SHOWN:,} more"
    wrong = {one.op for one in found.disagreements}
    samples = sum(one.samples for one in found.disagreements)
    excepted = sum(one.samples for one, _ in found.excepted)
    yield (
        f"{found.operations - len(wrong):,} of {found.operations:,} operations agree on every sample; "
        f"{found.samples - samples - excepted:,} of {found.samples:,} samples agree, {excepted:,} are exceptions"
    )
    for reason in dict.fromkeys(known for _, known in found.excepted):
        count = sum(one.samples for one, known in found.excepted if known is reason)
        yield f"exception ({count}): {' '.join(reason.ops)}: {reason.seen}: {reason.because}"
    if not partial:
        for reason in found.unused:
            yield f"exception without use: {' '.join(reason.ops)}: {reason.seen}: {reason.because}"
        yield f"not in rules/ops: {len(found.unknown)} measured; not measured: {found.unmeasured:,} of rules/ops"
