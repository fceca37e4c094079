"""What a module knows of the other modules of its project: their interfaces, looked up by name."""

from __future__ import annotations

from collections.abc import Callable as Function
from collections.abc import Collection
from collections.abc import Mapping as Mapping_
from typing import NamedTuple

from hostsync import facts
from hostsync.facts import KNOWN_BY_NAME
from hostsync.infer.hints.host_devices import HostCall
from hostsync.infer.hints.imported import known_as
from hostsync.infer.linking.plain import MODULE, SEPARATOR, Plain, decode, decode_signature, is_foreign
from hostsync.infer.values import UNKNOWN, Callable, ClassRef, Instance, Ref, Value


class KnownClass:
    """A class, by what its module says of it; one of the scanned module itself is a `frame.ClassInfo`."""

    __slots__ = ("attributes", "bases", "host_calls", "methods", "name", "table", "wants")

    def __init__(self, name: str, bases: tuple[Value, ...], methods: dict[str, facts.Function]) -> None:
        self.name = name
        self.bases = bases
        self.methods = methods
        self.attributes: dict[str, Value] = {}
        """What its body assigns."""
        self.table: dict[str, Value] | None = None
        """What its methods assign to attributes of `self`, once that was asked for."""
        self.host_calls: tuple[HostCall, ...] = ()
        """Its calls of its own methods that hand in the CPU."""
        self.wants: set[str] = set()
        """What its methods use of `self` and nothing in the class tells: classes derived from it may."""


def _foreign_class(name: str, data: Plain, library: Library) -> KnownClass:
    """A class of another module, which has no source here."""
    bases = tuple([decode(base, library.function) for base in data["bases"]])
    found = KnownClass(name, bases, {m: decode_signature(m, held[0]) for m, held in data["methods"].items()})
    found.attributes = {k: decode(v, library.function) for k, v in data["attributes"].items()}
    found.table = {k: decode(v, library.function) for k, v in data["table"].items()}
    found.wants.update(data.get("wants", ()))
    found.host_calls = tuple([HostCall(*call) for call in data.get("host_calls", ())])
    return found


class Library:
    """The interfaces of a project's modules, each decoded when it is first asked for."""

    def __init__(self, load: Function[[str], Plain]) -> None:
        """`load` gives the interface of a module by its name, None where there is none."""
        self._load = load
        self._classes: dict[str, KnownClass | None] = {}
        self._summaries: dict[str, Value] = {}
        self._values: dict[str, Value | None] = {}

    def value(self, name: str) -> Value | None:
        """What `module:name` is; None if it is not known."""
        if name not in self._values:
            module, _, symbol = name.partition(SEPARATOR)
            data = self._load(module)
            found: Value | None = None
            if name.startswith(KNOWN_BY_NAME):
                found = Ref(known_as(name.removeprefix(KNOWN_BY_NAME)))
            elif not symbol:
                found = Ref(MODULE + module)
            elif data is not None and symbol in data["names"]:
                found = decode(data["names"][symbol], self.function)
            self._values[name] = found
        return self._values[name]

    def function(self, symbol: str) -> Value:
        """The function `module:name`."""
        data = self._function_data(symbol)
        if data is None:
            return UNKNOWN
        return Callable(decode_signature(symbol.partition(SEPARATOR)[2], data[0]), symbol, None, None)

    def summary(self, symbol: str) -> Value:
        """What a function or method returns in terms of its parameters."""
        known = self._summaries.get(symbol)
        if known is None:
            data = self._function_data(symbol)
            known = UNKNOWN if data is None else decode(data[1], self.function)
            self._summaries[symbol] = known
        return known

    def waits(self, symbol: str) -> Plain:
        """When a function or method waits, as `waiting.decode_wait` reads it."""
        data = self._function_data(symbol)
        return [] if data is None or len(data) < 3 else data[2]

    def class_info(self, name: str) -> KnownClass | None:
        """The class `module:name`."""
        if name not in self._classes:
            module, _, symbol = name.partition(SEPARATOR)
            data = self._load(module)
            held = None if data is None else data["classes"].get(symbol)
            self._classes[name] = None if held is None else _foreign_class(name, held, self)
        return self._classes[name]

    def is_unchecked(self, module: str) -> bool:
        """Whether a module switches off the checks of distributions, or imports one that does."""
        data = self._load(module)
        return data is not None and bool(data.get("unchecked"))

    def is_of_torch(self, name: str) -> bool:
        """Whether the class `module:name` is derived from one of torch, such as `torch.nn.Module`."""
        waiting, seen = [name], set()
        while waiting:
            info = self.class_info(waiting.pop())
            if info is None or info.name in seen:
                continue
            seen.add(info.name)
            if any(isinstance(base, Ref) and base.name.startswith("torch.") for base in info.bases):
                return True
            waiting += [base.name for base in info.bases if isinstance(base, ClassRef)]
        return False

    def speaks_of_torch(self, value: Value) -> bool:
        """Whether who imports it has to do with tensors: what torch defines, a class that is derived from one of
        torch, or a function that gives an object of such a class."""
        if isinstance(value, Callable) and isinstance(value.node, facts.Function) and is_foreign(value.symbol):
            value = self.summary(value.symbol)
        if isinstance(value, Ref):
            return value.name.startswith("torch")
        if isinstance(value, Instance):
            return value.name.startswith("torch.") or self.is_of_torch(value.name)
        return isinstance(value, ClassRef) and self.is_of_torch(value.name)

    def _function_data(self, symbol: str) -> Plain:
        module, _, name = symbol.partition(SEPARATOR)
        data = self._load(module)
        if data is None:
            return None
        owner, _, method = name.rpartition(".")
        if owner:
            held = data["classes"].get(owner)
            return None if held is None else held["methods"].get(method)
        return data["functions"].get(name)


class Links(NamedTuple):
    """What the imports of one module stand for."""

    targets: Mapping_[str, str]
    """By module and name as the import statement has them, joined by a blank: `module:name`. What `import *` brings
    stands under the name with a `*` before it."""
    library: Library
    named: Function[[str, str], str | None] | None = None
    """Finds what an index knows of a name in a module, by both; gives a target as those above."""

    def derives_from_torch(self, bases: Collection[str]) -> bool:
        """Whether a class of another module that goes by one of these names is derived from one of torch."""
        for target in self.targets.values():
            module, _, name = target.rpartition(SEPARATOR)
            asked = [name] if name else bases
            if any(one in bases and self.library.is_of_torch(f"{module}{SEPARATOR}{one}") for one in asked):
                return True
        return False

    def import_torch(self) -> bool:
        """Whether something that is imported, from the project or by way of it, speaks of torch."""
        values = (self.library.value(target) for target in self.targets.values())
        return any(value is not None and self.library.speaks_of_torch(value) for value in values)

    def switch_checks_off(self) -> bool:
        """Whether a module that is imported, itself or by way of it, switches off the checks of distributions."""
        return any(self.library.is_unchecked(target.partition(SEPARATOR)[0]) for target in self.targets.values())

    def by_name(self, dotted: str) -> Value | None:
        """What torch's `torch.b.name` is, which needs no import of `torch.b`; None if no index knows it."""
        module, _, name = dotted.rpartition(".")
        target = self.named(module, name) if self.named is not None and module else None
        return None if target is None else self.library.value(target)

    def starred(self, node: facts.Import) -> list[tuple[str, Value]]:
        """What `from module import *` binds."""
        prefix = f"{node.module} *"
        found = [
            (written[len(prefix) :], target) for written, target in self.targets.items() if written.startswith(prefix)
        ]
        values = [(name, self.library.value(target)) for name, target in found]
        return [(name, value) for name, value in values if value is not None]

    def imported(self, node: facts.Import) -> Value | None:
        """What an import binds; None if that is nothing of the project."""
        target = self.targets.get(f"{node.module} {node.name or ''}")
        return None if target is None else self.library.value(target)

    def submodule(self, dotted: str) -> Value | None:
        """What `a.b` is after `import a.b`; None if that is nothing of the project."""
        target = self.targets.get(f"{dotted} ")
        return None if target is None else self.library.value(target)

    def member(self, module: str, name: str) -> Value | None:
        """`module.name` for a module of the project; what that has from others, too."""
        path = f"{module}{SEPARATOR}{name}"
        target = self.targets.get(path)
        return self.library.value(path if target is None else target)
