"""How beliefs merge where control flow meets, and which releases a statement speaks of."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostsync.facts import Span
from hostsync.infer import values as v
from hostsync.infer.calls.placing import device_named
from hostsync.infer.devices import ACCELERATOR, CPU, Device, is_certain, only_host
from hostsync.infer.events import Reason
from hostsync.infer.joining import element_of, join, mapping_element
from hostsync.infer.origins import MAX_CHAIN, because, reasons
from hostsync.infer.versions import TorchRange, overlaps, parse_release

ATOMS = st.sampled_from(["acc", "cpu", "meta", "?", "=x", "=device"])
DEVICES = st.frozensets(ATOMS, min_size=1, max_size=3)
NAMES = st.sampled_from(["x", "y", "torch.nn.Module", "torch.relu", "Net"])
ORIGINS = st.one_of(
    st.none(), st.builds(lambda row: because(Reason(Span(row, 1, row, 2), "made"), None), st.integers(1, 5))
)
TENSORS = st.builds(
    v.Tensor,
    DEVICES,
    st.sampled_from(["", "bool", "int", "float"]),
    st.none() | st.integers(0, 4),
    st.booleans(),
    st.none() | st.booleans(),
    ORIGINS,
    st.none() | st.sampled_from(["x", "y"]),
)
SIMPLE = st.one_of(
    st.builds(v.Unknown, st.none() | st.sampled_from(["x", "y"]), st.booleans(), st.none()),
    TENSORS,
    st.builds(v.Array, st.none() | st.integers(0, 3), st.sampled_from(["", "bool"])),
    st.builds(v.Number, st.integers(-2, 2) | st.booleans() | st.just(0.5)),
    st.builds(v.Text, st.sampled_from(["cuda", "cpu"])),
    st.just(v.NOTHING),
    st.builds(v.DeviceValue, DEVICES),
    st.builds(v.DtypeValue, st.sampled_from(["", "bool", "float"])),
    st.builds(v.Ref, NAMES),
    st.builds(v.ClassRef, st.sampled_from(["Model", "Model.Part"])),
    st.builds(
        v.Instance, NAMES, st.booleans(), DEVICES, st.sampled_from([(), (("pin_memory", True),)]), ORIGINS, st.none()
    ),
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    kinds = st.sampled_from(["list", "tuple", "set", "iterable"])
    return st.one_of(
        st.builds(v.Items, kinds, st.lists(inner, max_size=3).map(tuple), st.just(v.UNKNOWN)),
        st.builds(v.Items, kinds, st.none(), inner),
        st.builds(
            v.Mapping, st.dictionaries(st.sampled_from("abc"), inner, max_size=2).map(lambda d: tuple(d.items())), inner
        ),
        st.builds(v.Method, inner, st.sampled_from(["item", "to"])),
    )


VALUES = st.recursive(SIMPLE, _containers, max_leaves=6)
KINDS = [
    *(st.just(value) for value in (v.UNKNOWN, v.Number(2))),
    TENSORS,
    st.builds(v.Unknown, st.sampled_from(["x", "y"]), st.booleans(), st.none()),
    st.builds(v.Number, st.integers(0, 1) | st.booleans()),
    st.builds(v.Array, st.none() | st.integers(0, 1), st.sampled_from(["", "bool"])),
    st.builds(v.DeviceValue, DEVICES),
    st.builds(v.Instance, st.just("Net"), st.just(True), DEVICES, st.just(()), ORIGINS, st.none()),
    st.builds(v.Text, st.sampled_from(["cuda", "cpu"])),
    st.builds(v.Ref, NAMES),
]
ALIKE = st.recursive(st.one_of(KINDS), _containers, max_leaves=4)
PAIRS = st.one_of(
    st.tuples(VALUES, VALUES),
    st.tuples(ALIKE, ALIKE),
    *(st.tuples(kind, kind) for kind in KINDS),
    *(st.tuples(_containers(kind), _containers(kind)) for kind in KINDS),
)


def meaning(value: Any) -> Any:
    """A value without what says only where a belief came from, and without the order of keys."""
    if isinstance(value, v.Tensor):
        return (v.Tensor, value._replace(origin=None))
    if isinstance(value, v.Instance):
        return (v.Instance, value._replace(made=None, held=None), meaning(value.held))
    if isinstance(value, v.Items):
        items = None if value.items is None else tuple(meaning(item) for item in value.items)
        return (v.Items, value.kind, items, meaning(value.element))
    if isinstance(value, v.Mapping):
        element = v.UNKNOWN if isinstance(value.element, v.Unknown) else value.element
        return (v.Mapping, frozenset((k, meaning(item)) for k, item in value.items), meaning(element))
    if isinstance(value, v.Method):
        return (v.Method, meaning(value.receiver), value.name)
    if isinstance(value, v.Choice):
        return (v.Choice, frozenset(value.options))
    return (type(value), value)


@given(VALUES)
def test_join_with_itself_changes_nothing(value: Any) -> None:
    assert join(value, value) == value
    assert meaning(join(value, value._replace())) == meaning(value)


@settings(max_examples=300, deadline=None)
@given(PAIRS)
def test_join_does_not_depend_on_the_order(pair: tuple[Any, Any]) -> None:
    a, b = pair
    assert meaning(join(a, b)) == meaning(join(b, a))


@given(VALUES, VALUES, VALUES)
def test_join_takes_any_values(a: Any, b: Any, c: Any) -> None:
    joined = join(join(a, b), c)
    v.tensors_in(joined)
    if isinstance(joined, v.Items):
        element_of(joined)
    if isinstance(joined, v.Mapping):
        mapping_element(joined)


@given(TENSORS, TENSORS)
def test_joined_tensors_live_in_the_places_of_both(a: v.Tensor, b: v.Tensor) -> None:
    joined = join(a, b)
    assert isinstance(joined, v.Tensor)
    assert joined.device == a.device | b.device
    assert joined.sure == (a.sure and b.sure)
    for field in ("dtype", "ndim", "pinned"):
        if getattr(a, field) == getattr(b, field):
            assert getattr(joined, field) == getattr(a, field)
        else:
            assert not getattr(joined, field)
    if a.param is None or b.param is None:
        assert joined.param is None
    else:
        assert joined.param is not None
        assert set(v.params_in(joined.param)) == {*v.params_in(a.param), *v.params_in(b.param)}
    assert join(b, a).param == joined.param


@given(TENSORS, VALUES)
def test_a_tensor_on_one_path_is_no_more_than_perhaps_a_tensor(tensor: v.Tensor, other: Any) -> None:
    joined = join(tensor, other)
    if isinstance(other, v.Nothing):
        assert joined == tensor
        return
    assert isinstance(joined, v.Tensor)
    assert joined.device >= tensor.device
    if tensor.dtype == "bool" and isinstance(other, v.Number) and isinstance(other.const, bool):
        # `return False` on one path: asked for its truth, the other is a tensor all the same.
        assert joined.sure == tensor.sure
        return
    assert joined.sure <= (isinstance(other, v.Tensor) and other.sure and tensor.sure)


@given(VALUES)
def test_none_on_one_path_leaves_the_other(value: Any) -> None:
    assert join(value, v.NOTHING) == value
    assert join(v.NOTHING, value) == value


@pytest.mark.parametrize(
    ("name", "certain", "host"),
    [("cuda", True, False), ("cuda:1", True, False), ("cpu", False, True), ("meta", False, True), ("mps", False, True),
     ("xpu:0", False, True), ("auto", False, False)],
)  # fmt: skip
def test_only_of_cuda_a_name_makes_certain(name: str, certain: bool, host: bool) -> None:
    device = device_named(name)
    assert (is_certain(device), only_host(device)) == (certain, host)


@given(DEVICES)
def test_a_place_is_not_both_sure_and_host(device: Device) -> None:
    assert not (is_certain(device) and only_host(device))


@given(st.lists(st.integers(1, 50), max_size=20))
def test_a_chain_keeps_its_first_and_latest_reasons(rows: list[int]) -> None:
    origin = None
    for row in rows:
        origin = because(Reason(Span(row, 1, row, 2), str(row)), origin)
    chain = reasons(origin)
    assert len(chain) <= MAX_CHAIN
    if rows:
        assert chain[-1].text == str(rows[-1])


def test_lists_of_different_kinds_do_not_join_to_the_first() -> None:
    numbers, texts = v.Items("list", None, v.NUMBER), v.Items("list", None, v.TEXT)
    assert meaning(join(numbers, texts)) == meaning(join(texts, numbers))


def test_accelerator_and_host_join_to_either() -> None:
    joined = join(v.Tensor(ACCELERATOR), v.Tensor(CPU))
    assert isinstance(joined, v.Tensor)
    assert not only_host(joined.device)
    assert not is_certain(joined.device)


# --- releases ------------------------------------------------------------------------------------

RELEASES = st.tuples(st.just(2), st.integers(0, 20))
RANGES = st.tuples(RELEASES, RELEASES).map(lambda pair: TorchRange(min(pair), max(pair)))
PARTS = st.tuples(st.sampled_from(["<", "<=", ">", ">=", "=="]), RELEASES)
SPECIFIERS = st.lists(PARTS, max_size=3)


def _holds(release: tuple[int, int], parts: list[tuple[str, tuple[int, int]]]) -> bool:
    tests = {"<": release.__lt__, "<=": release.__le__, ">": release.__gt__, ">=": release.__ge__, "==": release.__eq__}
    return all(tests[operator](bound) for operator, bound in parts)


@given(RANGES, SPECIFIERS)
def test_overlaps_asks_each_release(torch: TorchRange, parts: list[tuple[str, tuple[int, int]]]) -> None:
    specifier = ",".join(f"{operator}{major}.{minor}" for operator, (major, minor) in parts)
    releases = [(2, minor) for minor in range(torch.first[1], torch.last[1] + 1)]
    assert overlaps(torch, specifier) == any(_holds(release, parts) for release in releases)


@given(RELEASES)
def test_a_release_is_in_its_own_range(release: tuple[int, int]) -> None:
    text = f"{release[0]}.{release[1]}"
    for suffix in ("", ".0", ".1+cu130"):
        assert parse_release(text + suffix) == TorchRange(release, release)
    assert overlaps(parse_release(text), f"=={text}")
    assert not overlaps(parse_release(text), f"<{text}")


@pytest.mark.parametrize("specifier", ["2.15", "~=2.1", "<2", "< 2.15 or >3", "<2.15;>2.3"])
def test_overlaps_refuses_what_is_no_specifier(specifier: str) -> None:
    with pytest.raises(ValueError, match="specifier"):
        overlaps(TorchRange(), specifier)


@pytest.mark.parametrize("text", ["", "new", "2", "v2.11"])
def test_parse_release_refuses_what_is_no_release(text: str) -> None:
    with pytest.raises(ValueError, match="torch release"):
        parse_release(text)
