"""Which files are found below given paths."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from hostsync.project.config import Resolver
from hostsync.project.discovery import discover, module_name
from hostsync.project.settings import Overrides


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tree(*names: str, **contents: str) -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(contents.get(name, ""))


def found(*paths: str, **overrides: object) -> list[str]:
    resolver = Resolver(Overrides(**overrides))  # type: ignore[arg-type]
    files = discover([Path(p) for p in paths or (".",)], resolver.settings).files
    return [Path(file.filename).as_posix() for file in files]


def test_takes_python_and_notebooks_in_order() -> None:
    tree("b.py", "a/z.py", "a/n.ipynb", "a/stub.pyi", "a/data.txt", "c.PYC")
    assert found() == ["a/n.ipynb", "a/z.py", "b.py"]


def test_leaves_the_usual_folders_out() -> None:
    tree("m.py", ".venv/x.py", "node_modules/x.py", "a/build/x.py", "a/__pycache__/x.py", "lib/site-packages/x.py")
    assert found() == ["m.py"]


def test_a_given_path_inside_an_excluded_folder_is_scanned() -> None:
    tree(".venv/lib/site-packages/timm/a.py", ".venv/lib/site-packages/timm/build/b.py", ".venv/.gitignore")
    Path(".venv/.gitignore").write_text("*\n")
    assert found(".venv/lib/site-packages/timm") == [".venv/lib/site-packages/timm/a.py"]
    assert found(".venv/lib/site-packages/timm/build/b.py") == [".venv/lib/site-packages/timm/build/b.py"]


def test_force_exclude_holds_for_given_paths() -> None:
    tree("build/x.py", "gen/y.py", "ok.py", "ignored.py")
    Path(".gitignore").write_text("ignored.py\n")
    given = ["build/x.py", "gen/y.py", "ok.py", "build", "ignored.py"]
    assert found(*given, force_exclude=True, extend_exclude=("gen",)) == ["ok.py"]
    assert found(*given, extend_exclude=("gen",)) == ["build/x.py", "gen/y.py", "ignored.py", "ok.py"]


def test_exclude_replaces_and_extend_exclude_adds() -> None:
    tree("build/x.py", "gen/y.py", "a/pb2.py")
    assert found(exclude=("gen",)) == ["a/pb2.py", "build/x.py"]
    assert found(extend_exclude=("gen",)) == ["a/pb2.py"]
    assert found(extend_exclude=("*pb2.py",)) == ["gen/y.py"]
    assert found(extend_exclude=("a/pb2.py",)) == ["gen/y.py"]


def test_exclude_patterns_are_relative_to_the_configuration() -> None:
    tree("sub/a/x.py", "sub/b/x.py", "a/x.py")
    Path("sub/hostsync.toml").write_text('extend-exclude = ["/a/"]')
    assert found() == ["a/x.py", "sub/b/x.py"]


def test_gitignore_nested_with_negation() -> None:
    tree("a.py", "gen/x.py", "gen/keep.py", "sub/gen/x.py", "sub/deep/a.py", "sub/deep/b.py")
    Path(".gitignore").write_text("gen/*\n!gen/keep.py\n# comment\n\nb.py\n")
    Path("sub/deep/.gitignore").write_text("a.py\n!b.py\n")
    assert found() == ["a.py", "gen/keep.py", "sub/deep/b.py", "sub/gen/x.py"]
    assert len(found(respect_gitignore=False)) == 6


def test_a_file_below_an_ignored_folder_stays_out() -> None:
    tree("out/keep.py", "a.py")
    Path(".gitignore").write_text("out/\n!out/keep.py\n")
    assert found() == ["a.py"]


def test_gitignore_of_folders_above_up_to_the_repository() -> None:
    tree("repo/pkg/a.py", "repo/pkg/b.py", "repo/pkg/c.py")
    Path("repo/.git/info").mkdir(parents=True)
    Path("repo/.git/info/exclude").write_text("c.py\n")
    Path("repo/.gitignore").write_text("/pkg/b.py\n")
    Path(".gitignore").write_text("a.py\n")  # outside of the repository: does not hold in it
    assert found("repo/pkg") == ["repo/pkg/a.py"]


def test_an_ignore_file_with_nonsense_is_used_as_far_as_it_goes() -> None:
    tree("a.py", "b.py")
    Path(".gitignore").write_bytes(b"\xff\xfe!\n!\n///\n[\nb.py\n")
    assert found() == ["a.py"]


def test_each_file_once_whatever_paths_overlap() -> None:
    tree("a/x.py", "y.py")
    assert found(".", "a", "a/x.py", "./a/../y.py") == ["a/x.py", "y.py"]


def test_symlink_loops_end(in_tmp: Path) -> None:
    tree("a/x.py")
    try:
        Path("a/loop").symlink_to(in_tmp / "a", target_is_directory=True)
        Path("a/self.py").symlink_to("self.py")
        Path("a/gone.py").symlink_to("nowhere.py")
        Path("a/link.py").symlink_to("x.py")
    except OSError:
        pytest.skip("no symbolic links here")
    assert found() == ["a/link.py", "a/x.py"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a folder that can't be read")
def test_an_unreadable_folder_is_told_and_the_rest_found() -> None:
    tree("a/x.py", "b/y.py")
    Path("a").chmod(0)
    try:
        result = discover([Path()], Resolver(Overrides()).settings)
    finally:
        Path("a").chmod(0o755)
    assert [file.filename for file in result.files] == [str(Path("b", "y.py"))]
    assert [entry.filename for entry in result.unreadable] == ["a"]


def test_module_names_follow_packages(in_tmp: Path) -> None:
    tree("src/pkg/__init__.py", "src/pkg/sub/__init__.py", "src/pkg/sub/m.py", "src/pkg/data/x.py", "top.py")
    names = {file: module_name(in_tmp / file) for file in ("src/pkg/sub/m.py", "src/pkg/data/x.py", "top.py")}
    assert names == {"src/pkg/sub/m.py": "pkg.sub.m", "src/pkg/data/x.py": "x", "top.py": "top"}
    assert module_name(in_tmp / "src/pkg/__init__.py") == "pkg.__init__"
