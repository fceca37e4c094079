"""Decoders, encoders, their many options, training, generation and the wrappers of x_transformers."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from uses import Use, Uses
from x_transformers import (
    DPO,
    Attention,
    AttentionPool,
    AutoregressiveWrapper,
    BeliefStateWrapper,
    ContinuousAutoregressiveWrapper,
    ContinuousTransformerWrapper,
    CrossAttender,
    Decoder,
    Encoder,
    EntropyBasedTokenizer,
    FeedForward,
    MultiInputTransformerWrapper,
    NeoMLP,
    NextLatentWrapper,
    NonAutoregressiveWrapper,
    PrefixDecoder,
    TransformerBlock,
    TransformerWrapper,
    ViTransformerWrapper,
    XLAutoregressiveWrapper,
    XTransformer,
    XValAutoregressiveWrapper,
    XValTransformerWrapper,
)
from x_transformers.autoregressive_wrapper import align_right, contrastive_decode_fn
from x_transformers.continuous_autoencoder import ContinuousTransformerAutoencoder
from x_transformers.discover_wrapper import DiscoverDecoder, TPREncoder, num_roles_for_scheme, role_ids_for_tokens
from x_transformers.free_transformer import FreeTransformer
from x_transformers.full_bandwidth import FullBandwidth
from x_transformers.gpt_lejepa import LatentAutoregressive
from x_transformers.gpt_vae import GPTVAE
from x_transformers.recirculation import Recirculation
from x_transformers.xl_autoregressive_wrapper import TTTMetaLearningTargetKLLoss
from x_transformers.xm_latent_decoder import XMLatentDecoder

TOKENS, LENGTH, BATCH, DIM, HEADS = 32, 16, 2, 32, 4
Options = dict[str, Any]
SMALL: Options = {"dim": DIM, "heads": HEADS, "attn_dim_head": 16, "verbose": False}
uses = Uses()


def decoder(depth: int | None = 2, **options: Any) -> Decoder:
    return Decoder(**{**SMALL, "depth": depth, **options})


def encoder(depth: int | None = 2, **options: Any) -> Encoder:
    return Encoder(**{**SMALL, "depth": depth, **options})


def language_model(device: torch.device, layers: Options | None = None, **options: Any) -> TransformerWrapper:
    settings = {"num_tokens": TOKENS, "max_seq_len": LENGTH, **options}
    return TransformerWrapper(attn_layers=decoder(**(layers or {})), **settings).to(device)


def text_encoder(device: torch.device, layers: Options | None = None, **options: Any) -> TransformerWrapper:
    settings = {"num_tokens": TOKENS, "max_seq_len": LENGTH, **options}
    return TransformerWrapper(attn_layers=encoder(**(layers or {})), **settings).to(device)


def tokens(device: torch.device, length: int = LENGTH, count: int = BATCH) -> torch.Tensor:
    return torch.randint(0, TOKENS, (count, length), device=device)


def lengths(device: torch.device) -> torch.Tensor:
    return torch.tensor([LENGTH, LENGTH - 6], device=device)


def padding(device: torch.device, length: int = LENGTH) -> torch.Tensor:
    return torch.arange(length, device=device) < torch.tensor([[length], [length - 6]], device=device)


def train(model: nn.Module, loss_of: Callable[[], torch.Tensor], steps: int = 2) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.train()
    for _ in range(steps):
        loss = loss_of()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        optimizer.zero_grad()
        loss.item()


# Options of the attention layers


LAYERS: dict[str, Options] = {
    "plain": {},
    "flash": {"attn_flash": True},
    "flash with alibi": {"attn_flash": True, "alibi_pos_bias": True, "alibi_num_heads": 2},
    "rotary": {"rotary_pos_emb": True},
    "rotary xpos": {"rotary_xpos": True, "rotary_interpolation_factor": 2.0},
    "polar": {"polar_pos_emb": True},
    "t5 bias": {"rel_pos_bias": True},
    "dynamic bias": {"dynamic_pos_bias": True, "dynamic_pos_bias_log_distance": True, "dynamic_pos_bias_norm": True},
    "alibi": {"alibi_pos_bias": True},
    "forgetting": {"attn_data_dependent_alibi": True},
    "forgetting per row": {"attn_data_dependent_alibi": True, "attn_data_dependent_alibi_per_row": True},
    "memory keys": {"attn_num_mem_kv": 2},
    "projected bias": {"attn_use_rel_proj_pos_bias": True},
    "scalenorm": {"use_scalenorm": True},
    "rmsnorm": {"use_rmsnorm": True, "ff_glu": True, "ff_swish": True, "ff_no_bias": True},
    "simple rmsnorm": {"use_simple_rmsnorm": True, "ff_relu_squared": True},
    "dynamic tanh": {"use_dynamic_tanh": True, "ff_solu": True},
    "derf": {"use_derf": True, "ff_post_act_ln": True},
    "sandwich norm": {"sandwich_norm": True, "ff_glu": True, "ff_glu_mult_bias": True},
    "post norm": {"pre_norm": False, "residual_attn": True},
    "pre and post norm": {"pre_and_post_norm": True, "scale_residual": True},
    "gated residual": {"gate_residual": True},
    "orthogonal residual": {"orthog_residual": True},
    "mean variance residual": {"mv_split_residual": True},
    "gated multi residual": {
        "gated_multi_residual": True,
        "num_residual_streams": 2,
        "residual_fn_kwargs": {"read_gate_rank": 4},
    },
    "aggregated residuals": {
        "attn_aggregated_residuals": True,
        "attn_aggregated_residual_kwargs": {"lora_rank": 8},
    },
    "hyper connections": {"num_residual_streams": 4, "residual_fn_kwargs": {"tanh": True}},
    "hyper connections with views": {"num_residual_streams": 2, "qkv_receive_diff_residuals": True},
    "integrated layers": {"integrate_layers": True},
    "value residual": {"add_value_residual": True},
    "value residual fixed": {"add_value_residual": True, "learned_value_residual_mix": False},
    "layerscale": {"use_layerscale": True, "zero_init_branch_output": True, "layer_dropout": 0.3},
    "shifted tokens": {"shift_tokens": 1, "softclamp_output": True},
    "unet": {"depth": 4, "unet_skips": True},
    "macaron": {"macaron": True},
    "sandwich": {"depth": 3, "sandwich_coef": 2},
    "par": {"depth": 4, "par_ratio": 4},
    "custom layers": {"depth": None, "custom_layers": ("a", "f", "a", "f")},
    "executed twice": {"depth": None, "custom_layers": ("a", "f"), "layers_execute_order": (0, 1, 0, 1)},
    "tied": {"weight_tie_layers": True},
    "only attention": {"only_attn": True},
    "reinjected input": {"reinject_input": True, "learned_reinject_input_gate": True},
    "dropout": {"attn_dropout": 0.1, "ff_dropout": 0.1, "attn_sublayer_dropout": 0.1, "ff_sublayer_dropout": 0.1},
    "talking heads": {"attn_pre_talking_heads": True, "attn_post_talking_heads": True, "attn_head_scale": True},
    "scaled talking heads": {"attn_pre_scale_post_talking_heads": True},
    "sparse": {"attn_sparse_topk": 2},
    "sparse straight through": {"attn_sparse_topk": 2, "attn_sparse_topk_straight_through": True},
    "hard": {"attn_hard": True},
    "local": {"attn_max_attend_past": 4},
    "qk norm": {"attn_qk_norm": True, "attn_qk_norm_groups": 2, "attn_qk_norm_dim_scale": True},
    "qk rmsnorm": {"attn_qk_rmsnorm": True, "attn_value_rmsnorm": True},
    "l2 distance": {"attn_l2_distance": True, "attn_one_kv_head": True},
    "grouped queries": {"attn_kv_heads": 2, "attn_flash": True},
    "sigmoid": {"attn_sigmoid": True},
    "gumbel": {"attn_gumbel_softmax": True},
    "selective": {"attn_selective": True},
    "signed": {"attn_cog_signed": True},
    "gates": {"attn_gate_values": True, "attn_gate_value_heads": True, "attn_swiglu_values": True},
    "output gates": {"attn_output_gate": True, "attn_output_gate_rank": 4, "attn_gate_values": True},
    "attention on attention": {"attn_on_attn": True, "attn_add_zero_kv": True},
    "sinks": {"attn_head_learned_sink": True, "attn_softclamp_logits": True},
    "laser": {"attn_laser": True, "attn_orthog_projected_values": True},
    "latent attention": {
        "attn_use_latent_q": True,
        "attn_dim_latent_q": 16,
        "attn_use_latent_kv": True,
        "attn_dim_latent_kv": 16,
        "attn_latent_rope_subheads": 2,
        "rotary_pos_emb": True,
    },
    "inverted": {"attn_inverted_attention": True},
    "depth scaled": {"depth_scale_residual": True, "ff_softclamp_value": 5.0},
    "hybrid": {
        "attn_hybrid_module": nn.GRU(DIM, HEADS * 16, batch_first=True),
        "attn_hybrid_fold_axial_dim": 1,
        "attn_hybrid_learned_mix": True,
    },
}


def in_threes(options: Iterable[str]) -> dict[str, list[str]]:
    """Names taken together, for fewer uses."""
    names = list(options)
    return {", ".join(names[at : at + 3]): names[at : at + 3] for at in range(0, len(names), 3)}


DECODERS = in_threes(LAYERS)


def layers_use(names: str) -> Use:
    def use(device: torch.device) -> None:
        for name in DECODERS[names]:
            model = AutoregressiveWrapper(language_model(device, LAYERS[name]))
            x = tokens(device)
            train(model, lambda model=model, x=x: model(x))
            model.generate(x[:, :2], 4, temperature=0.9)

    return use


uses.add_each("decoder", DECODERS, layers_use)

ENCODERS = in_threes(
    (
        "plain",
        "flash",
        "rotary",
        "t5 bias",
        "dynamic bias",
        "alibi",
        "forgetting",
        "shifted tokens",
        "sparse",
        "unet",
        "hyper connections",
    )
)


def fill(model: TransformerWrapper, x: torch.Tensor, mask: torch.Tensor) -> None:
    train(model, lambda: functional.cross_entropy(model(x, mask=mask).transpose(1, 2), x))
    model.eval()
    with torch.no_grad():
        model(x, mask=mask, return_embeddings=True)


def encoder_use(names: str) -> Use:
    def use(device: torch.device) -> None:
        for name in ENCODERS[names]:
            fill(text_encoder(device, LAYERS[name]), tokens(device), padding(device))

    return use


uses.add_each("encoder", ENCODERS, encoder_use)

NORMS: dict[str, Options] = {
    "layernorm": {"use_adaptive_layernorm": True, "use_adaptive_layerscale": True},
    "rmsnorm": {"use_adaptive_rmsnorm": True, "adaptive_condition_mlp": True},
}


def condition_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = language_model(device, {"dim_condition": 12, **NORMS[name]})
        x = tokens(device)
        condition = torch.randn(BATCH, 12, device=device)
        train(model, lambda: functional.cross_entropy(model(x, condition=condition)[:, :-1].transpose(1, 2), x[:, 1:]))
        model.eval()
        model(x, condition=torch.randn(BATCH, LENGTH, 12, device=device))

    return use


uses.add_each("adaptive", NORMS, condition_use)

# Options of the wrapper


WRAPPERS: dict[str, Options] = {
    "tied embedding": {"tie_embedding": True, "post_emb_norm": True, "emb_dropout": 0.1, "emb_frac_gradient": 0.5},
    "small embedding": {"emb_dim": 16, "scaled_sinu_pos_emb": True},
    "l2 normed embedding": {"l2norm_embed": True},
    "memory tokens": {"num_memory_tokens": 3},
    "interspersed memory tokens": {"num_memory_tokens": 1, "memory_tokens_interspersed_every": 4},
    "mixture of softmax": {"mixture_of_softmax": True, "mixture_of_softmax_k": 2},
    "sigsoftmax": {"sigsoftmax_logits": True},
    "deep embed": {"ff_deep_embed": True},
    "continuous head": {"add_continuous_pred_head": True},
    "no positions": {"use_abs_pos_emb": False},
    "recycling": {"recycling": True, "train_max_recycle_steps": 2},
}


def wrapper_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = AutoregressiveWrapper(language_model(device, **WRAPPERS[name]), ignore_index=0)
        x = tokens(device)
        train(model, lambda: model(x))
        more = {"recycle_steps": 2} if name == "recycling" else {}
        model.generate(x[:, :3], 4, **more)

    return use


uses.add_each("wrapper", WRAPPERS, wrapper_use)

POOLED: dict[str, Options] = {
    "average": {"average_pool_embed": True, "num_memory_tokens": 2},
    "class token": {"use_cls_token": True, "num_memory_tokens": 2},
    "class tokens": {"use_cls_token": True, "num_cls_tokens": 2},
    "attention": {"attn_pool": True, "num_pooled_tokens": 2, "return_only_embed": True},
    "regression": {"average_pool_embed": True, "logits_dim": 1, "squeeze_out_last_dim": True},
}


@uses.add
def pooled(device: torch.device) -> None:
    x, mask = tokens(device), padding(device)
    for options in POOLED.values():
        model = text_encoder(device, **options)
        train(model, lambda model=model: model(x, mask=mask).square().mean())


@uses.add
def looped(device: torch.device) -> None:
    net = language_model(
        device, {"pre_and_post_norm": True, "rotary_pos_emb": True}, looped=True, input_not_include_cache=True
    )
    model = AutoregressiveWrapper(net)
    x = tokens(device)
    train(model, lambda: model(x))
    net.eval()
    net(x, looped_steps=2)


@uses.add
def looped_generation(device: torch.device) -> None:
    net = language_model(device, {"pre_and_post_norm": True, "rotary_pos_emb": True}, looped=True)
    AutoregressiveWrapper(net).generate(tokens(device, 3, 1), 5, temperature=0.0)


@uses.add
def outputs(device: torch.device) -> None:
    model = language_model(device, num_output_heads=2)
    model(tokens(device))
    model = language_model(device, max_mem_len=LENGTH, shift_mem_down=1)
    x = tokens(device)
    model(x, return_logits_and_embeddings=True)
    model(x, return_attn=True)
    model(x, return_attn_z_loss=True)
    model(x, return_logit_entropies=True)
    model(x, return_embeddings_and_intermediates=True)
    _, mems = model(x, return_mems=True)
    model(x, mems=mems, return_mems=True, return_intermediates=True)


@uses.add
def inputs(device: torch.device) -> None:
    model = language_model(device, embed_num_tokens={"type": 4})
    x = tokens(device)
    kinds = torch.randint(0, 4, (BATCH, LENGTH), device=device)
    model(x, embed_ids={"type": kinds}, sum_embeds=torch.randn(BATCH, LENGTH, DIM, device=device))
    image = torch.randn(BATCH, 3, DIM, device=device)
    prepend = torch.ones(BATCH, 3, dtype=torch.bool, device=device)
    plain = language_model(device, {"rotary_pos_emb": True})
    plain(x, prepend_embeds=image, prepend_mask=prepend, mask=padding(device), excise_prepend_embeds=True)
    plain(x, pos=torch.arange(LENGTH, device=device).expand(BATCH, -1))
    plain(x, seq_start_pos=torch.tensor([0, 4], device=device))
    plain(x, attn_mask=torch.ones(LENGTH, LENGTH, dtype=torch.bool, device=device).tril())


@uses.add
def qk_clip(device: torch.device) -> None:
    model = language_model(device, {"attn_dim_head": DIM // HEADS})
    _, intermediates = model(tokens(device), return_intermediates=True)
    model.attn_qk_clip_(intermediates, tau=0.1)
    model.muon_parameters()


@uses.add
def cached_steps(device: torch.device) -> None:
    model = language_model(device, {"cross_attend": True, "cross_attn_dim_context": 12}).eval()
    prompts, context = tokens(device, 5), torch.randn(BATCH, 7, 12, device=device)
    with torch.no_grad():
        logits, cache = model(prompts, context=context, return_intermediates=True)
        sampled = logits[:, -1].argmax(dim=-1, keepdim=True)
        prompts = torch.cat((prompts, sampled), dim=-1)
        model(prompts, context=context, context_mask=padding(device, 7), cache=cache)


# Training and generation


@uses.add
def variable_lengths(device: torch.device) -> None:
    model = AutoregressiveWrapper(language_model(device), mask_prob=0.15, add_attn_z_loss=True)
    x = tokens(device)
    train(model, lambda: model(x, lens=lengths(device)))
    model(x, return_outputs=True)
    prompts = [tokens(device, n, 1)[0] for n in (3, 5)]
    model.generate(prompts, 4, eos_token=1)
    model.generate(tokens(device, 5), 4, prompt_lens=torch.tensor([3, 5], device=device), eos_token=1)


FILTERS: dict[str, Options] = {
    "top_k": {"k": 4},
    "top_p": {"thres": 0.8},
    "top_a": {},
    "min_p": {"min_p": 0.1},
}


def filter_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = AutoregressiveWrapper(language_model(device, {"rotary_pos_emb": True}))
        prompts = tokens(device, 3)
        model.generate(prompts, 6, filter_logits_fn=name, filter_kwargs=FILTERS[name], temperature=0.7)
        model.generate(prompts[0], 3, filter_logits_fn=name, cache_kv=False, return_intermediates=True)

    return use


uses.add_each("filter", FILTERS, filter_use)


@uses.add
def generation(device: torch.device) -> None:
    model = AutoregressiveWrapper(language_model(device, {"rotary_pos_emb": True}))
    prompts = tokens(device, 4)
    model.generate(prompts, 6, temperature=0.0, eos_token=2)
    model.generate(prompts, LENGTH + 4)
    amateur = language_model(device, {"depth": 1})
    model.generate(prompts, 4, amateur_model=amateur, contrastive_decode_kwargs={"beta": 0.5, "alpha": 0.1})


@uses.add
def beam_search(device: torch.device) -> None:
    model = AutoregressiveWrapper(language_model(device, {"rotary_pos_emb": True}))
    prompts = tokens(device, 4)
    model.beam_search(prompts, 5, beams=3)
    model.beam_search(prompts, 5, beams=3, return_beams_and_scores=True)
    model.beam_search(prompts, 4, beams=2, stochastic=True, cache_kv=False)
    model.beam_search(prompts, 4, beams=2, prompt_lens=torch.tensor([3, 4], device=device))


@uses.add
def decoding_parts(device: torch.device) -> None:
    logits = torch.randn(BATCH, TOKENS, device=device)
    contrastive_decode_fn(logits, torch.randn_like(logits))
    align_right(tokens(device), lengths(device))


@uses.add
def encoder_decoder(device: torch.device) -> None:
    model = XTransformer(
        dim=DIM,
        tie_token_emb=True,
        cross_attn_tokens_dropout=0.25,
        enc_num_tokens=TOKENS,
        enc_depth=2,
        enc_heads=HEADS,
        enc_attn_dim_head=16,
        enc_max_seq_len=LENGTH,
        enc_num_memory_tokens=2,
        dec_num_tokens=TOKENS,
        dec_depth=2,
        dec_heads=HEADS,
        dec_attn_dim_head=16,
        dec_max_seq_len=LENGTH,
    ).to(device)
    source, target, mask = tokens(device), tokens(device), padding(device)
    train(model, lambda: model(source, target, mask=mask))
    model.eval()
    model.generate(source, target[:, :1], 6, mask=mask)
    embeds = torch.randn(BATCH, 2, DIM, device=device)
    model(source, target, mask=mask, src_prepend_embeds=embeds)


@uses.add
def saved_model(device: torch.device) -> None:
    model = language_model(device, {"rotary_pos_emb": True})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt"
        torch.save(model.state_dict(), path)
        other = language_model(device, {"rotary_pos_emb": True})
        other.load_state_dict(torch.load(path, map_location=device))
    other(tokens(device))


@uses.add
def half_precision(device: torch.device) -> None:
    model = AutoregressiveWrapper(language_model(device, {"rotary_pos_emb": True, "attn_flash": True}))
    x = tokens(device)

    def loss() -> torch.Tensor:
        with torch.autocast(device.type, dtype=torch.bfloat16):
            return model(x)

    train(model, loss)


@uses.add
def prefix_decoder(device: torch.device) -> None:
    model = PrefixDecoder(**SMALL, depth=2).to(device)
    x = torch.randn(BATCH, LENGTH, DIM, device=device)
    model(x, prefix_attn_len=4)
    model(x, prefix_attn_len=torch.tensor([2, 4], device=device))


@uses.add
def layer_pieces(device: torch.device) -> None:
    x, context = torch.randn(BATCH, LENGTH, DIM, device=device), torch.randn(BATCH, 5, 12, device=device)
    attention = Attention(dim=DIM, dim_context=12, heads=HEADS, dim_head=8).to(device)
    attention(x, context=context, context_mask=padding(device, 5), return_intermediates=True)
    FeedForward(dim=DIM, glu=True, glu_softclamp=True, dropout=0.1).to(device)(x)
    TransformerBlock(**SMALL).to(device)(x)
    cross = CrossAttender(**SMALL, depth=2, cross_attn_dim_context=12).to(device)
    cross(x, context=context, context_mask=padding(device, 5))
    AttentionPool(dim=DIM, dim_context=12, num_pooled_tokens=1, squeeze_output=True).to(device)(context)
    AttentionPool(dim=DIM, dim_context=12, num_pooled_tokens=2, depth=2).to(device)(context, mask=padding(device, 5))


@uses.add
def rotary_cross_attention(device: torch.device) -> None:
    model = encoder(rotary_pos_emb=True, cross_attend=True, cross_attn_dim_context=12).to(device)
    x, context = torch.randn(1, LENGTH, DIM, device=device), torch.randn(1, 24, 12, device=device)
    mask = torch.ones(1, LENGTH, dtype=torch.bool, device=device)
    positions = {"pos": torch.arange(LENGTH, device=device), "context_pos": torch.arange(24, device=device)}
    model(x=x, mask=mask, context=context, **positions)


@uses.add
def custom_alibi(device: torch.device) -> None:
    model = decoder(heads=2, alibi_pos_bias=True, rel_pos_kwargs={"slopes": [1, 1]}).to(device)
    pos = torch.tensor([[[0, 1, 2, 4], [1, 3, 5, 7]], [[2, 3, 4, 5], [6, 8, 9, 10]]], device=device)
    model(torch.randn(2, 4, DIM, device=device), pos=pos)


@uses.add
def vision_transformer(device: torch.device) -> None:
    model = ViTransformerWrapper(
        image_size=16,
        patch_size=4,
        num_classes=5,
        num_register_tokens=2,
        post_emb_norm=True,
        emb_dropout=0.1,
        attn_layers=encoder(),
    ).to(device)
    images, labels = torch.rand(BATCH, 3, 16, 16, device=device), torch.randint(0, 5, (BATCH,), device=device)
    train(model, lambda: functional.cross_entropy(model(images), labels))
    embeddings = model(images, return_embeddings=True)
    captioner = AutoregressiveWrapper(language_model(device, {"cross_attend": True}))
    x = tokens(device)
    train(captioner, lambda: captioner(x, context=embeddings.detach()))
    model(images, return_logits_and_embeddings=True)


@uses.add
def many_inputs(device: torch.device) -> None:
    sizes = {"note": TOKENS, "pitch": 8, "tone": 4}
    model = MultiInputTransformerWrapper(
        num_tokens=sizes, max_seq_len=LENGTH, num_memory_tokens=2, max_mem_len=8, attn_layers=decoder()
    ).to(device)
    x = {name: torch.randint(0, size, (BATCH, LENGTH), device=device) for name, size in sizes.items()}
    train(model, lambda: sum(functional.cross_entropy(out.transpose(1, 2), x[name]) for name, out in model(x).items()))
    model(x, mask=padding(device), return_embeddings=True)
    model(x, return_attn=True)
    model(x, return_mems=True)
    model(x, prepend_embeds=torch.randn(BATCH, 2, DIM, device=device), return_logits_and_embeddings=True)


@uses.add
def continuous(device: torch.device) -> None:
    model = ContinuousTransformerWrapper(dim_in=6, dim_out=6, max_seq_len=LENGTH, attn_layers=decoder()).to(device)
    x = torch.randn(BATCH, LENGTH, 6, device=device)
    model(x, mask=padding(device), return_attn=True)
    wrapped = ContinuousAutoregressiveWrapper(model, equal_loss_weight_batch=True)
    train(wrapped, lambda: wrapped(x, mask=padding(device)))
    train(wrapped, lambda: wrapped(x, lens=lengths(device)), steps=1)
    wrapped(x, rollout_steps=2)
    wrapped.generate(x[:, :2], 5)
    wrapped.generate(x[0, :2], 3, cache_kv=False)


@uses.add
def continuous_probabilistic(device: torch.device) -> None:
    model = ContinuousTransformerWrapper(
        dim_in=6, dim_out=6, max_seq_len=LENGTH, probabilistic=True, attn_layers=decoder()
    ).to(device)
    wrapped = ContinuousAutoregressiveWrapper(model)
    x = torch.randn(BATCH, LENGTH, 6, device=device)
    train(wrapped, lambda: wrapped(x))
    wrapped.generate(x[:, :2], 4, temperature=0.8)


@uses.add
def continuous_encoder(device: torch.device) -> None:
    model = ContinuousTransformerWrapper(
        dim_in=6,
        dim_out=3,
        max_seq_len=LENGTH,
        average_pool_embed=True,
        scaled_sinu_pos_emb=True,
        attn_layers=encoder(),
    ).to(device)
    x = torch.randn(BATCH, LENGTH, 6, device=device)
    train(model, lambda: model(x, lens=lengths(device)).square().mean())


def autoencoder_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = ContinuousTransformerAutoencoder(
            dim=DIM,
            dim_input=6,
            dim_latent=8,
            enc_depth=1,
            dec_depth=1,
            max_seq_len=LENGTH,
            attn_dim_head=16,
            heads=2,
            bottleneck_type=name,
        ).to(device)
        x = torch.randn(BATCH, LENGTH, 6, device=device)
        train(model, lambda: model(x, lens=lengths(device)))
        model(x, return_all_losses=True)
        model.encode(x)

    return use


uses.add_each("autoencoder", ("deterministic", "variational"), autoencoder_use)


@uses.add
def numbers(device: torch.device) -> None:
    model = XValTransformerWrapper(
        num_tokens=TOKENS, numerical_token_id=3, max_seq_len=LENGTH, num_memory_tokens=1, attn_layers=decoder()
    ).to(device)
    wrapped = XValAutoregressiveWrapper(model)
    x = tokens(device)
    x[:, ::4] = 3
    amounts = torch.where(x == 3, torch.randn(BATCH, LENGTH, device=device), 1.0)
    mask = padding(device)
    train(wrapped, lambda: wrapped(x, amounts, mask=mask))
    wrapped(x, amounts, return_loss_breakdown=True)
    wrapped.generate(x[:, :3], amounts[:, :3], 4)


@uses.add
def segments(device: torch.device) -> None:
    net = language_model(device, {"rel_pos_bias": True}, max_mem_len=LENGTH, shift_mem_down=1)
    model = XLAutoregressiveWrapper(net)
    x = tokens(device, 3 * LENGTH + 1)
    train(model, lambda: model(x))
    model.generate(x[:, : LENGTH + 3], 5, eos_token=1)
    model.generate(x[:, : LENGTH - 2], 5, temperature=0.0)


TEST_TIME: dict[str, Options] = {
    "plain": {"ttt_module_paths": ("attn_layers.layers.1.1",)},
    "muon": {"ttt_module_paths": ("attn_layers.layers.1.1",), "ttt_use_muon": True},
    "next latent": {"ttt_module_paths": ("attn_layers.layers.1.1",), "ttt_next_latent_loss": True},
    "low rank": {"ttt_low_rank_paths": (("attn_layers.layers.1.1.ff.2", 4),)},
    "episodic": {"ttt_module_paths": ("episodic_mems",), "episodic_mem_len": 4},
}


def test_time_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        net = language_model(device, max_mem_len=LENGTH)
        model = XLAutoregressiveWrapper(net, tbptt_steps=2, **TEST_TIME[name]).to(device)
        x = tokens(device, 2 * LENGTH + 1)
        train(model, lambda: model(x))
        model.generate(x[:, : LENGTH + 3], 3)

    return use


uses.add_each("test time training", TEST_TIME, test_time_use)


@uses.add
def test_time_meta_loss(device: torch.device) -> None:
    net = language_model(device, max_mem_len=LENGTH)
    loss = TTTMetaLearningTargetKLLoss(dim=DIM, num_classes=8, heads=2, dim_head=16)
    model = XLAutoregressiveWrapper(
        net, tbptt_steps=2, ttt_module_paths=("attn_layers.layers.1.1",), ttt_custom_loss_module=loss
    ).to(device)
    x = tokens(device, 2 * LENGTH + 1)
    train(model, lambda: model(x, ttt_recurrent_steps=2))


# Other objectives


MASKED: dict[str, Options] = {
    "plain": {},
    "cosine": {"schedule": "cosine", "self_cond": True},
    "self critic": {"self_token_critic": True, "can_mask_prev_unmasked": True},
}


def masked_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        net = text_encoder(device, num_tokens=TOKENS + 1)
        model = NonAutoregressiveWrapper(net, mask_id=TOKENS, steps=4, **MASKED[name]).to(device)
        x = tokens(device)
        train(model, lambda: model(x).loss)
        model.generate(BATCH)
        model.generate()

    return use


uses.add_each("masked", MASKED, masked_use)


@uses.add
def masked_with_critic(device: torch.device) -> None:
    net = text_encoder(device, num_tokens=TOKENS + 1)
    critic = text_encoder(device, num_tokens=TOKENS + 1, logits_dim=1)
    model = NonAutoregressiveWrapper(net, mask_id=TOKENS, steps=3, token_critic=critic).to(device)
    x = tokens(device)
    train(model, lambda: model(x).loss)
    model(x, only_train_critic=True, generator_sample_temperature=0.5)
    model.generate(BATCH)


@uses.add
def belief_state(device: torch.device) -> None:
    model = BeliefStateWrapper(
        language_model(device), language_model(device), backward_ar_loss_weight=0.5, pred_distance=True
    ).to(device)
    x = tokens(device)
    train(model, lambda: model(x, lens=lengths(device)))
    suffix = tokens(device, 3, 1)[0]
    model.generate_with_suffix_cond(x[:, :2], 4, suffix=suffix, cache_kv=True)
    model.generate_with_suffix_cond(x[:, :2], 3, decode_backwards=True, temperature=0.0)


@uses.add
def belief_state_sampled(device: torch.device) -> None:
    model = BeliefStateWrapper(
        language_model(device), cond_on_distance=True, pred_distance=True, train_frac_forward_backward_pairs=0.5
    ).to(device)
    x = tokens(device)
    train(model, lambda: model(x), steps=4)


@uses.add
def preferences(device: torch.device) -> None:
    model = DPO(language_model(device), pad_id=0).to(device)
    better, worse = tokens(device), tokens(device)
    prompt = torch.arange(LENGTH, device=device).expand(BATCH, -1) < 4
    train(model, lambda: model(better, worse, prompt_mask=prompt), steps=1)


NEXT: dict[str, Options] = {
    "plain": {},
    "rollouts": {"num_rollouts": 3, "loss_type": "mse_and_cosine_sim", "dynamics_type": "gru"},
    "plain rollouts": {"num_rollouts": 2, "loss_type": "mse", "kl_loss_weight": 0.0},
}


def next_latent_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = NextLatentWrapper(language_model(device), dim=DIM, **NEXT[name]).to(device)
        x = tokens(device)
        train(model, lambda: model(x))
        model(x, return_loss_breakdown=True)

    return use


uses.add_each("next latent", NEXT, next_latent_use)


@uses.add
def latent_autoregressive(device: torch.device) -> None:
    net = language_model(device, {"rotary_pos_emb": True, "pre_norm_has_final_norm": False})
    model = LatentAutoregressive(net, dim=DIM, num_rollouts=2, predict_next_embed_no_action=True).to(device)
    x = tokens(device)
    train(model, lambda: model(x))
    model(x, return_loss_breakdown=True)


@uses.add
def variational(device: torch.device) -> None:
    model = GPTVAE(
        num_tokens=TOKENS,
        dim=DIM,
        depth=2,
        enc_depth=1,
        max_seq_len=LENGTH,
        attn_dim_head=16,
        heads=2,
        dim_latent=4,
        vae_kl_div_floor=0.1,
        rotary_pos_emb=True,
    ).to(device)
    x = tokens(device)
    train(model, lambda: model(x))
    model(x, return_all_losses=True)
    model.generate(x[:, :2], 4, latents=[0.1, 0.2, 0.3, 0.4])
    model.generate(x[:, :2], 4, seq_for_latents=x)


@uses.add
def free_transformer(device: torch.device) -> None:
    model = FreeTransformer(
        num_tokens=TOKENS,
        dim=DIM,
        dec_head_depth=1,
        dec_tail_depth=1,
        max_seq_len=LENGTH,
        attn_dim_head=16,
        heads=2,
        latent_bits=4,
        latent_dropout_prob=0.1,
    ).to(device)
    x = tokens(device)
    train(model, lambda: model(x))
    model(x, return_all_losses=True)
    model.generate(x[:, :2], 6, latents=torch.tensor(3, device=device).expand(BATCH))
    model.generate(x[0, :2], 5)


@uses.add
def latent_candidates(device: torch.device) -> None:
    model = XMLatentDecoder(
        language_model(device, max_seq_len=LENGTH + 8),
        num_latents=2,
        dim=DIM,
        latent_dim=8,
        candidates=3,
        max_batch_size=4,
        repulsive_loss_weight=0.1,
    ).to(device)
    x = tokens(device)
    train(model, lambda: model(x, mask=padding(device)), steps=3)
    model(x, latent_drop_prob=1.0)
    model.generate(x[:, :2], 4)
    model.generate_with_candidate_latents(
        x[:, :4], 3, winner_fn=lambda logits: logits.amax(dim=(-1, -2)), return_best_latents=True
    )


@uses.add
def full_bandwidth(device: torch.device) -> None:
    for transition in ("glu", "gru"):
        net = language_model(
            device, {"depth_scale_residual": True, "rotary_pos_emb": True}, tie_embedding=True, post_emb_norm=True
        )
        model = FullBandwidth(net, transition=transition, dynamic_rollout_loss_weight=True).to(device)
        x = tokens(device)
        train(model, lambda model=model, x=x: model(x))
        model(x, return_loss_breakdown=True)
        model.generate(x[:, :3], 4)


@uses.add
def recirculation(device: torch.device) -> None:
    model = Recirculation(language_model(device, {"rotary_pos_emb": True}), 1, 0).to(device)
    AutoregressiveWrapper(model).generate(tokens(device, 3), 4)
    learned = Recirculation(language_model(device), 1, 0, use_learned=True).to(device)
    learned.learn_parameters(tokens(device, 5, 4), steps=2, batch_size=2)


@uses.add
def surgery(device: torch.device) -> None:
    fillers, length, count = TOKENS - 2, 6, 8
    model = DiscoverDecoder(
        decoder=language_model(device),
        num_fillers=fillers,
        bos_id=fillers,
        pad_id=fillers + 1,
        max_seq_len=length,
    ).to(device)
    x = torch.randint(0, fillers, (count, length), device=device)
    train(model, lambda: functional.cross_entropy(model(x, x).transpose(1, 2), x))
    long = torch.full((count,), length, device=device)
    for scheme in ("left_to_right", "bidirectional", "wickel"):
        roles = num_roles_for_scheme(scheme, max_seq_len=length, num_fillers=fillers)
        ids = role_ids_for_tokens(x, long, scheme, max_seq_len=length, num_fillers=fillers)
        tpr = TPREncoder(dim=DIM, num_fillers=fillers, num_roles=roles, filler_dim=4, role_dim=4).to(device)
        tpr.fit(x, ids, model.encode(x), steps=3, batch_size=4)
    edited = x.clone()
    edited[:, 2] = 1
    model.surgery(x, edited, ids, ids, tpr)
    model.decode(model.encode(x), eos_id=1)


@uses.add
def neo_mlp(device: torch.device) -> None:
    model = NeoMLP(dim_in=5, dim_hidden=6, dim_out=3, depth=2, dim_model=DIM).to(device)
    x, y = torch.randn(8, 5, device=device), torch.randn(8, 3, device=device)
    train(model, lambda: functional.mse_loss(model(x), y))
    model(x[0], return_embeds=True)


@uses.add
def entropy_tokenizer(device: torch.device) -> None:
    x = tokens(device)
    one = EntropyBasedTokenizer(language_model(device), entropy_threshold=3.2)
    one(x)
    one(x, return_segmented_seq=True)
    one(x, lens=lengths(device), return_segmented_seq=True)
    limited = EntropyBasedTokenizer(one.decoder, entropy_threshold=4.0, accumulate_entropy=True, max_token_size=3)
    limited(x)
    limited(x[0], return_segmented_seq=True)


if __name__ == "__main__":
    uses.main()
