"""`hostsync run`: its options. What it does is in `running`, which is imported when it runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NoReturn

import click

from hostsync.cli.formats import FormatChoice

OWN_FORMATS = ("text", "json", "jsonl")
_FILE = click.Path(dir_okay=False, path_type=Path)


class ProgramCommand(click.Command):
    """Leaves everything after `-m MODULE`, or after the script, to the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, self._ended(args))
        except click.NoSuchOption as error:
            if error.option_name != "-c":
                raise
            from hostsync.cli.programs import CODE

            raise click.UsageError(CODE, ctx) from None

    def _ended(self, args: list[str]) -> list[str]:
        """`args` with `--` where the program's own arguments begin."""
        takes_value = {
            name
            for param in self.params
            if isinstance(param, click.Option) and not param.is_flag
            for name in (*param.opts, *param.secondary_opts)
        }
        at = 0
        while at < len(args) and args[at].startswith("-") and args[at] not in ("-", "--"):
            name, equals, _ = args[at].partition("=")
            is_module = name == "--module" or (name.startswith("-m") and not name.startswith("--"))
            at += 1 if equals or name not in takes_value else 2
            if is_module and at <= len(args):
                return [*args[:at], "--", *args[at:]]
        return args


class Pattern(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A regular expression."""

    name = "regex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> re.Pattern[str]:
        if isinstance(value, re.Pattern):
            return value
        try:
            return re.compile(str(value))
        except (re.error, OverflowError, RecursionError) as error:
            self.fail(f"{value!r} is no regular expression: {error}", param, ctx)


class StepRange(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """`FIRST:LAST`, either of which may be missing."""

    name = "first:last"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int | None]:
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"(\d*):(\d*)", str(value))
        if found is None:
            self.fail(f"{value!r} is not FIRST:LAST, such as 10:60 or 10:", param, ctx)
        first, last = int(found[1] or 0), int(found[2]) if found[2] else None
        if last is not None and last <= first:
            self.fail(f"{value!r} holds no step: LAST has to be above FIRST", param, ctx)
        return first, last


@click.command(
    "run",
    cls=ProgramCommand,
    short_help="Run a program and report where it waits for the GPU; needs torch and CUDA.",
    context_settings={"allow_interspersed_args": False},
)
@click.option("--module", "-m", metavar="MODULE", help="Run a module, as `python -m` does.")
@click.option(
    "--warmup", type=click.IntRange(min=0), default=0, metavar="N", help="Skip the first N hits of each site."
)
@click.option(
    "--steps",
    type=StepRange(),
    metavar="FIRST:LAST",
    help="Count only what happens after FIRST steps of an optimizer, and until LAST are done.",
)
@click.option("--skip-setup", is_flag=True, help="Count only what happens after the first step of an optimizer.")
@click.option(
    "--start-after",
    type=Pattern(),
    metavar="REGEX",
    help="Count only what happens after the program has printed a line in which REGEX is found.",
)
@click.option("--top", type=click.IntRange(min=1), default=20, show_default=True, help="Rows of the table.")
@click.option(
    "--output-format", type=FormatChoice(*OWN_FORMATS), default="text", show_default=True, help="How to report."
)
@click.option("--output", "-o", type=_FILE, help="Write the report to this file, not to standard error.")
@click.option("--trace", type=_FILE, help="Write the waits to this file, for Perfetto or chrome://tracing.")
@click.option(
    "--fail-over", type=click.IntRange(min=0), metavar="N", help="Exit with 1 if more than N waits are not allowed."
)
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
def run_command(program: tuple[str, ...], **options: Any) -> NoReturn:
    """Run SCRIPT, or `-m MODULE`, and report which expressions made the host wait for the GPU.

    `python SCRIPT` and `pytest ARGS` name the same as without `python`, and `-m pytest`. The program runs unmodified,
    in this process, with everything that follows it as its arguments. Its standard output stays its own. The report
    goes to standard error, or to --output, also when the program fails, or is ended by Ctrl-C, SIGTERM or SIGHUP.
    Launchers have to start hostsync: `torchrun OPTIONS -m hostsync run SCRIPT`. Every rank writes a file of its own
    then, `report.rank0.json`, and the last one to end the report over all.

    \b
    Exit code: that of the program. If that is 0: 1 with more than --fail-over waits,
    2 if nothing could be watched, or for wrong usage.
    """
    if options["module"] is None and not program:
        raise click.UsageError("What is to be run? Name a script, or a module with -m.")
    if options["skip_setup"] and options["steps"] is not None:
        raise click.UsageError("--skip-setup and --steps exclude each other.")
    if options["output_format"] != "text" and options["output"] is None:
        raise click.UsageError(
            f"--output-format {options['output_format']} needs --output FILE: "
            "standard output and standard error are the program's."
        )
    from hostsync.cli.running import Request, run

    if options.pop("skip_setup"):
        options["steps"] = (1, None)
    # Not returned: what the program left in standard output is flushed by the interpreter, as without hostsync.
    raise SystemExit(run(Request(program=program, **options)))
