"""Nothing proves a tensor: shown with --min-confidence possible only."""
import torch


def read(outputs, table):
    a = table.cpu()  # expect-possible: HS102  # silent: HS102
    b = table.to("cpu")  # expect-possible: HS102  # silent: HS102
    return a, b
