"""Models of many families, optimizers, schedulers, losses, layers, data and utilities of timm."""

from types import SimpleNamespace

import timm
import timm.data
import timm.layers
import timm.loss
import timm.models
import timm.optim
import timm.scheduler
import timm.utils
import torch
from torch import nn
from uses import Use, Uses

CLASSES = 10
MODELS: dict[str, dict[str, object]] = {
    "resnet10t": {},
    "seresnet18": {},
    "regnetx_002": {},
    "efficientnet_lite0": {},
    "mobilenetv3_small_050": {},
    "ghostnet_050": {},
    "repvit_m0_9": {},
    "convnext_atto": {},
    "convnextv2_atto": {},
    "edgenext_xx_small": {},
    "densenet121": {},
    "hrnet_w18_small": {},
    "vit_tiny_patch16_224": {"depth": 2},
    "vit_relpos_small_patch16_224": {"depth": 2},
    "vit_srelpos_small_patch16_224": {"depth": 2},
    "samvit_base_patch16_224": {"depth": 2},
    "naflexvit_base_patch16_gap": {"depth": 2},
    "deit_tiny_distilled_patch16_224": {"depth": 2},
    "deit3_small_patch16_224": {"depth": 2},
    "beit_base_patch16_224": {"depth": 2},
    "eva02_tiny_patch14_224": {"depth": 2},
    "cait_xxs24_224": {"depth": 2},
    "xcit_nano_12_p16_224": {"depth": 2},
    "convit_tiny": {"depth": 4},
    "swin_tiny_patch4_window7_224": {"depths": (1, 1, 1, 1)},
    "swinv2_tiny_window8_256": {"depths": (1, 1, 1, 1)},
    "swinv2_cr_tiny_224": {"depths": (1, 1, 1, 1)},
    "maxvit_rmlp_pico_rw_256": {},
    "mobilevit_xxs": {},
    "mobilevitv2_050": {},
    "mixer_s32_224": {},
    "levit_128s": {},
    "poolformer_s12": {},
    "pvt_v2_b0": {},
    "crossvit_tiny_240": {},
    "coat_lite_tiny": {},
    "twins_pcpvt_small": {},
    "visformer_tiny": {},
    "volo_d1_224": {},
    "nest_tiny": {},
    "fastvit_t8": {},
    "tiny_vit_5m_224": {},
    "efficientformer_l1": {},
    "efficientformerv2_s0": {},
    "efficientvit_b0": {},
    "eca_botnext26ts_256": {},
    "halonet26t": {},
    "lambda_resnet26t": {},
    "sehalonet33ts": {},
    "davit_tiny": {},
    "gcvit_xxtiny": {},
    "hiera_tiny_224": {},
    "starnet_s1": {},
    "shvit_s1": {},
    "csatv2": {},
    "resnetv2_50d_gn": {},
    "nfnet_f0": {},
    "dm_nfnet_f0": {},
    "tresnet_m": {},
    "sequencer2d_s": {},
    "focalnet_tiny_srf": {},
    "rdnet_tiny": {},
    "mambaout_femto": {},
    "inception_next_atto": {},
    "mobilenetv4_conv_small": {},
}
uses = Uses()


def small_net() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, CLASSES))


def batch(device: torch.device, size: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(4, 3, size, size).to(device), torch.randint(0, CLASSES, (4,)).to(device)


def model_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = timm.create_model(name, num_classes=CLASSES, **MODELS[name]).to(device)
        size = model.default_cfg["input_size"][-1]
        images = torch.randn(2, 3, size, size, device=device)
        labels = torch.randint(0, CLASSES, (2,), device=device)
        model.train()
        out = model(images)
        out = out[0] if isinstance(out, tuple) else out
        nn.functional.cross_entropy(out, labels).backward()
        model.eval()
        with torch.inference_mode():
            model(images)
            model.forward_features(images)

    return use


def optimizer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = small_net().to(device)
        optimizer = timm.optim.create_optimizer_v2(model, opt=name, lr=1e-3, weight_decay=1e-2)
        images, labels = batch(device)
        for _ in range(3):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward(create_graph=name.startswith("adahessian"))
            optimizer.step()

    return use


def scheduler_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = small_net().to(device)
        optimizer = timm.optim.create_optimizer_v2(model, opt="sgd", lr=0.1)
        scheduler, epochs = timm.scheduler.create_scheduler_v2(
            optimizer, sched=name, num_epochs=6, warmup_epochs=2, decay_epochs=2, patience_epochs=1, noise=(0.5, 0.9)
        )
        for epoch in range(epochs):
            optimizer.step()
            scheduler.step(epoch, metric=0.1)
            scheduler.step_update(epoch * 10, 0.1)

    return use


def loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        images, labels = batch(device)
        out = small_net().to(device)(images)
        soft = nn.functional.one_hot(labels, CLASSES).float()
        target = soft if name.startswith(("Soft", "Binary")) else labels
        if name == "JsdCrossEntropy":
            out, target = torch.cat([out, out, out]), labels
        if name.startswith("AsymmetricLossMulti"):
            target = soft
        getattr(timm.loss, name)()(out, target).backward()

    return use


def layer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        layer = LAYERS[name]().to(device)
        x = torch.randn(2, 16, 8, 8, device=device, requires_grad=True)
        layer(x).sum().backward()

    return use


LAYERS = {
    "attention pool": lambda: timm.layers.AttentionPool2d(16, feat_size=8, num_heads=2),
    "rotary attention pool": lambda: timm.layers.RotAttentionPool2d(16, num_heads=2),
    "blur pool": lambda: timm.layers.BlurPool2d(16),
    "bottleneck attention": lambda: timm.layers.bottleneck_attn.BottleneckAttn(16, feat_size=(8, 8), num_heads=2),
    "cbam": lambda: timm.layers.cbam.CbamModule(16),
    "conditional conv": lambda: timm.layers.MixedConv2d(16, 16, [3, 5]),
    "drop block": lambda: timm.layers.DropBlock2d(0.2, block_size=3),
    "drop path": lambda: timm.layers.DropPath(0.3),
    "eca": lambda: timm.layers.EcaModule(16),
    "evo norm": lambda: timm.layers.EvoNorm2dB0(16),
    "filter response norm": lambda: timm.layers.FilterResponseNormTlu2d(16),
    "global context": lambda: timm.layers.GlobalContext(16),
    "group norm": lambda: timm.layers.GroupNorm1(16),
    "halo attention": lambda: timm.layers.halo_attn.HaloAttn(
        16, feat_size=(8, 8), num_heads=2, block_size=4, halo_size=1
    ),
    "inplace norm": lambda: timm.layers.BatchNormAct2d(16),
    "lambda layer": lambda: timm.layers.lambda_layer.LambdaLayer(16, num_heads=2, feat_size=(8, 8)),
    "non local": lambda: timm.layers.NonLocalAttn(16),
    "selective kernel": lambda: timm.layers.SelectiveKernel(16, 16),
    "space to depth": lambda: timm.layers.SpaceToDepth(4),
    "split attention": lambda: timm.layers.SplitAttn(16),
    "adaptive pool": lambda: timm.layers.SelectAdaptivePool2d(pool_type="catavgmax"),
    "std conv": lambda: timm.layers.ScaledStdConv2dSame(16, 16, 3),
    "squeeze excite": lambda: timm.layers.EffectiveSEModule(16),
}

uses.add_each("model", MODELS, model_use)
uses.add_each(
    "optimizer", [name for name in timm.optim.list_optimizers() if not name.startswith(("bnb", "fused"))], optimizer_use
)
uses.add_each("scheduler", ["cosine", "tanh", "step", "multistep", "plateau", "poly"], scheduler_use)
uses.add_each("loss", [name for name in dir(timm.loss) if name[0].isupper()], loss_use)
uses.add_each("layer", LAYERS, layer_use)


@uses.add
def training_with_mixup(device: torch.device) -> None:
    for mode in ("batch", "elem", "pair"):
        mixup = timm.data.Mixup(mixup_alpha=0.8, cutmix_alpha=1.0, num_classes=CLASSES, mode=mode)
        images, labels = batch(device, 16)
        mixed, targets = mixup(images, labels)
        out = mixed.mean((2, 3)) @ torch.randn(3, CLASSES, device=device, requires_grad=True)
        timm.loss.SoftTargetCrossEntropy()(out, targets).backward()


@uses.add
def random_erasing(device: torch.device) -> None:
    for mode in ("const", "rand", "pixel"):
        erase = timm.data.random_erasing.RandomErasing(1.0, mode=mode, max_count=2, device=device)
        erase(batch(device, 16)[0])


@uses.add
def prefetch_loader(device: torch.device) -> None:
    class Images(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return 8

        def __getitem__(self, index: int) -> tuple[object, int]:
            import numpy as np

            return np.full((3, 16, 16), index, dtype=np.uint8), index % CLASSES

    loader = torch.utils.data.DataLoader(Images(), batch_size=4, collate_fn=timm.data.loader.fast_collate)
    for images, labels in timm.data.loader.PrefetchLoader(loader, device=device, re_prob=0.5):
        assert images.device.type == labels.device.type


@uses.add
def naflex_batches(device: torch.device) -> None:
    model = timm.create_model("naflexvit_base_patch16_gap", depth=2, num_classes=CLASSES).to(device)
    patches = torch.randn(2, 12, 16 * 16 * 3, device=device)
    rows = torch.arange(12, device=device)
    coordinates = torch.stack([rows // 4, rows % 4], dim=1).expand(2, -1, -1)
    valid = torch.ones(2, 12, dtype=torch.bool, device=device)
    valid[1, 8:] = False
    model({"patches": patches, "patch_coord": coordinates, "patch_valid": valid}).sum().backward()


@uses.add
def features_only(device: torch.device) -> None:
    for name in ("resnet10t", "convnext_atto", "vit_tiny_patch16_224"):
        model = timm.create_model(name, features_only=True).to(device).eval()
        size = 224 if "vit" in name else 64
        with torch.no_grad():
            model(torch.randn(1, 3, size, size, device=device))


@uses.add
def intermediates_and_dynamic_size(device: torch.device) -> None:
    model = timm.create_model("vit_tiny_patch16_224", depth=3, dynamic_img_size=True, num_classes=0).to(device)
    model.forward_intermediates(torch.randn(2, 3, 160, 160, device=device), indices=2, norm=True)
    model.set_input_size(img_size=128)
    model(torch.randn(1, 3, 128, 128, device=device))
    model.reset_classifier(5)


@uses.add
def patch_dropout_and_pooling(device: torch.device) -> None:
    model = timm.create_model(
        "vit_tiny_patch16_224", depth=2, patch_drop_rate=0.3, drop_path_rate=0.2, global_pool="map"
    )
    model = model.to(device).train()
    model(torch.randn(2, 3, 224, 224, device=device)).sum().backward()


@uses.add
def grad_checkpointing(device: torch.device) -> None:
    model = timm.create_model("vit_tiny_patch16_224", depth=2).to(device)
    model.set_grad_checkpointing()
    model(torch.randn(2, 3, 224, 224, device=device)).sum().backward()


@uses.add
def model_ema(device: torch.device) -> None:
    model = small_net().to(device)
    emas = [
        timm.utils.ModelEma(model, decay=0.9),
        timm.utils.ModelEmaV2(model, decay=0.9),
        timm.utils.ModelEmaV3(model, decay=0.9, use_warmup=True),
        timm.utils.ModelEmaV3(model, decay=0.9, foreach=False),
    ]
    for step in range(3):
        for ema in emas:
            ema.update(model, step) if isinstance(ema, timm.utils.ModelEmaV3) else ema.update(model)
    timm.utils.get_state_dict(model)


@uses.add
def validation(device: torch.device) -> None:
    losses, top1 = timm.utils.AverageMeter(), timm.utils.AverageMeter()
    model = small_net().to(device).eval()
    with torch.no_grad():
        for _ in range(3):
            images, labels = batch(device)
            out = model(images)
            loss = nn.functional.cross_entropy(out, labels)
            acc1, _acc5 = timm.utils.accuracy(out, labels, topk=(1, 5))
            losses.update(loss.item(), images.size(0))
            top1.update(acc1.item(), out.size(0))


@uses.add
def clipping(device: torch.device) -> None:
    for mode in ("norm", "value", "agc"):
        model = small_net().to(device)
        images, labels = batch(device)
        nn.functional.cross_entropy(model(images), labels).backward()
        timm.utils.dispatch_clip_grad(timm.models.model_parameters(model, exclude_head=mode == "agc"), 0.1, mode=mode)


@uses.add
def native_scaler(device: torch.device) -> None:
    scaler = timm.utils.NativeScaler(device=device.type)
    model = small_net().to(device)
    optimizer = timm.optim.create_optimizer_v2(model, opt="adamw", lr=1e-3)
    images, labels = batch(device)
    for _ in range(3):
        optimizer.zero_grad()
        with torch.autocast(device.type, dtype=torch.float16 if device.type == "cuda" else torch.bfloat16):
            loss = nn.functional.cross_entropy(model(images), labels)
        scaler(loss, optimizer, clip_grad=1.0, parameters=model.parameters())
    scaler.load_state_dict(scaler.state_dict())


@uses.add
def parameter_groups(device: torch.device) -> None:
    model = timm.create_model("vit_tiny_patch16_224", depth=2).to(device)
    optimizer = timm.optim.create_optimizer_v2(model, opt="adamw", lr=1e-3, layer_decay=0.7, weight_decay=0.05)
    lookahead = timm.optim.Lookahead(optimizer)
    model(torch.randn(1, 3, 224, 224, device=device)).sum().backward()
    for _ in range(7):
        lookahead.step()
    timm.utils.freeze(model, ["blocks.0"])
    timm.utils.unfreeze(model, ["blocks.0"])
    timm.utils.reparameterize_model(timm.create_model("repvit_m0_9").to(device).eval())


@uses.add
def fused_and_split_norms(device: torch.device) -> None:
    model = timm.layers.convert_splitbn_model(timm.create_model("resnet10t"), 2).to(device)
    model.train()(torch.randn(4, 3, 64, 64, device=device)).sum().backward()
    model = timm.layers.convert_sync_batchnorm(timm.create_model("efficientnet_lite0")).to(device).eval()
    model(torch.randn(2, 3, 64, 64, device=device))


@uses.add
def test_time_pooling(device: torch.device) -> None:
    model = timm.create_model("resnet10t").to(device).eval()
    pooled = timm.layers.TestTimePoolHead(model, original_pool=7)
    pooled(torch.randn(1, 3, 288, 288, device=device))


@uses.add
def position_embeddings(device: torch.device) -> None:
    layers = timm.layers
    layers.RotaryEmbedding(16, feat_shape=[4, 4]).to(device)(torch.randn(2, 2, 16, 16, device=device))
    layers.RotaryEmbeddingCat(16, in_pixels=False, feat_shape=[4, 4]).to(device).get_embed()
    layers.RotaryEmbeddingCat(16).to(device).get_embed([4, 4])
    layers.RotaryEmbeddingMixed(32, 2, 2, feat_shape=[4, 4]).to(device).get_embed()
    layers.RotaryEmbeddingDinoV3(16, feat_shape=[4, 4], rotate_half=True).to(device).get_embed([6, 6])
    layers.resample_abs_pos_embed(torch.randn(1, 17, 8, device=device), [6, 6])
    layers.resample_abs_pos_embed_nhwc(torch.randn(1, 4, 4, 8, device=device), [6, 6])
    layers.RelPosBias((4, 4), 2).to(device).get_bias()
    layers.RelPosMlp((4, 4), num_heads=2).to(device).get_bias()
    layers.resize_rel_pos_bias_table(torch.randn(49, 2, device=device), (6, 6), (121, 2))
    layers.resample_patch_embed(torch.randn(8, 3, 16, 16, device=device), [12, 12])


@uses.add
def optimizer_arguments(device: torch.device) -> None:
    args = SimpleNamespace(opt="lamb", lr=1e-3, weight_decay=0.01, momentum=0.9)
    model = small_net().to(device)
    optimizer = timm.optim.create_optimizer(args, model)
    images, labels = batch(device)
    nn.functional.cross_entropy(model(images), labels).backward()
    optimizer.step()


if __name__ == "__main__":
    uses.main()
