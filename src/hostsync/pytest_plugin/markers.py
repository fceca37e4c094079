"""What the markers of a test ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from hostsync.pytest_plugin.allowances import Allowance, parse
from hostsync.pytest_plugin.settings import LEVELS, Settings

FIXTURES = ("host_sync", "assert_max_host_syncs", "assert_num_host_syncs")
DESCRIPTIONS = (
    "no_host_sync: the test fails if it makes the host wait for the GPU, by explicit calls too.",
    "host_sync(max=0, *, allow=(), warmup=0, level=None): the test fails if it has more than `max` unexpected waits; "
    "`allow` lists waits that are meant, `warmup` is how many at each place don't count, `level` is implicit or all.",
    "allow_host_sync(reason): the waits of the test are meant.",
)


class MarkerError(ValueError):
    """A marker that can't be used; the message says how it is used."""


class Policy(NamedTuple):
    """How one test is judged."""

    is_watched: bool
    is_enforced: bool
    """Whether the test fails for too many waits."""
    max: int
    warmup: int
    level: str
    allow: tuple[Allowance, ...] = ()
    """Of the marker alone."""
    reason: str | None = None
    """Why all of its waits are meant."""
    holder: str = ""
    """The node that has the marker."""


class _Budget(NamedTuple):
    max: int
    allow: tuple[Allowance, ...]
    warmup: int | None
    level: str | None


def policy_of(item: pytest.Item, settings: Settings) -> Policy:
    """How a test is judged. The nearest marker counts: on the parameters, the function, the class, the module.

    Raises:
        MarkerError: a marker has wrong arguments, or two of one node contradict each other.
    """
    fixtures = getattr(item, "fixturenames", ())
    every = settings.mode in ("report", "error")
    enforced = settings.mode != "report" and not settings.update
    plain = Policy(
        every or any(name in fixtures for name in FIXTURES),
        enforced and settings.mode == "error",
        settings.max,
        settings.warmup,
        settings.level,
    )
    nearest: Policy | None = None
    for node, marks in _levels(item):
        known = [(mark, _READERS[mark.name](*mark.args, **mark.kwargs)) for mark in marks]
        if nearest is not None or not known:
            continue
        names = {mark.name for mark, _ in known}
        if len(names) > 1:
            raise MarkerError(f"the markers {' and '.join(sorted(names))} contradict each other")
        mark, value = known[0]
        marked = plain._replace(is_watched=True, is_enforced=enforced, holder=node)
        if mark.name == "no_host_sync":
            nearest = marked._replace(max=0, warmup=0, level="all")
        elif mark.name == "host_sync":
            nearest = marked._replace(
                max=value.max,
                allow=value.allow,
                warmup=settings.warmup if value.warmup is None else value.warmup,
                level=value.level or settings.level,
            )
        else:
            nearest = marked._replace(reason=value, is_enforced=False, is_watched=every or plain.is_watched)
    policy = nearest or plain
    return policy._replace(is_watched=False) if settings.mode == "off" else policy


def _levels(item: pytest.Item) -> Iterator[tuple[str, list[pytest.Mark]]]:
    """The markers of hostsync by where they stand, the nearest first."""
    callspec = getattr(item, "callspec", None)
    parameters = getattr(callspec, "marks", [])
    own = [mark for mark in parameters if mark.name in _READERS]
    yield item.nodeid, own
    by_node: dict[str, list[pytest.Mark]] = {}
    for node, mark in item.iter_markers_with_node():
        if mark.name in _READERS and not any(mark is one for one in own):
            name = node.nodeid.removesuffix(f"[{getattr(callspec, 'id', '')}]") if node is item else node.nodeid
            by_node.setdefault(name, []).append(mark)
    yield from by_node.items()


def _host_sync(max: object = 0, *, allow: object = (), warmup: object = None, level: object = None) -> _Budget:  # noqa: A002
    if isinstance(allow, str) or not isinstance(allow, (list, tuple)) or not all(isinstance(a, str) for a in allow):
        raise MarkerError(f"`allow` has to be a list of texts, not {allow!r}")
    if level is not None and level not in LEVELS:
        raise MarkerError(f"`level` has to be one of {', '.join(LEVELS)}, not {level!r}")
    try:
        allowances = tuple(parse(text) for text in allow)
    except ValueError as error:
        raise MarkerError(f"`allow`: {error}") from error
    return _Budget(
        _number("max", max), allowances, None if warmup is None else _number("warmup", warmup), level and str(level)
    )


def _number(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise MarkerError(f"`{name}` has to be a number, 0 or more, not {value!r}")
    return value


def _no_host_sync() -> None:
    return None


def _allow_host_sync(reason: object = None) -> str:
    if not isinstance(reason, str) or not reason.strip():
        raise MarkerError('it needs a reason: allow_host_sync(reason="why the waits are meant")')
    return reason


def _checked(name: str, read: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return read(*args, **kwargs)
        except TypeError as error:
            usage = next(text for text in DESCRIPTIONS if text.startswith(name)).partition(": ")[0]
            reason = str(error).partition("() ")[2] or str(error)
            raise MarkerError(f"@pytest.mark.{name} {reason}; it is used as `{usage}`") from error
        except MarkerError as error:
            raise MarkerError(f"@pytest.mark.{name}: {error}") from error

    return call


_READERS: dict[str, Callable[..., Any]] = {
    "no_host_sync": _checked("no_host_sync", _no_host_sync),
    "host_sync": _checked("host_sync", _host_sync),
    "allow_host_sync": _checked("allow_host_sync", _allow_host_sync),
}
