"""What `hostsync verify-rules` does."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path

import click

from hostsync.calibrate.children import ChildError
from hostsync.calibrate.verify import Verified, blocks_to_run, gathered, verify_blocks
from hostsync.catalogue.evidence import (
    Evidence,
    Measured,
    evidence_file,
    evidence_text,
    load_evidence,
    merge_evidence,
)
from hostsync.catalogue.model import Rule
from hostsync.cli.exits import FOUND, OK, CommandError
from hostsync.cli.explain import find
from hostsync.cli.progress import ProgressLine
from hostsync.cli.rules import rules_in_force
from hostsync.lint.scan import Progress
from hostsync.report.escape import visible


def verify(wanted: Sequence[str], folders: Sequence[Path], output: Path | None, update: bool, jobs: int) -> int:
    """Runs the blocks of rules, prints what contradicts their pages, and writes evidence.

    Args:
        wanted: which rules; all if there are none.
        folders: further folders of rules.
        output: where to write the evidence of this run.
        update: add it to the evidence beside the rules.
        jobs: number of processes.

    Raises:
        CommandError: there is no such rule or no GPU, or the evidence can't be written.
    """
    in_force = rules_in_force(tuple(Path.cwd() / folder for folder in folders))
    blocks = blocks_to_run(chosen(wanted, in_force))
    if not blocks:
        raise CommandError("none of these rules is about a wait, so there is nothing to run")
    require_gpu()
    where = Measured("not known", "not known", date.today().isoformat())
    count = 0
    with ProgressLine(sys.stderr if sys.stderr.isatty() else None, "blocks") as line:

        def done(verified: Verified) -> None:
            nonlocal count
            count += 1
            line.update(Progress(count, len(blocks)))

        try:
            verified = verify_blocks(blocks, where, jobs=jobs, done=done)
        except ChildError as error:
            raise CommandError(str(error)) from error
    by_code = {rule.code: rule for rule in in_force}
    if output is not None:
        write(output, evidence_text(gathered(verified), by_code))
    if update:
        update_evidence(verified, by_code)
    for text in lines(verified, by_code):
        click.echo(visible(text))
    return FOUND if any(one.problems for one in verified) else OK


def require_gpu() -> None:
    """Raises CommandError unless torch is here and sees a GPU."""
    from hostsync.runtime.prerequisites import NothingToWatchError, require_cuda

    try:
        require_cuda()
    except NothingToWatchError as error:
        raise CommandError(str(error)) from error


def chosen(wanted: Sequence[str], rules: tuple[Rule, ...]) -> list[Rule]:
    """The rules that codes, beginnings of codes and names stand for. Raises CommandError where one stands for none."""
    codes: set[str] = set()
    for text in wanted:
        matching = {rule.code for rule in rules if text and rule.code.startswith(text.upper())}
        codes |= matching or {find(text, rules).code}
    return [rule for rule in rules if not wanted or rule.code in codes]


def lines(verified: Sequence[Verified], rules: Mapping[str, Rule]) -> list[str]:
    """What is printed: each contradiction, and a summary."""
    found = []
    for one in verified:
        rule = rules[one.block.code]
        where = f"{rule.code} {rule.name}: {one.block.name.capitalize().replace(' ', ' block ')}"
        found += [f"{where} ({one.verdict}): {problem}" for problem in one.problems]
    wrong = sum(bool(one.problems) for one in verified)
    codes = {one.block.code for one in verified}
    places = "; ".join(sorted({str(one.evidence.on) for one in verified}))
    counted = f"{len(verified)} block{'s' * (len(verified) != 1)} of {len(codes)} rule{'s' * (len(codes) != 1)}"
    outcome = f"{wrong} not as the page says" if wrong else "all as their pages say"
    return [*found, f"{counted}: {outcome} ({places})"]


def update_evidence(verified: Iterable[Verified], rules: Mapping[str, Rule]) -> None:
    """Lays what was found over the evidence beside the rules, folder by folder."""
    by_folder: dict[Path, list[Verified]] = {}
    for one in verified:
        by_folder.setdefault(rules[one.block.code].path.parent, []).append(one)
    for folder, found in by_folder.items():
        path = evidence_file(folder)
        old = load_evidence(path) if path.is_file() else Evidence({})
        here = {code: blocks for code, blocks in old.rules.items() if code in rules}
        write(path, evidence_text(merge_evidence(Evidence(here), gathered(found)), rules))


def write(path: Path, text: str) -> None:
    """Writes a file and the folders above it. Raises CommandError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise CommandError(f"{path}: can't be written: {error.strerror or error}") from error
