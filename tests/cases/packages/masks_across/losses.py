"""That a comparison gives a mask is known in other files, too."""

from torch import Tensor

from .labels import known_of, left, shifted, unknown_of, within


def loss(logits: Tensor, target: Tensor):
    unknown = unknown_of(target)
    logits[unknown] = logits.flip(0)[unknown]  # expect: HS302, HS303
    known = logits[known_of(target)]  # expect: HS302
    inside = logits[within(target)]  # expect: HS302
    kept = logits[left(target)]  # expect: HS302
    return kept.mean() + known.mean() + inside.mean() + logits[shifted(target)].mean()  # silent: HS302
