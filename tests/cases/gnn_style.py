import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.loader import DataLoader
from torch_geometric.nn import MessagePassing


def degree(index: Tensor, num_nodes: int | None = None) -> Tensor:
    n = num_nodes if num_nodes is not None else int(index.max()) + 1  # expect: HS103
    out = torch.zeros(n, device=index.device)  # silent: HS104
    return out.scatter_add_(0, index, torch.ones_like(index, dtype=torch.float))


def remove_self_loops(edge_index: Tensor):
    mask = edge_index[0] != edge_index[1]
    return edge_index[:, mask]  # expect: HS302


def add_self_loops(edge_index: Tensor, num_nodes: int):
    loops = torch.arange(num_nodes, device=edge_index.device)
    return torch.cat([edge_index, loops.unsqueeze(0).repeat(2, 1)], dim=1)  # silent: HS401


def to_undirected(edge_index: Tensor):
    row, col = edge_index
    both = torch.cat([torch.stack([row, col]), torch.stack([col, row])], dim=1)
    return torch.unique(both, dim=1)  # expect: HS304


def has_isolated(edge_index: Tensor, n: int):
    return torch.unique(edge_index.view(-1)).numel() < n  # expect: HS304


class Conv(MessagePassing):
    def __init__(self, width: int):
        super().__init__(aggr="add")
        self.lin = nn.Linear(width, width)

    def forward(self, x: Tensor, edge_index: Tensor):
        row, col = edge_index
        deg = degree(col, x.size(0))
        norm = deg.pow(-0.5)
        norm[norm == float("inf")] = 0  # silent: HS303, HS302
        return self.propagate(edge_index, x=self.lin(x), norm=norm[row] * norm[col])  # silent: HS302


def train(model, loader: DataLoader, optimizer, device):
    total = 0
    for data in loader:
        data = data.to(device)  # expect: HS401
        out = model(data.x, data.edge_index)
        loss = F.nll_loss(out[data.train_mask], data.y[data.train_mask])  # expect: HS302
        loss.backward()  # expect: HS605
        optimizer.step()
        total += float(loss) * data.num_graphs  # expect: HS103
    return total


@torch.no_grad()
def test(model, data, masks: list[Tensor]):
    out = model(data.x, data.edge_index).argmax(dim=-1)
    accuracies = []
    for mask in masks:
        correct = (out[mask.bool()] == data.y[mask.bool()]).sum()  # expect: HS302
        accuracies.append(int(correct) / int(mask.sum()))  # expect: HS103
    return accuracies


def pool(x: Tensor, batch: Tensor):
    size = int(batch.max().item() + 1)  # expect: HS101
    out = x.new_zeros(size, x.size(1))  # silent: HS104
    return out.index_add_(0, batch.long(), x)


def nearest(x: torch.Tensor, k: int) -> torch.Tensor:
    value, col = torch.cdist(x, x).topk(k, largest=False)
    row = torch.arange(len(x), device=x.device).view(-1, 1).repeat(1, k)
    near = ~value.isinf()
    return torch.stack([row[near], col[near]], dim=0)  # expect: HS302,HS302


def difference_to_the_nearest(x: torch.Tensor) -> torch.Tensor:
    row, col = nearest(x, 8)
    return x[row] - x[col]


def rows_of_a_sparse_matrix(adjacency: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    row, col = adjacency.indices()
    return x[col] * adjacency.values().view(-1, 1) + x[row]


def numbers_among_positions(scores: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    best = scores.argsort(descending=True)
    return x[best[0]]  # expect: HS308


def charges(x: torch.Tensor, pairs, ranks):
    edge_index = torch.from_numpy(pairs).long().to(x.device)  # expect: HS401
    order = torch.from_numpy(ranks).long().to(x.device)  # expect: HS401
    begin, end = x[edge_index[0]], x[edge_index[1]]  # silent: HS308
    return begin - end, x[order[0]]  # expect: HS308


def parts_of(batch):
    return batch.to_data_list()  # expect: HS605
