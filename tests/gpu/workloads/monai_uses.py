"""Networks, blocks, losses, metrics, inferers, transforms, datasets, detection and reconstruction of MONAI."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from monai import data, inferers, losses, metrics, networks, optimizers, transforms, utils, visualize
from monai.apps.deepedit import transforms as deepedit
from monai.apps.deepgrow import transforms as deepgrow
from monai.apps.detection import transforms as box_transforms
from monai.apps.detection.metrics.coco import COCOMetric
from monai.apps.detection.metrics.matching import matching_batch
from monai.apps.detection.networks.retinanet_detector import RetinaNetDetector
from monai.apps.detection.networks.retinanet_network import RetinaNet
from monai.apps.detection.utils.anchor_utils import AnchorGenerator, AnchorGeneratorWithAnchorShape
from monai.apps.detection.utils.ATSS_matcher import ATSSMatcher
from monai.apps.detection.utils.box_coder import BoxCoder
from monai.apps.detection.utils.hard_negative_sampler import HardNegativeSampler
from monai.apps.generation.maisi.networks.autoencoderkl_maisi import AutoencoderKlMaisi
from monai.apps.pathology.inferers import SlidingWindowHoVerNetInferer
from monai.apps.pathology.losses import HoVerNetLoss
from monai.apps.pathology.transforms import ExtractHEStains, NormalizeHEStains
from monai.apps.reconstruction import complex_utils, mri_utils
from monai.apps.reconstruction.networks.nets.coil_sensitivity_model import CoilSensitivityModel
from monai.apps.reconstruction.networks.nets.complex_unet import ComplexUnet
from monai.apps.reconstruction.networks.nets.varnet import VariationalNetworkModel
from monai.apps.reconstruction.transforms import array as kspace
from monai.apps.reconstruction.transforms import dictionary as kspace_dictionary
from monai.apps.vista3d.inferer import point_based_window_inferer
from monai.apps.vista3d.sampler import sample_prompt_pairs
from monai.auto3dseg import SegSummarizer
from monai.bundle import ConfigParser
from monai.data import box_utils, fft_utils
from monai.networks import blocks, layers, nets, schedulers
from monai.transforms import utils_morphological_ops as morphology
from torch import nn
from uses import Use, Uses

CLASSES = 3
uses = Uses()


def tensors_in(value: object) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            yield from tensors_in(item)


def train_step(model: nn.Module, *inputs: object, **options: object) -> None:
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    loss = sum(out.square().mean() for out in tensors_in(model(*inputs, **options)) if out.requires_grad)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def train_and_infer(model: nn.Module, *inputs: object, **options: object) -> None:
    train_step(model, *inputs, **options)
    model.eval()
    with torch.no_grad():
        model(*inputs, **options)


def labels_on(device: torch.device, *shape: int, classes: int = CLASSES) -> torch.Tensor:
    return torch.randint(0, classes, shape, device=device)


def onehot_on(device: torch.device, *size: int, batch: int = 2, classes: int = CLASSES) -> torch.Tensor:
    return networks.one_hot(labels_on(device, batch, 1, *size, classes=classes), classes)


def blob_on(device: torch.device, *size: int, channels: int = 1) -> torch.Tensor:
    blob = torch.zeros(channels, *size)
    blob[(slice(None), *(slice(n // 4, 3 * n // 4) for n in size))] = 1
    return blob.to(device)


# Networks


STAGES = {"channels": (8, 16, 32), "strides": (2, 2)}
SEGMENTATION = {
    "AHNet": ({"spatial_dims": 2, "upsample_mode": "bilinear", "layers": (1, 1, 1, 1)}, (2, 1, 128, 128)),
    "AttentionUnet": ({"spatial_dims": 2, "in_channels": 1, "out_channels": 3, **STAGES}, (2, 1, 32, 32)),
    "AutoEncoder": (
        {"spatial_dims": 2, "in_channels": 1, "out_channels": 1, "channels": (4, 8), "strides": (2, 2)},
        (2, 1, 32, 32),
    ),
    "BasicUNet": ({"spatial_dims": 3, "features": (4, 4, 8, 8, 16, 4)}, (1, 1, 32, 32, 32)),
    "BasicUNetPlusPlus": (
        {"spatial_dims": 2, "features": (4, 4, 8, 8, 16, 4), "deep_supervision": True},
        (2, 1, 32, 32),
    ),
    "FlexibleUNet": ({"in_channels": 3, "out_channels": 3, "backbone": "resnet18"}, (2, 3, 64, 64)),
    "HighResNet": ({"spatial_dims": 2, "out_channels": 3}, (1, 1, 24, 24)),
    "MedNeXt": (
        {
            "spatial_dims": 3,
            "init_filters": 4,
            "kernel_size": 3,
            "deep_supervision": True,
            "use_residual_connection": True,
            "blocks_down": (1, 1, 1, 1),
            "blocks_bottleneck": 1,
            "blocks_up": (1, 1, 1, 1),
        },
        (1, 1, 32, 32, 32),
    ),
    "Quicknat": ({"num_classes": 3, "num_filters": 8, "se_block": "CSE"}, (2, 1, 32, 32)),
    "SegResNet": ({"spatial_dims": 3, "init_filters": 8, "dropout_prob": 0.1}, (1, 1, 16, 16, 16)),
    "SegResNetDS": ({"spatial_dims": 3, "init_filters": 8, "dsdepth": 2}, (1, 1, 16, 16, 16)),
    "SegResNetVAE": ({"input_image_size": (16, 16, 16), "vae_nz": 16}, (1, 1, 16, 16, 16)),
    "UNet": (
        {"spatial_dims": 3, "in_channels": 1, "out_channels": 3, "num_res_units": 2, "norm": "BATCH", **STAGES},
        (1, 1, 16, 16, 16),
    ),
    "VNet": ({"spatial_dims": 2, "out_channels": 2, "dropout_dim": 2}, (1, 1, 32, 32)),
}
CLASSIFICATION = {
    "DenseNet": (
        {"spatial_dims": 2, "in_channels": 1, "out_channels": 3, "block_config": (2, 2), "init_features": 8},
        (2, 1, 32, 32),
    ),
    "DenseNet121": ({"spatial_dims": 2, "in_channels": 1, "out_channels": 3}, (2, 1, 64, 64)),
    "EfficientNetBN": (
        {"model_name": "efficientnet-b0", "pretrained": False, "in_channels": 1, "num_classes": 3},
        (2, 1, 64, 64),
    ),
    "EfficientNetBNFeatures": ({"model_name": "efficientnet-b0", "pretrained": False}, (2, 3, 64, 64)),
    "SEResNet50": ({"spatial_dims": 2, "in_channels": 3, "num_classes": 3, "layers": (1, 1, 1, 1)}, (2, 3, 64, 64)),
    "SEResNext50": ({"spatial_dims": 2, "in_channels": 3, "num_classes": 3, "layers": (1, 1, 1, 1)}, (2, 3, 64, 64)),
    "resnet10": ({"spatial_dims": 3, "n_input_channels": 1, "num_classes": 3}, (1, 1, 32, 32, 32)),
    "resnet18": (
        {"spatial_dims": 2, "n_input_channels": 1, "num_classes": 3, "shortcut_type": "A"},
        (2, 1, 64, 64),
    ),
    "resnet50": ({"spatial_dims": 2, "n_input_channels": 1, "num_classes": 3}, (2, 1, 64, 64)),
    "ResNetFeatures": ({"model_name": "resnet10", "pretrained": False, "spatial_dims": 2}, (2, 1, 64, 64)),
    "Classifier": ({"in_shape": (1, 32, 32), "classes": 3, "channels": (4, 8), "strides": (2, 2)}, (2, 1, 32, 32)),
    "Regressor": ({"in_shape": (1, 32, 32), "out_shape": (2,), "channels": (4, 8), "strides": (2, 2)}, (2, 1, 32, 32)),
    "Discriminator": ({"in_shape": (1, 32, 32), "channels": (4, 8), "strides": (2, 2)}, (2, 1, 32, 32)),
    "Critic": ({"in_shape": (1, 32, 32), "channels": (4, 8), "strides": (2, 2)}, (2, 1, 32, 32)),
    "PatchDiscriminator": ({"spatial_dims": 2, "channels": 8, "in_channels": 1}, (2, 1, 64, 64)),
    "MultiScalePatchDiscriminator": (
        {
            "num_d": 2,
            "num_layers_d": 2,
            "spatial_dims": 2,
            "channels": 8,
            "in_channels": 1,
            "minimum_size_im": 64,
        },
        (2, 1, 64, 64),
    ),
    "FullyConnectedNet": ({"in_channels": 8, "out_channels": 3, "hidden_channels": (16, 16)}, (4, 8)),
}
GENERATIVE = {
    "AutoencoderKL": (
        {
            "spatial_dims": 2,
            "num_res_blocks": (1, 1),
            "channels": (8, 16),
            "attention_levels": (False, False),
            "norm_num_groups": 4,
            "with_encoder_nonlocal_attn": False,
            "with_decoder_nonlocal_attn": False,
        },
        (2, 1, 32, 32),
    ),
    "VQVAE": (
        {
            "spatial_dims": 2,
            "in_channels": 1,
            "out_channels": 1,
            "channels": (8, 16),
            "num_res_layers": 1,
            "num_res_channels": (8, 16),
            "downsample_parameters": ((2, 4, 1, 1), (2, 4, 1, 1)),
            "upsample_parameters": ((2, 4, 1, 1, 0), (2, 4, 1, 1, 0)),
            "num_embeddings": 16,
            "embedding_dim": 8,
            "ddp_sync": False,
        },
        (2, 1, 32, 32),
    ),
    "VarAutoEncoder": (
        {
            "spatial_dims": 2,
            "in_shape": (1, 32, 32),
            "out_channels": 1,
            "latent_size": 4,
            "channels": (4, 8),
            "strides": (2, 2),
        },
        (2, 1, 32, 32),
    ),
    "VarFullyConnectedNet": (
        {
            "in_channels": 8,
            "out_channels": 8,
            "latent_size": 2,
            "encode_channels": (16,),
            "decode_channels": (16,),
        },
        (4, 8),
    ),
    "Generator": (
        {"latent_shape": (8,), "start_shape": (8, 4, 4), "channels": (8, 1), "strides": (2, 2)},
        (2, 8),
    ),
}
NETWORKS = SEGMENTATION | CLASSIFICATION | GENERATIVE


def network_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        options, shape = NETWORKS[name]
        train_and_infer(getattr(nets, name)(**options).to(device), torch.rand(shape, device=device))

    return use


uses.add_each("network", NETWORKS, network_use)


@uses.add
def dynamic_unet(device: torch.device) -> None:
    for res_block, supervised in ((False, False), (True, True)):
        model = nets.DynUNet(
            spatial_dims=2,
            in_channels=1,
            out_channels=CLASSES,
            kernel_size=[3, 3, 3, 3],
            strides=[1, 2, 2, 2],
            upsample_kernel_size=[2, 2, 2],
            filters=[8, 16, 32, 64],
            res_block=res_block,
            deep_supervision=supervised,
        )
        train_and_infer(model.to(device), torch.rand(2, 1, 32, 32, device=device))


@uses.add
def dints(device: torch.device) -> None:
    options = {"channel_mul": 0.1, "num_blocks": 3, "num_depths": 2, "spatial_dims": 2, "device": str(device)}
    images = torch.rand(2, 1, 32, 32, device=device)
    space = nets.TopologySearch(**options)
    model = nets.DiNTS(space, in_channels=1, num_classes=CLASSES, spatial_dims=2).to(device)
    train_step(model, images)
    probabilities, _ = space.get_prob_a(child=True)
    (space.get_topology_entropy(probabilities) + space.get_ram_cost_usage(images.shape)).backward()
    space.decode()
    instance = nets.TopologyInstance(**options)
    train_step(nets.DiNTS(instance, in_channels=1, num_classes=CLASSES, spatial_dims=2).to(device), images)


@uses.add
def segresnet_two_heads(device: torch.device) -> None:
    model = nets.SegResNetDS2(spatial_dims=2, init_filters=8, dsdepth=2, resolution=[1.0, 2.0]).to(device)
    train_and_infer(model, torch.rand(1, 1, 32, 32, device=device))


@uses.add
def hovernet_loss(device: torch.device) -> None:
    prediction = {
        "nucleus_prediction": torch.randn(1, 2, 32, 32, device=device, requires_grad=True),
        "horizontal_vertical": torch.randn(1, 2, 32, 32, device=device, requires_grad=True),
        "type_prediction": torch.randn(1, CLASSES, 32, 32, device=device, requires_grad=True),
    }
    target = {
        "nucleus_prediction": onehot_on(device, 32, 32, batch=1, classes=2),
        "horizontal_vertical": torch.rand(1, 2, 32, 32, device=device),
        "type_prediction": onehot_on(device, 32, 32, batch=1),
    }
    HoVerNetLoss()(prediction, target).backward()


@uses.add
def hovernet_windows(device: torch.device) -> None:
    def network(patches: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"nucleus_prediction": patches[:, :2, 8:-8, 8:-8], "type_prediction": patches[:, :, 8:-8, 8:-8]}

    inferer = SlidingWindowHoVerNetInferer(
        roi_size=(32, 32), sw_batch_size=2, overlap=0.5, extra_input_padding=(8,) * 4
    )
    inferer(torch.rand(1, 3, 48, 48, device=device), network)


@uses.add
def multiple_instance(device: torch.device) -> None:
    class Features(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3)

        def forward(self, images: torch.Tensor) -> torch.Tensor:
            return self.conv(images).mean((2, 3))

    for mode in ("mean", "max", "att"):
        model = nets.MILModel(CLASSES, mil_mode=mode, pretrained=False, backbone=Features(), backbone_num_features=8)
        train_and_infer(model.to(device), torch.rand(2, 4, 3, 16, 16, device=device))


@uses.add
def registration_networks(device: torch.device) -> None:
    images = torch.rand(1, 2, 16, 16, device=device)
    options = {"spatial_dims": 2, "in_channels": 2, "num_channel_initial": 4}
    local = nets.LocalNet(**options, extract_levels=[0, 1, 2], out_channels=2).to(device)
    unet = nets.RegUNet(**options, depth=2, out_channels=2, concat_skip=True).to(device)
    for model in (local, unet):
        train_step(model, images)
    train_step(nets.GlobalNet(image_size=[16, 16], depth=2, **options).to(device), images)


@uses.add
def voxelmorph(device: torch.device) -> None:
    for half in (True, False):
        backbone = nets.VoxelMorphUNet(
            spatial_dims=3, in_channels=2, unet_out_channels=8, channels=(4, 4, 8, 8), final_conv_channels=(8, 8)
        )
        model = nets.VoxelMorph(backbone, integration_steps=3, half_res=half, spatial_dims=3).to(device)
        moving, fixed = torch.rand(2, 1, 1, 16, 16, 16, device=device)
        warped, field = model(moving, fixed)
        (losses.LocalNormalizedCrossCorrelationLoss(3)(warped, fixed) + losses.BendingEnergyLoss()(field)).backward()


@uses.add
def spade(device: torch.device) -> None:
    model = nets.SPADENet(2, 1, 1, label_nc=CLASSES, input_shape=(32, 32), channels=[8, 16], z_dim=8).to(device)
    segmentation = onehot_on(device, 32, 32)
    train_and_infer(model, segmentation, torch.rand(2, 1, 32, 32, device=device))
    autoencoder = nets.SPADEAutoencoderKL(
        spatial_dims=2,
        label_nc=CLASSES,
        num_res_blocks=(1, 1),
        channels=(8, 16),
        attention_levels=(False, False),
        norm_num_groups=4,
        with_encoder_nonlocal_attn=False,
        with_decoder_nonlocal_attn=False,
        spade_intermediate_channels=8,
    )
    train_and_infer(autoencoder.to(device), torch.rand(2, 1, 32, 32, device=device), segmentation)


@uses.add
def autoencoder_stages(device: torch.device) -> None:
    model = nets.AutoencoderKL(
        spatial_dims=2,
        num_res_blocks=(1, 1),
        channels=(8, 16),
        attention_levels=(False, False),
        norm_num_groups=4,
        with_encoder_nonlocal_attn=False,
        with_decoder_nonlocal_attn=False,
        use_convtranspose=True,
        use_checkpoint=True,
    ).to(device)
    images = torch.rand(2, 1, 32, 32, device=device)
    mean, sigma = model.encode(images)
    model.decode(model.sampling(mean, sigma)).mean().backward()
    with torch.no_grad():
        model.reconstruct(images)
        model.decode_stage_2_outputs(model.encode_stage_2_inputs(images))


@uses.add
def vqvae_stages(device: torch.device) -> None:
    options, shape = GENERATIVE["VQVAE"]
    model = nets.VQVAE(**options, use_checkpointing=True).to(device).train()
    images = torch.rand(shape, device=device)
    reconstruction, loss = model(images)
    (nn.functional.l1_loss(reconstruction, images) + loss).backward()
    with torch.no_grad():
        model.decode_samples(model.index_quantize(images))
        model.decode_stage_2_outputs(model.encode_stage_2_inputs(images))


@uses.add
def maisi_autoencoder(device: torch.device) -> None:
    model = AutoencoderKlMaisi(
        spatial_dims=3,
        in_channels=1,
        out_channels=1,
        num_res_blocks=(1, 1),
        num_channels=(8, 16),
        attention_levels=(False, False),
        norm_num_groups=4,
        num_splits=2,
        print_info=False,
    )
    train_and_infer(model.to(device), torch.rand(1, 1, 16, 16, 16, device=device))


@uses.add
def network_adapter(device: torch.device) -> None:
    backbone = nn.Sequential()
    backbone.add_module("conv", nn.Conv2d(3, 8, 3, padding=1))
    backbone.add_module("pool", nn.AdaptiveAvgPool2d(1))
    backbone.add_module("fc", nn.Linear(8, 10))
    model = nets.NetAdapter(backbone, num_classes=CLASSES, dim=2, in_channels=8, pool=None, use_conv=True)
    train_and_infer(model.to(device), torch.rand(2, 3, 16, 16, device=device))


@uses.add
def vista3d_points(device: torch.device) -> None:
    model = nets.vista3d132(encoder_embed_dim=16).to(device).eval()
    images = torch.rand(1, 1, 32, 32, 32, device=device)
    points = torch.randint(4, 28, (1, 4, 3), device=device).float()
    point_labels = torch.tensor([[1, 1, 0, -1]], device=device)
    prompt = torch.tensor([[3]], device=device)
    with torch.no_grad():
        model(images, point_coords=points, point_labels=point_labels, prompt_class=prompt[0])
        model(images, class_vector=prompt)


@uses.add
def vista3d_prompts(device: torch.device) -> None:
    labels = torch.zeros(1, 1, 16, 16, 16, device=device)
    labels[..., 2:8, 2:8, 2:8], labels[..., 9:14, 9:14, 9:14] = 1, 2

    def predictor(patches: torch.Tensor, **options: object) -> torch.Tensor:
        return patches

    sample_prompt_pairs(labels, [0, 1, 2], max_point=4, max_prompt=2, drop_label_prob=0.0, drop_point_prob=0.0)
    point_based_window_inferer(
        inputs=labels,
        roi_size=(12, 12, 12),
        predictor=predictor,
        point_coords=torch.tensor([[[4.0, 4.0, 4.0]]], device=device),
        point_labels=torch.tensor([[1]], device=device),
        class_vector=torch.tensor([1], device=device),
    )


@uses.add
def network_utilities(device: torch.device) -> None:
    source = nets.UNet(2, 1, CLASSES, **STAGES).to(device)
    target = nets.UNet(2, 1, CLASSES, **STAGES).to(device)
    networks.copy_model_state(target, source, exclude_vars="encoder")
    networks.get_state_dict(target)
    networks.utils.freeze_layers(target, exclude_vars="model.0")
    images = torch.rand(2, 1, 32, 32, device=device)
    with networks.eval_mode(source), networks.train_mode(target):
        logits = source(images)
    networks.predict_segmentation(logits, mutually_exclusive=True)
    networks.predict_segmentation(logits, threshold=0.1)
    source.apply(networks.normal_init)
    networks.replace_modules(target, "model.0.adn", nn.Identity(), strict_match=False)
    with networks.replace_modules_temp(source, "model.2", nn.Identity(), strict_match=False):
        source(images)
    networks.utils.replace_modules_by_type(target, {})
    networks.look_up_named_module("model.0", source)


@uses.add
def network_tensors(device: torch.device) -> None:
    images = torch.rand(1, 4, 8, 8, device=device)
    networks.utils.pixelunshuffle(networks.pixelshuffle(images, 2, 2), 2, 2)
    networks.one_hot(labels_on(device, 2, 1, 8, 8), CLASSES)
    networks.normalize_transform((8, 8), device=device)
    networks.to_norm_affine(torch.eye(3, device=device)[None], (8, 8), (16, 16))
    networks.icnr_init(nn.Conv2d(4, 16, 3).to(device), 2)
    networks.utils.meshgrid_ij(torch.arange(4, device=device), torch.arange(3, device=device))
    networks.utils.meshgrid_xy(torch.arange(4, device=device), torch.arange(3, device=device))
    networks.utils.cast_all({"image": images}, torch.float32, torch.float16)


@uses.add
def torchscript(device: torch.device) -> None:
    model = nets.UNet(2, 1, CLASSES, **STAGES).to(device).eval()
    images = torch.rand(1, 1, 32, 32, device=device)
    networks.convert_to_torchscript(model, inputs=[images], use_trace=True, verify=True, device=str(device))
    with tempfile.TemporaryDirectory() as folder:
        networks.save_state(model, f"{folder}/model.pt")
        scripted = torch.jit.trace(model, images)
        data.save_net_with_metadata(scripted, f"{folder}/model.ts", meta_values={"name": "unet"})
        loaded, _, _ = data.load_net_with_metadata(f"{folder}/model.ts", map_location=device)
        loaded(images)


# Blocks


BLOCKS = {
    "ADN": ({"in_channels": 4, "norm": "batch", "norm_dim": 2, "dropout": 0.1, "dropout_dim": 2}, (2, 4, 8, 8)),
    "ActiConvNormBlock": ({"in_channel": 4, "out_channel": 4, "spatial_dims": 2}, (2, 4, 8, 8)),
    "ChannelSELayer": ({"spatial_dims": 2, "in_channels": 4, "add_residual": True}, (2, 4, 8, 8)),
    "ConvDenseBlock": ({"spatial_dims": 2, "in_channels": 4, "channels": (4, 4)}, (2, 4, 8, 8)),
    "Convolution": (
        {"spatial_dims": 3, "in_channels": 4, "out_channels": 6, "strides": 2, "is_transposed": True, "dropout": 0.1},
        (2, 4, 4, 4, 4),
    ),
    "DownSample": ({"spatial_dims": 2, "in_channels": 4, "out_channels": 6}, (2, 4, 8, 8)),
    "FactorizedIncreaseBlock": ({"in_channel": 4, "out_channel": 2, "spatial_dims": 2}, (2, 4, 8, 8)),
    "FactorizedReduceBlock": ({"in_channel": 4, "out_channel": 8, "spatial_dims": 2}, (2, 4, 8, 8)),
    "FeedForward": ({"spatial_dims": 2, "dim": 4, "ffn_expansion_factor": 2, "bias": True}, (2, 4, 8, 8)),
    "GCN": ({"inplanes": 4, "planes": 4}, (2, 4, 16, 16)),
    "LocalNetFeatureExtractorBlock": ({"spatial_dims": 2, "in_channels": 4, "out_channels": 2}, (2, 4, 8, 8)),
    "MLPBlock": ({"hidden_size": 8, "mlp_dim": 16, "dropout_rate": 0.1, "act": "GEGLU"}, (2, 5, 8)),
    "MaxAvgPool": ({"spatial_dims": 2, "kernel_size": 2}, (2, 4, 8, 8)),
    "MedNeXtBlock": ({"in_channels": 4, "out_channels": 4, "dim": "2d", "global_resp_norm": True}, (2, 4, 8, 8)),
    "MedNeXtDownBlock": (
        {"in_channels": 4, "out_channels": 8, "dim": "2d", "use_residual_connection": True},
        (2, 4, 8, 8),
    ),
    "MedNeXtUpBlock": (
        {"in_channels": 4, "out_channels": 2, "dim": "2d", "use_residual_connection": True},
        (2, 4, 8, 8),
    ),
    "MemoryEfficientSwish": ({}, (2, 4, 8, 8)),
    "Mish": ({}, (2, 4, 8, 8)),
    "P3DActiConvNormBlock": ({"in_channel": 4, "out_channel": 4, "kernel_size": 3, "padding": 1}, (1, 4, 6, 6, 6)),
    "PatchEmbed": ({"patch_size": 2, "in_chans": 1, "embed_dim": 8, "norm_layer": nn.LayerNorm}, (1, 1, 7, 8, 8)),
    "PatchEmbeddingBlock": (
        {
            "in_channels": 1,
            "img_size": (16, 16),
            "patch_size": 4,
            "hidden_size": 8,
            "num_heads": 2,
            "pos_embed_type": "sincos",
            "spatial_dims": 2,
        },
        (2, 1, 16, 16),
    ),
    "Refine": ({"planes": 4}, (2, 4, 8, 8)),
    "RegistrationResidualConvBlock": ({"spatial_dims": 2, "in_channels": 4, "out_channels": 4}, (2, 4, 8, 8)),
    "ResBlock": ({"spatial_dims": 2, "in_channels": 4, "norm": ("group", {"num_groups": 2})}, (2, 4, 8, 8)),
    "ResidualSELayer": ({"spatial_dims": 2, "in_channels": 4}, (2, 4, 8, 8)),
    "ResidualUnit": ({"spatial_dims": 2, "in_channels": 4, "out_channels": 6, "strides": 2}, (2, 4, 8, 8)),
    "SEBottleneck": ({"spatial_dims": 2, "inplanes": 16, "planes": 4, "groups": 2, "reduction": 2}, (2, 16, 8, 8)),
    "SimpleASPP": ({"spatial_dims": 2, "in_channels": 4, "conv_out_channels": 4}, (2, 4, 8, 8)),
    "SubpixelDownSample": ({"spatial_dims": 2, "in_channels": 4, "out_channels": 6}, (2, 4, 8, 8)),
    "SubpixelUpSample": ({"spatial_dims": 2, "in_channels": 4, "out_channels": 6}, (2, 4, 8, 8)),
    "Swish": ({"alpha": 1.5}, (2, 4, 8, 8)),
    "UnetBasicBlock": (
        {"spatial_dims": 2, "in_channels": 4, "out_channels": 6, "kernel_size": 3, "stride": 2, "norm_name": "batch"},
        (2, 4, 8, 8),
    ),
    "UnetResBlock": (
        {
            "spatial_dims": 2,
            "in_channels": 4,
            "out_channels": 6,
            "kernel_size": 3,
            "stride": 2,
            "norm_name": "instance",
            "dropout": 0.1,
        },
        (2, 4, 8, 8),
    ),
    "UnetrBasicBlock": (
        {
            "spatial_dims": 2,
            "in_channels": 4,
            "out_channels": 6,
            "kernel_size": 3,
            "stride": 1,
            "norm_name": "instance",
            "res_block": True,
        },
        (2, 4, 8, 8),
    ),
    "UnetrPrUpBlock": (
        {
            "spatial_dims": 2,
            "in_channels": 4,
            "out_channels": 6,
            "num_layer": 1,
            "kernel_size": 3,
            "stride": 1,
            "upsample_kernel_size": 2,
            "norm_name": "instance",
            "conv_block": True,
            "res_block": True,
        },
        (2, 4, 4, 4),
    ),
}


def block_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        options, shape = BLOCKS[name]
        block = getattr(blocks, name)(**options).to(device)
        block(torch.rand(shape, device=device, requires_grad=True)).square().mean().backward()

    return use


uses.add_each("block", BLOCKS, block_use)


def upsample_use(mode: str) -> Use:
    def use(device: torch.device) -> None:
        for size in ((8, 8), (4, 4, 4)):
            up = blocks.UpSample(len(size), in_channels=4, out_channels=2, scale_factor=2, mode=mode).to(device)
            up(torch.rand(1, 4, *size, device=device)).mean().backward()

    return use


uses.add_each("upsample", ("deconv", "deconvgroup", "nontrainable", "pixelshuffle"), upsample_use)


@uses.add
def downsample_modes(device: torch.device) -> None:
    images = torch.rand(1, 4, 9, 9, device=device)
    for mode in ("conv", "convgroup", "maxpool", "avgpool"):
        blocks.DownSample(2, in_channels=4, out_channels=4, mode=mode).to(device)(images)
    blocks.DownSample(2, mode="pixelunshuffle", in_channels=4, out_channels=2).to(device)(images[..., :8, :8])


@uses.add
def unetr_up_block(device: torch.device) -> None:
    block = blocks.UnetrUpBlock(2, 8, 4, kernel_size=3, upsample_kernel_size=2, norm_name="batch", res_block=True)
    block.to(device)(torch.rand(1, 8, 4, 4, device=device), torch.rand(1, 4, 8, 8, device=device)).mean().backward()
    block = blocks.UnetUpBlock(2, 8, 4, kernel_size=3, stride=2, upsample_kernel_size=2, norm_name="batch").to(device)
    out = block(torch.rand(1, 8, 4, 4, device=device), torch.rand(1, 4, 8, 8, device=device))
    blocks.UnetOutBlock(2, 4, 2).to(device)(out).mean().backward()


@uses.add
def registration_blocks(device: torch.device) -> None:
    images = torch.rand(1, 4, 8, 8, device=device)
    for pooling in (True, False):
        blocks.RegistrationDownSampleBlock(2, 4, pooling=pooling).to(device)(images)
    extraction = blocks.RegistrationExtractionBlock(2, [0, 1], num_channels=(4, 4), out_channels=2).to(device)
    extraction([images, images[..., :4, :4]], image_size=(8, 8)).mean().backward()
    up = blocks.LocalNetUpSampleBlock(2, 8, 4).to(device)
    down = blocks.LocalNetDownSampleBlock(2, 4, 8, kernel_size=3).to(device)
    half, full = down(images)
    up(half, full[:, :4]).mean().backward()


@uses.add
def warping(device: torch.device) -> None:
    image = torch.rand(1, 1, 12, 12, device=device)
    field = (torch.rand(1, 2, 12, 12, device=device) - 0.5).requires_grad_()
    displacement = blocks.DVF2DDF(num_steps=3, mode="bilinear", padding_mode="zeros").to(device)(field)
    blocks.Warp(mode="bilinear", padding_mode="border").to(device)(image, displacement).mean().backward()
    blocks.Warp(mode="nearest", padding_mode="zeros", jitter=True).to(device)(image, field)


@uses.add
def feature_pyramid(device: torch.device) -> None:
    features = {f"feat{i}": torch.rand(1, 4 * 2**i, 16 // 2**i, 16 // 2**i, device=device) for i in range(3)}
    extra = blocks.LastLevelP6P7(2, 16, 8)
    blocks.FeaturePyramidNetwork(2, [4, 8, 16], 8, extra_blocks=extra).to(device)(features)
    blocks.FeaturePyramidNetwork(2, [4, 8, 16], 8, extra_blocks=blocks.LastLevelMaxPool(2)).to(device)(features)


@uses.add
def spade_block(device: torch.device) -> None:
    block = blocks.SPADE(CLASSES, 4, hidden_channels=8).to(device)
    block(torch.rand(2, 4, 8, 8, device=device), onehot_on(device, 16, 16)).mean().backward()


@uses.add
def dense_and_squeeze(device: torch.device) -> None:
    dense = blocks.DenseBlock([nn.Conv2d(2, 2, 3, padding=1), nn.Conv2d(4, 2, 3, padding=1)]).to(device)
    dense(torch.rand(1, 2, 8, 8, device=device)).mean().backward()
    squeeze = blocks.SEBlock(2, 4, 8, 8, 8, {"kernel_size": 1}, {"kernel_size": 3}, {"kernel_size": 1})
    squeeze.to(device)(torch.rand(1, 4, 8, 8, device=device)).mean().backward()
    for kind in (blocks.SEResNetBottleneck, blocks.SEResNeXtBottleneck):
        kind(2, 64, 16, groups=1, reduction=2).to(device)(torch.rand(1, 64, 8, 8, device=device)).mean().backward()


# Layers


FILTERS = {
    "GaussianFilter": {"spatial_dims": 2, "sigma": 1.5, "requires_grad": True},
    "MeanFilter": {"spatial_dims": 2, "size": 3},
    "LaplaceFilter": {"spatial_dims": 2, "size": 3},
    "EllipticalFilter": {"spatial_dims": 2, "size": 3},
    "SharpenFilter": {"spatial_dims": 2, "size": 3},
    "SavitzkyGolayFilter": {"window_length": 3, "order": 1},
    "HilbertTransform": {},
    "DropPath": {"drop_prob": 0.5},
    "Flatten": {},
}


def filter_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        getattr(layers, name)(**FILTERS[name]).to(device)(torch.rand(2, 2, 12, 12, device=device))

    return use


uses.add_each("filter", FILTERS, filter_use)


@uses.add
def median_filter(device: torch.device) -> None:
    images = torch.rand(1, 1, 8, 8, 8, device=device)
    layers.MedianFilter([1, 1, 1], spatial_dims=3, device=str(device))(images)
    layers.median_filter(images[0, 0, 0], kernel_size=(3, 3), spatial_dims=2)


@uses.add
def gaussian_filters(device: torch.device) -> None:
    for approximation in ("erf", "sampled", "scalespace"):
        smooth = layers.GaussianFilter(3, (1.0, 0.5, 1.0), approx=approximation).to(device)
        smooth(torch.rand(1, 1, 8, 8, 8, device=device))
        layers.gaussian_1d(torch.tensor(1.0, device=device), approx=approximation)
    kernel = torch.ones(3, device=device) / 3
    layers.separable_filtering(torch.rand(1, 1, 8, 8, device=device), [kernel, kernel])
    layers.apply_filter(torch.rand(1, 2, 8, 8, device=device), torch.rand(3, 3, device=device))


@uses.add
def affine_transform_layer(device: torch.device) -> None:
    theta = torch.eye(3, device=device)[None] + 0.1 * torch.rand(1, 3, 3, device=device)
    theta[:, 2] = torch.tensor([0.0, 0.0, 1.0], device=device)
    layers.AffineTransform(spatial_size=(10, 10))(torch.rand(1, 1, 8, 8, device=device), theta)
    layers.AffineTransform(normalized=True)(torch.rand(1, 1, 8, 8, device=device), theta[:, :2], spatial_size=(6, 6))


@uses.add
def layer_factories(device: torch.device) -> None:
    images = torch.rand(2, 4, 8, 8, device=device)
    for name in ("instance", "batch", ("group", {"num_groups": 2}), ("localresponse", {"size": 3}), "syncbatch"):
        norm = layers.get_norm_layer(name, 2, 4)
        if name != "syncbatch":
            norm.to(device)(images)
    for name in ("relu", "elu", "prelu", "leakyrelu", "gelu", "swish", "memswish", "mish", ("softmax", {"dim": 1})):
        layers.get_act_layer(name).to(device)(images)
    for name in ("max", ("adaptiveavg", {"output_size": 4})):
        options = ("max", {"kernel_size": 2}) if name == "max" else name
        layers.get_pool_layer(options, 2)(images)
    layers.get_dropout_layer(("dropout", {"p": 0.2}), 2)(images)
    layers.Conv[layers.Conv.CONVTRANS, 2](4, 2, 3).to(device)(images)
    layers.Pad["constantpad", 2](1, 0.0)(images)


@uses.add
def skip_and_reshape(device: torch.device) -> None:
    images = torch.rand(2, 4, 8, 8, device=device)
    for mode in ("cat", "add", "mul"):
        layers.SkipConnection(nn.Conv2d(4, 4, 3, padding=1), mode=mode).to(device)(images)
    layers.Reshape(4, 64)(images)
    for mode in ("pad", "project"):
        layers.ChannelPad(2, 4, 6, mode=mode).to(device)(images)


@uses.add
def quantizers(device: torch.device) -> None:
    ema = layers.EMAQuantizer(2, num_embeddings=8, embedding_dim=4, ddp_sync=False)
    quantizer = layers.VectorQuantizer(ema).to(device).train()
    loss, quantized = quantizer(torch.rand(2, 4, 8, 8, device=device, requires_grad=True))
    (loss + quantized.mean()).backward()
    quantizer.embed(quantizer.quantize(torch.rand(2, 4, 8, 8, device=device)))


@uses.add
def conjugate_gradient(device: torch.device) -> None:
    matrix = torch.rand(6, 6, device=device)
    matrix = matrix @ matrix.T + torch.eye(6, device=device)
    solver = layers.ConjugateGradient(lambda x: matrix @ x, 5)
    solver(torch.zeros(6, device=device), torch.rand(6, device=device))


@uses.add
def small_layers(device: torch.device) -> None:
    layers.polyval([1.0, 2.0, 3.0], torch.rand(5, device=device))
    layers.trunc_normal_(torch.empty(4, 4, device=device), std=0.02)
    layers.same_padding((3, 5), 2)
    layers.calculate_out_shape((16, 16), 3, 2, 1)


# Schedulers of diffusion


SCHEDULERS = {
    "DDPMScheduler": {"num_train_timesteps": 50, "variance_type": "fixed_large"},
    "DDIMScheduler": {"num_train_timesteps": 50, "schedule": "scaled_linear_beta", "prediction_type": "v_prediction"},
    "PNDMScheduler": {"num_train_timesteps": 50, "schedule": "cosine", "skip_prk_steps": True},
    "RFlowScheduler": {"num_train_timesteps": 50, "sample_method": "logit-normal"},
}


class Denoiser(nn.Module):
    """A small network with the interface of the diffusion networks."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 1, 3, padding=1)

    def forward(self, x: torch.Tensor, timesteps: torch.Tensor, **options: object) -> torch.Tensor:
        return self.conv(x) + timesteps.float()[:, None, None, None] * 1e-3


def scheduler_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        scheduler = getattr(schedulers, name)(**SCHEDULERS[name])
        model, images = Denoiser().to(device), torch.rand(2, 1, 8, 8, device=device)
        noise = torch.randn_like(images)
        if name == "RFlowScheduler":
            timesteps = scheduler.sample_timesteps(images)
            scheduler.set_timesteps(num_inference_steps=5, device=device, input_img_size_numel=64)
        else:
            timesteps = torch.randint(0, 50, (2,), device=device)
            scheduler.set_timesteps(5, device=device)
        noisy = scheduler.add_noise(original_samples=images, noise=noise, timesteps=timesteps)
        nn.functional.mse_loss(model(noisy, timesteps), noise).backward()
        sample = noise
        with torch.no_grad():
            for timestep in scheduler.timesteps:
                sample, _ = scheduler.step(model(sample, timestep.reshape(1).to(device)), timestep, sample)

    return use


uses.add_each("scheduler", SCHEDULERS, scheduler_use)


@uses.add
def diffusion_inferer(device: torch.device) -> None:
    for scheduler in (schedulers.DDPMScheduler(20), schedulers.DDIMScheduler(20)):
        inferer, model = inferers.DiffusionInferer(scheduler), Denoiser().to(device)
        images = torch.rand(2, 1, 8, 8, device=device)
        timesteps = torch.randint(0, 20, (2,), device=device)
        inferer(images, model, torch.randn_like(images), timesteps).mean().backward()
        scheduler.set_timesteps(4, device=device)
        inferer.sample(torch.randn_like(images), model, scheduler, verbose=False, save_intermediates=True)
    inferer = inferers.DiffusionInferer(schedulers.DDPMScheduler(4))
    inferer.get_likelihood(images, model, verbose=False)


@uses.add
def latent_diffusion_inferer(device: torch.device) -> None:
    options, shape = GENERATIVE["AutoencoderKL"]
    autoencoder = nets.AutoencoderKL(**{**options, "latent_channels": 1}).to(device).eval()
    scheduler, model = schedulers.DDPMScheduler(20), Denoiser().to(device)
    inferer = inferers.LatentDiffusionInferer(scheduler, scale_factor=0.9)
    images, noise = torch.rand(shape, device=device), torch.randn(2, 1, 16, 16, device=device)
    inferer(images, autoencoder, model, noise, torch.randint(0, 20, (2,), device=device)).mean().backward()
    scheduler.set_timesteps(3, device=device)
    inferer.sample(noise, autoencoder, model, scheduler, verbose=False)


# Losses


SEGMENTATION_LOSSES = {
    "DiceLoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True, "jaccard": True, "batch": True}),
    "DiceCELoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True, "lambda_ce": 0.5}),
    "DiceFocalLoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True, "squared_pred": True}),
    "FocalLoss": ({"use_softmax": True, "to_onehot_y": True, "alpha": 0.5}, {"gamma": 1.0, "weight": [1.0, 2.0, 1.0]}),
    "GeneralizedDiceLoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True, "w_type": "simple"}),
    "GeneralizedDiceFocalLoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True}),
    "TverskyLoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True, "alpha": 0.7, "beta": 0.3}),
    "MCCLoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True, "batch": True}),
    "HausdorffDTLoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True, "include_background": True}),
    "LogHausdorffDTLoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True, "reduction": "sum"}),
    "BoundaryLoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True}),
    "SoftclDiceLoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True}),
    "SoftDiceclDiceLoss": ({"softmax": True, "to_onehot_y": True}, {"sigmoid": True, "alpha": 0.3}),
}


def segmentation_loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        classes, binary = SEGMENTATION_LOSSES[name]
        logits = torch.randn(2, CLASSES, 16, 16, device=device, requires_grad=True)
        kind = getattr(losses, name)
        kind(**classes).to(device)(logits, labels_on(device, 2, 1, 16, 16)).backward()
        kind(**binary).to(device)(logits, onehot_on(device, 16, 16)).backward()

    return use


uses.add_each("segmentation loss", SEGMENTATION_LOSSES, segmentation_loss_use)


def ignoring_loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        options = {"use_softmax": True} if name == "FocalLoss" else {"softmax": True}
        loss = getattr(losses, name)(to_onehot_y=True, ignore_index=2, **options)
        logits = torch.randn(2, CLASSES, 16, 16, device=device, requires_grad=True)
        loss(logits, labels_on(device, 2, 1, 16, 16)).backward()

    return use


uses.add_each("loss that ignores a class", ("DiceLoss", "FocalLoss", "TverskyLoss"), ignoring_loss_use)

IMAGE_LOSSES = {
    "SSIMLoss": {"spatial_dims": 2},
    "JukeboxLoss": {"spatial_dims": 2},
    "LocalNormalizedCrossCorrelationLoss": {"spatial_dims": 2, "kernel_type": "gaussian"},
    "GlobalMutualInformationLoss": {"kernel_type": "gaussian"},
}


def image_loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        images = torch.rand(2, 1, 16, 16, device=device, requires_grad=True)
        getattr(losses, name)(**IMAGE_LOSSES[name]).to(device)(
            images, torch.rand(2, 1, 16, 16, device=device)
        ).backward()

    return use


uses.add_each("image loss", IMAGE_LOSSES, image_loss_use)


@uses.add
def information_of_splines(device: torch.device) -> None:
    images = torch.rand(2, 1, 16, 16, device=device, requires_grad=True)
    loss = losses.GlobalMutualInformationLoss(kernel_type="b-spline", num_bins=16).to(device)
    loss(images, torch.rand(2, 1, 16, 16, device=device)).backward()


@uses.add
def multi_scale_loss(device: torch.device) -> None:
    images = torch.rand(2, 1, 16, 16, device=device, requires_grad=True)
    for kernel in ("gaussian", "cauchy"):
        loss = losses.MultiScaleLoss(nn.MSELoss(), scales=[0, 1, 2], kernel=kernel).to(device)
        loss(images, torch.rand(2, 1, 16, 16, device=device)).backward()


@uses.add
def deformation_losses(device: torch.device) -> None:
    for size in ((12, 12), (8, 8, 8)):
        field = torch.rand(1, len(size), *size, device=device, requires_grad=True)
        for loss in (losses.BendingEnergyLoss(normalize=True), losses.DiffusionLoss(), losses.DiffusionLoss(True)):
            loss(field).backward()


@uses.add
def adversarial_loss(device: torch.device) -> None:
    logits = torch.randn(2, 1, 8, 8, device=device, requires_grad=True)
    for criterion in ("least_squares", "bce", "hinge"):
        loss = losses.PatchAdversarialLoss(criterion=criterion)
        loss([logits, logits], target_is_real=True, for_discriminator=False).backward()
        loss(logits, target_is_real=False, for_discriminator=True).backward()


@uses.add
def contrastive_losses(device: torch.device) -> None:
    first, second = torch.rand(4, 8, device=device, requires_grad=True), torch.rand(4, 8, device=device)
    losses.ContrastiveLoss(temperature=0.5)(first, second).backward()
    losses.BarlowTwinsLoss(lambd=0.01)(first, second).backward()


@uses.add
def area_under_curve_loss(device: torch.device) -> None:
    for version in ("v1", "v2"):
        loss = losses.AUCMLoss(version=version).to(device)
        scores = torch.rand(8, 1, device=device, requires_grad=True)
        loss(scores, torch.tensor([[0.0], [1.0]] * 4, device=device)).backward()


@uses.add
def unified_focal_loss(device: torch.device) -> None:
    logits = torch.rand(2, 2, 16, 16, device=device, requires_grad=True)
    labels = labels_on(device, 2, 1, 16, 16, classes=2)
    losses.AsymmetricUnifiedFocalLoss(to_onehot_y=True)(logits, labels).backward()


@uses.add
def wasserstein_dice_loss(device: torch.device) -> None:
    distances = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.5], [1.0, 0.5, 0.0]], dtype=np.float32)
    logits = torch.randn(2, CLASSES, 8, 8, device=device, requires_grad=True)
    for mode in ("default", "GDL"):
        loss = losses.GeneralizedWassersteinDiceLoss(distances, weighting_mode=mode)
        loss(logits, labels_on(device, 2, 8, 8)).backward()


@uses.add
def neighbour_aware_loss(device: torch.device) -> None:
    logits = torch.randn(2, CLASSES, 8, 8, device=device, requires_grad=True)
    for kernel, distance in (("mean", "l1"), ("gaussian", "l2")):
        loss = losses.NACLLoss(CLASSES, dim=2, kernel_ops=kernel, distance_type=distance).to(device)
        loss(logits, labels_on(device, 2, 8, 8)).backward()


@uses.add
def masked_losses(device: torch.device) -> None:
    logits = torch.randn(2, CLASSES, 8, 8, device=device, requires_grad=True)
    target, mask = onehot_on(device, 8, 8), torch.ones(2, 1, 8, 8, device=device)
    losses.MaskedDiceLoss(softmax=True)(logits, target, mask).backward()
    losses.MaskedLoss(nn.MSELoss)(logits, target, mask).backward()


@uses.add
def deep_supervision_loss(device: torch.device) -> None:
    outputs = [torch.randn(2, CLASSES, n, n, device=device, requires_grad=True) for n in (16, 8, 4)]
    for mode in ("exp", "same", "two"):
        loss = losses.DeepSupervisionLoss(losses.DiceCELoss(softmax=True, to_onehot_y=True), weight_mode=mode)
        loss(outputs, labels_on(device, 2, 1, 16, 16).float()).backward()


@uses.add
def box_loss(device: torch.device) -> None:
    boxes = boxes_on(device, 4).requires_grad_()
    losses.BoxGIoULoss()(boxes, boxes_on(device, 4)).backward()


@uses.add
def unbiased_risk_loss(device: torch.device) -> None:
    model = nn.Conv2d(1, 1, 3, padding=1).to(device)
    images = torch.rand(2, 1, 8, 8, device=device)
    loss = losses.SURELoss(perturb_noise=torch.randn(2, 1, 8, 8, device=device), eps=0.1)
    loss(model, images, images, complex_input=False).backward()


# Metrics


def predictions_on(device: torch.device, *size: int) -> tuple[torch.Tensor, torch.Tensor]:
    truth = networks.one_hot(labels_on(device, 2, 1, *size) * blob_on(device, *size).long(), CLASSES)
    return torch.roll(truth, 1, dims=-1), truth


SEGMENTATION_METRICS = {
    "AbsoluteVolumeDifferenceMetric": {"include_background": False},
    "ConfusionMatrixMetric": {"metric_name": ["sensitivity", "precision", "f1 score"], "get_not_nans": True},
    "DiceMetric": {"include_background": False, "get_not_nans": True, "return_with_label": True},
    "FBetaScore": {"beta": 2.0},
    "GeneralizedDiceScore": {"weight_type": "simple"},
    "HausdorffDistanceMetric": {"percentile": 95, "reduction": "mean_batch"},
    "MeanIoU": {"reduction": "mean_batch"},
    "SurfaceDiceMetric": {"class_thresholds": [1.0, 1.0]},
    "SurfaceDistanceMetric": {"symmetric": True, "distance_metric": "taxicab"},
    "CalibrationErrorMetric": {"num_bins": 5},
}


def segmentation_metric_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        metric = getattr(metrics, name)(**SEGMENTATION_METRICS[name])
        for _ in range(2):
            prediction, truth = predictions_on(device, 12, 12)
            metric(y_pred=prediction, y=truth)
        metric.aggregate()
        metric.get_buffer()
        metric.reset()
        metric([item[0] for item in (prediction, prediction)], [item[0] for item in (truth, truth)])
        metric.aggregate(reduction="none")

    return use


uses.add_each("segmentation metric", SEGMENTATION_METRICS, segmentation_metric_use)
REGRESSION_METRICS = {
    "MSEMetric": {},
    "MAEMetric": {"reduction": "mean_batch"},
    "RMSEMetric": {"get_not_nans": True},
    "MAPEMetric": {},
    "PSNRMetric": {"max_val": 1.0},
    "SSIMMetric": {"spatial_dims": 2},
    "MultiScaleSSIMMetric": {"spatial_dims": 2, "kernel_size": 3, "weights": (0.4, 0.6)},
}


def regression_metric_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        metric = getattr(metrics, name)(**REGRESSION_METRICS[name])
        for _ in range(2):
            metric(torch.rand(2, 1, 24, 24, device=device), torch.rand(2, 1, 24, 24, device=device))
        metric.aggregate()
        metric.reset()

    return use


uses.add_each("regression metric", REGRESSION_METRICS, regression_metric_use)
CONFUSION = (
    "sensitivity",
    "specificity",
    "precision",
    "negative predictive value",
    "miss rate",
    "fall out",
    "false discovery rate",
    "false omission rate",
    "prevalence threshold",
    "threat score",
    "accuracy",
    "balanced accuracy",
    "f1 score",
    "matthews correlation coefficient",
    "fowlkes mallows index",
    "informedness",
    "markedness",
)


@uses.add
def confusion_matrix(device: torch.device) -> None:
    matrix = metrics.get_confusion_matrix(*predictions_on(device, 12, 12))
    for name in CONFUSION:
        metrics.compute_confusion_matrix_metric(name, matrix)
    metrics.do_metric_reduction(metrics.compute_confusion_matrix_metric("precision", matrix), "mean_batch")


@uses.add
def curve_metrics(device: torch.device) -> None:
    for average in ("macro", "micro", "weighted", "none"):
        for kind in (metrics.ROCAUCMetric, metrics.AveragePrecisionMetric):
            metric = kind(average=average)
            labels = networks.one_hot(torch.tensor([[0], [1], [2], [1]], device=device), CLASSES)
            metric(torch.rand(4, CLASSES, device=device), labels)
            metric.aggregate()
    labels = torch.tensor([0, 1, 0, 1, 1, 0], device=device)
    metrics.compute_roc_auc(torch.rand(6, device=device), labels)
    metrics.compute_average_precision(torch.rand(6, device=device), labels)


@uses.add
def dice_helpers(device: torch.device) -> None:
    prediction, truth = predictions_on(device, 12, 12)
    metrics.DiceHelper(sigmoid=True)(torch.randn(2, CLASSES, 12, 12, device=device), truth)
    metrics.DiceHelper(softmax=True, include_background=True)(
        torch.randn(2, CLASSES, 12, 12, device=device), labels_on(device, 2, 1, 12, 12)
    )
    metrics.DiceMetric(num_classes=CLASSES)(labels_on(device, 2, 1, 12, 12), labels_on(device, 2, 1, 12, 12))
    metrics.compute_dice(prediction, truth, ignore_empty=False)
    metrics.compute_iou(prediction, truth, ignore_index=2)
    metrics.compute_generalized_dice(prediction, truth, sum_over_classes=True)
    metrics.DiceMetric(ignore_index=2)(prediction, truth)


@uses.add
def surface_functions(device: torch.device) -> None:
    truth = blob_on(device, 10, 10, 10)[None]
    prediction = torch.roll(truth, 1, dims=-1)
    metrics.get_mask_edges(prediction[0, 0] > 0, truth[0, 0] > 0)
    options = {"include_background": True, "spacing": (1.0, 1.0, 2.0)}
    metrics.compute_hausdorff_distance(prediction, truth, directed=True, **options)
    metrics.compute_average_surface_distance(prediction, truth, **options)
    metrics.compute_surface_dice(prediction, truth, [1.0], use_subvoxels=True, **options)
    metrics.compute_surface_dice(prediction[..., 5], truth[..., 5], [1.0], include_background=True, use_subvoxels=True)


@uses.add
def instance_metrics(device: torch.device) -> None:
    truth = torch.zeros(2, 2, 12, 12, dtype=torch.int64, device=device)
    truth[:, 0, 1:5, 1:5], truth[:, 0, 7:11, 7:11] = 1, 2
    truth[:, 1, 1:5, 1:5], truth[:, 1, 7:11, 7:11] = 1, 2
    metric = metrics.PanopticQualityMetric(num_classes=2, metric_name=["pq", "sq", "rq"])
    metric(torch.roll(truth, 1, dims=-1), truth)
    metric.aggregate()
    metrics.compute_panoptic_quality(truth[0, 0], truth[0, 0], match_iou_threshold=0.3)


@uses.add
def distribution_metrics(device: torch.device) -> None:
    metrics.FIDMetric()(torch.rand(12, 4, device=device), torch.rand(12, 4, device=device))
    metrics.MMDMetric()(torch.rand(4, 1, 8, 8, device=device), torch.rand(4, 1, 8, 8, device=device))


@uses.add
def active_learning_metrics(device: torch.device) -> None:
    samples = torch.rand(4, 2, CLASSES, 8, 8, device=device)
    metrics.VarianceMetric(scalar_reduction="mean")(samples)
    metrics.compute_variance(samples, spatial_map=True)
    metrics.LabelQualityScore(scalar_reduction="mean")(samples[0], onehot_on(device, 8, 8))


@uses.add
def embedding_collapse(device: torch.device) -> None:
    metric = metrics.EmbeddingCollapseMetric(reduction="mean")
    labels = torch.tensor([0, 1] * 8, device=device)
    metric(torch.rand(16, 4, device=device), labels)
    metrics.compute_embedding_collapse(
        torch.rand(16, 4, device=device), labels, target_embeddings=torch.rand(16, 4, device=device)
    )


@uses.add
def averages_and_losses(device: torch.device) -> None:
    average = metrics.CumulativeAverage()
    metric = metrics.LossMetric(losses.DiceLoss(sigmoid=True), get_not_nans=True)
    for _ in range(3):
        prediction, truth = predictions_on(device, 8, 8)
        metric(prediction, truth)
        average.append(losses.DiceLoss()(prediction, truth), count=2)
        average.get_current()
    average.aggregate()
    metric.aggregate()


@uses.add
def lesion_detection_curve(device: torch.device) -> None:
    mask = torch.zeros(12, 12, dtype=torch.int64, device=device)
    mask[2:6, 2:6], mask[8:11, 8:11] = 1, 2
    coordinates = torch.tensor([[3, 3], [9, 9], [0, 11]], device=device)
    false, true, count = metrics.compute_fp_tp_probs_nd(torch.rand(3, device=device), coordinates, mask)
    per_image, sensitivity = metrics.compute_froc_curve_data(false, true, count, 1)
    metrics.compute_froc_score(per_image, sensitivity)


@uses.add
def calibration(device: torch.device) -> None:
    probabilities = torch.rand(2, CLASSES, 8, 8, device=device).softmax(1)
    metrics.calibration_binning(probabilities, onehot_on(device, 8, 8), num_bins=5)
    for kind in ("expected", "average", "maximum"):
        metric = metrics.CalibrationErrorMetric(num_bins=5, calibration_reduction=kind)
        metric(probabilities, onehot_on(device, 8, 8))
        metric.aggregate()


# Inferers


@uses.add
def sliding_windows(device: torch.device) -> None:
    model = nn.Conv2d(1, 2, 3, padding=1).to(device).eval()
    images = torch.rand(1, 1, 40, 36, device=device)
    with torch.no_grad():
        inferers.sliding_window_inference(images, (16, 16), 4, model, overlap=0.5, mode="gaussian")
        for options in ({"cache_roi_weight_map": True}, {"buffer_steps": 2}, {"sw_device": device, "device": "cpu"}):
            inferers.SlidingWindowInferer((16, 16), sw_batch_size=2, overlap=0.25, **options)(images, model)
        inferers.SlidingWindowInfererAdapt((16, 16), sw_batch_size=2, progress=False)(images, model)
        inferers.SimpleInferer()(images, model)


@uses.add
def slice_inferer(device: torch.device) -> None:
    model = nn.Conv2d(1, 2, 3, padding=1).to(device).eval()
    with torch.no_grad():
        inferers.SliceInferer(roi_size=(16, 16), spatial_dim=2, sw_batch_size=2, cval=-1)(
            torch.rand(1, 1, 16, 16, 4, device=device), model
        )


@uses.add
def patch_inferer(device: torch.device) -> None:
    model = nn.Conv2d(1, 1, 3, padding=1).to(device).eval()
    for options in ({"overlap": 0.5}, {"overlap": 0, "offset": 1, "pad_mode": None}):
        splitter = inferers.SlidingWindowSplitter(patch_size=(8, 8), **options)
        inferer = inferers.PatchInferer(
            splitter, inferers.AvgMerger, batch_size=3, match_spatial_shape=True, device=device
        )
        with torch.no_grad():
            inferer(torch.rand(1, 1, 20, 20, device=device), model)


@uses.add
def saliency_inferer(device: torch.device) -> None:
    model = nets.DenseNet(2, 1, CLASSES, block_config=(2, 2), init_features=8, growth_rate=4).to(device).eval()
    for name in ("CAM", "GradCAM", "GradCAMpp"):
        layer = "class_layers.relu" if name == "CAM" else "features.denseblock2"
        options = {"fc_layers": "class_layers.out"} if name == "CAM" else {}
        inferer = inferers.SaliencyInferer(name, layer, **options)
        inferer(torch.rand(1, 1, 32, 32, device=device), model)


# Visualization


@uses.add
def saliency_maps(device: torch.device) -> None:
    model = nets.DenseNet(2, 1, CLASSES, block_config=(2, 2), init_features=8, growth_rate=4).to(device).eval()
    images = torch.rand(1, 1, 24, 24, device=device)
    visualize.VanillaGrad(model)(images, index=1)
    visualize.SmoothGrad(model, n_samples=3, verbose=False)(images)
    visualize.GuidedBackpropGrad(model)(images)
    visualize.GuidedBackpropSmoothGrad(model, n_samples=2, verbose=False)(images)
    visualize.GradCAM(model, "features.denseblock2").compute_map(images)


@uses.add
def occlusion(device: torch.device) -> None:
    model = nets.Classifier((1, 16, 16), CLASSES, channels=(4, 8), strides=(2, 2)).to(device).eval()
    for mode in ("gaussian", "mean_patch"):
        sensitivity = visualize.OcclusionSensitivity(model, mask_size=4, n_batch=8, verbose=False, mode=mode)
        sensitivity(torch.rand(1, 1, 16, 16, device=device))


@uses.add
def blending(device: torch.device) -> None:
    image, label = torch.rand(1, 12, 12, device=device), labels_on(device, 1, 12, 12)
    visualize.blend_images(image, label, alpha=0.3, cmap="jet")
    visualize.default_normalizer(image)
    visualize.matshow3d(torch.rand(4, 6, 6, device=device), every_n=2)


# Optimizers


@uses.add
def novograd(device: torch.device) -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2)).to(device)
    groups = optimizers.generate_param_groups(model, [lambda m: m[0]], ["select"], [1e-2])
    for options in ({"amsgrad": True}, {"grad_averaging": True, "weight_decay": 1e-2}):
        optimizer = optimizers.Novograd(groups, lr=1e-3, **options)
        schedule = optimizers.WarmupCosineSchedule(optimizer, warmup_steps=2, t_total=6, warmup_multiplier=0.1)
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.rand(3, 4, device=device)).mean().backward()
            optimizer.step()
            schedule.step()


@uses.add
def learning_rate_finder(device: torch.device) -> None:
    model = nn.Linear(4, 2).to(device)
    pairs = [(torch.rand(4), i % 2) for i in range(8)]
    finder = optimizers.LearningRateFinder(
        model, torch.optim.Adam(model.parameters(), 1e-5), nn.CrossEntropyLoss(), device=device, verbose=False
    )
    loader = torch.utils.data.DataLoader(pairs, batch_size=4)
    finder.range_test(loader, val_loader=loader, end_lr=1.0, num_iter=6)
    finder.get_steepest_gradient(skip_start=0, skip_end=0)
    finder.get_lrs_and_losses()
    finder.reset()


# Array transforms, of images on the device


INTENSITY = {
    "AdjustContrast": {"gamma": 1.5, "retain_stats": True},
    "ClipIntensityPercentiles": {"lower": 5, "upper": 95},
    "DetectEnvelope": {},
    "GaussianSharpen": {},
    "GaussianSmooth": {"sigma": 1.0},
    "GibbsNoise": {"alpha": 0.5},
    "HistogramNormalize": {"num_bins": 16},
    "ImageFilter": {"filter": "sobel", "filter_size": 3},
    "KSpaceSpikeNoise": {"loc": (0, 4, 4)},
    "MedianSmooth": {"radius": 1},
    "NormalizeIntensity": {"nonzero": True, "channel_wise": True},
    "RandAdjustContrast": {"prob": 1.0},
    "RandBiasField": {"prob": 1.0},
    "RandCoarseDropout": {"holes": 2, "spatial_size": 4, "max_holes": 4, "prob": 1.0},
    "RandCoarseShuffle": {"holes": 2, "spatial_size": 4, "prob": 1.0},
    "RandGaussianNoise": {"prob": 1.0},
    "RandGaussianSharpen": {"prob": 1.0},
    "RandGaussianSmooth": {"prob": 1.0},
    "RandGibbsNoise": {"prob": 1.0},
    "RandHistogramShift": {"prob": 1.0},
    "RandImageFilter": {"filter": "mean", "filter_size": 3, "prob": 1.0},
    "RandKSpaceSpikeNoise": {"prob": 1.0},
    "RandRicianNoise": {"prob": 1.0, "channel_wise": True, "mean": (0.0, 0.1), "std": (0.1, 0.2)},
    "RandScaleIntensity": {"factors": 0.5, "prob": 1.0, "channel_wise": True},
    "RandScaleIntensityFixedMean": {"factors": 0.5, "prob": 1.0},
    "RandShiftIntensity": {"offsets": 0.5, "prob": 1.0},
    "RandStdShiftIntensity": {"factors": 0.5, "prob": 1.0},
    "SavitzkyGolaySmooth": {"window_length": 3, "order": 1},
    "ScaleIntensity": {"channel_wise": True},
    "ScaleIntensityFixedMean": {"factor": 0.3, "preserve_range": True},
    "ScaleIntensityRange": {"a_min": 0.0, "a_max": 0.8, "b_min": -1.0, "b_max": 1.0, "clip": True},
    "ScaleIntensityRangePercentiles": {"lower": 5, "upper": 95, "b_min": 0.0, "b_max": 1.0, "channel_wise": True},
    "ShiftIntensity": {"offset": 0.2},
    "SobelGradients": {"kernel_size": 3},
    "StdShiftIntensity": {"factor": 0.5, "channel_wise": True},
    "ThresholdIntensity": {"threshold": 0.5},
}
SPATIAL = {
    "Affine": {"rotate_params": 0.3, "translate_params": (1.0, 2.0), "padding_mode": "zeros", "image_only": True},
    "Flip": {"spatial_axis": 0},
    "GridDistortion": {"num_cells": 2, "distort_steps": [(1.2, 0.9, 1.0), (1.1, 0.8, 1.0)]},
    "GridPatch": {"patch_size": (8, 8), "num_patches": 3, "sort_fn": "max"},
    "GridSplit": {"grid": (2, 2)},
    "Rand2DElastic": {"spacing": (8, 8), "magnitude_range": (1, 2), "prob": 1.0, "rotate_range": 0.2},
    "RandAffine": {"prob": 1.0, "rotate_range": 0.3, "scale_range": 0.1, "shear_range": 0.1, "cache_grid": False},
    "RandAxisFlip": {"prob": 1.0},
    "RandFlip": {"prob": 1.0, "spatial_axis": 1},
    "RandGridDistortion": {"prob": 1.0, "num_cells": 3},
    "RandGridPatch": {"patch_size": (8, 8), "num_patches": 3},
    "RandRotate": {"range_x": 0.4, "prob": 1.0, "keep_size": False},
    "RandRotate90": {"prob": 1.0},
    "RandSimulateLowResolution": {"prob": 1.0, "upsample_mode": "bilinear"},
    "RandZoom": {"prob": 1.0, "min_zoom": 0.7, "max_zoom": 1.3, "mode": "bilinear"},
    "Resize": {"spatial_size": (12, 12), "anti_aliasing": True, "mode": "bilinear"},
    "Rotate": {"angle": 0.4, "keep_size": False},
    "Rotate90": {"k": 1},
    "Spacing": {"pixdim": (0.7, 1.3)},
    "SpatialResample": {},
    "Zoom": {"zoom": 1.3, "mode": "bilinear"},
}
CROP_PAD = {
    "BorderPad": {"spatial_border": 2, "mode": "reflect"},
    "BoundingRect": {},
    "CenterScaleCrop": {"roi_scale": 0.5},
    "CenterSpatialCrop": {"roi_size": (8, 8)},
    "CropForeground": {"margin": 1, "k_divisible": 4, "return_coords": True},
    "DivisiblePad": {"k": 5, "method": "end"},
    "RandScaleCrop": {"roi_scale": 0.5, "random_size": True},
    "RandSpatialCrop": {"roi_size": (8, 8), "random_size": True},
    "RandSpatialCropSamples": {"roi_size": (8, 8), "num_samples": 3},
    "ResizeWithPadOrCrop": {"spatial_size": (12, 24)},
    "SpatialCrop": {"roi_center": (8, 8), "roi_size": (6, 6)},
    "SpatialPad": {"spatial_size": (20, 20), "mode": "edge"},
}
UTILITY = {
    "AddCoordinateChannels": {"spatial_dims": (0, 1)},
    "AsChannelLast": {},
    "CastToType": {"dtype": torch.float16},
    "DataStats": {"data_value": False},
    "EnsureChannelFirst": {"channel_dim": 0},
    "EnsureType": {"dtype": torch.float64, "track_meta": False},
    "FgBgToIndices": {"image_threshold": 0.5},
    "Identity": {},
    "RemoveRepeatedChannel": {"repeats": 2},
    "RepeatChannel": {"repeats": 2},
    "SimulateDelay": {"delay_time": 0.0},
    "SplitDim": {"dim": 0},
    "ToNumpy": {},
    "ToTensor": {"dtype": torch.float32},
    "Transpose": {"indices": (0, 2, 1)},
}
ON_DEVICE = (
    "Affine",
    "GridDistortion",
    "Rand2DElastic",
    "Rand3DElastic",
    "RandAffine",
    "RandGridDistortion",
    "RandSmoothDeform",
    "RandSmoothFieldAdjustContrast",
    "RandSmoothFieldAdjustIntensity",
)
ARRAY = INTENSITY | SPATIAL | CROP_PAD | UTILITY


def image_on(device: torch.device, *size: int, channels: int = 2) -> data.MetaTensor:
    affine = torch.eye(len(size) + 1)
    return data.MetaTensor(torch.rand(channels, *size), affine=affine, meta={"filename_or_obj": "image"}).to(device)


def transform_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        options = ARRAY[name] | ({"device": device} if name in ON_DEVICE else {})
        transform = getattr(transforms, name)(**options)
        if isinstance(transform, transforms.Randomizable):
            transform.set_random_state(seed=0)
        out = transform(image_on(device, 16, 16))
        if isinstance(transform, transforms.InvertibleTransform) and name in SPATIAL:
            transform.inverse(out)

    return use


uses.add_each("transform", ARRAY, transform_use)
VOLUME = {
    "Affine": {"rotate_params": (0.3, 0.2, 0.1), "scale_params": (1.1, 0.9, 1.0), "image_only": True},
    "Flip": {},
    "MedianSmooth": {"radius": 1},
    "Rand3DElastic": {"sigma_range": (1, 2), "magnitude_range": (1, 2), "prob": 1.0, "rotate_range": 0.2},
    "RandAffine": {"prob": 1.0, "rotate_range": (0.3, 0.2, 0.1), "padding_mode": "zeros"},
    "RandBiasField": {"prob": 1.0},
    "RandRotate": {"range_x": 0.4, "range_y": 0.2, "prob": 1.0},
    "RandSmoothDeform": {"spatial_size": (8, 8, 8), "rand_size": (3, 3, 3), "prob": 1.0},
    "RandSmoothFieldAdjustContrast": {"spatial_size": (8, 8, 8), "rand_size": (3, 3, 3), "prob": 1.0},
    "RandSmoothFieldAdjustIntensity": {"spatial_size": (8, 8, 8), "rand_size": (3, 3, 3), "prob": 1.0},
    "RandZoom": {"prob": 1.0, "mode": "trilinear"},
    "Resize": {"spatial_size": 12, "size_mode": "longest", "mode": "trilinear"},
    "Rotate": {"angle": (0.2, 0.1, 0.3)},
    "SobelGradients": {"spatial_axes": (0, 1)},
    "Spacing": {"pixdim": (0.7, 1.3, 1.0), "mode": "nearest"},
    "Zoom": {"zoom": (1.2, 0.8, 1.0), "mode": "trilinear"},
}


def volume_transform_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        options = VOLUME[name] | ({"device": device} if name in ON_DEVICE else {})
        transform = getattr(transforms, name)(**options)
        if isinstance(transform, transforms.Randomizable):
            transform.set_random_state(seed=0)
        transform(image_on(device, 8, 8, 8, channels=1))

    return use


uses.add_each("transform of volumes", VOLUME, volume_transform_use)


@uses.add
def intensity_remapping(device: torch.device) -> None:
    for remap in (transforms.IntensityRemap(), transforms.RandIntensityRemap(prob=1.0, channel_wise=False)):
        remap(torch.rand(2, 8, 8)).to(device).mean()


@uses.add
def activations(device: torch.device) -> None:
    logits = torch.randn(CLASSES, 8, 8, device=device)
    for options in ({"sigmoid": True}, {"softmax": True}, {"other": torch.tanh}):
        transforms.Activations(**options)(logits)
    for options in ({"argmax": True, "to_onehot": CLASSES}, {"threshold": 0.5}, {"rounding": "torchrounding"}):
        transforms.AsDiscrete(**options)(logits)


@uses.add
def ensembles(device: torch.device) -> None:
    predictions = torch.rand(3, CLASSES, 8, 8, device=device)
    transforms.MeanEnsemble(weights=[0.5, 0.3, 0.2])(predictions)
    transforms.MeanEnsemble()(list(predictions))
    transforms.VoteEnsemble(num_classes=CLASSES)(labels_on(device, 3, 1, 8, 8))
    transforms.VoteEnsemble()((predictions > 0.5).float())


@uses.add
def label_transforms(device: torch.device) -> None:
    labels = labels_on(device, 1, 12, 12)
    transforms.LabelFilter(applied_labels=(1, 2))(labels)
    transforms.FillHoles(applied_labels=(1,))(labels)
    transforms.LabelToContour()(blob_on(device, 12, 12))
    transforms.LabelToMask(select_labels=[1, 2])(labels)
    transforms.MapLabelValue(orig_labels=[0, 1, 2], target_labels=[2, 0, 1])(labels)
    transforms.ClassesToIndices(num_classes=CLASSES)(labels)
    transforms.FgBgToIndices()(labels)
    transforms.ConvertToMultiChannelBasedOnBratsClasses()(labels_on(device, 1, 8, 8, 8, classes=5))
    transforms.DistanceTransformEDT()(blob_on(device, 12, 12))
    transforms.AddExtremePointsChannel()(image_on(device, 12, 12, channels=1), blob_on(device, 12, 12))


@uses.add
def label_crops(device: torch.device) -> None:
    image, label = image_on(device, 16, 16), blob_on(device, 16, 16)
    transforms.RandCropByPosNegLabel((8, 8), label=label, num_samples=2, image=image)(image)
    transforms.RandCropByLabelClasses((8, 8), label=label, num_classes=2, ratios=[1, 2], num_samples=2)(image)
    transforms.RandWeightedCrop((8, 8), num_samples=2, weight_map=label)(image)
    transforms.MaskIntensity(mask_data=label)(image)
    transforms.IntensityStats(ops=["mean", "max", lambda x: x.std()], key_prefix="orig")(image, {})


@uses.add
def heatmaps(device: torch.device) -> None:
    points = torch.tensor([[4.0, 5.0], [8.0, 3.0]], device=device)
    transforms.GenerateHeatmap(sigma=1.5, spatial_shape=(12, 12))(points)
    transforms.ProbNMS(spatial_dims=2, prob_threshold=0.5, box_size=4, sigma=1.0)(torch.rand(12, 12, device=device))


@uses.add
def point_transforms(device: torch.device) -> None:
    image = image_on(device, 8, 8, 8)
    boxes = torch.tensor([[1.0, 1.0, 1.0, 4.0, 5.0, 6.0]], device=device)
    points = transforms.ConvertBoxToPoints()(boxes)
    transforms.ConvertPointsToBoxes()(points)
    apply = transforms.ApplyTransformToPoints(dtype=torch.float32, affine=image.affine.to(device))
    apply.inverse(apply(data.MetaTensor(points)))


@uses.add
def affine_grids(device: torch.device) -> None:
    grid, _ = transforms.AffineGrid(rotate_params=0.3, scale_params=(1.1, 0.9), device=device)(spatial_size=(12, 12))
    transforms.Resample(mode="bilinear", padding_mode="border", device=device)(image_on(device, 12, 12), grid)
    deform = transforms.RandDeformGrid((4, 4), (1, 2), device=device)((12, 12))
    transforms.RandAffineGrid(rotate_range=0.3, device=device)(grid=deform)
    for padding in ("zeros", "reflection"):
        transforms.Resample(mode="nearest", padding_mode=padding, device=device)(image_on(device, 12, 12), grid)
    transforms.SmoothField((3, 3), spatial_size=(8, 8), device=device)()


@uses.add
def matching_resample(device: torch.device) -> None:
    image, target = image_on(device, 12, 12, 4), image_on(device, 8, 8, 6)
    transforms.ResampleToMatch()(image, img_dst=target)
    transforms.SpatialResample()(image, dst_affine=torch.diag(torch.tensor([2.0, 2.0, 1.0, 1.0])))


@uses.add
def batch_regularization(device: torch.device) -> None:
    images, masks = torch.rand(4, 1, 8, 8), torch.rand(4, 1, 8, 8)
    for kind in (transforms.MixUp, transforms.CutMix):
        mixed, labels = kind(batch_size=4, alpha=1.0)(images, masks)
        nn.functional.mse_loss(mixed.to(device), labels.to(device))
    transforms.CutOut(batch_size=4)(images).to(device).mean()
    for kind in (transforms.MixUpd, transforms.CutMixd, transforms.CutOutd):
        kind(KEYS, batch_size=4)({"image": images, "label": masks})["image"].to(device).mean()


@uses.add
def kspace_transform(device: torch.device) -> None:
    fourier = transforms.Fourier()
    fourier.inv_shift_fourier(fourier.shift_fourier(torch.rand(1, 8, 8, device=device), 2), 2)


@uses.add
def morphological_operations(device: torch.device) -> None:
    mask = blob_on(device, 8, 8)[None]
    morphology.dilate(morphology.erode(mask, 3), 3)
    transforms.get_extreme_points(blob_on(device, 8, 8)[0])
    transforms.generate_spatial_bounding_box(blob_on(device, 8, 8), margin=1)
    transforms.distance_transform_edt(blob_on(device, 8, 8), return_indices=True)
    transforms.map_binary_to_indices(blob_on(device, 8, 8))
    transforms.rescale_array(torch.rand(4, 4, device=device))
    transforms.is_empty(mask)


@uses.add
def transform_mathematics(device: torch.device) -> None:
    values = torch.rand(4, 6, device=device)
    transforms.percentile(values, [5, 50, 95])
    transforms.clip(values, 0.2, 0.8)
    transforms.where(values > 0.5)
    transforms.nonzero(values.flatten() > 0.5)
    transforms.moveaxis(values, 0, 1)
    transforms.in1d(values, torch.tensor([0.5], device=device))
    transforms.unravel_index(torch.tensor(5, device=device), (4, 6))
    transforms.cumsum(values, 1)
    transforms.isfinite(values)
    transforms.repeat(values, 2, 0)
    transforms.maximum(values, values.flip(0))
    transforms.any_np_pt(values > 0.5, 1)
    transforms.mode((values * 3).long(), 1)
    transforms.allclose(values, values)
    transforms.concatenate([values, values], 0)
    transforms.stack([values, values], 0)


@uses.add
def transform_matrices(device: torch.device) -> None:
    for backend in ("numpy", "torch"):
        options = {"device": device, "backend": backend}
        transforms.create_grid((4, 4), **options)
        transforms.create_control_grid((8, 8), (4, 4), **options)
        transforms.create_rotate(3, (0.1, 0.2, 0.3), **options)
        transforms.create_shear(2, (0.1, 0.2), **options)
        transforms.create_scale(2, (1.1, 0.9), **options)
        transforms.create_translate(2, (1.0, 2.0), **options)


SIGNALS = {
    "SignalFillEmpty": {},
    "SignalRandAddGaussianNoise": {},
    "SignalRandAddSine": {},
    "SignalRandAddSinePartial": {},
    "SignalRandAddSquarePulse": {},
    "SignalRandAddSquarePulsePartial": {},
    "SignalRandDrop": {},
    "SignalRandScale": {},
    "SignalRandShift": {},
}


def signal_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        signals = getattr(transforms, name)(**SIGNALS[name])(torch.rand(2, 200))
        nn.Conv1d(2, 2, 3).to(device)(torch.as_tensor(signals)[None].float().to(device))

    return use


uses.add_each("signal", SIGNALS, signal_use)


# Pipelines


def samples(count: int, *size: int) -> list[dict[str, np.ndarray]]:
    generator = np.random.default_rng(0)
    images = [generator.random((1, *size), dtype=np.float32) for _ in range(count)]
    return [{"image": image, "label": (image > 0.7).astype(np.float32)} for image in images]


KEYS = ["image", "label"]
MODES = {"mode": ("bilinear", "nearest")}


def train_on(batches: object, device: torch.device) -> None:
    model = nets.UNet(2, 1, 1, channels=(4, 8), strides=(2,)).to(device)
    loss = losses.DiceLoss(sigmoid=True)
    for batch in batches:
        images, labels = batch["image"].to(device), batch["label"].to(device)
        loss(model(images), labels).backward()


PIPELINES = {
    "affine": lambda: [
        transforms.RandAffined(KEYS, prob=1.0, rotate_range=0.3, translate_range=2, padding_mode="zeros", **MODES),
        transforms.Affined(KEYS, rotate_params=0.1, **MODES),
        transforms.RandRotated(KEYS, range_x=0.3, prob=1.0, **MODES),
        transforms.Rotated(KEYS, angle=0.2, **MODES),
    ],
    "flip": lambda: [
        transforms.RandFlipd(KEYS, prob=0.5, spatial_axis=0),
        transforms.Flipd(KEYS, spatial_axis=1),
        transforms.RandRotate90d(KEYS, prob=0.5),
        transforms.Rotate90d(KEYS),
        transforms.RandAxisFlipd(KEYS, prob=1.0),
    ],
    "zoom": lambda: [
        transforms.RandZoomd(KEYS, prob=1.0, min_zoom=0.8, max_zoom=1.2, mode=("bilinear", "nearest")),
        transforms.Zoomd(KEYS, zoom=1.2, mode=("bilinear", "nearest")),
        transforms.Resized(KEYS, (24, 24), mode=("bilinear", "nearest")),
        transforms.Spacingd(KEYS, (1.5, 1.5), **MODES),
        transforms.ResizeWithPadOrCropd(KEYS, (16, 16)),
    ],
    "elastic": lambda: [
        transforms.Rand2DElasticd(KEYS, (8, 8), (1, 2), prob=1.0, **MODES),
        transforms.RandGridDistortiond(KEYS, prob=1.0, num_cells=3, **MODES),
        transforms.GridDistortiond(KEYS, 2, [(1.2, 0.9, 1.0), (1.1, 0.8, 1.0)], **MODES),
        transforms.RandSmoothDeformd(KEYS, (16, 16), (4, 4), prob=1.0, grid_mode="nearest"),
    ],
    "crop": lambda: [
        transforms.CropForegroundd(KEYS, source_key="image"),
        transforms.SpatialPadd(KEYS, (20, 20)),
        transforms.RandSpatialCropd(KEYS, (18, 18), random_size=False),
        transforms.CenterSpatialCropd(KEYS, (17, 17)),
        transforms.RandScaleCropd(KEYS, 0.95),
        transforms.CenterScaleCropd(KEYS, 0.99),
        transforms.BorderPadd(KEYS, 1),
        transforms.DivisiblePadd(KEYS, 4),
        transforms.SpatialCropd(KEYS, roi_start=(0, 0), roi_end=(12, 12)),
    ],
    "intensity": lambda: [
        transforms.RandGaussianNoised("image", prob=1.0),
        transforms.RandGaussianSmoothd("image", prob=1.0),
        transforms.RandGaussianSharpend("image", prob=1.0),
        transforms.RandScaleIntensityd("image", 0.2, prob=1.0),
        transforms.RandShiftIntensityd("image", 0.2, prob=1.0),
        transforms.RandAdjustContrastd("image", prob=1.0),
        transforms.RandHistogramShiftd("image", prob=1.0),
        transforms.RandBiasFieldd("image", prob=1.0),
        transforms.NormalizeIntensityd("image", channel_wise=True),
    ],
    "noise": lambda: [
        transforms.RandRicianNoised("image", prob=1.0),
        transforms.RandStdShiftIntensityd("image", 0.2, prob=1.0),
        transforms.RandScaleIntensityFixedMeand("image", 0.2, prob=1.0),
        transforms.RandGibbsNoised("image", prob=1.0),
        transforms.RandKSpaceSpikeNoised("image", prob=1.0),
        transforms.RandCoarseDropoutd("image", 2, 4, prob=1.0),
        transforms.RandCoarseShuffled("image", 2, 4, prob=1.0),
        transforms.RandSimulateLowResolutiond("image", prob=1.0, upsample_mode="bilinear"),
        transforms.RandSmoothFieldAdjustContrastd("image", (16, 16), (4, 4), prob=1.0),
        transforms.RandSmoothFieldAdjustIntensityd("image", (16, 16), (4, 4), prob=1.0),
    ],
    "scaling": lambda: [
        transforms.ScaleIntensityd("image"),
        transforms.ScaleIntensityRanged("image", 0.0, 1.0, 0.0, 2.0, clip=True),
        transforms.ScaleIntensityRangePercentilesd("image", 5, 95, 0.0, 1.0),
        transforms.ClipIntensityPercentilesd("image", 5, 95),
        transforms.ShiftIntensityd("image", 0.1),
        transforms.StdShiftIntensityd("image", 0.1),
        transforms.AdjustContrastd("image", 1.2),
        transforms.ThresholdIntensityd("image", 0.01),
        transforms.GaussianSmoothd("image", 0.5),
        transforms.GaussianSharpend("image"),
        transforms.MedianSmoothd("image", 1),
        transforms.HistogramNormalized("image", num_bins=16),
        transforms.SavitzkyGolaySmoothd("image", 3, 1),
        transforms.GibbsNoised("image", alpha=0.2),
        transforms.MaskIntensityd("image", mask_key="label"),
    ],
    "utility": lambda: [
        transforms.Identityd(KEYS),
        transforms.CastToTyped(KEYS, (torch.float32, torch.float32)),
        transforms.CopyItemsd("image", names="copy"),
        transforms.ConcatItemsd(["image", "copy"], "both"),
        transforms.SplitDimd("both"),
        transforms.RepeatChanneld("copy", 2),
        transforms.RemoveRepeatedChanneld("copy", 2),
        transforms.AddCoordinateChannelsd("copy", (0, 1)),
        transforms.Lambdad("image", lambda x: x * 2),
        transforms.RandLambdad("image", lambda x: x + 1),
        transforms.LabelToMaskd("label", [1]),
        transforms.Transposed(KEYS, (0, 2, 1)),
        transforms.SobelGradientsd("image", new_key_prefix="grad_"),
        transforms.FgBgToIndicesd("label"),
        transforms.DeleteItemsd(["label_fg_indices", "label_bg_indices"]),
        transforms.SelectItemsd(KEYS),
    ],
}


def pipeline_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        pipeline = transforms.Compose([transforms.EnsureTyped(KEYS), *PIPELINES[name](), transforms.ToTensord(KEYS)])
        pipeline.set_random_state(0)
        train_on(data.DataLoader(data.Dataset(samples(3, 16, 16), pipeline), batch_size=1), device)

    return use


uses.add_each("pipeline", PIPELINES, pipeline_use)


@uses.add
def pipeline_on_the_device(device: torch.device) -> None:
    pipeline = transforms.Compose(
        [
            transforms.EnsureTyped(KEYS, device=device, track_meta=True),
            transforms.RandCropByPosNegLabeld(KEYS, "label", (12, 12), num_samples=2),
            transforms.RandAffined(KEYS, prob=1.0, rotate_range=0.3, device=device, **MODES),
            transforms.RandGaussianNoised("image", prob=1.0),
            transforms.RandScaleIntensityd("image", 0.1, prob=1.0),
        ]
    )
    dataset = data.CacheDataset(samples(3, 16, 16), pipeline, cache_rate=1.0, num_workers=0, progress=False)
    train_on(data.ThreadDataLoader(dataset, num_workers=0, batch_size=2), device)


@uses.add
def lazy_pipeline(device: torch.device) -> None:
    steps = [
        transforms.EnsureTyped(KEYS, device=device),
        transforms.Rotated(KEYS, angle=0.3, **MODES),
        transforms.RandFlipd(KEYS, prob=1.0),
        transforms.Zoomd(KEYS, zoom=1.2, mode=("bilinear", "nearest")),
        transforms.SpatialPadd(KEYS, (20, 20)),
        transforms.CenterSpatialCropd(KEYS, (16, 16)),
    ]
    transforms.Compose(steps, lazy=True)(samples(1, 16, 16)[0])
    transforms.Compose([*steps, transforms.ApplyPendingd(KEYS)], lazy=None)(samples(1, 16, 16)[0])


@uses.add
def choices_of_transforms(device: torch.device) -> None:
    flips = [transforms.Flip(0), transforms.Flip(1), transforms.Rotate90()]
    image = image_on(device, 12, 12)
    for compose in (
        transforms.OneOf(flips, weights=[0.2, 0.3, 0.5]),
        transforms.RandomOrder(flips),
        transforms.SomeOf(flips, num_transforms=2),
    ):
        compose.set_random_state(0)
        compose.inverse(compose(image))


@uses.add
def post_processing(device: torch.device) -> None:
    pipeline = transforms.Compose([transforms.EnsureTyped(KEYS), transforms.Zoomd(KEYS, 0.8, keep_size=False)])
    loader = data.DataLoader(data.Dataset(samples(2, 16, 16), pipeline), batch_size=2)
    post = transforms.Compose(
        [
            transforms.Activationsd("pred", sigmoid=True),
            transforms.Invertd("pred", pipeline, orig_keys="image", nearest_interp=False, device=device),
            transforms.AsDiscreted("pred", threshold=0.5),
            transforms.FillHolesd("pred"),
        ]
    )
    model = nn.Conv2d(1, 1, 3, padding=1).to(device)
    for batch in loader:
        with torch.no_grad():
            batch["pred"] = model(batch["image"].to(device))
        for item in data.decollate_batch(batch):
            post(item)


@uses.add
def ensemble_post_processing(device: torch.device) -> None:
    item = {f"pred{i}": torch.rand(CLASSES, 8, 8, device=device) for i in range(3)}
    keys = list(item)
    transforms.MeanEnsembled(keys, output_key="mean")(item)
    transforms.Compose(
        [
            transforms.AsDiscreted(keys, argmax=True),
            transforms.VoteEnsembled(keys, output_key="vote", num_classes=CLASSES),
            transforms.LabelFilterd("vote", [1, 2]),
            transforms.LabelToContourd("vote"),
        ]
    )(item)


@uses.add
def test_time_augmentation(device: torch.device) -> None:
    pipeline = transforms.Compose([transforms.EnsureTyped(KEYS), transforms.RandFlipd(KEYS, prob=0.5)])
    model = nn.Conv2d(1, 1, 3, padding=1).to(device)
    augmentation = data.TestTimeAugmentation(
        pipeline, batch_size=2, num_workers=0, inferrer_fn=model, device=device, output_device=device, progress=False
    )
    with torch.no_grad():
        augmentation(samples(1, 16, 16)[0], num_examples=4)


@uses.add
def inverting_batches(device: torch.device) -> None:
    pipeline = transforms.Compose([transforms.EnsureTyped(KEYS), transforms.RandZoomd(KEYS, 1.0, keep_size=False)])
    loader = data.DataLoader(data.Dataset(samples(2, 16, 16), pipeline), batch_size=1)
    inverse = transforms.BatchInverseTransform(pipeline, loader)
    for batch in loader:
        nn.Conv2d(1, 1, 3).to(device)(batch["image"].to(device))
        with transforms.allow_missing_keys_mode(pipeline):
            inverse(batch)


# Datasets


@uses.add
def cached_datasets(device: torch.device) -> None:
    pipeline = transforms.Compose([transforms.EnsureTyped(KEYS), transforms.RandFlipd(KEYS, prob=0.5)])
    with tempfile.TemporaryDirectory() as folder:
        for dataset in (
            data.PersistentDataset(samples(3, 16, 16), pipeline, cache_dir=f"{folder}/persistent"),
            data.CacheNTransDataset(samples(3, 16, 16), pipeline, 1, cache_dir=f"{folder}/first"),
            data.CacheDataset(samples(3, 16, 16), pipeline, cache_num=2, num_workers=0, progress=False),
        ):
            train_on(data.DataLoader(dataset, batch_size=2), device)
    smart = data.SmartCacheDataset(
        samples(4, 16, 16),
        pipeline,
        replace_rate=0.5,
        cache_num=2,
        num_init_workers=1,
        num_replace_workers=1,
        progress=False,
    )
    smart.start()
    train_on(data.DataLoader(smart, batch_size=2), device)
    smart.update_cache()
    smart.shutdown()


@uses.add
def patch_datasets(device: torch.device) -> None:
    patches = data.PatchIterd(keys=KEYS, patch_size=(None, 8, 8), start_pos=(0, 0, 0))
    grid = data.GridPatchDataset(samples(2, 16, 16), patches, with_coordinates=False)
    train_on(data.DataLoader(grid, batch_size=4), device)
    sampler = transforms.RandSpatialCropSamplesd(KEYS, (8, 8), num_samples=2, random_size=False)
    train_on(data.DataLoader(data.PatchDataset(samples(2, 16, 16), sampler, 2), batch_size=2), device)


@uses.add
def array_datasets(device: torch.device) -> None:
    images = [item["image"] for item in samples(4, 16, 16)]
    flip = transforms.Compose([transforms.EnsureType(), transforms.RandFlip(0.5)])
    dataset = data.ArrayDataset(images, flip, images, flip)
    for first, second in data.DataLoader(dataset, batch_size=2):
        nn.functional.mse_loss(first.to(device), second.to(device))
    zipped = data.ZipDataset([images, list(range(4))])
    for first, second in data.DataLoader(zipped, batch_size=2):
        first.to(device).mean((1, 2, 3)) + second.to(device)
    shuffled = data.ShuffleBuffer(samples(4, 16, 16), transforms.EnsureTyped(KEYS), buffer_size=2)
    train_on(data.DataLoader(shuffled, batch_size=2), device)
    train_on(data.ThreadBuffer(data.DataLoader(data.Dataset(samples(2, 16, 16)), batch_size=1)), device)


@uses.add
def image_files(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{i}.npy" for i in range(2)]
        for path in paths:
            np.save(path, np.random.default_rng(0).random((16, 16), dtype=np.float32))
        pipeline = transforms.Compose(
            [transforms.LoadImage(image_only=True), transforms.EnsureChannelFirst(channel_dim="no_channel")]
        )
        for image in data.DataLoader(data.Dataset(paths, pipeline), batch_size=2):
            image.to(device).mean()
        saver = transforms.SaveImage(folder, output_ext=".png", print_log=False, separate_folder=False, scale=255)
        saver(image_on(device, 16, 16, channels=1))
        reader = transforms.LoadImaged("image", reader="PILReader", ensure_channel_first=True)
        written = sorted(Path(folder).glob("*.png"))
        reader({"image": written[0]})["image"].to(device)


@uses.add
def dataset_summary(device: torch.device) -> None:
    items = [
        {
            "image": image_on(torch.device("cpu"), 8, 8, 8, channels=1),
            "label": data.MetaTensor(labels_on(torch.device("cpu"), 1, 8, 8, 8)),
        }
        for _ in range(3)
    ]
    summary = data.DatasetSummary(data.Dataset(items), num_workers=0)
    summary.get_target_spacing()
    summary.calculate_statistics()
    summary.calculate_percentiles()
    scale = transforms.NormalizeIntensity(summary.data_mean, summary.data_std)
    scale(items[0]["image"].to(device))


@uses.add
def data_partitions(device: torch.device) -> None:
    data.partition_dataset(list(range(10)), ratios=[8, 2], shuffle=True)
    data.partition_dataset_classes(list(range(8)), [0, 0, 1, 1, 0, 1, 0, 1], num_partitions=2)
    data.resample_datalist(list(range(10)), 0.5, random_pick=True)
    folds = data.partition_dataset(samples(4, 16, 16), num_partitions=2)
    train_on(data.DataLoader(data.Dataset(data.select_cross_validation_folds(folds, [0])), batch_size=2), device)


@uses.add
def synthetic_images(device: torch.device) -> None:
    image, mask = data.create_test_image_2d(64, 64, num_objs=3, rad_max=10, num_seg_classes=2)
    volume, labels = data.create_test_image_3d(32, 32, 32, num_objs=2, rad_max=6, noise_max=0.1)
    losses.DiceLoss()(torch.as_tensor(image)[None, None].to(device), torch.as_tensor(mask)[None, None].to(device))
    losses.DiceLoss()(torch.as_tensor(volume)[None, None].to(device), torch.as_tensor(labels)[None, None].to(device))


@uses.add
def patches_of_arrays(device: torch.device) -> None:
    image = torch.rand(16, 16, device=device)
    for patch in data.dense_patch_slices((16, 16), (8, 8), (4, 4)):
        image[patch].mean()
    for patch, _ in data.iter_patch(np.zeros((8, 8), dtype=np.float32), (4, 4), copy_back=False):
        torch.as_tensor(patch).to(device).mean()
    data.compute_importance_map((8, 8), mode="gaussian", device=device)
    image[data.get_random_patch((16, 16), (8, 8))].mean()


@uses.add
def meta_tensors(device: torch.device) -> None:
    image = image_on(device, 8, 8, 8)
    total = image + image.clone() * 2
    total.mean((1, 2, 3)).as_tensor()
    total[0, 1:3].astype(torch.float16)
    total.set_array(torch.zeros(2, 8, 8, 8, device=device))
    batch = torch.stack([image, total])
    batch.is_batch = True
    batch[0].peek_pending_shape()
    image.new_empty((2, 2))
    image.as_dict("image")
    image.get_array(output_type=np.ndarray)
    repr(image)
    image.pixdim.sum()
    data.set_track_meta(True)
    transforms.FromMetaTensord("image")({"image": image})
    transforms.ToMetaTensord("image")({"image": image})


@uses.add
def collation(device: torch.device) -> None:
    items = [{"image": torch.rand(1, n, n), "index": n} for n in (8, 10)]
    batch = data.pad_list_data_collate(items)
    for item in data.decollate_batch(utils.copy_to_device(batch, device)):
        item["image"].mean()
    data.list_data_collate([[{"image": torch.rand(1, 4, 4)}], [{"image": torch.rand(1, 4, 4)}]])


@uses.add
def affine_utilities(device: torch.device) -> None:
    affine = torch.diag(torch.tensor([2.0, 2.0, 3.0, 1.0], dtype=torch.float64))
    data.affine_to_spacing(affine)
    data.to_affine_nd(2, affine)
    data.zoom_affine(affine.numpy(), (1.0, 1.0, 1.0))
    data.compute_shape_offset((8, 8, 8), affine.numpy(), np.eye(4))
    data.MetaTensor(torch.rand(1, 4, 4, 4, device=device), affine=data.orientation_ras_lps(affine)).mean()


# Detection


def boxes_on(device: torch.device, count: int, dims: int = 2) -> torch.Tensor:
    corner = torch.rand(count, dims) * 20
    return torch.cat([corner, corner + 4 + torch.rand(count, dims) * 8], dim=1).to(device)


@uses.add
def box_functions(device: torch.device) -> None:
    for dims in (2, 3):
        boxes, others = boxes_on(device, 6, dims), boxes_on(device, 4, dims)
        box_utils.box_iou(boxes, others)
        box_utils.box_giou(boxes, others)
        box_utils.box_pair_giou(boxes, boxes.flip(0))
        box_utils.boxes_center_distance(boxes, others)
        box_utils.centers_in_boxes(box_utils.box_centers(boxes), boxes)
        box_utils.box_area(boxes)
        box_utils.clip_boxes_to_image(boxes, (24,) * dims)
        box_utils.spatial_crop_boxes(boxes, (2,) * dims, (20,) * dims)
        scores, labels = torch.rand(6, device=device), labels_on(device, 6)
        box_utils.non_max_suppression(boxes, scores, 0.3)
        box_utils.batched_nms(boxes, scores, labels, 0.3, max_proposals=3)
        for mode in ("xywh" if dims == 2 else "xyzwhd", "ccwh" if dims == 2 else "cccwhd"):
            box_utils.convert_box_to_standard_mode(box_utils.convert_box_mode(boxes, dst_mode=mode), mode)


@uses.add
def box_array_transforms(device: torch.device) -> None:
    boxes, labels = boxes_on(device, 5), labels_on(device, 5)
    box_transforms.array.ConvertBoxMode(dst_mode="ccwh")(boxes)
    box_transforms.array.ConvertBoxToStandardMode(mode="xyxy")(boxes)
    box_transforms.array.AffineBox()(boxes, torch.eye(3, device=device))
    box_transforms.array.ZoomBox(1.5, keep_size=True)(boxes, (32, 32))
    box_transforms.array.ResizeBox((16, 16))(boxes, (32, 32))
    box_transforms.array.FlipBox(0)(boxes, (32, 32))
    box_transforms.array.RotateBox90(1)(boxes, (32, 32))
    box_transforms.array.ClipBoxToImage(remove_empty=True)(boxes, labels, (24, 24))
    mask = box_transforms.array.BoxToMask(bg_label=-1)(boxes, labels, (32, 32))
    box_transforms.array.MaskToBox()(mask)
    box_transforms.array.SpatialCropBox(roi_start=(2, 2), roi_end=(20, 20))(boxes, labels)


@uses.add
def box_pipeline(device: torch.device) -> None:
    steps = box_transforms.dictionary
    pipeline = transforms.Compose(
        [
            transforms.EnsureTyped(["image", "box", "label"]),
            steps.StandardizeEmptyBoxd("box", "image"),
            steps.ConvertBoxToStandardModed("box", "xyxy"),
            steps.AffineBoxToImageCoordinated("box", "image"),
            steps.RandZoomBoxd("image", "box", "image", prob=1.0, min_zoom=0.9, max_zoom=1.1),
            steps.RandFlipBoxd("image", "box", "image", prob=1.0, spatial_axis=0),
            steps.RandRotateBox90d("image", "box", "image", prob=1.0, max_k=3),
            steps.ClipBoxToImaged("box", ["label"], "image", remove_empty=True),
            steps.BoxToMaskd("box", "mask", "label", box_ref_image_keys="image", min_fg_label=0),
            steps.MaskToBoxd("box", "mask", "label", min_fg_label=0),
            transforms.DeleteItemsd("mask"),
            steps.RandCropBoxByPosNegLabeld("image", "box", ["label"], (16, 16), whole_box=False, num_samples=2),
        ]
    )
    pipeline.set_random_state(0)
    cpu = torch.device("cpu")
    item = {"image": image_on(cpu, 32, 32, channels=1), "box": boxes_on(cpu, 3), "label": torch.tensor([0, 1, 2])}
    for crop in pipeline(item):
        box_utils.box_area(crop["box"].to(device))


class Features(nn.Module):
    """A small feature extractor with two levels."""

    out_channels = 8

    def __init__(self) -> None:
        super().__init__()
        self.fine, self.coarse = nn.Conv2d(1, 8, 3, stride=4, padding=1), nn.Conv2d(8, 8, 3, stride=2, padding=1)

    def forward(self, images: torch.Tensor) -> dict[str, torch.Tensor]:
        fine = self.fine(images)
        return {"fine": fine, "coarse": self.coarse(fine)}


def detector_on(device: torch.device) -> RetinaNetDetector:
    anchors = AnchorGeneratorWithAnchorShape(feature_map_scales=(1, 2), base_anchor_shapes=((8, 8), (6, 10)))
    network = RetinaNet(2, CLASSES, anchors.num_anchors_per_location()[0], Features(), size_divisible=(16, 16))
    return RetinaNetDetector(network, anchors).to(device)


@uses.add
def retina_net(device: torch.device) -> None:
    detector = detector_on(device)
    images = [torch.rand(1, 32, 32, device=device) for _ in range(2)]
    train_step(detector.network, torch.stack(images))
    detector.set_box_selector_parameters(score_thresh=0.01, topk_candidates_per_level=50, nms_thresh=0.2)
    detector.set_sliding_window_inferer(roi_size=(32, 32), overlap=0.25, sw_batch_size=1, mode="constant")
    detector.eval()
    with torch.no_grad():
        detector(images, use_inferer=False)
        detector([torch.rand(1, 48, 48, device=device)], use_inferer=True)


@uses.add
def anchors_and_matching(device: torch.device) -> None:
    images, features = torch.rand(1, 1, 32, 32, device=device), [torch.rand(1, 4, 8, 8, device=device)]
    anchors = AnchorGenerator(sizes=((8, 12),), aspect_ratios=((0.5, 1.0),))(images, features)
    boxes = boxes_on(device, 3)
    _, matches = ATSSMatcher(num_candidates=4)(boxes, anchors[0], [len(anchors[0])], 4)
    coder = BoxCoder(weights=(1.0,) * 4)
    codes = coder.encode_single(boxes, boxes_on(device, 3))
    coder.decode_single(codes, boxes)
    HardNegativeSampler(8, 0.5)([(matches >= 0).float()], torch.rand(len(matches), device=device))


@uses.add
def detection_metrics(device: torch.device) -> None:
    predictions = [boxes_on(device, 4) for _ in range(2)]
    as_arrays = {
        "pred_boxes": [boxes.cpu().numpy() for boxes in predictions],
        "pred_classes": [np.array([0, 1, 2, 0])] * 2,
        "pred_scores": [np.array([0.9, 0.8, 0.7, 0.6])] * 2,
        "gt_boxes": [boxes.cpu().numpy()[:3] for boxes in predictions],
        "gt_classes": [np.array([0, 1, 2])] * 2,
    }
    metric = COCOMetric(classes=["a", "b", "c"], iou_list=[0.1, 0.5], max_detection=[10], verbose=False)
    metric(matching_batch(iou_fn=box_utils.box_iou, iou_thresholds=metric.iou_thresholds, **as_arrays))


# Reconstruction


@uses.add
def complex_numbers(device: torch.device) -> None:
    first, second = torch.rand(2, 8, 8, 2, device=device), torch.rand(2, 8, 8, 2, device=device)
    complex_utils.complex_abs(first)
    complex_utils.complex_mul(first, complex_utils.complex_conj(second))
    complex_utils.convert_to_tensor_complex(np.ones((4, 4), dtype=np.complex64)).to(device)
    mri_utils.root_sum_of_squares(first[..., 0], spatial_dim=0)
    fft_utils.ifftn_centered(fft_utils.fftn_centered(first, spatial_dims=2), spatial_dims=2)


@uses.add
def variational_network(device: torch.device) -> None:
    options = {"spatial_dims": 2, "features": (4, 4, 4, 4, 4, 4)}
    refinement = ComplexUnet(**options, pad_factor=32)
    coils = CoilSensitivityModel(**options)
    model = VariationalNetworkModel(coils, refinement, num_cascades=2).to(device)
    mask = torch.zeros(1, 1, 1, 32, 1, dtype=torch.bool, device=device)
    mask[:, :, :, 8:24] = True
    measured = torch.rand(1, 2, 32, 32, 2, device=device) * mask
    train_and_infer(model, measured, mask)


@uses.add
def kspace_masks(device: torch.device) -> None:
    for kind in (kspace.RandomKspaceMask, kspace.EquispacedKspaceMask):
        mask = kind(center_fractions=[0.2], accelerations=[4], spatial_dims=2, is_complex=True)
        mask.set_random_state(0)
        masked, images = mask(torch.rand(2, 16, 16, 2))
        torch.as_tensor(images).to(device).mean() + torch.as_tensor(masked).to(device).mean()


# Applications


@uses.add
def stain_transforms(device: torch.device) -> None:
    image = np.random.default_rng(0).integers(40, 220, (16, 16, 3)).astype(np.uint8)
    ExtractHEStains()(image)
    torch.as_tensor(NormalizeHEStains()(image)).to(device).float().mean()


@uses.add
def interactive_guidance(device: torch.device) -> None:
    item = {
        "image": np.random.default_rng(0).random((8, 16, 16), dtype=np.float32),
        "image_meta_dict": {"spatial_shape": np.array([16, 16, 8])},
        "foreground": [[4, 5, 0], [8, 9, 0]],
        "background": [[1, 1, 0]],
    }
    item = deepgrow.AddGuidanceFromPointsd(ref_image="image", spatial_dims=3)(item)
    item["image"] = item["image"][None]
    item = deepgrow.AddGuidanceSignald(image="image")(item)
    nn.Conv3d(3, 1, 3).to(device)(torch.as_tensor(item["image"])[None].float().to(device))


@uses.add
def deep_edit_guidance(device: torch.device) -> None:
    names = {"organ": 1, "background": 0}
    image = data.MetaTensor(torch.rand(1, 8, 8, 8), meta={"spatial_shape": np.array([8, 8, 8])})
    label = data.MetaTensor(blob_on(torch.device("cpu"), 8, 8, 8), meta={"filename_or_obj": "label"})
    item = {"image": image, "label": label, "organ": [[4, 4, 4]], "background": [[1, 1, 1]]}
    for step in (
        deepedit.NormalizeLabelsInDatasetd("label", label_names=names),
        deepedit.AddGuidanceFromPointsDeepEditd(ref_image="image", label_names=names),
        deepedit.AddGuidanceSignalDeepEditd("image"),
    ):
        item = step(item)
    nn.Conv3d(3, 1, 3).to(device)(torch.as_tensor(item["image"])[None].float().to(device))


@uses.add
def segmentation_summary(device: torch.device) -> None:
    summarizer = SegSummarizer("image", "label", do_ccp=False)
    for _ in range(2):
        item = {
            "image": image_on(device, 8, 8, 8),
            "label": data.MetaTensor(labels_on(device, 8, 8, 8), meta={"filename_or_obj": "label"}),
        }
        case = summarizer(item)
    summarizer.summarize([case, case])


# Further options


MORE_PIPELINES = {
    "label": lambda: [
        transforms.AddExtremePointsChanneld("image", "label"),
        transforms.DistanceTransformEDTd("label"),
        transforms.ClassesToIndicesd("label", num_classes=2),
        transforms.MapLabelValued("label", [0, 1], [1, 0]),
        transforms.LabelFilterd("label", [1]),
        transforms.DeleteItemsd("label_cls_indices"),
        transforms.SplitDimd("image", list_output=True),
        transforms.Lambdad("label", lambda x: (x > 0).float()),
        transforms.SelectItemsd(KEYS),
        transforms.Lambdad("image", lambda x: x[:1]),
    ],
    "filters": lambda: [
        transforms.ImageFilterd("image", "gauss", sigma=1.0),
        transforms.RandImageFilterd("image", "median", 3, prob=1.0),
        transforms.ScaleIntensityd("image", factor=0.1, minv=None, maxv=None),
        transforms.KSpaceSpikeNoised("image", loc=(0, 4, 4)),
        transforms.SimulateDelayd("image"),
        transforms.IntensityStatsd("image", ops=["mean", "std"], key_prefix="orig"),
    ],
    "layout": lambda: [
        transforms.AsChannelLastd(KEYS),
        transforms.EnsureChannelFirstd(KEYS, channel_dim=-1),
        transforms.RepeatChanneld(KEYS, 2),
        transforms.SplitDimd(KEYS, output_postfixes=["a", "b"]),
        transforms.SelectItemsd(["image_a", "label_a"]),
        transforms.CopyItemsd(["image_a", "label_a"], names=KEYS),
        transforms.SqueezeDimd(KEYS, dim=0),
        transforms.EnsureChannelFirstd(KEYS, channel_dim="no_channel"),
        transforms.ToNumpyd(KEYS),
        transforms.EnsureTyped(KEYS, track_meta=False),
    ],
    "resampling": lambda: [
        transforms.SpatialResampled(KEYS, mode=("bilinear", "nearest"), dst_keys="affine"),
        transforms.ResampleToMatchd("label", key_dst="image", mode="nearest"),
        transforms.RandSpatialCropd(KEYS, (8, 8), random_size=False),
        transforms.ResizeWithPadOrCropd(KEYS, (12, 12)),
    ],
}


def more_pipeline_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        pipeline = transforms.Compose([transforms.EnsureTyped(KEYS), *MORE_PIPELINES[name]()])
        items = [item | {"affine": torch.eye(4)} for item in samples(2, 16, 16)]
        train_on([data.list_data_collate([pipeline(item)]) for item in items], device)

    return use


uses.add_each("pipeline of", MORE_PIPELINES, more_pipeline_use)


@uses.add
def sampled_crops(device: torch.device) -> None:
    for crop in (
        transforms.RandCropByLabelClassesd(KEYS, "label", (8, 8), num_classes=2, ratios=[1, 1], num_samples=2),
        transforms.RandWeightedCropd(KEYS, w_key="label", spatial_size=(8, 8), num_samples=2),
        transforms.RandSpatialCropSamplesd(KEYS, (8, 8), num_samples=2, random_size=False),
        transforms.GridSplitd(KEYS, grid=(2, 2)),
    ):
        pipeline = transforms.Compose([transforms.EnsureTyped(KEYS), crop])
        train_on(data.DataLoader(data.Dataset(samples(2, 16, 16), pipeline), batch_size=1), device)


@uses.add
def grid_patches(device: torch.device) -> None:
    for patches in (
        transforms.GridPatchd(KEYS, (8, 8), threshold=100.0),
        transforms.RandGridPatchd(KEYS, (8, 8), num_patches=2, sort_fn="random"),
    ):
        item = patches(samples(1, 16, 16)[0])
        nn.Conv2d(1, 1, 3).to(device)(torch.as_tensor(item["image"]).to(device))


@uses.add
def pipelines_of_volumes(device: torch.device) -> None:
    modes = {"mode": ("bilinear", "nearest")}
    pipeline = transforms.Compose(
        [
            transforms.EnsureTyped(KEYS),
            transforms.Rand3DElasticd(KEYS, (1, 2), (1, 2), prob=1.0, **modes),
            transforms.RandAffined(
                KEYS, prob=1.0, rotate_range=(0.1, 0.1, 0.1), cache_grid=True, spatial_size=(8, 8, 8)
            ),
            transforms.RandRotated(KEYS, range_x=0.2, range_y=0.2, range_z=0.2, prob=1.0, **modes),
            transforms.RandZoomd(KEYS, prob=1.0, mode=("trilinear", "nearest")),
            transforms.Spacingd(KEYS, (1.2, 1.2, 1.2), **modes),
            transforms.Resized(KEYS, (8, 8, 8), mode=("trilinear", "nearest")),
        ]
    )
    item = pipeline(samples(1, 8, 8, 8)[0])
    nn.Conv3d(1, 1, 3).to(device)(item["image"][None].to(device))


@uses.add
def inverted_pipelines(device: torch.device) -> None:
    for name in ("affine", "flip", "zoom", "crop"):
        pipeline = transforms.Compose([transforms.EnsureTyped(KEYS, device=device), *PIPELINES[name]()])
        pipeline.set_random_state(0)
        pipeline.inverse(pipeline(samples(1, 16, 16)[0]))


@uses.add
def lazy_volumes(device: torch.device) -> None:
    image = image_on(device, 8, 8, 8, channels=1)
    steps = [
        transforms.RandAffine(1.0, rotate_range=(0.1, 0.1, 0.1), device=device),
        transforms.Flip(0),
        transforms.Rotate90(1),
        transforms.RandZoom(1.0, mode="trilinear"),
        transforms.Spacing((1.2, 1.2, 1.2)),
        transforms.RandSpatialCrop((6, 6, 6), random_size=False),
    ]
    pipeline = transforms.Compose(steps, lazy=True)
    pipeline.inverse(pipeline(image))


@uses.add
def fixed_box_pipeline(device: torch.device) -> None:
    steps = box_transforms.dictionary
    pipeline = transforms.Compose(
        [
            steps.ConvertBoxModed("box", dst_mode="ccwh"),
            steps.ConvertBoxToStandardModed("box", mode="ccwh"),
            steps.ZoomBoxd("image", "box", "image", zoom=[1.2, 1.2]),
            steps.FlipBoxd("image", "box", "image", spatial_axis=1),
            steps.RotateBox90d("image", "box", "image", k=1),
            steps.AffineBoxToWorldCoordinated("box", "image"),
        ]
    )
    cpu = torch.device("cpu")
    item = pipeline({"image": image_on(cpu, 32, 32, channels=1), "box": data.MetaTensor(boxes_on(cpu, 3))})
    box_utils.box_area(torch.as_tensor(item["box"]).to(device))
    box_utils.box_area(pipeline.inverse(item)["box"].to(device))


@uses.add
def kspace_pipeline(device: torch.device) -> None:
    for kind in (kspace_dictionary.RandomKspaceMaskd, kspace_dictionary.EquispacedKspaceMaskd):
        pipeline = transforms.Compose(
            [
                kind(["kspace"], center_fractions=[0.2], accelerations=[4], spatial_dims=2, is_complex=True),
                kspace_dictionary.ReferenceBasedSpatialCropd(["kspace_masked_ifft"], ref_key="target"),
                kspace_dictionary.ReferenceBasedNormalizeIntensityd(
                    ["kspace_masked_ifft"], ref_key="kspace_masked_ifft", channel_wise=True
                ),
            ]
        )
        item = pipeline({"kspace": torch.rand(2, 16, 16, 2), "target": torch.rand(1, 12, 12)})
        item["kspace_masked_ifft"].to(device).mean()


@uses.add
def adapted_transforms(device: torch.device) -> None:
    def noise(image: torch.Tensor) -> torch.Tensor:
        return image + torch.rand_like(image)

    adapted = transforms.adaptor(noise, outputs="image", inputs="image")
    adapted({"image": torch.rand(1, 4, 4, device=device), "label": 1})
    transforms.Lambda(noise)(image_on(device, 4, 4))
    transforms.RandLambda(noise, prob=1.0)(image_on(device, 4, 4))


@uses.add
def windows_of_volumes(device: torch.device) -> None:
    def network(patches: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"logits": patches, "features": patches * 2}

    volume = torch.rand(2, 1, 12, 12, 12, device=device)
    inferers.sliding_window_inference(volume, (8, 8, 8), 2, network, overlap=0.5, mode="gaussian")
    for dim in (0, 1, 2):
        slices = inferers.SliceInferer(roi_size=(8, 8), spatial_dim=dim, sw_batch_size=4)
        slices(volume[:1], nn.Conv2d(1, 1, 3, padding=1).to(device))
    inferers.SlidingWindowInferer((8, 8, 8), 2, with_coord=True)(volume, lambda patches, coordinates: patches)


@uses.add
def conditioned_diffusion(device: torch.device) -> None:
    class Conditioned(Denoiser):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(2, 1, 3, padding=1)

    for prediction in ("epsilon", "sample", "v_prediction"):
        scheduler = schedulers.DDPMScheduler(20, schedule="sigmoid_beta", prediction_type=prediction)
        inferer, model = inferers.DiffusionInferer(scheduler), Conditioned().to(device)
        images, condition = torch.rand(2, 2, 1, 8, 8, device=device)
        timesteps = torch.randint(0, 20, (2,), device=device)
        options = {"condition": condition, "mode": "concat"}
        inferer(images, model, torch.randn_like(images), timesteps, **options).mean().backward()
        scheduler.set_timesteps(3, device=device)
        inferer.sample(torch.randn_like(images), model, conditioning=condition, mode="concat", verbose=False)


@uses.add
def reversed_sampling(device: torch.device) -> None:
    scheduler = schedulers.DDIMScheduler(20, clip_sample=False)
    scheduler.set_timesteps(5, device=device)
    model, sample = Denoiser().to(device), torch.rand(1, 1, 8, 8, device=device)
    with torch.no_grad():
        for timestep in range(0, 16, 4):
            out = model(sample, torch.tensor([timestep], device=device))
            sample, _ = scheduler.reversed_step(out, timestep, sample)
        scheduler.step(model(sample, torch.tensor([4], device=device)), 4, sample, eta=0.5)
    velocity = scheduler.get_velocity(sample, torch.randn_like(sample), torch.tensor([3], device=device))
    velocity.mean()


@uses.add
def multistep_sampling(device: torch.device) -> None:
    scheduler = schedulers.PNDMScheduler(40, skip_prk_steps=False)
    scheduler.set_timesteps(6, device=device)
    model, sample = Denoiser().to(device), torch.rand(1, 1, 8, 8, device=device)
    with torch.no_grad():
        for timestep in scheduler.timesteps:
            sample, _ = scheduler.step(model(sample, timestep.reshape(1).to(device)), int(timestep), sample)


@uses.add
def rectified_flow(device: torch.device) -> None:
    scheduler = schedulers.RFlowScheduler(
        40, use_discrete_timesteps=False, use_timestep_transform=True, base_img_size_numel=64, spatial_dim=2
    )
    images = torch.rand(2, 1, 8, 8, device=device)
    timesteps = scheduler.sample_timesteps(images)
    scheduler.add_noise(images, torch.randn_like(images), timesteps)
    scheduler.set_timesteps(4, device=device, input_img_size_numel=64)
    inferer, model = inferers.DiffusionInferer(scheduler), Denoiser().to(device)
    inferer(images, model, torch.randn_like(images), timesteps).mean().backward()


@uses.add
def loss_options(device: torch.device) -> None:
    logits = torch.randn(2, CLASSES, 8, 8, device=device, requires_grad=True)
    onehot, labels = onehot_on(device, 8, 8), labels_on(device, 2, 1, 8, 8)
    weight = torch.tensor([1.0, 2.0, 0.5], device=device)
    losses.DiceLoss(softmax=True, soft_label=True, reduction="sum")(logits, onehot).backward()
    losses.DiceLoss(softmax=True, include_background=False, weight=weight[1:])(logits, onehot).backward()
    losses.DiceCELoss(softmax=True, to_onehot_y=True, weight=weight, label_smoothing=0.1)(logits, labels).backward()
    losses.DiceFocalLoss(softmax=True, include_background=False, weight=weight[1:])(logits, onehot).backward()
    losses.GeneralizedDiceLoss(softmax=True, w_type="uniform", batch=True)(logits, onehot).backward()
    losses.FocalLoss(reduction="none", include_background=False)(logits, onehot).mean().backward()
    losses.DiceCELoss(sigmoid=True)(logits[:, :1], (labels > 0).float()).backward()
    losses.SSIMLoss(2, kernel_type="uniform", win_size=5, reduction="none")(logits, onehot).mean().backward()


@uses.add
def instance_labels(device: torch.device) -> None:
    labels = torch.zeros(8, 8, dtype=torch.int64, device=device)
    labels[1:3, 1:3], labels[4:7, 4:7] = 3, 7
    metrics.utils.remap_instance_id(labels, by_size=True)
    metrics.ignore_background(onehot_on(device, 8, 8), onehot_on(device, 8, 8))
    metrics.is_binary_tensor(onehot_on(device, 8, 8), "labels")
    for name in ("euclidean", "chessboard", "taxicab"):
        truth = blob_on(device, 12, 12)[None]
        metric = metrics.HausdorffDistanceMetric(include_background=True, distance_metric=name)
        metric(torch.roll(truth, 1, dims=-1), truth)
        metric.aggregate()


@uses.add
def wide_networks(device: torch.device) -> None:
    images = torch.rand(1, 1, 16, 16, device=device)
    for options in ({"upsample": "nontrainable"}, {"upsample": "pixelshuffle"}):
        model = nets.BasicUNet(2, 1, 2, features=(4, 4, 8, 8, 16, 4), **options).to(device)
        train_step(model, torch.rand(1, 1, 32, 32, device=device))
    for mode in ("deconv", "pixelshuffle"):
        train_step(nets.SegResNet(2, 8, upsample_mode=mode, use_conv_final=False).to(device), images)
    resnet = nets.ResNet("bottleneck", [1, 1, 1, 1], [4, 8, 8, 8], spatial_dims=2, n_input_channels=1, num_classes=2)
    train_step(resnet.to(device), torch.rand(2, 1, 64, 64, device=device))
    inter = {"inter_channels": (8, 8), "inter_dilations": (1, 2), "num_inter_units": 1, "num_res_units": 2}
    train_step(nets.AutoEncoder(2, 1, 1, channels=(4, 8), strides=(2, 2), **inter).to(device), images)


@uses.add
def image_datasets(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{i}.npy" for i in range(3)]
        for path in paths:
            np.save(path, np.random.default_rng(0).random((16, 16), dtype=np.float32))
        channel = transforms.EnsureChannelFirst(channel_dim="no_channel")
        dataset = data.ImageDataset(paths, seg_files=paths, labels=[0, 1, 0], transform=channel, seg_transform=channel)
        for image, segmentation, label in data.DataLoader(dataset, batch_size=3):
            nn.functional.mse_loss(image.to(device), segmentation.to(device)) + label.to(device).float().mean()
        np.savez(
            f"{folder}/all.npz", image=np.ones((4, 1, 16, 16), np.float32), label=np.ones((4, 1, 16, 16), np.float32)
        )
        arrays = data.NPZDictItemDataset(f"{folder}/all.npz", {"image": "image", "label": "label"})
        train_on(data.DataLoader(arrays, batch_size=2), device)
        saver = data.CSVSaver(folder, "predictions.csv")
        saver.save_batch(torch.rand(2, 3, device=device), {"filename_or_obj": ["a", "b"]})
        saver.finalize()


@uses.add
def profiling(device: torch.device) -> None:
    with utils.PerfContext() as context:
        transforms.ScaleIntensity()(image_on(device, 8, 8))
    repr(context.total_time)


class Control(nn.Module):
    """A small network with the interface of ControlNet."""

    def forward(
        self, x: torch.Tensor, timesteps: torch.Tensor, controlnet_cond: torch.Tensor, **options: object
    ) -> tuple:
        return [controlnet_cond], controlnet_cond


@uses.add
def controlled_diffusion(device: torch.device) -> None:
    scheduler, model, control = schedulers.DDPMScheduler(10), Denoiser().to(device), Control().to(device)
    inferer = inferers.ControlNetDiffusionInferer(scheduler)
    images, condition, noise = torch.rand(3, 2, 1, 8, 8, device=device)
    inferer(images, model, control, noise, torch.randint(0, 10, (2,), device=device), condition).mean().backward()
    scheduler.set_timesteps(3, device=device)
    inferer.sample(noise, model, control, condition, verbose=False)
    inferer.get_likelihood(images, model, control, condition, verbose=False)


@uses.add
def controlled_latent_diffusion(device: torch.device) -> None:
    options, shape = GENERATIVE["AutoencoderKL"]
    autoencoder = nets.AutoencoderKL(**{**options, "latent_channels": 1}).to(device).eval()
    scheduler, model, control = schedulers.DDPMScheduler(10), Denoiser().to(device), Control().to(device)
    inferer = inferers.ControlNetLatentDiffusionInferer(scheduler)
    images, noise = torch.rand(shape, device=device), torch.randn(2, 1, 16, 16, device=device)
    timesteps = torch.randint(0, 10, (2,), device=device)
    inferer(images, autoencoder, model, control, noise, timesteps, images).mean().backward()
    scheduler.set_timesteps(3, device=device)
    inferer.sample(noise, autoencoder, model, control, images, verbose=False)


@uses.add
def latent_likelihood(device: torch.device) -> None:
    options, shape = GENERATIVE["VQVAE"]
    autoencoder = nets.VQVAE(**{**options, "embedding_dim": 1}).to(device).eval()
    scheduler, model = schedulers.DDPMScheduler(4), Denoiser().to(device)
    inferer = inferers.LatentDiffusionInferer(scheduler, ldm_latent_shape=[12, 12], autoencoder_latent_shape=[8, 8])
    images = torch.rand(shape, device=device)
    timesteps = torch.randint(0, 4, (2,), device=device)
    inferer(images, autoencoder, model, torch.randn(2, 1, 12, 12, device=device), timesteps).mean().backward()
    inferer.get_likelihood(images, autoencoder, model, verbose=False)


@uses.add
def spaced_surfaces(device: torch.device) -> None:
    prediction, truth = predictions_on(device, 12, 12)
    for spacing in ((0.5, 2.0), [(0.5, 2.0), (1.0, 1.0)]):
        metrics.HausdorffDistanceMetric(percentile=90)(prediction, truth, spacing=spacing)
        metrics.SurfaceDistanceMetric(symmetric=True)(prediction, truth, spacing=spacing)
        metrics.SurfaceDiceMetric([1.0, 2.0], use_subvoxels=True)(prediction, truth, spacing=spacing)


@uses.add
def metric_reductions(device: torch.device) -> None:
    scores = torch.rand(4, CLASSES, device=device)
    scores[0, 1] = float("nan")
    for reduction in ("mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel", "none"):
        metrics.do_metric_reduction(scores, reduction)
    helper = metrics.DiceHelper(threshold=True, reduction="none", get_not_nans=False, ignore_empty=False)
    helper(scores[:, :, None].nan_to_num().expand(-1, -1, 8), onehot_on(device, 8, batch=4))


@uses.add
def mixed_precision_modules(device: torch.device) -> None:
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Conv2d(4, 1, 3)).to(device)
    networks.add_casts_around_norms(model)
    model(torch.rand(2, 1, 8, 8, device=device)).mean().backward()
    networks.utils.CastToFloat(nn.Softmax(1)).to(device)(torch.rand(2, 4, device=device))


@uses.add
def copied_weights(device: torch.device) -> None:
    source = nn.ModuleDict({"net": nn.Linear(4, 4)}).to(device)
    target = nn.ModuleDict({"body": nn.Linear(4, 4)}).to(device)
    networks.copy_model_state(target, source, mapping={"net.weight": "body.weight"})
    networks.copy_model_state(target, source["net"], dst_prefix="body.", exclude_vars="bias", inplace=False)
    networks.set_named_module(target, "body", nn.Linear(4, 2).to(device))


@uses.add
def meta_tensor_functions(device: torch.device) -> None:
    images = torch.stack([image_on(device, 8, 8), image_on(device, 8, 8)])
    nn.functional.interpolate(images, scale_factor=2)
    nn.Conv2d(2, 1, 3).to(device)(images).as_tensor().mean().backward()
    torch.cat([image_on(device, 4, 4), image_on(device, 4, 4)]).max(dim=0)
    image = data.MetaTensor.ensure_torch_and_prune_meta(np.ones((1, 4, 4), np.float32), {"affine": np.eye(4)})
    image.to(device).clone()
    next(iter(images)).numpy(force=True)
    images.pending_operations.clear()


# Configuration and utilities


@uses.add
def configured_network(device: torch.device) -> None:
    config = {
        "channels": [4, 8],
        "net": {
            "_target_": "UNet",
            "spatial_dims": 2,
            "in_channels": 1,
            "out_channels": "$@classes + 1",
            "channels": "@channels",
            "strides": [2],
        },
        "classes": 2,
        "loss": {"_target_": "DiceLoss", "sigmoid": True},
    }
    parser = ConfigParser(json.loads(json.dumps(config)))
    parser.parse()
    model, loss = parser.get_parsed_content("net").to(device), parser.get_parsed_content("loss")
    loss(model(torch.rand(1, 1, 16, 16, device=device)), onehot_on(device, 16, 16, batch=1)).backward()


@uses.add
def conversions(device: torch.device) -> None:
    image = torch.rand(1, 4, 4, device=device)
    utils.convert_to_numpy({"image": image})
    utils.convert_to_tensor([np.ones(3), 2.0], device=device)
    utils.convert_data_type(image, np.ndarray, dtype=np.float64)
    utils.convert_to_dst_type(np.ones((2, 2)), image)
    utils.convert_to_list(image)
    utils.is_scalar_tensor(image.mean())
    utils.sample_slices(image, 1, True, 0, 2)
    utils.flatten_dict({"a": {"b": 1}})
    utils.set_determinism(seed=0)
    utils.set_determinism(seed=None)


@uses.add
def state_cache(device: torch.device) -> None:
    model = nn.Linear(4, 4).to(device)
    with tempfile.TemporaryDirectory() as folder:
        for cache in (utils.StateCacher(in_memory=True), utils.StateCacher(in_memory=False, cache_dir=folder)):
            cache.store("model", model.state_dict())
            model.load_state_dict(cache.retrieve("model"))


@uses.add
def orderings(device: torch.device) -> None:
    for kind in ("raster_scan", "s_curve", "random"):
        ordering = utils.Ordering(kind, spatial_dims=2, dimensions=(1, 4, 4), reflected_spatial_dims=(True, False))
        latent = torch.randint(0, 8, (1, 16), device=device)
        latent[:, ordering.get_sequence_ordering()][:, ordering.get_revert_sequence_ordering()]


if __name__ == "__main__":
    uses.main()
