"""U-nets, diffusion processes, samplers, guidance, inpainting and trainers of denoising_diffusion_pytorch.

The trainers are given a loader without worker processes; what needs the Inception weights (FID) is left out.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from denoising_diffusion_pytorch import (
    ContinuousTimeGaussianDiffusion,
    Dataset1D,
    ElucidatedDiffusion,
    GaussianDiffusion,
    GaussianDiffusion1D,
    InvSqrtDecayLRSched,
    KarrasUnet,
    KarrasUnet1D,
    KarrasUnet3D,
    LearnedGaussianDiffusion,
    Trainer,
    Trainer1D,
    Unet,
    Unet1D,
    VParamContinuousTimeGaussianDiffusion,
    WeightedObjectiveGaussianDiffusion,
    XMWrapper,
    classifier_free_guidance,
    guided_diffusion,
    karras_unet,
    repaint,
    simple_diffusion,
)
from denoising_diffusion_pytorch.denoising_diffusion_pytorch import cycle
from PIL import Image
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader
from uses import Use, Uses

SIZE, BATCH, STEPS, LENGTH = 8, 2, 8, 16
Options = dict[str, Any]
uses = Uses()


def images(device: torch.device, channels: int = 3) -> torch.Tensor:
    return torch.rand(BATCH, channels, SIZE, SIZE, device=device)


def signals(device: torch.device, channels: int = 4) -> torch.Tensor:
    return torch.rand(BATCH, channels, LENGTH, device=device)


def unet(**options: Any) -> Unet:
    return Unet(**{"dim": 8, "dim_mults": (1, 2), "attn_dim_head": 8, "attn_heads": 2, **options})


def unet_1d(**options: Any) -> Unet1D:
    return Unet1D(**{"dim": 8, "dim_mults": (1, 2), "channels": 4, "attn_dim_head": 8, "attn_heads": 2, **options})


def train(model: nn.Module, loss_of: Callable[[], torch.Tensor], steps: int = 2) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.train()
    for _ in range(steps):
        loss = loss_of()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        loss.item()


# U-nets


UNETS: dict[str, Options] = {
    "plain": {},
    "flash": {"flash_attn": True, "full_attn": (False, True)},
    "learned sinusoids": {"learned_sinusoidal_cond": True},
    "random features": {"random_fourier_features": True, "dropout": 0.1},
    "learned variance": {"learned_variance": True, "init_dim": 6, "channels": 1},
    "full attention": {"full_attn": (True, True), "self_condition": True},
}


def unet_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = unet(**UNETS[name]).to(device)
        x, times = images(device, model.channels), torch.rand(BATCH, device=device)
        train(model, lambda: model(x, times).square().mean())
        if model.self_condition:
            model(x, times, x)

    return use


uses.add_each("unet", UNETS, unet_use)

KARRAS: Options = {
    "dim": 8,
    "dim_max": 16,
    "num_downsamples": 2,
    "num_blocks_per_stage": 1,
    "attn_dim_head": 8,
    "attn_res": (4, 2),
    "fourier_dim": 8,
}


def karras_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        flash = {"attn_flash": name == "flash"}
        model = KarrasUnet(image_size=SIZE, num_classes=4, self_condition=True, **KARRAS, **flash).to(device)
        x, times = images(device, 4), torch.rand(BATCH, device=device)
        labels = torch.randint(0, 4, (BATCH,), device=device)
        train(model, lambda: (model(x, times, class_labels=labels) - x).square().mean())
        model(x, times, self_cond=x, class_labels=functional.one_hot(labels, 4).float())

    return use


uses.add_each("karras", ("plain", "flash"), karras_use)


@uses.add
def karras_signals(device: torch.device) -> None:
    model = KarrasUnet1D(seq_len=LENGTH, num_classes=4, **KARRAS).to(device)
    x, times = signals(device), torch.rand(BATCH, device=device)
    labels = torch.randint(0, 4, (BATCH,), device=device)
    train(model, lambda: (model(x, times, class_labels=labels) - x).square().mean())


def karras_videos_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        options = (
            {"factorize_space_time_attn": True, "downsample_types": ("all", "image")} if name == "factorized" else {}
        )
        model = KarrasUnet3D(frames=4, image_size=SIZE, **KARRAS, **options).to(device)
        x, times = torch.rand(BATCH, 4, 4, SIZE, SIZE, device=device), torch.rand(BATCH, device=device)
        train(model, lambda: (model(x, times) - x).square().mean())

    return use


uses.add_each("karras videos", ("plain", "factorized"), karras_videos_use)


@uses.add
def karras_transformer(device: torch.device) -> None:
    model = karras_unet.MPImageTransformer(dim=8, depth=1, dim_head=8, heads=2).to(device)
    x = torch.randn(BATCH, 8, 4, 4, device=device)
    train(model, lambda: model(x).square().mean())


@uses.add
def karras_schedule(device: torch.device) -> None:
    model = KarrasUnet(image_size=SIZE, **KARRAS).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = InvSqrtDecayLRSched(optimizer, t_ref=2)
    x = images(device, 4)
    for _ in range(3):
        model(x, torch.rand(BATCH, device=device)).square().mean().backward()
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()


# Discrete time


DIFFUSIONS: dict[str, Options] = {
    "default": {},
    "noise": {"objective": "pred_noise", "beta_schedule": "cosine", "offset_noise_strength": 0.1},
    "start": {"objective": "pred_x0", "beta_schedule": "linear", "min_snr_loss_weight": True},
    "ddim": {"sampling_timesteps": 4, "ddim_sampling_eta": 0.5},
    "ddim noise": {"sampling_timesteps": 4, "objective": "pred_noise"},
    "weighted": {"min_snr_loss_weight": True, "auto_normalize": False},
    "immiscible": {"immiscible": True, "image_size": (SIZE, 2 * SIZE)},
}


def diffusion_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        options = {"image_size": SIZE, "timesteps": STEPS, **DIFFUSIONS[name]}
        model = GaussianDiffusion(unet(), **options).to(device)
        x = torch.rand(BATCH, 3, *model.image_size, device=device)
        train(model, lambda: model(x))
        model.sample(batch_size=2)
        model.sample(batch_size=1, return_all_timesteps=True)
        model.interpolate(x[:1], x[1:], t=4, lam=0.3)

    return use


uses.add_each("diffusion", DIFFUSIONS, diffusion_use)


@uses.add
def self_conditioned(device: torch.device) -> None:
    model = GaussianDiffusion(unet(self_condition=True), image_size=SIZE, timesteps=STEPS).to(device)
    x = images(device)
    train(model, lambda: model(x), steps=4)
    model.sample(batch_size=2)
    faster = GaussianDiffusion(model.model, image_size=SIZE, timesteps=STEPS, sampling_timesteps=3).to(device)
    faster.sample(batch_size=2)


@uses.add
def losses_by_sample(device: torch.device) -> None:
    model = GaussianDiffusion(unet(), image_size=SIZE, timesteps=STEPS).to(device)
    x = images(device)
    model(x, loss_reduction="none").mean().backward()
    times = torch.randint(0, STEPS, (BATCH,), device=device)
    model(x, times=times)
    model.p_losses(x, times, noise=torch.randn_like(x), offset_noise_strength=0.1)
    model.q_sample(x, times)


@uses.add
def gray(device: torch.device) -> None:
    model = GaussianDiffusion(unet(channels=1, dropout=0.1), image_size=SIZE, timesteps=STEPS).to(device)
    x = images(device, 1)
    train(model, lambda: model(x))
    model.sample(batch_size=4)


@uses.add
def learned_variance(device: torch.device) -> None:
    model = LearnedGaussianDiffusion(unet(learned_variance=True), image_size=SIZE, timesteps=STEPS).to(device)
    x = images(device)
    train(model, lambda: model(x), steps=3)
    model.sample(batch_size=2)


@uses.add
def weighted_objective(device: torch.device) -> None:
    model = WeightedObjectiveGaussianDiffusion(unet(out_dim=8), image_size=SIZE, timesteps=STEPS).to(device)
    x = images(device)
    train(model, lambda: model(x))


@uses.add
def half_precision(device: torch.device) -> None:
    model = GaussianDiffusion(unet(flash_attn=True), image_size=SIZE, timesteps=STEPS).to(device)
    x = images(device)

    def loss() -> torch.Tensor:
        with torch.autocast(device.type, dtype=torch.bfloat16):
            return model(x)

    train(model, loss)


@uses.add
def saved_diffusion(device: torch.device) -> None:
    model = GaussianDiffusion(unet(), image_size=SIZE, timesteps=STEPS).to(device)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "diffusion.pt"
        torch.save(model.state_dict(), path)
        other = GaussianDiffusion(unet(), image_size=SIZE, timesteps=STEPS).to(device)
        other.load_state_dict(torch.load(path, map_location=device))
    other.sample(batch_size=1)


# Continuous time


SCHEDULES: dict[str, Options] = {
    "linear": {},
    "cosine": {"noise_schedule": "cosine", "min_snr_loss_weight": True},
    "learned": {
        "noise_schedule": "learned",
        "learned_schedule_net_hidden_dim": 16,
        "learned_noise_schedule_frac_gradient": 0.5,
    },
}


def continuous_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = ContinuousTimeGaussianDiffusion(
            unet(learned_sinusoidal_cond=True), image_size=SIZE, num_sample_steps=5, **SCHEDULES[name]
        ).to(device)
        x = images(device)
        train(model, lambda: model(x))
        model(x, loss_reduction="none")
        model.sample(batch_size=2)

    return use


uses.add_each("continuous", SCHEDULES, continuous_use)


@uses.add
def continuous_velocity(device: torch.device) -> None:
    model = VParamContinuousTimeGaussianDiffusion(
        unet(random_fourier_features=True), image_size=SIZE, num_sample_steps=5
    ).to(device)
    x = images(device)
    train(model, lambda: model(x))
    model.sample(batch_size=2)


def elucidated_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        net = unet(learned_sinusoidal_cond=True, self_condition=name == "self conditioned")
        model = ElucidatedDiffusion(net, image_size=SIZE, num_sample_steps=5).to(device)
        x = images(device)
        train(model, lambda: model(x), steps=4)
        model.sample(batch_size=2)
        model.sample(batch_size=1, num_sample_steps=3, clamp=False)
        if name == "plain":
            model.sample_using_dpmpp(batch_size=2, num_sample_steps=4)

    return use


uses.add_each("elucidated", ("plain", "self conditioned"), elucidated_use)


@uses.add
def karras_diffusion(device: torch.device) -> None:
    net = KarrasUnet(image_size=SIZE, **{**KARRAS, "channels": 3})
    model = GaussianDiffusion(net, image_size=SIZE, timesteps=STEPS).to(device)
    x = images(device)
    train(model, lambda: model(x))
    model.sample(batch_size=2)


SIMPLE: dict[str, Options] = {
    "velocity": {"pred_objective": "v"},
    "noise": {"pred_objective": "eps", "noise_d": 4, "min_snr_loss_weight": False},
}


def simple_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        net = simple_diffusion.UViT(
            dim=8,
            out_dim=3,
            dim_mults=(1, 2),
            downsample_factor=2,
            vit_depth=1,
            attn_dim_head=8,
            attn_heads=2,
            channels=3,
        )
        model = simple_diffusion.GaussianDiffusion(net, image_size=SIZE, num_sample_steps=5, **SIMPLE[name]).to(device)
        x = images(device)
        train(model, lambda: model(x))
        model.sample(batch_size=2)

    return use


uses.add_each("simple diffusion", SIMPLE, simple_use)


# Guidance


GUIDED: dict[str, Options] = {
    "default": {},
    "ddim": {"sampling_timesteps": 4},
    "plus plus": {"sampling_timesteps": 4, "use_cfg_plus_plus": True, "ddim_sampling_eta": 0.0},
    "start": {"objective": "pred_x0", "min_snr_loss_weight": True, "beta_schedule": "linear"},
    "velocity": {"objective": "pred_v", "offset_noise_strength": 0.1},
}


def guidance_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        net = classifier_free_guidance.Unet(
            dim=8, dim_mults=(1, 2), num_classes=4, cond_drop_prob=0.5, attn_dim_head=8, attn_heads=2
        )
        made = {"image_size": SIZE, "timesteps": STEPS, **GUIDED[name]}
        model = classifier_free_guidance.GaussianDiffusion(net, **made).to(device)
        x, classes = images(device), torch.randint(0, 4, (BATCH,), device=device)
        train(model, lambda: model(x, classes=classes))
        model.sample(classes=classes, cond_scale=6.0)
        model.sample(classes=classes, cond_scale=1.0, rescaled_phi=0.0)
        if name == "default":
            model.interpolate(x[:1], x[1:], classes[:1])

    return use


uses.add_each("classifier-free guidance", GUIDED, guidance_use)


class Classifier(nn.Module):
    """A classifier of noisy images, for guidance."""

    def __init__(self) -> None:
        super().__init__()
        self.images, self.times = nn.Linear(3 * SIZE * SIZE, 4), nn.Linear(1, 4)

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        return self.images(x.flatten(1)) + self.times(t.float()[:, None])


def towards(
    x: torch.Tensor, t: torch.Tensor, classifier: nn.Module, y: torch.Tensor, classifier_scale: float
) -> torch.Tensor:
    with torch.enable_grad():
        x_in = x.detach().requires_grad_()
        log_probs = functional.log_softmax(classifier(x_in, t), dim=-1)
        selected = log_probs[range(len(log_probs)), y.view(-1)]
        return torch.autograd.grad(selected.sum(), x_in)[0] * classifier_scale


def classifier_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        options = {"sampling_timesteps": 4} if name == "ddim" else {"objective": name}
        net = guided_diffusion.Unet(dim=8, dim_mults=(1, 2), self_condition=name == "pred_noise")
        model = guided_diffusion.GaussianDiffusion(net, image_size=SIZE, timesteps=STEPS, **options).to(device)
        x = images(device)
        train(model, lambda: model(x))
        classifier = Classifier().to(device)
        y = torch.randint(0, 4, (BATCH,), device=device)
        keywords = {"classifier": classifier, "y": y, "classifier_scale": 1}
        model.sample(batch_size=BATCH, cond_fn=towards, guidance_kwargs=keywords)
        model.sample(batch_size=1, return_all_timesteps=True)
        model.interpolate(x[:1], x[1:], t=3)

    return use


uses.add_each("classifier guidance", ("pred_noise", "pred_x0", "pred_v", "ddim"), classifier_use)


def inpainting_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        options = {"sampling_timesteps": 4} if name == "ddim" else {"objective": name}
        net = repaint.Unet(dim=8, dim_mults=(1, 2), attn_dim_head=8, attn_heads=2, flash_attn=name == "ddim")
        model = repaint.GaussianDiffusion(net, image_size=SIZE, timesteps=STEPS, **options).to(device)
        x = images(device)
        train(model, lambda: model(x))
        mask = torch.ones(BATCH, 1, SIZE, SIZE, device=device)
        mask[..., 2:5, 2:5] = 0
        if name != "ddim":
            model.sample(BATCH, gt=x, mask=mask, resample_iter=2, resample_jump=3, resample_every=4)
            model.interpolate(x[:1], x[1:], t=3)
        model.sample(batch_size=1, return_all_timesteps=True)

    return use


uses.add_each("inpainting", ("pred_v", "pred_noise", "pred_x0", "ddim"), inpainting_use)


# Candidates


CANDIDATES: dict[str, Callable[[], nn.Module]] = {
    "diffusion": lambda: GaussianDiffusion(unet(), image_size=SIZE, timesteps=STEPS),
    "elucidated": lambda: ElucidatedDiffusion(unet(learned_sinusoidal_cond=True), image_size=SIZE, num_sample_steps=3),
    "continuous": lambda: ContinuousTimeGaussianDiffusion(
        unet(learned_sinusoidal_cond=True), image_size=SIZE, num_sample_steps=3
    ),
}


def candidates_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        options = {"random_time_method": "noise_distribution", "random_time_kwarg": "sigma"}
        model = XMWrapper(
            CANDIDATES[name](), candidates=3, max_batch_size=4, **(options if name == "elucidated" else {})
        ).to(device)
        x = images(device)
        train(model, lambda: model(x))
        model(x, candidates=1)
        model.sample(batch_size=2)

    return use


uses.add_each("candidates", CANDIDATES, candidates_use)


# Sequences


SEQUENCES: dict[str, Options] = {
    "noise": {"objective": "pred_noise"},
    "start": {"objective": "pred_x0", "beta_schedule": "linear"},
    "velocity": {"objective": "pred_v"},
    "ddim": {"objective": "pred_v", "sampling_timesteps": 4},
}


def sequence_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        net = unet_1d(self_condition=name == "velocity", learned_sinusoidal_cond=False, dropout=0.1)
        model = GaussianDiffusion1D(net, seq_length=LENGTH, timesteps=STEPS, **SEQUENCES[name]).to(device)
        x = signals(device)
        train(model, lambda: model(x), steps=3)
        model(x, return_reduced_loss=False)
        model.sample(batch_size=2)
        model.sample(batch_size=2, return_noise=True)
        model.interpolate(x[:1], x[1:], t=3)

    return use


uses.add_each("sequence diffusion", SEQUENCES, sequence_use)


@uses.add
def sequence_net(device: torch.device) -> None:
    x, times = signals(device), torch.rand(BATCH, device=device)
    for options in ({"learned_sinusoidal_cond": True}, {"random_fourier_features": True}, {"learned_variance": True}):
        unet_1d(**options).to(device)(x, times).sum().backward()


# Trainers


def picture_folder(folder: str, count: int = 100) -> str:
    pixels = np.random.default_rng(0).integers(0, 256, (count, SIZE, SIZE, 3), dtype=np.uint8)
    for index, picture in enumerate(pixels):
        Image.fromarray(picture).save(Path(folder) / f"{index}.png")
    return folder


def loader_of(dataset: torch.utils.data.Dataset, batch_size: int) -> DataLoader:
    return DataLoader(dataset, batch_size=batch_size, shuffle=True, pin_memory=torch.cuda.is_available())


@uses.add
def image_trainer(device: torch.device) -> None:
    model = GaussianDiffusion(unet(), image_size=SIZE, timesteps=STEPS, sampling_timesteps=4).to(device)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as results:
        trainer = Trainer(
            model,
            picture_folder(folder),
            train_batch_size=8,
            gradient_accumulate_every=2,
            train_lr=1e-3,
            train_num_steps=4,
            ema_update_every=1,
            save_and_sample_every=2,
            num_samples=4,
            results_folder=results,
            calculate_fid=False,
        )
        trainer.dl = cycle(trainer.accelerator.prepare(loader_of(trainer.ds, 8)))
        trainer.train()
        trainer.load(2)
        trainer.save("last")
        trainer.ema.ema_model.sample(batch_size=1)


@uses.add
def inpainting_trainer(device: torch.device) -> None:
    net = repaint.Unet(dim=8, dim_mults=(1, 2), attn_dim_head=8, attn_heads=2)
    model = repaint.GaussianDiffusion(net, image_size=SIZE, timesteps=STEPS, sampling_timesteps=4).to(device)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as results:
        trainer = repaint.Trainer(
            model,
            picture_folder(folder),
            train_batch_size=16,
            train_num_steps=2,
            save_and_sample_every=2,
            num_samples=4,
            results_folder=results,
            calculate_fid=False,
        )
        trainer.dl = cycle(trainer.accelerator.prepare(loader_of(trainer.ds, 16)))
        trainer.train()
        trainer.load(1)


@uses.add
def guided_trainer(device: torch.device) -> None:
    net = guided_diffusion.Unet(dim=8, dim_mults=(1, 2))
    model = guided_diffusion.GaussianDiffusion(net, image_size=SIZE, timesteps=STEPS, sampling_timesteps=4).to(device)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as results:
        trainer = guided_diffusion.Trainer(
            model,
            picture_folder(folder, 12),
            train_batch_size=4,
            train_num_steps=2,
            num_samples=4,
            results_folder=results,
        )
        trainer.dl = cycle(trainer.accelerator.prepare(loader_of(trainer.ds, 4)))
        trainer.train()


@uses.add
def sequence_trainer(device: torch.device) -> None:
    model = GaussianDiffusion1D(unet_1d(), seq_length=LENGTH, timesteps=STEPS, objective="pred_v").to(device)
    dataset = Dataset1D(torch.rand(32, 4, LENGTH))
    with tempfile.TemporaryDirectory() as results:
        trainer = Trainer1D(
            model,
            dataset=dataset,
            train_batch_size=8,
            gradient_accumulate_every=2,
            train_lr=1e-3,
            train_num_steps=4,
            ema_update_every=1,
            save_and_sample_every=2,
            num_samples=4,
            results_folder=results,
        )
        trainer.dl = cycle(trainer.accelerator.prepare(loader_of(dataset, 8)))
        trainer.train()
        trainer.load(2)


if __name__ == "__main__":
    uses.main()
