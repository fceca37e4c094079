"""Tensors of one number, made on the CPU: they go with tensors of any device."""
import torch


class Model:
    def __init__(self, config):
        self.pad_token_id = config.pad_token_id
        self.levels = config.levels

    def is_padded(self, tokens: torch.Tensor) -> bool:
        return bool(torch.sum(tokens[:, -1] == torch.tensor(self.pad_token_id)))  # expect: HS103

    def is_at_a_level(self, values: torch.Tensor) -> bool:
        # A list would prove that everything is on the CPU. But who works on a GPU has numbers there.
        return bool(torch.sum(values == torch.tensor(self.levels)))  # expect: HS103

    def is_at_one_of_two(self, values: torch.Tensor) -> bool:
        return bool(torch.sum(values == torch.tensor([0.0, 1.0])))  # silent: HS103

    def placed(self, x: torch.Tensor, scale, offsets: list):
        at = torch.arange(4, device=x.device) * torch.tensor(scale)
        moved = x * torch.tensor(offsets)
        return x[at.long()], at.max().item(), moved.max().item()  # expect: HS101


def in_buckets(position: torch.Tensor, size, most):
    middle = size // 2
    scale = torch.log(torch.tensor((most - 1) / middle))
    far = torch.ceil(torch.log(position / middle) / scale * (middle - 1)) + middle
    return torch.where(position <= middle, position.type_as(far), far)  # silent: HS102
