"""What is to be run, from the words of a command line, and what to type instead of what can't be."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

from hostsync.cli.exits import CommandError
from hostsync.runtime.launch import Program

LAUNCHERS = {
    "torchrun": "torchrun",
    "torch.distributed.run": "python -m torch.distributed.run",
    "torch.distributed.launch": "python -m torch.distributed.launch",
    "accelerate": "accelerate launch",
    "accelerate.commands.launch": "python -m accelerate.commands.launch",
    "accelerate.commands.accelerate_cli": "accelerate launch",
}
"""Commands and modules that start programs in processes of their own, and how they are typed."""
CODE = "code on the command line can't be watched, as its lines have no place: write it to a file"
_PYTHON = re.compile(r"python[\d.]*(\.exe)?")


def program_of(words: Sequence[str]) -> Program:
    """The program that words name: a script, `-m MODULE`, or `pytest`; `python` before it is allowed.

    Raises CommandError if there is none.
    """
    left = list(words)
    # A file of that name in the current folder is a script; one that is found in another is the interpreter.
    if _PYTHON.fullmatch(Path(left[0]).name) and not _is_here(left[0]) and len(left) > 1:
        del left[0]
    first, rest = left[0], tuple(left[1:])
    if first == "pytest" and not Path(first).exists():
        return Program(first, rest, is_module=True)
    if first == "-m":
        if not rest:
            raise CommandError("-m needs the name of a module")
        return Program(rest[0], rest[1:], is_module=True)
    if first.startswith("-m") and not first.startswith("--"):
        return Program(first[2:], rest, is_module=True)
    if first == "-c":
        raise CommandError(CODE)
    if first == "-":
        raise CommandError(CODE.replace("code on the command line", "code from standard input"))
    if first.startswith("-"):
        raise CommandError(f"what is run is a script, `-m MODULE` or `pytest`, not `{first}`")
    return Program(first, rest)


def _is_here(name: str) -> bool:
    return Path(name).is_file() and len(Path(name).parts) == 1


def require_program(program: Program, command: str) -> None:
    """What can be told of a program before anything is imported for it.

    Args:
        program: what is to be run.
        command: of hostsync, for what to type instead.

    Raises:
        CommandError: there is no such program, or it is one that starts others.
    """
    name = program.name if program.is_module else Path(program.name).name
    started = LAUNCHERS.get(name)
    if started is not None and (program.is_module or not _is_here(program.name)):
        raise CommandError(
            f"`{program.name}` starts processes of its own, which can't be watched from here: let it start hostsync, "
            f"`{started} OPTIONS -m hostsync {command}`"
        )
    if program.is_module:
        top = program.name.partition(".")[0]
        if PathFinder.find_spec(top, [str(Path.cwd()), *sys.path]) is None and _found(top) is None:
            raise CommandError(f"no module named `{program.name}`")
    elif not Path(program.name).exists():
        where = shutil.which(program.name)
        hint = f"; the command is `{where}`" if where else ""
        raise CommandError(f"no such script: `{program.name}`{hint}")


def _found(top: str) -> object:
    try:
        return find_spec(top)
    except (ImportError, ValueError, AttributeError):
        return None
