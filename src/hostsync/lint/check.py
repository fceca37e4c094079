"""Checks one source: screen → parse → infer → findings. Pure, but for the catalogue that it reads once."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hostsync.catalogue.model import Catalogue, Rule
from hostsync.findings import Diagnostic, Location
from hostsync.lint.checked import Cell, Checked

if TYPE_CHECKING:
    from hostsync.catalogue.rules import RuleIndex

NOTEBOOK_SUFFIX = ".ipynb"
_ALLOW_MARK = b"hostsync:"


class Plan(NamedTuple):
    """What decides the outcome of a check, besides the source."""

    extend_rules: tuple[Path, ...] = ()
    torch_version: str | None = None
    """A release such as `2.11`; None for all that the knowledge covers."""


@lru_cache(maxsize=8)
def load_catalogue(extend_rules: tuple[Path, ...]) -> Catalogue:
    """The shipped catalogue with the user's rules. Raises catalogue.errors.CatalogueError."""
    from hostsync.catalogue import load

    return load(extra_rule_dirs=extend_rules)


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
        if suffix == NOTEBOOK_SUFFIX:
            return _check_notebook(source, module, plan)
        return _check_module(source, module, plan)
    except Exception as error:
        from hostsync.syntax.parse import SourceError

        if isinstance(error, SourceError):
            place = Location(error.row, error.column)
            return Checked(diagnostics=(Diagnostic(error.kind, "", place, error.message),))
        return failed(_explain(error))


def failed(message: str) -> Checked:
    """What stands for a file that the tool itself failed on."""
    return Checked(diagnostics=(Diagnostic("internal-error", "", Location(1, 1), message),))


def matters(source: bytes) -> bool:
    """Whether a check of `source` can give anything, judged by its bytes alone."""
    from hostsync.syntax.screen import may_matter

    return _ALLOW_MARK in source or may_matter(source)


def _check_module(source: bytes, module: str, plan: Plan) -> Checked:
    if not matters(source):
        return Checked()
    from hostsync.infer import analyse
    from hostsync.infer.versions import TorchRange, parse_release
    from hostsync.lint.conversion import to_findings
    from hostsync.syntax.parse import decode, parse_module, split_lines

    facts = parse_module(source, module)
    torch = TorchRange() if plan.torch_version is None else parse_release(plan.torch_version)
    events = analyse(facts, load_catalogue(plan.extend_rules).ops, torch)
    lines = split_lines(decode(source).removeprefix("\ufeff")) if events else ()
    return Checked(to_findings(events, _index(plan.extend_rules), lines), facts.allows)


def _check_notebook(source: bytes, module: str, plan: Plan) -> Checked:
    from hostsync.syntax.notebook import read_notebook

    notebook = read_notebook(source)
    checked = _check_module(notebook.source, module, plan)
    return checked._replace(cells=tuple(Cell(*cell) for cell in notebook.cells))


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
