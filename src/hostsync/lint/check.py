"""Checks one source: screen → parse → infer → findings. Pure, but for the catalogue that it reads once."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hostsync.catalogue.model import Catalogue, Rule
from hostsync.findings import Diagnostic, Location
from hostsync.lint.checked import Checked, cells_of
from hostsync.lint.landmarks import Landmarks

if TYPE_CHECKING:
    from hostsync.catalogue.rules import RuleIndex
    from hostsync.facts import Module
    from hostsync.infer import Wanted
    from hostsync.infer.events import Event
    from hostsync.infer.linking.interface import Interface
    from hostsync.infer.linking.links import Links
    from hostsync.infer.linking.plain import Plain
    from hostsync.infer.module import Followed

NOTEBOOK_SUFFIX = ".ipynb"
_FRAMES = 100_000
"""More than following takes: 80 functions inside each other, some 5 frames for each of 200 nested expressions."""
_STACK_SIZE = 256 * 1024 * 1024
"""Bytes for them, of which only those that are used cost memory."""


class Plan(NamedTuple):
    """What decides the outcome of a check, besides the source."""

    extend_rules: tuple[Path, ...] = ()
    torch_version: str | None = None
    """A release such as `2.11`; None for all that the knowledge covers."""
    ops: tuple[Path, ...] = ()
    """Files and folders of operations that lie over the shipped ones."""
    indexes: tuple[Path, ...] = ()
    """Files and folders with indexes of installed packages."""


@lru_cache(maxsize=8)
def shipped_indexes() -> Path:
    """The folder of the indexes that come with hostsync."""
    from hostsync.catalogue.location import rules_dir

    return rules_dir() / "index"


def indexes_of(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """The indexes that a user names, after the shipped ones, over which they lie."""
    return (shipped_indexes(), *paths)


@lru_cache(maxsize=8)
def load_catalogue(extend_rules: tuple[Path, ...], ops: tuple[Path, ...] = ()) -> Catalogue:
    """The shipped catalogue with the user's rules and operations. Raises catalogue.errors.CatalogueError."""
    from hostsync.catalogue import load

    return load(extra_rule_dirs=extend_rules, measured=ops)


@lru_cache(maxsize=8)
def rules_by_code(extend_rules: tuple[Path, ...]) -> Mapping[str, Rule]:
    """The rules alone, by code. Raises catalogue.errors.CatalogueError."""
    from hostsync.catalogue import load_only_rules

    return {rule.code: rule for rule in load_only_rules(extend_rules)}


class Studied(NamedTuple):
    """What one source gives: its findings, and what other files of the project need to know of it."""

    checked: Checked
    interface: Interface | None = None
    """None where there is nothing to know."""
    told: Plain = None
    """What it tells of others by the way it calls them; see `infer.Study`."""
    followed: Followed | None = None
    """What a study by what callers hand in, or hand in besides, can go on with; None where nothing can be found."""


def check_source(source: bytes, module: str, plan: Plan, *, suffix: str = ".py") -> Checked:
    """Everything that can be said about one source alone, before selection.

    Args:
        source: the bytes of the file.
        module: its dotted name.
        plan: which rules and releases of torch.
        suffix: `.ipynb` for a notebook.

    Returns:
        Findings with rows of the whole source and without file names. A source that can't be decoded or parsed, or that
        makes the tool itself fail, gives a diagnostic.
    """
    return study_source(source, module, plan, suffix=suffix).checked


def study_source(
    source: bytes,
    module: str,
    plan: Plan,
    *,
    suffix: str = ".py",
    links: Links | None = None,
    wanted: Wanted | None = None,
    handed: Sequence[Plain] = (),
    followed: Followed | None = None,
    parsed: Module | None = None,
) -> Studied:
    """As `check_source`, for a file of a project.

    Args:
        source, module, plan, suffix: as there.
        links: what the file knows of others.
        wanted: what others want to know of it; None for nothing.
        handed: what callers in other files hand in, for each further study: one may show them what the next takes up.
        followed: from a study of the same before `handed`, if there was one. It is used up.
        parsed: the facts of the source, where it has been parsed already.
    """
    try:
        if followed is None and not (matters(source, plan) or _matters_to_others(source, links, wanted)):
            if suffix == NOTEBOOK_SUFFIX:
                from hostsync.syntax.notebook import require_notebook

                require_notebook(source)
            return Studied(Checked())
        study = _study_notebook if suffix == NOTEBOOK_SUFFIX else _study_module
        return study(source, module, plan, _Known(links, wanted, handed, followed, parsed))
    except Exception as error:
        from hostsync.syntax.text import SourceError

        if isinstance(error, SourceError):
            place = Location(error.row, error.column, error.cell)
            return Studied(Checked(diagnostics=(Diagnostic(error.kind, "", place, error.message),)))
        return Studied(failed(_explain(error)))


def failed(message: str) -> Checked:
    """What stands for a file that the tool itself failed on."""
    return Checked(diagnostics=(Diagnostic("internal-error", "", Location(1, 1), message),))


def matters(source: bytes, plan: Plan) -> bool:
    """Whether a check of `source` can give anything, judged by its bytes alone."""
    from hostsync.syntax.screen import may_matter

    return may_matter(source, _words(plan.extend_rules, plan.ops))


def _matters_to_others(source: bytes, links: Links | None, wanted: Wanted | None) -> bool:
    """Whether a file in which nothing speaks of tensors is handed those of others, or hands them on."""
    from hostsync.syntax.screen import bases_in, may_hand_on, may_read_back

    if wanted is not None and may_hand_on(source, wanted.names):
        return True
    if links is None or not links.targets:
        return False
    if may_read_back(source) and links.import_torch():
        return True
    bases = bases_in(source)
    return bool(bases) and links.derives_from_torch(bases)


@lru_cache(maxsize=8)
def _words(extend_rules: tuple[Path, ...], ops: tuple[Path, ...]) -> tuple[str, ...]:
    """What the byte screen looks for: its own words, and the packages that rules bring knowledge of."""
    from hostsync.syntax.screen import EVIDENCE

    packages = {name.partition(".")[0] for name in load_catalogue(extend_rules, ops).ops}
    return (*EVIDENCE, *sorted(word for word in packages if not any(known in word for known in EVIDENCE)))


class _Known(NamedTuple):
    """What the project says to a file, as the arguments of `study_source`."""

    links: Links | None
    wanted: Wanted | None
    handed: Sequence[Plain]
    followed: Followed | None
    parsed: Module | None


def _study_module(source: bytes, module: str, plan: Plan, known: _Known) -> Studied:
    from hostsync.syntax.parse import parse_module
    from hostsync.syntax.text import decode

    if known.followed is not None:
        facts = known.followed.context.module
    else:
        facts = known.parsed or parse_module(source, module)
    return _study_facts(facts, lambda: decode(source).removeprefix("\ufeff"), plan, known)


def _study_notebook(source: bytes, module: str, plan: Plan, known: _Known) -> Studied:
    from hostsync.syntax.notebook import parse_notebook

    facts, notebook = parse_notebook(source, module)
    studied = _study_facts(facts, lambda: notebook.written, plan, known)
    broken = tuple(Diagnostic(e.kind, "", Location(e.row, e.column), e.message) for e in notebook.broken)
    return studied._replace(checked=studied.checked._replace(diagnostics=broken, cells=cells_of(notebook.rows)))


def _study_facts(facts: Module, text: Callable[[], str], plan: Plan, known: _Known) -> Studied:
    try:
        return _follow(facts, text, plan, known)
    except RecursionError:
        from hostsync.syntax.deep import run_deep

        # Long chains of calls in deeply nested expressions. An earlier study may be half used up.
        afresh = known._replace(followed=None)
        return run_deep(lambda: _follow(facts, text, plan, afresh), recursion_limit=_FRAMES, stack_size=_STACK_SIZE)


def _follow(facts: Module, text: Callable[[], str], plan: Plan, known: _Known) -> Studied:
    from hostsync.infer import TorchRange, Wanted, study, study_again
    from hostsync.infer.versions import parse_release
    from hostsync.syntax.text import split_lines

    lines = lru_cache(maxsize=1)(lambda: split_lines(text()))
    wanted = None if known.wanted is None else known.wanted._replace(row_named=Landmarks(lines).named)
    followed, interface, told = known.followed, None, None
    if followed is None:
        torch = TorchRange() if plan.torch_version is None else parse_release(plan.torch_version)
        ops = load_catalogue(plan.extend_rules, plan.ops).ops
        # Also before what is handed in: the outcome may not depend on whether there was an earlier study.
        first = study(facts, ops, torch, known.links, wanted)
        followed, interface, told = first.followed, first.interface, first.told
    if not known.handed:
        return Studied(_to_checked(facts, followed.events, lines, plan), interface, told, followed)
    again = study_again(followed, known.handed, wanted or Wanted("", ()))
    return Studied(_to_checked(facts, again.events, lines, plan), None, again.told, again.followed)


def _to_checked(facts: Module, events: Sequence[Event], lines: Callable[[], Sequence[str]], plan: Plan) -> Checked:
    from hostsync.lint.conversion import to_findings

    return Checked(to_findings(events, _index(plan.extend_rules), lines() if events else ()), facts.allows)


@lru_cache(maxsize=8)
def _index(extend_rules: tuple[Path, ...]) -> RuleIndex:
    from hostsync.catalogue.rules import RuleIndex

    return RuleIndex(load_catalogue(extend_rules).rules)


def _explain(error: Exception) -> str:
    """One sentence that names what failed and where in the tool."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if f"{os.sep}hostsync{os.sep}" in frame.filename] or list(frames)
    last = own[-1]
    place = "/".join(Path(last.filename).parts[-2:])
    detail = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}{': ' if detail else ''}{detail} ({place}:{last.lineno} in {last.name})"
