"""Holding what is known to what was measured, and the exceptions from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostsync.calibrate.compare import SILENT, WAITED, Known, compare, in_release, load_exceptions
from hostsync.catalogue.errors import CatalogueError
from hostsync.catalogue.model import Wait
from hostsync.catalogue.ops import parse_op

OPS = {
    "torch.a": parse_op("torch.a", {"params": "input, size=None", "waits": "size missing"}),
    "torch.b": parse_op("torch.b", {"params": "input", "waits": [{"when": "always", "torch": "<2.12"}]}),
    "torch.c": parse_op("torch.c", {"params": "input"}),
}


def test_agreement() -> None:
    rows = {
        "torch.a": {"f2": (3, 3, 0), "f2, size=n": (2, 0, 0)},
        "torch.b": {"*": (4, 4, 0)},
        "iteration": {"f": (1, 1, 0)},
    }
    found = compare(OPS, rows, "2.11.0+cu130")
    assert found.disagreements == ()
    assert (found.operations, found.samples, found.unknown, found.unmeasured) == (2, 9, ("iteration",), 1)


def test_disagreement_both_ways_and_per_release() -> None:
    rows = {
        "torch.a": {"f2": (3, 1, 0), "f2, size=n": (2, 1, 0)},
        "torch.b": {"f2": (1, 1, 0)},
        "torch.c": {"f2": (1, 1, 0)},
    }
    found = compare(OPS, rows, "2.12.1")
    assert [(one.op, one.kinds, one.seen, one.samples, one.of) for one in found.disagreements] == [
        ("torch.a", "f", SILENT, 2, 3),
        ("torch.a", "f, size=n", WAITED, 1, 2),
        ("torch.b", "f", WAITED, 1, 1),
        ("torch.c", "f", WAITED, 1, 1),
    ]


def test_exceptions_are_narrow() -> None:
    rows = {"torch.a": {"f2": (2, 0, 0), "f2, size=i0": (2, 2, 0)}, "torch.c": {"f2": (1, 1, 0)}}
    by_kind = Known(("torch.*",), WAITED, "why", ("s*",), ("[fi]0",))
    by_name = Known(("torch.a",), SILENT, "why", (), ())
    unused = Known(("torch.b",), SILENT, "why", (), ())
    found = compare(OPS, rows, "2.11", (by_kind, by_name, unused))
    assert [one.op for one in found.disagreements] == ["torch.c"]
    assert [(one.op, known) for one, known in found.excepted] == [("torch.a", by_name), ("torch.a", by_kind)]
    assert found.unused == (unused,)


@pytest.mark.parametrize(
    ("specifier", "release", "expected"),
    [
        ("", "2.11.0", True),
        ("<2.14", "2.11.0+cu130", True),
        ("<2.14", "2.14.0", False),
        (">=2.13", "2.9.1", False),
        (">=2.9,<2.11", "2.10", True),
        (">=2.9, !=2.10", "2.10.2", False),
    ],
)
def test_releases(specifier: str, release: str, expected: bool) -> None:
    assert in_release(Wait((), specifier), release) is expected


def test_shipped_exceptions_have_reasons() -> None:
    shipped = load_exceptions()
    assert shipped
    assert all(known.ops and len(known.because) > 10 for known in shipped)
    assert [known for known in shipped if known.ops == ("*",) and not known.arguments] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[exception]]\nops = 'a'\nseen = 'waits'\n", "because"),
        ("[[exception]]\nops = 'a'\nseen = 'waits'\nbecause = ' '\n", "needs a reason"),
        ("[[exception]]\nops = 'a'\nseen = 'sometimes'\nbecause = 'b'\n", "must be 'waits'"),
        ("[[exception]]\nops = 'a'\nseen = 'waits'\nbecause = 'b'\narguments = 'n'\n", "go together"),
        ("[[exception]]\nop = 'a'\n", "unknown key 'op'"),
        ("[[exception\n", "can't read"),
    ],
)
def test_wrong_exceptions(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "exceptions.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogueError, match=said):
        load_exceptions(path)
