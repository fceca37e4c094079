"""Checks one source: screen → parse → infer → findings. Pure, but for the catalogue that it reads once."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hostsync.catalogue.model import Catalogue, Rule
from hostsync.findings import Diagnostic, Location
from hostsync.lint.checked import Checked, cells_of

if TYPE_CHECKING:
    from hostsync.catalogue.rules import RuleIndex
    from hostsync.facts import Module

NOTEBOOK_SUFFIX = ".ipynb"


class Plan(NamedTuple):
    """What decides the outcome of a check, besides the source."""

    extend_rules: tuple[Path, ...] = ()
    torch_version: str | None = None
    """A release such as `2.11`; None for all that the knowledge covers."""
    ops: tuple[Path, ...] = ()
    """Files and folders of operations that lie over the shipped ones."""


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


def check_source(source: bytes, module: str, plan: Plan, *, suffix: str = ".py") -> Checked:
    """Everything that can be said about one source, before selection.

    Args:
        source: the bytes of the file.
        module: its dotted name.
        plan: which rules and releases of torch.
        suffix: `.ipynb` for a notebook.

    Returns:
        Findings with rows of the whole source and without file names. A source that can't be decoded or parsed, or that
        makes the tool itself fail, gives a diagnostic.
    """
    try:
        if not matters(source, plan):
            return Checked()
        return (
            _check_notebook(source, module, plan) if suffix == NOTEBOOK_SUFFIX else _check_module(source, module, plan)
        )
    except Exception as error:
        from hostsync.syntax.parse import SourceError

        if isinstance(error, SourceError):
            place = Location(error.row, error.column, error.cell)
            return Checked(diagnostics=(Diagnostic(error.kind, "", place, error.message),))
        return failed(_explain(error))


def failed(message: str) -> Checked:
    """What stands for a file that the tool itself failed on."""
    return Checked(diagnostics=(Diagnostic("internal-error", "", Location(1, 1), message),))


def matters(source: bytes, plan: Plan) -> bool:
    """Whether a check of `source` can give anything, judged by its bytes alone."""
    from hostsync.syntax.screen import may_matter

    return may_matter(source, _words(plan.extend_rules, plan.ops))


@lru_cache(maxsize=8)
def _words(extend_rules: tuple[Path, ...], ops: tuple[Path, ...]) -> tuple[str, ...]:
    """What the byte screen looks for: its own words, and the packages that rules bring knowledge of."""
    from hostsync.syntax.screen import EVIDENCE

    packages = {name.partition(".")[0] for name in load_catalogue(extend_rules, ops).ops}
    return (*EVIDENCE, *sorted(word for word in packages if not any(known in word for known in EVIDENCE)))


def _check_module(source: bytes, module: str, plan: Plan) -> Checked:
    from hostsync.syntax.parse import decode, parse_module

    return _check_facts(parse_module(source, module), lambda: decode(source).removeprefix("\ufeff"), plan)


def _check_notebook(source: bytes, module: str, plan: Plan) -> Checked:
    from hostsync.syntax.notebook import parse_notebook

    facts, notebook = parse_notebook(source, module)
    return _check_facts(facts, lambda: notebook.text, plan)._replace(cells=cells_of(notebook.rows))


def _check_facts(facts: Module, text: Callable[[], str], plan: Plan) -> Checked:
    from hostsync.infer import TorchRange, analyse
    from hostsync.infer.versions import parse_release
    from hostsync.lint.conversion import to_findings
    from hostsync.syntax.parse import split_lines

    torch = TorchRange() if plan.torch_version is None else parse_release(plan.torch_version)
    events = analyse(facts, load_catalogue(plan.extend_rules, plan.ops).ops, torch)
    lines = split_lines(text()) if events else ()
    return Checked(to_findings(events, _index(plan.extend_rules), lines), facts.allows)


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
