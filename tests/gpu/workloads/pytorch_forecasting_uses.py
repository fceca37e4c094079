"""Data sets, models of both generations, losses, encoders, layers and interpretation of pytorch_forecasting."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import lightning.pytorch as pl
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
import torchmetrics
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor
from lightning.pytorch.loggers import CSVLogger
from pytorch_forecasting import (
    GRU,
    LSTM,
    Baseline,
    DecoderMLP,
    DeepAR,
    MultiEmbedding,
    NBeats,
    NBeatsKAN,
    NHiTS,
    RecurrentNetwork,
    TemporalFusionTransformer,
    TiDEModel,
    TimeSeriesDataSet,
    metrics,
    utils,
)
from pytorch_forecasting.data import EncoderNormalizer, GroupNormalizer, MultiNormalizer, NaNLabelEncoder
from pytorch_forecasting.data.data_module import EncoderDecoderTimeSeriesDataModule, TslibDataModule
from pytorch_forecasting.data.encoders import TorchNormalizer
from pytorch_forecasting.data.examples import generate_ar_data
from pytorch_forecasting.data.samplers import TimeSynchronizedBatchSampler
from pytorch_forecasting.data.timeseries import TimeSeries
from pytorch_forecasting.layers import (
    AttentionLayer,
    DataEmbedding_inverted,
    Encoder,
    EncoderLayer,
    EnEmbedding,
    FlattenHead,
    FullAttention,
    ResidualBlock,
    RevIN,
    SeriesDecomposition,
    TriangularCausalMask,
    mLSTMNetwork,
    sLSTMNetwork,
)
from pytorch_forecasting.layers._kan._kan_layer import KANLayer
from pytorch_forecasting.models.base import BaseModel
from pytorch_forecasting.models.dlinear._dlinear_pkg_v2 import DLinear_pkg_v2
from pytorch_forecasting.models.dlinear._dlinear_v2 import DLinear
from pytorch_forecasting.models.nbeats._grid_callback import GridUpdateCallback
from pytorch_forecasting.models.nn.embeddings import TimeDistributedEmbeddingBag
from pytorch_forecasting.models.samformer._samformer_v2 import Samformer
from pytorch_forecasting.models.temporal_fusion_transformer._tft_v2 import TFT
from pytorch_forecasting.models.tide._tide_dsipts._tide_v2 import TIDE
from pytorch_forecasting.models.timexer import TimeXer
from pytorch_forecasting.models.timexer._timexer_v2 import TimeXer as TimeXer2
from pytorch_forecasting.models.xlstm import xLSTMTime
from torch import nn
from torch.nn.utils import rnn
from torch.utils.data import DataLoader, SequentialSampler
from uses import Use, Uses

mpl.use("Agg")
ENCODER, HORIZON = 6, 3
SPLIT = (0.5, 0.25, 0.25)
uses = Uses()


def sales() -> pd.DataFrame:
    """Monthly sales of two products by two agencies, as in the demand example."""
    random = np.random.default_rng(0)
    frames = []
    for agency in ("a", "b"):
        for sku in ("x", "y"):
            time = np.arange(24)
            volume = 3 + np.sin(time / 2) + random.random(24)
            frame = pd.DataFrame(
                {
                    "agency": agency,
                    "sku": sku,
                    "time_idx": time,
                    "month": (time % 12).astype(str),
                    "volume": volume,
                    "price": 1 + random.random(24),
                    "discount": random.random(24),
                    "easter": np.where(time % 12 == 3, "easter", "-"),
                    "music": np.where(time % 12 == 5, "music", "-"),
                    "weight": 1 + random.random(24),
                    "count": np.round(volume * 3),
                    "share": volume / 6,
                }
            )
            frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def data_set(data: pd.DataFrame | None = None, **more: object) -> TimeSeriesDataSet:
    settings = {
        "time_idx": "time_idx",
        "target": "volume",
        "group_ids": ["agency", "sku"],
        "max_encoder_length": ENCODER,
        "max_prediction_length": HORIZON,
        "static_categoricals": ["agency"],
        "time_varying_known_reals": ["price"],
        "time_varying_unknown_reals": ["volume"],
        "add_relative_time_idx": True,
    } | more
    return TimeSeriesDataSet(sales() if data is None else data, **settings)


def rich(**more: object) -> TimeSeriesDataSet:
    """A data set with each kind of variable."""
    return data_set(
        min_encoder_length=3,
        weight="weight",
        static_categoricals=["agency", "sku"],
        time_varying_known_categoricals=["days", "month"],
        variable_groups={"days": ["easter", "music"]},
        time_varying_known_reals=["time_idx", "price", "discount"],
        target_normalizer=GroupNormalizer(groups=["agency", "sku"], transformation="softplus"),
        add_target_scales=True,
        add_encoder_length=True,
        **more,
    )


def fixed(**more: object) -> TimeSeriesDataSet:
    """A data set of one real variable in windows of fixed length."""
    data = generate_ar_data(seasonality=10.0, timesteps=30, n_series=3)
    return TimeSeriesDataSet(
        data,
        time_idx="time_idx",
        target="value",
        group_ids=["series"],
        categorical_encoders={"series": NaNLabelEncoder().fit(data.series)},
        time_varying_unknown_reals=["value"],
        **{
            "max_encoder_length": 8,
            "min_encoder_length": 8,
            "max_prediction_length": 4,
            "min_prediction_length": 4,
            "add_relative_time_idx": False,
            **more,
        },
    )


def where(device: torch.device) -> dict:
    return {"accelerator": "gpu" if device.type == "cuda" else "cpu", "devices": 1}


def trainer(device: torch.device, folder: str, **more: object) -> pl.Trainer:
    return pl.Trainer(
        **where(device),
        max_epochs=1,
        gradient_clip_val=0.1,
        limit_train_batches=2,
        limit_val_batches=2,
        limit_test_batches=2,
        default_root_dir=folder,
        enable_progress_bar=False,
        enable_model_summary=False,
        **{"logger": CSVLogger(folder), **more},
    )


def loaders(data: TimeSeriesDataSet, size: int = 4) -> tuple[DataLoader, DataLoader]:
    return (
        data.to_dataloader(train=True, batch_size=size, num_workers=0),
        data.to_dataloader(train=False, batch_size=size, num_workers=0),
    )


def fit(device: torch.device, model: BaseModel, data: TimeSeriesDataSet) -> None:
    """Trains, tests, loads and predicts as the tests of the package do."""
    train, test = loaders(data)
    with tempfile.TemporaryDirectory() as folder:
        runner = trainer(device, folder, callbacks=[EarlyStopping("val_loss"), LearningRateMonitor()])
        runner.fit(model, train_dataloaders=train, val_dataloaders=test)
        runner.test(model, dataloaders=test, verbose=False)
        best = type(model).load_from_checkpoint(runner.checkpoint_callback.best_model_path, weights_only=False)
    keys = {"trainer_kwargs": {**where(device), "logger": False, "enable_progress_bar": False}, "fast_dev_run": True}
    best.predict(test, mode="raw", return_index=True, return_decoder_lengths=True, return_x=True, **keys)
    best.predict(test, return_y=True, **keys)


def step(device: torch.device, model: BaseModel, data: TimeSeriesDataSet) -> tuple[dict, dict]:
    """One step of one's own loop."""
    model.to(device)
    x, y = next(iter(loaders(data)[0]))
    x, y = utils.move_to_device(x, device), utils.move_to_device(y, device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    out = model(x)
    more = {}
    if isinstance(model.loss, metrics.MASE):
        more = {"encoder_target": x["encoder_target"], "encoder_lengths": x["encoder_lengths"]}
    loss = model.loss(out["prediction"], y, **more)
    loss.backward()
    optimizer.step()
    model.loss.reset()
    model.eval()
    with torch.no_grad():
        out = model(x)
        model.to_prediction(out)
        model.to_quantiles(out)
    return x, out


MODELS: dict[str, tuple[Callable[..., BaseModel], Callable[[], TimeSeriesDataSet]]] = {
    "TFT": (
        lambda data: TemporalFusionTransformer.from_dataset(
            data, hidden_size=8, attention_head_size=2, hidden_continuous_size=4, log_gradient_flow=True
        ),
        rich,
    ),
    "TFT of one head": (
        lambda data: TemporalFusionTransformer.from_dataset(
            data,
            hidden_size=4,
            attention_head_size=1,
            hidden_continuous_size=2,
            dropout=0.2,
            causal_attention=False,
            share_single_variable_networks=True,
            log_interval=1,
        ),
        data_set,
    ),
    "TiDE": (
        lambda data: TiDEModel.from_dataset(data, hidden_size=5),
        lambda: data_set(add_relative_time_idx=False),
    ),
    "TiDE normed": (
        lambda data: TiDEModel.from_dataset(
            data, hidden_size=5, temporal_decoder_hidden=8, dropout=0.2, use_layer_norm=True
        ),
        lambda: data_set(add_relative_time_idx=False, target_normalizer=GroupNormalizer(groups=["agency", "sku"])),
    ),
    "DeepAR": (lambda data: DeepAR.from_dataset(data, hidden_size=5, n_plotting_samples=10), data_set),
    "DeepAR GRU": (
        lambda data: DeepAR.from_dataset(data, hidden_size=5, cell_type="GRU", n_plotting_samples=10),
        lambda: data_set(lags={"volume": [2, 4]}, min_encoder_length=2),
    ),
    "RNN": (lambda data: RecurrentNetwork.from_dataset(data, hidden_size=5), data_set),
    "RNN GRU": (
        lambda data: RecurrentNetwork.from_dataset(data, hidden_size=5, cell_type="GRU"),
        lambda: data_set(lags={"volume": [2, 4]}, min_encoder_length=2),
    ),
    "DecoderMLP": (lambda data: DecoderMLP.from_dataset(data, hidden_size=8), data_set),
    "NHiTS": (lambda data: NHiTS.from_dataset(data, hidden_size=8, backcast_loss_ratio=0.2), fixed),
    "NHiTS with covariates": (
        lambda data: NHiTS.from_dataset(
            data,
            hidden_size=8,
            loss=metrics.QuantileLoss(),
            static_hidden_size=4,
            naive_level=False,
            shared_weights=False,
            batch_normalization=True,
            dropout=0.1,
        ),
        lambda: data_set(min_encoder_length=ENCODER, min_prediction_length=HORIZON, add_relative_time_idx=False),
    ),
    "NBeats": (lambda data: NBeats.from_dataset(data, widths=[8, 16], backcast_loss_ratio=0.5), fixed),
    "NBeats generic": (
        lambda data: NBeats.from_dataset(
            data,
            stack_types=["generic"],
            num_blocks=[1],
            num_block_layers=[2],
            widths=[8],
            sharing=[False],
            expansion_coefficient_lengths=[4],
        ),
        fixed,
    ),
    "NBeatsKAN": (lambda data: NBeatsKAN.from_dataset(data, widths=[8, 8], num=3, k=2), fixed),
    "xLSTM": (lambda data: xLSTMTime.from_dataset(data, hidden_size=8, input_size=1, output_size=1), fixed),
    "mLSTM": (
        lambda data: xLSTMTime.from_dataset(
            data, hidden_size=8, input_size=1, output_size=1, xlstm_type="mlstm", num_layers=2, decomposition_kernel=5
        ),
        fixed,
    ),
    "TimeXer": (
        lambda data: TimeXer.from_dataset(
            data, context_length=ENCODER, prediction_length=HORIZON, hidden_size=8, patch_length=2, n_heads=2, d_ff=16
        ),
        lambda: data_set(min_encoder_length=ENCODER, min_prediction_length=HORIZON),
    ),
    "TimeXer quantiles": (
        lambda data: TimeXer.from_dataset(
            data,
            context_length=ENCODER,
            prediction_length=HORIZON,
            hidden_size=8,
            patch_length=3,
            n_heads=2,
            d_ff=16,
            e_layers=1,
            activation="gelu",
            use_efficient_attention=True,
            loss=metrics.QuantileLoss([0.1, 0.5, 0.9]),
        ),
        lambda: data_set(min_encoder_length=ENCODER, min_prediction_length=HORIZON),
    ),
}


def model_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, data_of = MODELS[name]
        data = data_of()
        fit(device, make(data), data)

    return use


def step_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, data_of = MODELS[name]
        data = data_of()
        model = make(data)
        step(device, model, data)
        model.size(), repr(model)

    return use


uses.add_each("model", MODELS, model_use)
uses.add_each("step", MODELS, step_use)

# Losses in a model

LOSSES: dict[str, tuple[Callable[[], metrics.MultiHorizonMetric], dict]] = {
    "MAE": (metrics.MAE, {}),
    "RMSE": (metrics.RMSE, {}),
    "SMAPE": (metrics.SMAPE, {}),
    "MAPE": (metrics.MAPE, {}),
    "MASE": (metrics.MASE, {}),
    "Poisson": (metrics.PoissonLoss, {}),
    "Tweedie": (metrics.TweedieLoss, {}),
    "Quantile": (lambda: metrics.QuantileLoss([0.1, 0.5, 0.9]), {}),
    "CrossEntropy": (
        metrics.CrossEntropy,
        {"target": "month", "time_varying_unknown_reals": [], "time_varying_unknown_categoricals": ["month"]},
    ),
    "Normal": (metrics.NormalDistributionLoss, {}),
    "NegativeBinomial": (
        metrics.NegativeBinomialDistributionLoss,
        {
            "target": "count",
            "time_varying_unknown_reals": ["count"],
            "target_normalizer": GroupNormalizer(groups=["agency", "sku"], center=False),
        },
    ),
    "LogNormal": (
        metrics.LogNormalDistributionLoss,
        {"target_normalizer": GroupNormalizer(groups=["agency", "sku"], transformation="log1p")},
    ),
    "Beta": (
        metrics.BetaDistributionLoss,
        {
            "target": "share",
            "time_varying_unknown_reals": ["share"],
            "target_normalizer": GroupNormalizer(groups=["agency", "sku"], transformation="logit"),
        },
    ),
    "MultivariateNormal": (
        metrics.MultivariateNormalDistributionLoss,
        {"target_normalizer": GroupNormalizer(groups=["agency", "sku"], transformation="log1p")},
    ),
    "ImplicitQuantileNetwork": (metrics.ImplicitQuantileNetworkDistributionLoss, {}),
}
DISTRIBUTIONS = ("Normal", "NegativeBinomial", "LogNormal", "Beta", "MultivariateNormal")


def loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, more = LOSSES[name]
        data = data_set(**more)
        model = TemporalFusionTransformer.from_dataset(
            data,
            hidden_size=8,
            attention_head_size=2,
            hidden_continuous_size=4,
            loss=make(),
            logging_metrics=nn.ModuleList([metrics.MAE(), metrics.SMAPE()] if name != "CrossEntropy" else []),
        )
        train, test = loaders(data)
        with tempfile.TemporaryDirectory() as folder:
            trainer(device, folder, enable_checkpointing=False).fit(model, train, test)
        keys = {"trainer_kwargs": {**where(device), "logger": False, "enable_progress_bar": False}}
        model.predict(test, mode="prediction", fast_dev_run=True, **keys)
        model.predict(test, mode="quantiles", fast_dev_run=True, **keys)

    return use


uses.add_each("loss", LOSSES, loss_use)


def deepar_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, more = LOSSES[name]
        data = data_set(**more)
        fit(device, DeepAR.from_dataset(data, hidden_size=5, loss=make()), data)

    return use


uses.add_each("deepar", DISTRIBUTIONS, deepar_use)

# Losses and metrics alone


@uses.add
def point_metrics(device: torch.device) -> None:
    y = torch.rand(4, HORIZON, device=device) + 0.5
    lengths = torch.tensor([3, 2, 3, 1])
    packed = rnn.pack_padded_sequence(y, lengths, batch_first=True, enforce_sorted=False)
    weight = torch.rand(4, HORIZON, device=device)
    for kind in (metrics.MAE, metrics.RMSE, metrics.SMAPE, metrics.MAPE, metrics.PoissonLoss, metrics.TweedieLoss):
        one = kind().to(device)
        prediction = torch.rand(4, HORIZON, device=device, requires_grad=True)
        one(prediction, (y, weight)).backward()
        one(prediction, packed)
        one.update(prediction.detach(), y)
        one.compute(), one.reset()
    for reduction in ("none", "sqrt-mean", "mean"):
        metrics.MAE(reduction=reduction).to(device)(torch.rand(4, HORIZON, device=device), y)


@uses.add
def combined_metrics(device: torch.device) -> None:
    y, prediction = torch.rand(4, HORIZON, device=device), torch.rand(4, HORIZON, device=device)
    composite = (metrics.MAE() + 0.5 * metrics.SMAPE() + metrics.RMSE() * 2).to(device)
    composite(prediction, y), composite.update(prediction, y), composite.compute(), repr(composite)
    composite.to_prediction(prediction.unsqueeze(-1)), composite.reset()
    multi = metrics.MultiLoss([metrics.MAE(), metrics.RMSE()], weights=[1.0, 2.0]).to(device)
    multi([prediction, prediction], ([y, y], None)), multi.update([prediction] * 2, ([y, y], None)), multi.compute()
    multi.to_prediction([prediction.unsqueeze(-1)] * 2), repr(multi), len(multi), multi.reset()
    wrapped = metrics.convert_torchmetric_to_pytorch_forecasting_metric(torchmetrics.MeanSquaredError()).to(device)
    wrapped(prediction, y), wrapped.update(prediction, y), wrapped.compute(), wrapped.reset()


def raw_distribution(name: str, device: torch.device) -> torch.Tensor:
    count = len(LOSSES[name][0]().distribution_arguments)
    return torch.rand(4, HORIZON, count, device=device, requires_grad=True)


def distribution_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        loss = LOSSES[name][0]().to(device)
        encoder = LOSSES[name][1].get("target_normalizer", EncoderNormalizer())
        scale = torch.tensor([[0.5, 1.0]] * 4, device=device)
        encoder = encoder.fit(sales()["share"], sales()) if isinstance(encoder, GroupNormalizer) else encoder
        raw = loss.rescale_parameters(raw_distribution(name, device), target_scale=scale, encoder=encoder)
        y = torch.rand(4, HORIZON, device=device) * 0.8 + 0.1
        loss(raw, y.mul(9).round() if name == "NegativeBinomial" else y).backward()
        raw = raw.detach()
        loss.sample(raw, 5), loss.to_prediction(raw), loss.to_quantiles(raw, n_samples=10)
        loss.map_x_to_distribution(raw)

    return use


uses.add_each("distribution", DISTRIBUTIONS, distribution_use)

# Prediction and interpretation


def trained(device: torch.device, name: str) -> tuple[BaseModel, TimeSeriesDataSet]:
    make, data_of = MODELS[name]
    data = data_of()
    model = make(data)
    with tempfile.TemporaryDirectory() as folder:
        trainer(device, folder, enable_checkpointing=False).fit(model, *loaders(data))
    return model, data


def quiet(device: torch.device) -> dict:
    return {"trainer_kwargs": {**where(device), "logger": False, "enable_progress_bar": False}}


@uses.add
def tft_interpretation(device: torch.device) -> None:
    model, data = trained(device, "TFT")
    raw = model.predict(loaders(data)[1], mode="raw", return_x=True, **quiet(device))
    interpretation = model.interpret_output(raw.output, reduction="sum")
    model.plot_interpretation(interpretation)
    model.interpret_output(raw.output, attention_prediction_horizon=1)
    model.plot_prediction(raw.x, raw.output, idx=0, add_loss_to_title=True)
    plt.close("all")


@uses.add
def tft_of_new_data(device: torch.device) -> None:
    model, data = trained(device, "TFT")
    frame = sales()
    model.predict(frame, mode="quantiles", return_index=True, **quiet(device))
    model.predict(data.filter(lambda x: x.agency == "a"), mode=("raw", "prediction"), batch_size=8, **quiet(device))
    for mode in ("dataframe", "series", "raw"):
        model.predict_dependency(
            data.filter(lambda x: x.time_idx_first_prediction == 20), "discount", [0.1, 0.5], mode=mode, **quiet(device)
        )
    with tempfile.TemporaryDirectory() as folder:
        model.predict(data, write_interval="batch", output_dir=folder, **quiet(device))


@uses.add
def actuals_by_variable(device: torch.device) -> None:
    model, data = trained(device, "TFT")
    found = model.predict(loaders(data)[1], return_x=True, **quiet(device))
    by_variable = model.calculate_prediction_actual_by_variable(found.x, found.output)
    model.plot_prediction_actual_by_variable(by_variable)
    plt.close("all")


@uses.add
def nbeats_interpretation(device: torch.device) -> None:
    for name in ("NBeats", "NHiTS"):
        model, data = trained(device, name)
        raw = model.predict(loaders(data)[1], mode="raw", return_x=True, **quiet(device))
        model.plot_interpretation(raw.x, raw.output, idx=0)
        model.plot_prediction(raw.x, raw.output, idx=0)
        plt.close("all")


@uses.add
def deepar_samples(device: torch.device) -> None:
    model, data = trained(device, "DeepAR")
    loader = loaders(data)[1]
    model.predict(loader, mode="samples", n_samples=7, fast_dev_run=True, **quiet(device))
    model.predict(loader, mode="quantiles", n_samples=7, fast_dev_run=True, **quiet(device))
    raw = model.predict(loader, mode="raw", return_x=True, n_samples=7, fast_dev_run=True, **quiet(device))
    model.plot_prediction(raw.x, raw.output, idx=0, add_loss_to_title=True)
    plt.close("all")


@uses.add
def several_targets(device: torch.device) -> None:
    data = data_set(
        target=["volume", "discount"],
        time_varying_unknown_reals=["volume", "discount"],
        target_normalizer=MultiNormalizer([GroupNormalizer(groups=["agency"]), EncoderNormalizer()]),
    )
    for kind, loss in (
        (TemporalFusionTransformer, metrics.MultiLoss([metrics.QuantileLoss(), metrics.MAE()])),
        (RecurrentNetwork, metrics.MultiLoss([metrics.MAE(), metrics.MAE()])),
        (DecoderMLP, metrics.MultiLoss([metrics.MAE(), metrics.SMAPE()])),
    ):
        fit(device, kind.from_dataset(data, hidden_size=8, loss=loss), data)


@uses.add
def baseline(device: torch.device) -> None:
    data = data_set()
    model = Baseline()
    found = model.predict(loaders(data)[1], return_y=True, **quiet(device))
    metrics.MAE()(found.output, found.y)
    x, _ = next(iter(loaders(data)[1]))
    model.to(device)(utils.move_to_device(x, device))


OPTIMIZERS = ("adam", "adamw", "sgd")


def optimizer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        data = data_set()
        for more in ({"learning_rate": [0.1, 0.01, 0.001]}, {"reduce_on_plateau_patience": 2, "weight_decay": 0.1}):
            model = DecoderMLP.from_dataset(data, hidden_size=8, optimizer=name, **more)
            with tempfile.TemporaryDirectory() as folder:
                trainer(device, folder, enable_checkpointing=False).fit(model, *loaders(data))

    return use


uses.add_each("optimizer", OPTIMIZERS, optimizer_use)


@uses.add
def kan_grid(device: torch.device) -> None:
    data = fixed()
    model = NBeatsKAN.from_dataset(data, widths=[8, 8], num=3, k=2, sparse_init=True, sp_trainable=False, dropout=0.0)
    with tempfile.TemporaryDirectory() as folder:
        callbacks = [GridUpdateCallback(update_interval=1)]
        trainer(device, folder, enable_checkpointing=False, callbacks=callbacks).fit(model, *loaders(data))


# Data sets


@uses.add
def data_sets(device: torch.device) -> None:
    data = rich(
        allow_missing_timesteps=True,
        constant_fill_strategy={"volume": 0.0},
        randomize_length=True,
        lags={"volume": [1]},
        scalers={"price": EncoderNormalizer(), "discount": None},
    )
    other = TimeSeriesDataSet.from_dataset(data, sales(), predict=True, stop_randomization=True)
    x, _ = next(iter(other.to_dataloader(train=False, batch_size=4)))
    other.x_to_index(x), repr(other), len(other), other.decoded_index, other.get_parameters()
    other.set_overwrite_values("3", "month", target="decoder")
    _ = other[0]
    other.reset_overwrite_values()
    data.plot_randomization()
    plt.close("all")
    with tempfile.TemporaryDirectory() as folder:
        data.save(Path(folder) / "data.pkl")
    data.to_dataloader(train=True, batch_size=4, batch_sampler="synchronized")
    sampler = TimeSynchronizedBatchSampler(SequentialSampler(data), batch_size=4, shuffle=True)
    list(sampler), len(sampler)
    utils.move_to_device(x, device)


@uses.add
def missing_steps(device: torch.device) -> None:
    frame = sales().drop(index=[5, 6, 30])
    data = data_set(frame, allow_missing_timesteps=True, target_normalizer=EncoderNormalizer(max_length=4))
    step(device, DecoderMLP.from_dataset(data, hidden_size=8), data)


# Normalizers

TRANSFORMATIONS = (None, "log", "log1p", "logit", "count", "softplus", "relu", "sqrt")


def normalizer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        y, frame = sales()["share"].clip(0.05, 0.95), sales()
        transformation = None if name == "None" else name
        for method in ("standard", "robust", "identity"):
            one = TorchNormalizer(method=method, transformation=transformation)
            scaled = one.fit_transform(y)
            one.inverse_transform(torch.as_tensor(np.asarray(scaled)))
        EncoderNormalizer(transformation=transformation, max_length=[4, 8]).fit(torch.as_tensor(y.to_numpy())[:9])
        group = GroupNormalizer(groups=["agency", "sku"], transformation=transformation, scale_by_group=True)
        group.fit_transform(y, frame)
        group.transform(y, frame, return_norm=True)
        group.get_parameters([0, 0], ["agency", "sku"])
        prediction = torch.rand(4, HORIZON, device=device)
        scale = torch.tensor([[0.5, 1.0]] * 4, device=device)
        group({"prediction": prediction, "target_scale": scale})

    return use


uses.add_each("normalizer", [str(name) for name in TRANSFORMATIONS], normalizer_use)


@uses.add
def label_encoder(device: torch.device) -> None:
    for add_nan in (False, True):
        one = NaNLabelEncoder(add_nan=add_nan)
        codes = one.fit_transform(sales()["agency"])
        one.inverse_transform(torch.as_tensor(np.asarray(codes))), one.get_parameters()
    one({"prediction": torch.zeros(2, device=device)})


# The second generation


def frame_of_numbers() -> pd.DataFrame:
    frame = sales()
    frame["agency"] = (frame["agency"] == "b").astype("int64")
    frame["sku"] = (frame["sku"] == "y").astype("int64")
    frame["season"] = frame["month"].astype(float)
    return frame[["time_idx", "agency", "sku", "volume", "price", "discount", "season", "weight"]]


def series() -> TimeSeries:
    return TimeSeries(
        data=frame_of_numbers(),
        time="time_idx",
        target=["volume"],
        group=["agency", "sku"],
        weight="weight",
        num=["price", "discount", "season"],
        cat=None,
        known=["price", "season"],
        unknown=["discount"],
        static=["agency", "sku"],
    )


def encoder_decoder() -> EncoderDecoderTimeSeriesDataModule:
    return EncoderDecoderTimeSeriesDataModule(
        series(), max_encoder_length=ENCODER, max_prediction_length=HORIZON, batch_size=4, train_val_test_split=SPLIT
    )


def tslib() -> TslibDataModule:
    return TslibDataModule(
        series(), context_length=ENCODER, prediction_length=HORIZON, batch_size=4, train_val_test_split=SPLIT
    )


SECOND: dict[str, tuple[Callable[[dict], pl.LightningModule], Callable[[], pl.LightningDataModule]]] = {
    "TFT": (
        lambda metadata: TFT(
            loss=metrics.MAE(),
            hidden_size=8,
            attention_head_size=2,
            metadata=metadata,
            logging_metrics=[metrics.SMAPE()],
            optimizer="adamw",
            lr_scheduler="cosine_annealing",
            lr_scheduler_params={"T_max": 5},
        ),
        encoder_decoder,
    ),
    "TIDE": (
        lambda metadata: TIDE(
            loss=metrics.MAE(), hidden_size=8, d_model=8, n_add_enc=1, n_add_dec=1, dropout_rate=0.1, metadata=metadata
        ),
        encoder_decoder,
    ),
    "Samformer": (
        lambda metadata: Samformer(
            loss=metrics.QuantileLoss([0.1, 0.5, 0.9]), hidden_size=8, use_revin=False, metadata=metadata
        ),
        encoder_decoder,
    ),
    "Samformer with RevIN": (
        lambda metadata: Samformer(
            loss=metrics.MAE(),
            hidden_size=8,
            use_revin=True,
            out_channels=1,
            persistence_weight=0.0,
            metadata=metadata,
        ),
        encoder_decoder,
    ),
    "DLinear": (
        lambda metadata: DLinear(
            loss=metrics.MAE(),
            moving_avg=3,
            individual=True,
            metadata=metadata,
            optimizer="adagrad",
            optimizer_params={"lr": 1e-3},
        ),
        tslib,
    ),
    "DLinear quantiles": (
        lambda metadata: DLinear(loss=metrics.QuantileLoss([0.1, 0.5, 0.9]), moving_avg=4, metadata=metadata),
        tslib,
    ),
    "TimeXer": (
        lambda metadata: TimeXer2(
            loss=metrics.MAE(), hidden_size=8, n_heads=2, e_layers=1, d_ff=16, patch_length=2, metadata=metadata
        ),
        tslib,
    ),
    "TimeXer quantiles": (
        lambda metadata: TimeXer2(
            loss=metrics.QuantileLoss([0.1, 0.5, 0.9]),
            hidden_size=8,
            n_heads=2,
            e_layers=1,
            d_ff=16,
            patch_length=2,
            use_efficient_attention=True,
            metadata=metadata,
        ),
        tslib,
    ),
}


def second_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, module_of = SECOND[name]
        module = module_of()
        module.setup("fit")
        model = make(module.metadata)
        with tempfile.TemporaryDirectory() as folder:
            runner = trainer(device, folder, enable_checkpointing=False)
            runner.fit(model, datamodule=module)
            module.setup("test")
            runner.test(model, datamodule=module, verbose=False)
        module.setup("predict")
        quantiles = "quantiles" in name
        keys = {**where(device), "logger": False, "enable_progress_bar": False}
        for mode in ("prediction", "raw", *(("quantiles",) if quantiles else ())):
            model.predict(module.predict_dataloader(), mode=mode, return_info=["y"], trainer_kwargs=dict(keys))

    return use


uses.add_each("second", SECOND, second_use)


@uses.add
def packaged(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one = DLinear_pkg_v2(
            model_cfg={"loss": metrics.MAE(), "moving_avg": 3},
            trainer_cfg={
                **where(device),
                "max_epochs": 1,
                "logger": False,
                "enable_progress_bar": False,
                "enable_model_summary": False,
            },
            datamodule_cfg={
                "context_length": ENCODER,
                "prediction_length": HORIZON,
                "batch_size": 4,
                "train_val_test_split": SPLIT,
            },
        )
        one.fit(series(), ckpt_dir=folder)
        one.predict(series(), mode="prediction", trainer_kwargs={**where(device), "logger": False})


# Layers


@uses.add
def attention(device: torch.device) -> None:
    x = torch.randn(2, 5, 8, device=device)
    for efficient in (False, True):
        for masked in (False, True)[: 1 + efficient]:
            inner = FullAttention(masked, output_attention=not efficient, use_efficient_attention=efficient)
            layer = AttentionLayer(inner, 8, 2).to(device)
            mask = TriangularCausalMask(2, 5, device=device) if masked else None
            layer(x, x, x, mask)[0].mean().backward()
    one = EncoderLayer(AttentionLayer(FullAttention(False), 8, 2), AttentionLayer(FullAttention(False), 8, 2), 8)
    Encoder([one], norm_layer=nn.LayerNorm(8), projection=nn.Linear(8, 8)).to(device)(x, x)


@uses.add
def small_layers(device: torch.device) -> None:
    x = torch.randn(2, 6, 3, device=device)
    for more in ({}, {"subtract_last": True, "affine": False}):
        revin = RevIN(3, **more).to(device)
        revin(revin(x, mode="norm"), mode="denorm")
    SeriesDecomposition(3).to(device)(x), SeriesDecomposition(4).to(device)(x)
    DataEmbedding_inverted(6, 8).to(device)(x, torch.randn(2, 6, 1, device=device))
    EnEmbedding(3, 8, 2, 0.1).to(device)(x)
    FlattenHead(3, 8 * 4, HORIZON).to(device)(torch.randn(2, 3, 8, 4, device=device))
    FlattenHead(3, 8 * 4, HORIZON, n_quantiles=3).to(device)(torch.randn(2, 3, 8, 4, device=device))
    ResidualBlock(3, 4, 0.1).to(device)(x)


@uses.add
def recurrent_layers(device: torch.device) -> None:
    x = torch.randn(2, 6, 3, device=device)
    for kind in (mLSTMNetwork, sLSTMNetwork):
        net = kind(3, 8, 2, 4, dropout=0.1).to(device)
        out = net(x)
        (out[0] if isinstance(out, tuple) else out).mean().backward()
    for kind in (LSTM, GRU):
        net = kind(3, 4, num_layers=2, batch_first=True).to(device)
        lengths = torch.tensor([0, 6], device=device)
        out, _ = net(x, lengths=lengths, enforce_sorted=False)
        out.mean().backward()
        net(x, net.init_hidden_state(x))


@uses.add
def embeddings(device: torch.device) -> None:
    one = MultiEmbedding(
        {"days": (4, 2), "month": (12, 3)},
        x_categoricals=["easter", "music", "month"],
        categorical_groups={"days": ["easter", "music"]},
        embedding_paddings=["month"],
    ).to(device)
    one(torch.randint(0, 3, (2, 5, 3), device=device))
    MultiEmbedding([4, (5, 2)], max_embedding_size=3).to(device)(torch.randint(0, 3, (2, 5, 2), device=device))
    bag = TimeDistributedEmbeddingBag(5, 2, mode="sum", batch_first=True).to(device)
    bag(torch.randint(0, 5, (2, 4, 3), device=device)), bag(torch.randint(0, 5, (2, 3), device=device))


@uses.add
def kan(device: torch.device) -> None:
    x = torch.randn(7, 3, device=device)
    for more in ({}, {"sparse_init": True, "grid_eps": 0.5}):
        layer = KANLayer(in_dim=3, out_dim=2, num=4, k=2, **more).to(device)
        out = layer(x)
        (out[0] if isinstance(out, tuple) else out).mean().backward()
        layer.update_grid_from_samples(x)


@uses.add
def tools(device: torch.device) -> None:
    x = torch.randn(4, 5, device=device)
    lengths = torch.tensor([1, 3, 5, 2], device=device)
    utils.create_mask(5, lengths), utils.create_mask(5, lengths, inverse=True), utils.autocorrelation(x, dim=1)
    utils.integer_histogram(lengths, max=6), utils.get_embedding_size(12)
    utils.groupby_apply(torch.tensor([0, 1, 1, 0], device=device), x[:, 0], bins=2)
    utils.detach({"a": [x]}), utils.to_list(x), utils.apply_to_list([x], torch.mean)
    packed = rnn.pack_padded_sequence(x, [1, 3, 5, 2], batch_first=True, enforce_sorted=False)
    utils.unpack_sequence(packed), utils.concat_sequences([x, x])
    utils.padded_stack([x, x[:, :3]], value=0), utils.masked_op(x, dim=1, mask=x > 0)
    utils.move_to_device({"a": [x], "b": (x,)}, device)


if __name__ == "__main__":
    uses.main()
