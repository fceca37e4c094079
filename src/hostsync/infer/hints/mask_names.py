"""Names that tensors of truth values go by."""

from __future__ import annotations

import re
from typing import Final

_MASK: Final = re.compile(
    r"(^|_)(mask|masks|valid|invalid|visible|inlier|inliers|outlier|outliers)$"
    r"|(^|_)mask_(?!\w*(idx|idcs?|index|indexes|indices|inds?|ids?|keep|tokens?|embs?|value|rles?)$)"
)
_QUESTION: Final = re.compile(
    r"^(is|has|bool)_|(^|_)(masked|converged|finished|dones?|alive|active|inactive|cond|condition|flags?|ignored|correct|"
    r"nans?|finite|infinite|empty|nonempty)$"
)


def is_called_a_mask(path: str) -> bool:
    """Whether a dotted name is one that a tensor of truth values goes by."""
    return is_named_mask(path) or _QUESTION.search(path.rpartition(".")[2]) is not None


def is_named_mask(path: str) -> bool:
    """Whether a dotted name is one that hardly anything but a tensor of truth values goes by."""
    return _MASK.search(path.rpartition(".")[2]) is not None
