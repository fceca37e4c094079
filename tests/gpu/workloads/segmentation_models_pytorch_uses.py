"""Segmentation models with their encoders and decoders, losses, metrics, training loops and saving."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import segmentation_models_pytorch as smp
import torch
from PIL import Image
from segmentation_models_pytorch import encoders, losses, metrics
from segmentation_models_pytorch import utils as smp_utils
from segmentation_models_pytorch.datasets import OxfordPetDataset
from segmentation_models_pytorch.utils.metrics import Accuracy, Fscore, IoU, Precision, Recall
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from uses import Use, Uses

SIZE, BATCH, CLASSES = 64, 2, 3
Options = dict[str, Any]
CHANNELS, WIDE = (32, 16, 16, 8, 8), (32, 16, 16, 16, 16)
uses = Uses()


def images(device: torch.device, channels: int = 3, size: int = SIZE) -> torch.Tensor:
    return torch.rand(BATCH, channels, size, size, device=device)


def labels(device: torch.device, size: int = SIZE) -> torch.Tensor:
    return torch.randint(0, CLASSES, (BATCH, size, size), device=device)


def masks(device: torch.device, channels: int = 1, size: int = SIZE) -> torch.Tensor:
    return torch.randint(0, 2, (BATCH, channels, size, size), device=device)


def train(model: nn.Module, loss_of: Callable[[], torch.Tensor], steps: int = 1) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.train()
    for _ in range(steps):
        loss = loss_of()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()


# Models


ARCHITECTURES: dict[str, Options] = {
    "Unet": {"decoder_channels": CHANNELS},
    "Unet scse": {
        "decoder_channels": WIDE,
        "decoder_attention_type": "scse",
        "decoder_use_norm": {"type": "instancenorm", "affine": True},
    },
    "Unet shallow": {"decoder_channels": CHANNELS[:3], "encoder_depth": 3, "decoder_interpolation": "bilinear"},
    "UnetPlusPlus": {"decoder_channels": WIDE, "decoder_attention_type": "scse"},
    "MAnet": {"decoder_channels": CHANNELS, "decoder_pab_channels": 8},
    "Linknet": {"decoder_use_norm": False},
    "FPN": {"decoder_pyramid_channels": 16, "decoder_segmentation_channels": 32},
    "FPN cat": {"decoder_pyramid_channels": 16, "decoder_segmentation_channels": 32, "decoder_merge_policy": "cat"},
    "PSPNet": {"psp_out_channels": 16, "encoder_depth": 3},
    "DeepLabV3": {"decoder_channels": 16},
    "DeepLabV3Plus": {"decoder_channels": 16, "encoder_output_stride": 16},
    "DeepLabV3Plus 8": {"decoder_channels": 16, "encoder_output_stride": 8, "decoder_aspp_separable": False},
    "PAN": {"decoder_channels": 8},
    "UPerNet": {"decoder_channels": 16},
    "Segformer": {"decoder_segmentation_channels": 16},
}


def architecture_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = smp.create_model(
            name.split()[0], encoder_name="resnet18", encoder_weights=None, classes=CLASSES, **ARCHITECTURES[name]
        ).to(device)
        size = 2 * SIZE if name == "PAN" else SIZE
        x, y = images(device, size=size), labels(device, size)
        loss = losses.DiceLoss(losses.MULTICLASS_MODE, from_logits=True)
        train(model, lambda: loss(model(x), y))
        model.predict(x)

    return use


uses.add_each("architecture", ARCHITECTURES, architecture_use)


@uses.add
def transformer_model(device: torch.device) -> None:
    for readout in ("cat", "add"):
        model = smp.DPT(
            "tu-vit_tiny_patch16_224",
            encoder_weights=None,
            decoder_readout=readout,
            decoder_intermediate_channels=(8, 8, 16, 16),
            decoder_fusion_channels=8,
            classes=CLASSES,
            dynamic_img_size=True,
        ).to(device)
        x, y = images(device), labels(device)
        loss = nn.CrossEntropyLoss()
        train(model, lambda model=model, x=x, y=y, loss=loss: loss(model(x), y))
        model.predict(x)


@uses.add
def with_classifier(device: torch.device) -> None:
    for pooling in ("max", "avg"):
        head = {"pooling": pooling, "dropout": 0.5, "activation": "sigmoid", "classes": 4}
        model = smp.Unet("resnet18", encoder_weights=None, decoder_channels=CHANNELS, aux_params=head).to(device)
        mask, label = model(images(device))
        (mask.mean() + label.mean()).backward()


@uses.add
def channels_in(device: torch.device) -> None:
    for count in (1, 2, 5):
        model = smp.FPN(
            "mobilenet_v2", encoder_weights=None, in_channels=count, decoder_pyramid_channels=8, classes=CLASSES
        ).to(device)
        model.predict(images(device, count))


ACTIVATIONS = ("sigmoid", "softmax2d", "tanh", "argmax2d", "clamp", "identity")


@uses.add
def activations(device: torch.device) -> None:
    features = torch.randn(BATCH, 8, 16, 16, device=device)
    for name in ACTIVATIONS:
        smp.base.SegmentationHead(8, CLASSES, activation=name, upsampling=2).to(device)(features)


@uses.add
def frozen_encoder(device: torch.device) -> None:
    model = smp.Unet("resnet18", encoder_weights=None, decoder_channels=CHANNELS).to(device)
    model.freeze_encoder()
    x, y = images(device), masks(device)
    loss = losses.SoftBCEWithLogitsLoss()
    train(model, lambda: loss(model(x), y.float()))
    model.unfreeze_encoder()
    train(model, lambda: loss(model(x), y.float()))


@uses.add
def half_precision(device: torch.device) -> None:
    model = smp.Unet("resnet18", encoder_weights=None, decoder_channels=CHANNELS, classes=CLASSES).to(device)
    x, y = images(device), labels(device)
    loss = losses.FocalLoss("multiclass")
    with torch.autocast(device.type, dtype=torch.bfloat16):
        value = loss(model(x), y)
    value.backward()


@uses.add
def padded_input(device: torch.device) -> None:
    model = smp.Linknet("resnet18", encoder_weights=None).to(device)
    x = torch.rand(1, 3, 50, 70, device=device)
    try:
        model(x)
    except RuntimeError:
        model.predict(nn.functional.pad(x, (0, 96 - 70, 0, 64 - 50)))


@uses.add
def saved_model(device: torch.device) -> None:
    model = smp.Unet("mobilenet_v2", encoder_weights=None, decoder_channels=CHANNELS, classes=CLASSES).to(device)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder, dataset="Oxford Pet", metrics={"iou": 0.5})
        other = smp.from_pretrained(folder).to(device)
        path = Path(folder) / "model.pt"
        torch.save(model.state_dict(), path)
        other.load_state_dict(torch.load(path, map_location=device))
        wider = smp.Unet("mobilenet_v2", encoder_weights=None, decoder_channels=CHANNELS, classes=CLASSES + 1).to(
            device
        )
        wider.load_state_dict(torch.load(path, map_location=device), strict=False)
    other.predict(images(device))


# Encoders


ENCODERS = (
    "resnet18",
    "resnext50_32x4d",
    "dpn68",
    "vgg11_bn",
    "se_resnext50_32x4d",
    "densenet121",
    "inceptionresnetv2",
    "inceptionv4",
    "efficientnet-b0",
    "mobilenet_v2",
    "xception",
    "timm-efficientnet-b0",
    "timm-tf_efficientnet_lite0",
    "timm-skresnet18",
    "mit_b0",
    "mobileone_s0",
    "mobileone_s4",
    "tu-resnet18",
    "tu-convnext_atto",
    "tu-mobilenetv3_small_050",
    "timm-gernet_s",
)


def encoder_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        depth = 4 if "convnext" in name else 5
        model = smp.Unet(
            name, encoder_depth=depth, encoder_weights=None, decoder_channels=CHANNELS[:depth], classes=1
        ).to(device)
        x, y = images(device), masks(device)
        loss = losses.DiceLoss(losses.BINARY_MODE)
        train(model, lambda: loss(model(x), y))
        model.predict(x[:1])

    return use


uses.add_each("encoder", ENCODERS, encoder_use)

DILATED = ("resnet18", "efficientnet-b0", "mobilenet_v2", "mobileone_s0", "timm-skresnet18", "tu-resnet18")


@uses.add
def dilated_encoders(device: torch.device) -> None:
    for name in DILATED:
        encoder = encoders.get_encoder(name, in_channels=4, depth=5, weights=None, output_stride=16).to(device)
        encoder(images(device, 4))


@uses.add
def mix_vision_segformer(device: torch.device) -> None:
    model = smp.Segformer("mit_b0", encoder_weights=None, decoder_segmentation_channels=16, classes=CLASSES).to(device)
    x, y = images(device), labels(device)
    loss = losses.SoftCrossEntropyLoss(smooth_factor=0.1)
    train(model, lambda: loss(model(x), y))


@uses.add
def preprocessing(device: torch.device) -> None:
    encoders.get_encoder_names()
    preprocess = encoders.get_preprocessing_fn("tu-resnet18")
    picture = np.random.default_rng(0).integers(0, 256, (SIZE, SIZE, 3)).astype("uint8")
    ready = torch.from_numpy(preprocess(picture)).permute(2, 0, 1).float()[None].to(device)
    smp.Unet("tu-resnet18", encoder_weights=None, decoder_channels=CHANNELS).to(device).predict(ready)
    parameters = encoders.get_preprocessing_params("tu-resnet18")
    mean = torch.tensor(parameters["mean"], device=device).view(1, 3, 1, 1)
    std = torch.tensor(parameters["std"], device=device).view(1, 3, 1, 1)
    (images(device) - mean) / std


# Losses


MODED: dict[str, tuple[type[nn.Module], Options]] = {
    "Jaccard": (losses.JaccardLoss, {}),
    "Jaccard log": (losses.JaccardLoss, {"log_loss": True, "smooth": 1.0}),
    "Dice": (losses.DiceLoss, {}),
    "Dice log": (losses.DiceLoss, {"log_loss": True, "smooth": 1.0}),
    "Tversky": (losses.TverskyLoss, {"alpha": 0.3, "beta": 0.7, "gamma": 0.75}),
    "Focal": (losses.FocalLoss, {}),
    "Focal normalized": (losses.FocalLoss, {"alpha": 0.25, "normalized": True}),
    "Focal reduced": (losses.FocalLoss, {"reduced_threshold": 0.5, "reduction": "sum"}),
    "Lovasz": (losses.LovaszLoss, {}),
    "Lovasz per image": (losses.LovaszLoss, {"per_image": True}),
}


def moded_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        kind, options = MODED[name]
        one, many = torch.randn(BATCH, 1, 16, 16, device=device), torch.randn(BATCH, CLASSES, 16, 16, device=device)
        targets = {"binary": masks(device, 1, 16), "multiclass": labels(device, 16)}
        if kind is not losses.LovaszLoss:
            targets["multilabel"] = masks(device, CLASSES, 16)
        for mode, target in targets.items():
            output = (one if mode == "binary" else many).clone().requires_grad_()
            kind(mode, **options).to(device)(output, target).backward()
            if kind is losses.FocalLoss and mode == "multilabel":
                continue
            kind(mode, ignore_index=1 if mode == "multiclass" else -1, **options).to(device)(output, target).backward()

    return use


uses.add_each("loss", MODED, moded_use)


@uses.add
def chosen_classes(device: torch.device) -> None:
    output, target = torch.randn(BATCH, CLASSES, 16, 16, device=device), labels(device, 16)
    losses.DiceLoss("multiclass", classes=[0, 2]).to(device)(output, target)
    losses.JaccardLoss("multiclass", classes=[1]).to(device)(output, target)
    losses.DiceLoss("multiclass", from_logits=False).to(device)(output.softmax(1), target)
    for kind in (losses.DiceLoss, losses.JaccardLoss, losses.TverskyLoss, losses.FocalLoss):
        kind("multiclass", class_weights=[0.2, 0.3, 0.5]).to(device)(output, target)


@uses.add
def other_losses(device: torch.device) -> None:
    one, many = torch.randn(BATCH, 1, 16, 16, device=device), torch.randn(BATCH, CLASSES, 16, 16, device=device)
    target = masks(device, 1, 16).float()
    losses.MCCLoss().to(device)(one.sigmoid(), target)
    losses.SoftBCEWithLogitsLoss(smooth_factor=0.1).to(device)(one, target)
    weight = torch.tensor([2.0])
    losses.SoftBCEWithLogitsLoss(pos_weight=weight, ignore_index=None, reduction="sum").to(device)(one, target)
    losses.SoftCrossEntropyLoss(smooth_factor=0.1).to(device)(many, labels(device, 16))
    losses.SoftCrossEntropyLoss(smooth_factor=0.1, ignore_index=None, reduction="sum").to(device)(
        many, labels(device, 16)
    )


# Metrics


METRICS = (
    "fbeta_score",
    "f1_score",
    "iou_score",
    "accuracy",
    "precision",
    "recall",
    "sensitivity",
    "specificity",
    "balanced_accuracy",
    "positive_predictive_value",
    "negative_predictive_value",
    "false_negative_rate",
    "false_positive_rate",
    "false_discovery_rate",
    "false_omission_rate",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
)
REDUCTIONS = ("micro", "macro", "weighted", "micro-imagewise", "macro-imagewise", "weighted-imagewise", "none")


@uses.add
def statistics(device: torch.device) -> None:
    metrics.get_stats(torch.rand(BATCH, 1, 16, 16, device=device), masks(device, 1, 16), mode="binary", threshold=0.5)
    metrics.get_stats(
        torch.rand(BATCH, CLASSES, 16, 16, device=device),
        masks(device, CLASSES, 16),
        mode="multilabel",
        threshold=0.4,
    )
    output, target = labels(device, 16), labels(device, 16)
    metrics.get_stats(output, target, mode="multiclass", num_classes=CLASSES)
    target[:, :4] = -1
    metrics.get_stats(output, target, mode="multiclass", num_classes=CLASSES, ignore_index=-1)


def metric_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        counts = metrics.get_stats(
            torch.rand(BATCH, CLASSES, 16, 16, device=device),
            masks(device, CLASSES, 16),
            mode="multilabel",
            threshold=0.5,
        )
        for reduction in REDUCTIONS:
            weights = [0.2, 0.3, 0.5] if "weighted" in reduction else None
            getattr(metrics, name)(*counts, reduction=reduction, class_weights=weights)

    return use


uses.add_each("metric", METRICS, metric_use)


@uses.add
def empty_masks(device: torch.device) -> None:
    nothing = torch.zeros(BATCH, 1, 8, 8, dtype=torch.long, device=device)
    counts = metrics.get_stats(nothing, nothing, mode="binary")
    metrics.iou_score(*counts, reduction="macro", zero_division="warn")
    metrics.precision(*counts, reduction="micro-imagewise", zero_division=0.0)


# Training loops


@uses.add
def evaluation_loop(device: torch.device) -> None:
    model = smp.FPN("resnet18", encoder_weights=None, decoder_pyramid_channels=16, classes=1).to(device)
    loss_fn = losses.DiceLoss(losses.BINARY_MODE, from_logits=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-4)
    data = TensorDataset(torch.rand(4, 3, SIZE, SIZE), torch.randint(0, 2, (4, 1, SIZE, SIZE)))
    for stage in ("train", "valid"):
        model.train(stage == "train")
        outputs = []
        for x, y in DataLoader(data, batch_size=2):
            x, y = x.to(device), y.to(device)
            with torch.set_grad_enabled(stage == "train"):
                logits = model(x)
                loss = loss_fn(logits, y)
            if stage == "train":
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            predicted = (logits.sigmoid() > 0.5).long()
            outputs.append(metrics.get_stats(predicted, y, mode="binary"))
        counts = [torch.cat(parts) for parts in zip(*outputs, strict=True)]
        metrics.iou_score(*counts, reduction="micro-imagewise").item()
        metrics.iou_score(*counts, reduction="micro").item()


@uses.add
def epochs(device: torch.device) -> None:
    model = smp.Unet("resnet18", encoder_weights=None, decoder_channels=CHANNELS, activation="sigmoid")
    data = TensorDataset(torch.rand(4, 3, SIZE, SIZE), torch.randint(0, 2, (4, 1, SIZE, SIZE)).float())
    loss = smp_utils.losses.DiceLoss() + smp_utils.losses.BCELoss()
    measured = [IoU(threshold=0.5), Fscore(), Accuracy(), Recall(), Precision()]
    optimizer = torch.optim.Adam([{"params": model.parameters(), "lr": 1e-4}])
    step = smp_utils.train.TrainEpoch(
        model, loss=loss, metrics=measured, optimizer=optimizer, device=str(device), verbose=True
    )
    valid = smp_utils.train.ValidEpoch(model, loss=loss, metrics=measured, device=str(device), verbose=False)
    step.run(DataLoader(data, batch_size=2, shuffle=True))
    valid.run(DataLoader(data, batch_size=1))


@uses.add
def old_losses(device: torch.device) -> None:
    output, target = torch.rand(BATCH, CLASSES, 16, 16, device=device), masks(device, CLASSES, 16).float()
    smp_utils.losses.JaccardLoss(ignore_channels=[0])(output, target)
    smp_utils.losses.DiceLoss(activation="sigmoid", ignore_channels=[1])(output, target)
    (smp_utils.losses.L1Loss() + smp_utils.losses.MSELoss())(output, target)
    (0.5 * smp_utils.losses.JaccardLoss())(output, target)
    for kind in (IoU, Fscore, Accuracy, Recall, Precision):
        kind(ignore_channels=[0])(output, target)


@uses.add
def pets(device: torch.device) -> None:
    generator = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        for part in ("images", "annotations/trimaps"):
            (Path(folder) / part).mkdir(parents=True)
        names = [f"pet_{index}" for index in range(12)]
        for name in names:
            picture, trimap = generator.integers(0, 256, (40, 50, 3)), generator.integers(1, 4, (40, 50))
            Image.fromarray(picture.astype("uint8")).save(Path(folder) / "images" / f"{name}.jpg")
            Image.fromarray(trimap.astype("uint8")).save(Path(folder) / "annotations/trimaps" / f"{name}.png")
        for split in ("trainval", "test"):
            (Path(folder) / "annotations" / f"{split}.txt").write_text("\n".join(f"{name} 1 1 1" for name in names))
        model = smp.FPN("resnet18", encoder_weights=None, decoder_pyramid_channels=16, classes=1).to(device)
        for mode in ("train", "valid", "test"):
            data = smp.datasets.SimpleOxfordPetDataset(folder, mode)
            batch = next(iter(DataLoader(data, batch_size=2)))
            OxfordPetDataset(folder, mode)[0]
            resized = nn.functional.interpolate(batch["image"].float(), size=(SIZE, SIZE))
            model.predict(resized.to(device))


if __name__ == "__main__":
    uses.main()
