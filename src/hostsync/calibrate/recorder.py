"""Runs calls, and variants of them, and writes down what waited."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from hostsync.calibrate.argument_kinds import clone, has_elements, kinds_of, on_device, text_of, to_cpu
from hostsync.calibrate.children import Record
from hostsync.calibrate.delayed_oracle import Oracle

torch: Any = import_module("torch")

ITEM_SECONDS = 40.0
"""An item that takes longer is cut short."""
LIMIT = 4
"""How many calls of an operator with equal kinds of arguments are run."""
CPU_LIMIT = 2
"""How often a parameter gets a tensor on the CPU."""


class Recorder:
    """Runs calls under the oracle and writes a record of each."""

    def __init__(self, oracle: Oracle, device: str, write: Callable[[Record], None], skip: int = 0) -> None:
        """
        Args:
            oracle: the judge.
            device: where tensors are.
            write: takes a record.
            skip: calls that were recorded before, by a process that broke at the last of them.
        """
        self.oracle = oracle
        self.device = device
        self.write = write
        self.skip = skip
        self.seen: dict[tuple[str, str], int] = {}
        self.deadline = time.monotonic() + ITEM_SECONDS
        self.cut = False

    def late(self) -> bool:
        self.cut = self.cut or time.monotonic() > self.deadline
        return self.cut

    def run(
        self, name: str, kinds: str, prepare: Callable[[], Callable[[], Any]], limit: int = LIMIT, tries: bool = False
    ) -> bool:
        """Measure one call, write one record of it, and return whether it ran.

        Args:
            name: the operation.
            kinds: of its arguments.
            prepare: makes the call.
            limit: how many of the same kinds are measured.
            tries: the call may well be illegal, so that an error says nothing.
        """
        key = (name, kinds)
        if self.seen.get(key, 0) >= limit or self.late():
            return True
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.skip:
            self.skip -= 1
            return True
        record: Record = {"op": name, "kinds": kinds}
        try:
            waited = self.oracle.waits(prepare)
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            if "CUDA error" in text or "device-side assert" in text:
                # The context is lost; a new process goes on behind this call.
                raise SystemExit(3) from None
            unsupported = isinstance(error, NotImplementedError) and name.startswith("torch.distributions.")
            self.write({**record, "skipped" if tries or unsupported else "error": text.splitlines()[0][:160]})
            return False
        if self.oracle.dry:
            self.write({**record, "ran": True})
        else:
            self.write({**record, "waited": waited, "warned": self.oracle.warned})
        return True

    def call(
        self,
        name: str,
        function: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        in_place: bool,
        tries: bool = False,
    ) -> bool:
        if not has_elements(args):
            return True

        def prepare() -> Callable[[], Any]:
            these = clone(args) if in_place else args
            return lambda: function(*these, **kwargs)

        return self.run(name, text_of(kinds_of(args, kwargs)), prepare, tries=tries)

    def with_tensors(self, name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], first: int) -> None:
        """Repeat a call with one number, or the last of some sizes, replaced by a 0-d device tensor."""
        for index, value in enumerate(args):
            replaced = self._as_tensor(value) if index >= first else None
            if replaced is not None and self.seen.get((name, f"@{index}"), 0) < 2:
                self.seen[name, f"@{index}"] = self.seen.get((name, f"@{index}"), 0) + 1
                self.call(name, function, (*args[:index], replaced, *args[index + 1 :]), kwargs, False, True)
        for key, value in kwargs.items():
            replaced = self._as_tensor(value)
            if replaced is not None and self.seen.get((name, f"@{key}"), 0) < 2:
                self.seen[name, f"@{key}"] = self.seen.get((name, f"@{key}"), 0) + 1
                self.call(name, function, args, {**kwargs, key: replaced}, False, True)

    def with_cpu(self, name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], in_place: bool) -> None:
        """Repeat a call with one of several device tensors on the CPU."""
        if self.device == "cpu":
            return
        held = [item for item in (*args, *kwargs.values()) if on_device(item)]
        if len(held) < 2:
            return
        for index, value in enumerate(args):
            if on_device(value) and self._may(name, f"cpu@{index}"):
                moved = (*args[:index], to_cpu(value), *args[index + 1 :])
                self.call(name, function, moved, kwargs, in_place, True)
        for key, value in kwargs.items():
            if on_device(value) and self._may(name, f"cpu@{key}"):
                self.call(name, function, args, {**kwargs, key: to_cpu(value)}, in_place, True)

    def _may(self, name: str, where: str) -> bool:
        count = self.seen.get((name, where), 0)
        self.seen[name, where] = count + 1
        return count < CPU_LIMIT

    def _as_tensor(self, value: Any) -> Any:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return torch.tensor(value, device=self.device)
        if isinstance(value, (list, tuple, torch.Size)) and value and all(type(item) is int for item in value):
            return (*value[:-1], torch.tensor(value[-1], device=self.device))
        return None
