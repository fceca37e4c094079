"""The shipped indexes are what `hostsync index` makes of torch's own Python, and of libraries around it, today.

    HOSTSYNC_RENEW_INDEX=1 pytest -n0 tests/lint/test_shipped_index.py

writes those anew of which the package is installed; nothing of it is imported. What is installed in another release
than the index is of only counts where that is renewed.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from hostsync.catalogue.location import rules_dir
from hostsync.cli.exits import CommandError
from hostsync.cli.indexing import find, index
from hostsync.project.index import IndexFileError, head_of, load_indexes, read

OF_TORCH = ("amp", "autograd", "distributions", "masked", "nn.utils", "optim", "signal")
LIBRARIES = (
    "lightning",
    "lightning_fabric",
    "pytorch_lightning",
    "torch_geometric",
    "torchmetrics",
    "torchvision",
)
PACKAGES = (*(f"torch.{part}" for part in OF_TORCH), *LIBRARIES)
FOLDER = rules_dir() / "index"
RENEWS = "HOSTSYNC_RENEW_INDEX" in os.environ
RELEASE = "2.13"


def version_of(package: str) -> str:
    """The release that the shipped index is of."""
    head = json.loads(head_of(FOLDER / f"{package}.jsonl"))
    assert head["package"] == package
    return str(head["version"])


def installed(package: str) -> str | None:
    try:
        return find(package).version
    except CommandError:
        return None


def test_there_is_one_for_each_package() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {f"{package}.jsonl" for package in PACKAGES}


@pytest.mark.parametrize("package", PACKAGES)
def test_they_can_be_read(package: str) -> None:
    assert read(FOLDER / f"{package}.jsonl").packages == {package.partition(".")[0]}
    version = version_of(package)
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.post\d+)?(\+cpu)?", version)
    assert version.startswith(f"{RELEASE}.") or not package.startswith("torch.")


def test_they_know_what_waits() -> None:
    """`torch.distributions.utils.vec_to_tril_matrix` stores through a mask, whatever it is called with."""
    (line,) = [
        line
        for line in (FOLDER / "torch.distributions.jsonl").read_text(encoding="utf-8").splitlines()[2:]
        if "vec_to_tril_matrix" in json.loads(line)["functions"]
    ]
    waits = json.loads(line)["functions"]["vec_to_tril_matrix"][2]
    assert [device for device, _ in waits] == [["=vec"]]


@pytest.mark.parametrize("package", PACKAGES)
def test_they_are_of_today(package: str, tmp_path: Path) -> None:
    version = installed(package)
    if package.startswith("torch."):
        is_meant = version is not None and version.startswith(f"{RELEASE}.")
    else:
        is_meant = version is not None and (RENEWS or version == version_of(package))
    if not is_meant:
        pytest.skip("needs the release that the index is of")
    made = FOLDER if RENEWS else tmp_path
    index([package], made, 1, True)
    name = f"{package}.jsonl"
    # Every change of the tool changes the head.
    lines = [(folder / name).read_text(encoding="utf-8").splitlines()[1:] for folder in (made, FOLDER)]
    assert lines[0] == lines[1], f"{name} is stale; see above"


def test_they_are_read_when_something_asks_for_them(tmp_path: Path) -> None:
    (tmp_path / "acme.jsonl").write_text("nothing of use", encoding="utf-8")
    indexes = load_indexes((tmp_path,), tmp_path)
    assert indexes is not None
    assert indexes.resolve("acmes.parts", "x") is None
    with pytest.raises(IndexFileError, match="is no index of hostsync"):
        indexes.resolve("acme.parts", "x")
