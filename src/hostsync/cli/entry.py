"""The group of commands, and what becomes of everything that they raise."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any, TextIO

import click

from hostsync import __version__
from hostsync.cli.exits import INTERRUPTED, OK, WRONG, quiet_stdout

ISSUES = "the project's issue tracker"

_OF_WRITING = frozenset(
    getattr(errno, name) for name in ("EBADF", "EDQUOT", "EFBIG", "EIO", "ENOSPC") if hasattr(errno, name)
)
"""What is said of a stream that takes no more. Where a file is at fault, an error has its name."""

COMMANDS = {
    "check": "hostsync.cli.check:check_command",
    "index": "hostsync.cli.index:index_command",
    "run": "hostsync.cli.run:run_command",
    "confirm": "hostsync.cli.confirm:confirm_command",
    "probe": "hostsync.cli.probe:probe_command",
    "verify-rules": "hostsync.cli.verify_rules:verify_rules_command",
    "calibrate": "hostsync.cli.calibrate:calibrate_command",
    "explain": "hostsync.cli.explain:explain_command",
    "rules": "hostsync.cli.rules:rules_command",
}


class LazyGroup(click.Group):
    """Imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """As click does it, but a reader that goes away early is no error, for which click exits with 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            quiet_stdout()
            return OK


class ClosedOutput(io.TextIOBase):
    """Stands for a standard output that was closed before the start: an error only for what writes to it."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "standard output is closed")


@click.command(
    "hostsync",
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="hostsync", message="%(prog)s %(version)s")
def group() -> None:
    """Find the lines of PyTorch code that make the CPU wait for the GPU."""


def run(args: list[str]) -> int:
    """Runs the command line `args` and returns the exit code: 0 clean, 1 findings, 2 wrong usage or failure, 130
    interrupted."""
    # The standard output of `run` and `confirm` is the program's, and as strict as Python makes it.
    is_own = args[:1] not in (["run"], ["confirm"])
    if is_own and sys.stdout is None:
        sys.stdout = ClosedOutput()
    _make_output_safe([sys.stdout, sys.stderr] if is_own else [sys.stderr])
    try:
        code: Any = group.main(args, prog_name="hostsync", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return WRONG
    except (click.Abort, KeyboardInterrupt):
        click.echo("hostsync: interrupted", err=True)
        return INTERRUPTED
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else OK if error.code is None else WRONG
    except BrokenPipeError:
        quiet_stdout()
        return OK
    except OSError as error:
        return _not_written(error) if error.filename is None and error.errno in _OF_WRITING else _failed(error, args)
    except Exception as error:
        return _failed(error, args)
    return code if isinstance(code, int) else OK


def _make_output_safe(streams: list[TextIO]) -> None:
    """A character that the encoding of the output lacks is shown as an escape instead of ending the run."""
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _not_written(error: OSError) -> int:
    """Standard output or standard error can't take what is written; the latter may not take this sentence either."""
    quiet_stdout()
    with suppress(OSError):
        click.echo(f"hostsync: the output can't be written: {error.strerror or error}", err=True)
    return WRONG


def _failed(error: Exception, args: list[str]) -> int:
    from hostsync.catalogue.errors import CatalogueError
    from hostsync.report.escape import visible

    if isinstance(error, CatalogueError):
        click.echo(f"hostsync: {visible(str(error))}", err=True)
        return WRONG
    text = visible(f"{type(error).__name__}: {error}")
    click.echo(f"hostsync: internal error: {text}", err=True)
    if {"--verbose", "-v"}.intersection(args) or os.environ.get("HOSTSYNC_TRACEBACK"):
        import traceback

        click.echo("".join(traceback.format_exception(error)), err=True)
    else:
        click.echo(f"This is a defect of hostsync: please report it to {ISSUES}; --verbose shows more.", err=True)
    return WRONG
