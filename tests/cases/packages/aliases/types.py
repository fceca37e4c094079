"""Names of its own for torch's types."""

from typing import Optional, Union

import torch

TensorLike = torch.Tensor
Maybe = Optional[torch.Tensor]
Where = Union[str, torch.device, None]
new = torch.tensor
