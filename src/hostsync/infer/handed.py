"""What callers hand in: evidence for parameters that neither an annotation nor their use tells the kind of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Mapping_
from pathlib import Path
from random import Random
from threading import Thread
from typing import NamedTuple

from hostsync import facts
from hostsync.infer.events import Reason
from hostsync.infer.frame import CallSite, Context, Frame, Handed, NamedCall
from hostsync.infer.plain import SEPARATOR, Plain, decode, encode, is_foreign
from hostsync.infer.values import (
    ANYWHERE,
    UNKNOWN,
    Array,
    ClassRef,
    Instance,
    Items,
    Mapping,
    Method,
    Tensor,
    Unknown,
    Value,
    because,
    join,
    tensors_in,
    with_tensors,
)

KEYS = "[]"
"""Stands for the dictionaries of the project, in the place of a function: what they hold, by key."""
HELD = "~"
"""Begins the name of what is held by something that only has a name: `~scheduler.timesteps`."""
COMMON = frozenset(
    {name for kind in (dict, list, set, str, bytes, tuple, int, float, Path, Thread, Random) for name in dir(kind)}
) | frozenset(
    "forward backward step zero_grad state_dict load_state_dict parameters named_parameters buffers named_buffers "
    "modules named_modules children named_children train eval to cpu cuda half float double bfloat16 apply register "
    "requires_grad_ register_buffer register_parameter register_module register_forward_hook add_module size dim "
    "compile share_memory type item numpy detach clone view reshape save load close flush open run main info debug "
    "warning error exception critical log call result done submit shutdown cancel reset update compute build create "
    "fit transform predict score sample encode decode map filter reduce mean sum std var min max all any argmax "
    "argmin flatten squeeze unsqueeze transpose permute dot norm abs backward_hook acquire release wait notify".split()
)
"""Methods of Python's types, and those that classes of many libraries have: who calls them may mean anything."""
ROUNDS = 3
"""How many calls deep evidence is handed on inside a module."""
_MOST_NAMED_CALLS = 200
_OBJECTS = "K"
"""Begins the plain form of objects that are handed in: the classes that they are of."""


def name_of(receiver: Value) -> str:
    """The name that something of an unknown class goes by; empty if it has none."""
    if isinstance(receiver, Method) and isinstance(receiver.receiver, (Instance, Unknown, Method)):
        return receiver.name
    if isinstance(receiver, Unknown) and receiver.param is not None and not receiver.derived:
        return "" if receiver.param.startswith(HELD) else receiver.param
    return ""


def held_by(value: Value) -> Value:
    """The elements of what something with a name holds: `scheduler.timesteps`."""
    if isinstance(value, Method):
        name = name_of(value.receiver)
        if name:
            return Unknown(f"{HELD}{name}.{value.name}", True)
    if isinstance(value, Unknown) and value.param is not None and value.param.startswith(HELD):
        return value
    return Unknown()


def note_call(
    frame: Frame,
    node: facts.Call,
    receiver: str,
    method: str,
    args: list[tuple[facts.Expr, Value]],
    keywords: list[tuple[str | None, facts.Expr, Value]],
) -> None:
    """Takes down a call that says something of the parameters of whatever method it turns out to be."""
    calls = frame.context.named_calls
    values = [value for _, value in args] + [value for _, _, value in keywords]
    if len(calls) >= _MOST_NAMED_CALLS or not any(_tells(value) for value in values):
        return
    if any(isinstance(expr, facts.Starred) for expr, _ in args):
        return
    named = tuple((name, value) for name, _, value in keywords if name is not None)
    calls.append(NamedCall(receiver, method, tuple(v for _, v in args), named, frame.symbol, node.span))


def note_asked(frame: Frame, receiver: Value | None, method: str) -> None:
    """Takes down a method that is called of a parameter of which nothing is known."""
    if method in COMMON or not isinstance(receiver, Unknown) or receiver.param is None or receiver.derived:
        return
    frame.context.asked_of.setdefault(frame.symbol, {}).setdefault(receiver.param, set()).add(method)


def _tells(value: Value) -> bool:
    if isinstance(value, Unknown):
        return value.param is not None and value.param.startswith(HELD)
    if isinstance(value, (Items, Mapping)):
        return any(tensor.sure for tensor in tensors_in(value))
    return isinstance(value, Tensor) and value.sure


def told_by_calls(context: Context) -> dict[str, dict[str, Handed]]:
    """What the calls inside the module say of parameters of its functions that are not known yet."""
    found: dict[str, dict[str, Handed]] = {}
    working = _Working(context)
    for symbol, sites in context.calls.items():
        signature = context.signatures.get(symbol)
        if signature is None or not signature.open or is_foreign(symbol):
            continue
        known = context.handed.get(symbol, {})
        for param in signature.open:
            if param not in known:
                handed = _by_sites(context, sites, param, working)
                if handed is not None:
                    found.setdefault(symbol, {})[param] = handed
    return found


def _by_sites(context: Context, sites: Sequence[CallSite], param: str, working: _Working) -> Handed | None:
    """What some calls hand in for a parameter: tensors, else what holds tensors, else objects of one class."""
    tensor: Value | None = None
    holder: Value | None = None
    places: dict[type, Reason] = {}
    objects: dict[str, Reason] = {}
    for site in sites:
        value = site.bindings.get(param)
        reason = Reason(site.span, "the call that hands it in")
        if isinstance(value, Array):
            return None
        if isinstance(value, Instance) and working.has(value):
            objects.setdefault(value.name, reason)
        elif isinstance(value, Tensor) and value.sure:
            places.setdefault(Tensor, reason)
            tensor = opened(value) if tensor is None else join(tensor, opened(value))
        elif isinstance(value, (Items, Mapping)) and _tells(value):
            places.setdefault(type(value), reason)
            holder = opened(value) if holder is None else join(holder, opened(value))
    if isinstance(tensor, Tensor):
        return Handed(tensor._replace(sure=True, origin=because(places[Tensor], None)), places[Tensor], "")
    if isinstance(holder, (Items, Mapping)):
        where = places[type(holder)]
        return Handed(holder, where, "")
    if not objects:
        return None
    shared = common_class(list(objects), {name: [i.name for i in context.lineage(name)[1:]] for name in objects})
    return None if shared is None else Handed(Instance(shared, True), next(iter(objects.values())), "")


def tensor_of(handed: Handed) -> Tensor:
    """What is handed in, of which it is known that it is a tensor."""
    assert isinstance(handed.value, Tensor)
    return handed.value


def common_class(names: Sequence[str], above: Mapping_[str, Sequence[str]]) -> str | None:
    """The nearest class that several are, or are derived from; `above` has the bases of each, the nearest first."""
    first, *others = names
    for name in (first, *above[first]):
        if all(name == other or name in above[other] for other in others):
            return name
    return None


class _Working:
    """Tells which objects do something when they are called, such as modules: their class is worth knowing."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._known: dict[str, bool] = {}

    def has(self, value: Instance) -> bool:
        if not value.local:
            return False
        known = self._known.get(value.name)
        if known is None:
            lineage = self._context.lineage(value.name)
            known = any(name in info.methods for info in lineage for name in ("forward", "__call__"))
            self._known[value.name] = known
        return known


def open_tensor(tensor: Tensor) -> Tensor:
    """A tensor as another function sees it, which does not know the parameters of this one."""
    device = frozenset("?" if atom.startswith("=") else atom for atom in tensor.device) or ANYWHERE
    return tensor._replace(device=device, param=None, origin=None)


def opened(value: Value) -> Value:
    """As `open_tensor`, for what may hold tensors, too."""
    return with_tensors(value, open_tensor)


# --- between modules -----------------------------------------------------------------------------


class Told(NamedTuple):
    """What a module says of others by the way it calls them, and what others may tell it, as plain data."""

    direct: Plain
    """By function of another module and parameter: the value that is handed in, and the row of a call."""
    named: Plain
    """Calls of methods of what only has a name: name, method, arguments, keyword arguments, row."""
    open: Plain
    """By function, the fields of its `Signature`."""
    holds: Plain
    """By class and attribute: the tensors that it holds."""
    stored: Plain
    """By key, what it puts into dictionaries: the value and a row."""
    loaded: Plain
    """The keys that it looks up in dictionaries of which it knows nothing."""
    methods: Plain
    """As `direct`, for methods, those of its own classes too: they speak for the methods that override them. Calls
    from a method of the same name are left out: `super().step(x)` means one class."""
    bases: Plain
    """By class, the classes that it is derived from; those of other modules by `module:name`."""
    asked: Plain
    """By function and parameter of which nothing is known, the methods that are called of it, of those that only some
    class of the project may have."""
    defines: Plain
    """By class, its methods, as in `asked`."""
    passed: Plain
    """By function and parameter, which parameters of which functions of this module are passed on for it: function,
    parameter, whether something was computed from it element by element, row."""


def told_of(context: Context, key: str) -> Told:
    """What a module that has been followed tells of others, and may be told by them; `key` is its name for others."""
    stored = {
        key: [encode(held.value, _qualify), held.where.span[0]]
        for key, held in sorted(context.stored.items())
        if held.where is not None
    }
    loaded = sorted(context.loaded)
    bases = {
        name: names
        for name, info in sorted(context.classes.items())
        if (names := [base.name for base in info.bases if isinstance(base, ClassRef)])
    }
    return Told(
        _direct(context, key),
        _named(context, key),
        _open(context),
        _holds(context),
        stored,
        loaded,
        _methods(context, key),
        bases,
        _asked(context),
        _defines(context),
        _passed(context),
    )


def _qualify(name: str) -> str:
    return name


def _direct(context: Context, key: str) -> Plain:
    return _calls(context, key, ((symbol, sites) for symbol, sites in context.calls.items() if is_foreign(symbol)))


def _methods(context: Context, key: str) -> Plain:
    found = []
    for symbol, sites in context.calls.items():
        owner, _, method = symbol.rpartition(".")
        if owner in context.classes or (owner and is_foreign(owner)):
            found.append((symbol, [site for site in sites if site.caller.rpartition(".")[2] != method]))
    return _calls(context, key, found)


def _asked(context: Context) -> Plain:
    found: dict[str, Plain] = {}
    for symbol, params in sorted(context.asked_of.items()):
        signature = context.signatures.get(symbol)
        if signature is not None:
            held = {name: sorted(methods) for name, methods in sorted(params.items()) if name in signature.open}
            if held:
                found[symbol] = held
    return found


def _defines(context: Context) -> Plain:
    found: dict[str, Plain] = {}
    for name, info in sorted(context.classes.items()):
        methods = [method for method in info.methods if not method.startswith("_") and method not in COMMON]
        if methods:
            found[name] = methods
    return found


def _passed(context: Context) -> Plain:
    found: dict[str, dict[str, dict[str, Plain]]] = {}
    for symbol, sites in sorted(context.calls.items()):
        callee = context.signatures.get(symbol)
        for site in sites:
            caller = context.signatures.get(site.caller)
            if caller is None or not caller.open:
                continue
            for param, value in site.bindings.items():
                if not isinstance(value, Unknown) or value.param not in caller.open:
                    continue
                if callee is None or param in callee.open:
                    link = [site.caller, value.param, value.derived]
                    found.setdefault(symbol, {}).setdefault(param, {}).setdefault(str(link), [*link, site.span[0]])
    return {symbol: {name: list(links.values()) for name, links in params.items()} for symbol, params in found.items()}


def _calls(context: Context, key: str, calls: Iterable[tuple[str, Sequence[CallSite]]]) -> Plain:
    found: dict[str, dict[str, Plain]] = {}
    working = _Working(context)
    for symbol, sites in sorted(calls, key=lambda call: call[0]):
        for site in sites:
            for param, value in site.bindings.items():
                if isinstance(value, Instance) and working.has(value):
                    data: Plain = of_class(_known_as(value.name, key))
                else:
                    data = _argument(value, key)
                if data is None:
                    continue
                held = found.setdefault(symbol, {}).get(param)
                if held is None:
                    found[symbol][param] = [data, site.span[0]]
                else:
                    held[0] = join_plain(held[0], data)
    return {symbol: params for symbol, params in found.items() if params}


def _named(context: Context, key: str) -> Plain:
    found: dict[str, Plain] = {}
    for call in context.named_calls:
        args = [_argument(value, key) for value in call.args]
        keywords = {name: data for name, value in call.keywords if (data := _argument(value, key)) is not None}
        entry = [call.receiver, call.method, args, keywords]
        found.setdefault(str(entry), [*entry, call.span[0]])
    return list(found.values())


def _argument(value: Value, key: str) -> Plain:
    if not _tells(value):
        return None
    return encode(opened(value), lambda name: _known_as(name, key))


def _known_as(name: str, key: str) -> str:
    """The name by which other modules know a class or function of this one, or of another."""
    return name if is_foreign(name) else f"{key}{SEPARATOR}{name}"


def _open(context: Context) -> Plain:
    return {symbol: [list(part) for part in held] for symbol, held in context.signatures.items() if held.open}


def _holds(context: Context) -> Plain:
    found: dict[str, Plain] = {}
    for name, info in context.classes.items():
        for attribute, value in (info.table or context.left.get(name, {})).items():
            if isinstance(value, Tensor) and value.sure:
                found.setdefault(name, {})[attribute] = encode(open_tensor(value), _qualify)
    return found


def join_plain(a: Plain, b: Plain) -> Plain:
    """The join of two values in their plain form."""
    if a == b:
        return a
    if a[0] == _OBJECTS and b[0] == _OBJECTS:
        return [_OBJECTS, sorted({*a[1], *b[1]})]
    if a[0] == _OBJECTS or b[0] == _OBJECTS:
        return b if a[0] == _OBJECTS else a
    first, second = decode(a, _nothing), decode(b, _nothing)
    if type(first) is type(second) and isinstance(first, (Tensor, Items, Mapping)):
        return encode(join(first, second), _qualify)
    # What one call tells is enough.
    return a if isinstance(first, Tensor) or not isinstance(second, (Tensor, Items, Mapping)) else b


def is_sure(data: Plain) -> bool:
    """Whether a value in its plain form is a tensor for sure."""
    value = decode(data, _nothing)
    return isinstance(value, Tensor) and value.sure


def element_plain(data: Plain) -> Plain:
    """An element of a tensor in its plain form."""
    value = decode(data, _nothing)
    if not isinstance(value, Tensor):
        return data
    return encode(value._replace(ndim=value.ndim - 1 if value.ndim else None), _qualify)


def _nothing(_: str) -> Value:
    return Unknown()


def classes_of(data: Plain) -> list[str]:
    """The classes of objects in their plain form; none for a tensor."""
    return list(data[1]) if data[0] == _OBJECTS else []


def of_class(name: str) -> Plain:
    """The plain form of an object of a class."""
    return [_OBJECTS, [name]]


def from_outside(told: Plain, key: str) -> dict[str, dict[str, Handed]]:
    """What callers in other modules hand in, from its plain form: by function and parameter, the value and a text.

    Args:
        told: what they hand in.
        key: the name of this module for others.
    """
    found: dict[str, dict[str, Handed]] = {}
    for symbol, params in told.items():
        for param, (data, text) in params.items():
            for name in classes_of(data):
                own = Instance(name.removeprefix(f"{key}{SEPARATOR}"), True)
                found.setdefault(symbol, {})[param] = Handed(own, None, text)
            value = UNKNOWN if data[0] == _OBJECTS else decode(data, _nothing)
            if isinstance(value, Tensor):
                value = value._replace(sure=True)
            if isinstance(value, (Tensor, Items, Mapping)):
                found.setdefault(symbol, {})[param] = Handed(value, None, text)
    return found
