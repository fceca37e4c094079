"""The command line. Commands are imported when they are run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import NoReturn

SELDOM = (5_000_000, 20, 100)


def main(args: Sequence[str] | None = None) -> NoReturn:
    """The entry point: runs a command and ends the process with its exit code."""
    given = sys.argv[1:] if args is None else list(args)
    if given[:1] == ["check"]:
        # Nearly all that a check makes lives until it is shown or goes at once: to look for garbage finds none.
        gc.set_threshold(*SELDOM)
    try:
        from hostsync.cli.entry import run

        sys.exit(run(given))
    except KeyboardInterrupt:
        sys.exit(130)
