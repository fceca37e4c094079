"""What waited inside one expression: told apart in the sums, in the text, in JSON and over ranks."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from hostsync.catalogue import load_only_rules
from hostsync.report.style import Style
from hostsync.runtime.aggregate import Aggregator
from hostsync.runtime.capture import Capture
from hostsync.runtime.cause import Causes
from hostsync.runtime.data_report import site_dict
from hostsync.runtime.inside import functions, named, operations
from hostsync.runtime.ranks import merge
from hostsync.runtime.read_report import read_report, site_of
from hostsync.runtime.records import Place, Site
from hostsync.runtime.sources import Active
from hostsync.runtime.tally import Room, Tally
from hostsync.runtime.text_report import render_sites

from .waits import marked, place, wait

MOVE = place("/venv/site-packages/lib/operations.py", row=160, function="send_to_device")
READ = place("/venv/site-packages/lib/utils.py", row=165, function="nested_numpify")
LOG = place("/venv/site-packages/lib/trainer.py", row=99, function="Trainer.log")


@pytest.fixture
def train(tmp_path: Path) -> Place:
    source = tmp_path / "train.py"
    source.write_text("import lib\n\nlib.Trainer().train()\n", encoding="utf-8")
    return marked(source, 3, "lib.Trainer().train()")


def fed(at: Place, *, most: int = 100) -> Site:
    """One site of 9 waits inside three functions of a library."""
    waits = Aggregator(most_sites=most)
    for library, operation, times, seconds in (
        (MOVE, "aten::to", 5, 0.001),
        (READ, "aten::cpu", 3, 0.5),
        (LOG, "aten::item", 1, 0.002),
    ):
        for _ in range(times):
            waits.add(wait(at, library=library, operation=operation, seconds=seconds))
    (site,) = waits.sites(lambda one: "HS605")
    return site


def test_a_site_tells_apart_what_waited_inside_of_it(train: Place) -> None:
    site = fed(train)
    assert (site.count, site.example.library, site.operation) == (9, READ, "aten::cpu"), "the longest is the example"
    assert [(part.library, part.operation, part.count) for part in site.parts] == [
        (READ, "aten::cpu", 3),
        (MOVE, "aten::to", 5),
        (LOG, "aten::item", 1),
    ]
    assert sum(part.seconds for part in site.parts) == pytest.approx(site.seconds)
    assert named(functions(site)) == "nested_numpify 3, send_to_device 5 and 1 more"
    assert operations([site]) == "cpu, to and 1 more"


def test_one_thing_inside_is_named_without_a_count(train: Place) -> None:
    waits = Aggregator()
    waits.add(wait(train, library=MOVE, operation="aten::to"))
    waits.add(wait(train, library=MOVE, operation="aten::to"))
    (site,) = waits.sites()
    assert (named(functions(site)), operations([site])) == ("send_to_device", "to")


def test_an_expression_that_waits_itself_names_no_function() -> None:
    waits = Aggregator()
    waits.add(wait(place(), operation="aten::item"))
    (site,) = waits.sites()
    assert (named(functions(site)), operations([site])) == ("", "item")


def test_parts_are_bounded(train: Place) -> None:
    room, tally = Room(2), Tally(wait(train))
    for row in range(9):
        tally.add(wait(train, library=place("lib.py", row=row)), room)
    parts = tally.site(None).parts
    assert sorted((part.count, part.library is None) for part in parts) == [(1, False), (1, False), (7, True)]


def test_warm_up_and_budgets_count_sites_as_before(train: Place) -> None:
    waits = Aggregator(warmup=1)
    for library in (MOVE, READ, LOG):
        waits.add(wait(train, library=library))
    assert (waits.totals().skipped, waits.totals().waits) == (1, 2)
    assert [site.count for site in waits.sites()] == [2]


def test_the_text_names_them(train: Place) -> None:
    text = "\n".join(render_sites([fed(train)], 10.0, Causes(load_only_rules()), 20, Style()))
    (row,) = [line for line in text.splitlines() if "HS605" in line and line.startswith(" 1.51 s")]
    assert row.endswith("nested_numpify 3, send_to_device 5 and 1 more")
    assert "the host waits for the GPU inside cpu, to and 1 more" in text
    assert "= inside: nested_numpify, lib/utils.py:165:1 (cpu, 3 waits, 1.50 s)" in text
    assert "= inside: send_to_device, lib/operations.py:160:1 (to, 5 waits, 5.00 ms)" in text
    assert "= inside: Trainer.log, lib/trainer.py:99:1 (item, 1 wait, 2.00 ms)" in text


def test_the_table_says_nothing_of_it_where_the_expression_does(train: Place) -> None:
    site = fed(train)._replace(code="HS101")
    single = site._replace(parts=site.parts[:1])
    rows = [list(render_sites([one], 10.0, Causes(load_only_rules()), 20, Style()))[2] for one in (site, single)]
    assert [row.endswith("HS101       7") for row in rows] == [False, True]


def test_json_has_them_and_reads_them_back(train: Place) -> None:
    site = fed(train)
    entry = json.loads(json.dumps(site_dict(site, 1.0, Causes(load_only_rules()))))
    assert [(one["library"]["symbol"], one["operation"], one["count"]) for one in entry["inside"]] == [
        ("nested_numpify", "aten::cpu", 3),
        ("send_to_device", "aten::to", 5),
        ("Trainer.log", "aten::item", 1),
    ]
    assert site_of(entry).parts == site.parts
    del entry["inside"]
    assert site_of(entry).parts == (), "a report of before"


def test_ranks_add_them_up_and_are_the_same_site_whatever_waited_longest(train: Place) -> None:
    causes = Causes(load_only_rules())
    documents = []
    for longest in (MOVE, READ):
        waits = Aggregator()
        for library, operation in ((MOVE, "aten::to"), (READ, "aten::cpu")):
            waits.add(wait(train, library=library, operation=operation, seconds=1.0 if library == longest else 0.5))
        sites = [site_dict(site, 9.0, causes) for site in waits.sites()]
        documents.append({"waits": 2, "blocked_s": 1.5, "wall_s": 9.0, "sites": sites})
    merged = merge(map(read_report, documents))
    (shared,) = merged.sites
    assert (shared.site.count, shared.differs) == (4, False)
    assert sorted((part.operation, part.count, part.seconds) for part in shared.site.parts) == [
        ("aten::cpu", 2, 1.5),
        ("aten::to", 2, 1.5),
    ]


def test_a_capture_has_them_too(train: Place) -> None:
    seen = Capture()
    seen.add(wait(train, library=MOVE, seconds=0.25))
    seen.add(wait(train, library=READ, seconds=0.5))
    (site,) = seen.sites()
    assert (site.count, site.longest, site.example.library) == (2, 0.5, READ)
    assert [(part.library, part.count) for part in site.parts] == [(READ, 1), (MOVE, 1)]
    assert (site.code, seen.sites(lambda one: "XX001")[0].code) == ("HS605", "XX001")
    seen._session = SimpleNamespace(active=Active(("driver",), (), ()))  # type: ignore[assignment]
    assert repr(seen) == "<Capture: 2 waits, 750 ms blocked; seen by driver>"
    seen.add(wait(train, allowed="once"))
    assert repr(seen) == "<Capture: 2 waits, 750 ms blocked, 1 allowed; seen by driver>"
