"""Following a whole module: its own body, then each of its functions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple, TypeVar

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.findings import CONFIDENCES
from hostsync.infer.calls import dispatch  # noqa: F401  (registers its transfer functions, as others below do)
from hostsync.infer.classes import attributes
from hostsync.infer.context import Context
from hostsync.infer.events import Event
from hostsync.infer.expressions import atoms, operators, scopes, texts, truth  # noqa: F401
from hostsync.infer.frame import Frame, execute
from hostsync.infer.functions import bind_params, method_frame, run, usage
from hostsync.infer.hints.compiled import compiles_when_imported
from hostsync.infer.hints.evidence import Usage
from hostsync.infer.indexing import loads, stores  # noqa: F401
from hostsync.infer.joining import join
from hostsync.infer.linking.handed import KEYS, PROMISED, ROUNDS, told_by_calls
from hostsync.infer.linking.links import Links
from hostsync.infer.linking.summaries import result_of, summarise
from hostsync.infer.records import Handed, Recorded
from hostsync.infer.settling import settle
from hostsync.infer.statements import assignments, branches, definitions, leaving, loops, plain  # noqa: F401
from hostsync.infer.values import Callable, Tensor, Value, tensor_because
from hostsync.infer.versions import TorchRange
from hostsync.infer.waiting_calls import calls_that_wait

_NO_USAGE: Final = Usage({}, True, True)
_DEEPEST: Final = 40
"""Calls inside of each other that are followed so."""


_NEWS: Final = 4
"""How many calls up what callers elsewhere tell of a function is followed."""


class Followed(NamedTuple):
    """What following a module has found."""

    context: Context
    events: tuple[Event, ...]
    """Sorted by position; of several that say the same, the surest."""
    recorded: tuple[Recorded, ...]
    """What the events came from."""
    before: tuple[Recorded, ...]
    """What was recorded of functions before callers within the module told something of them, in terms of their
    parameters."""


def follow_module(
    module: facts.Module,
    ops: Mapping[str, Op],
    torch: TorchRange,
    links: Links | None = None,
    handed: dict[str, dict[str, Handed]] | None = None,
    asked: Collection[str] = (),
) -> Followed:
    """Follows a module and all of its functions.

    Args:
        module, ops, torch: as for `analyse`.
        links: tells of the modules that it imports.
        handed: what callers elsewhere hand in, by function and parameter.
        asked: the names that other modules import from it; `*` stands for all.
    """
    context = Context(module, ops, torch, links)
    context.asked = frozenset(asked)
    context.unchecked = context.unchecked or compiles_when_imported(module.body)
    context.handed.update(handed or {})
    top = Frame(context, "<module>", _NO_USAGE, loud=True)
    context.names = top.env
    execute(top, module.body)
    # Branches of the module's body replace the environment; functions see what it ended with.
    context.names = top.env
    recorded: list[Recorded] = list(top.events or ())
    _follow_all(context, recorded)
    for info in context.classes.values():
        info.set_up = None
    return _settled(context, recorded)


def follow_again(followed: Followed, handed: dict[str, dict[str, Handed]]) -> Followed:
    """Follows what callers elsewhere tell something new of, in a module that has been followed.

    Args:
        followed: the module. It may be changed, and is not to be used any more.
        handed: what callers hand in, by function and parameter.
    """
    context = followed.context
    keys = {key: held for key, held in handed.pop(KEYS, {}).items() if context.keys.get(key) != held}
    context.keys.update(keys)
    readers = {symbol for key in keys for symbol in context.loaded.get(key, ())}
    concerned = _promise(context, handed)
    known = context.handed
    news = {symbol: params for symbol, params in handed.items() if _is_news(params, known.get(symbol, {}))}
    told: dict[str, dict[str, Handed]] = {**{symbol: {} for symbol in sorted(readers | concerned)}, **news}
    return _settled(context, _tell(context, list(followed.recorded), told), again=True)


def _promise(context: Context, handed: dict[str, dict[str, Handed]]) -> set[str]:
    """Takes out of what is told what derived classes promise of their objects; the methods that it is news for."""
    concerned: set[str] = set()
    for symbol in [symbol for symbol in handed if symbol.startswith(PROMISED)]:
        info = context.classes.get(symbol[len(PROMISED) :])
        values = {name: held.value for name, held in handed.pop(symbol).items()}
        if info is None or all(info.promised.get(name) == value for name, value in values.items()):
            continue
        info.promised.update(values)
        info.table, info.writes, info.set_up = None, {}, None
        for other in context.classes.values():
            if info in context.lineage(other.name):
                concerned.update(f"{other.name}.{method}" for method in other.methods)
    return concerned


def _is_news(params: Mapping[str, Handed], known: Mapping[str, Handed]) -> bool:
    return any(known.get(name) != held for name, held in params.items())


def _settled(context: Context, recorded: list[Recorded], *, again: bool = False) -> Followed:
    """Lets the calls inside the module tell what they can, and judges what was recorded."""
    first = recorded
    for _ in range(ROUNDS):
        told = told_by_calls(context, again=again)
        if not told:
            break
        recorded = _tell(context, recorded, told)
    kept = {id(record) for record in recorded}
    events = settle(context, recorded)
    before = tuple([record for record in first if id(record) not in kept])
    return Followed(context, _surest([*events, *calls_that_wait(context, events)]), tuple(recorded), before)


def _tell(context: Context, recorded: list[Recorded], told: dict[str, dict[str, Handed]]) -> list[Recorded]:
    """Follows functions anew that callers have told something of, and those that this is news for; the events of all.

    News is what a function returns, for its callers, and what it leaves in the attributes of an object, for all methods
    of its class and of those derived from it.
    """
    seen = {"<module>"}
    for symbol, params in told.items():
        if params:
            context.handed.setdefault(symbol, {}).update(params)
    affected = set(told)
    for _ in range(_NEWS):
        for owner in {symbol.rpartition(".")[0] for symbol in affected if _leaves_something(context, symbol)}:
            affected |= _attributes_anew(context, owner)
        affected -= seen
        if not affected:
            break
        seen |= affected
        before = _without_origins({key: value for key, value in context.summaries.items() if key[0] in affected})
        for key in before:
            del context.summaries[key]
            context.effects.pop(key, None)
        recorded = _anew(context, recorded, affected)
        for callee in context.pending:
            if (callee.symbol, callee.bound) in before:
                summarise(context, callee)
        after = _without_origins({key: context.summaries[key] for key in before if key in context.summaries})
        changed = {key[0] for key, value in before.items() if after.get(key) != value}
        affected = {site.caller for symbol in changed for site in context.calls.get(symbol, ())}
    return recorded


def _leaves_something(context: Context, symbol: str) -> bool:
    """Whether a function assigns to attributes, so that what it is handed may turn up elsewhere."""
    node = context.functions.get(symbol)
    return node is not None and usage(context, node).stores_attributes


def _attributes_anew(context: Context, owner: str) -> set[str]:
    """Finds out the attributes of a class anew; the methods that may see them, if that gave something else."""
    info = context.classes.get(owner)
    if info is None or info.table is None:
        return set()
    before = info.table
    info.table, info.writes, info.set_up = None, {}, None
    if _without_origins(attributes(context, info)) == _without_origins(before):
        return set()
    concerned = [other for name, other in context.classes.items() if info in context.lineage(name)]
    readers = {symbol for other in concerned for symbol in context.readers.get(other.name, ())}
    return readers | {f"{other.name}.{method}" for other in concerned for method in other.methods}


K = TypeVar("K")


def _without_origins(values: Mapping[K, Value]) -> dict[K, Value]:
    """Values by what they are, not by where that is known from."""
    return {key: tensor_because(value, None) if isinstance(value, Tensor) else value for key, value in values.items()}


def _follow_all(context: Context, recorded: list[Recorded]) -> None:
    """Follows the functions in turn, but one that is called by another, with that one: its result is needed there."""
    context.follow_now = _Turns(context, recorded).follow_now
    for callee in context.pending:
        if context.due.pop((callee.symbol, callee.bound), None) is not None:
            recorded.extend(_follow(context, callee))
    context.follow_now = None


class _Turns:
    """Follows functions before their turn, for as long as a module's functions are followed in turn."""

    def __init__(self, context: Context, recorded: list[Recorded]) -> None:
        self._context = context
        self._recorded = recorded
        self._device = context.default_device
        self._depth = 0

    def follow_now(self, callee: Callable) -> None:
        context = self._context
        key = (callee.symbol, callee.bound)
        inside = callee.symbol in context.closures or callee.owner in context.closures
        if inside or self._depth >= _DEEPEST or context.default_device != self._device:
            return
        if context.due[key].node is not callee.node:
            return
        del context.due[key]
        self._depth += 1
        self._recorded.extend(_follow(context, callee))
        self._depth -= 1


def _anew(context: Context, recorded: list[Recorded], symbols: Collection[str]) -> list[Recorded]:
    """Follows functions anew; the events of all."""
    for sites in context.calls.values():
        sites[:] = [site for site in sites if site.caller not in symbols]
    context.named_calls[:] = [call for call in context.named_calls if call.caller not in symbols]
    context.vague_calls = {call for call in context.vague_calls if call.caller not in symbols}
    kept = [record for record in recorded if record.event.symbol not in symbols]
    for callee in context.pending[:]:
        if callee.symbol in symbols:
            kept.extend(_follow(context, callee))
    return kept


def _follow(context: Context, callee: Callable) -> list[Recorded]:
    node = callee.node
    assert isinstance(node, facts.Function)
    if not usage(context, node).candidates:
        _sign(context, callee, node)
        return []
    if callee.owner is not None:
        info = context.classes[callee.owner]
        if node.name == "__init__":
            attributes(context, info)
        if isinstance(info.set_up, Frame) and node.name == "__init__" and not context.handed:
            frame, info.set_up = info.set_up, None
            return _done(context, callee, node, frame)
        frame = method_frame(context, info, node, loud=True)
    else:
        frame = Frame(
            context,
            callee.symbol,
            usage(context, node),
            outer=context.closures.get(callee.symbol),
            function=node,
            loud=True,
        )
    run(frame, node)
    return _done(context, callee, node, frame)


def _sign(context: Context, callee: Callable, node: facts.Function) -> None:
    """Notes which parameters callers may tell of, for a function that can't wait but may return or keep them."""
    if node.params and callee.symbol not in context.signatures:
        frame = Frame(context, callee.symbol, usage(context, node), owner=callee.owner, function=node, loud=True)
        frame.bound = callee.bound
        bind_params(frame, node.params)


def _done(context: Context, callee: Callable, node: facts.Function, frame: Frame) -> list[Recorded]:
    """Takes down what following a function has shown; its events."""
    key = (callee.symbol, callee.bound)
    if key not in context.summaries and key not in context.busy and not frame.of_callers:
        context.summaries[key] = result_of(frame, node)
    if callee.owner is not None and node.params:
        for name in frame.buffers:
            frame.paths.pop(f"{node.params[0].name}.{name}", None)
        _leave(context, callee.owner, frame, node.params[0].name + ".")
    return frame.events or []


def _leave(context: Context, owner: str, frame: Frame, prefix: str) -> None:
    """Takes down the tensors that a method leaves in the attributes of its object."""
    for path, value in frame.paths.items():
        if isinstance(value, Tensor) and value.sure and path.startswith(prefix) and "." not in path[len(prefix) :]:
            held = context.left.setdefault(owner, {})
            known = held.get(path[len(prefix) :])
            held[path[len(prefix) :]] = value if known is None else join(known, value)


def _surest(events: list[Event]) -> tuple[Event, ...]:
    best: dict[tuple[object, ...], Event] = {}
    for event in events:
        key = (event.span, event.kind, event.op, event.form)
        known = best.get(key)
        if known is None or CONFIDENCES.index(event.confidence) < CONFIDENCES.index(known.confidence):
            best[key] = event
    return tuple(sorted(best.values(), key=lambda e: (e.span, e.kind, e.op, e.form)))
