"""Types that have names of their own, by the statement of Python 3.12."""

from torch import Tensor

type Number = float | Tensor
type Pair[T] = tuple[T, T]
