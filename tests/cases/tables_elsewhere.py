"""Without a package of tables, only what is used as a table is one: `df` may be the degrees of freedom."""

import torch


def degrees(df, scale):
    if (df <= 0).any():  # expect: HS201
        raise ValueError
    return torch.distributions.StudentT(df).sample() * scale, df.min().item()  # expect: HS101, HS602


def by_key(df):
    return len(df["user"].unique()), df["rating"].max() > 3  # silent: HS304


def by_row(frame):
    first = frame.iloc[0].max()
    return first.tolist() if frame["x"].mean() > 0 else None  # silent: HS101, HS202


def rebound(parts, weights):
    assert sum(parts) == 1  # silent: HS203
    parts = torch.tensor([0, *parts])
    if sum(weights) > 3:  # silent: HS201
        weights = torch.stack(weights)
    return parts.cumsum(0), weights.unsqueeze(0)


def picked_rows(dataset):
    rows = dataset.rows
    normal = rows[rows.label == 0].index
    both = rows[(rows.label == 0) & (rows.split == 1)].index
    return normal, both


def picked_tensors(batch):
    rows = batch.rows
    return rows[rows.label == 0].sum(), rows.names.index("a")  # expect: HS302
