"""Tables of pandas and others: data frames and their columns have many methods of tensors, and live on the host."""

from __future__ import annotations

from typing import Final

PACKAGES: Final = frozenset({"cudf", "dask", "modin", "pandas", "polars", "pyspark"})
TABLE_MEMBERS: Final = frozenset(
    """drop_duplicates dropna fillna groupby iloc isna isnull iterrows itertuples notna notnull nunique
    reset_index set_index sort_values to_csv value_counts""".split()
)
"""What only tables and their columns have.

Source: https://pandas.pydata.org/docs/reference/frame.html and series.html
"""

_ON_HOST: Final = (PACKAGES - {"cudf"}) | {"geopandas", "pyarrow", "xarray"}
_MATRICES: Final = "scipy.sparse."


def is_of_tables(name: str) -> bool:
    """Whether a class or function, by its dotted name, is of a package whose objects live on the host."""
    return name.partition(".")[0] in _ON_HOST or name.startswith(_MATRICES)


TO_ARRAYS: Final = frozenset({"numpy", "toarray", "to_numpy", "todense"})
"""Methods that make NumPy arrays of such objects."""


def is_table_name(name: str) -> bool:
    """Whether something is called as a table is by convention: `df`, `train_df`, `df_items`, `data_frame`."""
    return ("df" in name and "df" in name.split("_")) or name in {"dataframe", "data_frame"}
