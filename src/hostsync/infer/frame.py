"""The state of inference in one function that is followed, and the ways into its statements and expressions."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable as Function
from functools import lru_cache
from typing import Any, Final, TypeAlias, cast

from hostsync import facts
from hostsync.infer.context import ClassInfo, Context
from hostsync.infer.devices import ANYWHERE, CPU, MOVED, Device, is_certain, is_of_params, of_param, only_host
from hostsync.infer.events import Event, Reason
from hostsync.infer.explaining import as_tensor, source_text
from hostsync.infer.hints.bound_anew import is_bound_anew
from hostsync.infer.hints.evidence import Usage
from hostsync.infer.hints.loaders_and_models import NAMED_LOADER, is_loader_name, may_be_loader
from hostsync.infer.hints.moved_later import is_moved_later
from hostsync.infer.hints.tables import is_table_name
from hostsync.infer.joining import join
from hostsync.infer.nodes import is_none
from hostsync.infer.origins import Origin, reasons
from hostsync.infer.records import Recorded
from hostsync.infer.values import UNKNOWN, Array, Items, Method, Number, Ref, Tensor, Unknown, Value

_STEP: Final = re.compile(r"(^|_)(step|train|training|fit|decode|generate|sample|infer|predict|update)(_|$)|^__call__$")
SETUP_NAME: Final = re.compile(
    r"^(__init__|__post_init__|__new__|__setstate__|_?(init|initiali[sz]e|reset|build|create|setup|set_up|load)(_.*)?|update_layer|.*_init)$"
)


NOT_KNOWN: Final = "where it lives is not known, so it counts as on the GPU"
WITH_ITS_OBJECT: Final = "it goes where its object is moved to, so it counts as on the GPU"
_OF_A_VALUE: Final = frozenset({"read-back", "control-flow", "shape", "index"})
State: TypeAlias = tuple[dict[str, Value], dict[str, Value]]
"""What names and attribute paths are bound to."""


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
        "either",
        "env",
        "events",
        "fed",
        "function",
        "inner_scope",
        "logs",
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
        self.logs = False
        """What is evaluated is handed to a logger."""
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
        self.either: tuple[facts.Expr, Items] | None = None
        """The last call that gives now so many values and now so many, with what it gives; see `alternatives`."""
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

    def bind(self, name: str, value: Value, row: int = 0) -> None:
        """Assign to a local name. What is not known is taken to be a tensor when its uses prove one.

        With `row`, where a statement binds it, uses count only up to where it is bound to something else.
        """
        proof = self.usage.tensors.get(name)
        if proof is not None and row and self.function is not None and row < proof[0]:
            proof = None if is_bound_anew(self.function.body, name, row, proof[0]) else proof
        if self.inner_scope:
            # A comprehension's variable is not the function's variable of the same name.
            pass
        elif isinstance(value, (Unknown, Method)) and self._is_table(name):
            value = Array()
        elif isinstance(value, Unknown) and proof is not None:
            value = as_tensor(value, proof)
        elif isinstance(value, Method) and isinstance(value.receiver, Unknown) and proof is not None:
            value = as_tensor(UNKNOWN, proof)
        elif may_be_loader(value) and is_loader_name(name) and self.context.uses_torch:
            value = NAMED_LOADER
        elif isinstance(value, Tensor) and not value.sure and value.param is None and proof is not None:
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
        given, made = (one, other) if isinstance(one, (Unknown, Number)) else (other, one)
        if self.function is None or not isinstance(given, (Unknown, Number)):
            return None
        if not isinstance(made, Tensor) or not made.sure:
            return None
        param = next((param for param in self.function.params if param.name == name), None)
        if param is None or not is_none(param.default):
            return None
        if isinstance(given, Number):
            # `length: int | None = None`: it is the tensor that is made wherever it is left out.
            return made if made.ndim == 0 and given.const is None and param.annotation is not None else None
        if param.annotation is not None or given.param != name or given.derived:
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
_BUILTIN_REFS: Final[dict[str, Value]] = {
    **{name: Ref("builtins." + name) for name in BUILTINS},
    "display": Ref("IPython.display.display"),  # which notebooks have without an import
}
