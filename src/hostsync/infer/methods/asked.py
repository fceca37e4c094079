"""A method that is called of something of which nothing is known."""

from __future__ import annotations

from typing import NamedTuple

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.devices import ANYWHERE, of_param
from hostsync.infer.frame import Frame
from hostsync.infer.linking.handed import HELD
from hostsync.infer.nodes import last_name, text_key
from hostsync.infer.values import Unknown


class Asked(NamedTuple):
    """A method of something that is not known."""

    frame: Frame
    node: facts.Call
    receiver: Unknown
    name: str
    args: ArgumentList
    keywords: KeywordList
    subject: facts.Expr | None
    """The receiver, as written."""

    def where(self) -> frozenset[str]:
        """Where the receiver lives, if it is a tensor."""
        param = self.receiver.param
        return ANYWHERE if param is None or param.startswith(HELD) else of_param(param)

    def waits(self, op: str, device: frozenset[str]) -> None:
        """Records that the call waits in an operation for what is on a device, most likely."""
        self.frame.emit("call", op, "", self.node, subject=self.subject, device=device, confidence="likely")


def called(node: facts.Expr | None) -> str:
    """What the receiver is called, in small letters: its name, or the key that it is looked up by."""
    return "" if node is None else (text_key(node) or last_name(node)).lower()
