"""torch's sync debug mode as a source, through a warnings hook.

Torch warns where it copies a value and waits, and where a stream is waited for (c10/cuda/CUDAFunctions.h). The warning
arrives after the wait, when the operation returns to Python; those of a backward pass all arrive at its end.
"""

from __future__ import annotations

import re
import sys
import warnings
import weakref
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any, SupportsIndex

from hostsync.runtime.errors import SourceError

MESSAGE = "called a synchronizing CUDA operation"
PROTOTYPE = "Synchronization debug mode is a prototype feature"

_ENTRIES: tuple[Any, ...] = (
    ("always", re.compile(MESSAGE), UserWarning, None, 0),
    ("ignore", re.compile(PROTOTYPE), UserWarning, None, 0),
)


class PinnedFilters(list[Any]):
    """A list of warning filters whose first entries let torch's warnings through, whatever is added or cleared.

    `warnings.catch_warnings` copies the list by slicing, `simplefilter` inserts at its start and `resetwarnings` clears
    it; the interpreter reads its items directly, so that they have to be there.
    """

    __slots__ = ("__weakref__", "pinned")
    alive: list[weakref.ref[PinnedFilters]] = []  # noqa: RUF012 - of the class

    def __init__(self, items: Iterable[Any] = ()) -> None:
        super().__init__([*_ENTRIES, *(item for item in items if item not in _ENTRIES)])
        self.pinned = True
        PinnedFilters.alive[:] = [known for known in PinnedFilters.alive if known() is not None]
        PinnedFilters.alive.append(weakref.ref(self))

    def _again(self) -> None:
        if self.pinned:
            rest = [item for item in self if item not in _ENTRIES]
            super().__setitem__(slice(None), [*_ENTRIES, *rest])

    def unpin(self) -> list[Any]:
        """Become a plain list in effect. Returns the items without the pinned ones."""
        self.pinned = False
        super().__setitem__(slice(None), [item for item in self if item not in _ENTRIES])
        return list(self)

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return PinnedFilters(found) if isinstance(index, slice) and self.pinned else found

    def copy(self) -> list[Any]:
        return PinnedFilters(self) if self.pinned else list(self)

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        self._again()

    def __delitem__(self, index: Any) -> None:
        super().__delitem__(index)
        self._again()

    def insert(self, index: SupportsIndex, value: Any) -> None:
        super().insert(index, value)
        self._again()

    def remove(self, value: Any) -> None:
        super().remove(value)
        self._again()

    def clear(self) -> None:
        super().clear()
        self._again()


class WarningsHook:
    """Routes torch's sync warnings to a function, past every filter, `catch_warnings` and `-W error`.

    Args:
        on_warning: called in the place of showing the warning, with the Python frame that ran the operation. What it
            raises is raised by the operation.
    """

    def __init__(self, on_warning: Callable[[FrameType | None], None]) -> None:
        self._on_warning = on_warning
        self._original: list[Any] | None = None
        self._show: Any = None

    def install(self) -> None:
        """Take over. Every other warning is shown as before."""
        module: Any = warnings
        show = self._show = module._showwarnmsg
        on_warning = self._on_warning

        def showwarnmsg(message: Any) -> None:
            if str(message.message).startswith(MESSAGE):
                on_warning(sys._getframe(1))
                return
            # An outer hook may have been put in between; it is called, not overtaken.
            show(message)

        self._ours = showwarnmsg
        module._showwarnmsg = showwarnmsg
        self._original = module.filters
        module.filters = self._pinned = PinnedFilters(module.filters)
        _refresh()

    def keep_up(self) -> None:
        """Pin the filters again, where `catch_warnings` has put back those of before `install`."""
        module: Any = warnings
        now = module.filters
        if self._original is not None and not (isinstance(now, PinnedFilters) and now.pinned):
            module.filters = PinnedFilters(now)
            _refresh()

    def remove(self) -> None:
        """Restore everything as it was; filters that the program has set in the meantime stay."""
        module: Any = warnings
        if self._original is None:
            return
        if module._showwarnmsg is self._ours:
            module._showwarnmsg = self._show
        root, original = self._pinned, self._original
        rest = root.unpin()
        if module.filters is root:
            if rest != original:
                original[:] = rest
            module.filters = original
        for known in PinnedFilters.alive:
            filters = known()
            if filters is not None:
                filters.unpin()
        PinnedFilters.alive.clear()
        self._original = None
        _refresh()


def _refresh() -> None:
    """Make the interpreter forget which warnings were shown already."""
    module: Any = warnings
    mutated = getattr(module, "_filters_mutated", None) or getattr(module, "_filters_mutated_lock_held", None)
    if mutated is not None:
        lock = getattr(module, "_lock", None)
        if lock is not None and mutated.__name__.endswith("lock_held"):
            with lock:
                mutated()
        else:
            mutated()


class DebugMode:
    """Turns the debug mode on while it is started.

    Args:
        on_warning: as for `WarningsHook`.
    """

    def __init__(self, on_warning: Callable[[FrameType | None], None]) -> None:
        self._hook = WarningsHook(on_warning)
        self._before: int | None = None

    def start(self) -> None:
        """Turn it on.

        Raises:
            SourceError: torch has no CUDA, or CUDA can't be initialized.
        """
        import torch

        if torch.version.cuda is None or not hasattr(torch.cuda, "set_sync_debug_mode"):
            raise SourceError("this torch is built without CUDA")
        self._hook.install()
        try:
            before = torch.cuda.get_sync_debug_mode()
            torch.cuda.set_sync_debug_mode("warn")
            self._before = before
        except (RuntimeError, AssertionError) as error:
            self._hook.remove()
            raise SourceError(f"CUDA can't be initialized: {str(error).splitlines()[0]}") from error

    def keep_up(self) -> None:
        """As `WarningsHook.keep_up`."""
        self._hook.keep_up()

    def stop(self) -> None:
        """Restore the mode, the filters and the hook. Safe to call twice."""
        before, self._before = self._before, None
        if before is not None:
            import torch

            torch.cuda.set_sync_debug_mode(before)
            self._hook.remove()

    def forget(self) -> None:
        """In a forked child: restore Python's side only."""
        self._before = None
        self._hook.remove()
