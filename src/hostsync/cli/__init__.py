"""The command line. Commands are imported when they are run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def main(args: Sequence[str] | None = None) -> NoReturn:
    """The entry point: runs a command and ends the process with its exit code."""
    given = sys.argv[1:] if args is None else list(args)
    if given[:1] == ["check"]:
        from hostsync.project.collection import collect_seldom

        collect_seldom()
    try:
        from hostsync.cli.entry import run

        sys.exit(run(given))
    except KeyboardInterrupt:
        sys.exit(130)
