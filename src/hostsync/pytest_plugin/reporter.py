"""The hooks that report a run: header, summary, files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hostsync.lint import baseline
from hostsync.pytest_plugin.gate import SECTION, Gate
from hostsync.pytest_plugin.gathering import Data, Gathered, write_baseline
from hostsync.report.root import report_root


class Reporter:
    """Gathers the results where the run is reported.

    Args:
        config: pytest's.
        gate: what watches the tests of this process.
    """

    def __init__(self, config: pytest.Config, gate: Gate) -> None:
        self.gathered = Gathered()
        self._config = config
        self._gate = gate
        self._is_worker = hasattr(config, "workerinput")
        self._notes: list[str] = []

    def pytest_report_header(self) -> str:
        settings = self._gate.settings
        what = {
            "off": "off",
            "marked": "tests with a marker or a fixture of hostsync are watched",
            "report": "every test is watched, none fails",
            "error": "every test is watched",
        }[settings.mode]
        if settings.mode == "off":
            return f"hostsync: {what}"
        return f"hostsync: {what} (level {settings.level}, scope {','.join(sorted(settings.scope))})"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data: Data | None = getattr(report, "host_sync", None)
        if data is not None and not self._is_worker:
            self.gathered.add(report.nodeid, report.when or "", report.outcome, data)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        data = getattr(node, "workeroutput", {}).get("hostsync")
        if data is not None:
            self.gathered.add_process(data)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        data = self._gate.end()
        if self._is_worker:
            self._config.workeroutput["hostsync"] = data  # type: ignore[attr-defined]
        else:
            self.gathered.add_process(data)
            self._notes += self._write()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        from hostsync.pytest_plugin.summary import summary

        gate = self._gate
        lines = list(summary(self.gathered, gate.settings, gate.recorded, self._is_partial(), self._notes))
        if lines:
            terminalreporter.section(SECTION)
            for line in lines:
                terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        self._gate.watcher.close()

    def _write(self) -> Iterator[str]:
        """Writes the files that were asked for; says what was written, and what could not be."""
        settings = self._gate.settings
        if settings.report is not None:
            try:
                settings.report.write_text(self._report_text(settings.report), encoding="utf-8")
            except OSError as error:
                yield f"can't write {settings.report}: {error.strerror}"
            except pytest.UsageError as error:
                yield f"can't write {settings.report}: {error}"
            else:
                yield f"report written to {settings.report}"
        if settings.update and settings.baseline is not None:
            if not self.gathered.watched:
                yield f"baseline {settings.baseline} not written: no test was watched"
                return
            try:
                yield write_baseline(settings.baseline, self.gathered, self._gate.recorded, self._is_partial())
            except baseline.BaselineError as error:
                yield str(error)

    def _report_text(self, path: Path) -> str:
        if path.suffix == ".json":
            return self.gathered.as_json(self._gate.settings)
        from hostsync.pytest_plugin.in_formats import rendered

        # Paths are those of the repository, wherever the tests have gone meanwhile.
        root = report_root(os.environ, self._config.invocation_params.dir)
        return rendered(self.gathered, self._gate.grounds().causes, path.suffix[1:], root)

    def _is_partial(self) -> bool:
        """Whether tests were selected by hand."""
        config = self._config
        source = getattr(config, "args_source", None)
        options = ("keyword", "markexpr", "lf", "deselect", "maxfail", "stepwise")
        return getattr(source, "name", "") == "ARGS" or any(config.getoption(name, None) for name in options)
