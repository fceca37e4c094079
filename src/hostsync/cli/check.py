"""`hostsync check`: its options. What it does is in `checking`, which is imported when it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from hostsync.cli.exits import CommandError
from hostsync.cli.formats import FormatChoice

_REPLACING = frozenset(("select", "per_file_ignores", "exclude"))
"""What these say stands in place of the configuration, so that nothing is no answer."""


def _split(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Options that may be given several times, each with several values and commas between."""
    parts = tuple(part.strip() for text in value for part in text.split(",") if part.strip())
    if value and not parts and param.name in _REPLACING:
        raise click.BadParameter("there is nothing in it.", ctx, param)
    return parts


class GivenPath(click.Path):
    """A PATH to scan. One that can't be read is reported among the findings."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, readable=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("a path is empty; the current folder is `.`", param, ctx)
        return super().convert(value, param, ctx)


_OF_FINDINGS = ("output_file", "show_suppressed", "statistics", "add_allow", "update_baseline")
"""Options that say what becomes of findings. `--why` writes none."""
_FOR_READING = ("full", "concise")


def _require_fitting(options: Mapping[str, Any]) -> None:
    """Raises click.UsageError for options of which one makes the other mean nothing."""
    if options["config"] is not None and options["isolated"]:
        raise click.UsageError("--config and --isolated exclude each other.")
    if options["quiet"] and options["verbose"]:
        raise click.UsageError("--quiet and --verbose exclude each other.")
    if options["stdin_filename"] is not None and Path("-") not in options["paths"]:
        raise click.UsageError("--stdin-filename names what PATH `-` reads, which is not given.")
    if options["why"] is None:
        return
    if options["paths"]:
        raise click.UsageError("--why FILE:ROW names the file itself; PATH can't be given with it.")
    given = [name for name in _OF_FINDINGS if options[name]]
    if options["output_format"] not in (None, *_FOR_READING):
        given.insert(0, "output_format")
    if given:
        raise click.UsageError(f"--why writes text of its own; --{given[0].replace('_', '-')} can't be given with it.")


Options = TypeVar("Options", bound=Callable[..., Any])


def _listed(name: str, metavar: str, about: str) -> Callable[[Options], Options]:
    return click.option(name, multiple=True, callback=_split, metavar=metavar, help=about)


@click.command("check", short_help="Scan Python files and notebooks; needs neither torch nor a GPU.")
@click.argument("paths", nargs=-1, type=GivenPath(), metavar="[PATH]...")
@_listed("--select", "RULES", "Report only these rules: codes, their prefixes, names, or ALL; with commas.")
@_listed("--ignore", "RULES", "Do not report these rules.")
@_listed("--extend-select", "RULES", "Report these rules as well.")
@_listed("--per-file-ignores", "PATTERN:RULE", "Do not report a rule in files that match a pattern.")
@click.option(
    "--min-confidence",
    type=click.Choice(("certain", "likely", "possible")),
    help="How sure it must be that a value lives on an accelerator.  [default: likely]",
)
@click.option(
    "--hot-only", is_flag=True, default=None, help="Report only in loops, `forward` and training or decoding steps."
)
@click.option(
    "--torch-version",
    metavar="RELEASE",
    help="Report what waits in this release, such as 2.11.  [default: any from 2.4 to 2.15]",
)
@click.option(
    "--extend-rules",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder with rule files of your own.",
)
@click.option(
    "--ops",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="A file or folder of operations that `hostsync calibrate` measured; they lie over the shipped ones.",
)
@click.option(
    "--index",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A file or folder of `hostsync index`: what is known of installed packages.",
)
@click.option("--output-format", type=FormatChoice(), help="How findings are written.  [default: full]")
@click.option(
    "--output-file", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write findings to this file."
)
@click.option(
    "--show-suppressed", is_flag=True, help="With sarif, write what comments and baselines cover too, as suppressed."
)
@click.option("--statistics", is_flag=True, help="Show how often each rule is found instead of the findings.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option(
    "--add-allow", metavar="REASON", help="Write an allow comment with this reason at everything that is found."
)
@click.option(
    "--baseline", type=click.Path(dir_okay=False, path_type=Path), help="Do not report what this file knows of."
)
@click.option("--update-baseline", is_flag=True, help="Write what is found now to the baseline.")
@click.option(
    "--verdicts",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Raise what this file of `hostsync confirm` confirms, demote what it refutes.",
)
@_listed("--exclude", "PATTERNS", "Leave out these files and folders, in place of the usual ones.")
@_listed("--extend-exclude", "PATTERNS", "Leave out these files and folders as well.")
@click.option(
    "--force-exclude/--no-force-exclude",
    default=None,
    help="Leave out excluded files even where they are given as PATH.",
)
@click.option(
    "--respect-gitignore/--no-respect-gitignore",
    default=None,
    help="Leave out what .gitignore files name.  [default: on]",
)
@click.option("--stdin-filename", metavar="NAME", help="The name of what is read from standard input (PATH `-`).")
@click.option(
    "--config", type=click.Path(dir_okay=False, path_type=Path), help="The configuration, instead of the nearest."
)
@click.option("--isolated", is_flag=True, help="Ignore all configuration files.")
@click.option("--jobs", "-j", type=click.IntRange(min=0), help="Number of processes.  [default: one per core]")
@click.option("--no-cache", "-n", is_flag=True, help="Neither read nor write the cache.")
@click.option("--cache-dir", type=click.Path(file_okay=False, path_type=Path), help="Where the cache is.")
@click.option("--show-settings", is_flag=True, help="Show the settings for PATH, and where they come from.")
@click.option("--show-files", is_flag=True, help="Show which files would be scanned.")
@click.option(
    "--why",
    metavar="FILE:ROW",
    help="Show what the scan believes of every value on this row, and from where, also where it stays silent.",
)
@click.option("--quiet", "-q", is_flag=True, help="Write nothing but findings.")
@click.option("--verbose", "-v", is_flag=True, help="Say what is being done.")
def check_command(**options: Any) -> int:
    """Scan Python files and notebooks for lines that make the host wait for the GPU.

    Without PATH the current folder is scanned; `-` reads standard input. Nothing of what is scanned is imported or
    run.

    \b
    Exit code: 0 nothing found, 1 something found (or a file can't be read),
    2 wrong usage or configuration, or a failure of the tool itself.
    """
    _require_fitting(options)
    from hostsync.cli.checking import check
    from hostsync.cli.invocation import Invocation
    from hostsync.lint.baseline import BaselineError
    from hostsync.project.config import ConfigError

    try:
        return check(Invocation.from_options(options))
    except (ConfigError, BaselineError) as error:
        raise CommandError(str(error)) from error
