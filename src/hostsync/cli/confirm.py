"""`hostsync confirm`: its options. What it does is in `confirming`, which is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hostsync.cli.check import check_command
from hostsync.cli.exits import CommandError
from hostsync.cli.formats import FormatChoice

OWN_FORMATS = ("text", "json")
FAILURES = ("missed", "refuted", "confirmed")
SCAN_OPTIONS = frozenset(
    (
        "select ignore extend_select per_file_ignores min_confidence hot_only torch_version extend_rules ops index "
        "exclude extend_exclude force_exclude respect_gitignore config isolated jobs no_cache cache_dir"
    ).split()
)
"""Options of `hostsync check` that decide what is scanned, and what of it is shown."""
_FILE = click.Path(dir_okay=False, path_type=Path)
_PROGRAM = "hostsync.program"


class JoinCommand(click.Command):
    """Leaves everything after `--` to the program, and takes options of `hostsync check`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += [param for param in check_command.params if param.name in SCAN_OPTIONS]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_PROGRAM] = tuple(args[at + 1 :])
        return super().parse_args(ctx, args[:at])


class Failures(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """Some of FAILURES, with commas."""

    name = "what"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        found = tuple(part.strip() for part in str(value).split(",") if part.strip())
        unknown = [part for part in found if part not in FAILURES]
        if unknown or not found:
            self.fail(f"{value!r} is not made of {', '.join(FAILURES)}.", param, ctx)
        return found


@click.command(
    "confirm",
    cls=JoinCommand,
    short_help="Scan, run a program, and say which findings waited; needs torch and CUDA.",
    options_metavar="[OPTIONS]",
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]... -- PROGRAM [ARGS]...")
@click.option(
    "--from-run", multiple=True, type=_FILE, metavar="REPORT", help="Take this report of `hostsync run`; run nothing."
)
@click.option(
    "--warmup", type=click.IntRange(min=0), default=0, metavar="N", help="Skip the first N runs of each line."
)
@click.option("--verdicts", type=_FILE, help="Write a verdict file, for `hostsync check --verdicts`.")
@click.option("--merge", is_flag=True, help="Add to what the verdict file holds already.")
@click.option(
    "--fail-on", type=Failures(), metavar="WHAT", help="Exit with 1 if there are any: missed, refuted, confirmed."
)
@click.option("--top", type=click.IntRange(min=1), default=50, show_default=True, help="Rows of each table.")
@click.option(
    "--output-format", type=FormatChoice(*OWN_FORMATS), default="text", show_default=True, help="How to report."
)
@click.option("--output", "-o", type=_FILE, help="Write the report to this file.")
def confirm_command(**options: Any) -> int:
    """Scan PATH, run PROGRAM, and say of each finding whether the host waited there.

    PROGRAM is a script, `-m MODULE`, or `pytest`, with its arguments; it runs unmodified, in this process. Each
    finding is confirmed, refuted or not reached, and each wait that no finding covers is listed. The report goes to
    standard error, or to --output; with --from-run, which runs nothing, to standard output.

    \b
    Exit code: that of the program. If that is 0: 1 for what --fail-on names,
    2 if nothing could be watched, or for wrong usage.
    """
    ctx = click.get_current_context()
    program = ctx.meta[_PROGRAM]
    from_run = options["from_run"]
    if bool(program) == bool(from_run):
        wrong = "A program and --from-run exclude each other." if program else "What is to be run? Name it after `--`."
        raise click.UsageError(wrong, ctx)
    if from_run and options["warmup"]:
        raise click.UsageError("--warmup needs a program to run: `hostsync run --warmup` is for reports.", ctx)
    if options["merge"] and options["verdicts"] is None:
        raise click.UsageError("--merge needs --verdicts FILE.", ctx)
    if options["config"] is not None and options["isolated"]:
        raise click.UsageError("--config and --isolated exclude each other.", ctx)
    if program and options["output_format"] != "text" and options["output"] is None:
        raise click.UsageError(
            f"--output-format {options['output_format']} needs --output FILE: "
            "standard output and standard error are the program's.",
            ctx,
        )
    from hostsync.cli.confirming import Request, confirm
    from hostsync.confirm.from_run import ReportError
    from hostsync.confirm.verdicts import VerdictsError
    from hostsync.project.config import ConfigError

    try:
        code = confirm(Request.from_options(program, options))
    except (ConfigError, ReportError, VerdictsError) as error:
        raise CommandError(str(error)) from error
    if not program:
        return code
    # Not returned: what the program left in standard output is flushed by the interpreter, as without hostsync.
    raise SystemExit(code)
