"""What a file offers to others, name by name, so that who uses one name of it need not care for the rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from hostsync.project.cache import digest, encoded

if TYPE_CHECKING:
    from hostsync.infer.linking.interface import Interface

WHOLE: Final = ""
"""Stands for all that a file offers."""
REST: Final = "?"
"""Stands for each name that it does not have."""

SEPARATOR: Final = ":"
"""Between a file and a name of it."""
_SECTIONS: Final = ("classes", "functions", "names")
_DIGITS: Final = 20
"""Of a digest: enough for a cache. Each file has many."""
_write: Final = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


class Offer(NamedTuple):
    """All that is to be known of a file through one of its names."""

    digest: str
    """Of what the file itself holds of it: its value, function or class, and all that these speak of."""
    foreign: tuple[str, ...]
    """Of which names of other files these speak, as `key:name`; `key:` for a file as a whole."""


def written(interface: Interface) -> tuple[str, dict[str, Offer]]:
    """An interface as JSON, and what it offers by name, `WHOLE` and `REST` among them."""
    data, own = interface.data, dict[str, str]()
    sections = {name: _write(value) for name, value in data.items() if name not in _SECTIONS}
    for section in _SECTIONS:
        pieces = {name: _write(value) for name, value in sorted(data[section].items())}
        for name, piece in pieces.items():
            own[name] = f"{own.get(name, '')}{section}{piece}"
        sections[section] = _object(pieces)
    text = _object(dict(sorted(sections.items())))
    about = _write(data.get("unchecked", False))
    offers = {name: _offer(name, own, interface.speaks_of, about) for name in own}
    everything = sorted({name for names in interface.speaks_of.values() for name in names if SEPARATOR in name})
    offers[WHOLE] = Offer(_digest(text), tuple(everything))
    offers[REST] = Offer(_digest(about), ())
    return text, offers


def _offer(name: str, own: Mapping[str, str], speaks_of: Mapping[str, Iterable[str]], about: str) -> Offer:
    reached, foreign, waiting = {name}, set[str](), [name]
    while waiting:
        for other in speaks_of.get(waiting.pop(), ()):
            if SEPARATOR in other:
                foreign.add(other)
            elif other not in reached:
                reached.add(other)
                waiting.append(other)
    # What is not there now counts as well: it may be there another time.
    parts = [part for other in sorted(reached) for part in (other, own.get(other, ""))]
    return Offer(_digest(about, *parts), tuple(sorted(foreign)))


def _object(pieces: Mapping[str, str]) -> str:
    """An object of JSON, of what its members are written as."""
    return f"{{{','.join(f'{_write(name)}:{piece}' for name, piece in pieces.items())}}}"


def _digest(*parts: str) -> str:
    return digest(b"", *map(encoded, parts))[:_DIGITS]


def resolved(offers: Mapping[str, Offer], of_foreign: Callable[[str], str]) -> dict[str, str]:
    """Digests of all that is to be known through each name, with what other files hold of it.

    Args:
        offers: of one file.
        of_foreign: gives such a digest of a name of another file, as `key:name`.
    """
    return {
        name: _digest(offer.digest, *map(of_foreign, offer.foreign)) if offer.foreign else offer.digest
        for name, offer in offers.items()
    }


def offered(resolved: Mapping[str, str], name: str) -> str:
    """What is to be known of a file through a name, as a digest: through its class, for a method."""
    while name not in resolved:
        name, _, _ = name.rpartition(".")
        if not name:
            return resolved.get(REST, "")
    return resolved[name]
