"""What the dictionaries of a project hold under a key: evidence for a dictionary that comes from elsewhere.

`params["angle"]` in one method is, as good as always, what another one has put into a dictionary as `"angle"`. That is
asked only where nothing else is known of the dictionary, and counts only if nothing but tensors is put there. Batches
of data are left out: they are made on the CPU and moved as a whole before anybody looks into them. Where a project
moves others as a whole (`{key: value.to(device) for key, value in params.items()}`), nobody knows where what is looked
up in what goes by that name (`params`) lives. What is handed to a logger as it is made says nothing of others.
"""

from __future__ import annotations

import re
from typing import Final

from hostsync import facts
from hostsync.infer.devices import ANYWHERE, CPU, MOVES, is_certain, unmixed
from hostsync.infer.events import Reason
from hostsync.infer.frame import Frame
from hostsync.infer.joining import join
from hostsync.infer.linking.handed import open_tensor, tensor_of
from hostsync.infer.nodes import dotted_path, is_number, last_name, nodes_in
from hostsync.infer.origins import because
from hostsync.infer.records import Handed
from hostsync.infer.values import Nothing, Tensor, Unknown, Value

LOGGERS: Final = frozenset(
    "log log_data log_dict log_losses log_metric log_metrics log_scalar log_scalars log_stats log_values add_scalar "
    "add_scalars set_postfix".split()
)
"""Functions and methods that write down what they are handed."""
_SHORTEST_KEY, _LONGEST_KEY = 3, 40
_MAKES_BATCHES: Final = re.compile(
    r"(^|\.)(__getitem__|__iter__|__next__|__call__|\w*collate\w*)$|(dataset|collat|processor|tokenizer|loader)\w*\.",
    re.IGNORECASE,
)
"""Functions and methods that prepare data."""
_BATCH: Final = re.compile(
    r"batch|input|data|sample|item|example|feat|encod|target|label|kwargs|^x$|^out", re.IGNORECASE
)
"""Names of batches and of what models give."""
_SETTINGS: Final = re.compile(r"config|cfg|(^|_)(conf|opts?|options?|args|settings?|hparams)$", re.IGNORECASE)
"""Names of what holds settings: numbers and texts, whatever others have put under such a key."""
_WHOLE: Final = "*"
"""Begins what stands for a dictionary that is moved as a whole: the name that it goes by."""


def is_setting(node: facts.Expr) -> bool:
    """`config.mixed_precision`, `self.cfg["amp"]`: what is read of settings."""
    if isinstance(node, (facts.Attr, facts.Subscript)):
        return _SETTINGS.search(last_name(node.value)) is not None or is_setting(node.value)
    return False


def note_store(frame: Frame, key: str, value: Value, row: int) -> None:
    """Takes down that a dictionary holds `value` under `key`."""
    if not frame.loud or frame.function is None or frame.logs or isinstance(value, Nothing):
        return
    if not _SHORTEST_KEY <= len(key) <= _LONGEST_KEY or _MAKES_BATCHES.search(frame.symbol):
        return
    tensor = Tensor(ANYWHERE, sure=False)
    if isinstance(value, Tensor):
        tensor = open_tensor(value)
    elif not isinstance(value, Unknown):
        tensor = Tensor(CPU, sure=False)
    held = frame.context.stored.get(key)
    both = tensor if held is None else join(held.value, tensor)
    assert isinstance(both, Tensor)
    where = Reason(_at(row), "") if held is None else held.where
    frame.context.stored[key] = Handed(both._replace(origin=None), where, "")


def note_moved(frame: Frame, node: facts.Comprehension) -> None:
    """Takes down that a comprehension moves all that a dictionary holds."""
    source = node.generators[0].iterable
    if not frame.loud or node.kind != "dict" or not isinstance(source, facts.Call) or not _is_moved(node.element):
        return
    if isinstance(source.func, facts.Attr) and source.func.name == "items":
        name = _name(dotted_path(source.func.value) or "")
        if name and not _BATCH.search(name):
            where = Reason(_at(node.span[0]), "")
            frame.context.stored.setdefault(_WHOLE + name, Handed(Tensor(ANYWHERE), where, ""))


def _is_moved(node: facts.Expr) -> bool:
    """`value.to(device)`, or that if it can be moved, else the value."""
    if isinstance(node, facts.Conditional):
        return _is_moved(node.body) or _is_moved(node.orelse)
    return isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name in MOVES


def _name(path: str) -> str:
    return path.removesuffix(".data").rpartition(".")[2].lstrip("_")


def _at(row: int) -> tuple[int, int, int, int]:
    return row, 1, row, 1


def load(frame: Frame, node: facts.Expr | None, key: str) -> Value | None:
    """What `node[key]` is by what the project's dictionaries hold; None if that tells nothing more.

    Args:
        node: a dictionary that holds nothing of that name itself, as far as is known.
    """
    path = dotted_path(node) if node is not None else None
    # Of `param.data` the first name tells more.
    name = "" if path is None else _name(path)
    if not name or _BATCH.search(name) or _SETTINGS.search(name):
        return None
    whole = _WHOLE + name
    if frame.loud:
        for one in (key, whole):
            frame.context.loaded.setdefault(one, set()).add(frame.symbol)
    held = frame.context.keys.get(key)
    if held is None or (node is not None and _is_of_numbers(frame, node)):
        return None
    row, column = frame.function.span[:2] if frame.function is not None else (1, 1)
    origin = because(Reason((row, column, row, column), held.text), None)
    tensor = tensor_of(held)
    if is_certain(tensor.device):
        # A dictionary of the same key may be another one.
        tensor = tensor._replace(device=ANYWHERE)
    # That one of several functions puts something on the CPU under a key says nothing of the others.
    device = ANYWHERE if whole in frame.context.keys else unmixed(tensor.device)
    return tensor._replace(device=device, origin=origin)


def _is_of_numbers(frame: Frame, node: facts.Expr) -> bool:
    """Whether a name stands for a dictionary that the function makes, and fills with numbers under computed keys."""
    if frame.function is None or not isinstance(node, facts.Name):
        return False
    made: list[facts.Expr | None] = []
    stored: list[facts.Expr | None] = []
    for found in nodes_in(frame.function.body, frozenset()):
        if isinstance(found, facts.Assign):
            made += [found.value for target in found.targets if _is_named(target, node.id)]
            stored += [found.value for target in found.targets if _is_computed(target, node.id)]
        elif isinstance(found, facts.Attr) and found.name in _FILLS and _is_named(found.value, node.id):
            return False
    if len(made) != 1 or not isinstance(made[0], facts.Dict) or None in made[0].keys:
        return False
    return bool(stored) and all(map(_gives_number, stored))


_NUMBERS: Final = frozenset({"float", "int", "len", "item"})
"""Functions and methods that give a number of Python's."""


def _gives_number(node: facts.Expr | None) -> bool:
    """Whether an expression gives a number, by its form alone: to look into it may ask for the same key again."""
    if isinstance(node, facts.Conditional):
        return _gives_number(node.body) and _gives_number(node.orelse)
    return is_number(node) or (isinstance(node, facts.Call) and last_name(node.func) in _NUMBERS)


_FILLS: Final = frozenset({"update", "setdefault", "__setitem__"})
"""Methods that put something into a dictionary."""


def _is_named(node: facts.Expr, name: str) -> bool:
    return isinstance(node, facts.Name) and node.id == name


def _is_computed(target: facts.Expr, name: str) -> bool:
    """`name[key]`, for a key that is no text as written."""
    if not isinstance(target, facts.Subscript) or not _is_named(target.value, name):
        return False
    return not (isinstance(target.key, facts.Const) and target.key.kind == "str")
