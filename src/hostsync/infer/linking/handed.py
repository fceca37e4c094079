"""What callers hand in: evidence for parameters that neither an annotation nor their use tells the kind of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Mapping_
from pathlib import Path
from threading import Thread
from typing import Final

from hostsync import facts
from hostsync.infer.calls.placing import device_of
from hostsync.infer.context import Context
from hostsync.infer.devices import (
    ANYWHERE,
    CPU,
    MOVED,
    MOVES,
    UNTOLD,
    Device,
    is_of_params,
    of_param,
    only_host,
    without_params,
)
from hostsync.infer.events import Reason
from hostsync.infer.frame import Frame
from hostsync.infer.hints.defaults import is_device_name, is_host
from hostsync.infer.hints.placeholders import without_placeholders
from hostsync.infer.joining import join
from hostsync.infer.linking.plain import SEPARATOR, is_foreign
from hostsync.infer.origins import BY_DEFAULT, FROM_LOADER, HANDED_IN, LOADER, because, reasons
from hostsync.infer.records import CallSite, Handed, NamedCall, VagueCall
from hostsync.infer.values import (
    Array,
    Callable,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Method,
    Nothing,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    host_doubt,
    is_distribution,
    is_function,
    tensor_at,
    tensors_in,
    with_tensors,
)

KEYS: Final = "[]"
"""Stands for the dictionaries of the project, in the place of a function: what they hold, by key."""
PROMISED: Final = "."
"""Begins the name of a class, in the place of a function: what derived classes have that it uses without knowing it."""
NEWS: Final = CPU | MOVED | UNTOLD
HELD: Final = "~"
"""Begins the name of what is held by something that only has a name: `~scheduler.timesteps`."""
COMMON: Final = frozenset(
    {name for kind in (dict, list, set, str, bytes, tuple, int, float, Path, Thread) for name in dir(kind)}
) | frozenset(
    "forward backward step zero_grad state_dict load_state_dict parameters named_parameters buffers named_buffers "
    "modules named_modules children named_children train eval to cpu cuda half float double bfloat16 apply "
    "register requires_grad_ register_buffer register_parameter register_module register_forward_hook add_module "
    "size dim compile share_memory type item numpy detach clone view reshape save load close flush open run main "
    "info debug warning error exception critical log call result done submit shutdown cancel reset update compute "
    "build create fit transform predict score sample encode decode map filter reduce mean sum std var min max all "
    "any argmax argmin seed random uniform randint choice choices shuffle flatten squeeze unsqueeze transpose "
    "permute dot norm abs backward_hook acquire release wait notify".split()
)
"""Methods of Python's types, and those that classes of many libraries have: who calls them may mean anything."""
ROUNDS: Final = 3
"""How many calls deep evidence is handed on inside a module."""
_MOST_NAMED_CALLS: Final = 200


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
    args = without_placeholders(args)
    values = [value for _, value in args] + [value for _, _, value in keywords]
    if any(isinstance(expr, facts.Starred) for expr, _ in args):
        return
    if not any(tells(value) for value in values):
        if values and method not in COMMON:
            frame.context.vague_calls.add(VagueCall(receiver, method, len(values), frame.symbol))
        return
    if len(calls) >= _MOST_NAMED_CALLS:
        return
    named = tuple((name, _as_told(value)) for name, _, value in keywords if name is not None)
    calls.append(NamedCall(receiver, method, tuple(_as_told(v) for _, v in args), named, frame.symbol, node.span))


def _as_told(value: Value) -> Value:
    """What a call says where nobody knows for sure whom it calls.

    What may be a tensor, and was brought to the host here, says nothing of others: users hand in theirs as they are.
    """
    if not isinstance(value, Tensor) or value.sure or value.device != CPU:
        return value
    of_loader = any(reason.text.startswith((LOADER, FROM_LOADER)) for reason in reasons(value.origin))
    return value if value.origin is None or of_loader else Unknown()


def note_asked(frame: Frame, receiver: Value | None, method: str) -> None:
    """Takes down a method that is called of a parameter of which nothing is known, and nothing said."""
    if method in COMMON or not isinstance(receiver, Unknown) or receiver.param is None or receiver.derived:
        return
    params = frame.function.params if frame.function is not None else ()
    if any(param.name == receiver.param and param.annotation is not None for param in params):
        return
    frame.context.asked_of.setdefault(frame.symbol, {}).setdefault(receiver.param, set()).add(method)


def tells(value: Value) -> bool:
    """Whether a value says more of a parameter than that it is handed in."""
    if isinstance(value, Unknown):
        return value.param is not None and value.param.startswith(HELD)
    if isinstance(value, (Items, Mapping)):
        return any(tensor.sure for tensor in tensors_in(value)) or any(distributions_in(value))
    return is_distribution(value) or (isinstance(value, Tensor) and (value.sure or is_batch(value)))


def distributions_in(value: Items | Mapping) -> Iterator[Value]:
    """The distributions that a tuple, list or dictionary holds under names or at places of their own."""
    held = (value.items or ()) if isinstance(value, Items) else [item for _, item in value.items]
    return (item for item in held if is_distribution(item))


def is_batch(value: Tensor) -> bool:
    """What a loader or a dataset gives: tensors on the host, or something that holds them."""
    return not value.sure and (value.device == CPU or value.pinned is None)


def device_handed(symbol: str, site: CallSite, param: str) -> DeviceValue | None:
    """The device that a call hands in for a parameter which asks for one; None if it says nothing of it.

    A method that hands its own on to the one that it overrides says nothing: others told it. What `to` hands to the
    parts of an object is where that is moved to, however it gets the device out of its arguments.
    """
    value = site.bindings.get(param)
    if value is None or isinstance(value, Nothing) or not is_device_name(param):
        return None
    device = device_of(value).device
    owner, _, caller = site.caller.rpartition(".")
    if owner and caller in MOVES and not only_host(device):
        return DeviceValue(MOVED)
    if is_of_params(device) and site.caller.rpartition(".")[2] == symbol.rpartition(".")[2]:
        return None
    return DeviceValue(without_params(device))


def on_host_by_default(context: Context, symbol: str) -> tuple[str, ...]:
    """The parameters of a function or constructor that ask for a device, and are the CPU where a call leaves them out.

    Methods don't count: the object may have been told a device by then.
    """
    node: facts.Function | facts.Lambda | None = context.functions.get(symbol)
    if node is None and is_foreign(symbol) and context.links is not None:
        callee = context.links.library.function(symbol)
        node = callee.node if isinstance(callee, Callable) else None
    owner, _, name = symbol.rpartition(SEPARATOR)[2].rpartition(".")
    if node is None or (owner and name != "__init__"):
        return ()
    return tuple([param.name for param in node.params if is_device_name(param.name) and is_host(param.default)])


def all_told(device: Device) -> Device:
    """A device that several calls hand in, as one: what was made anywhere is there until it is moved.

    Calls that leave it out say nothing where others don't.
    """
    if device >= MOVED:
        return MOVED
    return device - UNTOLD if device > UNTOLD else device


def told_by_calls(context: Context, *, again: bool = False) -> dict[str, dict[str, Handed]]:
    """What the calls inside the module say of parameters of its functions that are not known yet.

    With `again`, also what they said before of containers, where these hold something else by now.
    """
    found: dict[str, dict[str, Handed]] = {}
    working = Working(context)
    for symbol, sites in context.calls.items():
        signature = context.signatures.get(symbol)
        if signature is None or not signature.open or is_foreign(symbol):
            continue
        known = context.handed.get(symbol, {})
        for param in signature.open:
            before = known.get(param)
            if before is not None and not (again and not before.text and isinstance(before.value, (Items, Mapping))):
                continue
            handed = _device_by_sites(context, symbol, sites, param)
            if handed is None:
                handed = _by_sites(context, sites, param, working)
            if handed is not None and (before is None or opened(handed.value) != opened(before.value)):
                found.setdefault(symbol, {})[param] = handed
    return found


_TELL_NOTHING: Final = frozenset({type(None), Unknown, Nothing, Number, Text, Method, DeviceValue, DtypeValue})
"""What is handed in most, and says nothing of what else may be."""


def _by_sites(context: Context, sites: Sequence[CallSite], param: str, working: Working) -> Handed | None:
    """What some calls hand in for a parameter: tensors, else what holds tensors, else functions, or objects of one
    class."""
    tensor: Value | None = None
    batch: Value | None = None
    first_batch: Reason | None = None
    function: Value | None = None
    holder: Value | None = None
    distribution: Value | None = None
    places: dict[type, Reason] = {}
    objects: dict[str, Reason] = {}
    for site in sites:
        value = site.bindings.get(param)
        if type(value) in _TELL_NOTHING:
            continue
        if isinstance(value, Array):
            return None
        reason = Reason(site.span, HANDED_IN)
        if isinstance(value, Tensor) and is_tried_out(context, site, value):
            value = tensor_at(value, of_param(param), None)
        if isinstance(value, Instance) and working.has(value):
            objects.setdefault(value.name, reason)
        elif isinstance(value, Tensor) and value.sure:
            doubt = host_doubt(value)
            if doubt:
                places[Tensor] = Reason(site.span, f"{HANDED_IN}, {doubt}")
            places.setdefault(Tensor, reason)
            tensor = opened(value) if tensor is None else join(tensor, opened(value))
        elif isinstance(value, Tensor) and is_batch(value):
            first_batch = first_batch or reason
            batch = opened(value) if batch is None else join(batch, opened(value))
        elif isinstance(value, (Items, Mapping)) and tells(value):
            places.setdefault(type(value), reason)
            holder = opened(value) if holder is None else join(holder, opened(value))
        elif value is not None and is_distribution(value):
            places.setdefault(Instance, reason)
            distribution = opened(value) if distribution is None else join(distribution, opened(value))
        elif value is not None and is_function(value):
            places.setdefault(Callable, reason)
            function = value if function is None else join(function, value)
    if isinstance(tensor, Tensor):
        return Handed(tensor._replace(sure=True, origin=because(places[Tensor], None)), places[Tensor], "")
    if isinstance(holder, (Items, Mapping)):
        where = places[type(holder)]
        return Handed(holder, where, "")
    if isinstance(batch, Tensor) and first_batch is not None:
        return Handed(batch._replace(sure=False, origin=because(first_batch, None)), first_batch, "")
    if isinstance(distribution, Instance):
        return Handed(distribution, places[Instance], "")
    if function is not None and is_function(function):
        return Handed(function, places[Callable], "")
    if not objects:
        return None
    shared = common_class(list(objects), {name: [i.name for i in context.lineage(name)[1:]] for name in objects})
    return None if shared is None else Handed(Instance(shared, True), next(iter(objects.values())), "")


def is_tried_out(context: Context, site: CallSite, value: Value | None) -> bool:
    """A program's own call with a tensor made up for it, or with the CPU: at the end of `losses.py` it shows how, not
    where."""
    made_up = (isinstance(value, (DeviceValue, Text)) and only_host(device_of(value).device)) or (
        isinstance(value, Tensor) and host_doubt(value) == BY_DEFAULT
    )
    return made_up and context.is_program and site.caller == "<module>"


def _device_by_sites(context: Context, symbol: str, sites: Sequence[CallSite], param: str) -> Handed | None:
    """The devices that some calls hand in, if the CPU is one of them, or it is where something was moved to.

    Where a file is a program, too, that asks for the CPU at its end, this shows how, not where.
    """
    if not is_device_name(param):
        return None
    found = DeviceValue(frozenset())
    first: Reason | None = None
    for site in sites:
        given = device_handed(symbol, site, param)
        if given is not None and not is_tried_out(context, site, given):
            found = DeviceValue(found.device | given.device)
            first = first or Reason(site.span, HANDED_IN)
    return Handed(found._replace(device=all_told(found.device)), first, "") if found.device & NEWS else None


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


class Working:
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
    return tensor_at(tensor, without_params(tensor.device) or ANYWHERE, None)


def opened(value: Value) -> Value:
    """As `open_tensor`, for what may hold tensors, too, and for distributions."""
    if isinstance(value, Items) and value.items is not None:
        return Items(value.kind, tuple([opened(item) for item in value.items]), opened(value.element))
    if isinstance(value, Mapping):
        return Mapping(tuple([(key, opened(item)) for key, item in value.items]), opened(value.element))
    if is_distribution(value):
        return value._replace(device=without_params(value.device) or ANYWHERE)
    return with_tensors(value, open_tensor)
