"""`hostsync explain`: the page of one rule."""

from __future__ import annotations

import json
import os
import sys
from difflib import get_close_matches

import click

from hostsync.catalogue.model import Rule
from hostsync.cli.exits import CommandError
from hostsync.cli.rules import rules_in_force, summary_of
from hostsync.report.escape import visible
from hostsync.report.style import Style, wants_colour


@click.command("explain", short_help="Explain a rule: why it waits, what to do, and examples.")
@click.argument("rule", metavar="CODE|NAME")
@click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print it."
)
def explain_command(rule: str, output_format: str) -> None:
    """Explain a rule: why it waits, what to do, examples, and the GPU that confirmed them."""
    found = find(rule, rules_in_force())
    evidence = evidence_line(found)
    if output_format == "json":
        from hostsync.lint.checked import rule_url

        detail = {
            "url": rule_url(found),
            "page": found.page,
            "bad": list(found.bad),
            "good": list(found.good),
            "evidence": evidence or None,
        }
        click.echo(json.dumps({**summary_of(found), **detail}, indent=2, ensure_ascii=False))
    else:
        colour = wants_colour(os.environ, sys.stdout.isatty())
        click.echo("\n".join(page_lines(found, evidence, Style(colour))), color=colour)


def find(wanted: str, rules: tuple[Rule, ...]) -> Rule:
    """The rule of the code or name `wanted`, in any case. Raises CommandError, with what is close, if there is none."""
    for rule in rules:
        if wanted.casefold() in (rule.code.casefold(), rule.name):
            return rule
    begun = [rule.code for rule in rules if wanted and rule.code.casefold().startswith(wanted.casefold())]
    if begun:
        raise CommandError(f"`{wanted}` is only the beginning of a code; one of these is wanted: {', '.join(begun)}")
    known = {key.casefold(): key for rule in rules for key in (rule.code, rule.name)}
    close = [known[key] for key in get_close_matches(wanted.casefold(), known, n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(close)}?" if close else "`hostsync rules` lists them."
    raise CommandError(f"no rule has the code or name `{wanted}`; {hint}")


def evidence_line(rule: Rule) -> str:
    """What the blocks of the page did, and on which GPU; empty if none ran."""
    from hostsync.catalogue.evidence import evidence_file, load_evidence
    from hostsync.catalogue.location import rules_dir

    path = evidence_file(rule.path.parent)
    if rule.path.parent != rules_dir() and not path.is_file():
        return ""
    return load_evidence(path).sentence(rule)


def page_lines(rule: Rule, evidence: str, style: Style) -> list[str]:
    """The page as text for a terminal: the head, then the Markdown as it is written."""
    where = "only in hot code: loops, `forward`, training and decoding steps" if rule.hot_only else "everywhere"
    head = [
        f"{style.code(rule.code)} {style.strong(rule.name)}",
        "",
        visible(rule.summary),
        "",
        f"reported: {where}",
        f"since:    {visible(rule.since)}",
    ]
    if rule.fix != "none":
        head.append(f"fix:      {rule.fix}")
    if evidence:
        head.append(f"measured: {visible(evidence)}")
    lines = [*head, ""]
    fenced = False
    for line in map(visible, rule.page.splitlines()):
        if line.startswith("```"):
            fenced = not fenced
            lines.append(style.dim(line))
        elif line.startswith("#") and not fenced:
            lines.append(style.strong(line))
        else:
            lines.append(line)
    return lines
