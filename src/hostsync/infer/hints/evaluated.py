"""What the Trainer of transformers hands to the function that computes metrics: NumPy arrays.

Source: transformers, `trainer_utils.py`, `EvalPrediction`, and the documentation of `Trainer`, `compute_metrics`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hostsync import facts
from hostsync.infer.nodes import last_name
from hostsync.infer.values import Array, Items

_FUNCTION: Final = re.compile(r"^_?compute_\w*metrics?$")
_PARAM: Final = re.compile(r"^(p|preds?|predictions?|eval_?\w*)$")
_CLASS: Final = "EvalPrediction"
PARTS: Final = frozenset({"predictions", "label_ids", "inputs"})
"""Its attributes; it can be unpacked as well."""

EVALUATED: Final = Items("tuple", None, Array())


def evaluated(function: str, params: Sequence[facts.Param], param: facts.Param) -> Items | None:
    """What a parameter holds, if it is what the Trainer evaluated; None if it is anything else.

    Args:
        function: the name of the function.
        params: all that it takes, `self` left out.
        param: one of them.
    """
    if param.annotation is not None:
        return EVALUATED if last_name(param.annotation) == _CLASS else None
    is_alone = [other.name for other in params if other.default is None and other.kind == "normal"] == [param.name]
    return EVALUATED if is_alone and _FUNCTION.search(function) and _PARAM.search(param.name) else None


def part_of(value: Items, name: str) -> Array | None:
    """`p.predictions`; None for whatever was not evaluated so."""
    is_one = name in PARTS and value.items is None and isinstance(value.element, Array) and value.kind == "tuple"
    return Array() if is_one else None
