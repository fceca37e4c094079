"""The one watch of the process that the ledger is filled from."""

from __future__ import annotations

import importlib
import operator
import sys
from collections.abc import Iterator
from contextlib import suppress
from contextvars import Context, copy_context
from types import CodeType
from typing import TYPE_CHECKING

from hostsync.pytest_plugin.ledger import Ledger

if TYPE_CHECKING:
    from hostsync.runtime.capture import Capture
    from hostsync.runtime.regions import watch


_RUNNERS = (
    ("_pytest.python", "pytest_pyfunc_call"),
    ("_pytest.fixtures", "call_fixture_func"),
    ("_pytest.unittest", "TestCaseFunction.runtest"),
)


class Watcher:
    """Opens the watch when the first test needs it. Nothing of torch is imported before.

    Attributes:
        inactive: why no wait can be seen here; empty while one can.
        sources: the names of the sources that were active.
        blind: what they can't see, and why better ones were not active; a phrase each.
    """

    def __init__(self, ledger: Ledger, sources: tuple[str, ...]) -> None:
        self.inactive = ""
        self.sources: tuple[str, ...] = ()
        self.blind: tuple[str, ...] = ()
        self._ledger = ledger
        self._wanted = sources
        self._watch: watch | None = None
        self._capture: Capture | None = None
        # The watch stands in a context of its own: one that a fixture copies for an event loop may outlive the watch.
        self._context: Context = copy_context()

    def open(self) -> bool:
        """Begin to watch. Returns whether waits can be seen; `inactive` says why not."""
        if self.inactive or self._watch is not None:
            return not self.inactive
        from hostsync.runtime import chain, places, prerequisites
        from hostsync.runtime.errors import SourceError
        from hostsync.runtime.regions import watch

        watching = watch(self._wanted, all_threads=True, on_wait=self._ledger.book, kept=0)
        try:
            prerequisites.require_cuda()
            self._capture = self._context.run(watching.__enter__)
        except (prerequisites.NothingToWatchError, SourceError) as error:
            self.inactive = str(error)
            return False
        self._watch = watching
        places.end_at(_runners())
        chain.on_violation.append(self._ledger.check)
        return True

    def keep_up(self) -> None:
        """Put back what pytest's own `catch_warnings` has taken away from the sources."""
        if self._watch is not None:
            from hostsync.runtime.sources import keep_up

            keep_up()

    def look(self) -> None:
        """Note which sources are active, and whether none is though CUDA is in use."""
        capture = self._capture
        if capture is None:
            return
        if capture.sources:
            self.sources, self.blind = capture.sources, capture.blind_spots
            return
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_initialized() and capture.active.unavailable:
            self.inactive = f"no source of host waits works here: {'; '.join(capture.blind_spots)}"

    def close(self) -> None:
        """End the watch. Safe to call twice."""
        self.look()
        watching, self._watch = self._watch, None
        self._capture = None
        if watching is not None:
            from hostsync.runtime import chain, places

            places.end_at(())
            chain.on_violation.remove(self._ledger.check)
            self._context.run(watching.__exit__, None, None, None)


def _runners() -> Iterator[CodeType]:
    """The code of pytest that calls tests and fixtures. A function that a version lacks only makes waits dearer."""
    for module, name in _RUNNERS:
        with suppress(ImportError, AttributeError):
            yield operator.attrgetter(f"{name}.__code__")(importlib.import_module(module))
