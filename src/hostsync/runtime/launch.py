"""Runs a program in this process as `python` would: its arguments, its `__main__`, its exit code."""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import NamedTuple

INTERRUPTED = 130


class LaunchError(Exception):
    """The program can't be started: there is none, or it can't be read. The message is a sentence for the user."""


class Program(NamedTuple):
    """What is to be run."""

    name: str
    """The path of a script, of a folder or archive with a `__main__.py`, or the name of a module."""
    args: tuple[str, ...]
    is_module: bool = False


class Ended(NamedTuple):
    """How a program ended."""

    code: int | None
    """None where a signal cut it off."""
    how: str
    """What stopped it: an exception's name, `KeyboardInterrupt`, a signal's name; empty when it came to its end or
    called `exit`."""


class Main(NamedTuple):
    """A program that is ready to run."""

    load: Callable[[], CodeType | None]
    argv0: str
    file: str
    package: str | None
    spec: ModuleSpec | None
    loader: object


def find(program: Program) -> Main:
    """Looks the program up and sets `sys.path` as `python` does for it. Raises LaunchError."""
    return _find_module(program.name) if program.is_module else _find_script(program.name)


def execute(main: Main, args: tuple[str, ...]) -> Ended:
    """Runs the program to its end, the threads that it leaves behind included.

    Nothing that it raises comes through: a traceback goes to standard error as it always does.

    Args:
        main: from `find`.
        args: what follows the program on the command line.
    """
    module = ModuleType("__main__")
    names = {
        "__file__": main.file,
        "__package__": main.package,
        "__spec__": main.spec,
        "__loader__": main.loader,
        "__builtins__": builtins,
        "__cached__": None if main.spec is None else main.spec.cached,
        "__annotations__": {},
    }
    # Not every Python has all of them: those of this command's own main module tell.
    before = vars(sys.modules["__main__"])
    module.__dict__.update((name, value) for name, value in names.items() if name in before or name == "__file__")
    sys.argv[:] = [main.argv0, *args]
    # It stays there after the end: threads, pickle and multiprocessing look `__main__` up.
    sys.modules["__main__"] = module
    ended = _guarded(lambda: _execute(main, module))
    left = _guarded(_join_threads)
    return left if left.how and not ended.how else ended


def _execute(main: Main, module: ModuleType) -> None:
    code = main.load()
    if code is None:
        raise ImportError(f"no code object for {main.argv0}")
    exec(code, module.__dict__)


ABOVE: tuple[CodeType, ...] = (_execute.__code__,)
"""What runs the program: frames above it are none of the program's."""


def _guarded(call: Callable[[], None]) -> Ended:
    try:
        call()
    except SystemExit as end:
        return Ended(_exit_code(end.code), "")
    except KeyboardInterrupt as error:
        _show(error)
        return Ended(INTERRUPTED, "KeyboardInterrupt")
    except BaseException as error:
        _show(error)
        return Ended(1, type(error).__name__)
    return Ended(0, "")


def _exit_code(code: object) -> int:
    """What the process would end with after `sys.exit(code)`."""
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code)
    _flush()
    with contextlib.suppress(Exception):
        print(code, file=sys.stderr)
    return 1


def _show(error: BaseException) -> None:
    """Hands an exception to the program's `sys.excepthook`, without the frames that it would not have without us."""
    _flush()
    error.__traceback__ = _own_frames_cut(error.__traceback__)
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except BaseException:
        traceback.print_exception(error)


def _own_frames_cut(at: TracebackType | None) -> TracebackType | None:
    while at is not None and at.tb_frame.f_code.co_filename == __file__:
        at = at.tb_next
    # The loader of a module that can't be compiled.
    while at is not None and at.tb_frame.f_code.co_filename.startswith("<frozen importlib"):
        at = at.tb_next
    return at


def _join_threads() -> None:
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def _flush() -> None:
    with contextlib.suppress(Exception):
        sys.stdout.flush()


# --- looking programs up -------------------------------------------------------------------------


def _find_script(name: str) -> Main:
    path = Path(name)
    if not path.exists():
        raise LaunchError(f"no such script: `{name}`; a module is run with `-m {name}`")
    if path.is_dir() or _is_archive(path):
        folder = os.path.abspath(name)  # noqa: PTH100
        _first_on_path(folder)
        spec = PathFinder.find_spec("__main__", [folder])
        if spec is None or spec.loader is None:
            raise LaunchError(f"`{name}` has no `__main__.py`")
        return _of_spec(spec, name, "")
    # Absolute, as Python's own: the program may change its folder.
    file = os.path.abspath(name)  # noqa: PTH100
    loader = SourceFileLoader("__main__", file)
    try:
        source = loader.get_data(file)
    except OSError as error:
        raise LaunchError(f"can't read `{name}`: {error.strerror}") from error
    _first_on_path(os.path.dirname(os.path.realpath(name)))  # noqa: PTH120 - as text: `sys.path` holds text

    def load() -> CodeType:
        return compile(source, file, "exec", dont_inherit=True)

    return Main(load, name, file, None, None, loader)


def _is_archive(path: Path) -> bool:
    import zipfile

    return path.is_file() and zipfile.is_zipfile(path)


def _find_module(name: str) -> Main:
    _first_on_path(str(Path.cwd()))
    spec = _spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        package, spec = name, _spec(f"{name}.__main__")
        if spec is None:
            raise LaunchError(f"`{package}` is a package without a module `__main__`, so it can't be run")
    if spec is None:
        raise LaunchError(f"no module named `{name}`")
    return _of_spec(spec, spec.origin or name, spec.parent)


def _spec(name: str) -> ModuleSpec | None:
    """Finds a module; the packages that it is in are imported for this."""
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            return None
        raise LaunchError(f"can't import the package of `{name}`: {error}") from error
    except Exception as error:
        raise LaunchError(f"can't find the module `{name}`: {type(error).__name__}: {error}") from error


def _of_spec(spec: ModuleSpec, argv0: str, package: str | None) -> Main:
    get_code = getattr(spec.loader, "get_code", None)
    if get_code is None or spec.origin == "built-in" or isinstance(spec.loader, ExtensionFileLoader):
        raise LaunchError(f"`{spec.name}` has no Python code to run")
    file = spec.origin or argv0
    return Main(lambda: get_code(spec.name), argv0, file, package, spec, spec.loader)


def _first_on_path(folder: str) -> None:
    """Puts `folder` where `python` puts the program's, in place of that of this command."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[:1] = [folder]


# --- the end by a signal -------------------------------------------------------------------------


_ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextlib.contextmanager
def on_termination(finish: Callable[[str], object]) -> Iterator[None]:
    """Calls `finish` with the signal's name when SIGTERM or SIGHUP would end this process, and lets it end by that.

    A handler that the program installs goes first, and replaces this one. Child processes that inherit it end as
    they would without it.
    """
    owner = os.getpid()

    def terminate(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        try:
            if os.getpid() == owner:
                finish(signal.Signals(number).name)
        finally:
            os.kill(os.getpid(), number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # Under nohup SIGHUP is ignored, and stays so.
    ours = [number for number in _ENDINGS if signal.getsignal(number) == signal.SIG_DFL]
    for number in ours:
        signal.signal(number, terminate)
    try:
        yield
    finally:
        for number in ours:
            if signal.getsignal(number) is terminate:
                signal.signal(number, signal.SIG_DFL)
