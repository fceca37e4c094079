"""Neurons, surrogate gradients, losses, spike generation, training, probes, plasticity and export of snntorch."""

from collections.abc import Callable

import matplotlib as mpl
import matplotlib.pyplot as plt
import snntorch as snn
import torch
from snntorch import backprop, spikegen, spikeplot, surrogate, utils
from snntorch import functional as SF  # noqa: N812
from snntorch._neurons.leakykernel import LeakyKernel
from snntorch.export_nir import export_to_nir
from snntorch.functional import probe, quant, reg, stdp_learner
from snntorch.import_nir import import_from_nir
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from uses import Use, Uses

mpl.use("Agg")
STEPS, BATCH, FEATURES, CLASSES = 6, 4, 8, 3
uses = Uses()


def inputs(device: torch.device, *shape: int) -> torch.Tensor:
    return torch.rand(STEPS, BATCH, *(shape or (FEATURES,)), device=device)


def labels(device: torch.device) -> torch.Tensor:
    return torch.arange(BATCH, device=device) % CLASSES


def spikes(device: torch.device, outputs: int = CLASSES) -> torch.Tensor:
    return torch.bernoulli(torch.full((STEPS, BATCH, outputs), 0.5, device=device)).requires_grad_()


class Classifier(nn.Module):
    """Two layers of leaky neurons, run over the steps."""

    def __init__(self, outputs: int = CLASSES, beta: float = 0.9, **more: object) -> None:
        super().__init__()
        self.fc1 = nn.Linear(FEATURES, 12)
        self.lif1 = snn.Leaky(beta=beta, **more)
        self.fc2 = nn.Linear(12, outputs)
        self.lif2 = snn.Leaky(beta=beta, **more)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mem1, mem2 = self.lif1.init_leaky(), self.lif2.init_leaky()
        spk2_rec, mem2_rec = [], []
        for step in range(x.size(0)):
            spk1, mem1 = self.lif1(self.fc1(x[step]), mem1)
            spk2, mem2 = self.lif2(self.fc2(spk1), mem2)
            spk2_rec.append(spk2)
            mem2_rec.append(mem2)
        return torch.stack(spk2_rec), torch.stack(mem2_rec)


def stacked(beta: float = 0.9) -> nn.Sequential:
    snn.SpikingNeuron.init()
    grad = surrogate.fast_sigmoid(slope=25)
    return nn.Sequential(
        nn.Linear(FEATURES, 12),
        snn.Leaky(beta=beta, spike_grad=grad, init_hidden=True),
        nn.Linear(12, CLASSES),
        snn.Leaky(beta=beta, spike_grad=grad, init_hidden=True, output=True),
    )


def run(net: nn.Module, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    utils.reset(net)
    found = [net(x[step]) for step in range(x.size(0))]
    return torch.stack([one[0] for one in found]), torch.stack([one[-1] for one in found])


# Neurons

NEURONS: dict[str, Callable[[], nn.Module]] = {
    "Leaky": lambda: snn.Leaky(beta=0.9),
    "Leaky learning": lambda: snn.Leaky(
        beta=torch.rand(FEATURES), learn_beta=True, threshold=torch.rand(FEATURES), learn_threshold=True
    ),
    "Leaky to zero": lambda: snn.Leaky(beta=0.9, reset_mechanism="zero", reset_delay=False),
    "Leaky without reset": lambda: snn.Leaky(beta=0.9, reset_mechanism="none", graded_spikes_factor=2.0),
    "Leaky inhibited": lambda: snn.Leaky(beta=0.9, inhibition=True),
    "Leaky quantised": lambda: snn.Leaky(beta=0.9, state_quant=quant.state_quant(num_bits=4)),
    "Leaky without surrogate": lambda: snn.Leaky(beta=0.9, surrogate_disable=True),
    "Synaptic": lambda: snn.Synaptic(alpha=0.9, beta=0.8),
    "Synaptic learning": lambda: snn.Synaptic(
        alpha=0.9, beta=0.8, learn_alpha=True, learn_beta=True, reset_mechanism="zero", reset_delay=False
    ),
    "Alpha": lambda: snn.Alpha(alpha=0.9, beta=0.8),
    "Alpha subtracting": lambda: snn.Alpha(alpha=0.9, beta=0.8, reset_mechanism="subtract"),
    "Lapicque": lambda: snn.Lapicque(beta=0.9),
    "Lapicque of R and C": lambda: snn.Lapicque(R=5.1, C=5e-3, time_step=1e-3, reset_mechanism="zero"),
    "RLeaky": lambda: snn.RLeaky(beta=0.9, linear_features=FEATURES),
    "RLeaky one to one": lambda: snn.RLeaky(beta=0.9, V=torch.rand(FEATURES), all_to_all=False, reset_delay=False),
    "RSynaptic": lambda: snn.RSynaptic(alpha=0.9, beta=0.8, linear_features=FEATURES),
    "RSynaptic one to one": lambda: snn.RSynaptic(alpha=0.9, beta=0.8, V=0.5, all_to_all=False),
    "SLSTM": lambda: snn.SLSTM(FEATURES, FEATURES),
    "SLSTM subtracting": lambda: snn.SLSTM(FEATURES, FEATURES, reset_mechanism="subtract", learn_threshold=True),
}


def neuron_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        neuron, x = NEURONS[name]().to(device), inputs(device) * 2
        x.requires_grad_()
        state = list(neuron.reset_mem()) if isinstance(neuron.reset_mem(), tuple) else [neuron.reset_mem()]
        total = []
        for step in range(STEPS):
            spike, *state = neuron(x[step], *state)
            total.append(spike)
        torch.stack(total).sum().add(state[-1].sum()).backward()

    return use


uses.add_each("neuron", NEURONS, neuron_use)

HIDDEN: dict[str, Callable[[], nn.Module]] = {
    "Leaky": lambda: snn.Leaky(beta=0.9, init_hidden=True),
    "Synaptic": lambda: snn.Synaptic(alpha=0.9, beta=0.8, init_hidden=True),
    "Lapicque": lambda: snn.Lapicque(beta=0.9, init_hidden=True),
    "RLeaky": lambda: snn.RLeaky(beta=0.9, linear_features=FEATURES, init_hidden=True),
    "RSynaptic": lambda: snn.RSynaptic(alpha=0.9, beta=0.8, linear_features=FEATURES, init_hidden=True),
    "SLSTM": lambda: snn.SLSTM(FEATURES, FEATURES, init_hidden=True),
}


def hidden_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        snn.SpikingNeuron.init()
        neuron, x = HIDDEN[name](), inputs(device)
        net = nn.Sequential(nn.Linear(FEATURES, FEATURES), neuron, nn.Linear(FEATURES, CLASSES)).to(device)
        utils.reset(net)
        sum(net(x[step]).sum() for step in range(STEPS)).backward()
        type(neuron).detach_hidden()
        type(neuron).reset_hidden()

    return use


uses.add_each("hidden state", HIDDEN, hidden_use)


@uses.add
def delta_neurons(device: torch.device) -> None:
    neuron, x = snn.DeltaLeaky(delta_threshold=0.5, beta=0.9).to(device), inputs(device).requires_grad_()
    state = neuron.reset_mem()
    for step in range(STEPS):
        spike, state = neuron(x[step], state)
    spike.sum().add(state[0].sum()).backward()


@uses.add
def convolutional_lstm(device: torch.device) -> None:
    for pool in ({}, {"max_pool": 2}, {"avg_pool": 2, "reset_mechanism": "subtract"}):
        lstm = snn.SConv2dLSTM(1, 4, 3, **pool).to(device)
        x = inputs(device, 1, 8, 8)
        syn, mem = lstm.reset_mem()
        for step in range(STEPS):
            spike, syn, mem = lstm(x[step], syn, mem)
        spike.sum().add(mem.sum()).backward()
    hidden = snn.SConv2dLSTM(1, 4, 3, init_hidden=True).to(device)
    hidden(x[0])


@uses.add
def convolutional_recurrence(device: torch.device) -> None:
    x = inputs(device, 2, 6, 6)
    leaky = snn.RLeaky(beta=0.9, conv2d_channels=2, kernel_size=3).to(device)
    spike, mem = leaky.reset_mem()
    for step in range(STEPS):
        spike, mem = leaky(x[step], spike, mem)
    mem.sum().backward()
    synaptic = snn.RSynaptic(alpha=0.9, beta=0.8, conv2d_channels=2, kernel_size=3).to(device)
    spike, syn, mem = synaptic.reset_mem()
    for step in range(STEPS):
        spike, syn, mem = synaptic(x[step], spike, syn, mem)
    mem.sum().backward()


@uses.add
def parallel_neurons(device: torch.device) -> None:
    x = inputs(device)
    for more in ({}, {"beta": 0.9}, {"beta": 0.5, "learn_beta": True}, {"weight_hh_enable": True, "dropout": 0.1}):
        snn.LeakyParallel(FEATURES, 12, **more).to(device)(x).sum().backward()
    LeakyKernel(FEATURES, 12, beta=0.9, device=device)(x).sum().backward()


@uses.add
def whole_sequences(device: torch.device) -> None:
    x = inputs(device).requires_grad_()
    for made in (
        snn.StateLeaky(beta=0.9, channels=FEATURES),
        snn.StateLeaky(beta=torch.full((FEATURES,), 0.8), channels=FEATURES, learn_beta=True),
        snn.LinearLeaky(beta=0.9, in_features=FEATURES, out_features=12),
        snn.LinearLeaky(beta=0.9, in_features=FEATURES, out_features=12, kernel_truncation_steps=3),
    ):
        spike, mem = made.to(device)(x)
        mem.sum().add(spike.sum()).backward()


@uses.add
def associative_memory(device: torch.device) -> None:
    x = inputs(device)
    snn.AssociativeLeaky(FEATURES, 4, 4, 16).to(device)(x).sum().backward()
    made = snn.AssociativeLeaky.from_num_spiking_neurons(FEATURES, 9, use_q_projection=False).to(device)
    made(x).sum().backward()


@uses.add
def normalisation(device: torch.device) -> None:
    flat = snn.BatchNormTT1d(FEATURES, STEPS).to(device)
    flat_data = inputs(device)
    sum(flat[step](flat_data[step]).sum() for step in range(STEPS)).backward()
    images = snn.BatchNormTT2d(2, STEPS).to(device)
    image_data = inputs(device, 2, 5, 5)
    sum(images[step](image_data[step]).sum() for step in range(STEPS)).backward()
    graded = snn.GradedSpikes(FEATURES, constant_factor=None).to(device)
    graded(spikes(device, FEATURES)[0].T).sum().backward()


# Surrogate gradients

SURROGATES: dict[str, Callable[[], Callable[[torch.Tensor], torch.Tensor]]] = {
    "fast sigmoid": lambda: surrogate.fast_sigmoid(slope=25),
    "atan": lambda: surrogate.atan(alpha=2.0),
    "sigmoid": lambda: surrogate.sigmoid(slope=25),
    "triangular": lambda: surrogate.triangular(threshold=1),
    "straight through": lambda: surrogate.straight_through_estimator(),
    "heaviside": lambda: surrogate.heaviside(),
    "spike rate escape": lambda: surrogate.spike_rate_escape(beta=1, slope=25),
    "SSO": lambda: surrogate.SSO(mean=0, variance=0.2),
    "SFS": lambda: surrogate.SFS(slope=25, B=1),
    "custom": lambda: surrogate.custom_surrogate(lambda input_, grad_input, spikes: grad_input / (1 + input_.abs())),
}


def surrogate_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        net = Classifier(spike_grad=SURROGATES[name]()).to(device)
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        spk_rec, mem_rec = net(inputs(device))
        loss = SF.ce_count_loss()(spk_rec, labels(device)) + mem_rec.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return use


uses.add_each("surrogate", SURROGATES, surrogate_use)


# Losses

COUNTED: dict[str, Callable[[], object]] = {
    "ce_rate": lambda: SF.ce_rate_loss(),
    "ce_rate weighted": lambda: SF.ce_rate_loss(weight=torch.ones(CLASSES), reduction="none"),
    "ce_count": lambda: SF.ce_count_loss(),
    "ce_count of populations": lambda: SF.ce_count_loss(population_code=True, num_classes=CLASSES),
    "ce_max_membrane": lambda: SF.ce_max_membrane_loss(),
    "mse_count": lambda: SF.mse_count_loss(correct_rate=0.8, incorrect_rate=0.2),
    "mse_count of populations": lambda: SF.mse_count_loss(
        correct_rate=1.0, incorrect_rate=0.0, population_code=True, num_classes=CLASSES
    ),
    "mse_membrane": lambda: SF.mse_membrane_loss(on_target=1.05, off_target=0.2),
    "mse_temporal": lambda: SF.mse_temporal_loss(),
    "mse_temporal of times": lambda: SF.mse_temporal_loss(on_target=2, off_target=5, tolerance=1),
    "mse_temporal of many": lambda: SF.mse_temporal_loss(target_is_time=True, multi_spike=True),
    "ce_temporal": lambda: SF.ce_temporal_loss(),
    "ce_temporal reciprocal": lambda: SF.ce_temporal_loss(inverse="reciprocal"),
}


def loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        loss = COUNTED[name]()
        if getattr(loss, "weight", None) is not None:
            loss.weight = loss.weight.to(device)
        net = Classifier(outputs=2 * CLASSES if "populations" in name else CLASSES).to(device)
        spk_rec, mem_rec = net(inputs(device) * 3)
        targets = labels(device)
        if "of many" in name:
            targets = torch.randint(0, STEPS, (2, BATCH, CLASSES), device=device).sort(0).values.float()
        found = loss(mem_rec if "membrane" in name else spk_rec, targets)
        found.sum().backward()

    return use


uses.add_each("loss", COUNTED, loss_use)


@uses.add
def accuracies(device: torch.device) -> None:
    targets = labels(device)
    SF.accuracy_rate(spikes(device), targets)
    SF.accuracy_temporal(spikes(device), targets)
    SF.accuracy_rate(spikes(device, 2 * CLASSES), targets, population_code=True, num_classes=CLASSES)
    reg.l1_rate_sparsity(1e-4)(spikes(device)).backward()


@uses.add
def quantised_states(device: torch.device) -> None:
    for more in ({"uniform": True}, {"uniform": False}, {"uniform": False, "thr_centered": False}):
        quantise = quant.state_quant(num_bits=4, threshold=1, **more)
        net = Classifier(state_quant=quantise).to(device)
        spk_rec, _ = net(inputs(device))
        spk_rec.sum().backward()


# Training


def trained(net: nn.Module, device: torch.device, forward: Callable[..., tuple[torch.Tensor, torch.Tensor]]) -> None:
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-4, betas=(0.9, 0.999))
    loss_fn = SF.ce_rate_loss()
    loader = DataLoader(TensorDataset(torch.rand(8, FEATURES), torch.arange(8) % CLASSES), batch_size=BATCH)
    for data, targets in loader:
        data, targets = spikegen.rate(data.to(device), num_steps=STEPS), targets.to(device)
        net.train()
        spk_rec, _ = forward(net, data)
        loss = loss_fn(spk_rec, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
    with torch.no_grad():
        net.eval()
        for data, targets in loader:
            spk_rec, _ = forward(net, spikegen.rate(data.to(device), num_steps=STEPS))
            SF.accuracy_rate(spk_rec, targets.to(device))


@uses.add
def training_loop(device: torch.device) -> None:
    trained(Classifier().to(device), device, lambda net, x: net(x))
    trained(stacked().to(device), device, run)


@uses.add
def membrane_training(device: torch.device) -> None:
    net = Classifier().to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-4)
    loss_fn = nn.CrossEntropyLoss()
    for _ in range(2):
        _, mem_rec = net(inputs(device))
        loss_val = torch.zeros(1, dtype=torch.float, device=device)
        for step in range(STEPS):
            loss_val += loss_fn(mem_rec[step], labels(device))
        optimizer.zero_grad()
        loss_val.backward()
        optimizer.step()


@uses.add
def convolutional_training(device: torch.device) -> None:
    snn.SpikingNeuron.init()
    grad = surrogate.fast_sigmoid(slope=25)
    net = nn.Sequential(
        nn.Conv2d(1, 4, 5),
        nn.MaxPool2d(2),
        snn.Leaky(beta=0.5, spike_grad=grad, init_hidden=True),
        nn.Flatten(),
        nn.Linear(4 * 4 * 4, CLASSES),
        snn.Leaky(beta=0.5, spike_grad=grad, init_hidden=True, output=True),
    ).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    spk_rec, _ = run(net, inputs(device, 1, 12, 12))
    loss = SF.mse_count_loss(correct_rate=0.8, incorrect_rate=0.2)(spk_rec, labels(device))
    loss.backward()
    optimizer.step()


def timed() -> DataLoader:
    pairs = [(torch.rand(STEPS, FEATURES), label % CLASSES) for label in range(8)]
    return DataLoader(pairs, batch_size=BATCH)


BACKPROP: dict[str, Callable[..., torch.Tensor]] = {
    "BPTT": backprop.BPTT,
    "TBPTT": lambda *args, **more: backprop.TBPTT(*args, **more, K=2),
    "RTRL": backprop.RTRL,
}


def backprop_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        net = stacked().to(device)
        optimizer = torch.optim.Adam(net.parameters(), lr=5e-4)
        if name == "BPTT":
            for criterion in (SF.ce_count_loss(), SF.mse_membrane_loss()):
                BACKPROP[name](net, timed(), optimizer, criterion, time_first=False, device=device)
        still = DataLoader(TensorDataset(torch.rand(8, FEATURES), torch.arange(8) % CLASSES), batch_size=BATCH)
        BACKPROP[name](
            net,
            still,
            optimizer,
            SF.ce_count_loss(),
            num_steps=4,
            time_var=False,
            regularization=reg.l1_rate_sparsity(),
            device=device,
        )

    return use


uses.add_each("backprop", BACKPROP, backprop_use)


@uses.add
def saving(device: torch.device) -> None:
    net = Classifier(learn_beta=True, learn_threshold=True).to(device)
    other = Classifier(learn_beta=True, learn_threshold=True).to(device)
    other.load_state_dict(net.state_dict())
    other(inputs(device))


@uses.add
def splitting_datasets(device: torch.device) -> None:
    class Data(TensorDataset):
        def __init__(self) -> None:
            self.data, self.targets = torch.rand(20, FEATURES), torch.arange(20) % CLASSES
            super().__init__(self.data, self.targets)

    training, validation = utils.valid_split(Data(), Data(), 0.2)
    small = utils.data_subset(Data(), 4)
    len(training), len(validation), len(small)
    Classifier().to(device)(small.data.to(device).expand(STEPS, -1, -1))


# Spike generation


@uses.add
def rate_coding(device: torch.device) -> None:
    data = torch.rand(BATCH, FEATURES, device=device)
    spikegen.rate(data, num_steps=STEPS, gain=0.5)
    spikegen.rate(data, num_steps=STEPS, offset=0.1, first_spike_time=2)
    spikegen.rate(inputs(device), time_var_input=True)
    spikegen.rate_conv(data)


@uses.add
def latency_coding(device: torch.device) -> None:
    data = torch.rand(BATCH, FEATURES, device=device)
    spikegen.latency(data, num_steps=STEPS, tau=5, threshold=0.01)
    spikegen.latency(data, num_steps=STEPS, tau=5, threshold=0.01, clip=True, normalize=True, linear=True)
    spikegen.latency(data, num_steps=STEPS, normalize=True, clip=True, first_spike_time=1)
    spikegen.latency(data, num_steps=STEPS, normalize=True, linear=True, interpolate=True)
    spikegen.latency_code(data, num_steps=STEPS, normalize=True)


@uses.add
def delta_coding(device: torch.device) -> None:
    data = torch.randn(20, 2, device=device).cumsum(0)
    spikegen.delta(data, threshold=0.5)
    spikegen.delta(data, threshold=0.5, padding=True, off_spike=True)


@uses.add
def target_coding(device: torch.device) -> None:
    targets = labels(device)
    spikegen.targets_convert(targets, num_classes=CLASSES, code="rate", num_steps=STEPS)
    spikegen.target_rate_code(STEPS, rate=0.5, firing_pattern="uniform")
    spikegen.targets_convert(targets, num_classes=CLASSES, code="latency", num_steps=20)
    spikegen.targets_latency(targets, num_classes=CLASSES, num_steps=STEPS, normalize=True, linear=True)
    spikegen.from_one_hot(spikegen.to_one_hot(targets, CLASSES))
    spikegen.to_one_hot_inverse(spikegen.to_one_hot(targets, CLASSES))


# Probes and plasticity

PROBES: dict[str, Callable[[nn.Module], object]] = {
    "output": lambda net: probe.OutputMonitor(net, instance=snn.Leaky),
    "input": lambda net: probe.InputMonitor(net, instance=nn.Linear, function_on_input=lambda x: x.mean()),
    "attribute": lambda net: probe.AttributeMonitor("mem", False, net, instance=snn.Leaky),
    "gradient of input": lambda net: probe.GradInputMonitor(net, instance=nn.Linear),
    "gradient of output": lambda net: probe.GradOutputMonitor(net, instance=nn.Linear),
}


def probe_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        net = nn.Sequential(nn.Linear(FEATURES, 12), snn.Leaky(beta=0.9, init_hidden=True), nn.Linear(12, CLASSES)).to(
            device
        )
        monitor = PROBES[name](net)
        x = inputs(device).requires_grad_()
        utils.reset(net)
        sum(net(x[step]).sum() for step in range(STEPS)).backward()
        len(monitor.records), monitor[monitor.monitored_layers[0]]
        monitor.disable()
        net(x[0])
        monitor.clear_recorded_data()
        monitor.remove_hooks()

    return use


uses.add_each("probe", PROBES, probe_use)


@uses.add
def plasticity(device: torch.device) -> None:
    cases = (
        (nn.Linear(FEATURES, 5), (FEATURES,)),
        (nn.Conv1d(2, 3, 3), (2, 7)),
        (nn.Conv2d(2, 3, 3, padding=1), (2, 6, 6)),
    )
    for synapse, shape in cases:
        snn.SpikingNeuron.init()
        neuron = snn.Leaky(beta=0.5, init_hidden=True)
        net = nn.Sequential(synapse, neuron).to(device)
        learner = stdp_learner.STDPLearner(
            synapse, neuron, tau_pre=2.0, tau_post=2.0, f_pre=lambda w: 1e-2, f_post=lambda w: 1e-2
        ).to(device)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        utils.reset(net)
        with torch.no_grad():
            for x in torch.bernoulli(inputs(device, *shape)):
                optimizer.zero_grad()
                net(x)
                learner.step(on_grad=True)
                optimizer.step()
            net(x)
            learner.step(on_grad=False, scale=0.5)


@uses.add
def rewarded_plasticity(device: torch.device) -> None:
    fc = nn.Linear(FEATURES, 5, bias=False).to(device)
    before, after = torch.bernoulli(inputs(device)), spikes(device, 5).detach()
    pre = post = 0.0
    for step in range(STEPS):
        pre, post, _ = stdp_learner.mstdp_linear_single_step(fc, before[step], after[step], pre, post, 2.0, 2.0)
    pre = post = 0.0
    for step in range(STEPS):
        pre, post, _ = stdp_learner.mstdpet_linear_single_step(
            fc, before[step, 0], after[step, 0], pre, post, 2.0, 2.0, 10.0
        )


# Plots and export


@uses.add
def plots(device: torch.device) -> None:
    spk_rec, mem_rec = Classifier().to(device)(inputs(device))
    figure, axes = plt.subplots()
    spikeplot.raster(spk_rec[:, 0].detach().cpu(), axes, s=1.5, c="black")
    spikeplot.traces(mem_rec[:, 0].detach().cpu(), spk=spk_rec[:, 0].detach().cpu(), dim=(1, CLASSES))
    spikeplot.animator(torch.rand(3, 4, 4), figure, axes)
    spikeplot.spike_count(spk_rec[:, 0].detach().cpu(), figure, axes, ["a", "b", "c"], num_steps=STEPS)
    plt.close("all")


@uses.add
def exchange(device: torch.device) -> None:
    snn.SpikingNeuron.init()
    net = nn.Sequential(
        nn.Linear(FEATURES, 12),
        snn.Leaky(beta=torch.full((12,), 0.9), threshold=torch.ones(12), init_hidden=True),
        nn.Linear(12, CLASSES),
        snn.Leaky(beta=torch.full((CLASSES,), 0.9), threshold=torch.ones(CLASSES), init_hidden=True, output=True),
    )
    graph = export_to_nir(net, torch.rand(FEATURES))
    again = import_from_nir(graph).to(device)
    again(torch.rand(BATCH, FEATURES, device=device))


if __name__ == "__main__":
    uses.main()
