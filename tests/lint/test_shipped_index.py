"""The shipped indexes are what `hostsync index` makes of torch's own Python today.

    HOSTSYNC_RENEW_INDEX=1 pytest -n0 tests/lint/test_shipped_index.py

writes them anew. That needs the release of torch that they are of; nothing of it is imported.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
from pathlib import Path

import pytest

from hostsync.catalogue.location import rules_dir
from hostsync.cli.indexing import find, index
from hostsync.project.index import read

PARTS = ("amp", "autograd", "distributions", "masked", "nn.utils", "optim", "signal")
FOLDER = rules_dir() / "index"
INSTALLED = find("torch").version if importlib.util.find_spec("torch") is not None else None
RENEWS = "HOSTSYNC_RENEW_INDEX" in os.environ
RELEASE = (2, 13)


def without_marks(path: Path) -> list[str]:
    """The lines but the head, without the digests that every change of the tool changes."""
    return re.sub(r"(<torch[^@>]*)@[0-9a-f]+>", r"\1>", path.read_text(encoding="utf-8")).splitlines()[1:]


def test_there_is_one_for_each_part() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {f"torch.{part}.jsonl" for part in PARTS}


@pytest.mark.parametrize("part", PARTS)
def test_they_can_be_read(part: str) -> None:
    path = FOLDER / f"torch.{part}.jsonl"
    assert read(path).packages == {"torch"}
    head = json.loads(path.read_text(encoding="utf-8").partition("\n")[0])
    assert head["package"] == f"torch.{part}"
    assert tuple(int(number) for number in head["version"].split(".")[:2]) == RELEASE


def test_they_know_what_waits() -> None:
    """`torch.distributions.utils.vec_to_tril_matrix` stores through a mask, whatever it is called with."""
    (line,) = [
        line
        for line in (FOLDER / "torch.distributions.jsonl").read_text(encoding="utf-8").splitlines()[2:]
        if "vec_to_tril_matrix" in json.loads(line)["functions"]
    ]
    waits = json.loads(line)["functions"]["vec_to_tril_matrix"][2]
    assert [device for device, _ in waits] == [["=vec"]]


@pytest.mark.skipif(
    INSTALLED is None or tuple(INSTALLED.split(".")[:2]) != tuple(map(str, RELEASE)), reason="needs torch 2.13"
)
def test_they_are_of_today(tmp_path: Path) -> None:
    index([f"torch.{part}" for part in PARTS], FOLDER if RENEWS else tmp_path, 1, True)
    made = FOLDER if RENEWS else tmp_path
    for part in PARTS:
        name = f"torch.{part}.jsonl"
        assert without_marks(made / name) == without_marks(FOLDER / name), f"{name} is stale; see above"
