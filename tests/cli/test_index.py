"""`hostsync index` on packages made here, and what `check --index` makes of the result."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from hostsync.project.index import FORMAT

from .conftest import Hostsync, Ran, environment

IMPL = """\
import torch


def spread(count):
    return torch.rand(count, device="cuda")


def on_host(x: torch.Tensor):
    return x.detach().cpu()


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = torch.zeros(3)

    def forward(self, x: torch.Tensor):
        return x.sum(), "done"
"""
INIT = "raise RuntimeError('imported')\nfrom .impl import *\nfrom acme import helpers\n"
"""Whoever imports the package would know it."""
HELPERS = "from .impl import spread as scatter\n"
USER = """\
import acme
import torch
from acme import on_host, spread


def f(x: torch.Tensor):
    if spread(3) > 1:
        pass
    if acme.helpers.scatter(3) > 1:
        pass
    return on_host(x).item()
"""
"""Without knowledge of acme, rows 7 and 9 are silent: nothing says that they are about tensors."""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder as packages are installed in."""
    return make(tmp_path / "site")


def make(site: Path, impl: str = IMPL) -> Path:
    package, info = site / "acme", site / "acme_metrics-1.2.dist-info"
    for folder in (package / "tests", info):
        folder.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text(INIT, encoding="utf-8")
    (package / "helpers.py").write_text(HELPERS, encoding="utf-8")
    (package / "impl.py").write_text(impl, encoding="utf-8")
    (package / "tests" / "test_impl.py").write_text("import torch\nfrom acme import *\n", encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-metrics\nVersion: 1.2\n", encoding="utf-8")
    (info / "top_level.txt").write_text("acme\n", encoding="utf-8")
    return site


def indexed(hostsync_in: Hostsync, site: Path, *args: str) -> Ran:
    ran = hostsync_in("index", *args, PYTHONPATH=os.pathsep.join((str(site), environment()["PYTHONPATH"])))
    assert ran.code == 0, ran.err
    return ran


def rows(hostsync_in: Hostsync, *args: str, name: str = "user.py") -> list[int]:
    ran = hostsync_in("check", name, "--output-format", "json", "--quiet", *args)
    assert ran.code in (0, 1), ran.err
    return [finding["location"]["row"] for finding in json.loads(ran.out)]


def codes(hostsync_in: Hostsync, *args: str) -> dict[int, str]:
    """The rule of the finding on each row."""
    ran = hostsync_in("check", "user.py", "--output-format", "json", "--quiet", *args)
    return {finding["location"]["row"]: finding["code"] for finding in json.loads(ran.out)}


def test_a_package_is_found_by_its_name_and_not_imported(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    ran = indexed(hostsync_in, site, "acme")
    assert ran.out == f"acme 1.2: 3 of 3 files offer something: {Path('hostsync-index', 'acme.jsonl')}\n"
    head = json.loads((tmp_path / "hostsync-index" / "acme.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert (head["package"], head["version"], head["format"]) == ("acme", "1.2", FORMAT)
    assert str(tmp_path) not in (tmp_path / "hostsync-index" / "acme.jsonl").read_text(encoding="utf-8")


def test_findings_come_and_go(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    indexed(hostsync_in, site, "acme")
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    without = rows(hostsync_in, "--no-cache")
    assert 7 not in without and 9 not in without
    assert 11 in without, "a method that only tensors have is taken for a read-back"
    assert codes(hostsync_in, "--no-cache")[11] == "HS101"
    for jobs in ("1", "2"):
        assert rows(hostsync_in, "--no-cache", "--index", "hostsync-index", "--jobs", jobs) == [7, 9, 11]
    assert rows(hostsync_in, "--no-cache", "--index", str(Path("hostsync-index", "acme.jsonl"))) == [7, 9, 11]
    assert codes(hostsync_in, "--no-cache", "--index", "hostsync-index")[11] == "HS605", "it waits in there, once"


WAITS = """\
import torch


def mean_of(x: torch.Tensor) -> float:
    return x.mean().item()


def strictly(x: torch.Tensor, strict=False):
    if strict and (x > 0).all():
        raise ValueError
    while len(x) > 2:
        x = x[2:]
        if x.max() > 3:
            return x * 2
    if x.max() > 3:
        return x * 2
    return x


def in_parts(x: torch.Tensor):
    for part in x.split(2):
        if part.max() > 3:
            return x * 2
    return x


def deep(x, n):
    return mean_of(x * n)


class Meter:
    def __init__(self, start: torch.Tensor):
        self.total = float(start)

    def update(self, value, n=1):
        self.total += value.item() * n


def values(x):
    yield x.item()
"""


def test_calls_that_wait_each_time(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    make(site, WAITS)
    indexed(hostsync_in, site, "acme")
    source = (
        "import torch\nimport acme.impl\nfrom acme.impl import Meter, deep, in_parts, strictly, values\n\n\n"
        "def f(x: torch.Tensor, y, model):\n"
        "    meter = Meter(x.sum())  # waits\n"
        "    meter.update(x.mean(), n=3)  # waits\n"
        "    strictly(x)\n"
        "    in_parts(x)  # waits\n"
        "    values(x)\n"
        "    acme.impl.mean_of(torch.rand(3))\n"
        "    acme.impl.mean_of(y)\n"
        "    return acme.impl.mean_of(x), deep(model(x.cuda()), 3)  # waits\n"
    )
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    waiting = [row for row, line in enumerate(source.splitlines(), 1) if line.endswith("# waits")]
    assert set(rows(hostsync_in, "--no-cache", "--index", "hostsync-index")) == set(waiting)
    ran = hostsync_in("check", "user.py", "--index", "hostsync-index", "--no-cache")
    assert "the host waits for the GPU inside acme.impl.Meter: " not in ran.out
    assert "inside acme.impl.Meter\n" in ran.out and "it waits at acme/impl.py:5" in ran.out


CHOSEN = """\
import torch


def validate(target: torch.Tensor, most=None):
    if most is not None and target.max() > most:
        raise ValueError


def score(preds: torch.Tensor, target: torch.Tensor, top=1, average="macro", check: bool = True):
    if check:
        validate(target, 9)
    if preds.ndim == 3:
        return preds.mean()
    if average == "none":
        return torch.unique(preds)
    for name, part in (("preds", preds), ("target", target)):
        if top > 1:
            float(part.sum())
    return preds.sum()


def passed_on(preds, target, check: bool = True, top=1):
    return score(preds, target, top, check=check)


def passed_on_changed(preds, target, check: bool = True):
    check = check and preds.ndim > 1
    return score(preds, target, check=check)


def guarded(x: torch.Tensor):
    if x.ndim == 3:
        return x
    return x * x.mean().item()


def guarded_later(x: torch.Tensor, hard=True):
    if hard:
        if x.ndim == 3:
            return x
        print(x)
    return x


def both_ways(x: torch.Tensor, hard=True):
    if hard:
        if x.ndim == 3:
            return x
    else:
        if x.ndim == 2:
            return x
    return float(x.sum())


def told_first(x: torch.Tensor, soft=None):
    return usually(x) + surely(x)


def surely(x: torch.Tensor):
    return float(x.sum())


def usually(x: torch.Tensor):
    if x.ndim == 3:
        return x
    return x * x.mean().item()


def traced(x: torch.Tensor):
    if torch.jit.is_tracing() or x.ndim == 7:
        return x
    if not torch.compiler.is_compiling():
        print(x)
    return x


def either(x: torch.Tensor, flag=None):
    if flag:
        y = x.tolist()
        return y
    else:
        return x


def loops(x: torch.Tensor, parts: list):
    for scale in (1, 2):
        float(x * scale)
    for part in parts:
        float(x * part)


def loops_of_parts(x: torch.Tensor, parts: list):
    for part in parts:
        float(x * part)


class Meter:
    def __init__(self, check: bool = True, top=1):
        self.check = check
        self.top = top
        self.quiet = False

    def update(self, preds: torch.Tensor, target: torch.Tensor):
        if self.check:
            validate(target, 3)

    def noisy(self, preds: torch.Tensor):
        if self.quiet:
            print(preds)

    def scored(self, preds: torch.Tensor, target: torch.Tensor):
        return score(preds, target, self.top, check=self.check)
"""


def test_constants_decide_which_branch_of_a_function_is_taken(
    site: Path, tmp_path: Path, hostsync_in: Hostsync
) -> None:
    make(site, CHOSEN)
    indexed(hostsync_in, site, "acme")
    source = (
        "import torch\nfrom acme.impl import *\n\n\n"
        "def f(x: torch.Tensor, y: torch.Tensor, flag, meter: Meter):\n"
        "    x, y = x.cuda(), y.cuda()\n"
        "    score(x, y)  # certain\n"
        "    score(x, y, check=False)\n"
        "    score(x, y, check=flag)\n"
        "    score(x, y, 1, 'none', False)  # likely\n"
        "    score(x, y, check=False, average='micro')\n"
        "    passed_on(x, y)  # certain\n"
        "    passed_on(x, y, False)\n"
        "    passed_on(x, y, check=False, top=5)\n"
        "    passed_on_changed(x, y)\n"
        "    validate(y)\n"
        "    validate(y, None)\n"
        "    validate(y, most=4)  # certain\n"
        "    guarded(x)  # likely\n"
        "    guarded_later(x)  # likely\n"
        "    guarded_later(x, hard=False)\n"
        "    both_ways(x)  # likely\n"
        "    both_ways(x, hard=False)  # likely\n"
        "    told_first(x)  # certain\n"
        "    traced(x)  # likely\n"
        "    either(x)\n"
        "    either(x, True)  # certain\n"
        "    either(x, 0)\n"
        "    loops(x, [])  # certain\n"
        "    loops_of_parts(x, [1])  # likely\n"
        "    meter.update(x, y)  # likely\n"
        "    meter.noisy(x)\n"
        "    meter.scored(x, y)  # likely\n"
    )
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    wanted = {row: line.split("# ")[1] for row, line in enumerate(source.splitlines(), 1) if "  # " in line}
    ran = hostsync_in(
        "check", "user.py", "--output-format", "json", "--quiet", "--no-cache", "--index", "hostsync-index"
    )
    calls = [finding for finding in json.loads(ran.out) if finding["code"] == "HS605"]
    assert {finding["location"]["row"]: finding["confidence"] for finding in calls} == wanted


OPERATOR = """\
import functools
import torch


def remembered(method):
    @functools.wraps(method)
    def inner(self, *args):
        if not hasattr(self, "held"):
            self.held = method(self, *args)
        return self.held

    return inner


def root_of(dense):
    root, info = torch.linalg.cholesky_ex(dense)
    if torch.any(info):
        raise ValueError("not positive definite")
    return root


class Operator:
    def __init__(self, dense: torch.Tensor):
        self.dense = dense

    @property
    def device(self):
        return self.dense.device

    @remembered
    def _root(self) -> torch.Tensor:
        return root_of(self.dense)

    def root(self) -> "Operator":
        return Operator(self._root())

    def add(self, value: float) -> "Operator":
        return Operator(self.dense + torch.tensor(value, device=self.device))

    def total(self) -> torch.Tensor:
        return self.dense.sum()

    def checked(self, strict=False):
        if strict and (self.dense > 0).all():
            raise ValueError
        return self

    @staticmethod
    def of_a_file(path):
        return torch.load(path).max().item()


def operator_of(x: torch.Tensor) -> Operator:
    return Operator(x @ x.T)
"""


def test_calls_that_wait_for_what_an_object_holds(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    make(site, OPERATOR)
    indexed(hostsync_in, site, "acme")
    source = (
        "import torch\nfrom acme.impl import Operator, operator_of\n\n\n"
        "def f(given: Operator, x: torch.Tensor, y):\n"
        "    given.total()\n"
        "    given.checked()\n"
        "    Operator.of_a_file(y)\n"
        "    more = given.add(1e-3)  # waits\n"
        "    more.root()  # waits\n"
        "    y.root()\n"
        "    return operator_of(x).root()  # waits\n"
    )
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    waiting = [row for row, line in enumerate(source.splitlines(), 1) if line.endswith("# waits")]
    assert rows(hostsync_in, "--no-cache", "--index", "hostsync-index") == waiting
    assert rows(hostsync_in, "--no-cache") == []


AVERAGES = """\
import torch


class Average:
    def __init__(self, start: float = 0.0, on_nan: str = "warn"):
        self.start = start
        self.on_nan = on_nan

    def checked(self, value: float | torch.Tensor) -> torch.Tensor:
        if not isinstance(value, torch.Tensor):
            value = torch.as_tensor(value, device=self.device)
        if self.on_nan != "ignore":
            if torch.isnan(value).any():
                raise ValueError
        return value

    def update(self, value: float | torch.Tensor):
        self.total = self.checked(value).sum()

    def reset(self):
        self.total = self.checked(torch.zeros(3)) + self.checked(self.last.to(self.device))
"""


def test_what_may_be_a_number_waits_where_a_tensor_is_handed_in(
    site: Path, tmp_path: Path, hostsync_in: Hostsync
) -> None:
    make(site, AVERAGES)
    indexed(hostsync_in, site, "acme")
    source = (
        "import torch\nfrom acme.impl import Average\n\n\n"
        "def f(x: torch.Tensor):\n"
        "    average = Average()\n"
        "    average.update(x.sum())  # waits\n"
        "    average.update(torch.zeros(3))\n"
        "    average.update(0.5)\n"
    )
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    assert rows(hostsync_in, "--no-cache", "--index", "hostsync-index") == [7]
    assert rows(hostsync_in, "--no-cache") == []


def test_the_shipped_indexes_need_no_option(tmp_path: Path, hostsync_in: Hostsync) -> None:
    source = (
        "import torch\nfrom torch.distributions.utils import vec_to_tril_matrix\n\n\n"
        "def f(x: torch.Tensor):\n    a = vec_to_tril_matrix(x)\n"
        "    return a, torch.distributions.utils.vec_to_tril_matrix(x), vec_to_tril_matrix(torch.rand(6))\n"
    )
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    assert rows(hostsync_in, "--no-cache") == [6, 7]


def test_libraries_around_torch_need_no_option_either(tmp_path: Path, hostsync_in: Hostsync) -> None:
    source = (
        "import torch\nimport lightning\nimport torch_geometric\n"
        "from torch_geometric.utils import remove_self_loops\n\n\n"
        "def f(edges: torch.Tensor):\n    kept, _ = remove_self_loops(edges)\n"
        "    return kept, torch_geometric.utils.remove_self_loops(edges)\n\n\n"
        "class Model(lightning.LightningModule):\n    def training_step(self, batch):\n        self.log('rate', 0.1)\n"
        "        return torch.tensor([1.0], device=self.device)\n"
    )
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    assert codes(hostsync_in, "--no-cache") == {8: "HS605", 9: "HS605", 14: "HS404", 15: "HS404"}


def test_a_users_index_stands_for_the_whole_package(tmp_path: Path, site: Path, hostsync_in: Hostsync) -> None:
    """Where a user has indexed another release, nothing of the shipped one is mixed with it."""
    package = site / "torch_geometric"
    (package / "utils").mkdir(parents=True)
    (package / "__init__.py").write_text("import torch\nLIMIT = torch.zeros(3)\n", encoding="utf-8")
    indexed(hostsync_in, site, "./site/torch_geometric")
    source = (
        "import torch\nfrom torch_geometric.utils import remove_self_loops\n\n\n"
        "def f(edges: torch.Tensor):\n    return remove_self_loops(edges)\n"
    )
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    assert rows(hostsync_in, "--no-cache") == [6]
    assert rows(hostsync_in, "--no-cache", "--index", "hostsync-index") == []


def test_a_circle_of_imports_hides_nothing_of_a_package(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    (site / "acme" / "__init__.py").write_text("import torch\nfrom .impl import spread\n", encoding="utf-8")
    (site / "acme" / "impl.py").write_text("import acme\n" + IMPL, encoding="utf-8")
    indexed(hostsync_in, site, "acme")
    (tmp_path / "user.py").write_text("import torch\nimport acme\nprint(acme.spread(1))\n", encoding="utf-8")
    assert rows(hostsync_in, "--no-cache", "--index", "hostsync-index") == [3]


def test_where_torch_is_scanned_its_tensor_is_the_one_that_is_known(tmp_path: Path, hostsync_in: Hostsync) -> None:
    files = {
        "__init__.py": "from ._tensor import Tensor\n",
        "_tensor.py": "class Tensor:\n    pass\n",
        "extra.py": "import torch\nfrom torch import Tensor\n\n\ndef f(x: Tensor):\n    return float(x)\n",
    }
    for package in ("torch", "other"):
        (tmp_path / package).mkdir()
        for name, text in files.items():
            (tmp_path / package / name).write_text(text.replace("torch", package), encoding="utf-8")
    assert rows(hostsync_in, "--no-cache", name="torch/extra.py") == [6]
    assert rows(hostsync_in, "--no-cache", name="other/extra.py") == []


def test_classes_are_known_and_can_be_bases(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    indexed(hostsync_in, site, "acme")
    source = (
        "import torch\nfrom acme.impl import Meter\n\n\nclass Own(Meter):\n    pass\n\n\n"
        "def f(x: torch.Tensor):\n    meter = Own()\n    total, word = meter(x.cuda())\n"
        "    if word:\n        pass\n    if total:\n        pass\n    return meter.seen.item()\n"
    )
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    without, known = rows(hostsync_in, "--no-cache"), rows(hostsync_in, "--no-cache", "--index", "hostsync-index")
    assert 12 not in known and 14 in known and 14 not in without


def test_what_a_project_passes_on_is_followed_into_the_package(
    site: Path, tmp_path: Path, hostsync_in: Hostsync
) -> None:
    indexed(hostsync_in, site, "acme")
    (tmp_path / "compat.py").write_text("from acme import spread as made\n", encoding="utf-8")
    (tmp_path / "stars.py").write_text("from acme.impl import *\n", encoding="utf-8")
    source = (
        "import torch\nfrom compat import made\nfrom stars import spread\nif made(1):\n    pass\nif spread(1):\n    1\n"
    )
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    assert rows(hostsync_in, "--no-cache") == []
    assert rows(hostsync_in, "--no-cache", "--index", "hostsync-index") == [4, 6]


def test_the_project_wins(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    indexed(hostsync_in, site, "acme")
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    (tmp_path / "acme").mkdir()
    own = "import torch\n\n\ndef spread(count):\n    return torch.rand(count)\n"
    (tmp_path / "acme" / "__init__.py").write_text(own, encoding="utf-8")
    found = rows(hostsync_in, "--no-cache", "--index", "hostsync-index")
    assert 7 not in found and 9 not in found
    # Not even for a module that the project's package lacks.
    source = "import torch\nfrom acme.impl import spread\nif spread(1):\n    pass\n"
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    assert rows(hostsync_in, "--no-cache", "--index", "hostsync-index") == []
    (tmp_path / "acme" / "__init__.py").unlink()
    (tmp_path / "acme").rmdir()
    assert rows(hostsync_in, "--no-cache", "--index", "hostsync-index") == [3]


def test_what_was_measured_wins(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    indexed(hostsync_in, site, "acme")
    ops = '[ops]\n"acme.impl.spread" = { params = "count", device = "cpu" }\n'
    (tmp_path / "own.toml").write_text(ops, encoding="utf-8")
    source = "import torch\nfrom acme.impl import spread\n\nif spread(3).sum() > 1:\n    pass\n"
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    assert rows(hostsync_in, "--no-cache", "--index", "hostsync-index") == [4]
    assert rows(hostsync_in, "--no-cache", "--index", "hostsync-index", "--ops", "own.toml") == []


def test_the_cache_depends_on_the_index(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    without = rows(hostsync_in)
    indexed(hostsync_in, site, "acme")
    assert rows(hostsync_in, "--index", "hostsync-index") == [7, 9, 11]
    assert rows(hostsync_in, "--index", "hostsync-index") == [7, 9, 11]
    assert rows(hostsync_in) == without
    make(site, IMPL.replace(', device="cuda"', "").replace(".cpu()", ""))
    indexed(hostsync_in, site, "acme")
    assert rows(hostsync_in, "--index", "hostsync-index") == [11]


def test_the_configuration_names_indexes(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    indexed(hostsync_in, site, "acme")
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    (tmp_path / "hostsync.toml").write_text('index = ["hostsync-index"]\n', encoding="utf-8")
    assert rows(hostsync_in, "--no-cache") == [7, 9, 11]
    why = hostsync_in("check", "--why", "user.py:7")
    assert "spread: the function acme/impl.py:spread\n" in why.out
    assert "spread(3): a float tensor on the GPU" in why.out


def test_the_same_package_gives_the_same_bytes(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    indexed(hostsync_in, site, "acme", "-o", "one.jsonl", "--jobs", "1")
    indexed(hostsync_in, site, str(site / "acme"), "-o", "two", "--jobs", "2", "--quiet")
    one = (tmp_path / "one.jsonl").read_text(encoding="utf-8")
    two = (tmp_path / "two" / "acme.jsonl").read_text(encoding="utf-8")
    assert one.splitlines()[1:] == two.splitlines()[1:]


def test_a_part_and_a_single_file_can_be_indexed(site: Path, tmp_path: Path, hostsync_in: Hostsync) -> None:
    (site / "single.py").write_text(IMPL, encoding="utf-8")
    ran = indexed(hostsync_in, site, "acme.impl", "single")
    assert ran.out.startswith("acme.impl 1.2: 1 of 1 file offers something") and "single (no version known)" in ran.out
    source = "import torch\nimport single\nfrom acme.impl import spread\n\nprint(spread(1))\nprint(single.spread(1))\n"
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    assert rows(hostsync_in, "--no-cache") == []
    assert rows(hostsync_in, "--no-cache", "--index", "hostsync-index") == [5, 6]


# --- what can be wrong ---------------------------------------------------------------------------


def changed(path: Path, **head: object) -> None:
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([json.dumps({**json.loads(first), **head}), *rest, ""]), encoding="utf-8", newline="\n")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda p: changed(p, format=FORMAT + 1),
            f"has format {FORMAT + 1}, this hostsync reads {FORMAT}; make it anew",
        ),
        (lambda p: changed(p, hostsync="0.0.1"), "was made by hostsync 0.0.1"),
        (lambda p: p.write_bytes(p.read_bytes().replace(b"seen", b"sean")), "is damaged"),
        (lambda p: p.write_bytes(p.read_bytes()[:-40]), "is damaged"),
        (lambda p: p.write_bytes(b"{}\n"), "is no index of hostsync"),
        (lambda p: p.write_bytes(b"\xff\x00[[["), "is no index of hostsync"),
        (lambda p: p.write_bytes(b"[" * 100_000), "is no index of hostsync"),
        (lambda p: p.unlink(), "can't read this index"),
    ],
)
def test_an_index_that_is_wrong_is_said_to_be(site, spoil, message: str, tmp_path: Path, hostsync_in: Hostsync) -> None:
    indexed(hostsync_in, site, "acme", "-o", "acme.jsonl")
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    assert rows(hostsync_in, "--index", "acme.jsonl") == [7, 9, 11]
    spoil(tmp_path / "acme.jsonl")
    ran = hostsync_in("check", "user.py", "--index", "acme.jsonl")
    assert ran.code == 2 and ran.out == ""
    assert message in ran.err and "acme.jsonl" in ran.err and len(ran.err.splitlines()) == 1


def test_an_index_that_is_missing_is_said_to_be_whatever_the_cache_knows(
    site: Path, tmp_path: Path, hostsync_in: Hostsync
) -> None:
    indexed(hostsync_in, site, "acme")
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/user.py").write_text(USER, encoding="utf-8")
    for _ in range(2):
        assert rows(hostsync_in, "--index", "hostsync-index") == [7, 9, 11]
        assert hostsync_in("check", "inner", "--quiet").code == 1
    option = hostsync_in("check", "user.py", "--index", "hostsync-indices")
    (tmp_path / "inner/hostsync.toml").write_text('index = ["gone"]\n', encoding="utf-8")
    configured = hostsync_in("check", "inner")
    (tmp_path / "nothing").mkdir()
    idle = hostsync_in("check", "nothing", "--index", "hostsync-indices")
    for ran, name in ((option, "hostsync-indices"), (configured, Path("inner", "gone")), (idle, "hostsync-indices")):
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"hostsync: {tmp_path / name}: can't read this index: ")
    assert rows(hostsync_in, "--index", "hostsync-index") == [7, 9, 11]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("index", "nowhere_at_all"), "there is no package `nowhere_at_all` where hostsync is installed"),
        (("index", "acme-metrics"), "`acme-metrics` is no name of a package as in an import"),
        (("index", "./nowhere"), "no such file or folder: `./nowhere`"),
        (("index", "./empty"), "is no package: it has no __init__.py"),
        (("index", "json.nothing"), "there is no package or module"),
        (("index", "json", "click", "-o", "a.jsonl"), "several packages need a folder"),
        (("index", "sys"), "is not written in Python"),
        (("index", "README.md"), "`README.md` is neither a package nor a Python file"),
        (("index", "./README.md"), "`./README.md` is neither a package nor a Python file"),
        (("index", "json", "-o", "file/inside"), "can't be written"),
        (("index",), "Missing argument"),
        (("check", "user.py", "--index", "empty"), "there is no index (*.jsonl) in this folder"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], message: str, tmp_path: Path, hostsync_in: Hostsync) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "README.md").write_text("# title", encoding="utf-8")
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    ran = hostsync_in(*arguments)
    assert ran.code == 2
    assert message in ran.err


@pytest.mark.skipif(sys.version_info < (3, 11), reason="does not know where the sources of frozen modules are")
def test_a_module_that_the_interpreter_holds_frozen(tmp_path: Path, hostsync_in: Hostsync) -> None:
    ran = hostsync_in("index", "os", "-o", "os.jsonl")
    assert (ran.code, ran.err) == (0, "")
    assert (tmp_path / "os.jsonl").is_file()
