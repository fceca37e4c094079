"""Training steps and generation of tiny random models of transformers, its trainer, and its image processors."""

import tempfile

import numpy as np
import torch
import transformers
from torch import nn
from uses import Use, Uses

VOCABULARY, LENGTH = 64, 12
uses = Uses()

SMALL = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
EXPERTS = {"num_local_experts": 4, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
DECODERS: dict[str, dict[str, object]] = {
    "bloom": {"n_layer": 2, "n_head": 4},
    "codegen": {"n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4, "n_positions": 64},
    "cohere": {},
    "falcon": {},
    "gemma": {"head_dim": 8},
    "gemma2": {"head_dim": 8, "sliding_window": 8},
    "gemma3_text": {"head_dim": 8, "sliding_window": 8},
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
    "gpt_neo": {"num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]], "window_size": 8},
    "gpt_neox": {},
    "gptj": {"n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4, "n_positions": 64},
    "granite": {},
    "granitemoe": EXPERTS,
    "jamba": {**EXPERTS, "use_mamba_kernels": False, "attn_layer_period": 2, "attn_layer_offset": 1},
    "llama": {},
    "mamba": {"state_size": 4},
    "mamba2": {"num_heads": 8, "head_dim": 8, "expand": 2, "state_size": 8, "n_groups": 1, "chunk_size": 4},
    "mistral": {"sliding_window": 8},
    "mixtral": EXPERTS,
    "mpt": {"d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 64},
    "olmo": {},
    "olmoe": EXPERTS,
    "opt": {"ffn_dim": 48, "word_embed_proj_dim": 32},
    "phi": {},
    "phi3": {},
    "qwen2": {},
    "qwen2_moe": {**EXPERTS, "shared_expert_intermediate_size": 16},
    "qwen3": {"head_dim": 8},
    "qwen3_moe": {**EXPERTS, "head_dim": 8},
    "recurrent_gemma": {"lru_width": 32, "num_hidden_layers": 3, "attention_window_size": 8},
    "rwkv": {"attention_hidden_size": 32},
    "stablelm": {},
    "starcoder2": {},
    "xglm": {"d_model": 32, "ffn_dim": 48, "num_layers": 2, "attention_heads": 4},
}
ENCODERS: dict[str, dict[str, object]] = {
    "albert": {"embedding_size": 16},
    "bert": {},
    "big_bird": {"attention_type": "original_full"},
    "camembert": {"max_position_embeddings": 80},
    "convbert": {"embedding_size": 32},
    "deberta": {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    "deberta-v2": {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    "distilbert": {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 37},
    "electra": {"embedding_size": 16},
    "fnet": {},
    "ibert": {"max_position_embeddings": 80},
    "mobilebert": {"embedding_size": 32, "true_hidden_size": 32, "intra_bottleneck_size": 32},
    "modernbert": {"global_attn_every_n_layers": 2},
    "mpnet": {"max_position_embeddings": 80},
    "roberta": {"max_position_embeddings": 80},
    "roformer": {"embedding_size": 32},
    "xlm": {"emb_dim": 32, "n_layers": 2, "n_heads": 4, "n_langs": 1},
}
PAIRED: dict[str, dict[str, object]] = {
    name: {
        "d_model": 32,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 48,
        "decoder_ffn_dim": 48,
        "decoder_start_token_id": 2,
        "forced_eos_token_id": None,
    }
    for name in ("bart", "blenderbot", "m2m_100", "marian", "mbart", "pegasus", "plbart")
} | {
    name: {"d_model": 32, "d_kv": 8, "d_ff": 37, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0}
    for name in ("t5", "mt5", "umt5", "longt5")
}


def configured(name: str, more: dict[str, object]) -> transformers.PretrainedConfig:
    kind = type(transformers.AutoConfig.for_model(name))
    return kind(**{**SMALL, **more})


def tokens(device: torch.device, batch: int = 2) -> dict[str, torch.Tensor]:
    ids = torch.randint(3, VOCABULARY, (batch, LENGTH))
    mask = torch.ones(batch, LENGTH, dtype=torch.int64)
    mask[0, :3] = 0
    return {"input_ids": ids.to(device), "attention_mask": mask.to(device)}


def trained(model: nn.Module, inputs: dict[str, torch.Tensor]) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    schedule = transformers.get_linear_schedule_with_warmup(optimizer, 1, 4)
    model.train()
    loss = model(**inputs).loss
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    model.eval()


def decoder_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = transformers.AutoModelForCausalLM.from_config(configured(name, DECODERS[name])).to(device)
        inputs = tokens(device)
        trained(model, {**inputs, "labels": inputs["input_ids"]})
        model.generate(**inputs, max_new_tokens=4, do_sample=False)

    return use


def encoder_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        inputs = tokens(device)
        config = configured(name, ENCODERS[name])
        masked = transformers.AutoModelForMaskedLM.from_config(config).to(device)
        trained(masked, {**inputs, "labels": inputs["input_ids"]})
        classifier = transformers.AutoModelForSequenceClassification.from_config(config).to(device)
        trained(classifier, {**inputs, "labels": torch.tensor([0, 1], device=device)})
        spans = transformers.AutoModelForQuestionAnswering.from_config(config).to(device).eval()
        with torch.no_grad():
            spans(**inputs)

    return use


def paired_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = transformers.AutoModelForSeq2SeqLM.from_config(configured(name, PAIRED[name])).to(device)
        inputs = tokens(device)
        trained(model, {**inputs, "labels": inputs["input_ids"]})
        model.generate(**inputs, max_new_tokens=4, num_beams=2)

    return use


uses.add_each("decoder", DECODERS, decoder_use)
uses.add_each("encoder", ENCODERS, encoder_use)
uses.add_each("encoder and decoder", PAIRED, paired_use)


GENERATION: dict[str, dict[str, object]] = {
    "greedy": {},
    "sampling": {"do_sample": True, "top_k": 10, "top_p": 0.9, "temperature": 0.7, "min_p": 0.01},
    "typical sampling": {"do_sample": True, "typical_p": 0.9, "epsilon_cutoff": 1e-4, "eta_cutoff": 1e-4},
    "beams": {"num_beams": 3, "length_penalty": 0.8, "early_stopping": True, "num_return_sequences": 2},
    "sampled beams": {"num_beams": 2, "do_sample": True},
    "penalties": {"repetition_penalty": 1.2, "no_repeat_ngram_size": 2, "bad_words_ids": [[5], [6, 7]]},
    "limits": {"min_new_tokens": 2, "suppress_tokens": [4, 5], "begin_suppress_tokens": [6], "forced_eos_token_id": 2},
    "biased": {"sequence_bias": [[[5], 2.0], [[6, 7], -1.0]], "exponential_decay_length_penalty": (2, 1.1)},
    "scores": {
        "return_dict_in_generate": True,
        "output_scores": True,
        "output_logits": True,
        "output_attentions": True,
    },
    "static cache": {"cache_implementation": "static"},
    "no cache": {"use_cache": False},
    "prompt lookup": {"prompt_lookup_num_tokens": 2},
    "guided": {"guidance_scale": 1.5},
    "time limit": {"max_time": 5.0},
    "watermark": {"watermarking_config": transformers.WatermarkingConfig()},
}


def generation_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = transformers.AutoModelForCausalLM.from_config(configured("llama", {})).to(device).eval()
        inputs = tokens(device, 1 if name == "prompt lookup" else 2)
        model.generate(**inputs, max_new_tokens=6, **GENERATION[name])

    return use


uses.add_each("generation", GENERATION, generation_use)


@uses.add
def assisted_generation(device: torch.device) -> None:
    model = transformers.AutoModelForCausalLM.from_config(configured("llama", {})).to(device).eval()
    helper = (
        transformers.AutoModelForCausalLM.from_config(configured("llama", {"num_hidden_layers": 1})).to(device).eval()
    )
    model.generate(**tokens(device, 1), max_new_tokens=6, assistant_model=helper, do_sample=False)


@uses.add
def logits_processors(device: torch.device) -> None:
    ids = tokens(device)["input_ids"]
    scores = torch.randn(2, VOCABULARY, device=device)
    generation = transformers.generation
    for processor in (
        generation.TemperatureLogitsWarper(0.7),
        generation.TopKLogitsWarper(5),
        generation.TopPLogitsWarper(0.8),
        generation.MinPLogitsWarper(0.1),
        generation.TypicalLogitsWarper(0.9),
        generation.RepetitionPenaltyLogitsProcessor(1.3),
        generation.NoRepeatNGramLogitsProcessor(2),
        generation.InfNanRemoveLogitsProcessor(),
        generation.MinLengthLogitsProcessor(20, 2, device=device),
        generation.ForcedBOSTokenLogitsProcessor(1),
        generation.PrefixConstrainedLogitsProcessor(lambda batch, sent: [3, 4, 5], 1),
        generation.EncoderNoRepeatNGramLogitsProcessor(2, ids),
    ):
        processor(ids, scores)
    for stopping in (
        generation.MaxLengthCriteria(20),
        generation.EosTokenCriteria([2]),
        generation.MaxTimeCriteria(5.0),
    ):
        stopping(ids, scores)


# --- images and sound ----------------------------------------------------------------------------

VISION = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "image_size": 32,
}
PICTURES: dict[str, dict[str, object]] = {
    "beit": {**VISION, "patch_size": 8},
    "convnext": {"hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1]},
    "dinov2": {**VISION, "patch_size": 8},
    "efficientnet": {"image_size": 32},
    "focalnet": {"image_size": 32, "embed_dim": 16, "depths": [1, 1, 1, 1], "patch_size": 2},
    "mobilenet_v2": {"image_size": 32},
    "mobilevit": {"image_size": 32},
    "poolformer": {"hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1]},
    "pvt": {
        "num_attention_heads": [1, 2, 2, 2],
        "image_size": 32,
        "hidden_sizes": [8, 16, 16, 16],
        "depths": [1, 1, 1, 1],
    },
    "regnet": {"embedding_size": 8, "hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1], "groups_width": 8},
    "resnet": {"embedding_size": 8, "hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1]},
    "segformer": {"hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1], "decoder_hidden_size": 16},
    "swin": {
        "image_size": 32,
        "patch_size": 2,
        "embed_dim": 16,
        "depths": [1, 1],
        "num_heads": [2, 2],
        "window_size": 4,
    },
    "swinv2": {
        "image_size": 32,
        "patch_size": 2,
        "embed_dim": 16,
        "depths": [1, 1],
        "num_heads": [2, 2],
        "window_size": 4,
    },
    "vit": {**VISION, "patch_size": 8},
}


def picture_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        config = type(transformers.AutoConfig.for_model(name))(**PICTURES[name])
        config.num_labels = 3
        model = transformers.AutoModelForImageClassification.from_config(config).to(device)
        trained(
            model,
            {"pixel_values": torch.rand(2, 3, 32, 32, device=device), "labels": torch.tensor([0, 2], device=device)},
        )

    return use


uses.add_each("pictures", PICTURES, picture_use)


@uses.add
def masked_pictures(device: torch.device) -> None:
    for name in ("ViTMAE", "VideoMAE"):
        config = getattr(transformers, f"{name}Config")(
            **VISION,
            patch_size=8,
            decoder_hidden_size=16,
            decoder_num_hidden_layers=1,
            decoder_num_attention_heads=2,
            decoder_intermediate_size=20,
            **({"num_frames": 4} if name == "VideoMAE" else {}),
        )
        model = getattr(transformers, f"{name}ForPreTraining")(config).to(device)
        if name == "ViTMAE":
            model(torch.rand(2, 3, 32, 32, device=device)).loss.backward()
        else:
            mask = (torch.arange(32, device=device) % 2).bool()[None]
            model(torch.rand(1, 4, 3, 32, 32, device=device), bool_masked_pos=mask).loss.backward()


def two_towers() -> nn.Module:
    text = {**SMALL, "projection_dim": 16}
    config = transformers.CLIPConfig(text_config=text, vision_config={**VISION, "patch_size": 8}, projection_dim=16)
    return transformers.CLIPModel(config)


@uses.add
def pictures_and_text(device: torch.device) -> None:
    model = two_towers().to(device)
    model(**tokens(device), pixel_values=torch.rand(2, 3, 32, 32, device=device), return_loss=True).loss.backward()


@uses.add
def language_model_with_pictures(device: torch.device) -> None:
    config = transformers.LlavaConfig(
        text_config=configured("llama", {}),
        vision_config=transformers.CLIPVisionConfig(**VISION, patch_size=8),
        image_token_id=5,
        vision_feature_layer=-1,
        image_seq_length=16,
    )
    model = transformers.LlavaForConditionalGeneration(config).to(device).eval()
    ids = torch.cat([torch.full((1, 16), 5), torch.full((1, 6), 9)], dim=1).to(device)
    pixels = torch.rand(1, 3, 32, 32, device=device)
    model(input_ids=ids, attention_mask=torch.ones_like(ids), pixel_values=pixels, labels=ids).loss.backward()
    model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), pixel_values=pixels, max_new_tokens=3)


@uses.add
def detection(device: torch.device) -> None:
    backbone = transformers.ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], out_features=["stage4"]
    )
    config = transformers.DetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone=None,
        backbone_config=backbone,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=20,
        decoder_ffn_dim=20,
        num_queries=6,
        num_labels=3,
    )
    model = transformers.DetrForObjectDetection(config).to(device)
    target = {"class_labels": torch.tensor([0, 2]), "boxes": torch.rand(2, 4) * 0.4 + 0.1}
    wanted = [{name: value.to(device) for name, value in target.items()} for _ in range(2)]
    out = model(pixel_values=torch.rand(2, 3, 64, 64, device=device), labels=wanted)
    out.loss.backward()
    processor = transformers.DetrImageProcessor()
    processor.post_process_object_detection(out, threshold=0.1, target_sizes=torch.tensor([[64, 64]] * 2).to(device))


@uses.add
def sound(device: torch.device) -> None:
    config = transformers.Wav2Vec2Config(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=20,
        conv_dim=(8, 8),
        conv_stride=(4, 4),
        conv_kernel=(8, 8),
        num_conv_pos_embeddings=8,
        num_conv_pos_embedding_groups=2,
        vocab_size=VOCABULARY,
        mask_time_prob=0.3,
        mask_time_length=2,
        num_feat_extract_layers=2,
    )
    model = transformers.Wav2Vec2ForCTC(config).to(device).train()
    mask = torch.ones(2, 1000, dtype=torch.int64, device=device)
    mask[1, 800:] = 0
    wanted = torch.randint(1, VOCABULARY, (2, 5), device=device)
    model(torch.randn(2, 1000, device=device), attention_mask=mask, labels=wanted).loss.backward()


@uses.add
def speech(device: torch.device) -> None:
    config = transformers.WhisperConfig(
        vocab_size=VOCABULARY,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=20,
        decoder_ffn_dim=20,
        num_mel_bins=8,
        max_source_positions=50,
        max_target_positions=32,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    model = transformers.WhisperForConditionalGeneration(config).to(device)
    features = torch.randn(2, 8, 100, device=device)
    model(input_features=features, labels=torch.randint(3, VOCABULARY, (2, 6), device=device)).loss.backward()
    model.eval().generate(features, max_new_tokens=4)


@uses.add
def image_processors(device: torch.device) -> None:
    pixels = torch.randint(0, 255, (3, 40, 48), dtype=torch.uint8, device=device)
    for name in ("CLIPImageProcessor", "ViTImageProcessor", "ConvNextImageProcessor", "DetrImageProcessor"):
        kind = getattr(transformers, f"{name}Fast", None) or getattr(transformers, name)
        kind()(images=[pixels, pixels], return_tensors="pt", device=device)


# --- training ------------------------------------------------------------------------------------


class Sentences(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 16

    def __getitem__(self, index: int) -> dict[str, object]:
        ids = [(index + n) % (VOCABULARY - 3) + 3 for n in range(LENGTH)]
        return {"input_ids": ids, "attention_mask": [1] * LENGTH, "labels": index % 2}


@uses.add
def trainer(device: torch.device) -> None:
    model = transformers.AutoModelForSequenceClassification.from_config(configured("bert", {}))
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            folder,
            max_steps=3,
            per_device_train_batch_size=4,
            logging_steps=1,
            save_strategy="no",
            eval_strategy="steps",
            eval_steps=2,
            report_to=[],
            use_cpu=device.type == "cpu",
            disable_tqdm=True,
            label_smoothing_factor=0.1,
        )
        made = transformers.Trainer(
            model,
            arguments,
            train_dataset=Sentences(),
            eval_dataset=Sentences(),
            compute_metrics=lambda said: {"right": float(np.mean(said.predictions.argmax(-1) == said.label_ids))},
        )
        made.train()
        made.evaluate()
        made.predict(Sentences())


@uses.add
def gradient_checkpointing(device: torch.device) -> None:
    model = transformers.AutoModelForCausalLM.from_config(configured("llama", {})).to(device)
    model.gradient_checkpointing_enable()
    inputs = tokens(device)
    trained(model, {**inputs, "labels": inputs["input_ids"]})
    model.resize_token_embeddings(VOCABULARY + 8)


@uses.add
def attention_kinds(device: torch.device) -> None:
    for kind in ("eager", "sdpa"):
        model = transformers.AutoModelForCausalLM.from_config(configured("mistral", {}), attn_implementation=kind)
        model.to(device).eval()
        with torch.inference_mode():
            model(**tokens(device), output_hidden_states=True)


@uses.add
def optimizers(device: torch.device) -> None:
    model = nn.Linear(8, 8).to(device)
    optimizer = transformers.Adafactor(model.parameters(), scale_parameter=True, relative_step=True, warmup_init=True)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(4, 8, device=device)).pow(2).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    uses.main()
