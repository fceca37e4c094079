"""What `hostsync check` does, from paths to exit code."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from hostsync.cli.exits import FOUND, OK, WRONG, CommandError, quiet_stdout
from hostsync.cli.invocation import Invocation
from hostsync.cli.progress import ProgressLine
from hostsync.findings import Covered, Diagnostic, Finding
from hostsync.lint.check import check_source, load_catalogue, rules_by_code
from hostsync.lint.checked import Checked, located
from hostsync.lint.decision import Baselined, Decided, Judge, apply_baselines
from hostsync.lint.scan import check_files, unreadable
from hostsync.lint.sources import Sources
from hostsync.lint.studying import plan_of
from hostsync.project.cache import FOLDER, Cache
from hostsync.project.config import ConfigError, Resolver
from hostsync.project.discovery import (
    Discovered,
    SourceFile,
    discover,
    is_excluded,
    module_name,
    require_patterns,
    shown_name,
)
from hostsync.project.index import files_of
from hostsync.project.paths import is_folder, is_missing
from hostsync.project.settings import Overrides, Settings
from hostsync.project.units import Units
from hostsync.report import Report, Totals, format_names, render, summary
from hostsync.report.quantities import counted
from hostsync.report.root import report_root
from hostsync.report.style import Style, wants_colour

if TYPE_CHECKING:
    from hostsync.cli.marking import Marker

STDIN = Path("-")
STDIN_NAME = "<stdin>"
_WITH_SUPPRESSED = "sarif"
"""The format that has a place for what is suppressed."""
_PIECES = 256
"""How many findings are written at once."""


class Scanned(NamedTuple):
    """Everything that was looked at."""

    files: tuple[SourceFile, ...]
    checked: tuple[Checked, ...]
    """Of each file."""
    diagnostics: tuple[Diagnostic, ...]
    """Of folders."""
    given: Mapping[str, bytes]
    """Sources that are not on disk, by file name."""
    below: tuple[Path, ...] = ()
    """The paths that were looked below, absolute."""


def check(invocation: Invocation) -> int:
    """Runs a check and returns the exit code.

    Raises:
        CommandError: a path does not exist, a verdict file can't be read, or an output can't be written.
        ConfigError, BaselineError, CatalogueError: what their names say.
    """
    started = time.monotonic()
    marker = _marker(invocation)
    paths = invocation.paths or (Path(),)
    require_paths(paths)
    _require_patterns(invocation.overrides)
    resolver = Resolver(invocation.overrides, config=invocation.config, isolated=invocation.isolated)
    settings = resolver.settings(Path.cwd())
    if settings.output_format not in format_names():
        known = ", ".join(format_names())
        raise ConfigError(f"{settings.source}: output-format: expected one of {known}, not `{settings.output_format}`")
    if invocation.statistics:
        from hostsync.report.statistics import FORMATS

        if settings.output_format not in FORMATS:
            known = ", ".join(FORMATS)
            raise CommandError(f"--statistics needs one of the formats {known}, not `{settings.output_format}`")
    if invocation.show_suppressed and settings.output_format != _WITH_SUPPRESSED:
        raise CommandError(f"--show-suppressed needs the format {_WITH_SUPPRESSED}, not `{settings.output_format}`")
    if invocation.show_settings:
        return _show_settings(paths[0], resolver)
    if settings.ops:
        # Understood once here: a file of operations that is wrong is the user's to mend, not a failure in every source.
        load_catalogue(settings.extend_rules, settings.ops)
    # Also where there is nothing to scan.
    files_of(settings.index)
    if invocation.why is not None:
        from hostsync.cli.why import explain

        return explain(invocation.why, resolver, invocation.exit_zero)
    if STDIN in paths:
        if len(paths) > 1:
            raise CommandError("`-` (standard input) can't be scanned together with other paths")
        if invocation.add_allow is not None:
            raise CommandError("--add-allow needs files to write to, not standard input")
        scanned = _scan_stdin(invocation, resolver)
    else:
        found = discover(paths, resolver.settings)
        if invocation.show_files:
            return _write("".join(f"{file.filename}\n" for file in found.files), None)
        scanned = scanned_files(found, settings, invocation)
    return _conclude(scanned, settings, invocation, marker, started)


def _marker(invocation: Invocation) -> Marker | None:
    if not invocation.verdicts:
        return None
    from hostsync.cli.marking import Marker

    return Marker(invocation.verdicts)


def require_paths(paths: Iterable[Path]) -> None:
    missing = [path for path in paths if path != STDIN and is_missing(path)]
    if missing:
        names = ", ".join(f"`{path}`" for path in missing)
        raise CommandError(f"no such file or folder: {names}")


def _require_patterns(overrides: Overrides) -> None:
    for name, patterns in (("--exclude", overrides.exclude), ("--extend-exclude", overrides.extend_exclude)):
        try:
            require_patterns(patterns or ())
        except ValueError as error:
            raise CommandError(f"{name}: {error}") from error


def scanned_files(found: Discovered, settings: Settings, invocation: Invocation) -> Scanned:
    cache = None
    if not invocation.no_cache:
        cache = Cache(settings.cache_dir or settings.root / FOLDER)
    shows = not invocation.quiet and sys.stderr is not None and sys.stderr.isatty()
    with ProgressLine(sys.stderr if shows else None) as line:
        checked = check_files(
            found.files,
            workers=settings.jobs,
            cache=cache,
            cache_root=settings.root,
            progress=line.update,
            units=Units(found.settings_for, found.given),
        )
    return Scanned(found.files, tuple(checked), unreadable(found.unreadable), {}, found.given)


def _scan_stdin(invocation: Invocation, resolver: Resolver) -> Scanned:
    name = invocation.stdin_filename or STDIN_NAME
    cwd = Path.cwd()
    path = Path(os.path.normpath(cwd / name)) if invocation.stdin_filename else cwd / "-"
    settings = resolver.settings(path.parent)
    source = _read_stdin()
    if invocation.stdin_filename and settings.force_exclude and is_excluded(path, settings):
        return Scanned((), (), (), {})
    module = module_name(path) if invocation.stdin_filename else "__main__"
    filename = shown_name(path, cwd) if invocation.stdin_filename else STDIN_NAME
    file = SourceFile(path, filename, module, len(source), settings)
    if not invocation.stdin_filename:
        checked = check_source(source, module, plan_of(file))
    else:
        (checked,) = check_files(
            (file,),
            workers=settings.jobs,
            cache=None if invocation.no_cache else Cache(settings.cache_dir or settings.root / FOLDER),
            cache_root=settings.root,
            units=Units(resolver.settings, ()),
            given={path: source},
        )
    return Scanned((file,), (checked,), (), {filename: source})


def _read_stdin() -> bytes:
    if sys.stdin is None:
        raise CommandError("standard input is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise CommandError(f"standard input can't be read: {error.strerror or error}") from error


def _conclude(
    scanned: Scanned, settings: Settings, invocation: Invocation, marker: Marker | None, started: float
) -> int:
    """Decides what is shown, shows it, and writes what is to be written."""
    judges: dict[Settings, Judge] = {}
    decided: list[Decided] = []
    found: dict[str, Checked] = {}
    for kind in {file.settings for file in scanned.files} | {settings}:
        judges[kind] = Judge(kind, rules_by_code(kind.extend_rules))
    for file, checked in zip(scanned.files, scanned.checked, strict=True):
        if marker is not None:
            checked = marker.mark(checked, file.path)
        found[file.filename] = checked
        decided.append(judges[file.settings].decide(checked, file.path, file.filename))
    if invocation.update_baseline and all(kind.baseline is None for kind in judges):
        raise CommandError("--update-baseline needs --baseline FILE, or `baseline` in the configuration")
    codes = {kind: judge.enabled for kind, judge in judges.items()}
    baselined = apply_baselines(decided, codes, scanned.below, invocation.update_baseline)
    diagnostics = (*scanned.diagnostics, *(entry for d in decided for entry in d.diagnostics))
    colour = invocation.output_file is None and wants_colour(os.environ, sys.stdout.isatty())
    sources = Sources({file.filename: file.path for file in scanned.files}, scanned.given)

    def every(filename: str) -> tuple[Finding, ...]:
        return tuple(located(finding, filename, found[filename].cells) for finding in found[filename].findings)

    report = Report(
        baselined.findings,
        diagnostics,
        sources.lines,
        Style(colour),
        judges[settings].rules,
        report_root(os.environ, Path.cwd()),
        every,
        tuple(_covered(decided, baselined)) if invocation.show_suppressed else (),
    )
    totals = Totals(len(scanned.files), sum(len(entry.suppressed) for entry in decided), baselined.hidden)
    is_left = False
    if invocation.add_allow is not None:
        from hostsync.cli.allowing import add_allows

        paths = {file.filename: file.path for file in scanned.files}
        left = add_allows(report.findings, paths, invocation.add_allow)
        report = report._replace(findings=left.in_notebooks)
        is_left = left.of_comments > 0
    is_clean = not (report.findings or diagnostics)
    _write(_rendered(report, settings.output_format, invocation), invocation.output_file)
    if not invocation.quiet:
        for path, stale in baselined.stale:
            place = f"{stale.key.file}: {stale.key.scope}: {stale.key.code}"
            click.echo(f"{path.name}: {place}: records {stale.recorded}, found {stale.found}", err=True)
        if baselined.stale:
            click.echo("The baseline is out of date; --update-baseline takes what was mended out of it.", err=True)
        for note in _unknown_releases(judges):
            click.echo(note, err=True)
        if marker is not None and marker.note:
            click.echo(marker.note, err=True)
        if invocation.add_allow is None or not is_clean:
            click.echo(summary(report, totals), err=True)
    if invocation.verbose:
        _say_how(scanned, settings, time.monotonic() - started)
    if any(diagnostic.kind == "internal-error" for diagnostic in diagnostics):
        return WRONG
    return OK if (is_clean and not is_left) or invocation.exit_zero else FOUND


def _unknown_releases(kinds: Iterable[Settings]) -> Iterator[str]:
    """What is said of releases of torch of which nothing is known."""
    releases = {kind.torch_version for kind in kinds} - {None}
    if not releases:
        return
    from hostsync.infer.versions import FIRST, LAST, parse_release

    for first, release in sorted((parse_release(release).first, release) for release in releases if release):
        if not FIRST <= first <= LAST:
            known = f"{FIRST[0]}.{FIRST[1]} to {LAST[0]}.{LAST[1]}"
            yield f"What waits is known of torch {known}; what is said of {release} may be wrong."


def _covered(decided: Sequence[Decided], baselined: Baselined) -> Iterator[Covered]:
    """What comments cover, then what baselines cover."""
    left = set(baselined.findings)
    for entry in decided:
        yield from entry.suppressed
    for entry in decided:
        yield from (Covered(finding, "baseline", "") for finding in entry.findings if finding not in left)


def _rendered(report: Report, name: str, invocation: Invocation) -> Iterable[str]:
    if invocation.statistics:
        from hostsync.report.statistics import render_statistics

        return render_statistics(report, name)
    return render(report, name)


def _write(pieces: Iterable[str], path: Path | None) -> int:
    """Writes a report, to standard output without a path. A reader that goes away early is no error."""
    if path is None:
        try:
            # Where output isn't buffered, as in many containers, each piece would be a call of the system.
            waiting = iter(pieces)
            while block := list(islice(waiting, _PIECES)):
                sys.stdout.write("".join(block))
            sys.stdout.flush()
        except BrokenPipeError:
            quiet_stdout()
        return OK
    text = io.StringIO()
    text.writelines(pieces)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.getvalue(), encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise CommandError(f"{path}: can't be written: {error.strerror or error}") from error
    return OK


def _show_settings(path: Path, resolver: Resolver) -> int:
    import json

    place = Path.cwd() if path == STDIN else Path(os.path.normpath(Path.cwd() / path))
    settings = resolver.settings(place if is_folder(place) else place.parent)
    lines = [f"# settings for {path}", f"# from {settings.source or 'no configuration file'}"]
    values = settings._asdict()
    for name in ("root", "source", "usual_confidence", "usually_hot_only"):
        del values[name]
    for name, value in values.items():
        key = name.replace("_", "-")
        if name == "per_file_ignores":
            inner = ", ".join(f"{json.dumps(entry.pattern)} = {json.dumps(entry.selectors)}" for entry in value)
            lines.append(f"{key} = {{{f' {inner} ' if inner else ''}}}")
        elif value is None:
            lines.append(f"# {key} is not set")
        else:
            lines.append(f"{key} = {json.dumps(value, default=str)}")
    judge = Judge(settings, rules_by_code(settings.extend_rules))
    lines.append(f"# rules that are on: {', '.join(sorted(judge.enabled))}")
    return _write("\n".join(lines) + "\n", None)


def _say_how(scanned: Scanned, settings: Settings, seconds: float) -> None:
    size = sum(file.size for file in scanned.files)
    click.echo(f"{counted(len(scanned.files), 'file')}, {counted(size, 'byte')} in {seconds:.2f} s", err=True)
    for source in sorted({str(file.settings.source or "no configuration file") for file in scanned.files}):
        click.echo(f"settings: {source}", err=True)
