"""The torch part of gluonts: estimators trained and used to predict, their networks, distributions, scalers, layers."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from gluonts.dataset.common import ListDataset
from gluonts.dataset.field_names import FieldName
from gluonts.dataset.loader import TrainDataLoader
from gluonts.dataset.multivariate_grouper import MultivariateGrouper
from gluonts.dataset.pandas import PandasDataset
from gluonts.dataset.split import split
from gluonts.ev.metrics import MSE, MeanWeightedSumQuantileLoss
from gluonts.evaluation import Evaluator, make_evaluation_predictions
from gluonts.itertools import Cyclic
from gluonts.model import evaluate_model
from gluonts.model.predictor import Predictor
from gluonts.time_feature import time_features_from_frequency_str
from gluonts.torch import distributions as outputs
from gluonts.torch import scaler as scalers
from gluonts.torch import util
from gluonts.torch.batchify import batchify
from gluonts.torch.distributions import DiscreteDistribution
from gluonts.torch.model.d_linear import DLinearEstimator
from gluonts.torch.model.deep_npts import DeepNPTSEstimator, DeepNPTSNetworkDiscrete, DeepNPTSNetworkSmooth
from gluonts.torch.model.deepar import DeepAREstimator
from gluonts.torch.model.estimator import PyTorchLightningEstimator
from gluonts.torch.model.forecast import DistributionForecast
from gluonts.torch.model.i_transformer import ITransformerEstimator
from gluonts.torch.model.lag_tst import LagTSTEstimator
from gluonts.torch.model.mqf2 import MQF2MultiHorizonEstimator
from gluonts.torch.model.mqf2._cpflows import PICNN, DeepConvexFlow, Softplus
from gluonts.torch.model.mqf2._cpflows import SequentialFlow as Flows
from gluonts.torch.model.patch_tst import PatchTSTEstimator
from gluonts.torch.model.predictor import PyTorchPredictor
from gluonts.torch.model.simple_feedforward import SimpleFeedForwardEstimator
from gluonts.torch.model.tft import TemporalFusionTransformerEstimator
from gluonts.torch.model.tide import TiDEEstimator
from gluonts.torch.model.wavenet import WaveNetEstimator
from gluonts.torch.modules.feature import FeatureAssembler, FeatureEmbedder
from gluonts.torch.modules.lambda_layer import LambdaLayer
from gluonts.torch.modules.lookup_table import LookupValues
from gluonts.transform import (
    AddObservedValuesIndicator,
    Chain,
    ExpectedNumInstanceSampler,
    InstanceSplitter,
    ValidationSplitSampler,
)
from gluonts.transform.feature import CausalMeanValueImputation
from torch import nn
from uses import Use, Uses

HORIZON, LENGTH, SERIES = 4, 60, 4
LAGS = [1, 2, 3, 7]
uses = Uses()


def series(*, extra: bool = False, length: int = LENGTH) -> ListDataset:
    """Daily series with a season and, if asked for, with features."""
    random = np.random.default_rng(0)
    entries = []
    for index in range(SERIES):
        entry = {
            "start": "2020-01-01",
            "item_id": str(index),
            "target": np.sin(np.arange(length) / 7 * 6.28) + 2 + 0.1 * random.random(length),
        }
        if extra:
            entry |= {
                "feat_static_cat": [index % 2],
                "feat_static_real": [float(index)],
                "feat_dynamic_real": random.random((2, length)),
                "past_feat_dynamic_real": random.random((1, length)),
                "feat_dynamic_cat": random.integers(0, 3, (1, length)).astype(float),
            }
        entries.append(entry)
    return ListDataset(entries, freq="D")


def longer() -> ListDataset:
    """The series whose features reach beyond the target."""
    entries = list(series(extra=True))
    for entry in entries:
        entry["target"] = entry["target"][:-HORIZON]
    for entry in entries:
        entry["past_feat_dynamic_real"] = entry["past_feat_dynamic_real"][:, :-HORIZON]
    return ListDataset([{**entry, "start": entry["start"].to_timestamp()} for entry in entries], freq="D")


def settings(device: torch.device, folder: str) -> dict:
    return {
        "batch_size": 4,
        "num_batches_per_epoch": 2,
        "trainer_kwargs": {
            "max_epochs": 1,
            "accelerator": "gpu" if device.type == "cuda" else "cpu",
            "devices": 1,
            "default_root_dir": folder,
            "logger": False,
            "enable_progress_bar": False,
            "enable_model_summary": False,
        },
    }


@contextmanager
def trained(
    device: torch.device, make: Callable[..., PyTorchLightningEstimator], *, extra: bool = False, **more: object
) -> Iterator[PyTorchPredictor]:
    """A predictor of a model that has just been trained."""
    with tempfile.TemporaryDirectory() as folder:
        yield make(**settings(device, folder)).train(series(extra=extra), **more)


FEATURES = {"num_feat_static_cat": 1, "num_feat_static_real": 1, "num_feat_dynamic_real": 2, "cardinality": [2]}
ESTIMATORS: dict[str, tuple[Callable[..., PyTorchLightningEstimator], bool]] = {
    "DeepAR": (lambda **k: DeepAREstimator("D", HORIZON, lags_seq=LAGS, num_parallel_samples=10, **k), False),
    "DeepAR with features": (
        lambda **k: DeepAREstimator(
            "D",
            HORIZON,
            context_length=6,
            lags_seq=LAGS,
            num_parallel_samples=10,
            embedding_dimension=[3],
            nonnegative_pred_samples=True,
            imputation_method=CausalMeanValueImputation(),
            **FEATURES,
            **k,
        ),
        True,
    ),
    "DeepAR unscaled": (
        lambda **k: DeepAREstimator(
            "D",
            HORIZON,
            lags_seq=LAGS,
            num_parallel_samples=10,
            scaling=False,
            distr_output=outputs.NormalOutput(beta=0.5),
            **k,
        ),
        False,
    ),
    "SimpleFeedForward": (lambda **k: SimpleFeedForwardEstimator(HORIZON, hidden_dimensions=[8], **k), False),
    "SimpleFeedForward normed": (
        lambda **k: SimpleFeedForwardEstimator(
            HORIZON, context_length=8, batch_norm=True, distr_output=outputs.QuantileOutput([0.1, 0.5, 0.9]), **k
        ),
        False,
    ),
    "DLinear": (lambda **k: DLinearEstimator(HORIZON, context_length=12, kernel_size=5, **k), False),
    "DLinear standardized": (
        lambda **k: DLinearEstimator(
            HORIZON,
            context_length=12,
            scaling="std",
            distr_output=outputs.NormalOutput(),
            train_sampler=ExpectedNumInstanceSampler(num_instances=1, min_past=12, min_future=HORIZON),
            **k,
        ),
        False,
    ),
    "LagTST": (lambda **k: LagTSTEstimator("D", HORIZON, context_length=12, lags_seq=LAGS, d_model=16, **k), False),
    "LagTST unscaled": (
        lambda **k: LagTSTEstimator("D", HORIZON, context_length=12, lags_seq=LAGS, d_model=16, scaling=None, **k),
        False,
    ),
    "PatchTST": (lambda **k: PatchTSTEstimator(HORIZON, patch_len=4, stride=2, context_length=12, **k), False),
    "PatchTST with features": (
        lambda **k: PatchTSTEstimator(
            HORIZON,
            patch_len=4,
            stride=2,
            context_length=12,
            num_feat_dynamic_real=2,
            scaling="std",
            norm_first=True,
            **k,
        ),
        True,
    ),
    "TFT": (lambda **k: TemporalFusionTransformerEstimator("D", HORIZON, context_length=8, hidden_dim=8, **k), False),
    "TFT with features": (
        lambda **k: TemporalFusionTransformerEstimator(
            "D",
            HORIZON,
            context_length=8,
            hidden_dim=8,
            static_cardinalities=[2],
            static_dims=[1],
            dynamic_dims=[2],
            past_dynamic_dims=[1],
            dynamic_cardinalities=[3],
            distr_output=outputs.StudentTOutput(),
            **k,
        ),
        True,
    ),
    "TiDE": (lambda **k: TiDEEstimator("D", HORIZON, context_length=8, **k), False),
    "TiDE with features": (
        lambda **k: TiDEEstimator(
            "D", HORIZON, context_length=8, layer_norm=True, scaling="std", embedding_dimension=[3], **FEATURES, **k
        ),
        True,
    ),
    "WaveNet": (lambda **k: WaveNetEstimator("D", HORIZON, num_bins=32, num_parallel_samples=4, **k), False),
    "WaveNet with features": (
        lambda **k: WaveNetEstimator(
            "D",
            HORIZON,
            num_bins=32,
            num_parallel_samples=4,
            num_stacks=2,
            dilation_depth=3,
            temperature=0.5,
            negative_data=True,
            **FEATURES,
            **k,
        ),
        True,
    ),
    "MQF2": (
        lambda **k: MQF2MultiHorizonEstimator(
            "D", HORIZON, context_length=6, lags_seq=LAGS, num_parallel_samples=5, es_num_samples=5, **k
        ),
        False,
    ),
    "MQF2 likelihood": (
        lambda **k: MQF2MultiHorizonEstimator(
            "D", HORIZON, context_length=3, lags_seq=LAGS, num_parallel_samples=2, is_energy_score=False, **k
        ),
        False,
    ),
}


def estimator_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, extra = ESTIMATORS[name]
        with trained(device, make, extra=extra, validation_data=series(extra=extra)) as predictor:
            for forecast in predictor.predict(longer() if extra else series()):
                forecast.mean, forecast.quantile(0.9)

    return use


uses.add_each("estimator", ESTIMATORS, estimator_use)


def network_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, _ = ESTIMATORS[name]
        with tempfile.TemporaryDirectory() as folder:
            module = make(**settings(device, folder)).create_lightning_module()
        model = module.model.to(device)
        batch = {key: value.to(device) for key, value in model.describe_inputs(3).zeros().items()}
        optimizer = torch.optim.Adam(module.parameters(), lr=module.lr)
        if not name.startswith("MQF2"):
            target = torch.rand(3, HORIZON, device=device)
            loss = model.loss(**batch, future_target=target, future_observed_values=torch.ones_like(target)).mean()
            loss.backward()
            optimizer.step()
        model.eval()
        if not name.startswith("MQF2"):
            with torch.no_grad():
                model(**batch)

    return use


uses.add_each("network", [name for name in ESTIMATORS if not name.startswith("WaveNet")], network_use)


@uses.add
def i_transformer(device: torch.device) -> None:
    grouped = MultivariateGrouper(max_target_dim=SERIES)(series())
    sampler = ExpectedNumInstanceSampler(num_instances=4, min_past=8, min_future=HORIZON)
    for more in (
        {},
        {
            "train_sampler": sampler,
            "scaling": "std",
            "distr_output": outputs.NormalOutput(),
            "nonnegative_pred_samples": True,
        },
    ):
        with tempfile.TemporaryDirectory() as folder:
            one = ITransformerEstimator(
                HORIZON, context_length=8, num_parallel_samples=5, **more, **settings(device, folder)
            )
            predictor = one.train(grouped, validation_data=grouped)
            for forecast in predictor.predict(grouped):
                _ = forecast.mean


DISTRIBUTIONS: dict[str, Callable[[], outputs.DistributionOutput]] = {
    "Normal": outputs.NormalOutput,
    "Laplace": outputs.LaplaceOutput,
    "Beta": outputs.BetaOutput,
    "Gamma": outputs.GammaOutput,
    "Poisson": outputs.PoissonOutput,
    "NegativeBinomial": outputs.NegativeBinomialOutput,
    "StudentT": outputs.StudentTOutput,
    "PiecewiseLinear": lambda: outputs.PiecewiseLinearOutput(num_pieces=3),
    "ISQF": lambda: outputs.ISQFOutput(num_pieces=2, qk_x=[0.1, 0.5, 0.9]),
    "IQF": lambda: outputs.ISQFOutput(num_pieces=1, qk_x=[0.1, 0.3, 0.5, 0.9]),
    "SplicedBinnedPareto": lambda: outputs.SplicedBinnedParetoOutput(
        -3.0, 3.0, num_bins=10, tail_percentile_gen_pareto=0.05
    ),
    "ImplicitQuantileNetwork": lambda: outputs.ImplicitQuantileNetworkOutput(output_domain="positive"),
    "Quantile": lambda: outputs.QuantileOutput([0.1, 0.5, 0.9]),
}
PARTS = {
    "Normal": ("log_prob", "mean", "variance", "stddev", "cdf", "icdf"),
    "Laplace": ("log_prob", "mean", "variance", "stddev", "cdf", "icdf"),
    "Beta": ("mean", "variance", "stddev"),
    "Gamma": ("log_prob", "mean", "variance", "stddev"),
    "Poisson": ("mean", "variance"),
    "NegativeBinomial": ("mean", "variance", "cdf", "icdf"),
    "StudentT": ("log_prob", "mean", "variance", "stddev", "cdf", "icdf"),
    "PiecewiseLinear": ("crps", "cdf"),
    "ISQF": ("crps", "cdf"),
    "IQF": ("crps", "cdf"),
    "SplicedBinnedPareto": ("log_prob", "mean", "median", "mode", "cdf", "icdf"),
    "ImplicitQuantileNetwork": (),
    "Quantile": (),
}


def distribution_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        output = DISTRIBUTIONS[name]()
        projection = output.get_args_proj(8).to(device)
        args = projection(torch.randn(5, 3, 8, device=device))
        target = torch.rand(5, 3, device=device) * 0.8 + 0.1
        if name in ("Poisson", "NegativeBinomial"):
            target = target.mul(5).round()
        splines = "crps" in PARTS[name]
        loss = output.distribution(args).loss(target) if splines else output.loss(target, args)
        loss.mean().backward()
        if name == "Quantile":
            return
        args = tuple(arg.detach() for arg in projection(torch.randn(5, 3, 8, device=device)))
        plain = output.distribution(args)
        loc, scale = torch.zeros(5, 1, device=device), torch.full((5, 1), 2.0, device=device)
        for distribution in (plain, output.distribution(args, loc=loc, scale=scale)):
            distribution.sample()
            if name not in ("ImplicitQuantileNetwork", "SplicedBinnedPareto"):
                distribution.sample(torch.Size([7]))
            for part in PARTS[name]:
                if distribution is plain or part not in ("median", "mode"):
                    found = getattr(distribution, part)
                    if callable(found):
                        found(torch.rand(5, 3, device=device) * 0.8 + 0.1 if part == "icdf" else target)
        _ = output.dtype, output.event_shape, output.event_dim, output.value_in_support

    return use


uses.add_each("distribution", DISTRIBUTIONS, distribution_use)


@uses.add
def quantile_functions(device: torch.device) -> None:
    for name in ("PiecewiseLinear", "ISQF", "IQF"):
        output = DISTRIBUTIONS[name]()
        one = output.distribution(output.get_args_proj(8).to(device)(torch.randn(5, 8, device=device)))
        one.quantile(torch.rand(5, device=device))
        one.rsample(), one.rsample(torch.Size([4]))
        one.loss(torch.randn(5, device=device)).mean().backward()


def histogram(device: torch.device) -> outputs.BinnedUniforms:
    return outputs.BinnedUniforms(-3.0, 3.0, torch.randn(5, 10, device=device, requires_grad=True), numb_bins=10)


def spliced(device: torch.device) -> outputs.SplicedBinnedPareto:
    output = DISTRIBUTIONS["SplicedBinnedPareto"]()
    return output.distribution(output.get_args_proj(8).to(device)(torch.randn(5, 8, device=device)))


@uses.add
def binned(device: torch.device) -> None:
    for one in (histogram(device), spliced(device)):
        x = torch.randn(5, device=device)
        one.log_prob(x).sum().backward()
        one.pdf(x), one.cdf(x), one.sample(), one.sample(torch.Size([6]))
        one.icdf(torch.rand(5, device=device))
        one.get_one_hot_bin_indicator(x, in_float=True)
        _ = one.mean, one.median, one.mode, one.bins_prob, one.log_bins_prob
    one = histogram(device)
    one.log_binned_p(torch.randn(5, device=device))


@uses.add
def generalized_pareto(device: torch.device) -> None:
    one = outputs.GeneralizedPareto(
        torch.full((5, 1), 0.3, device=device, requires_grad=True), torch.ones(5, 1, device=device)
    )
    x = torch.rand(5, device=device)
    one.log_prob(x).sum().backward()
    one.cdf(x), one.icdf(x)
    _ = one.mean, one.variance, one.stddev


@uses.add
def truncated_normal(device: torch.device) -> None:
    loc = torch.zeros(5, device=device, requires_grad=True)
    for more in ({}, {"min": -2.0, "max": 2.0, "tanh_loc": True}):
        one = outputs.TruncatedNormal(loc, torch.ones(5, device=device), **more)
        x = torch.rand(5, device=device) - 0.5
        one.log_prob(x).sum().backward()
        one.cdf(x), one.icdf(x + 0.5), one.rsample(torch.Size([3])), one.sample(torch.Size([3]))
        _ = one.mean, one.variance, one.entropy, one.support


@uses.add
def discrete(device: torch.device) -> None:
    values = torch.randint(0, 5, (4, 6), device=device).float()
    probs = torch.rand(4, 6, device=device, requires_grad=True).softmax(-1)
    one = DiscreteDistribution(values, probs, validate_args=True)
    obs = torch.rand(4, 1, device=device)
    one.log_prob(obs).mean().backward()
    one.rps(obs, check_for_duplicates=False)
    _ = one.mean
    one.sample()


SCALERS = {
    "mean": lambda: scalers.MeanScaler(keepdim=True),
    "mean with a default": lambda: scalers.MeanScaler(default_scale=1.0, minimum_scale=1e-3),
    "std": lambda: scalers.StdScaler(keepdim=True),
    "nop": lambda: scalers.NOPScaler(dim=1),
}


def scaler_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        x = torch.rand(4, 10, device=device)
        observed = (torch.rand(4, 10, device=device) > 0.3).float()
        SCALERS[name]()(x, observed)

    return use


uses.add_each("scaler", SCALERS, scaler_use)

# Training and prediction


def deepar(**more: object) -> DeepAREstimator:
    return DeepAREstimator("D", HORIZON, lags_seq=LAGS, num_parallel_samples=10, **more)


def feedforward(**more: object) -> SimpleFeedForwardEstimator:
    return SimpleFeedForwardEstimator(HORIZON, context_length=8, hidden_dimensions=[8], **more)


@uses.add
def saved(device: torch.device) -> None:
    for make in (deepar, feedforward):
        with trained(device, make) as predictor, tempfile.TemporaryDirectory() as folder:
            predictor.serialize(Path(folder))
            other = Predictor.deserialize(Path(folder))
            PyTorchPredictor.deserialize(Path(folder), device=device)
            list(other.predict(series()))
            predictor.to(device)
            list(predictor.predict(series(), num_samples=5) if make is deepar else predictor.predict(series()))


@uses.add
def trained_further(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        predictor = feedforward(**settings(device, folder)).train(series(), cache_data=True, shuffle_buffer_length=8)
        feedforward(**settings(device, folder)).train_from(predictor, series(), validation_data=series())
        out = feedforward(**settings(device, folder)).train_model(series())
        next(iter(out.predictor.predict(series())))


@uses.add
def evaluated(device: torch.device) -> None:
    with trained(device, deepar) as predictor:
        forecasts, truth = make_evaluation_predictions(series(), predictor, num_samples=10)
        Evaluator(quantiles=(0.1, 0.5, 0.9), num_workers=None)(list(truth), list(forecasts), num_series=SERIES)


@uses.add
def evaluated_quantiles(device: torch.device) -> None:
    with trained(device, ESTIMATORS["TFT"][0]) as predictor:
        _, template = split(series(), offset=-HORIZON)
        tests = template.generate_instances(prediction_length=HORIZON, windows=1)
        evaluate_model(
            model=predictor,
            test_data=tests,
            metrics=[MSE("median"), MeanWeightedSumQuantileLoss([0.1, 0.5])],
            axis=None,
        )


@uses.add
def from_frames(device: torch.device) -> None:
    index = pd.date_range("2021-01-01", periods=LENGTH, freq="D")
    frames = {
        name: pd.DataFrame({"target": np.random.default_rng(1).random(LENGTH).astype("float32")}, index=index)
        for name in "ab"
    }
    data = PandasDataset(frames, target="target")
    with tempfile.TemporaryDirectory() as folder:
        predictor = feedforward(**settings(device, folder)).train(data)
        for forecast in predictor.predict(data):
            forecast.to_sample_forecast(10).mean_ts, forecast.mean_ts, forecast.quantile("0.5")


@uses.add
def missing_values(device: torch.device) -> None:
    entries = [{"start": entry["start"].to_timestamp(), "target": entry["target"].copy()} for entry in series()]
    for entry in entries:
        entry["target"][10:14] = np.nan
    with tempfile.TemporaryDirectory() as folder:
        data = ListDataset(entries, freq="D")
        list(deepar(**settings(device, folder)).train(data).predict(data))


@uses.add
def counts(device: torch.device) -> None:
    entries = [{"start": entry["start"].to_timestamp(), "target": entry["target"].round()} for entry in series()]
    data = ListDataset(entries, freq="D")
    for output in (outputs.NegativeBinomialOutput(), outputs.PoissonOutput()):
        with tempfile.TemporaryDirectory() as folder:
            list(deepar(distr_output=output, **settings(device, folder)).train(data).predict(data))


@uses.add
def own_loop(device: torch.device) -> None:
    transform = Chain(
        [
            AddObservedValuesIndicator(target_field=FieldName.TARGET, output_field=FieldName.OBSERVED_VALUES),
            InstanceSplitter(
                target_field=FieldName.TARGET,
                is_pad_field=FieldName.IS_PAD,
                start_field=FieldName.START,
                forecast_start_field=FieldName.FORECAST_START,
                instance_sampler=ExpectedNumInstanceSampler(num_instances=1, min_future=HORIZON),
                past_length=8,
                future_length=HORIZON,
                time_series_fields=[FieldName.OBSERVED_VALUES],
            ),
        ]
    )
    loader = TrainDataLoader(
        Cyclic(series()).stream(),
        batch_size=4,
        stack_fn=lambda data: batchify(data, device),
        transform=transform,
        num_batches_per_epoch=2,
    )
    with tempfile.TemporaryDirectory() as folder:
        module = feedforward(**settings(device, folder)).create_lightning_module()
    model = module.model.to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for batch in loader:
        optimizer.zero_grad()
        loss = model.loss(
            past_target=batch["past_target"],
            future_target=batch["future_target"],
            future_observed_values=batch["future_observed_values"],
        ).mean()
        loss.backward()
        optimizer.step()
        loss.item()
    ValidationSplitSampler(min_future=HORIZON)


NPTS = {
    "discrete": {"input_scaling": "min_max_scaling"},
    "smooth": {"network_type": DeepNPTSNetworkSmooth, "input_scaling": "standard_normal_scaling", "dropout_rate": 0.1},
    "with features": {
        "use_feat_static_cat": True,
        "cardinality": [2],
        "num_feat_static_real": 1,
        "num_feat_dynamic_real": 2,
        "batch_norm": True,
        "loss_scaling": "min_max_scaling",
    },
}


def npts_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        one = DeepNPTSEstimator(
            "D",
            HORIZON,
            context_length=8,
            num_hidden_nodes=[6],
            epochs=1,
            batch_size=4,
            num_batches_per_epoch=2,
            **NPTS[name],
        )
        extra = name == "with features"
        net = one.train_model(series(extra=extra))
        list(one.get_predictor(net).predict(longer() if extra else series(), num_samples=3))

    return use


uses.add_each("deep npts", NPTS, npts_use)


@uses.add
def npts_network(device: torch.device) -> None:
    for kind in (DeepNPTSNetworkDiscrete, DeepNPTSNetworkSmooth):
        net = kind(
            context_length=8, num_hidden_nodes=[6], cardinality=[2], embedding_dimension=[3], num_time_features=2
        ).to(device)
        distribution = net(
            torch.zeros(3, 1, device=device),
            torch.zeros(3, 1, device=device),
            torch.rand(3, 8, device=device),
            torch.ones(3, 8, device=device),
            torch.rand(3, 8, 2, device=device),
        )
        (-distribution.log_prob(torch.rand(3, 1, device=device))).mean().backward()


@uses.add
def distribution_forecast(device: torch.device) -> None:
    for base in (
        torch.distributions.Normal(torch.zeros(HORIZON, device=device), 1.0),
        outputs.StudentTOutput().distribution(
            [torch.full((HORIZON,), value, device=device) for value in (5.0, 0.0, 1.0)]
        ),
    ):
        one = DistributionForecast(base, start_date=pd.Period("2020-01-01", freq="D"), item_id="a")
        one.mean, one.mean_ts, one.quantile(0.9), one.quantile("p10")
        one.to_sample_forecast(20).quantile(0.5)


# Layers


@uses.add
def features(device: torch.device) -> None:
    static, dynamic = FeatureEmbedder([3, 4], [2, 2]), FeatureEmbedder([5], [3])
    assembler = FeatureAssembler(6, embed_static=static, embed_dynamic=dynamic).to(device)
    assembler(
        torch.randint(0, 3, (4, 2), device=device),
        torch.rand(4, 2, device=device),
        torch.randint(0, 5, (4, 6, 1), device=device),
        torch.rand(4, 6, 2, device=device),
    )
    plain = FeatureAssembler(6)
    plain(
        torch.zeros(4, 1, device=device),
        torch.rand(4, 2, device=device),
        torch.zeros(4, 6, 1, device=device),
        torch.rand(4, 6, 2, device=device),
    )


@uses.add
def small_layers(device: torch.device) -> None:
    LambdaLayer(torch.relu)(torch.randn(3, device=device))
    LookupValues(torch.linspace(0, 1, 5)).to(device)(torch.tensor([[0, 4, 2]], device=device))


@uses.add
def tools(device: torch.device) -> None:
    x, weights = torch.rand(4, 9, device=device), torch.randint(0, 2, (4, 9), device=device).float()
    util.weighted_average(x, weights, dim=1), util.weighted_average(x, weights), util.weighted_average(x, dim=1)
    util.lagged_sequence_values([0, 1, 3], x, torch.rand(4, 5, device=device), dim=1)
    util.repeat_along_dim(x, 0, 3), util.take_last(x, 1, 3), util.unsqueeze_expand(x, 1, 4)
    util.slice_along_dim(x, 1, slice(0, 3)), util.resolve_device("auto")
    one, two = nn.Linear(2, 2).to(device), nn.Linear(2, 2).to(device)
    util.copy_parameters(one, two)
    util.get_forward_input_names(nn.Linear)
    batchify([{"a": np.ones(3), "b": "x"}, {"a": np.zeros(3), "b": "y"}], device)
    time_features_from_frequency_str("D")


@uses.add
def convex_flow(device: torch.device) -> None:
    for bruteforce in (False, True):
        icnn = PICNN(dim=3, dimh=4, dimc=2, num_hidden_layers=2, symm_act_first=True)
        flow = Flows([DeepConvexFlow(icnn, 3, unbiased=False, no_bruteforce=not bruteforce)]).to(device)
        context = torch.randn(5, 2, device=device)
        x = torch.randn(5, 3, device=device)
        (-flow.logp(x, context=context)).mean().backward()
        flow.eval()
        flow.logp(x, context=context)
        flow.reverse(x, context=context)
    for name in ("softplus", "gaussian_softplus", "gaussian_softplus2", "laplace_softplus", "cauchy_softplus"):
        Softplus(name, zero_softplus=True)(torch.randn(4, device=device))


if __name__ == "__main__":
    uses.main()
