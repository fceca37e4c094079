"""Types that have names of their own."""

from typing import TypeAlias, Union

from torch import Tensor

Count: TypeAlias = int | Tensor
Scalar = Union[float, Tensor]
Input: TypeAlias = str | Tensor
