import torch
from torch import Tensor


def _score_of(matches: Tensor) -> Tensor:
    if min(matches) == 0:  # expect: HS106, HS201
        return torch.tensor(0.0, device=matches.device)  # expect: HS404
    return matches.log().mean()


def _kept_to_itself(matches: Tensor) -> Tensor:
    if min(matches) == 0:  # silent: HS106, HS201
        return torch.tensor(0.0, device=matches.device)  # silent: HS404
    return matches.log().mean()


def score(texts: list[str]) -> Tensor:
    matches = torch.zeros(4)
    for text in texts:
        matches[len(text) % 4] += 1
    return _score_of(matches) + _kept_to_itself(matches)
