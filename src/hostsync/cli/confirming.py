"""What `hostsync confirm` does, from paths and a program to the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import click

from hostsync.catalogue.blocks import read_marks
from hostsync.catalogue.model import Rule
from hostsync.cli.checking import Scanned, require_paths, scanned_files
from hostsync.cli.exits import FOUND, OK, WRONG, CommandError, quiet_stdout
from hostsync.cli.invocation import Invocation
from hostsync.cli.marking import keyed_of
from hostsync.cli.programs import program_of
from hostsync.cli.run_output import say, write
from hostsync.cli.running import output_file, prepared, supervised
from hostsync.confirm import verdicts
from hostsync.confirm.files import ScannedFiles
from hostsync.confirm.from_run import from_runs
from hostsync.confirm.join import join, span_of
from hostsync.confirm.observed import observed
from hostsync.confirm.records import CONFIRMED, REFUTED, Evidence, Joined, RunInfo
from hostsync.findings import Finding
from hostsync.lint.check import NOTEBOOK_SUFFIX, rules_by_code
from hostsync.lint.checked import located
from hostsync.lint.decision import Judge
from hostsync.project.config import Resolver
from hostsync.project.discovery import discover
from hostsync.project.settings import Settings
from hostsync.report.escape import visible
from hostsync.report.keys import Key
from hostsync.report.place import diagnostic_line
from hostsync.report.root import report_root
from hostsync.report.style import Style, wants_colour
from hostsync.runtime import places
from hostsync.runtime.cause import Causes
from hostsync.runtime.coverage import Coverage
from hostsync.runtime.launch import Ended
from hostsync.runtime.records import Place
from hostsync.runtime.session import Seen, Session
from hostsync.runtime.source import text_at
from hostsync.runtime.witness import Witness

_DEFAULTS: Mapping[str, Any] = {
    "baseline": None,
    "output_file": None,
    "show_suppressed": False,
    "statistics": False,
    "exit_zero": False,
    "add_allow": None,
    "update_baseline": False,
    "stdin_filename": None,
    "show_settings": False,
    "show_files": False,
    "quiet": False,
    "verbose": False,
}
"""Options of `hostsync check` that a confirmation has no use for."""


class Request(NamedTuple):
    """The command line."""

    scan: Invocation
    program: tuple[str, ...]
    """Empty with `from_run`."""
    from_run: tuple[Path, ...]
    warmup: int
    verdicts: Path | None
    merge: bool
    fail_on: tuple[str, ...]
    top: int
    output_format: str
    output: Path | None
    root: Path | None = None
    """The folder that paths in formats of CI are relative to."""

    @classmethod
    def from_options(cls, program: tuple[str, ...], options: Mapping[str, Any]) -> Request:
        """The request that click's `options` spell. Raises click.UsageError."""
        scan = Invocation.from_options({**_DEFAULTS, **options, "output_format": None, "verdicts": ()})
        plain = {name: options[name] for name in cls._fields if name in options}
        return cls(**{**plain, "scan": scan, "program": program, "fail_on": options["fail_on"] or ()})


class Found(NamedTuple):
    """What the scan says."""

    findings: tuple[Finding, ...]
    """Of every confidence; those that comments allow are left out."""
    shown: frozenset[Finding]
    """Those that `hostsync check` shows."""
    keys: Mapping[Finding, Key]
    paths: Mapping[str, Path]
    """Of the names that findings have of files."""
    rules: Mapping[str, Rule]


def confirm(request: Request) -> int:
    """Scans, runs or reads reports, joins and reports. Returns the exit code.

    Raises:
        CommandError: a path does not exist, the program can't be started, or no wait can be seen here.
        ConfigError, CatalogueError, VerdictsError, ReportError: what their names say.
    """
    output, verdict_file = output_file(request.output), output_file(request.verdicts)
    # The program may change its folder, so these are settled before.
    request = request._replace(output=output, verdicts=verdict_file, root=report_root(os.environ, Path.cwd()))
    before = verdicts.NONE
    if verdict_file is not None and request.merge and verdict_file.exists():
        before = verdicts.read(verdict_file)
    # Before the scan, which takes longer.
    program = program_of(request.program) if request.program else None
    main = None if program is None else prepared(program, "confirm PATH -- SCRIPT")
    found = _found(request.scan)
    files = ScannedFiles({path: name for name, path in found.paths.items() if path.suffix != NOTEBOOK_SUFFIX})
    if program is None or main is None:
        joined = _joined(found, from_runs(request.from_run, files))
        written = _report(joined, found, request, before)
        return _exit_code(joined, request) if written else WRONG
    causes = Causes(found.rules.values())
    watching = _Watching(files, request.warmup)

    def finish(ended: Ended) -> int:
        seen = watching.session.seen(program, main.file, ended, causes.code_of)
        joined = _joined(found, watching.evidence(seen, request.warmup))
        written = _report(joined, found, request, before)
        code = ended.code
        if code:
            return code
        if not written or (seen.used_cuda and not seen.sources):
            return WRONG
        return _exit_code(joined, request)

    return supervised(main, program, watching, finish)


class _Watching:
    """A session, the counts of lines, and the scanned files as the user's own: from before the program to its end."""

    def __init__(self, files: ScannedFiles, warmup: int) -> None:
        self._files = files
        self._coverage = Coverage(files.has)
        self._witness = Witness(self._coverage, files.has, warmup)
        self._counted = False
        self.session = Session(keep=self._witness.keep)

    def start(self) -> None:
        places.claim(self._files.has)
        self._counted = self._coverage.start()
        self.session.start()

    def stop(self) -> None:
        self.session.stop()
        self._coverage.stop()
        places.claim(None)

    def evidence(self, seen: Seen, warmup: int) -> Evidence:
        """What the run showed."""
        spots = [*seen.blind_spots, *filter(None, [self._coverage.trouble])]
        if self._witness.skipped:
            spots.append(f"Waits of the warm-up, not counted: {self._witness.skipped:,}.")
        if not seen.used_cuda:
            spots.append("The program never used CUDA, so there was nothing to wait for.")
        elif not seen.sources:
            spots.append("Nothing was watched.")
        run = RunInfo(
            program=(*(["-m"] if seen.program.is_module else []), seen.program.name, *seen.program.args),
            exit_code=seen.ended.code,
            device=seen.environment.get("device", ""),
            torch=seen.environment.get("torch", ""),
            date=datetime.now(timezone.utc).date().isoformat(),
            blind_spots=tuple(spots),
            # Without a source, or without CUDA, that something did not wait refutes nothing.
            counted=self._counted and bool(seen.sources) and seen.used_cuda,
        )
        return observed(seen.sites, self._witness, self._coverage, self._files, run, warmup)


# --- the scan ------------------------------------------------------------------------------------


def _found(scan: Invocation) -> Found:
    paths = scan.paths or (Path(),)
    require_paths(paths)
    if Path("-") in paths:
        raise CommandError("`-` (standard input) can't be confirmed: a program runs files")
    resolver = Resolver(scan.overrides, config=scan.config, isolated=scan.isolated)
    settings = resolver.settings(Path.cwd())
    scanned = scanned_files(discover(paths, resolver.settings), settings, scan)
    rules: dict[str, Rule] = dict(rules_by_code(settings.extend_rules))
    for kind in {file.settings for file in scanned.files}:
        rules.update(rules_by_code(kind.extend_rules))
    return _decided(scanned, rules)


def _decided(scanned: Scanned, rules: Mapping[str, Rule]) -> Found:
    judges: dict[Settings, tuple[Judge, Judge]] = {}
    findings: list[Finding] = []
    shown: set[Finding] = set()
    keys: dict[Finding, Key] = {}
    for diagnostic in scanned.diagnostics:
        click.echo(diagnostic_line(diagnostic), err=True)
    for file, checked in zip(scanned.files, scanned.checked, strict=True):
        settings = file.settings
        if settings not in judges:
            known = rules_by_code(settings.extend_rules)
            every = settings._replace(min_confidence="possible", hot_only=False)
            judges[settings] = (Judge(settings, known), Judge(every, known))
        ours, all_of_them = judges[settings]
        decided = ours.decide(checked, file.path, file.filename)
        for diagnostic in decided.diagnostics:
            click.echo(diagnostic_line(diagnostic), err=True)
        shown.update(decided.findings)
        kept = all_of_them.decide(checked, file.path, file.filename).findings
        findings += kept
        if kept:
            keys.update((located(one, file.filename, ()), key) for one, key in keyed_of(checked.findings, file.path))
    return Found(tuple(findings), frozenset(shown), keys, {file.filename: file.path for file in scanned.files}, rules)


def _joined(found: Found, evidence: Evidence) -> Joined:
    judged = {code: names_the_wait(rule) for code, rule in found.rules.items()}
    branching = {c for c, rule in found.rules.items() if any(e.kind == "control-flow" for e in rule.events)}
    return join(
        found.findings,
        evidence,
        is_shown=found.shown.__contains__,
        is_judged=lambda finding: judged.get(finding.code, True),
        is_condition=lambda finding: finding.code in branching,
    )


def names_the_wait(rule: Rule) -> bool:
    """Whether a rule is reported at what waits: some name the cause of a wait elsewhere, or speak of comments."""
    marks = [read_marks(block) for block in rule.bad]
    if any(code in ("", rule.code) for mark in marks for code in mark.waits.values()):
        return True
    return bool(rule.events) and not any(mark.causes for mark in marks)


# --- what is written -----------------------------------------------------------------------------


def _exit_code(joined: Joined, request: Request) -> int:
    statuses = {one.status for one in joined.judged if one.is_shown}
    there = {
        "missed": bool(joined.missed),
        "refuted": REFUTED in statuses,
        "confirmed": CONFIRMED in statuses,
    }
    return FOUND if any(there[name] for name in request.fail_on) else OK


def _report(joined: Joined, found: Found, request: Request, before: verdicts.Verdicts) -> bool:
    """Writes the report and the verdict file; returns whether that worked."""
    written = True
    if request.output is not None:
        written = write(request.output, _lines(joined, found, request, Style()))
    elif request.program:
        say(lambda style: _lines(joined, found, request, style))
    else:
        _print(_lines(joined, found, request, Style(wants_colour(os.environ, sys.stdout.isatty()))))
    if request.verdicts is not None:
        written &= _keep(joined, found, request.verdicts, before)
    return written


def _lines(joined: Joined, found: Found, request: Request, style: Style) -> Iterable[str]:
    if request.output_format == "json":
        from hostsync.confirm.data_report import render_json

        return render_json(joined, found.rules, found.paths)
    if request.output_format != "text":
        from hostsync.confirm.as_findings import report_of
        from hostsync.report import render_lines

        report = report_of(joined, found.findings, found.rules, found.paths, request.root)
        return render_lines(report._replace(style=style), request.output_format)
    from hostsync.confirm.text_report import render

    texts = {index: text_at(_place(one.finding, found)) for index, one in enumerate(joined.judged) if one.is_shown}
    return render(joined, texts, request.top, style)


def _place(finding: Finding, found: Found) -> Place:
    return Place(str(found.paths[finding.filename]), *span_of(finding), finding.symbol)


def _print(lines: Iterable[str]) -> None:
    try:
        for line in lines:
            click.echo(line)
        sys.stdout.flush()
    except BrokenPipeError:
        quiet_stdout()


def _keep(joined: Joined, found: Found, path: Path, before: verdicts.Verdicts) -> bool:
    """Writes the verdict file; says so and returns False where that fails."""
    judged = (
        (verdicts.file_key(found.paths[one.finding.filename], path), found.keys[one.finding], one)
        for one in joined.judged
        if one.finding in found.keys
    )
    try:
        verdicts.write(path, verdicts.merged(before, verdicts.of(judged, joined.runs)))
    except verdicts.VerdictsError as error:
        click.echo(visible(f"hostsync: {error}"), err=True)
        return False
    return True
