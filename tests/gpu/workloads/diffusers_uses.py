"""Schedulers, tiny models, pipelines and training helpers of diffusers, all with random weights."""

import inspect

import diffusers
import torch
from diffusers import models, schedulers, training_utils
from torch import nn
from uses import Use, Uses

STEPS = 4
uses = Uses()

BY_HAND = {
    "AmusedScheduler",
    "BlockRefinementScheduler",
    "CMStochasticIterativeScheduler",
    "CogVideoXDPMScheduler",
    "ConsistencyDecoderScheduler",
    "DDPMWuerstchenScheduler",
    "DiscreteDDIMScheduler",
    "EntropyBoundScheduler",
    "HeliosDMDScheduler",
    "HeliosScheduler",
    "KarrasVeScheduler",
    "PiflowScheduler",
    "RFD4ProteinaScheduler",
    "RePaintScheduler",
    "SCMScheduler",
    "ScoreSdeVeScheduler",
    "ScoreSdeVpScheduler",
    "UnCLIPScheduler",
    "VQDiffusionScheduler",
}
"""Schedulers with a loop of their own: some are used below, the others are left out."""
SCHEDULERS = sorted(
    name
    for name in dir(schedulers)
    if name.endswith("Scheduler")
    and name not in BY_HAND
    and "_backends" not in vars(getattr(schedulers, name))
    and hasattr(getattr(schedulers, name), "set_timesteps")
)
VARIANTS: dict[str, tuple[str, dict[str, object]]] = {
    "ddim with thresholding": ("DDIMScheduler", {"thresholding": True, "timestep_spacing": "trailing"}),
    "ddim with zero snr": ("DDIMScheduler", {"rescale_betas_zero_snr": True, "prediction_type": "v_prediction"}),
    "ddpm with learned variance": ("DDPMScheduler", {"variance_type": "fixed_large", "timestep_spacing": "linspace"}),
    "deis with karras": ("DEISMultistepScheduler", {"use_karras_sigmas": True}),
    "dpm with karras": ("DPMSolverMultistepScheduler", {"use_karras_sigmas": True}),
    "dpm with exponential": ("DPMSolverMultistepScheduler", {"use_exponential_sigmas": True}),
    "dpm with lu lambdas": ("DPMSolverMultistepScheduler", {"use_lu_lambdas": True}),
    "dpm sde": ("DPMSolverMultistepScheduler", {"algorithm_type": "sde-dpmsolver++", "final_sigmas_type": "zero"}),
    "dpm third order": ("DPMSolverMultistepScheduler", {"solver_order": 3, "thresholding": True}),
    "dpm single with karras": ("DPMSolverSinglestepScheduler", {"use_karras_sigmas": True}),
    "euler with karras": ("EulerDiscreteScheduler", {"use_karras_sigmas": True}),
    "euler trailing": ("EulerDiscreteScheduler", {"timestep_spacing": "trailing", "prediction_type": "v_prediction"}),
    "flow with dynamic shift": ("FlowMatchEulerDiscreteScheduler", {"shift": 3.0, "use_karras_sigmas": True}),
    "heun with karras": ("HeunDiscreteScheduler", {"use_karras_sigmas": True}),
    "lms with karras": ("LMSDiscreteScheduler", {"use_karras_sigmas": True}),
    "kdpm2 with karras": ("KDPM2DiscreteScheduler", {"use_karras_sigmas": True}),
    "pndm skipping prk": ("PNDMScheduler", {"skip_prk_steps": True, "set_alpha_to_one": True}),
    "unipc with karras": ("UniPCMultistepScheduler", {"use_karras_sigmas": True}),
    "unipc flow": ("UniPCMultistepScheduler", {"use_flow_sigmas": True, "prediction_type": "flow_prediction"}),
}


def denoise(scheduler: object, device: torch.device) -> None:
    """The loop of every pipeline, and what training does with a scheduler."""
    sample = torch.randn(2, 4, 8, 8, device=device)
    takes = inspect.signature(scheduler.set_timesteps).parameters
    scheduler.set_timesteps(STEPS, **({"device": device} if "device" in takes else {}))
    sample = sample * getattr(scheduler, "init_noise_sigma", 1.0)
    extra = {}
    parameters = inspect.signature(scheduler.step).parameters
    if "generator" in parameters:
        extra["generator"] = torch.Generator(device=device).manual_seed(0)
    for timestep in scheduler.timesteps:
        given = scheduler.scale_model_input(sample, timestep) if hasattr(scheduler, "scale_model_input") else sample
        sample = scheduler.step(given * 0.1, timestep, sample, **extra)[0]
    if hasattr(scheduler, "add_noise"):
        clean = torch.randn(2, 4, 8, 8, device=device)
        chosen = torch.randint(0, STEPS, (2,))
        timesteps = scheduler.timesteps[chosen.to(scheduler.timesteps.device)].to(device)
        scheduler.add_noise(clean, torch.randn_like(clean), timesteps)
        if hasattr(scheduler, "get_velocity"):
            scheduler.get_velocity(clean, clean, timesteps if timesteps.is_floating_point() else timesteps.long())


def scheduler_use(name: str) -> Use:
    return lambda device: denoise(getattr(schedulers, name)(), device)


def variant_use(name: str) -> Use:
    kind, settings = VARIANTS[name]
    return lambda device: denoise(getattr(schedulers, kind)(**settings), device)


uses.add_each("scheduler", SCHEDULERS, scheduler_use)
uses.add_each("scheduler variant", VARIANTS, variant_use)


@uses.add
def consistency_scheduler(device: torch.device) -> None:
    scheduler = schedulers.CMStochasticIterativeScheduler()
    scheduler.set_timesteps(STEPS, device=device)
    sample = torch.randn(1, 3, 8, 8, device=device) * scheduler.init_noise_sigma
    for timestep in scheduler.timesteps:
        given = scheduler.scale_model_input(sample, timestep)
        sample = scheduler.step(given * 0.1, timestep, sample).prev_sample
    scheduler.add_noise(sample, torch.randn_like(sample), scheduler.timesteps[:1])


@uses.add
def consistency_decoder_scheduler(device: torch.device) -> None:
    scheduler = schedulers.ConsistencyDecoderScheduler()
    scheduler.set_timesteps(2, device=device)
    sample = torch.randn(1, 3, 8, 8, device=device) * scheduler.init_noise_sigma
    for timestep in scheduler.timesteps:
        sample = scheduler.step(sample * 0.1, timestep, sample).prev_sample


@uses.add
def masked_token_schedulers(device: torch.device) -> None:
    scheduler = schedulers.AmusedScheduler(mask_token_id=31)
    scheduler.set_timesteps(STEPS, temperature=(2, 0), device=device)
    sample = torch.full((1, 8, 8), 31, device=device)
    for timestep in scheduler.timesteps:
        out = scheduler.step(torch.randn(1, 31, 8, 8, device=device), timestep, sample)
        sample = out.prev_sample
    scheduler.add_noise(sample, scheduler.timesteps[0])


@uses.add
def wuerstchen_scheduler(device: torch.device) -> None:
    scheduler = schedulers.DDPMWuerstchenScheduler()
    scheduler.set_timesteps(STEPS, device=device)
    sample = torch.randn(2, 4, 8, 8, device=device)
    for timestep in scheduler.timesteps[:-1]:
        sample = scheduler.step(sample * 0.1, timestep.expand(2), sample).prev_sample
    scheduler.add_noise(sample, torch.randn_like(sample), torch.rand(2, device=device))


@uses.add
def variance_exploding_scheduler(device: torch.device) -> None:
    scheduler = schedulers.ScoreSdeVeScheduler()
    scheduler.set_timesteps(STEPS, device=device)
    scheduler.set_sigmas(STEPS)
    sample = torch.randn(2, 3, 8, 8, device=device)
    for timestep in scheduler.timesteps:
        sample = scheduler.step_correct(sample * 0.1, sample).prev_sample
        sample = scheduler.step_pred(sample * 0.1, timestep, sample).prev_sample


@uses.add
def karras_scheduler(device: torch.device) -> None:
    scheduler = schedulers.KarrasVeScheduler()
    scheduler.set_timesteps(STEPS, device=device)
    sample = torch.randn(1, 3, 8, 8, device=device)
    for timestep in scheduler.timesteps:
        sigma = scheduler.schedule[timestep]
        before = scheduler.schedule[timestep - 1] if timestep > 0 else 0
        hat, sigma_hat = scheduler.add_noise_to_input(sample, sigma)
        out = scheduler.step(hat * 0.1, sigma_hat, before, hat)
        if before != 0:
            out = scheduler.step_correct(hat * 0.1, sigma_hat, before, hat, out.prev_sample, out["derivative"])
        sample = out.prev_sample


@uses.add
def repaint_scheduler(device: torch.device) -> None:
    scheduler = schedulers.RePaintScheduler()
    scheduler.set_timesteps(STEPS, jump_length=2, jump_n_sample=2, device=device)
    image = torch.rand(1, 3, 8, 8, device=device)
    mask = (torch.rand(1, 1, 8, 8, device=device) > 0.5).float()
    sample, last = torch.randn_like(image), scheduler.timesteps[0] + 1
    for timestep in scheduler.timesteps:
        if timestep < last:
            sample = scheduler.step(sample * 0.1, timestep, sample, image, mask).prev_sample
        else:
            sample = scheduler.undo_step(sample, last)
        last = timestep


@uses.add
def unclip_scheduler(device: torch.device) -> None:
    scheduler = schedulers.UnCLIPScheduler()
    scheduler.set_timesteps(STEPS, device=device)
    sample = torch.randn(1, 3, 8, 8, device=device)
    for timestep in scheduler.timesteps:
        sample = scheduler.step(sample * 0.1, timestep, sample).prev_sample
    scheduler.add_noise(sample, torch.randn_like(sample), scheduler.timesteps[:1])


@uses.add
def discrete_diffusion_scheduler(device: torch.device) -> None:
    scheduler = schedulers.VQDiffusionScheduler(num_vec_classes=9)
    scheduler.set_timesteps(STEPS, device=device)
    sample = torch.randint(0, 9, (1, 16), device=device)
    for timestep in scheduler.timesteps:
        log_p = torch.randn(1, 8, 16, device=device).log_softmax(1)
        sample = scheduler.step(log_p, timestep, sample).prev_sample


# --- models and pipelines ------------------------------------------------------------------------


def tiny_unet(**more: object) -> nn.Module:
    settings = {
        "sample_size": 8,
        "in_channels": 3,
        "out_channels": 3,
        "block_out_channels": (8, 16),
        "norm_num_groups": 4,
        "layers_per_block": 1,
        "down_block_types": ("DownBlock2D", "AttnDownBlock2D"),
        "up_block_types": ("AttnUpBlock2D", "UpBlock2D"),
        "attention_head_dim": 4,
    }
    return models.UNet2DModel(**{**settings, **more})


def conditional_unet() -> nn.Module:
    return models.UNet2DConditionModel(
        sample_size=8,
        in_channels=4,
        out_channels=4,
        block_out_channels=(8, 16),
        norm_num_groups=4,
        layers_per_block=1,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=16,
        attention_head_dim=4,
    )


def tiny_vae() -> nn.Module:
    return models.AutoencoderKL(
        block_out_channels=(8, 16),
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        latent_channels=4,
        norm_num_groups=4,
        sample_size=16,
    )


@uses.add
def training_step(device: torch.device) -> None:
    model = tiny_unet().to(device)
    scheduler = schedulers.DDPMScheduler(num_train_timesteps=50)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    rates = diffusers.optimization.get_cosine_schedule_with_warmup(optimizer, 1, 10)
    ema = training_utils.EMAModel(model.parameters(), use_ema_warmup=True)
    for _ in range(3):
        images = torch.rand(2, 3, 8, 8).to(device)
        noise = torch.randn_like(images)
        timesteps = torch.randint(0, 50, (2,), device=device)
        noisy = scheduler.add_noise(images, noise, timesteps)
        weights = training_utils.compute_snr(scheduler, timesteps).clamp(max=5.0)
        loss = (
            nn.functional.mse_loss(model(noisy, timesteps).sample, noise, reduction="none").mean((1, 2, 3))
        ) * weights
        loss.mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        rates.step()
        optimizer.zero_grad()
        ema.step(model.parameters())
    ema.store(model.parameters())
    ema.copy_to(model.parameters())
    ema.restore(model.parameters())


@uses.add
def flow_matching_weights(device: torch.device) -> None:
    density = training_utils.compute_density_for_timestep_sampling("logit_normal", 4, 0.0, 1.0, device=device)
    training_utils.compute_loss_weighting_for_sd3("cosmap", density)
    training_utils.compute_density_for_timestep_sampling("mode", 4, mode_scale=1.29)


@uses.add
def training_of_a_conditional_unet(device: torch.device) -> None:
    vae, unet = tiny_vae().to(device), conditional_unet().to(device)
    scheduler = schedulers.DDPMScheduler()
    unet.enable_gradient_checkpointing()
    latents = vae.encode(torch.rand(2, 3, 16, 16, device=device)).latent_dist.sample() * vae.config.scaling_factor
    noise = torch.randn_like(latents)
    timesteps = torch.randint(0, 1000, (2,), device=device).long()
    noisy = scheduler.add_noise(latents, noise, timesteps)
    states = torch.randn(2, 5, 16, device=device)
    out = unet(noisy, timesteps, encoder_hidden_states=states, encoder_attention_mask=torch.ones(2, 5, device=device))
    nn.functional.mse_loss(out.sample, noise).backward()
    vae.enable_slicing()
    vae.enable_tiling()
    with torch.no_grad():
        vae.decode(torch.randn(2, 4, 16, 16, device=device))


def pipeline_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = PIPELINES[name]()
        made.to(device)
        made.set_progress_bar_config(disable=True)
        generator = torch.Generator(device=device).manual_seed(0)
        made(batch_size=2, num_inference_steps=3, generator=generator, output_type="np")

    return use


PIPELINES = {
    "ddpm": lambda: diffusers.DDPMPipeline(tiny_unet(), schedulers.DDPMScheduler()),
    "ddim": lambda: diffusers.DDIMPipeline(tiny_unet(), schedulers.DDIMScheduler()),
}
uses.add_each("pipeline", PIPELINES, pipeline_use)


@uses.add
def consistency_pipeline(device: torch.device) -> None:
    made = diffusers.ConsistencyModelPipeline(tiny_unet(), schedulers.CMStochasticIterativeScheduler()).to(device)
    made.set_progress_bar_config(disable=True)
    made(batch_size=1, num_inference_steps=2, output_type="pt")


@uses.add
def class_conditional_transformer(device: torch.device) -> None:
    transformer = models.DiTTransformer2DModel(
        num_attention_heads=2,
        attention_head_dim=8,
        in_channels=4,
        out_channels=8,
        num_layers=1,
        sample_size=8,
        num_embeds_ada_norm=1000,
        norm_num_groups=4,
    )
    made = diffusers.DiTPipeline(transformer, tiny_vae(), schedulers.DDIMScheduler()).to(device)
    made.set_progress_bar_config(disable=True)
    made([1, 2], num_inference_steps=2, output_type="np")


def prompt_free(kind: type, device: torch.device, **parts: object) -> object:
    """A pipeline of text and image without its text encoder: it is given embeddings."""
    wanted = inspect.signature(kind.__init__).parameters
    rest = {name: None for name in wanted if name not in parts and name != "self"}
    for name in ("requires_safety_checker", "force_zeros_for_empty_prompt", "add_watermarker"):
        if name in rest:
            rest[name] = False
    made = kind(**rest, **parts).to(device)
    made.set_progress_bar_config(disable=True)
    return made


def stable_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        scheduler = getattr(schedulers, name)()
        made = prompt_free(
            diffusers.StableDiffusionPipeline, device, vae=tiny_vae(), unet=conditional_unet(), scheduler=scheduler
        )
        embeddings = torch.randn(1, 5, 16, device=device)
        made(
            prompt_embeds=embeddings,
            negative_prompt_embeds=embeddings,
            num_inference_steps=3,
            height=16,
            width=16,
            guidance_rescale=0.5,
            output_type="np",
        )

    return use


uses.add_each(
    "stable diffusion with",
    [
        "DDIMScheduler",
        "DPMSolverMultistepScheduler",
        "EulerAncestralDiscreteScheduler",
        "EulerDiscreteScheduler",
        "LCMScheduler",
        "LMSDiscreteScheduler",
        "UniPCMultistepScheduler",
    ],
    stable_use,
)


@uses.add
def image_to_image(device: torch.device) -> None:
    embeddings = torch.randn(1, 5, 16, device=device)
    shared = {"vae": tiny_vae(), "unet": conditional_unet(), "scheduler": schedulers.DDIMScheduler()}
    image = torch.rand(1, 3, 16, 16, device=device)
    given = {"prompt_embeds": embeddings, "negative_prompt_embeds": embeddings, "num_inference_steps": 4}
    made = prompt_free(diffusers.StableDiffusionImg2ImgPipeline, device, **shared)
    made(image=image, strength=0.5, output_type="np", **given)
    mask = (torch.rand(1, 1, 16, 16, device=device) > 0.5).float()
    filled = prompt_free(diffusers.StableDiffusionInpaintPipeline, device, **shared)
    filled(image=image, mask_image=mask, height=16, width=16, strength=0.8, output_type="np", **given)


@uses.add
def control_net(device: torch.device) -> None:
    unet = conditional_unet()
    control = models.ControlNetModel.from_unet(unet, conditioning_embedding_out_channels=(4, 8))
    made = prompt_free(
        diffusers.StableDiffusionControlNetPipeline,
        device,
        vae=tiny_vae(),
        unet=unet,
        controlnet=control,
        scheduler=schedulers.UniPCMultistepScheduler(),
    )
    embeddings = torch.randn(1, 5, 16, device=device)
    made(
        prompt_embeds=embeddings,
        negative_prompt_embeds=embeddings,
        image=torch.rand(1, 3, 16, 16, device=device),
        num_inference_steps=2,
        output_type="np",
    )


MODELS = {
    "sd3": lambda: (
        models.SD3Transformer2DModel(
            sample_size=8,
            patch_size=2,
            in_channels=4,
            num_layers=1,
            attention_head_dim=8,
            num_attention_heads=2,
            joint_attention_dim=16,
            caption_projection_dim=16,
            pooled_projection_dim=16,
            out_channels=4,
        ),
        lambda device: {
            "hidden_states": torch.randn(1, 4, 8, 8, device=device),
            "encoder_hidden_states": torch.randn(1, 5, 16, device=device),
            "pooled_projections": torch.randn(1, 16, device=device),
            "timestep": torch.tensor([10], device=device),
        },
    ),
    "flux": lambda: (
        models.FluxTransformer2DModel(
            patch_size=1,
            in_channels=4,
            num_layers=1,
            num_single_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=32,
            pooled_projection_dim=32,
            axes_dims_rope=(4, 4, 8),
        ),
        lambda device: {
            "hidden_states": torch.randn(1, 16, 4, device=device),
            "encoder_hidden_states": torch.randn(1, 5, 32, device=device),
            "pooled_projections": torch.randn(1, 32, device=device),
            "timestep": torch.tensor([1.0], device=device),
            "img_ids": torch.zeros(16, 3, device=device),
            "txt_ids": torch.zeros(5, 3, device=device),
        },
    ),
    "pixart": lambda: (
        models.PixArtTransformer2DModel(
            sample_size=8,
            num_layers=1,
            patch_size=2,
            attention_head_dim=8,
            num_attention_heads=2,
            caption_channels=16,
            in_channels=4,
            cross_attention_dim=16,
            out_channels=8,
            norm_num_groups=4,
        ),
        lambda device: {
            "hidden_states": torch.randn(1, 4, 8, 8, device=device),
            "encoder_hidden_states": torch.randn(1, 5, 16, device=device),
            "timestep": torch.tensor([10], device=device),
            "added_cond_kwargs": {"resolution": None, "aspect_ratio": None},
        },
    ),
    "prior": lambda: (
        models.PriorTransformer(
            num_attention_heads=2, attention_head_dim=8, num_layers=1, embedding_dim=16, num_embeddings=5
        ),
        lambda device: {
            "hidden_states": torch.randn(1, 16, device=device),
            "timestep": torch.tensor(3, device=device),
            "proj_embedding": torch.randn(1, 16, device=device),
            "encoder_hidden_states": torch.randn(1, 5, 16, device=device),
            "attention_mask": torch.ones(1, 5, dtype=torch.bool, device=device),
        },
    ),
    "vq": lambda: (
        models.VQModel(block_out_channels=(8,), norm_num_groups=4, latent_channels=3, num_vq_embeddings=16),
        lambda device: {"sample": torch.rand(1, 3, 8, 8, device=device)},
    ),
    "tiny autoencoder": lambda: (
        models.AutoencoderTiny(
            encoder_block_out_channels=(8, 8),
            decoder_block_out_channels=(8, 8),
            num_encoder_blocks=(1, 1),
            num_decoder_blocks=(1, 1),
        ),
        lambda device: {"sample": torch.rand(1, 3, 16, 16, device=device)},
    ),
    "video unet": lambda: (
        models.UNet3DConditionModel(
            block_out_channels=(8, 16),
            norm_num_groups=4,
            down_block_types=("CrossAttnDownBlock3D", "DownBlock3D"),
            up_block_types=("UpBlock3D", "CrossAttnUpBlock3D"),
            cross_attention_dim=8,
            layers_per_block=1,
            attention_head_dim=4,
            sample_size=8,
        ),
        lambda device: {
            "sample": torch.randn(1, 4, 2, 8, 8, device=device),
            "timestep": 10,
            "encoder_hidden_states": torch.randn(1, 4, 8, device=device),
        },
    ),
}


def model_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model, inputs = MODELS[name]()
        model.to(device)
        out = model(**inputs(device))
        first = out[0]
        first.sum().backward()

    return use


uses.add_each("model", MODELS, model_use)


@uses.add
def image_processing(device: torch.device) -> None:
    processor = diffusers.image_processor.VaeImageProcessor(do_convert_grayscale=False)
    image = torch.rand(2, 3, 16, 16, device=device)
    given = processor.preprocess(image)
    for kind in ("pt", "np", "pil"):
        processor.postprocess(given, output_type=kind)
    masks = diffusers.image_processor.VaeImageProcessor(do_binarize=True, do_normalize=False, do_convert_grayscale=True)
    masks.preprocess(torch.rand(1, 1, 16, 16, device=device))


@uses.add
def random_latents(device: torch.device) -> None:
    helpers = diffusers.utils.torch_utils
    helpers.randn_tensor((2, 4, 8, 8), generator=torch.Generator().manual_seed(0), device=device)
    helpers.randn_tensor((2, 4, 8, 8), generator=[torch.Generator().manual_seed(n) for n in range(2)], device=device)
    helpers.fourier_filter(torch.randn(1, 4, 8, 8, device=device), 1, 0.9)
    helpers.apply_freeu(
        0,
        torch.randn(1, 8, 8, 8, device=device),
        torch.randn(1, 8, 8, 8, device=device),
        s1=0.9,
        s2=0.2,
        b1=1.2,
        b2=1.4,
    )


if __name__ == "__main__":
    uses.main()
