"""One file for a worker: what it needs to know, and what comes out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from hostsync.facts import Module
from hostsync.findings import Diagnostic, Location
from hostsync.lint.check import (
    NOTEBOOK_SUFFIX,
    Plan,
    Studied,
    check_source,
    indexes_of,
    load_catalogue,
    shipped_indexes,
    study_source,
)
from hostsync.lint.checked import Checked
from hostsync.lint.entries import content_digest
from hostsync.lint.kept import KeptStudies
from hostsync.lint.linking import library, unmeasured
from hostsync.lint.offers import Offer, written
from hostsync.project.cache import Plain, digest, encoded
from hostsync.project.discovery import SourceFile
from hostsync.project.index import load_indexes


class Task(NamedTuple):
    """One file for a worker."""

    path: Path
    module: str
    plan: Plan
    key: str
    """The unique name of the file."""
    content: str
    """The digest of what it held when the run began."""
    targets: tuple[tuple[str, str], ...]
    wanted: tuple[str, ...] | None
    """The names that others ask for; None if nothing of it is to be known any more."""
    handed: tuple[str, ...] = ()
    """What callers hand in, as JSON, for each further study of the file."""
    given: bytes | None = None
    """What to take for the content of the file."""
    is_aided: bool = True
    """It may ask indexes."""


class Result(NamedTuple):
    checked: Checked
    """Empty if it comes from the cache and nobody asks for it."""
    interface: str | None
    """As JSON; None if there is none, or it is in the cache."""
    told: str | None
    """What it tells of others by the way it calls them, as JSON; as `interface`."""
    told_digest: str
    digest: str
    """Of the interface; empty if there is none."""
    mentions: tuple[str, ...]
    """The other modules that the interface speaks of."""
    is_kept: bool
    """It comes from the cache."""
    offers: Mapping[str, str] | None = None
    """By name, the digest of all that others can know through it, as `offers.resolved` gives it."""
    own_offers: Mapping[str, Offer] | None = None
    """The same before it is resolved; None once it is."""
    is_current: bool = True
    """The file held what it did when the run began."""


def plan_of(file: SourceFile) -> Plan:
    """What decides the outcome of checking `file`."""
    settings = file.settings
    return Plan(settings.extend_rules, settings.torch_version, settings.ops, indexes_of(settings.index))


class Process:
    """What this process keeps between the files that it studies."""

    studies = KeptStudies(0)
    parsed: Final[dict[str, tuple[str, Module]]] = {}
    """By the unique name of a file, the digest of its content and its facts: what was parsed ahead."""

    @classmethod
    def taken(cls, key: str, content: str) -> Module | None:
        """What was parsed of a file ahead, if that holds the same still. It is given once."""
        held = cls.parsed.pop(key, None)
        return held[1] if held is not None and held[0] == content else None


def prepare(plans: Sequence[Plan], budget: int) -> None:
    """Imports and loads what a check needs, in a worker."""
    Process.studies = KeptStudies(budget)
    for plan in plans:
        check_source(b"import torch\ntorch.zeros(1).item()\n", "", plan)
        load_catalogue(plan.extend_rules, plan.ops)
        load_indexes(plan.indexes, shipped_indexes())


def study_file(task: Task) -> Result:
    import json

    try:
        source = task.path.read_bytes() if task.given is None else task.given
    except OSError as error:
        message = f"can't be read: {error.strerror or error}"
        return _result(Studied(Checked(diagnostics=(Diagnostic("read-error", "", Location(1, 1), message),))))
    from hostsync.infer import Wanted
    from hostsync.infer.linking.links import Links

    indexes = load_indexes(task.plan.indexes, shipped_indexes())
    is_aided = indexes is not None and task.is_aided and task.module.partition(".")[0] != "torch"
    named = indexes.resolve if indexes is not None and is_aided else None
    links = Links(unmeasured(task.targets, task.module, task.plan), library(), named)
    wanted = None if task.wanted is None else Wanted(task.key, task.wanted)
    content = content_digest(source)
    followed, news = Process.studies.take(task.key, content, task.handed)
    suffix = _suffix(task.path)
    studied = study_source(
        source,
        task.module,
        task.plan,
        suffix=suffix,
        links=links,
        wanted=wanted,
        handed=[json.loads(text) for text in news],
        followed=followed,
        parsed=Process.taken(task.key, content),
    )
    if studied.followed is not None and wanted is not None and _may_be_told(studied.told, wanted.names):
        Process.studies.put(task.key, content, studied.followed, task.handed, len(source))
    return _result(studied)._replace(is_current=content == task.content)


def _may_be_told(told: Plain, names: Collection[str]) -> bool:
    """Whether callers in other files are likely to tell something of the functions of a file."""
    match told:
        case [_, _, dict(functions), _, _, list(loaded), *_]:
            return bool(loaded) or any("*" in names or str(symbol).partition(".")[0] in names for symbol in functions)
    return False


def _result(studied: Studied) -> Result:
    import json

    told = studied.told
    about = None if told is None or not any(told) else json.dumps(told, separators=(",", ":"), sort_keys=True)
    mark = "" if about is None else digest(b"", encoded(about))
    if studied.interface is None:
        return Result(studied.checked, None, about, mark, "", (), False)
    text, offers = written(studied.interface)
    mentions = tuple(studied.interface.data["mentions"])
    return Result(studied.checked, text, about, mark, digest(b"", encoded(text)), mentions, False, own_offers=offers)


def _suffix(path: Path) -> str:
    return NOTEBOOK_SUFFIX if path.suffix.lower() == NOTEBOOK_SUFFIX else ".py"
