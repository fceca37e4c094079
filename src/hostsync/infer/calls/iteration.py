"""Transfer functions of `itertools` and `collections`: what goes through them, and what they hold."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import BUILTINS, ArgumentList, KeywordList
from hostsync.infer.frame import Frame
from hostsync.infer.iterating import iterated
from hostsync.infer.joining import join
from hostsync.infer.values import NUMBER, UNKNOWN, Items, Mapping, Number, Ref, Value

_SAME: Final = frozenset({"accumulate", "compress", "cycle", "islice"})
"""They give elements of their first argument."""
_FILTERS: Final = frozenset({"dropwhile", "filterfalse", "takewhile"})
"""They give elements of their second argument."""
_MOST_PARTS: Final = 8
_EMPTY: Final[dict[str, Value]] = {
    "builtins.list": Items("list", (), UNKNOWN),
    "builtins.dict": Mapping((), UNKNOWN),
    "builtins.int": NUMBER,
    "builtins.float": NUMBER,
}
"""What a `defaultdict` has under a key that is new, by its factory."""


def iteration(frame: Frame, node: facts.Call, name: str, args: ArgumentList, keywords: KeywordList) -> Value:
    """A call of a function or class of `itertools` or `collections`, by its dotted name."""
    root, _, last = name.partition(".")
    if root == "collections":
        return _collection(frame, node, last, args, keywords)
    if any(isinstance(expr, facts.Starred) for expr, _ in args):
        return UNKNOWN
    if last == "count":
        return Items("iterable", None, NUMBER)
    if not args:
        return UNKNOWN
    first = iterated(frame, args[0][1])
    if last in _SAME:
        return Items("iterable", None, first)
    if last in _FILTERS:
        return Items("iterable", None, iterated(frame, args[1][1]) if len(args) > 1 else UNKNOWN)
    if last == "repeat":
        return Items("iterable", None, args[0][1])
    if last == "chain":
        for _, value in args[1:]:
            first = join(first, iterated(frame, value))
        return Items("iterable", None, first)
    if last == "chain.from_iterable":
        return Items("iterable", None, iterated(frame, first))
    if last == "zip_longest":
        return BUILTINS["zip"](frame, node, args, [])
    if last == "tee":
        return Items("tuple", None, Items("iterable", None, first))
    if last == "batched":
        return Items("iterable", None, Items("tuple", None, first))
    if last == "groupby":
        return Items("iterable", None, Items("tuple", (UNKNOWN, Items("iterable", None, first)), UNKNOWN))
    parts = _parts(frame, last, first, args, keywords)
    return UNKNOWN if parts is None else Items("iterable", None, parts)


def _parts(frame: Frame, last: str, first: Value, args: ArgumentList, keywords: KeywordList) -> Items | None:
    """The tuples that `pairwise`, `product`, `combinations` and the like give; None for other functions."""
    if last == "pairwise":
        return Items("tuple", (first, first), UNKNOWN)
    if last == "product":
        if any(name == "repeat" for name, _, _ in keywords):
            return Items("tuple", None, first)
        return Items("tuple", tuple([iterated(frame, value) for _, value in args]), UNKNOWN)
    if last in {"combinations", "combinations_with_replacement", "permutations"}:
        count = args[1][1] if len(args) > 1 else UNKNOWN
        if isinstance(count, Number) and isinstance(count.const, int) and 0 < count.const <= _MOST_PARTS:
            return Items("tuple", (first,) * count.const, UNKNOWN)
        return Items("tuple", None, first)
    return None


def _collection(frame: Frame, node: facts.Call, last: str, args: ArgumentList, keywords: KeywordList) -> Value:
    if last == "deque":
        return Items("list", None, iterated(frame, args[0][1])) if args else Items("list", (), UNKNOWN)
    if last == "Counter":
        return Mapping((), NUMBER)
    if last == "OrderedDict":
        return BUILTINS["dict"](frame, node, args, keywords)
    if last == "defaultdict" and args:
        factory = args[0][1]
        return Mapping((), _EMPTY.get(factory.name, UNKNOWN) if isinstance(factory, Ref) else UNKNOWN)
    return UNKNOWN
