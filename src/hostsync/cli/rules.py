"""`hostsync rules`: the table of rules."""

from __future__ import annotations

import json
from pathlib import Path

import click

from hostsync.catalogue.model import Rule
from hostsync.cli.exits import CommandError
from hostsync.report.escape import visible


@click.command("rules", short_help="List the rules: code, name, where they are reported, and what they say.")
@click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print them."
)
def rules_command(output_format: str) -> None:
    """List the rules: code, name, where they are reported, and what they say.

    Rules of your own (extend-rules in the configuration of the current folder) are listed too.
    """
    rules = rules_in_force()
    if output_format == "json":
        click.echo(json.dumps([summary_of(rule) for rule in rules], indent=2, ensure_ascii=False))
    else:
        for line in table(rules):
            click.echo(line)


def rules_in_force(folders: tuple[Path, ...] = ()) -> tuple[Rule, ...]:
    """The shipped rules and those that the configuration of the current folder and `folders` add, in order of their
    codes.

    Raises CommandError where the configuration can't be used, and CatalogueError where a rule can't.
    """
    from hostsync.catalogue import load_only_rules
    from hostsync.project.config import ConfigError, Resolver
    from hostsync.project.settings import Overrides

    try:
        settings = Resolver(Overrides(extend_rules=folders)).settings(Path.cwd())
    except ConfigError as error:
        raise CommandError(str(error)) from error
    return load_only_rules(settings.extend_rules)


def summary_of(rule: Rule) -> dict[str, object]:
    """What every JSON output says of a rule."""
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "message": rule.message,
        "help": rule.help,
        "since": rule.since,
        "hot": _hot(rule),
        "fix": rule.fix,
    }


def table(rules: tuple[Rule, ...]) -> list[str]:
    """Aligned lines: code, name, hot, summary."""
    rows = [("code", "name", "hot", "summary")]
    rows += [(rule.code, rule.name, _hot(rule), visible(rule.summary)) for rule in rules]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]) for row in rows]


def _hot(rule: Rule) -> str:
    return "hot-only" if rule.hot_only else "always"
