from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor


def area(boxes):
    # type: (Tensor) -> Tensor
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def largest(boxes):
    # type: (Tensor) -> float
    return area(boxes).max().item()  # expect: HS101


def filtered(boxes, scores, threshold):
    # type: (Tensor, Tensor, float) -> Tuple[Tensor, Tensor]
    keep = scores > threshold
    return boxes[keep], scores[keep]  # expect: HS302


def local_annotations(n: int):
    result: List[Tensor] = []
    best: Optional[Tensor] = None
    table: Dict[str, Tensor] = {}
    for i in range(n):
        result.append(torch.ones(3, device="cuda") * i)
    for tensor in result:
        print(tensor.mean().item())  # expect: HS101
    return best, table


def forward(images, targets=None):
    # type: (List[Tensor], Optional[List[Dict[str, Tensor]]]) -> Tensor
    sizes = [image.shape[-2:] for image in images]
    if targets is not None:  # silent: HS201
        for target in targets:
            if target["labels"].min() < 0:  # expect: HS201
                raise ValueError(sizes)
    return torch.stack(images)
