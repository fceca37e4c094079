"""Attribution, concepts, influence, robustness, metrics, stochastic gates and drawings of captum."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import torch
from captum import attr, concept, influence, metrics, module, robust
from captum._utils.models import linear_model
from captum.attr import visualization
from captum.attr._core.lime import get_exp_kernel_similarity_function
from captum.influence._core.arnoldi_influence_function import ArnoldiInfluenceFunction
from captum.influence._utils.nearest_neighbors import NearestNeighbors
from captum.robust import FGSM, PGD, AttackComparator, MinParamPerturbation
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from uses import Use, Uses

mpl.use("Agg")
FEATURES, CLASSES, BATCH = 6, 3, 4
Attribute = Callable[[torch.device], object]
uses = Uses()


class Table(nn.Module):
    """A classifier of rows."""

    def __init__(self) -> None:
        super().__init__()
        self.linear1 = nn.Linear(FEATURES, 8)
        self.relu = nn.ReLU()
        self.linear2 = nn.Linear(8, CLASSES)

    def forward(self, x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        return self.linear2(self.relu(self.linear1(x))) * scale


class Picture(nn.Module):
    """A convolutional classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, padding=1)
        self.relu1 = nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(4, 4, 3, padding=1)
        self.relu2 = nn.ReLU()
        self.pool2 = nn.AdaptiveAvgPool2d(2)
        self.fc = nn.Linear(16, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool1(self.relu1(self.conv1(x)))
        x = self.pool2(self.relu2(self.conv2(x)))
        return self.fc(torch.flatten(x, 1))


class Pair(nn.Module):
    """A classifier with two inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(FEATURES, 4)
        self.second = nn.Linear(3, 4)
        self.relu = nn.ReLU()
        self.out = nn.Linear(4, CLASSES)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.out(self.relu(self.first(x) + self.second(y)))


class Text(nn.Module):
    """A classifier of token indices."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 5)
        self.fc = nn.Linear(5, CLASSES)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.tanh(self.embedding(tokens)).mean(1))


def table(device: torch.device) -> Table:
    return Table().to(device).eval()


def picture(device: torch.device) -> Picture:
    return Picture().to(device).eval()


def rows(device: torch.device, count: int = BATCH) -> torch.Tensor:
    return torch.randn(count, FEATURES, device=device)


def images(device: torch.device, count: int = 2) -> torch.Tensor:
    return torch.rand(count, 3, 12, 12, device=device)


def tokens(device: torch.device) -> torch.Tensor:
    return torch.randint(1, 20, (BATCH, 7), device=device)


def labels(device: torch.device, count: int = BATCH) -> torch.Tensor:
    return torch.arange(count, device=device) % CLASSES


# Attribution to inputs

GRADIENT = {
    "Saliency": ({}, {"abs": False}),
    "InputXGradient": ({}, {}),
    "IntegratedGradients": ({}, {"n_steps": 10, "return_convergence_delta": True}),
    "IntegratedGradients batched": ({"multiply_by_inputs": False}, {"n_steps": 8, "internal_batch_size": 4}),
    "IntegratedGradients riemann": ({}, {"n_steps": 8, "method": "riemann_trapezoid"}),
    "DeepLift": ({}, {"return_convergence_delta": True}),
    "DeepLift plain": ({"multiply_by_inputs": False}, {}),
    "GuidedBackprop": ({}, {}),
    "Deconvolution": ({}, {}),
    "LRP": ({}, {"return_convergence_delta": True}),
}


def gradient_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, called = GRADIENT[name]
        for model, inputs in ((table(device), rows(device)), (picture(device), images(device))):
            method = getattr(attr, name.split()[0])(model, **made)
            target = labels(device, len(inputs))
            method.attribute(inputs.requires_grad_(), target=target, **called)

    return use


uses.add_each("gradient", GRADIENT, gradient_use)


@uses.add
def gradient_shap(device: torch.device) -> None:
    model, inputs, baselines = table(device), rows(device), rows(device, 5)
    one = attr.GradientShap(model)
    one.attribute(inputs, baselines, n_samples=3, stdevs=0.1, target=1, return_convergence_delta=True)
    deep = attr.DeepLiftShap(model)
    deep.attribute(inputs, baselines, target=labels(device), return_convergence_delta=True)
    deep.attribute(inputs, lambda: rows(device, 3), target=0)


@uses.add
def guided_grad_cam(device: torch.device) -> None:
    model = picture(device)
    attr.GuidedGradCam(model, model.conv2).attribute(images(device), target=1, interpolate_mode="bilinear")


@uses.add
def two_inputs(device: torch.device) -> None:
    model = Pair().to(device)
    inputs = (rows(device), torch.randn(BATCH, 3, device=device))
    baselines = (torch.zeros(BATCH, FEATURES, device=device), 0.0)
    attr.IntegratedGradients(model).attribute(inputs, baselines=baselines, target=1, n_steps=6)
    attr.DeepLift(model).attribute(inputs, target=labels(device))
    attr.FeatureAblation(model).attribute(inputs, target=1)
    attr.ShapleyValueSampling(model).attribute(inputs, target=1, n_samples=2)
    attr.NoiseTunnel(attr.Saliency(model)).attribute(inputs, nt_samples=2, stdevs=(0.1, 0.2), target=1)
    attr.KernelShap(model).attribute(inputs, target=labels(device), n_samples=10)


@uses.add
def extra_arguments(device: torch.device) -> None:
    model = table(device)
    for method in (attr.Saliency(model), attr.IntegratedGradients(model), attr.FeatureAblation(model)):
        method.attribute(rows(device), target=[0, 1, 2, 0], additional_forward_args=2.0)


@uses.add
def convergence(device: torch.device) -> None:
    one, inputs = attr.IntegratedGradients(table(device)), rows(device)
    found = one.attribute(inputs, target=0, n_steps=10)
    one.compute_convergence_delta(found, torch.zeros_like(inputs), inputs, target=0)
    one.has_convergence_delta(), one.get_name()


TUNNELS = ("smoothgrad", "smoothgrad_sq", "vargrad")


def tunnel_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        tunnel = attr.NoiseTunnel(attr.IntegratedGradients(table(device)))
        more = {"nt_samples_batch_size": 2, "return_convergence_delta": name == "smoothgrad"}
        tunnel.attribute(rows(device), nt_type=name, nt_samples=4, stdevs=0.2, target=1, n_steps=4, **more)
        baselines = rows(device, 5)
        tunnel.attribute(
            rows(device), name, nt_samples=2, target=1, n_steps=4, baselines=baselines, draw_baseline_from_distrib=True
        )

    return use


uses.add_each("noise tunnel", TUNNELS, tunnel_use)


# Perturbation

PERTURBATION = {
    "FeatureAblation": {"perturbations_per_eval": 3, "baselines": 0.5},
    "FeaturePermutation": {"perturbations_per_eval": 2},
    "ShapleyValueSampling": {"n_samples": 3, "perturbations_per_eval": 4},
    "ShapleyValues": {"perturbations_per_eval": 8},
    "Lime": {"n_samples": 12, "perturbations_per_eval": 4},
    "KernelShap": {"n_samples": 12, "perturbations_per_eval": 4, "baselines": 0.1},
}


def perturbation_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model, inputs = table(device), rows(device)
        mask = torch.tensor([[0, 0, 1, 1, 2, 2]], device=device)
        method = getattr(attr, name)(model)
        method.attribute(inputs, target=labels(device), feature_mask=mask, **PERTURBATION[name])
        if name != "FeaturePermutation":
            method.attribute(inputs[:1], target=1, **{**PERTURBATION[name], "perturbations_per_eval": 1})
        total = getattr(attr, name)(lambda x: model(x).sum())
        if name in ("FeatureAblation", "ShapleyValueSampling"):
            total.attribute(inputs)

    return use


uses.add_each("perturbation", PERTURBATION, perturbation_use)


@uses.add
def occlusion(device: torch.device) -> None:
    one = attr.Occlusion(picture(device))
    one.attribute(images(device), (3, 4, 4), strides=(3, 4, 4), target=1, baselines=0, perturbations_per_eval=4)
    attr.Occlusion(table(device)).attribute(rows(device), (2,), strides=2, target=labels(device))


@uses.add
def segments(device: torch.device) -> None:
    model, inputs = picture(device), images(device)
    mask = torch.arange(9, device=device).reshape(3, 3).repeat_interleave(4, 0).repeat_interleave(4, 1)[None, None]
    attr.FeatureAblation(model).attribute(inputs, target=1, feature_mask=mask, perturbations_per_eval=3)
    attr.Lime(model).attribute(inputs, target=1, feature_mask=mask, n_samples=10, return_input_shape=False)
    attr.KernelShap(model).attribute(inputs, target=1, feature_mask=mask, n_samples=10)


@uses.add
def lime_parts(device: torch.device) -> None:
    model = table(device)
    similar = get_exp_kernel_similarity_function("euclidean", kernel_width=2.0)
    one = attr.Lime(model, interpretable_model=linear_model.SkLearnRidge(alpha=0.1), similarity_func=similar)
    one.attribute(rows(device, 1), target=1, n_samples=12)
    plain = attr.LimeBase(
        model,
        interpretable_model=linear_model.SkLearnLasso(alpha=0.01),
        similarity_func=lambda x, y, z, **kwargs: torch.exp(-(x - y).pow(2).sum()),
        perturb_func=lambda x, **kwargs: x + 0.1 * torch.randn_like(x),
        perturb_interpretable_space=False,
        from_interp_rep_transform=None,
        to_interp_rep_transform=lambda sample, original, **kwargs: sample,
    )
    plain.attribute(rows(device, 1), target=1, n_samples=8)


@uses.add
def whole_loader(device: torch.device) -> None:
    model = table(device)
    cpu = torch.device("cpu")
    loader = DataLoader(TensorDataset(rows(cpu, 8), labels(cpu, 8)), batch_size=4)

    def forward(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(model(x.to(device)), y.to(device), reduction="none")

    one = attr.DataLoaderAttribution(attr.FeatureAblation(forward))
    one.attribute(loader, input_roles=(0, 1), perturbations_per_pass=2)
    one.attribute(
        loader,
        input_roles=(0, 1),
        reduce=lambda total, now, _: now if total is None else torch.cat([total, now]),
        to_metric=lambda out: out.mean().reshape(1),
        return_input_shape=False,
    )


@uses.add
def progress(device: torch.device) -> None:
    model, inputs = table(device), rows(device)
    attr.FeatureAblation(model).attribute(inputs, target=1, show_progress=True)
    attr.ShapleyValueSampling(model).attribute(inputs, target=1, n_samples=2, show_progress=True)
    attr.Occlusion(model).attribute(inputs, (2,), target=1, show_progress=True)


@uses.add
def training_influence_of_features(device: torch.device) -> None:
    model = table(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(rows(device)), labels(device))
        loss.backward()
        optimizer.step()
    found = attr.IntegratedGradients(model).attribute(rows(device), target=1, n_steps=8)
    found.mean(0).cpu().numpy()


# Attribution to layers and neurons

LAYERS = {
    "LayerActivation": {},
    "LayerConductance": {"n_steps": 6, "return_convergence_delta": True},
    "InternalInfluence": {"n_steps": 6},
    "LayerGradientXActivation": {},
    "LayerGradCam": {},
    "LayerDeepLift": {"return_convergence_delta": True},
    "LayerIntegratedGradients": {"n_steps": 6, "return_convergence_delta": True},
    "LayerLRP": {"return_convergence_delta": True},
    "LayerFeatureAblation": {"perturbations_per_eval": 2},
}


def layer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = getattr(attr, name)
        target = {} if name == "LayerActivation" else {"target": 1}
        model = table(device)
        made(model, model.linear1).attribute(rows(device), **target, **LAYERS[name])
        other = picture(device)
        inputs = images(device)
        if name != "LayerFeatureAblation":
            made(other, other.conv2).attribute(inputs, **target, **LAYERS[name], attribute_to_layer_input=True)
        if name == "LayerGradCam":
            found = made(other, other.conv1).attribute(inputs, relu_attributions=True, target=labels(device, 2))
            attr.LayerAttribution.interpolate(found, (12, 12), interpolate_mode="bilinear")

    return use


uses.add_each("layer", LAYERS, layer_use)


@uses.add
def layer_lists(device: torch.device) -> None:
    model = picture(device)
    chosen = [model.conv1, model.conv2]
    attr.LayerActivation(model, chosen).attribute(images(device))
    attr.LayerGradientXActivation(model, chosen, multiply_by_inputs=False).attribute(images(device), target=0)
    attr.LayerLRP(model, chosen).attribute(images(device), target=0)
    pair = Pair().to(device)
    inputs = (rows(device), torch.randn(BATCH, 3, device=device))
    attr.LayerIntegratedGradients(pair, [pair.first, pair.second]).attribute(inputs, target=0, n_steps=4)


@uses.add
def layer_permutation(device: torch.device) -> None:
    model = table(device)
    attr.LayerFeaturePermutation(lambda x: model(x)[:, 1], model.linear1).attribute(rows(device))


@uses.add
def layer_shap(device: torch.device) -> None:
    model, baselines = table(device), rows(device, 5)
    one = attr.LayerGradientShap(model, model.linear1)
    one.attribute(rows(device), baselines, n_samples=3, stdevs=0.1, target=1, return_convergence_delta=True)
    deep = attr.LayerDeepLiftShap(model, model.relu)
    deep.attribute(rows(device), baselines, target=1, return_convergence_delta=True)


@uses.add
def layer_loader(device: torch.device) -> None:
    model = table(device)
    one = attr.LayerConductance(model, model.relu)
    for (batch,) in DataLoader(TensorDataset(torch.randn(8, FEATURES)), batch_size=4):
        one.attribute(batch.to(device), target=1, n_steps=6, internal_batch_size=8)


NEURONS = {
    "NeuronGradient": {},
    "NeuronIntegratedGradients": {"n_steps": 6},
    "NeuronConductance": {"n_steps": 6, "target": 1},
    "NeuronDeepLift": {},
    "NeuronDeconvolution": {},
    "NeuronGuidedBackprop": {},
    "NeuronFeatureAblation": {"perturbations_per_eval": 2},
}


def neuron_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = table(device)
        made = getattr(attr, name)
        made(model, model.relu).attribute(rows(device), neuron_selector=2, **NEURONS[name])
        other = picture(device)
        made(other, other.conv2).attribute(images(device), neuron_selector=(1, 2, 3), **NEURONS[name])
        if name != "NeuronConductance":
            made(model, model.linear1).attribute(rows(device), lambda x: x[:, :3].sum(1), **NEURONS[name])

    return use


uses.add_each("neuron", NEURONS, neuron_use)


@uses.add
def neuron_shap(device: torch.device) -> None:
    model, baselines = table(device), rows(device, 5)
    attr.NeuronGradientShap(model, model.linear1).attribute(rows(device), 1, baselines, n_samples=3, stdevs=0.1)
    attr.NeuronDeepLiftShap(model, model.relu).attribute(rows(device), 1, baselines)


# Text and language models


@uses.add
def embeddings(device: torch.device) -> None:
    model, inputs = Text().to(device), tokens(device)
    reference = attr.TokenReferenceBase(reference_token_idx=0).generate_reference(7, device=device).unsqueeze(0)
    one = attr.LayerIntegratedGradients(model, model.embedding)
    found, _ = one.attribute(inputs, reference, target=1, n_steps=8, return_convergence_delta=True)
    found.sum(-1)
    attr.LayerGradientXActivation(model, model.embedding).attribute(inputs, target=1)
    attr.LayerActivation(model, model.embedding).attribute(inputs)


@uses.add
def interpretable_embeddings(device: torch.device) -> None:
    model, inputs = Text().to(device), tokens(device)
    layer = attr.configure_interpretable_embedding_layer(model, "embedding")
    embedded = layer.indices_to_embeddings(inputs)
    attr.IntegratedGradients(model).attribute(embedded, target=1, n_steps=6)
    attr.DeepLift(model).attribute(embedded, target=1)
    attr.remove_interpretable_embedding_layer(model, layer)


class Tokenizer:
    """Splits text at spaces."""

    sep_token = "</s>"

    def __init__(self) -> None:
        self.words = ["<pad>", "<s>", "</s>", "the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "tree"]
        self.words += ["big", "small", "old", ".", "and"]

    def encode(self, text: str, add_special_tokens: bool = True, return_tensors: str | None = None) -> object:
        found = [self.words.index(word) if word in self.words else 0 for word in text.split()]
        found = [1, *found] if add_special_tokens else found
        return torch.tensor([found]) if return_tensors else found

    def decode(self, token_ids: object) -> str:
        return " ".join(self.convert_ids_to_tokens(token_ids))

    def convert_ids_to_tokens(self, token_ids: object) -> object:
        if isinstance(token_ids, int):
            return self.words[token_ids]
        return [self.words[int(one)] for one in token_ids]

    def convert_tokens_to_ids(self, words: object) -> object:
        return self.words.index(words) if isinstance(words, str) else [self.words.index(word) for word in words]

    def __call__(self, text: str, add_special_tokens: bool = True, **_: object) -> dict[str, object]:
        spans, place = [], 0
        for word in text.split():
            start = text.index(word, place)
            place = start + len(word)
            spans.append((start, place))
        ids = self.encode(text, add_special_tokens)
        return {"input_ids": ids, "offset_mapping": [(0, 0), *spans] if add_special_tokens else spans}


class Language(nn.Module):
    """A recurrent language model."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(18, 8)
        self.rnn = nn.GRU(8, 8, batch_first=True)
        self.head = nn.Linear(8, 18)

    @property
    def device(self) -> torch.device:
        return self.head.weight.device

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None, **_: object) -> object:
        return SimpleNamespace(logits=self.head(self.rnn(self.embed(input_ids))[0]))

    def generate(self, input_ids: torch.Tensor, max_new_tokens: int = 3, **_: object) -> torch.Tensor:
        for _ in range(max_new_tokens):
            chosen = self(input_ids).logits[:, -1].argmax(-1, keepdim=True)
            input_ids = torch.cat([input_ids, chosen], 1)
        return input_ids


TEMPLATE = "the {} cat sat {} the mat"
LANGUAGE = {
    "FeatureAblation": {},
    "ShapleyValueSampling": {"n_samples": 2},
    "ShapleyValues": {},
    "Lime": {"n_samples": 8},
    "KernelShap": {"n_samples": 8},
}


def language_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model, tokenizer = Language().to(device).eval(), Tokenizer()
        one = attr.LLMAttribution(getattr(attr, name)(model), tokenizer)
        words = attr.TextTemplateInput(TEMPLATE, values=["big", "on"], baselines=["small", "under"])
        found = one.attribute(words, target="mat .", use_cached_outputs=False, **LANGUAGE[name])
        if found.token_attr is not None:
            found.plot_token_attr(show=False)
        _ = found.seq_attr_dict
        plt.close("all")
        if name != "ShapleyValues":
            text = attr.TextTokenInput("the big cat sat", tokenizer, skip_tokens=[1])
            one.attribute(text, target="on the", use_cached_outputs=False, **LANGUAGE[name]).plot_seq_attr(show=False)

    return use


uses.add_each("language model", LANGUAGE, language_use)


@uses.add
def language_model_generation(device: torch.device) -> None:
    model, tokenizer = Language().to(device).eval(), Tokenizer()
    one = attr.LLMAttribution(attr.FeatureAblation(model), tokenizer, attr_target="prob")
    named = attr.TextTemplateInput(
        "the {size} cat sat {place} the mat", values={"size": "big", "place": "on"}, mask={"size": 0, "place": 1}
    )
    one.attribute(named, gen_args={"max_new_tokens": 2}, use_cached_outputs=False, num_trials=2)
    products = attr.ProductBaselines({"size": ["small", "old"], ("place",): [("under",), ("on",)]})
    products()


@uses.add
def language_model_gradients(device: torch.device) -> None:
    model, tokenizer = Language().to(device), Tokenizer()
    for layer in (attr.LayerIntegratedGradients(model, model.embed), attr.LayerGradientXActivation(model, model.embed)):
        one = attr.LLMGradientAttribution(layer, tokenizer)
        text = attr.TextTokenInput("the big cat sat", tokenizer, skip_tokens=[1])
        more = {"n_steps": 4} if isinstance(layer, attr.LayerIntegratedGradients) else {}
        one.attribute(text, target="on the", **more).plot_token_attr(show=False)
        plt.close("all")


@uses.add
def masked_picture(device: torch.device) -> None:
    model = picture(device)
    image = Image.fromarray(np.random.default_rng(0).integers(0, 255, (12, 12, 3), dtype=np.uint8))
    mask = torch.arange(4).reshape(2, 2).repeat_interleave(6, 0).repeat_interleave(6, 1)

    def processed(picture: Image.Image) -> torch.Tensor:
        return torch.from_numpy(np.array(picture)).permute(2, 0, 1)[None].float().to(device) / 255

    one = attr.ImageMaskInput(image, mask=mask, processor_fn=processed)

    def forward(chosen: torch.Tensor) -> torch.Tensor:
        return torch.cat([model(one.to_model_input(row[None])) for row in chosen])

    found = attr.FeatureAblation(forward).attribute(one.to_tensor().to(device), target=1)
    one.format_attr(found)
    one.format_pixel_attr(found)
    one.plot_mask_overlay(show=False, border_width=1)
    plt.close("all")


# Concepts


def concept_of(index: int, device: torch.device) -> concept.Concept:
    data = (torch.randn(12, FEATURES) + index).to(device)
    return concept.Concept(index, f"concept{index}", DataLoader(data, batch_size=4))


@uses.add
def concept_scores(device: torch.device) -> None:
    model = table(device)
    with tempfile.TemporaryDirectory() as folder:
        one = concept.TCAV(model, ["linear1", "relu"], model_id="table", save_path=folder)
        first, second, third = (concept_of(i, device) for i in range(3))
        sets = [[first, second], [first, third]]
        one.interpret(rows(device), experimental_sets=sets, target=1)
        vectors = one.compute_cavs(sets)
        next(iter(next(iter(vectors.values())).values()))
        one.load_cavs(sets[0])


@uses.add
def concept_scores_with_gradients(device: torch.device) -> None:
    model = table(device)
    method = attr.LayerIntegratedGradients(model, None, multiply_by_inputs=False)
    with tempfile.TemporaryDirectory() as folder:
        one = concept.TCAV(model, "linear1", model_id="table", layer_attr_method=method, save_path=folder)
        sets = [[concept_of(0, device), concept_of(1, device)]]
        one.interpret(rows(device), experimental_sets=sets, target=1, n_steps=4)


@uses.add
def concept_classifier(device: torch.device) -> None:
    data = TensorDataset(torch.randn(16, FEATURES), torch.arange(16) % 2)
    batches = [(x.to(device), y.to(device)) for x, y in DataLoader(data, batch_size=4)]
    classifier = concept.DefaultClassifier()
    classifier.train_and_eval(batches)
    classifier.weights(), classifier.classes()


# Influence


def influence_parts(device: torch.device, folder: str) -> tuple[Table, TensorDataset, list[str]]:
    model = table(device)
    paths = []
    for step in range(2):
        path = str(Path(folder) / f"checkpoint{step}.pt")
        torch.save(Table().state_dict(), path)
        paths.append(path)
    return model, TensorDataset(rows(device, 10), labels(device, 10)), paths


class Neighbors(NearestNeighbors):
    """Finds the vectors with the largest inner products, by comparing all."""

    def setup(self, data: torch.Tensor) -> None:
        self.data = data

    def get_nearest_neighbors(self, query: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
        found = (query @ self.data.T).topk(k, dim=1)
        return found.indices, found.values


def influence_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        with tempfile.TemporaryDirectory() as folder:
            model, data, paths = influence_parts(device, folder)
            one = INFLUENCES[name](model, data, paths)
            test = (rows(device), labels(device))
            one.influence(test, k=2)
            one.influence(test, k=2, proponents=False)
            if "RandProj" not in name:
                one.influence(test)
                one.self_influence()
            if hasattr(one, "compute_intermediate_quantities"):
                one.compute_intermediate_quantities(test)

    return use


INFLUENCES = {
    "TracInCP": lambda model, data, paths: influence.TracInCP(
        model, data, paths, loss_fn=nn.CrossEntropyLoss(reduction="sum"), batch_size=4, sample_wise_grads_per_batch=True
    ),
    "TracInCP layers": lambda model, data, paths: influence.TracInCP(
        model, data, paths, layers=["linear2"], loss_fn=nn.CrossEntropyLoss(reduction="none"), batch_size=4
    ),
    "TracInCPFast": lambda model, data, paths: influence.TracInCPFast(
        model, model.linear2, data, paths, loss_fn=nn.CrossEntropyLoss(reduction="sum"), batch_size=4
    ),
    "TracInCPFast vectorized": lambda model, data, paths: influence.TracInCPFast(
        model, "linear2", data, paths, loss_fn=nn.CrossEntropyLoss(reduction="mean"), batch_size=5, vectorize=True
    ),
    "NaiveInfluenceFunction": lambda model, data, paths: influence.NaiveInfluenceFunction(
        model, data, paths[0], loss_fn=nn.CrossEntropyLoss(reduction="none"), batch_size=5, projection_dim=4
    ),
    "NaiveInfluenceFunction layers": lambda model, data, paths: influence.NaiveInfluenceFunction(
        model,
        data,
        paths[0],
        layers=["linear2"],
        loss_fn=nn.CrossEntropyLoss(reduction="sum"),
        batch_size=5,
        sample_wise_grads_per_batch=True,
    ),
    "ArnoldiInfluenceFunction": lambda model, data, paths: ArnoldiInfluenceFunction(
        model,
        data,
        paths[0],
        loss_fn=nn.CrossEntropyLoss(reduction="none"),
        batch_size=5,
        projection_dim=3,
        arnoldi_dim=6,
    ),
}
INFLUENCES["TracInCPFastRandProj"] = lambda model, data, paths: influence.TracInCPFastRandProj(
    model,
    model.linear2,
    data,
    paths,
    loss_fn=nn.CrossEntropyLoss(reduction="sum"),
    batch_size=5,
    nearest_neighbors=Neighbors(),
    projection_dim=6,
)
uses.add_each("influence", INFLUENCES, influence_use)


@uses.add
def similarity(device: torch.device) -> None:
    model = table(device)
    data = rows(device, 10)
    for metric, way in ((None, "max"), (euclidean, "min")):
        with tempfile.TemporaryDirectory() as folder:
            more = {} if metric is None else {"similarity_metric": metric}
            one = influence.SimilarityInfluence(
                model, ["linear1", "relu"], data, folder, "table", similarity_direction=way, batch_size=5, **more
            )
            one.influence(rows(device, 2), top_k=3)


def euclidean(test: torch.Tensor, train: torch.Tensor) -> torch.Tensor:
    return torch.cdist(test.flatten(1), train.flatten(1))


# Robustness and metrics


@uses.add
def attacks(device: torch.device) -> None:
    model, inputs, target = picture(device), images(device), labels(device, 2)
    FGSM(model, lower_bound=0, upper_bound=1).perturb(inputs, epsilon=0.1, target=target)
    loss = nn.CrossEntropyLoss(reduction="none")
    FGSM(model, loss_func=loss).perturb(inputs, epsilon=0.1, target=target, targeted=True)
    pgd = PGD(model, lower_bound=0, upper_bound=1)
    pgd.perturb(inputs, radius=0.1, step_size=0.02, step_num=3, target=target, random_start=True)
    mask = torch.ones_like(inputs)
    mask[..., :4] = 0
    pgd.perturb(inputs, 0.5, 0.1, 2, target, norm="L2", mask=mask)


@uses.add
def smallest_attack(device: torch.device) -> None:
    model = picture(device)
    fgsm = FGSM(model, lower_bound=0, upper_bound=1)
    for mode in ("linear", "binary"):
        one = MinParamPerturbation(
            model,
            fgsm,
            arg_name="epsilon",
            arg_min=0.0,
            arg_max=1.0,
            arg_step=0.1,
            mode=mode,
            apply_before_preproc=True,
        )
        inputs = images(device, 1)
        target = model(inputs).argmax(1)
        one.evaluate(inputs, target=int(target), perturbations_per_eval=2, attack_kwargs={"target": int(target)})


@uses.add
def compared_attacks(device: torch.device) -> None:
    model = picture(device)

    def accuracy(out: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return (out.argmax(1) == target).float()

    one = AttackComparator(model, metric=accuracy)
    one.add_attack(FGSM(model), "fgsm", attack_kwargs={"epsilon": 0.1}, additional_attack_arg_names=["target"])
    one.add_attack(lambda x: x + 0.1 * torch.randn_like(x), "noise", num_attempts=2)
    for _ in range(2):
        one.evaluate(images(device), target=labels(device, 2), perturbations_per_eval=2)
    one.summary()
    one.reset()
    robust.Perturbation()


@uses.add
def infidelity(device: torch.device) -> None:
    model, inputs = table(device), rows(device)
    found = attr.Saliency(model).attribute(inputs, target=1, abs=False)

    def perturbed(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        noise = 0.1 * torch.randn_like(x)
        return noise, x - noise

    metrics.infidelity(model, perturbed, inputs, found, target=1, n_perturb_samples=4, normalize=True)

    @metrics.infidelity_perturb_func_decorator(multiply_by_inputs=False)
    def decorated(x: torch.Tensor) -> torch.Tensor:
        return x - 0.1 * torch.randn_like(x)

    metrics.infidelity(model, decorated, inputs, found, target=1, n_perturb_samples=4, max_examples_per_batch=8)


@uses.add
def sensitivity(device: torch.device) -> None:
    one = attr.Saliency(table(device))
    metrics.sensitivity_max(one.attribute, rows(device), target=1, n_perturb_samples=4)
    metrics.sensitivity_max(one.attribute, rows(device), target=labels(device), norm_ord=2, max_examples_per_batch=8)


# Gates, linear models, summaries and drawings


def gates_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = getattr(module, name)
        mask = torch.tensor([0, 0, 1, 1, 2, 2])
        for gates, inputs in ((made(FEATURES), rows(device)), (made(3, mask=mask, reg_reduction="mean"), rows(device))):
            gates.to(device).train()
            gated, penalty = gates(inputs)
            (gated.sum() + penalty).backward()
            gates.eval()
            gates(inputs)
            gates.get_gate_values(), gates.get_gate_values(clamp=False), gates.get_gate_active_probs()

    return use


uses.add_each("gates", ("BinaryConcreteStochasticGates", "GaussianStochasticGates"), gates_use)

LINEAR = {
    "SGDLasso": {"alpha": 0.1},
    "SGDRidge": {"alpha": 0.1},
    "SGDLinearRegression": {},
    "SkLearnLasso": {"alpha": 0.1},
    "SkLearnRidge": {"alpha": 0.1},
    "SkLearnLinearRegression": {},
}


def linear_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        x = torch.randn(12, FEATURES)
        data = TensorDataset(x, x.sum(1), torch.ones(12))
        if "SGD" in name:
            model = getattr(linear_model, name)()
            model.fit(DataLoader(data, batch_size=4), **LINEAR[name], max_epoch=2, initial_lr=0.01, device=device)
        else:
            model = getattr(linear_model, name)(**LINEAR[name])
            model.fit(DataLoader(data, batch_size=4))
        model.to(device)(x.to(device))
        model.representation(), model.bias()

    return use


uses.add_each("linear model", LINEAR, linear_use)


@uses.add
def summaries(device: torch.device) -> None:
    stats = [attr.Mean(), attr.StdDev(), attr.MSE(), attr.Var(), attr.Min(), attr.Max(), attr.Sum(), attr.Count()]
    one = attr.Summarizer(stats)
    for _ in range(3):
        one.update(rows(device))
    _ = one.summary
    pair = attr.Summarizer(attr.CommonStats())
    pair.update((rows(device), rows(device)))
    _ = pair.summary
    by_class = attr.ClassSummarizer(attr.CommonStats())
    by_class.update(rows(device), labels(device).tolist())
    by_class.update(rows(device), labels(device).tolist())
    _ = by_class.class_summaries


@uses.add
def drawn_images(device: torch.device) -> None:
    model, inputs = picture(device), images(device)
    found = attr.Saliency(model).attribute(inputs, target=1, abs=False)[0].permute(1, 2, 0).cpu().numpy()
    original = inputs[0].permute(1, 2, 0).detach().cpu().numpy()
    for method in ("heat_map", "blended_heat_map", "masked_image", "alpha_scaling"):
        sign = "positive" if method in ("masked_image", "alpha_scaling") else "all"
        visualization.visualize_image_attr(found, original, method, sign, show_colorbar=True, use_pyplot=False)
    visualization.visualize_image_attr_multiple(
        found, original, ["original_image", "heat_map"], ["all", "absolute_value"], use_pyplot=False
    )


@uses.add
def drawn_text(device: torch.device) -> None:
    model, inputs = Text().to(device), tokens(device)
    one = attr.LayerIntegratedGradients(model, model.embedding)
    found, delta = one.attribute(inputs, torch.zeros_like(inputs), target=1, n_steps=4, return_convergence_delta=True)
    scores = found.sum(-1)[0]
    scores = scores / scores.norm()
    probability = model(inputs).softmax(1)[0].max().item()
    record = visualization.VisualizationDataRecord(
        scores, probability, 1, 1, 1, scores.sum(), [f"word{i}" for i in range(7)], delta[0]
    )
    visualization.format_word_importances(record.raw_input_ids, record.word_attributions)
    visualization.format_classname(record.pred_class)


if __name__ == "__main__":
    uses.main()
