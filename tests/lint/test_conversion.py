"""Events become findings: rules, messages, quotes, duplicates."""

from __future__ import annotations

from pathlib import Path

from hostsync.catalogue.model import EventMatch, Help, Rule
from hostsync.catalogue.rules import RuleIndex
from hostsync.facts import Span
from hostsync.findings import ChainStep
from hostsync.infer.events import Event, Reason
from hostsync.lint.conversion import quote, to_findings

LINES = ["x = model(a,", "          b)", "if x.item() > 3:", "    print('{op}', x)", "y = [" + "1, " * 100 + "]"]


def rule(code: str, kind: str, message: str, hot_only: bool = False) -> Rule:
    events = (EventMatch(kind, (), ()),)
    return Rule(code, code.lower(), "s", message, "help", "0.1", hot_only, "none", events, "", (), (), Path(code))


INDEX = RuleIndex(
    [rule("HS101", "read-back", "{op} of {subject} waits"), rule("HS501", "synchronize", "waits", hot_only=True)]
)


def event(span: Span, **changes: object) -> Event:
    chain = (Reason(Span(1, 5, 2, 13), "a module on the GPU"), Reason(Span(3, 4, 3, 5), ""))
    plain = Event("read-back", "Tensor.item", "", span, "x", "likely", "<module>", None, chain, "<2.15")
    return plain._replace(**changes)  # type: ignore[arg-type]


def test_a_finding_has_all_parts() -> None:
    (finding,) = to_findings([event(Span(3, 4, 3, 12), hot="loop")], INDEX, LINES)
    assert (finding.code, finding.name, finding.message) == ("HS101", "hs101", "Tensor.item of x waits")
    assert (*finding.location[:2], *finding.end_location[:2]) == (3, 4, 3, 12)
    assert (finding.confidence, finding.symbol, finding.hot, finding.versions) == (
        "likely",
        "<module>",
        "loop",
        "<2.15",
    )
    assert finding.chain == (ChainStep(1, "model(a, b), a module on the GPU"), ChainStep(3, "x"))
    assert finding.url.endswith("/rules/HS101-hs101")


def test_the_help_is_that_of_the_operation() -> None:
    own = rule("HS101", "read-back", "waits")._replace(helps=(Help(("math.*",), "stay in torch"),))
    found = to_findings([event(Span(3, 4, 3, 12)), event(Span(4, 1, 4, 9), op="math.sqrt")], RuleIndex([own]), LINES)
    assert [finding.help for finding in found] == ["help", "stay in torch"]


def test_a_rule_for_hot_code_is_silent_elsewhere() -> None:
    cold = event(Span(3, 4, 3, 12), kind="synchronize")
    assert to_findings([cold], INDEX, LINES) == ()
    assert len(to_findings([cold._replace(hot="step")], INDEX, LINES)) == 1


def test_an_event_without_a_rule_is_dropped() -> None:
    assert to_findings([event(Span(3, 4, 3, 12), kind="shape")], INDEX, LINES) == ()


def test_duplicates_merge_into_the_surest() -> None:
    span = Span(3, 4, 3, 12)
    events = [event(span, confidence="possible"), event(span, confidence="certain"), event(span)]
    assert [finding.confidence for finding in to_findings(events, INDEX, LINES)] == ["certain"]


def test_findings_are_in_order_of_place() -> None:
    spans = [Span(4, 5, 4, 9), Span(3, 4, 3, 12), Span(3, 4, 3, 5)]
    ends = [f.end_location.column for f in to_findings([event(s) for s in spans], INDEX, LINES)]
    assert ends == [5, 12, 9]


def test_braces_in_quotes_stay_as_they_are() -> None:
    (finding,) = to_findings([event(Span(4, 11, 4, 15), subject="'{op}{0}'")], INDEX, LINES)
    assert finding.message == "Tensor.item of '{op}{0}' waits"


def test_an_empty_subject_is_the_expression_itself() -> None:
    (finding,) = to_findings([event(Span(3, 4, 3, 12), subject="")], INDEX, LINES)
    assert finding.message == "Tensor.item of x.item() waits"


def test_quotes_are_on_one_line_and_short() -> None:
    assert quote(LINES, Span(1, 1, 2, 13)) == "x = model(a, b)"
    assert len(quote(LINES, Span(5, 5, 5, 300))) == 60
    assert quote(LINES, Span(99, 1, 99, 2)) == ""
