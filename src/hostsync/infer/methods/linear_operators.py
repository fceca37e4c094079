"""Methods of linear_operator's matrices, which GPyTorch and BoTorch work with, told by their names.

What such a matrix is made of decides what most of its methods do; those here wait for whatever it is, and nothing else
has methods of these names.
"""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList
from hostsync.infer.frame import Frame
from hostsync.infer.hints.evidence import receiver_node
from hostsync.infer.values import ANYWHERE, Tensor, Value

WAITING: Final = frozenset(
    "add_jitter cat_rows inv_quad inv_quad_logdet root_inv_decomposition sqrt_inv_matmul zero_mean_mvn_samples".split()
)
"""They make a tensor of a number, or factorise the matrix and ask whether that went well (the page of HS605)."""


def matrix_method(frame: Frame, node: facts.Call, receiver: Value, name: str, args: ArgumentList) -> None:
    """Records that one of `WAITING` waits."""
    held = [value for value in (receiver, *[value for _, value in args]) if isinstance(value, Tensor)]
    device = held[0].device if held else ANYWHERE
    op = f"linear_operator.LinearOperator.{name}"
    frame.emit("call", op, "", node, subject=receiver_node(node), device=device, confidence="likely")
