"""A sparse matrix that is not coalesced is so in each product; of two sparse ones the product waits anyway."""
import torch
from torch import nn


class Propagation(nn.Module):
    def __init__(self, index, values, size):
        super().__init__()
        self.graph = torch.sparse_coo_tensor(index, values, size)
        self.coalesced = torch.sparse_coo_tensor(index, values, size).coalesce()  # expect: HS605
        self.rows = self.graph.to_sparse_csr().cuda()  # expect: HS605

    def forward(self, x: torch.Tensor, graph):
        x = torch.sparse.mm(self.graph, x)  # expect: HS605
        x = torch.sparse.mm(self.coalesced, x)  # silent: HS605
        x = torch.sparse.mm(self.rows, x)  # silent: HS605
        x = torch.sparse.addmm(x, self.graph, x)  # expect: HS605
        x = torch.sparse.addmm(x, self.coalesced, x)  # silent: HS605
        return torch.spmm(graph, x)  # expect: HS605


def multiplied(index: torch.Tensor, values: torch.Tensor, x: torch.Tensor, dense: torch.Tensor):
    graph = torch.sparse_coo_tensor(index, values, (4, 4)).coalesce()  # expect: HS605
    x = torch.sparse.mm(graph, x)  # silent: HS605
    x = torch.sparse.mm(graph.t(), x)  # expect: HS605
    x = torch.sparse.mm(dense.to_sparse(), x)  # expect: HS605
    return x


def turned(graph: torch.Tensor, x: torch.Tensor):
    graph = graph.coalesce().t()  # expect: HS605
    return torch.sparse.mm(graph, x)  # expect: HS605


def on_the_host(x: torch.Tensor):
    graph = torch.sparse_coo_tensor(torch.tensor([[0], [1]]), torch.tensor([1.0]), (4, 4))
    return torch.sparse.mm(graph, torch.rand(4, 4))  # silent: HS605


def told_to_be_coalesced(index: torch.Tensor, values: torch.Tensor, x: torch.Tensor):
    graph = torch.sparse_coo_tensor(index, values, (4, 4), is_coalesced=True)
    return torch.sparse.mm(graph, x)  # silent: HS605


def of_two(index: torch.Tensor, values: torch.Tensor, x: torch.Tensor):
    one = torch.sparse_coo_tensor(index, values, (4, 4), is_coalesced=True)
    other = torch.sparse_coo_tensor(index, values, (4, 4))
    both = torch.sparse.mm(one, other)  # expect: HS605
    same = torch.sparse.mm(one, one)  # expect: HS605
    return both, same, torch.sparse.mm(one, x)  # silent: HS605


def rows_and_columns(adjacency: torch.Tensor, features: torch.Tensor):
    edges = torch.stack([adjacency.col_indices(), adjacency.col_indices()], dim=0)
    source = edges[0]
    near = features[source]  # silent: HS308
    return near, features[adjacency.col_indices()[0]]  # expect: HS308


def without_duplicates(grad: torch.Tensor, state: torch.Tensor):
    grad = grad.coalesce()  # expect: HS605
    again = state.sparse_mask(grad).coalesce()  # silent: HS605
    return again.values(), state.to_sparse().coalesce()  # expect: HS605
