"""What the use of a parameter without an annotation says of it."""
import numpy as np
import torch


def has_a_place_and_a_shape(x, size):
    grid = torch.zeros(x.shape[-1], device=x.device)
    if x.max() > size:  # expect: HS201
        return grid
    return None


def has_a_shape(x, size):
    if x.max() > size:  # expect: HS201
        return x.shape
    return None


def has_a_shape_among_arrays(x, size):
    y = np.zeros(size)
    if x.max() > size:  # silent: HS201
        return x.shape
    return y


def as_whole_numbers(points):
    return points.to(torch.int64).tolist()  # expect: HS101


def before_it_is_converted(values, image):
    if values:  # silent: HS201
        return None
    values = torch.as_tensor(values)
    return values.view(-1, 1, 1) * image


def compared_and_then_index(table: torch.Tensor, at: torch.Tensor):
    return table[at] if at >= 0 else table[0]  # expect: HS201, HS308


def index(table: torch.Tensor, at: torch.Tensor):
    return table[at]  # silent: HS308


class Step:
    def run(self, state):
        if state.mask.all():  # expect: HS201
            return None
        return state.logits.argmax(-1).tolist()  # expect: HS101


def check(condition: bool, message: str = ""):
    if not condition:  # expect: HS201
        raise ValueError(message)


def check_of_host(condition: bool, verbose: bool = False):
    if not condition or verbose:  # silent: HS201, HS204
        raise ValueError


def checked(x: torch.Tensor):
    check((x >= 0).all(), "negative")
    check_of_host(x.dim() == 2, x.is_cuda)
    return x.sqrt()


def first_step(norm, y0, y1):
    d0 = norm(y0).abs()
    if d0 < 1e-5:  # expect: HS201
        return 1e-6
    d1 = norm(y1).reshape(-1)
    if d1[0] > 1:  # expect: HS201
        return 1e-6
    return 0.01 * d0


def first_step_of_arrays(norm, y0):
    y0 = np.asarray(y0)
    d0 = norm(y0).abs()
    if d0 < 1e-5:  # silent: HS201
        return 1e-6
    return d0


def gathered(group, losses):
    return group.gather(losses).counts  # silent: HS605


def by_their_elements(x, sigmas, steps, pairs):
    for i in range(len(steps) - 1):
        if sigmas[i] > 0.5:  # expect: HS201
            x = x + sigmas[i + 1].log()
        if steps[i + 1] > 0:  # silent: HS201
            x = x * steps[i]
    # One element says nothing of another that is written there.
    if pairs[1] > 0:  # silent: HS201
        return x
    return pairs[0].detach()
