"""What pandas, polars, xarray, pyarrow and scipy's sparse matrices give is on the host, and has methods of tensors."""

import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
import torch
import xarray as xr


def of_annotations(s: pd.Series, da: xr.DataArray, m: sp.csr_matrix, t: pa.Table, other: "pl.Series | None"):
    print(s.tolist())  # silent: HS101
    print(s.mean().item())  # silent: HS101, HS105
    rows = s.nonzero()  # silent: HS301
    print(da.sel(time=0).max().item())  # silent: HS101
    print(m.nonzero(), m.sum().item())  # silent: HS101, HS301
    print(t["x"].nonzero())  # silent: HS301
    return rows, other.item()  # silent: HS101


def of_constructors(path):
    mean = pd.Series([1, 2]).mean().item()  # silent: HS101
    count = pl.read_csv(path).select(pl.len()).item()  # silent: HS101
    parts = xr.open_dataset(path)["x"] * 2
    if (parts > 1).any():  # silent: HS201
        print(-parts.max().item())  # silent: HS101
    for name, part in pl.read_csv(path).group_by("name"):
        print(name, part.item())  # silent: HS101
    return mean, count


def of_tests(a):
    if isinstance(a, xr.DataArray):
        return a.item()  # silent: HS101
    if isinstance(a, (pd.Series, pl.Series)):
        return a.mean().item()  # silent: HS101
    return a.item()  # expect: HS101


def of_either(s: pd.Series | torch.Tensor):
    return s.item()  # expect: HS101


def made_tensors(s: pd.Series, other: pd.Series):
    x = torch.tensor(s, device="cuda")  # expect: HS404
    y = torch.as_tensor(other.to_numpy()).cuda()  # expect: HS401
    return x.mean().item(), y.mean().item()  # expect: HS101


def by_rows(frame: pd.DataFrame, x: torch.Tensor, rows):
    first = frame.apply(lambda row: row["x"].item(), axis=1)  # silent: HS101
    made = frame.assign(y=lambda table: table.x.max().item())  # silent: HS101
    read = frame.apply(lambda row: x.max().item())  # expect: HS101
    return first, made, read, rows.apply(lambda row: row["x"].item())  # expect: HS101


class Held:
    def __init__(self, path, column: pl.Series):
        self.frame = pl.read_parquet(path)
        self.column = column

    def read(self, x: torch.Tensor):
        print(self.frame["x"].max().item())  # silent: HS101
        print(self.column.item())  # silent: HS101
        return x.max().item()  # expect: HS101
