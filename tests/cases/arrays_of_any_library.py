"""Serves the arrays of several libraries, and imports none of them: that one of them has `cpu` shows nothing."""


def to_numpy(array, library):
    if library == "torch":
        return array.cpu().numpy()  # silent: HS102
    return array


def weighted(values, weights):
    if (weights < 0).any():  # silent: HS201
        raise ValueError("negative")
    return float(values[weights > 0].sum())  # silent: HS103, HS302
