"""The state of inference: what is known of the whole module, and of the function being followed."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable as Function
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, cast

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.facts import new
from hostsync.infer.events import Event, Reason
from hostsync.infer.hints.annotations import admits_number
from hostsync.infer.hints.evidence import Usage
from hostsync.infer.hints.host_devices import host_calls
from hostsync.infer.hints.imported import imports_in, imports_tables, imports_torch, may_use_torch, names_of_arrays
from hostsync.infer.hints.moved_later import is_moved_later
from hostsync.infer.hints.tables import is_table_name
from hostsync.infer.linking.links import KnownClass, Links
from hostsync.infer.linking.plain import is_foreign
from hostsync.infer.nodes import is_none, mentions_any, nodes_in
from hostsync.infer.values import (
    ANYWHERE,
    CPU,
    MOVED,
    UNKNOWN,
    Array,
    Callable,
    Choice,
    ClassRef,
    Device,
    DeviceValue,
    Instance,
    Items,
    Method,
    Origin,
    Ref,
    Tensor,
    Unknown,
    Value,
    because,
    is_certain,
    is_of_params,
    join,
    of_param,
    only_host,
    reasons,
    tensor_because,
)
from hostsync.infer.values import Mapping as MappingValue
from hostsync.infer.versions import TorchRange

_STEP: Final = re.compile(r"(^|_)(step|train|training|fit|decode|generate|sample|infer|predict|update)(_|$)|^__call__$")
SETUP_NAME: Final = re.compile(
    r"^(__init__|__post_init__|__new__|__setstate__|_?(init|initiali[sz]e|reset|build|create|setup|set_up|load)(_.*)?|update_layer|.*_init)$"
)


NOT_KNOWN: Final = "where it lives is not known, so it counts as on the GPU"
WITH_ITS_OBJECT: Final = "it goes where its object is moved to, so it counts as on the GPU"
_OF_A_VALUE: Final = frozenset({"read-back", "control-flow", "shape", "index"})


class Recorded(NamedTuple):
    """An event, and what it still depends on: where the parameters of its function live."""

    event: Event
    device: Device
    """Where the value that waits lives, or the destination of a copy."""
    source: Device | None
    """For a copy: it waits only if this may be the CPU."""
    sure: bool


State: TypeAlias = tuple[dict[str, Value], dict[str, Value]]
"""What names and attribute paths are bound to."""


class CallSite(NamedTuple):
    """A call of a function of the module, with the arguments that were bound."""

    caller: str
    bindings: Mapping[str, Value]
    span: facts.Place
    hot: str | None
    receiver: Value | None = None
    """The object whose method it is."""


class NamedCall(NamedTuple):
    """A call of a method of something whose class is not known, but which has a name."""

    receiver: str
    method: str
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    caller: str
    span: facts.Place


class VagueCall(NamedTuple):
    """A call like a `NamedCall` that tells nothing of what it hands in."""

    receiver: str
    method: str
    arguments: int
    """How many it hands in."""
    caller: str


class Signature(NamedTuple):
    """The parameters of a function, as far as its callers may tell of them."""

    names: tuple[str, ...]
    open: tuple[str, ...]
    """Those whose kind neither their use nor an annotation proves."""
    must: tuple[str, ...]
    """Those of `open` that have no default."""


class Handed(NamedTuple):
    """What callers hand in for a parameter, and where."""

    value: Tensor | Items | MappingValue | Instance | Callable | Choice | Ref | DeviceValue
    where: Reason | None
    """The call, if it is in this module."""
    text: str
    """The call in words, if it is in another one."""


class Writes:
    """What the methods of a class assign to one attribute of `self`."""

    __slots__ = ("dependent", "first", "is_buffer", "later")

    def __init__(self) -> None:
        self.is_buffer = False
        """A method registers it, so that whatever is put there is moved with the module."""
        self.first: Value | None = None
        """By `__init__` and other set-up code."""
        self.later: Value | None = None
        """By other methods, not computed from the attribute itself."""
        self.dependent: Value | None = None
        """By other methods, from the attribute itself, as in `self.x = self.x.to(device)`."""

    def add(self, value: Value, setup: bool, dependent: bool) -> Value:
        """Take in another assignment; the attribute's value as other methods see it.

        What a later method assigns afresh replaces what set-up code had put there.
        """
        slot = "dependent" if dependent else "first" if setup else "later"
        known = getattr(self, slot)
        setattr(self, slot, value if known is None else join(known, value))
        base = self.later if self.later is not None else self.first
        if isinstance(self.first, DeviceValue) and isinstance(self.later, DeviceValue):
            # Nobody says that a device is set anew before it is used.
            base = join(self.first, self.later)
        elif self.is_buffer and isinstance(self.first, Tensor) and isinstance(self.later, Tensor):
            base = join(self.first, self.later)
        if base is None:
            assert self.dependent is not None
            return self.dependent
        return base if self.dependent is None else join(base, self.dependent)


AGAIN: Final = "@"
"""Between the symbol of a function and its row, where another one has the same name."""


def symbol_of(node: facts.Function, owner: str, known: facts.Function | None) -> str:
    """The symbol of a function: with its row, if `known` is another one of the same name."""
    symbol = f"{owner}.{node.name}" if owner else node.name
    return symbol if known is None or known is node else f"{symbol}{AGAIN}{node.span[0]}"


def _accesses(method: facts.Function) -> bool:
    """A setter or deleter of a property."""
    return any(isinstance(d, facts.Attr) and d.name in {"setter", "deleter"} for d in method.decorators)


class ClassInfo(KnownClass):
    """A class of the scanned module."""

    __slots__ = ("busy", "node", "others", "promised", "set_up", "writes")

    def __init__(self, name: str, node: facts.Class, bases: tuple[Value, ...]) -> None:
        methods: dict[str, facts.Function] = {}
        self.others: list[facts.Function] = []
        """Setters of properties, and methods that another of the same name has replaced: they may be registered."""
        for method in node.body:
            if isinstance(method, facts.Function):
                known = methods.get(method.name)
                if known is not None and _accesses(method):
                    self.others.append(method)
                    continue
                if known is not None:
                    self.others.append(known)
                methods[method.name] = method
        super().__init__(name, bases, methods)
        self.host_calls = host_calls(methods)
        self.node = node
        self.writes: dict[str, Writes] = {}
        self.promised: dict[str, Value] = {}
        """What derived classes elsewhere leave in attributes, or give by methods, of which nothing is known here."""
        self.set_up: Frame | None = None
        """`__init__`, followed, if that was the first that was asked of the class."""
        self.busy = False


class Context:
    """Everything that outlives one function: the module's names, classes, and what its functions return."""

    def __init__(
        self, module: facts.Module, ops: Mapping[str, Op], torch: TorchRange, links: Links | None = None
    ) -> None:
        self.module = module
        self.links = links
        self.ops = ops
        self.torch = torch
        self.names: dict[str, Value] = {}
        self.classes: dict[str, ClassInfo] = {}
        """Those of the module itself; `class_named` knows those of others, too."""
        self.readers: dict[str, set[str]] = {}
        """By class, the functions that ask its objects for attributes of which nothing is known."""
        self.summaries: dict[tuple[str, Value | None], Value] = {}
        self.busy: set[tuple[str, Value | None]] = set()
        self.default_device: Device = CPU
        """Where a factory without `device=` puts its tensor, after `torch.set_default_device` or in a `with` block."""
        self.default_type: Device = CPU
        """Where `torch.Tensor(data)` puts it, after `torch.set_default_tensor_type`."""
        self.unchecked = links is not None and links.switch_checks_off()
        """Distributions don't check what they are given: the module, or one that it imports, has switched that off."""
        self.functions: dict[str, facts.Function] = {}
        self.lineages: dict[str, list[KnownClass]] = {}
        self.usages: dict[int, Usage] = {}
        self.effects: dict[tuple[str, Value | None], dict[str, Value]] = {}
        self.calls: dict[str, list[CallSite]] = {}
        self.named_calls: list[NamedCall] = []
        self.vague_calls: set[VagueCall] = set()
        self.on_host: dict[str, set[str]] = {}
        """By function, the parameters of which NumPy arrays are made as they are, which fails on an accelerator."""
        self.numbers: dict[str, set[str]] = {}
        """By function, the parameters that may be a number in place of a tensor, by their annotations."""
        self.asked_of: dict[str, dict[str, set[str]]] = {}
        """By function and parameter, the methods that are called of something of which nothing else is known."""
        self.callbacks: dict[str, dict[str, list[tuple[Value, ...]]]] = {}
        """By function and parameter, what it hands to the function that it is handed for it."""
        self.tabled: dict[str, set[str]] = {}
        """Of functions that stand in a dictionary, as to be looked up and called, the functions that have it."""
        self.handed: dict[str, dict[str, Handed]] = {}
        """By function and parameter, what callers are known to hand in."""
        self.keys: dict[str, Handed] = {}
        """By key, what dictionaries of the project are known to hold; see `keys`."""
        self.stored: dict[str, Handed] = {}
        """By key, what this module puts into dictionaries."""
        self.loaded: dict[str, set[str]] = {}
        """By key, the functions that look it up in dictionaries of which nothing is known."""
        self.signatures: dict[str, Signature] = {}
        self.left: dict[str, dict[str, Value]] = {}
        """By class and attribute, the tensors that methods leave in it."""
        self.closures: dict[str, dict[str, Value]] = {}
        self.pending: list[Callable] = []
        self.due: dict[tuple[str, Value | None], Callable] = {}
        """Those of `pending` whose turn is still to come."""
        self.follow_now: Function[[Callable], None] | None = None
        """Follows one of `due` before its turn; set while they are followed in turn."""
        self.building = 0
        """Classes whose attributes are being found out."""
        self.followed: set[str] = set()
        guarded = [s for s in module.body if isinstance(s, facts.If) and _is_main_guard(s)]
        self.is_program = bool(guarded)
        self.asked: frozenset[str] = frozenset()
        """The names that other modules import; `*` stands for all."""
        self.tries_out = bool(guarded) and not any(_says_where(s.body) for s in guarded)
        """The program shows what the module can do, and says nothing of a device: it runs on the CPU, then."""
        self.uses_torch = imports_torch(module.body, into_functions=False) or may_use_torch(module.body)
        self.defaults: dict[int, tuple[facts.Function, dict[str, Value]]] = {}
        """By the identity of a function, which is held so that nothing else gets it, what its constant defaults are."""
        self._knows_arrays: dict[int, bool] = {}
        self._imports: tuple[facts.Import, ...] | None = None
        self._arrays: tuple[frozenset[str], frozenset[str]] | None = None
        self._tables: bool | None = None

    def may_be_number(self, symbol: str, param: facts.Param) -> bool:
        """Whether the annotation of a function's parameter names a type of number among others."""
        if param.annotation is None:
            return False
        return param.name in self.numbers.get(symbol, ()) or admits_number(param.annotation)

    def class_named(self, name: str) -> KnownClass | None:
        """A class of the module, or of another module of the project."""
        own = self.classes.get(name)
        if own is not None or self.links is None or not is_foreign(name):
            return own
        return self.links.library.class_info(name)

    def lineage(self, name: str) -> list[KnownClass]:
        """A class and its bases within the project, nearest first; empty if the class is none of the project."""
        known = self.lineages.get(name)
        if known is not None:
            return known
        order: list[KnownClass] = []
        waiting = [name]
        while waiting:
            info = self.class_named(waiting.pop(0))
            if info is None or info in order:
                continue
            order.append(info)
            waiting += [base.name for base in info.bases if isinstance(base, ClassRef)]
        self.lineages[name] = order
        return order

    def is_tensor_class(self, name: str) -> bool:
        """Whether the objects of a class of the project are tensors: it is derived from `torch.Tensor`."""
        return any(base in _TENSOR_CLASSES for base in self.library_bases(name))

    def is_optimizer_class(self, name: str) -> bool:
        """Whether a class of the project is derived from an optimizer of torch."""
        return any(base.startswith("torch.optim.") for base in self.library_bases(name))

    def library_bases(self, name: str) -> list[str]:
        """The classes of libraries that a class of the project is derived from, nearest first."""
        return [base.name for info in self.lineage(name) for base in info.bases if isinstance(base, Ref)]

    def follow_later(self, callee: Callable) -> None:
        """Note that a function is to be followed for its waits."""
        self.pending.append(callee)
        self.due[callee.symbol, callee.bound] = callee

    def imports(self) -> tuple[facts.Import, ...]:
        """All imports of the module, those in functions too."""
        if self._imports is None:
            self._imports = imports_in(self.module.body)
        return self._imports

    def has_tables(self) -> bool:
        """Whether the module imports a package of tables."""
        if self._tables is None:
            self._tables = imports_tables(self.imports())
        return self._tables

    def knows_arrays(self, function: facts.Function | None) -> bool:
        """Whether a function has to do with arrays that are no tensors: it speaks of a package that has such."""
        if self._arrays is None:
            self._arrays = names_of_arrays(self.imports())
        imported, names = self._arrays
        if not names or function is None:
            return bool(imported)
        known = self._knows_arrays.get(id(function))
        if known is None:
            known = self._knows_arrays[id(function)] = mentions_any(function.body, names)
        return known


_TENSOR_CLASSES: Final = frozenset({"torch.Tensor", "torch.nn.Parameter"})


def _is_main_guard(statement: facts.If) -> bool:
    test = statement.test
    return isinstance(test, facts.Compare) and isinstance(test.left, facts.Name) and test.left.id == "__name__"


def _says_where(body: tuple[facts.Stmt, ...]) -> bool:
    """Whether a block speaks of a device: `x.cuda()`, `torch.device(…)`, `model.to(device)`, `args.device`."""
    return mentions_any(body, _PLACES) or any(
        isinstance(node, facts.Attr) and node.name in _PLACES for node in nodes_in(body, frozenset())
    )


_PLACES: Final = frozenset({"cuda", "device"})


class _Silence:
    """Written out, as a generator costs several times as much and this is entered all the time."""

    __slots__ = ("frame",)

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def __enter__(self) -> None:
        self.frame.quiet += 1

    def __exit__(self, *_: object) -> None:
        self.frame.quiet -= 1


class Frame:
    """One function (or the module's own body) being followed."""

    __slots__ = (
        "asks_where",
        "assigning",
        "bound",
        "breaks",
        "buffers",
        "context",
        "declared",
        "env",
        "events",
        "fed",
        "function",
        "inner_scope",
        "loops",
        "mixed",
        "moved_back",
        "of_callers",
        "of_given",
        "of_nothing",
        "outer",
        "owner",
        "paths",
        "quiet",
        "rare",
        "returns",
        "setup",
        "sink",
        "skipped",
        "symbol",
        "tests",
        "usage",
        "writes",
        "yields",
    )

    def __init__(
        self,
        context: Context,
        symbol: str,
        usage: Usage,
        *,
        outer: dict[str, Value] | None = None,
        owner: str | None = None,
        function: facts.Function | None = None,
        loud: bool,
    ) -> None:
        self.context = context
        self.symbol = symbol
        self.usage = usage
        self.outer = outer
        self.owner = owner
        self.function = function
        self.env: dict[str, Value] = {}
        self.paths: dict[str, Value] = {}
        self.events: list[Recorded] | None = [] if loud else None
        self.assigning: facts.Expr | None = None
        self.quiet = 0
        self.skipped = 0
        """Not 0 in code that runs only under tracing or on other accelerators."""
        self.rare = 0
        """Not 0 in what is evaluated only for 16-bit floats."""
        self.inner_scope = 0
        self.loops = 0
        self.mixed: set[str] = set()
        """Names that stand for one after the other of a dictionary's tensors, of which some are on the host."""
        self.returns: list[Value] = []
        self.of_given: list[Value] = []
        """Tensors that are returned early because a parameter was handed in: `if latents is not None: return latents`.
        They count unless several values are returned otherwise, which callers take apart."""
        self.of_nothing: list[Value] = []
        """What is returned where there is nothing to work on, and was made on the CPU for that, or by a call of itself
        of parts: it counts if nothing else is returned."""
        self.yields: list[Value] = []
        self.breaks: list[list[State]] = []
        self.sink: ClassInfo | None = None
        self.writes: dict[str, tuple[Value, bool]] = {}
        self.tests: dict[str, tuple[str, facts.Call]] = {}
        """Names that hold the outcome of a test of what another name is: the other, and the test."""
        self.fed: dict[str, Value] = {}
        """What objects are given that keep running values, by the names of these objects; see `running_values`."""
        self.declared: dict[str, Value] = {}
        """What the attributes of `self` are, by statements that assign nothing: `self.sampler: Sampler`."""
        self.buffers: set[str] = set()
        self.moved_back: frozenset[str] = frozenset()
        """Attributes of `self` that are moved for as long as the method runs."""
        self.asks_where = False
        """A test has said of a tensor whether it is on the GPU."""
        self.of_callers = False
        """Parameters stand for what callers are known to hand in, so that what is returned is no summary."""
        self.bound: Value | None = None
        name = symbol.rpartition(".")[2]
        self.setup = bool(SETUP_NAME.match(name))

    def knows_arrays(self) -> bool:
        """Whether what is followed has to do with arrays that are no tensors."""
        return self.context.knows_arrays(self.function)

    # --- names -----------------------------------------------------------------------------------

    def lookup(self, name: str) -> Value:
        """The value of a name: local, enclosing, module, or builtin."""
        value = self.env.get(name)
        if value is not None:
            return value
        if self.outer is not None:
            value = self.outer.get(name)
            if value is not None:
                return value
        value = self.context.names.get(name)
        if value is not None:
            return value
        return _BUILTIN_REFS.get(name, UNKNOWN)

    def bind(self, name: str, value: Value) -> None:
        """Assign to a local name. What is not known is taken to be a tensor when its uses prove one."""
        if self.inner_scope:
            # A comprehension's variable is not the function's variable of the same name.
            pass
        elif isinstance(value, (Unknown, Method)) and self._is_table(name):
            value = Array()
        elif isinstance(value, Unknown) and name in self.usage.tensors:
            value = as_tensor(value, self.usage.tensors[name])
        elif isinstance(value, Method) and isinstance(value.receiver, Unknown) and name in self.usage.tensors:
            value = as_tensor(UNKNOWN, self.usage.tensors[name])
        elif _may_be_loader(value) and is_loader_name(name) and self.context.uses_torch:
            value = NAMED_LOADER
        elif isinstance(value, Tensor) and not value.sure and value.param is None and name in self.usage.tensors:
            value = value._replace(sure=True)
        elif name in self.usage.read:
            value = self._read(value)
        self.env[name] = value
        if self.fed:
            self.fed.pop(name, None)
        if self.tests:
            self.tests = {held: test for held, test in self.tests.items() if name not in (held, test[0])}
        if self.paths:
            prefix = name + "."
            for path in [path for path in self.paths if path.startswith(prefix)]:
                del self.paths[path]

    def _is_table(self, name: str) -> bool:
        """Whether what is called so, and not known, is a table: by its use, or by its name where there are tables."""
        return name in self.usage.tables or (self.context.has_tables() and is_table_name(name))

    def _read(self, value: Value) -> Value:
        """What `item` is called of: a tensor of one element, or an element of an array."""
        if isinstance(value, Unknown) and self.context.uses_torch and not self.knows_arrays():
            value = as_tensor(value)
        return value._replace(ndim=0) if isinstance(value, Tensor) and value.ndim is None else value

    # --- branches --------------------------------------------------------------------------------

    def save(self) -> State:
        return dict(self.env), dict(self.paths)

    def restore(self, state: State) -> None:
        self.adopt((dict(state[0]), dict(state[1])))

    def adopt(self, state: State) -> None:
        """Go on with a state that nobody else holds."""
        self.env, self.paths = state
        if self.symbol == "<module>":
            self.context.names = self.env

    def merge(self, state: State) -> None:
        """Join another path's state into this one."""
        env, paths = state
        for name, value in env.items():
            mine = self.env.get(name)
            if mine is None:
                self.env[name] = value
            elif mine is not value:
                joined = join(mine, value)
                if type(joined) is Tensor:
                    if not joined.sure:
                        joined = self._made_where_left_out(name, mine, value) or joined
                    if name in self.usage.moved:
                        joined = self._made_until_moved(name, joined)
                self.env[name] = joined
        # A path that only one branch assigned falls back to what the class says of the attribute.
        for path in [path for path in self.paths if path not in paths]:
            if path.partition(".")[2] not in self.moved_back:
                del self.paths[path]
        for path in self.moved_back and [path for path in paths if path.partition(".")[2] in self.moved_back]:
            self.paths.setdefault(path, paths[path])
        for path in list(self.paths):
            if self.paths[path] is not paths[path]:
                self.paths[path] = join(self.paths[path], paths[path])

    def _made_where_left_out(self, name: str, one: Value, other: Value) -> Value | None:
        """What may be left out, and is made a tensor on one path, is a tensor on the others as well."""
        given, made = (one, other) if isinstance(one, Unknown) else (other, one)
        if not isinstance(given, Unknown) or given.param != name or given.derived or self.function is None:
            return None
        if not isinstance(made, Tensor) or not made.sure:
            return None
        param = next((param for param in self.function.params if param.name == name), None)
        if param is None or param.annotation is not None or not is_none(param.default):
            return None
        return join(as_tensor(given), made)

    def _made_until_moved(self, name: str, value: Value) -> Value:
        """What is made on the CPU where it is left out, and moved later, is there until then."""
        if not isinstance(value, Tensor) or value.device != of_param(name) | CPU or self.function is None:
            return value
        return value._replace(device=CPU, param=None) if is_moved_later(self.function, name) else value

    def ask(self, node: facts.Expr, op: str, value: Tensor) -> None:
        """A tensor is asked for its truth, which decides what runs next."""
        # What a loop compares, a tensor or a number, is a tensor nearly always (measured: nine of nine).
        is_compared = op == "while" and isinstance(node, facts.Compare)
        confidence = None if value.sure else "likely" if is_compared else "possible"
        self.emit(
            "control-flow",
            op,
            "",
            node,
            subject=node,
            device=value.device,
            sure=value.sure,
            origin=value.origin,
            confidence=confidence,
        )

    def delay(self, made: facts.Expr, used: facts.Expr) -> None:
        """What was recorded of an expression happens in another one, which goes through what it makes."""
        for at, record in enumerate(self.events or ()):
            if record.event.span == made.span and self.events is not None:
                self.events[at] = record._replace(event=record.event._replace(span=used.span))

    def silently(self) -> _Silence:
        """A context in which code is followed for its effect on values only."""
        return _Silence(self)

    # --- events ----------------------------------------------------------------------------------

    @property
    def loud(self) -> bool:
        return self.events is not None and not self.quiet and not self.skipped

    def hot(self) -> str | None:
        if self.loops:
            return "loop"
        if self.symbol == "<module>":
            return None
        name = self.symbol.rpartition(".")[2]
        if name == "forward":
            return "forward"
        return "step" if not self.setup and _is_step(name) else None

    def note_on_host(self, device: Device) -> None:
        """A NumPy array is made of what lives there as it is, which PyTorch refuses for what is on an accelerator."""
        if len(device) == 1 and is_of_params(device):
            (atom,) = device
            self.context.on_host.setdefault(self.symbol, set()).add(atom[1:])

    def emit(
        self,
        kind: str,
        op: str,
        form: str,
        node: facts.Expr,
        *,
        subject: facts.Expr | None = None,
        device: Device = ANYWHERE,
        sure: bool = True,
        origin: Origin | None = None,
        confidence: str | None = None,
        versions: str | None = None,
        source: Device | None = None,
        located: facts.Expr | None = None,
    ) -> None:
        """Record a wait for a value on `device`; nothing if it is known to live on the host.

        With `source`, a copy: nothing unless that may be the CPU. `located` is the value whose device decides, when it
        is not the subject.
        """
        if not self.loud or only_host(device):
            return
        assert self.events is not None
        if self.rare:
            confidence = "possible"
        elif confidence is None:
            confidence = "certain" if is_certain(device) and sure else "likely"
        text = source_text(subject) if subject is not None else ""
        chain = reasons(origin)
        if source is None and kind in _OF_A_VALUE and not is_certain(device):
            why = WITH_ITS_OBJECT if device == MOVED else NOT_KNOWN
            chain = (*chain, Reason((located or subject or node).span, why))
        event = Event(kind, op, form, node.span, text, confidence, self.symbol, self.hot(), chain, versions)
        self.events.append(Recorded(event, device, source, sure))


def as_tensor(value: Unknown, proof: facts.Place | None = None) -> Tensor:
    """What is not known, but for being a tensor; `proof` is where it is used as one."""
    origin = because(Reason(proof, "only a tensor is used like this"), None) if proof is not None else None
    if value.param is None:
        return Tensor(ANYWHERE, origin=origin)
    return Tensor(of_param(value.param), value.dtype, param=None if value.derived else value.param, origin=origin)


LOADER_CLASS: Final = "torch.utils.data.DataLoader"
NAMED_LOADER: Final = Instance(LOADER_CLASS, False)
"""What is called a loader: its batches come from the host, as far as anybody can tell from a name."""
SAMPLE: Final = Tensor(CPU, sure=False)
"""What a dataset or a tokenizer gives: if it is a tensor, then one in the memory of the host."""


def _may_be_loader(value: Value) -> bool:
    """What nothing is known of, or only that it can be iterated over."""
    if isinstance(value, Items):
        return value.items is None and isinstance(value.element, Unknown)
    return isinstance(value, Unknown)


def is_loader_name(name: str) -> bool:
    return name[-6:].lower() == "loader" or name == "dl" or name.endswith("_dl")


_MODEL: Final = re.compile(
    r"(^|_)(model|net|network|module|encoder|decoder|backbone|head|criterion|loss_fn|policy|actor|critic|generator|"
    r"discriminator|unet|vae|transformer)(_?\d)?$"
)


def is_model_name(node: facts.Expr) -> bool:
    """Named as what takes tensors and gives tensors."""
    name = node.id if isinstance(node, facts.Name) else node.name if isinstance(node, facts.Attr) else ""
    return bool(_MODEL.search(name.lower()))


def source_text(node: facts.Expr) -> str:
    """Names and attributes as written; what is longer is cut to its essence."""
    if isinstance(node, facts.Name):
        return node.id
    if isinstance(node, facts.Attr):
        inner = source_text(node.value)
        return f"{inner}.{node.name}" if inner else ""
    if isinstance(node, facts.Call):
        inner = source_text(node.func)
        return f"{inner}(…)" if inner else ""
    if isinstance(node, facts.Subscript):
        inner = source_text(node.value)
        return f"{inner}[…]" if inner else ""
    return ""


def explain(value: Value, node: facts.Expr, text: str = "") -> Value:
    """Add the place of `node` to the chain of a tensor."""
    if isinstance(value, Tensor):
        return tensor_because(value, because(new(Reason, (node.span, text)), value.origin))
    return value


Evaluator: TypeAlias = Function[[Frame, Any], Value]
EVALUATORS: Final[dict[type, Evaluator]] = {}
"""Filled by the modules that know the kinds of expression; `evaluate` is the one way in."""


EXECUTORS: Final[dict[type, Function[[Frame, Any], bool]]] = {}
"""Filled by `statements`."""


def execute(frame: Frame, body: tuple[facts.Stmt, ...]) -> bool:
    """Follow a block of statements. False when its end cannot be reached."""
    for statement in body:  # noqa: SIM110  (a loop costs less than a generator here)
        if not EXECUTORS[type(statement)](frame, statement):
            return False
    return True


@lru_cache(maxsize=1 << 12)
def _is_step(name: str) -> bool:
    return _STEP.search(name) is not None


_NAME: Final[type] = facts.Name
"""Compiled, the class would be looked up each time that an expression is evaluated."""


def evaluate(frame: Frame, node: facts.Expr) -> Value:
    """The value of an expression; waits on the way are recorded."""
    kind = type(node)
    if kind is _NAME:
        _, name = cast("facts.Name", node)
        return frame.lookup(name)
    return EVALUATORS[kind](frame, node)


def evaluate_silently(frame: Frame, node: facts.Expr) -> Value:
    """The value of an expression; waits on the way are not recorded."""
    with frame.silently():
        return evaluate(frame, node)


BUILTINS: Final = frozenset(name for name in dir(builtins) if name.islower())
"""Python's builtin functions."""
_BUILTIN_REFS: Final[dict[str, Value]] = {name: Ref("builtins." + name) for name in BUILTINS}
