"""Holds the documentation to what the tool does: outputs, options, settings, keys, links.

    HOSTSYNC_RENEW_DOCS=1 pytest -n0 tests/test_docs.py -k outputs

writes the outputs of today into the console blocks of the pages.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from doc_blocks import PAGES, ROOT, agrees, blocks, commands, play, renew, run

from hostsync.cli.check import check_command
from hostsync.cli.entry import COMMANDS, group
from hostsync.findings import CONFIDENCES
from hostsync.infer import events
from hostsync.project.config import KEYS, parse_table
from hostsync.project.settings import Settings
from hostsync.report import format_names

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CONSOLE = [page for page in PAGES if blocks(page, "console")]
RENEW = "HOSTSYNC_RENEW_DOCS" in os.environ
CHECK_PAGE = ROOT / "docs" / "check.md"
CONFIGURATION = ROOT / "docs" / "reference" / "configuration.md"
OUTPUT = ROOT / "docs" / "reference" / "output.md"
EVENTS = ROOT / "docs" / "reference" / "events.md"


@pytest.mark.parametrize("page", CONSOLE, ids=lambda page: page.name)
def test_outputs_are_those_of_real_runs(page: Path, tmp_path: Path) -> None:
    if RENEW:
        renew(page, tmp_path)
        return
    wrong = [
        "\n".join([f"{block.name}: {shown.command} prints:", *printed])
        for block, ran in play(page, tmp_path)
        for shown, printed in ran
        if not agrees(shown.output, printed)
    ]
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        if not path.exists() or (anchor and anchor not in anchors(path)):
            dead.append(target)
    assert not dead


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, made as GitHub makes them."""
    headings = re.findall(r"^#+ +(.+?) *$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# --- commands and options ------------------------------------------------------------------------


def options_of(command: click.Command) -> set[str]:
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    return {option for option in known if option.startswith("-")} | {"--help", "-h"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_use_options_that_exist(page: Path) -> None:
    context = click.Context(group)
    wrong = []
    lines = [shown.command for block in blocks(page, "console") for shown in commands(block)]
    lines += [line for block in blocks(page, "sh", "yaml") for line in block.text.splitlines()]
    lines += re.findall(r"`(hostsync [^`\n]+)`", page.read_text(encoding="utf-8"))
    for line in lines:
        used = re.search(r"\bhostsync (?P<command>[a-z][a-z-]+)(?P<rest>.*)", line)
        if used is None:
            continue
        if used["command"] not in COMMANDS:
            wrong.append(line)
            continue
        known = options_of(group.get_command(context, used["command"]))
        # What follows `--` is the program's.
        own = used["rest"].partition(" -- ")[0]
        wrong += [line for option in re.findall(r"(?<=\s)--?[a-z][a-z-]*", own) if option not in known]
    assert not wrong


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert not [name for name in COMMANDS if f"`hostsync {name}`" not in text]


def test_the_guide_of_check_speaks_of_every_option() -> None:
    text = CHECK_PAGE.read_text(encoding="utf-8")
    missing = [
        parameter.opts
        for parameter in check_command.params
        if isinstance(parameter, click.Option) and not any(f"`{option}" in text for option in parameter.opts)
    ]
    assert not missing


# --- configuration -------------------------------------------------------------------------------


def sections(page: Path) -> dict[str, str]:
    """The text below each heading of the third level whose title is code."""
    parts = re.split(r"^#+ +(.+?) *$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {title.strip("`"): text for title, text in zip(parts[1::2], parts[2::2], strict=True) if title[0] == "`"}


def test_the_reference_has_every_key_and_no_other() -> None:
    assert sorted(sections(CONFIGURATION)) == sorted(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_the_reference_gives_the_default(key: str) -> None:
    text = sections(CONFIGURATION)[key]
    stated = re.search(r"^Default: (.+)$", text, re.MULTILINE)
    assert stated is not None
    value = Settings(Path())._asdict()[key.replace("-", "_")]
    if value is None:
        assert stated[1].startswith("not set")
    elif key == "exclude":
        assert set(re.findall(r"`([^`]+)`", text.partition("Default:")[2].partition("\n\n")[0])) == set(value)
    elif key == "per-file-ignores":
        assert stated[1] == "`{}`" and not value
    else:
        assert stated[1].partition(" (")[0].strip("`") == json.dumps(value)


@pytest.mark.parametrize(
    "block",
    [block for page in PAGES for block in blocks(page, "toml") if "hostsync" in block.text],
    ids=lambda b: b.name,
)
def test_configurations_in_pages_can_be_used(block) -> None:
    table = tomllib.loads(block.text)
    parse_table(table["tool"]["hostsync"] if "tool" in table else table, block.page)


@pytest.mark.parametrize("key", KEYS)
def test_each_key_has_an_example(key: str) -> None:
    assert key in json.dumps([tomllib.loads(block.text) for block in blocks(CONFIGURATION, "toml")])


# --- output --------------------------------------------------------------------------------------


def rows_of_table(page: Path, heading: str) -> list[str]:
    """The code in the first cells of the table below a heading."""
    text = page.read_text(encoding="utf-8").partition(f"# {heading}\n")[2]
    return re.findall(r"^\| `([^`]+)`", re.split(r"^#", text, maxsplit=1, flags=re.MULTILINE)[0], re.MULTILINE)


def test_keys_of_json(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("import torch\nx = (\n", encoding="utf-8")
    (tmp_path / "waits.py").write_text('import torch\ntorch.rand(1, device="cuda").item()\n', encoding="utf-8")
    code, lines = run("hostsync check . --output-format json --quiet", tmp_path)
    assert code == 1
    for entry in json.loads("\n".join(lines)):
        assert rows_of_table(OUTPUT, "JSON") == list(entry)


def test_kinds_of_diagnostics() -> None:
    source = (ROOT / "src" / "hostsync" / "findings.py").read_text(encoding="utf-8")
    kinds = re.search(r'"""One of: ([a-z, -]+)\."""', source.partition("class Diagnostic")[2])
    assert kinds is not None
    assert rows_of_table(OUTPUT, "Diagnostics") == kinds[1].split(", ")


def test_formats_and_confidences() -> None:
    assert sorted(rows_of_table(OUTPUT, "Formats")) == sorted(format_names())
    assert rows_of_table(OUTPUT, "Confidence") == list(CONFIDENCES)


def test_exit_codes(tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("import torch\n", encoding="utf-8")
    (tmp_path / "waits.py").write_text('import torch\ntorch.rand(1, device="cuda").item()\n', encoding="utf-8")
    codes = [
        run("hostsync check clean.py", tmp_path)[0],
        run("hostsync check waits.py", tmp_path)[0],
        run("hostsync check missing.py", tmp_path)[0],
    ]
    assert rows_of_table(OUTPUT, "Exit codes") == [*map(str, codes), "130"]


def test_the_page_of_events_has_every_kind() -> None:
    assert rows_of_table(EVENTS, "Kinds") == list(events.KINDS)


# --- set-up --------------------------------------------------------------------------------------


def test_pages_name_only_ways_in_that_exist() -> None:
    """`python -m …` of the pages can be asked for help, but for what needs torch."""
    found = {
        name for page in PAGES for name in re.findall(r"python3? -m (tests\.\w+)", page.read_text(encoding="utf-8"))
    }
    for name in found:
        done = subprocess.run([sys.executable, "-m", name, "--help"], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == 0, name
