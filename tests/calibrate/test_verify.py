"""What `verify-rules` makes of the answers of a GPU: here those that are kept in the repository."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from hostsync.calibrate.verify import Block, Verified, blocks_to_run, gathered, verify_blocks
from hostsync.catalogue import load_only_rules
from hostsync.catalogue.evidence import (
    SILENT,
    WAITS,
    BlockEvidence,
    Count,
    Evidence,
    Measured,
    blocks_of,
    evidence_text,
    load_evidence,
    merge_evidence,
)
from hostsync.catalogue.model import Rule
from hostsync.cli.exits import CommandError
from hostsync.cli.verifying import chosen, lines, update_evidence

RULES = {rule.code: rule for rule in load_only_rules()}
KNOWN = load_evidence()
HERE = max(block.on for blocks in KNOWN.rules.values() for block in blocks)

REPLAY = """\
import json, sys
from pathlib import Path
from hostsync.calibrate.children import serve

answers = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))

def handle(item, skip, write):
    if not skip:
        block = json.loads(item)
        write(answers[block["code"] + " " + block["name"]])

serve(handle)
"""
"""A child that says what was recorded, in place of one that asks a GPU."""


def recorded() -> dict[str, dict[str, object]]:
    """What a GPU answered, by code and name of the block."""
    return {
        f"{code} {block.block}": {
            "torch": block.on.torch,
            "gpu": block.on.gpu,
            "lines": {str(row): list(count) for row, count in block.lines.items()},
        }
        for code, blocks in KNOWN.rules.items()
        for block in blocks
    }


def replay(folder: Path, rules: Iterable[Rule], answers: dict[str, dict[str, object]]) -> list[Verified]:
    (folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
    (folder / "replay.py").write_text(REPLAY, encoding="utf-8")
    command = (sys.executable, str(folder / "replay.py"), str(folder / "answers.json"))
    return verify_blocks(blocks_to_run(rules), HERE, jobs=2, command=command)


def undated(blocks: Iterable[BlockEvidence]) -> list[BlockEvidence]:
    return [block._replace(on=block.on._replace(date="")) for block in blocks]


def test_every_block_of_every_rule_that_waits_is_run() -> None:
    blocks = blocks_to_run(RULES.values())
    expected = {(code, name) for code, rule in RULES.items() if rule.events for name, _ in blocks_of(rule)}
    assert {(block.code, block.name) for block in blocks} == expected
    assert all("needs:" not in block.source for block in blocks[: len(blocks) // 2])


def test_what_a_gpu_said_becomes_the_evidence_again(tmp_path: Path) -> None:
    verified = replay(tmp_path, RULES.values(), recorded())
    assert [one.problems for one in verified if one.problems] == []
    assert {code: undated(blocks) for code, blocks in gathered(verified).rules.items()} == {
        code: undated(blocks) for code, blocks in KNOWN.rules.items()
    }
    (summary,) = lines(verified, RULES)
    assert summary.startswith(f"{len(verified)} blocks of {len(KNOWN.rules)} rules: all as their pages say (NVIDIA ")


@pytest.mark.parametrize(
    ("name", "row", "count", "verdict", "said"),
    [
        ("bad 0", "7", [3, 0, []], SILENT, "Bad block 0 (does not wait): row 7 is marked `# waits` and did not wait"),
        (
            "good 0",
            "7",
            [3, 2, ["cuStreamSynchronize"]],
            WAITS,
            "Good block 0 (waits): row 7 waited in cuStreamSynchronize in 2 of 3 executions and has no mark",
        ),
    ],
)
def test_a_disagreement_names_rule_block_and_what_was_seen(
    tmp_path: Path, name: str, row: str, count: list[object], verdict: str, said: str
) -> None:
    answers = recorded()
    answers[f"HS101 {name}"]["lines"][row] = count  # type: ignore[index]
    verified = replay(tmp_path, [RULES["HS101"]], answers)
    (wrong,) = (one for one in verified if one.problems)
    assert wrong.verdict == verdict
    printed = lines(verified, RULES)
    assert printed[0] == f"HS101 item-read-back: {said}"
    assert "1 not as the page says" in printed[-1]


def test_a_block_that_fails_is_a_disagreement(tmp_path: Path) -> None:
    answers = recorded()
    answers["HS101 bad 1"] = {"error": "row 3: NameError: name 'x' is not defined"}
    verified = replay(tmp_path, [RULES["HS101"]], answers)
    assert lines(verified, RULES)[0] == (
        "HS101 item-read-back: Bad block 1 (failed): failed: row 3: NameError: name 'x' is not defined"
    )
    answers["HS101 bad 1"] = {}
    assert "gave no answer" in lines(replay(tmp_path, [RULES["HS101"]], answers), RULES)[0]


def test_a_rule_without_evidence_and_a_block_that_was_changed_are_problems() -> None:
    rule = RULES["HS101"]
    assert KNOWN.problems(rule) == []
    assert Evidence({}).problems(rule) == [f"{name} was never run on a GPU" for name, _ in blocks_of(rule)]
    changed = rule._replace(bad=(rule.bad[0].replace("total", "sum_"), *rule.bad[1:]))
    assert KNOWN.problems(changed) == ["bad 0 was changed since it ran on a GPU"]
    remarked = rule._replace(good=(rule.good[0].splitlines()[0] + "\n" + rule.good[0], *rule.good[1:]))
    assert KNOWN.problems(remarked) == ["good 0 was changed since it ran on a GPU"]


def test_the_sentence_counts_what_holds() -> None:
    rule = RULES["HS101"]
    about = f"({KNOWN.rules['HS101'][0].on})"
    assert KNOWN.sentence(rule).endswith(f"2 of 2 Good blocks do not {about}")
    assert KNOWN.sentence(rule).startswith("2 of 2 Bad blocks wait")
    changed = rule._replace(bad=(rule.bad[0] + "# more\n", *rule.bad[1:]))
    assert KNOWN.sentence(changed).startswith("1 of 2 Bad blocks wait")
    assert "1 changed or added since" in KNOWN.sentence(changed)
    assert Evidence({}).sentence(rule) == ""
    assert "1 of 1 Bad blocks do as the page says" in KNOWN.sentence(RULES["HS407"])


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    other = Measured("2.12.0", "NVIDIA B200", "2099-12-01")
    blocks = tuple(
        block._replace(on=other, lines={7: Count(3, 3, ("cuStreamSynchronize",))}, error="é" * (block.block == "bad 1"))
        for block in KNOWN.rules["HS101"]
    )
    merged = merge_evidence(KNOWN, Evidence({"HS101": blocks}))
    path = tmp_path / "blocks.json"
    path.write_text(evidence_text(merged, RULES), encoding="utf-8")
    assert load_evidence(path) == merged
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["gpu"], data["date"]) == (other.gpu, other.date)
    kept, before = data["rules"]["HS102"], KNOWN.rules["HS102"]
    assert kept[0]["on"]["gpu"] == before[0].on.gpu and "on" not in data["rules"]["HS101"][0]
    blocks_of = RULES["HS102"]
    assert [entry["verdict"] for entry in kept] == [WAITS] * len(blocks_of.bad) + [SILENT] * len(blocks_of.good)
    assert data["rules"]["HS101"][1]["verdict"] == "failed"


def test_users_rules_have_their_evidence_beside_them(tmp_path: Path) -> None:
    rule = RULES["HS101"]._replace(code="ACME101", path=tmp_path / "ACME101-a.md")
    block = Block("ACME101", "bad 0", rule.bad[0])
    one = Verified(block, KNOWN.rules["HS101"][0])
    update_evidence([one], {"ACME101": rule})
    assert set(load_evidence(tmp_path / "evidence" / "blocks.json").rules) == {"ACME101"}
    update_evidence([Verified(block._replace(code="ACME102"), one.evidence)], {"ACME101": rule, "ACME102": rule})
    assert set(load_evidence(tmp_path / "evidence" / "blocks.json").rules) == {"ACME101", "ACME102"}


def test_rules_are_chosen_by_code_beginning_and_name() -> None:
    rules = tuple(RULES.values())
    assert [rule.code for rule in chosen(["hs101", "mask-indexing"], rules)] == ["HS101", "HS302"]
    assert [rule.code for rule in chosen(["HS1"], rules)] == [code for code in RULES if code.startswith("HS1")]
    assert len(chosen([], rules)) == len(rules)
    with pytest.raises(CommandError, match="did you mean"):
        chosen(["item-read"], rules)


class Rows:
    """Stands where the oracle stands, and only notes the order of what is executed."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def suite(self) -> None:
        self.seen.append("suite")

    def line(self, row: int, run):  # type: ignore[no-untyped-def]
        self.seen.append(f"line {row}")
        return run()

    def before(self, row: int) -> None:
        self.seen.append(f"before {row}")

    def after(self, row: int) -> None:
        self.seen.append(f"after {row}")


def test_the_oracle_stands_around_every_line() -> None:
    pytest.importorskip("torch")
    from hostsync.calibrate.blocks import instrumented

    rows = Rows()
    source = (
        "import math\ndef f(x):\n    return x + 1\ntotal = 0\nfor i in range(2):\n    if i:\n        total = f(i)\n"
    )
    names = {"__oracle__": rows}
    exec(compile(instrumented(source), "block", "exec"), names)
    assert names["total"] == 2  # type: ignore[comparison-overlap]
    first = ["suite", "before 4", "after 4", "line 5", "suite", "line 6"]
    assert rows.seen == [*first, "suite", "line 6", "suite", "before 7", "suite", "line 3", "after 7"]
