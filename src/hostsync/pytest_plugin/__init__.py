"""The pytest plugin: tests fail for waits of the host for the GPU that nobody has meant. See docs/pytest.md.

Pytest loads this module, as the entry point `hostsync` or with `-p hostsync.pytest_plugin`. Torch is imported when the
first test is watched.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import pytest

from hostsync.pytest_plugin import settings as _settings
from hostsync.pytest_plugin.checks import Checked, HostSync, check
from hostsync.pytest_plugin.errors import UnexpectedHostSync
from hostsync.pytest_plugin.markers import DESCRIPTIONS

if TYPE_CHECKING:
    from hostsync.pytest_plugin.gate import Gate, Watched

__all__ = ["Checked", "HostSync", "UnexpectedHostSync"]

OLDEST = (8, 0)
"""The first release of pytest that will do."""
_TOO_OLD = f"hostsync needs pytest {OLDEST[0]} or newer, this is {pytest.__version__}"
_GATE: pytest.StashKey[Gate] = pytest.StashKey()
Assertion = Callable[..., AbstractContextManager[Checked]]


def pytest_addoption(parser: pytest.Parser) -> None:
    _settings.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    for text in DESCRIPTIONS:
        config.addinivalue_line("markers", text)
    settings = _settings.read_settings(config)
    if pytest.version_tuple < OLDEST:
        # Installed beside an older pytest, the plugin must not break it.
        if settings.mode in ("report", "error"):
            raise pytest.UsageError(_TOO_OLD)
        return
    from hostsync.pytest_plugin.gate import Gate
    from hostsync.pytest_plugin.gathering import read_baseline
    from hostsync.pytest_plugin.reporter import Reporter

    def warn(text: str) -> None:
        config.issue_config_time_warning(pytest.PytestConfigWarning(text), 2)

    gate = config.stash[_GATE] = Gate(config, settings, read_baseline(settings, warn))
    config.pluginmanager.register(gate, "hostsync-gate")
    config.pluginmanager.register(Reporter(config, gate), "hostsync-reporter")


def pytest_report_header() -> str | None:
    return f"{_TOO_OLD}: nothing is watched" if pytest.version_tuple < OLDEST else None


def _running(request: pytest.FixtureRequest) -> Watched:
    gate = request.config.stash.get(_GATE, None)
    if gate is None:
        raise pytest.UsageError(_TOO_OLD)
    return gate.running


@pytest.fixture
def host_sync(request: pytest.FixtureRequest) -> HostSync:
    """The waits of the test for the GPU: `events`, `count`, `forbid()`, `allow(reason)`, `expect(n)`, `reset()`."""
    return HostSync(_running(request))


@pytest.fixture
def assert_max_host_syncs(request: pytest.FixtureRequest) -> Assertion:
    """A context manager: the block may wait for the GPU at most `n` times. `(n, *, level=None, info=None)`."""
    watched = _running(request)

    def assert_max(n: int, *, level: str | None = None, info: str | None = None) -> AbstractContextManager[Checked]:
        return check(watched, n, False, level, info)

    return assert_max


@pytest.fixture
def assert_num_host_syncs(request: pytest.FixtureRequest) -> Assertion:
    """A context manager: the block has to wait for the GPU `n` times. `(n, *, level=None, info=None)`."""
    watched = _running(request)

    def assert_num(n: int, *, level: str | None = None, info: str | None = None) -> AbstractContextManager[Checked]:
        return check(watched, n, True, level, info)

    return assert_num
