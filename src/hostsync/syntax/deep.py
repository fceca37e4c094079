"""Running the parsers: with room for their recursion, and without the warnings that they would show.

Both change what belongs to the whole process, so each has a lock; `run_deep` is always the outer one.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_T = TypeVar("_T")

_RECURSION_LIMIT = 20_000
_STACK_SIZE = 64 * 1024 * 1024

_stack_size_lock = threading.Lock()
_recursion_limit_lock = threading.Lock()
_warnings_lock = threading.Lock()


@contextmanager
def without_warnings() -> Iterator[None]:
    """Keep what runs inside from showing warnings about the source. One thread at a time is inside."""
    with _warnings_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def run_in_thread(work: Callable[[], _T], stack_size: int = 0) -> _T:
    """Run `work` in a thread of its own, whose stack is empty.

    Args:
        work: what to run.
        stack_size: bytes of stack that the thread gets; 0 is the platform's default.

    Returns:
        What `work` returns. What it raises is raised here.
    """
    results: list[_T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    with _stack_size_lock:
        before = threading.stack_size(stack_size)
        try:
            thread = threading.Thread(target=body, name="hostsync-deep", daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def run_deep(work: Callable[[], _T], *, recursion_limit: int = _RECURSION_LIMIT, stack_size: int = _STACK_SIZE) -> _T:
    """Run `work` in a thread with a large stack and, as long as it runs, a large recursion limit.

    The limit is that of the whole process, so only one such thread runs at a time.

    Args:
        work: what to run.
        recursion_limit: frames of Python that `work` may have on the stack.
        stack_size: bytes of stack that the thread gets.

    Returns:
        What `work` returns. What it raises is raised here: RecursionError and MemoryError are still possible.
    """

    def raised() -> _T:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, recursion_limit))
        try:
            return work()
        finally:
            sys.setrecursionlimit(before)

    with _recursion_limit_lock:
        return run_in_thread(raised, stack_size)
