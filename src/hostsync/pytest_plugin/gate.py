"""The hooks around tests: which are watched, and how they are judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from hostsync.catalogue.model import Rule
from hostsync.lint import baseline
from hostsync.pytest_plugin.errors import UnexpectedHostSync
from hostsync.pytest_plugin.gathering import Data, data_of, process_data
from hostsync.pytest_plugin.judging import Grounds, Verdict, judge
from hostsync.pytest_plugin.ledger import SHARED, Group, Ledger, Record
from hostsync.pytest_plugin.markers import MarkerError, Policy, policy_of
from hostsync.pytest_plugin.settings import Settings
from hostsync.pytest_plugin.watching import Watcher
from hostsync.report.escape import visible
from hostsync.runtime.cause import Causes
from hostsync.runtime.records import Wait

SECTION = "host waits"
PHASES = ("setup", "call", "teardown")
PROPERTIES = ("host_sync_waits", "host_sync_sites")
MOST_NAMED = 20
"""Sites that the properties of a test name."""

POLICY: pytest.StashKey[Policy] = pytest.StashKey()


class Watched:
    """A running test that is watched, or should be.

    Attributes:
        policy: how it is judged.
        is_active: whether waits can be seen.
        record: the waits of the present phase, or of the last one.
        verdicts: by phase, once judged.
        error: what the plugin has raised for the waits of the test.
    """

    def __init__(self, gate: Gate, policy: Policy, is_active: bool) -> None:
        self.policy = policy
        self.is_active = is_active
        self.verdicts: dict[str, Verdict] = {}
        self.error: UnexpectedHostSync | None = None
        self._gate = gate
        self.restart()

    def restart(self) -> None:
        """Forget everything: plugins that repeat a test run its phases several times."""
        self.records = {when: Record() for when in PHASES}
        self.record = self.records["setup"]
        self.verdicts.clear()

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the active sources; none before CUDA is used."""
        self._gate.watcher.look()
        return self._gate.watcher.sources

    @property
    def wanted(self) -> tuple[str, ...]:
        """The sources that were asked for."""
        return self._gate.settings.sources

    @property
    def check(self) -> Callable[[Wait], None]:
        """Tells the ledger that an assertion judges a wait."""
        return self._gate.ledger.check

    def causes(self) -> Causes:
        """What knows the rules."""
        return self._gate.grounds().causes

    def judge_so_far(self) -> Verdict:
        """What the present phase would be judged to be."""
        return self._verdict(self.record.groups())

    def judge(self, when: str) -> Verdict:
        """Judge the set-up and the call together, or the tear-down."""
        verdict = self.verdicts[when] = self._verdict(tuple(self._groups(when)))
        return verdict

    def _verdict(self, groups: tuple[Group, ...]) -> Verdict:
        # Without a wait the rules need not be loaded.
        return judge(groups, self.policy, self._gate.grounds()) if groups else Verdict.clean(self.policy)

    def _groups(self, when: str) -> Iterator[Group]:
        scope = self._gate.settings.scope
        if when == "call":
            for group in self.records["setup"].groups():
                if group.fate == SHARED:
                    yield group._replace(fate="" if "shared" in scope else SHARED)
                elif "setup" in scope:
                    yield group
        if when in scope:
            yield from self.records[when].groups()


class Gate:
    """Watches the tests of one process.

    Args:
        config: pytest's.
        settings: the options.
        recorded: the baseline.
    """

    def __init__(self, config: pytest.Config, settings: Settings, recorded: baseline.Counts) -> None:
        self.settings = settings
        self.recorded = recorded
        self.ledger = Ledger()
        self.watcher = Watcher(self.ledger, settings.sources)
        self._config = config
        self._inactive: Counter[str] = Counter()
        self._running: Watched | None = None
        self._grounds: Grounds | None = None

    @property
    def running(self) -> Watched:
        """The running test. A test that can't be watched has one too, which is not active."""
        if self._running is None:
            return Watched(self, Policy(False, False, 0, 0, self.settings.level), False)
        return self._running

    def grounds(self) -> Grounds:
        """What waits are judged by; the rules are loaded when the first wait is."""
        if self._grounds is None:
            root = self._config.rootpath
            recorded = {} if self.settings.update else self.recorded
            file = self.settings.baseline or root / "baseline"
            self._grounds = Grounds(Causes(_rules(root)), self.settings.allow, recorded, file, root)
        return self._grounds

    def end(self) -> Data:
        """End the watch. Returns what there is to say of the process."""
        self.watcher.close()
        elsewhere = sum(group.site.count for group in self.ledger.elsewhere.groups())
        return process_data(self._inactive, elsewhere, self.watcher.sources, self.watcher.blind)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if hasattr(self._config, "workerinput"):
            # A usage error would look like a crash of xdist's worker; an error of collection reaches the controller.
            wrong = self._wrong_markers(one for one in report.result or () if isinstance(one, pytest.Item))
            if wrong:
                report.outcome, report.result, report.longrepr = "failed", [], f"hostsync: {wrong}"
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        wrong = self._wrong_markers(items)
        if wrong:
            raise pytest.UsageError(f"hostsync: markers that can't be used\n{wrong}")

    def _wrong_markers(self, items: Iterable[pytest.Item]) -> str:
        """Settles how tests are judged. Returns a line for each that has markers which can't be used."""
        wrong = []
        for item in items:
            try:
                item.stash[POLICY] = policy_of(item, self.settings)
            except MarkerError as error:
                wrong.append(f"{item.nodeid}: {error}")
        return "\n".join(wrong)

    # --- around a test ---------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        policy = item.stash.get(POLICY, None)
        if policy is None or not policy.is_watched:
            return (yield)
        is_active = self.watcher.open()
        if is_active:
            self.ledger.begin()
        else:
            self._inactive[self.watcher.inactive] += 1
        self._running = Watched(self, policy, is_active)
        try:
            return (yield)
        finally:
            self._running = None
            self.watcher.look()
            if self.settings.mode == "marked":
                self.watcher.close()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, None, None]:
        with self._phase("setup"):
            yield

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        if self._running is not None and not self._running.is_active:
            self._require_cuda()
        yield from self._judged("call", item)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._judged("teardown", item)

    def _judged(self, when: str, item: pytest.Item) -> Generator[None, None, None]:
        watched = self._running
        if watched is None or not watched.is_active:
            return (yield)
        try:
            with self._phase(when):
                yield
        except BaseException:
            # The test has failed, or was skipped, by itself: that stands.
            watched.judge(when)
            self._note(when, watched, item)
            raise
        self.watcher.look()
        if self.watcher.inactive and when == "call":
            self._inactive[self.watcher.inactive] += 1
            self._require_cuda()
        verdict = watched.judge(when)
        self._note(when, watched, item)
        if verdict.fails:
            from hostsync.pytest_plugin.rendering import headline

            watched.error = UnexpectedHostSync(headline(verdict), verdict.waits)
            raise watched.error

    def _require_cuda(self) -> None:
        if self.settings.require_cuda:
            pytest.fail(f"hostsync: --host-sync-require-cuda, but {self.watcher.inactive}", pytrace=False)

    def _phase(self, when: str) -> AbstractContextManager[None]:
        watched = self._running
        if watched is None or not watched.is_active:
            return nullcontext()
        self.watcher.keep_up()
        if when == "setup":
            watched.restart()
        watched.record = watched.records[when]
        return self.ledger.phase(watched.record)

    def _note(self, when: str, watched: Watched, item: pytest.Item) -> None:
        if when == "call":
            verdict = watched.verdicts[when]
            item.user_properties[:] = [one for one in item.user_properties if one[0] not in PROPERTIES]
            item.user_properties.append((PROPERTIES[0], verdict.waits))
            if verdict.unexpected:
                from hostsync.runtime.text_report import where

                names = [f"{where(site.place)} {site.code or site.kind} x{site.count}" for site in verdict.unexpected]
                item.user_properties.append((PROPERTIES[1], visible("; ".join(names[:MOST_NAMED]))))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        if self._running is None or fixturedef.scope == "function":
            return (yield)
        with self.ledger.shared():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        watched = self._running
        verdict = None if watched is None else watched.verdicts.get(call.when)
        if watched is None or verdict is None:
            return report
        sites: list[dict[str, Any]] = []
        if verdict.unexpected or verdict.allowed:
            from hostsync.pytest_plugin.rendering import section
            from hostsync.runtime.data_report import site_dict

            causes = self.grounds().causes
            sites = [site_dict(site, 0.0, causes) for site in (*verdict.unexpected, *verdict.allowed)]
            if verdict.is_over:
                report.sections.append((SECTION, "\n".join(section(verdict, causes, self.watcher.sources))))
        # Plain types in an attribute of the report: xdist hands them on to the controller.
        vars(report)["host_sync"] = data_of(verdict, sites, self.watcher.sources)
        if call.excinfo is not None and call.excinfo.value is watched.error and report.failed:
            _point_at_the_wait(report, call.excinfo, verdict)
        return report


def _rules(root: Path) -> tuple[Rule, ...]:
    """The rules that the configuration of `root` has in force.

    Raises:
        pytest.UsageError: the configuration or a rule can't be used.
    """
    from hostsync.catalogue import CatalogueError, load_only_rules
    from hostsync.project.config import ConfigError, Resolver
    from hostsync.project.settings import Overrides

    try:
        return load_only_rules(Resolver(Overrides()).settings(root).extend_rules)
    except (ConfigError, CatalogueError) as error:
        raise pytest.UsageError(f"hostsync: {error}") from error


def _point_at_the_wait(
    report: pytest.TestReport, excinfo: pytest.ExceptionInfo[BaseException], verdict: Verdict
) -> None:
    """Shows the message alone, and the wait in the place of the plugin's own line."""
    shown = excinfo.getrepr(style="value")
    crash = getattr(shown, "reprcrash", None)
    place = verdict.unexpected[0].place if verdict.unexpected else None
    if crash is not None:
        crash.message = f"{UnexpectedHostSync.__name__}: {excinfo.value}"
        if place is not None:
            crash.path, crash.lineno = place.filename, place.row
    report.longrepr = shown
