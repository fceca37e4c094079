"""What `hostsync probe` does."""

from __future__ import annotations

import json
import linecache
from collections.abc import Callable
from types import CodeType
from typing import Any

import click

from hostsync.catalogue.model import Rule
from hostsync.cli.exits import FOUND, OK, CommandError
from hostsync.cli.rules import rules_in_force
from hostsync.report.escape import visible
from hostsync.runtime.cause import Causes
from hostsync.runtime.errors import OracleError
from hostsync.runtime.oracle import Waited, waits
from hostsync.runtime.prerequisites import NothingToWatchError, torch_with_cuda
from hostsync.runtime.records import Place, Wait
from hostsync.runtime.session import environment

NAME = "<expression>"
_SCOPES = {"stream": "for this stream only", "device": "for all streams of the device"}
_KINDS = (
    ("DtoH", "copy-to-host"),
    ("HtoD", "copy-to-device"),
    ("Ctx", "device"),
    ("Event", "event"),
    ("Stream", "stream"),
)


def probe(expression: str, setup: tuple[str, ...], delay_ms: float | None, output_format: str) -> int:
    """Tries an expression and prints what was found. Returns the exit code.

    Raises:
        CommandError: it can't be compiled or fails, or there is no GPU.
    """
    call = _compiled(expression)
    before = [_code(text, "--setup", "exec") for text in setup]
    try:
        torch = torch_with_cuda()
    except NothingToWatchError as error:
        raise CommandError(str(error)) from error
    names: dict[str, Any] = {"torch": torch, "__name__": "__hostsync_probe__"}
    for text, code in zip(setup, before, strict=True):
        _tried(lambda code=code: exec(code, names), f"--setup `{text}`")  # type: ignore[misc]
    found = _tried(lambda: waits(lambda: eval(call, names), delay_ms=delay_ms), f"`{expression}`")
    rule = _rule(expression, found) if found else None
    if output_format == "json":
        answer = {
            "expression": expression,
            "waits": found.waited,
            "scope": found.scope,
            "through": list(found.through),
            "code": None if rule is None else rule.code,
            "name": None if rule is None else rule.name,
            "help": None if rule is None else rule.help,
            "environment": environment(),
        }
        click.echo(json.dumps(answer, indent=2))
    else:
        for line in _lines(expression, found, rule):
            click.echo(line)
    return FOUND if found else OK


def _lines(expression: str, found: Waited, rule: Rule | None) -> list[str]:
    about = environment()
    where = visible(f"torch {about['torch']}, {about.get('device', 'no device')}")
    if not found:
        return [f"`{visible(expression)}` does not wait ({where})"]
    details = [*([", ".join(found.through)] if found.through else []), _SCOPES.get(found.scope, found.scope)]
    lines = [f"`{visible(expression)}` waits: {', '.join(details)} ({where})"]
    if rule is not None:
        lines += [f"{rule.code} {rule.name}: {visible(rule.summary)}", f"help: {visible(rule.help)}"]
    return lines


def _compiled(text: str) -> CodeType:
    """An expression, or else a statement."""
    try:
        return compile(text.strip(), NAME, "eval")
    except (SyntaxError, ValueError):
        return _code(text.strip(), "the expression", "exec")


def _code(text: str, what: str, mode: str) -> CodeType:
    try:
        return compile(text, NAME, mode)
    except SyntaxError as error:
        raise CommandError(f"{what} is no Python: {error.msg}: `{text}`") from error
    except ValueError as error:
        raise CommandError(f"{what} is no Python: {error}") from error


def _tried(call: Callable[[], Any], what: str) -> Any:
    try:
        return call()
    except OracleError as error:
        raise CommandError(str(error)) from error
    except Exception as error:
        raise CommandError(f"{what} failed: {type(error).__name__}: {error}") from error
    except SystemExit as error:
        raise CommandError(f"{what} ended the program with exit code {error.code}") from error


def _rule(expression: str, found: Waited) -> Rule | None:
    """The rule that speaks of it, judged as a wait of a program would be."""
    lines = expression.strip().splitlines()
    linecache.cache[NAME] = (len(expression), None, [f"{line}\n" for line in lines], NAME)
    call = found.through[0] if found.through else "cuStreamSynchronize"
    kind = next((kind for part, kind in _KINDS if part in call), "other")
    place = Place(NAME, 1, 1, len(lines), len(lines[-1]) + 1, "<module>")
    wait = Wait(kind, call, "", place, None, (), None, "", "other", 0.0, None, "", "driver", None)
    causes = Causes(rules_in_force())
    return causes.rule(causes.code_of(wait))
