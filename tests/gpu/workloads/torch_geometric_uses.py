"""Layers, models, pooling, explanation, data, loaders, transforms, metrics and utilities of torch_geometric."""

import copy
import tempfile
from collections.abc import Callable

import torch
import torch_geometric
from torch import nn
from torch.nn import functional
from torch_geometric import (
    EdgeIndex,
    Index,
    datasets,
    explain,
    io,
    loader,
    metrics,
    profile,
    sampler,
    transforms,
    utils,
)
from torch_geometric import nn as gnn
from torch_geometric.contrib.nn import GRBCDAttack, PRBCDAttack
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset, OnDiskDataset, TemporalData
from torch_geometric.data.hypergraph_data import HyperGraphData
from torch_geometric.datasets import graph_generator, motif_generator
from torch_geometric.explain import metric as explain_metric
from torch_geometric.nn import aggr, attention, dense, kge, models, norm, pool
from torch_geometric.nn.lr_scheduler import (
    ConstantWithWarmupLR,
    CosineWithWarmupLR,
    CosineWithWarmupRestartsLR,
    LinearWithWarmupLR,
    PolynomialWithWarmupLR,
)
from torch_geometric.nn.models.gpse import IdentityHead
from torch_geometric.nn.models.graph_mixer import LinkEncoder, NodeEncoder
from torch_geometric.nn.models.tgn import IdentityMessage, LastAggregator, LastNeighborLoader, MeanAggregator
from torch_geometric.nn.pool.connect import FilterEdges
from torch_geometric.nn.pool.decimation import decimation_indices
from torch_geometric.nn.pool.select import SelectTopK
from torch_geometric.utils.noise_scheduler import get_diffusion_beta_schedule, get_smld_sigma_schedule
from uses import Use, Uses

NODES, CHANNELS, EDGE_CHANNELS, CLASSES, RELATIONS, GRAPHS = 40, 16, 4, 5, 3, 4
METADATA = (
    ["author", "paper", "venue"],
    [
        ("author", "writes", "paper"),
        ("paper", "written_by", "author"),
        ("paper", "in", "venue"),
        ("venue", "holds", "paper"),
        ("paper", "cites", "paper"),
    ],
)
Tensors = torch.Tensor | tuple | list | dict | None
uses = Uses()


def graph_on(device: torch.device, nodes: int = NODES) -> Data:
    edge_index = utils.erdos_renyi_graph(nodes, 4 / nodes)
    edges = edge_index.size(1)
    normal = functional.normalize(torch.randn(nodes, 3), dim=1)
    return Data(
        x=torch.randn(nodes, CHANNELS),
        x_0=torch.randn(nodes, CHANNELS),
        edge_index=edge_index,
        edge_attr=torch.rand(edges, EDGE_CHANNELS),
        edge_weight=torch.rand(edges),
        edge_type=torch.randint(0, RELATIONS, (edges,)),
        node_type=torch.arange(nodes) % 3,
        pos=torch.rand(nodes, 3),
        normal=normal,
        y=torch.arange(nodes) % CLASSES,
        train_mask=torch.arange(nodes) % 2 == 0,
    ).to(device)


def batch_on(device: torch.device) -> Batch:
    return Batch.from_data_list([graph_on(torch.device("cpu"), 8 + 3 * i) for i in range(GRAPHS)]).to(device)


def hetero_on(device: torch.device) -> HeteroData:
    data = HeteroData()
    sizes = {"author": 20, "paper": 30, "venue": 6}
    for name, size in sizes.items():
        data[name].x = torch.randn(size, CHANNELS)
        data[name].y = torch.arange(size) % CLASSES
    for source, relation, target in METADATA[1]:
        ends = torch.randint(0, sizes[source], (60,)), torch.randint(0, sizes[target], (60,))
        data[source, relation, target].edge_index = torch.stack(ends)
        data[source, relation, target].edge_attr = torch.rand(60, EDGE_CHANNELS)
    return data.to(device)


def mesh() -> Data:
    pos, _ = torch.rand(30, 2).sort(dim=0)
    data = transforms.Delaunay()(Data(pos=torch.rand(30, 2) + 0.01 * pos))
    data.pos = torch.cat([data.pos, torch.rand(30, 1)], dim=1)
    return data


def dataset_of(count: int = 12) -> list[Data]:
    return [
        Data(
            x=torch.randn(8 + i % 4, CHANNELS),
            edge_index=utils.erdos_renyi_graph(8 + i % 4, 0.4),
            y=torch.tensor([i % 2]),
        )
        for i in range(count)
    ]


def mlp(inputs: int = CHANNELS, outputs: int = CHANNELS) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, outputs))


def total(outputs: Tensors) -> torch.Tensor | float:
    if isinstance(outputs, torch.Tensor):
        dense_ = outputs.to_dense() if outputs.is_sparse else outputs
        return dense_.square().mean() if dense_.is_floating_point() else 0.0
    if isinstance(outputs, dict):
        return total(list(outputs.values()))
    return sum(total(each) for each in outputs) if isinstance(outputs, tuple | list) else 0.0


def step(module: nn.Module, *args: Tensors, **kwargs: Tensors) -> Tensors:
    outputs = module(*args, **kwargs)
    loss = total(outputs)
    if isinstance(loss, torch.Tensor) and loss.requires_grad:
        loss.backward()
    return outputs


def train(model: nn.Module, loss_of: Callable[[], torch.Tensor], steps: int = 2) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()
    model.eval()


MESSAGES = ("x", "edge_index")
WEIGHTED = ("x", "edge_index", "edge_weight")
WITH_ATTRIBUTES = ("x", "edge_index", "edge_attr")
WITH_TYPES = ("x", "edge_index", "edge_type")
DEGREES = torch.tensor([2, 6, 10, 12, 6, 3, 1])
CONVOLUTIONS: dict[str, tuple[Callable[[], nn.Module], tuple[str, ...]]] = {
    "simple": (lambda: gnn.SimpleConv(aggr="mean", combine_root="self_loop"), WEIGHTED),
    "simple with concatenated root": (lambda: gnn.SimpleConv(combine_root="cat"), MESSAGES),
    "GCN": (lambda: gnn.GCNConv(CHANNELS, 8), WEIGHTED),
    "GCN cached": (lambda: gnn.GCNConv(CHANNELS, 8, improved=True, cached=True), MESSAGES),
    "Cheb": (lambda: gnn.ChebConv(CHANNELS, 8, K=3), WEIGHTED),
    "Cheb random walk": (lambda: gnn.ChebConv(CHANNELS, 8, K=2, normalization="rw"), MESSAGES),
    "SAGE": (lambda: gnn.SAGEConv(CHANNELS, 8, normalize=True, project=True), MESSAGES),
    "SAGE with many aggregations": (lambda: gnn.SAGEConv(CHANNELS, 8, aggr=["mean", "max", "std"]), MESSAGES),
    "SAGE with LSTM": (lambda: gnn.SAGEConv(CHANNELS, 8, aggr="lstm"), ("x", "sorted_edge_index")),
    "Graph": (lambda: gnn.GraphConv(CHANNELS, 8), WEIGHTED),
    "Graph by maximum": (lambda: gnn.GraphConv(CHANNELS, 8, aggr="max"), MESSAGES),
    "GatedGraph": (lambda: gnn.GatedGraphConv(CHANNELS, num_layers=2), WEIGHTED),
    "ResGatedGraph": (lambda: gnn.ResGatedGraphConv(CHANNELS, 8, edge_dim=EDGE_CHANNELS), WITH_ATTRIBUTES),
    "GAT": (lambda: gnn.GATConv(CHANNELS, 8, heads=2, edge_dim=EDGE_CHANNELS, residual=True), WITH_ATTRIBUTES),
    "GAT averaged": (lambda: gnn.GATConv(CHANNELS, 8, heads=2, concat=False, dropout=0.2), MESSAGES),
    "GATv2": (lambda: gnn.GATv2Conv(CHANNELS, 8, heads=2, edge_dim=EDGE_CHANNELS), WITH_ATTRIBUTES),
    "GATv2 shared": (lambda: gnn.GATv2Conv(CHANNELS, 8, share_weights=True, residual=True), MESSAGES),
    "Transformer": (
        lambda: gnn.TransformerConv(CHANNELS, 8, heads=2, beta=True, edge_dim=EDGE_CHANNELS),
        WITH_ATTRIBUTES,
    ),
    "AGNN": (lambda: gnn.AGNNConv(), MESSAGES),
    "TAG": (lambda: gnn.TAGConv(CHANNELS, 8), WEIGHTED),
    "GIN": (lambda: gnn.GINConv(mlp(), train_eps=True), MESSAGES),
    "GINE": (lambda: gnn.GINEConv(mlp(), edge_dim=EDGE_CHANNELS), WITH_ATTRIBUTES),
    "ARMA": (lambda: gnn.ARMAConv(CHANNELS, 8, num_stacks=2, num_layers=2, dropout=0.1), WEIGHTED),
    "ARMA shared": (lambda: gnn.ARMAConv(CHANNELS, 8, num_layers=2, shared_weights=True), MESSAGES),
    "SG": (lambda: gnn.SGConv(CHANNELS, 8, K=2, cached=True), WEIGHTED),
    "SSG": (lambda: gnn.SSGConv(CHANNELS, 8, alpha=0.1, K=2), WEIGHTED),
    "APPNP": (lambda: gnn.APPNP(K=3, alpha=0.1, dropout=0.1), WEIGHTED),
    "MF": (lambda: gnn.MFConv(CHANNELS, 8, max_degree=4), MESSAGES),
    "RGCN": (lambda: gnn.RGCNConv(CHANNELS, 8, RELATIONS), WITH_TYPES),
    "RGCN with bases": (lambda: gnn.RGCNConv(CHANNELS, 8, RELATIONS, num_bases=2), WITH_TYPES),
    "RGCN with blocks": (lambda: gnn.RGCNConv(CHANNELS, 8, RELATIONS, num_blocks=2), WITH_TYPES),
    "FastRGCN": (lambda: gnn.FastRGCNConv(CHANNELS, 8, RELATIONS, num_bases=2), WITH_TYPES),
    "RGAT": (
        lambda: gnn.RGATConv(CHANNELS, 8, RELATIONS, heads=2, edge_dim=EDGE_CHANNELS),
        ("x", "edge_index", "edge_type", "edge_attr"),
    ),
    "DNA": (lambda: gnn.DNAConv(CHANNELS, heads=2, groups=2), ("history", "edge_index", "edge_weight")),
    "PointNet": (lambda: gnn.PointNetConv(mlp(CHANNELS + 3), mlp()), ("x", "pos", "edge_index")),
    "GMM": (
        lambda: gnn.GMMConv(CHANNELS, 8, dim=EDGE_CHANNELS, kernel_size=3, separate_gaussians=True),
        WITH_ATTRIBUTES,
    ),
    "GMM joint": (lambda: gnn.GMMConv(CHANNELS, 8, dim=EDGE_CHANNELS, kernel_size=3), WITH_ATTRIBUTES),
    "NN": (lambda: gnn.NNConv(CHANNELS, 8, mlp(EDGE_CHANNELS, CHANNELS * 8)), WITH_ATTRIBUTES),
    "CG": (lambda: gnn.CGConv(CHANNELS, EDGE_CHANNELS, batch_norm=True), WITH_ATTRIBUTES),
    "Edge": (lambda: gnn.EdgeConv(mlp(2 * CHANNELS)), MESSAGES),
    "PPF": (lambda: gnn.PPFConv(mlp(CHANNELS + 4), mlp()), ("x", "pos", "normal", "edge_index")),
    "FeaSt": (lambda: gnn.FeaStConv(CHANNELS, 8, heads=2), MESSAGES),
    "PointTransformer": (lambda: gnn.PointTransformerConv(CHANNELS, 8), ("x", "pos", "edge_index")),
    "PointTransformer with networks": (
        lambda: gnn.PointTransformerConv(CHANNELS, 8, pos_nn=mlp(3, 8), attn_nn=mlp(8, 8)),
        ("x", "pos", "edge_index"),
    ),
    "LE": (lambda: gnn.LEConv(CHANNELS, 8), WEIGHTED),
    "PNA": (
        lambda: gnn.PNAConv(
            CHANNELS,
            8,
            ["mean", "min", "max", "std"],
            ["identity", "amplification", "attenuation"],
            DEGREES,
            edge_dim=EDGE_CHANNELS,
            towers=2,
        ),
        WITH_ATTRIBUTES,
    ),
    "PNA with divided input": (
        lambda: gnn.PNAConv(
            CHANNELS, 8, ["sum", "var"], ["linear", "inverse_linear"], DEGREES, towers=2, divide_input=True
        ),
        MESSAGES,
    ),
    "ClusterGCN": (lambda: gnn.ClusterGCNConv(CHANNELS, 8, diag_lambda=0.1), MESSAGES),
    "GEN": (
        lambda: gnn.GENConv(CHANNELS, 8, learn_t=True, msg_norm=True, edge_dim=EDGE_CHANNELS),
        WITH_ATTRIBUTES,
    ),
    "GEN by power mean": (lambda: gnn.GENConv(CHANNELS, 8, aggr="powermean", learn_p=True, norm="layer"), MESSAGES),
    "GCN2": (lambda: gnn.GCN2Conv(CHANNELS, 0.1, 0.5, 1), ("x", "x_0", "edge_index", "edge_weight")),
    "GCN2 unshared": (
        lambda: gnn.GCN2Conv(CHANNELS, 0.1, 0.5, 1, shared_weights=False),
        ("x", "x_0", "edge_index"),
    ),
    "WL": (lambda: gnn.WLConv(), ("node_type", "edge_index")),
    "WLContinuous": (lambda: gnn.WLConvContinuous(), WEIGHTED),
    "FiLM": (lambda: gnn.FiLMConv(CHANNELS, 8, RELATIONS), WITH_TYPES),
    "FiLM with a network": (lambda: gnn.FiLMConv(CHANNELS, 8, nn=mlp(CHANNELS, 16)), MESSAGES),
    "FA": (lambda: gnn.FAConv(CHANNELS, dropout=0.1), ("x", "x_0", "edge_index")),
    "EG": (lambda: gnn.EGConv(CHANNELS, 8, ["symnorm", "max", "std", "mean"], num_heads=2), MESSAGES),
    "PDN": (lambda: gnn.PDNConv(CHANNELS, 8, EDGE_CHANNELS, 8), WITH_ATTRIBUTES),
    "General": (
        lambda: gnn.GeneralConv(CHANNELS, 8, EDGE_CHANNELS, attention=True, heads=2, l2_normalize=True),
        WITH_ATTRIBUTES,
    ),
    "General with scalar products": (
        lambda: gnn.GeneralConv(CHANNELS, 8, attention=True, attention_type="dot_product", directed_msg=False),
        MESSAGES,
    ),
    "HEAT": (
        lambda: gnn.HEATConv(CHANNELS, 8, 3, RELATIONS, 4, EDGE_CHANNELS, 4, heads=2),
        ("x", "edge_index", "node_type", "edge_type", "edge_attr"),
    ),
    "LG": (lambda: gnn.LGConv(), WEIGHTED),
    "PointGNN": (lambda: gnn.PointGNNConv(mlp(CHANNELS, 3), mlp(CHANNELS + 3), mlp()), ("x", "pos", "edge_index")),
    "AntiSymmetric": (lambda: gnn.AntiSymmetricConv(CHANNELS, num_iters=2), MESSAGES),
    "AntiSymmetric with attention": (
        lambda: gnn.AntiSymmetricConv(CHANNELS, phi=gnn.GATConv(CHANNELS, CHANNELS, bias=False)),
        MESSAGES,
    ),
    "DirGNN": (lambda: gnn.DirGNNConv(gnn.SAGEConv(CHANNELS, 8)), MESSAGES),
    "MixHop": (lambda: gnn.MixHopConv(CHANNELS, 8, [0, 1, 2]), WEIGHTED),
    "lazy": (lambda: gnn.SAGEConv((-1, -1), 8), MESSAGES),
    "Signed": (lambda: gnn.SignedConv(CHANNELS, 8, first_aggr=True), ("x", "edge_index", "negative_edge_index")),
    "Signed deeper": (
        lambda: gnn.SignedConv(8, 8, first_aggr=False),
        ("x", "edge_index", "negative_edge_index"),
    ),
}
"""How each layer is made, and the parts of a graph that it takes."""


def convolution_graph(device: torch.device) -> Data:
    graph = graph_on(device)
    graph.sorted_edge_index = utils.sort_edge_index(graph.edge_index, sort_by_row=False)
    graph.negative_edge_index = utils.negative_sampling(graph.edge_index, NODES)
    graph.history = torch.randn(NODES, 3, CHANNELS, device=device)
    return graph


def convolution_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, keys = CONVOLUTIONS[name]
        graph, layer = convolution_graph(device), make().to(device)
        step(layer, *(graph[key] for key in keys))
        layer.eval()
        with torch.no_grad():
            layer(*(graph[key] for key in keys))

    return use


uses.add_each("convolution", CONVOLUTIONS, convolution_use)

SPARSE: dict[str, Callable[[], nn.Module]] = {
    "GCN": lambda: gnn.GCNConv(CHANNELS, 8),
    "SAGE": lambda: gnn.SAGEConv(CHANNELS, 8),
    "Graph": lambda: gnn.GraphConv(CHANNELS, 8, aggr="mean"),
    "GAT": lambda: gnn.GATConv(CHANNELS, 8, add_self_loops=False),
    "GATv2": lambda: gnn.GATv2Conv(CHANNELS, 8, add_self_loops=False),
    "Transformer": lambda: gnn.TransformerConv(CHANNELS, 8),
    "GIN": lambda: gnn.GINConv(mlp()),
    "SG": lambda: gnn.SGConv(CHANNELS, 8, K=2),
    "APPNP": lambda: gnn.APPNP(K=2, alpha=0.1),
    "TAG": lambda: gnn.TAGConv(CHANNELS, 8),
    "LG": lambda: gnn.LGConv(),
    "GatedGraph": lambda: gnn.GatedGraphConv(CHANNELS, num_layers=2),
    "ClusterGCN": lambda: gnn.ClusterGCNConv(CHANNELS, 8),
    "Edge": lambda: gnn.EdgeConv(mlp(2 * CHANNELS)),
    "EG": lambda: gnn.EGConv(CHANNELS, 8, num_heads=2),
    "MixHop": lambda: gnn.MixHopConv(CHANNELS, 8),
    "simple": lambda: gnn.SimpleConv(),
}


def sparse_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        graph, layer = graph_on(device), SPARSE[name]().to(device)
        for layout in (torch.sparse_coo, torch.sparse_csr):
            adjacency = utils.to_torch_sparse_tensor(graph.edge_index.flip(0), size=NODES, layout=layout)
            step(layer, graph.x, adjacency)

    return use


def edge_index_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        graph, layer = graph_on(device), SPARSE[name]().to(device)
        edge_index = EdgeIndex(graph.edge_index, sparse_size=(NODES, NODES), is_undirected=True)
        edge_index = edge_index.sort_by("col").values
        edge_index.fill_cache_()
        step(layer, graph.x, edge_index)

    return use


uses.add_each("sparse matrix in", SPARSE, sparse_use)
uses.add_each("EdgeIndex in", SPARSE, edge_index_use)

BIPARTITE: dict[str, Callable[[], nn.Module]] = {
    "SAGE": lambda: gnn.SAGEConv((CHANNELS, 8), 8),
    "Graph": lambda: gnn.GraphConv((CHANNELS, 8), 8),
    "GAT": lambda: gnn.GATConv((CHANNELS, 8), 8, heads=2, add_self_loops=False),
    "GATv2": lambda: gnn.GATv2Conv((CHANNELS, 8), 8, heads=2, add_self_loops=False),
    "Transformer": lambda: gnn.TransformerConv((CHANNELS, 8), 8, heads=2),
    "ResGatedGraph": lambda: gnn.ResGatedGraphConv((CHANNELS, 8), 8),
    "LE": lambda: gnn.LEConv((CHANNELS, 8), 8),
    "CG": lambda: gnn.CGConv((CHANNELS, 8)),
    "FiLM": lambda: gnn.FiLMConv((CHANNELS, 8), 8),
    "General": lambda: gnn.GeneralConv((CHANNELS, 8), 8),
    "GEN": lambda: gnn.GENConv((CHANNELS, 8), 8),
    "MF": lambda: gnn.MFConv((CHANNELS, 8), 8),
}


def bipartite_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        layer = BIPARTITE[name]().to(device)
        x = torch.randn(20, CHANNELS, device=device), torch.randn(12, 8, device=device)
        ends = torch.randint(0, 20, (50,), device=device), torch.randint(0, 12, (50,), device=device)
        step(layer, x, torch.stack(ends))

    return use


uses.add_each("bipartite", BIPARTITE, bipartite_use)


def attention_mode_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        mechanism, mode = name.split()
        dim = 2 if mode.startswith("multiplicative") else 1
        graph = graph_on(device)
        layer = gnn.RGATConv(
            CHANNELS, 8, RELATIONS, num_bases=2, attention_mechanism=mechanism, attention_mode=mode, heads=2, dim=dim
        )
        step(layer.to(device), graph.x, graph.edge_index, graph.edge_type)
        for modulation in ("additive", "scaled", "f-additive", "f-scaled"):
            layer = gnn.RGATConv(CHANNELS, 8, RELATIONS, num_blocks=2, mod=modulation, attention_mechanism=mechanism)
            step(layer.to(device), graph.x, graph.edge_index, graph.edge_type)

    return use


uses.add_each(
    "RGAT",
    (
        "within-relation additive-self-attention",
        "across-relation multiplicative-self-attention",
        "within-relation multiplicative-self-attention",
    ),
    attention_mode_use,
)


@uses.add
def attention_weights(device: torch.device) -> None:
    graph = graph_on(device)
    for kind in (gnn.GATConv, gnn.GATv2Conv, gnn.TransformerConv):
        layer = kind(CHANNELS, 8, heads=2).to(device)
        _, (_, alpha) = layer(graph.x, graph.edge_index, return_attention_weights=True)
        alpha.mean().backward()
    layer = gnn.FAConv(CHANNELS).to(device)
    layer(graph.x, graph.x_0, graph.edge_index, return_attention_weights=True)


@uses.add
def self_supervised_attention(device: torch.device) -> None:
    graph = batch_on(device)
    for kind, undirected in (("MX", True), ("SD", False)):
        layer = gnn.SuperGATConv(
            CHANNELS, 8, heads=2, attention_type=kind, edge_sample_ratio=0.8, is_undirected=undirected, dropout=0.1
        ).to(device)
        out = layer(graph.x, graph.edge_index, batch=graph.batch)
        (out.square().mean() + layer.get_attention_loss()).backward()
        negatives = utils.negative_sampling(graph.edge_index, graph.num_nodes)
        layer(graph.x, graph.edge_index, neg_edge_index=negatives)


@uses.add
def hypergraph_convolution(device: torch.device) -> None:
    nodes, edges = torch.arange(30, device=device) % 12, torch.arange(30, device=device) % 5
    x, hyperedges = torch.randn(12, CHANNELS, device=device), torch.stack([nodes, edges])
    step(gnn.HypergraphConv(CHANNELS, 8).to(device), x, hyperedges, torch.rand(5, device=device))
    for mode in ("node", "edge"):
        layer = gnn.HypergraphConv(CHANNELS, 8, use_attention=True, attention_mode=mode, heads=2).to(device)
        step(layer, x, hyperedges, hyperedge_attr=torch.randn(5, CHANNELS, device=device))


@uses.add
def fused_attention(device: torch.device) -> None:
    graph = graph_on(device)
    gnn.FusedGATConv.to_graph_format(graph.edge_index, size=(NODES, NODES))


@uses.add
def graph_transformer_layers(device: torch.device) -> None:
    graph = batch_on(device)
    for kind in ("multihead", "performer"):
        local = gnn.GINEConv(mlp(), edge_dim=EDGE_CHANNELS)
        layer = gnn.GPSConv(CHANNELS, local, heads=4, dropout=0.1, attn_type=kind, attn_kwargs={"dropout": 0.1})
        step(layer.to(device), graph.x, graph.edge_index, graph.batch, edge_attr=graph.edge_attr)
        layer.reset_parameters()
    layer = gnn.GPSConv(CHANNELS, None, heads=2, norm="layer_norm").to(device)
    step(layer, graph.x, graph.edge_index, graph.batch)


class GraphTransformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pe_norm = nn.BatchNorm1d(4)
        self.pe_lin = nn.Linear(4, 4)
        self.convs = nn.ModuleList(
            gnn.GPSConv(CHANNELS, gnn.GINConv(mlp()), heads=2, attn_type="performer") for _ in range(2)
        )
        self.node = nn.Linear(CHANNELS, CHANNELS - 4)
        self.head = mlp(CHANNELS, 2)

    def forward(self, data: Data) -> torch.Tensor:
        x = torch.cat([self.node(data.x), self.pe_lin(self.pe_norm(data.pe))], dim=1)
        for conv in self.convs:
            x = conv(x, data.edge_index, data.batch)
        return self.head(gnn.global_add_pool(x, data.batch))


@uses.add
def graph_transformer_training(device: torch.device) -> None:
    add = transforms.AddRandomWalkPE(walk_length=4, attr_name="pe")
    model = GraphTransformer().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    lost = 0.0
    for data in loader.DataLoader([add(each) for each in dataset_of()], batch_size=6, shuffle=True):
        batch = data.to(device)
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(batch), batch.y)
        loss.backward()
        optimizer.step()
        lost += loss.item() * batch.num_graphs
    scheduler.step(lost)


class Messages(gnn.MessagePassing):
    def __init__(self, kind: str) -> None:
        super().__init__(aggr=kind, flow="target_to_source")
        self.lin = gnn.Linear(-1, 8)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor, edge_weight: torch.Tensor) -> torch.Tensor:
        alpha = self.edge_updater(edge_index, edge_weight=edge_weight)
        return self.propagate(edge_index, x=self.lin(x), alpha=alpha)

    def edge_update(self, edge_weight: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return utils.softmax(edge_weight, index)

    def message(self, x_i: torch.Tensor, x_j: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
        return alpha.view(-1, 1) * (x_j - x_i)

    def update(self, aggregated: torch.Tensor) -> torch.Tensor:
        return aggregated.relu()


@uses.add
def own_message_passing(device: torch.device) -> None:
    graph = graph_on(device)
    for kind in ("sum", "mean", "max", "median"):
        layer = Messages(kind).to(device)
        step(layer, graph.x, graph.edge_index, graph.edge_weight)


@uses.add
def message_hooks(device: torch.device) -> None:
    graph, layer = graph_on(device), gnn.GraphConv(CHANNELS, 8).to(device)
    handles = [
        layer.register_propagate_forward_pre_hook(lambda module, inputs: inputs),
        layer.register_message_forward_hook(lambda module, inputs, output: output * 2),
        layer.register_aggregate_forward_hook(lambda module, inputs, output: output),
        layer.register_propagate_forward_hook(lambda module, inputs, output: output),
    ]
    step(layer, graph.x, graph.edge_index, graph.edge_weight)
    for handle in handles:
        handle.remove()


@uses.add
def decomposed_layers(device: torch.device) -> None:
    graph = graph_on(device)
    layer = gnn.GCNConv(CHANNELS, 8, decomposed_layers=2).to(device)
    step(layer, graph.x, graph.edge_index)


@uses.add
def heterogeneous_layers(device: torch.device) -> None:
    data = hetero_on(device)
    sizes = dict.fromkeys(METADATA[0], CHANNELS)
    step(gnn.HGTConv(sizes, 8, METADATA, heads=2).to(device), data.x_dict, data.edge_index_dict)
    layer = gnn.HANConv(sizes, 8, METADATA, heads=2, dropout=0.1).to(device)
    step(layer, data.x_dict, data.edge_index_dict)
    layer(data.x_dict, data.edge_index_dict, return_semantic_attention_weights=True)
    for how in ("sum", "mean", "cat"):
        made = {kind: gnn.SAGEConv((-1, -1), 8) for kind in METADATA[1]}
        step(gnn.HeteroConv(made, aggr=how).to(device), data.x_dict, data.edge_index_dict)
    attended = {kind: gnn.GATConv((-1, -1), 8, add_self_loops=False, edge_dim=EDGE_CHANNELS) for kind in METADATA[1]}
    step(gnn.HeteroConv(attended).to(device), data.x_dict, data.edge_index_dict, data.edge_attr_dict)


class TwoLayers(nn.Module):
    def __init__(self, inputs: int = -1, hidden: int = -1) -> None:
        super().__init__()
        self.first = gnn.SAGEConv((inputs, inputs), 16)
        self.second = gnn.SAGEConv((hidden, hidden), CLASSES)
        self.norm = gnn.LayerNorm(16, mode="node")

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        return self.second(self.norm(self.first(x, edge_index)).relu(), edge_index)


@uses.add
def converted_to_hetero(device: torch.device) -> None:
    data = hetero_on(device)
    for how in ("sum", "mean", "max"):
        model = gnn.to_hetero(TwoLayers(), METADATA, aggr=how).to(device)
        with torch.no_grad():
            model(data.x_dict, data.edge_index_dict)
        train(
            model,
            lambda model=model: functional.cross_entropy(
                model(data.x_dict, data.edge_index_dict)["paper"], data["paper"].y
            ),
        )


@uses.add
def converted_to_hetero_with_bases(device: torch.device) -> None:
    data = hetero_on(device)
    model = gnn.to_hetero_with_bases(TwoLayers(CHANNELS, 16), METADATA, num_bases=2, in_channels={"x": CHANNELS})
    model.to(device)
    step(model, data.x_dict, data.edge_index_dict)


@uses.add
def converted_attention(device: torch.device) -> None:
    data = hetero_on(device)
    model = gnn.to_hetero(gnn.GAT((-1, -1), 16, 2, CLASSES, add_self_loops=False, heads=2), METADATA).to(device)
    with torch.no_grad():
        model(data.x_dict, data.edge_index_dict)
    step(model, data.x_dict, data.edge_index_dict)
    fixed = gnn.to_fixed_size(gnn.MLP([CHANNELS, 8, 4], norm=None), batch_size=NODES).to(device)
    fixed(torch.randn(NODES, CHANNELS, device=device))


@uses.add
def dictionaries_of_modules(device: torch.device) -> None:
    data = hetero_on(device)
    lins = gnn.module_dict.ModuleDict({kind: gnn.Linear(-1, 8) for kind in METADATA[1]}).to(device)
    for kind, lin in lins.items():
        step(lin, data[kind[0]].x)
    weights = gnn.parameter_dict.ParameterDict({kind: nn.Parameter(torch.ones(CHANNELS)) for kind in METADATA[0]})
    weights.to(device)
    sum((data[kind].x * weights[kind]).mean() for kind in METADATA[0]).backward()


@uses.add
def sequential_models(device: torch.device) -> None:
    graph = batch_on(device)
    model = gnn.Sequential(
        "x, edge_index, batch",
        [
            (nn.Dropout(p=0.3), "x -> x"),
            (gnn.GCNConv(CHANNELS, 16), "x, edge_index -> x1"),
            nn.ReLU(inplace=True),
            (gnn.GCNConv(16, 16), "x1, edge_index -> x2"),
            nn.ReLU(inplace=True),
            (lambda x1, x2: [x1, x2], "x1, x2 -> xs"),
            (gnn.JumpingKnowledge("cat", 16, num_layers=2), "xs -> x"),
            (gnn.global_mean_pool, "x, batch -> x"),
            nn.Linear(32, CLASSES),
        ],
    ).to(device)
    step(model, graph.x, graph.edge_index, graph.batch)
    step(gnn.Sequential("x", [(gnn.Reshape(-1, 4), "x -> x"), nn.Linear(4, 2)]).to(device), graph.x)


@uses.add
def encodings(device: torch.device) -> None:
    times = torch.arange(10, dtype=torch.float, device=device)
    gnn.PositionalEncoding(8).to(device)(times)
    gnn.TemporalEncoding(8).to(device)(times)


AGGREGATIONS: dict[str, Callable[[], nn.Module]] = {
    "sum": lambda: aggr.SumAggregation(),
    "mean": lambda: aggr.MeanAggregation(),
    "max": lambda: aggr.MaxAggregation(),
    "min": lambda: aggr.MinAggregation(),
    "mul": lambda: aggr.MulAggregation(),
    "var": lambda: aggr.VarAggregation(),
    "std with half gradients": lambda: aggr.StdAggregation(semi_grad=True),
    "std": lambda: aggr.StdAggregation(),
    "softmax": lambda: aggr.SoftmaxAggregation(learn=True, channels=CHANNELS),
    "softmax with half gradients": lambda: aggr.SoftmaxAggregation(t=0.5, semi_grad=True),
    "power mean": lambda: aggr.PowerMeanAggregation(learn=True),
    "median": lambda: aggr.MedianAggregation(),
    "quantile": lambda: aggr.QuantileAggregation([0.25, 0.75]),
    "quantile by midpoint": lambda: aggr.QuantileAggregation(0.4, interpolation="midpoint"),
    "quantile by nearest": lambda: aggr.QuantileAggregation(0.4, interpolation="nearest"),
    "LSTM": lambda: aggr.LSTMAggregation(CHANNELS, 8),
    "GRU": lambda: aggr.GRUAggregation(CHANNELS, 8),
    "set to set": lambda: aggr.Set2Set(CHANNELS, processing_steps=3),
    "degree scaler": lambda: aggr.DegreeScalerAggregation(
        ["mean", "max"],
        ["identity", "amplification", "attenuation", "linear", "inverse_linear"],
        DEGREES,
        train_norm=True,
    ),
    "sort": lambda: aggr.SortAggregation(k=4),
    "multiset transformer": lambda: aggr.GraphMultisetTransformer(CHANNELS, k=4, heads=2, layer_norm=True),
    "attentional": lambda: aggr.AttentionalAggregation(mlp(CHANNELS, 1), mlp(CHANNELS, 8)),
    "equilibrium": lambda: aggr.EquilibriumAggregation(CHANNELS, 8, num_layers=[8, 8], grad_iter=3),
    "MLP": lambda: aggr.MLPAggregation(CHANNELS, 8, max_num_elements=20, num_layers=1),
    "deep sets": lambda: aggr.DeepSetsAggregation(mlp(), mlp(CHANNELS, 8)),
    "set transformer": lambda: aggr.SetTransformerAggregation(CHANNELS, num_seed_points=2, heads=2, dropout=0.1),
    "LCM": lambda: aggr.LCMAggregation(CHANNELS, 8),
    "variance preserving": lambda: aggr.VariancePreservingAggregation(),
    "patch transformer": lambda: aggr.PatchTransformerAggregation(
        CHANNELS, 8, patch_size=2, hidden_channels=8, heads=2, aggr=["sum", "mean", "max", "std"]
    ),
    "several": lambda: aggr.MultiAggregation(["mean", "max", aggr.SoftmaxAggregation(learn=True)]),
    "several projected": lambda: aggr.MultiAggregation(
        ["mean", "sum"], mode="proj", mode_kwargs={"in_channels": CHANNELS, "out_channels": 8}
    ),
    "several attended": lambda: aggr.MultiAggregation(
        ["mean", "max"],
        mode="attn",
        mode_kwargs={"in_channels": CHANNELS, "out_channels": CHANNELS, "num_heads": 2},
    ),
    "several added": lambda: aggr.MultiAggregation(["mean", "min", "var", "std"], mode="sum"),
}
BY_POINTER = ("sum", "mean", "max", "std", "softmax", "several", "variance preserving", "attentional")


def aggregation_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        batch, layer = batch_on(device), AGGREGATIONS[name]().to(device)
        step(layer, batch.x.requires_grad_(), batch.batch, dim_size=GRAPHS)
        layer(batch.x, batch.batch)
        if name in BY_POINTER:
            layer(batch.x, ptr=batch.ptr)
        layer.reset_parameters()

    return use


uses.add_each("aggregation", AGGREGATIONS, aggregation_use)

NORMS: dict[str, tuple[Callable[[], nn.Module], bool]] = {
    "batch": (lambda: norm.BatchNorm(CHANNELS, allow_single_element=True), False),
    "instance": (lambda: norm.InstanceNorm(CHANNELS, affine=True), True),
    "layer": (lambda: norm.LayerNorm(CHANNELS), True),
    "layer by node": (lambda: norm.LayerNorm(CHANNELS, mode="node"), True),
    "graph": (lambda: norm.GraphNorm(CHANNELS), True),
    "graph size": (lambda: norm.GraphSizeNorm(), True),
    "pair": (lambda: norm.PairNorm(scale_individually=True), True),
    "pair of all": (lambda: norm.PairNorm(), True),
    "mean subtraction": (lambda: norm.MeanSubtractionNorm(), True),
    "group": (lambda: norm.DiffGroupNorm(CHANNELS, groups=3), False),
}


def norm_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, by_graph = NORMS[name]
        batch, layer = batch_on(device), make().to(device)
        step(layer, batch.x.requires_grad_())
        if by_graph:
            step(layer, batch.x, batch.batch)
            layer(batch.x, batch.batch, GRAPHS)
        layer.eval()
        layer(batch.x)

    return use


uses.add_each("norm", NORMS, norm_use)


@uses.add
def heterogeneous_norms(device: torch.device) -> None:
    graph = graph_on(device)
    step(norm.HeteroBatchNorm(CHANNELS, num_types=3).to(device), graph.x, graph.node_type)
    layer = norm.HeteroLayerNorm(CHANNELS, num_types=3).to(device)
    step(layer, graph.x, graph.node_type)
    step(layer, graph.x, type_ptr=[0, 10, 20, NODES])
    step(norm.MessageNorm(learn_scale=True).to(device), graph.x, graph.x_0)
    layer = norm.InstanceNorm(CHANNELS, track_running_stats=True).to(device)
    layer(graph.x, graph.node_type.sort().values)
    layer.eval()(graph.x)
    norm.DiffGroupNorm.group_distance_ratio(graph.x, graph.y)


@uses.add
def global_pools(device: torch.device) -> None:
    batch = batch_on(device)
    for function in (gnn.global_add_pool, gnn.global_mean_pool, gnn.global_max_pool):
        function(batch.x, batch.batch)
        function(batch.x, batch.batch, GRAPHS)
        function(batch.x, None)


POOLS: dict[str, Callable[[], nn.Module]] = {
    "top k": lambda: pool.TopKPooling(CHANNELS, ratio=0.5),
    "top k by number": lambda: pool.TopKPooling(CHANNELS, ratio=3, multiplier=2.0),
    "top k by score": lambda: pool.TopKPooling(CHANNELS, min_score=0.05),
    "self attention": lambda: pool.SAGPooling(CHANNELS, ratio=0.5),
    "self attention by score": lambda: pool.SAGPooling(CHANNELS, min_score=0.05, GNN=gnn.GCNConv),
}


def pool_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        batch, layer = batch_on(device), POOLS[name]().to(device)
        step(layer, batch.x, batch.edge_index, batch.edge_attr, batch.batch)

    return use


uses.add_each("pool", POOLS, pool_use)


@uses.add
def adaptive_pool(device: torch.device) -> None:
    batch = batch_on(device)
    for settings in ({"ratio": 0.5}, {"ratio": 0.8, "GNN": gnn.GCNConv, "add_self_loops": True, "dropout": 0.1}):
        layer = pool.ASAPooling(CHANNELS, **settings).to(device)
        step(layer, batch.x, batch.edge_index, batch=batch.batch)


@uses.add
def edge_pools(device: torch.device) -> None:
    batch = batch_on(device)
    for score in (
        pool.EdgePooling.compute_edge_score_softmax,
        pool.EdgePooling.compute_edge_score_tanh,
        pool.EdgePooling.compute_edge_score_sigmoid,
    ):
        layer = pool.EdgePooling(CHANNELS, edge_score_method=score, dropout=0.1).to(device)
        x, _, _, info = layer(batch.x, batch.edge_index, batch.batch)
        x.sum().backward()
        layer.unpool(x, info)


@uses.add
def cluster_pools(device: torch.device) -> None:
    batch = batch_on(device)
    for method in ("tanh", "sigmoid", "log_softmax"):
        layer = pool.ClusterPooling(CHANNELS, edge_score_method=method, dropout=0.1).to(device)
        step(layer, batch.x, batch.edge_index, batch.batch)


@uses.add
def memory_pool(device: torch.device) -> None:
    batch = batch_on(device)
    first = pool.MemPooling(CHANNELS, 16, heads=2, num_clusters=4).to(device)
    second = pool.MemPooling(16, 8, heads=2, num_clusters=1).to(device)
    x, assigned = first(batch.x, batch.batch)
    out, _ = second(x)
    (out.square().mean() + pool.MemPooling.kl_loss(assigned)).backward()


@uses.add
def selected_and_connected(device: torch.device) -> None:
    batch = batch_on(device)
    select = SelectTopK(CHANNELS, ratio=0.5).to(device)
    selected = select(batch.x, batch.batch)
    FilterEdges()(selected, batch.edge_index, batch.edge_attr, batch.batch)
    decimation_indices(batch.ptr, 2)


@uses.add
def pools_of_clusters(device: torch.device) -> None:
    batch = batch_on(device)
    batch.pos = torch.rand(batch.num_nodes, 3, device=device)
    cluster = torch.arange(batch.num_nodes, device=device) // 3
    plain = Batch(x=batch.x, pos=batch.pos, edge_index=batch.edge_index, batch=batch.batch)
    plain.edge_attr = batch.edge_attr
    pool.max_pool(cluster, copy.copy(plain), transforms.Cartesian(cat=False))
    pool.avg_pool(cluster, copy.copy(plain))
    pool.max_pool_x(cluster, batch.x, batch.batch)
    pool.avg_pool_x(cluster, batch.x, batch.batch)
    pool.max_pool_x(cluster, batch.x, batch.batch, size=12)
    pool.max_pool_neighbor_x(copy.copy(plain))
    pool.avg_pool_neighbor_x(copy.copy(plain))


def dense_on(device: torch.device) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    batch = batch_on(device)
    x, mask = utils.to_dense_batch(batch.x, batch.batch)
    return x, utils.to_dense_adj(batch.edge_index, batch.batch), mask


DENSE: dict[str, Callable[[], nn.Module]] = {
    "GCN": lambda: dense.DenseGCNConv(CHANNELS, 8, improved=True),
    "GIN": lambda: dense.DenseGINConv(mlp(), train_eps=True),
    "Graph": lambda: dense.DenseGraphConv(CHANNELS, 8),
    "Graph by mean": lambda: dense.DenseGraphConv(CHANNELS, 8, aggr="mean"),
    "Graph by maximum": lambda: dense.DenseGraphConv(CHANNELS, 8, aggr="max"),
    "SAGE": lambda: dense.DenseSAGEConv(CHANNELS, 8, normalize=True),
    "GAT": lambda: dense.DenseGATConv(CHANNELS, 8, heads=2, dropout=0.1),
    "GAT averaged": lambda: dense.DenseGATConv(CHANNELS, 8, heads=2, concat=False),
}


def dense_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        layer = DENSE[name]().to(device)
        step(layer, *dense_on(device))

    return use


uses.add_each("dense", DENSE, dense_use)


@uses.add
def dense_pools(device: torch.device) -> None:
    x, adjacency, mask = dense_on(device)
    assign = dense.DenseSAGEConv(CHANNELS, 4).to(device)
    for function in (dense.dense_diff_pool, dense.dense_mincut_pool):
        _, _, first, second = function(x, adjacency, assign(x, adjacency, mask), mask)
        (first + second).backward()
    layer = dense.DMoNPooling([CHANNELS, 16], k=4, dropout=0.1).to(device)
    _, _, _, spectral, orthogonal, cluster = layer(x, adjacency, mask)
    (spectral + orthogonal + cluster).backward()


@uses.add
def linear_layers(device: torch.device) -> None:
    graph, data = graph_on(device), hetero_on(device)
    for weight, bias in (("glorot", "zeros"), ("kaiming_uniform", None), ("uniform", None)):
        step(dense.Linear(CHANNELS, 8, weight_initializer=weight, bias_initializer=bias).to(device), graph.x)
    step(dense.Linear(-1, 8, bias=False).to(device), graph.x)
    step(dense.HeteroLinear(CHANNELS, 8, num_types=3).to(device), graph.x, graph.node_type)
    ordered, _ = graph.node_type.sort()
    step(dense.HeteroLinear(CHANNELS, 8, num_types=3, is_sorted=True).to(device), graph.x, ordered)
    step(dense.HeteroDictLinear(-1, 8, types=METADATA[0]).to(device), data.x_dict)
    step(dense.HeteroDictLinear({"author": CHANNELS, "paper": CHANNELS}, 8).to(device), data.x_dict)


@uses.add
def attention_layers(device: torch.device) -> None:
    x, _, mask = dense_on(device)
    step(attention.PerformerAttention(CHANNELS, heads=2, head_channels=8, dropout=0.1).to(device), x, mask)
    step(attention.SGFormerAttention(CHANNELS, heads=2, head_channels=8).to(device), x, mask)
    step(attention.PolynormerAttention(CHANNELS, heads=2, head_channels=8).to(device), x, mask)
    step(attention.QFormer(CHANNELS, 16, 8, num_heads=2, num_layers=1).to(device), x)
    performer = attention.PerformerAttention(CHANNELS, heads=2, kernel=nn.Softplus()).to(device)
    performer.redraw_projection_matrix()
    performer(x)


@uses.add
def regularisation(device: torch.device) -> None:
    batch = batch_on(device)
    weight = torch.rand(8, 8, device=device, requires_grad=True)
    gnn.gini(weight).backward()
    gnn.bro(batch.x.requires_grad_(), batch.batch).backward()


BASIC: dict[str, Callable[[], nn.Module]] = {
    "GCN": lambda: models.GCN(CHANNELS, 16, 3, CLASSES, dropout=0.2, norm="batch_norm", jk="cat"),
    "GraphSAGE": lambda: models.GraphSAGE(CHANNELS, 16, 3, CLASSES, act="elu", norm="graph_norm", jk="lstm"),
    "GIN": lambda: models.GIN(CHANNELS, 16, 2, CLASSES, norm="layer_norm", jk="max", train_eps=True),
    "GAT": lambda: models.GAT(CHANNELS, 16, 2, CLASSES, heads=2, v2=True, dropout=0.2, jk="last"),
    "GAT of the first version": lambda: models.GAT(CHANNELS, 16, 2, CLASSES, heads=2, edge_dim=EDGE_CHANNELS),
    "PNA": lambda: models.PNA(
        CHANNELS, 16, 2, CLASSES, aggregators=["mean", "max"], scalers=["identity", "attenuation"], deg=DEGREES
    ),
    "EdgeCNN": lambda: models.EdgeCNN(CHANNELS, 16, 2, CLASSES, norm="pair_norm"),
}


def basic_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        batch, model = batch_on(device), BASIC[name]().to(device)
        weights = {"edge_weight": batch.edge_weight} if model.supports_edge_weight else {}
        if name == "GAT of the first version":
            weights = {"edge_attr": batch.edge_attr}

        def loss() -> torch.Tensor:
            out = model(batch.x, batch.edge_index, batch=batch.batch, batch_size=GRAPHS, **weights)
            return functional.cross_entropy(out[batch.train_mask], batch.y[batch.train_mask])

        train(model, loss)
        with torch.no_grad():
            correct = model(batch.x, batch.edge_index, **weights).argmax(1) == batch.y
        int(correct.sum())

    return use


uses.add_each("model", BASIC, basic_use)

NODE_MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[str, ...]]] = {
    "GraphUNet": (lambda: models.GraphUNet(CHANNELS, 16, CLASSES, depth=2, pool_ratios=0.5), MESSAGES),
    "GraphUNet concatenating": (lambda: models.GraphUNet(CHANNELS, 16, CLASSES, 2, 0.5, sum_res=False), MESSAGES),
    "AttentiveFP": (
        lambda: models.AttentiveFP(CHANNELS, 16, 2, EDGE_CHANNELS, num_layers=2, num_timesteps=2, dropout=0.1),
        ("x", "edge_index", "edge_attr", "batch"),
    ),
    "RECT": (lambda: models.RECT_L(CHANNELS, 16, dropout=0.1), MESSAGES),
    "NeuralFingerprint": (lambda: models.NeuralFingerprint(CHANNELS, 16, 8, 2), ("x", "edge_index", "batch")),
    "SGFormer": (lambda: models.SGFormer(CHANNELS, 16, CLASSES, trans_num_heads=2), ("x", "edge_index", "batch")),
    "SGFormer concatenating": (
        lambda: models.SGFormer(CHANNELS, 16, CLASSES, aggregate="cat"),
        ("x", "edge_index", "batch"),
    ),
    "Polynormer": (
        lambda: models.Polynormer(CHANNELS, 16, CLASSES, local_layers=2, global_layers=1, heads=2),
        ("x", "edge_index", "batch"),
    ),
    "Polynormer by attention": (
        lambda: models.Polynormer(CHANNELS, 16, CLASSES, 2, 1, heads=2, local_attn=True, pre_ln=True, qk_shared=True),
        ("x", "edge_index", "batch"),
    ),
    "ARLinkPredictor": (lambda: models.ARLinkPredictor(CHANNELS, 16, 8, dropout=0.1), MESSAGES),
    "MLP": (lambda: models.MLP([CHANNELS, 32, 8], dropout=0.2, norm="graph_norm"), ("x", "batch")),
    "MLP of equal layers": (
        lambda: models.MLP(
            in_channels=CHANNELS, hidden_channels=16, out_channels=8, num_layers=3, act_first=True, plain_last=False
        ),
        ("x",),
    ),
}


def node_model_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, keys = NODE_MODELS[name]
        batch, model = batch_on(device), make().to(device)
        step(model, *(batch[key] for key in keys))
        model.reset_parameters()
        model.eval()
        with torch.no_grad():
            model(*(batch[key] for key in keys))

    return use


uses.add_each("model", NODE_MODELS, node_model_use)


@uses.add
def layerwise_trimming(device: torch.device) -> None:
    near = torch.stack([torch.arange(12, 28), torch.arange(16) % 12])
    far = torch.stack([torch.arange(28, 40), torch.arange(12) + 12])
    x, edge_index = torch.randn(NODES, CHANNELS, device=device), torch.cat([near, far], dim=1).to(device)
    hops = {"num_sampled_nodes_per_hop": [12, 16, 12], "num_sampled_edges_per_hop": [16, 12]}
    for model in (models.GraphSAGE(CHANNELS, 16, 2, CLASSES), models.GAT(CHANNELS, 16, 2, CLASSES)):
        model.to(device)(x, edge_index, **hops)[:12].sum().backward()


@uses.add
def jumping_knowledge(device: torch.device) -> None:
    layers = [torch.randn(NODES, CHANNELS, device=device) for _ in range(3)]
    for mode in ("cat", "max", "lstm"):
        step(models.JumpingKnowledge(mode, CHANNELS, num_layers=3).to(device), layers)
        kinds = {"author": layers, "paper": layers}
        step(models.HeteroJumpingKnowledge(["author", "paper"], mode, CHANNELS, num_layers=3).to(device), kinds)


class EdgeModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mlp = mlp(2 * CHANNELS + EDGE_CHANNELS + 8, EDGE_CHANNELS)

    def forward(
        self, src: torch.Tensor, dst: torch.Tensor, edge_attr: torch.Tensor, u: torch.Tensor, batch: torch.Tensor
    ) -> torch.Tensor:
        return self.mlp(torch.cat([src, dst, edge_attr, u[batch]], dim=1))


class NodeModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mlp = mlp(CHANNELS + EDGE_CHANNELS + 8)

    def forward(
        self, x: torch.Tensor, edge_index: torch.Tensor, edge_attr: torch.Tensor, u: torch.Tensor, batch: torch.Tensor
    ) -> torch.Tensor:
        received = utils.scatter(edge_attr, edge_index[1], dim=0, dim_size=x.size(0), reduce="mean")
        return self.mlp(torch.cat([x, received, u[batch]], dim=1))


class GlobalModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mlp = mlp(CHANNELS + 8, 8)

    def forward(
        self, x: torch.Tensor, edge_index: torch.Tensor, edge_attr: torch.Tensor, u: torch.Tensor, batch: torch.Tensor
    ) -> torch.Tensor:
        return self.mlp(torch.cat([u, utils.scatter(x, batch, dim=0, reduce="mean")], dim=1))


@uses.add
def meta_layer(device: torch.device) -> None:
    batch = batch_on(device)
    layer = models.MetaLayer(EdgeModel(), NodeModel(), GlobalModel()).to(device)
    u = torch.randn(GRAPHS, 8, device=device)
    step(layer, batch.x, batch.edge_index, batch.edge_attr, u, batch.batch)


def corrupted(x: torch.Tensor, edge_index: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x[torch.randperm(x.size(0), device=x.device)], edge_index


@uses.add
def deep_graph_infomax(device: torch.device) -> None:
    graph = graph_on(device)
    model = models.DeepGraphInfomax(
        hidden_channels=16,
        encoder=models.GCN(CHANNELS, 16, 1),
        summary=lambda z, *_: z.mean(dim=0).sigmoid(),
        corruption=corrupted,
    ).to(device)
    train(model, lambda: model.loss(*model(graph.x, graph.edge_index)))
    z, _, _ = model(graph.x, graph.edge_index)
    model.test(z[:30], graph.y[:30], z[30:], graph.y[30:], max_iter=20)


def split_on(device: torch.device) -> tuple[Data, Data, Data]:
    data = Data(x=torch.randn(NODES, CHANNELS), edge_index=utils.erdos_renyi_graph(NODES, 0.2))
    transform = transforms.Compose(
        [
            transforms.NormalizeFeatures(),
            transforms.ToDevice(device),
            transforms.RandomLinkSplit(
                num_val=0.1,
                num_test=0.2,
                is_undirected=True,
                split_labels=True,
                add_negative_train_samples=False,
            ),
        ]
    )
    return transform(data)


class VariationalEncoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = gnn.GCNConv(CHANNELS, 16)
        self.mu, self.logstd = gnn.GCNConv(16, 8), gnn.GCNConv(16, 8)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.conv(x, edge_index).relu()
        return self.mu(x, edge_index), self.logstd(x, edge_index)


@uses.add
def graph_autoencoder(device: torch.device) -> None:
    train_data, _, test_data = split_on(device)
    model = models.GAE(models.GCN(CHANNELS, 16, 2, 8)).to(device)

    def loss() -> torch.Tensor:
        z = model.encode(train_data.x, train_data.edge_index)
        return model.recon_loss(z, train_data.pos_edge_label_index)

    train(model, loss)
    with torch.no_grad():
        z = model.encode(test_data.x, test_data.edge_index)
        model.test(z, test_data.pos_edge_label_index, test_data.neg_edge_label_index)
        model.decoder.forward_all(z)


@uses.add
def variational_graph_autoencoder(device: torch.device) -> None:
    train_data, _, test_data = split_on(device)
    model = models.VGAE(VariationalEncoder()).to(device)

    def loss() -> torch.Tensor:
        z = model.encode(train_data.x, train_data.edge_index)
        return model.recon_loss(z, train_data.pos_edge_label_index) + model.kl_loss() / train_data.num_nodes

    train(model, loss)
    z = model.encode(test_data.x, test_data.edge_index)
    model.test(z, test_data.pos_edge_label_index, test_data.neg_edge_label_index)


@uses.add
def adversarial_autoencoders(device: torch.device) -> None:
    train_data, _, _ = split_on(device)
    for model in (
        models.ARGA(models.GCN(CHANNELS, 16, 2, 8), mlp(8, 1)),
        models.ARGVA(VariationalEncoder(), mlp(8, 1)),
    ):
        model.to(device)
        optimizer = torch.optim.Adam(model.encoder.parameters(), lr=0.01)
        critic = torch.optim.Adam(model.discriminator.parameters(), lr=0.01)
        z = model.encode(train_data.x, train_data.edge_index)
        critic.zero_grad()
        model.discriminator_loss(z).backward()
        critic.step()
        optimizer.zero_grad()
        loss = model.recon_loss(z, train_data.pos_edge_label_index) + model.reg_loss(z)
        if isinstance(model, models.ARGVA):
            loss = loss + model.kl_loss() / train_data.num_nodes
        loss.backward()
        optimizer.step()


@uses.add
def signed_network(device: torch.device) -> None:
    positive = torch.randint(0, NODES, (2, 120), device=device)
    negative = torch.randint(0, NODES, (2, 60), device=device)
    model = models.SignedGCN(CHANNELS, 16, num_layers=2, lamb=5).to(device)
    train_positive, test_positive = model.split_edges(positive)
    train_negative, test_negative = model.split_edges(negative)
    x = model.create_spectral_features(train_positive, train_negative, NODES)
    train(model, lambda: model.loss(model(x, train_positive, train_negative), train_positive, train_negative), 1)
    with torch.no_grad():
        model.test(model(x, train_positive, train_negative), test_positive, test_negative)


@uses.add
def recurrent_events(device: torch.device) -> None:
    add_history = models.RENet.pre_transform(seq_len=3)
    events = torch.stack([torch.randint(0, 10, (24,)), torch.randint(0, 4, (24,)), torch.randint(0, 10, (24,))])
    data = [
        add_history(Data(sub=sub, rel=rel, obj=obj, t=torch.tensor(i // 4)))
        for i, (sub, rel, obj) in enumerate(events.t())
    ]
    model = models.RENet(num_nodes=10, num_rels=4, hidden_channels=8, seq_len=3, dropout=0.1).to(device)
    batches = loader.DataLoader(data[8:], batch_size=8, follow_batch=["h_sub", "h_obj"])
    for batch in batches:
        batch = batch.to(device)
        log_sub, log_obj = model(batch)
        (functional.nll_loss(log_sub, batch.sub) + functional.nll_loss(log_obj, batch.obj)).backward()
        model.test(log_obj, batch.obj)


@uses.add
def continuous_filters(device: torch.device) -> None:
    def complete(pos: torch.Tensor, batch: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        same = batch[:, None] == batch[None, :]
        same.fill_diagonal_(False)
        row, col = same.nonzero(as_tuple=True)
        return torch.stack([row, col]), (pos[row] - pos[col]).norm(dim=-1)

    batch = batch_on(device)
    kinds = torch.randint(1, 10, (batch.num_nodes,), device=device)
    for settings in ({}, {"readout": "mean", "mean": 0.1, "std": 2.0}):
        model = models.SchNet(16, 16, 2, 8, interaction_graph=complete, **settings).to(device)
        step(model, kinds, batch.pos, batch.batch)


@uses.add
def forces(device: torch.device) -> None:
    def complete(pos: torch.Tensor, batch: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        row, col = torch.combinations(torch.arange(pos.size(0), device=device)).t()
        return torch.stack([row, col]), (pos[row] - pos[col]).norm(dim=-1)

    pos = torch.rand(8, 3, device=device, requires_grad=True)
    reference = torch.rand(100, 1)
    model = models.SchNet(16, 16, 2, 8, interaction_graph=complete, atomref=reference).to(device)
    energy = model(torch.randint(1, 10, (8,), device=device), pos)
    torch.autograd.grad(energy.sum(), pos, create_graph=True)[0].square().mean().backward()


@uses.add
def positional_encoder(device: torch.device) -> None:
    model = models.GPSE(dim_inner=32, layers_mp=2, multi_head_dim_inner=8).to(device)
    noisy = [
        Data(torch.randn(8, 20), utils.erdos_renyi_graph(8, 0.5), y=torch.randn(8, 51), y_graph=torch.randn(1, 11))
        for _ in range(3)
    ]
    step(model, Batch.from_data_list([transforms.VirtualNode()(each) for each in noisy]).to(device))
    model.post_mp = IdentityHead()
    model.eval()
    data = Data(x=torch.randn(10, CHANNELS), edge_index=utils.erdos_renyi_graph(10, 0.5)).to(device)
    transforms.AddGPSE(model)(data)
    encoder = models.GPSENodeEncoder(dim_emb=24, dim_pe_in=32, dim_pe_out=8, dim_in=CHANNELS, expand_x=True).to(device)
    encoder(data.x, data.pestat_GPSE.to(device)).sum().backward()


@uses.add
def metapath_embeddings(device: torch.device) -> None:
    data = hetero_on(torch.device("cpu"))
    model = models.MetaPath2Vec(
        data.edge_index_dict,
        embedding_dim=8,
        metapath=[METADATA[1][0], METADATA[1][2], METADATA[1][3], METADATA[1][1]],
        walk_length=6,
        context_size=3,
        walks_per_node=2,
        num_negative_samples=2,
        sparse=True,
    ).to(device)
    optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=0.01)
    for positive, negative in model.loader(batch_size=10, shuffle=True):
        optimizer.zero_grad()
        loss = model.loss(positive.to(device), negative.to(device))
        loss.backward()
        optimizer.step()
        loss.item()
    z = model("author", batch=torch.arange(20, device=device))
    y = data["author"].y.to(device)
    model.test(z[:15], y[:15], z[15:], y[15:], max_iter=10)


@uses.add
def deep_layers(device: torch.device) -> None:
    graph = graph_on(device)
    for block in ("res+", "res", "dense", "plain"):
        layer = models.DeepGCNLayer(
            gnn.GENConv(CHANNELS, CHANNELS), norm.LayerNorm(CHANNELS), nn.ReLU(), block, 0.1, block == "res+"
        ).to(device)
        step(layer, graph.x.clone().requires_grad_(), graph.edge_index)


@uses.add
def reversible_layers(device: torch.device) -> None:
    graph = graph_on(device)
    layer = models.GroupAddRev(gnn.SAGEConv(CHANNELS // 2, CHANNELS // 2), num_groups=2).to(device)
    x = graph.x.clone().requires_grad_()
    layer(x * 1.0, graph.edge_index).square().mean().backward()
    with torch.no_grad():
        layer.inverse(layer(graph.x, graph.edge_index), graph.edge_index)


class TemporalAttention(nn.Module):
    def __init__(self, channels: int, messages: int, times: nn.Module) -> None:
        super().__init__()
        self.times = times
        self.conv = gnn.TransformerConv(channels, channels // 2, heads=2, edge_dim=messages + channels)

    def forward(
        self,
        x: torch.Tensor,
        updated: torch.Tensor,
        edge_index: torch.Tensor,
        t: torch.Tensor,
        messages: torch.Tensor,
    ) -> torch.Tensor:
        since = self.times((updated[edge_index[0]] - t).to(x.dtype))
        return self.conv(x, edge_index, torch.cat([since, messages], dim=-1))


def events(count: int = 80) -> TemporalData:
    return TemporalData(
        src=torch.randint(0, 10, (count,)),
        dst=torch.randint(10, 20, (count,)),
        t=torch.arange(count),
        msg=torch.randn(count, 8),
    )


def temporal_memory_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        data = events().to(device)
        gather = LastAggregator() if name == "last" else MeanAggregator()
        memory = models.TGNMemory(20, 8, 16, 16, IdentityMessage(8, 16, 16), gather).to(device)
        layer, decoder = TemporalAttention(16, 8, memory.time_enc).to(device), mlp(32, 1).to(device)
        neighbours, places = LastNeighborLoader(20, size=4, device=device), torch.empty(20, dtype=torch.long).to(device)
        parameters = {*memory.parameters(), *layer.parameters(), *decoder.parameters()}
        optimizer = torch.optim.Adam(parameters, lr=1e-3)
        memory.train()
        for batch in loader.TemporalDataLoader(data, batch_size=20, neg_sampling_ratio=1.0):
            optimizer.zero_grad()
            n_id, edge_index, e_id = neighbours(batch.n_id)
            places[n_id] = torch.arange(n_id.size(0), device=device)
            z, updated = memory(n_id)
            z = layer(z, updated, edge_index, data.t[e_id], data.msg[e_id])
            positive = decoder(torch.cat([z[places[batch.src]], z[places[batch.dst]]], dim=1))
            negative = decoder(torch.cat([z[places[batch.src]], z[places[batch.neg_dst]]], dim=1))
            loss = functional.softplus(-positive).mean() + functional.softplus(negative).mean()
            memory.update_state(batch.src, batch.dst, batch.t, batch.msg)
            neighbours.insert(batch.src, batch.dst)
            loss.backward()
            optimizer.step()
            memory.detach()
            float(loss)
        memory.eval()
        memory.reset_state()
        neighbours.reset_state()

    return use


uses.add_each("temporal memory by", ("last", "mean"), temporal_memory_use)


@uses.add
def graph_mixer(device: torch.device) -> None:
    graph = graph_on(device)
    edge_time = torch.rand(graph.num_edges, device=device) * 50
    seed_time = torch.full((NODES,), 40.0, device=device)
    NodeEncoder(time_window=20)(graph.x, graph.edge_index, edge_time, seed_time)
    layer = LinkEncoder(4, EDGE_CHANNELS, 16, 8, time_channels=8, dropout=0.1).to(device)
    step(layer, graph.edge_index, graph.edge_attr, edge_time, seed_time)


@uses.add
def label_propagation(device: torch.device) -> None:
    graph = graph_on(device)
    model = models.LabelPropagation(num_layers=3, alpha=0.9)
    model(graph.y, graph.edge_index, mask=graph.train_mask)
    model(graph.y, graph.edge_index, edge_weight=graph.edge_weight)
    soft = torch.randn(NODES, CLASSES, device=device).softmax(dim=-1)
    for autoscale in (True, False):
        post = models.CorrectAndSmooth(3, 0.8, 3, 0.8, autoscale=autoscale)
        corrected = post.correct(soft, graph.y[graph.train_mask], graph.train_mask, graph.edge_index)
        post.smooth(corrected, graph.y[graph.train_mask], graph.train_mask, graph.edge_index)


@uses.add
def zero_shot_embeddings(device: torch.device) -> None:
    graph = graph_on(device)
    model = models.RECT_L(CHANNELS, 16).to(device)
    semantic = model.get_semantic_labels(graph.x, graph.y, graph.train_mask)
    functional.mse_loss(model(graph.x, graph.edge_index)[graph.train_mask], semantic).backward()
    model.eval()
    model.embed(graph.x, graph.edge_index)


@uses.add
def large_heterophilous(device: torch.device) -> None:
    graph = graph_on(device)
    model = models.LINKX(NODES, CHANNELS, 16, CLASSES, num_layers=2, num_edge_layers=2, num_node_layers=2).to(device)
    step(model, graph.x, graph.edge_index)
    step(models.LINKX(NODES, CHANNELS, 16, CLASSES, 2).to(device), None, graph.edge_index, graph.edge_weight)


@uses.add
def propagated_perceptron(device: torch.device) -> None:
    graph, model = graph_on(device), models.PMLP(CHANNELS, 16, CLASSES, 3).to(device)
    train(model, lambda: functional.cross_entropy(model(graph.x), graph.y))
    model(graph.x, graph.edge_index).argmax(1)


@uses.add
def recommendation(device: torch.device) -> None:
    users, items = torch.randint(0, 20, (100,), device=device), torch.randint(20, 50, (100,), device=device)
    edge_index = utils.to_undirected(torch.stack([users, items]))
    model = models.LightGCN(50, 16, num_layers=2).to(device)
    negatives = torch.stack([users, torch.randint(20, 50, (100,), device=device)])

    def loss() -> torch.Tensor:
        labels = torch.cat([torch.stack([users, items]), negatives], dim=1)
        positive, negative = model(edge_index, labels).chunk(2)
        return model.recommendation_loss(positive, negative, node_id=labels.unique(), lambda_reg=1e-4)

    train(model, loss)
    targets = torch.randint(0, 2, (100,), device=device).float()
    model.link_pred_loss(model(edge_index, negatives), targets).backward()
    model.predict_link(edge_index, negatives, prob=True)
    customers, products = torch.arange(20, device=device), torch.arange(20, 50, device=device)
    model.recommend(edge_index, src_index=customers, dst_index=products, k=5)
    found = model.get_embedding(edge_index)
    precision = metrics.LinkPredPrecision(k=5).to(device)
    scores = found[:20] @ found[20:].t()
    precision.update(scores.topk(5, dim=1).indices, torch.stack([users, items - 20]))
    float(precision.compute())


@uses.add
def masked_labels(device: torch.device) -> None:
    graph = graph_on(device)
    for method in ("add", "concat"):
        layer = models.MaskLabel(CLASSES, CHANNELS, method).to(device)
        step(layer, graph.x, graph.y, graph.train_mask)
    models.MaskLabel.ratio_mask(graph.train_mask, 0.5)


@uses.add
def link_transformer(device: torch.device) -> None:
    graph = graph_on(device)
    walk = utils.to_dense_adj(graph.edge_index, max_num_nodes=NODES)[0]
    walk = walk / walk.sum(dim=0).clamp(min=1)
    matrix = (0.2 * (torch.eye(NODES, device=device) - 0.8 * walk).inverse()).relu().to_sparse()
    model = models.LPFormer(CHANNELS, 16, num_gnn_layers=2, ppr_thresholds=[0, 1e-3, 1e-2]).to(device)
    pairs = torch.randint(0, NODES, (2, 12), device=device)
    step(model, pairs, graph.x, graph.edge_index, matrix)


@uses.add
def attract_and_repel(device: torch.device) -> None:
    graph = graph_on(device)
    model = models.ARLinkPredictor(CHANNELS, 16, 8).to(device)
    attract, repel = model.encode(graph.x)
    model.decode(attract, repel, graph.edge_index).sum().backward()
    model.calculate_r_fraction(attract, repel)


def graph_adversary_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        graph = graph_on(device)
        model = models.GCN(CHANNELS, 16, 2, CLASSES).to(device)
        train(model, lambda: functional.cross_entropy(model(graph.x, graph.edge_index), graph.y), 3)
        made = {"block_size": 200, "epochs": 4, "log": False}
        if name == "greedy":
            attack = GRBCDAttack(model, **made)
        else:
            attack = PRBCDAttack(model, epochs_resampling=2, loss=name, **made)
        changed, _ = attack.attack(graph.x, graph.edge_index, graph.y, budget=6, idx_attack=graph.train_mask)
        with torch.no_grad():
            (model(graph.x, changed).argmax(1) == graph.y).float().mean().item()

    return use


uses.add_each("attack by", ("masked", "margin", "prob_margin", "tanh_margin", "greedy"), graph_adversary_use)

KNOWLEDGE: dict[str, Callable[[], kge.KGEModel]] = {
    "TransE": lambda: kge.TransE(30, 4, 16),
    "TransE sparse": lambda: kge.TransE(30, 4, 16, p_norm=2.0, sparse=True),
    "ComplEx": lambda: kge.ComplEx(30, 4, 16),
    "DistMult": lambda: kge.DistMult(30, 4, 16),
    "RotatE": lambda: kge.RotatE(30, 4, 16, margin=2.0),
}


def knowledge_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = KNOWLEDGE[name]().to(device)
        head, relation, tail = (torch.randint(0, n, (90,), device=device) for n in (30, 4, 30))
        kind = torch.optim.SparseAdam if "sparse" in name else torch.optim.Adam
        optimizer = kind(list(model.parameters()), lr=0.01)
        for batch in model.loader(head, relation, tail, batch_size=30, shuffle=True):
            optimizer.zero_grad()
            loss = model.loss(*(each.to(device) for each in batch))
            loss.backward()
            optimizer.step()
            float(loss)
        model.eval()
        model.test(head[:10], relation[:10], tail[:10], batch_size=16, k=5, log=False)

    return use


uses.add_each("knowledge graph", KNOWLEDGE, knowledge_use)

SCHEDULERS: dict[str, Callable[[torch.optim.Optimizer], torch.optim.lr_scheduler.LRScheduler]] = {
    "constant": lambda optimizer: ConstantWithWarmupLR(optimizer, 2),
    "linear": lambda optimizer: LinearWithWarmupLR(optimizer, 2, 6),
    "cosine": lambda optimizer: CosineWithWarmupLR(optimizer, 2, 6),
    "restarts": lambda optimizer: CosineWithWarmupRestartsLR(optimizer, 2, 6, num_cycles=2),
    "polynomial": lambda optimizer: PolynomialWithWarmupLR(optimizer, 2, 6, power=2.0),
}


def scheduler_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model, x = gnn.Linear(CHANNELS, 4).to(device), torch.randn(8, CHANNELS, device=device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scheduler = SCHEDULERS[name](optimizer)
        for _ in range(7):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
            scheduler.step()

    return use


uses.add_each("scheduler", SCHEDULERS, scheduler_use)

EXPLAINERS: dict[str, tuple[Callable[[], explain.ExplainerAlgorithm], dict[str, str]]] = {
    "GNNExplainer": (
        lambda: explain.GNNExplainer(epochs=5),
        {"node_mask_type": "attributes", "edge_mask_type": "object"},
    ),
    "GNNExplainer of nodes": (lambda: explain.GNNExplainer(epochs=5), {"node_mask_type": "object"}),
    "GNNExplainer of common attributes": (
        lambda: explain.GNNExplainer(epochs=5, lr=0.02),
        {"node_mask_type": "common_attributes", "edge_mask_type": "object"},
    ),
    "dummy": (lambda: explain.DummyExplainer(), {"node_mask_type": "attributes", "edge_mask_type": "object"}),
    "GraphMask": (
        lambda: explain.GraphMaskExplainer(2, epochs=3, log=False),
        {"node_mask_type": "attributes", "edge_mask_type": "object"},
    ),
    "integrated gradients": (
        lambda: explain.CaptumExplainer("IntegratedGradients", n_steps=5),
        {"node_mask_type": "attributes", "edge_mask_type": "object"},
    ),
    "saliency": (lambda: explain.CaptumExplainer("Saliency"), {"node_mask_type": "attributes"}),
    "Shapley values": (
        lambda: explain.CaptumExplainer("ShapleyValueSampling", n_samples=1),
        {"edge_mask_type": "object"},
    ),
    "attention": (lambda: explain.AttentionExplainer(), {"edge_mask_type": "object"}),
}
CONFIG = {"mode": "multiclass_classification", "task_level": "node", "return_type": "raw"}


def explainer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, masks = EXPLAINERS[name]
        graph = graph_on(device, 20)
        kind = models.GAT if name == "attention" else models.GCN
        model = kind(CHANNELS, 16, 2, CLASSES).to(device)
        explainer = explain.Explainer(
            model,
            algorithm=make(),
            explanation_type="model",
            model_config=CONFIG,
            threshold_config={"threshold_type": "topk", "value": 10},
            **masks,
        )
        explanation = explainer(graph.x, graph.edge_index, index=4)
        explanation.validate_masks()
        explain_metric.unfaithfulness(explainer, explanation)
        if masks.get("node_mask_type") != "common_attributes":
            explanation.get_explanation_subgraph()
            explanation.get_complement_subgraph()

    return use


uses.add_each("explainer", EXPLAINERS, explainer_use)


@uses.add
def parametrised_explainer(device: torch.device) -> None:
    graph = graph_on(device)
    model = models.GCN(CHANNELS, 16, 2, CLASSES).to(device)
    explainer = explain.Explainer(
        model,
        algorithm=explain.PGExplainer(epochs=2, lr=0.003).to(device),
        explanation_type="phenomenon",
        edge_mask_type="object",
        model_config=CONFIG,
    )
    for epoch in range(2):
        for index in (1, 5, 9):
            explainer.algorithm.train(epoch, model, graph.x, graph.edge_index, target=graph.y, index=index)
    explainer(graph.x, graph.edge_index, target=graph.y, index=4)


class GraphClassifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gnn = models.GCN(CHANNELS, 16, 2)
        self.head = nn.Linear(16, 1)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor, batch: torch.Tensor | None = None) -> torch.Tensor:
        return self.head(gnn.global_mean_pool(self.gnn(x, edge_index), batch))


@uses.add
def explained_graphs(device: torch.device) -> None:
    graph = graph_on(device, 12)
    batch = torch.zeros(12, dtype=torch.long, device=device)
    ones = torch.ones(1, 1, dtype=torch.long, device=device)
    for mode, asked, target in (("binary_classification", "phenomenon", ones), ("regression", "model", None)):
        explainer = explain.Explainer(
            GraphClassifier().to(device),
            algorithm=explain.GNNExplainer(epochs=4),
            explanation_type=asked,
            node_mask_type="object",
            edge_mask_type="object",
            model_config={"mode": mode, "task_level": "graph", "return_type": "raw"},
            threshold_config=("hard", 0.5),
        )
        explanation = explainer(graph.x, graph.edge_index, target=target, batch=batch)
        if target is not None:
            explain_metric.fidelity(explainer, explanation)


@uses.add
def parametrised_explainer_of_graphs(device: torch.device) -> None:
    graph = graph_on(device, 12)
    batch = torch.zeros(12, dtype=torch.long, device=device)
    model = GraphClassifier().to(device)
    explainer = explain.Explainer(
        model,
        algorithm=explain.PGExplainer(epochs=2).to(device),
        explanation_type="phenomenon",
        edge_mask_type="object",
        model_config={"mode": "regression", "task_level": "graph", "return_type": "raw"},
    )
    target = torch.ones(1, 1, device=device)
    for epoch in range(2):
        explainer.algorithm.train(epoch, model, graph.x, graph.edge_index, target=target, batch=batch)
    explainer(graph.x, graph.edge_index, target=target, batch=batch)


class EdgeScorer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gnn = models.GraphSAGE(CHANNELS, 16, 2)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor, edge_label_index: torch.Tensor) -> torch.Tensor:
        return models.InnerProductDecoder()(self.gnn(x, edge_index), edge_label_index)


@uses.add
def explained_links(device: torch.device) -> None:
    graph = graph_on(device)
    explainer = explain.Explainer(
        EdgeScorer().to(device),
        algorithm=explain.GNNExplainer(epochs=4),
        explanation_type="model",
        node_mask_type="attributes",
        edge_mask_type="object",
        model_config={"mode": "binary_classification", "task_level": "edge", "return_type": "probs"},
    )
    explanation = explainer(graph.x, graph.edge_index, edge_label_index=graph.edge_index[:, :1])
    repr(explanation.available_explanations)


class PaperModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gnn = gnn.to_hetero(TwoLayers(CHANNELS, 16), METADATA)

    def forward(self, x_dict: dict, edge_index_dict: dict) -> torch.Tensor:
        return self.gnn(x_dict, edge_index_dict)["paper"]


class AttendedPapers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        made = {kind: gnn.GATConv((CHANNELS, CHANNELS), CLASSES, add_self_loops=False) for kind in METADATA[1]}
        self.conv = gnn.HeteroConv(made)

    def forward(self, x_dict: dict, edge_index_dict: dict) -> torch.Tensor:
        return self.conv(x_dict, edge_index_dict)["paper"]


@uses.add
def attention_of_heterogeneous_graphs(device: torch.device) -> None:
    data = hetero_on(device)
    explainer = explain.Explainer(
        AttendedPapers().to(device),
        algorithm=explain.AttentionExplainer("mean"),
        explanation_type="model",
        edge_mask_type="object",
        model_config=CONFIG,
    )
    explainer(data.x_dict, data.edge_index_dict, index=3)


def hetero_explainer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        data = hetero_on(device)
        algorithm = (
            explain.GNNExplainer(epochs=4)
            if name == "GNNExplainer"
            else explain.CaptumExplainer("IntegratedGradients", n_steps=3)
        )
        explainer = explain.Explainer(
            PaperModel().to(device),
            algorithm=algorithm,
            explanation_type="model",
            node_mask_type="attributes",
            edge_mask_type="object",
            model_config=CONFIG,
            threshold_config={"threshold_type": "topk", "value": 20},
        )
        explanation = explainer(data.x_dict, data.edge_index_dict, index=torch.tensor([1, 3], device=device))
        explanation.validate_masks()
        explanation.get_explanation_subgraph()
        explanation.get_complement_subgraph()

    return use


uses.add_each("explainer of heterogeneous graphs", ("GNNExplainer", "captum"), hetero_explainer_use)


@uses.add
def drawn_explanation(device: torch.device) -> None:
    graph = graph_on(device, 12)
    explainer = explain.Explainer(
        models.GCN(CHANNELS, 16, 2, CLASSES).to(device),
        algorithm=explain.GNNExplainer(epochs=3),
        explanation_type="model",
        node_mask_type="attributes",
        edge_mask_type="object",
        model_config=CONFIG,
    )
    explanation = explainer(graph.x, graph.edge_index, index=3)
    with tempfile.TemporaryDirectory() as folder:
        explanation.visualize_graph(f"{folder}/graph.png", backend="networkx")


@uses.add
def captum_models(device: torch.device) -> None:
    graph = graph_on(device)
    model = models.GCN(CHANNELS, 16, 2, CLASSES).to(device)
    for kind in ("edge", "node", "node_and_edge"):
        wrapped = models.to_captum_model(model, kind, output_idx=3)
        inputs, additional = models.to_captum_input(graph.x, graph.edge_index, kind)
        wrapped(*inputs, *additional).sum().backward()


@uses.add
def influences(device: torch.device) -> None:
    graph = graph_on(device, 16)
    model = models.GCN(CHANNELS, 8, 2, 2).to(device)
    utils.total_influence(model, graph, max_hops=2, num_samples=3, device=device)
    torch_geometric.visualization.influence(model, graph.x.requires_grad_(), graph.edge_index)
    utils.get_embeddings(model, graph.x, graph.edge_index)
    utils.get_num_hops(model)
    data = hetero_on(device)
    utils.get_embeddings_hetero(PaperModel().to(device).gnn, None, data.x_dict, data.edge_index_dict)


@uses.add
def graph_data(device: torch.device) -> None:
    data = graph_on(device)
    data.validate()
    data.has_isolated_nodes()
    data.has_self_loops()
    data.is_undirected()
    data.is_sorted()
    data.is_coalesced()
    data.sort()
    data.subgraph(torch.arange(20, device=device))
    data.subgraph(data.train_mask)
    data.edge_subgraph(torch.rand(data.num_edges, device=device) > 0.5)
    data.clone().cpu().connected_components()
    data.to_dict()
    data.clone().detach().contiguous()
    Data.from_dict(data.to_dict()).update({"z": data.x + 1})
    data.concat(data.clone())
    repr(data)
    data.apply(lambda x: x * 2, "x", "pos")
    data.cpu()


@uses.add
def coalesced_data(device: torch.device) -> None:
    edge_index = torch.randint(0, 12, (2, 60), device=device)
    data = Data(edge_index=edge_index, edge_attr=torch.rand(60, device=device), num_nodes=16)
    data.coalesce()
    data.is_directed()
    data.generate_ids()
    data.size()
    data.node_attrs()
    data.edge_attrs()
    timed = Data(time=torch.randint(0, 20, (30,)), edge_index=torch.randint(0, 30, (2, 30)), num_nodes=30).to(device)
    timed = timed.sort_by_time()
    timed.is_sorted_by_time()
    timed.up_to(10)
    timed.snapshot(4, 12)


@uses.add
def typed_data(device: torch.device) -> None:
    graph = graph_on(device)
    data = Data(x=graph.x, edge_index=graph.edge_index, node_type=graph.node_type, edge_type=graph.edge_type)
    hetero = hetero_on(device)
    homogeneous = hetero.to_homogeneous()
    homogeneous.to_heterogeneous()
    model = gnn.RGCNConv(CHANNELS, 8, len(METADATA[1])).to(device)
    step(model, homogeneous.x, homogeneous.edge_index, homogeneous.edge_type)
    kinds = torch.sort(data.node_type).values
    ends = torch.stack([torch.arange(NODES), torch.arange(NODES).flip(0)]).to(device)
    pairs = kinds[ends[0]] * 3 + kinds[ends[1]]
    edge_type = torch.unique(pairs, return_inverse=True)[1]
    names = [(str(int(pair) // 3), "to", str(int(pair) % 3)) for pair in pairs.unique()]
    Data(x=data.x, edge_index=ends, node_type=kinds, edge_type=edge_type).to_heterogeneous(
        node_type_names=["0", "1", "2"], edge_type_names=names
    )


@uses.add
def heterogeneous_data(device: torch.device) -> None:
    data = hetero_on(device)
    data.validate()
    data.has_isolated_nodes()
    data.has_self_loops()
    data.is_undirected()
    data.metadata()
    data.collect("x")
    nodes = {"paper": torch.arange(10, device=device), "author": torch.arange(20, device=device) < 8}
    data.subgraph({**nodes, "venue": torch.arange(6, device=device)})
    data.edge_subgraph({METADATA[1][0]: torch.arange(20, device=device)})
    data.node_type_subgraph(["author", "paper"])
    data.edge_type_subgraph([METADATA[1][0]])
    data.clone().cpu().connected_components()
    data.rename("venue", "journal")
    data.coalesce()
    HeteroData.from_dict(data.to_dict()).update(data)
    data.clone().cpu()
    repr(data)
    sum(data.num_node_features.values())


@uses.add
def batches(device: torch.device) -> None:
    graphs = [graph_on(device, 8 + i) for i in range(4)]
    batch = Batch.from_data_list(graphs, follow_batch=["pos"], exclude_keys=["normal"])
    batch.to_data_list()
    batch.get_example(1)
    batch.index_select(torch.tensor([0, 2]))
    batch[1:3]
    batch[torch.tensor([True, False, True, False])]
    together = Batch.from_data_list([hetero_on(device) for _ in range(3)])
    gnn.global_mean_pool(together["paper"].x, together["paper"].batch)
    together.get_example(2)
    together.to_data_list()
    Batch.from_data_list([Data(edge_index=EdgeIndex(each.edge_index), x=each.x) for each in graphs])


@uses.add
def temporal_data(device: torch.device) -> None:
    data = events().to(device)
    first, second, third = data.train_val_test_split(0.2, 0.2)
    repr((first[:10], second.num_events, third.size(), data.num_nodes))
    data[torch.arange(5, device=device)]
    data[data.t > 20]
    TemporalData.from_dict(data.to_dict())
    Batch.from_data_list([first, second])
    Data(x=torch.zeros(20, 1, device=device), edge_index=data.edge_index, edge_attr=data.msg)


@uses.add
def hypergraph_data(device: torch.device) -> None:
    edge_index = torch.stack([torch.arange(30) % 12, torch.arange(30) // 6])
    data = HyperGraphData(x=torch.randn(12, CHANNELS), edge_index=edge_index, edge_attr=torch.randn(5, 4)).to(device)
    data.validate()
    data.has_isolated_nodes()
    data.subgraph(torch.arange(6, device=device))
    step(gnn.HypergraphConv(CHANNELS, 8).to(device), data.x, data.edge_index, num_edges=data.num_edges)
    Batch.from_data_list([data, data])


@uses.add
def stores(device: torch.device) -> None:
    data = hetero_on(torch.device("cpu"))
    data.get_tensor(group_name="paper", attr_name="x", index=torch.arange(5)).to(device)
    data.put_tensor(torch.randn(30, 2), group_name="paper", attr_name="z", index=None)
    data.get_all_tensor_attrs()
    data.get_tensor_size(group_name="paper", attr_name="x")
    data.put_edge_index(
        (torch.arange(6), torch.arange(6)), edge_type=("venue", "is", "venue"), layout="coo", size=(6, 6)
    )
    data.get_edge_index(edge_type=("venue", "is", "venue"), layout="coo")
    data.csr()
    data.csc()
    data.coo()
    data.get_all_edge_attrs()
    data.remove_edge_index(edge_type=("venue", "is", "venue"), layout="coo")


class Kept(InMemoryDataset):
    @property
    def processed_file_names(self) -> str:
        return "data.pt"

    def process(self) -> None:
        made = [each for each in dataset_of(20) if self.pre_filter is None or self.pre_filter(each)]
        self.save(
            [each if self.pre_transform is None else self.pre_transform(each) for each in made], self.processed_paths[0]
        )

    def __init__(self, root: str, **kwargs: object) -> None:
        super().__init__(root, log=False, **kwargs)
        self.load(self.processed_paths[0])


@uses.add
def stored_datasets(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        dataset = Kept(
            folder,
            transform=transforms.Constant(),
            pre_transform=transforms.ToUndirected(),
            pre_filter=transforms.ComposeFilters([lambda data: data.num_nodes > 8]),
        )
        dataset.shuffle()
        dataset[torch.arange(4)]
        dataset[:6].copy()
        dataset.get_summary()
        repr(dataset.num_classes)
        for batch in loader.DataLoader(dataset.index_select([0, 2, 5]), batch_size=2):
            step(gnn.GCNConv(-1, 4).to(device), batch.to(device).x, batch.to(device).edge_index)
        whole = Kept(folder).to(device)
        step(gnn.GCNConv(CHANNELS, 4).to(device), whole[0].x, whole[0].edge_index)


class Kilometres(OnDiskDataset):
    def serialize(self, data: Data) -> dict:
        return {"x": data.x, "edge_index": data.edge_index}

    def deserialize(self, data: dict) -> Data:
        return Data.from_dict(data)


@uses.add
def datasets_on_disk(device: torch.device) -> None:
    schema = {"x": {"dtype": torch.float, "size": (-1, CHANNELS)}, "edge_index": {"dtype": torch.long, "size": (2, -1)}}
    with tempfile.TemporaryDirectory() as folder:
        for number, kind in enumerate((OnDiskDataset, Kilometres)):
            made = {} if kind is OnDiskDataset else {"schema": schema}
            dataset = kind(f"{folder}/{number}", log=False, **made)
            dataset.extend(dataset_of(8), batch_size=4)
            dataset.append(dataset_of(1)[0])
            dataset.multi_get([0, 3])
            for batch in loader.DataLoader(dataset, batch_size=4):
                step(gnn.GCNConv(CHANNELS, 4).to(device), batch.to(device).x, batch.edge_index)
            dataset.close()


def generated(name: str, folder: str) -> InMemoryDataset:
    block = {"block_sizes": [10, 12, 8], "edge_probs": [[0.5, 0.1, 0.1], [0.1, 0.5, 0.1], [0.1, 0.1, 0.5]]}
    made: dict[str, Callable[[], InMemoryDataset]] = {
        "karate club": lambda: datasets.KarateClub(),
        "fake": lambda: datasets.FakeDataset(num_graphs=3, avg_num_nodes=30, avg_degree=4, edge_dim=2, task="graph"),
        "fake hetero": lambda: datasets.FakeHeteroDataset(avg_num_nodes=30, avg_degree=4, avg_num_channels=8),
        "block model": lambda: datasets.StochasticBlockModelDataset(folder, **block),
        "random partition": lambda: datasets.RandomPartitionGraphDataset(folder, 3, 20, 0.6, 4),
        "Barabasi-Albert shapes": lambda: datasets.BAShapes(),
        "houses": lambda: datasets.ExplainerDataset(
            graph_generator.BAGraph(num_nodes=30, num_edges=2), motif_generator.HouseMotif(), num_motifs=4
        ),
        "cycles": lambda: datasets.ExplainerDataset(
            graph_generator.ERGraph(num_nodes=30, edge_prob=0.1), motif_generator.CycleMotif(5), num_motifs=4
        ),
        "grids": lambda: datasets.ExplainerDataset(
            graph_generator.TreeGraph(depth=3), motif_generator.GridMotif(), num_motifs=4
        ),
        "own motifs": lambda: datasets.ExplainerDataset(
            graph_generator.GridGraph(height=5, width=5),
            motif_generator.CustomMotif(Data(num_nodes=3, edge_index=torch.tensor([[0, 1, 2], [1, 2, 0]]))),
            num_motifs=2,
        ),
        "infection": lambda: datasets.InfectionDataset(
            graph_generator.ERGraph(num_nodes=40, edge_prob=0.06), num_infected_nodes=3, max_path_length=3
        ),
    }
    return made[name]()


GENERATED = (
    "karate club",
    "fake",
    "block model",
    "random partition",
    "Barabasi-Albert shapes",
    "houses",
    "cycles",
    "grids",
    "own motifs",
    "infection",
)


def generated_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        with tempfile.TemporaryDirectory() as folder:
            data = generated(name, folder)[0].to(device)
        x = data.x if data.x is not None else torch.ones(data.num_nodes, 4, device=device)
        step(gnn.GraphConv(-1, 4).to(device), x, data.edge_index)

    return use


uses.add_each("dataset", GENERATED, generated_use)


@uses.add
def heterogeneous_dataset(device: torch.device) -> None:
    data = generated("fake hetero", "")[0].to(device)
    model = gnn.HGTConv(data.num_node_features, 8, data.metadata(), heads=2).to(device)
    step(model, data.x_dict, data.edge_index_dict)


def classify(device: torch.device, batches_: object, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    for data in batches_:
        data = data.to(device)
        optimizer.zero_grad()
        out = model(data.x, data.edge_index, data.batch)
        loss = functional.binary_cross_entropy_with_logits(out.squeeze(1), data.y.float())
        loss.backward()
        optimizer.step()
        int(((out.squeeze(1) > 0) == data.y).sum())


def loader_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        data = dataset_of(16)
        model = GraphClassifier().to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        if name == "imbalanced":
            made = loader.DataLoader(data, batch_size=4, sampler=loader.ImbalancedSampler(data))
        elif name == "dynamic":
            made = loader.DataLoader(data, batch_sampler=loader.DynamicBatchSampler(data, max_num=30, shuffle=True))
        elif name == "dynamic by edges":
            chosen = loader.DynamicBatchSampler(data, max_num=90, mode="edge", skip_too_big=True, num_steps=3)
            made = loader.DataLoader(data, batch_sampler=chosen)
        else:
            made = loader.DataLoader(data, batch_size=4, shuffle=True, follow_batch=["x"])
        if name == "prefetched":
            made = loader.PrefetchLoader(made, device)
        if name == "cached":
            made = loader.CachedLoader(made, device)
            classify(device, made, model, optimizer)
        classify(device, made, model, optimizer)
        if name == "cached":
            made.clear()

    return use


uses.add_each("loader", ("shuffled", "imbalanced", "dynamic", "dynamic by edges", "prefetched", "cached"), loader_use)


@uses.add
def loader_of_heterogeneous_graphs(device: torch.device) -> None:
    model = gnn.HGTConv(dict.fromkeys(METADATA[0], CHANNELS), 8, METADATA, heads=2).to(device)
    for batch in loader.DataLoader([hetero_on(torch.device("cpu")) for _ in range(4)], batch_size=2):
        batch = batch.to(device)
        out = model(batch.x_dict, batch.edge_index_dict)
        gnn.global_mean_pool(out["paper"], batch["paper"].batch).sum().backward()


@uses.add
def loader_of_dense_graphs(device: torch.device) -> None:
    dense_data = [transforms.ToDense(12)(each) for each in dataset_of(8)]
    model = dense.DenseGCNConv(CHANNELS, 4).to(device)
    for batch in loader.DenseDataLoader(dense_data, batch_size=4, shuffle=True):
        batch = batch.to(device)
        step(model, batch.x, batch.adj, batch.mask)
    for graphs in loader.DataListLoader(dataset_of(8), batch_size=4):
        Batch.from_data_list(graphs).to(device)


@uses.add
def loader_of_random_nodes(device: torch.device) -> None:
    model = models.GraphSAGE(CHANNELS, 16, 2, CLASSES).to(device)
    graph = graph_on(torch.device("cpu"))
    for batch in loader.RandomNodeLoader(graph, num_parts=3, shuffle=True):
        batch = batch.to(device)
        functional.cross_entropy(model(batch.x, batch.edge_index), batch.y).backward()
    for batch in loader.RandomNodeLoader(hetero_on(torch.device("cpu")), num_parts=2):
        batch.to(device)
    loader.ImbalancedSampler(graph, input_nodes=graph.train_mask)


class Neighbourhoods(sampler.BaseSampler):
    def __init__(self, data: Data, hops: int) -> None:
        self.data, self.hops = data, hops

    def around(self, nodes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        reached, edge_index, _, edges = utils.k_hop_subgraph(nodes, self.hops, self.data.edge_index)
        others = reached[~torch.isin(reached, nodes)]
        node = torch.cat([nodes, others])
        place = torch.empty(self.data.num_nodes, dtype=torch.long)
        place[node] = torch.arange(node.numel())
        return node, place[edge_index], edges.nonzero().view(-1)

    def sample_from_nodes(self, index: sampler.NodeSamplerInput) -> sampler.SamplerOutput:
        node, (row, col), edge = self.around(index.node)
        return sampler.SamplerOutput(node, row, col, edge, metadata=(index.input_id, index.time))

    def sample_from_edges(
        self, index: sampler.EdgeSamplerInput, neg_sampling: sampler.NegativeSampling | None = None
    ) -> sampler.SamplerOutput:
        source, target = index.row, index.col
        label = torch.ones(source.numel())
        if neg_sampling is not None:
            count = source.numel()
            source = torch.cat([source, neg_sampling.sample(count, "src", self.data.num_nodes)])
            target = torch.cat([target, neg_sampling.sample(count, "dst", self.data.num_nodes)])
            label = torch.cat([label, torch.zeros(count)])
        seeds, inverse = torch.cat([source, target]).unique(return_inverse=True)
        node, (row, col), edge = self.around(seeds)
        metadata = (index.input_id, inverse.view(2, -1), label, None)
        return sampler.SamplerOutput(node, row, col, edge, metadata=metadata)


@uses.add
def loader_of_sampled_nodes(device: torch.device) -> None:
    graph = graph_on(torch.device("cpu"))
    batches_ = loader.NodeLoader(
        graph, Neighbourhoods(graph, 2), input_nodes=graph.train_mask, batch_size=5, shuffle=True
    )
    model = models.GAT(CHANNELS, 16, 2, CLASSES, heads=2).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    lost = 0.0
    for batch in batches_:
        batch = batch.to(device)
        optimizer.zero_grad()
        out = model(batch.x, batch.edge_index)[: batch.batch_size]
        loss = functional.cross_entropy(out, batch.y[: batch.batch_size])
        loss.backward()
        optimizer.step()
        lost += float(loss) * batch.batch_size


@uses.add
def loader_of_sampled_links(device: torch.device) -> None:
    graph = graph_on(torch.device("cpu"))
    batches_ = loader.LinkLoader(
        graph,
        Neighbourhoods(graph, 1),
        edge_label_index=graph.edge_index[:, :40],
        neg_sampling=sampler.NegativeSampling("binary", amount=1.0),
        batch_size=20,
        shuffle=True,
    )
    model = models.GraphSAGE(CHANNELS, 16, 2).to(device)
    for batch in batches_:
        batch = batch.to(device)
        z = model(batch.x, batch.edge_index)
        scores = models.InnerProductDecoder()(z, batch.edge_label_index, sigmoid=False)
        functional.binary_cross_entropy_with_logits(scores, batch.edge_label).backward()


@uses.add
def loader_of_link_triplets(device: torch.device) -> None:
    sampler.NegativeSampling("triplet", amount=2, dst_weight=torch.rand(NODES)).sample(10, "dst", NODES)
    first = sampler.SamplerOutput(
        torch.arange(6), torch.tensor([1, 2, 3]), torch.tensor([0, 0, 1]), torch.tensor([4, 5, 6])
    )
    second = sampler.SamplerOutput(torch.arange(3, 8), torch.tensor([1, 2]), torch.tensor([0, 0]), torch.tensor([7, 8]))
    joined = first.merge_with(second)
    first.to_bidirectional()
    x = torch.randn(joined.node.numel(), CHANNELS, device=device)
    step(gnn.SAGEConv(CHANNELS, 4).to(device), x, torch.stack([joined.row, joined.col]).to(device))


@uses.add
def noise_schedules(device: torch.device) -> None:
    for kind in ("linear", "quadratic", "constant", "sigmoid"):
        betas = get_diffusion_beta_schedule(kind, 1e-4, 0.02, 10, device=device)
        (1 - betas).cumprod(dim=0)
    get_smld_sigma_schedule(0.01, 1.0, 10, device=device)


@uses.add
def mesh_files(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        io.write_off(mesh(), f"{folder}/mesh.off")
        data = transforms.FaceToEdge()(io.read_off(f"{folder}/mesh.off")).to(device)
    step(gnn.PointNetConv(mlp(3)).to(device), None, data.pos, data.edge_index)


def plain() -> Data:
    graph = graph_on(torch.device("cpu"))
    return Data(x=graph.x, edge_index=graph.edge_index, y=graph.y, pos=graph.pos, train_mask=graph.train_mask)


def flattened(data: Data) -> Data:
    data.pos = data.pos[:, :2]
    return data


TRANSFORMS: dict[str, Callable[[], Callable[[Data], Data]]] = {
    "ToUndirected": lambda: transforms.ToUndirected(),
    "Constant": lambda: transforms.Constant(2.0),
    "NormalizeFeatures": lambda: transforms.NormalizeFeatures(),
    "SVDFeatureReduction": lambda: transforms.SVDFeatureReduction(4),
    "RemoveTrainingClasses": lambda: transforms.RemoveTrainingClasses([0, 1]),
    "RandomNodeSplit": lambda: transforms.RandomNodeSplit(num_val=0.2, num_test=0.2),
    "RandomNodeSplit of random": lambda: transforms.RandomNodeSplit(
        "random", num_train_per_class=3, num_val=5, num_test=5, num_splits=2
    ),
    "RandomNodeSplit of test rest": lambda: transforms.RandomNodeSplit("test_rest", num_train_per_class=3, num_val=5),
    "RandomLinkSplit": lambda: transforms.RandomLinkSplit(is_undirected=True, disjoint_train_ratio=0.3),
    "IndexToMask": lambda: transforms.Compose([transforms.MaskToIndex(), transforms.IndexToMask(sizes=NODES)]),
    "Pad": lambda: transforms.Pad(
        60, 400, node_pad_value=transforms.pad.AttrNamePadding({"x": 1.0}), add_pad_mask=True
    ),
    "OneHotDegree": lambda: transforms.OneHotDegree(30),
    "TargetIndegree": lambda: transforms.TargetIndegree(),
    "LocalDegreeProfile": lambda: transforms.LocalDegreeProfile(),
    "AddSelfLoops": lambda: transforms.AddSelfLoops(),
    "AddRemainingSelfLoops": lambda: transforms.AddRemainingSelfLoops(),
    "RemoveSelfLoops": lambda: transforms.RemoveSelfLoops(),
    "RemoveIsolatedNodes": lambda: transforms.RemoveIsolatedNodes(),
    "RemoveDuplicatedEdges": lambda: transforms.RemoveDuplicatedEdges(),
    "ToSparseTensor": lambda: transforms.ToSparseTensor(layout=torch.sparse_csr),
    "TwoHop": lambda: transforms.TwoHop(),
    "LineGraph": lambda: transforms.LineGraph(),
    "LaplacianLambdaMax": lambda: transforms.LaplacianLambdaMax("sym", is_undirected=True),
    "GDC by personalised rank": lambda: transforms.GDC(
        diffusion_kwargs={"method": "ppr", "alpha": 0.1},
        sparsification_kwargs={"method": "topk", "k": 8, "dim": 0},
    ),
    "GDC by heat": lambda: transforms.GDC(
        normalization_in="row",
        normalization_out="sym",
        diffusion_kwargs={"method": "heat", "t": 2},
        sparsification_kwargs={"method": "threshold", "avg_degree": 5},
    ),
    "GDC sparse by coefficients": lambda: transforms.GDC(
        normalization_in="sym",
        normalization_out="row",
        diffusion_kwargs={"method": "coeff", "coeffs": [0.6, 0.4]},
        sparsification_kwargs={"method": "topk", "k": 6, "dim": 1},
    ),
    "GDC by coefficients": lambda: transforms.GDC(
        diffusion_kwargs={"method": "coeff", "coeffs": [0.5, 0.3, 0.2]},
        sparsification_kwargs={"method": "threshold", "eps": 0.01},
    ),
    "SIGN": lambda: transforms.SIGN(2),
    "GCNNorm": lambda: transforms.GCNNorm(),
    "RootedEgoNets": lambda: transforms.RootedEgoNets(1),
    "LargestConnectedComponents": lambda: transforms.LargestConnectedComponents(1),
    "VirtualNode": lambda: transforms.VirtualNode(),
    "AddLaplacianEigenvectorPE": lambda: transforms.AddLaplacianEigenvectorPE(3, is_undirected=True),
    "AddLaplacianEigenvectorPE of directed": lambda: transforms.AddLaplacianEigenvectorPE(3, attr_name="pe"),
    "AddRandomWalkPE": lambda: transforms.AddRandomWalkPE(4),
    "FeaturePropagation": lambda: transforms.FeaturePropagation(torch.rand(NODES, CHANNELS) > 0.7, 10),
    "HalfHop": lambda: transforms.HalfHop(0.5, p=0.8),
    "Distance": lambda: transforms.Distance(),
    "Cartesian": lambda: transforms.Cartesian(),
    "LocalCartesian": lambda: transforms.LocalCartesian(),
    "Polar": lambda: transforms.Compose([flattened, transforms.Polar()]),
    "Spherical": lambda: transforms.Spherical(),
    "Center": lambda: transforms.Center(),
    "NormalizeRotation": lambda: transforms.NormalizeRotation(),
    "NormalizeScale": lambda: transforms.NormalizeScale(),
    "RandomJitter": lambda: transforms.RandomJitter(0.01),
    "RandomFlip": lambda: transforms.RandomFlip(0, p=1.0),
    "RandomScale": lambda: transforms.RandomScale((0.8, 1.2)),
    "RandomRotate": lambda: transforms.RandomRotate(30, axis=2),
    "RandomShear": lambda: transforms.RandomShear(0.2),
    "LinearTransformation": lambda: transforms.LinearTransformation(torch.eye(3)),
    "FixedPoints": lambda: transforms.FixedPoints(20, replace=False),
    "NodePropertySplit by popularity": lambda: transforms.NodePropertySplit("popularity", [0.3, 0.1, 0.1, 0.3, 0.2]),
    "NodePropertySplit by density": lambda: transforms.NodePropertySplit("density", [0.3, 0.1, 0.1, 0.3, 0.2]),
    "NodePropertySplit by locality": lambda: transforms.NodePropertySplit("locality", [0.3, 0.1, 0.1, 0.3, 0.2]),
}
"""Those that a user may apply to one graph."""
RESHAPING = {"FixedPoints", "LineGraph", "ToSparseTensor"}
ON_THE_CPU = {
    "AddLaplacianEigenvectorPE",
    "AddLaplacianEigenvectorPE of directed",
    "FeaturePropagation",
    "LaplacianLambdaMax",
    "LargestConnectedComponents",
    "LinearTransformation",
    "NodePropertySplit by density",
    "NodePropertySplit by locality",
    "NodePropertySplit by popularity",
    "RandomNodeSplit",
    "RandomNodeSplit of random",
    "RandomNodeSplit of test rest",
    "RandomRotate",
    "RandomShear",
}


def moved_transform_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        transforms.Compose([transforms.ToDevice(device), TRANSFORMS[name]()])(plain())

    return use


def transformed_batch_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = TRANSFORMS[name]()
        graphs = [made(plain()) for _ in range(2)]
        for batch in loader.DataLoader(graphs, batch_size=2):
            if name not in RESHAPING:
                step(gnn.GCNConv(-1, 8).to(device), batch.to(device).x, batch.to(device).edge_index)

    return use


uses.add_each("transform then batch", sorted(TRANSFORMS.keys() - {"RandomLinkSplit"}), transformed_batch_use)
uses.add_each("transform after moving", sorted(TRANSFORMS.keys() - ON_THE_CPU), moved_transform_use)


def mesh_transform_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = {
            "FaceToEdge": lambda: transforms.FaceToEdge(remove_faces=False),
            "SamplePoints": lambda: transforms.SamplePoints(40, include_normals=True),
            "GenerateMeshNormals": lambda: transforms.Compose(
                [
                    transforms.GenerateMeshNormals(),
                    transforms.FaceToEdge(),
                    rename_normal,
                    transforms.PointPairFeatures(),
                ]
            ),
        }[name]()
        made(mesh()).to(device)
        made(mesh().to(device))

    return use


def rename_normal(data: Data) -> Data:
    data.norm = functional.normalize(data.norm, dim=-1)
    return data


uses.add_each("mesh", ("FaceToEdge", "SamplePoints", "GenerateMeshNormals"), mesh_transform_use)


@uses.add
def mesh_operations(device: torch.device) -> None:
    data = mesh().to(device)
    for kind in (None, "sym", "rw"):
        utils.get_mesh_laplacian(data.pos, data.face, kind)


@uses.add
def heterogeneous_transforms(device: torch.device) -> None:
    # Not AddMetaPaths: the product of sparse tensors on the CPU that it makes crashes torch 2.11, hostsync or not.
    metapaths = [[METADATA[1][0], METADATA[1][1]], [METADATA[1][4], METADATA[1][2]]]
    for made in (
        transforms.ToUndirected(merge=False),
        transforms.AddSelfLoops(),
        transforms.Constant(node_types="paper"),
        transforms.NormalizeFeatures(),
        transforms.RandomNodeSplit(num_val=0.2, num_test=0.2),
        transforms.RemoveIsolatedNodes(),
        transforms.RemoveDuplicatedEdges(),
        transforms.Pad({"author": 30, "paper": 40, "venue": 10}, 80),
        transforms.AddRandomMetaPaths(metapaths, walks_per_node=2, drop_unconnected_node_types=True),
    ):
        made(hetero_on(torch.device("cpu"))).to(device)


@uses.add
def heterogeneous_links(device: torch.device) -> None:
    split = transforms.RandomLinkSplit(
        edge_types=METADATA[1][0],
        rev_edge_types=METADATA[1][1],
        neg_sampling_ratio=2.0,
        disjoint_train_ratio=0.3,
        num_val=0.1,
        num_test=0.1,
    )
    data = hetero_on(device)
    for made in (transforms.ToUndirected(), transforms.AddSelfLoops(), transforms.NormalizeFeatures()):
        data = made(data)
    train_data, _, _ = split(data)
    model = gnn.to_hetero(TwoLayers(CHANNELS, 16), data.metadata()).to(device)
    z = model(train_data.x_dict, train_data.edge_index_dict)
    pairs, labels = train_data[METADATA[1][0]].edge_label_index, train_data[METADATA[1][0]].edge_label
    scores = (z["author"][pairs[0]] * z["paper"][pairs[1]]).sum(dim=-1)
    functional.binary_cross_entropy_with_logits(scores, labels).backward()


METRICS: dict[str, Callable[[torch.device], metrics.LinkPredMetric]] = {
    "precision": lambda device: metrics.LinkPredPrecision(5),
    "recall": lambda device: metrics.LinkPredRecall(5),
    "weighted recall": lambda device: metrics.LinkPredRecall(5, weighted=True),
    "F1": lambda device: metrics.LinkPredF1(5),
    "MAP": lambda device: metrics.LinkPredMAP(5),
    "NDCG": lambda device: metrics.LinkPredNDCG(5),
    "weighted NDCG": lambda device: metrics.LinkPredNDCG(5, weighted=True),
    "MRR": lambda device: metrics.LinkPredMRR(5),
    "hit ratio": lambda device: metrics.LinkPredHitRatio(5),
    "coverage": lambda device: metrics.LinkPredCoverage(5, num_dst_nodes=30),
    "diversity": lambda device: metrics.LinkPredDiversity(5, category=torch.arange(30, device=device) % 3),
    "personalization": lambda device: metrics.LinkPredPersonalization(5),
    "average popularity": lambda device: metrics.LinkPredAveragePopularity(5, torch.arange(30, device=device)),
}


def metric_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        metric = METRICS[name](device).to(device)
        for _ in range(3):
            found = torch.rand(10, 30, device=device).topk(5, dim=1).indices
            truth = torch.stack([torch.arange(20) % 10, torch.randint(0, 30, (20,))]).to(device)
            weight = torch.rand(20, device=device) + 0.1
            metric.update(found, truth, weight)
        float(metric.compute())
        metric.reset()

    return use


uses.add_each("metric", METRICS, metric_use)


@uses.add
def metric_collection(device: torch.device) -> None:
    made = metrics.LinkPredMetricCollection(
        [metrics.LinkPredMRR(5), metrics.LinkPredNDCG(3), metrics.LinkPredRecall(5)]
    )
    made.to(device)
    for _ in range(2):
        truth = torch.stack([torch.arange(20) % 10, torch.randint(0, 30, (20,))]).to(device)
        made.update(torch.rand(10, 30, device=device).topk(5, dim=1).indices, truth)
    {name: float(value) for name, value in made.compute().items()}
    made.reset()


@uses.add
def scattered(device: torch.device) -> None:
    x, index = torch.randn(20, 4, device=device, requires_grad=True), torch.arange(20, device=device) % 6
    for reduce in ("sum", "mean", "min", "max", "mul", "any"):
        utils.scatter(x, index, dim=0, reduce=reduce)
        utils.scatter(x, index, dim=0, dim_size=6, reduce=reduce)
    ptr = torch.tensor([0, 5, 5, 12, 20], device=device)
    for reduce in ("sum", "mean", "min", "max"):
        utils.segment(x, ptr, reduce=reduce).sum().backward()
    utils.softmax(x, index).sum().backward()
    utils.softmax(x, ptr=ptr)
    utils.segment_logsumexp(x, ptr, dim=0).sum().backward()
    utils.group_argsort(x[:, 0], index, descending=True)
    utils.group_argsort(x[:, 0], index, return_consecutive=True)
    utils.group_cat([x, x[:5]], [index.sort().values, index[:5]], return_index=True)


@uses.add
def sorted_and_selected(device: torch.device) -> None:
    values = torch.randint(0, 30, (50,), device=device)
    utils.index_sort(values, max_value=30)
    utils.lexsort([values, values.flip(0)])
    utils.cumsum(values)
    utils.degree(values, 30, dtype=torch.long)
    utils.one_hot(values, 30)
    utils.one_hot(values)
    mask = utils.index_to_mask(values, size=40)
    utils.index_to_mask(values)
    utils.mask_to_index(mask)
    x = torch.randn(40, 4, device=device)
    utils.mask_select(x, 0, mask)
    utils.select(x, mask, dim=0)
    utils.select(x, values, dim=0)
    utils.narrow(x, 0, 3, 10)


@uses.add
def edited_edges(device: torch.device) -> None:
    graph = graph_on(device)
    edge_index, weight = torch.randint(0, 12, (2, 60), device=device), torch.rand(60, device=device)
    for reduce in ("sum", "mean", "max"):
        utils.coalesce(edge_index, weight, reduce=reduce)
    utils.coalesce(edge_index, [weight, weight], sort_by_row=False)
    utils.sort_edge_index(edge_index, weight)
    utils.to_undirected(edge_index, weight, reduce="mean")
    utils.is_undirected(edge_index)
    utils.is_undirected(graph.edge_index, graph.edge_weight)
    utils.contains_self_loops(edge_index)
    utils.remove_self_loops(edge_index, weight)
    utils.segregate_self_loops(edge_index, weight)
    for fill in (1.0, "mean", "add"):
        utils.add_self_loops(edge_index, weight, fill_value=fill, num_nodes=12)
        utils.add_remaining_self_loops(edge_index, weight, fill_value=fill, num_nodes=12)
    utils.get_self_loop_attr(edge_index, weight)
    utils.contains_isolated_nodes(edge_index, num_nodes=14)
    utils.remove_isolated_nodes(edge_index, weight, num_nodes=14)
    utils.normalize_edge_index(edge_index, 12, symmetric=False)
    utils.normalize_edge_index(edge_index)


@uses.add
def subgraphs(device: torch.device) -> None:
    graph = graph_on(device)
    subset = torch.arange(0, NODES, 2, device=device)
    utils.subgraph(subset, graph.edge_index, graph.edge_attr, relabel_nodes=True)
    utils.subgraph(graph.train_mask, graph.edge_index, return_edge_mask=True)
    utils.subgraph([0, 1, 2, 5], graph.edge_index)
    utils.bipartite_subgraph((subset, subset), graph.edge_index, graph.edge_attr, relabel_nodes=True)
    utils.k_hop_subgraph(3, 2, graph.edge_index, relabel_nodes=True)
    utils.k_hop_subgraph([3, 4], 1, graph.edge_index, flow="target_to_source", directed=True)
    utils.k_hop_subgraph(subset, 2, graph.edge_index)
    nodes = utils.dropout_node(graph.edge_index, p=0.3, relabel_nodes=True)
    nodes[0].size(1)
    utils.dropout_edge(graph.edge_index, p=0.3, force_undirected=True)
    utils.dropout_edge(graph.edge_index, p=0.3)
    utils.dropout_adj(graph.edge_index, graph.edge_attr, p=0.3)


@uses.add
def graph_measures(device: torch.device) -> None:
    graph, batch = graph_on(device), batch_on(device)
    for method in ("edge", "node", "edge_insensitive"):
        utils.homophily(graph.edge_index, graph.y, method=method)
        utils.homophily(batch.edge_index, batch.y, batch.batch, method=method)
    utils.assortativity(graph.edge_index)
    for kind in (None, "sym", "rw"):
        utils.get_laplacian(graph.edge_index, graph.edge_weight, kind, num_nodes=NODES)
    utils.normalized_cut(graph.edge_index, graph.edge_weight)
    utils.grid(4, 5, device=device)


@uses.add
def dense_conversions(device: torch.device) -> None:
    batch = batch_on(device)
    x, mask = utils.to_dense_batch(batch.x, batch.batch)
    utils.to_dense_batch(batch.x, batch.batch, fill_value=-1.0, max_num_nodes=12, batch_size=GRAPHS)
    utils.to_dense_batch(batch.x)
    adjacency = utils.to_dense_adj(batch.edge_index, batch.batch, batch.edge_weight)
    utils.to_dense_adj(batch.edge_index, batch.batch, batch.edge_attr, max_num_nodes=12)
    utils.dense_to_sparse(adjacency)
    utils.dense_to_sparse(adjacency, mask)
    utils.dense_to_sparse(adjacency[0])
    utils.unbatch(batch.x, batch.batch)
    utils.unbatch_edge_index(batch.edge_index, batch.batch)
    nested = utils.to_nested_tensor(batch.x, batch.batch)
    utils.from_nested_tensor(nested, return_batch=True)
    x[mask]


@uses.add
def sparse_conversions(device: torch.device) -> None:
    graph = graph_on(device)
    for made in (utils.to_torch_coo_tensor, utils.to_torch_csr_tensor, utils.to_torch_csc_tensor):
        matrix = made(graph.edge_index, graph.edge_weight, size=NODES)
        utils.is_sparse(matrix)
        utils.to_edge_index(matrix)
        utils.spmm(matrix, graph.x)
    matrix = utils.to_torch_csr_tensor(graph.edge_index, size=(NODES, NODES))
    for reduce in ("sum", "mean"):
        utils.spmm(matrix, graph.x, reduce=reduce)


@uses.add
def reduced_sparse_products(device: torch.device) -> None:
    graph = graph_on(torch.device("cpu"))
    matrix = utils.to_torch_csr_tensor(graph.edge_index, size=(NODES, NODES))
    for reduce in ("min", "max"):
        utils.spmm(matrix, graph.x, reduce=reduce).to(device)


@uses.add
def other_libraries(device: torch.device) -> None:
    graph = graph_on(device)
    data = Data(x=graph.x, edge_index=graph.edge_index, edge_weight=graph.edge_weight, y=graph.y)
    matrix = utils.to_scipy_sparse_matrix(data.edge_index, data.edge_weight, NODES)
    utils.from_scipy_sparse_matrix(matrix)[0].to(device)
    network = utils.to_networkx(data, node_attrs=["x", "y"], edge_attrs=["edge_weight"], to_undirected=True)
    utils.from_networkx(network, group_node_attrs=["x"]).to(device)
    utils.to_networkx(hetero_on(device), node_attrs=["y"])


@uses.add
def random_graphs(device: torch.device) -> None:
    for edge_index in (
        utils.erdos_renyi_graph(30, 0.2),
        utils.erdos_renyi_graph(30, 0.2, directed=True),
        utils.stochastic_blockmodel_graph([10, 20], [[0.5, 0.05], [0.05, 0.4]]),
        utils.barabasi_albert_graph(30, 2),
    ):
        x = torch.randn(30, CHANNELS, device=device)
        step(gnn.GCNConv(CHANNELS, 4).to(device), x, edge_index.to(device))


@uses.add
def negative_samples(device: torch.device) -> None:
    graph, batch = graph_on(device), batch_on(device)
    for method in ("sparse", "dense"):
        utils.negative_sampling(graph.edge_index, NODES, num_neg_samples=30, method=method)
        utils.negative_sampling(graph.edge_index, NODES, method=method, force_undirected=True)
    utils.negative_sampling(graph.edge_index, (NODES, NODES), num_neg_samples=0.5)
    utils.batched_negative_sampling(batch.edge_index, batch.batch)
    utils.structured_negative_sampling(graph.edge_index, NODES)
    utils.structured_negative_sampling(graph.edge_index, NODES, contains_neg_self_loops=False)
    utils.structured_negative_sampling_feasible(graph.edge_index, NODES)


@uses.add
def augmentations(device: torch.device) -> None:
    graph, batch = graph_on(device), batch_on(device)
    utils.shuffle_node(graph.x)
    utils.shuffle_node(batch.x, batch.batch)
    for mode in ("row", "col", "all"):
        utils.mask_feature(graph.x, p=0.3, mode=mode)
    utils.add_random_edge(graph.edge_index, p=0.3)
    utils.add_random_edge(graph.edge_index, p=0.3, force_undirected=True)


@uses.add
def trimmed_layers(device: torch.device) -> None:
    x = torch.randn(NODES, CHANNELS, device=device)
    edge_index, edge_attr = torch.randint(0, 12, (2, 50), device=device), torch.rand(50, 2, device=device)
    for layer in range(2):
        x, edge_index, edge_attr = utils.trim_to_layer(layer, [12, 16, 12], [20, 30], x, edge_index, edge_attr)
    utils.train_test_split_edges(graph_on(torch.device("cpu")))


@uses.add
def edge_indices(device: torch.device) -> None:
    graph = graph_on(device)
    index = EdgeIndex(graph.edge_index, sparse_size=(NODES, NODES), sort_order="row", is_undirected=True)
    index.validate()
    index.fill_cache_()
    index.get_indptr()
    index.get_csr()
    index.get_csc()
    for reduce in ("sum", "mean", "min", "max"):
        if reduce in ("sum", "mean") or device.type == "cpu":
            index.matmul(graph.x, reduce=reduce)
    weight = graph.edge_weight.clone().requires_grad_()
    index.matmul(graph.x, input_value=weight)
    index @ graph.x.clone().requires_grad_()
    index.sparse_narrow(dim=0, start=3, length=10)
    index.to_dense()
    index.to_dense(graph.edge_weight)
    index.to_sparse_coo(graph.edge_weight)
    index.to_sparse_csr()
    index.to_sparse_csc()
    index.to_sparse(layout=torch.sparse_csr)
    index.to_vector()
    index.as_tensor().tolist()


@uses.add
def products_of_edge_indices(device: torch.device) -> None:
    graph = graph_on(device)
    index = EdgeIndex(graph.edge_index, sparse_size=(NODES, NODES), sort_order="row")
    squared, counts = index.matmul(index)
    squared.matmul(graph.x, counts)
    index.matmul(index, input_value=graph.edge_weight, other_value=graph.edge_weight)
    by_target, order = index.sort_by("col")
    by_target.matmul(graph.x, graph.edge_weight[order], transpose=True)
    utils.add_self_loops(index)
    utils.remove_self_loops(index)
    utils.to_undirected(index)
    data = Data(x=graph.x, edge_index=index)
    step(gnn.GCNConv(CHANNELS, 4).to(device), data.x, data.edge_index)


@uses.add
def batched_sparse_matrices(device: torch.device) -> None:
    graphs = []
    for layout in (torch.sparse_coo, torch.sparse_csr):
        for data in dataset_of(2):
            matrix = utils.to_torch_sparse_tensor(data.edge_index, size=data.num_nodes, layout=layout)
            graphs.append(Data(x=data.x, adj_t=matrix))
        batch = Batch.from_data_list(graphs[-2:]).to(device)
        step(gnn.SAGEConv(CHANNELS, 4).to(device), batch.x, batch.adj_t)


@uses.add
def edited_edge_indices(device: torch.device) -> None:
    graph = graph_on(device)
    index = EdgeIndex(graph.edge_index, sparse_size=(NODES, NODES), sort_order="row")
    index.flip(0)
    index.clone().sort_by("col")
    torch.cat([index, index + NODES], dim=1)
    index[:, :10]
    index[:, graph.edge_weight > 0.5]
    index[0] + 1
    index.add(2)
    index - 0
    index.index_select(1, torch.arange(5, device=device))
    index.int().long()
    index.sparse_resize_(NODES + 2, NODES + 2)
    index.get_sparse_size()
    index.unbind(0)
    index.cpu().to(device)
    index.numpy(force=True)
    repr(index)


@uses.add
def graph_indices(device: torch.device) -> None:
    index = Index(torch.tensor([0, 1, 1, 2, 4, 4]), dim_size=6, is_sorted=True).to(device)
    index.validate()
    index.fill_cache_()
    index.get_indptr()
    index.get_dim_size()
    index.flip(0)
    index + 1
    index.clone().dim_resize_(8)
    torch.cat([index, index])
    index[index > 1]
    index[1:4]
    index.sort()
    index.tolist()
    index.int()
    step(aggr.SumAggregation(), torch.randn(6, 3, device=device, requires_grad=True), index)
    Index([3, 1, 2]).to(device).get_dim_size()


@uses.add
def profiled(device: torch.device) -> None:
    graph, model = graph_on(device), models.GCN(CHANNELS, 16, 2, CLASSES).to(device)
    profile.count_parameters(model)
    profile.get_model_size(model)
    profile.get_data_size(graph)
    with profile.timeit(log=False, avg_time_divisor=2) as timer:
        step(model, graph.x, graph.edge_index)
        timer.reset()
    if device.type == "cuda":
        profile.get_gpu_memory_from_gc()


@uses.add
def seeds_and_settings(device: torch.device) -> None:
    torch_geometric.seed_everything(3)
    with torch_geometric.debug():
        graph = graph_on(device)
        step(gnn.GCNConv(CHANNELS, 8).to(device), graph.x, graph.edge_index)
    torch_geometric.is_debug_enabled()
    torch_geometric.is_torch_instance(gnn.GCNConv(4, 4), gnn.GCNConv)
    torch_geometric.device("auto")


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = gnn.GATConv(CHANNELS, 8, heads=4, dropout=0.3)
        self.conv2 = gnn.GATConv(32, CLASSES, heads=1, concat=False, dropout=0.3)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        x = functional.dropout(x, p=0.3, training=self.training)
        x = functional.elu(self.conv1(x, edge_index))
        return self.conv2(x, edge_index)


@uses.add
def node_classification(device: torch.device) -> None:
    split = transforms.RandomNodeSplit(num_val=10, num_test=10)
    data = split(plain()).to(device)
    model = Network().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)
    best = 0.0
    for _ in range(4):
        model.train()
        optimizer.zero_grad()
        out = model(data.x, data.edge_index)
        loss = functional.cross_entropy(out[data.train_mask], data.y[data.train_mask])
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            pred = model(data.x, data.edge_index).argmax(dim=-1)
        masks = data.train_mask, data.val_mask, data.test_mask
        accuracies = [int((pred[mask] == data.y[mask]).sum()) / int(mask.sum()) for mask in masks]
        best = max(best, accuracies[1])


class PoolingNetwork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.pool1 = gnn.GraphConv(CHANNELS, 16), gnn.TopKPooling(16, ratio=0.8)
        self.conv2, self.pool2 = gnn.GraphConv(16, 16), gnn.SAGPooling(16, ratio=0.8)
        self.head = gnn.MLP([32, 16, 2], dropout=0.2)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        x = self.conv1(x, edge_index).relu()
        x, edge_index, _, batch, _, _ = self.pool1(x, edge_index, None, batch)
        first = torch.cat([gnn.global_max_pool(x, batch), gnn.global_mean_pool(x, batch)], dim=1)
        x = self.conv2(x, edge_index).relu()
        x, edge_index, _, batch, _, _ = self.pool2(x, edge_index, None, batch)
        return self.head(first + torch.cat([gnn.global_max_pool(x, batch), gnn.global_mean_pool(x, batch)], dim=1))


@uses.add
def graph_classification(device: torch.device) -> None:
    data = loader.DataLoader(dataset_of(16), batch_size=8, shuffle=True)
    model = PoolingNetwork().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for batch in data:
        batch = batch.to(device)
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(batch.x, batch.edge_index, batch.batch), batch.y)
        loss.backward()
        optimizer.step()
        float(loss)


class LinkNetwork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = gnn.GCNConv(CHANNELS, 16), gnn.GCNConv(16, 8)

    def encode(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        return self.conv2(self.conv1(x, edge_index).relu(), edge_index)

    def decode(self, z: torch.Tensor, pairs: torch.Tensor) -> torch.Tensor:
        return (z[pairs[0]] * z[pairs[1]]).sum(dim=-1)


@uses.add
def link_prediction(device: torch.device) -> None:
    split = transforms.Compose(
        [
            transforms.NormalizeFeatures(),
            transforms.ToDevice(device),
            transforms.RandomLinkSplit(0.1, 0.1, is_undirected=True, add_negative_train_samples=False),
        ]
    )
    train_data, val_data, _ = split(plain())
    model = LinkNetwork().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        z = model.encode(train_data.x, train_data.edge_index)
        positive = train_data.edge_label_index
        negative = utils.negative_sampling(train_data.edge_index, train_data.num_nodes, positive.size(1))
        labels = torch.cat([torch.ones(positive.size(1)), torch.zeros(negative.size(1))]).to(device)
        out = model.decode(z, torch.cat([positive, negative], dim=-1))
        functional.binary_cross_entropy_with_logits(out, labels).backward()
        optimizer.step()
        with torch.no_grad():
            z = model.encode(val_data.x, val_data.edge_index)
            model.decode(z, val_data.edge_label_index).sigmoid().cpu().numpy()


if __name__ == "__main__":
    uses.main()
