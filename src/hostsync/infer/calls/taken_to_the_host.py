"""Functions of libraries that bring to the host each tensor that they are handed: to log it, or to write it to a file.

Sources: wandb, `util.py`, `json_friendly`, and `sdk/data_types/image.py`; mlflow, `metric_value_conversion_utils.py`;
safetensors, `torch.py`, `_tobytes`; the pickling of tensors in torch, `_tensor.py`, `__reduce_ex__`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.devices import is_of_params, only_host
from hostsync.infer.frame import Frame
from hostsync.infer.values import NOTHING, ON_HOST, Value, tensors_in


class _Taker(NamedTuple):
    """What is taken to the host, and how."""

    kind: str
    """Of the event."""
    at: int
    """The place of the argument that is taken."""
    keyword: str
    gives: Value


_LOGGED: Final = _Taker("read-back", 0, "data", NOTHING)
_PICTURE: Final = "wandb.Image"
_TAKERS: Final = {
    **dict.fromkeys(("wandb.log", "wandb.run.log", "wandb.Run.log"), _LOGGED),
    _PICTURE: _Taker("read-back", 0, "data_or_path", ON_HOST),
    "mlflow.log_metric": _Taker("read-back", 1, "value", NOTHING),
    "mlflow.log_metrics": _Taker("read-back", 0, "metrics", NOTHING),
    **dict.fromkeys(
        ("pickle.dump", "pickle.dumps", "cloudpickle.dump", "cloudpickle.dumps", "dill.dump", "dill.dumps"),
        _Taker("call", 0, "obj", ON_HOST),
    ),
    "safetensors.torch.save_file": _Taker("call", 0, "tensors", NOTHING),
    "safetensors.torch.save": _Taker("call", 0, "tensors", ON_HOST),
}


def taken(op: str, frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """What a function of the table gives: one finding, for the first tensor that is surely one and may be elsewhere."""
    kind, at, keyword, gives = _TAKERS[op]
    given = [(expr, value) for name, expr, value in keywords if name == keyword] or args[at : at + 1]
    for expr, value in given:
        held = [tensor for tensor in tensors_in(value) if tensor.sure and not only_host(tensor.device)]
        if op == _PICTURE:
            # What a function that shows pictures is handed is decoded by then, on the host, as often as not.
            held = [tensor for tensor in held if not is_of_params(tensor.device)]
        if held:
            frame.emit(kind, op, "", node, subject=expr, device=held[0].device, origin=held[0].origin)
    return gives


_Function: TypeAlias = Callable[[Frame, facts.Call, ArgumentList, KeywordList], Value]
TAKERS: Final[Mapping[str, _Function]] = MappingProxyType({name: partial(taken, name) for name in _TAKERS})
"""By function, what it gives."""
