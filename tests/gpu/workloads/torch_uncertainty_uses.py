"""Layers, models, methods, losses, metrics, routines, post-processing and transforms of torch_uncertainty."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import chdir
from copy import deepcopy
from functools import partial
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import torch
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torch_uncertainty import layers, losses, methods, metrics, ood_criteria, optim, optim_recipes, transforms
from torch_uncertainty import models as nets
from torch_uncertainty import post_processing as post
from torch_uncertainty.callbacks import TUClsCheckpoint, TURegCheckpoint, TUSegCheckpoint
from torch_uncertainty.datamodules.abstract import TUDataModule
from torch_uncertainty.layers.bayesian import LPBNNConv2d, LPBNNLinear
from torch_uncertainty.layers.distributions import get_dist_conv_layer, get_dist_linear_layer
from torch_uncertainty.layers.mc_batch_norm import MCBatchNorm2d
from torch_uncertainty.models import mlp as mlps
from torch_uncertainty.models import segmentation
from torch_uncertainty.models.classification.wideresnet.std import _WideResNet
from torch_uncertainty.post_processing.abnn import ABNN
from torch_uncertainty.routines import (
    ClassificationRoutine,
    PixelRegressionRoutine,
    RegressionRoutine,
    SegmentationRoutine,
)
from torch_uncertainty.utils import TUTrainer, get_dist_class, get_dist_estimate, plot_hist
from uses import Use, Uses

mpl.use("Agg")
CLASSES, FEATURES, BATCH, COUNT, ESTIMATORS = 3, 12, 4, 16, 2
uses = Uses()


def images(device: torch.device, size: int = 16, count: int = BATCH) -> torch.Tensor:
    return torch.rand(count, 3, size, size, device=device)


def rows(device: torch.device, count: int = BATCH) -> torch.Tensor:
    return torch.randn(count, FEATURES, device=device)


def labels(device: torch.device, count: int = BATCH) -> torch.Tensor:
    return torch.arange(count, device=device) % CLASSES


def probabilities(device: torch.device, *shape: int) -> torch.Tensor:
    return torch.randn(*(shape or (20, CLASSES)), device=device).softmax(-1)


def classifier() -> nn.Module:
    return nets.lenet(3, CLASSES, norm=nn.BatchNorm2d, dropout_rate=0.2)


def mlp(**more: object) -> nn.Module:
    return mlps.mlp(FEATURES, 1, [8], **more)


def all_of(names: Iterable[str], use_of: Callable[[str], Use]) -> Use:
    """One use of several small ones."""

    def use(device: torch.device) -> None:
        for name in names:
            use_of(name)(device)

    return use


# Layers

IMAGE_LAYERS: dict[str, Callable[[], nn.Module]] = {
    "BatchConv2d": lambda: layers.BatchConv2d(12, 12, 3, ESTIMATORS, padding=1),
    "BatchConvTranspose2d": lambda: layers.BatchConvTranspose2d(12, 12, 3, ESTIMATORS),
    "BayesConv2d": lambda: layers.BayesConv2d(12, 12, 3, padding=1),
    "BayesConv2d reflected": lambda: layers.BayesConv2d(12, 12, 3, padding=1, padding_mode="reflect", prior_pi=0.5),
    "LPBNNConv2d": lambda: LPBNNConv2d(12, 12, num_estimators=ESTIMATORS, kernel_size=3, padding=1),
    "FilterResponseNorm2d": lambda: layers.FilterResponseNorm2d(12),
    "ChannelLayerNorm": lambda: layers.ChannelLayerNorm(12),
    "MaskedConv2d": lambda: layers.MaskedConv2d(12, 12, 3, ESTIMATORS, scale=2.0),
    "MaskedConvTranspose2d": lambda: layers.MaskedConvTranspose2d(12, 12, 3, ESTIMATORS, scale=2.0),
    "PackedConv2d": lambda: layers.PackedConv2d(12, 12, 3, alpha=2, num_estimators=ESTIMATORS, first=True, padding=1),
    "PackedConv2d in groups": lambda: layers.PackedConv2d(
        12, 12, 3, alpha=1, num_estimators=ESTIMATORS, gamma=2, minimum_channels_per_group=2
    ),
    "PackedConvTranspose2d": lambda: layers.PackedConvTranspose2d(12, 12, 3, alpha=1, num_estimators=ESTIMATORS),
}
SEQUENCE_LAYERS: dict[str, Callable[[], nn.Module]] = {
    "BatchConv1d": lambda: layers.BatchConv1d(12, 12, 3, ESTIMATORS),
    "BayesConv1d": lambda: layers.BayesConv1d(12, 12, 3),
    "FilterResponseNorm1d": lambda: layers.FilterResponseNorm1d(12),
    "PackedConv1d": lambda: layers.PackedConv1d(12, 12, 3, alpha=2, num_estimators=ESTIMATORS, first=True),
}
ROW_LAYERS: dict[str, Callable[[], nn.Module]] = {
    "BatchLinear": lambda: layers.BatchLinear(FEATURES, 12, ESTIMATORS),
    "BayesLinear": lambda: layers.BayesLinear(FEATURES, 12),
    "LPBNNLinear": lambda: LPBNNLinear(FEATURES, 12, ESTIMATORS),
    "MaskedLinear": lambda: layers.MaskedLinear(FEATURES, 12, ESTIMATORS, scale=2.0),
    "PackedLinear": lambda: layers.PackedLinear(FEATURES, 12, alpha=2, num_estimators=ESTIMATORS, first=True),
    "PackedLinear full": lambda: layers.PackedLinear(
        FEATURES, 12, alpha=2, num_estimators=ESTIMATORS, first=True, implementation="full"
    ),
    "PackedLinear sparse": lambda: layers.PackedLinear(
        FEATURES, 12, alpha=2, num_estimators=ESTIMATORS, first=True, implementation="sparse"
    ),
    "PackedLinear conv1d": lambda: layers.PackedLinear(
        FEATURES, 12, alpha=2, num_estimators=ESTIMATORS, first=True, implementation="conv1d"
    ),
}


def layer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        if name in IMAGE_LAYERS:
            layer, x = IMAGE_LAYERS[name](), torch.randn(BATCH, 12, 8, 8, device=device)
        elif name in SEQUENCE_LAYERS:
            layer, x = SEQUENCE_LAYERS[name](), torch.randn(BATCH, 12, 8, device=device)
        else:
            layer, x = ROW_LAYERS[name](), rows(device)
        layer = layer.to(device)
        layer(x.requires_grad_()).mean().backward()
        layer.eval()
        layer(x), repr(layer)
        if name.startswith("Bayes"):
            layer.freeze()
            layer(x)
            layer.unfreeze()
            layer.sample()

    return use


KINDS = ("Batch", "Bayes", "LPBNN", "Masked", "Packed", "Filter", "Channel")
LAYERS = [*IMAGE_LAYERS, *SEQUENCE_LAYERS, *ROW_LAYERS]
uses.add_each("layers", KINDS, lambda kind: all_of([name for name in LAYERS if name.startswith(kind)], layer_use))


@uses.add
def volume_layers(device: torch.device) -> None:
    x = torch.randn(BATCH, 4, 5, 5, 5, device=device)
    for layer in (
        layers.BayesConv3d(4, 6, 3),
        layers.FilterResponseNorm3d(4),
        layers.PackedConv3d(4, 6, 3, alpha=2, num_estimators=ESTIMATORS, first=True),
    ):
        layer.to(device)(x).mean().backward()


@uses.add
def converted_layers(device: torch.device) -> None:
    layers.BatchLinear.from_linear(nn.Linear(FEATURES, 4), ESTIMATORS).to(device)(rows(device))
    convolution = layers.BatchConv2d.from_conv2d(nn.Conv2d(3, 4, 3), ESTIMATORS).to(device)
    convolution(images(device))


@uses.add
def packed_attention(device: torch.device) -> None:
    more = {"alpha": 2, "num_estimators": ESTIMATORS, "batch_first": True}
    x = torch.randn(BATCH, 5, 16, device=device)
    mask = torch.triu(torch.ones(5, 5, dtype=torch.bool, device=device), 1)
    for extra in ({}, {"add_bias_kv": True, "add_zero_attn": True}):
        attention = layers.PackedMultiheadAttention(8, 2, **extra, **more).to(device)
        attention(x, x, x)[0].mean().backward()
        attention(x, x, x, attn_mask=mask)
    for norm_first in (False, True):
        layer = layers.PackedTransformerEncoderLayer(8, 2, dim_feedforward=16, norm_first=norm_first, **more)
        layer.to(device)(x).mean().backward()
        decoder = layers.PackedTransformerDecoderLayer(8, 2, dim_feedforward=16, norm_first=norm_first, **more)
        decoder.to(device)(x, x).mean().backward()
    layers.PackedLayerNorm(8, ESTIMATORS, alpha=2).to(device)(x)
    layers.Identity()(x)


FAMILIES = ("normal", "laplace", "cauchy", "student", "nig", "gamma")


def family_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        linear = get_dist_linear_layer(name)(nn.Linear, event_dim=2, in_features=FEATURES).to(device)
        parameters = linear(rows(device))
        kind = get_dist_class(name)
        distribution = kind(**parameters)
        target = torch.rand(BATCH, 2, device=device) + 0.1
        loss = losses.DERLoss(0.1) if name == "nig" else losses.DistributionNLLLoss()
        loss(distribution, target).backward()
        losses.DistributionNLLLoss()(
            kind(**parameters), target, torch.tensor([[0], [1], [0], [0]], device=device).bool()
        )
        for estimate in ("mean",) if name in ("nig", "gamma") else ("mode",) if name == "cauchy" else ("mean", "mode"):
            get_dist_estimate(distribution, estimate)
        convolution = get_dist_conv_layer(name)(nn.Conv2d, event_dim=1, in_channels=3, kernel_size=3).to(device)
        convolution(images(device))

    return use


FAMILY_GROUPS = {"loc-scale": FAMILIES[:3], "other": FAMILIES[3:]}
uses.add_each("families", FAMILY_GROUPS, lambda group: all_of(FAMILY_GROUPS[group], family_use))

# Models

SMALL = {"width_multiplier": 0.125}
CLASSIFIERS: dict[str, Callable[[], nn.Module]] = {
    "lenet": lambda: nets.lenet(3, CLASSES),
    "packed lenet": lambda: nets.packed_lenet(3, CLASSES, alpha=2, gamma=1, num_estimators=ESTIMATORS),
    "bayesian lenet": lambda: nets.bayesian_lenet(3, CLASSES, num_samples=2),
    "batchensemble lenet": lambda: nets.batchensemble_lenet(3, CLASSES, num_estimators=ESTIMATORS),
    "resnet 18": lambda: nets.resnet(3, CLASSES, 18, style="cifar", **SMALL),
    "resnet 50": lambda: nets.resnet(3, CLASSES, 50, dropout_rate=0.1, **SMALL),
    "packed resnet 18": lambda: nets.packed_resnet(3, CLASSES, 18, ESTIMATORS, alpha=2, gamma=1, **SMALL),
    "packed resnet 50": lambda: nets.packed_resnet(
        3, CLASSES, 50, ESTIMATORS, alpha=2, gamma=1, style="cifar", **SMALL
    ),
    "batched resnet 18": lambda: nets.batched_resnet(3, CLASSES, 18, ESTIMATORS, style="cifar", **SMALL),
    "batched resnet 50": lambda: nets.batched_resnet(
        3, CLASSES, 50, ESTIMATORS, repeat_strategy="legacy", width_multiplier=0.125
    ),
    "masked resnet 18": lambda: nets.masked_resnet(
        3, CLASSES, 18, ESTIMATORS, scale=2.0, style="cifar", width_multiplier=0.25
    ),
    "masked resnet 50": lambda: nets.masked_resnet(
        3, CLASSES, 50, ESTIMATORS, scale=2.0, repeat_strategy="legacy", width_multiplier=0.25
    ),
    "mimo resnet 18": lambda: nets.mimo_resnet(3, CLASSES, 18, ESTIMATORS, style="cifar", **SMALL),
    "lpbnn resnet 18": lambda: nets.lpbnn_resnet(3, CLASSES, 18, ESTIMATORS, style="cifar", **SMALL),
    "lpbnn resnet 50": lambda: nets.lpbnn_resnet(3, CLASSES, 50, ESTIMATORS, **SMALL),
    "vgg 11": lambda: nets.vgg(3, CLASSES, 11, style="cifar", norm=nn.BatchNorm2d),
    "packed vgg 11": lambda: nets.packed_vgg(
        3, CLASSES, 11, alpha=1, num_estimators=ESTIMATORS, gamma=1, style="cifar"
    ),
    "wideresnet": lambda: _WideResNet(
        10,
        2,
        in_channels=3,
        num_classes=CLASSES,
        conv_bias=False,
        dropout_rate=0.3,
        style="cifar",
    ),
}
WIDE: dict[str, Callable[[], nn.Module]] = {
    "plain": lambda: nets.wideresnet28x10(3, CLASSES, style="cifar"),
    "packed": lambda: nets.packed_wideresnet28x10(3, CLASSES, ESTIMATORS, alpha=1, gamma=1, style="cifar"),
    "batched": lambda: nets.batched_wideresnet28x10(3, CLASSES, ESTIMATORS, style="cifar"),
    "masked": lambda: nets.masked_wideresnet28x10(3, CLASSES, ESTIMATORS, scale=2.0, style="cifar"),
    "mimo": lambda: nets.mimo_wideresnet28x10(3, CLASSES, ESTIMATORS, style="cifar"),
}
TIME = {"kernel_size": 8, "embed_dim": 4, "num_blocks": 3}
INCEPTIONS: dict[str, Callable[[], nn.Module]] = {
    "plain": lambda: nets.inception_time(3, CLASSES, dropout=0.1, **TIME),
    "packed": lambda: nets.packed_inception_time(3, CLASSES, ESTIMATORS, alpha=2, **TIME),
    "batched": lambda: nets.batched_inception_time(3, CLASSES, ESTIMATORS, **TIME),
    "mimo": lambda: nets.mimo_inception_time(3, CLASSES, ESTIMATORS, **TIME),
    "bayesian": lambda: nets.bayesian_inception_time(3, CLASSES, num_samples=2, **TIME),
}
UNETS: dict[str, Callable[[], nn.Module]] = {
    "small": lambda: segmentation.small_unet(3, CLASSES, dropout_rate=0.1),
    "bilinear": lambda: segmentation.small_unet(3, CLASSES, bilinear=True),
    "packed": lambda: segmentation.packed_small_unet(3, CLASSES, alpha=2, num_estimators=ESTIMATORS),
    "batched": lambda: segmentation.batched_small_unet(3, CLASSES, num_estimators=ESTIMATORS),
    "masked": lambda: segmentation.masked_small_unet(3, CLASSES, num_estimators=ESTIMATORS, scale=2.0),
    "mimo": lambda: segmentation.mimo_small_unet(3, CLASSES, num_estimators=ESTIMATORS),
}


def train_once(model: nn.Module, x: torch.Tensor) -> None:
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    out = model(x)
    out.square().mean().backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        model(x)


def model_of(makers: dict[str, Callable[[], nn.Module]], inputs: Callable[[torch.device], torch.Tensor]) -> Callable:
    def model_use(name: str) -> Use:
        def use(device: torch.device) -> None:
            model = makers[name]().to(device)
            train_once(model, inputs(device))
            if hasattr(model, "feats_forward") and "mimo" not in name:
                model.feats_forward(inputs(device))

        return use

    return model_use


def wide_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = WIDE[name]().to(device).eval()
        with torch.no_grad():
            model(images(device, 8, 1))

    return use


CLASSIFIER = model_of(CLASSIFIERS, partial(images, size=32))
ARCHITECTURES = ("lenet", "resnet 18", "resnet 50", "vgg 11", "wideresnet")
uses.add_each(
    "classifiers",
    ARCHITECTURES,
    lambda kind: all_of([name for name in CLASSIFIERS if name.split(" ", 1)[-1] == kind or name == kind], CLASSIFIER),
)
WIDE_GROUPS = {"plain": ("plain", "mimo"), "several": ("packed", "batched", "masked")}
uses.add_each("wide", WIDE_GROUPS, lambda group: all_of(WIDE_GROUPS[group], wide_use))
SIGNALS = model_of(INCEPTIONS, lambda device: torch.randn(BATCH, 3, 24, device=device))
uses.add_each("inception", ("time",), lambda _: all_of(INCEPTIONS, SIGNALS))
UNET_GROUPS = {"single": ("small", "bilinear"), "several": ("packed", "batched", "masked", "mimo")}
UNET = model_of(UNETS, partial(images, size=32, count=2))
uses.add_each("unets", UNET_GROUPS, lambda group: all_of(UNET_GROUPS[group], UNET))


@uses.add
def segformer(device: torch.device) -> None:
    train_once(segmentation.seg_former(CLASSES, 0).to(device), images(device, 64, 2))


@uses.add
def deeplab(device: torch.device) -> None:
    for style, separable in (("v3", False), ("v3+", True)):
        model = segmentation.deep_lab_v3_resnet(CLASSES, 50, style, separable=separable, pretrained_backbone=False)
        train_once(model.to(device), images(device, 32, 2))


@uses.add
def depth(device: torch.device) -> None:
    for family in (None, "normal"):
        model = nets.bts_resnet(50, max_depth=10.0, bts_size=256, dist_family=family, pretrained_backbone=False)
        out = model.to(device)(images(device, 64, 2))
        (out["loc"] if isinstance(out, dict) else out).mean().backward()


MLPS: dict[str, Callable[..., nn.Module]] = {
    "plain": mlps.mlp,
    "packed": partial(mlps.packed_mlp, num_estimators=ESTIMATORS),
    "batched": partial(mlps.batched_mlp, num_estimators=ESTIMATORS),
    "bayesian": partial(mlps.bayesian_mlp, num_samples=2),
    "mimo": partial(mlps.mimo_mlp, num_estimators=ESTIMATORS),
}


def mlp_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for family in (None, "normal"):
            model = MLPS[name](FEATURES, 2, [8, 8], dropout_rate=0.1, dist_family=family).to(device)
            out = model(rows(device))
            (out["loc"] if isinstance(out, dict) else out).mean().backward()
            model.eval()
            model(rows(device))

    return use


uses.add_each("mlp", ("all",), lambda _: all_of(MLPS, mlp_use))

# Methods


def trained_epochs(model: nn.Module, device: torch.device) -> None:
    """A loop of one's own with a wrapper that follows the weights."""
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(TensorDataset(images(torch.device("cpu"), 16, 8), labels(torch.device("cpu"), 8)), batch_size=4)
    for epoch in range(4):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
            if isinstance(model, methods.EMA):
                model.update_wrapper(epoch)
        if not isinstance(model, methods.EMA):
            model.update_wrapper(epoch)
        if hasattr(model, "bn_update"):
            model.bn_update(loader, device)
    model.eval()
    with torch.no_grad():
        model(images(device))


WRAPPERS: dict[str, Callable[[nn.Module], nn.Module]] = {
    "EMA": lambda core: methods.EMA(core, momentum=0.99),
    "SWA": lambda core: methods.SWA(core, cycle_start=1, cycle_length=1),
    "SWAG": lambda core: methods.SWAG(core, cycle_start=1, cycle_length=1, max_num_models=3, num_estimators=2),
    "SWAG diagonal": lambda core: methods.SWAG(
        core, cycle_start=1, cycle_length=1, diag_covariance=True, num_estimators=2
    ),
    "CheckpointCollector": lambda core: methods.CheckpointCollector(core, cycle_start=1, cycle_length=1),
    "CheckpointCollector scheduled": lambda core: methods.CheckpointCollector(
        core, save_schedule=[1, 3], store_on_cpu=True, use_final_model=False
    ),
}


def wrapper_use(name: str) -> Use:
    return lambda device: trained_epochs(WRAPPERS[name](classifier()), device)


FOLLOWERS = ("EMA", "SWA", "Checkpoint")
uses.add_each(
    "wrapper", FOLLOWERS, lambda kind: all_of([name for name in WRAPPERS if name.startswith(kind)], wrapper_use)
)


@uses.add
def mc_dropout(device: torch.device) -> None:
    for on_batch in (True, False):
        model = methods.mc_dropout(classifier(), 3, on_batch=on_batch).to(device)
        model.train()
        model(images(device))
        model.eval()
        model(images(device))
    methods.mc_dropout(classifier(), 3, last_layer=True).to(device).eval()(images(device))
    for family, on_batch in (("normal", True), (None, False)):
        core = mlp(dropout_rate=0.3, dist_family=family)
        model = methods.mc_dropout(core, 3, on_batch=on_batch, task="regression", probabilistic=family is not None)
        model.to(device).eval()(rows(device))


@uses.add
def deep_ensembles(device: torch.device) -> None:
    methods.deep_ensembles(classifier(), num_estimators=3).to(device)(images(device))
    methods.deep_ensembles([classifier(), classifier()], store_on_cpu=True).to(device)(images(device))
    for family in ("normal", None):
        cores = [mlp(dist_family=family), mlp(dist_family=family)]
        methods.deep_ensembles(cores, task="regression", probabilistic=family is not None).to(device)(rows(device))


@uses.add
def saved_ensemble(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for index in range(2):
            torch.save(classifier().to(device).state_dict(), Path(folder) / f"{index}.pt")
        paths = [Path(folder) / f"{index}.pt" for index in range(2)]
        model = methods.deep_ensembles(classifier(), num_estimators=2, ckpt_paths=paths, use_tu_ckpt_format=False)
    model.to(device)(images(device))


@uses.add
def batch_ensemble(device: torch.device) -> None:
    model = methods.batch_ensemble(nets.lenet(3, CLASSES), ESTIMATORS, convert_layers=True).to(device)
    train_once(model, images(device))
    model = methods.batch_ensemble(
        nets.lenet(3, CLASSES), ESTIMATORS, convert_layers=True, repeat_training_inputs=True
    ).to(device)
    train_once(model, images(device))


@uses.add
def zero(device: torch.device) -> None:
    model = methods.Zero(classifier(), num_tta=4, filter_views=0.5).to(device)
    model(images(device, count=8))
    model.eval()
    model(images(device, count=8))


@uses.add
def stochastic(device: torch.device) -> None:
    model = nets.bayesian_lenet(3, CLASSES, num_samples=3).to(device)
    model.sample(2), model.freeze(), model(images(device)), model.unfreeze()
    model.eval()
    model(images(device))


# Losses

CLASSIFICATION: dict[str, Callable[[], nn.Module]] = {
    "DEC log": lambda: losses.DECLoss(reg_weight=0.1),
    "DEC mse": lambda: losses.DECLoss(annealing_step=5, loss_type="mse"),
    "DEC digamma": lambda: losses.DECLoss(reg_weight=0.1, loss_type="digamma", reduction="sum"),
    "confidence penalty": lambda: losses.ConfidencePenaltyLoss(0.1),
    "conflictual": lambda: losses.ConflictualLoss(0.1),
    "focal": lambda: losses.FocalLoss(2.0),
    "focal weighted": lambda: losses.FocalLoss(2.0, alpha=torch.tensor([1.0, 2.0, 1.0]), reduction="sum"),
    "max suppression": lambda: losses.CrossEntropyMaxSupLoss(label_smoothing=0.1, max_sup=0.1),
    "MixupMP": lambda: losses.MixupMPLoss(1.0),
}


LOSSES = {
    "DEC": [name for name in CLASSIFICATION if name.startswith("DEC")],
    "other": [name for name in CLASSIFICATION if not name.startswith("DEC")],
}


def loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        scores = torch.randn(8, CLASSES, device=device, requires_grad=True)
        loss = CLASSIFICATION[name]().to(device)
        if name == "focal weighted":
            loss = losses.FocalLoss(2.0, alpha=torch.tensor([1.0, 2.0, 1.0], device=device), reduction="sum")
        more = {"current_epoch": 2} if name.startswith("DEC") else {}
        loss(scores, labels(device, 8), **more).backward()

    return use


uses.add_each("loss", ("DEC", "other"), lambda kind: all_of(LOSSES[kind], loss_use))


@uses.add
def other_losses(device: torch.device) -> None:
    scores = torch.randn(8, device=device, requires_grad=True)
    y = (labels(device, 8) > 0).float()
    losses.BCEWithLogitsLSLoss(label_smoothing=0.1).to(device)(scores, y).backward()
    for reduction in ("mean", "sum", "none"):
        losses.PinballLoss(0.9, reduction)(scores, y)
        losses.BetaNLL(0.5, reduction)(scores, y, scores.square() + 0.1)


@uses.add
def elbo(device: torch.device) -> None:
    model = nets.bayesian_lenet(3, CLASSES, num_samples=2).to(device)
    loss = losses.ELBOLoss(model, nn.CrossEntropyLoss(), kl_weight=1e-3, num_samples=2)
    loss(images(device), labels(device)).backward()
    regression = mlps.bayesian_mlp(FEATURES, 1, [8], num_samples=2, dist_family="normal").to(device)
    loss = losses.ELBOLoss(None, losses.DistributionNLLLoss(), kl_weight=1e-3, num_samples=2, dist_family="normal")
    loss.set_model(regression)
    loss(rows(device), torch.randn(BATCH, 1, device=device)).backward()
    losses.KLDiv(model)()


# Metrics


def fed(metric: nn.Module, device: torch.device, *inputs: torch.Tensor) -> nn.Module:
    """Updates twice, computes and resets."""
    metric = metric.to(device)
    metric.update(*inputs)
    metric.update(*inputs)
    metric.compute()
    return metric


WITH_TARGET: dict[str, Callable[[], nn.Module]] = {
    "BrierScore": lambda: metrics.BrierScore(CLASSES),
    "BrierScore of each": lambda: metrics.BrierScore(CLASSES, reduction="none"),
    "BrierScore of the top": lambda: metrics.BrierScore(CLASSES, top_class=True),
    "CategoricalNLL": metrics.CategoricalNLL,
    "CategoricalNLL of each": lambda: metrics.CategoricalNLL(reduction="none"),
    "CalibrationError": lambda: metrics.CalibrationError("multiclass", num_classes=CLASSES),
    "CalibrationError adaptive": lambda: metrics.CalibrationError("multiclass", adaptive=True, num_classes=CLASSES),
    "AdaptiveCalibrationError": lambda: metrics.AdaptiveCalibrationError("multiclass", norm="l2", num_classes=CLASSES),
    "ClasswiseCalibrationError": lambda: metrics.ClasswiseCalibrationError(CLASSES),
    "SmoothCalibrationError": metrics.SmoothCalibrationError,
    "SmoothCalibrationError reflected": lambda: metrics.SmoothCalibrationError("reflected", bandwidth=0.1),
    "AURC": metrics.AURC,
    "AUGRC": metrics.AUGRC,
    "CovAt5Risk": metrics.CovAt5Risk,
    "CovAtxRisk": lambda: metrics.CovAtxRisk(0.6),
    "RiskAt80Cov": metrics.RiskAt80Cov,
    "RiskAtxCov": lambda: metrics.RiskAtxCov(0.5),
}


def with_target_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        metric = fed(WITH_TARGET[name](), device, probabilities(device), labels(device, 20))
        if hasattr(metric, "plot") and name in ("CalibrationError", "CalibrationError adaptive", "AURC", "AUGRC"):
            metric.plot()
            plt.close("all")
        metric.reset()

    return use


GROUPS = {
    "scores": [name for name in WITH_TARGET if name.startswith(("Brier", "Categorical"))],
    "calibration": [name for name in WITH_TARGET if "Calibration" in name],
    "rejection": [name for name in WITH_TARGET if name.startswith(("AU", "Cov", "Risk"))],
}
uses.add_each("metrics", GROUPS, lambda group: all_of(GROUPS[group], with_target_use))


@uses.add
def binary_metrics(device: torch.device) -> None:
    probs, y = torch.rand(20, device=device), labels(device, 20).clamp(max=1)
    for metric in (
        metrics.BrierScore(1),
        metrics.CategoricalNLL(),
        metrics.CalibrationError("binary", norm="max"),
        metrics.CalibrationError("binary", adaptive=True, norm="l2"),
        metrics.SmoothCalibrationError(),
        metrics.AURC(),
        metrics.RiskAt80Cov(),
        metrics.FPR95(pos_label=1),
    ):
        fed(metric, device, probs, y)


@uses.add
def ensemble_metrics(device: torch.device) -> None:
    probs = probabilities(device, 20, ESTIMATORS, CLASSES)
    for reduction in ("mean", "sum", "none"):
        for kind in (metrics.Disagreement, metrics.Entropy, metrics.MutualInformation):
            fed(kind(reduction=reduction), device, probs)
        for probabilistic in (False, True):
            one = metrics.VariationRatio(probabilistic=probabilistic, reduction=reduction)
            fed(one, device, probs.transpose(0, 1))
    fed(metrics.Entropy(), device, probs[:, 0])
    fed(metrics.BrierScore(CLASSES), device, probs, labels(device, 20))


@uses.add
def set_metrics(device: torch.device) -> None:
    sets = (probabilities(device) > 0.3).float()
    fed(metrics.CoverageRate(), device, sets, labels(device, 20))
    fed(metrics.CoverageRate(CLASSES, average="macro"), device, sets, labels(device, 20))
    fed(metrics.SetSize(), device, sets)
    fed(metrics.SetSize(reduction="none"), device, sets)


@uses.add
def scod_metrics(device: torch.device) -> None:
    scores, errors = torch.rand(20, device=device), torch.rand(20, device=device) > 0.5
    is_ood = torch.rand(20, device=device) > 0.5
    for kind in (metrics.SCODAURC, metrics.SCODAUGRC, metrics.SCODCovAt5Risk, metrics.SCODRiskAt80Cov):
        fed(kind(), device, scores, errors, is_ood)


@uses.add
def depth_metrics(device: torch.device) -> None:
    x, y = torch.rand(20, device=device) + 0.1, torch.rand(20, device=device) + 0.1
    for metric in (
        metrics.SILog(),
        metrics.SILog(sqrt=True),
        metrics.MeanGTRelativeAbsoluteError(),
        metrics.MeanGTRelativeSquaredError(),
        metrics.MeanSquaredLogError(),
        metrics.Log10(),
        metrics.MeanSquaredErrorInverse(),
        metrics.MeanAbsoluteErrorInverse(unit="m"),
        metrics.ThresholdAccuracy(power=1),
    ):
        fed(metric, device, x, y)


@uses.add
def regression_metrics(device: torch.device) -> None:
    y = torch.randn(20, device=device)
    fed(metrics.IntervalCoverage(), device, y - 1, y + 1, y)
    fed(metrics.MeanIntervalWidth(), device, y - 1, y + 1)
    fed(metrics.IntervalScore(0.9), device, y - 1, y + 1, y * 2)
    distribution = torch.distributions.Normal(torch.zeros_like(y), torch.ones_like(y))
    fed(metrics.DistributionNLL(), device, distribution, y)
    fed(metrics.DistributionNLL(reduction="none"), device, distribution, y)
    fed(metrics.QuantileCalibrationError(), device, distribution, y).plot()
    fed(metrics.AUSE(), device, torch.rand(20, device=device), torch.rand(20, device=device)).plot()
    plt.close("all")


@uses.add
def segmentation_metrics(device: torch.device) -> None:
    scores = torch.randn(2, CLASSES, 16, 16, device=device).softmax(1)
    y = torch.randint(0, CLASSES, (2, 16, 16), device=device)
    fed(metrics.MeanIntersectionOverUnion(CLASSES), device, scores, y)
    fed(metrics.PAvPU(4), device, scores, y)
    binary, which = torch.rand(2, 16, 16, device=device), (y > 0).long()
    fed(metrics.SegmentationBinaryAUROC(), device, binary, which)
    fed(metrics.SegmentationBinaryAveragePrecision(), device, binary, which)
    fed(metrics.SegmentationFPR95(pos_label=1), device, binary, which)


@uses.add
def ood_scores(device: torch.device) -> None:
    scores = torch.randn(20, CLASSES, device=device)
    for name in ("logit", "energy", "msp"):
        one = ood_criteria.get_ood_criterion(name)
        is_logit = one.input_type == ood_criteria.OODCriterionInputType.LOGIT
        one(scores if is_logit else scores.softmax(-1))
    several = probabilities(device, 20, ESTIMATORS, CLASSES)
    for name in ("entropy", "mutual_information", "variation_ratio"):
        ood_criteria.get_ood_criterion(name)(several)


# Routines


class Sets(TUDataModule):
    """Made-up data for each of the sets."""

    training_task = "classification"

    def __init__(self, data: Dataset, other: Sequence[Dataset] = (), **more: object) -> None:
        super().__init__(
            root=".",
            batch_size=4,
            eval_batch_size=None,
            val_split=None,
            num_workers=0,
            pin_memory=False,
            persistent_workers=False,
            **more,
        )
        self.data, self.other = data, other

    def setup(self, stage: str | None = None) -> None:
        self.train = self.val = self.test = self.data

    def test_dataloader(self) -> list[DataLoader]:
        return [DataLoader(data, batch_size=4) for data in (self.data, *self.other)]


def picture_data() -> Dataset:
    cpu = torch.device("cpu")
    return TensorDataset(images(cpu, 16, COUNT), labels(cpu, COUNT))


def row_data() -> Dataset:
    return TensorDataset(rows(torch.device("cpu"), COUNT), torch.randn(COUNT))


def trainer(device: torch.device, folder: str, **more: object) -> TUTrainer:
    return TUTrainer(
        accelerator="gpu" if device.type == "cuda" else "cpu",
        devices=1,
        max_epochs=2,
        default_root_dir=folder,
        enable_progress_bar=False,
        enable_model_summary=False,
        **{"logger": CSVLogger(folder), **more},
    )


def run(device: torch.device, routine: nn.Module, data: TUDataModule, **more: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        runner = trainer(device, folder, **{"enable_checkpointing": False, **more})
        runner.fit(routine, datamodule=data)
        runner.test(routine, datamodule=data, verbose=False)


def routine_of(model: nn.Module, **more: object) -> ClassificationRoutine:
    settings = {
        "num_classes": CLASSES,
        "loss": nn.CrossEntropyLoss(),
        "optim_recipe": torch.optim.SGD(model.parameters(), lr=0.01),
    }
    return ClassificationRoutine(model=model, **settings | more)


ROUTINES: dict[str, Callable[[], ClassificationRoutine]] = {
    "plain": lambda: routine_of(classifier()),
    "packed": lambda: routine_of(
        nets.packed_lenet(3, CLASSES, alpha=2, gamma=1, num_estimators=ESTIMATORS),
        is_ensemble=True,
        format_batch_fn=transforms.RepeatTarget(ESTIMATORS),
    ),
    "mimo": lambda: routine_of(
        nets.mimo_resnet(3, CLASSES, 18, ESTIMATORS, style="cifar", **SMALL),
        is_ensemble=True,
        format_batch_fn=transforms.MIMOBatchFormat(ESTIMATORS, rho=0.5, batch_repeat=2),
    ),
    "dropout": lambda: routine_of(methods.mc_dropout(classifier(), 2), is_ensemble=True),
    "EMA": lambda: routine_of(methods.EMA(classifier(), momentum=0.9)),
    "SWA": lambda: routine_of(methods.SWA(classifier(), cycle_start=0, cycle_length=1)),
    "SWAG": lambda: routine_of(
        methods.SWAG(classifier(), cycle_start=0, cycle_length=1, num_estimators=2), is_ensemble=True
    ),
    "collector": lambda: routine_of(
        methods.CheckpointCollector(classifier(), cycle_start=0, cycle_length=1), is_ensemble=True
    ),
    "dirichlet": lambda: routine_of(classifier(), loss=losses.DECLoss(1, 1e-2)),
    "elbo": lambda: routine_of(
        nets.bayesian_lenet(3, CLASSES, num_samples=2),
        loss=losses.ELBOLoss(None, nn.CrossEntropyLoss(), kl_weight=1e-3, num_samples=2),
        is_ensemble=True,
    ),
}


def routine_use(name: str) -> Use:
    return lambda device: run(device, ROUTINES[name](), Sets(picture_data()))


uses.add_each("routine", ROUTINES, routine_use)


@uses.add
def out_of_distribution(device: torch.device) -> None:
    for criterion in ("msp", "energy", "entropy"):
        routine = routine_of(
            classifier(), eval_ood=True, eval_shift=True, ood_criterion=criterion, log_plots=False, save_to_csv=True
        )
        run(device, routine, Sets(picture_data(), (picture_data(), picture_data())))


@uses.add
def tested_ensemble(device: torch.device) -> None:
    for criterion in ("mutual_information", "variation_ratio"):
        routine = ClassificationRoutine(
            methods.deep_ensembles(classifier(), num_estimators=2),
            CLASSES,
            is_ensemble=True,
            eval_ood=True,
            ood_criterion=criterion,
        )
        with tempfile.TemporaryDirectory() as folder:
            data = Sets(picture_data(), (picture_data(),))
            trainer(device, folder).test(routine, datamodule=data, verbose=False)


@uses.add
def binary_routine(device: torch.device) -> None:
    cpu = torch.device("cpu")
    data = TensorDataset(images(cpu, 16, COUNT), labels(cpu, COUNT).clamp(max=1))
    model = nets.lenet(3, 1)
    routine = routine_of(model, num_classes=1, loss=nn.BCEWithLogitsLoss())
    run(device, routine, Sets(data))


MIXUPS = ("timm", "mixup", "mixupio", "regmixup", "kernel_warping", "mixupmp")


def mixup_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        params = {"mixup_alpha": 1.0, "cutmix_alpha": 0.5, "mixtype": name}
        model = nets.resnet(3, CLASSES, 18, style="cifar", **SMALL)
        loss = losses.MixupMPLoss() if name == "mixupmp" else nn.CrossEntropyLoss()
        run(device, routine_of(model, mixup_params=params, loss=loss), Sets(picture_data()))

    return use


MIXUP_GROUPS = {"mixup": MIXUPS[:3], "variants": MIXUPS[3:]}
uses.add_each("mixup routines", MIXUP_GROUPS, lambda group: all_of(MIXUP_GROUPS[group], mixup_use))


@uses.add
def checkpoints(device: torch.device) -> None:
    run(
        device,
        routine_of(classifier()),
        Sets(picture_data()),
        callbacks=[TUClsCheckpoint()],
        enable_checkpointing=True,
    )
    model = mlp(dist_family="normal")
    routine = RegressionRoutine(
        model=model,
        output_dim=1,
        loss=losses.DistributionNLLLoss(),
        dist_family="normal",
        optim_recipe=torch.optim.Adam(model.parameters()),
    )
    run(
        device,
        routine,
        Sets(row_data()),
        callbacks=[TURegCheckpoint(probabilistic=True)],
        enable_checkpointing=True,
    )


REGRESSIONS: dict[str, Callable[[], tuple[nn.Module, dict]]] = {
    "point": lambda: (mlp(), {"loss": nn.MSELoss()}),
    "normal": lambda: (mlp(dist_family="normal"), {"loss": losses.DistributionNLLLoss(), "dist_family": "normal"}),
    "laplace": lambda: (mlp(dist_family="laplace"), {"loss": losses.DistributionNLLLoss(), "dist_family": "laplace"}),
    "evidential": lambda: (mlp(dist_family="nig"), {"loss": losses.DERLoss(0.1), "dist_family": "nig"}),
    "packed": lambda: (
        mlps.packed_mlp(FEATURES, 1, [8], num_estimators=ESTIMATORS, dist_family="normal"),
        {
            "loss": losses.DistributionNLLLoss(),
            "dist_family": "normal",
            "is_ensemble": True,
            "format_batch_fn": transforms.RepeatTarget(ESTIMATORS),
        },
    ),
    "dropout": lambda: (
        methods.mc_dropout(mlp(dropout_rate=0.2), 2, task="regression", probabilistic=False),
        {"loss": nn.MSELoss(), "is_ensemble": True},
    ),
}


def regression_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model, more = REGRESSIONS[name]()
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        routine = RegressionRoutine(model=model, output_dim=1, optim_recipe=optimizer, **more)
        run(device, routine, Sets(row_data()))

    return use


uses.add_each("regression", REGRESSIONS, regression_use)


@uses.add
def tested_regression_ensemble(device: torch.device) -> None:
    for family in ("normal", None):
        cores = [mlp(dist_family=family), mlp(dist_family=family)]
        model = methods.deep_ensembles(cores, task="regression", probabilistic=family is not None)
        routine = RegressionRoutine(model, 1, dist_family=family, is_ensemble=True)
        with tempfile.TemporaryDirectory() as folder:
            trainer(device, folder).test(routine, datamodule=Sets(row_data()), verbose=False)


@uses.add
def beta_nll(device: torch.device) -> None:
    model = mlp(dist_family="normal").to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        out = model(rows(device))
        losses.BetaNLL()(out["loc"], torch.randn(BATCH, 1, device=device), out["scale"].square()).backward()
        optimizer.step()


def mask_data(size: int = 32) -> Dataset:
    return TensorDataset(images(torch.device("cpu"), size, 8), torch.randint(0, CLASSES, (8, size, size)))


def depth_data(size: int = 32) -> Dataset:
    return TensorDataset(images(torch.device("cpu"), size, 8), torch.rand(8, size, size) + 0.1)


@uses.add
def segmentation_routine(device: torch.device) -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, CLASSES, 1))
    for more in ({}, {"eval_ood": True}):
        routine = SegmentationRoutine(
            model=deepcopy(model),
            num_classes=CLASSES,
            loss=nn.CrossEntropyLoss(),
            optim_recipe=partial(optim_recipes.optim_abnn, lr=0.01),
            metric_subsampling_rate=0.5,
            **more,
        )
        run(
            device,
            routine,
            Sets(mask_data(), (mask_data(),) if more else ()),
            callbacks=[TUSegCheckpoint()],
            enable_checkpointing=True,
        )


@uses.add
def pixel_regression_routine(device: torch.device) -> None:
    for family in (None, "normal"):
        model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU())
        head = nn.Conv2d(8, 1, 1)
        if family is not None:
            head = get_dist_conv_layer(family)(nn.Conv2d, event_dim=1, in_channels=8, kernel_size=1)
        model.append(head)
        routine = PixelRegressionRoutine(
            model=model,
            output_dim=1,
            loss=nn.MSELoss() if family is None else losses.DistributionNLLLoss(),
            dist_family=family,
            optim_recipe=torch.optim.SGD(model.parameters(), lr=0.01),
        )
        run(device, routine, Sets(depth_data()))


# Post-processing


def calibration_loader() -> DataLoader:
    return DataLoader(picture_data(), batch_size=8)


SCALERS: dict[str, Callable[..., post.PostProcessing]] = {
    "Temperature": post.TemperatureScaler,
    "Vector": partial(post.VectorScaler, CLASSES),
    "Matrix": partial(post.MatrixScaler, CLASSES),
    "Dirichlet": partial(post.DirichletScaler, CLASSES, lambda_reg=0.1, mu_reg=0.1),
    "Isotonic": post.IsotonicRegressionScaler,
    "Histogram": post.HistogramBinningScaler,
    "BBQ": post.BBQScaler,
}


def scaler_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        scaler = SCALERS[name](model=classifier().to(device).eval(), device=device)
        scaler.fit(calibration_loader(), progress=False)
        scaler(images(device))
        if name == "Temperature":
            logits = TensorDataset(torch.randn(COUNT, CLASSES), labels(torch.device("cpu"), COUNT))
            post.TemperatureScaler(device=device).fit_predict(DataLoader(logits, batch_size=8), progress=False)
            _ = scaler.temperature

    return use


uses.add_each("scaler", SCALERS, scaler_use)
CONFORMALS: dict[str, Callable[..., post.Conformal]] = {
    "THR": partial(post.ConformalClsTHR, alpha=0.1),
    "APS": partial(post.ConformalClsAPS, alpha=0.1),
    "APS fixed": partial(post.ConformalClsAPS, alpha=0.1, randomized=False, enable_ts=False),
    "RAPS": partial(post.ConformalClsRAPS, alpha=0.1, penalty=0.01, enable_ts=True),
    "RAPS fixed": partial(post.ConformalClsRAPS, alpha=0.1, randomized=False),
}


def conformal_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        one = CONFORMALS[name](model=classifier().to(device).eval(), device=device)
        one.fit(calibration_loader())
        one.conformal(images(device)), one(images(device))

    return use


uses.add_each(
    "conformal",
    ("THR", "APS", "RAPS"),
    lambda kind: all_of([x for x in CONFORMALS if x.split()[0] == kind], conformal_use),
)


@uses.add
def conformal_regression(device: torch.device) -> None:
    model = nn.Linear(FEATURES, 2)
    nn.init.uniform_(model.weight, -0.01, 0.01)
    model.bias.data = torch.tensor([-1.0, 1.0])
    one = post.ConformalRegCQR(alpha=0.1, model=model.to(device), device=device)
    one.fit(DataLoader(row_data(), batch_size=8))
    one(rows(device))


@uses.add
def mc_batch_norm(device: torch.device) -> None:
    model = nets.lenet(3, CLASSES, norm=nn.BatchNorm2d).to(device)
    one = post.MCBatchNorm(model, num_estimators=2, mc_batch_size=4, device=device)
    one.fit(calibration_loader())
    one.eval()
    one(images(device))
    layer = MCBatchNorm2d(4, 2).to(device)
    layer(torch.randn(2, 4, 5, 5, device=device))


@uses.add
def deup(device: torch.device) -> None:
    model = nets.resnet(3, CLASSES, 18, style="cifar", **SMALL).to(device).eval()
    one = post.DEUP("classification", model=model, num_folds=2, max_epochs=2, device=device)
    one.fit(calibration_loader())
    one(images(device)), one.predict_proba(images(device))


@uses.add
def abnn(device: torch.device) -> None:
    model = nets.resnet(3, CLASSES, 18, style="cifar", **SMALL)
    one = ABNN(
        num_classes=CLASSES,
        random_prior=0,
        alpha=0.01,
        num_models=1,
        num_samples=2,
        base_lr=0.01,
        device=device.type,
        max_epochs=1,
        model=model,
    )
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        one.fit(calibration_loader())
    one.to(device)(images(device))


@uses.add
def post_processed_routine(device: torch.device) -> None:
    for one in (post.TemperatureScaler(), post.ConformalClsTHR(alpha=0.1)):
        run(device, routine_of(classifier(), post_processing=one), Sets(picture_data(), postprocess_set="val"))


# Optimizers, transforms and tools


@uses.add
def optimizers(device: torch.device) -> None:
    for make in (
        lambda parameters: optim.SGLD(parameters, lr=1e-3, weight_decay=0.1),
        lambda parameters: optim.SGHMC(parameters, lr=1e-2, burn_in_steps=2, weight_decay=0.1),
    ):
        model = classifier().to(device)
        optimizer = make(model.parameters())
        for _ in range(4):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images(device)), labels(device)).backward()
            optimizer.step()


@uses.add
def recipes(device: torch.device) -> None:
    model = classifier().to(device)
    for name in dir(optim_recipes):
        if name.startswith(("optim_cifar", "optim_imagenet", "optim_tinyimagenet")):
            getattr(optim_recipes, name)(model)
    optim_recipes.get_procedure("resnet18", "cifar10")(model)
    optimizer = optim_recipes.batch_ensemble_wrapper(
        nets.batchensemble_lenet(3, CLASSES, num_estimators=ESTIMATORS).to(device), optim_recipes.optim_cifar10_resnet18
    )
    _ = optimizer


@uses.add
def batch_transforms(device: torch.device) -> None:
    x, y = images(device), labels(device)
    transforms.RepeatTarget(2)((x, y))
    for rho in (0.0, 0.5):
        transforms.MIMOBatchFormat(2, rho=rho, batch_repeat=2)((x, y))


@uses.add
def mixups(device: torch.device) -> None:
    x, y = images(device), labels(device)
    for isobatch in (False, True):
        for kind in (transforms.Mixup, transforms.MixupIO, transforms.RegMixup, transforms.MixupMP):
            kind(alpha=1.0, num_classes=CLASSES, isobatch=isobatch)(x, y)
        warping = transforms.WarpingMixup(alpha=1.0, num_classes=CLASSES, isobatch=isobatch)
        warping(x, y, x)


CORRUPTIONS = ("GaussianNoise", "ShotNoise", "BrightnessCorruption", "ContrastCorruption", "Pixelate")


def corruption_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for severity in (0, 1, 5):
            getattr(transforms, name)(severity)(images(torch.device("cpu"), 32)[0])

    return use


uses.add_each("corruptions", ("all",), lambda _: all_of(CORRUPTIONS, corruption_use))


@uses.add
def image_transforms(device: torch.device) -> None:
    x = images(torch.device("cpu"))[0]
    byte = (x * 255).to(torch.uint8)
    for kind in (transforms.AutoContrast, transforms.Equalize):
        kind()(byte)
    transforms.Posterize()(byte, 3), transforms.Solarize()(byte, 100), transforms.Rotate()(x, 10.0)
    for axis in (0, 1):
        transforms.Shear(axis)(x, 5.0), transforms.Translate(axis)(x, 3)
    for kind in (transforms.Contrast, transforms.Brightness, transforms.Color, transforms.Sharpen):
        kind()(byte, 0.5)
    transforms.RandomRescale(0.5, 2.0)(x)
    transforms.Cutout(4)(x)


@uses.add
def drawings(device: torch.device) -> None:
    plot_hist([torch.randn(20), torch.randn(20)], bins=5, title="scores")
    plt.close("all")


if __name__ == "__main__":
    uses.main()
