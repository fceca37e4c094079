"""Nothing proves a tensor: shown with --min-confidence possible only."""
import torch


def read(outputs, table):
    a = table.cpu()  # expect-possible: HS102  # silent: HS102
    b = table.to("cpu")  # expect-possible: HS102  # silent: HS102
    return a, b


class Beside:
    """To be derived from beside a module, whose `forward` gives nobody knows what."""

    def forward(self, x):
        if super().forward(x) > 3:  # expect-possible: HS201  # silent: HS201
            return x
        return None
