"""What the callers within the module say of the parameters that an event depends on."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from collections.abc import Mapping as Bindings
from functools import partial
from typing import Final

from hostsync.infer.calls.conditions import checks_only
from hostsync.infer.calls.file_readers import LOADING
from hostsync.infer.calls.placing import device_of
from hostsync.infer.classes import distribution_base, is_module_class
from hostsync.infer.context import Context
from hostsync.infer.devices import (
    ACCELERATOR,
    ANYWHERE,
    CPU,
    MOVED,
    Device,
    is_certain,
    is_of_params,
    of_param,
    only_host,
)
from hostsync.infer.events import Event, Reason
from hostsync.infer.frame import NOT_KNOWN, SETUP_NAME
from hostsync.infer.functions import usage
from hostsync.infer.hints.defaults import is_device_name, is_host, is_host_default
from hostsync.infer.hints.host_devices import is_made_on_host
from hostsync.infer.hints.loading_code import prepares_data
from hostsync.infer.hints.moved_once import reported_once
from hostsync.infer.left_out import MARK, is_conditional, place_of, told_in
from hostsync.infer.linking.handed import is_tried_out
from hostsync.infer.linking.plain import is_tensor_annotation
from hostsync.infer.linking.summaries import defaults_of
from hostsync.infer.nodes import is_none
from hostsync.infer.origins import HANDED_IN
from hostsync.infer.records import CallSite, Recorded
from hostsync.infer.values import (
    DISTRIBUTIONS,
    Array,
    ClassRef,
    DeviceValue,
    Items,
    Mapping,
    Nothing,
    Number,
    Ref,
    Tensor,
    Unknown,
    Value,
    tensors_in,
)

_DEPTH: Final = 4
"""How many calls up evidence is looked for."""


def settle(context: Context, recorded: list[Recorded]) -> list[Event]:
    """The events that hold, given what callers pass."""
    events: list[Event] = []
    for record in recorded:
        event = record.event
        if event.op in _TO_HOST and event.kind == "read-back":
            # Who asks for a copy on the host has seen it elsewhere.
            context.on_host.get(event.symbol, set()).difference_update(atom[1:] for atom in record.device)
    for record in recorded:
        event = record.event
        # What says where something goes is a tensor: a number has no device.
        device = resolved(context, event.symbol, record.device, as_tensors=event.kind == "copy")
        if only_host(device) or (context.unchecked and _checks_a_distribution(context, event.op)):
            continue
        if record.source is not None:
            source = resolved(context, event.symbol, record.source)
            if "cpu" not in source:
                continue
        elif event.confidence == "likely" and record.sure and is_certain(device) and device != record.device:
            event = event._replace(confidence="certain", chain=_with_caller(context, event))
        if (
            _at_setup(context, record, device)
            or _in_data_loading(context, record, device)
            or _at_the_end(context, event, device)
            or _is_doubtful(context, record, device)
        ):
            event = event._replace(confidence="possible")
        events.append(event)
    return reported_once(context, events)


def _at_the_end(context: Context, event: Event, device: Device) -> bool:
    """A value shown by a program that is a module, too, and of which nothing says that it is on an accelerator.

    Who tries a module out does so on the CPU, and on the GPU by name.
    """
    return context.tries_out and event.symbol == "<module>" and event.kind == "read-back" and not is_certain(device)


def _is_doubtful(context: Context, record: Recorded, device: Device) -> bool:
    """What may be no tensor, and if it is one may be on the CPU as well as anywhere: of nine such lines one waited.

    So did one of eight outside of loops in functions that have callers, of which none hands in what surely is a tensor.
    Who writes `x.cpu()` has seen `x` elsewhere.
    """
    if record.source is not None or record.sure or record.event.op in _TO_HOST:
        return False
    if "cpu" in device and "?" in device:
        return True
    return record.event.hot != "loop" and record.event.symbol in context.calls


def _checks_a_distribution(context: Context, name: str) -> bool:
    """Whether an operation waits only because a distribution checks what it is given."""
    op = context.ops.get(name)
    return name.startswith(DISTRIBUTIONS) and (op is None or checks_only(op))


def _with_caller(context: Context, event: Event) -> tuple[Reason, ...]:
    """The chain, with the call that hands in what lives on the accelerator."""
    known = tuple(reason for reason in event.chain if reason.text != NOT_KNOWN)
    sites = context.calls.get(event.symbol, ())
    return (Reason(sites[0].span, HANDED_IN), *known) if sites else known


_TO_HOST: Final = frozenset({"Tensor.cpu", "Tensor.to"})


def _in_data_loading(context: Context, record: Recorded, device: Device) -> bool:
    """Code that prepares data for a loader runs on the host: only a device that is known or asked for counts there.

    Who writes `labels.cpu()` has seen labels that are elsewhere.
    """
    event = record.event
    if event.kind == "copy" or event.op in _TO_HOST or is_certain(device):
        return False
    return prepares_data(context, event.symbol)


def _at_setup(context: Context, record: Recorded, device: Device) -> bool:
    """Set-up code runs before a model is moved: there, only a device that somebody asked for counts."""
    event = record.event
    if is_certain(device) or device == MOVED:
        return False
    is_built = _builds_module(context, event.symbol) or _fills_parts(event.symbol)
    if event.kind not in {"copy", "call"} and (event.kind != "index" or is_built):
        # A module is built on the CPU of what is there, and moved then; what it makes where it is told to is there.
        is_told = device >= ACCELERATOR or any(is_device_name(atom[1:]) for atom in record.device if atom[0] == "=")
        return is_built and not is_told
    if event.op.startswith("torch.nn.init.") or _fills_parts(event.symbol):
        return True
    # What is loaded to a device is, also by set-up code, unless that is the CPU where nobody says otherwise.
    is_loaded = event.op in {"torch.load", LOADING}
    asked = [atom[1:] for atom in record.device if atom.startswith("=")]
    if (event.op.startswith("torch.linalg.") or event.op.rpartition(".")[2] in OF_MATRICES) and not asked:
        # Who takes apart a matrix to set something up does so where it is (measured: all of eleven that were reached).
        return False
    if _serves_setup(context, event.symbol, asked):
        return True
    if not is_loaded and not is_setup_only(context, event.symbol):
        return False
    # A place that is no parameter, such as `self.device`, is known by then: what is built there is not moved later.
    is_fill = event.op == "Tensor.copy_" or _FILLS.search(event.symbol.rpartition(".")[2]) is not None
    if not asked and event.kind == "copy" and not is_fill:
        return False
    node = context.functions.get(event.symbol)
    params = {p.name: p for p in node.params} if node is not None else {}
    # What a tensor parameter stands for was handed in, whatever its default: without it there is nothing to wait for.
    if is_loaded:
        if is_built and device == ANYWHERE and not asked:
            # What a module is published with was saved from the CPU (measured: none of nine that were reached waited).
            return True
        # Where None is said, what is loaded goes to where it was saved from.
        return any(name in params and is_host(params[name].default) for name in asked)
    if is_conditional(record.device):
        # What stands for a device that is left out is another one than the CPU.
        return False
    if event.kind == "copy" and not is_fill and _is_made_for_its_device(context, event.symbol, asked):
        return False
    return all(name not in params or (is_device_name(name) and is_host_default(params[name].default)) for name in asked)


OF_MATRICES: Final = frozenset(
    "inverse cholesky cholesky_inverse cholesky_solve pinverse svd svd_lowrank pca_lowrank lobpcg lu lu_solve "
    "matrix_exp matrix_power".split()
)
"""Linear algebra that torch has outside of `torch.linalg`, by the last part of its name."""


def _is_made_for_its_device(context: Context, symbol: str, asked: Sequence[str]) -> bool:
    """Whether set-up code moves what it makes to a device that its caller chooses, and that is not moved again.

    A constructor whose device is the CPU unless somebody says otherwise is written to be told; where None is the
    default, modules are made on the CPU and moved. A function that creates something is called by whoever wants it
    there.
    """
    node = context.functions.get(symbol)
    if node is None:
        return False
    owner, _, name = symbol.rpartition(".")
    defaults = [p.default for p in node.params if p.name in asked]
    if name == "__init__":
        return bool(defaults) and all(map(is_host, defaults))
    return owner not in context.classes and name.startswith("create_")


def _builds_module(context: Context, symbol: str, depth: int = _DEPTH) -> bool:
    """The constructor of a module, or a private method that only constructors call."""
    owner, _, name = symbol.rpartition(".")
    if owner not in context.classes or not is_module_class(context, owner):
        return False
    if name == "__init__":
        return True
    callers = {site.caller for site in context.calls.get(symbol, ())} | context.tabled.get(symbol, set())
    if not callers or not depth or not name.startswith("_"):
        return False
    return all(caller != symbol and _builds_module(context, caller, depth - 1) for caller in callers)


def is_setup_only(context: Context, symbol: str, depth: int = _DEPTH) -> bool:
    """A function of set-up code, by its name or because only such code calls it."""
    owner, _, name = symbol.rpartition(".")
    if SETUP_NAME.match(name):
        return not (
            _is_made_in_use(context, symbol) or _works_on_tensors(context, symbol) or _is_called_in_use(context, symbol)
        )
    if owner in context.classes and _is_made_on_host(context, owner, symbol):
        return True
    callers = {site.caller for site in context.calls.get(symbol, ())} | context.tabled.get(symbol, set())
    if not callers or not depth or (owner in context.classes and not name.startswith("_")):
        return False
    return all(caller != symbol and is_setup_only(context, caller, depth - 1) for caller in callers)


def _works_on_tensors(context: Context, symbol: str) -> bool:
    """Whether a function that builds or resets something is handed tensors: `build_targets(boxes)`, not a module."""
    node = context.functions.get(symbol)
    if node is None or not _MAKES.match(node.name):
        return False
    proven = usage(context, node).tensors
    if any(is_tensor_annotation(param.annotation) or param.name in proven for param in node.params):
        return True
    given = [value for site in context.calls.get(symbol, ()) for value in site.bindings.values()]
    given += [held.value for held in context.handed.get(symbol, {}).values()]
    return any(isinstance(value, Tensor) and value.sure for value in given)


def _is_called_in_use(context: Context, symbol: str) -> bool:
    """Whether what is called like set-up code is a step of each pass: `build_targets`, called by a loss."""
    callers = [site.caller.rpartition(".")[2] for site in context.calls.get(symbol, ())]
    return any(name == "__call__" or name.startswith("forward") for name in callers)


def _fills_parts(symbol: str) -> bool:
    """Whether a function is called for each part of a module that is set up, or stands inside one that sets it up."""
    *outer, name = symbol.split(".")
    return _SETS_UP.search(name) is not None or any(_FILLS.match(one.lstrip("_")) for one in outer)


_FILLS: Final = re.compile(r"(init|reset)\w*_(weight|param|buffer|bias)")
"""Functions that fill the parts of a module, wherever it is, which is the host as a rule."""
_SETS_UP: Final = re.compile(r"(^|_)weights?_init")
"""Those that are called for each part: `module.apply(weights_init)`."""
_MAKES: Final = re.compile(r"_?(build|create|reset|setup|set_up)(_|$)")


def _serves_setup(context: Context, symbol: str, asked: Sequence[str], depth: int = _DEPTH) -> bool:
    """Set-up code alone calls a function, and hands it the device that it may have been told itself.

    Whether the function is public or not, it does a part of what the set-up code does. One that set-up code calls
    without a word of a device is a different matter: that leads a life of its own.

    Args:
        asked: the parameters that say where to.
    """
    sites = context.calls.get(symbol)
    if not sites or not asked or not depth or symbol in context.tabled:
        return False
    told = [(site, name) for site in sites for name in asked if name in site.bindings]
    # What set-up code makes without a word of a device stays where it is made.
    others = [site.caller for site in sites if not all(name in site.bindings for name in asked)]
    return (
        bool(told)
        and all(_sets_up(context, caller) for caller in others)
        and all(_hands_on_device(context, site, name, depth) for site, name in told)
    )


def _hands_on_device(context: Context, site: CallSite, name: str, depth: int) -> bool:
    value, node = site.bindings.get(name), context.functions.get(site.caller)
    param = value.param if isinstance(value, Unknown) else None
    if isinstance(value, DeviceValue) and len(value.device) == 1:
        (atom,) = value.device
        param = atom[1:] if atom.startswith("=") else None
    if node is None or param is None or not is_device_name(param):
        return False
    default = next((p.default for p in node.params if p.name == param), None)
    if _is_made_for_its_device(context, site.caller, (param,)):
        return False
    if default is not None and is_host_default(default) and _sets_up(context, site.caller):
        return True
    return _serves_setup(context, site.caller, (param,), depth - 1)


def _is_made_on_host(context: Context, owner: str, symbol: str) -> bool:
    """Whether a method must be told a device, and the constructor tells it the CPU, as nothing else in the class."""
    calls = [call for info in context.lineage(owner) for call in info.host_calls]
    node = context.functions.get(symbol) if calls else None
    return node is not None and is_made_on_host(calls, node)


def _is_made_in_use(context: Context, symbol: str) -> bool:
    """Whether a constructor runs where the work is done, and not for a model that is moved later.

    That of a distribution does, and that of a class which is told its device and can't be a module.
    """
    owner, _, name = symbol.rpartition(".")
    if name != "__init__" or context.class_named(owner) is None:
        return False
    if distribution_base(context, owner) is not None:
        return True
    bases = [base for info in context.lineage(owner) for base in info.bases]
    return symbol in context.functions and all(
        isinstance(base, ClassRef) or (isinstance(base, Ref) and base.name in _PLAIN_BASES) for base in bases
    )


_PLAIN_BASES: Final = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"})


def resolved(context: Context, symbol: str, device: Device, depth: int = _DEPTH, *, as_tensors: bool = False) -> Device:
    """A device with its parameters replaced by what the callers of `symbol` pass for them.

    Parameters that may be numbers are taken for tensors with `as_tensors`.
    """
    if not is_of_params(device):
        return device
    result: set[str] = set()
    if is_conditional(device):
        asked = {mark for atom in device if (mark := atom.partition(MARK)[2])}
        result |= _where_told(context, symbol, device, asked, depth)
        told = {f"={name}" for name in asked}
        device = frozenset(atom for atom in device if MARK not in atom and atom not in told)
    for atom in device:
        if not atom.startswith("="):
            result.add(atom)
        elif as_tensors or "cpu" not in device or not _is_a_number(context, symbol, atom[1:]):
            result |= _of_param(context, symbol, atom[1:], depth)
    return frozenset(result)


def _where_told(context: Context, symbol: str, device: Device, asked: Collection[str], depth: int) -> Device:
    """The places of a device that count only with a parameter or without it, by the calls that hand it in or don't."""
    defaults = defaults_of(context, symbol)
    result: Device = frozenset()
    for atom in device:
        base, _, mark = atom.partition(MARK)
        if not mark and (not atom.startswith("=") or atom[1:] not in asked):
            continue
        counts = partial(_counts, defaults, mark or base[1:], not mark)
        place = place_of(base)
        result |= _of_param(context, symbol, base[1:], depth, counts=counts) if is_of_params(place) else place
    return result


def _counts(defaults: Bindings[str, Value], param: str, wanted: bool, site: CallSite) -> bool:
    """Whether a call hands in a parameter, or leaves it out, as is `wanted`, or may do so."""
    told = told_in(site.bindings, defaults, param)
    return told is wanted or not isinstance(told, bool)


def _is_a_number(context: Context, symbol: str, name: str) -> bool:
    """Whether a parameter is a number nearly always: its annotation names one, and nobody hands in a tensor.

    What is made of it on the CPU if it is no tensor is on the CPU, then.
    """
    node = context.functions.get(symbol)
    param = next((param for param in node.params if param.name == name), None) if node is not None else None
    if param is None or not context.may_be_number(symbol, param):
        return False
    if name in context.handed.get(symbol, {}):
        return False
    given = [site.bindings.get(name) for site in context.calls.get(symbol, ())]
    return not any(isinstance(value, Tensor) and value.sure and not only_host(value.device) for value in given)


def _is_private(context: Context, symbol: str) -> bool:
    """All callers are in this module: its name says so and no other module imports it, it is defined inside another
    function, or this is a program of which nobody imports it."""
    if context.is_program and not {"*", symbol.partition(".")[0]} & context.asked:
        return True
    owner, _, name = symbol.rpartition(".")
    if name.startswith("__") and name.endswith("__"):
        return False
    if not owner:
        return name.startswith("_") and name not in context.asked
    return name.startswith("_") or owner not in context.classes


def _is_left_on_the_host(context: Context, symbol: str, param: str, sites: Sequence[CallSite]) -> bool:
    """Whether a function may be told a device, but no caller does, so that what it makes stays on the CPU.

    Where the default is None, calls in the project say nothing of what users tell it.
    """
    node = context.functions.get(symbol)
    if node is None or not is_device_name(param) or any(param in site.bindings for site in sites):
        return False
    default = next((p.default for p in node.params if p.name == param), None)
    return is_host(default)


def _sets_up(context: Context, symbol: str) -> bool:
    """Whether a function is set-up code, be it of an object that is made where it is used."""
    return bool(SETUP_NAME.match(symbol.rpartition(".")[2])) or is_setup_only(context, symbol)


def _is_tensor(context: Context, symbol: str, name: str) -> bool:
    """Whether a parameter that may be left out stands for a tensor, by its annotation or by its use."""
    node = context.functions.get(symbol)
    param = next((param for param in node.params if param.name == name), None) if node is not None else None
    if node is None or param is None or not is_none(param.default):
        return False
    return is_tensor_annotation(param.annotation) or name in usage(context, node).tensors


def _of_param(
    context: Context,
    symbol: str,
    param: str,
    depth: int,
    *,
    is_tensor: bool = False,
    counts: Callable[[CallSite], bool] = lambda site: True,
) -> Device:
    """Where a parameter lives, or where it says, by what the callers of `symbol` hand in.

    Args:
        is_tensor: it stands for a tensor, whatever the function itself says of it.
        counts: whether a call tells anything of it.
    """
    if param in context.on_host.get(symbol, ()):
        return CPU
    sites = context.calls.get(symbol)
    if not sites or not depth:
        return ANYWHERE
    defaults = defaults_of(context, symbol)
    if all(isinstance(site.bindings.get(param), Array) for site in sites) and any(
        site.caller == "<module>" for site in sites
    ):
        # What a script calls as it runs is its own, and written for arrays.
        return CPU
    is_known = _is_private(context, symbol) or _is_left_on_the_host(context, symbol, param, sites)
    result: set[str] = set() if is_known else {"?"}
    is_tensor = is_tensor or _is_tensor(context, symbol, param)
    for site in sites:
        if not counts(site):
            continue
        value = site.bindings.get(param, defaults.get(param))
        if is_tensor and (isinstance(value, Nothing) or param not in site.bindings):
            # Where nobody hands in a tensor, nothing waits for it.
            continue
        if value is None or isinstance(value, (Number, Ref)) or is_tried_out(context, site, value):
            result.add("?")
        elif isinstance(value, (Nothing, Array)):
            # What is done with a NumPy array happens on the host, whatever the annotation says.
            result |= CPU
        elif isinstance(value, (Items, Mapping)):
            held = tensors_in(value)
            result |= resolved(context, site.caller, held[0].device, depth - 1) if held else ANYWHERE
        elif (
            is_tensor
            and isinstance(value, (Tensor, Unknown))
            and value.param is not None
            and device_of(value).device == of_param(value.param)
        ):
            # Handed on as it is.
            result |= _of_param(context, site.caller, value.param, depth - 1, is_tensor=True)
        else:
            result |= resolved(context, site.caller, device_of(value).device, depth - 1)
    return frozenset(result)
