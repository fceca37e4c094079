"""What the text of a type in a docstring stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostsync.infer.devices import ANYWHERE
from hostsync.infer.hints.documented import from_docstring
from hostsync.infer.values import NUMBER, TEXT, Items, Tensor, Value

TENSOR = Tensor(ANYWHERE, param="x")
SAID: dict[str, Value | None] = {
    "Tensor": TENSOR,
    "torch.Tensor": TENSOR,
    "torch tensor": TENSOR,
    ":class:`~torch.Tensor`, optional": TENSOR,
    "`torch.LongTensor` of shape `(batch_size, n)`, *optional*": TENSOR._replace(dtype="int"),
    "Tensor, shape (n, 3)": TENSOR,
    "torch.Tensor, default: None": TENSOR,
    "BoolTensor[N, 4]": None,
    "float or Tensor": TENSOR._replace(sure=False, param=None),
    "Tensor | np.ndarray": TENSOR._replace(sure=False),
    "np.ndarray": None,
    "int": NUMBER,
    "int, optional": NUMBER,
    "float or None": NUMBER,
    "str": TEXT,
    "None": None,
    "list of Tensor": Items("list", None, Tensor(ANYWHERE)),
    "List[torch.Tensor]": Items("list", None, Tensor(ANYWHERE)),
    "list of whatever": None,
    "the input tensor": None,
    "TensorDict": None,
    "tensorflow.Tensor": None,
    "": None,
}


@pytest.mark.parametrize("text", SAID)
def test_texts(text: str) -> None:
    assert from_docstring(text, ANYWHERE, "x") == SAID[text]


@given(st.text(alphabet=st.sampled_from("Tensorlist of[]()`,|:~. "), max_size=60) | st.text(max_size=60))
def test_any_text_is_understood(text: str) -> None:
    found = from_docstring(text, ANYWHERE, "x")
    assert found is None or found == from_docstring(text.strip(), ANYWHERE, "x")
