"""The pytest plugin: tests fail for waits of the host for the GPU that nobody has meant. See docs/pytest.md.

Pytest loads this module, as the entry point `hostsync` or with `-p hostsync.pytest_plugin`. Torch is imported when the
first test is watched.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from hostsync.pytest_plugin import settings as _settings
from hostsync.pytest_plugin.checks import Checked, HostSync, check
from hostsync.pytest_plugin.errors import UnexpectedHostSync
from hostsync.pytest_plugin.gate import Gate
from hostsync.pytest_plugin.gathering import read_baseline
from hostsync.pytest_plugin.markers import DESCRIPTIONS
from hostsync.pytest_plugin.reporter import Reporter

__all__ = ["Checked", "HostSync", "UnexpectedHostSync"]

_GATE: pytest.StashKey[Gate] = pytest.StashKey()
Assertion = Callable[..., AbstractContextManager[Checked]]


def pytest_addoption(parser: pytest.Parser) -> None:
    _settings.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    for text in DESCRIPTIONS:
        config.addinivalue_line("markers", text)
    settings = _settings.read_settings(config)
    gate = config.stash[_GATE] = Gate(config, settings, read_baseline(settings))
    config.pluginmanager.register(gate, "hostsync-gate")
    config.pluginmanager.register(Reporter(config, gate), "hostsync-reporter")


@pytest.fixture
def host_sync(request: pytest.FixtureRequest) -> HostSync:
    """The waits of the test for the GPU: `events`, `count`, `forbid()`, `allow(reason)`, `expect(n)`, `reset()`."""
    return HostSync(request.config.stash[_GATE].running)


@pytest.fixture
def assert_max_host_syncs(request: pytest.FixtureRequest) -> Assertion:
    """A context manager: the block may wait for the GPU at most `n` times. `(n, *, level=None, info=None)`."""
    watched = request.config.stash[_GATE].running

    def assert_max(n: int, *, level: str | None = None, info: str | None = None) -> AbstractContextManager[Checked]:
        return check(watched, n, False, level, info)

    return assert_max


@pytest.fixture
def assert_num_host_syncs(request: pytest.FixtureRequest) -> Assertion:
    """A context manager: the block has to wait for the GPU `n` times. `(n, *, level=None, info=None)`."""
    watched = request.config.stash[_GATE].running

    def assert_num(n: int, *, level: str | None = None, info: str | None = None) -> AbstractContextManager[Checked]:
        return check(watched, n, True, level, info)

    return assert_num
