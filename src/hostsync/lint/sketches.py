"""What the files of a project import and define, as far as each run asks for it, and the whole of it where it must."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, Final, TypeAlias, cast

from hostsync.facts import Imported, Outline
from hostsync.lint.entries import Entry
from hostsync.project.cache import Cache, Plain, digest

_Whole: TypeAlias = tuple[list[Any], list[Any], list[Any]]
"""The plain form of an outline: its imports, names and attributes."""
_NOTHING: Final[_Whole] = ([], [], [])


class Sketch:
    """The outline of a file.

    Args:
        entry: the file.
        first_names: the first parts of the absolute imports that run with the module.
        digest: of the outline.
        load: gives its plain form.
        text: gives that as it is kept; None if it is not.
    """

    def __init__(
        self,
        entry: Entry,
        first_names: list[str],
        digest: str,
        load: Callable[[], _Whole],
        text: Callable[[], str | None],
    ) -> None:
        self.entry = entry
        self.first_names = first_names
        self.digest = digest
        self.text = text
        self._load = load

    @cached_property
    def whole(self) -> _Whole:
        """The plain form of the outline."""
        return self._load()

    def outline(self) -> Outline:
        found = _from_plain(self.whole)
        if found is None:
            # What was kept is damaged.
            found = _from_plain(_read(self.entry) or _NOTHING)
        return found or Outline((), ())


class Outlines:
    """The outlines of files, from earlier runs.

    Args:
        heads: keeps what each run asks for.
        wholes: keeps the rest.
    """

    def __init__(self, heads: Cache, wholes: Cache) -> None:
        self._heads = heads
        self._wholes = wholes

    def knows(self, entry: Entry) -> bool:
        """Whether an earlier run has read the file."""
        return self._heads.get(entry.key, entry.content) is not None

    def sketch(self, entry: Entry) -> Sketch | None:
        """The sketch of a file; None if it has none, or can't be read."""
        match self._heads.get(entry.key, entry.content):
            case [list() as first, str() as mark] if all(isinstance(name, str) for name in first):
                names = cast("list[str]", first)
                return Sketch(entry, names, mark, partial(self._whole, entry), partial(self._text, entry))
        whole = _whole_of(entry)
        if whole is None:
            return None
        text = _written(whole)
        found = _sketch(entry, whole, text)
        self._heads.put(entry.key, entry.content, [cast("Plain", found.first_names), found.digest])
        self._wholes.put_text(entry.key, entry.content, text)
        return found

    def _whole(self, entry: Entry) -> _Whole:
        kept = _of_three(self._wholes.get(entry.key, entry.content))
        return kept or _read(entry) or _NOTHING

    def _text(self, entry: Entry) -> str | None:
        return self._wholes.get_text(entry.key, entry.content)

    def latest(self, key: str, mark: str) -> Outline | None:
        """What an earlier run found in a file, given the digest of that; None if it is lost."""
        kept = _of_three(self._wholes.latest(key))
        return None if kept is None or _digest_of(_written(kept)) != mark else _from_plain(kept)

    def save(self) -> None:
        self._heads.save()
        self._wholes.save()


def sketch_of(entry: Entry) -> Sketch | None:
    """The sketch of a file, which is read for it; None if it has none, or can't be read."""
    whole = _whole_of(entry)
    return None if whole is None else _sketch(entry, whole, _written(whole))


def _whole_of(entry: Entry) -> _Whole | None:
    """As `_read`; None also for a file that has no sketch."""
    return _read(entry) if entry.content and not entry.is_notebook else None


def _sketch(entry: Entry, whole: _Whole, text: str) -> Sketch:
    absolute = (module for module, _, _, _, local in whole[0] if not module.startswith(".") and not local)
    first_names = sorted({module.partition(".")[0] for module in absolute})
    return Sketch(entry, first_names, _digest_of(text), lambda: whole, lambda: None)


def _read(entry: Entry) -> _Whole | None:
    """The plain form of the outline of a file; None if it can't be read any more, which is nothing to be kept."""
    from hostsync.syntax.outline import outline_of

    try:
        outline = outline_of(entry.file.path.read_bytes() if entry.given is None else entry.given)
    except OSError:
        return None
    imported, attributes = ([list(each) for each in part] for part in (outline.imports, outline.attributes))
    return imported, list(outline.names), attributes


def _written(whole: _Whole) -> str:
    return json.dumps(whole, separators=(",", ":"))


def _digest_of(text: str) -> str:
    return digest(b"", text.encode("ascii"))


def _of_three(plain: Plain) -> _Whole | None:
    match plain:
        case [list() as imports, list() as names, list() as attributes]:
            return imports, names, attributes
    return None


def _from_plain(whole: _Whole) -> Outline | None:
    """None if it is damaged."""
    imports, names, attributes = whole
    try:
        listed = tuple([Imported(*imported) for imported in imports])
        return Outline(listed, tuple(names), tuple([(alias, chain) for alias, chain in attributes]))
    except (TypeError, ValueError):
        return None
