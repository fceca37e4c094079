"""`nonzero` of what is not known: unpacked, it is that of an array."""
import torch


def edges(matrix, device):
    rows, columns = matrix.nonzero()  # silent: HS301
    values = matrix[rows, columns]
    return torch.stack([torch.from_numpy(rows), torch.from_numpy(columns)]), values


def edges_of_tensor(matrix: torch.Tensor):
    rows, columns = matrix.nonzero()  # expect: HS301
    return rows, columns


def positions(matrix):
    found = matrix.nonzero()  # expect: HS301
    rows, columns = matrix.nonzero().t()  # expect: HS301
    return found, rows, columns
