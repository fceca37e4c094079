"""Distributions, mixtures, classifiers, k-means, Markov chains and models, and networks of pomegranate."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from pomegranate.bayes_classifier import BayesClassifier
from pomegranate.bayesian_network import BayesianNetwork, _learn_structure
from pomegranate.distributions import (
    Bernoulli,
    Categorical,
    ConditionalCategorical,
    DiracDelta,
    Exponential,
    Gamma,
    HalfNormal,
    IndependentComponents,
    JointCategorical,
    LogNormal,
    Normal,
    Poisson,
    StudentT,
    Uniform,
    ZeroInflated,
)
from pomegranate.distributions._distribution import Distribution
from pomegranate.factor_graph import FactorGraph
from pomegranate.gmm import GeneralMixtureModel
from pomegranate.hmm import DenseHMM, SparseHMM
from pomegranate.kmeans import KMeans
from pomegranate.markov_chain import MarkovChain
from torch.masked import MaskedTensor
from uses import Use, Uses

COUNT, FEATURES, LENGTH = 24, 3, 7
Make = Callable[[], Distribution]
uses = Uses()


def reals(device: torch.device, count: int = COUNT) -> torch.Tensor:
    """Two clusters."""
    x = torch.randn(count, FEATURES, device=device)
    return x + 4 * (torch.arange(count, device=device) % 2)[:, None]


def positives(device: torch.device, count: int = COUNT) -> torch.Tensor:
    return torch.rand(count, FEATURES, device=device) * 3 + 0.1


def counts(device: torch.device, count: int = COUNT) -> torch.Tensor:
    return torch.randint(0, 6, (count, FEATURES), device=device).float()


def bits(device: torch.device, count: int = COUNT) -> torch.Tensor:
    return torch.randint(0, 2, (count, FEATURES), device=device).float()


def classes(device: torch.device, count: int = COUNT) -> torch.Tensor:
    return torch.randint(0, 3, (count, FEATURES), device=device)


def sequences(device: torch.device, count: int = 6, length: int = LENGTH) -> torch.Tensor:
    x = torch.randn(count, length, FEATURES, device=device)
    return x + 3 * (torch.arange(length, device=device) % 2)[None, :, None]


def masked(x: torch.Tensor) -> MaskedTensor:
    return MaskedTensor(x, mask=torch.rand(x.shape, device=x.device) > 0.25)


# Distributions

Data = Callable[..., torch.Tensor]
DISTRIBUTIONS: dict[str, tuple[Make, Make, Data]] = {
    "Normal full": (
        Normal,
        lambda: Normal([0.3, 1.0, 2.0], [[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]]),
        reals,
    ),
    "Normal diag": (
        lambda: Normal(covariance_type="diag", min_cov=0.01),
        lambda: Normal([0.3, 1.0, 2.0], [0.5, 1.0, 0.4], covariance_type="diag", inertia=0.3),
        reals,
    ),
    "Normal sphere": (
        lambda: Normal(covariance_type="sphere"),
        lambda: Normal([0.3, 1.0, 2.0], [0.7, 0.7, 0.7], covariance_type="diag", inertia=0.3),
        reals,
    ),
    "StudentT": (lambda: StudentT(2), lambda: StudentT(3, [0.3, 1.0, 2.0], [0.5, 1.0, 0.4]), reals),
    "LogNormal": (
        lambda: LogNormal([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], covariance_type="diag"),
        lambda: LogNormal([0.3, 0.1, 0.2], [0.5, 1.0, 0.4], covariance_type="diag"),
        positives,
    ),
    "HalfNormal": (
        lambda: HalfNormal(covariance_type="diag"),
        lambda: HalfNormal([0.5, 1.0, 0.4], covariance_type="diag"),
        positives,
    ),
    "Exponential": (Exponential, lambda: Exponential([0.5, 1.0, 2.0], inertia=0.3), positives),
    "Gamma": (Gamma, lambda: Gamma([1.5, 1.0, 2.0], [0.5, 1.0, 2.0]), positives),
    "Uniform": (Uniform, lambda: Uniform([0.0, -0.5, 0.0], [4.0, 4.0, 5.0]), positives),
    "Poisson": (Poisson, lambda: Poisson([0.5, 1.0, 2.0], inertia=0.3), counts),
    "Bernoulli": (
        # It checks the data by way of numpy.
        lambda: Bernoulli(check_data=False),
        lambda: Bernoulli([0.2, 0.5, 0.7], check_data=False),
        bits,
    ),
    "Categorical": (
        Categorical,
        lambda: Categorical([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8], [0.4, 0.3, 0.3]]),
        classes,
    ),
    "Categorical smoothed": (
        lambda: Categorical(n_categories=4, pseudocount=0.5),
        lambda: Categorical(np.full((3, 4), 0.25, dtype=np.float32), inertia=0.2),
        classes,
    ),
}


def fit_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        fresh, _, data = DISTRIBUTIONS[name]
        x = data(device)
        model = fresh().to(device)
        model.fit(x)
        model.log_probability(x), model.probability(x)
        weighted = fresh().to(device)
        weighted.fit(x, sample_weight=torch.rand(COUNT, device=device))
        if name != "Normal full":
            weighted.fit(x, sample_weight=torch.rand(COUNT, FEATURES, device=device))

    return use


def batch_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        fresh, _, data = DISTRIBUTIONS[name]
        model = fresh().to(device)
        x = torch.cat([data(device), data(device)])
        for begin in range(0, len(x), 16):
            model.summarize(x[begin : begin + 16], sample_weight=torch.ones(16, 1, device=device))
        model.from_summaries()

    return use


def known_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        _, made, data = DISTRIBUTIONS[name]
        model = made().to(device)
        x = data(device)
        model.log_probability(x)
        model.sample(5)
        model.fit(x)
        model.freeze()
        model.fit(x)
        model.unfreeze()

    return use


def masked_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        fresh, made, data = DISTRIBUTIONS[name]
        fresh().to(device).fit(masked(data(device)))
        made().to(device).log_probability(masked(data(device)))

    return use


MASKED = ("Normal diag", "Exponential", "Poisson", "Categorical", "Gamma")
uses.add_each("fit", DISTRIBUTIONS, fit_use)
uses.add_each("batches of", DISTRIBUTIONS, batch_use)
# HalfNormal does not know its size when it is given its parameters.
uses.add_each("known", (name for name in DISTRIBUTIONS if name != "HalfNormal"), known_use)
uses.add_each("masked", MASKED, masked_use)


@uses.add
def dirac_delta(device: torch.device) -> None:
    model = DiracDelta([1.0, 0.5, 1.0]).to(device)
    model.log_probability(bits(device))
    model.fit(bits(device))
    DiracDelta().to(device).fit(bits(device))


@uses.add
def zero_inflated(device: torch.device) -> None:
    x = counts(device) * bits(device)
    ZeroInflated(Poisson([0.5, 1.0, 2.0]).to(device), max_iter=4).to(device).fit(x)
    ZeroInflated(Poisson().to(device), max_iter=3).to(device).fit(x)
    ZeroInflated(Exponential([0.5, 1.0, 2.0]), priors=[0.2, 0.3, 0.5], max_iter=3, verbose=True).to(device).fit(
        x, sample_weight=torch.rand(COUNT, device=device)
    )


@uses.add
def independent_components(device: torch.device) -> None:
    x = positives(device)
    parts = [part.to(device) for part in (Normal(covariance_type="diag"), Exponential(), Gamma())]
    model = IndependentComponents(parts).to(device)
    model.fit(x)
    model.fit(x, sample_weight=torch.rand(COUNT, device=device))
    known = IndependentComponents([Normal([0.1], [1.0], covariance_type="diag"), Exponential([1.0]), Poisson([2.0])])
    known.log_probability(positives(torch.device("cpu")))
    known.sample(4)


@uses.add
def conditional_categorical(device: torch.device) -> None:
    x = torch.randint(0, 3, (COUNT, 2, FEATURES), device=device)
    model = ConditionalCategorical().to(device)
    model.fit(x, sample_weight=torch.ones(COUNT, device=device))
    model.log_probability(x)
    model.probability(x)
    model.sample(4, x[:4, :1])
    known = ConditionalCategorical([[[0.2, 0.8], [0.6, 0.4]]], inertia=0.1).to(device)
    y = torch.randint(0, 2, (COUNT, 2, 1), device=device)
    known.log_probability(y)
    known.summarize(y, sample_weight=torch.rand(COUNT, 1, device=device))
    known.from_summaries()


@uses.add
def joint_categorical(device: torch.device) -> None:
    x = torch.randint(0, 2, (COUNT, 2), device=device)
    model = JointCategorical([[0.1, 0.2], [0.3, 0.4]], check_data=False).to(device)
    model.log_probability(x)
    model.fit(x)
    cpu = torch.device("cpu")
    host = JointCategorical(pseudocount=1)
    host.fit(classes(cpu), sample_weight=torch.rand(COUNT))
    host.log_probability(classes(cpu))
    JointCategorical([[0.1, 0.2], [0.3, 0.4]]).sample(4)


@uses.add
def numpy_input(_: torch.device) -> None:
    x = np.random.default_rng(0).normal(size=(COUNT, FEATURES)).astype("float32")
    Normal().fit(x).log_probability(x)
    Exponential().fit(np.abs(x).tolist())
    GeneralMixtureModel([Normal(), Normal()], max_iter=3).fit(x).predict(x)


@uses.add
def torch_training(device: torch.device) -> None:
    model = Normal([0.3, 1.0, 2.0], [0.5, 1.0, 0.4], covariance_type="diag").to(device)
    model.means.requires_grad_(True)
    optimizer = torch.optim.Adam([model.means], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = -model(reals(device)).mean()
        loss.backward()
        optimizer.step()


@uses.add
def saved_and_loaded(device: torch.device) -> None:
    model = GeneralMixtureModel([Normal(), Normal()], max_iter=2).to(device).fit(reals(device))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt"
        torch.save(model, path)
        torch.load(path, weights_only=False, map_location=device).predict(reals(device))
    model.state_dict()


# Mixtures and classifiers


def predict_with(model: GeneralMixtureModel | BayesClassifier, x: torch.Tensor) -> None:
    model.predict(x)
    model.predict_proba(x)
    model.predict_log_proba(x)
    model.log_probability(x)
    model.probability(x)
    model.predict_proba(x, priors=torch.full((len(x), 2), 0.5, device=x.device))


MIXED: dict[str, tuple[Callable[[], list[Distribution]], Data]] = {
    "Normal": (lambda: [Normal(), Normal()], reals),
    "Normal diag": (lambda: [Normal(covariance_type="diag"), Normal(covariance_type="diag")], reals),
    "Exponential": (lambda: [Exponential(), Exponential()], positives),
    "Exponential and Gamma": (lambda: [Exponential(), Gamma()], positives),
    "Poisson": (lambda: [Poisson(), Poisson()], counts),
    "Bernoulli": (lambda: [Bernoulli(check_data=False), Bernoulli(check_data=False)], bits),
    "LogNormal": (lambda: [LogNormal([m] * 3, [1.0] * 3, covariance_type="diag") for m in (0.0, 1.0)], positives),
}


def mixture_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, data = MIXED[name]
        x = data(device)
        model = GeneralMixtureModel(made(), max_iter=4, random_state=0).to(device)
        model.fit(x)
        predict_with(model, x)

    return use


def classifier_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, data = MIXED[name]
        x, y = data(device), torch.arange(COUNT, device=device) % 2
        model = BayesClassifier(made()).to(device)
        model.fit(x, y)
        predict_with(model, x)
        BayesClassifier(made()).to(device).fit(x, y, sample_weight=torch.rand(COUNT, device=device))

    return use


uses.add_each("mixture of", MIXED, mixture_use)
uses.add_each("classifier of", MIXED, classifier_use)


@uses.add
def mixture_with_priors(device: torch.device) -> None:
    x = reals(device)
    parts = [
        Normal([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], covariance_type="diag"),
        Normal([4.0, 4.0, 4.0], [1.0, 2.0, 1.0], covariance_type="diag"),
    ]
    model = GeneralMixtureModel(parts, priors=[0.3, 0.7], max_iter=3, tol=0.01, verbose=True).to(device)
    model.fit(x, sample_weight=torch.rand(COUNT, device=device))
    priors = torch.full((COUNT, 2), 0.5, device=device)
    model.fit(x, priors=priors)
    model.summarize(x[:12])
    model.summarize(x[12:])
    model.from_summaries()
    model.sample(4)
    model.freeze()
    model.fit(x)


@uses.add
def mixture_of_masked_data(device: torch.device) -> None:
    x = masked(reals(device))
    parts = [
        Normal([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], covariance_type="diag"),
        Normal([4.0, 4.0, 4.0], [1.0, 2.0, 1.0], covariance_type="diag"),
    ]
    model = GeneralMixtureModel(parts, max_iter=3).to(device)
    model.predict(x)
    model.fit(x)


def mixture_start_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = GeneralMixtureModel([Normal(), Normal()], init=name, max_iter=2, random_state=1).to(device)
        model.fit(reals(device), sample_weight=torch.ones(COUNT, 1, device=device))

    return use


uses.add_each("mixture started with", ("first-k", "random"), mixture_start_use)


@uses.add
def classifier_with_priors(device: torch.device) -> None:
    model = BayesClassifier([Exponential([0.5, 1.0, 2.0]), Exponential([2.0, 1.0, 0.5])], priors=[0.4, 0.6]).to(device)
    x, y = positives(device), torch.arange(COUNT, device=device) % 2
    predict_with(model, x)
    for begin in (0, 12):
        model.summarize(x[begin : begin + 12], y[begin : begin + 12])
    model.from_summaries()
    mixed = [GeneralMixtureModel([Exponential([0.5, 1.0, 2.0]), Exponential([2.0, 1.0, 0.5])]) for _ in range(2)]
    BayesClassifier(mixed).to(device).fit(x, y).predict(x)


# K-means


def kmeans_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        x = reals(device)
        model = KMeans(2, init=name, max_iter=4, random_state=0).to(device)
        model.fit(x)
        model.predict(x)
        model.fit(x, sample_weight=torch.rand(COUNT, device=device))

    return use


uses.add_each("kmeans", ("first-k", "random"), kmeans_use)


@uses.add
def kmeans_submodular(_: torch.device) -> None:
    x = positives(torch.device("cpu"))
    KMeans(2, init="submodular-facility-location", max_iter=2, random_state=0).fit(x).predict(x)


@uses.add
def kmeans_with_centroids(device: torch.device) -> None:
    x = reals(device)
    model = KMeans(centroids=[[0.0, 0.0, 0.0], [4.0, 4.0, 4.0]], inertia=0.2, verbose=True, max_iter=3).to(device)
    model.fit_predict(x)
    for begin in (0, 12):
        model.summarize(x[begin : begin + 12])
    model.from_summaries()
    KMeans(3, init="first-k").to(device).fit_predict(x)
    KMeans(centroids=[[0.0, 0.0, 0.0], [4.0, 4.0, 4.0]]).to(device).fit(masked(x))


# Hidden Markov models

EDGES = [[0.7, 0.2], [0.3, 0.6]]


def states() -> list[Distribution]:
    return [
        Normal([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], covariance_type="diag"),
        Normal([3.0, 3.0, 3.0], [1.0, 2.0, 1.0], covariance_type="diag"),
    ]


def dense(**more: object) -> DenseHMM:
    return DenseHMM(states(), edges=EDGES, starts=[0.6, 0.4], ends=[0.1, 0.1], **more)


def sparse(**more: object) -> SparseHMM:
    one, two = states()
    edges = [[one, one, 0.6], [one, two, 0.3], [two, one, 0.3], [two, two, 0.6]]
    return SparseHMM([one, two], edges=edges, starts=[0.6, 0.4], ends=[0.1, 0.1], **more)


HMMS: dict[str, Callable[..., DenseHMM | SparseHMM]] = {"dense": dense, "sparse": sparse}


def hmm_inference_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = HMMS[name]().to(device)
        x = sequences(device)
        model.forward(x), model.backward(x), model.forward_backward(x)
        model.log_probability(x), model.probability(x)
        model.predict(x), model.predict_proba(x), model.predict_log_proba(x)
        priors = torch.full((6, LENGTH, 2), 0.5, device=device)
        model.predict_proba(x, priors=priors)

    return use


def hmm_viterbi_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        HMMS[name]().to(device).viterbi(sequences(device))

    return use


def hmm_fit_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = HMMS[name](max_iter=3, verbose=True).to(device)
        x = sequences(device)
        model.fit(x)
        model.fit(x, sample_weight=torch.rand(6, device=device))
        model.fit(x, priors=torch.full((6, LENGTH, 2), 0.5, device=device))

    return use


def hmm_batch_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = HMMS[name](inertia=0.1).to(device)
        for _ in range(2):
            model.summarize(sequences(device))
        model.from_summaries()
        model.freeze()
        model.summarize(sequences(device))
        model.unfreeze()

    return use


def hmm_lengths_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = HMMS[name](max_iter=2).to(device)
        model.fit([sequences(device, 3, 5), sequences(device, 4, 6)])
        model.fit([sequences(device, 1, length)[0] for length in (4, 5, 5, 6)])
        weights = [torch.tensor(1.0, device=device) for _ in range(4)]
        model.fit([sequences(device, 1, length)[0] for length in (4, 5, 5, 6)], sample_weight=weights)

    return use


def hmm_sample_use(name: str) -> Use:
    def use(_: torch.device) -> None:
        # It samples by way of numpy.
        model = HMMS[name](sample_length=5, random_state=0)
        model.sample(3)
        HMMS[name](return_sample_paths=True, random_state=0).sample(2)

    return use


uses.add_each("hmm inference", HMMS, hmm_inference_use)
uses.add_each("hmm viterbi", HMMS, hmm_viterbi_use)
uses.add_each("hmm fit", HMMS, hmm_fit_use)
uses.add_each("hmm batches", HMMS, hmm_batch_use)
uses.add_each("hmm of lengths", HMMS, hmm_lengths_use)
uses.add_each("hmm sample", HMMS, hmm_sample_use)


@uses.add
def dense_hmm_from_scratch(device: torch.device) -> None:
    parts = [Normal(covariance_type="diag"), Normal(covariance_type="diag")]
    model = DenseHMM(parts, max_iter=3, init="first-k", random_state=0).to(device)
    model.fit(sequences(device))
    model.predict(sequences(device))
    other = DenseHMM([Normal(), Normal()], max_iter=2, random_state=0).to(device)
    other.fit([sequences(device, 3, 6), sequences(device, 3, 7)])
    weights = [torch.ones(3, device=device), torch.rand(3, device=device)]
    DenseHMM(states(), edges=EDGES, starts=[0.6, 0.4], ends=[0.1, 0.1], max_iter=2).to(device).fit(
        [sequences(device, 3, 6), sequences(device, 3, 7)], sample_weight=weights
    )
    priors = [torch.full((3, length, 2), 0.5, device=device) for length in (6, 7)]
    other.fit([sequences(device, 3, 6), sequences(device, 3, 7)], priors=priors)


@uses.add
def dense_hmm_built(_: torch.device) -> None:
    one, two = states()
    model = DenseHMM(max_iter=2)
    model.add_distributions([one, two])
    model.add_edge(model.start, one, 0.5)
    model.add_edge(model.start, two, 0.5)
    model.add_edge(one, one, 0.9)
    model.add_edge(one, two, 0.1)
    model.add_edge(two, one, 0.3)
    model.add_edge(two, two, 0.6)
    model.add_edge(two, model.end, 0.1)
    x = sequences(torch.device("cpu"))
    model.predict(x)
    model.fit(x)


@uses.add
def sparse_hmm_built(device: torch.device) -> None:
    one, two = (Normal(covariance_type="diag") for _ in range(2))
    model = SparseHMM(max_iter=2, random_state=0)
    model.add_distributions([one, two])
    for start, end, probability in (
        (model.start, one, 0.5),
        (model.start, two, 0.5),
        (one, one, 0.8),
        (one, two, 0.2),
        (two, one, 0.3),
        (two, two, 0.6),
        (two, model.end, 0.1),
    ):
        model.add_edge(start, end, probability)
    model.to(device).fit(sequences(device))
    model.predict_proba(sequences(device))


@uses.add
def hmm_of_categories(device: torch.device) -> None:
    parts = [Categorical([[0.7, 0.2, 0.1]]), Categorical([[0.1, 0.2, 0.7]])]
    model = DenseHMM(parts, edges=EDGES, starts=[0.5, 0.5], ends=[0.1, 0.1], max_iter=2).to(device)
    x = torch.randint(0, 3, (5, LENGTH, 1), device=device)
    model.fit(x)
    model.predict(x)
    model.predict_log_proba(x)


@uses.add
def hmm_of_mixtures(device: torch.device) -> None:
    parts = [GeneralMixtureModel(states()), GeneralMixtureModel(states(), priors=[0.2, 0.8])]
    model = DenseHMM(parts, edges=EDGES, starts=[0.5, 0.5], ends=[0.1, 0.1], max_iter=2).to(device)
    model.fit(sequences(device))


# Markov chains


@uses.add
def markov_chain(device: torch.device) -> None:
    parts = [Categorical([[0.3, 0.7]]), ConditionalCategorical([[[0.2, 0.8], [0.6, 0.4]]])]
    model = MarkovChain([part.to(device) for part in parts]).to(device)
    x = torch.randint(0, 2, (8, 6, 1), device=device)
    model.log_probability(x)
    model.fit(x, sample_weight=torch.ones(8, device=device))
    model.probability(x)
    host = MarkovChain([Categorical([[0.3, 0.7]]), ConditionalCategorical([[[0.2, 0.8], [0.6, 0.4]]])])
    host.sample(4)


@uses.add
def markov_chain_of_order_two(_: torch.device) -> None:
    x = torch.randint(0, 3, (8, 6, 2))
    model = MarkovChain(k=2)
    model.fit(x)
    model.log_probability(x)
    MarkovChain(k=1, n_categories=[3, 3]).fit(x, sample_weight=torch.rand(8))


# Graphs


def factor_graph() -> FactorGraph:
    marginals = [Categorical([[0.5, 0.5]]), Categorical([[0.5, 0.5]]), Categorical([[0.3, 0.3, 0.4]])]
    factors = [
        Categorical([[0.2, 0.8]]),
        JointCategorical([[0.1, 0.3], [0.2, 0.4]], check_data=False),
        JointCategorical([[0.1, 0.2, 0.1], [0.2, 0.1, 0.3]], check_data=False),
    ]
    edges = [
        (marginals[0], factors[0]),
        (marginals[0], factors[1]),
        (marginals[1], factors[1]),
        (marginals[1], factors[2]),
        (marginals[2], factors[2]),
    ]
    return FactorGraph(factors, marginals, edges)


def evidence(device: torch.device) -> MaskedTensor:
    x = torch.tensor([[0, 1, 2], [1, 0, 0], [0, 0, 1], [1, 1, 2]], device=device)
    mask = torch.tensor([[1, 0, 0], [0, 1, 0], [0, 0, 0], [1, 0, 1]], device=device).bool()
    return MaskedTensor(x, mask=mask)


@uses.add
def factor_graph_inference(device: torch.device) -> None:
    model = factor_graph().to(device)
    model.predict_proba(evidence(device))
    model.predict(evidence(device))
    model.predict_log_proba(evidence(device))


@uses.add
def factor_graph_probability(device: torch.device) -> None:
    x = torch.stack([torch.arange(6) % 2, torch.arange(6) // 2 % 2, torch.arange(6) % 3], 1)
    model = factor_graph()
    model.log_probability(x)
    model.fit(x)
    model.summarize(x, sample_weight=torch.rand(6))
    built = FactorGraph(max_iter=5, verbose=True)
    marginal, factor = Categorical([[0.5, 0.5]]), Categorical([[0.2, 0.8]])
    built.add_marginal(marginal)
    built.add_factor(factor)
    built.add_edge(marginal, factor)
    x = torch.tensor([[0], [1]], device=device)
    built.to(device).predict_proba(MaskedTensor(x, mask=torch.zeros_like(x).bool()))


def network() -> BayesianNetwork:
    rain = Categorical([[0.3, 0.7]])
    wet = ConditionalCategorical([[[0.2, 0.8], [0.9, 0.1]]])
    slip = ConditionalCategorical([[[0.1, 0.4, 0.5], [0.6, 0.2, 0.2]]])
    return BayesianNetwork([rain, wet, slip], [(rain, wet), (wet, slip)])


def rows(device: torch.device) -> torch.Tensor:
    return torch.stack([torch.randint(0, size, (COUNT,), device=device) for size in (2, 2, 3)], 1)


@uses.add
def network_inference(device: torch.device) -> None:
    model = network().to(device)
    model.predict_proba(evidence(device))
    model.predict(evidence(device))
    model.predict_log_proba(evidence(device))
    model.log_probability(rows(device))
    model.probability(rows(device))


@uses.add
def network_fit(device: torch.device) -> None:
    model = network().to(device)
    model.fit(rows(device), sample_weight=torch.rand(COUNT, device=device))
    model.fit(rows(device))


@uses.add
def network_sample(device: torch.device) -> None:
    network().to(device).sample(5)


@uses.add
def network_from_structure(_: torch.device) -> None:
    model = BayesianNetwork(structure=((), (0,), (0, 1)))
    x = rows(torch.device("cpu"))
    model.fit(x)
    model.log_probability(x)
    model.predict_proba(evidence(torch.device("cpu")))
    free = BayesianNetwork(structure=((), (), ()))
    free.fit(x)


@uses.add
def network_built(device: torch.device) -> None:
    one, two = Categorical([[0.3, 0.7]]), Categorical([[0.5, 0.5]])
    both = ConditionalCategorical([[[[0.2, 0.8], [0.9, 0.1]], [[0.5, 0.5], [0.4, 0.6]]]])
    model = BayesianNetwork(max_iter=10)
    model.add_distributions([one, two, both])
    model.add_edges([(one, both), (two, both)])
    model.to(device).log_probability(torch.randint(0, 2, (8, 3), device=device))


@uses.add
def network_chow_liu(device: torch.device) -> None:
    _learn_structure(rows(device), sample_weight=torch.rand(COUNT, device=device), pseudocount=0.1)
    BayesianNetwork(algorithm="chow-liu").fit(rows(torch.device("cpu")))


@uses.add
def network_exact(_: torch.device) -> None:
    x = torch.randint(0, 2, (COUNT, 4))
    BayesianNetwork(algorithm="exact").fit(x)
    excluded = BayesianNetwork(algorithm="exact", exclude_parents=[(1,), (), (0,), ()], max_parents=2)
    excluded.fit(x, sample_weight=torch.rand(COUNT))


if __name__ == "__main__":
    uses.main()
