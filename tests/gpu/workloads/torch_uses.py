"""The parts of torch that are written in Python, with torch's own samples where it has some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import torch
from torch import distributions, nn, optim
from torch.testing._internal.common_methods_invocations import op_db, python_ref_db
from torch.testing._internal.common_modules import module_db
from torch.testing._internal.common_optimizers import optim_db
from uses import Use, Uses

SAMPLES = 4
"""Of each operation."""
uses = Uses()


# --- operations, by torch's samples --------------------------------------------------------------


def on_samples(call: Callable[..., object], samples: Iterable[Any]) -> None:
    """Calls an operation with some samples. One that fails is left out, unless all do."""
    failed: Exception | None = None
    done = 0
    for sample in islice(samples, SAMPLES):
        try:
            call(sample.input, *sample.args, **sample.kwargs)
            done += 1
        except Exception as error:
            failed = error
    if failed is not None and not done:
        raise failed


def dtype_of(op: Any, device: torch.device) -> torch.dtype:
    supported = op.supported_dtypes(device.type)
    return torch.float32 if torch.float32 in supported else next(iter(sorted(supported, key=str)))


def reference_use(op: Any) -> Use:
    return lambda device: on_samples(op, op.sample_inputs(device, dtype_of(op, device)))


def decomposition_use(op: Any) -> Use:
    from torch._decomp import decomposition_table

    packet = getattr(torch.ops.aten, op.aten_name)
    decomposition = decomposition_table[packet.default]
    return lambda device: on_samples(decomposition, op.sample_inputs(device, dtype_of(op, device)))


def decomposed() -> Iterator[Any]:
    from torch._decomp import decomposition_table

    for op in op_db:
        packet = getattr(torch.ops.aten, op.aten_name, None) if op.aten_name else None
        if packet is not None and "default" in packet.overloads() and packet.default in decomposition_table:
            yield op


def by_name(ops: Iterable[Any]) -> dict[str, Any]:
    return {f"{op.name} {op.variant_test_name}".strip(): op for op in ops}


UNLIKE = ("arange", "block_diag", "nn.functional.unfold", "nn.functional.max_unpool", "squeeze multiple", "where",
          "max_pool2d_with_indices_backward")  # fmt: skip
"""Operations whose samples don't fit the signature of their decomposition."""
REFERENCES = by_name(python_ref_db)
DECOMPOSED = {name: op for name, op in by_name(decomposed()).items() if not name.startswith(UNLIKE)}
uses.add_each("reference", REFERENCES, lambda name: reference_use(REFERENCES[name]))
uses.add_each("decomposition", DECOMPOSED, lambda name: decomposition_use(DECOMPOSED[name]))

IN_PYTHON = ("einsum", "cdist", "stft", "istft", "tensordot", "cartesian_prod", "block_diag", "unique", "norm", "lu",
             "unique_consecutive", "pca_lowrank", "svd_lowrank", "broadcast_tensors", "atleast_2d", "split", "meshgrid",
             "chain_matmul", "linalg.multi_dot")  # fmt: skip
FUNCTIONS = {
    name: op
    for name, op in by_name(op_db).items()
    if name.startswith(("nn.functional", "masked.", "signal.windows")) or op.name in IN_PYTHON
}
uses.add_each(
    "function", FUNCTIONS, lambda name: lambda device: on_samples(
        FUNCTIONS[name], FUNCTIONS[name].sample_inputs(device, dtype_of(FUNCTIONS[name], device))
    )
)  # fmt: skip


# --- modules and optimisers ----------------------------------------------------------------------


def module_use(info: Any) -> Use:
    def use(device: torch.device) -> None:
        inputs = info.module_inputs_func(info, device=device, dtype=torch.float32, requires_grad=False, training=True)
        for given in list(inputs)[:SAMPLES]:
            made, called = given.constructor_input, given.forward_input
            module = info.module_cls(*made.args, **made.kwargs).to(device)
            if called is not None:
                module(*called.args, **called.kwargs)

    return use


MODULES = {info.name: info for info in module_db if not info.name.startswith("nn.FractionalMaxPool")}
uses.add_each("module", MODULES, lambda name: module_use(MODULES[name]))


def optimiser_use(info: Any) -> Use:
    def use(device: torch.device) -> None:
        for given in info.optim_inputs_func(device=device):
            model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
            params: Any = given.params if given.params is not None else list(model.parameters())
            if not isinstance(params[0], torch.Tensor):
                params = list(model.parameters())
            params = [p for p in params if p.ndim == 2] if "Muon" in info.optim_cls.__name__ else params
            made = info.optim_cls(params, **given.kwargs)

            def closure(made: Any = made, model: Any = model) -> torch.Tensor:
                made.zero_grad()
                loss = model(torch.ones(3, 4, device=device)).square().mean()
                loss.backward()
                return loss

            for _ in range(2):
                if info.step_requires_closure:
                    made.step(closure)
                else:
                    closure()
                    made.step()
            made.load_state_dict(made.state_dict())

    return use


OPTIMISERS = {info.optim_cls.__name__: info for info in optim_db if not info.only_supports_sparse_grads}
uses.add_each("optimiser", OPTIMISERS, lambda name: optimiser_use(OPTIMISERS[name]))


@uses.add
def schedules(device: torch.device) -> None:
    weight = nn.Parameter(torch.ones(3, device=device))
    for name, arguments in {
        "StepLR": (2,),
        "CosineAnnealingLR": (4,),
        "OneCycleLR": (0.1, 10),
        "ReduceLROnPlateau": (),
        "ExponentialLR": (0.9,),
        "CyclicLR": (0.01, 0.1),
        "CosineAnnealingWarmRestarts": (3,),
    }.items():
        made = optim.SGD([weight], lr=torch.tensor(0.1, device=device), momentum=0.9)
        schedule = getattr(optim.lr_scheduler, name)(made, *arguments)
        for _ in range(3):
            weight.sum().backward()
            made.step()
            schedule.step(*((weight.sum(),) if name == "ReduceLROnPlateau" else ()))


@uses.add
def averaged_models(device: torch.device) -> None:
    from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn

    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8)).to(device)
    for averaged in (AveragedModel(model), AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))):
        for _ in range(3):
            averaged.update_parameters(model)
        update_bn([torch.rand(6, 4) for _ in range(2)], averaged, device=device)


# --- distributions -------------------------------------------------------------------------------


def positive(device: torch.device, *size: int) -> torch.Tensor:
    return torch.rand(*size, device=device) + 0.5


def matrix(device: torch.device, size: int = 3) -> torch.Tensor:
    root = torch.rand(2, size, size, device=device)
    return root @ root.mT + torch.eye(size, device=device)


def simplex(device: torch.device) -> torch.Tensor:
    return torch.softmax(torch.rand(2, 3, device=device), -1)


Arguments = Callable[[torch.device], dict[str, Any]]
MADE_OF: dict[str, Arguments] = {
    "Bernoulli": lambda d: {"probs": torch.rand(3, device=d)},
    "Beta": lambda d: {"concentration1": positive(d, 3), "concentration0": positive(d, 3)},
    "Binomial": lambda d: {"total_count": torch.tensor([3.0, 4.0, 5.0], device=d), "probs": torch.rand(3, device=d)},
    "Categorical": lambda d: {"probs": simplex(d)},
    "Cauchy": lambda d: {"loc": torch.rand(3, device=d), "scale": positive(d, 3)},
    "Chi2": lambda d: {"df": positive(d, 3)},
    "ContinuousBernoulli": lambda d: {"probs": torch.rand(3, device=d)},
    "Dirichlet": lambda d: {"concentration": positive(d, 2, 3)},
    "Exponential": lambda d: {"rate": positive(d, 3)},
    "FisherSnedecor": lambda d: {"df1": positive(d, 3), "df2": positive(d, 3)},
    "Gamma": lambda d: {"concentration": positive(d, 3), "rate": positive(d, 3)},
    "GeneralizedPareto": lambda d: {
        "loc": torch.zeros(3, device=d),
        "scale": positive(d, 3),
        "concentration": positive(d, 3),
    },
    "Geometric": lambda d: {"probs": torch.rand(3, device=d) * 0.8 + 0.1},
    "Gumbel": lambda d: {"loc": torch.rand(3, device=d), "scale": positive(d, 3)},
    "HalfCauchy": lambda d: {"scale": positive(d, 3)},
    "HalfNormal": lambda d: {"scale": positive(d, 3)},
    "InverseGamma": lambda d: {"concentration": positive(d, 3), "rate": positive(d, 3)},
    "Kumaraswamy": lambda d: {"concentration1": positive(d, 3), "concentration0": positive(d, 3)},
    "Laplace": lambda d: {"loc": torch.rand(3, device=d), "scale": positive(d, 3)},
    "LKJCholesky": lambda d: {"dim": 3, "concentration": positive(d, 2)},
    "LogNormal": lambda d: {"loc": torch.rand(3, device=d), "scale": positive(d, 3)},
    "LogisticNormal": lambda d: {"loc": torch.rand(3, device=d), "scale": positive(d, 3)},
    "LowRankMultivariateNormal": lambda d: {
        "loc": torch.rand(3, device=d),
        "cov_factor": torch.rand(3, 2, device=d),
        "cov_diag": positive(d, 3),
    },
    "Multinomial": lambda d: {"total_count": 4, "probs": simplex(d)},
    "MultivariateNormal": lambda d: {"loc": torch.rand(2, 3, device=d), "covariance_matrix": matrix(d)},
    "NegativeBinomial": lambda d: {"total_count": positive(d, 3), "probs": torch.rand(3, device=d) * 0.9},
    "Normal": lambda d: {"loc": torch.rand(3, device=d), "scale": positive(d, 3)},
    "OneHotCategorical": lambda d: {"probs": simplex(d)},
    "OneHotCategoricalStraightThrough": lambda d: {"probs": simplex(d)},
    "Pareto": lambda d: {"scale": positive(d, 3), "alpha": positive(d, 3)},
    "Poisson": lambda d: {"rate": positive(d, 3)},
    "RelaxedBernoulli": lambda d: {"temperature": torch.tensor(0.5, device=d), "probs": torch.rand(3, device=d)},
    "RelaxedOneHotCategorical": lambda d: {"temperature": torch.tensor(0.5, device=d), "probs": simplex(d)},
    "StudentT": lambda d: {"df": positive(d, 3)},
    "Uniform": lambda d: {"low": torch.zeros(3, device=d), "high": positive(d, 3)},
    "VonMises": lambda d: {"loc": torch.rand(3, device=d), "concentration": positive(d, 3)},
    "Weibull": lambda d: {"scale": positive(d, 3), "concentration": positive(d, 3)},
    "Wishart": lambda d: {"df": torch.tensor([4.0, 5.0], device=d), "covariance_matrix": matrix(d)},
}


def distribution_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = getattr(distributions, name)(**MADE_OF[name](device))
        drawn = made.sample((2,))
        made.log_prob(drawn)
        for member in ("mean", "variance", "mode", "stddev"):
            ignoring(lambda member=member: getattr(made, member))
        for method in ("entropy", "enumerate_support", "perplexity"):
            ignoring(lambda method=method: getattr(made, method)())
        for method in ("cdf", "icdf"):
            ignoring(lambda method=method: getattr(made, method)(drawn.clamp(0.1, 0.9)))
        made.expand((4, *made.batch_shape))
        repr(made)
        ignoring(lambda: distributions.kl_divergence(made, getattr(distributions, name)(**MADE_OF[name](device))))

    return use


def ignoring(call: Callable[[], object]) -> None:
    """Not every distribution has everything."""
    try:
        call()
    except (NotImplementedError, ValueError, AttributeError):
        return


uses.add_each("distribution", MADE_OF, distribution_use)


@uses.add
def built_distributions(device: torch.device) -> None:
    normal = distributions.Normal(torch.zeros(2, 3, device=device), torch.ones(2, 3, device=device))
    distributions.Independent(normal, 1).log_prob(normal.sample())
    parts = distributions.Categorical(torch.ones(2, 3, device=device))
    mixture = distributions.MixtureSameFamily(parts, normal)
    mixture.log_prob(mixture.sample((2,)))
    pairs = [
        distributions.AffineTransform(torch.zeros(3, device=device), torch.ones(3, device=device)),
        distributions.ExpTransform(),
        distributions.PowerTransform(torch.tensor(2.0, device=device)),
        distributions.SigmoidTransform(),
        distributions.TanhTransform(),
        distributions.SoftplusTransform(),
        distributions.StickBreakingTransform(),
    ]
    for transform in pairs:
        base = distributions.Uniform(torch.full((3,), 0.1, device=device), torch.full((3,), 0.9, device=device))
        made = distributions.TransformedDistribution(base, [transform])
        made.log_prob(made.rsample())
    distributions.CorrCholeskyTransform()(torch.rand(3, device=device))
    distributions.CumulativeDistributionTransform(normal)(normal.sample())


@uses.add
def constraints(device: torch.device) -> None:
    value = torch.rand(3, 3, device=device)
    for name in distributions.constraints.__all__:
        constraint = getattr(distributions.constraints, name)
        if isinstance(constraint, distributions.constraints.Constraint):
            ignoring(lambda constraint=constraint: constraint.check(value).all().item())
            ignoring(lambda constraint=constraint: distributions.transform_to(constraint)(value))
            ignoring(lambda constraint=constraint: distributions.biject_to(constraint)(value[0]))


# --- what else is written in Python --------------------------------------------------------------


@uses.add
def parametrizations(device: torch.device) -> None:
    from torch.nn.utils import parametrizations as made

    layer = nn.Linear(4, 4).to(device)
    for apply in (made.spectral_norm, made.weight_norm, made.orthogonal):
        applied = apply(nn.Linear(4, 4).to(device))
        applied(torch.rand(2, 4, device=device))
        nn.utils.parametrize.remove_parametrizations(applied, "weight")
    nn.utils.weight_norm(layer)(torch.rand(2, 4, device=device))
    nn.utils.spectral_norm(nn.Linear(4, 4).to(device))(torch.rand(2, 4, device=device))


@uses.add
def pruning(device: torch.device) -> None:
    from torch.nn.utils import prune

    for apply, arguments in (
        (prune.random_unstructured, {"amount": 0.3}),
        (prune.l1_unstructured, {"amount": 3}),
        (prune.random_structured, {"amount": 1, "dim": 0}),
        (prune.ln_structured, {"amount": 1, "n": 2, "dim": 0}),
        (prune.custom_from_mask, {"mask": torch.ones(4, 4, device=device)}),
    ):
        layer = nn.Linear(4, 4).to(device)
        apply(layer, "weight", **arguments)
        layer(torch.rand(2, 4, device=device))
        prune.remove(layer, "weight")
    both = [nn.Linear(4, 4).to(device) for _ in range(2)]
    prune.global_unstructured([(one, "weight") for one in both], prune.L1Unstructured, amount=0.2)


@uses.add
def sequences(device: torch.device) -> None:
    from torch.nn.utils import rnn

    parts = [torch.rand(n, 4, device=device) for n in (5, 3, 2)]
    packed = rnn.pack_sequence(parts)
    rnn.pad_packed_sequence(nn.GRU(4, 6).to(device)(packed)[0])
    rnn.unpack_sequence(packed)
    padded = rnn.pad_sequence(parts)
    rnn.pack_padded_sequence(padded, torch.tensor([5, 3, 2]), enforce_sorted=False)
    rnn.unpad_sequence(padded, torch.tensor([5, 3, 2], device=device))
    rnn.invert_permutation(torch.tensor([1, 0], device=device))


@uses.add
def vectors_and_gradients(device: torch.device) -> None:
    model = nn.Linear(4, 4).to(device)
    model(torch.rand(2, 4, device=device)).sum().backward()
    flat = nn.utils.parameters_to_vector(model.parameters())
    nn.utils.vector_to_parameters(flat, model.parameters())
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
    nn.utils.clip_grad_value_(model.parameters(), 1.0)
    nn.utils.get_total_norm([p.grad for p in model.parameters()])
    for function in (nn.init.orthogonal_, nn.init.xavier_normal_, nn.init.kaiming_uniform_, nn.init.eye_):
        function(model.weight)
    nn.init.sparse_(model.weight, 0.5)
    nn.init.trunc_normal_(model.weight)


@uses.add
def scaling(device: torch.device) -> None:
    model = nn.Linear(4, 4).to(device)
    made = optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler(device.type, enabled=device.type == "cuda")
    for factor in (1.0, float("inf"), 1.0):
        with torch.autocast(device.type, torch.float16 if device.type == "cuda" else torch.bfloat16):
            loss = model(torch.rand(2, 4, device=device)).float().sum() * factor
        made.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(made)
        scaler.step(made)
        scaler.update()
    scaler.get_scale()
    scaler.load_state_dict(scaler.state_dict())


@uses.add
def comparisons(device: torch.device) -> None:
    value = torch.rand(3, device=device)
    torch.testing.assert_close(value, value.clone())
    torch.testing.assert_close({"a": [value]}, {"a": [value.cpu()]}, check_device=False)
    try:
        torch.testing.assert_close(value, value + 1)
    except AssertionError as error:
        str(error)
    torch.testing.assert_close(torch.arange(3, device=device), torch.arange(3, device=device))
    torch.testing.make_tensor(3, 4, device=device, dtype=torch.float32, low=-1, high=1, noncontiguous=True)


@uses.add
def observers(device: torch.device) -> None:
    from torch.ao.quantization import fake_quantize, observer

    value = torch.randn(4, 8, device=device)
    for name in (
        "MinMaxObserver",
        "MovingAverageMinMaxObserver",
        "PerChannelMinMaxObserver",
        "MovingAveragePerChannelMinMaxObserver",
        "HistogramObserver",
        "PlaceholderObserver",
        "FixedQParamsObserver",
    ):
        arguments = {"scale": 0.1, "zero_point": 0} if name.startswith("Fixed") else {}
        made = getattr(observer, name)(**arguments).to(device)
        for _ in range(2):
            made(value)
        if name != "PlaceholderObserver":
            made.calculate_qparams()
        repr(made)
        made.load_state_dict(made.state_dict())
    made = fake_quantize.FakeQuantize(observer=observer.MovingAverageMinMaxObserver, quant_min=0, quant_max=255)
    made.to(device)(value)
    made.calculate_qparams()
    repr(made)


@uses.add
def linear_algebra(device: torch.device) -> None:
    symmetric = matrix(device, 12)[0]
    torch.lobpcg(symmetric, k=2, niter=3)
    torch.svd_lowrank(symmetric, q=3)
    torch.pca_lowrank(symmetric, q=3)
    torch.lobpcg(matrix(device, 12), k=2, niter=2, method="basic")


@uses.add
def derivatives(device: torch.device) -> None:
    value = torch.rand(3, device=device, requires_grad=True)

    def function(x: torch.Tensor) -> torch.Tensor:
        return x.square().sum()

    for name in ("jacobian", "hessian", "vjp", "jvp", "hvp", "vhp"):
        call = getattr(torch.autograd.functional, name)
        vector = (torch.ones((), device=device) if name == "vjp" else torch.ones(3, device=device),)
        call(function, value, *(() if name in ("jacobian", "hessian") else vector))
    double = torch.rand(2, device=device, dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(lambda x: x.square(), (double,))
    torch.autograd.gradgradcheck(lambda x: x.square(), (double,))
    with torch.autograd.detect_anomaly(check_nan=True):
        function(value).backward()
    torch.func.vmap(torch.func.grad(function))(torch.rand(2, 3, device=device))


@uses.add
def printed_tensors(device: torch.device) -> None:
    for value in (
        torch.rand(3, device=device),
        torch.rand(40, 40, device=device) * 1e6,
        torch.arange(3, device=device),
        torch.tensor(2.0, device=device),
        torch.tensor([True, False], device=device),
        torch.tensor([1.0, float("inf"), float("nan")], device=device),
        torch.rand(3, device=device).to_sparse(),
        torch.view_as_complex(torch.rand(3, 2, device=device)),
    ):
        repr(value)


@uses.add
def nested_and_masked(device: torch.device) -> None:
    nested = torch.nested.nested_tensor(
        [torch.rand(2, 3, device=device), torch.rand(4, 3, device=device)], layout=torch.jagged
    )
    (nested * 2).sum()
    nested.unbind()
    torch.nested.to_padded_tensor(nested, 0.0)
    torch.nested.narrow(
        torch.rand(2, 5, 3, device=device),
        1,
        torch.tensor([0, 0], device=device),
        torch.tensor([2, 3], device=device),
        layout=torch.jagged,
    )
    masked = torch.masked.masked_tensor(torch.rand(3, device=device), torch.tensor([True, False, True], device=device))
    repr(masked.sum())


@uses.add
def attention(device: torch.device) -> None:
    layer = nn.TransformerEncoderLayer(8, 2, batch_first=True).to(device)
    encoder = nn.TransformerEncoder(layer, 2)
    value = torch.rand(2, 5, 8, device=device)
    padding = torch.zeros(2, 5, dtype=torch.bool, device=device)
    padding[:, 3:] = True
    encoder(value, src_key_padding_mask=padding)
    encoder(value, mask=nn.Transformer.generate_square_subsequent_mask(5, device=device), is_causal=True)
    encoder.eval()
    with torch.no_grad():
        encoder(value, src_key_padding_mask=padding)
    nn.MultiheadAttention(8, 2, batch_first=True).to(device)(value, value, value, attn_mask=None)
    from torch.nn.attention.flex_attention import create_block_mask

    create_block_mask(lambda b, h, q, k: q >= k, 1, 1, 128, 128, device=str(device))


@uses.add
def buckets_and_checkpoints(device: torch.device) -> None:
    from torch.utils import checkpoint, data

    layer = nn.Linear(4, 4).to(device)
    checkpoint.checkpoint(
        layer, torch.rand(2, 4, device=device, requires_grad=True), use_reentrant=False
    ).sum().backward()
    rows = data.TensorDataset(torch.rand(6, 4, device=device))
    weights = torch.rand(6, device=device)
    list(data.WeightedRandomSampler(weights, 4))
    list(data.DataLoader(rows, batch_size=2, sampler=data.RandomSampler(rows)))
    data.random_split(rows, [4, 2])
    list(data.SubsetRandomSampler(torch.arange(4, device=device)))


if __name__ == "__main__":
    uses.main()
