"""CLIP and CoCa models, towers, tokenizers, transforms, losses, training, zero-shot evaluation and captions."""

import json
import tempfile
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import open_clip
import torch
from open_clip import CLIP, CoCa, CustomTextCLIP
from open_clip.coca_model import MultimodalCfg
from open_clip.hf_model import HFTextEncoder
from open_clip.loss import SigLipLoss
from open_clip.model import (
    CLIPTextCfg,
    CLIPVisionCfg,
    build_model_from_openai_state_dict,
    resize_pos_embed,
    resize_text_pos_embed,
)
from open_clip.transform import PreprocessCfg, image_transform_v2
from open_clip.utils import freeze_batch_norm_2d, replace_linear
from open_clip_train.scheduler import const_lr, const_lr_cooldown, cosine_lr
from open_clip_train.train import evaluate, train_one_epoch
from PIL import Image
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset
from transformers import RobertaConfig
from uses import Use, Uses

BATCH, EMBED, WIDTH, SIZE, PATCH, CONTEXT, WORDS = 4, 16, 32, 32, 8, 12, 49408
Options = dict[str, Any]
VISION: Options = {"layers": 2, "width": WIDTH, "head_width": 16, "patch_size": PATCH, "image_size": SIZE}
TEXT: Options = {"context_length": CONTEXT, "vocab_size": WORDS, "width": WIDTH, "heads": 2, "layers": 2}
uses = Uses()


def images(device: torch.device, count: int = BATCH) -> torch.Tensor:
    return torch.rand(count, 3, SIZE, SIZE, device=device)


def texts(device: torch.device, count: int = BATCH, length: int = CONTEXT) -> torch.Tensor:
    captions = ["a dog", "a photo of a cat", "two birds on a tree", "a diagram"][:count]
    return open_clip.SimpleTokenizer(context_length=length)(captions).to(device)


def clip(device: torch.device, vision: Options | None = None, text: Options | None = None, **options: Any) -> CLIP:
    cfgs = CLIPVisionCfg(**{**VISION, **(vision or {})}), CLIPTextCfg(**{**TEXT, **(text or {})})
    return CLIP(EMBED, *cfgs, **options).to(device)


def custom(
    device: torch.device, vision: Options | None = None, text: Options | None = None, **options: Any
) -> CustomTextCLIP:
    cfgs = CLIPVisionCfg(**{**VISION, **(vision or {})}), CLIPTextCfg(**{**TEXT, **(text or {})})
    return CustomTextCLIP(EMBED, *cfgs, **options).to(device)


def coca(device: torch.device, **options: Any) -> CoCa:
    pooled = {"attentional_pool": True, "attn_pooler_queries": 4, "attn_pooler_heads": 2, "output_tokens": True}
    return CoCa(
        WIDTH,
        MultimodalCfg(context_length=CONTEXT, width=WIDTH, heads=2, layers=1, vocab_size=WORDS),
        CLIPTextCfg(**{**TEXT, "embed_cls": True, "output_tokens": True, "context_length": CONTEXT - 1}),
        CLIPVisionCfg(**{**VISION, **pooled}),
        **options,
    ).to(device)


def config(**options: Any) -> Options:
    return {"embed_dim": EMBED, "vision_cfg": VISION, "text_cfg": TEXT, **options}


def registered(folder: str, name: str = "tiny-clip", **options: Any) -> str:
    """Makes a small model known by name."""
    path = Path(folder) / f"{name}.json"
    path.write_text(json.dumps(config(**options)))
    open_clip.add_model_config(path)
    return name


def train(model: nn.Module, loss_of: Callable[[], torch.Tensor], steps: int = 2) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-6)
    model.train()
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        with torch.no_grad():
            model.logit_scale.clamp_(0, 4.6052)
        loss.item()


# Models


CUSTOM_BLOCK: Options = {
    "qk_norm": True,
    "scale_attn": True,
    "scale_heads": True,
    "scale_attn_inner": True,
    "scale_fc": True,
}
CLIPS: dict[str, tuple[Options, Options, Options]] = {
    "plain": ({}, {}, {}),
    "quick gelu": ({"ls_init_value": 0.1}, {"ls_init_value": 0.1}, {"quick_gelu": True}),
    "patch dropout": ({"patch_dropout": 0.5}, {}, {}),
    "average pool": ({"pool_type": "avg", "final_ln_after_pool": True}, {"pool_type": "last"}, {}),
    "no pool": ({"pool_type": "avg", "no_ln_pre": True, "pos_embed_type": "sin_cos_2d"}, {"pool_type": "first"}, {}),
    "attention pool": ({"attentional_pool": True, "attn_pooler_queries": 4, "attn_pooler_heads": 2}, {}, {}),
    "custom blocks": (CUSTOM_BLOCK, CUSTOM_BLOCK, {}),
    "bias": ({}, {"no_causal_mask": True}, {"init_logit_bias": -10.0, "nonscalar_logit_scale": True}),
    "resnet": ({"layers": (1, 1, 1, 1), "width": 16, "patch_size": None, "head_width": 64}, {}, {}),
    "timm convnext": ({"timm_model_name": "convnext_atto", "timm_pool": "", "timm_proj": "linear"}, {}, {}),
    "timm resnet": ({"timm_model_name": "resnet18", "timm_pool": "abs_attn", "timm_proj": "mlp"}, {}, {}),
    "timm rotary": ({"timm_model_name": "resnet18", "timm_pool": "rot_attn", "timm_proj": ""}, {}, {}),
}


def clip_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        vision, text, options = CLIPS[name]
        model = clip(device, vision, text, output_dict=True, **options)
        loss_fn = SigLipLoss() if name == "bias" else open_clip.ClipLoss()
        x, y = images(device), texts(device)
        train(model, lambda: loss_fn(**model(x, y)))
        model.eval()
        with torch.no_grad():
            image, text_features = model.encode_image(x, normalize=True), model.encode_text(y, normalize=True)
            (100.0 * image @ text_features.T).softmax(dim=-1)
            model.get_logits(x, y)

    return use


uses.add_each("clip", CLIPS, clip_use)

CUSTOMS: dict[str, Options] = {
    "plain": {},
    "class token": {"embed_cls": True, "final_ln_after_pool": True},
    "no projection": {"proj_type": "none", "width": EMBED, "heads": 1},
    "end of text": {"pool_type": "eos", "eos_id": 49407},
    "last": {"pool_type": "last", "no_causal_mask": True, "proj_bias": True},
    "custom blocks": {**CUSTOM_BLOCK, "block_type": "custom", "norm_kwargs": {"eps": 1e-6}},
}


def custom_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = custom(device, text=CUSTOMS[name], output_dict=True)
        loss_fn = open_clip.ClipLoss()
        x, y = images(device), texts(device)
        train(model, lambda: loss_fn(**model(x, y)))
        model.eval()
        with torch.no_grad():
            model.get_logits(x, y)

    return use


uses.add_each("custom text", CUSTOMS, custom_use)


def pooler_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        settings = RobertaConfig(
            vocab_size=100, hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
        )
        tower = HFTextEncoder(
            "roberta", EMBED, config=settings, pooler_type=name, proj_type="mlp", pretrained=False, output_tokens=True
        ).to(device)
        y = torch.randint(1, 100, (BATCH, CONTEXT), device=device)
        y[:, 8:] = settings.pad_token_id
        features, _ = tower(y)
        features.sum().backward()
        tower.lock(1)
        tower.lock(0)

    return use


uses.add_each("text tower", ("mean_pooler", "cls_pooler"), pooler_use)


@uses.add
def intermediates(device: torch.device) -> None:
    x, y = images(device), texts(device)
    for model in (clip(device), custom(device)):
        model.forward_intermediates(x, y, image_indices=1, text_indices=[0], output_logits=True)
        model.forward_intermediates(
            x, y, normalize_intermediates=True, image_output_fmt="NLC", intermediates_only=True, stop_early=True
        )
        model.forward_intermediates(x, image_output_extra_tokens=True, output_logit_scale_bias=True)
    coca(device).forward_intermediates(x, image_indices=1)


@uses.add
def checkpointed(device: torch.device) -> None:
    loss_fn = open_clip.ClipLoss(cache_labels=True)
    x, y = images(device), texts(device)
    for made in (clip, custom):
        model = made(device, output_dict=True)
        model.set_grad_checkpointing()
        train(model, lambda model=model: loss_fn(**model(x, y)))


@uses.add
def locked(device: torch.device) -> None:
    loss_fn = open_clip.ClipLoss()
    x, y = images(device), texts(device)
    model = custom(device, output_dict=True)
    model.lock_image_tower(unlocked_groups=1, freeze_bn_stats=True)
    model.lock_text_tower(unlocked_layers=1)
    train(model, lambda: loss_fn(**model(x, y)))
    plain = clip(device, output_dict=True)
    plain.lock_image_tower(unlocked_groups=2)
    plain.lock_text_tower(unlocked_layers=1)
    train(plain, lambda: loss_fn(**plain(x, y)))
    resnet = clip(device, CLIPS["resnet"][0])
    resnet.lock_image_tower(unlocked_groups=0, freeze_bn_stats=True)
    freeze_batch_norm_2d(resnet.visual)
    timm = clip(device, CLIPS["timm resnet"][0])
    timm.lock_image_tower(unlocked_groups=1, freeze_bn_stats=True)


PRECISIONS = ("bf16", "pure_bf16", "amp_bf16")


def precision_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        with tempfile.TemporaryDirectory() as folder:
            model = open_clip.create_model(registered(folder), precision=name, device=device, output_dict=True)
        cast = open_clip.get_input_dtype(name)
        open_clip.get_cast_dtype(name)
        x, y = images(device).to(cast) if cast is not None else images(device), texts(device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=name.startswith("amp")):
            loss = open_clip.ClipLoss()(**model(x, y))
        loss.backward()

    return use


uses.add_each("precision", PRECISIONS, precision_use)


@uses.add
def half_inference(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        precision = "fp16" if device.type == "cuda" else "bf16"
        model = open_clip.create_model(registered(folder), precision=precision, device=device).eval()
    cast = open_clip.get_input_dtype(precision)
    with torch.no_grad():
        model.encode_image(images(device).to(cast), normalize=True)
        model.encode_text(texts(device), normalize=True)
    open_clip.convert_weights_to_lp(custom(device), dtype=torch.bfloat16)


@uses.add
def traced(device: torch.device) -> None:
    model = open_clip.trace_model(clip(device, CLIPS["resnet"][0]), batch_size=2, device=device)
    model(images(device, 2), texts(device, 2))


@uses.add
def replaced_linear(device: torch.device) -> None:
    model = replace_linear(clip(device), nn.Linear).to(device)
    model.encode_image(images(device))


# Creating, saving and loading


@uses.add
def created(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        name = registered(folder)
        model, train_transform, transform = open_clip.create_model_and_transforms(
            name,
            device=device,
            force_image_size=48,
            force_quick_gelu=True,
            force_patch_dropout=0.25,
            image_mean=(0.5, 0.5, 0.5),
            image_std=(0.5, 0.5, 0.5),
            aug_cfg={"scale": (0.8, 1.0), "color_jitter": 0.4},
        )
        tokenizer = open_clip.get_tokenizer(name)
        picture = Image.fromarray(np.random.default_rng(0).integers(0, 256, (60, 50, 3)).astype("uint8"))
        batch = torch.stack([transform(picture), train_transform(picture)]).to(device)
        model(batch, tokenizer(["a cat", "a dog"]).to(device))
        open_clip.create_model(name, device=device, force_custom_text=True, force_context_length=8)(
            images(device, 2), tokenizer(["a", "b"])[:, :8].to(device)
        )
        open_clip.get_model_preprocess_cfg(model), open_clip.get_model_tokenize_cfg(model)
        open_clip.get_model_config(name), open_clip.list_models()


@uses.add
def loaded(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        name = registered(folder)
        model = open_clip.create_model(name, device=device)
        path = Path(folder) / "checkpoint.pt"
        torch.save({"epoch": 1, "state_dict": {f"module.{k}": v for k, v in model.state_dict().items()}}, path)
        model, transform = open_clip.create_model_from_pretrained(name, pretrained=str(path), device=device)
        open_clip.load_checkpoint(model, str(path), device=device)
        larger = open_clip.create_model(name, pretrained=str(path), device=device, force_image_size=48)
        larger(torch.rand(2, 3, 48, 48, device=device), texts(device, 2))
        longer = open_clip.create_model(name, pretrained=str(path), device=device, force_context_length=16)
        longer.encode_image(images(device))
        open_clip.create_model(name, pretrained=str(path), device=device, force_custom_text=True)(
            images(device), texts(device)
        )
        transform(Image.new("RGB", (40, 50)))


@uses.add
def loaded_from_folder(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = clip(device)
        preprocess = {"size": SIZE, "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}
        settings = {"model_cfg": config(), "preprocess_cfg": preprocess}
        (Path(folder) / "open_clip_config.json").write_text(json.dumps(settings))
        torch.save(model.state_dict(), Path(folder) / "open_clip_pytorch_model.bin")
        other, _, transform = open_clip.create_model_and_transforms(f"local-dir:{folder}", device=device)
        tokenizer = open_clip.get_tokenizer(f"local-dir:{folder}")
        picture = transform(Image.new("RGB", (40, 50)))[None].to(device)
        other(picture, tokenizer(["a cat"]).to(device))


@uses.add
def openai_weights(device: torch.device) -> None:
    made = {"width": 64, "heads": 1}
    for vision in ({"width": 64, "head_width": 64}, {**CLIPS["resnet"][0], "width": 64}):
        weights = clip(torch.device("cpu"), vision, made).state_dict()
        model = build_model_from_openai_state_dict(weights, cast_dtype=torch.float32).float().to(device)
        model(images(device), texts(device))


@uses.add
def resized_positions(device: torch.device) -> None:
    weights = clip(device).state_dict()
    larger = clip(device, {"image_size": 48}, {"context_length": 20})
    resize_pos_embed(weights, larger)
    resize_text_pos_embed(weights, larger)
    larger.load_state_dict(weights, strict=False)


# Losses


def features(device: torch.device) -> torch.Tensor:
    return functional.normalize(torch.randn(BATCH, EMBED, device=device), dim=-1).requires_grad_()


@uses.add
def contrastive_losses(device: torch.device) -> None:
    scale, bias = torch.tensor(14.0, device=device), torch.tensor(-1.0, device=device)
    cached = open_clip.ClipLoss(cache_labels=True)
    for _ in range(2):
        cached(features(device), features(device), scale).backward()
    open_clip.ClipLoss()(features(device), features(device), scale, logit_bias=bias, output_dict=True)
    SigLipLoss()(features(device), features(device), scale, bias, output_dict=True)["contrastive_loss"].backward()
    distilled = open_clip.DistillClipLoss()
    sum(distilled(features(device), features(device), scale, features(device), features(device), scale)).backward()


@uses.add
def caption_losses(device: torch.device) -> None:
    model = coca(device)
    x, y = images(device), texts(device, length=CONTEXT - 1)
    for weight in (1.0, 0.0):
        loss_fn = open_clip.CoCaLoss(caption_loss_weight=2.0, clip_loss_weight=weight)
        train(model, lambda loss_fn=loss_fn: sum(loss_fn(**model(x, y), output_dict=True).values()))


def arguments(device: torch.device, **options: Any) -> Namespace:
    plain: Options = {
        "device": str(device),
        "precision": "fp32",
        "distill": False,
        "model": "tiny",
        "siglip": False,
        "accum_freq": 1,
        "skip_scheduler": False,
        "grad_clip_norm": 1.0,
        "horovod": False,
        "distributed": False,
        "rank": 0,
        "local_rank": 0,
        "world_size": 1,
        "log_every_n_steps": 1,
        "batch_size": 4,
        "wandb": False,
        "local_loss": False,
        "gather_with_grad": False,
        "loss_dist_impl": None,
        "coca_caption_loss_weight": 2.0,
        "coca_contrastive_loss_weight": 1.0,
        "val_frequency": 1,
        "epochs": 1,
        "save_logs": False,
        "zeroshot_frequency": 0,
    }
    return Namespace(**{**plain, **options})


def captioned_pictures(batch_size: int, length: int) -> SimpleNamespace:
    """Batches as the trainer takes them."""
    cpu = torch.device("cpu")
    data = TensorDataset(images(cpu, 8), texts(cpu, length=length).repeat(2, 1))
    loader = DataLoader(data, batch_size=batch_size, shuffle=True, drop_last=True)
    loader.num_samples, loader.num_batches = len(data), len(loader)
    return SimpleNamespace(dataloader=loader, set_epoch=lambda epoch: None)


TRAINERS: dict[str, Options] = {
    "plain": {},
    "mixed precision": {"precision": "amp_bf16"},
    "accumulated": {"accum_freq": 2},
    "distilled": {"distill": True},
    "siglip": {"siglip": True},
    "coca": {"model": "coca_tiny"},
}


def trainer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        args = arguments(device, **TRAINERS[name])
        if name == "coca":
            model = coca(device)
        else:
            model = clip(device, output_dict=True, **({"init_logit_bias": -10.0} if name == "siglip" else {}))
        teacher = clip(device, output_dict=True) if name == "distilled" else None
        tokenizer = open_clip.SimpleTokenizer(context_length=CONTEXT)
        length = CONTEXT - 1 if name == "coca" else CONTEXT
        data = {part: captioned_pictures(args.batch_size, length) for part in ("train", "val")}
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
        scheduler = cosine_lr(optimizer, 1e-3, 1, 4)
        loss = open_clip.create_loss(args)
        train_one_epoch(model, data, loss, 0, optimizer, None, scheduler, teacher, args)
        evaluate(model, data, 1, args, tokenizer=tokenizer)

    return use


uses.add_each("trainer", TRAINERS, trainer_use)


@uses.add
def schedules(device: torch.device) -> None:
    model = clip(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for schedule in (
        const_lr(optimizer, 1e-3, 2, 8),
        const_lr_cooldown(optimizer, 1e-3, 2, 8, 4),
        cosine_lr(optimizer, 1e-3, 2, 8),
    ):
        for step in range(8):
            schedule(step)


# Zero-shot evaluation


NAMES = open_clip.IMAGENET_CLASSNAMES[:6]


@uses.add
def zero_shot(device: torch.device) -> None:
    model = clip(device, output_dict=True).eval()
    tokenizer = open_clip.SimpleTokenizer(context_length=CONTEXT)
    templates = open_clip.OPENAI_IMAGENET_TEMPLATES[:3]
    weights = open_clip.build_zero_shot_classifier(
        model, tokenizer, NAMES, templates, num_classes_per_batch=4, device=device, use_tqdm=True
    )
    open_clip.build_zero_shot_classifier(
        model, tokenizer, NAMES, ["a photo of a {}."], num_classes_per_batch=None, device=device
    )
    open_clip.build_zero_shot_classifier_legacy(
        model, tokenizer, NAMES, open_clip.SIMPLE_IMAGENET_TEMPLATES[:2], device=device
    )
    with torch.no_grad():
        logits = 100.0 * model.encode_image(images(device), normalize=True) @ weights
    logits.topk(5, dim=1)


@uses.add
def retrieval(device: torch.device) -> None:
    model = clip(device).eval()
    with torch.no_grad():
        image, text, scale = model(images(device), texts(device))
        similarity = scale * image @ text.T
    similarity.softmax(-1).topk(2).indices.tolist()


# Captions


@uses.add
def caption_forward(device: torch.device) -> None:
    model = coca(device, init_logit_bias=-10.0)
    x, y = images(device), texts(device, length=CONTEXT - 1)
    model(x), model(x, y)
    first = model(x)
    model(x, y, image_latent=first["image_features"], image_embs=first["image_embs"], output_labels=False)
    model.encode_image(x), model.encode_text(y)
    model.set_grad_checkpointing()
    model.train()
    model(x, y)["logits"].sum().backward()


# Tokens and transforms


@uses.add
def tokenizers(device: torch.device) -> None:
    model = custom(device)
    captions = ["a very long description of a small brown dog that runs on the beach", "Cats &amp; dogs!"]
    for mask in ("", "simple", "random", "shuffle"):
        tokenizer = open_clip.SimpleTokenizer(context_length=CONTEXT, clean="canonicalize", reduction_mask=mask)
        model.encode_text(tokenizer(captions).to(device))
    tokens = open_clip.tokenize(captions)
    open_clip.decode(tokens[0])
    open_clip.SimpleTokenizer(additional_special_tokens=["<mask>"], clean="whitespace").encode("hello <mask>")


TRANSFORMS: dict[str, Options] = {
    "shortest": {"is_train": False},
    "longest": {"is_train": False, "resize_mode": "longest", "interpolation": "bilinear"},
    "squash": {"is_train": False, "resize_mode": "squash"},
    "rectangle": {"is_train": False, "resize_mode": "longest", "interpolation": "random"},
    "train": {"is_train": True},
    "jitter": {
        "is_train": True,
        "aug_cfg": {"color_jitter": (0.3, 0.3, 0.3, 0.1), "color_jitter_prob": 0.8, "gray_scale_prob": 0.5},
    },
    "timm": {"is_train": True, "aug_cfg": {"use_timm": True, "color_jitter": 0.4, "re_prob": 0.5}},
}


@uses.add
def transforms(device: torch.device) -> None:
    picture = Image.fromarray(np.random.default_rng(0).integers(0, 256, (60, 44, 3)).astype("uint8"))
    model = clip(device)
    for options in TRANSFORMS.values():
        transform = open_clip.image_transform(SIZE, **options)
        model.encode_image(torch.stack([transform(picture), transform(picture)]).to(device))
    open_clip.image_transform((32, 48), is_train=False, resize_mode="longest")(picture)
    image_transform_v2(PreprocessCfg(size=SIZE), is_train=False)(picture.convert("L"))


@uses.add
def pretrained_lists(device: torch.device) -> None:
    open_clip.list_pretrained(as_str=True)
    open_clip.list_pretrained_models_by_tag("openai")
    open_clip.list_pretrained_tags_by_model("ViT-B-32")
    open_clip.get_pretrained_cfg("ViT-B-32", "openai")
    open_clip.get_pretrained_url("ViT-B-32", "openai")
    open_clip.is_pretrained_cfg("ViT-B-32", "openai")
    open_clip.list_openai_models()


if __name__ == "__main__":
    uses.main()
