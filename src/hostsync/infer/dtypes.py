"""Element types as far as they matter here, bool, int or float, by what torch calls them; empty for any other."""

from __future__ import annotations

from typing import Final

DTYPES: Final = {
    "bool": "bool",
    **dict.fromkeys(("float", "float16", "float32", "float64", "bfloat16", "half", "double"), "float"),
    **dict.fromkeys(("int", "int8", "int16", "int32", "int64", "long", "short"), "int"),
    # A uint8 tensor is still taken for a mask as an index, so it is not called an int.
    "uint8": "",
}
"""Those of `torch.float32` and its like."""
PYTHON_TYPES: Final = {"builtins.bool": "bool", "builtins.int": "int", "builtins.float": "float"}
"""Python's own types, which torch takes for its element types."""
NO_FLOATS: Final = frozenset([name for name, dtype in DTYPES.items() if dtype != "float"])
TO_FLOATS: Final = frozenset({"float", "double", "half", "bfloat16"})
"""Methods of tensors and modules."""
CLASSES: Final = {
    "Tensor": "",
    "Parameter": "",
    "Buffer": "",
    "FloatTensor": "float",
    "DoubleTensor": "float",
    "HalfTensor": "float",
    "BFloat16Tensor": "float",
    "LongTensor": "int",
    "IntTensor": "int",
    "ShortTensor": "int",
    "CharTensor": "int",
    "ByteTensor": "",
    "BoolTensor": "bool",
}
"""Those of torch's classes of tensors."""
TENSOR_TYPES: Final = frozenset([name for name in CLASSES if name.endswith("Tensor")])
"""The names of torch's types of tensors, those with a dtype among them."""
