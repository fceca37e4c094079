"""What a file offers, name by name: who uses one name is told of changes of that one, and of no other."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from hostsync.infer.linking.interface import Interface
from hostsync.infer.linking.plain import SEPARATOR
from hostsync.lint import offers

DATA = {
    "classes": {"Net": {"bases": [], "methods": {"forward": 1}}, "Other": {}},
    "functions": {"make": ["O", "a.py:Net"], "helper": ["F", "b.py:f"], "twice": ["F", "a.py:helper"]},
    "mentions": ["b.py"],
    "names": {"make": ["F", "a.py:make"], "Alias": ["C", "a.py:Net"], "number": ["#", 1]},
}
SPEAKS_OF = {"make": {"make", "Net"}, "Alias": {"Net"}, "helper": {"b.py:f"}, "twice": {"helper"}, "Other": {"b.py:"}}


def test_the_name_of_a_file_ends_where_inference_says():
    assert offers.SEPARATOR == SEPARATOR


def _resolved(data=DATA, speaks_of=SPEAKS_OF, foreign=lambda name: name):
    _, own = offers.written(Interface(data, speaks_of))
    return offers.resolved(own, foreign)


def _changed(before, after):
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def test_what_is_written_is_the_whole_interface():
    text, _ = offers.written(Interface(DATA, SPEAKS_OF))
    assert text == json.dumps(DATA, separators=(",", ":"), sort_keys=True)
    text, _ = offers.written(Interface({**DATA, "unchecked": True}, SPEAKS_OF))
    assert json.loads(text)["unchecked"] is True


def test_one_more_function_is_news_for_nobody_else():
    more = {**DATA, "functions": {**DATA["functions"], "more": ["N"]}}
    assert _changed(_resolved(), _resolved(more)) == {offers.WHOLE, "more"}


def test_a_class_is_news_for_all_that_give_it():
    classes = {**DATA["classes"], "Net": {"bases": [], "methods": {"forward": 2}}}
    assert _changed(_resolved(), _resolved({**DATA, "classes": classes})) == {offers.WHOLE, "Net", "make", "Alias"}


def test_what_another_file_holds_is_news_for_all_that_speak_of_it():
    after = _resolved(foreign=lambda name: f"{name} changed" if name == "b.py:f" else name)
    assert _changed(_resolved(), after) == {offers.WHOLE, "helper", "twice"}


def test_a_file_as_a_whole_is_spoken_of():
    after = _resolved(foreign=lambda name: f"{name} changed" if name == "b.py:" else name)
    assert _changed(_resolved(), after) == {offers.WHOLE, "Other"}


def test_what_switches_checks_off_is_news_for_all():
    after = _resolved({**DATA, "unchecked": True})
    assert _changed(_resolved(), after) == after.keys()


def test_a_name_that_comes_is_news_for_those_that_spoke_of_it():
    without = {**DATA, "functions": {key: held for key, held in DATA["functions"].items() if key != "helper"}}
    assert _changed(_resolved(without), _resolved()) == {offers.WHOLE, "helper", "twice"}


def test_a_method_is_known_through_its_class():
    known = _resolved()
    assert offers.offered(known, "Net.forward") == known["Net"] != known["Other"]
    assert offers.offered(known, "nothing") == offers.offered(known, "no.such") == known[offers.REST]
    assert offers.offered(known, "") == known[offers.WHOLE]
    assert offers.offered({}, "Net") == offers.offered({}, "") == ""


_NAMES = st.sampled_from("abcdef")
_HELD = st.dictionaries(_NAMES, st.integers(0, 3), max_size=6)


@given(_HELD, _HELD, _HELD, st.dictionaries(_NAMES, st.sets(_NAMES)))
def test_who_can_reach_nothing_that_changed_is_told_of_nothing(classes, functions, names, speaks_of):
    def of(first):
        data = {"classes": {**classes, "a": first}, "functions": functions, "names": names, "mentions": []}
        return _resolved(data, speaks_of)

    reach = {"a"}
    for _ in "abcdef":
        reach |= {name for name, others in speaks_of.items() if others & reach}
    before = of("before")
    assert _changed(before, of("after")) == {offers.WHOLE, *(reach & before.keys())}
