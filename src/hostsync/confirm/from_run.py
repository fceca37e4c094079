"""Reports of `hostsync run --output-format json` → evidence. They do not say what was executed without a wait."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from hostsync.confirm.files import ScannedFiles
from hostsync.confirm.observed import span_of_place
from hostsync.confirm.records import MEMORY_KINDS, Evidence, RunInfo, Through, Total, WaitSite
from hostsync.runtime.inside import functions
from hostsync.runtime.read_report import check_version, site_of
from hostsync.runtime.records import Place, Site

_WHOLE = "as `hostsync run --output-format json` writes it"


class ReportError(ValueError):
    """A report of a run that can't be used; the message names the file and what is wrong."""


def from_runs(paths: Iterable[Path], files: ScannedFiles) -> Evidence:
    """The evidence of several reports together. Raises ReportError."""
    sites: list[WaitSite] = []
    through: list[Through] = []
    runs: list[RunInfo] = []
    elsewhere = Total()
    for path in paths:
        data = _read(path)
        try:
            check_version(data)
            runs.append(_run(data, path))
            for entry in data["sites"]:
                site = site_of(entry)
                name = None if site.place is None else files.name_of(site.place.filename)
                if name is not None and site.place is not None:
                    sites.append(_wait_site(site, name, site.place, str(entry["expression"] or "")))
                    for caller in site.example.callers:
                        above = files.name_of(caller.filename)
                        if above is not None:
                            through.append(Through(above, span_of_place(caller), site.count, None, site.seconds))
                elif site.allowed is None and (site.kind not in MEMORY_KINDS or site.code is not None):
                    elsewhere = elsewhere.plus(site.count, site.seconds)
        except KeyError as error:
            raise ReportError(f"{path}: not a report {_WHOLE}: `{error.args[0]}` is missing") from None
        except (TypeError, ValueError, AttributeError) as error:
            raise ReportError(f"{path}: not a report {_WHOLE}: {error}") from None
    return Evidence(tuple(sites), tuple(through), elsewhere, lambda filename, span: None, tuple(runs))


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ReportError(f"{path}: there is no such report") from None
    except OSError as error:
        raise ReportError(f"{path}: can't read this report: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{path}: not a report {_WHOLE}: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("sites"), list):
        raise ReportError(f"{path}: not a report {_WHOLE}: it has no list of sites")
    return data


def _run(data: dict[str, Any], path: Path) -> RunInfo:
    environment = data["environment"]
    # The report does not state when it was made.
    made = datetime.fromtimestamp(path.stat().st_mtime, timezone.utc).date().isoformat()
    exit_code = data["exit_code"]
    return RunInfo(
        program=tuple(str(word) for word in data["program"]),
        exit_code=None if exit_code is None else int(exit_code),
        device=str(environment.get("device", "")),
        torch=str(environment.get("torch", "")),
        date=made,
        blind_spots=tuple(str(text) for text in data["blind_spots"]),
        counted=False,
    )


def _wait_site(site: Site, name: str, place: Place, text: str) -> WaitSite:
    library = site.example.library
    return WaitSite(
        filename=name,
        span=span_of_place(place),
        symbol=place.function,
        text=text,
        kind=site.kind,
        call=site.example.call,
        operation=site.operation,
        code=site.code,
        allowed=site.allowed,
        waits=site.count,
        waited=None,
        seconds=site.seconds,
        library="" if library is None else library.function,
        inside=functions(site),
    )
