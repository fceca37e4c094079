"""Methods of Lightning's modules."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.context import Context
from hostsync.infer.devices import CPU
from hostsync.infer.frame import Frame
from hostsync.infer.linking.plain import is_foreign
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
