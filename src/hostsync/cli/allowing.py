"""`hostsync check --add-allow`: writes allow comments into the files that have findings."""

from __future__ import annotations

import io
import os
import shutil
import tokenize
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import click

from hostsync.cli.exits import CommandError
from hostsync.findings import Finding
from hostsync.lint.suppression import UNREASONED, UNUSED


class Left(NamedTuple):
    """What no comment was written for."""

    in_notebooks: tuple[Finding, ...]
    of_comments: int
    """How many findings speak of allow comments themselves. Their rows may have moved."""


def add_allows(findings: Iterable[Finding], paths: Mapping[str, Path], reason: str) -> Left:
    """Writes a comment for each of `findings` that can have one, and says what was written.

    Args:
        findings: what was found.
        paths: the file of each file name in `findings`.
        reason: what the comments say.

    Returns:
        What is left.

    Raises:
        CommandError: the reason is empty or more than one line, or a file can't be written. The others are, all the
            same.
    """
    from hostsync.fix.allow import add_allows as with_allows

    if not reason.strip() or not reason.isprintable():
        raise CommandError("--add-allow needs a reason, on one line")
    rows: dict[str, dict[int, set[str]]] = {}
    in_notebooks: list[Finding] = []
    of_comments = 0
    for finding in findings:
        if finding.location.cell is not None:
            in_notebooks.append(finding)
        elif finding.code in (UNUSED, UNREASONED):
            of_comments += 1
        else:
            rows.setdefault(finding.filename, {}).setdefault(finding.location.row, set()).add(finding.code)
    failed: list[CommandError] = []
    for filename, codes in sorted(rows.items()):
        path = paths[filename].resolve()
        data = path.read_bytes()
        encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        text = with_allows(data.decode(encoding), {row: tuple(sorted(c)) for row, c in codes.items()}, reason.strip())
        try:
            _replace(path, _encoded(text, encoding, filename))
        except CommandError as error:
            failed.append(error)
    for filename in sorted({finding.filename for finding in in_notebooks}):
        click.echo(f"{filename}: a notebook; comments have to be added by hand", err=True)
    written = len(rows) - len(failed)
    click.echo(f"Allowed what was found in {written} {'file' if written == 1 else 'files'}.", err=True)
    if of_comments:
        about = "1 finding" if of_comments == 1 else f"{of_comments} findings"
        click.echo(f"{about} about allow comments themselves ({UNUSED}, {UNREASONED}) can't be allowed so.", err=True)
    if failed:
        *others, last = failed
        for other in others:
            other.show()
        raise last
    return Left(tuple(in_notebooks), of_comments)


def _encoded(text: str, encoding: str, filename: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        # The rest of the text was decoded from it.
        character = error.object[error.start]
        message = f"`{character}` of the reason is not in {encoding}, the encoding of the file; give one without it"
        raise CommandError(f"{filename}: {message}") from error


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        shutil.copymode(path, temporary)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise CommandError(f"{path}: can't be written: {error.strerror or error}") from error
