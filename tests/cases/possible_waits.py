"""Nothing proves a tensor: shown with --min-confidence possible only."""
import torch


def read(outputs, table):
    a = outputs.scores.tolist()  # expect-possible: HS101  # silent: HS101
    b = table.cpu()  # expect-possible: HS102  # silent: HS102
    c = table.to("cpu")  # expect-possible: HS102  # silent: HS102
    d = table.nonzero()  # expect-possible: HS301  # silent: HS301
    return a, b, c, d
