"""For programs that read line by line: the entries of `json`, each on a line of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hostsync.report import Report, in_order
from hostsync.report.formats.json import to_dict


def render(report: Report) -> Iterator[str]:
    """One object on each line; nothing if nothing is found."""
    for entry in in_order(report):
        yield json.dumps(to_dict(entry)) + "\n"
