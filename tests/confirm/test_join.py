"""The join of findings and waits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostsync.confirm.join import join
from hostsync.confirm.records import (
    CONFIRMED,
    NOT_REACHED,
    NOT_SEEN,
    REFUTED,
    STATUSES,
    Evidence,
    Joined,
    Through,
    Total,
    WaitSite,
)
from hostsync.findings import Finding, Location
from hostsync.runtime.executions import NEVER, Executed, Span

ALWAYS = Executed(100, True)
TRUTH = "aten::is_nonzero"


def finding(span: tuple[int, int, int, int], code: str = "HS101", **more: Any) -> Finding:
    row, column, end_row, end_column = span
    base = Finding(
        code=code,
        name="name",
        message="",
        filename="m.py",
        location=Location(row, column),
        end_location=Location(end_row, end_column),
        confidence="likely",
        symbol="f",
        hot=None,
        chain=(),
        help="",
        versions=None,
        url="",
    )
    return base._replace(**more)


def site(span: tuple[int, int, int, int], code: str | None = "HS101", **more: Any) -> WaitSite:
    base = WaitSite(
        filename="m.py",
        span=Span(*span),
        symbol="f",
        text="",
        kind="stream",
        call="cuStreamSynchronize",
        operation="aten::item",
        code=code,
        allowed=None,
        waits=10,
        waited=10,
        seconds=1.0,
        library="",
    )
    return base._replace(**more)


def joined(findings: list[Finding], sites: list[WaitSite], executed: Executed | None = ALWAYS, **more: Any) -> Joined:
    through = more.pop("through", ())
    evidence = Evidence(tuple(sites), tuple(through), Total(), lambda filename, span: executed, ())
    return join(findings, evidence, is_condition=lambda found: found.code.startswith("HS2"), **more)


def statuses(result: Joined) -> list[str]:
    return [one.status for one in result.judged]


def missed(result: Joined) -> list[Span]:
    return [one.site.span for one in result.missed]


WHOLE, INNER = (3, 5, 3, 30), (3, 10, 3, 20)


def test_what_waited_inside_a_missed_expression_is_of_all_its_kinds() -> None:
    copies = site(WHOLE, "HS605", kind="copy-to-host", seconds=0.5, inside=(("read", 3), ("move", 1)))
    (one,) = joined([], [copies, site(WHOLE, "HS605", inside=(("move", 10),))]).missed
    assert (one.site.waits, one.site.inside) == (20, (("move", 11), ("read", 3)))


def test_the_same_span_is_confirmed_whatever_rule_the_run_names() -> None:
    result = joined([finding(INNER, "HS401")], [site(INNER, "HS102", waits=30), site(INNER, None, kind="copy-to-host")])
    (one,) = result.judged
    assert (one.status, one.waits, one.waited, one.executions, one.seconds) == (CONFIRMED, 40, 10, 100, 2.0)
    assert (result.missed, result.found) == ((), 1)


@pytest.mark.parametrize(
    ("executed", "status"),
    [(ALWAYS, REFUTED), (NEVER, NOT_REACHED), (Executed(100, False), NOT_SEEN), (None, NOT_SEEN)],
)
def test_without_a_wait(executed: Executed | None, status: str) -> None:
    result = joined([finding(INNER)], [], executed)
    assert statuses(result) == [status]
    assert result.judged[0].executions == (None if executed is None else executed.times)


def test_executions_are_never_fewer_than_those_that_waited() -> None:
    assert joined([finding(INNER)], [site(INNER)], Executed(3, True)).judged[0].executions == 10
    assert joined([finding(INNER)], [site(INNER, waited=None)], Executed(3, True)).judged[0].waited is None


def test_a_receiver_that_waits_is_another_wait_than_the_call() -> None:
    # x[mask].item(): the finding is the call, and the index waits as well.
    result = joined([finding(WHOLE)], [site(WHOLE), site(INNER, "HS302")])
    assert statuses(result) == [CONFIRMED]
    assert missed(result) == [Span(*INNER)]
    # The same rule inside, when the call has its own wait: y.item() in f(y.item()).item().
    assert missed(joined([finding(WHOLE)], [site(WHOLE), site(INNER)])) == [Span(*INNER)]
    # Another family inside never confirms the call.
    result = joined([finding(WHOLE)], [site(INNER, "HS302")])
    assert (statuses(result), missed(result)) == ([REFUTED], [Span(*INNER)])


def test_a_part_that_waits_confirms_what_is_around_it_under_the_same_rule() -> None:
    # print(f"{loss:.3f}")
    assert statuses(joined([finding(WHOLE, "HS105")], [site(INNER, "HS105")])) == [CONFIRMED]
    # The smallest one around it.
    result = joined([finding((3, 1, 3, 60)), finding(WHOLE)], [site(INNER)])
    assert statuses(result) == [REFUTED, CONFIRMED]


def test_an_argument_is_not_confirmed_by_a_wait_inside_the_call() -> None:
    # model(x.cuda()): the model waits.
    result = joined([finding(INNER, "HS401")], [site(WHOLE, "HS605")])
    assert (statuses(result), missed(result)) == ([REFUTED], [Span(*WHOLE)])


def test_formatted_parts_have_the_wait_of_their_string() -> None:
    # Python 3.11 gives the whole string as the place of each part.
    result = joined([finding(INNER, "HS105"), finding((3, 22, 3, 28), "HS105")], [site(WHOLE, "HS105")])
    assert statuses(result) == [CONFIRMED, CONFIRMED]
    assert joined([finding(INNER, "HS105")], [site(WHOLE, None)]).missed != ()


def test_conditions_have_the_wait_of_the_jump_around_them() -> None:
    # Python 3.11 gives the whole `if` as the place of the jump; the body's own conditions are another matter.
    body = finding((5, 12, 5, 20), "HS201")
    result = joined([finding(INNER, "HS201"), body], [site((3, 1, 6, 20), "HS107", operation=TRUTH)])
    assert statuses(result) == [CONFIRMED, REFUTED]
    assert statuses(joined([finding(INNER, "HS101")], [site(WHOLE, "HS201", operation=TRUTH)])) == [REFUTED]


def test_rows_only() -> None:
    row = (3, 0, 3, 0)
    two = [finding(INNER), finding((3, 25, 3, 30), "HS401")]
    assert statuses(joined(two, [site(row)])) == [CONFIRMED, REFUTED]
    assert statuses(joined(two, [site(row), site(row, "HS401")])) == [CONFIRMED, CONFIRMED]
    assert statuses(joined(two[:1], [site(row, "HS605")])) == [CONFIRMED]
    assert missed(joined(two, [site((4, 0, 4, 0))])) == [Span(4, 0, 4, 0)]
    # A statement of several rows, and one inside it.
    rows = [finding((2, 1, 5, 2)), finding(INNER)]
    assert statuses(joined(rows, [site(row)])) == [REFUTED, CONFIRMED]


def test_allowed_waits_are_listed_and_confirm() -> None:
    allowed = site(INNER, allowed="once")
    result = joined([], [allowed])
    assert (result.allowed, result.missed) == ((allowed,), ())
    (one,) = joined([finding(INNER)], [allowed]).judged
    assert (one.status, one.allowed) == (CONFIRMED, 10)


def test_waits_inside_allocators_count_apart_unless_a_rule_names_them() -> None:
    free = site(INNER, None, kind="free")
    result = joined([finding(INNER)], [free, free])
    assert (statuses(result), dict(result.memory), result.missed) == ([REFUTED], {"free": Total(20, 2.0)}, ())
    named = joined([finding(INNER, "HS503")], [free._replace(code="HS503")])
    assert (statuses(named), dict(named.memory)) == ([CONFIRMED], {})
    assert dict(joined([], [free._replace(allowed="why")]).memory) == {}


def test_a_call_of_code_that_waits_is_confirmed_by_it() -> None:
    call = Through("m.py", Span(*WHOLE), 7, 7, 0.5)
    inner = (9, 1, 9, 8)
    result = joined([finding(WHOLE, "HS606"), finding(inner)], [site(inner)], through=[call])
    assert statuses(result) == [CONFIRMED, CONFIRMED]
    assert (result.judged[0].waits, result.judged[0].is_through, result.judged[1].is_through) == (7, True, False)
    # A wait of its own goes first, and is not counted twice.
    assert joined([finding(WHOLE, "HS606")], [site(WHOLE)], through=[call]).judged[0].waits == 10
    assert statuses(joined([finding(INNER, "HS606")], [], through=[call])) == [REFUTED]


def test_a_wait_that_only_a_hidden_finding_covers_is_missed() -> None:
    hidden = finding(INNER, confidence="possible")
    result = joined([hidden], [site(INNER)], is_shown=lambda found: found.confidence != "possible")
    assert [(one.site.span, one.hidden) for one in result.missed] == [(Span(*INNER), hidden)]
    assert [(one.status, one.is_shown) for one in result.judged] == [(CONFIRMED, False)]
    assert result.found == 0


def test_causes_and_notebooks_get_no_verdict() -> None:
    cause = finding(INNER, "HS408")
    cell = finding(INNER, location=Location(3, 10, 1), end_location=Location(3, 20, 1))
    result = joined([cause, cell], [], is_judged=lambda found: found.code != "HS408")
    assert (result.judged, result.causes) == ((), 1)


def test_files_are_kept_apart_and_waits_of_one_expression_together() -> None:
    result = joined([finding(INNER, filename="other.py")], [site(INNER, None), site(INNER, kind="copy-to-host")])
    assert statuses(result) == [REFUTED]
    assert [(one.site.waits, one.site.waited, one.site.code) for one in result.missed] == [(20, 10, "HS101")]


# --- properties ----------------------------------------------------------------------------------

spans = st.tuples(st.integers(1, 4), st.integers(1, 6), st.integers(0, 2), st.integers(1, 6)).map(
    lambda s: (s[0], s[1], s[0] + s[2], s[3] + (s[1] if not s[2] else 0))
)
codes = st.sampled_from(["HS101", "HS102", "HS201", "HS401"])
sites_of = st.builds(
    lambda span, code, has_column, operation: site(
        span if has_column else (span[0], 0, span[0], 0), code, operation=operation
    ),
    spans,
    st.one_of(st.none(), codes),
    st.booleans(),
    st.sampled_from([TRUTH, "aten::item"]),
)
findings_of = st.builds(finding, spans, codes)


@given(st.lists(findings_of, max_size=6), st.lists(sites_of, max_size=6))
def test_every_wait_is_found_or_missed_and_every_finding_has_one_verdict(
    findings: list[Finding], sites: list[WaitSite]
) -> None:
    result = joined(findings, sites)
    assert [one.finding for one in result.judged] == findings
    assert set(statuses(result)) <= set(STATUSES)
    for one in result.judged:
        assert (one.waits > 0) == (one.status == CONFIRMED)
        assert one.executions is not None and one.waited is not None and one.executions >= one.waited
    places = {(wait.filename, wait.span) for wait in sites}
    assert len(result.missed) <= len(places) <= len(result.missed) + result.found
    assert sum(one.site.waits for one in result.missed) <= sum(wait.waits for wait in sites)
    assert result.judged == () or result.missed == () or {m.site.span for m in result.missed} <= {w.span for w in sites}


@given(st.lists(findings_of, max_size=6), st.lists(sites_of, max_size=6))
def test_an_exact_span_takes_the_wait_from_all_others(findings: list[Finding], sites: list[WaitSite]) -> None:
    for wait in sites:
        exact = [found for found in findings if (*found.location[:2], *found.end_location[:2]) == wait.span]
        if not exact:
            continue
        result = joined(findings, [wait])
        assert [one.finding for one in result.judged if one.status == CONFIRMED] == exact


@given(st.lists(findings_of, max_size=6), st.lists(sites_of, max_size=6), st.randoms())
def test_the_order_does_not_matter(findings: list[Finding], sites: list[WaitSite], random: Any) -> None:
    before = joined(findings, sites)
    findings, sites = findings[:], sites[:]
    random.shuffle(findings)
    random.shuffle(sites)
    after = joined(findings, sites)
    assert sorted(map(repr, before.judged)) == sorted(map(repr, after.judged))
    assert {one.site.span for one in before.missed} == {one.site.span for one in after.missed}
