"""What all files of a project tell together, worked out when it is asked for, and kept while they tell the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Final

from hostsync.infer.linking.handed import common_class
from hostsync.infer.linking.plain import Plain
from hostsync.lint.callers.calls import Customs
from hostsync.lint.callers.heard import NOTHING, Heard
from hostsync.lint.callers.lineages import Lineages, Methods, Overriding
from hostsync.lint.callers.uncalled import Held, asked_in, loaded_in, methods_in, promised_in, stored_in

_KEPT: Final = ("keys", "loaded", "promised", "asked", "shared")
"""What a later run may take up."""
_RESTS_ON: Final = {
    "holds": ("held",),
    "stored": ("keys", "loaded"),
    "promises": ("promised",),
    "asked": ("asked",),
    "defines": ("asked",),
}
"""By what a file tells, what must be worked out anew once that is another."""


class Standing:
    """All of it, for one set of files.

    Args:
        told: what they tell.
        tests: those that hold tests, which don't count.
        kept: from `plain`, for the same.
    """

    def __init__(self, told: Heard, tests: Collection[str], kept: Mapping[str, Plain] | None = None) -> None:
        self.told = told
        self._tests = tests
        if kept is not None:
            self.__dict__.update({name: kept[name] for name in _KEPT})

    def go_on(self, told: Heard, changed: Collection[str]) -> bool:
        """Takes up what files tell now, as far as it rests on the same. Returns whether that is so at all.

        Args:
            told: what they tell.
            changed: those that tell something else than before.

        Raises:
            LostError: what they told before is gone.
        """
        pairs = [(self.told.get(key, NOTHING), told.get(key, NOTHING)) for key in changed]
        if any((old.open, old.bases) != (new.open, new.bases) for old, new in pairs):
            return False
        for field, names in _RESTS_ON.items():
            if any(getattr(old, field) != getattr(new, field) for old, new in pairs):
                for name in names:
                    self.__dict__.pop(name, None)
        self.told = told
        if "loaded" in self.__dict__:
            for key in changed:
                self.loaded[key] = loaded_in(told.get(key, NOTHING), self.keys)
        self.__dict__.pop("customs", None)
        return True

    def plain(self) -> dict[str, Plain]:
        """What a later run may take up, as JSON can hold it."""
        return {name: getattr(self, name) for name in _KEPT}

    @cached_property
    def methods(self) -> Methods:
        return methods_in(self.told.open())

    @cached_property
    def lineages(self) -> Lineages:
        return Lineages(self.told.bases())

    @cached_property
    def overriding(self) -> Overriding:
        return Overriding(self.methods, self.lineages)

    @cached_property
    def customs(self) -> Customs:
        return Customs(self.told, self.methods)

    @cached_property
    def held(self) -> Held:
        return Held(self.told)

    @cached_property
    def keys(self) -> dict[str, Plain]:
        """What is put into dictionaries under keys that always hold a tensor."""
        return stored_in(self.told, self._tests)

    @cached_property
    def loaded(self) -> dict[str, list[str]]:
        """By file, which of them it looks up."""
        return {key: names for key, data in self.told.items() if (names := loaded_in(data, self.keys))}

    @cached_property
    def promised(self) -> dict[str, Plain]:
        return promised_in(self.told, self._tests, self.lineages)

    @cached_property
    def asked(self) -> list[list[str]]:
        return asked_in(self.told, self.lineages)

    @cached_property
    def shared(self) -> dict[str, str | None]:
        """The class that several are derived from, as far as somebody asked, by their names, each in a line."""
        return {}

    def shared_class(self, names: Collection[str]) -> str | None:
        """The class that several are or are derived from; None if there is none."""
        about = "\n".join(names)
        if about not in self.shared:
            above = {name: self.lineages.above(name) for name in names}
            self.shared[about] = common_class(list(names), above)
        return self.shared[about]
