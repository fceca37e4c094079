"""One source: the screen, notebooks, failures of the tool itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hostsync.infer
from hostsync.lint.check import Plan, check_source, matters

WAITS = b"import torch\n\ndef f(x):\n    return x.cuda().item()\n"


def test_a_source_gives_findings_without_a_file_name() -> None:
    checked = check_source(WAITS, "m", Plan())
    assert ["", 4] in [[finding.filename, finding.location.row] for finding in checked.findings]
    assert checked.diagnostics == ()


def test_sources_without_tensors_are_not_parsed() -> None:
    assert not matters(b"import json\n", Plan())
    assert check_source(b"import json\nthis is no python", "m", Plan()).diagnostics == ()


def write_rule(folder: Path, op: str, fields: str) -> None:
    """A rule of a user's own, XY100, about one operation."""
    (folder / "XY100-blocks.md").write_text(
        '+++\ncode = "XY100"\nname = "blocks"\nsummary = "s"\nmessage = "m"\nhelp = "h"\nsince = "0.1"\n'
        f'hot = "always"\nfix = "none"\n[[events]]\nkind = "call"\nops = ["{op}"]\n[ops]\n'
        f'"{op}" = {{ {fields} }}\n+++\n\n# page\n'
    )


def test_the_screen_knows_packages_of_own_rules(tmp_path: Path) -> None:
    write_rule(tmp_path, "gpulib.block", 'params = "x", returns = "python", waits = "always"')
    source = b"import gpulib\ngpulib.block(1)\n"
    assert not matters(source, Plan())
    assert matters(source, Plan(extend_rules=(tmp_path,)))


def test_own_rules_know_methods_by_their_names(tmp_path: Path) -> None:
    write_rule(
        tmp_path, "gpulib.Queue.drain", 'params = "all=True", returns = "object", waits = "all missing", by_name = true'
    )
    source = b"import torch\n\ndef f(queue):\n    queue.drain()\n    queue.drain(False)\n    queue.drained()\n"
    found = check_source(source, "m", Plan(extend_rules=(tmp_path,))).findings
    assert [(finding.code, finding.location.row) for finding in found] == [("XY100", 4)]
    assert check_source(source, "m", Plan()).findings == ()
    own = b"class Queue:\n    def drain(self):\n        return 1\n\nqueue = Queue()\nqueue.drain()\n"
    assert check_source(b"import torch\n" + own, "m", Plan(extend_rules=(tmp_path,))).findings == ()


def test_a_notebook_has_cells() -> None:
    cells = [{"cell_type": "code", "source": "import torch"}, {"cell_type": "code", "source": WAITS.decode()}]
    source = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()
    checked = check_source(source, "m", Plan(), suffix=".ipynb")
    assert [cell.number for cell in checked.cells] == [1, 2]
    assert checked.findings


def test_calls_in_deep_expressions_through_many_classes_do_not_end_the_scan() -> None:
    # Following these nests deeper than Python's recursion limit allows.
    source = ["import torch"]
    for number in range(60):
        inner = f"C{number + 1}()(x)" if number < 59 else "x.item()"
        source += [
            f"class C{number}(torch.nn.Module):",
            "    def forward(self, x):",
            f"        return {'torch.abs(' * 60}{inner}{')' * 60}",
        ]
    checked = check_source("\n".join(source).encode(), "m", Plan())
    assert checked.diagnostics == ()
    assert [finding.location.row for finding in checked.findings] == [len(source)]


def test_a_failure_of_the_tool_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("what\nnow")

    monkeypatch.setattr(hostsync.infer, "study", fail)
    (diagnostic,) = check_source(WAITS, "m", Plan()).diagnostics
    assert diagnostic.kind == "internal-error"
    assert diagnostic.message.startswith("KeyError: ")
    assert "\n" not in diagnostic.message
    assert "lint/check.py" in diagnostic.message
