"""What workers are told of the files that others import, and what the imports of a file stand for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hostsync.facts import KNOWN_BY_NAME
from hostsync.lint.check import Plan, load_catalogue, shipped_indexes
from hostsync.project.cache import Plain
from hostsync.project.index import interface_text

if TYPE_CHECKING:
    from pathlib import Path

    from hostsync.infer.linking.links import Library


class Told(NamedTuple):
    """Interfaces for a worker."""

    run: str
    """The run that they belong to."""
    texts: Mapping[str, str]
    """By key, as JSON."""


class _Known:
    """What this process has been told."""

    run = ""
    texts: dict[str, str] = {}  # noqa: RUF012
    library: Library | None = None


def _load(key: str) -> Plain:
    text = _Known.texts.get(key) or interface_text(key, shipped_indexes())
    return None if text is None else json.loads(text)


def receive(told: object) -> None:
    """Takes in what the files at hand need to know of others."""
    if not isinstance(told, Told):
        return
    if told.run != _Known.run:
        _Known.run, _Known.texts, _Known.library = told.run, {}, None
    _Known.texts.update(told.texts)


def library() -> Library:
    """The interfaces that this process has been told."""
    from hostsync.infer.linking.links import Library

    if _Known.library is None:
        _Known.library = Library(_remembering(_load))
    return _Known.library


def unmeasured(targets: Iterable[tuple[str, str]], module: str, plan: Plan) -> dict[str, str]:
    """The targets of a file, without what an index says of operations that are known by measurement.

    Where torch itself is scanned its own types and measured operations stand for what they are elsewhere, too.

    Args:
        targets: by import, as `links.Links` has them.
        module: the dotted name of the file.
        plan: which knowledge.
    """
    from hostsync.infer.linking.plain import is_indexed

    found = dict(targets)
    of_torch = module.partition(".")[0] == "torch"
    if not of_torch and not any(map(is_indexed, found.values())):
        return found
    ops = load_catalogue(plan.extend_rules, plan.ops).ops
    for written, target in list(found.items()):
        if of_torch:
            name = _public_name(target, plan)
            if name is not None:
                found[written] = KNOWN_BY_NAME + name
        elif is_indexed(target):
            name = written.strip().replace(" ", ".")
            if name in ops or (target.endswith(":") and name in _owners(plan)):
                del found[written]
                continue
            passed = _public_name(target, plan)
            if passed is not None:
                found[written] = KNOWN_BY_NAME + passed
    return found


_TYPES = frozenset(
    ("torch.Tensor", "torch.autograd.Variable", "torch.nn.Module", "torch.nn.Parameter", "torch.nn.Buffer")
)


def _owners(plan: Plan) -> frozenset[str]:
    """The modules and classes whose members are known by measurement."""
    return _owners_in(plan.extend_rules, plan.ops)


@lru_cache(maxsize=8)
def _owners_in(extend_rules: tuple[Path, ...], measured: tuple[Path, ...]) -> frozenset[str]:
    from hostsync.catalogue.ops import flagged

    ops = load_catalogue(extend_rules, measured).ops
    # What is known by its name wherever it turns up says nothing of the module that it comes from, nor does what adds
    # to an index.
    anywhere = frozenset((*flagged(ops, "by_name"), *flagged(ops, "indexed")))
    found: set[str] = set()
    for op in ops:
        owner = "" if op in anywhere else op.rpartition(".")[0]
        while owner and owner not in found:
            found.add(owner)
            owner = owner.rpartition(".")[0]
    return frozenset(found)


def _public_name(target: str, plan: Plan) -> str | None:
    """The name by which a module of torch, or what it defines, is known, as `torch.Tensor`; None if by none."""
    from hostsync.infer.linking.plain import dotted_name

    ops = load_catalogue(plan.extend_rules, plan.ops).ops
    # The last: a folder further up may be called torch, too.
    _, is_there, dotted = f".{dotted_name(target)}".rpartition(".torch.")
    if not is_there:
        # Another package may have a `scatter` or `softmax` of its own.
        return None
    parts = ["torch", *dotted.split(".")]
    if parts[-1] == "":
        name = ".".join(parts[:-1])
        return name if name in _owners(plan) else None
    for depth in range(1, len(parts)):
        name = ".".join([*parts[:depth], parts[-1]])
        if name in _TYPES or name in ops:
            return name
    return None


def _remembering(load: Callable[[str], Plain]) -> Callable[[str], Plain]:
    held: dict[str, Plain] = {}

    def remembered(key: str) -> Plain:
        if key not in held:
            data = load(key)
            if data is None:
                return None
            held[key] = data
        return held[key]

    return remembered
