"""`hostsync check --add-allow`: writes allow comments into the files that have findings."""

from __future__ import annotations

import io
import os
import shutil
import tokenize
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from hostsync.cli.exits import OK, CommandError
from hostsync.findings import Finding
from hostsync.lint.suppression import UNREASONED, UNUSED


def add_allows(findings: Iterable[Finding], paths: Mapping[str, Path], reason: str) -> int:
    """Writes a comment for each of `findings`, and says what was written.

    Args:
        findings: what was found.
        paths: the file of each file name in `findings`.
        reason: what the comments say.

    Raises:
        CommandError: the reason is empty or more than one line, or a file can't be written.
    """
    from hostsync.fix.allow import add_allows as with_allows

    if not reason.strip() or not reason.isprintable():
        raise CommandError("--add-allow needs a reason, on one line")
    rows: dict[str, dict[int, set[str]]] = {}
    notebooks: set[str] = set()
    for finding in findings:
        if finding.location.cell is not None:
            notebooks.add(finding.filename)
        elif finding.code not in (UNUSED, UNREASONED):
            rows.setdefault(finding.filename, {}).setdefault(finding.location.row, set()).add(finding.code)
    for filename, codes in sorted(rows.items()):
        path = paths[filename].resolve()
        data = path.read_bytes()
        encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        text = with_allows(data.decode(encoding), {row: tuple(sorted(c)) for row, c in codes.items()}, reason.strip())
        _replace(path, text.encode(encoding))
    for filename in sorted(notebooks):
        click.echo(f"{filename}: a notebook; comments have to be added by hand", err=True)
    click.echo(f"Allowed what was found in {len(rows)} {'file' if len(rows) == 1 else 'files'}.", err=True)
    return OK


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        shutil.copymode(path, temporary)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise CommandError(f"{path}: can't be written: {error.strerror or error}") from error
