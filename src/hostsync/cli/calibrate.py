"""`hostsync calibrate`: its options. What it does is in `calibrating`, which is imported when it runs."""

from __future__ import annotations

import re
from pathlib import Path

import click


def _pattern(ctx: click.Context, param: click.Parameter, value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise click.BadParameter(f"{value!r} is no regular expression: {error}.", ctx, param) from None
    return value


@click.command("calibrate", short_help="Measure which operations of your torch wait on your GPU; needs torch and CUDA.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Write the operations here, for `check --ops PATH`: a file if it ends in .toml, else a folder.",
)
@click.option(
    "--compare",
    is_flag=True,
    help="Hold the shipped operations to what is measured: print every sample that does not do what is known of it.",
)
@click.option("--resume", is_flag=True, help="Go on with the measurement beside --output.")
@click.option(
    "--only",
    default="",
    metavar="PATTERN",
    callback=_pattern,
    help="Measure only what this regular expression matches.",
)
@click.option(
    "--jobs", "-j", type=click.IntRange(min=1), help="Number of processes that share the GPU.  [default: by cores]"
)
@click.option(
    "--from",
    "measured",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Take this measurement instead of measuring; needs no GPU.",
)
def calibrate_command(
    output: Path | None, compare: bool, resume: bool, only: str, jobs: int | None, measured: Path | None
) -> int:
    """Measure which operations of torch make the host wait, on your torch and GPU, and under which conditions.

    PyTorch's own samples run as functions, methods and in-place methods, with several dtypes, with tensors in place of
    numbers, and with tensors on the CPU among those on the GPU. The GPU is kept busy before each call; if it is done
    when the call returns, the call has waited. Child processes do the work, so that an assertion on the device ends
    one call only. Everything is kept as it comes, in `measured.jsonl` in the folder of --output, or beside its file.

    \b
        hostsync calibrate --output measured
        hostsync check --ops measured src

    Exit code: 0 done, 1 --compare found a sample that does not do what is known, 2 it can't be measured.
    """
    if output is None and not compare:
        raise click.UsageError("Nothing to do: give --output PATH, --compare, or both.")
    if resume and output is None:
        raise click.UsageError("--resume needs --output, where the measurement is.")
    if measured is not None and (resume or only or jobs is not None):
        raise click.UsageError("--from measures nothing, so --resume, --only and --jobs mean nothing.")
    from hostsync.cli.calibrating import calibrate

    return calibrate(output, compare, resume, only, jobs, measured)
