"""What is known of a whole module while its functions are followed, and of its classes."""

from __future__ import annotations

from collections.abc import Callable as Function
from collections.abc import Mapping
from typing import Final

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.infer.devices import CPU, Device
from hostsync.infer.hints.annotations import admits_number
from hostsync.infer.hints.evidence import Usage
from hostsync.infer.hints.host_devices import host_calls
from hostsync.infer.hints.imported import imports_in, imports_tables, imports_torch, may_use_torch, names_of_arrays
from hostsync.infer.joining import join
from hostsync.infer.linking.links import KnownClass, Links
from hostsync.infer.linking.plain import is_foreign
from hostsync.infer.nodes import mentions_any, nodes_in
from hostsync.infer.records import CallSite, Handed, NamedCall, Signature, VagueCall
from hostsync.infer.values import Callable, ClassRef, DeviceValue, Ref, Tensor, Value
from hostsync.infer.versions import TorchRange


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
        self.set_up: object | None = None
        """The frame of `__init__`, followed, if that was the first that was asked of the class."""
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
        self._redefined: frozenset[str] | None = None

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

    def redefines(self, name: str) -> bool:
        """Whether a class of tensors that the module names has a method of this name of its own."""
        if self._redefined is None:
            own = [value.name for value in self.names.values() if isinstance(value, ClassRef)]
            lineages = [self.lineage(known) for known in own if self.is_tensor_class(known)]
            self._redefined = frozenset(method for infos in lineages for info in infos for method in info.methods)
        return name in self._redefined

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
