"""What `hostsync run` does, from the program to its exit code."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

import click

from hostsync.cli.exits import FOUND, WRONG, CommandError
from hostsync.cli.programs import program_of, require_program
from hostsync.cli.rules import rules_in_force
from hostsync.cli.run_output import in_format, say, text_of, write
from hostsync.report.escape import visible
from hostsync.report.root import report_root
from hostsync.report.style import Style
from hostsync.runtime import places
from hostsync.runtime.cause import Causes
from hostsync.runtime.launch import ABOVE, Ended, LaunchError, Main, Program, execute, find, on_termination
from hostsync.runtime.prerequisites import NothingToWatchError, require_cuda
from hostsync.runtime.ranks import Meeting, meeting
from hostsync.runtime.session import Seen, Session, Steps


class Request(NamedTuple):
    """The command line."""

    program: tuple[str, ...]
    """What follows the options: the script, unless `module` is given, and its arguments."""
    module: str | None
    warmup: int
    steps: tuple[int, int | None] | None
    start_after: re.Pattern[str] | None
    top: int
    output_format: str
    output: Path | None
    trace: Path | None
    fail_over: int | None
    root: Path | None = None
    """The folder that paths in formats of CI are relative to."""


def run(request: Request) -> int:
    """Runs a program and reports. Returns the exit code of the process.

    Raises:
        CommandError: the program can't be started, the report could not be written, or no wait can be seen here.
    """
    output, trace = output_file(request.output), output_file(request.trace)
    # The program may change its folder, so these are settled before.
    request = request._replace(output=output, trace=trace, root=report_root(os.environ, Path.cwd()))
    causes = Causes(rules_in_force())
    if request.module is None:
        program = program_of(request.program)
    else:
        program = Program(request.module, request.program, is_module=True)
    main = prepared(program, "run SCRIPT")
    session = Session(
        warmup=request.warmup,
        steps=None if request.steps is None else Steps(*request.steps),
        start_after=request.start_after,
    )

    def finish(ended: Ended) -> int:
        seen = session.seen(program, main.file, ended, causes.code_of)
        written = _report(seen, causes, request, ranks)
        return _exit_code(seen, request, written)

    ranks = meeting(os.environ)
    if ranks is not None:
        ranks.arrive()
    return supervised(main, program, session, finish)


def prepared(program: Program, command: str) -> Main:
    """A program that can be run, where waits can be seen.

    Args:
        program: what is to be run.
        command: of hostsync, for what to type instead of it.

    Raises:
        CommandError: the program can't be started, or no wait can be seen here.
    """
    require_program(program, command)
    try:
        require_cuda()
        return find(program)
    except (LaunchError, NothingToWatchError) as error:
        raise CommandError(str(error)) from error


class Watching(Protocol):
    """What begins before a program and ends after it."""

    def start(self) -> None: ...

    def stop(self) -> None: ...


def supervised(main: Main, program: Program, watching: Watching, finish: Callable[[Ended], int]) -> int:
    """Runs a program while something watches it.

    Args:
        main: the program, from `prepared`.
        program: the same, as it was asked for.
        watching: is started before it, and stopped after it.
        finish: reports, once, however the program ends; told how. Its result is the exit code.

    Returns:
        The exit code.
    """
    owner = os.getpid()
    folder = Path.cwd()
    reported = False

    def conclude(ended: Ended) -> int:
        """Reports, once, and returns the exit code."""
        nonlocal reported
        own_code = ended.code or 0
        # A child that the program forked comes here too; it has nothing to report.
        if reported or os.getpid() != owner:
            return own_code
        reported = True
        try:
            _stand_in(folder)
            watching.stop()
            with contextlib.suppress(Exception):
                sys.stdout.flush()
            return finish(ended)
        except Exception as error:
            _failed(error)
            return own_code or WRONG

    # Also for what the program itself watches.
    places.end_at(ABOVE)
    watching.start()
    with on_termination(lambda name: conclude(Ended(None, name))):
        return conclude(execute(main, program.args))


def _stand_in(folder: Path) -> None:
    """Goes back to `folder` where the program has removed the one that it went to: names are told from somewhere."""
    try:
        Path.cwd()
    except OSError:
        with contextlib.suppress(OSError):
            os.chdir(folder)


def _failed(error: Exception) -> None:
    """Says that the report could not be made. What the program did, and its exit code, stand."""
    if os.environ.get("HOSTSYNC_TRACEBACK"):
        import traceback

        traceback.print_exception(error, file=sys.__stderr__)
    text = visible(f"{type(error).__name__}: {error}")
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"hostsync: the report failed, a defect of hostsync: {text}", file=sys.__stderr__)


def _exit_code(seen: Seen, request: Request, written: bool) -> int:
    """The program's own, unless it ended well and something is to be said."""
    code = seen.ended.code
    if code:
        return code
    if not written or (seen.used_cuda and not seen.sources):
        return WRONG
    return FOUND if request.fail_over is not None and seen.totals.waits > request.fail_over else 0


def output_file(path: Path | None) -> Path | None:
    """The file to write: absolute, because the program may change its folder, and one for each rank of torchrun.

    Raises CommandError if its folder does not exist: better now than when the program is done.
    """
    if path is None:
        return None
    if not path.parent.is_dir():
        raise CommandError(f"no such folder: `{path.parent}`")
    rank = os.environ.get("RANK", "")
    if rank.isdigit():
        path = path.with_name(f"{path.stem}.rank{rank}{path.suffix}")
    return path.absolute()


def _report(seen: Seen, causes: Causes, request: Request, ranks: Meeting | None) -> bool:
    """Writes what is to be written; returns whether that worked."""
    written = True
    if request.output is not None:
        written &= write(request.output, _lines(seen, causes, request))
    if request.trace is not None:
        from hostsync.runtime.data_report import render_trace

        written &= write(request.trace, render_trace(seen, causes))
    if ranks is not None:
        from hostsync.cli.merging import merged_report

        written &= merged_report(ranks, seen, causes, request.output, request.output_format, request.top, request.root)
    elif request.output is None:
        say(text_of(seen, causes, request.top))
    return written


def _lines(seen: Seen, causes: Causes, request: Request) -> Iterable[str]:
    from hostsync.runtime.data_report import render_json, render_jsonl

    if request.output_format == "json":
        return render_json(seen, causes)
    if request.output_format == "jsonl":
        return render_jsonl(seen, causes)
    if request.output_format == "text":
        return text_of(seen, causes, request.top)(Style())
    from hostsync.runtime.text_report import headline

    notes = (headline(seen), *seen.blind_spots)
    return in_format(request.output_format, seen.sites, causes, request.root, seen.environment, notes)
