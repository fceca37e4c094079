"""What docstrings say of parameters that have no annotation."""

import numpy as np
import torch


def numpy_style(points, count, weight, places):
    """Draws points.

    Parameters
    ----------
    points : Tensor, shape (bs, *dim)
        where from
    count : int
    weight : float, optional
        how much
    places : numpy array, shape (bs, bs)
        which
    """
    chosen, _ = np.divmod(np.random.choice(count, size=8), 3)
    if weight > 0:
        count += 1
    int(count)
    if places > 0:
        return points
    return points[chosen]  # expect: HS405


def google_style(scale, *, low, names, both):
    """Quantizes.

    Args:
        scale (torch.FloatTensor): of each channel.
        low (float or torch.Tensor, optional): the least. Default: 0
        names (list of str): what they are called.
        both (int | str): one of them.
    """
    if low > 0:
        pass
    for name in names:
        if name > both:
            pass
    return int(scale)  # expect: HS103


def as_transformers_writes_it(hidden, mask=None):
    r"""
    Args:
        hidden (`torch.FloatTensor` of shape `(batch_size, sequence_length)`):
            The states.
        mask (`torch.LongTensor` of shape `(batch_size,)`, *optional*):
            Which count.
    """
    if mask.any():  # expect: HS201
        pass
    return int(hidden)  # expect: HS103


def sphinx_style(first, second, third):
    """Compares.

    :param first: one
    :type first: :class:`torch.Tensor`
    :param torch.Tensor second: another
    :param str third: how
    """
    if third > "a":
        pass
    if first > 0:  # expect: HS201
        pass
    return float(second)  # expect: HS103


def together(x0, x1):
    """
    Args:
        x0, x1 (Tensor): two of them.
    """
    return float(x1)  # expect: HS103


class Limits:
    """Of channels.

    Args:
        threshold (Tensor): over it.
        groups (int): of channels.
    """

    def __init__(self, threshold, groups):
        self.limit = float(threshold)  # expect: HS103
        self.groups = int(groups)


def not_a_type(x, name_of_tensor, device):
    """Nothing here says what they are.

    x: whatever there is, as a tensor or not
    name_of_tensor (str): what it is called
    device (str): where
    """
    if x > name_of_tensor:
        pass
    return int(x)


def annotation_first(x: int, y: "int" = 3):
    """
    Args:
        x (Tensor): it was one once.
        y (Tensor): so was that.
    """
    return int(x) + int(y)


def use_first(x):
    """
    Args:
        x (float): or whatever has `unsqueeze`.
    """
    return float(x.unsqueeze(0).max())  # expect: HS103


def default_first(x=True, y="mean"):
    """
    Args:
        x (Tensor): a switch, really.
        y (Tensor): a text, really.
    """
    if x:
        pass
    if y > "a":
        pass


def only_on_the_cpu(values):
    """
    Args:
        values (Tensor): which nobody moves.
    """
    return int(values)


def handed_to_it():
    return only_on_the_cpu(torch.ones(1, device="cpu"))
