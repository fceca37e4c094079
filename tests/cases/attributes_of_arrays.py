"""In functions that speak of NumPy or pandas, what tensors share with arrays proves nothing."""

import numpy as np
import pandas as pd
import torch


def arrays(batch, device: torch.device):
    rows = np.asarray(batch.x)
    if batch.x.max() > 1:  # silent: HS201
        return batch.x.tolist(), batch.x[[0, 1]], batch.x.nonzero()  # silent: HS101, HS301, HS405
    return rows


def positions(labels, values: list[float]):
    weights = np.asarray(values)
    rows = labels.nonzero().squeeze(1)  # expect: HS301
    columns = labels.nonzero()  # silent: HS301
    return weights, rows, columns


def frames(path):
    frame = pd.read_csv(path)
    return frame[["a", "b"]], frame["a"].tolist(), frame.x.eq(1), frame["a"].max()  # silent: HS101, HS405
