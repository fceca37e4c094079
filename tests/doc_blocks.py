"""The pages of the documentation, and the commands in them.

A `console` block shows commands (`$ hostsync …`) and what they print; a row of `...` stands for rows that are left out.
Commands run in a folder that holds a copy of docs/example, those of a page one after the other, as a reader types them.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import hostsync

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(ROOT.glob("docs/**/*.md")),
)
PROJECT = "/home/you/project"
"""How pages call the folder that commands run in."""
LEFT_OUT = "..."

_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block of a page."""

    page: Path
    row: int
    """Of its first line of text."""
    language: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.row}"


class Shown(NamedTuple):
    """A command in a console block."""

    command: str
    output: tuple[str, ...]


def blocks(page: Path, *languages: str) -> list[Block]:
    """The fenced blocks of a page that are in one of `languages`."""
    text = page.read_text(encoding="utf-8")
    found = [
        Block(page, text.count("\n", 0, match.start()) + 2, match["language"], match["text"])
        for match in _FENCE.finditer(text)
    ]
    return [block for block in found if block.language in languages]


def commands(block: Block) -> list[Shown]:
    """The commands of a console block, with what it shows of their output."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return [Shown(command, tuple(output)) for command, output in found]


def run(command: str, folder: Path) -> tuple[int, list[str]]:
    """The exit code of a `hostsync` command, and the lines that it prints: those of standard output first."""
    words = shlex.split(command)
    assert words[0] == "hostsync", f"console blocks show commands of hostsync: {command}"
    given = b""
    if "<" in words:
        at = words.index("<")
        given = (folder / words[at + 1]).read_bytes()
        words = words[:at]
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    environment = {**kept, "PYTHONPATH": str(Path(hostsync.__file__).resolve().parents[1]), "PYTHONIOENCODING": "utf-8"}
    arguments = [sys.executable, "-m", *words]
    done = subprocess.run(arguments, cwd=folder, input=given, capture_output=True, env=environment, timeout=120)
    text = (done.stdout + done.stderr).decode("utf-8").replace("\r\n", "\n")
    return done.returncode, [line.rstrip() for line in text.replace(str(folder), PROJECT).splitlines()]


def copy_example(folder: Path) -> None:
    """Puts a copy of docs/example into `folder`, at the same path."""
    caches = shutil.ignore_patterns("__pycache__", ".hostsync_cache")
    shutil.copytree(ROOT / "docs" / "example", folder / "docs" / "example", ignore=caches)


def play(page: Path, folder: Path) -> Iterator[tuple[Block, list[tuple[Shown, list[str]]]]]:
    """Runs the commands of a page in `folder`, and yields what each prints, block by block."""
    copy_example(folder)
    for block in blocks(page, "console"):
        yield block, [(shown, run(shown.command, folder)[1]) for shown in commands(block)]


def pieces_of(shown: tuple[str, ...]) -> list[list[str]]:
    """What stands before, between and behind the rows that are left out."""
    pieces: list[list[str]] = [[]]
    for line in shown:
        if line == LEFT_OUT:
            pieces.append([])
        else:
            pieces[-1].append(line.rstrip())
    return pieces


def agrees(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Whether `printed` is what a block shows, rows that are left out aside."""
    first, *middle = pieces_of(shown)
    if not middle:
        return first == printed
    last = middle.pop()
    end = len(printed) - len(last)
    if printed[: len(first)] != first or printed[end:] != last:
        return False
    at = len(first)
    for piece in middle:
        places = [place for place in range(at, end - len(piece) + 1) if printed[place : place + len(piece)] == piece]
        if not places:
            return False
        at = places[0] + len(piece)
    return at <= end


def renewed(ran: list[tuple[Shown, list[str]]]) -> str:
    """The text of a block as it has to be, by what its commands printed. Where rows are left out, as many as before are
    shown at the beginning and at the end, and between them those from the same first row on."""
    lines = []
    for shown, printed in ran:
        lines.append(f"$ {shown.command}")
        first, *middle = pieces_of(shown.output)
        if not middle:
            lines += printed
            continue
        last = middle.pop()
        lines += printed[: len(first)]
        for piece in middle:
            if piece and piece[0] in printed:
                at = printed.index(piece[0])
                lines += [LEFT_OUT, *printed[at : at + len(piece)]]
        lines += [LEFT_OUT, *printed[len(printed) - len(last) :]]
    return "\n".join(lines) + "\n"


def renew(page: Path, folder: Path) -> None:
    """Writes the outputs of today into a page."""
    text = page.read_text(encoding="utf-8")
    for block, ran in play(page, folder):
        text = text.replace(block.text, renewed(ran), 1)
    page.write_text(text, encoding="utf-8", newline="\n")
