"""Names of torch in the tables of the scan are names that the catalogue knows, so that the two cannot drift apart."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

import hostsync.infer.module
from hostsync.catalogue import load
from hostsync.infer import dtypes
from hostsync.infer.devices import MOVES
from hostsync.infer.hints.imported import _ALIASES
from hostsync.infer.hints.module_uses import GIVE_THE_MODULE

OPS = load().ops
ROOM = Path(hostsync.infer.module.__file__).parent
NAME = re.compile(r"(torch|Tensor)(\.\w+)+")
PRIVATE = re.compile(r"\._")

LEFT_OUT = frozenset(
    {
        "torch.autograd.Function",
        "torch.autograd.Variable",
        "torch.compiler.allow_in_graph",
        "torch.compiler.disable",
        "torch.functional",
        "torch.jit.annotate",
        "torch.jit.isinstance",
        "torch.jit.load",
        "torch.jit.script",
        "torch.jit.trace",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.onnx.operators.shape_as_tensor",
        "torch.overrides.is_tensor_like",
        "torch.utils.data.BatchSampler",
    }
)
"""What torch has and the catalogue leaves out, since no wait of its own was measured: the scan has code for each."""

MEMBERS_OF_TENSORS = (
    "calls.backward_passes:_CUT",
    "calls.backward_passes:_ASPECTS",
    "calls.catalogued:_UNIQUE",
    "calls.dispatch:_OF_ARRAYS",
    "calls.taken_in:_CONVERTING",
    "functions:_OF_TENSORS",
    "hints.dimensions:_COUNTS",
    "hints.evidence:_PLACED",
    "hints.evidence:_SHAPED",
    "hints.evidence_of_calls:_ALONG",
    "hints.evidence_of_calls:_GATHERING",
    "hints.evidence_of_calls:_KEEPING",
    "hints.evidence_of_calls:_MASK_METHODS",
    "hints.evidence_of_calls:_MOVES",
    "hints.evidence_of_calls:_SIZE_CALLS",
    "indexing.masks:_SHAPING",
    "methods.tensors:DEFINITE",
    "methods.tensors:_OF_POSITIONS",
)
FUNCTIONS = (
    "calls.sparse_products:_SPARSE",
    "hints.evidence:_CONVERSIONS",
    "hints.evidence:_FILLS",
    "hints.evidence:_JOINING",
    "hints.imported:_OF_TENSORS",
    "hints.module_uses:_OF_MODULES",
    "hints.placeholders:_OF_DATA",
    "hints.placeholders:_OF_SIZES",
    "methods.modules:MODULE_VALUES",
    "settling:OF_MATRICES",
)
"""Functions of torch, or methods of one of its classes."""
PARAMETERS = (
    "calls.arguments:_ONCE_FIRST",
    "calls.catalogued:_ELSEWHERE",
    "calls.catalogued:_NUMBER_PARAMS",
    "calls.catalogued:_SWITCHES",
    "calls.conditions:_HANDED_ON",
    "calls.shapes_and_dtypes:_OPERANDS",
    "calls.shapes_and_dtypes:_SIZES",
    "hints.dimensions:_DIMENSIONS",
    "hints.evidence_of_calls:_COUNTS",
    "hints.evidence_of_calls:_MASK_PARAMS",
    "hints.evidence_of_calls:_TENSOR_ARGUMENTS",
    "hints.evidence_of_calls:_TENSOR_LISTS",
    "hints.evidence_of_calls:_TENSOR_PARAMS",
    "hints.evidence_of_calls:_TORCH_KEYWORDS",
    "hints.imported:_OPTIONS_OF_TENSORS",
)


def names_in(table: str) -> frozenset[str]:
    """The names in a table of the scan, written `module:TABLE`."""
    module, _, name = table.partition(":")
    return frozenset(getattr(import_module(f"hostsync.infer.{module}"), name))


def named_in_the_room() -> Iterator[tuple[str, str]]:
    """Every text in the code of the scan that is a dotted name of torch, with its file."""
    for path in sorted(ROOM.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value):
                yield node.value, path.relative_to(ROOM).as_posix()


def namespaces(names: Iterable[str]) -> set[str]:
    """What the names stand in: `torch.nn` and `torch.nn.Linear` for `torch.nn.Linear.forward`."""
    found = set()
    for name in names:
        parts = name.split(".")
        found |= {".".join(parts[:count]) for count in range(1, len(parts))}
    return found


def test_dotted_names_are_of_the_catalogue() -> None:
    known = {*OPS, *namespaces(OPS), *_ALIASES, *LEFT_OUT}
    named = [(name, path) for name, path in named_in_the_room() if not PRIVATE.search(name)]
    # `torch.bitwise_` is the beginning of several.
    assert [pair for pair in named if pair[0] not in known and not pair[0].endswith("_")] == []
    assert LEFT_OUT - set(OPS) <= {name for name, _ in named}


@pytest.mark.parametrize("table", MEMBERS_OF_TENSORS)
def test_members_of_tensors_are_of_the_catalogue(table: str) -> None:
    assert sorted(name for name in names_in(table) if f"Tensor.{name}" not in OPS) == []


@pytest.mark.parametrize("table", FUNCTIONS)
def test_functions_are_of_the_catalogue(table: str) -> None:
    assert sorted(names_in(table) - {name.rpartition(".")[2] for name in OPS}) == []


@pytest.mark.parametrize("table", PARAMETERS)
def test_parameters_are_of_the_catalogue(table: str) -> None:
    assert sorted(names_in(table) - {param.name for op in OPS.values() for param in op.params}) == []


def test_full_names_of_functions_are_of_the_catalogue() -> None:
    for table in ("hints.evidence_of_calls:_NUMBER_FIRST", "hints.evidence_of_calls:_OF_MASKS", "settling:_TO_HOST"):
        assert sorted(name for name in names_in(table) if name not in OPS) == []


def test_what_moves_and_converts_does_so_in_the_catalogue() -> None:
    assert {OPS[f"Tensor.{name}"].device for name in MOVES} == {"unknown", "accelerator"}
    assert {OPS[f"Tensor.{name}"].dtype for name in dtypes.TO_FLOATS} == {"float"}
    assert {OPS[f"torch.nn.Module.{name}"].returns for name in MOVES | GIVE_THE_MODULE} == {"self"}
    for name in dtypes.TENSOR_TYPES:
        # A uint8 tensor is no int to the scan, which takes it for a mask.
        assert dtypes.CLASSES[name] in {OPS[f"torch.{name}"].dtype, ""}


def test_what_is_told_from_tensors_by_the_catalogue_stands_in_no_table() -> None:
    for table in ("calls.dispatch:_OF_ARRAYS", "hints.evidence_of_calls:_GATHERING"):
        assert sorted(name for name in names_in(table) if OPS[f"Tensor.{name}"].tensor_only) == []
    assert sorted(name for name in names_in("hints.module_uses:_OF_MODULES") if f"Tensor.{name}" in OPS) == []
