"""`hostsync verify-rules` on a GPU: the shipped rules, and rules of a user that are wrong. Run with `-m gpu`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

RULE = """+++
code = "{code}"
name = "{name}"
summary = "A rule of a test"
message = "the host waits"
help = "do not"
since = "0.1.0"
hot = "always"
fix = "none"

[[events]]
kind = "call"
ops = ["acme.{name}"]
+++

## Why it waits

It does.

## What to do

Nothing.

## Bad

```python
{bad}
```

## Good

```python
{good}
```
"""
START = "import torch\n\nx = torch.rand(1000, device='cuda')\n"
WAITS = START + "y = x.sum().item()"
SILENT = START + "y = x.sum()"
ASSERTS = START + "y = x[torch.full((3,), 5000, device='cuda')].sum()"


def rule(folder: Path, code: str, bad: str, good: str) -> None:
    folder.mkdir(exist_ok=True)
    name = code.lower()
    text = RULE.format(code=code, name=name, bad=bad, good=good)
    (folder / f"{code}-{name}.md").write_text(text, encoding="utf-8")


def verify(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hostsync", "verify-rules", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=900)


def test_every_shipped_block_does_what_its_page_says(tmp_path: Path) -> None:
    done = verify("--output", str(tmp_path / "blocks.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    rules = json.loads((tmp_path / "blocks.json").read_text(encoding="utf-8"))["rules"]
    waited = [
        line for blocks in rules.values() for block in blocks for line in block["lines"].values() if line["waited"]
    ]
    with_call = [line for line in waited if line.get("through")]
    assert len(with_call) > 0.9 * len(waited)


def test_rules_of_a_user_that_are_right_wrong_or_break(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    rule(folder, "ACME101", WAITS + "  # waits", SILENT)
    rule(folder, "ACME102", SILENT + "  # waits", WAITS)
    rule(folder, "ACME103", WAITS + "  # waits", ASSERTS)
    done = verify("ACME", "--rules", str(folder), "--update", "--jobs", "1")
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == ("ACME102 acme102: Bad block 0 (does not wait): row 4 is marked `# waits` and did not wait"), (
        done.stdout
    )
    assert lines[1].startswith("ACME102 acme102: Good block 0 (waits): row 4 waited in cu")
    assert lines[2].startswith("ACME103 acme103: Good block 0 (failed): failed: ")
    assert lines[3].startswith("6 blocks of 3 rules: 3 not as the page says (")
    evidence = json.loads((folder / "evidence" / "blocks.json").read_text(encoding="utf-8"))
    verdicts = {code: [block["verdict"] for block in blocks] for code, blocks in evidence["rules"].items()}
    assert verdicts == {
        "ACME101": ["waits", "does not wait"],
        "ACME102": ["does not wait", "waits"],
        "ACME103": ["waits", "failed"],
    }
