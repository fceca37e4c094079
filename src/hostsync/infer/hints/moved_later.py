"""Parameters that a function makes on the CPU where they are left out, and moves before it uses them.

`points = torch.zeros(0, 2) if points is None else points`, and later `points = points.to(self.device)`: who moves it
there has it on the CPU until then, whoever handed it in.
"""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.hints.defaults import speaks_of
from hostsync.infer.nodes import last_name, rebound


def is_moved_later(function: facts.Function, name: str) -> bool:
    """Whether a function binds a name anew to what it is on a device: `x = x.to(device)`, `x = x.cuda()`."""
    return any(
        last_name(method.value) == name and _to_device(method, call) for method, call in rebound(function.body, name)
    )


def _to_device(method: facts.Attr, call: facts.Call) -> bool:
    if method.name == "cuda":
        return True
    given = (*call.args, *[keyword.value for keyword in call.keywords])
    return method.name == "to" and any(speaks_of(node, "device") for node in given)
