"""Exit codes, and errors that end a command."""

from __future__ import annotations

import os
import sys
from typing import IO, Any

import click

OK, FOUND, WRONG, INTERRUPTED = 0, 1, 2, 130


class CommandError(click.ClickException):
    """Something the user has to change: a path, an option, a configuration."""

    exit_code = WRONG

    def show(self, file: IO[Any] | None = None) -> None:
        from hostsync.report.escape import visible

        click.echo(f"hostsync: {visible(self.message)}", file=file, err=file is None)


def quiet_stdout() -> None:
    """Lets what is still buffered for a reader that went away go nowhere, so that the end of the process is silent."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = None
