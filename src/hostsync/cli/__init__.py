"""The command line. Commands are imported when they are run."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn


def main(args: Sequence[str] | None = None) -> NoReturn:
    """The entry point: runs a command and ends the process with its exit code."""
    given = sys.argv[1:] if args is None else list(args)
    ends_at_once = given[:1] == ["check"] and args is None and not _is_watched()
    if given[:1] == ["check"]:
        from hostsync.project.collection import collect_seldom, keep_to_the_end

        collect_seldom()
        if ends_at_once:
            keep_to_the_end()
    try:
        from hostsync.cli.entry import run

        code = run(given)
    except KeyboardInterrupt:
        code = 130
    if ends_at_once:
        _end(code)
    sys.exit(code)


def _is_watched() -> bool:
    """Whether a profiler, a debugger or a measurement of coverage wants to see the end of this process."""
    tools = getattr(sys, "monitoring", None)
    return (
        sys.getprofile() is not None
        or sys.gettrace() is not None
        or (tools is not None and any(tools.get_tool(number) for number in range(6)))
    )


def _end(code: int) -> NoReturn:
    """Ends the process without freeing what it holds, which nobody needs any more."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            if stream is not None:
                stream.flush()
    os._exit(code)
