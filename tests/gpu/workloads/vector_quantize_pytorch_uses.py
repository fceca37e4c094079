"""Quantizers: plain, residual, grouped, hierarchical, scalar, lookup-free, latent and evolved."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import vector_quantize_pytorch as vq
from torch import nn
from torch.nn import functional
from uses import Use, Uses
from vector_quantize_pytorch import (
    FSP,
    FSQ,
    LFQ,
    BinaryMapper,
    EvoLFQ,
    GroupedResidualFSQ,
    GroupedResidualLFQ,
    GroupedResidualVQ,
    HierarchicalVQ,
    LatentQuantize,
    RandomProjectionQuantizer,
    ResidualFSQ,
    ResidualLFQ,
    ResidualSimVQ,
    ResidualVQ,
    SimVQ,
    VectorQuantize,
)

BATCH, LENGTH, DIM, CODES = 2, 16, 16, 32
Options = dict[str, Any]
uses = Uses()


def sequences(device: torch.device, dim: int = DIM) -> torch.Tensor:
    return torch.randn(BATCH, LENGTH, dim, device=device)


def feature_maps(device: torch.device, dim: int = DIM) -> torch.Tensor:
    return torch.randn(BATCH, dim, 4, 4, device=device)


def volumes(device: torch.device, dim: int = DIM) -> torch.Tensor:
    return torch.randn(BATCH, dim, 2, 4, 4, device=device)


def lengths(device: torch.device) -> torch.Tensor:
    return torch.tensor([LENGTH, LENGTH - 6], device=device)


def padding(device: torch.device) -> torch.Tensor:
    return torch.arange(LENGTH, device=device) < lengths(device)[:, None]


class Around(nn.Module):
    """A quantizer between two linear layers."""

    def __init__(self, quantizer: nn.Module, dim: int = DIM) -> None:
        super().__init__()
        self.before, self.quantizer, self.after = nn.Linear(dim, dim), quantizer, nn.Linear(dim, dim)

    def forward(self, x: torch.Tensor, **options: Any) -> torch.Tensor:
        quantized, _, *losses = self.quantizer(self.before(x), **options)
        loss = functional.mse_loss(self.after(quantized), x)
        return loss + losses[0].sum() if losses else loss


class Convolved(nn.Module):
    """An image autoencoder around a quantizer that takes the channels second."""

    def __init__(self, quantizer: nn.Module, dim: int = DIM) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.GELU(), nn.Conv2d(8, dim, 3, 2, 1))
        self.quantizer = quantizer
        self.decoder = nn.Sequential(
            nn.Upsample(scale_factor=2),
            nn.Conv2d(dim, 8, 3, 1, 1),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(8, 1, 3, 1, 1),
        )

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        quantized, indices, *losses = self.quantizer(self.encoder(x))
        return self.decoder(quantized).clamp(-1, 1), indices, losses[0] if losses else quantized.new_zeros(())


def train(model: nn.Module, loss_of: Callable[[], torch.Tensor], steps: int = 3) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model.train()
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        loss.item()


# Plain vector quantization


PLAIN: dict[str, Options] = {
    "default": {"decay": 0.8, "commitment_weight": 1.0},
    "projected": {"codebook_dim": 4, "layernorm_after_project_in": True},
    "kmeans": {"kmeans_init": True, "kmeans_iters": 5},
    "cosine": {"use_cosine_sim": True},
    "cosine kmeans": {"use_cosine_sim": True, "kmeans_init": True, "kmeans_iters": 4, "threshold_ema_dead_code": 2},
    "expiring": {"threshold_ema_dead_code": 2},
    "orthogonal": {"orthogonal_reg_weight": 10, "orthogonal_reg_max_codes": 16},
    "orthogonal active": {"orthogonal_reg_weight": 10, "orthogonal_reg_active_codes_only": True, "ema_update": False},
    "diverse": {"codebook_diversity_loss_weight": 0.1, "rotation_trick": False},
    "stochastic": {"stochastic_sample_codes": True, "sample_codebook_temp": 0.1},
    "straight through": {"straight_through": True, "stochastic_sample_codes": True, "rotation_trick": False},
    "directional": {"directional_reparam": True, "threshold_ema_dead_code": 2},
    "cross entropy": {"commitment_use_cross_entropy_loss": True},
    "affine": {"affine_param": True},
    "learnable": {"learnable_codebook": True, "ema_update": False, "sync_update_v": 0.2},
    "bridge": {"vq_bridge": nn.Linear(DIM, DIM)},
    "heads": {"codebook_dim": 8, "heads": 2},
    "separate heads": {"codebook_dim": 8, "heads": 2, "separate_codebook_per_head": True},
    "separate heads cosine": {"heads": 2, "separate_codebook_per_head": True, "use_cosine_sim": True},
    "frozen": {"freeze_codebook": True},
}


def plain_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        quantizer = VectorQuantize(dim=DIM, codebook_size=CODES, **PLAIN[name])
        model = Around(quantizer).to(device)
        x = sequences(device)
        train(model, lambda: model(x))
        model.eval()
        with torch.no_grad():
            _, indices, _ = quantizer(x)
            quantizer.get_output_from_indices(indices)

    return use


uses.add_each("plain", PLAIN, plain_use)


@uses.add
def in_place_optimizer(device: torch.device) -> None:
    made = {"ema_update": False, "learnable_codebook": True, "in_place_codebook_optimizer": torch.optim.AdamW}
    quantizer = VectorQuantize(dim=DIM, codebook_size=CODES, **made).to(device)
    model = Around(quantizer).to(device)
    x = sequences(device)
    train(model, lambda: model(x))
    quantizer(x, mask=padding(device))


@uses.add
def loss_parts(device: torch.device) -> None:
    quantizer = VectorQuantize(DIM, CODES, orthogonal_reg_weight=1.0, codebook_diversity_loss_weight=0.1).to(device)
    quantizer(sequences(device), return_loss_breakdown=True)
    quantizer(sequences(device), sample_codebook_temp=0.5, freeze_codebook=True)


@uses.add
def variable_lengths(device: torch.device) -> None:
    x = sequences(device)
    for made in ({}, {"heads": 2, "separate_codebook_per_head": True}, {"commitment_use_cross_entropy_loss": True}):
        quantizer = VectorQuantize(dim=DIM, codebook_size=CODES, threshold_ema_dead_code=1, **made).to(device)
        quantizer(x, mask=padding(device))
    quantizer = VectorQuantize(
        dim=DIM, codebook_size=CODES, kmeans_init=True, kmeans_iters=3, return_zeros_for_masked_padding=False
    ).to(device)
    quantizer(x, lens=lengths(device))


@uses.add
def many_axes(device: torch.device) -> None:
    image = VectorQuantize(dim=DIM, codebook_size=CODES, accept_image_fmap=True).to(device)
    _, indices, _ = image(feature_maps(device))
    image.get_output_from_indices(indices)
    video = VectorQuantize(dim=DIM, codebook_size=CODES, accept_3d_fmap=True).to(device)
    _, indices, _ = video(volumes(device))
    video.get_codes_from_indices(indices)
    first = VectorQuantize(dim=DIM, codebook_size=CODES, channel_last=False).to(device)
    first(sequences(device).transpose(1, 2))
    VectorQuantize(dim=DIM, codebook_size=CODES).to(device)(torch.randn(BATCH, DIM, device=device))


@uses.add
def nearest_codes(device: torch.device) -> None:
    quantizer = VectorQuantize(dim=DIM, codebook_size=CODES).to(device)
    quantizer(sequences(device), topk=3)
    quantizer.eval()
    quantizer(sequences(device), topk=2, mask=padding(device))


@uses.add
def codes_as_targets(device: torch.device) -> None:
    quantizer = VectorQuantize(dim=DIM, codebook_size=CODES, heads=2, separate_codebook_per_head=True).to(device).eval()
    _, indices, _ = quantizer(sequences(device))
    quantizer(sequences(device).requires_grad_(), indices=indices)[1].backward()


@uses.add
def manual_updates(device: torch.device) -> None:
    quantizer = VectorQuantize(dim=DIM, codebook_size=CODES, manual_ema_update=True).to(device)
    x = sequences(device)
    _, indices, _ = quantizer(x, ema_update_weight=torch.rand(1, CODES, device=device))
    quantizer.update_indices(x, indices)
    quantizer.expire_codes_(x)
    quantizer.codebook = torch.randn(CODES, DIM, device=device)


@uses.add
def accumulated_updates(device: torch.device) -> None:
    quantizer = VectorQuantize(dim=DIM, codebook_size=CODES).to(device)
    quantizer(sequences(device), accum_ema_update=True)
    quantizer(sequences(device), accum_ema_update=True)
    quantizer(sequences(device))


@uses.add
def image_autoencoder(device: torch.device) -> None:
    quantizer = VectorQuantize(dim=DIM, codebook_size=CODES, accept_image_fmap=True, kmeans_init=True, kmeans_iters=3)
    model = Convolved(quantizer).to(device)
    images = torch.rand(4, 1, 16, 16, device=device) * 2 - 1

    def loss() -> torch.Tensor:
        out, _, commitment = model(images)
        return (out - images).abs().mean() + 10 * commitment

    train(model, loss)
    model.eval()
    with torch.no_grad():
        _, indices, _ = model(images)
    indices.unique().numel()


@uses.add
def scalar_autoencoder(device: torch.device) -> None:
    for quantizer in (FSQ([4, 3, 3]), LFQ(codebook_size=8, dim=3), SimVQ(3, 8, channel_first=True)):
        model = Convolved(quantizer, 3).to(device)
        images = torch.rand(4, 1, 16, 16, device=device) * 2 - 1

        def loss(model: Convolved = model, images: torch.Tensor = images) -> torch.Tensor:
            out, indices, extra = model(images)
            extra = extra if extra.ndim == 0 else 0.0
            indices.unique().numel()
            return (out - images).abs().mean() + extra

        train(model, loss, steps=2)


@uses.add
def saved_quantizer(device: torch.device) -> None:
    quantizer = VectorQuantize(dim=DIM, codebook_size=CODES, kmeans_init=True, kmeans_iters=2).to(device)
    quantizer(sequences(device))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "quantizer.pt"
        torch.save(quantizer.state_dict(), path)
        other = VectorQuantize(dim=DIM, codebook_size=CODES, kmeans_init=True).to(device)
        other.load_state_dict(torch.load(path, map_location=device))
    other(sequences(device))


@uses.add
def half_precision(device: torch.device) -> None:
    models = [
        Around(made).to(device)
        for made in (VectorQuantize(DIM, CODES), FSQ([4, 4, 3], dim=DIM), LFQ(dim=DIM, codebook_size=16))
    ]
    for model in models:
        with torch.autocast(device.type, dtype=torch.bfloat16):
            if isinstance(model.quantizer, FSQ):
                loss = model.quantizer(model.before(sequences(device)))[0].sum()
            else:
                loss = model(sequences(device))
        loss.backward()


@uses.add
def sequential(device: torch.device) -> None:
    model = vq.Sequential(nn.Linear(DIM, 8), VectorQuantize(dim=8, codebook_size=CODES), nn.Linear(8, DIM)).to(device)
    out, _, loss = model(sequences(device), mask=padding(device))
    (out.sum() + loss).backward()


# Residual vector quantization


RESIDUAL: dict[str, Options] = {
    "default": {"num_quantizers": 4, "codebook_size": CODES},
    "kmeans": {"num_quantizers": 3, "codebook_size": CODES, "kmeans_init": True, "kmeans_iters": 4},
    "shared stochastic": {
        "num_quantizers": 3,
        "codebook_size": CODES,
        "stochastic_sample_codes": True,
        "sample_codebook_temp": 0.1,
        "shared_codebook": True,
        "threshold_ema_dead_code": 1,
    },
    "dropout": {"num_quantizers": 4, "codebook_size": CODES, "quantize_dropout": True, "codebook_dim": 8},
    "structured dropout": {
        "num_quantizers": 4,
        "codebook_size": CODES,
        "quantize_dropout": True,
        "quantize_dropout_cutoff_index": 1,
        "quantize_dropout_multiple_of": 2,
    },
    "implicit": {"num_quantizers": 3, "codebook_size": 8, "implicit_neural_codebook": True},
    "sizes": {"codebook_size": (16, 8, 4)},
    "diveq": {"num_quantizers": 3, "codebook_size": CODES, "diveq": True, "threshold_ema_dead_code": 2},
    "gradients": {"num_quantizers": 3, "codebook_size": CODES, "quant_grad_frac": 0.5},
    "cosine": {"num_quantizers": 3, "codebook_size": CODES, "use_cosine_sim": True, "threshold_ema_dead_code": 2},
    "beams": {"num_quantizers": 3, "codebook_size": CODES, "beam_size": 2, "eval_beam_size": 3},
    "shared beams": {"num_quantizers": 3, "codebook_size": CODES, "beam_size": 2, "shared_codebook": True},
}


def residual_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        quantizer = ResidualVQ(dim=DIM, **RESIDUAL[name])
        model = Around(quantizer).to(device)
        x = sequences(device)
        train(model, lambda: model(x))
        model.eval()
        with torch.no_grad():
            _, indices, _, _ = quantizer(x, return_all_codes=True)
            quantizer.get_output_from_indices(indices)
            if quantizer.quantize_dropout:
                quantizer.get_output_from_indices(indices[..., :2])

    return use


uses.add_each("residual", RESIDUAL, residual_use)


@uses.add
def residual_inputs(device: torch.device) -> None:
    quantizer = ResidualVQ(dim=DIM, num_quantizers=2, codebook_size=CODES).to(device)
    quantizer(sequences(device), mask=padding(device))
    quantizer(sequences(device), freeze_codebook=True, sample_codebook_temp=0.2)


@uses.add
def residual_in_place(device: torch.device) -> None:
    made = {"ema_update": False, "learnable_codebook": True, "in_place_codebook_optimizer": torch.optim.AdamW}
    for shared in (False, True):
        quantizer = ResidualVQ(dim=DIM, num_quantizers=2, codebook_size=CODES, shared_codebook=shared, **made).to(
            device
        )
        quantizer(sequences(device))


@uses.add
def grouped_residual(device: torch.device) -> None:
    quantizer = GroupedResidualVQ(dim=DIM, num_quantizers=3, groups=2, codebook_size=CODES, quantize_dropout=True)
    model = Around(quantizer).to(device)
    x = sequences(device)
    train(model, lambda: model(x))
    quantizer.eval()
    _, indices, _, _ = quantizer(x, return_all_codes=True)
    quantizer.get_output_from_indices(indices)
    quantizer(x, mask=padding(device))


@uses.add
def random_projection(device: torch.device) -> None:
    quantizer = RandomProjectionQuantizer(dim=DIM, num_codebooks=4, codebook_dim=8, codebook_size=CODES).to(device)
    x = sequences(device)
    indices = quantizer(x)
    quantizer(x.clone().requires_grad_(), indices=indices).backward()


# Codebooks from a linear layer


SIM: dict[str, Options] = {
    "default": {},
    "transformed": {
        "codebook_transform": nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, DIM)),
        "frozen_codebook_dim": 8,
    },
    "straight through": {"rotation_trick": False},
}


def sim_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        quantizer = SimVQ(dim=DIM, codebook_size=CODES, **SIM[name])
        model = Around(quantizer).to(device)
        x = sequences(device)
        train(model, lambda: model(x))
        quantizer.eval()
        _, indices, _ = quantizer(x)
        quantizer.indices_to_codes(indices)

    return use


uses.add_each("sim", SIM, sim_use)


@uses.add
def residual_sim(device: torch.device) -> None:
    quantizer = ResidualSimVQ(dim=DIM, num_quantizers=3, codebook_size=CODES, quantize_dropout=True)
    model = Around(quantizer).to(device)
    x = sequences(device)
    train(model, lambda: model(x))
    quantizer.eval()
    _, indices, _, _ = quantizer(x, return_all_codes=True)
    quantizer.get_output_from_indices(indices)
    image = ResidualSimVQ(dim=DIM, num_quantizers=2, codebook_size=CODES, channel_first=True).to(device)
    _, indices, _ = image(feature_maps(device))
    image.get_output_from_indices(indices)


# Hierarchies


HIERARCHIES: dict[str, Options] = {
    "sequence": {"scales": (1, 4, 16)},
    "separate": {"scales": (1, 4, 16), "codebook_size": (8, 16, 32), "shared_codebook": False, "share_quant_resi": 0},
    "nested": {"scales": (1, 4, 16), "nested_dropout": 0.9, "share_quant_resi": 2, "channel_first": False},
    "image": {"scales": (1, 2, 4), "accept_image_fmap": True},
    "volume": {"scales": ((1, 1, 1), (2, 4, 4)), "accept_3d_fmap": True},
}


def hierarchy_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        options = {"codebook_size": CODES, "kmeans_iters": 3, **HIERARCHIES[name]}
        quantizer = HierarchicalVQ(dim=DIM, **options).to(device)
        x = {"image": feature_maps, "volume": volumes}.get(name, sequences)(device)
        x = x.transpose(1, 2).contiguous() if name in ("sequence", "separate") else x
        x.requires_grad_()
        for _ in range(3):
            out, indices, loss = quantizer(x)
            (out.square().mean() + loss).backward()
        quantizer.eval()
        _, indices, _, _ = quantizer(x, return_cutoff=True)
        quantizer.get_output_from_indices(indices)
        if x.ndim == 3:
            quantizer(x, lens=lengths(device))

    return use


uses.add_each("hierarchy", HIERARCHIES, hierarchy_use)


# Scalar quantization


FINITE: dict[str, Options] = {
    "default": {"levels": [8, 5, 5, 5]},
    "projected": {"levels": [8, 5, 5], "dim": DIM},
    "codebooks": {"levels": [4, 4, 3], "num_codebooks": 2, "dim": DIM},
    "symmetric": {"levels": [4, 4, 4], "preserve_symmetry": True, "noise_dropout": 0.5},
    "clamped": {"levels": [5, 5, 5], "bound_hard_clamp": True},
    "rotated": {"levels": [4, 4, 4, 4], "orthogonal_rotation": True},
    "values only": {"levels": [4, 4, 3], "return_indices": False, "force_quantization_f32": False},
}


def finite_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        quantizer = FSQ(**FINITE[name]).to(device)
        x = sequences(device, quantizer.dim).requires_grad_()
        out, indices = quantizer(x)
        out.square().mean().backward()
        quantizer.eval()
        out, indices = quantizer(x)
        if indices is not None:
            quantizer.indices_to_codes(indices)
        quantizer(feature_maps(device, quantizer.dim))

    return use


uses.add_each("finite scalar", FINITE, finite_use)


@uses.add
def residual_finite(device: torch.device) -> None:
    for more in (
        {},
        {"quantize_dropout": True, "quantize_dropout_multiple_of": 2},
        {"soft_clamp_input_value": 5.0, "bound_hard_clamp": False},
    ):
        quantizer = ResidualFSQ(dim=DIM, levels=[8, 5, 5, 3], num_quantizers=4, **more).to(device)
        x = sequences(device).requires_grad_()
        out, indices = quantizer(x)
        out.square().mean().backward()
        quantizer.eval()
        _, indices, _ = quantizer(x, return_all_codes=True)
        quantizer.get_output_from_indices(indices)


@uses.add
def grouped_finite(device: torch.device) -> None:
    quantizer = GroupedResidualFSQ(dim=DIM, levels=[8, 5, 3], num_quantizers=2, groups=2).to(device)
    out, indices = quantizer(sequences(device).requires_grad_())
    out.sum().backward()
    quantizer.eval()
    quantizer.get_output_from_indices(indices)
    quantizer(sequences(device), return_all_codes=True)


PERTURBED: dict[str, Options] = {
    "default": {"levels": [4, 4, 4]},
    "perturbed": {"levels": [8, 5, 5], "dim": DIM, "quantize_rate": 0.5},
    "inverse": {"levels": [4, 4, 4], "need_inv_act": True, "quantize_rate": 0.5},
    "channel first": {"levels": [4, 4, 4, 4], "channel_first": True, "dim": DIM},
}


def perturbed_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        quantizer = FSP(**PERTURBED[name]).to(device)
        made = feature_maps if name == "channel first" else sequences
        x = made(device, quantizer.dim).requires_grad_()
        out, _, loss, _ = quantizer(x)
        (out.square().mean() + loss).backward()
        quantizer.eval()
        _, indices, _, _ = quantizer(x)
        quantizer.indices_to_codes(indices)

    return use


uses.add_each("finite perturbation", PERTURBED, perturbed_use)

LOOKUP_FREE: dict[str, Options] = {
    "default": {"codebook_size": 64, "dim": DIM},
    "codebooks": {"codebook_size": 16, "dim": DIM, "num_codebooks": 2},
    "weighted": {"codebook_size": 16, "dim": DIM, "commitment_loss_weight": 0.25, "diversity_gamma": 2.0},
    "sampled": {"codebook_size": 16, "dim": DIM, "frac_per_sample_entropy": 0.5, "soft_clamp_input_value": 10.0},
    "cosine": {"codebook_size": 16, "dim": DIM, "cosine_sim_project_in": True},
    "softplus": {"codebook_size": 16, "dim": DIM, "experimental_softplus_entropy_loss": True},
    "spherical": {"codebook_size": 64, "dim": DIM, "spherical": True},
    "rotated": {"codebook_size": 64, "dim": DIM, "orthogonal_rotation": True},
}


def lookup_free_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        quantizer = LFQ(**LOOKUP_FREE[name])
        model = Around(quantizer).to(device)
        x = sequences(device)
        train(model, lambda: model(x, inv_temperature=100.0))
        quantizer(x, return_loss_breakdown=True, mask=padding(device))
        quantizer.eval()
        _, indices, _ = quantizer(x)
        quantizer.indices_to_codes(indices)
        _, indices, _ = quantizer(feature_maps(device))
        quantizer.indices_to_codes(indices)

    return use


uses.add_each("lookup free", LOOKUP_FREE, lookup_free_use)


@uses.add
def residual_lookup_free(device: torch.device) -> None:
    for more in ({}, {"quantize_dropout": True}, {"soft_clamp_input_value": 5.0}):
        quantizer = ResidualLFQ(dim=DIM, codebook_size=16, num_quantizers=3, **more)
        model = Around(quantizer).to(device)
        x = sequences(device)
        train(model, lambda model=model, x=x: model(x), steps=2)
        quantizer.eval()
        _, indices, _, _ = quantizer(x, return_all_codes=True)
        quantizer.get_output_from_indices(indices)
    quantizer(x, mask=padding(device))


@uses.add
def grouped_lookup_free(device: torch.device) -> None:
    quantizer = GroupedResidualLFQ(dim=DIM, codebook_size=16, num_quantizers=2, groups=2)
    model = Around(quantizer).to(device)
    x = sequences(device)
    train(model, lambda: model(x), steps=2)
    quantizer.eval()
    _, indices, _ = quantizer(x)
    quantizer.get_output_from_indices(indices)


@uses.add
def evolution(device: torch.device) -> None:
    encoder, decoder = nn.Linear(10, 8), nn.Linear(8, 10)
    model = EvoLFQ(encoder, decoder, dim=8, codebook_size=256, pop_size=12, generations=3).to(device)
    x = torch.randn(6, 10, device=device)

    def loss() -> torch.Tensor:
        out = model(x)
        return functional.mse_loss(out[0], x) + out[2]

    train(model, loss)
    target = x[0]
    population = model.init_population_from_data(x)
    scored = lambda decoded, bits: -(decoded - target).square().mean(-1)  # noqa: E731
    for _ in model.evolve(scored, pop_bits=population, return_best_decoded=True):
        pass
    for _ in model.evolve(scored, shape=(8,), is_sign=True, batch_size=6):
        pass
    model.tournament_selection(population, scored(model.decode_bits(population), population))


# Latent quantization and bits


LATENT: dict[str, Options] = {
    "default": {"levels": [5, 5, 8], "dim": DIM},
    "same levels": {"levels": 4, "dim": 6, "codebook_dim": 3, "num_codebooks": 2},
    "fixed values": {"levels": [4, 4, 4], "dim": DIM, "optimize_values": True, "commitment_loss_weight": 0.0},
}


def latent_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        quantizer = LatentQuantize(**LATENT[name]).to(device)
        x = feature_maps(device, quantizer.dim).requires_grad_()
        out, _, loss = quantizer(x)
        (out.square().mean() + loss).backward()
        quantizer.eval()
        _, indices, _ = quantizer(x)
        quantizer.indices_to_codes(indices)
        quantizer(torch.randn(BATCH, quantizer.dim, LENGTH, device=device))

    return use


uses.add_each("latent", LATENT, latent_use)


@uses.add
def binary_mapper(device: torch.device) -> None:
    mapper = BinaryMapper(bits=6, deterministic_on_eval=True).to(device)
    logits = torch.randn(3, 4, 6, device=device, requires_grad=True)
    one_hot, indices, loss = mapper(logits, return_indices=True, reduce_aux_kl_loss=False)
    (one_hot.square().sum() + loss.mean()).backward()
    mapper.log_prob(logits, indices=indices)
    mapper.log_prob(logits, one_hot=one_hot)
    mapper.binary_entropy(logits)
    mapper.eval()
    mapper(logits)


if __name__ == "__main__":
    uses.main()
