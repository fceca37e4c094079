"""The pages of the reference that are made of the code: commands, API, rules. They say what the code says, or fail.

    HOSTSYNC_RENEW_DOCS=1 pytest -n0 tests/test_reference.py

writes them anew.
"""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

import hostsync
from hostsync.catalogue import load_only_rules
from hostsync.cli.entry import group

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
NOTE = "This page is made of the code by `tests/test_reference.py`."


def cli() -> Iterator[str]:
    """What every command does, its arguments and options. Not click's own text, which differs between its releases."""
    context = click.Context(group)
    yield "# Commands\n"
    yield f"What `--help` says. {NOTE}\n"
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        arguments = [p.metavar or p.name or "" for p in command.params if isinstance(p, click.Argument)]
        yield f"## hostsync {name}\n"
        yield f"`hostsync {' '.join((name, *(['[OPTIONS]'] if _options(command) else []), *arguments))}`\n"
        yield f"{_paragraphs(command.help or '')}\n"
        yield from (_option(option) for option in _options(command))
        yield ""


def _options(command: click.Command) -> list[click.Option]:
    return [p for p in command.params if isinstance(p, click.Option) and not p.hidden and p.name != "help"]


def _option(option: click.Option) -> str:
    names = [*option.opts, *option.secondary_opts]
    if isinstance(option.type, click.Choice):
        value = "|".join(map(str, option.type.choices))
    else:
        value = "" if option.is_flag else option.metavar or option.type.name.upper()
    shown = ", ".join(f"`{name} {value}`" if value else f"`{name}`" for name in names)
    default = f" Default: `{option.default}`." if option.show_default and option.default is not None else ""
    return f"- {shown}: {' '.join((option.help or '').split())}{default}"


def _paragraphs(text: str) -> str:
    """Help text without click's marks."""
    return inspect.cleandoc(text).replace("\b\n", "")


def api() -> Iterator[str]:
    """The docstrings of the public names, and of what they give."""
    from hostsync.runtime.capture import Capture
    from hostsync.runtime.oracle import Waited
    from hostsync.runtime.records import Part, Place, Site, Wait
    from hostsync.runtime.sources import Active

    yield "# Python API\n"
    yield f"`import hostsync` imports nothing but itself; torch is imported when something watches. {NOTE}\n"
    for name in hostsync.__all__:
        yield from _entry(f"hostsync.{name}", getattr(hostsync, name))
    yield "## What they give\n"
    for kind in (Capture, Active, Waited, Wait, Site, Part, Place):
        yield from _entry(kind.__name__, kind)


def _entry(name: str, thing: type | Callable[..., object]) -> Iterator[str]:
    yield f"### `{name}`\n"
    signature = _signature(thing)
    if signature:
        yield f"```python\n{name.rpartition('.')[2]}{signature}\n```\n"
    yield f"```text\n{inspect.cleandoc(thing.__doc__ or '')}\n```\n"
    fields = getattr(thing, "_fields", ())
    if fields:
        notes = getattr(thing, "__annotations__", {})
        rows = "\n".join(f"- `{field}`: `{_plain(notes.get(field, ''))}`" for field in fields)
        yield f"{rows}\n"
    elif name == "Capture":
        yield from _members(thing)


def _members(thing: object) -> Iterator[str]:
    """What a class offers besides its attributes, but for what hostsync itself hands it."""
    for name, member in vars(thing).items():
        if name.startswith("_") or name == "add" or isinstance(member, int):
            continue
        signature = "" if isinstance(member, property) else _signature(member)
        # Without the indentation below the first line, which would make a block of code of it.
        text = " ".join(inspect.cleandoc(member.__doc__ or "").partition("\n\n")[0].split())
        yield f"- `{name}{signature}`: {text}"
    yield ""


def _signature(thing: type | Callable[..., object]) -> str:
    if isinstance(thing, type) and hasattr(thing, "_fields"):
        return ""
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(thing).parameters.values()
        if parameter.name != "self"
    ]
    return str(inspect.Signature(parameters))


def _plain(annotation: object) -> str:
    """As the source has it; Python 3.10 wraps what a NamedTuple is annotated with."""
    return re.sub(r"^ForwardRef\('(.*)'.*\)$", r"\1", str(annotation))


def rules() -> Iterator[str]:
    """The table of rules, with the page of each."""
    yield "# Rules\n"
    yield f"Each rule is one file, which `hostsync explain CODE` shows too. {NOTE}\n"
    yield "| code | name | where | what is reported |\n|---|---|---|---|"
    for rule in load_only_rules(()):
        page = f"[`{rule.name}`](../../rules/{rule.path.name})"
        yield f"| {rule.code} | {page} | {'hot code' if rule.hot_only else 'everywhere'} | {rule.summary} |"
    yield ""


def plugin_cases() -> Iterator[str]:
    """What the pytest plugin catches with each of its sources, beside the oracle, as a GPU showed it."""
    results = ROOT / "tests" / "gpu" / "results"
    runs = {
        name: json.loads((results / f"plugin_cases_{name}.json").read_text()) for name in ("auto", "trace", "debug")
    }
    driver = runs["auto"]
    yield "# Cases of the pytest plugin\n"
    yield (
        f"Each was run by the oracle and in a test marked `no_host_sync`, on an {driver['device']} with torch "
        f"{driver['torch']}, {driver['date']} (`tests/gpu/test_plugin.py`). {NOTE}\n"
    )
    yield "| case | the host waits | driver callbacks | GPU trace callbacks | sync debug mode |\n|---|---|---|---|---|"
    for case, found in driver["cases"].items():
        fails = ["fails" if run["cases"][case]["test_fails"] else "passes" for run in runs.values()]
        yield f"| {case} | {'yes' if found['oracle_waits'] else 'no'} | {' | '.join(fails)} |"
    yield ""


PAGES = {"commands": cli, "api": api, "rules": rules, "plugin-cases": plugin_cases}


@pytest.mark.parametrize("name", PAGES)
def test_pages_say_what_the_code_says(name: str) -> None:
    path = REFERENCE / f"{name}.md"
    text = "\n".join(PAGES[name]())
    if "HOSTSYNC_RENEW_DOCS" in os.environ:
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{name}.md is not of today's code: renew it"


def test_every_command_rule_and_name_is_there() -> None:
    pages = {name: (REFERENCE / f"{name}.md").read_text(encoding="utf-8") for name in PAGES}
    context = click.Context(group)
    assert all(f"## hostsync {name}\n" in pages["commands"] for name in group.list_commands(context))
    assert all(f"### `hostsync.{name}`\n" in pages["api"] for name in hostsync.__all__)
    assert all(f"| {rule.code} |" in pages["rules"] for rule in load_only_rules(()))
