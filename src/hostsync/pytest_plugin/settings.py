"""The options of the command line and their twins in the ini-file."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hostsync.pytest_plugin.allowances import FORM, Allowance, parse

MODES = ("off", "marked", "report", "error")
LEVELS = ("implicit", "all")
SCOPES = ("call", "setup", "shared", "teardown")
REPORTS = (".json", ".sarif")
"""Endings of report files."""


class Settings(NamedTuple):
    """What a run of pytest was asked for."""

    mode: str = "marked"
    """off: nothing is watched. marked: tests that have a marker or use a fixture of the plugin. report: every test, and
    none fails. error: every test."""
    max: int = 0
    warmup: int = 0
    scope: frozenset[str] = frozenset(("call",))
    allow: tuple[Allowance, ...] = ()
    baseline: Path | None = None
    update: bool = False
    report: Path | None = None
    level: str = "implicit"
    require_cuda: bool = False
    sources: tuple[str, ...] = ("auto",)


class _Option(NamedTuple):
    name: str
    """Of the command line; that of the ini-file has underscores and no leading dashes."""
    read: Callable[[str], Any]
    """From text; raises ValueError with what was expected."""
    metavar: str
    help: str

    @property
    def ini(self) -> str:
        return self.name.removeprefix("--").replace("-", "_")


def _one_of(choices: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"has to be one of {', '.join(choices)}, not {text!r}")
        return text

    return read


def _several_of(choices: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    def read(text: str) -> tuple[str, ...]:
        parts = tuple(part.strip() for part in text.split(","))
        if not set(parts) <= set(choices):
            raise ValueError(f"has to be one or more of {', '.join(choices)}, with commas, not {text!r}")
        return parts

    return read


def _sources(text: str) -> tuple[str, ...]:
    return ("auto",) if text == "auto" else _several_of(("driver", "trace", "debug"))(text)


def _count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        count = -1
    if count < 0:
        raise ValueError(f"has to be a number, 0 or more, not {text!r}")
    return count


def _report(text: str) -> Path:
    path = Path(text)
    if path.suffix not in REPORTS:
        raise ValueError(f"has to name a file that ends in {' or '.join(REPORTS)}, not {text!r}")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"has to be in a folder that exists, not {text!r}")
    return path.absolute()


_OPTIONS = (
    _Option(
        "--host-sync",
        _one_of(MODES),
        "|".join(MODES),
        "which tests are watched for host waits: none (off), those with a marker or a fixture of hostsync (marked, the "
        "default), all without failing any (report), all (error)",
    ),
    _Option("--host-sync-max", _count, "N", "the unexpected waits that a test may have (default: 0)"),
    _Option("--host-sync-warmup", _count, "N", "the first waits at each place that don't count in a test (default: 0)"),
    _Option(
        "--host-sync-scope",
        _several_of(SCOPES),
        "SCOPE,…",
        "what is judged: call (the default), setup, shared (set-up of class, module and session fixtures), teardown",
    ),
    _Option("--host-sync-baseline", Path, "FILE", "a file of waits that are known and don't fail a test"),
    _Option("--host-sync-report", _report, "FILE.json|.sarif", "write what was seen to this file"),
    _Option(
        "--host-sync-level",
        _one_of(LEVELS),
        "|".join(LEVELS),
        "whether calls that ask for a wait, such as torch.cuda.synchronize(), count too (all) or not (the default)",
    ),
    _Option(
        "--host-sync-sources",
        _sources,
        "auto|SOURCE,…",
        "how waits are seen: driver, trace, debug; auto (the default) takes the most complete one that works",
    ),
)
_FLAGS = (
    ("--host-sync-update", "write the baseline anew, and fail no test for its waits"),
    ("--host-sync-require-cuda", "without CUDA, fail the tests that should be watched"),
)


def add_options(parser: pytest.Parser) -> None:
    """Adds the options and the keys of the ini-file."""
    group = parser.getgroup("hostsync", "waits of the host for the GPU")
    for option in _OPTIONS:
        group.addoption(option.name, metavar=option.metavar, help=option.help, type=_argument(option.read))
        parser.addini(option.ini, option.help.replace("%", "%%"))
    text = f"waits that are meant: {FORM}; may be given several times"
    metavar = "GLOB::FUNCTION[:CODE]"
    group.addoption("--host-sync-allow", action="append", metavar=metavar, help=text, type=_argument(parse))
    parser.addini("host_sync_allow", f"{text}, one for each line", type="linelist")
    for name, text in _FLAGS:
        group.addoption(name, action="store_true", default=None, help=text)
    parser.addini("host_sync_require_cuda", _FLAGS[1][1], type="bool", default=False)


def _argument(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        # A value is kept as text: xdist hands options to its workers, and only plain types can be.
        try:
            read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
        return text

    return convert


def read_settings(config: pytest.Config) -> Settings:
    """What the command line and the ini-file say; the command line wins.

    Raises:
        pytest.UsageError: the ini-file has a value that can't be used, or options don't go together.
    """
    found: dict[str, Any] = {}
    for option in _OPTIONS:
        text = config.getoption(option.name)
        origin = option.name
        if text is None:
            text, origin = str(config.getini(option.ini) or ""), option.ini
        if text:
            key = option.ini.removeprefix("host_sync").removeprefix("_") or "mode"
            try:
                found[key] = option.read(text)
            except ValueError as error:
                raise pytest.UsageError(f"hostsync: {origin} {error}") from error
    given = [*config.getini("host_sync_allow"), *(config.getoption("--host-sync-allow") or ())]
    try:
        found["allow"] = tuple(parse(text) for text in given)
    except ValueError as error:
        raise pytest.UsageError(f"hostsync: host_sync_allow: {error}") from error
    found["update"] = bool(config.getoption("--host-sync-update"))
    required = config.getoption("--host-sync-require-cuda")
    found["require_cuda"] = bool(config.getini("host_sync_require_cuda") if required is None else required)
    if "scope" in found:
        found["scope"] = frozenset(found["scope"])
    if "baseline" in found:
        # Of the command line from the current folder, of the ini-file from its own.
        base = config.rootpath if config.getoption("--host-sync-baseline") is None else config.invocation_params.dir
        found["baseline"] = base / found["baseline"]
    settings = Settings(**found)
    if settings.update and settings.baseline is None:
        raise pytest.UsageError("hostsync: --host-sync-update needs --host-sync-baseline FILE, the file to write")
    return settings
