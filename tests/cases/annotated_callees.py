"""What is handed to a parameter that is annotated as a tensor is one."""

import torch


def scatter_add(x: torch.Tensor, index: torch.Tensor, size: int, *, weight: torch.Tensor | None = None) -> torch.Tensor:
    out = torch.zeros(size, device=x.device)
    return out.index_add(0, index, x)


def by_place(inputs):
    x, index = inputs["x"], inputs["index"]
    size = int(index[-1]) + 1  # expect: HS103
    return scatter_add(x, index, size)


def by_name(inputs):
    index = inputs["index"]
    size = int(index[-1]) + 1  # expect: HS103
    return scatter_add(inputs["x"], size=size, index=index)


def the_other_parameters_say_nothing(inputs):
    count = inputs["count"]
    return scatter_add(inputs["x"], inputs["index"], count), int(count)


def behind_a_star(inputs, rest):
    size = inputs["size"]
    return scatter_add(*rest, size), int(size)
