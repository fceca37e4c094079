"""Methods of Lightning's modules."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.context import Context
from hostsync.infer.devices import ANYWHERE, CPU
from hostsync.infer.frame import Frame
from hostsync.infer.linking.plain import is_foreign
from hostsync.infer.nodes import assigned_to, calls_in, dotted_path
from hostsync.infer.values import Callable, Instance, Items, Mapping, Number, Ref, Tensor, Value

_VALUES: Final = {"log": "value", "log_dict": "dictionary"}
"""The methods that log, and what each calls its second or only value."""


def logs_number(
    frame: Frame,
    node: facts.Call,
    receiver: Instance,
    callee: Value,
    name: str,
    args: ArgumentList,
    keywords: KeywordList,
) -> None:
    """`self.log("rate", 0.1)` makes a tensor of the number first, on the device of the module; `log_dict` does of each.

    A tensor is logged as it is. Source: lightning, `pytorch/core/module.py`, `LightningModule.__to_tensor`; measured in
    six places that ran, all of which waited.
    """
    called = _VALUES.get(name)
    if called is None or not _is_lightning(frame.context, receiver.name):
        return
    if isinstance(callee, Callable) and not is_foreign(callee.symbol):
        # The project has its own.
        return
    at = 1 if name == "log" else 0
    given = args[at] if len(args) > at else next(((n, v) for key, n, v in keywords if key == called), None)
    if given is None:
        return
    expr, value = given
    held = [one for _, one in value.items] if isinstance(value, Mapping) else [value]
    if any(isinstance(one, Number) for one in held):
        frame.emit("copy", "lightning.LightningModule.log", "python-data", node, subject=expr, confidence="likely")


PREDICTIONS: Final = Items("list", None, Tensor(CPU, sure=False))


def predicted(callee: Callable) -> Value | None:
    """What `trainer.predict(…)` gives, for each batch: Lightning brings it to the CPU. None for any other function.

    Source: lightning, `pytorch/loops/prediction_loop.py`, `_PredictionLoop._predict_step`; in two libraries that ran on
    a GPU none of eight reads of it waited.
    """
    if not callee.symbol.endswith(_PREDICTS):
        return None
    return PREDICTIONS


def metrics_of_trainer(frame: Frame, node: facts.Attr) -> Value | None:
    """What `trainer.callback_metrics` is: tensors, on the device while a trainer is at work, and on the CPU afterwards.

    It hands itself to methods of callbacks, and is an attribute of modules; who makes one, or calls its `fit`, asks
    when that is over. Source: lightning, `logger_connector.py`, `_LoggerConnector.teardown`. None where nobody says
    which of the two it is.
    """
    path = dotted_path(node.value)
    if path is None or not path.rpartition(".")[2].endswith("trainer"):
        return None
    body = frame.context.module.body if frame.function is None else frame.function.body
    has_run = any(
        isinstance(call.func, facts.Attr) and call.func.name in _RUNS and dotted_path(call.func.value) == path
        for call in calls_in(body)
    )
    if has_run or any(isinstance(made, facts.Call) for made in assigned_to(body, path)):
        return Mapping((), Tensor(CPU))
    if not isinstance(frame.bound, Instance) or frame.function is None:
        return None
    is_handed_in = any(param.name == path for param in frame.function.params)
    is_of_module = path == "self.trainer" and _is_lightning(frame.context, frame.bound.name)
    return Mapping((), Tensor(ANYWHERE)) if is_handed_in or is_of_module else None


_RUNS: Final = frozenset({"fit", "validate", "test"})
_PREDICTS: Final = (
    "lightning/pytorch/trainer/trainer.py:Trainer.predict",
    "pytorch_lightning/trainer/trainer.py:Trainer.predict",
)


def _is_lightning(context: Context, name: str) -> bool:
    """Whether a class is one of Lightning's modules, as far as an index of it tells or by what its base is called."""
    lineage = context.lineage(name)
    bases = [base.name for info in lineage for base in info.bases if isinstance(base, Ref)]
    own = [info.name for info in lineage if is_foreign(info.name)]
    return any(known.rpartition(".")[2].rpartition(":")[2] == "LightningModule" for known in (*bases, *own))
