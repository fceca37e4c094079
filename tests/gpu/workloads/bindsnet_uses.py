"""Nodes, connections, learning rules, models, encodings, monitors, pipelines and evaluation of bindsnet."""

import tempfile
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import torch
from bindsnet import conversion, datasets, encoding, evaluation, learning, models, utils
from bindsnet.analysis import plotting
from bindsnet.environment import GymEnvironment
from bindsnet.learning import MCC_learning
from bindsnet.learning.reward import MovingAvgRPE
from bindsnet.network import Network, load, nodes, topology
from bindsnet.network.monitors import Monitor, NetworkMonitor
from bindsnet.network.topology_features import Bias, Degradation, Intensity, Mask, Probability, Weight
from bindsnet.pipeline import EnvironmentPipeline, TorchVisionDatasetPipeline
from bindsnet.pipeline.action import select_first_spike, select_highest, select_multinomial, select_softmax
from sklearn.linear_model import LogisticRegression
from torch import nn
from torchvision import transforms
from uses import Use, Uses

mpl.use("Agg")
TIME, BATCH, COUNT = 15, 2, 12
Maker = Callable[..., Any]
uses = Uses()


def spikes(device: torch.device, *shape: int, time: int = TIME, batch: int = BATCH) -> torch.Tensor:
    return torch.bernoulli(torch.full((time, batch, *shape), 0.4, device=device)).byte()


def pair(source: nodes.Nodes, target: nodes.Nodes, connection: Any = None, **more: Any) -> Network:
    network = Network(dt=1.0, batch_size=BATCH, **more)
    network.add_layer(source, name="X")
    network.add_layer(target, name="Y")
    if connection is not None:
        network.add_connection(connection, source="X", target="Y")
    return network


def watched(network: Network, device: torch.device) -> Monitor:
    monitor = Monitor(network.layers["Y"], state_vars=["s"], time=TIME, batch_size=BATCH, device=str(device))
    network.add_monitor(monitor, name="Y")
    return monitor


# Nodes

NODES: dict[str, Callable[[], nodes.Nodes]] = {
    "McCullochPitts": lambda: nodes.McCullochPitts(COUNT, traces=True),
    "IF": lambda: nodes.IFNodes(COUNT, traces=True, lbound=-80.0),
    "LIF": lambda: nodes.LIFNodes(COUNT, traces=True, traces_additive=True, sum_input=True),
    "BoostedLIF": lambda: nodes.BoostedLIFNodes(COUNT),
    "CurrentLIF": lambda: nodes.CurrentLIFNodes(COUNT, lbound=-80.0),
    "AdaptiveLIF": lambda: nodes.AdaptiveLIFNodes(COUNT, traces=True),
    "DiehlAndCook": lambda: nodes.DiehlAndCookNodes(COUNT, traces=True, thresh=-64.0, one_spike=True),
    "Izhikevich": lambda: nodes.IzhikevichNodes(COUNT, excitatory=0.8),
    "SRM0": lambda: nodes.SRM0Nodes(COUNT),
}


def nodes_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        source, target = nodes.Input(COUNT, traces=True), NODES[name]()
        weights = 5 * torch.rand(COUNT, COUNT)
        network = pair(source, target, topology.Connection(source, target, w=weights)).to(device)
        monitor = watched(network, device)
        network.run({"X": spikes(device, COUNT)}, time=TIME)
        monitor.get("s").sum()
        network.reset_state_variables()
        network.train(False)
        network.run({"X": spikes(device, COUNT)}, time=TIME)

    return use


uses.add_each("nodes", NODES, nodes_use)


@uses.add
def cumulative_spike_response(device: torch.device) -> None:
    source, target = nodes.Input(COUNT), nodes.CSRMNodes(COUNT)
    connection = topology.Connection(source, target, w=torch.rand(COUNT, COUNT))
    network = pair(source, target, connection).to(device)
    network.run({"X": spikes(device, COUNT)}, time=TIME)


# Learning rules

RULES: dict[str, tuple[Any, dict[str, Any]]] = {
    "NoOp": (learning.NoOp, {}),
    "PostPre": (learning.PostPre, {}),
    "PostPre with decay": (learning.PostPre, {"weight_decay": 0.1, "norm": 5.0, "reduction": torch.mean}),
    "WeightDependentPostPre": (learning.WeightDependentPostPre, {}),
    "Hebbian": (learning.Hebbian, {}),
    "DiehlAndCook": (learning.DiehlAndCook, {}),
    "MSTDP": (learning.MSTDP, {}),
    "MSTDPET": (learning.MSTDPET, {}),
}


def rule_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        rule, more = RULES[name]
        source, target = nodes.Input(COUNT, traces=True), nodes.LIFNodes(COUNT, traces=True, thresh=-60.0)
        connection = topology.Connection(
            source,
            target,
            w=torch.rand(COUNT, COUNT),
            update_rule=rule,
            nu=(1e-3, 1e-2),
            wmin=0.0,
            wmax=1.0,
            **more,
        )
        network = pair(source, target, connection).to(device)
        network.run({"X": spikes(device, COUNT)}, time=TIME, reward=1.0)

    return use


uses.add_each("rule", RULES, rule_use)


@uses.add
def reward_maximisation(device: torch.device) -> None:
    source, target = nodes.Input(COUNT, traces=True, traces_additive=True), nodes.SRM0Nodes(COUNT)
    connection = topology.Connection(source, target, update_rule=learning.Rmax, nu=(1e-3, 1e-2))
    network = Network(dt=1.0)
    network.add_layer(source, name="X")
    network.add_layer(target, name="Y")
    network.add_connection(connection, source="X", target="Y")
    network.to(device).run({"X": spikes(device, COUNT, batch=1)}, time=TIME, reward=1.0)


@uses.add
def predicted_reward(device: torch.device) -> None:
    source, target = nodes.Input(COUNT, traces=True), nodes.LIFNodes(COUNT, traces=True)
    connection = topology.Connection(source, target, update_rule=learning.MSTDP, nu=1e-2)
    network = pair(source, target, connection, reward_fn=MovingAvgRPE).to(device)
    network.run({"X": spikes(device, COUNT)}, time=TIME, reward=1.0, a_plus=1.0, a_minus=-1.0)
    network.reward_fn.update(accumulated_reward=3.0, steps=5)


# Connections

LOCAL = {"kernel_size": 3, "stride": 1, "n_filters": 2}
SHAPED: dict[str, tuple[tuple[int, ...], tuple[int, ...], Maker]] = {
    "Conv1d": ((1, 10), (3, 8), lambda x, y, **more: topology.Conv1dConnection(x, y, kernel_size=3, **more)),
    "Conv2d": (
        (1, 8, 8),
        (3, 6, 6),
        lambda x, y, **more: topology.Conv2dConnection(x, y, kernel_size=3, norm=0.5, **more),
    ),
    "Conv3d": (
        (1, 4, 5, 5),
        (2, 2, 3, 3),
        lambda x, y, **more: topology.Conv3dConnection(x, y, kernel_size=3, **more),
    ),
    "Local1D": ((1, 10), (2, 8), lambda x, y, **more: topology.LocalConnection1D(x, y, **LOCAL, **more)),
    "Local2D": ((1, 6, 6), (2, 4, 4), lambda x, y, **more: topology.LocalConnection2D(x, y, **LOCAL, **more)),
    "Local3D": (
        (1, 4, 4, 4),
        (2, 2, 2, 2),
        lambda x, y, **more: topology.LocalConnection3D(x, y, **LOCAL, **more),
    ),
}
SHAPED_RULES = (
    learning.PostPre,
    learning.WeightDependentPostPre,
    learning.Hebbian,
    learning.MSTDP,
    learning.MSTDPET,
)


def shaped_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        first, second, make = SHAPED[name]
        for rule in SHAPED_RULES:
            source = nodes.Input(shape=first, traces=True)
            target = nodes.LIFNodes(shape=second, traces=True, thresh=-62.0)
            connection = make(source, target, update_rule=rule, nu=(1e-3, 1e-2), wmin=0.0, wmax=1.0)
            network = pair(source, target, connection).to(device)
            network.run({"X": spikes(device, *first, time=6)}, time=6, reward=1.0)

    return use


uses.add_each("connection", SHAPED, shaped_use)


@uses.add
def pooling(device: torch.device) -> None:
    cases = (
        ((2, 8), (2, 4), topology.MaxPool1dConnection),
        ((2, 8, 8), (2, 4, 4), topology.MaxPool2dConnection),
        ((2, 4, 4, 4), (2, 2, 2, 2), topology.MaxPoo3dConnection),
    )
    for first, second, made in cases:
        source, target = nodes.Input(shape=first), nodes.IFNodes(shape=second)
        network = pair(source, target, made(source, target, kernel_size=2, stride=2, decay=0.1)).to(device)
        network.reset_state_variables()
        network.run({"X": spikes(device, *first)}, time=TIME)


@uses.add
def sparse_connection(device: torch.device) -> None:
    source, target = nodes.Input(COUNT), nodes.LIFNodes(COUNT)
    weights = torch.bernoulli(torch.full((COUNT, COUNT), 0.2)).to_sparse()
    network = pair(source, target, topology.SparseConnection(source, target, w=weights)).to(device)
    network.run({"X": spikes(device, COUNT)}, time=TIME)


@uses.add
def mean_field(device: torch.device) -> None:
    source, target = nodes.Input(COUNT), nodes.LIFNodes(COUNT)
    connection = topology.MeanFieldConnection(source, target, w=torch.rand(COUNT))
    pair(source, target, connection).to(device).run({"X": spikes(device, COUNT)}, time=TIME)


@uses.add
def local_connection(device: torch.device) -> None:
    source, target = nodes.Input(shape=(6, 6), traces=True), nodes.LIFNodes(shape=(2, 4, 4), traces=True)
    connection = topology.LocalConnection(
        source, target, **LOCAL, update_rule=learning.PostPre, nu=1e-2, wmin=0.0, wmax=1.0, norm=0.2
    )
    pair(source, target, connection).to(device).run({"X": spikes(device, 6, 6, batch=1)}, time=TIME)


FEATURE_RULES = {
    "NoOp": MCC_learning.NoOp,
    "PostPre": MCC_learning.PostPre,
    "Hebbian": MCC_learning.Hebbian,
    "MSTDP": MCC_learning.MSTDP,
    "MSTDPET": MCC_learning.MSTDPET,
}


def compartments(device: torch.device, features: Callable[[], list[Any]], batch: int = 1) -> None:
    source, target = nodes.Input(COUNT, traces=True), nodes.LIFNodes(COUNT, traces=True, thresh=-60.0)
    network = Network(dt=1.0, batch_size=batch)
    network.add_layer(source, name="X")
    network.add_layer(target, name="Y")
    connection = topology.MulticompartmentConnection(source, target, device=device, pipeline=features(), traces=True)
    network.add_connection(connection, source="X", target="Y")
    network.to(device)
    network.run({"X": spikes(device, COUNT, batch=batch)}, time=TIME, reward=1.0)
    network.reset_state_variables()


def feature_rule_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        def features() -> list[Any]:
            return [
                Weight(
                    "weight",
                    torch.rand(COUNT, COUNT, device=device),
                    range=[0, 1],
                    norm=3.0,
                    learning_rule=FEATURE_RULES[name],
                    nu=[1e-3, 1e-2],
                )
            ]

        compartments(device, features)

    return use


uses.add_each("feature rule", FEATURE_RULES, feature_rule_use)


@uses.add
def features(device: torch.device) -> None:
    def made() -> list[Any]:
        where = {"device": device}
        return [
            Probability("probability", torch.rand(COUNT, COUNT, **where)),
            Weight("weight", torch.rand(COUNT, COUNT, **where)),
            Bias("bias", torch.rand(COUNT, COUNT, **where)),
            Mask("mask", torch.rand(COUNT, COUNT, **where) > 0.5),
            Intensity("intensity", torch.rand(COUNT, COUNT, **where)),
        ]

    compartments(device, made)


# Models

MODELS: dict[str, Callable[[torch.device], Network]] = {
    "TwoLayer": lambda device: models.TwoLayerNetwork(n_inpt=36, n_neurons=10),
    "DiehlAndCook": lambda device: models.DiehlAndCook2015(
        n_inpt=36,
        device=str(device),
        batch_size=BATCH,
        n_neurons=10,
        inpt_shape=(1, 6, 6),
        reduction=torch.sum,
        norm=20.0,
    ),
    "DiehlAndCook v2": lambda device: models.DiehlAndCook2015v2(
        n_inpt=36, n_neurons=10, inpt_shape=(1, 6, 6), norm=20.0
    ),
    "IncreasingInhibition": lambda device: models.IncreasingInhibitionNetwork(
        n_input=36, n_neurons=9, inpt_shape=(1, 6, 6), norm=20.0
    ),
    "LocallyConnected": lambda device: models.LocallyConnectedNetwork(
        n_inpt=36, input_shape=[6, 6], kernel_size=3, stride=3, n_filters=4
    ),
}


def model_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        network = MODELS[name](device).to(device)
        shape = (36,) if name in ("TwoLayer", "LocallyConnected") else (1, 6, 6)
        last = list(network.layers)[-1]
        layer = network.layers[last]
        monitor = Monitor(layer, state_vars=["s", "v"], time=TIME, device=str(device))
        network.add_monitor(monitor, name="watched")
        for _ in range(2):
            image = torch.rand(shape) * 128
            encoded = encoding.poisson(image, time=TIME, dt=1.0)
            network.run({"X": encoded.unsqueeze(1).to(device)}, time=TIME)
            monitor.get("s").sum(), monitor.get("v").mean()
            network.reset_state_variables()

    return use


uses.add_each("model", MODELS, model_use)


@uses.add
def images_in_batches(device: torch.device) -> None:
    network = models.DiehlAndCook2015(
        n_inpt=36, n_neurons=10, batch_size=4, device=str(device), inpt_shape=(1, 6, 6), norm=20.0
    ).to(device)
    monitor = Monitor(network.layers["Ae"], ["s"], time=TIME, batch_size=4, device=str(device))
    network.add_monitor(monitor, name="Ae")
    encoder = encoding.PoissonEncoder(time=TIME, dt=1.0)
    images = [{"encoded_image": encoder(128 * torch.rand(1, 6, 6)), "label": i % 3} for i in range(8)]
    records, labels = [], []
    for batch in datasets.DataLoader(images, batch_size=4, num_workers=0):
        network.run({"X": batch["encoded_image"].to(device)}, time=TIME)
        records.append(monitor.get("s").permute((1, 0, 2)))
        labels.append(batch["label"].to(device))
        network.reset_state_variables()
    record, label = torch.cat(records), torch.cat(labels)
    assignments, proportions, _ = evaluation.assign_labels(record, label, 3)
    guesses = evaluation.all_activity(spikes=record, assignments=assignments, n_labels=3)
    weighted = evaluation.proportion_weighting(record, assignments, proportions, 3)
    (guesses.long() == label).sum().item(), (weighted.long() == label).sum().item()


# Running networks


@uses.add
def clamped(device: torch.device) -> None:
    source, target = nodes.Input(COUNT), nodes.LIFNodes(COUNT)
    connection = topology.Connection(source, target, w=torch.rand(COUNT, COUNT))
    network = pair(source, target, connection).to(device)
    mask = torch.zeros(COUNT, dtype=torch.bool, device=device)
    mask[:3] = True
    more = {"clamp": {"Y": mask}, "unclamp": {"Y": ~mask}, "injects_v": {"Y": mask.float()}}
    cut = torch.zeros(COUNT, COUNT, dtype=torch.bool, device=device)
    network.run({"X": spikes(device, COUNT)}, time=TIME, **more, masks={("X", "Y"): cut})
    network.run({"X": spikes(device, COUNT)}, time=TIME, one_step=True, progress_bar=False)


@uses.add
def recurrent(device: torch.device) -> None:
    source, target = nodes.Input(COUNT, traces=True), nodes.LIFNodes(COUNT, traces=True)
    forward = topology.Connection(source, target, w=torch.rand(COUNT, COUNT), b=torch.zeros(COUNT))
    network = pair(source, target, forward)
    back = topology.Connection(target, target, w=-0.1 * torch.ones(COUNT, COUNT), Dales_rule=torch.zeros(COUNT))
    network.add_connection(back, source="Y", target="Y")
    network.to(device).run({"X": spikes(device, COUNT)}, time=TIME)


@uses.add
def saved(device: torch.device) -> None:
    network = models.TwoLayerNetwork(n_inpt=36, n_neurons=10).to(device)
    with tempfile.TemporaryDirectory() as folder:
        network.save(f"{folder}/network.pt")
        again = load(f"{folder}/network.pt", map_location=str(device), learning=False)
    again.run({"X": spikes(device, 36, batch=1)}, time=5)
    network.clone().run({"X": spikes(device, 36, batch=1)}, time=5)


@uses.add
def monitors(device: torch.device) -> None:
    source, target = nodes.Input(COUNT), nodes.LIFNodes(COUNT)
    connection = topology.Connection(source, target, w=torch.rand(COUNT, COUNT))
    network = pair(source, target, connection).to(device)
    for name, made in {
        "whole": Monitor(target, ["s", "v"], batch_size=BATCH, device=str(device)),
        "sparse": Monitor(target, ["s"], time=TIME, batch_size=BATCH, device=str(device), sparse=True),
        "weights": Monitor(connection, ["w"], time=TIME, device=str(device)),
    }.items():
        network.add_monitor(made, name=name)
    network.run({"X": spikes(device, COUNT)}, time=TIME)
    network.monitors["whole"].get("v"), network.monitors["sparse"].get("s"), network.monitors["weights"].get("w")


@uses.add
def network_monitor(device: torch.device) -> None:
    network = Network(dt=1.0)
    source, target = nodes.Input(COUNT), nodes.LIFNodes(COUNT)
    network.add_layer(source, name="X")
    network.add_layer(target, name="Y")
    network.add_connection(topology.Connection(source, target), source="X", target="Y")
    network.to(device)
    network.add_monitor(NetworkMonitor(network, state_vars=["s", "v", "w"]), name="all")
    network.run({"X": spikes(device, COUNT, batch=1)}, time=TIME)
    network.monitors["all"].get()


# Encodings

ENCODERS: dict[str, Callable[[], encoding.Encoder]] = {
    "null": lambda: encoding.NullEncoder(),
    "single": lambda: encoding.SingleEncoder(time=TIME, dt=1.0, sparsity=0.3),
    "repeat": lambda: encoding.RepeatEncoder(time=TIME, dt=1.0),
    "bernoulli": lambda: encoding.BernoulliEncoder(time=TIME, dt=1.0, max_prob=0.5),
    "poisson": lambda: encoding.PoissonEncoder(time=TIME, dt=1.0),
    "approximate poisson": lambda: encoding.PoissonEncoder(time=TIME, dt=1.0, approx=True),
    "rank order": lambda: encoding.RankOrderEncoder(time=TIME, dt=1.0),
}


def encoder_use(name: str) -> Use:
    return lambda device: ENCODERS[name]()(torch.rand(1, 6, 6) * 100).to(device)


uses.add_each("encoder", ENCODERS, encoder_use)


@uses.add
def encodings_on_the_device(device: torch.device) -> None:
    datum = torch.rand(1, 6, 6, device=device)
    encoding.single(datum, time=TIME, device=device)
    encoding.repeat(datum, time=TIME)
    encoding.bernoulli(datum, time=TIME, device=device)
    encoding.bernoulli(datum, device=device)
    encoding.poisson(datum * 128, time=TIME, device=device)
    encoding.rank_order(datum, time=TIME, device=device)


@uses.add
def loaders(device: torch.device) -> None:
    data = torch.rand(3, 1, 6, 6)
    for loader in (
        encoding.bernoulli_loader(data, time=TIME),
        encoding.poisson_loader(data * 100, time=TIME),
        encoding.rank_order_loader(data, time=TIME),
    ):
        for one in loader:
            one.to(device)


# Evaluation


def recorded(device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    return spikes(device, COUNT, time=9, batch=TIME).float(), torch.arange(9, device=device) % 3


@uses.add
def activity_labels(device: torch.device) -> None:
    record, labels = recorded(device)
    assignments, proportions, rates = evaluation.assign_labels(record, labels, 3)
    evaluation.assign_labels(record, labels, 3, rates=rates, alpha=0.9)
    evaluation.all_activity(record, assignments, 3)
    evaluation.proportion_weighting(record, assignments, proportions, 3)


@uses.add
def n_grams(device: torch.device) -> None:
    record, labels = recorded(device)
    scores = evaluation.update_ngram_scores(record, labels, 3, 2, {})
    evaluation.ngram(record, scores, 3, 2)


@uses.add
def logistic_regression(device: torch.device) -> None:
    record, labels = recorded(device)
    summed = record.sum(1).cpu()
    fitted = evaluation.logreg_fit(summed, labels.cpu(), LogisticRegression(max_iter=20))
    evaluation.logreg_predict(summed, fitted)


# From artificial to spiking networks


class Dense(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.relu1 = nn.Linear(36, 16), nn.ReLU()
        self.fc2, self.relu2 = nn.Linear(16, 4), nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.relu2(self.fc2(self.relu1(self.fc1(x))))


@uses.add
def converted(device: torch.device) -> None:
    network = conversion.ann_to_snn(Dense(), input_shape=(36,), data=torch.rand(20, 36)).to(device)
    network.run({"Input": torch.rand(TIME, 1, 36, device=device)}, time=TIME)


@uses.add
def converted_convolution(device: torch.device) -> None:
    net = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.MaxPool2d(2))
    network = conversion.ann_to_snn(net, input_shape=(1, 6, 6)).to(device)
    network.run({"Input": torch.rand(TIME, 1, 1, 6, 6, device=device)}, time=TIME)


# Pipelines


@uses.add
def dataset_pipeline(device: torch.device) -> None:
    network = models.DiehlAndCook2015v2(n_inpt=36, n_neurons=10, inpt_shape=(1, 6, 6), norm=20.0)
    transform = transforms.Compose([transforms.ToTensor(), transforms.Lambda(lambda x: x[:1] * 128)])
    data = datasets.FakeData(
        encoding.PoissonEncoder(time=TIME, dt=1.0), None, size=4, image_size=(3, 6, 6), transform=transform
    )
    pipeline = TorchVisionDatasetPipeline(
        network,
        data,
        num_epochs=1,
        batch_size=1,
        num_workers=0,
        plot_config={"data_step": True, "data_length": 10},
        allow_gpu=device.type == "cuda",
    )
    pipeline.train()
    pipeline.get_spike_data(), pipeline.get_voltage_data()


class Squares(gym.Env):
    """Shows squares, some of which are lit."""

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012
    observation_space, action_space = gym.spaces.Box(0, 1, (8,), np.float32), gym.spaces.Discrete(3)

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        return self.observation_space.sample(), float(int(action) == 1), False, False, {}


gym.register(id="Squares-v0", entry_point=Squares, max_episode_steps=8, disable_env_checker=True)
ACTIONS = {
    "softmax": select_softmax,
    "multinomial": select_multinomial,
    "highest": select_highest,
    "first spike": select_first_spike,
}


def action_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        network = Network(dt=1.0, reward_fn=MovingAvgRPE)
        source, target = nodes.Input(shape=[1, 8], traces=True), nodes.LIFNodes(3, traces=True, thresh=-62.0)
        network.add_layer(source, name="Input Layer")
        network.add_layer(target, name="Output Layer")
        connection = topology.Connection(source, target, wmin=0, wmax=1, update_rule=learning.MSTDP, nu=1e-1, norm=2.0)
        network.add_connection(connection, source="Input Layer", target="Output Layer")
        environment = GymEnvironment("Squares-v0")
        pipeline = EnvironmentPipeline(
            network,
            environment,
            action_function=ACTIONS[name],
            encoding=encoding.bernoulli,
            output="Output Layer",
            time=10,
            num_episodes=1,
            percent_of_random_action=0.1,
            plot_config={"data_step": None, "data_length": 10},
            allow_gpu=device.type == "cuda",
        )
        pipeline.train()
        environment.close()

    return use


uses.add_each("acting by", ACTIONS, action_use)


# Plots and utilities


@uses.add
def plots(device: torch.device) -> None:
    record = {"X": spikes(device, COUNT, batch=1), "Y": spikes(device, COUNT, batch=1)}
    plotting.plot_spikes({name: one.cpu() for name, one in record.items()})
    plotting.plot_voltages({"Y": torch.randn(TIME, 1, COUNT)}, plot_type="line")
    weights = torch.rand(36, 16, device=device)
    plotting.plot_weights(utils.get_square_weights(weights, 4, 6).cpu())
    plotting.plot_assignments(utils.get_square_assignments(torch.arange(16, device=device) % 3, 4).cpu())
    plotting.plot_performance({"all": [1.0, 2.0]})
    plotting.plot_input(torch.rand(6, 6), torch.rand(6, 6), label=1)
    plotting.plot_conv2d_weights(torch.rand(4, 1, 3, 3))
    plt.close("all")


@uses.add
def columns(device: torch.device) -> None:
    x = torch.rand(1, 1, 6, 6, device=device)
    found = utils.im2col_indices(x, 3, 3, padding=(1, 1))
    utils.col2im_indices(found, (6, 6), 3, 3, padding=(1, 1))
    utils.reshape_conv2d_weights(torch.rand(4, 2, 3, 3, device=device))


@uses.add
def degrading_feature(device: torch.device) -> None:
    def made() -> list[Any]:
        weight = Weight("weight", torch.rand(COUNT, COUNT, device=device))
        return [
            weight,
            Degradation("degradation", torch.zeros(COUNT, COUNT, device=device), degrade_function=lambda x: 0.9 * x),
        ]

    compartments(device, made)


if __name__ == "__main__":
    uses.main()
