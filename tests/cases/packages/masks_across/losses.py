"""That a comparison gives a mask is known in other files, too."""

from torch import Tensor

from .labels import is_known, is_unknown, is_within, shifted


def loss(logits: Tensor, target: Tensor):
    unknown = is_unknown(target)
    logits[unknown] = logits.flip(0)[unknown]  # expect: HS302, HS303
    known = logits[is_known(target)]  # expect: HS302
    inside = logits[is_within(target, 5)]  # expect: HS302
    return known.mean() + inside.mean() + logits[shifted(target)].mean()  # silent: HS302
