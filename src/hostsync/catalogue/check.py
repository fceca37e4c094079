"""Whether a rule's page is as a page has to be. Tests hold the shipped rules to it; yours can be held to it too."""

from __future__ import annotations

import ast
import re

from hostsync.catalogue.blocks import Marks, read_marks, sections
from hostsync.catalogue.model import Rule

LONGEST_SUMMARY = 100
REQUIRED = ("What to do", "Bad", "Good")
WHY = ("Why it waits", "Why it is reported")
OPTIONAL = ("When it does not wait", "Torch versions", "See also")


def check_rule(rule: Rule) -> list[str]:
    """What is wrong with the page of `rule`, one sentence each; empty if nothing is.

    The front matter needs no check here: a rule that could be loaded has a good one.
    """
    problems = []
    if len(rule.summary) > LONGEST_SUMMARY:
        problems.append(f"the summary has {len(rule.summary)} characters; {LONGEST_SUMMARY} are allowed")
    for text in (rule.summary, rule.message, rule.help, *(one.help for one in rule.helps)):
        if text.endswith("."):
            problems.append(f"`{text}` ends with a full stop")
    found = list(sections(rule.page))
    why = WHY[0] if rule.events else WHY[1]
    wanted = [why, *REQUIRED, *(title for title in OPTIONAL if title in found)]
    if found != wanted:
        problems.append(f"the sections are {', '.join(found)}; they have to be {', '.join(wanted)}")
    for kind, blocks in (("Bad", rule.bad), ("Good", rule.good)):
        if not blocks:
            problems.append(f"{kind} has no python block")
        for index, source in enumerate(blocks):
            problems += [f"{kind} block {index}: {problem}" for problem in _check_block(rule, kind, source)]
    problems += [f"links to {target}, which does not exist" for target in _dead_links(rule)]
    return problems


def expected_rows(rule: Rule, source: str) -> dict[int, str]:
    """The rows of the Bad block `source` on which a scan has to report, each with the code."""
    marks = read_marks(source)
    if not rule.events:
        return {row: rule.code for row, line in enumerate(source.splitlines(), start=1) if "hostsync: allow" in line}
    expected = {row: code or rule.code for row, code in marks.waits.items()}
    return expected | dict.fromkeys(marks.causes, rule.code)


def _check_block(rule: Rule, kind: str, source: str) -> list[str]:
    try:
        ast.parse(source)
    except SyntaxError as error:
        return [f"row {error.lineno}: {error.msg}"]
    marks = read_marks(source)
    if kind == "Good":
        return ["a line of a Good block is marked as one that waits"] if marks.waits or marks.causes else []
    if not rule.events:
        return [] if expected_rows(rule, source) else ["has no allow comment"]
    return [] if _names_rule(rule, marks) else [f"has no line that is marked for {rule.code}"]


def _names_rule(rule: Rule, marks: Marks) -> bool:
    return bool(marks.causes) or any(code in ("", rule.code) for code in marks.waits.values())


def _dead_links(rule: Rule) -> list[str]:
    targets = re.findall(r"\]\(([^)#:]+\.md)\)", rule.page)
    return [target for target in targets if not (rule.path.parent / target).is_file()]
