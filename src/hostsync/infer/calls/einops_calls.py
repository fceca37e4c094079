"""What functions of einops give: the same elements in other dimensions, which their pattern names.

Source: einops' documentation; `rearrange`, `repeat` and `reduce` take a tensor, or a list of tensors of one shape.
"""

from __future__ import annotations

import re
from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList
from hostsync.infer.calls.placing import lead, merged
from hostsync.infer.explaining import as_tensor, explain
from hostsync.infer.frame import Frame
from hostsync.infer.values import UNKNOWN, Array, Items, Tensor, Text, Unknown, Value, tensors_in

_REDUCED: Final = {"mean": "float", "any": "bool", "all": "bool"}
"""Of what type an element is that several are reduced to; of their own type in other cases."""


def einops_function(frame: Frame, node: facts.Call, name: str, args: ArgumentList) -> Value:
    """The call of a function of einops."""
    last = name.rpartition(".")[2]
    if last == "einsum":
        tensors = [tensor for _, value in args for tensor in tensors_in(value)]
        pattern = next((value for _, value in args if isinstance(value, Text)), None)
        if not tensors:
            return UNKNOWN
        made = Tensor(merged(tensors), tensors[0].dtype, _dimensions(pattern), origin=lead(tensors))
        return explain(made, node)
    if last not in {"rearrange", "repeat", "reduce"} or len(args) < 2:
        return UNKNOWN
    given = args[0][1]
    if isinstance(given, Items):
        tensors = list(tensors_in(given))
        given = tensors[0] if tensors else UNKNOWN
    if isinstance(given, Unknown) and frame.context.uses_torch and not frame.knows_arrays():
        given = as_tensor(given)
    if isinstance(given, Array):
        return Array(_dimensions(args[1][1]), given.dtype)
    if not isinstance(given, Tensor):
        return UNKNOWN
    dtype = given.dtype
    if last == "reduce":
        how = args[2][1] if len(args) > 2 else None
        dtype = _REDUCED.get(how.const or "", dtype if dtype != "bool" else "") if isinstance(how, Text) else ""
    return explain(given._replace(dtype=dtype, ndim=_dimensions(args[1][1]), param=None, pinned=None), node)


def _dimensions(pattern: Value | None) -> int | None:
    """How many dimensions the right side of a pattern names; None where it does not say."""
    if not isinstance(pattern, Text) or pattern.const is None or "->" not in pattern.const:
        return None
    right = pattern.const.rpartition("->")[2]
    return None if "." in right else len(_DIMENSION.findall(right))


_DIMENSION: Final = re.compile(r"\([^)]*\)|[^\s()]+")
"""One dimension of a pattern, which may be made of several: `(h w)`."""
