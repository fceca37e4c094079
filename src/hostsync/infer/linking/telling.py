"""What a module tells of others, and what others tell it, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Mapping_
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple

from hostsync.infer.classes import closed
from hostsync.infer.context import ClassInfo, Context
from hostsync.infer.devices import ANYWHERE, UNTOLD, Device
from hostsync.infer.joining import MOST_OPTIONS, join
from hostsync.infer.linking.alternatives import in_common
from hostsync.infer.linking.handed import (
    COMMON,
    NEWS,
    Working,
    all_told,
    device_handed,
    on_host_by_default,
    open_tensor,
    opened,
    tells,
)
from hostsync.infer.linking.plain import (
    SEPARATOR,
    Plain,
    decode,
    encode,
    functions_in,
    is_at_top,
    is_foreign,
    is_indexed,
)
from hostsync.infer.linking.summaries import is_abstract, summarise
from hostsync.infer.nodes import BY_PLACE
from hostsync.infer.records import CallSite, Handed, Signature
from hostsync.infer.values import (
    UNKNOWN,
    Callable,
    Choice,
    ClassRef,
    DeviceValue,
    Instance,
    Items,
    Mapping,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    is_distribution,
    is_function,
)

if TYPE_CHECKING:
    from hostsync.infer import Wanted

PLACE: Final = "*"
"""Begins what stands for a parameter that has no name: its place among those that a call fills in by their order."""
NUMBER_OF: Final = "#"
"""Begins the name of a method that gives a number or a text."""
OBJECTS: Final = "K"
"""Begins the plain form of objects that are handed in: the classes that they are of."""


class Told(NamedTuple):
    """What a module says of others by the way it calls them, and what others may tell it, as plain data.

    A row goes by what `Wanted.row_named` calls it.
    """

    direct: Plain
    """By function of another module and parameter: the value that is handed in, and the row of a call."""
    named: Plain
    """Calls of methods of what only has a name: name, method, arguments, keyword arguments, row. Among them are those
    that tell nothing of their arguments, but for methods that anything may have: somebody calls such a method."""
    open: Plain
    """By function, its signature, for `signature_of`."""
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
    """By class, of its methods, as in `asked`, those that give tensors, and behind `NUMBER_OF` those that don't."""
    promises: Plain
    """By class of another module, what classes derived from it here have that it wants: the value and a row."""
    passed: Plain
    """By function and parameter, as what it is passed on: function, parameter, whether something was computed from it
    element by element, row."""


def told_of(context: Context, own: Wanted) -> Told:
    """What a module that has been followed tells of others, and may be told by them.

    Args:
        context: what is known of it.
        own: how others know it and its rows.
    """
    stored = {
        key: [encode(held.value, _qualify), own.row_named(held.where.span[0])]
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
        _direct(context, own),
        _named(context, own),
        _open(context),
        _holds(context),
        stored,
        loaded,
        _methods(context, own),
        bases,
        _asked(context),
        _defines(context),
        _promises(context, own),
        _passed(context, own),
    )


def _qualify(name: str) -> str:
    return name


def _direct(context: Context, own: Wanted) -> Plain:
    found = _calls(context, own, ((symbol, sites) for symbol, sites in context.calls.items() if is_foreign(symbol)))
    for symbol, sites in context.calls.items():
        for param in on_host_by_default(context, symbol):
            told = _told_or_not(context, symbol, sites, param, own)
            if told is not None:
                found.setdefault(_known_as(symbol, own.key), {})[param] = told
    return found


def _told_or_not(context: Context, symbol: str, sites: Sequence[CallSite], param: str, own: Wanted) -> Plain:
    """The device that calls hand in, or leave out; those of the module itself count, too: what others leave out is the
    CPU only where nobody hands it in."""
    found: Device = frozenset()
    first: CallSite | None = None
    for site in sites:
        if context.is_program and site.caller == "<module>" and not is_foreign(symbol):
            continue
        given = device_handed(symbol, site, param)
        found |= given.device if given is not None else ANYWHERE if param in site.bindings else UNTOLD
        first = first or site
    return None if first is None else [encode(DeviceValue(all_told(found)), _qualify), own.row_named(first.span[0])]


def _methods(context: Context, own: Wanted) -> Plain:
    found = []
    for symbol, sites in context.calls.items():
        owner, _, method = symbol.rpartition(".")
        if owner in context.classes or (owner and is_foreign(owner)):
            found.append((symbol, [site for site in sites if site.caller.rpartition(".")[2] != method]))
    return _calls(context, own, found)


def _asked(context: Context) -> Plain:
    found: dict[str, Plain] = {}
    for symbol, params in sorted(context.asked_of.items()):
        signature = context.signatures.get(symbol)
        if signature is not None:
            held = {name: sorted(methods) for name, methods in sorted(params.items()) if name in signature.open}
            if held:
                found[symbol] = held
    return found


def _what_it_gives(context: Context, owner: str, method: str) -> str | None:
    """A method as in `Told.defines`; None if to know it by its name alone says nothing of tensors."""
    if method.startswith("_") or method in COMMON:
        return None
    given = context.summaries.get((f"{owner}.{method}", Instance(owner, True)))
    given = None if given is None else in_common(given)
    if isinstance(given, (Number, Text)):
        return NUMBER_OF + method
    return method if given is not None and tells(given) else None


def _defines(context: Context) -> Plain:
    found: dict[str, Plain] = {}
    for name, info in sorted(context.classes.items()):
        methods = [given for method in info.methods if (given := _what_it_gives(context, name, method)) is not None]
        if methods:
            found[name] = methods
    return found


def handed_functions(context: Context) -> list[Callable]:
    """The functions of a module that it hands to those of others."""
    sites = [site for symbol, calls in context.calls.items() if is_foreign(symbol) for site in calls]
    values = [value for site in sites for value in site.bindings.values()]
    options = [one for value in values for one in (value.options if isinstance(value, Choice) else (value,))]
    return [one for one in options if isinstance(one, Callable) and is_at_top(one) and not is_foreign(one.symbol)]


def _promises(context: Context, own: Wanted) -> Plain:
    found: dict[str, dict[str, Plain]] = {}
    for name, info in sorted(context.classes.items()):
        has = info.methods.keys() | (info.table or {}).keys()
        for base in context.lineage(name)[1:]:
            if not base.wants or base.name in context.classes or is_indexed(base.name):
                continue
            for wanted in sorted(has.intersection(base.wants)):
                data = _promised(context, info, wanted, own.key)
                if data is None:
                    continue
                held = found.setdefault(base.name, {}).get(wanted)
                if held is None:
                    found[base.name][wanted] = [data, own.row_named(info.node.span[0])]
                else:
                    held[0] = join_plain(held[0], data)
    return found


def _promised(context: Context, info: ClassInfo, wanted: str, key: str) -> Plain:
    method = info.methods.get(wanted)
    if method is None:
        value = (info.table or {}).get(wanted, UNKNOWN)
    elif is_abstract(method):
        return None
    else:
        instance = Instance(info.name, True)
        given = in_common(summarise(context, Callable(method, f"{info.name}.{wanted}", instance, info.name)))
        value = closed(given)
    if isinstance(value, Instance) and value.local:
        return of_class(_known_as(value.name, key))
    return _argument(value, key)


def _passed(context: Context, own: Wanted) -> Plain:
    found: dict[str, dict[str, dict[tuple[str, str, bool], Plain]]] = {}
    for symbol, sites in sorted(context.calls.items()):
        callee = context.signatures.get(symbol)
        for site in sites:
            caller = context.signatures.get(site.caller)
            if caller is None or not caller.open:
                continue
            for param, value in site.bindings.items():
                given, is_derived = _own_param(value)
                if given not in caller.open:
                    continue
                if callee is None or param in callee.open:
                    link = (symbol, param, is_derived)
                    links = found.setdefault(site.caller, {}).setdefault(given, {})
                    if link not in links:
                        links[link] = [*link, own.row_named(site.span[0])]
    return {caller: {name: list(links.values()) for name, links in params.items()} for caller, params in found.items()}


def _own_param(value: Value) -> tuple[str, bool]:
    """The parameter that is passed on as it is, or that something is computed from; empty if it is none."""
    if isinstance(value, Unknown):
        return value.param or "", value.derived
    if isinstance(value, DeviceValue):
        own = [atom[1:] for atom in value.device if atom.startswith("=")]
        return value.param or (own[0] if own and len(value.device) == 1 else ""), False
    return "", False


def _calls(context: Context, own: Wanted, calls: Iterable[tuple[str, Sequence[CallSite]]]) -> Plain:
    found: dict[str, dict[str, Plain]] = {}
    working = Working(context)
    for symbol, sites in sorted(calls, key=lambda call: call[0]):
        rest = _rest_of(context, symbol)
        for site in sites:
            for param, value in _one_by_one(site.bindings, rest):
                asked = device_handed(symbol, site, param)
                if asked is not None:
                    data: Plain = encode(asked, _qualify)
                elif isinstance(value, Instance) and working.has(value):
                    data = of_class(_known_as(value.name, own.key))
                else:
                    data = _argument(value, own.key)
                if data is None:
                    continue
                held = found.setdefault(symbol, {}).get(param)
                if held is None:
                    found[symbol][param] = [data, own.row_named(site.span[0])]
                else:
                    held[0] = join_plain(held[0], data)
    return {symbol: params for symbol, params in found.items() if params}


def _rest_of(context: Context, symbol: str) -> tuple[str, int] | None:
    """What a method calls the `*args` that it takes, and how many arguments stand before them; None without."""
    owner, _, name = symbol.rpartition(".")
    info = context.class_named(owner) if owner else None
    method = None if info is None else info.methods.get(name)
    if method is None:
        return None
    rest = next((param.name for param in method.params if param.kind == "args"), None)
    places = sum(param.kind in BY_PLACE for param in method.params)
    return None if rest is None else (rest, places - 1)


def _one_by_one(bindings: Mapping_[str, Value], rest: tuple[str, int] | None) -> Iterator[tuple[str, Value]]:
    """Arguments by parameter; those in `*args` by their place, too: a method that overrides this may name them."""
    yield from bindings.items()
    held = bindings.get(rest[0]) if rest is not None else None
    if rest is not None and isinstance(held, Items) and held.items is not None:
        for place, value in enumerate(held.items):
            yield f"{PLACE}{rest[1] + place}", value


def _named(context: Context, own: Wanted) -> Plain:
    found: dict[str, Plain] = {}
    for call in context.named_calls:
        args = [_argument(value, own.key) for value in call.args]
        keywords = {name: data for name, value in call.keywords if (data := _argument(value, own.key)) is not None}
        entry = [call.receiver, call.method, args, keywords]
        found.setdefault(str(entry), [*entry, own.row_named(call.span[0])])
    vague = {call[:3] for call in context.vague_calls}
    return [*found.values(), *([receiver, method, [None] * count, {}, ""] for receiver, method, count in sorted(vague))]


def is_vague(call: Plain) -> bool:
    """Whether one of the calls in `Told.named` tells nothing of its arguments."""
    return not call[4]


def _argument(value: Value, key: str) -> Plain:
    if is_function(value):
        return _of_functions(functions_in(encode(value, lambda name: _known_as(name, key))))
    if not tells(value):
        return None
    if isinstance(value, Tensor) and not value.sure:
        value = value._replace(pinned=None)
    return encode(opened(value), lambda name: _known_as(name, key))


def _of_functions(options: Iterable[Plain]) -> Plain:
    """The plain form of one of several functions. What a module can't tell of, such as a lambda, is left out."""
    known = sorted((option for option in options if option and option[0] in "FR"), key=str)
    return None if not known or len(known) > MOST_OPTIONS else known[0] if len(known) == 1 else ["E", known]


def _known_as(name: str, key: str) -> str:
    """The name by which other modules know a class or function of this one, or of another."""
    return name if is_foreign(name) else f"{key}{SEPARATOR}{name}"


def _open(context: Context) -> Plain:
    return {symbol: signature_plain(held) for symbol, held in context.signatures.items() if held.open}


def signature_plain(signature: Signature) -> str:
    """A signature in its plain form: a project has tens of thousands, and in most of them all parameters are open."""
    names, is_open, must = (",".join(part) for part in signature)
    return names if names == is_open == must else f"{names};{is_open};{must}"


@lru_cache(maxsize=1 << 14)
def signature_of(text: str) -> Signature:
    """A signature from its plain form."""
    parts = text.split(";") if ";" in text else (text, text, text)
    names, is_open, must = (tuple(part.split(",")) if part else () for part in parts)
    return Signature(names, is_open, must)


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
    if a[0] == OBJECTS and b[0] == OBJECTS:
        return [OBJECTS, sorted({*a[1], *b[1]})]
    functions = [functions_in(a), functions_in(b)]
    if all(functions):
        options = {str(option): option for option in (*functions[0], *functions[1])}
        return _of_functions(options.values()) or a
    if any(functions):
        return b if functions[0] else a
    if a[0] == OBJECTS or b[0] == OBJECTS:
        return b if a[0] == OBJECTS else a
    if a[0] == b[0] == "D":
        return ["D", sorted(all_told(frozenset((*a[1], *b[1]))))]
    # Many calls hand in few different values.
    both = str(a), str(b)
    if both not in _JOINED:
        if len(_JOINED) == _MOST_JOINED:
            _JOINED.clear()
        _JOINED[both] = _join_decoded(a, b)
    return _JOINED[both]


_MOST_JOINED: Final = 10_000
_JOINED: Final[dict[tuple[str, str], Plain]] = {}
"""What pairs of values have given. Plain values are never changed in place."""


def _join_decoded(a: Plain, b: Plain) -> Plain:
    first, second = decode(a, _nothing), decode(b, _nothing)
    if isinstance(first, Tensor) and isinstance(second, Tensor) and _is_batch(first) is not _is_batch(second):
        # Who hands in tensors says more.
        return b if _is_batch(first) else a
    if type(first) is type(second) and isinstance(first, (Tensor, Items, Mapping)):
        return encode(join(first, second), _qualify)
    # What one call tells is enough.
    return a if isinstance(first, Tensor) or not isinstance(second, (Tensor, Items, Mapping)) else b


def _is_batch(value: Tensor) -> bool:
    """Whether a tensor that another module tells of stands for a batch of a loader, as `_argument` marks it."""
    return not value.sure and value.pinned is None


def is_news(data: Plain) -> bool:
    """Whether a device in its plain form says something: that it is the CPU, or where something was moved to."""
    return not NEWS.isdisjoint(data[1])


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
    return list(data[1]) if data[0] == OBJECTS else []


def of_class(name: str) -> Plain:
    """The plain form of an object of a class."""
    return [OBJECTS, [name]]


def _function(key: str, context: Context, symbol: str) -> Value:
    """A function that is handed in, by its name for others: one of this module itself, or of another."""
    own = symbol.removeprefix(f"{key}{SEPARATOR}")
    if not is_foreign(own):
        return context.names.get(own, UNKNOWN)
    return UNKNOWN if context.links is None else context.links.library.function(own)


def from_outside(told: Plain, key: str, context: Context) -> dict[str, dict[str, Handed]]:
    """What callers in other modules hand in, from its plain form: by function and parameter, the value and a text.

    Args:
        told: what they hand in.
        key: the name of this module for others.
        context: what is known of this module.
    """
    function = partial(_function, key, context)
    found: dict[str, dict[str, Handed]] = {}
    for symbol, params in told.items():
        for param, (data, text) in params.items():
            names = [name.removeprefix(f"{key}{SEPARATOR}") for name in classes_of(data)]
            if names:
                objects = tuple([Instance(name, True) for name in names])
                own = objects[0] if len(objects) == 1 else Choice(objects)
                found.setdefault(symbol, {})[param] = Handed(own, None, text)
            value = UNKNOWN if data[0] == OBJECTS else decode(data, function)
            if isinstance(value, Tensor) and not _is_batch(value):
                value = value._replace(sure=True)
            if isinstance(value, (Tensor, Items, Mapping, DeviceValue)) or is_function(value) or is_distribution(value):
                found.setdefault(symbol, {})[param] = Handed(value, None, text)
    return found
