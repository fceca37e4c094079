"""What docstrings say of the types of parameters, in each style."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostsync.syntax.docstrings import LONGEST, types_in

NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
TYPES = st.sampled_from(["Tensor", "torch.Tensor", "float", "list[int]", "`torch.LongTensor` of shape `(n, 1)`"])
STYLES = {
    "numpy": "Does it.\n\nParameters\n----------\n    {name} : {type}\n        The {name}.\n",
    "google": "Does it.\n\nArgs:\n    {name} ({type}): the input.\n",
    "google without a colon": "Does it.\n\n    {name} ({type})\n        the input\n",
    "sphinx": "Does it.\n\n:param {name}: the input\n:type {name}: {type}\n",
    "list": "Does it.\n\n  - {name} ({type}): the input\n",
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@given(NAMES, TYPES)
def test_each_style_gives_the_type(style: str, name: str, kind: str) -> None:
    assert types_in(style.format(name=name, type=kind))[name] == kind


@given(NAMES, st.sampled_from(["Tensor", "torch.Tensor", "list[int]"]))
def test_sphinx_gives_the_type_before_the_name(name: str, kind: str) -> None:
    assert types_in(f":param {kind} {name}: the input")[name] == kind


def test_names_that_share_a_type() -> None:
    assert types_in("x0, *rest, **others (Tensor): all\n") == dict.fromkeys(["x0", "rest", "others"], "Tensor")


def test_what_is_said_first_counts() -> None:
    assert types_in("x (Tensor): in\n\nReturns:\n    x (float): out\n") == {"x": "Tensor"}


def test_prose_gives_no_types() -> None:
    assert types_in("Moves x (the input) to y.\nSee `z` (Tensor) there.\n    and x\n") == {}


@given(st.text(alphabet=st.sampled_from("ax ,*:()\n\t-[].|"), max_size=300) | st.text(max_size=300))
def test_any_text_is_understood(text: str) -> None:
    assert all(len(kind) <= LONGEST for kind in types_in(text).values())
