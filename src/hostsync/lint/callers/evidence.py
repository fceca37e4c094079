"""Evidence of callers across the files of a project: which tensors the parameters of a function are handed.

A call of an imported function speaks for itself. A call of a method of something whose class nobody knows speaks for
the classes that it is named after: `self.scheduler.step(…)` for the methods `step` of all classes called `…Scheduler`.
Such a call only speaks of parameters that must be given, as others may mean something else in each class. Of other
classes that have such a method it says that the callers which are known may not be all: that those hand in what is on
the CPU says nothing then.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from hostsync.infer.linking.handed import COMMON, KEYS, PROMISED
from hostsync.infer.linking.plain import Plain, classes_in, functions_in, is_tensor_on_host
from hostsync.infer.linking.telling import classes_of, is_news, of_class, signature_of
from hostsync.lint.callers.calls import (
    BY_NAME,
    Calls,
    Changes,
    is_called_by_others,
    is_named_after,
    to_functions,
    to_named,
    to_overridden,
)
from hostsync.lint.callers.heard import NOTHING, Heard
from hostsync.lint.callers.passing import Links, pass_on
from hostsync.lint.callers.standing import Standing
from hostsync.lint.callers.uncalled import UNRESOLVED, add_seen

_MOST_PROMISED: Final = 64
"""Of more classes that derived classes keep in one attribute only the one that all are derived from counts."""
_MOST_CHANGED: Final = 200
"""Where more files tell something else than in an earlier run, all of them are looked at."""


class Evidence:
    """What callers hand in, by file, function and parameter: the value and where it was seen.

    What files tell may be given anew, as further studies of them show more. Only what a change concerns is looked at
    again then.

    Args:
        tests: the files that hold tests, by `is_test`, whose calls don't count.
        told: what the files told when `kept` was made.
        kept: from `plain`, of an earlier run.
    """

    def __init__(
        self, tests: Collection[str] = (), told: Heard | None = None, kept: Mapping[str, Plain] | None = None
    ) -> None:
        self._tests = tests
        self._told = told
        self._calls = Calls()
        self._counted: set[str] | None = None
        """The files whose calls these are; None for all."""
        self._found: dict[str, dict[str, dict[str, Plain]]] = {}
        """By file, function and parameter, what single calls hand in."""
        self._resting: set[tuple[str, str]] = set()
        """The functions that are handed what the attributes of classes hold."""
        if told is not None and kept is not None:
            self._counted = set()
            self._found = kept["found"]
            self._resting = {(key, symbol) for key, symbol in kept["resting"]}
            self._standing = Standing(told, tests, kept["standing"])
            self._links = Links(tests, kept["links"])

    def plain(self) -> dict[str, Plain]:
        """What a later run can take up, as JSON can hold it."""
        return {
            "found": self._found,
            "resting": [list(function) for function in sorted(self._resting)],
            "standing": self._standing.plain(),
            "links": self._links.plain(),
        }

    def of(self, told: Heard) -> dict[str, Plain]:
        """What callers hand in by what files tell. Raises LostError where what they told before is gone."""
        if self._told is None or not self._go_on(self._told, told):
            self._begin(told)
        self._told = told
        standing = self._standing
        first: dict[str, Plain] = {key: dict(symbols) for key, symbols in self._found.items()}
        for key, classes in standing.promised.items():
            if key in told:
                first.setdefault(key, {}).update(classes)
        passed = pass_on(first, self._links, told, lambda symbol: standing.overriding(symbol), add_seen)
        for key, symbol, param, name, method in standing.asked:
            mine = passed.setdefault(key, {}).setdefault(symbol, {})
            if param not in mine:
                text = f"of the project's classes, only {name.rpartition(':')[2]} has {method}"
                mine[param] = [of_class(name), text]
        found: dict[str, Plain] = {}
        for key in told:
            result = _of_one_class(passed.get(key, {}), standing)
            known: dict[str, Plain] = {name: standing.keys[name] for name in standing.loaded.get(key, ())}
            if known:
                result[KEYS] = known
            if result:
                found[key] = result
        return found

    def _begin(self, told: Heard) -> None:
        self._standing = Standing(told, self._tests)
        self._links = Links(self._tests)
        self._calls = Calls()
        self._counted = None
        self._found = {}
        self._resting = set()
        changes = Changes()
        for key in told:
            if key not in self._tests:
                changes.add(key, NOTHING, told[key])
                self._calls.add(key, told[key])
        self._look_at(changes, told)

    def _go_on(self, before: Heard, told: Heard) -> bool:
        """Looks at what has changed. Returns whether that is possible."""
        changed = told.changed(before)
        if self._counted is not None and len(changed) > _MOST_CHANGED:
            return False
        if not self._standing.go_on(told, changed):
            return False
        changes = Changes()
        if any(before.get(key, NOTHING).holds != told.get(key, NOTHING).holds for key in changed):
            changes.functions |= self._resting
        for key in changed:
            old, new = before.get(key, NOTHING), told.get(key, NOTHING)
            if key not in self._tests:
                changes.add(key, old, new)
                if self._counted is None or key in self._counted:
                    self._calls.remove(key, old)
                    self._calls.add(key, new)
        self._links.forget(changed)
        self._look_at(changes, told)
        return True

    def _look_at(self, changes: Changes, told: Heard) -> None:
        concerned = {(key, symbol) for key, symbol in changes.functions if key in told}
        for method in {**changes.bases, **changes.receivers}:
            bases, receivers = changes.bases.get(method, set()), changes.receivers.get(method, set())
            for file, name in () if method.startswith("__") else self._standing.methods.get(method, ()):
                class_name = name.rpartition(".")[2]
                if not bases.isdisjoint(self._standing.lineages.above(f"{file}:{name}")) or (
                    receivers and (method not in COMMON or any(is_named_after(one, class_name) for one in receivers))
                ):
                    concerned.add((file, f"{name}.{method}"))
        open_ones = [(key, symbol) for key, symbol in sorted(concerned) if symbol in told[key].open]
        self._count_callers(open_ones, told)
        for key, symbol in open_ones:
            self._look(key, symbol, told)

    def _count_callers(self, functions: Collection[tuple[str, str]], told: Heard) -> None:
        """Adds the calls of all files that may call some functions, where not those of all files are there."""
        if self._counted is None:
            return
        names = set()
        for key, symbol in functions:
            names.add(f"{key}:{symbol}")
            owner, _, method = symbol.rpartition(".")
            if owner and not method.startswith("__"):
                names.add(f"{BY_NAME}{method}")
                names.update(f"{base}.{method}" for base in self._standing.lineages.above(f"{key}:{owner}"))
        for key in sorted(told.speaking_of(names)):
            if key not in self._counted and key not in self._tests:
                self._calls.add(key, told[key])
                self._counted.add(key)

    def _look(self, key: str, symbol: str, told: Heard) -> None:
        """Finds out what calls hand in to one function that wants to know."""
        owner, _, method = symbol.rpartition(".")
        direct = self._calls.direct.get(f"{key}:{symbol}")
        named, called = None, None
        if owner and not method.startswith("__"):
            named, called = self._calls.named.get(method), self._calls.methods.get(method)
        found: dict[str, Plain] = {}
        self._resting.discard((key, symbol))
        if direct or named or called:
            signature = signature_of(told[key].open[symbol])
            is_resting = False
            for name, value, caller, row in (
                *to_functions(signature, direct or {}),
                *(to_named(signature, owner, method, named, self._standing.customs) if named else ()),
                *(to_overridden(signature, f"{key}:{owner}", called, self._standing.lineages) if called else ()),
            ):
                if value[0] == UNRESOLVED:
                    is_resting = True
                    value = self._standing.held.resolved(value)
                add_seen(found, name, value, caller, row)
            if is_resting:
                self._resting.add((key, symbol))
            on_host = {name for name, (value, _) in found.items() if is_tensor_on_host(value)} if owner else set()
            others = (named, self._calls.vague.get(method)) if on_host else ()
            if any(calls and is_called_by_others(signature, key, owner, method, calls) for calls in others):
                # The callers that are known are not all.
                found = {name: seen for name, seen in found.items() if name not in on_host}
        if found:
            self._found.setdefault(key, {})[symbol] = found
        elif key in self._found:
            self._found[key].pop(symbol, None)


def mentioned(handed: Plain) -> set[str]:
    """The classes and functions of what callers hand in to a file, as `key:name`."""
    params = [value for symbol, held in handed.items() if symbol != KEYS for value, _ in held.values()]
    names = {name for value in params for name in (*classes_of(value), *classes_in(value))}
    names.update(option[1] for value in params for option in functions_in(value) if option[0] == "F")
    return names


def _of_one_class(found: Mapping[str, Plain], standing: Standing) -> dict[str, Plain]:
    """The same, but of several classes of objects only the one that all are derived from, if there is one."""
    result: dict[str, Plain] = {}
    for symbol, params in found.items():
        kept: dict[str, Plain] = {}
        for name, (value, text) in params.items():
            names = classes_of(value)
            if value[0] == "D" and not is_news(value):
                continue
            if not names:
                kept[name] = [value, text]
                continue
            if symbol.startswith(PROMISED) and 1 < len(names) <= _MOST_PROMISED:
                kept[name] = [value, text]
                continue
            shared = standing.shared_class(names)
            if shared is not None:
                kept[name] = [of_class(shared), text]
        if kept:
            result[symbol] = kept
    return result
