"""Tensors of one number, made on the CPU: they go with tensors of any device."""
import torch


class Model:
    def __init__(self, config):
        self.pad_token_id = config.pad_token_id
        self.levels = config.levels

    def is_padded(self, tokens: torch.Tensor) -> bool:
        return bool(torch.sum(tokens[:, -1] == torch.tensor(self.pad_token_id)))  # expect: HS103

    def is_at_a_level(self, values: torch.Tensor) -> bool:
        # A list, as likely as not: with one on the CPU everything is there.
        return bool(torch.sum(values == torch.tensor(self.levels)))  # silent: HS103


def in_buckets(position: torch.Tensor, size, most):
    middle = size // 2
    scale = torch.log(torch.tensor((most - 1) / middle))
    far = torch.ceil(torch.log(position / middle) / scale * (middle - 1)) + middle
    return torch.where(position <= middle, position.type_as(far), far)  # silent: HS102
