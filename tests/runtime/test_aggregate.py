"""Waits → sites: sums, warm-up, allowances, bounded memory, threads."""

from __future__ import annotations

import random
import sys
import threading
import tracemalloc

import pytest

from hostsync.runtime.aggregate import Aggregator
from hostsync.runtime.tally import MOST_STREAMS

from .waits import place, wait


def test_waits_of_one_kind_at_one_expression_are_one_site() -> None:
    here, there = place(row=3), place(row=9)
    waits = Aggregator()
    waits.add(wait(here, seconds=0.5, bytes=10, stream=7))
    waits.add(wait(here, seconds=1.5, bytes=30, stream=20, thread="other"))
    waits.add(wait(there, seconds=1.0))
    waits.add(wait(here, kind="copy-to-host", memory="pageable", seconds=0.1))
    first, second, third = waits.sites(lambda one: f"of {one.kind}")
    assert (first.place, first.kind, first.count, first.seconds, first.longest) == (here, "stream", 2, 2.0, 1.5)
    assert (first.bytes, first.streams, first.code) == (40, (7, 20), "of stream")
    assert first.example.thread == "other", "the longest wait is the example"
    assert (second.place, second.count) == (there, 1)
    assert (third.kind, third.memory) == ("copy-to-host", "pageable")
    totals = waits.totals()
    assert (totals.waits, totals.seconds) == (4, pytest.approx(3.1))


def test_sites_without_a_time_are_sorted_by_count() -> None:
    waits = Aggregator()
    for row, times in ((1, 1), (2, 3), (3, 2)):
        for _ in range(times):
            waits.add(wait(place(row=row), seconds=0.0))
    assert [site.count for site in waits.sites()] == [3, 2, 1]


def test_operations_are_told_apart_in_a_backward_pass_only() -> None:
    waits = Aggregator()
    for phase in ("forward", "backward"):
        for operation in ("aten::item", "IndexBackward0"):
            waits.add(wait(place(row=len(phase)), operation=operation, phase=phase))
    assert sorted((site.phase, site.count) for site in waits.sites()) == [
        ("backward", 1),
        ("backward", 1),
        ("forward", 2),
    ]


def test_what_is_allowed_is_apart() -> None:
    waits = Aggregator()
    waits.add(wait(place(), seconds=1.0))
    waits.add(wait(place(), seconds=2.0, allowed="once per epoch"))
    totals = waits.totals()
    assert (totals.waits, totals.seconds, totals.allowed, totals.allowed_seconds) == (1, 1.0, 1, 2.0)
    assert [site.allowed for site in waits.sites()] == ["once per epoch", None]


def test_warmup_skips_the_first_hits_of_each_site() -> None:
    waits = Aggregator(warmup=2)
    for _ in range(5):
        waits.add(wait(place(row=1)))
    for _ in range(2):
        waits.add(wait(place(row=2)))
    assert [(site.place, site.count) for site in waits.sites()] == [(place(row=1), 3)]
    assert waits.totals().skipped == 4
    assert len(waits.events()) == 3


def test_nothing_counts_while_counting_is_off() -> None:
    waits = Aggregator()
    waits.counting = False
    waits.add(wait(place(), seconds=0.25))
    waits.counting = True
    waits.add(wait(place()))
    totals = waits.totals()
    assert (totals.waits, totals.skipped, totals.skipped_seconds) == (1, 1, 0.25)


def test_sites_beyond_the_limit_are_counted_without_a_place() -> None:
    waits = Aggregator(most_sites=3)
    for row in range(10):
        waits.add(wait(place(row=row), seconds=1.0))
    sites = waits.sites(lambda one: "HS101")
    assert len(sites) == 4
    (crowd,) = [site for site in sites if site.place is None]
    assert (crowd.count, crowd.seconds, crowd.kind, crowd.code) == (7, 7.0, "other", None)
    totals = waits.totals()
    assert (totals.waits, totals.crowded) == (10, 7)


def test_streams_of_a_site_are_bounded() -> None:
    waits = Aggregator()
    for stream in range(1000):
        waits.add(wait(place(), stream=stream))
    assert len(waits.sites()[0].streams) == MOST_STREAMS


def test_events_are_a_fair_sample_in_order() -> None:
    waits = Aggregator(most_events=500)
    for index in range(10_000):
        waits.add(wait(place()), end=float(index))
    ends = [event.end for event in waits.events()]
    assert waits.is_sampled
    assert len(ends) == 500
    assert ends == sorted(ends)
    assert 4_000 < sum(ends) / 500 < 6_000


def test_the_programs_random_numbers_are_not_touched() -> None:
    random.seed(1)
    expected = [random.random() for _ in range(3)]
    random.seed(1)
    waits = Aggregator(most_events=2)
    for _ in range(100):
        waits.add(wait(place()))
    assert [random.random() for _ in range(3)] == expected


def test_memory_is_bounded_over_a_million_waits() -> None:
    waits = Aggregator(most_sites=100, most_events=1_000)
    places = [place(row=row) for row in range(200)]

    def many(count: int) -> None:
        for index in range(count):
            # A new record each time, as a source makes it.
            waits.add(wait(places[index % 200], seconds=1e-6 * (index % 7)), end=float(index))

    many(20_000)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    many(20_000)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 1_500_000
    one = wait(places[0])
    for _ in range(1_000_000):
        waits.add(one)
    assert waits.totals().waits == 1_040_000


def test_threads_lose_nothing() -> None:
    waits = Aggregator(most_sites=5, most_events=100)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:

        def work(number: int) -> None:
            for index in range(2_000):
                waits.add(wait(place(row=(index + number) % 9)))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert waits.totals().waits == 16_000
    assert sum(site.count for site in waits.sites()) == 16_000
