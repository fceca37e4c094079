"""The catalogue: the rules, and what is known about torch's operations. Everything in it is read from `rules/`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hostsync.catalogue.errors import CatalogueError
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.model import Catalogue, EventMatch, Op, Rule
from hostsync.catalogue.rules import RuleIndex, load_rules

__all__ = ["Catalogue", "CatalogueError", "EventMatch", "Op", "Rule", "RuleIndex", "load", "load_only_rules"]


def load(
    extra_rule_dirs: Iterable[Path] = (), cache_dir: Path | None = None, measured: Iterable[Path] = ()
) -> Catalogue:
    """Reads the shipped rules and operations, and the user's own rules.

    Args:
        extra_rule_dirs: folders with rule files of the user (`extend-rules`); operations that these bring along are
            added to the shipped ones, and replace one of the same name.
        measured: files and folders of operations that the user measured; they hold above all others.
        cache_dir: where the parsed operations may be kept between runs; None keeps nothing.

    Raises:
        CatalogueError: when a file is missing or wrong, or when two rules would take the same event.
    """
    from hostsync.catalogue.ops import load_measured_ops, load_ops, merge_ops

    files = load_rules([rules_dir(), *extra_rule_dirs])
    # The shipped operations are understood one by one when they are looked up, so they must not be copied.
    brought = {name: op for file in files for name, op in file.ops.items()}
    ops = merge_ops(load_ops(cache_dir=cache_dir), {**brought, **load_measured_ops(measured)})
    catalogue = Catalogue(tuple(file.rule for file in files), ops)
    RuleIndex(catalogue.rules)
    return catalogue


def load_only_rules(extra_rule_dirs: Iterable[Path] = ()) -> tuple[Rule, ...]:
    """The rules alone, in order of their codes, without the cost of the operations. Raises as `load` does."""
    rules = tuple(file.rule for file in load_rules([rules_dir(), *extra_rule_dirs]))
    RuleIndex(rules)
    return rules
