"""Data frames have many methods of tensors: what is used or called like one in a module with pandas is on the host."""

import pandas as pd
import torch
from torch import Tensor, nn
from torch.utils.data import Dataset


def by_name(df, items_df):
    ids = {user: at for at, user in enumerate(df["user"].unique())}  # silent: HS304
    if df["rating"].max() > 5 or items_df.price.isnull().any():  # silent: HS201, HS204
        print(df["rating"].mean(), f"{items_df.price.std():.2f}")  # silent: HS105
    return ids, int(df.user.max()) + 1  # silent: HS103


def by_use(frame, column: str):
    lowest = frame[column].min()
    if lowest < 0:  # silent: HS201
        print(lowest)  # silent: HS105
    for _, row in frame.iterrows():
        print(row["text"], float(row[column].max()))  # silent: HS103, HS105
    return frame.loc[frame[column] > lowest], frame[frame[column] > 3]  # silent: HS302


def by_methods(results, mask_column: str):
    best = results["accuracy"].max()
    print(best, results["accuracy"].argmax())  # silent: HS105
    return list(results["name"].unique()), results[results[mask_column] == best]  # silent: HS304, HS302


class Ratings(Dataset):
    def __init__(self, df):
        self.df = df

    def describe(self):
        print(self.df["rating"].mean(), self.df.user.unique())  # silent: HS105, HS304


def tensors_stay(batch: dict[str, Tensor], x: Tensor, logits, target):
    loss = nn.functional.cross_entropy(logits, target)
    print(loss)  # expect: HS105
    if x.max() > 3:  # expect: HS201
        x = x[x > 3]  # expect: HS302
    return x.unique(), batch["labels"].max().item()  # expect: HS304, HS101


def a_tensor_called_df(df: Tensor):
    return df.max().item()  # expect: HS101


def asked(x):
    if isinstance(x, pd.DataFrame):
        return x.iloc[0].max()
    return x.relu().sum().item()  # expect: HS101


def converted(df):
    if not isinstance(df, Tensor):
        df = torch.tensor(df.values)
    return df.max().item()  # expect: HS101


def as_an_index(weights: Tensor, kept_df):
    return weights[kept_df]  # expect: HS405
