"""For code scanning and editors: SARIF 2.1.0, one run."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hostsync import __version__
from hostsync.findings import Covered, Diagnostic, Finding
from hostsync.report import About, Report
from hostsync.report.entries import NOTE, WARNING, Entry, Region, covered_entries, entries, steps
from hostsync.report.escape import visible
from hostsync.report.formats.json import verdict_dict

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "hostsync/v1"
"""The name of the fingerprint; what goes into it can only change with the number."""
ROOT = "%SRCROOT%"
_EMBEDDED_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_MARKDOWN_LINK = re.compile(r"\[([^\]]*)\]\((?![a-z]+:)[^)\s]*\)")
_KINDS = {"comment": "inSource", "baseline": "external"}


def render(report: Report) -> Iterator[str]:
    """The log."""
    yield json.dumps(log(report), indent=2) + "\n"


def log(report: Report) -> dict[str, Any]:
    """The object."""
    shown = list(entries(report))
    covered = list(zip(covered_entries(report), report.covered, strict=True))
    rules = _rules([*shown, *(entry for entry, _ in covered)], report)
    index = {rule["id"]: at for at, rule in enumerate(rules)}
    results = [_result(entry, index) for entry in shown if isinstance(entry.source, Finding)]
    results += [{**_result(entry, index), "suppressions": [_suppression(one)]} for entry, one in covered]
    run = {
        "tool": {
            "driver": {"name": "hostsync", "version": __version__, "semanticVersion": __version__, "rules": rules},
        },
        "invocations": [_invocation(shown, report)],
        "originalUriBaseIds": {ROOT: {"uri": _folder_uri(report.root or Path.cwd())}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


# --- rules ---------------------------------------------------------------------------------------


def _rules(shown: Iterable[Entry], report: Report) -> list[dict[str, Any]]:
    """The descriptors of the rules that results name, in order of their codes."""
    named = {entry.code: entry for entry in shown if isinstance(entry.source, Finding)}
    return [_rule(entry, report.rules.get(code)) for code, entry in sorted(named.items())]


def _rule(entry: Entry, rule: About | None) -> dict[str, Any]:
    descriptor: dict[str, Any] = {
        "id": entry.code,
        "name": entry.name,
        "shortDescription": {"text": entry.name if rule is None else rule.summary},
        "defaultConfiguration": {"level": WARNING},
        "properties": {"tags": ["performance", "pytorch", "cuda"], "problem.severity": WARNING},
    }
    if rule is not None:
        # Pages name each other as files of a folder, which lead nowhere from here.
        page = _MARKDOWN_LINK.sub(r"\1", rule.page).strip()
        descriptor["fullDescription"] = {"text": f"{rule.summary}. What to do: {rule.help}."}
        descriptor["help"] = {"text": page, "markdown": page}
    return descriptor


# --- results -------------------------------------------------------------------------------------


def _result(entry: Entry, index: dict[str, int]) -> dict[str, Any]:
    finding = entry.source
    assert isinstance(finding, Finding)
    symbol = {"fullyQualifiedName": entry.symbol, "kind": "module" if entry.symbol == "<module>" else "function"}
    result: dict[str, Any] = {
        "ruleId": entry.code,
        "ruleIndex": index[entry.code],
        "level": entry.severity,
        "message": _message(f"{entry.message}. Help: {entry.help}." if entry.help else f"{entry.message}."),
        "locations": [
            {
                "physicalLocation": {"artifactLocation": _artifact(entry.path), "region": _region(entry.region)},
                "logicalLocations": [symbol],
            }
        ],
        "partialFingerprints": {FINGERPRINT: entry.fingerprint},
    }
    chain = list(_chain(finding, entry))
    if chain:
        result["relatedLocations"] = chain
    properties: dict[str, Any] = {"confidence": finding.confidence}
    if finding.hot is not None:
        properties["hot"] = finding.hot
    if finding.versions is not None:
        properties["torch"] = finding.versions
    if finding.verdict is not None:
        properties["verdict"] = verdict_dict(finding.verdict)
    return {**result, "properties": properties}


def _chain(finding: Finding, entry: Entry) -> Iterator[dict[str, Any]]:
    for number, (row, text) in enumerate(steps(finding), start=1):
        region = {"startLine": row if finding.location.cell is None else 1}
        yield {
            "id": number,
            "message": _message(text),
            "physicalLocation": {"artifactLocation": _artifact(entry.path), "region": region},
        }


def _region(region: Region) -> dict[str, int]:
    if not region.column:
        return {"startLine": region.row, "endLine": region.end_row}
    return {
        "startLine": region.row,
        "startColumn": region.column,
        "endLine": region.end_row,
        "endColumn": region.end_column,
    }


def _suppression(covered: Covered) -> dict[str, str]:
    found = {"kind": _KINDS[covered.by], "status": "accepted"}
    return {**found, "justification": visible(covered.reason)} if covered.reason else found


# --- the invocation ------------------------------------------------------------------------------


def _invocation(shown: Iterable[Entry], report: Report) -> dict[str, Any]:
    diagnostics = [entry for entry in shown if isinstance(entry.source, Diagnostic)]
    notifications = [
        {
            "descriptor": {"id": entry.code},
            "level": entry.severity,
            "message": _message(entry.message),
            "locations": [
                {"physicalLocation": {"artifactLocation": _artifact(entry.path), "region": _region(entry.region)}}
            ],
        }
        for entry in diagnostics
    ]
    notifications += [{"level": NOTE, "message": _message(visible(note))} for note in report.notes]
    failed = any(entry.code == "internal-error" for entry in diagnostics)
    return {"executionSuccessful": not failed, "toolExecutionNotifications": notifications}


def _message(text: str) -> dict[str, str]:
    """A message that says `text`: code such as `fns[0](x)` must not be taken for a link, nor `{0}` for an argument."""
    return {"text": _PLACEHOLDER.sub(r"{{\1}}", _EMBEDDED_LINK.sub(r"\\[", text))}


# --- addresses -----------------------------------------------------------------------------------


def _artifact(path: str) -> dict[str, str]:
    """A path as `report.root.path_from` gives it."""
    if Path(path).is_absolute():
        return {"uri": _absolute(path)}
    return {"uri": _quoted(path), "uriBaseId": ROOT}


def _folder_uri(folder: Path) -> str:
    uri = _absolute(folder.as_posix())
    return uri if uri.endswith("/") else f"{uri}/"


def _absolute(path: str) -> str:
    return "file://" + _quoted(path if path.startswith("/") else f"/{path}", "/:")


def _quoted(path: str, safe: str = "/") -> str:
    """Percent-encoded, the bytes of a name that is not valid in its encoding included."""
    return quote(os.fsencode(path), safe=safe)
