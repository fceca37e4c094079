"""Where `hostsync run` writes: to a file, or to the standard error that the process began with."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import click

from hostsync.report.escape import visible
from hostsync.report.style import Style, wants_colour
from hostsync.runtime.cause import Causes
from hostsync.runtime.records import Site
from hostsync.runtime.session import Seen

Render = Callable[[Style], Iterable[str]]
"""Gives the lines of a text in a style."""


def text_of(seen: Seen, causes: Causes, top: int) -> Render:
    """The report for reading."""

    def lines(style: Style) -> Iterable[str]:
        from hostsync.runtime.text_report import render

        return render(seen, causes, top, style)

    return lines


def say(lines: Render) -> None:
    """Writes to the standard error that the process began with; what the program made of it is its own."""
    terminal = sys.__stderr__
    colour = terminal is not None and wants_colour(os.environ, terminal.isatty())
    text = "\n".join(lines(Style(colour)))
    with contextlib.suppress(OSError, ValueError):
        click.echo("\n" + text, file=terminal, color=colour)


def in_format(
    name: str,
    sites: Iterable[Site],
    causes: Causes,
    root: Path | None,
    environment: Mapping[str, str],
    notes: Iterable[str],
) -> Iterable[str]:
    """The waits of a run in one of the formats of `hostsync check`.

    Args:
        name: of the format.
        sites: of the run.
        causes: knows the rules.
        root: the folder that paths are relative to.
        environment: of the run, with `device` and `torch`.
        notes: what is to be said of the whole.
    """
    from hostsync.report import render_lines
    from hostsync.runtime.as_findings import report_of

    device, torch = environment.get("device", ""), environment.get("torch", "")
    return render_lines(report_of(sites, causes, root=root, device=device, torch=torch, notes=notes), name)


def write(path: Path, lines: Iterable[str]) -> bool:
    """Writes lines to a file; says so and returns False where that fails."""
    try:
        with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        message = f"hostsync: can't write `{path}`: {error.strerror}"
        with contextlib.suppress(OSError, ValueError):
            click.echo(visible(message), file=sys.__stderr__)
        return False
    return True
