"""Runs of pytest with the plugin, in a process of their own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import hostsync

HERE = Path(__file__).resolve().parent
Run = Callable[..., pytest.RunResult]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    # The plugin is named, so that it is loaded once whether or not the package is installed.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    source = str(Path(hostsync.__file__).resolve().parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([source, str(HERE), os.environ.get("PYTHONPATH", "")]))
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def plain(pytester: pytest.Pytester, environment: None) -> Run:
    """Runs pytest with the plugin."""

    def run(*args: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess("-p", "hostsync.pytest_plugin", *args, timeout=120)

    return run


@pytest.fixture
def pretended(plain: Run) -> Run:
    """Runs pytest with the plugin and the pretended source of waits."""
    return lambda *args: plain("-p", "pretended", *args)
