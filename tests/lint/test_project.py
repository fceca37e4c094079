"""Files that know each other: imports, bases, star imports, circles, and one file judged as among many."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.infer.cases import places

from hostsync.findings import Finding
from hostsync.infer.module import Followed
from hostsync.lint import scan as scanning
from hostsync.lint import studying
from hostsync.lint.callers.evidence import Evidence
from hostsync.lint.kept import KeptStudies
from hostsync.lint.scan import check_files
from hostsync.lint.studying import Result, Task, study_file
from hostsync.project.cache import Cache
from hostsync.project.config import Resolver
from hostsync.project.discovery import discover
from hostsync.project.paths import is_own_place, own_name
from hostsync.project.settings import Overrides
from hostsync.project.units import Roots, Units

PACKAGES = Path(__file__).resolve().parents[1] / "cases" / "packages"
Found = dict[str, list[tuple[int, str, str]]]
"""By file: row, code and confidence."""


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")


def scan(*paths: Path, cache: Path | None = None, workers: int = 1) -> Found:
    """What is certain or likely in the files below `paths`."""
    resolver = Resolver(Overrides(), isolated=True)
    found = discover(paths, resolver.settings)
    units = Units(found.settings_for, found.given)
    kept = None if cache is None else Cache(cache)
    checked = check_files(found.files, workers=workers, cache=kept, units=units)
    assert not [d for c in checked for d in c.diagnostics]
    return {
        file.path.name: [
            (f.location.row, f.code, f.confidence) for f in one.findings if f.confidence in ("certain", "likely")
        ]
        for file, one in zip(found.files, checked, strict=True)
    }


def both(folder: Path, *names: str) -> Found:
    """The findings of a run over everything, which are those of a run over each of the named files."""
    whole = scan(folder)
    for name in names or [str(path.relative_to(folder)) for path in folder.rglob("*.py")]:
        alone = scan(folder / name)
        assert alone == {Path(name).name: whole[Path(name).name]}
    return whole


@pytest.mark.parametrize("package", sorted(PACKAGES.iterdir()), ids=lambda package: package.name)
def test_packages_without_annotations(package: Path) -> None:
    """Values go from file to file by nothing but calls, bases, attributes and names for types."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        (alone,) = scan(path).values()
        found[path] = {(row, code) for row, code, _ in alone}
        certain = {(row, code) for row, code, confidence in alone if confidence == "certain"}
        assert set(places(path, "certain")) <= certain
        assert set(places(path, "likely")) <= found[path] - certain
    assert found == {path: set(places(path, "expect")) for path in found}


@pytest.mark.parametrize("package", sorted(PACKAGES.iterdir()), ids=lambda package: package.name)
def test_what_was_kept_of_a_first_study_changes_nothing(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for budget in (10_000_000, 0):
        kept = KeptStudies(budget)
        taken: list[tuple[object, object]] = []
        monkeypatch.setattr(kept, "take", lambda *key, of=kept.take, to=taken: to.append(of(*key)) or to[-1])
        monkeypatch.setattr(scanning, "KeptStudies", lambda _, kept=kept: kept)
        found.append(scan(package))
        # Of a function that others reach through a table nobody expects to be told, so its file is studied anew.
        is_taken = any(followed for followed, _ in taken)
        assert (package.name != "told" and not is_taken) or is_taken == bool(budget)
    assert found[0] == found[1]


def test_nothing_is_kept_from_one_run_to_the_next(tmp_path: Path) -> None:
    """A file may have stayed as it was, but not what it imports."""
    files = {
        "pkg/__init__.py": "",
        "pkg/make.py": "import torch\n\ndef made():\n    return torch.ones(2)\n",
        "pkg/helpers.py": """\
            import torch
            from .make import made

            def on_device(value):
                return int(value)

            def here():
                return made().tolist()
            """,
        "pkg/use.py": """\
            import torch
            from .helpers import on_device

            def f():
                return on_device(torch.ones(2, device="cuda").sum())
            """,
    }
    # Nothing is handed in at first, so that what was kept stays unused.
    write(tmp_path, {**files, "pkg/use.py": "import torch\nfrom .helpers import on_device\n\non_device(1)\n"})
    assert scan(tmp_path)["helpers.py"] == []
    write(tmp_path, files)
    write(tmp_path, {"pkg/make.py": files["pkg/make.py"].replace("ones(2)", "ones(2, device='cuda')")})
    assert scan(tmp_path)["helpers.py"] == [(5, "HS103", "certain"), (8, "HS101", "certain")]
    assert studying.Process.studies._held == {}


def test_imports_in_functions_are_known_as_far_as_they_make_no_circle(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "def f():\n    from .c import made\n    return made().item()\n# torch\n",
            "pkg/b.py": "import torch\n\ndef ready():\n    from .a import f\n    return f()\n",
            "pkg/c.py": "import torch\nfrom .b import ready\n\ndef made():\n    return torch.ones((), device='cuda')\n",
        },
    )
    assert scan(tmp_path)["a.py"] == [(3, "HS101", "certain")]


def test_a_budget_holds() -> None:
    context: Any = None
    kept, one = KeptStudies(100), Followed(context, (), (), ())
    kept.put("a", "1", one, (), 60)
    kept.put("b", "1", one, (), 60)
    assert kept.take("b", "1", ("[]",)) == (None, ("[]",))
    assert kept.take("a", "2", ("[]",)) == (None, ("[]",))
    assert kept.take("a", "1", ("[]",)) == (one, ("[]",))
    assert kept.take("a", "1", ("[]",)) == (None, ("[]",))
    kept.put("b", "1", one, (), 100)
    assert kept.take("b", "1", ("[]",)) == (one, ("[]",))


def test_a_further_study_goes_on_where_the_one_before_ended() -> None:
    context: Any = None
    kept, one = KeptStudies(100), Followed(context, (), (), ())
    kept.put("a", "1", one, ("[]",), 60)
    assert kept.take("a", "1", ("[]", "{}")) == (one, ("{}",))
    kept.put("a", "1", one, ("[]",), 60)
    # What is handed in is not what it was then.
    assert kept.take("a", "1", ("[1]", "{}")) == (None, ("[1]", "{}"))
    kept.put("a", "1", one, ("[]",), 100)
    assert kept.take("a", "1", ("[]",)) == (None, ("[]",))


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("tests/pkg/use.py", True),
        ("test/use.py", True),
        ("pkg/tests/use.py", False),
        ("pkg/testing/use.py", False),
        ("pkg/test_use.py", False),
        ("pkg/use_test.py", False),
        ("pkg/conftest.py", False),
    ],
)
def test_only_the_folders_of_a_package_itself_say_that_it_holds_tests(tmp_path: Path, path: str, counts: bool) -> None:
    folder = tmp_path / path.split("/")[0] if path.startswith("test") else tmp_path
    root = f"{path.rpartition('/')[0]}/" if counts else "pkg/"
    use = """\
        import torch
        from {} import on_device

        def f():
            on_device(torch.ones(2, device="cuda").sum())
        """.format(*(["pkg.helpers"] if "pkg" in path else ["helpers"]))
    helpers = "import torch\n\ndef on_device(value):\n    return int(value)\n"
    write(tmp_path, {path: use, f"{root}helpers.py": helpers})
    for inside in (tmp_path / path).parents:
        if "pkg" in inside.relative_to(tmp_path).parts:
            (inside / "__init__.py").touch()
        if inside.parent == tmp_path:
            break
    assert scan(folder)["helpers.py"] == ([(4, "HS103", "certain")] if counts else [])


HELPERS = """\
    import torch

    def grid(n, device="cpu"):
        return torch.arange(n, device=device)

    def scaled(x):
        return x * 2

    def same_place(x):
        return torch.zeros(3, device=x.device)

    class Base(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = None
            self.limits = torch.tensor([1.0, 2.0])

        @property
        def host(self):
            return torch.ones(2)

        def steps(self):
            return torch.linspace(0, 1, 5)
    """


def test_imported_functions_and_bases_are_known(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/helpers.py": HELPERS,
            "pkg/use.py": """\
                import torch
                from .helpers import Base, grid, same_place, scaled
                from . import helpers as h

                def f(x: torch.Tensor):
                    a = grid(4).to(x.device)
                    b = grid(4, device=x.device).to(x.device)
                    c = scaled(torch.ones(2)).item()
                    d = scaled(x).sum().item()
                    e = same_place(x).to(x.device)
                    g = h.grid(3).to(x.device)
                    return a, b, c, d, e, g

                class Child(Base):
                    def forward(self, x: torch.Tensor):
                        if self.host.any():
                            pass
                        return self.steps().to(x.device)
                """,
        },
    )
    found = both(tmp_path)["use.py"]
    assert [(row, code) for row, code, _ in found] == [(6, "HS401"), (9, "HS101"), (11, "HS401"), (18, "HS401")]


def test_names_are_followed_through_packages_and_stars(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pkg/__init__.py": "from .sub import *\n",
            "pkg/sub/__init__.py": "from .deep import grid as lattice\nfrom .other import *\n",
            "pkg/sub/deep.py": "import torch\ndef grid(n):\n    return torch.arange(n)\n",
            "pkg/sub/other.py": "import torch\ndef ones(n):\n    return torch.ones(n)\n",
            "pkg/use.py": """\
                import torch
                from pkg import lattice
                from pkg.sub import *

                def f(x: torch.Tensor):
                    a = lattice(4).sum().item()
                    return ones(3).to(x.device)
                """,
        },
    )
    assert [(row, code) for row, code, _ in both(tmp_path)["use.py"]] == [(7, "HS401")]


def test_imports_in_functions_for_types_and_by_whole_names_are_known(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "acme/__init__.py": "",
            "acme/parts/__init__.py": "",
            "acme/parts/engine.py": """\
                import torch
                from torch import Tensor

                Scores = list[Tensor]

                class Engine:
                    def score(self, x: Tensor):
                        return x.mean()

                def table(n):
                    return torch.arange(n)

                def norm(x):
                    return torch.norm(x)
                """,
            "acme/use.py": """\
                from __future__ import annotations
                from typing import TYPE_CHECKING
                import torch
                import acme.parts.engine
                if TYPE_CHECKING:
                    from acme.parts.engine import Engine, Scores

                def typed(engine: Engine, scores: Scores, x):
                    if scores[0] > 0:
                        return 1
                    return engine.score(x).item()

                def late(x):
                    from acme.parts.engine import norm, table
                    return table(3).max().item() + norm(x).item()

                def whole(x):
                    return acme.parts.engine.table(3).max().item() + acme.parts.engine.norm(x).item()
                """,
        },
    )
    assert both(tmp_path)["use.py"] == [
        (9, "HS201", "likely"),
        (11, "HS101", "likely"),
        (15, "HS101", "likely"),
        (18, "HS101", "likely"),
    ]


def test_circles_end(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pkg/__init__.py": "from .a import f\nfrom .b import g\nVERSION = 1\n",
            "pkg/a.py": "import torch\nfrom .b import g\ndef f(x):\n    return g(torch.ones(2)).item()\n",
            "pkg/b.py": "import torch\nfrom . import VERSION, a\ndef g(x):\n    return a.f(x) if VERSION else x\n",
        },
    )
    both(tmp_path)


def test_scripts_know_their_folder_and_packages_in_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "helpers.py": HELPERS,
            "lib/__init__.py": "",
            "lib/tables.py": "import torch\ndef table():\n    return torch.ones(3)\n",
            "train.py": """\
                import torch
                from helpers import *
                from lib.tables import table

                def f(x: torch.Tensor):
                    return grid(2).to(x.device), table().to(x.device)
                """,
        },
    )
    assert [row for row, _, _ in both(tmp_path)["train.py"]] == [6, 6]


def test_fields_of_what_another_module_returns(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/outputs.py": """\
                from dataclasses import dataclass
                import torch

                @dataclass
                class Output:
                    logits: torch.Tensor | None = None
                    count: int = 0
                """,
            "pkg/use.py": """\
                import torch
                from .outputs import Output

                def make(x: torch.Tensor) -> Output:
                    return Output(logits=x, count=3)

                def f(x: torch.Tensor):
                    out = make(x)
                    if out.logits.any():
                        return out.count
                    return int(out.count)
                """,
        },
    )
    assert [(row, code) for row, code, _ in both(tmp_path)["use.py"]] == [(9, "HS201")]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_change_reaches_those_who_import(tmp_path: Path, workers: int) -> None:
    pkg = tmp_path / "src"
    write(
        pkg,
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "import torch\ndef made():\n    return torch.ones(2)\n",
            "pkg/b.py": "from .a import made\ndef twice():\n    return made() * 2\n# torch\n",
            "pkg/c.py": "import torch\nfrom .b import twice\ndef f():\n    return twice().sum().item()\n",
        },
    )
    cache = tmp_path / "cache"
    assert scan(pkg, cache=cache, workers=workers)["c.py"] == []
    assert scan(pkg, cache=cache, workers=workers)["c.py"] == []
    write(pkg, {"pkg/a.py": "import torch\ndef made():\n    return torch.ones(2, device='cuda')\n"})
    assert scan(pkg, cache=cache, workers=workers)["c.py"] == [(4, "HS101", "certain")]
    assert scan(pkg / "pkg" / "c.py", cache=cache, workers=workers)["c.py"] == [(4, "HS101", "certain")]
    (cache / "interfaces-00.shard").write_text("{}")
    for shard in cache.glob("interfaces-*.shard"):
        shard.write_text(shard.read_text().replace("acc", "cpu"))
    write(pkg, {"pkg/c.py": "import torch\nfrom .b import twice\ndef f():\n    return twice().sum().item() + 1\n"})
    assert scan(pkg, cache=cache, workers=workers)["c.py"] == [(4, "HS101", "certain")]


def test_callers_tell_what_parameters_are(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/helpers.py": """\
                import torch

                def on_device(value):
                    return int(value)

                def on_host(value):
                    return int(value)

                def count(value: int):
                    return range(value)

                def _own(value):
                    return float(value)

                def mean(x: torch.Tensor):
                    return _own(x.mean())
                """,
            "pkg/use.py": """\
                import torch
                from . import helpers
                from .helpers import count, on_host

                def f(x: torch.Tensor):
                    helpers.on_device(x.cuda().sum())
                    on_host(torch.ones(2).sum())
                    return count(x.max())
                """,
            "pkg/tests/__init__.py": "",
            "pkg/tests/test_helpers.py": """\
                import torch
                from pkg.helpers import on_host

                def test(x: torch.Tensor):
                    assert on_host(x.cuda().sum())
                """,
        },
    )
    found = both(tmp_path, "pkg/helpers.py", "pkg/use.py")["helpers.py"]
    assert found == [(4, "HS103", "certain"), (10, "HS104", "likely"), (13, "HS103", "likely")]


def test_the_chain_names_the_call(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "import torch\ndef read(value):\n    return int(value)\n",
            "pkg/b.py": "import torch\nfrom .a import read\ndef f(x):\n    return read(x.cuda().sum())\n",
        },
    )
    found = discover([tmp_path / "pkg" / "a.py"], Resolver(Overrides(), isolated=True).settings)
    units = Units(found.settings_for, found.given)
    ((finding,),) = [c.findings for c in check_files(found.files, units=units, cache_root=tmp_path)]
    assert finding.chain[0].text == "pkg/b.py:4 hands in a tensor for value"


def _studied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are studied from now on, each as often as it is."""
    studied: list[str] = []

    def study(task: studying.Task) -> studying.Result:
        studied.append(task.path.name)
        return studying.study_file(task)

    monkeypatch.setattr(scanning, "study_file", study)
    return studied


def _with_cache(folder: Path) -> list[Finding]:
    """The findings of `folder/pkg`, with a cache beside it."""
    found = discover([folder / "pkg"], Resolver(Overrides(), isolated=True).settings)
    units, cache = Units(found.settings_for, found.given), Cache(folder / "cache")
    checked = check_files(found.files, workers=1, cache=cache, cache_root=folder, units=units)
    return [finding for c in checked for finding in c.findings]


_HELPERS = {
    "pkg/__init__.py": "",
    "pkg/helpers.py": """
        import torch
        from .far import made
        def one(): return torch.zeros(3, device='cuda')
        def two(): return made()
        def three(): return two()
        class Net(torch.nn.Module):
            def forward(self, x): return one()
    """,
    "pkg/far.py": "import torch\ndef made(): return torch.zeros(3, device='cpu')\ndef other(): return 1\n",
    "pkg/uses_one.py": "import torch\nfrom .helpers import one\ndef f(): return one().sum().item()\n",
    "pkg/uses_two.py": "import torch\nfrom . import helpers\ndef f(): return helpers.two().sum().item()\n",
    "pkg/uses_three.py": "import torch\nfrom .helpers import three\ndef f(): return three().sum().item()\n",
    "pkg/uses_net.py": "import torch\nfrom .helpers import Net\ndef f(): return Net()(1).sum().item()\n",
    "pkg/new.py": "import torch\n",
}


@pytest.mark.parametrize(
    ("file", "before", "after", "studied", "findings"),
    [
        # To uses_two.py all of helpers.py is news: it imports that as a whole.
        pytest.param(
            "new.py",
            "import torch\n",
            "import torch\ndef f():\n    from .far import other\n    return other()\n",
            {"new.py", "far.py"},
            2,
            id="one more name is asked for",
        ),
        pytest.param(
            "helpers.py",
            "return one()",
            "return two()",
            {"helpers.py", "uses_net.py", "uses_two.py"},
            1,
            id="a method changes",
        ),
        pytest.param(
            "helpers.py",
            "def one(): return torch.zeros(3, device='cuda')",
            "def one(): return torch.zeros(3, device='cpu')",
            {"helpers.py", "uses_one.py", "uses_net.py", "uses_two.py"},
            0,
            id="a function that a method calls changes",
        ),
        pytest.param(
            "far.py",
            "'cpu'",
            "'cuda'",
            {"far.py", "helpers.py", "uses_two.py", "uses_three.py"},
            4,
            id="a function in another file that functions call changes",
        ),
    ],
)
def test_a_change_of_one_name_is_news_for_those_who_use_that_name(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    before: str,
    after: str,
    studied: set[str],
    findings: int,
) -> None:
    write(tmp_path, _HELPERS)
    assert len(_with_cache(tmp_path)) == 2
    seen = _studied(monkeypatch)
    path = tmp_path / "pkg" / file
    content = path.read_text(encoding="utf-8")
    assert content.count(before) == 1
    path.write_text(content.replace(before, after), encoding="utf-8")
    again = _with_cache(tmp_path)
    assert set(seen) == studied
    assert len(again) == findings
    shutil.rmtree(tmp_path / "cache")
    assert again == _with_cache(tmp_path)


def test_where_only_rows_move_nothing_else_is_studied_and_the_chain_names_the_new_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = "import torch\nfrom .a import read\ndef f(x):\n    return read(torch.zeros(3, device='cuda').sum())\n"
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "import torch\ndef read(value):\n    return int(value)\n",
        "pkg/b.py": caller,
    }
    write(tmp_path, files)
    studied = _studied(monkeypatch)

    def chains() -> list[str]:
        studied.clear()
        return [finding.chain[0].text for finding in _with_cache(tmp_path)]

    assert chains() == ["pkg/b.py:4 hands in a tensor for value"]
    assert studied.count("a.py") == 2
    write(tmp_path, {"pkg/b.py": caller.replace("def f", "LIMIT = 3\n\ndef f")})
    for expected in (["b.py"], []):
        assert chains() == ["pkg/b.py:6 hands in a tensor for value"]
        assert studied == expected
    write(tmp_path, {"pkg/b.py": caller.replace("device='cuda'", "device='cpu'")})
    assert chains() == []
    assert set(studied) == {"a.py", "b.py"}


def test_the_chain_says_what_is_moved_with_its_object(tmp_path: Path) -> None:
    found = discover([PACKAGES / "moved_parts" / "uniform.py"], Resolver(Overrides(), isolated=True).settings)
    units = Units(found.settings_for, found.given)
    (checked,) = check_files(found.files, units=units, cache_root=tmp_path)
    texts = [finding.chain[-1].text for finding in checked.findings if finding.code == "HS102"]
    assert texts == [
        f"self.{name}, it goes where its object is moved to, so it counts as on the GPU" for name in ("limits", "scale")
    ]


SCHEDULES = {
    "pkg/__init__.py": "",
    "pkg/schedules.py": """\
        import torch

        class FirstSchedule:
            def set_steps(self, count, device):
                self.steps = torch.linspace(0, 1, count).to(device)

            def advance(self, output: torch.Tensor, step: int, flag: bool = True):
                if step > 0:
                    return output
                return output if flag else -output

        class SecondSchedule:
            def set_steps(self, count, device):
                self.steps = torch.linspace(0, 1, count).to(device)

            def advance(self, output: torch.Tensor, step: int, flag: bool = True):
                return output * step

        class Other:
            def advance(self, output: torch.Tensor, step: int, flag: bool = True):
                return output if step > 0 else None
        """,
    "pkg/run.py": """\
        import torch

        def steps_of(schedule):
            return schedule.steps, 3

        class Run:
            def __init__(self, schedule):
                self.register(schedule=schedule)

            def __call__(self, x: torch.Tensor):
                steps, count = steps_of(self.schedule)
                for number, step in enumerate(steps):
                    x = self.schedule.advance(x, step, number > 2)
                return x
        """,
}


def test_classes_are_found_by_the_name_of_what_holds_them(tmp_path: Path) -> None:
    write(tmp_path, SCHEDULES)
    assert [(row, code) for row, code, _ in both(tmp_path)["schedules.py"]] == [
        (5, "HS401"),
        (8, "HS201"),
        (14, "HS401"),
    ]


@pytest.mark.parametrize("workers", [1, 2])
def test_evidence_follows_the_callers(tmp_path: Path, workers: int) -> None:
    pkg, cache = tmp_path / "src", tmp_path / "cache"
    write(pkg, SCHEDULES)
    whole = scan(pkg, cache=cache, workers=workers)
    assert whole == scan(pkg, cache=cache, workers=workers) == scan(pkg)
    run = SCHEDULES["pkg/run.py"].replace("advance(x, step", "advance(x, number")
    write(pkg, {"pkg/run.py": run})
    after = scan(pkg, cache=cache, workers=workers)
    assert [row for row, _, _ in after["schedules.py"]] == [5, 14]
    assert scan(pkg / "pkg" / "schedules.py", cache=cache, workers=workers)["schedules.py"] == after["schedules.py"]


CALLING = """\
from .schedules import Other

def f():
    return Other().advance(torch.zeros(2, device="cuda"), torch.ones((), device="cuda"))
"""
CHANGES = {
    "a call hands in something else": ("pkg/run.py", "advance(x, step", "advance(x, number"),
    "a file that told nothing hands in something": ("pkg/other.py", "def f():\n    pass\n", CALLING),
    "a method is gone": ("pkg/schedules.py", "def advance", "def progress"),
}


@pytest.mark.parametrize(("name", "old", "new"), CHANGES.values(), ids=CHANGES)
def test_what_callers_hand_in_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str
) -> None:
    """An edit looks only at what it concerns, and gives what a run without a cache gives; so it does back again."""
    monkeypatch.setattr("hostsync.lint.rounds.WORTH_KEEPING", 1)
    pkg, cache = tmp_path / "src", tmp_path / "cache"
    files = {**SCHEDULES, "pkg/other.py": "import torch\n\ndef f():\n    pass\n"}
    write(pkg, files)
    first = scan(pkg, cache=cache)
    assert first == scan(pkg)
    begun = []
    begin = Evidence._begin
    monkeypatch.setattr(Evidence, "_begin", lambda self, told: begun.append(told) or begin(self, told))
    text = textwrap.dedent(files[name])
    assert old in text
    write(pkg, {name: text.replace(old, new)})
    after = scan(pkg, cache=cache)
    # Other functions than before may be told something, or by other calls.
    assert bool(begun) is (name == "pkg/schedules.py")
    assert after == scan(pkg) != first
    write(pkg, files)
    assert scan(pkg, cache=cache) == first


def test_evidence_that_is_lost_costs_time_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hostsync.lint.rounds.WORTH_KEEPING", 1)
    for lost in ("told", "callers", "damaged"):
        pkg, cache = tmp_path / lost / "src", tmp_path / lost / "cache"
        write(pkg, SCHEDULES)
        scan(pkg, cache=cache)
        shards = sorted(cache.glob("callers-*" if lost == "damaged" else f"{lost}-*"))
        assert shards
        before = [shard.read_bytes() for shard in shards]
        assert lost != "damaged" or any(b"hands in" in data for data in before)
        for shard, data in zip(shards, before, strict=True):
            if lost == "damaged":
                shard.write_bytes(data.replace(b"hands in", b"holds on"))
            else:
                shard.unlink()
        write(pkg, {"pkg/run.py": SCHEDULES["pkg/run.py"].replace("advance(x, step", "advance(x, number")})
        assert scan(pkg, cache=cache) == scan(pkg)


@pytest.mark.parametrize("worth", [1, 100])
def test_a_file_may_change_while_what_was_lost_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth: int
) -> None:
    """It may no longer tell what it told when the scan began; what follows is not kept."""
    pkg, cache = tmp_path / "src", tmp_path / "cache"
    write(pkg, SCHEDULES)
    scan(pkg, cache=cache)
    for kind in ("told", "callers", "evidence"):
        for shard in cache.glob(f"{kind}-*"):
            shard.unlink()
    write(pkg, {"pkg/other.py": CALLING})
    monkeypatch.setattr("hostsync.lint.rounds.WORTH_KEEPING", worth)
    studied = []

    def study(task: Task) -> Result:
        task.path.write_text("x = 1\n")
        studied.append(task.path.name)
        return study_file(task)

    monkeypatch.setattr("hostsync.lint.rounds.study_file", study)
    scan(pkg, cache=cache)
    assert "run.py" in studied
    monkeypatch.setattr("hostsync.lint.rounds.study_file", study_file)
    write(pkg, {**SCHEDULES, "pkg/other.py": CALLING})
    assert scan(pkg, cache=cache) == scan(pkg)


OBJECTS = {
    "pkg/__init__.py": "",
    "pkg/rules.py": """\
        import torch

        class Rule:
            def __call__(self, scores):
                return scores.softmax(-1).argmax(-1)
        """,
    "pkg/choose.py": """\
        import torch

        class Chooser:
            def __init__(self, rule):
                self.rule = rule

            def choose(self, x, scores):
                return x[self.rule(scores)]
        """,
    "pkg/use.py": """\
        import torch
        from .choose import Chooser
        from .rules import Rule

        chooser = Chooser(Rule())
        """,
}


IN_A_DICT = {
    **OBJECTS,
    "pkg/choose.py": """\
        import torch

        class Chooser:
            def choose(self, bag, scores):
                rule = bag["rule"]


                return bag["x"][rule(scores)]
        """,
    "pkg/use.py": """\
        import torch
        from .choose import Chooser
        from .rules import Rule

        def use(x: torch.Tensor, scores: torch.Tensor):
            return Chooser().choose({"x": x, "rule": Rule()}, scores)
        """,
}


@pytest.mark.parametrize("files", [OBJECTS, IN_A_DICT], ids=["attribute", "dict"])
@pytest.mark.parametrize("workers", [1, 2])
def test_what_handed_objects_do_is_asked_anew(tmp_path: Path, workers: int, files: Mapping[str, str]) -> None:
    pkg, cache = tmp_path / "src", tmp_path / "cache"
    write(pkg, files)
    assert scan(pkg, cache=cache, workers=workers)["choose.py"] == []
    # Nothing that choose.py imports changes, nor who hands what to it.
    write(pkg, {"pkg/rules.py": OBJECTS["pkg/rules.py"].replace(".argmax(-1)", ".max(-1)[0] > 0.5")})
    after = scan(pkg, cache=cache, workers=workers)["choose.py"]
    assert after == scan(pkg)["choose.py"] == [(8, "HS302", "likely")]
    assert scan(pkg / "pkg" / "choose.py", cache=cache, workers=workers)["choose.py"] == after


def test_classes_in_what_is_handed_in_are_those_of_the_caller(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/use.py": """\
                import torch

                class Rule:
                    def __call__(self, x):
                        return x > 0

                def use(bag):
                    return bag["x"][bag["rule"](bag["x"])]
                """,
            "pkg/run.py": """\
                import torch
                from .use import use

                class Rule:
                    def __call__(self, x):
                        return x.argmax(-1)

                def run(x: torch.Tensor):
                    return use({"x": x, "rule": Rule()})
                """,
        },
    )
    assert both(tmp_path)["use.py"] == []


@pytest.mark.parametrize("above", [".", "opt/torch/site"])
def test_torch_itself_is_known_by_its_names(tmp_path: Path, above: str) -> None:
    write(
        tmp_path / above,
        {
            "torch/__init__.py": "from . import part\nfrom .part import helper",
            "torch/nn/__init__.py": "from . import functional",
            "torch/nn/functional.py": "def relu(x):\n    return x",
            "torch/part.py": """
                import torch
                import torch.nn.functional as F
                from torch import Tensor

                def helper(x: Tensor):
                    y = torch.relu(x) + F.relu(x)
                    return torch.nonzero(y)
            """,
        },
    )
    assert scan(tmp_path)["part.py"] == [(8, "HS301", "likely")]


@pytest.mark.parametrize("package", ["passed_on", "derived", "asked"])
@pytest.mark.parametrize("workers", [1, 2])
def test_what_comes_from_far_is_asked_anew(tmp_path: Path, workers: int, package: str) -> None:
    """The file that says where the tensors are changes; those between it and the findings do not."""
    source, cache = tmp_path / "src", tmp_path / "cache"
    shutil.copytree(PACKAGES / package, source / package)
    before = scan(source, cache=cache, workers=workers)
    assert before == scan(source) == scan(source, cache=cache, workers=workers)
    told = {"passed_on": "main.py", "derived": "operators.py", "asked": "structure.py"}[package]
    path = source / package / told
    text = path.read_text(encoding="utf-8").replace('device="cuda"', 'device="cpu"').replace('.to("cuda")', "")
    text = text.replace("return x.sum()", "return 3").replace("return x.mean()", "return 3")
    path.write_text(text.replace("return self.lengths", "return [3]"), encoding="utf-8")
    after = scan(source, cache=cache, workers=workers)
    assert after == scan(source)
    changed = {"passed_on": "second.py", "derived": "base.py", "asked": "losses.py"}[package]
    assert len(after[changed]) < len(before[changed])
    for name, found in after.items():
        assert scan(source / package / name, cache=cache, workers=workers) == {name: found}


REPOSITORY = {
    "utils/misc.py": """\
        import torch


        def table(n):
            return torch.arange(n)
        """,
    "models/blocks.py": """\
        import torch


        def offset(n):
            return torch.zeros(n)


        class Block(torch.nn.Module):
            def forward(self, x):
                return x.sum()
        """,
    "models/net.py": """\
        import torch
        from library.tables import rows
        from models.blocks import Block
        from utils import misc
        from .blocks import offset


        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.block = Block()

            def forward(self, x):
                x = x + misc.table(3).to(x.device)
                x = x + rows(3).to(x.device)
                return self.block(x) + offset(3).to(x.device)
        """,
    "src/library/__init__.py": "",
    "src/library/tables.py": """\
        import torch


        def rows(n):
            return torch.ones(n)
        """,
    "scripts/run.py": """\
        import torch
        import utils.misc
        from models.net import Net


        def main():
            loss = Net().cuda()(torch.rand(3, device="cuda"))
            if loss > 3:
                print("large")
            return utils.misc.table(3).to("cuda")
        """,
}
"""A repository whose folders have no `__init__.py`, and whose programs are run from its top."""


@pytest.mark.parametrize("mark", ["requirements.txt", "pyproject.toml"])
def test_folders_without_init_are_packages_below_the_top_of_a_repository(tmp_path: Path, mark: str) -> None:
    write(tmp_path, {**REPOSITORY, mark: ""})
    whole = both(tmp_path)
    assert whole["net.py"] == [(14, "HS401", "likely"), (15, "HS401", "likely"), (16, "HS401", "likely")]
    assert whole["run.py"] == [(8, "HS201", "certain"), (10, "HS401", "likely")]


def test_without_a_top_a_folder_sees_only_what_is_below_it(tmp_path: Path) -> None:
    write(tmp_path, {**REPOSITORY, "main.py": "import torch\nimport utils.misc as m\nm.table(3).to('cuda')\n"})
    whole = both(tmp_path)
    assert whole["net.py"] == [(16, "HS401", "likely")]
    assert whole["main.py"] == [(3, "HS401", "likely")]


BARE = {
    "tool/models/__init__.py": "",
    "tool/models/net.py": """\
        import torch
        from other.parts import row
        from tool.parts import table
        from tool.text.ids import ids


        def moved(x: torch.Tensor):
            return row(3).to(x.device), table(3).to(x.device), ids(3).to(x.device)
        """,
    "tool/parts.py": """\
        import torch


        def table(n):
            return torch.arange(n)
        """,
    "tool/text/ids.py": "import torch\n\ndef ids(n):\n    return torch.arange(n)\n",
    "other/parts.py": "import torch\n\ndef row(n):\n    return torch.arange(n)\n",
}
"""A package without an `__init__.py`, and another beside it."""


@pytest.mark.parametrize("place", ["code", "lib/site-packages"])
def test_without_a_top_the_name_of_a_folder_says_where_it_lies(tmp_path: Path, place: str) -> None:
    """What it imports under its own name is found there; the one beside it may be anything."""
    write(tmp_path / place, BARE)
    whole = both(tmp_path / place)
    assert whole["net.py"] == [(8, "HS401", "likely"), (8, "HS401", "likely")]


def test_a_place_that_counts_for_one_name_is_told_from_a_folder(tmp_path: Path) -> None:
    """The top of a file system ends in a separator, too."""
    folder = str(tmp_path / "tool" / "text")
    own = [place for place in Roots().of(folder) if is_own_place(place, folder)]
    assert [own_name(place, folder) for place in own[:2]] == ["text", "tool"]
    assert not is_own_place(os.sep, os.sep)
    assert own_name(f"{tmp_path / 'other'}{os.sep}", folder) == ""


def test_installed_packages_do_not_see_each_other_by_their_folders(tmp_path: Path) -> None:
    place = tmp_path / "lib" / "site-packages"
    write(
        place,
        {"setup.py": "", "one/__init__.py": "", "one/a.py": "import torch\nfrom two.b import table\ntable().cuda()\n"},
    )
    write(place, {"two/b.py": "import torch\ndef table():\n    return torch.zeros(3)\n"})
    assert scan(place)["a.py"] == []


def test_torch_is_known_by_the_catalogue_also_where_it_lies_beside_the_code(tmp_path: Path) -> None:
    """As after `pip install -t .`: most of its functions are not to be found in its Python."""
    code = "import torch\n\ndef f(x: torch.Tensor):\n    return torch.unique(x)\n"
    write(tmp_path, {"torch/__init__.py": "from torch._C import *\n", "one/__init__.py": "", "one/a.py": code})
    assert both(tmp_path)["a.py"] == [(4, "HS304", "likely")]


@pytest.mark.parametrize("name", ["torch", "numpy"])
def test_what_the_catalogue_tells_of_is_not_read_for_its_neighbours(tmp_path: Path, name: str) -> None:
    write(tmp_path, {f"{name}/__init__.py": "", "helper/__init__.py": "", "one/__init__.py": "", "one/a.py": ""})
    found = discover([tmp_path / "one"], Resolver(Overrides(), isolated=True).settings)
    units = Units(found.settings_for, found.given)
    more = units.named(found.files[-1], {name: [name], "helper": ["helper"]})
    assert [file.path.parent.name for file in more] == ["helper"]


def test_what_a_run_leaves_behind_is_no_news_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache, and a file that is written to, lie where imports are looked for, but can't be imported."""

    def refuse(*args: object) -> None:
        raise AssertionError("the files are studied")

    write(tmp_path, {**REPOSITORY, "pyproject.toml": ""})
    cache = tmp_path / ".hostsync_cache"
    cold = scan(tmp_path, cache=cache)
    (tmp_path / "findings.json").write_text("[]")
    with monkeypatch.context() as patch:
        patch.setattr(scanning, "gather", refuse)
        assert scan(tmp_path, cache=cache) == cold
        (tmp_path / "helpers").mkdir()
        with pytest.raises(AssertionError, match="are studied"):
            scan(tmp_path, cache=cache)


def test_a_new_top_of_a_repository_is_news_for_the_cache(tmp_path: Path) -> None:
    folder, cache = tmp_path / "repository", tmp_path / "cache"
    write(folder, REPOSITORY)
    assert len(scan(folder, cache=cache)["net.py"]) == 1
    write(folder, {"setup.py": ""})
    assert len(scan(folder, cache=cache)["net.py"]) == 3


BESIDE = {
    "pyproject.toml": "",
    "one/__init__.py": "",
    "one/a.py": """\
        import torch
        from helper.b import table
        from later.c import more

        int(table()[0])
        int(more()[0])
        """,
    "helper/__init__.py": "",
    "helper/b.py": "import torch\n\n\ndef table():\n    return torch.zeros(3, device='cuda')\n",
    "later/notes.txt": "",
}


def test_what_a_run_took_from_other_packages_spares_the_next_to_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("the files are studied")

    write(tmp_path, BESIDE)
    one, cache = tmp_path / "one", tmp_path / ".cache"
    with monkeypatch.context() as patch:
        cold = scan(one, cache=cache)
        patch.setattr(scanning, "gather", refuse)
        assert scan(one, cache=cache) == cold == {"__init__.py": [], "a.py": [(5, "HS103", "certain")]}
        assert scan(one / "a.py", cache=cache) == {"a.py": cold["a.py"]}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"helper/b.py": BESIDE["helper/b.py"].replace("cuda", "cpu")}, []),
        ({"helper/__init__.py": "import torch\n"}, [5]),
        ({"later/c.py": BESIDE["helper/b.py"].replace("table", "more")}, [5, 6]),
        ({"later/__init__.py": "", "later/c.py": BESIDE["helper/b.py"].replace("table", "more")}, [5, 6]),
        ({"helper/b.py": "from .d import table\n", "helper/d.py": BESIDE["helper/b.py"]}, [5]),
        ({"src/later/__init__.py": "", "src/later/c.py": BESIDE["helper/b.py"].replace("table", "more")}, [5, 6]),
    ],
    ids=["a file", "the package", "a new script", "a new package", "a new file", "a new root"],
)
def test_what_changed_in_other_packages_is_seen(tmp_path: Path, change: Mapping[str, str], found: list[int]) -> None:
    write(tmp_path, BESIDE)
    one, cache = tmp_path / "one", tmp_path / ".cache"
    scan(one, cache=cache)
    write(tmp_path, change)
    warm = scan(one, cache=cache)
    assert warm == scan(one)
    assert [row for row, *_ in warm["a.py"]] == found
    # What is found anew is kept in the place of what was.
    assert scan(one, cache=cache) == warm


def test_an_import_that_leads_elsewhere_now_is_seen(tmp_path: Path) -> None:
    """A helper that lay in a folder further up moves into one that comes first."""
    write(tmp_path, {**BESIDE, "setup.py": "", "apps/one/__init__.py": "", "apps/one/a.py": BESIDE["one/a.py"]})
    one, cache = tmp_path / "apps" / "one", tmp_path / ".cache"
    assert scan(one, cache=cache)["a.py"] == [(5, "HS103", "certain")]
    write(tmp_path, {"apps/helper/__init__.py": "", "apps/helper/b.py": BESIDE["helper/b.py"].replace("cuda", "cpu")})
    assert scan(one, cache=cache)["a.py"] == []
    shutil.rmtree(tmp_path / "apps" / "helper")
    assert scan(one, cache=cache)["a.py"] == [(5, "HS103", "certain")]
    # No longer the top of anything: what lies further up is not looked for.
    (tmp_path / "setup.py").unlink()
    (tmp_path / "pyproject.toml").unlink()
    assert scan(one, cache=cache) == scan(one) == {"__init__.py": [], "a.py": []}
