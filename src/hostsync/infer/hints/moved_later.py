"""Parameters that a function makes on the CPU where they are left out, and moves before it uses them.

`points = torch.zeros(0, 2) if points is None else points`, and later `points = points.to(self.device)`: who moves it
there has it on the CPU until then, whoever handed it in.
"""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.hints.defaults import last_name, speaks_of
from hostsync.infer.hints.evidence import nodes_in


def is_moved_later(function: facts.Function, name: str) -> bool:
    """Whether a function binds a name anew to what it is on a device: `x = x.to(device)`, `x = x.cuda()`."""
    for node in nodes_in(function.body, frozenset()):
        if type(node) is not facts.Assign or type(node.value) is not facts.Call:
            continue
        call = node.value
        if type(call.func) is not facts.Attr or last_name(call.func.value) != name:
            continue
        if any(type(target) is facts.Name and target.id == name for target in node.targets) and _to_device(call):
            return True
    return False


def _to_device(call: facts.Call) -> bool:
    assert isinstance(call.func, facts.Attr)
    if call.func.name == "cuda":
        return True
    given = (*call.args, *[keyword.value for keyword in call.keywords])
    return call.func.name == "to" and any(speaks_of(node, "device") for node in given)
