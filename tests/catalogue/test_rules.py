"""Loading rule files, and which rule takes which event."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostsync.catalogue import CatalogueError, RuleIndex, load, load_only_rules
from hostsync.catalogue.rules import KINDS, load_rules, parse_rule, patterns_meet
from hostsync.infer import events

FRONT = """+++
code = "ACME101"
name = "acme-call"
summary = "A call of acme"
message = "the host waits for {op} of {subject}"
help = "don't"
since = "0.1.0"
hot = "always"
fix = "none"

[[events]]
kind = "call"
ops = ["acme.wait"]
+++

## Why it waits

It does.
"""
PATH = Path("ACME101-acme-call.md")

EXPECTED = {
    "HS101": [("read-back", "Tensor.item", ""), ("read-back", "Tensor.tolist", "")],
    "HS102": [
        ("read-back", "Tensor.cpu", ""),
        ("read-back", "Tensor.to", "to-host"),
        ("read-back", "Tensor.type", "to-host"),
        ("read-back", "Tensor.numpy", ""),
        ("read-back", "numpy.asarray", ""),
        ("read-back", "numpy.linalg.norm", ""),
    ],
    "HS103": [
        ("read-back", "builtins.int", ""),
        ("read-back", "builtins.float", ""),
        ("read-back", "builtins.bool", ""),
        ("read-back", "builtins.complex", ""),
        ("read-back", "builtins.round", ""),
        ("read-back", "math.sqrt", ""),
        ("read-back", "time.sleep", ""),
    ],
    "HS104": [
        ("read-back", "builtins.range", ""),
        ("read-back", "operator.index", "slice-bound"),
        ("read-back", "operator.index", "repeat"),
        ("read-back", "operator.index", "subscript"),
        ("read-back", "torch.zeros", "size-argument"),
        ("read-back", "Tensor.view", "size-argument"),
        ("read-back", "numpy.zeros", "size-argument"),
    ],
    "HS105": [
        ("read-back", "builtins.print", ""),
        ("read-back", "builtins.str", ""),
        ("read-back", "builtins.repr", ""),
        ("read-back", "builtins.format", ""),
        ("read-back", "f-string", ""),
        ("read-back", "operator.mod", ""),
        ("read-back", "str.format", ""),
        ("read-back", "logging.info", ""),
        ("read-back", "logging.Logger.warning", ""),
        ("read-back", "warnings.warn", ""),
        ("read-back", "tqdm.set_postfix", ""),
        ("read-back", "tensorboard.add_scalar", ""),
    ],
    "HS106": [
        ("read-back", "builtins.max", ""),
        ("read-back", "builtins.min", ""),
        ("read-back", "builtins.sorted", ""),
        ("read-back", "builtins.any", ""),
        ("read-back", "builtins.all", ""),
        ("read-back", "operator.contains", ""),
    ],
    "HS107": [
        ("read-back", f"{owner}.{name}", "")
        for owner in ("torch", "Tensor")
        for name in ("equal", "allclose", "is_nonzero")
    ],
    "HS201": [("control-flow", op, "") for op in ("if", "ternary", "comprehension-if", "match-guard")],
    "HS202": [("control-flow", "while", "")],
    "HS203": [("control-flow", "assert", "")],
    "HS204": [("control-flow", op, "") for op in ("and", "or", "not", "compare-chain")],
    "HS301": [
        ("shape", "torch.nonzero", ""),
        ("shape", "Tensor.nonzero", ""),
        ("shape", "torch.argwhere", ""),
        ("shape", "Tensor.argwhere", ""),
        ("shape", "torch.where", "one-argument"),
        ("shape", "Tensor.where", "one-argument"),
    ],
    "HS302": [
        ("shape", "subscript", "mask-load"),
        ("shape", "torch.masked_select", ""),
        ("shape", "Tensor.masked_select", ""),
    ],
    "HS303": [("shape", "subscript", "mask-store"), ("call", "Tensor.masked_fill_", "")],
    "HS304": [
        ("shape", f"{owner}.{name}", "") for owner in ("torch", "Tensor") for name in ("unique", "unique_consecutive")
    ],
    "HS305": [
        (kind, f"{owner}.{name}", "")
        for kind in ("shape", "call")
        for owner in ("torch", "Tensor")
        for name in ("bincount", "histc", "mode")
    ],
    "HS306": [("shape", "torch.repeat_interleave", ""), ("shape", "Tensor.repeat_interleave", "")],
    "HS307": [("shape", "torch.nn.functional.one_hot", "")],
    "HS308": [("shape", "subscript", "scalar-tensor")],
    "HS309": [("shape", "torch.combinations", ""), ("shape", "Tensor.to_sparse", "")],
    "HS310": [("call", "torchvision.ops.nms", ""), ("call", "torch.ops.torchvision.nms", "")],
    "HS401": [
        ("copy", "Tensor.to", "pageable"),
        ("copy", "Tensor.cuda", "pageable"),
        ("copy", "Tensor.copy_", "pageable"),
    ],
    "HS402": [("copy", "Tensor.to", "pinned-blocking"), ("copy", "Tensor.cuda", "pinned-blocking")],
    "HS403": [("copy", "Tensor.to", "pageable-non-blocking"), ("copy", "Tensor.copy_", "pageable-non-blocking")],
    "HS404": [
        ("copy", "torch.tensor", "python-data"),
        ("copy", "torch.as_tensor", "python-data"),
        ("copy", "torch.asarray", "python-data"),
        ("copy", "Tensor.new_tensor", "python-data"),
        ("copy", "torch.cuda.FloatTensor", "python-data"),
    ],
    "HS405": [("index", "subscript", form) for form in ("list-index", "numpy-index", "cpu-index")],
    "HS406": [("index", "subscript", "scalar-store")],
    "HS407": [("copy", "Tensor.pin_memory", "inline")],
    "HS408": [("copy", "torch.utils.data.DataLoader", "unpinned-loader")],
    "HS501": [("synchronize", "torch.cuda.synchronize", ""), ("synchronize", "torch.accelerator.synchronize", "")],
    "HS502": [
        ("synchronize", "torch.cuda.Stream.synchronize", ""),
        ("synchronize", "torch.cuda.Event.synchronize", ""),
        ("synchronize", "torch.Event.synchronize", ""),
    ],
    "HS503": [("synchronize", "torch.cuda.empty_cache", ""), ("synchronize", "torch.xpu.empty_cache", "")],
    "HS504": [("synchronize", "torch.distributed.barrier", "")],
    "HS505": [
        ("synchronize", f"torch.distributed.{name}", "")
        for name in (
            "all_gather_object",
            "broadcast_object_list",
            "gather_object",
            "scatter_object_list",
            "send_object_list",
            "recv_object_list",
        )
    ],
    "HS601": [
        ("call", "torch.linalg.inv", ""),
        ("call", "torch.inverse", ""),
        ("call", "torch.cholesky", ""),
        ("call", "Tensor.inverse", ""),
    ],
    "HS602": [
        ("call", "torch.distributions.Normal", ""),
        ("call", "torch.distributions.multivariate_normal.MultivariateNormal", ""),
    ],
    "HS603": [("call", "torch.amp.GradScaler.step", ""), ("call", "torch.cuda.amp.GradScaler.step", "")],
    "HS604": [("call", "torch.nn.utils.clip_grad_norm_", "")],
    "HS605": [("call", "torch.cov", ""), ("call", "torch.normal", "")],
    "HS606": [("call", "project", "")],
    "HS901": [],
    "HS902": [],
}
"""The events of docs/reference/events.md, by the rule that has to take them."""


def test_every_event_has_the_rule_that_it_should_have() -> None:
    rules = load_only_rules()
    index = RuleIndex(rules)
    assert [rule.code for rule in rules] == list(EXPECTED)
    for code, triples in EXPECTED.items():
        for triple in triples:
            rule = index.match(*triple)
            assert rule is not None and rule.code == code, triple


def test_every_kind_of_event_has_a_rule_for_what_no_other_takes() -> None:
    index = RuleIndex(load_only_rules())
    for kind in KINDS:
        assert index.match(kind, "some.operation", "some-form") is not None
    assert index.match("no-such-kind", "torch.nonzero", "") is None


def test_kinds_are_those_of_inference() -> None:
    assert set(KINDS) == set(events.KINDS)


def test_the_shipped_catalogue_loads() -> None:
    catalogue = load()
    assert len(catalogue.rules) == len(EXPECTED)
    assert catalogue.rules[0].family == "HS1"
    assert [rule.code for rule in catalogue.rules if rule.hot_only] == [
        "HS407", "HS501", "HS502", "HS503", "HS504", "HS505",
    ]  # fmt: skip


# --- the most specific match ---------------------------------------------------------------------


def rules_with(tmp_path: Path, *tables: str) -> RuleIndex:
    """An index of one rule for each text of `[[events]]` tables, with the codes ACME1, ACME2 …"""
    head = FRONT.partition("[[events]]")[0]
    for number, table in enumerate(tables, start=101):
        front = head.replace("ACME101", f"ACME{number}").replace("acme-call", f"acme-{number}")
        (tmp_path / f"ACME{number}-acme-{number}.md").write_text(f"{front}{table}\n+++\n", encoding="utf-8")
    return RuleIndex(file.rule for file in load_rules([tmp_path]))


def events_table(kind: str, ops: list[str] | None = None, forms: list[str] | None = None) -> str:
    lines = ["[[events]]", f'kind = "{kind}"']
    lines += [f"ops = {ops}"] if ops is not None else []
    lines += [f"forms = {forms}"] if forms is not None else []
    return "\n".join(lines)


def test_the_most_specific_match_wins(tmp_path: Path) -> None:
    index = rules_with(
        tmp_path,
        events_table("call"),
        events_table("call", ["torch.*"]),
        events_table("call", ["torch.linalg.*"]),
        events_table("call", ["torch.linalg.inv"]),
        events_table("call", ["torch.linalg.inv"], ["checked"]),
        events_table("call", forms=["checked"]),
    )

    def code(op: str, form: str = "") -> str:
        rule = index.match("call", op, form)
        return rule.code if rule else ""

    assert code("acme.wait") == "ACME101"
    assert code("torch.cov") == "ACME102"
    assert code("torch.linalg.eig") == "ACME103"
    assert code("torch.linalg.inv") == "ACME104"
    assert code("torch.linalg.inv", "checked") == "ACME105"
    assert code("acme.wait", "checked") == "ACME106"
    assert code("torch.cov", "checked") == "ACME102"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (events_table("call"), events_table("call")),
        (events_table("call", ["acme.wait"]), events_table("call", ["acme.run", "acme.wait"])),
        (events_table("call", ["acme.*"]), events_table("call", ["*.wait"])),
        (events_table("copy", forms=["a", "b"]), events_table("copy", forms=["b"])),
    ],
)
def test_two_rules_for_one_event_are_rejected(tmp_path: Path, first: str, second: str) -> None:
    with pytest.raises(CatalogueError, match=r"ACME102-acme-102\.md: takes the same .* as .*ACME101-acme-101\.md"):
        rules_with(tmp_path, first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (events_table("call", ["acme.*"]), events_table("call", ["other.*"])),
        (events_table("copy", forms=["a"]), events_table("copy", forms=["b"])),
        (events_table("call"), events_table("copy")),
        (events_table("call", ["acme.wait"]), events_table("call", ["acme.w*"])),
    ],
)
def test_rules_that_share_no_event_are_accepted(tmp_path: Path, first: str, second: str) -> None:
    rules_with(tmp_path, first, second)


PIECES = st.text("ab*?", max_size=6)


@given(PIECES, PIECES, st.text("ab", max_size=6))
def test_patterns_that_match_one_text_meet(first: str, second: str, text: str) -> None:
    assert patterns_meet(first, second) == patterns_meet(second, first)
    if fnmatchcase(text, first) and fnmatchcase(text, second):
        assert patterns_meet(first, second)


@given(PIECES, st.text("ab", max_size=6))
def test_a_pattern_meets_a_text_if_it_matches_it(pattern: str, text: str) -> None:
    assert patterns_meet(pattern, text) == fnmatchcase(text, pattern)


# --- mistakes in a rule file ---------------------------------------------------------------------


def test_a_rule_is_read() -> None:
    rule = parse_rule(FRONT, PATH).rule
    assert (rule.code, rule.name, rule.hot_only, rule.fix) == ("ACME101", "acme-call", False, "none")
    assert rule.events[0].ops == ("acme.wait",)
    assert rule.page == "## Why it waits\n\nIt does.\n"
    assert rule.helps == () and rule.help_for("acme.wait") == "don't"


def test_a_rule_may_have_another_help_for_some_operations() -> None:
    first, second = '[[helps]]\nops = ["acme.w*"]\nhelp = "wait less"', '[[helps]]\nops = ["acme.*"]\nhelp = "ask less"'
    rule = parse_rule(FRONT.replace("+++\n\n##", f"{first}\n{second}\n+++\n\n##"), PATH).rule
    helps = [rule.help_for(op) for op in ("acme.wait", "acme.ask", "other.wait")]
    assert helps == ["wait less", "ask less", "don't"]


def test_the_help_fits_the_operation() -> None:
    rules = {rule.code: rule for rule in load_only_rules()}
    assert "torch.sqrt" in rules["HS103"].help_for("math.sqrt")
    assert "torch.sqrt" not in rules["HS103"].help_for("builtins.float")
    assert rules["HS605"].help_for("torch.save").startswith("save less often")
    assert rules["HS605"].help_for("torch.cov") == rules["HS605"].help


@pytest.mark.parametrize(
    ("old", "new", "row", "message"),
    [
        ("+++\ncode", "code", 1, "starts with a line"),
        ("\n+++\n\n##", "\n\n##", 17, "no closing"),
        ('summary = "A', "summary = A", 4, "Invalid value"),
        ('fix = "none"', 'fix = "none"\ncolour = "red"', 10, "unknown key `colour`"),
        ('kind = "call"', 'kind = "call"\nop = "acme.wait"', 13, "unknown key `op`"),
        ('kind = "call"', 'kind = "wait"', 12, "kind is one of read-back"),
        ('ops = ["acme.wait"]', 'ops = "acme.wait"', 13, "list of strings"),
        ('ops = ["acme.wait"]', 'ops = ["acme.[ab]"]', 13, "may use"),
        ('hot = "always"', 'hot = "sometimes"', 8, "always or hot-only"),
        ('fix = "none"', 'fix = "maybe"', 9, "none or unsafe or safe"),
        ('code = "ACME101"', 'code = "101"', 2, "is no code"),
        ('code = "ACME101"', 'code = "ACME102"', 2, "has to be named ACME102-acme-call.md"),
        ('name = "acme-call"', 'name = "Acme call"', 3, "is no name"),
        ('since = "0.1.0"', "since = 1", 7, "one line of text"),
        ('since = "0.1.0"\n', "", 1, "lacks `since`"),
        ("{subject}", "{thing}", 5, "unknown field {thing}"),
        ("+++\n\n##", '[ops]\n"acme.wait" = { colour = "red" }\n+++\n\n##', 15, "acme.wait"),
        ("+++\n\n##", '[ops."acme.wait"]\nreturns = "nonsense"\n+++\n\n##', 14, "acme.wait"),
        ("+++\n\n##", "[ops]\nacme = 1\n+++\n\n##", 14, "table of tables"),
        ("+++\n\n##", '[[helps]]\nops = ["a"]\n+++\n\n##', 14, "`help` is one line of text"),
        ("+++\n\n##", '[[helps]]\nhelp = "x"\nop = "a"\n+++\n\n##', 16, "unknown key `op`; a help has ops, help"),
        ("+++\n\n##", '[[helps]]\nhelp = "x"\nops = "a"\n+++\n\n##', 16, "list of strings"),
        ("+++\n\n##", '[[helps]]\nhelp = "x"\n+++\n\n##', 14, "ops names no operation"),
        ('fix = "none"', 'fix = "none"\nhelps = 1', 10, "helps are tables"),
    ],
)
def test_a_mistake_is_reported_with_file_and_line(old: str, new: str, row: int, message: str) -> None:
    assert old in FRONT
    with pytest.raises(CatalogueError) as caught:
        parse_rule(FRONT.replace(old, new, 1), PATH)
    assert caught.value.row == row, str(caught.value)
    assert str(caught.value).startswith(f"{PATH}:{row}: ")
    assert message in str(caught.value)


def test_the_second_of_two_tables_is_named() -> None:
    text = FRONT.replace("+++\n\n##", '[[events]]\nkind = "copy"\nformes = []\n+++\n\n##')
    with pytest.raises(CatalogueError, match=r":16: unknown key `formes`"):
        parse_rule(text, PATH)


@pytest.mark.parametrize(("old", "taken"), [("ACME101", "acme-call"), ("acme-call", "ACME101")])
def test_code_and_name_are_unique(tmp_path: Path, old: str, taken: str) -> None:
    other = FRONT.replace(old, "ACME999" if old.isupper() else "other-call")
    code, name = ("ACME999", "acme-call") if old.isupper() else ("ACME101", "other-call")
    (tmp_path / PATH).write_text(FRONT, encoding="utf-8")
    (tmp_path / f"{code}-{name}.md").write_text(other, encoding="utf-8")
    with pytest.raises(CatalogueError, match=f"{taken} is taken by"):
        load_rules([tmp_path])


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="can't read this directory"):
        load_rules([tmp_path / "missing"])


def test_a_rule_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / PATH).write_bytes(b"\xff\xfe")
    with pytest.raises(CatalogueError, match="can't read this rule"):
        load_rules([tmp_path])


def test_a_readme_is_no_rule(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Our rules\n", encoding="utf-8")
    assert load_rules([tmp_path]) == ()


def test_operations_that_a_rule_brings_along(tmp_path: Path) -> None:
    ops = '[ops]\n"acme.wait" = { params = "x", returns = "tensor", waits = "always" }\n+++\n\n##'
    (tmp_path / PATH).write_text(FRONT.replace("+++\n\n##", ops), encoding="utf-8")
    catalogue = load([tmp_path])
    assert catalogue.ops["acme.wait"].waits
    assert "acme.wait" in set(catalogue.ops)
    assert catalogue.rules[0].code == "ACME101"
