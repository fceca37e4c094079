"""Methods of Lightning's modules."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.frame import Context, Frame
from hostsync.infer.linking.plain import is_foreign
from hostsync.infer.values import Callable, Instance, Mapping, Number, Ref, Value

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


def _is_lightning(context: Context, name: str) -> bool:
    """Whether a class is one of Lightning's modules, as far as an index of it tells or by what its base is called."""
    lineage = context.lineage(name)
    bases = [base.name for info in lineage for base in info.bases if isinstance(base, Ref)]
    own = [info.name for info in lineage if is_foreign(info.name)]
    return any(known.rpartition(".")[2].rpartition(":")[2] == "LightningModule" for known in (*bases, *own))
