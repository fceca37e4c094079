"""Encoders, modules, losses, evaluators, training and search of sentence_transformers, with tiny models."""

import functools
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import transformers
from PIL import Image
from sentence_transformers import (
    CrossEncoder,
    InputExample,
    MultiVectorEncoder,
    SentenceTransformer,
    SimilarityFunction,
    SparseEncoder,
    quantize_embeddings,
    util,
)
from sentence_transformers.base.evaluation import SequentialEvaluator
from sentence_transformers.base.modules import Dense, Normalize, Router, Transformer
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.cross_encoder import evaluation as cross_evaluation
from sentence_transformers.cross_encoder import losses as cross_losses
from sentence_transformers.cross_encoder.data_collator import CrossEncoderDataCollator
from sentence_transformers.cross_encoder.modules import LogitScore
from sentence_transformers.multi_vector_encoder import evaluation as multi_evaluation
from sentence_transformers.multi_vector_encoder import interpretability, scoring
from sentence_transformers.multi_vector_encoder import losses as multi_losses
from sentence_transformers.multi_vector_encoder import modules as multi_modules
from sentence_transformers.sentence_transformer import datasets, evaluation, losses, modules
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator
from sentence_transformers.sparse_encoder import evaluation as sparse_evaluation
from sentence_transformers.sparse_encoder import losses as sparse_losses
from sentence_transformers.sparse_encoder import modules as sparse_modules
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece
from torch import nn
from torch.utils.data import DataLoader
from uses import Use, Uses

WIDTH, MAX_LENGTH = 32, 48
WORDS = (
    "a the cat dog bird sat slept ran on under near mat tree house red blue small big quickly "
    "what is capital of france paris germany berlin weather sunny rainy today eats fish bread yes no . ? , ##s"
).split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ANCHORS = [
    "the cat sat on the mat .",
    "what is the capital of france ?",
    "the small dog ran quickly .",
    "is the weather sunny today ?",
    "a bird eats bread .",
    "the red house is near the tree .",
]
POSITIVES = [
    "a cat slept on a mat",
    "paris is the capital of france .",
    "a dog ran .",
    "today is sunny .",
    "the bird eats fish and bread .",
    "a big red house near a tree",
]
NEGATIVES = [
    "the weather is rainy .",
    "berlin is the capital of germany .",
    "a blue bird slept under the tree",
    "the dog eats fish .",
    "the house is big",
    "no .",
]
LABELS = [0, 1, 0, 1, 2, 2]
SCORES = [0.9, 0.8, 0.2, 0.6, 0.5, 0.1]
uses = Uses()
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


# ---- tiny models in a temporary folder ----


@functools.cache
def folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


def tokenizer() -> transformers.PreTrainedTokenizerFast:
    vocabulary = {word: index for index, word in enumerate([*SPECIAL, *WORDS])}
    made = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = ("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"])
    made.post_processor = processors.BertProcessing(*ends)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=MAX_LENGTH,
    )


@functools.cache
def bert() -> str:
    path = str(Path(folder().name) / "bert")
    config = transformers.BertConfig(
        vocab_size=len(SPECIAL) + len(WORDS),
        hidden_size=WIDTH,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=MAX_LENGTH,
    )
    transformers.BertForMaskedLM(config).save_pretrained(path)
    tokenizer().save_pretrained(path)
    return path


@functools.cache
def generator() -> str:
    path = str(Path(folder().name) / "generator")
    config = transformers.GPT2Config(
        vocab_size=len(SPECIAL) + len(WORDS), n_embd=WIDTH, n_layer=2, n_head=2, n_positions=MAX_LENGTH
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(path)
    tokenizer().save_pretrained(path)
    return path


@functools.cache
def clip() -> str:
    path = str(Path(folder().name) / "clip")
    sizes = {"hidden_size": WIDTH, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    words = tokenizer()
    text = sizes | {
        "vocab_size": len(words),
        "max_position_embeddings": MAX_LENGTH,
        "bos_token_id": words.cls_token_id,
        "eos_token_id": words.sep_token_id,
        "pad_token_id": words.pad_token_id,
    }
    vision = sizes | {"image_size": 32, "patch_size": 8}
    config = transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=16)
    transformers.CLIPModel(config).save_pretrained(path)
    pictures = transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    transformers.CLIPProcessor(pictures, words).save_pretrained(path)
    return path


def images(count: int = 4) -> list[Image.Image]:
    pixels = np.random.default_rng(0).integers(0, 255, (count, 40, 48, 3), dtype=np.uint8)
    return [Image.fromarray(picture) for picture in pixels]


def dense_model(device: torch.device, pooling: str = "mean", **options: object) -> SentenceTransformer:
    parts = [Transformer(bert()), modules.Pooling(WIDTH, pooling)]
    return SentenceTransformer(modules=parts, device=str(device), **options)


def sparse_model(device: torch.device, **options: object) -> SparseEncoder:
    parts = [Transformer(bert(), transformer_task="fill-mask"), sparse_modules.SpladePooling("max", **options)]
    return SparseEncoder(modules=parts, device=str(device))


def auto_encoder_model(device: torch.device) -> SparseEncoder:
    coder = sparse_modules.SparseAutoEncoder(WIDTH, hidden_dim=128, k=8, k_aux=16)
    return SparseEncoder(modules=[Transformer(bert()), modules.Pooling(WIDTH), coder], device=str(device))


def multi_model(device: torch.device, **options: object) -> MultiVectorEncoder:
    parts = [
        Transformer(bert(), **options),
        Dense(WIDTH, 16, bias=False, activation_function=nn.Identity(), module_input_name="token_embeddings"),
        multi_modules.MultiVectorMask(skiplist_words=[".", "?"]),
        Normalize("token_embeddings"),
    ]
    return MultiVectorEncoder(modules=parts, device=str(device))


def cross_model(device: torch.device, labels: int = 1) -> CrossEncoder:
    return CrossEncoder(bert(), num_labels=labels, device=str(device))


def batches(
    model: SentenceTransformer | SparseEncoder | MultiVectorEncoder, *columns: list[str]
) -> list[dict[str, torch.Tensor]]:
    return [util.batch_to_device(model.preprocess(texts), model.device) for texts in columns]


def step(loss: nn.Module, *inputs: object) -> None:
    optimizer = torch.optim.AdamW([p for p in loss.parameters() if p.requires_grad], lr=1e-3)
    loss.train()
    value = loss(*inputs)
    value = sum(value.values()) if isinstance(value, dict) else value
    optimizer.zero_grad()
    value.backward()
    torch.nn.utils.clip_grad_norm_(loss.parameters(), 1.0)
    optimizer.step()
    value.item()


def embeddings_on(device: torch.device, count: int = 20, width: int = WIDTH) -> torch.Tensor:
    return torch.randn(count, width, device=device)


# ---- encoding ----


@uses.add
def encode(device: torch.device) -> None:
    model = dense_model(device)
    model.encode(ANCHORS), model.encode(ANCHORS[0])
    model.encode(ANCHORS, convert_to_tensor=True, normalize_embeddings=True, batch_size=2)
    model.encode(ANCHORS, convert_to_numpy=False)
    model.encode(ANCHORS, truncate_dim=16, convert_to_tensor=True)
    model.encode(ANCHORS, output_value="token_embeddings")
    model.encode(ANCHORS[:2], output_value=None)
    with model.truncate_embeddings(8):
        model.encode(POSITIVES)


@uses.add
def encode_with_precision(device: torch.device) -> None:
    model = dense_model(device)
    for precision in ("int8", "uint8", "binary", "ubinary"):
        model.encode(ANCHORS, precision=precision)


@uses.add
def encode_with_prompts(device: torch.device) -> None:
    prompts = {"query": "what is ", "document": "the "}
    model = dense_model(device, prompts=prompts, default_prompt_name="document")
    queries = model.encode_query(ANCHORS, convert_to_tensor=True)
    documents = model.encode_document(POSITIVES, convert_to_tensor=True)
    model.similarity(queries, documents)
    model.set_pooling_include_prompt(False)
    model.encode(ANCHORS, prompt_name="query"), model.encode(ANCHORS, prompt="red ")


def similarity_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = dense_model(device, similarity_fn_name=name)
        first = model.encode(ANCHORS, convert_to_tensor=True)
        second = model.encode(POSITIVES, convert_to_tensor=True)
        model.similarity(first, second), model.similarity_pairwise(first, second)

    return use


uses.add_each("similarity", ("cosine", "dot", "euclidean", "manhattan"), similarity_use)


@uses.add
def model_properties(device: torch.device) -> None:
    model = dense_model(device)
    model.max_seq_length = 16
    model.encode(["the cat " * 20], convert_to_tensor=True)
    model.get_embedding_dimension(), model.get_max_seq_length(), model.device, model.dtype, str(model)
    model.gradient_checkpointing_enable()
    model.train()
    model(batches(model, ANCHORS)[0])["sentence_embedding"].sum().backward()


@uses.add
def half_precision(device: torch.device) -> None:
    dense_model(device).bfloat16().encode(ANCHORS, convert_to_tensor=True)
    parts = [Transformer(bert(), model_kwargs={"dtype": torch.bfloat16}), modules.Pooling(WIDTH)]
    SentenceTransformer(modules=parts, device=str(device)).encode(ANCHORS)


@uses.add
def save_and_load(device: torch.device) -> None:
    parts = [Transformer(bert()), modules.Pooling(WIDTH), Dense(WIDTH, 16), Normalize()]
    model = SentenceTransformer(modules=parts, device=str(device))
    with tempfile.TemporaryDirectory() as path:
        model.save_pretrained(path)
        loaded = SentenceTransformer(path, device=str(device), local_files_only=True)
    assert np.allclose(model.encode(ANCHORS), loaded.encode(ANCHORS), atol=1e-4)


@uses.add
def plain_transformer_folder(device: torch.device) -> None:
    model = SentenceTransformer(bert(), device=str(device), truncate_dim=16)
    model.encode(ANCHORS, convert_to_tensor=True)


@uses.add
def preprocessing_pairs_of_columns(device: torch.device) -> None:
    model = dense_model(device)
    rows = [{"anchor": a, "positive": p, "label": s} for a, p, s in zip(ANCHORS, POSITIVES, SCORES, strict=True)]
    collate = SentenceTransformerDataCollator(model.preprocess, prompts={"anchor": "the "})
    loader = DataLoader(rows, batch_size=3, collate_fn=collate)
    loss = losses.CosineSimilarityLoss(model)
    for batch in loader:
        batch = util.batch_to_device(batch, device)
        columns = [
            {key.removeprefix(f"{name}_"): value for key, value in batch.items() if key.startswith(name)}
            for name in ("anchor", "positive")
        ]
        step(loss, columns, batch["label"])


# ---- modules ----


def pooling_use(mode: str) -> Use:
    def use(device: torch.device) -> None:
        model = dense_model(device, mode)
        step_of_modules(model)

    return use


def step_of_modules(model: SentenceTransformer) -> None:
    model.encode(ANCHORS, convert_to_tensor=True)
    step(losses.MultipleNegativesRankingLoss(model), batches(model, ANCHORS, POSITIVES), None)


uses.add_each("pooling", ("cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"), pooling_use)


@uses.add
def pooling_in_several_ways(device: torch.device) -> None:
    parts = [Transformer(bert()), modules.Pooling(WIDTH, ("mean", "max", "cls"))]
    step_of_modules(SentenceTransformer(modules=parts, device=str(device)))


@uses.add
def weighted_layer_pooling(device: torch.device) -> None:
    encoder = Transformer(bert(), config_kwargs={"output_hidden_states": True})
    weighted = modules.WeightedLayerPooling(WIDTH, num_hidden_layers=3, layer_start=1)
    step_of_modules(SentenceTransformer(modules=[encoder, weighted, modules.Pooling(WIDTH)], device=str(device)))


@uses.add
def dense_dropout_and_norm(device: torch.device) -> None:
    parts = [
        Transformer(bert()),
        modules.Pooling(WIDTH),
        Dense(WIDTH, WIDTH, activation_function=nn.ReLU(), use_residual=True),
        Dense(WIDTH, 16, bias=False),
        modules.Dropout(0.1),
        modules.LayerNorm(16),
        Normalize(),
    ]
    step_of_modules(SentenceTransformer(modules=parts, device=str(device)))


def word_embeddings(update: bool = True) -> modules.WordEmbeddings:
    words = modules.tokenizer.WhitespaceTokenizer(vocab=WORDS, stop_words=["a"], do_lower_case=True)
    weights = np.random.default_rng(0).normal(size=(len(WORDS), WIDTH)).astype("float32")
    return modules.WordEmbeddings(words, weights, update_embeddings=update)


@uses.add
def recurrent_model(device: torch.device) -> None:
    recurrent = modules.LSTM(WIDTH, 16, num_layers=2, dropout=0.1)
    parts = [word_embeddings(), recurrent, modules.Pooling(recurrent.get_embedding_dimension())]
    step_of_modules(SentenceTransformer(modules=parts, device=str(device)))


@uses.add
def convolutional_model(device: torch.device) -> None:
    convolution = modules.CNN(WIDTH, out_channels=16)
    parts = [word_embeddings(), convolution, modules.Pooling(convolution.get_embedding_dimension())]
    step_of_modules(SentenceTransformer(modules=parts, device=str(device)))


@uses.add
def weighted_words(device: torch.device) -> None:
    weights = modules.WordWeights(WORDS, {"the": 0.1, "cat": 2.0})
    parts = [word_embeddings(), weights, modules.Pooling(WIDTH), Dense(WIDTH, 16)]
    step_of_modules(SentenceTransformer(modules=parts, device=str(device)))


@uses.add
def words_of_a_file(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as path:
        file = Path(path) / "words.txt"
        file.write_text("\n".join(f"{word} {index} 0.5 1.0 2.0" for index, word in enumerate(WORDS)), encoding="utf-8")
        embedding = modules.WordEmbeddings.from_text_file(str(file), update_embeddings=True)
    model = SentenceTransformer(modules=[embedding, modules.Pooling(4)], device=str(device))
    with tempfile.TemporaryDirectory() as path:
        model.save_pretrained(path, create_model_card=False)
        SentenceTransformer(path, device=str(device)).encode(ANCHORS)


@uses.add
def bag_of_words(device: torch.device) -> None:
    words = modules.BoW(WORDS, {"cat": 2.0, "the": 0.1})
    parts = [words, Dense(words.get_embedding_dimension(), 16)]
    step_of_modules(SentenceTransformer(modules=parts, device=str(device)))


@uses.add
def static_embedding(device: torch.device) -> None:
    static = modules.StaticEmbedding(tokenizer(), embedding_dim=WIDTH)
    model = SentenceTransformer(modules=[static, Normalize()], device=str(device))
    step_of_modules(model)
    weights = torch.randn(len(SPECIAL) + len(WORDS), 8)
    given = modules.StaticEmbedding(tokenizer(), embedding_weights=weights)
    SentenceTransformer(modules=[given], device=str(device)).encode(ANCHORS)


@uses.add
def router(device: torch.device) -> None:
    routed = Router.for_query_document(
        query_modules=[modules.StaticEmbedding(tokenizer(), embedding_dim=WIDTH)],
        document_modules=[Transformer(bert()), modules.Pooling(WIDTH)],
    )
    model = SentenceTransformer(modules=[routed, Normalize()], device=str(device))
    queries = model.encode_query(ANCHORS, convert_to_tensor=True)
    model.similarity(queries, model.encode_document(POSITIVES, convert_to_tensor=True))
    with tempfile.TemporaryDirectory() as path:
        model.save_pretrained(path, create_model_card=False)
        SentenceTransformer(path, device=str(device)).encode_query(ANCHORS)


@uses.add
def lower_casing_transformer(device: torch.device) -> None:
    encoder = Transformer(bert(), max_seq_length=12, do_lower_case=True, processing_kwargs={"text": {"padding": True}})
    SentenceTransformer(modules=[encoder, modules.Pooling(WIDTH, "max")], device=str(device)).encode(ANCHORS)


@uses.add
def decoder_embeddings(device: torch.device) -> None:
    parts = [Transformer(generator()), modules.Pooling(WIDTH, "lasttoken")]
    step_of_modules(SentenceTransformer(modules=parts, device=str(device)))


@uses.add
def left_padded_decoder(device: torch.device) -> None:
    for mode in ("lasttoken", "mean", "cls"):
        encoder = Transformer(generator(), processor_kwargs={"padding_side": "left"})
        parts = [encoder, modules.Pooling(WIDTH, mode, include_prompt=False)]
        SentenceTransformer(modules=parts, device=str(device)).encode(ANCHORS, prompt="what is ")


@uses.add
def images_and_texts(device: torch.device) -> None:
    model = SentenceTransformer(modules=[Transformer(clip())], device=str(device))
    pictures = model.encode(images(), convert_to_tensor=True, batch_size=2)
    model.similarity(pictures, model.encode(ANCHORS, convert_to_tensor=True))
    model.encode(images(1)[0]), model.supports("image")
    columns = [util.batch_to_device(model.preprocess(inputs), device) for inputs in (images(), ANCHORS[:4])]
    step(losses.MultipleNegativesRankingLoss(model), columns, None)
    SentenceTransformer(modules=[modules.CLIPModel(clip())], device=str(device)).encode(images())


@uses.add
def images_and_texts_by_routes(device: torch.device) -> None:
    static = modules.StaticEmbedding(tokenizer(), embedding_dim=16)
    routed = Router(
        {"text": [static], "image": [Transformer(clip())]},
        route_mappings={(None, "text"): "text", (None, "image"): "image"},
    )
    model = SentenceTransformer(modules=[routed, Normalize()], device=str(device))
    model.similarity(model.encode(images(), convert_to_tensor=True), model.encode(ANCHORS, convert_to_tensor=True))


SAVED: dict[str, Callable[[], list[nn.Module]]] = {
    "LSTM": lambda: [word_embeddings(), modules.LSTM(WIDTH, 16), modules.Pooling(WIDTH)],
    "CNN": lambda: [word_embeddings(), modules.CNN(WIDTH, 16), modules.Pooling(48, "max")],
    "WordWeights": lambda: [word_embeddings(), modules.WordWeights(WORDS, {"cat": 2.0}), modules.Pooling(WIDTH)],
    "BoW": lambda: [modules.BoW(WORDS), Dense(len(WORDS), 16)],
    "StaticEmbedding": lambda: [modules.StaticEmbedding(tokenizer(), embedding_dim=8)],
    "LayerNorm": lambda: [Transformer(bert()), modules.Pooling(WIDTH), modules.LayerNorm(WIDTH), modules.Dropout()],
    "WeightedLayerPooling": lambda: [
        Transformer(bert(), config_kwargs={"output_hidden_states": True}),
        modules.WeightedLayerPooling(WIDTH, num_hidden_layers=3, layer_start=2),
        modules.Pooling(WIDTH),
    ],
}


def saved_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = SentenceTransformer(modules=SAVED[name](), device=str(device))
        with tempfile.TemporaryDirectory() as path:
            model.save_pretrained(path, create_model_card=False)
            loaded = SentenceTransformer(path, device=str(device))
        assert np.allclose(model.encode(ANCHORS), loaded.encode(ANCHORS), atol=1e-4)

    return use


uses.add_each("saved", SAVED, saved_use)


@uses.add
def one_folder_for_several_models(device: torch.device) -> None:
    for kind in (SparseEncoder, MultiVectorEncoder):
        kind(bert(), device=str(device)).encode(ANCHORS)
    with tempfile.TemporaryDirectory() as path:
        dense_model(device).save_pretrained(path, create_model_card=False)
        MultiVectorEncoder(path, device=str(device)).encode(ANCHORS)
        CrossEncoder(path, num_labels=1, device=str(device)).predict(PAIRS)


# ---- losses of dense models ----


PAIR_LOSSES: dict[str, Callable[[SentenceTransformer], nn.Module]] = {
    "CoSENT": losses.CoSENTLoss,
    "AnglE": losses.AnglELoss,
    "CosineSimilarity": losses.CosineSimilarityLoss,
    "Contrastive": lambda model: losses.ContrastiveLoss(model, margin=0.4),
    "Contrastive euclidean": lambda model: losses.ContrastiveLoss(
        model, distance_metric=losses.SiameseDistanceMetric.EUCLIDEAN, size_average=False
    ),
    "OnlineContrastive": losses.OnlineContrastiveLoss,
    "Softmax": lambda model: losses.SoftmaxLoss(model, WIDTH, 3, concatenation_sent_multiplication=True),
    "Matryoshka CoSENT": lambda model: losses.MatryoshkaLoss(model, losses.CoSENTLoss(model), [32, 16, 8]),
}


def pair_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = dense_model(device)
        if name == "Softmax":
            labels = torch.tensor(LABELS, device=device)
        elif "Contrastive" in name:
            labels = torch.tensor([1, 0, 1, 1, 0, 0], device=device)
        else:
            labels = torch.tensor(SCORES, device=device)
        loss = PAIR_LOSSES[name](model).to(device)
        step(loss, batches(model, ANCHORS, POSITIVES), labels)
        loss.get_config_dict()

    return use


uses.add_each("loss", PAIR_LOSSES, pair_use)

RANKING_LOSSES: dict[str, Callable[[SentenceTransformer], nn.Module]] = {
    "MultipleNegativesRanking": losses.MultipleNegativesRankingLoss,
    "MultipleNegativesRanking in all directions": lambda model: losses.MultipleNegativesRankingLoss(
        model,
        scale=10.0,
        similarity_fct=util.dot_score,
        directions=("query_to_doc", "query_to_query", "doc_to_query", "doc_to_doc"),
    ),
    "MultipleNegativesRanking by direction": lambda model: losses.MultipleNegativesRankingLoss(
        model, directions=("query_to_doc", "doc_to_query"), partition_mode="per_direction"
    ),
    "MultipleNegativesRanking with hardness": lambda model: losses.MultipleNegativesRankingLoss(
        model, hardness_mode="in_batch_negatives", hardness_strength=5.0
    ),
    "MultipleNegativesSymmetricRanking": losses.MultipleNegativesSymmetricRankingLoss,
    "CachedMultipleNegativesRanking": lambda model: losses.CachedMultipleNegativesRankingLoss(model, mini_batch_size=2),
    "CachedMultipleNegativesRanking by tokens": lambda model: losses.CachedMultipleNegativesRankingLoss(
        model, mini_batch_num_tokens=24, hardness_mode="hard_negatives", hardness_strength=2.0
    ),
    "CachedMultipleNegativesSymmetricRanking": lambda model: losses.CachedMultipleNegativesSymmetricRankingLoss(
        model, mini_batch_size=2
    ),
    "Triplet": losses.TripletLoss,
    "Triplet cosine": lambda model: losses.TripletLoss(model, losses.TripletDistanceMetric.COSINE, 0.5),
    "Triplet manhattan": lambda model: losses.TripletLoss(model, losses.TripletDistanceMetric.MANHATTAN),
    "GlobalOrthogonalRegularization": losses.GlobalOrthogonalRegularizationLoss,
    "Matryoshka": lambda model: losses.MatryoshkaLoss(
        model, losses.MultipleNegativesRankingLoss(model), [32, 16, 8], [1, 0.5, 0.2], n_dims_per_step=2
    ),
    "Matryoshka cached": lambda model: losses.MatryoshkaLoss(
        model, losses.CachedMultipleNegativesRankingLoss(model, mini_batch_size=3), [32, 16]
    ),
    "AdaptiveLayer": lambda model: losses.AdaptiveLayerLoss(model, losses.MultipleNegativesRankingLoss(model)),
    "AdaptiveLayer weighted": lambda model: losses.AdaptiveLayerLoss(
        model,
        losses.MultipleNegativesRankingLoss(model),
        n_layers_per_step=-1,
        layer_weighting="log",
        kl_div_weight=0.5,
    ),
    "Matryoshka2d": lambda model: losses.Matryoshka2dLoss(
        model, losses.MultipleNegativesRankingLoss(model), [32, 16, 8]
    ),
}


def ranking_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = dense_model(device)
        loss = RANKING_LOSSES[name](model)
        step(loss, batches(model, ANCHORS, POSITIVES, NEGATIVES), None)
        if "Symmetric" not in name and not name.startswith("Triplet"):
            with torch.no_grad():
                loss(batches(model, ANCHORS, POSITIVES, NEGATIVES), None)
        loss.get_config_dict()

    return use


uses.add_each("loss", RANKING_LOSSES, ranking_use)


def guided_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model, guide = dense_model(device), dense_model(device, "cls")
        cached = {"mini_batch_size": 2} if name.startswith("Cached") else {}
        made = getattr(losses, name)
        step(made(model, guide, **cached), batches(model, ANCHORS, POSITIVES), None)
        loss = made(model, guide, margin_strategy="relative", margin=0.05, contrast_anchors=False, **cached)
        step(loss, batches(model, ANCHORS, POSITIVES, NEGATIVES), None)

    return use


uses.add_each("loss", ("GISTEmbedLoss", "CachedGISTEmbedLoss"), guided_use)


@uses.add
def guide_with_a_shorter_length(device: torch.device) -> None:
    model, guide = dense_model(device), dense_model(device, "cls")
    guide.max_seq_length = 16
    step(losses.GISTEmbedLoss(model, guide), batches(model, ANCHORS, POSITIVES), None)


def label_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = dense_model(device)
        labels = torch.tensor(LABELS, device=device)
        step(getattr(losses, name)(model), batches(model, ANCHORS), labels)
        distance = losses.BatchHardTripletLossDistanceFunction.cosine_distance
        step(getattr(losses, name)(model, distance_metric=distance), batches(model, ANCHORS), labels)

    return use


uses.add_each(
    "loss",
    ("BatchAllTripletLoss", "BatchHardTripletLoss", "BatchHardSoftMarginTripletLoss", "BatchSemiHardTripletLoss"),
    label_use,
)


@uses.add
def distillation_losses(device: torch.device) -> None:
    model, teacher = dense_model(device), dense_model(device, "cls")
    targets = teacher.encode(ANCHORS, convert_to_tensor=True).clone()
    step(losses.MSELoss(model), batches(model, ANCHORS), targets)
    for metric in ("mse", "l2", "cosine"):
        step(losses.EmbedDistillLoss(model, distance_metric=metric), batches(model, ANCHORS, POSITIVES), targets)
    projected = losses.EmbedDistillLoss(model, projection_dim=8).to(device)
    both = torch.randn(len(ANCHORS), 2, 8, device=device)
    step(projected, batches(model, ANCHORS, POSITIVES), both)
    with tempfile.TemporaryDirectory() as path:
        file = str(Path(path) / "projection.safetensors")
        projected.save_projection(file)
        losses.EmbedDistillLoss(model, projection_dim=8).to(device).load_projection(file)


@uses.add
def margin_losses(device: torch.device) -> None:
    model = dense_model(device)
    columns = ANCHORS, POSITIVES, NEGATIVES
    margins, scores = torch.randn(len(ANCHORS), device=device), torch.rand(len(ANCHORS), 2, device=device)
    step(losses.MarginMSELoss(model), batches(model, *columns), margins)
    step(losses.MarginMSELoss(model), batches(model, *columns), scores)
    step(losses.DistillKLDivLoss(model, temperature=2.0), batches(model, *columns), scores)


@uses.add
def mega_batch_margin_loss(device: torch.device) -> None:
    model = dense_model(device)
    loss = losses.MegaBatchMarginLoss(model, mini_batch_size=2)
    step(loss, batches(model, ANCHORS, POSITIVES), None)
    loss = losses.MegaBatchMarginLoss(model, use_mini_batched_version=False)
    step(loss, batches(model, ANCHORS, POSITIVES), None)


@uses.add
def contrastive_tension(device: torch.device) -> None:
    model = dense_model(device)
    loss = losses.ContrastiveTensionLoss(model)
    loader = losses.ContrastiveTensionDataLoader(ANCHORS + POSITIVES, batch_size=4, pos_neg_ratio=4)
    for examples in loader:
        labels = torch.tensor([float(example.label) for example in examples], device=device)
        columns = ([example.texts[i] for example in examples] for i in range(2))
        step(loss, batches(model, *columns), labels)
    step(loss, batches(model, ANCHORS, ANCHORS[:3] + NEGATIVES[3:]), None)
    step(losses.ContrastiveTensionLossInBatchNegatives(model).to(device), batches(model, ANCHORS), None)


@uses.add
def denoising_auto_encoder(device: torch.device) -> None:
    model = dense_model(device, "cls")
    loss = losses.DenoisingAutoEncoderLoss(model, tie_encoder_decoder=True).to(device)
    noisy = [" ".join(text.split()[::2]) for text in ANCHORS]
    step(loss, batches(model, noisy, ANCHORS), None)
    free = losses.DenoisingAutoEncoderLoss(model, decoder_name_or_path=generator(), tie_encoder_decoder=False)
    step(free.to(device), batches(model, noisy, ANCHORS), None)


# ---- training ----


def examples() -> list[InputExample]:
    return [InputExample(texts=[a, p], label=s) for a, p, s in zip(ANCHORS, POSITIVES, SCORES, strict=True)]


def labelled() -> list[InputExample]:
    return [InputExample(texts=[text], label=label) for text, label in zip(ANCHORS, LABELS, strict=True)]


@uses.add
def fit(device: torch.device) -> None:
    model = dense_model(device)
    similar = DataLoader(examples(), batch_size=3, shuffle=True)
    ranked = datasets.NoDuplicatesDataLoader(examples(), batch_size=3)
    objectives = [
        (similar, losses.CosineSimilarityLoss(model)),
        (ranked, losses.MultipleNegativesRankingLoss(model)),
    ]
    model.old_fit(objectives, epochs=2, warmup_steps=1, show_progress_bar=False)
    grouped = DataLoader(datasets.SentenceLabelDataset(labelled()), batch_size=4)
    for scheduler in ("constantlr", "warmupconstant", "warmupcosine"):
        triplets = losses.BatchAllTripletLoss(model)
        model.old_fit([(grouped, triplets)], scheduler=scheduler, warmup_steps=1, show_progress_bar=False)


@uses.add
def fit_with_mixed_precision(device: torch.device) -> None:
    model = dense_model(device)
    loader = DataLoader(datasets.SentencesDataset(examples(), model), batch_size=3)
    with tempfile.TemporaryDirectory() as path:
        model.old_fit(
            [(loader, losses.CoSENTLoss(model))],
            use_amp=True,
            show_progress_bar=False,
            checkpoint_path=path,
            checkpoint_save_steps=1,
            checkpoint_save_total_limit=1,
        )


@uses.add
def fit_to_a_teacher(device: torch.device) -> None:
    model, teacher = dense_model(device), dense_model(device, "cls")
    data = datasets.ParallelSentencesDataset(model, teacher, batch_size=4)
    data.add_dataset([list(pair) for pair in zip(ANCHORS, POSITIVES, strict=True)], weight=6)
    loader = DataLoader(data, batch_size=4)
    model.old_fit([(loader, losses.MSELoss(model))], steps_per_epoch=2, show_progress_bar=False)


@uses.add
def fit_cross_encoder(device: torch.device) -> None:
    model = cross_model(device)
    loader = DataLoader(examples(), batch_size=3, shuffle=True)
    model.old_fit(loader, epochs=1, warmup_steps=1, show_progress_bar=False)
    classes = cross_model(device, 3)
    data = [InputExample(texts=e.texts, label=label) for e, label in zip(examples(), LABELS, strict=True)]
    classes.old_fit(DataLoader(data, batch_size=3), use_amp=True, show_progress_bar=False)


@uses.add
def batch_sampler(device: torch.device) -> None:
    model = dense_model(device)
    loss = losses.CoSENTLoss(model)
    sampler = DefaultBatchSampler(torch.utils.data.RandomSampler(examples()), batch_size=3, drop_last=False)
    sampler.set_epoch(1)
    for rows in sampler:
        columns = [ANCHORS[i] for i in rows], [POSITIVES[i] for i in rows]
        step(loss, batches(model, *columns), torch.tensor([SCORES[i] for i in rows], device=device))


# ---- evaluators of dense models ----


QUERIES = {f"q{i}": text for i, text in enumerate(ANCHORS)}
CORPUS = {f"d{i}": text for i, text in enumerate(POSITIVES + NEGATIVES)}
RELEVANT = {f"q{i}": {f"d{i}"} for i in range(len(ANCHORS))}
SAMPLES = [
    {"query": a, "positive": [p], "negative": [n, NEGATIVES[0]]}
    for a, p, n in zip(ANCHORS, POSITIVES, [*NEGATIVES[1:], "the fish"], strict=True)
]
NAMES = ["cosine", "dot", "euclidean", "manhattan"]
OPTIONS = {"show_progress_bar": False}
DENSE_EVALUATORS: dict[str, Callable[[], object]] = {
    "BinaryClassification": lambda: evaluation.BinaryClassificationEvaluator(
        ANCHORS, POSITIVES, [1, 0, 1, 1, 0, 0], similarity_fn_names=NAMES, **OPTIONS
    ),
    "EmbeddingSimilarity": lambda: evaluation.EmbeddingSimilarityEvaluator(
        ANCHORS, POSITIVES, SCORES, similarity_fn_names=NAMES, **OPTIONS
    ),
    "EmbeddingSimilarity int8": lambda: evaluation.EmbeddingSimilarityEvaluator(
        ANCHORS, POSITIVES, SCORES, precision="int8", similarity_fn_names=["dot"], **OPTIONS
    ),
    "InformationRetrieval": lambda: evaluation.InformationRetrievalEvaluator(
        QUERIES, CORPUS, RELEVANT, corpus_chunk_size=5, map_at_k=[5], **OPTIONS
    ),
    "ParaphraseMining": lambda: evaluation.ParaphraseMiningEvaluator(
        CORPUS, [("d0", "d1"), ("d2", "d3")], add_transitive_closure=True, top_k=5, **OPTIONS
    ),
    "Reranking": lambda: evaluation.RerankingEvaluator(SAMPLES, at_k=3, **OPTIONS),
    "Reranking one by one": lambda: evaluation.RerankingEvaluator(SAMPLES, use_batched_encoding=False, **OPTIONS),
    "Translation": lambda: evaluation.TranslationEvaluator(ANCHORS, POSITIVES, **OPTIONS),
    "Triplet": lambda: evaluation.TripletEvaluator(
        ANCHORS, POSITIVES, NEGATIVES, margin=0.1, similarity_fn_names=NAMES, **OPTIONS
    ),
    "Triplet from examples": lambda: evaluation.TripletEvaluator.from_input_examples(
        [InputExample(texts=list(t)) for t in zip(ANCHORS, POSITIVES, NEGATIVES, strict=True)], **OPTIONS
    ),
}


def evaluator_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        with tempfile.TemporaryDirectory() as path:
            dense_model(device).evaluate(DENSE_EVALUATORS[name](), output_path=path)

    return use


uses.add_each("evaluate", DENSE_EVALUATORS, evaluator_use)


@uses.add
def evaluate_against_a_teacher(device: torch.device) -> None:
    model, teacher = dense_model(device), dense_model(device, "cls")
    evaluation.MSEEvaluator(ANCHORS, POSITIVES, teacher_model=teacher, **OPTIONS)(model)
    rows = [{"en": a, "de": p} for a, p in zip(ANCHORS, POSITIVES, strict=True)]
    evaluation.MSEEvaluatorFromDataFrame(rows, teacher, [("en", "de")])(model)


@uses.add
def evaluate_labels(device: torch.device) -> None:
    model = dense_model(device)
    data = [InputExample(texts=[a, p], label=c) for a, p, c in zip(ANCHORS, POSITIVES, LABELS, strict=True)]
    softmax = losses.SoftmaxLoss(model, WIDTH, 3).to(device)
    evaluation.LabelAccuracyEvaluator(DataLoader(data, batch_size=3), softmax_model=softmax)(model)


@uses.add
def evaluate_in_sequence(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as path:
        parts = [
            evaluation.EmbeddingSimilarityEvaluator(ANCHORS, POSITIVES, SCORES, name="similar"),
            evaluation.TripletEvaluator(ANCHORS, POSITIVES, NEGATIVES, name="triplets"),
        ]
        SequentialEvaluator(parts)(dense_model(device), output_path=path, epoch=1, steps=10)


# ---- sparse models ----


@uses.add
def sparse_encode(device: torch.device) -> None:
    model = sparse_model(device)
    queries, documents = model.encode_query(ANCHORS), model.encode_document(POSITIVES)
    model.similarity(queries, documents), model.similarity_pairwise(queries, documents)
    model.sparsity(documents), model.decode(queries, top_k=5), model.decode(queries[0], top_k=3)
    model.intersection(queries[0], documents[0]), model.intersection(queries[0], documents)
    model.encode(ANCHORS, convert_to_sparse_tensor=False, max_active_dims=8)
    model.encode(ANCHORS, convert_to_tensor=False), model.encode(ANCHORS[0])
    model.encode(ANCHORS, save_to_cpu=True), model.get_embedding_dimension()


def sparse_similarity_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = sparse_model(device)
        model.similarity_fn_name = name
        first, second = model.encode(ANCHORS), model.encode(POSITIVES)
        model.similarity(first, second), model.similarity_pairwise(first, second)

    return use


uses.add_each("sparse similarity", ("cosine", "dot", "euclidean", "manhattan"), sparse_similarity_use)


@uses.add
def splade_pooling(device: torch.device) -> None:
    for options in ({"activation_function": "log1p_relu"}, {"chunk_size": 4}):
        model = sparse_model(device, **options)
        model.encode(ANCHORS)
        model.train()
        model(batches(model, ANCHORS)[0])["sentence_embedding"].sum().backward()
    parts = [Transformer(bert(), transformer_task="fill-mask"), sparse_modules.SpladePooling("sum")]
    SparseEncoder(modules=parts, device=str(device)).encode(ANCHORS)


@uses.add
def sparse_auto_encoder(device: torch.device) -> None:
    model = auto_encoder_model(device)
    model.encode(ANCHORS), model.encode(ANCHORS, max_active_dims=4)
    columns = ANCHORS, POSITIVES, NEGATIVES
    step(sparse_losses.CSRLoss(model, beta=0.1), batches(model, *columns), None)
    triplets = sparse_losses.SparseTripletLoss(model)
    step(sparse_losses.CSRLoss(model, triplets), batches(model, *columns), None)


@uses.add
def inference_free_sparse_model(device: torch.device) -> None:
    routed = Router.for_query_document(
        query_modules=[sparse_modules.SparseStaticEmbedding(tokenizer())],
        document_modules=[Transformer(bert(), transformer_task="fill-mask"), sparse_modules.SpladePooling("max")],
    )
    model = SparseEncoder(modules=[routed], device=str(device), similarity_fn_name="dot")
    model.similarity(model.encode_query(ANCHORS), model.encode_document(POSITIVES))
    with tempfile.TemporaryDirectory() as path:
        file = Path(path) / "idf.json"
        file.write_text(json.dumps({word: 0.1 * index for index, word in enumerate(WORDS)}), encoding="utf-8")
        weighted = sparse_modules.SparseStaticEmbedding.from_json(str(file), tokenizer(), frozen=True)
        sparse = SparseEncoder(modules=[weighted], device=str(device))
        sparse.encode(ANCHORS)
        sparse.save_pretrained(path, create_model_card=False)
        SparseEncoder(path, device=str(device)).encode(ANCHORS)


@uses.add
def sparse_save_and_load(device: torch.device) -> None:
    for model in (sparse_model(device), auto_encoder_model(device)):
        with tempfile.TemporaryDirectory() as path:
            model.save_pretrained(path, create_model_card=False)
            SparseEncoder(path, device=str(device)).encode(ANCHORS)


SPARSE_LOSSES: dict[str, tuple[Callable[[SparseEncoder], nn.Module], str]] = {
    "SparseCoSENT": (sparse_losses.SparseCoSENTLoss, "score"),
    "SparseAnglE": (sparse_losses.SparseAnglELoss, "score"),
    "SparseCosineSimilarity": (sparse_losses.SparseCosineSimilarityLoss, "score"),
    "SparseMultipleNegativesRanking": (sparse_losses.SparseMultipleNegativesRankingLoss, "none"),
    "SparseTriplet": (sparse_losses.SparseTripletLoss, "none"),
    "SparseMarginMSE": (sparse_losses.SparseMarginMSELoss, "margin"),
    "SparseDistillKLDiv": (sparse_losses.SparseDistillKLDivLoss, "margin"),
}


def sparse_columns(kind: str, device: torch.device) -> tuple[tuple[list[str], ...], torch.Tensor | None]:
    if kind == "score":
        return (ANCHORS, POSITIVES), torch.tensor(SCORES, device=device)
    labels = torch.rand(len(ANCHORS), 2, device=device) if kind == "margin" else None
    return (ANCHORS, POSITIVES, NEGATIVES), labels


def splade_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, kind = SPARSE_LOSSES[name]
        model = sparse_model(device)
        columns, labels = sparse_columns(kind, device)
        loss = sparse_losses.SpladeLoss(model, made(model), 3e-5, query_regularizer_weight=5e-5)
        step(loss, batches(model, *columns), labels)

    return use


uses.add_each("loss", SPARSE_LOSSES, splade_use)


@uses.add
def splade_loss_options(device: torch.device) -> None:
    model = sparse_model(device)
    base = sparse_losses.SparseMultipleNegativesRankingLoss(model)
    only = sparse_losses.SpladeLoss(
        model, base, 1e-4, use_document_regularizer_only=True, document_regularizer_threshold=5
    )
    step(only, batches(model, ANCHORS, POSITIVES), None)
    cached = sparse_losses.CachedSpladeLoss(model, base, 3e-5, 5e-5, mini_batch_size=2)
    step(cached, batches(model, ANCHORS, POSITIVES), None)
    only.get_config_dict()


@uses.add
def sparse_mse_loss(device: torch.device) -> None:
    model, teacher = sparse_model(device), sparse_model(device)
    targets = teacher.encode(ANCHORS, convert_to_sparse_tensor=False).clone()
    step(sparse_losses.SparseMSELoss(model), batches(model, ANCHORS), targets)


SPARSE_EVALUATORS: dict[str, Callable[[], object]] = {
    "SparseBinaryClassification": lambda: sparse_evaluation.SparseBinaryClassificationEvaluator(
        ANCHORS, POSITIVES, [1, 0, 1, 1, 0, 0], similarity_fn_names=["cosine", "dot"], **OPTIONS
    ),
    "SparseEmbeddingSimilarity": lambda: sparse_evaluation.SparseEmbeddingSimilarityEvaluator(
        ANCHORS, POSITIVES, SCORES, max_active_dims=16, **OPTIONS
    ),
    "SparseInformationRetrieval": lambda: sparse_evaluation.SparseInformationRetrievalEvaluator(
        QUERIES, CORPUS, RELEVANT, corpus_chunk_size=5, **OPTIONS
    ),
    "SparseReranking": lambda: sparse_evaluation.SparseRerankingEvaluator(SAMPLES, **OPTIONS),
    "SparseTranslation": lambda: sparse_evaluation.SparseTranslationEvaluator(ANCHORS, POSITIVES, **OPTIONS),
    "SparseTriplet": lambda: sparse_evaluation.SparseTripletEvaluator(ANCHORS, POSITIVES, NEGATIVES, **OPTIONS),
}


def sparse_evaluator_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        with tempfile.TemporaryDirectory() as path:
            sparse_model(device).evaluate(SPARSE_EVALUATORS[name](), output_path=path)

    return use


uses.add_each("evaluate", SPARSE_EVALUATORS, sparse_evaluator_use)


@uses.add
def evaluate_sparse_models_against_others(device: torch.device) -> None:
    model, dense = sparse_model(device), dense_model(device)
    sparse_evaluation.SparseMSEEvaluator(ANCHORS, POSITIVES, teacher_model=sparse_model(device), **OPTIONS)(model)
    texts = list(CORPUS.values())
    ranked = []
    for encoder in (dense, model):
        queries, documents = (encoder.encode(inputs, convert_to_tensor=True) for inputs in (ANCHORS, texts))
        order = encoder.similarity(queries, documents).argsort(dim=1, descending=True).tolist()
        ranked.append(
            [
                {"query_id": str(i), "query": a, "positive": [POSITIVES[i]], "documents": [texts[j] for j in order[i]]}
                for i, a in enumerate(ANCHORS)
            ]
        )
    sparse_evaluation.ReciprocalRankFusionEvaluator(*ranked, **OPTIONS)()


# ---- cross encoders ----


PAIRS = list(zip(ANCHORS, POSITIVES, strict=True))
LISTS = [ANCHORS[:3], [POSITIVES[:3], NEGATIVES[:2], POSITIVES[2:6]]]


@uses.add
def predict(device: torch.device) -> None:
    model = cross_model(device)
    model.predict(PAIRS), model.predict(PAIRS[0]), model.predict(PAIRS, convert_to_tensor=True, batch_size=2)
    model.predict(PAIRS, convert_to_numpy=False, activation_fn=nn.Identity())
    model.rank(ANCHORS[1], POSITIVES, top_k=3, return_documents=True)
    classes = cross_model(device, 3)
    classes.predict(PAIRS, apply_softmax=True).argmax(axis=1)
    model.max_length, model.num_labels, model.get_default_activation_fn()


@uses.add
def cross_save_and_load(device: torch.device) -> None:
    model = cross_model(device)
    with tempfile.TemporaryDirectory() as path:
        model.save_pretrained(path, create_model_card=False)
        CrossEncoder(path, device=str(device), max_length=24).predict(PAIRS)


@uses.add
def generative_reranker(device: torch.device) -> None:
    words = tokenizer()
    yes, no = words.convert_tokens_to_ids(["yes", "no"])
    parts = [Transformer(generator(), transformer_task="text-generation"), LogitScore(yes, no)]
    model = CrossEncoder(modules=parts, device=str(device))
    model.predict(PAIRS), model.rank(ANCHORS[0], POSITIVES)
    step(
        cross_losses.BinaryCrossEntropyLoss(model), list(zip(*PAIRS, strict=True)), torch.tensor(SCORES, device=device)
    )


CROSS_PAIR_LOSSES: dict[str, Callable[[CrossEncoder], nn.Module]] = {
    "BinaryCrossEntropy": lambda model: cross_losses.BinaryCrossEntropyLoss(
        model, pos_weight=torch.tensor(2.0, device=model.device)
    ),
    "MSE": lambda model: cross_losses.MSELoss(model, activation_fn=nn.Sigmoid()),
    "CrossEntropy": cross_losses.CrossEntropyLoss,
}


def cross_pair_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = cross_model(device, 3 if name == "CrossEntropy" else 1)
        labels = torch.tensor(LABELS if name == "CrossEntropy" else SCORES, device=device)
        step(CROSS_PAIR_LOSSES[name](model), [ANCHORS, POSITIVES], labels)

    return use


uses.add_each("cross loss", CROSS_PAIR_LOSSES, cross_pair_use)

LIST_LOSSES: dict[str, Callable[[CrossEncoder], nn.Module]] = {
    "ADRMSE": cross_losses.ADRMSELoss,
    "ListNet": cross_losses.ListNetLoss,
    "ListMLE": lambda model: cross_losses.ListMLELoss(model, respect_input_order=False),
    "PListMLE": lambda model: cross_losses.PListMLELoss(model, mini_batch_size=4),
    "PListMLE with weights": lambda model: cross_losses.PListMLELoss(
        model, cross_losses.PListMLELambdaWeight(lambda mask: mask.float()), respect_input_order=False
    ),
    "RankNet": lambda model: cross_losses.RankNetLoss(model, k=3),
    "Lambda": cross_losses.LambdaLoss,
    "Lambda without weights": lambda model: cross_losses.LambdaLoss(model, cross_losses.NoWeightingScheme()),
    "Lambda NDCG1": lambda model: cross_losses.LambdaLoss(model, cross_losses.NDCGLoss1Scheme(), mini_batch_size=-1),
    "Lambda NDCG2": lambda model: cross_losses.LambdaLoss(model, cross_losses.NDCGLoss2Scheme(), k=2),
    "LambdaRank": lambda model: cross_losses.LambdaLoss(
        model, cross_losses.LambdaRankScheme(), reduction_log="natural"
    ),
}


def list_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = cross_model(device)
        labels = [torch.rand(len(documents), device=device).round(decimals=1) for documents in LISTS[1]]
        loss = LIST_LOSSES[name](model)
        step(loss, LISTS, labels)
        loss.get_config_dict()

    return use


uses.add_each("cross loss", LIST_LOSSES, list_use)


@uses.add
def cross_ranking_losses(device: torch.device) -> None:
    model = cross_model(device)
    columns = [ANCHORS, POSITIVES, NEGATIVES]
    step(cross_losses.MultipleNegativesRankingLoss(model, num_negatives=2), columns, None)
    step(cross_losses.CachedMultipleNegativesRankingLoss(model, num_negatives=3, mini_batch_size=4), columns, None)
    step(cross_losses.MarginMSELoss(model), columns, torch.rand(len(ANCHORS), device=device))
    step(cross_losses.MarginMSELoss(model), columns, torch.rand(len(ANCHORS), 2, device=device))


@uses.add
def cross_collator(device: torch.device) -> None:
    model = cross_model(device)
    rows = [{"query": q, "docs": d, "labels": [1.0] * len(d)} for q, d in zip(*LISTS, strict=True)]
    batch = CrossEncoderDataCollator(model.preprocess)(rows)
    labels = [label.to(device) for label in batch["label"]]
    step(cross_losses.LambdaLoss(model), [batch["query"], batch["docs"]], labels)


@uses.add
def evaluate_cross_encoders(device: torch.device) -> None:
    model, classes = cross_model(device), cross_model(device, 3)
    pairs = [list(pair) for pair in PAIRS]
    cross_evaluation.CrossEncoderClassificationEvaluator(pairs, [1, 0, 1, 1, 0, 0], **OPTIONS)(model)
    cross_evaluation.CrossEncoderClassificationEvaluator(pairs, LABELS, **OPTIONS)(classes)
    cross_evaluation.CrossEncoderCorrelationEvaluator(pairs, SCORES, **OPTIONS)(model)
    cross_evaluation.CrossEncoderRerankingEvaluator(SAMPLES, at_k=3, **OPTIONS)(model)
    ranked = [{"query": a, "positive": [p], "documents": NEGATIVES} for a, p in PAIRS]
    cross_evaluation.CrossEncoderRerankingEvaluator(ranked, always_rerank_positives=False, **OPTIONS)(model)


# ---- multi-vector encoders ----


@uses.add
def multi_vector_encode(device: torch.device) -> None:
    model = multi_model(device)
    queries, documents = model.encode_query(ANCHORS), model.encode_document(POSITIVES)
    model.similarity(queries, documents), model.similarity_pairwise(queries, documents)
    model.encode(ANCHORS[0]), model.encode(ANCHORS, convert_to_numpy=True, normalize_embeddings=True)
    model.similarity_fn_name = "meanmaxsim"
    model.similarity(queries, documents), model.get_embedding_dimension()


@uses.add
def query_expansion(device: torch.device) -> None:
    model = multi_model(device, query_expansion={"strategy": "fixed", "length": 16}, document_length=24)
    queries = model.encode_query(ANCHORS)
    model.similarity(queries, model.encode_document(POSITIVES))
    part = interpretability.real_query_token_slice(model, ANCHORS[0])
    patches = torch.randn(12, 16, device=device)
    interpretability.maxsim_similarity_map(queries[0][part], patches, (4, 3), normalize=True)
    interpretability.maxsim_heatmap(images(1)[0], queries[0][part], patches, (4, 3))


@uses.add
def token_pooling(device: torch.device) -> None:
    model = multi_model(device)
    hierarchical = multi_modules.HierarchicalTokenPooling(pool_factor=2)
    model.encode_document(POSITIVES, token_pooling=hierarchical)
    halves = multi_modules.LambdaTokenPooling(lambda tokens: tokens[::2])
    embeddings = model.encode_document(POSITIVES, token_pooling=halves)
    hierarchical.pool(embeddings), halves.pool(torch.randn(3, 8, 16, device=device))
    model.append(multi_modules.HierarchicalTokenPooling(pool_factor=2).to(device))
    model.encode_document(POSITIVES)


@uses.add
def multi_vector_save_and_load(device: torch.device) -> None:
    model = multi_model(device)
    with tempfile.TemporaryDirectory() as path:
        model.save_pretrained(path, create_model_card=False)
        MultiVectorEncoder(path, device=str(device)).encode_query(ANCHORS)


@uses.add
def multi_vector_ranking_losses(device: torch.device) -> None:
    model = multi_model(device)
    columns = ANCHORS, POSITIVES, NEGATIVES
    step(multi_losses.MultiVectorMultipleNegativesRankingLoss(model), batches(model, *columns), None)
    split = multi_losses.MultiVectorMultipleNegativesRankingLoss(
        model, similarity_fct=scoring.XTRScores(top_k=8), mini_batch_size=4, score_mini_batch_size=3
    )
    step(split, batches(model, *columns), None)
    cached = multi_losses.CachedMultiVectorMultipleNegativesRankingLoss(model, mini_batch_size=2)
    step(cached, batches(model, *columns), None)


@uses.add
def multi_vector_distillation_losses(device: torch.device) -> None:
    model = multi_model(device)
    columns, labels = (ANCHORS, POSITIVES, NEGATIVES), torch.rand(len(ANCHORS), 2, device=device)
    step(multi_losses.MultiVectorDistillKLDivLoss(model, temperature=2.0), batches(model, *columns), labels)
    extended = multi_losses.MultiVectorDistillKLDivLoss(
        model, similarity_fct=scoring.XTRKDScores(top_k=8), mini_batch_size=4
    )
    step(extended, batches(model, *columns), labels)
    step(multi_losses.MultiVectorMarginMSELoss(model), batches(model, *columns), labels)


@uses.add
def late_interaction_scores(device: torch.device) -> None:
    queries, documents = torch.randn(4, 5, 16, device=device), torch.randn(4, 3, 9, 16, device=device)
    query_mask, mask = torch.rand(4, 5, device=device) > 0.2, torch.rand(4, 3, 9, device=device) > 0.2
    for score in (
        scoring.colbert_scores,
        scoring.mean_colbert_scores,
        scoring.colbert_kd_scores,
        scoring.mean_colbert_kd_scores,
        scoring.xtr_scores,
        scoring.xtr_kd_scores,
    ):
        score(queries, documents), score(queries, documents, queries_mask=query_mask, documents_mask=mask)
    for score in (scoring.colbert_scores_pairwise, scoring.mean_colbert_scores_pairwise, scoring.xtr_scores_pairwise):
        score(queries, documents[:, 0], queries_mask=query_mask, documents_mask=mask[:, 0])
    scoring.xtr_scores(queries, documents, top_k=8, chunk_elements=200)
    scoring.colbert_scores(queries, documents, chunk_elements=200)


@uses.add
def maxsim(device: torch.device) -> None:
    queries = [torch.randn(n, 16, device=device) for n in (3, 5, 4)]
    documents = [torch.randn(n, 16, device=device) for n in (6, 9, 7)]
    util.maxsim(queries, documents), util.maxsim_pairwise(queries, documents)
    util.maxsim(queries, documents, chunk_elements=100)
    util.mean_maxsim(queries, documents), util.mean_maxsim_pairwise(queries, documents)


@uses.add
def evaluate_multi_vector_models(device: torch.device) -> None:
    model = multi_model(device)
    multi_evaluation.MultiVectorInformationRetrievalEvaluator(
        QUERIES, CORPUS, RELEVANT, corpus_chunk_size=5, **OPTIONS
    )(model)
    multi_evaluation.MultiVectorRerankingEvaluator(SAMPLES, **OPTIONS)(model)
    multi_evaluation.MultiVectorTripletEvaluator(ANCHORS, POSITIVES, NEGATIVES, **OPTIONS)(model)
    nested = [list(pair) for pair in zip(POSITIVES, NEGATIVES, strict=True)]
    scores = torch.rand(len(ANCHORS), 2).tolist()
    multi_evaluation.MultiVectorDistillationEvaluator(ANCHORS, nested, scores, **OPTIONS)(model)
    multi_evaluation.MultiVectorDistillationEvaluator(ANCHORS, POSITIVES, SCORES, **OPTIONS)(model)


# ---- search and similarity ----


def function_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        first, second = embeddings_on(device), embeddings_on(device)
        getattr(util, name)(first, second)
        if name != "pairwise_angle_sim":
            getattr(util, name)(first.relu().to_sparse(), second.relu().to_sparse())

    return use


uses.add_each(
    "function",
    (
        "cos_sim",
        "dot_score",
        "euclidean_sim",
        "manhattan_sim",
        "pairwise_cos_sim",
        "pairwise_dot_score",
        "pairwise_euclidean_sim",
        "pairwise_manhattan_sim",
        "pairwise_angle_sim",
    ),
    function_use,
)


@uses.add
def similarity_of_lists_and_arrays(device: torch.device) -> None:
    embeddings = embeddings_on(device)
    util.cos_sim(embeddings.tolist(), embeddings.tolist()), util.dot_score(embeddings[0], embeddings)
    array = embeddings.cpu().numpy()
    util.cos_sim(array, array), util.pairwise_dot_score(array, array), util.pytorch_cos_sim(array[0], array)


@uses.add
def similarity_functions(device: torch.device) -> None:
    first, second = embeddings_on(device), embeddings_on(device)
    for name in SimilarityFunction.possible_values():
        if "maxsim" not in name:
            SimilarityFunction.to_similarity_fn(name)(first, second)
            SimilarityFunction.to_similarity_pairwise_fn(name)(first, second)


@uses.add
def semantic_search(device: torch.device) -> None:
    corpus, queries = embeddings_on(device, 200), embeddings_on(device, 7)
    util.semantic_search(queries, corpus, query_chunk_size=3, corpus_chunk_size=50, top_k=5)
    normalized = util.normalize_embeddings(corpus)
    util.semantic_search(queries[0], normalized, score_function=util.dot_score)
    sparse = corpus.relu().to_sparse()
    util.semantic_search(queries.relu().to_sparse(), sparse, top_k=3, score_function=util.dot_score)


@uses.add
def paraphrases(device: torch.device) -> None:
    util.paraphrase_mining(dense_model(device), ANCHORS + POSITIVES, top_k=3, query_chunk_size=5, corpus_chunk_size=5)
    util.paraphrase_mining_embeddings(embeddings_on(device), top_k=5, max_pairs=20)


@uses.add
def communities(device: torch.device) -> None:
    centers = embeddings_on(device, 4).repeat_interleave(15, dim=0)
    embeddings = centers + 0.1 * torch.randn_like(centers)
    util.community_detection(embeddings, threshold=0.8, min_community_size=5)
    util.community_detection(embeddings, threshold=0.8, min_community_size=5, batch_size=16)


@uses.add
def embedding_utilities(device: torch.device) -> None:
    embeddings = embeddings_on(device)
    util.truncate_embeddings(embeddings, 8), util.normalize_embeddings(embeddings)
    util.select_max_active_dims(embeddings, 4)
    util.batch_to_device({"x": embeddings.cpu(), "y": "text"}, device)
    util.compute_count_vector(embeddings.relu().to_sparse())
    util.to_scipy_coo(embeddings.relu().to_sparse())


@uses.add
def quantization(device: torch.device) -> None:
    embeddings = embeddings_on(device, 120)
    for precision in ("int8", "uint8", "binary", "ubinary"):
        quantize_embeddings(embeddings, precision=precision)
    calibration = embeddings_on(device, 200).cpu().numpy()
    quantize_embeddings(embeddings.cpu().numpy(), precision="int8", calibration_embeddings=calibration)
    quantize_embeddings(list(embeddings), precision="uint8")


if __name__ == "__main__":
    uses.main()
