"""`hostsync index`: its options. What it does is in `indexing`, which is imported when it runs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("index", short_help="Find out what `check` should know of installed packages; imports nothing of them.")
@click.argument("packages", nargs=-1, required=True, metavar="PACKAGE...")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    default=Path("hostsync-index"),
    metavar="PATH",
    help="Write here: a file if it ends in .jsonl, else a folder.  [default: hostsync-index]",
)
@click.option(
    "--jobs", "-j", type=click.IntRange(min=0), default=0, help="Number of processes.  [default: one per core]"
)
@click.option("--quiet", "-q", is_flag=True, help="Write nothing but errors.")
def index_command(packages: tuple[str, ...], output: Path, jobs: int, quiet: bool) -> int:
    """Scan installed packages, and write down what their functions and classes give and when they wait, for
    `check --index PATH`.

    PACKAGE is a name as in an import (`torchmetrics`, or `acme.metrics` for a part of one), which is looked up where
    hostsync is installed, or the folder or file of a package. Nothing of it is imported or run.

    \b
    Exit code: 0 written, 2 wrong usage, no such package, or a failure of the tool itself.
    """
    from hostsync.cli.indexing import index

    return index(packages, output, jobs, quiet)
