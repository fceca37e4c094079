"""Holds SARIF to its schema."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

SCHEMA = Path(__file__).parent / "report" / "schemas" / "sarif-schema-2.1.0.json"


@lru_cache(maxsize=1)
def _validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    checker = jsonschema.Draft4Validator.FORMAT_CHECKER
    return jsonschema.Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")), format_checker=checker)


def problems(log: Any) -> list[str]:
    """What the schema finds wrong; skips the test where no validator is installed."""
    return [f"{list(error.path)}: {error.message}" for error in _validator().iter_errors(log)]


def run_of(text: str) -> Any:
    """The one run of a log that the schema finds nothing wrong with."""
    log = json.loads(text)
    assert problems(log) == []
    (run,) = log["runs"]
    return run
