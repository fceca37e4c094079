"""What tests saw on a GPU, written down with the machine and the day, to be put into results/."""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(os.environ["HOSTSYNC_RESULTS"]).absolute() if os.environ.get("HOSTSYNC_RESULTS") else None
"""The folder for it; nothing is written without one."""


def keep(name: str, what: dict[str, Any]) -> None:
    """Writes `NAME.json`: the day, the machine and `what`, with names of files from the root of the repository."""
    if RESULTS is None:
        return
    import torch

    head = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name(),
        "python": sys.version.split()[0],
    }
    text = json.dumps({**head, **what}, indent=1).replace(f"{_ROOT}{os.sep}", "")
    (RESULTS / f"{name}.json").write_text(text + "\n")
