"""Distributions, transforms, handlers, inference, guides, optimizers, operations and contributed models of pyro."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import LifoQueue

import pyro
import pyro.distributions as dist
import torch
from pyro import infer, nn, ops, optim, poutine
from pyro.contrib import autoname, bnn, cevae, easyguide, forecast, gp, minipyro, oed, timeseries
from pyro.contrib.conjugate import infer as conjugate
from pyro.contrib.epidemiology import CompartmentalModel
from pyro.contrib.epidemiology import distributions as epidemiology_distributions
from pyro.contrib.epidemiology import models as epidemics
from pyro.contrib.mue import dataloaders
from pyro.contrib.mue import models as mue_models
from pyro.contrib.mue.missingdatahmm import MissingDataDiscreteHMM
from pyro.contrib.mue.statearrangers import Profile
from pyro.contrib.oed import glmm
from pyro.contrib.oed import util as oed_util
from pyro.contrib.oed.glmm import guides
from pyro.contrib.tracking import assignment, dynamic_models, extended_kalman_filter, hashing, measurements
from pyro.contrib.tracking.distributions import EKFDistribution
from pyro.distributions import constraints
from pyro.distributions import transforms as flows
from pyro.distributions.testing import gof, rejection_gamma
from pyro.infer import autoguide, reparam
from pyro.infer.autoguide import initialization
from pyro.infer.resampler import Resampler
from pyro.nn import PyroModule, PyroParam, PyroSample
from uses import Use, Uses

Made = Callable[[torch.device], dist.TorchDistribution]
uses = Uses()


def positive(device: torch.device, *shape: int) -> torch.Tensor:
    return torch.rand(*shape, device=device) + 0.5


def normal(device: torch.device, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, device=device)


def index(device: torch.device, high: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, high, shape, device=device)


def zeros(device: torch.device, *shape: int) -> torch.Tensor:
    return torch.zeros(*shape, device=device)


def scalar(device: torch.device, value: float) -> torch.Tensor:
    return torch.tensor(value, device=device)


def spd(device: torch.device, size: int) -> torch.Tensor:
    root = torch.randn(size, size, device=device)
    return root @ root.T + size * torch.eye(size, device=device)


def mvn(device: torch.device, size: int) -> dist.MultivariateNormal:
    return dist.MultivariateNormal(torch.zeros(size, device=device), spd(device, size))


# Distributions

PLAIN: dict[str, Made] = {
    "Bernoulli": lambda d: dist.Bernoulli(torch.rand(4, device=d)),
    "Beta": lambda d: dist.Beta(positive(d, 4), positive(d, 4)),
    "BetaBinomial": lambda d: dist.BetaBinomial(positive(d, 4), positive(d, 4), torch.tensor(5.0, device=d)),
    "Binomial": lambda d: dist.Binomial(torch.tensor(5.0, device=d), torch.rand(4, device=d)),
    "Categorical": lambda d: dist.Categorical(logits=normal(d, 4, 3)),
    "Cauchy": lambda d: dist.Cauchy(normal(d, 4), positive(d, 4)),
    "Chi2": lambda d: dist.Chi2(positive(d, 4)),
    "ContinuousBernoulli": lambda d: dist.ContinuousBernoulli(torch.rand(4, device=d)),
    "Delta": lambda d: dist.Delta(normal(d, 4)),
    "Dirichlet": lambda d: dist.Dirichlet(positive(d, 4, 3)),
    "DirichletMultinomial": lambda d: dist.DirichletMultinomial(positive(d, 4, 3), torch.tensor(6.0, device=d)),
    "Exponential": lambda d: dist.Exponential(positive(d, 4)),
    "FisherSnedecor": lambda d: dist.FisherSnedecor(positive(d, 4), positive(d, 4)),
    "Gamma": lambda d: dist.Gamma(positive(d, 4), positive(d, 4)),
    "GammaPoisson": lambda d: dist.GammaPoisson(positive(d, 4), positive(d, 4)),
    "Geometric": lambda d: dist.Geometric(logits=normal(d, 4)),
    "Gumbel": lambda d: dist.Gumbel(normal(d, 4), positive(d, 4)),
    "HalfCauchy": lambda d: dist.HalfCauchy(positive(d, 4)),
    "HalfNormal": lambda d: dist.HalfNormal(positive(d, 4)),
    "InverseGamma": lambda d: dist.InverseGamma(positive(d, 4) + 2, positive(d, 4)),
    "Kumaraswamy": lambda d: dist.Kumaraswamy(positive(d, 4), positive(d, 4)),
    "LKJCholesky": lambda d: dist.LKJCholesky(3, concentration=torch.tensor(1.5, device=d)),
    "LKJ": lambda d: dist.LKJ(3, concentration=torch.tensor(1.5, device=d)),
    "Laplace": lambda d: dist.Laplace(normal(d, 4), positive(d, 4)),
    "LogNormal": lambda d: dist.LogNormal(normal(d, 4), positive(d, 4)),
    "LogisticNormal": lambda d: dist.LogisticNormal(normal(d, 4, 2), positive(d, 4, 2)),
    "LowRankMultivariateNormal": lambda d: dist.LowRankMultivariateNormal(
        normal(d, 4), normal(d, 4, 2), positive(d, 4)
    ),
    "MixtureSameFamily": lambda d: dist.MixtureSameFamily(
        dist.Categorical(logits=normal(d, 3)), dist.Normal(normal(d, 3), positive(d, 3))
    ),
    "Multinomial": lambda d: dist.Multinomial(5, logits=normal(d, 4, 3)),
    "MultivariateNormal": lambda d: mvn(d, 4),
    "NegativeBinomial": lambda d: dist.NegativeBinomial(positive(d, 4), torch.rand(4, device=d)),
    "Normal": lambda d: dist.Normal(normal(d, 4), positive(d, 4)),
    "OneHotCategorical": lambda d: dist.OneHotCategorical(logits=normal(d, 4, 3)),
    "OneHotCategoricalStraightThrough": lambda d: dist.OneHotCategoricalStraightThrough(logits=normal(d, 4, 3)),
    "Pareto": lambda d: dist.Pareto(positive(d, 4), positive(d, 4)),
    "Poisson": lambda d: dist.Poisson(positive(d, 4)),
    "RelaxedBernoulli": lambda d: dist.RelaxedBernoulli(torch.tensor(0.5, device=d), logits=normal(d, 4)),
    "RelaxedOneHotCategorical": lambda d: dist.RelaxedOneHotCategorical(
        torch.tensor(0.5, device=d), logits=normal(d, 4, 3)
    ),
    "StudentT": lambda d: dist.StudentT(positive(d, 4) + 3),
    "Uniform": lambda d: dist.Uniform(torch.zeros(4, device=d), positive(d, 4)),
    "VonMises": lambda d: dist.VonMises(normal(d, 4), positive(d, 4)),
    "Weibull": lambda d: dist.Weibull(positive(d, 4), positive(d, 4)),
    "Wishart": lambda d: dist.Wishart(torch.tensor(5.0, device=d), covariance_matrix=spd(d, 3)),
}
SPECIAL: dict[str, Made] = {
    "AVFMultivariateNormal": lambda d: dist.AVFMultivariateNormal(
        normal(d, 3), torch.linalg.cholesky(spd(d, 3)), 0.1 * normal(d, 2, 2, 3).requires_grad_()
    ),
    "AffineBeta": lambda d: dist.AffineBeta(
        positive(d, 4), positive(d, 4), torch.tensor(-1.0, device=d), torch.tensor(2.0, device=d)
    ),
    "AsymmetricLaplace": lambda d: dist.AsymmetricLaplace(normal(d, 4), positive(d, 4), positive(d, 4)),
    "CoalescentTimes": lambda d: dist.CoalescentTimes(torch.rand(5, device=d).sort().values),
    "ExtendedBetaBinomial": lambda d: dist.ExtendedBetaBinomial(
        positive(d, 4), positive(d, 4), torch.tensor(5.0, device=d)
    ),
    "ExtendedBinomial": lambda d: dist.ExtendedBinomial(torch.tensor(5.0, device=d), torch.rand(4, device=d)),
    "FoldedDistribution": lambda d: dist.FoldedDistribution(dist.Normal(normal(d, 4), positive(d, 4))),
    "GaussianScaleMixture": lambda d: dist.GaussianScaleMixture(positive(d, 3), normal(d, 2), positive(d, 2)),
    "Logistic": lambda d: dist.Logistic(normal(d, 4), positive(d, 4)),
    "MaskedMixture": lambda d: dist.MaskedMixture(
        torch.rand(4, device=d) > 0.5, dist.Normal(normal(d, 4), 1.0), dist.Laplace(normal(d, 4), positive(d, 4))
    ),
    "MixtureOfDiagNormals": lambda d: dist.MixtureOfDiagNormals(normal(d, 2, 3), positive(d, 2, 3), normal(d, 2)),
    "MixtureOfDiagNormalsSharedCovariance": lambda d: dist.MixtureOfDiagNormalsSharedCovariance(
        normal(d, 2, 3), positive(d, 3), normal(d, 2)
    ),
    "MultivariateStudentT": lambda d: dist.MultivariateStudentT(
        torch.tensor(5.0, device=d), normal(d, 3), torch.linalg.cholesky(spd(d, 3))
    ),
    "OMTMultivariateNormal": lambda d: dist.OMTMultivariateNormal(
        normal(d, 3).requires_grad_(), torch.linalg.cholesky(spd(d, 3)).requires_grad_()
    ),
    "OneOneMatching": lambda d: dist.OneOneMatching(normal(d, 4, 4)),
    "OneTwoMatching": lambda d: dist.OneTwoMatching(normal(d, 4, 2)),
    "OrderedLogistic": lambda d: dist.OrderedLogistic(normal(d, 4), torch.tensor([-1.0, 0.0, 1.0], device=d)),
    "ProjectedNormal": lambda d: dist.ProjectedNormal(normal(d, 4, 3)),
    "ProjectedNormal 2": lambda d: dist.ProjectedNormal(normal(d, 4, 2)),
    "ProjectedNormal 4": lambda d: dist.ProjectedNormal(normal(d, 4, 4)),
    "RelaxedBernoulliStraightThrough": lambda d: dist.RelaxedBernoulliStraightThrough(
        torch.tensor(0.5, device=d), logits=normal(d, 4)
    ),
    "RelaxedOneHotCategoricalStraightThrough": lambda d: dist.RelaxedOneHotCategoricalStraightThrough(
        torch.tensor(0.5, device=d), logits=normal(d, 4, 3)
    ),
    "SineBivariateVonMises": lambda d: dist.SineBivariateVonMises(
        normal(d, 2), normal(d, 2), positive(d, 2), positive(d, 2), weighted_correlation=torch.rand(2, device=d)
    ),
    "SineSkewed": lambda d: dist.SineSkewed(
        dist.VonMises(normal(d, 2), positive(d, 2)).to_event(1), torch.tensor([0.3, -0.2], device=d)
    ),
    "SkewLogistic": lambda d: dist.SkewLogistic(normal(d, 4), positive(d, 4), positive(d, 4)),
    "SoftAsymmetricLaplace": lambda d: dist.SoftAsymmetricLaplace(normal(d, 4), positive(d, 4), positive(d, 4)),
    "SoftLaplace": lambda d: dist.SoftLaplace(normal(d, 4), positive(d, 4)),
    "Stable": lambda d: dist.Stable(positive(d, 4), torch.zeros(4, device=d), positive(d, 4), normal(d, 4)),
    "StableWithLogProb": lambda d: dist.StableWithLogProb(
        torch.full((4,), 1.7, device=d), torch.zeros(4, device=d), positive(d, 4), normal(d, 4)
    ),
    "TruncatedPolyaGamma": lambda d: dist.TruncatedPolyaGamma(prototype=torch.zeros(1, device=d)),
    "ZeroInflatedNegativeBinomial": lambda d: dist.ZeroInflatedNegativeBinomial(
        positive(d, 4), probs=torch.rand(4, device=d), gate=torch.rand(4, device=d)
    ),
    "ZeroInflatedPoisson": lambda d: dist.ZeroInflatedPoisson(positive(d, 4), gate=torch.rand(4, device=d)),
    "ZeroInflatedDistribution": lambda d: dist.ZeroInflatedDistribution(
        dist.Poisson(positive(d, 4)), gate=torch.rand(4, device=d)
    ),
    "Independent": lambda d: dist.Normal(normal(d, 4, 3), positive(d, 4, 3)).to_event(1),
    "MaskedDistribution": lambda d: dist.Normal(normal(d, 4), positive(d, 4)).mask(torch.rand(4, device=d) > 0.5),
    "ExpandedDistribution": lambda d: dist.Poisson(positive(d, 4)).expand_by([3]),
    "TransformedDistribution": lambda d: dist.TransformedDistribution(
        dist.Normal(normal(d, 4), positive(d, 4)), [flows.AffineTransform(1.0, 2.0), flows.ExpTransform()]
    ),
}


def distribution_use(made: Made) -> Use:
    def use(device: torch.device) -> None:
        with device, pyro.validation_enabled():
            one = made(device)
            value = one.sample()
            if one.has_rsample:
                value = one.rsample()
            with contextlib.suppress(NotImplementedError):
                total = one.log_prob(value.detach()).sum()
                if total.requires_grad:
                    total.backward()
            with contextlib.suppress(NotImplementedError):
                _ = one.mean, one.variance
            if one.has_enumerate_support:
                one.enumerate_support()
            with contextlib.suppress(NotImplementedError, TypeError, AttributeError):
                one.expand([2, *one.batch_shape]).sample()

    return use


uses.add_each("distribution", PLAIN, lambda name: distribution_use(PLAIN[name]))
uses.add_each("distribution of pyro", SPECIAL, lambda name: distribution_use(SPECIAL[name]))


@uses.add
def empirical(device: torch.device) -> None:
    one = dist.Empirical(normal(device, 20, 3), normal(device, 20))
    one.log_prob(one.sample())
    _ = one.mean, one.variance, one.sample_size, one.enumerate_support()


@uses.add
def von_mises_3d(device: torch.device) -> None:
    one = dist.VonMises3D(normal(device, 4, 3))
    value = normal(device, 4, 3)
    one.log_prob(value / value.norm(dim=-1, keepdim=True))


@uses.add
def unit_and_improper(device: torch.device) -> None:
    dist.Unit(normal(device, 4)).log_prob(dist.Unit(normal(device, 4)).sample())
    one = dist.ImproperUniform(constraints.positive, (), (3,))
    one.log_prob(positive(device, 3))
    dist.ImproperUniform(constraints.simplex, (), (3,)).expand([2]).log_prob(positive(device, 2, 3).softmax(-1))


@uses.add
def nan_masked(device: torch.device) -> None:
    value = torch.tensor([0.1, float("nan"), 0.3, 0.4], device=device)
    dist.NanMaskedNormal(normal(device, 4), positive(device, 4)).log_prob(value)
    dist.NanMaskedMultivariateNormal(torch.zeros(4, device=device), spd(device, 4)).log_prob(value)


@uses.add
def rejector(device: torch.device) -> None:
    proposal = dist.Exponential(torch.ones(4, device=device))
    one = dist.Rejector(proposal, lambda x: -x.clamp(min=0.1), torch.zeros(4, device=device) - 0.5)
    one.score_parts(one.sample())


@uses.add
def coalescent(device: torch.device) -> None:
    with device:
        leaves = torch.tensor([0.0, 1.0, 2.0, 3.0], device=device)
        times = dist.CoalescentTimes(leaves).sample()
        rate = positive(device, 5)
        with_rate = dist.CoalescentTimesWithRate(leaves, rate)
        with_rate.log_prob(times)
        dist.CoalescentRateLikelihood(leaves, times, duration=5)(rate)


@uses.add
def spanning_tree(device: torch.device) -> None:
    with device:
        one = dist.SpanningTree(normal(device, 6))
        tree = one.sample()
        one.log_prob(tree)
        _ = one.log_partition_function, one.edge_mean
        _ = one.mode
        dist.SpanningTree(normal(device, 6), {"mcmc_steps": 2}).sample()
        dist.spanning_tree.sample_tree_approx(normal(device, 6))


@uses.add
def matching_modes(device: torch.device) -> None:
    with device:
        one = dist.OneOneMatching(normal(device, 4, 4))
        one.mode()
        _ = one.log_partition_function
        two = dist.OneTwoMatching(normal(device, 4, 2))
        two.mode()
        _ = two.log_partition_function
        dist.OneOneMatching(normal(device, 4, 4), bp_iters=5).log_prob(one.sample())
        dist.OneTwoMatching(normal(device, 4, 2), bp_iters=5).log_prob(two.sample())


@uses.add
def grouped_normal(device: torch.device) -> None:
    groups = torch.tensor([0, 0, 1, 1, 2, 2], device=device)
    one = dist.GroupedNormalNormal(normal(device, 3), positive(device, 3), positive(device, 6), groups)
    one.get_posterior(normal(device, 6))
    one.log_prob(normal(device, 6))


@uses.add
def log_normal_negative_binomial(device: torch.device) -> None:
    one = dist.LogNormalNegativeBinomial(torch.tensor(3.0, device=device), normal(device, 4), positive(device, 4))
    one.log_prob(index(device, 5, 4).float())
    _ = one.mean, one.variance


@uses.add
def divergences(device: torch.device) -> None:
    one, two = (dist.Normal(normal(device, 4), positive(device, 4)).to_event(1) for _ in range(2))
    dist.kl.kl_divergence(one, two)
    dist.kl.kl_divergence(one, mvn(device, 4))
    dist.kl.kl_divergence(dist.Delta(normal(device, 4)).to_event(1), two)
    mask = torch.tensor([True, False, True, True], device=device)
    dist.kl.kl_divergence(*(dist.Normal(normal(device, 4), positive(device, 4)).mask(mask) for _ in range(2)))


@uses.add
def shapes_of(device: torch.device) -> None:
    one = dist.Normal(normal(device, 1, 3), positive(device, 4, 3))
    _ = one.shape((2,)), one.event_dim, one.has_enumerate_support
    larger = one.expand_by([5]).to_event(2)
    larger.log_prob(larger.sample())
    dist.Normal.infer_shapes(loc=(3, 1), scale=(4,))
    one(sample_shape=(2,))
    one.score_parts(one.sample())


@uses.add
def checks_of_constraints(device: torch.device) -> None:
    value = normal(device, 3, 3)
    constraints.sphere.check(value / value.norm(dim=-1, keepdim=True))
    constraints.ordered_vector.check(value.sort(-1).values)
    constraints.positive_ordered_vector.check(value.exp().sort(-1).values)
    constraints.corr_matrix.check(dist.LKJ(3, torch.tensor(1.0, device=device)).sample())
    constraints.unit_lower_cholesky.check(torch.eye(3, device=device))
    constraints.softplus_lower_cholesky.check(torch.eye(3, device=device))
    constraints.integer.check(value.round())
    for name in (
        "sphere",
        "ordered_vector",
        "positive_ordered_vector",
        "softplus_positive",
        "softplus_lower_cholesky",
        "unit_lower_cholesky",
        "positive_definite",
        "corr_cholesky",
        "corr_matrix",
    ):
        there = dist.transforms.transform_to(getattr(constraints, name))
        there(normal(device, 3) if "corr" in name else value)


def hmm_parts(device: torch.device) -> tuple[object, ...]:
    hidden, observed = 3, 2
    transition = 0.3 * normal(device, hidden, hidden)
    observation = normal(device, hidden, observed)
    return mvn(device, hidden), transition, mvn(device, hidden), observation, mvn(device, observed)


@uses.add
def hidden_markov_discrete(device: torch.device) -> None:
    emission = dist.Normal(normal(device, 3), positive(device, 3))
    one = dist.DiscreteHMM(normal(device, 3), normal(device, 3, 3), emission, duration=8)
    value = one.sample((2,))
    one.log_prob(value)
    one.filter(value)
    one.sample()


@uses.add
def hidden_markov_gaussian(device: torch.device) -> None:
    one = dist.GaussianHMM(*hmm_parts(device), duration=8)
    value = one.rsample()
    one.log_prob(value)
    one.filter(value)
    one.rsample_posterior(value)
    other = dist.GaussianHMM(*hmm_parts(device), duration=4)
    future = other.prefix_condition(value[:2])
    future.sample()
    conjugate = one.conjugate_update(dist.Normal(normal(device, 8, 2), 1.0).to_event(2))
    conjugate[1]


@uses.add
def hidden_markov_gamma_gaussian(device: torch.device) -> None:
    scale = dist.Gamma(torch.tensor(3.0, device=device), torch.tensor(2.0, device=device))
    one = dist.GammaGaussianHMM(scale, *hmm_parts(device), duration=6)
    value = normal(device, 6, 2)
    one.log_prob(value)
    one.filter(value)


@uses.add
def hidden_markov_linear(device: torch.device) -> None:
    start = dist.StudentT(4.0, torch.zeros(3, device=device), 1.0).to_event(1)
    step = dist.StudentT(4.0, torch.zeros(3, device=device), 0.5).to_event(1)
    noise = dist.Laplace(torch.zeros(2, device=device), 0.3).to_event(1)
    one = dist.LinearHMM(start, 0.3 * normal(device, 3, 3), step, normal(device, 3, 2), noise, duration=6)
    one.rsample()
    one.expand([2]).sample()


@uses.add
def hidden_markov_independent(device: torch.device) -> None:
    start, transition, step, _, _ = hmm_parts(device)
    noise = dist.Normal(torch.zeros(2, 6, 1, device=device), 1.0).to_event(1)
    base = dist.GaussianHMM(start, transition, step, normal(device, 2, 1, 3, 1), noise, duration=6)
    one = dist.IndependentHMM(base)
    one.log_prob(one.rsample())


@uses.add
def gaussian_random_field(device: torch.device) -> None:
    one = dist.GaussianMRF(mvn(device, 3), mvn(device, 6), mvn(device, 5))
    one.log_prob(normal(device, 7, 2))


# Transforms

FLOWS: dict[str, Callable[[], object]] = {
    "affine_autoregressive": lambda: flows.affine_autoregressive(4, [8, 8]),
    "affine_autoregressive stable": lambda: flows.affine_autoregressive(4, [8], stable=True),
    "affine_coupling": lambda: flows.affine_coupling(4, [8]),
    "batchnorm": lambda: flows.batchnorm(4),
    "block_autoregressive": lambda: flows.block_autoregressive(4, activation="ELU", residual="gated"),
    "block_autoregressive leaky": lambda: flows.block_autoregressive(4, activation="LeakyReLU", residual="normal"),
    "householder": lambda: flows.householder(4, count_transforms=2),
    "leaky_relu": lambda: flows.leaky_relu(),
    "lower_cholesky_affine": lambda: None,
    "matrix_exponential": lambda: flows.matrix_exponential(4),
    "neural_autoregressive": lambda: flows.neural_autoregressive(4, [8]),
    "neural_autoregressive elu": lambda: flows.neural_autoregressive(4, [8], activation="ELU"),
    "permute": lambda: None,
    "planar": lambda: flows.planar(4),
    "polynomial": lambda: flows.polynomial(4, [8]),
    "radial": lambda: flows.radial(4),
    "spline": lambda: flows.spline(4),
    "spline quadratic": lambda: flows.spline(4, order="quadratic"),
    "spline_autoregressive": lambda: flows.spline_autoregressive(4, [8]),
    "spline_coupling": lambda: flows.spline_coupling(4, 2, [8]),
    "sylvester": lambda: flows.sylvester(4),
}
CONDITIONAL = {
    "affine_autoregressive": lambda: flows.conditional_affine_autoregressive(4, 3, [8]),
    "affine_coupling": lambda: flows.conditional_affine_coupling(4, 3, [8]),
    "householder": lambda: flows.conditional_householder(4, 3, [8]),
    "matrix_exponential": lambda: flows.conditional_matrix_exponential(4, 3, [8]),
    "neural_autoregressive": lambda: flows.conditional_neural_autoregressive(4, 3, [8]),
    "planar": lambda: flows.conditional_planar(4, 3, [8]),
    "radial": lambda: flows.conditional_radial(4, 3, [8]),
    "spline": lambda: flows.conditional_spline(4, 3, [8]),
    "spline_autoregressive": lambda: flows.conditional_spline_autoregressive(4, 3, [8]),
}


def flow_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        base = dist.Normal(torch.zeros(4, device=device), torch.ones(4, device=device)).to_event(1)
        if name == "permute":
            flow = flows.permute(4, torch.randperm(4, device=device))
        elif name == "lower_cholesky_affine":
            flow = flows.LowerCholeskyAffine(normal(device, 4), torch.linalg.cholesky(spd(device, 4)))
        else:
            flow = FLOWS[name]()
        if isinstance(flow, torch.nn.Module):
            flow.to(device)
        one = dist.TransformedDistribution(base, [flow])
        with device:
            value = one.rsample((16,))
        with contextlib.suppress(NotImplementedError):
            loss = -one.log_prob(value.detach() if name == "batchnorm" else value).mean()
            if loss.requires_grad:
                loss.backward()
        one.clear_cache()
        with contextlib.suppress(NotImplementedError, KeyError):
            flow.log_abs_det_jacobian(value, flow(value))
            flow.inv(flow(value).detach().clone())

    return use


def conditional_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        base = dist.Normal(torch.zeros(4, device=device), torch.ones(4, device=device)).to_event(1)
        flow = CONDITIONAL[name]().to(device)
        one = dist.ConditionalTransformedDistribution(base, [flow]).condition(normal(device, 16, 3))
        value = one.rsample((16,))
        loss = -one.log_prob(value).mean()
        if loss.requires_grad:
            loss.backward()

    return use


uses.add_each("flow", FLOWS, flow_use)
uses.add_each("conditional flow", CONDITIONAL, conditional_use)


@uses.add
def channel_permutations(device: torch.device) -> None:
    with device:
        image = normal(device, 2, 3, 8, 8)
        flow = flows.generalized_channel_permute(channels=3).to(device)
        flow.log_abs_det_jacobian(image, flow(image))
        flow.inv(flow(image).clone())
        conditional = flows.conditional_generalized_channel_permute(context_dim=4, channels=3).to(device)
        conditional.condition(normal(device, 4))(image)


@uses.add
def trained_flow(device: torch.device) -> None:
    base = dist.Normal(torch.zeros(2, device=device), torch.ones(2, device=device)).to_event(1)
    parts = torch.nn.ModuleList([flows.affine_coupling(2, [8]) for _ in range(3)]).to(device)
    one = dist.TransformedDistribution(base, list(parts))
    optimizer = torch.optim.Adam(parts.parameters(), lr=5e-3)
    data = normal(device, 32, 2)
    for _ in range(3):
        optimizer.zero_grad()
        (-one.log_prob(data).mean()).backward()
        optimizer.step()
        one.clear_cache()
    one.sample((8,))
    repeated = flows.iterated(2, flows.affine_coupling, 2, [8]).to(device)
    dist.TransformedDistribution(base, repeated).log_prob(data)


@uses.add
def plain_transforms(device: torch.device) -> None:
    value = normal(device, 4, 8)
    for there in (
        flows.HaarTransform(flip=True),
        flows.DiscreteCosineTransform(smooth=0.5),
        flows.OrderedTransform(),
        flows.SoftplusTransform(),
        flows.Normalize(),
        flows.PositivePowerTransform(torch.tensor(2.0, device=device)),
        flows.ELUTransform(),
        flows.LeakyReLUTransform(),
        flows.SimplexToOrderedTransform(torch.tensor(0.0, device=device)),
    ):
        source = value.softmax(-1) if isinstance(there, flows.SimplexToOrderedTransform) else value
        result = there(source)
        with contextlib.suppress(NotImplementedError):
            there.log_abs_det_jacobian(source, result)
            there.inv(result.clone())


@uses.add
def matrix_transforms(device: torch.device) -> None:
    root = torch.linalg.cholesky(spd(device, 3))
    cholesky = flows.CholeskyTransform()
    cholesky.log_abs_det_jacobian(root @ root.T, cholesky(root @ root.T))
    correlation = dist.LKJ(3, torch.tensor(1.0, device=device)).sample()
    there = flows.CorrMatrixCholeskyTransform()
    there.log_abs_det_jacobian(correlation, there(correlation))
    vector = normal(device, 3)
    here = flows.CorrCholeskyTransform()
    here.log_abs_det_jacobian(vector, here(vector))
    here.inv(here(vector).clone())
    flows.SoftplusLowerCholeskyTransform()(normal(device, 3, 3))
    flows.UnitLowerCholeskyTransform()(normal(device, 3, 3))
    flows.LowerCholeskyAffine(vector, root)(vector)


# More of distributions


@uses.add
def conjugate_updates(device: torch.device) -> None:
    beta = dist.Beta(positive(device, 3), positive(device, 3))
    beta.conjugate_update(dist.Beta(positive(device, 3) + 1, positive(device, 3) + 1))
    dist.Dirichlet(positive(device, 3)).conjugate_update(dist.Dirichlet(positive(device, 3) + 1))
    dist.Gamma(positive(device, 3), positive(device, 3)).conjugate_update(
        dist.Gamma(positive(device, 3) + 1, positive(device, 3))
    )
    one, two = (dist.Normal(normal(device, 3), positive(device, 3)) for _ in range(2))
    dist.kl.kl_divergence(one, two)
    one.mask(False).log_prob(normal(device, 3))
    one.mask(True).expand([2, 3]).sample()
    dist.Binomial(20, torch.rand(3, device=device)).log_prob(index(device, 20, 3).float())


@uses.add
def gradients_of_samples(device: torch.device) -> None:
    for made in (
        lambda x, y, z: dist.MixtureOfDiagNormals(x.expand(2, 3), y.expand(2, 3), z),
        lambda x, y, z: dist.MixtureOfDiagNormalsSharedCovariance(x.expand(2, 3), y, z),
        lambda x, y, z: dist.GaussianScaleMixture(y, z, 1 + z.exp()),
        lambda x, y, z: dist.MultivariateStudentT(z.exp().sum() + 3, x, torch.diag(y)),
        lambda x, y, z: dist.AsymmetricLaplace(x, y, z.exp().sum()),
        lambda x, y, z: dist.Stable(1 + y / 2, y - y, y, x),
        lambda x, y, z: dist.ProjectedNormal(x + y),
        lambda x, y, z: dist.OMTMultivariateNormal(x, torch.diag(y)),
        lambda x, y, z: dist.RelaxedBernoulliStraightThrough(y[0], logits=x),
    ):
        x, y, z = (part.requires_grad_() for part in (normal(device, 3), positive(device, 3), normal(device, 2)))
        made(x, y, z).rsample((8,)).sum().backward()


@uses.add
def inferred_shapes(device: torch.device) -> None:
    dist.Beta.infer_shapes(concentration1=(4, 1), concentration0=(3,))
    dist.Laplace.infer_shapes(loc=(4, 1), scale=(3,))
    dist.Categorical.infer_shapes(logits=(4, 3))
    dist.MultivariateNormal.infer_shapes(loc=(3,), covariance_matrix=(3, 3))
    one = dist.Categorical(logits=normal(device, 4, 3))
    one.enumerate_support(expand=False)
    dist.util.sum_rightmost(normal(device, 2, 3), 1), dist.util.sum_leftmost(normal(device, 2, 3), 1)
    dist.util.broadcast_shape((3, 1), (4,))
    dist.util.deep_to(one, device)
    dist.util.detach(dist.Normal(normal(device, 3).requires_grad_(), 1.0))


@uses.add
def goodness_of_fit(device: torch.device) -> None:
    one = dist.Gamma(scalar(device, 2.0), scalar(device, 1.0))
    samples = one.sample((300,))
    gof.auto_goodness_of_fit(samples, one.log_prob(samples).exp())


@uses.add
def rejection_sampled(device: torch.device) -> None:
    concentration = (positive(device, 4) + 1).requires_grad_()
    made = rejection_gamma.RejectionStandardGamma(concentration)
    made.log_prob(made.rsample()).sum().backward()
    gamma = rejection_gamma.ShapeAugmentedGamma(concentration.detach(), positive(device, 4), boost=1)
    gamma.score_parts(gamma.rsample())
    rejection_gamma.ShapeAugmentedBeta(positive(device, 4), positive(device, 4)).rsample()


# Models that the next sections share


def regression_data(device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    x = normal(device, 20, 3)
    return x, x @ torch.tensor([1.0, -2.0, 0.5], device=device) + 0.1 * normal(device, 20)


def regression(x: torch.Tensor, y: torch.Tensor | None = None) -> torch.Tensor:
    weight = pyro.sample("weight", dist.Normal(x.new_zeros(3), x.new_ones(3)).to_event(1))
    bias = pyro.sample("bias", dist.Normal(x.new_zeros(()), x.new_ones(())))
    scale = pyro.sample("scale", dist.LogNormal(x.new_zeros(()), x.new_ones(())))
    with pyro.plate("data", len(x)):
        return pyro.sample("obs", dist.Normal((x * weight).sum(-1) + bias, scale), obs=y)


def regression_guide(x: torch.Tensor, y: torch.Tensor | None = None) -> None:
    loc = pyro.param("weight_loc", x.new_zeros(3))
    spread = pyro.param("weight_spread", 0.1 * x.new_ones(3), constraint=constraints.positive)
    pyro.sample("weight", dist.Normal(loc, spread).to_event(1))
    pyro.sample("bias", dist.Normal(pyro.param("bias_loc", x.new_zeros(())), 0.1))
    scale = pyro.param("scale_loc", x.new_zeros(()))
    pyro.sample("scale", dist.LogNormal(scale, x.new_full((), 0.1)))


def schools(sigma: torch.Tensor, y: torch.Tensor | None = None) -> torch.Tensor:
    mean = pyro.sample("mean", dist.Normal(sigma.new_zeros(()), 10.0))
    tau = pyro.sample("tau", dist.LogNormal(sigma.new_zeros(()), 1.0))
    with pyro.plate("schools", len(sigma)):
        theta = pyro.sample("theta", dist.Normal(mean, tau))
        return pyro.sample("obs", dist.Normal(theta, sigma), obs=y)


def schools_data(device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    sigma = torch.tensor([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0], device=device)
    return sigma, torch.tensor([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0], device=device)


@infer.config_enumerate
def clusters(data: torch.Tensor) -> torch.Tensor:
    weights = pyro.sample("weights", dist.Dirichlet(0.5 * data.new_ones(2)))
    spread = pyro.sample("spread", dist.LogNormal(data.new_zeros(()), 2.0))
    with pyro.plate("components", 2):
        locs = pyro.sample("locs", dist.Normal(data.new_zeros(()), 10.0))
    with pyro.plate("data", len(data)):
        which = pyro.sample("which", dist.Categorical(weights))
        pyro.sample("obs", dist.Normal(locs[which], spread), obs=data)
    return which


def clusters_data(device: torch.device) -> torch.Tensor:
    return torch.tensor([0.0, 1.0, 10.0, 11.0, 12.0, 0.5], device=device)


def coins(data: torch.Tensor) -> None:
    fairness = pyro.sample("fairness", dist.Beta(data.new_full((), 10.0), data.new_full((), 10.0)))
    with pyro.plate("data", len(data)):
        pyro.sample("obs", dist.Bernoulli(fairness), obs=data)


def coins_guide(data: torch.Tensor) -> None:
    alpha = pyro.param("alpha", data.new_tensor(15.0), constraint=constraints.positive)
    beta = pyro.param("beta", data.new_tensor(15.0), constraint=constraints.positive)
    pyro.sample("fairness", dist.Beta(alpha, beta))


def coins_data(device: torch.device) -> torch.Tensor:
    return torch.tensor([1.0] * 6 + [0.0] * 4, device=device)


def chain(data: torch.Tensor) -> None:
    step = pyro.sample("step", dist.Dirichlet(data.new_ones(3, 3)).to_event(1))
    locs = pyro.param("locs", lambda: data.new_tensor([-1.0, 0.0, 1.0]))
    state = 0
    for time in pyro.markov(range(len(data))):
        state = pyro.sample(f"state_{time}", dist.Categorical(step[state]), infer={"enumerate": "parallel"})
        pyro.sample(f"obs_{time}", dist.Normal(locs[state], 1.0), obs=data[time])


def chain_guide(data: torch.Tensor) -> None:
    probs = pyro.param("probs", lambda: data.new_ones(3, 3) / 3, constraint=constraints.simplex)
    pyro.sample("step", dist.Delta(probs, event_dim=2))


def steps(svi: infer.SVI, *args: torch.Tensor, count: int = 2) -> None:
    for _ in range(count):
        svi.step(*args)
    svi.evaluate_loss(*args)


# Primitives, modules and handlers


@uses.add
def primitives(device: torch.device) -> None:
    pyro.clear_param_store()
    pyro.set_rng_seed(0)
    data = normal(device, 8)
    with pyro.plate("data", 8, subsample_size=4, device=device) as chosen:
        batch = pyro.subsample(data, event_dim=0)
        pyro.sample("x", dist.Normal(batch, 1.0), obs=data[chosen])
    for i in pyro.plate("each", 3):
        pyro.sample(f"y_{i}", dist.Normal(data[i], 1.0))
    with pyro.plate_stack("stack", (2, 3)):
        pyro.sample("z", dist.Normal(data.new_zeros(()), 1.0))
    pyro.deterministic("double", 2 * data)
    pyro.factor("factor", data.sum())
    pyro.barrier(data)


@uses.add
def parameter_store(device: torch.device) -> None:
    pyro.clear_param_store()
    store = pyro.get_param_store()
    pyro.param("loc", normal(device, 3))
    pyro.param("scale", positive(device, 3), constraint=constraints.positive)
    pyro.param("probs", lambda: positive(device, 3).softmax(-1), constraint=constraints.simplex)
    linear = torch.nn.Linear(3, 2).to(device)
    pyro.module("linear", linear)
    store["loc"] = normal(device, 3)
    for _, value in store.named_parameters():
        value.sum()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "params")
        store.save(path)
        pyro.clear_param_store()
        store.load(path, map_location=device)
    pyro.module("linear", linear, update_module_params=True)
    state = store.get_state()
    with store.scope(state):
        pyro.param("loc")
    store.setdefault("more", normal(device, 1), constraint=constraints.real)
    store.match("l.*")
    del store["loc"]


class Network(PyroModule):
    """A Bayesian network, with priors on some parameters and constraints on others."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = PyroModule[torch.nn.Linear](3, 4)
        self.out = PyroModule[torch.nn.Linear](4, 1)
        self.scale = PyroParam(torch.tensor(1.0), constraint=constraints.positive)
        self.register_buffer("zero", torch.zeros(()))
        self.hidden.weight = PyroSample(lambda _: dist.Normal(self.zero, 1.0).expand([4, 3]).to_event(2))
        self.shift = PyroSample(lambda _: dist.Normal(self.zero, self.scale))

    @nn.pyro_method
    def features(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.hidden(x))

    def forward(self, x: torch.Tensor, y: torch.Tensor | None = None) -> torch.Tensor:
        mean = self.out(self.features(x)).squeeze(-1) + self.shift
        with pyro.plate("data", len(x)):
            pyro.sample("obs", dist.Normal(mean, self.scale), obs=y)
        return mean


@uses.add
def bayesian_module(device: torch.device) -> None:
    pyro.clear_param_store()
    model = Network().to(device)
    data = regression_data(device)
    guide = autoguide.AutoDiagonalNormal(model)
    steps(infer.SVI(model, guide, optim.Adam({"lr": 0.01}), infer.Trace_ELBO()), *data)
    predictive = infer.Predictive(model, guide=guide, num_samples=4, return_sites=("obs", "_RETURN"))
    predictive(data[0])
    model.state_dict()
    dict(model.named_pyro_params())


@uses.add
def local_parameters(device: torch.device) -> None:
    data = regression_data(device)
    with pyro.settings.context(module_local_params=True):
        model = Network().to(device)
        guide = autoguide.AutoNormal(model)
        loss = infer.Trace_ELBO()(model, guide)
        loss(*data)
        optimizer = torch.optim.Adam(loss.parameters(), lr=0.01)
        for _ in range(2):
            optimizer.zero_grad()
            loss(*data).backward()
            optimizer.step()


@uses.add
def converted_module(device: torch.device) -> None:
    pyro.clear_param_store()
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1)).to(device)
    nn.module.to_pyro_module_(model)
    zero, one = torch.zeros((), device=device), torch.ones((), device=device)
    for part in model.modules():
        for name, value in list(part.named_parameters(recurse=False)):
            setattr(part, name, PyroSample(dist.Normal(zero, one).expand(value.shape).to_event(value.dim())))
    poutine.trace(model).get_trace(normal(device, 5, 3)).log_prob_sum()
    nn.PyroModuleList([PyroModule[torch.nn.Linear](2, 2).to(device)])[0](normal(device, 1, 2))


@uses.add
def recurrent_module(device: torch.device) -> None:
    pyro.clear_param_store()
    model = PyroModule[torch.nn.GRU](3, 4).to(device)
    zero = torch.zeros((), device=device)
    model.weight_ih_l0 = PyroSample(dist.Normal(zero, 0.1).expand(model.weight_ih_l0.shape).to_event(2))
    poutine.trace(model).get_trace(normal(device, 5, 2, 3))
    nn.module.clear(model)


@uses.add
def networks(device: torch.device) -> None:
    x, context = normal(device, 6, 4), normal(device, 6, 2)
    nn.AutoRegressiveNN(4, [8, 8], param_dims=[1, 1], skip_connections=True).to(device)(x)
    nn.ConditionalAutoRegressiveNN(4, 2, [8]).to(device)(x, context)
    nn.DenseNN(4, [8], param_dims=[2, 3]).to(device)(x)
    nn.ConditionalDenseNN(4, 2, [8], param_dims=[4]).to(device)(x, context)
    nn.MaskedLinear(4, 3, torch.ones(3, 4)).to(device)(x)


@uses.add
def tracing(device: torch.device) -> None:
    x, y = regression_data(device)
    trace = poutine.trace(regression).get_trace(x, y)
    trace.compute_log_prob()
    trace.log_prob_sum(lambda name, site: name != "bias").item()
    trace.compute_score_parts()
    trace.pack_tensors()
    trace.format_shapes()
    trace.detach_()
    _ = trace.stochastic_nodes, trace.observation_nodes, trace.param_nodes, trace.reparameterized_nodes
    trace.copy()
    replayed = poutine.trace(poutine.replay(regression, trace=trace)).get_trace(x, y)
    replayed.symbolize_dims()
    graph = poutine.trace(regression, graph_type="dense").get_trace(x, y)
    graph.topological_sort(), list(graph.predecessors("obs"))


@uses.add
def handlers(device: torch.device) -> None:
    x, y = regression_data(device)
    known = {"weight": normal(device, 3), "bias": zeros(device, 1).sum()}
    made = {
        "condition": poutine.condition(regression, data=known),
        "do": poutine.do(regression, data=known),
        "block": poutine.block(regression, hide=["weight"]),
        "block expose": poutine.block(regression, expose=["weight"]),
        "mask": poutine.mask(regression, mask=False),
        "scale": poutine.scale(regression, scale=0.5),
        "seed": poutine.seed(regression, rng_seed=1),
        "uncondition": poutine.uncondition(regression),
        "infer_config": poutine.infer_config(regression, config_fn=lambda site: {"name": site["name"]}),
        "broadcast": poutine.broadcast(regression),
        "equalize": poutine.equalize(regression, ["bias"]),
        "collapse": poutine.unwrap(regression),
    }
    for one in made.values():
        poutine.trace(one).get_trace(x, y).log_prob_sum()


@uses.add
def lifted_and_substituted(device: torch.device) -> None:
    pyro.clear_param_store()

    def model() -> torch.Tensor:
        loc = pyro.param("loc", torch.zeros(3, device=device))
        return pyro.sample("x", dist.Normal(loc, 1.0).to_event(1))

    prior = dist.Normal(torch.zeros(3, device=device), 1.0).to_event(1)
    poutine.trace(poutine.lift(model, prior={"loc": prior})).get_trace().log_prob_sum()
    pyro.clear_param_store()
    poutine.trace(poutine.substitute(model, data={"loc": normal(device, 3)})).get_trace()
    pyro.random_module("linear", torch.nn.Linear(2, 1).to(device), {})


@uses.add
def masked_and_markov(device: torch.device) -> None:
    mask = torch.tensor([True, False, True], device=device)

    @pyro.markov(history=1)
    def step(state: torch.Tensor, i: int) -> torch.Tensor:
        return pyro.sample(f"x_{i}", dist.Normal(state, 1.0).to_event(1))

    def model() -> None:
        with poutine.mask(mask=mask), pyro.plate("data", 3):
            poutine.get_mask()
            pyro.sample("y", dist.Normal(torch.zeros(3, device=device), 1.0), obs=mask.float())
        state = torch.zeros(2, device=device)
        for i in range(3):
            state = step(state, i)

    poutine.trace(model).get_trace().log_prob_sum()


@uses.add
def queued(device: torch.device) -> None:
    probs = torch.tensor([0.5, 0.5], device=device)

    def model() -> torch.Tensor:
        first = pyro.sample("first", dist.Categorical(probs))
        second = pyro.sample("second", dist.Categorical(probs))
        return first + second

    waiting: LifoQueue[poutine.Trace] = LifoQueue()
    waiting.put(poutine.Trace())
    ready = poutine.trace(poutine.queue(model, queue=waiting, max_tries=100))
    while not waiting.empty():
        ready.get_trace()


@uses.add
def enumerated_traces(device: torch.device) -> None:
    data = clusters_data(device)
    one = poutine.trace(poutine.enum(clusters, first_available_dim=-2)).get_trace(data)
    one.compute_log_prob()
    one.pack_tensors()
    found = infer.enum.iter_discrete_traces("flat", lambda: pyro.sample("x", dist.Bernoulli(data.new_tensor(0.5))))
    list(found)


@uses.add
def inspected(device: torch.device) -> None:
    x, y = regression_data(device)
    infer.inspect.get_dependencies(regression, (x, y))
    relations = infer.inspect.get_model_relations(regression, (x, y))
    infer.inspect.generate_graph_specification(relations)


@uses.add
def checks(device: torch.device) -> None:
    pyro.enable_validation(True)
    x, y = regression_data(device)
    model = poutine.trace(regression).get_trace(x, y)
    guide = poutine.trace(regression_guide).get_trace(x, y)
    pyro.util.check_model_guide_match(model, guide)
    pyro.util.check_traces_match(model, poutine.trace(regression).get_trace(x, y))
    pyro.util.warn_if_nan(x, "x")
    pyro.util.warn_if_inf(x, "x")
    pyro.util.torch_isnan(x.sum()), pyro.util.torch_isinf(x.sum())
    pyro.util.set_rng_state(pyro.util.get_rng_state())
    pyro.settings.get()


# Stochastic variational inference

LOSSES: dict[str, Callable[[], infer.ELBO]] = {
    "Trace_ELBO": lambda: infer.Trace_ELBO(),
    "Trace_ELBO particles": lambda: infer.Trace_ELBO(num_particles=3, vectorize_particles=True, max_plate_nesting=1),
    "TraceGraph_ELBO": lambda: infer.TraceGraph_ELBO(num_particles=2),
    "TraceMeanField_ELBO": lambda: infer.TraceMeanField_ELBO(),
    "TraceEnum_ELBO": lambda: infer.TraceEnum_ELBO(max_plate_nesting=1),
    "RenyiELBO": lambda: infer.RenyiELBO(alpha=0.5, num_particles=3, vectorize_particles=True, max_plate_nesting=1),
    "ReweightedWakeSleep": lambda: infer.ReweightedWakeSleep(num_particles=3, max_plate_nesting=1),
    "JitTrace_ELBO": lambda: infer.JitTrace_ELBO(ignore_jit_warnings=True),
    "JitTraceMeanField_ELBO": lambda: infer.JitTraceMeanField_ELBO(ignore_jit_warnings=True),
    "JitTraceGraph_ELBO": lambda: infer.JitTraceGraph_ELBO(ignore_jit_warnings=True),
}


def loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        pyro.clear_param_store()
        data = regression_data(device)
        loss = LOSSES[name]()
        steps(infer.SVI(regression, regression_guide, optim.ClippedAdam({"lr": 0.01}), loss), *data)

    return use


uses.add_each("loss", LOSSES, loss_use)


@uses.add
def loss_energy_distance(device: torch.device) -> None:
    pyro.clear_param_store()
    data = regression_data(device)
    loss = infer.EnergyDistance(num_particles=2, prior_scale=0.1, max_plate_nesting=2)
    loss(regression, regression_guide, *data).backward()


@uses.add
def loss_tail_adaptive(device: torch.device) -> None:
    pyro.clear_param_store()
    loss = infer.TraceTailAdaptive_ELBO(num_particles=3, vectorize_particles=True, max_plate_nesting=1)
    svi = infer.SVI(regression, regression_guide, optim.Adam({"lr": 0.01}), loss)
    for _ in range(2):
        svi.step(*regression_data(device))


@uses.add
def loss_mmd(device: torch.device) -> None:
    pyro.clear_param_store()
    kernel = {
        name: gp.kernels.RBF(input_dim=size).to(device) for name, size in (("weight", 3), ("bias", 1), ("scale", 1))
    }
    data = regression_data(device)
    loss = infer.Trace_MMD(kernel, num_particles=4, max_plate_nesting=1)
    steps(infer.SVI(regression, regression_guide, optim.Adam({"lr": 0.01}), loss), *data)


@uses.add
def loss_score_function(device: torch.device) -> None:
    pyro.clear_param_store()

    def model() -> None:
        which = pyro.sample("which", dist.Bernoulli(torch.tensor(0.3, device=device)))
        pyro.sample("obs", dist.Normal(which, 1.0), obs=torch.tensor(0.8, device=device))

    def guide() -> None:
        probs = pyro.param("probs", torch.tensor(0.5, device=device), constraint=constraints.unit_interval)
        baseline = {"use_decaying_avg_baseline": True, "baseline_beta": 0.9}
        pyro.sample("which", dist.Bernoulli(probs), infer={"baseline": baseline})

    for loss in (infer.Trace_ELBO(), infer.TraceGraph_ELBO()):
        steps(infer.SVI(model, guide, optim.SGD({"lr": 0.01}), loss))


@uses.add
def enumerated_clusters(device: torch.device) -> None:
    pyro.clear_param_store()
    data = clusters_data(device)
    guide = autoguide.AutoDelta(poutine.block(clusters, expose=["weights", "locs", "spread"]))
    loss = infer.TraceEnum_ELBO(max_plate_nesting=1)
    svi = infer.SVI(clusters, guide, optim.Adam({"lr": 0.1, "betas": (0.8, 0.99)}), loss)
    steps(svi, data)
    loss.compute_marginals(clusters, guide, data)
    loss.sample_posterior(clusters, guide, data)
    learned = poutine.replay(clusters, trace=poutine.trace(guide).get_trace(data))
    infer.infer_discrete(learned, temperature=0, first_available_dim=-2)(data)
    infer.infer_discrete(learned, temperature=1, first_available_dim=-2)(data)


@uses.add
def enumerated_chain(device: torch.device) -> None:
    pyro.clear_param_store()
    data = normal(device, 5)
    for loss in (infer.TraceEnum_ELBO(max_plate_nesting=0), infer.JitTraceEnum_ELBO(max_plate_nesting=0)):
        steps(infer.SVI(chain, chain_guide, optim.Adam({"lr": 0.1}), loss), data)


@uses.add
def tensor_monte_carlo(device: torch.device) -> None:
    pyro.clear_param_store()
    data = coins_data(device)
    guide = infer.config_enumerate(coins_guide, default="parallel", num_samples=4, expand=False)
    loss = infer.TraceTMC_ELBO(max_plate_nesting=1)
    loss.differentiable_loss(coins, guide, data).backward()


@uses.add
def guide_enumeration(device: torch.device) -> None:
    pyro.clear_param_store()

    def guide(data: torch.Tensor) -> None:
        probs = pyro.param("probs", lambda: data.new_ones(len(data), 2) / 2, constraint=constraints.simplex)
        with pyro.plate("data", len(data)):
            pyro.sample("which", dist.Categorical(probs))

    def model(data: torch.Tensor) -> None:
        with pyro.plate("data", len(data)):
            which = pyro.sample("which", dist.Categorical(data.new_tensor([0.4, 0.6])))
            pyro.sample("obs", dist.Normal(which.to(data.dtype), 1.0), obs=data)

    data = clusters_data(device)
    for default in ("sequential", "parallel"):
        made = infer.config_enumerate(guide, default=default)
        loss = infer.TraceEnum_ELBO(max_plate_nesting=1)
        few = data if default == "parallel" else data[:1]
        pyro.clear_param_store()
        steps(infer.SVI(model, made, optim.Adam({"lr": 0.1}), loss), few)


OPTIMIZERS = (
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "ASGD",
    "NAdam",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SGD",
    "AdagradRMSProp",
    "ClippedAdam",
    "DCTAdam",
)


def optimizer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        pyro.clear_param_store()
        data = regression_data(device)
        optimizer = getattr(optim, name)({} if name == "AdagradRMSProp" else {"lr": 0.01})
        svi = infer.SVI(regression, regression_guide, optimizer, infer.Trace_ELBO())
        steps(svi, *data)
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "optimizer")
            optimizer.save(path)
            optimizer.load(path, map_location=device)
        steps(svi, *data, count=1)

    return use


uses.add_each("optimizer", OPTIMIZERS, optimizer_use)


@uses.add
def clipped_optimizer(device: torch.device) -> None:
    pyro.clear_param_store()

    def rate(name: str) -> dict[str, float]:
        return {"lr": 0.1 if name == "bias_loc" else 0.01}

    optimizer = optim.PyroOptim(torch.optim.Adam, rate, {"clip_norm": 10.0})
    steps(infer.SVI(regression, regression_guide, optimizer, infer.Trace_ELBO()), *regression_data(device))


SCHEDULERS = {
    "ExponentialLR": {"gamma": 0.9},
    "StepLR": {"step_size": 1},
    "CosineAnnealingLR": {"T_max": 3},
    "MultiStepLR": {"milestones": [1, 2]},
    "ReduceLROnPlateau": {"patience": 1},
    "OneCycleLR": {"max_lr": 0.1, "total_steps": 6},
}


def scheduler_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        pyro.clear_param_store()
        data = regression_data(device)
        plan = {"optimizer": torch.optim.SGD, "optim_args": {"lr": 0.01}, **SCHEDULERS[name]}
        scheduler = getattr(optim, name)(plan, {"clip_norm": 5.0})
        svi = infer.SVI(regression, regression_guide, scheduler, infer.Trace_ELBO())
        for _ in range(3):
            loss = svi.step(*data)
            scheduler.step(*((loss,) if name == "ReduceLROnPlateau" else ()))

    return use


uses.add_each("scheduler", SCHEDULERS, scheduler_use)


@uses.add
def several_optimizers(device: torch.device) -> None:
    def loss_of(params: dict[str, torch.Tensor]) -> torch.Tensor:
        return (params["x"] ** 2).sum() + (params["y"] - 1).pow(2).sum() + (params["x"] * params["y"]).sum()

    params = {name: normal(device, 2).requires_grad_() for name in "xy"}
    apart = (params["x"] ** 2).sum() + (params["y"] - 1).pow(2).sum()
    mixed = optim.multi.MixedMultiOptimizer([(["x"], optim.Adam({"lr": 0.1})), (["y"], optim.multi.Newton())])
    mixed.step(apart, params)
    params = {name: normal(device, 2).requires_grad_() for name in "xy"}
    optim.multi.TorchMultiOptimizer(torch.optim.Adam, {"lr": 0.1}).step(loss_of(params), params)
    params = {"x": normal(device, 2).requires_grad_()}
    optim.multi.Newton(trust_radii={"x": 1.0}).get_step((params["x"] ** 2).sum(), params)


# Automatic guides

GUIDES: dict[str, Callable[[Callable[..., object]], autoguide.AutoGuide]] = {
    "AutoDelta": lambda model: autoguide.AutoDelta(model),
    "AutoNormal": lambda model: autoguide.AutoNormal(model, init_loc_fn=autoguide.init_to_mean),
    "AutoDiagonalNormal": lambda model: autoguide.AutoDiagonalNormal(model, init_loc_fn=autoguide.init_to_sample),
    "AutoMultivariateNormal": lambda model: autoguide.AutoMultivariateNormal(model, init_scale=0.05),
    "AutoLowRankMultivariateNormal": lambda model: autoguide.AutoLowRankMultivariateNormal(model, rank=2),
    "AutoStructured": lambda model: autoguide.AutoStructured(model),
    "AutoStructured flexible": lambda model: autoguide.AutoStructured(
        model,
        conditionals={"mean": "normal", "tau": "delta", "theta": "mvn"},
        dependencies={"theta": {"mean": "linear"}},
    ),
    "AutoGaussian": lambda model: autoguide.AutoGaussian(model),
    "AutoNormalMessenger": lambda model: autoguide.AutoNormalMessenger(model),
    "AutoHierarchicalNormalMessenger": lambda model: autoguide.AutoHierarchicalNormalMessenger(model),
}


def guide_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        pyro.clear_param_store()
        data = schools_data(device)
        guide = GUIDES[name](schools)
        steps(infer.SVI(schools, guide, optim.Adam({"lr": 0.01}), infer.Trace_ELBO()), *data)
        with contextlib.suppress(NotImplementedError):
            guide.median(*data)
        if hasattr(guide, "quantiles") and name not in ("AutoStructured", "AutoStructured flexible", "AutoGaussian"):
            with contextlib.suppress(NotImplementedError):
                guide.quantiles([0.1, 0.5, 0.9], *data)
        if hasattr(guide, "sample_latent"):
            guide.sample_latent(*data)
        infer.Predictive(schools, guide=guide, num_samples=3)(data[0])

    return use


uses.add_each("guide", GUIDES, guide_use)


@uses.add
def guide_laplace(device: torch.device) -> None:
    pyro.clear_param_store()
    data = coins_data(device)
    guide = autoguide.AutoLaplaceApproximation(coins)
    steps(infer.SVI(coins, guide, optim.Adam({"lr": 0.01}), infer.Trace_ELBO()), data)
    found = guide.laplace_approximation(data)
    found.get_posterior()
    found.quantiles([0.1, 0.9], data)


@uses.add
def guide_flows(device: torch.device) -> None:
    data = schools_data(device)
    made = [
        autoguide.AutoIAFNormal(schools, hidden_dim=[16], num_transforms=2),
        autoguide.AutoNormalizingFlow(schools, lambda size: flows.affine_coupling(size, [8])),
    ]
    with device:
        for guide in made:
            pyro.clear_param_store()
            steps(infer.SVI(schools, guide, optim.Adam({"lr": 0.01}), infer.Trace_ELBO()), *data)
            guide.get_base_dist()
            guide.get_posterior()


@uses.add
def guide_parts(device: torch.device) -> None:
    pyro.clear_param_store()
    data = regression_data(device)
    guide = autoguide.AutoGuideList(regression)
    guide.append(autoguide.AutoDiagonalNormal(poutine.block(regression, expose=["weight"])))
    guide.append(autoguide.AutoDelta(poutine.block(regression, expose=["bias", "scale"])))
    steps(infer.SVI(regression, guide, optim.Adam({"lr": 0.01}), infer.Trace_ELBO()), *data)
    guide.median(*data)


@uses.add
def guide_discrete(device: torch.device) -> None:
    pyro.clear_param_store()
    data = clusters_data(device)
    guide = autoguide.AutoGuideList(clusters)
    guide.append(autoguide.AutoDelta(poutine.block(clusters, expose=["weights", "locs", "spread"])))
    guide.append(autoguide.AutoDiscreteParallel(poutine.block(clusters, expose=["which"])))
    loss = infer.TraceEnum_ELBO(max_plate_nesting=1)
    steps(infer.SVI(clusters, guide, optim.Adam({"lr": 0.01}), loss), data)


@uses.add
def guide_regressive(device: torch.device) -> None:
    pyro.clear_param_store()
    data = schools_data(device)

    class Guide(autoguide.AutoRegressiveMessenger):
        def get_posterior(self, name: str, prior: dist.Distribution) -> torch.Tensor | dist.Distribution:
            return super().get_posterior(name, prior)

    guide = Guide(schools)
    guide(*data)
    steps(infer.SVI(schools, guide.to(device), optim.Adam({"lr": 0.01}), infer.Trace_ELBO()), *data)


@uses.add
def guide_subsampled(device: torch.device) -> None:
    pyro.clear_param_store()

    def model(data: torch.Tensor) -> None:
        with pyro.plate("data", len(data), subsample_size=4, device=device):
            batch = pyro.subsample(data, event_dim=0)
            local = pyro.sample("local", dist.Normal(data.new_zeros(()), 1.0))
            pyro.sample("obs", dist.Normal(local, 1.0), obs=batch)

    def plates(data: torch.Tensor) -> pyro.plate:
        return pyro.plate("data", len(data), subsample_size=4, device=device)

    for kind in (autoguide.AutoNormal, autoguide.AutoDelta):
        pyro.clear_param_store()
        guide = kind(model, create_plates=plates)
        optimizer = optim.DCTAdam({"lr": 0.01, "subsample_aware": True})
        steps(infer.SVI(model, guide, optimizer, infer.Trace_ELBO()), normal(device, 10))


@uses.add
def guide_starts(device: torch.device) -> None:
    data = regression_data(device)
    values = {"bias": torch.zeros((), device=device)}
    for start in (
        autoguide.init_to_feasible,
        autoguide.init_to_uniform(radius=1.0),
        autoguide.init_to_median(num_samples=5),
        autoguide.init_to_value(values=values),
        autoguide.init_to_generated(generate=lambda: autoguide.init_to_value(values=values)),
    ):
        pyro.clear_param_store()
        autoguide.AutoNormal(regression, init_loc_fn=start)(*data)
    with initialization.InitMessenger(autoguide.init_to_mean):
        regression(*data)


@uses.add
def guide_callable(device: torch.device) -> None:
    pyro.clear_param_store()
    data = coins_data(device)
    guide = autoguide.AutoCallable(coins, coins_guide, lambda data: {"fairness": pyro.param("alpha")})
    steps(infer.SVI(coins, guide, optim.Adam({"lr": 0.01}), infer.TraceMeanField_ELBO()), data)
    guide.median(data)
    autoguide.mean_field_entropy(coins_guide, (data,))


@uses.add
def guide_easy(device: torch.device) -> None:
    pyro.clear_param_store()
    x, y = regression_data(device)

    @easyguide.easy_guide(regression)
    def guide(self: easyguide.EasyGuide, x: torch.Tensor, y: torch.Tensor | None = None) -> None:
        group = self.group(match="weight|bias")
        loc = pyro.param("loc", x.new_zeros(group.event_shape))
        group.sample("both", dist.Normal(loc, 0.1).to_event(1))
        self.map_estimate("scale")

    steps(infer.SVI(regression, guide, optim.Adam({"lr": 0.01}), infer.Trace_ELBO()), x, y)


# Reparametrisation


REPARAMS: dict[str, tuple[Made, Callable[[], object]]] = {
    "LocScale": (lambda d: dist.Normal(normal(d, 4), positive(d, 4)), reparam.LocScaleReparam),
    "LocScale decentered": (lambda d: dist.StudentT(4.0, normal(d, 4)), lambda: reparam.LocScaleReparam(0.0, ["df"])),
    "Transform": (
        lambda d: dist.TransformedDistribution(dist.Normal(zeros(d, 4), 1.0), [flows.AffineTransform(1.0, 2.0)]),
        reparam.TransformReparam,
    ),
    "StudentT": (lambda d: dist.StudentT(scalar(d, 3.0), normal(d, 4), positive(d, 4)), reparam.StudentTReparam),
    "Stable": (
        lambda d: dist.Stable(scalar(d, 1.5), scalar(d, 0.2), positive(d, 4), normal(d, 4)),
        reparam.StableReparam,
    ),
    "SymmetricStable": (
        lambda d: dist.Stable(scalar(d, 1.5), scalar(d, 0.0), positive(d, 4), normal(d, 4)),
        reparam.SymmetricStableReparam,
    ),
    "LatentStable": (
        lambda d: dist.Stable(scalar(d, 1.5), scalar(d, 0.2), positive(d, 4), normal(d, 4)),
        reparam.LatentStableReparam,
    ),
    "ProjectedNormal": (lambda d: dist.ProjectedNormal(normal(d, 4, 3)), reparam.ProjectedNormalReparam),
    "GumbelSoftmax": (
        lambda d: dist.RelaxedOneHotCategorical(scalar(d, 0.5), logits=normal(d, 4, 3)),
        reparam.GumbelSoftmaxReparam,
    ),
    "Haar": (lambda d: dist.Normal(normal(d, 8), 1.0).to_event(1), lambda: reparam.HaarReparam(dim=-1)),
    "DiscreteCosine": (
        lambda d: dist.Normal(normal(d, 8), 1.0).to_event(1),
        lambda: reparam.DiscreteCosineReparam(dim=-1, smooth=0.5),
    ),
    "Split": (lambda d: dist.Normal(normal(d, 6), 1.0).to_event(1), lambda: reparam.SplitReparam([2, 4], dim=-1)),
    "UnitJacobian": (
        lambda d: dist.Normal(normal(d, 4), 1.0).to_event(1),
        lambda: reparam.UnitJacobianReparam(flows.HaarTransform(dim=-1), "moved"),
    ),
    "LinearHMM": (
        lambda d: dist.LinearHMM(
            dist.StudentT(scalar(d, 4.0), zeros(d, 2), 1.0).to_event(1),
            0.5 * torch.eye(2, device=d),
            dist.StudentT(scalar(d, 4.0), zeros(d, 5, 2), 1.0).to_event(1),
            torch.eye(2, device=d),
            dist.StudentT(scalar(d, 4.0), zeros(d, 5, 2), 1.0).to_event(1),
            duration=5,
        ),
        lambda: reparam.LinearHMMReparam(
            init=reparam.StudentTReparam(), trans=reparam.StudentTReparam(), obs=reparam.StudentTReparam()
        ),
    ),
}


def reparam_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        pyro.clear_param_store()
        made, how = REPARAMS[name]
        one = made(device)

        def model() -> torch.Tensor:
            if one.batch_shape:
                with pyro.plate("data", one.batch_shape[0]):
                    return pyro.sample("x", one)
            return pyro.sample("x", one)

        changed = poutine.reparam(model, config={"x": how()})
        with initialization.InitMessenger(autoguide.init_to_feasible):
            poutine.trace(changed).get_trace().log_prob_sum()
            poutine.trace(
                poutine.reparam(model, config=lambda site: how() if site["name"] == "x" else None)
            ).get_trace()
        if name != "LinearHMM":
            guide = autoguide.AutoNormal(changed)
            steps(infer.SVI(changed, guide, optim.Adam({"lr": 0.01}), infer.Trace_ELBO()), count=1)

    return use


uses.add_each("reparam", REPARAMS, reparam_use)


@uses.add
def reparam_from_guides(device: torch.device) -> None:
    data = schools_data(device)
    for guide, how in (
        (autoguide.AutoMultivariateNormal(schools), reparam.NeuTraReparam),
        (autoguide.AutoStructured(schools), reparam.StructuredReparam),
    ):
        pyro.clear_param_store()
        steps(infer.SVI(schools, guide, optim.Adam({"lr": 0.01}), infer.Trace_ELBO()), *data)
        neutra = how(guide)
        changed = neutra.reparam(schools)
        trace = poutine.trace(changed).get_trace(*data)
        trace.log_prob_sum()


@uses.add
def reparam_conjugate(device: torch.device) -> None:
    pyro.clear_param_store()
    total, counts = scalar(device, 10.0), torch.tensor([3.0, 4.0, 6.0], device=device)

    def guess(counts: torch.Tensor) -> dist.Distribution:
        return dist.Beta(counts + 1, total - counts + 1)

    def model(counts: torch.Tensor) -> None:
        with pyro.plate("data", 3):
            prob = pyro.sample("prob", dist.Beta(scalar(device, 2.0), scalar(device, 3.0)))
            pyro.sample("counts", dist.Binomial(total, prob), obs=counts)

    changed = poutine.reparam(model, config={"prob": reparam.ConjugateReparam(guess)})
    poutine.trace(changed).get_trace(counts).log_prob_sum()


@uses.add
def reparam_strategies(device: torch.device) -> None:
    data = schools_data(device)
    for strategy in (reparam.AutoReparam(), reparam.AutoReparam(centered=0.0), reparam.MinimalReparam()):
        pyro.clear_param_store()
        changed = poutine.reparam(schools, config=strategy)
        guide = autoguide.AutoNormal(changed)
        steps(infer.SVI(changed, guide, optim.Adam({"lr": 0.01}), infer.Trace_ELBO()), *data, count=1)


# Markov chain Monte Carlo and other inference


def sampled(kernel: infer.mcmc.mcmc_kernel.MCMCKernel, *args: torch.Tensor) -> infer.MCMC:
    mcmc = infer.MCMC(kernel, num_samples=4, warmup_steps=4, disable_progbar=True)
    mcmc.run(*args)
    return mcmc


@uses.add
def mcmc_nuts(device: torch.device) -> None:
    pyro.clear_param_store()
    data = coins_data(device)
    mcmc = sampled(infer.NUTS(coins, max_tree_depth=3), data)
    samples = mcmc.get_samples()
    mcmc.get_samples(num_samples=2, group_by_chain=True)
    mcmc.diagnostics()
    infer.Predictive(coins, samples)(data)


@uses.add
def mcmc_nuts_options(device: torch.device) -> None:
    data = schools_data(device)
    kernel = infer.NUTS(schools, full_mass=True, max_tree_depth=3, use_multinomial_sampling=False)
    sampled(kernel, *data)
    sampled(infer.NUTS(schools, full_mass=[("mean", "tau")], max_tree_depth=2, adapt_step_size=False), *data)


@uses.add
def mcmc_hmc(device: torch.device) -> None:
    data = coins_data(device)
    mcmc = sampled(infer.HMC(coins, step_size=0.05, num_steps=3), data)
    mcmc.summary()
    sampled(infer.HMC(coins, step_size=0.05, trajectory_length=0.2, init_strategy=autoguide.init_to_median), data)


@uses.add
def mcmc_jit(device: torch.device) -> None:
    data = coins_data(device)
    sampled(infer.HMC(coins, step_size=0.05, num_steps=2, jit_compile=True, ignore_jit_warnings=True), data)


@uses.add
def mcmc_enumerated(device: torch.device) -> None:
    pyro.clear_param_store()
    sampled(infer.NUTS(clusters, max_plate_nesting=1, max_tree_depth=2), clusters_data(device))
    sampled(infer.HMC(chain, max_plate_nesting=0, num_steps=2), normal(device, 4))


@uses.add
def mcmc_random_walk(device: torch.device) -> None:
    sampled(infer.RandomWalkKernel(coins), coins_data(device))


@uses.add
def mcmc_potential(device: torch.device) -> None:
    def potential(params: dict[str, torch.Tensor]) -> torch.Tensor:
        return 0.5 * (params["x"] ** 2).sum()

    start = {"x": normal(device, 3)}
    mcmc = infer.MCMC(
        infer.NUTS(potential_fn=potential, max_tree_depth=3),
        num_samples=4,
        warmup_steps=4,
        initial_params=start,
        disable_progbar=True,
        hook_fn=lambda kernel, samples, stage, i: None,
    )
    mcmc.run()
    infer.mcmc.util.summary({"x": mcmc.get_samples(group_by_chain=True)["x"].expand(2, -1, -1)})
    ops.integrator.velocity_verlet(start, {"x": normal(device, 3)}, potential, lambda r: r, 0.1, num_steps=2)


@uses.add
def mcmc_streaming(device: torch.device) -> None:
    statistics = ops.streaming.StatsOfDict(default=ops.streaming.CountMeanVarianceStats)
    mcmc = infer.mcmc.StreamingMCMC(
        infer.NUTS(coins, max_tree_depth=2), num_samples=4, warmup_steps=2, statistics=statistics, disable_progbar=True
    )
    mcmc.run(coins_data(device))
    mcmc.get_statistics()
    mcmc.diagnostics()


@uses.add
def mcmc_utilities(device: torch.device) -> None:
    data = schools_data(device)
    start, potential, _, _ = infer.mcmc.util.initialize_model(schools, model_args=data, num_chains=1)
    potential(start)
    many = {"x": normal(device, 2, 20, 3)}
    infer.mcmc.util.diagnostics(many)
    infer.mcmc.util.select_samples(many, num_samples=3)


@uses.add
def mcmc_adaptation(device: torch.device) -> None:
    for adapter in (infer.mcmc.BlockMassMatrix(), infer.mcmc.ArrowheadMassMatrix()):
        names = ("a", "b")
        arrow = isinstance(adapter, infer.mcmc.ArrowheadMassMatrix)
        adapter.configure({names: (5, 5) if not arrow else (5, 2)}, adapt_mass_matrix=True, options={"device": device})
        prototype = {"a": zeros(device, 2), "b": zeros(device, 3)}
        momenta = {names: normal(device, 5)}
        for _ in range(4):
            adapter.update(
                {"a": normal(device, 2), "b": normal(device, 3)}, {"a": normal(device, 2), "b": momenta[names][2:]}
            )
        adapter.end_adaptation()
        scaled = adapter.scale(momenta, prototype)
        adapter.unscale(scaled)
        adapter.kinetic_grad(scaled)


@uses.add
def importance(device: torch.device) -> None:
    pyro.clear_param_store()
    data = coins_data(device)
    posterior = infer.Importance(coins, guide=coins_guide, num_samples=6).run(data)
    marginal = infer.EmpiricalMarginal(posterior, sites="fairness")
    _ = marginal.mean, marginal.variance, marginal.sample((3,))
    _ = posterior.marginal(["fairness"]).empirical
    posterior.get_ESS()
    posterior.get_log_normalizer()
    posterior.information_criterion()
    infer.TracePredictive(coins, posterior, num_samples=3).run(data)
    infer.importance.psis_diagnostic(coins, coins_guide, data, num_particles=40, max_plate_nesting=1)
    infer.importance.vectorized_importance_weights(coins, coins_guide, data, num_samples=5, max_plate_nesting=1)


@uses.add
def compiled_inference(device: torch.device) -> None:
    pyro.clear_param_store()

    def model(observations: dict[str, torch.Tensor] | None = None) -> torch.Tensor:
        values = observations or {"x": zeros(device, 1).sum()}
        z = pyro.sample("z", dist.Normal(scalar(device, 0.0), 1.0))
        return pyro.sample("x", dist.Normal(z, 0.5), obs=values["x"])

    network = torch.nn.Linear(1, 2).to(device)

    def guide(observations: dict[str, torch.Tensor] | None = None) -> None:
        pyro.module("network", network)
        loc, spread = network(observations["x"].reshape(1))
        pyro.sample("z", dist.Normal(loc, spread.exp()))

    csis = infer.CSIS(model, guide, optim.Adam({"lr": 0.01}), num_inference_samples=4, training_batch_size=3)
    csis.step(observations={"x": scalar(device, 0.3)})
    csis.set_validation_batch()
    csis.validation_loss()
    csis.run(observations={"x": scalar(device, 0.3)})


@uses.add
def predictive(device: torch.device) -> None:
    pyro.clear_param_store()
    data = coins_data(device)
    samples = {"fairness": torch.rand(4, 1, device=device)}
    infer.Predictive(coins, samples, parallel=True)(data)
    infer.Predictive(coins, guide=coins_guide, num_samples=3, parallel=True, return_sites=["fairness"])(data)
    infer.Predictive(coins, num_samples=3).get_vectorized_trace(data)
    weighed = infer.WeighedPredictive(coins, guide=coins_guide, num_samples=6, parallel=True)
    found = weighed(data, model_guide=coins)
    found.get_ESS()
    resampler = infer.MHResampler(weighed, source_samples_slice=slice(4), stored_samples_slice=slice(4))
    for _ in range(2):
        resampler(data, model_guide=coins)
    resampler.get_total_transition_count()


@uses.add
def resampling(device: torch.device) -> None:
    loc = scalar(device, 0.0)

    def guide() -> None:
        pyro.sample("x", dist.Normal(loc, 2.0))

    def model() -> None:
        pyro.sample("x", dist.Normal(loc + 0.5, 1.0))

    resampler = Resampler(guide, num_guide_samples=20, max_plate_nesting=0)
    resampler.sample(model, num_samples=5)
    resampler.sample(model, num_samples=5, stable=False)


class Walk:
    """A random walk that is observed with noise."""

    def init(self, state: dict[str, torch.Tensor], start: torch.Tensor) -> None:
        state["z"] = pyro.sample("z_init", dist.Normal(start, 1.0))
        self.time = 0

    def step(self, state: dict[str, torch.Tensor], seen: torch.Tensor | None = None) -> torch.Tensor:
        self.time += 1
        state["z"] = pyro.sample(f"z_{self.time}", dist.Normal(state["z"], 1.0))
        return pyro.sample(f"y_{self.time}", dist.Normal(state["z"], 0.5), obs=seen)


class WalkGuide:
    """Proposes the steps of a random walk."""

    def init(self, state: dict[str, torch.Tensor], start: torch.Tensor) -> None:
        pyro.sample("z_init", dist.Normal(start, 1.0))
        self.time = 0

    def step(self, state: dict[str, torch.Tensor], seen: torch.Tensor | None = None) -> None:
        self.time += 1
        pyro.sample(f"z_{self.time}", dist.Normal(state["z"], 1.2))


@uses.add
def particle_filter(device: torch.device) -> None:
    smc = infer.SMCFilter(Walk(), WalkGuide(), num_particles=10, max_plate_nesting=0)
    smc.init(start=scalar(device, 0.0))
    for seen in normal(device, 4):
        smc.step(seen)
    found = smc.get_empirical()["z"]
    _ = found.mean, found.variance


@uses.add
def stein(device: torch.device) -> None:
    data = coins_data(device)
    for kernel, mode in ((infer.RBFSteinKernel(), "univariate"), (infer.IMQSteinKernel(), "multivariate")):
        pyro.clear_param_store()
        svgd = infer.SVGD(coins, kernel, optim.Adam({"lr": 0.01}), num_particles=4, max_plate_nesting=1, mode=mode)
        for _ in range(2):
            svgd.step(data)
        svgd.get_named_particles()


# Operations


@uses.add
def ops_statistics(device: torch.device) -> None:
    x = normal(device, 4, 40)
    stats = ops.stats
    stats.gelman_rubin(x), stats.split_gelman_rubin(x), stats.effective_sample_size(x)
    stats.autocorrelation(x, dim=1), stats.autocovariance(x, dim=1)
    stats.resample(x, 5, dim=1), stats.resample(x, 5, dim=1, replacement=True)
    stats.quantile(x, [0.1, 0.9], dim=1), stats.quantile(x, 0.5)
    stats.weighed_quantile(x[0], [0.25, 0.75], normal(device, 40))
    stats.pi(x, 0.9, dim=1), stats.hpdi(x, 0.9, dim=1)
    stats.waic(-positive(device, 10, 6)), stats.waic(-positive(device, 10, 6), pointwise=True)
    stats.fit_generalized_pareto(positive(device, 60))
    stats.crps_empirical(x, normal(device, 40))
    stats.energy_score_empirical(normal(device, 5, 6, 3), normal(device, 5, 3))


@uses.add
def ops_tensors(device: torch.device) -> None:
    tensors = ops.tensor_utils
    x = normal(device, 4, 6)
    tensors.block_diag_embed(normal(device, 2, 3, 3)), tensors.block_diagonal(normal(device, 6, 6), 2)
    tensors.periodic_repeat(x, 10, dim=-1), tensors.periodic_cumsum(x, 3, dim=-1)
    tensors.periodic_features(12, 6, device=device)
    tensors.convolve(x, normal(device, 3)), tensors.convolve(x, normal(device, 3), mode="same")
    tensors.repeated_matmul(0.1 * normal(device, 3, 3), 5)
    tensors.idct(tensors.dct(x)), tensors.inverse_haar_transform(tensors.haar_transform(x))
    matrix = spd(device, 3)
    root = tensors.safe_cholesky(matrix)
    tensors.cholesky_solve(normal(device, 3, 2), root), tensors.precision_to_scale_tril(matrix)
    tensors.triangular_solve(normal(device, 3, 1), root), tensors.safe_normalize(x), tensors.matvecmul(matrix, x[0, :3])
    tensors.as_complex(normal(device, 3, 2))


@uses.add
def ops_linear_algebra(device: torch.device) -> None:
    for size in (1, 2, 3, 4):
        ops.linalg.rinverse(spd(device, size), sym=True)
    ops.linalg.rinverse(spd(device, 3)), ops.linalg.determinant_3d(spd(device, 3)), ops.linalg.eig_3d(spd(device, 3))
    x = normal(device, 2).requires_grad_()
    ops.hessian.hessian((x**4).sum(), x)
    for size in (1, 2, 3):
        point = normal(device, 5, size).requires_grad_()
        ops.newton.newton_step((point**2).sum() + (point**4).sum(), point, trust_radius=1.0)
        ops.newton.newton_step((point**2).sum(), point)


@uses.add
def ops_special(device: torch.device) -> None:
    x, y = positive(device, 5) * 3, positive(device, 5) * 2
    ops.special.safe_log(x), ops.special.log_beta(x, y), ops.special.log_beta(x, y, tol=0.02)
    ops.special.log_binomial(x + 3, y), ops.special.log_binomial(x + 3, y, tol=0.02)
    ops.special.log_I1(3, x, terms=20), ops.special.get_quad_rule(8, x)
    ops.special.sparse_multinomial_likelihood(positive(device, 3), normal(device, 3), positive(device, 3))


@uses.add
def ops_einsum(device: torch.device) -> None:
    x, y, z = normal(device, 2, 3), normal(device, 3, 4), normal(device, 4)
    for backend in ("torch_log", "torch_map", "torch_sample", "torch_marginal"):
        ops.contract.einsum("ab,bc,c->", x, y, z, backend=f"pyro.ops.einsum.{backend}", plates="", modulo_total=True)
    ops.contract.einsum("i,ai,bi->i,", normal(device, 3), x, normal(device, 2, 3), plates="i", modulo_total=True)
    operands = [x.requires_grad_(), y.requires_grad_()]
    for operand in operands:
        ops.einsum.adjoint.require_backward(operand)
    ops.einsum.contract("ab,bc->", *operands, backend="pyro.ops.einsum.torch_map")
    ops.einsum.contract_expression("ab,bc->ac", (2, 3), (3, 4), cache_key="key")


@uses.add
def ops_plates(device: torch.device) -> None:
    x, y, z = normal(device, 2, 3), normal(device, 3, 5), normal(device, 2)
    for backend in ("torch", "pyro.ops.einsum.torch_log", "pyro.ops.einsum.torch_map"):
        ops.contract.ubersum("ai,ib,a->i,", x, y, z, plates="i", backend=backend, modulo_total=True)
    found = ops.contract.einsum("ab,bc->b,c", x, y, backend="pyro.ops.einsum.torch_marginal", modulo_total=True)
    ops.contract.naive_ubersum("ab,bc->b,c", x, y, backend="pyro.ops.einsum.torch_log")
    _ = found


@uses.add
def ops_indexing(device: torch.device) -> None:
    x = normal(device, 4, 5, 6)
    i, j = index(device, 4, 3), index(device, 6, 5)
    ops.indexing.Vindex(x)[i, :, index(device, 6, 2, 1)]
    ops.indexing.Vindex(x)[..., j]
    ops.indexing.Index(x)[0, ...]
    from_graph = ops.packed.pack(x.clone(), {-1: "a", -2: "b", -3: "c"})
    ops.packed.neg(from_graph), ops.packed.exp(from_graph), ops.packed.unpack(from_graph, {"a": -1, "b": -2, "c": -3})


@uses.add
def ops_gaussian(device: torch.device) -> None:
    one = ops.gaussian.mvn_to_gaussian(mvn(device, 5))
    one.condition(normal(device, 2)), one.marginalize(right=2), one.event_permute(torch.randperm(5, device=device))
    one.event_logsumexp(), one.log_density(normal(device, 5)), one.rsample(), one.event_pad(left=1)
    one.expand((2,)).reshape((2, 1)), (one + one)
    matrix = normal(device, 3, 2)
    step = ops.gaussian.matrix_and_mvn_to_gaussian(matrix, mvn(device, 2))
    noise = dist.Normal(zeros(device, 2), 1.0).to_event(1)
    affine = ops.gaussian.matrix_and_mvn_to_gaussian(matrix, noise)
    affine.condition(normal(device, 2)), affine.left_condition(normal(device, 3)), affine.to_gaussian()
    ops.gaussian.gaussian_tensordot(step, ops.gaussian.mvn_to_gaussian(mvn(device, 2)), dims=2)
    many = ops.gaussian.mvn_to_gaussian(mvn(device, 6).expand([5]))
    ops.gaussian.sequential_gaussian_tensordot(many)
    start = ops.gaussian.mvn_to_gaussian(mvn(device, 3))
    ops.gaussian.sequential_gaussian_filter_sample(start, many, (2,))


@uses.add
def ops_streaming(device: torch.device) -> None:
    for kind in ("CountStats", "CountMeanStats", "CountMeanVarianceStats", "StackStats"):
        parts = [getattr(ops.streaming, kind)() for _ in range(2)]
        for part in parts:
            for _ in range(3):
                part.update(normal(device, 4))
        parts[0].merge(parts[1]).get()
    one = ops.streaming.StatsOfDict(types={"x": ops.streaming.CountMeanStats})
    one.update({"x": normal(device, 2), "y": normal(device, 2)})
    one.get()


@uses.add
def ops_adaptation(device: torch.device) -> None:
    for diagonal in (True, False):
        scheme = ops.welford.WelfordCovariance(diagonal=diagonal)
        for _ in range(5):
            scheme.update(normal(device, 3))
        scheme.get_covariance()
    arrow = ops.welford.WelfordArrowheadCovariance(head_size=2)
    for _ in range(5):
        arrow.update(normal(device, 4))
    arrow.get_covariance()
    average = ops.dual_averaging.DualAveraging(prox_center=0.0)
    average.step(0.1)
    average.get_state()


@uses.add
def ops_matern(device: torch.device) -> None:
    for nu in (0.5, 1.5, 2.5):
        kernel = ops.ssm_gp.MaternKernel(nu=nu, num_gps=2).to(device)
        transition, noise = kernel.transition_matrix_and_covariance(dt=0.5)
        _ = transition, noise, kernel.stationary_covariance()


@uses.add
def ops_traced(device: torch.device) -> None:
    @ops.jit.trace(ignore_warnings=True)
    def compiled(x: torch.Tensor) -> torch.Tensor:
        return pyro.param("scale", lambda: torch.ones((), device=device)) * x.sum()

    pyro.clear_param_store()
    compiled(normal(device, 3))
    compiled(normal(device, 3))
    tracked = ops.provenance.track_provenance(normal(device, 3), frozenset({"x"}))
    ops.provenance.get_provenance(tracked * 2)


# Gaussian processes

KERNELS: dict[str, Callable[[], gp.kernels.Kernel]] = {
    "Brownian": lambda: gp.kernels.Brownian(1),
    "Constant": lambda: gp.kernels.Constant(2),
    "Coregionalize": lambda: gp.kernels.Coregionalize(2, rank=1),
    "Cosine": lambda: gp.kernels.Cosine(2),
    "Exponent": lambda: gp.kernels.Exponent(gp.kernels.RBF(2)),
    "Exponential": lambda: gp.kernels.Exponential(2),
    "Linear": lambda: gp.kernels.Linear(2),
    "Matern32": lambda: gp.kernels.Matern32(2),
    "Matern52": lambda: gp.kernels.Matern52(2, lengthscale=torch.ones(2)),
    "Periodic": lambda: gp.kernels.Periodic(2),
    "Polynomial": lambda: gp.kernels.Polynomial(2, degree=2),
    "Product": lambda: gp.kernels.Product(gp.kernels.RBF(2), gp.kernels.Linear(2)),
    "RBF": lambda: gp.kernels.RBF(1, active_dims=[1]),
    "RationalQuadratic": lambda: gp.kernels.RationalQuadratic(2),
    "Sum": lambda: gp.kernels.Sum(gp.kernels.RBF(2), 0.5),
    "VerticalScaling": lambda: gp.kernels.VerticalScaling(gp.kernels.RBF(2), lambda x: x.sum(-1).exp()),
    "Warping": lambda: gp.kernels.Warping(gp.kernels.RBF(2), torch.tanh, [1.0, 0.5]),
    "WhiteNoise": lambda: gp.kernels.WhiteNoise(2),
}


def kernel_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        kernel = KERNELS[name]().to(device)
        x = torch.rand(6, kernel.input_dim if name == "Brownian" else 2, device=device)
        kernel(x), kernel(x, diag=True), kernel(x, x[:3])

    return use


uses.add_each("kernel", KERNELS, kernel_use)


def gp_data(device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.linspace(0, 5, 15, device=device)
    return x, torch.sin(x) + 0.1 * normal(device, 15)


def gp_models(device: torch.device) -> dict[str, gp.models.GPModel]:
    x, y = gp_data(device)
    labels = (y > 0).float()
    inducing = x[::4].clone()
    likelihoods = gp.likelihoods

    def kernel() -> gp.kernels.Kernel:
        return gp.kernels.RBF(1, variance=torch.tensor(2.0), lengthscale=torch.tensor(1.0))

    return {
        "GPRegression": gp.models.GPRegression(x, y, kernel(), noise=torch.tensor(0.1)),
        "SparseGPRegression": gp.models.SparseGPRegression(x, y, kernel(), Xu=inducing, approx="VFE"),
        "SparseGPRegression FITC": gp.models.SparseGPRegression(x, y, kernel(), Xu=inducing, approx="FITC"),
        "VariationalGP": gp.models.VariationalGP(x, labels, kernel(), likelihoods.Binary(), whiten=True),
        "VariationalGP poisson": gp.models.VariationalGP(x, labels, kernel(), likelihoods.Poisson()),
        "VariationalSparseGP": gp.models.VariationalSparseGP(
            x, y, kernel(), Xu=inducing, likelihood=likelihoods.Gaussian(), whiten=True, num_data=30
        ),
        "VariationalSparseGP classes": gp.models.VariationalSparseGP(
            x, index(device, 3, 15), kernel(), inducing, likelihoods.MultiClass(3), latent_shape=torch.Size([3])
        ),
    }


MODELS = (
    "GPRegression",
    "SparseGPRegression",
    "SparseGPRegression FITC",
    "VariationalGP",
    "VariationalGP poisson",
    "VariationalSparseGP",
    "VariationalSparseGP classes",
)


def gp_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        pyro.clear_param_store()
        model = gp_models(device)[name].to(device)
        gp.util.train(model, num_steps=2)
        x, y = gp_data(device)
        model(x[:5] + 0.1, full_cov=True)
        loc, var = model(x[:5] + 0.1)
        if hasattr(model, "likelihood"):
            model.likelihood(loc, var)
        if hasattr(model, "iter_sample"):
            draw = model.iter_sample(noiseless=False)
            draw(x[:1]), draw(x[1:2])
        model.set_data(x[:10], y[:10] if "Regression" in name else model.y[..., :10])

    return use


uses.add_each("gp", MODELS, gp_use)


@uses.add
def gp_with_priors(device: torch.device) -> None:
    pyro.clear_param_store()
    x, y = gp_data(device)
    kernel = gp.kernels.RBF(1).to(device)
    kernel.lengthscale = PyroSample(dist.LogNormal(zeros(device, 1).sum(), 1.0))
    kernel.autoguide("lengthscale", dist.Normal)
    model = gp.models.GPRegression(x, y, kernel, noise=scalar(device, 0.1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    loss = infer.Trace_ELBO().differentiable_loss
    for _ in range(2):
        optimizer.zero_grad()
        loss(model.model, model.guide).backward()
        optimizer.step()
    model.set_mode("guide")
    model(x[:3])


@uses.add
def gp_latent(device: torch.device) -> None:
    pyro.clear_param_store()
    y = normal(device, 3, 10)
    kernel = gp.kernels.RBF(2, lengthscale=torch.ones(2))
    base = gp.models.SparseGPRegression(zeros(device, 10, 2), y, kernel, Xu=normal(device, 4, 2)).to(device)
    model = gp.models.GPLVM(base)
    gp.util.train(model, num_steps=1)
    model(Xnew=normal(device, 3, 2))
    gp.util.conditional(
        normal(device, 3, 2), normal(device, 4, 2), kernel, normal(device, 4), torch.eye(4, device=device)
    )


# Time series, forecasts and tracking


def series_models() -> dict[str, timeseries.base.TimeSeriesModel]:
    return {
        "IndependentMaternGP": timeseries.IndependentMaternGP(nu=1.5, obs_dim=2),
        "LinearlyCoupledMaternGP": timeseries.LinearlyCoupledMaternGP(nu=1.5, obs_dim=2, num_gps=2),
        "DependentMaternGP": timeseries.DependentMaternGP(nu=1.5, obs_dim=2, linearly_coupled=True),
        "GenericLGSSM": timeseries.GenericLGSSM(obs_dim=2, state_dim=3, learnable_observation_loc=True),
        "GenericLGSSMWithGPNoiseModel": timeseries.GenericLGSSMWithGPNoiseModel(obs_dim=2, state_dim=3, nu=1.5),
    }


def series_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = series_models()[name].to(device)
        data = normal(device, 8, 2)
        (-model.log_prob(data).mean()).backward()
        model.get_dist(duration=8)
        model.forecast(data, 3 if "Generic" in name else torch.tensor([1.0, 2.0], device=device))

    return use


uses.add_each(
    "series",
    (
        "IndependentMaternGP",
        "LinearlyCoupledMaternGP",
        "DependentMaternGP",
        "GenericLGSSM",
        "GenericLGSSMWithGPNoiseModel",
    ),
    series_use,
)


class Trend(forecast.ForecastingModel):
    """A local level model with covariates."""

    def model(self, zero_data: torch.Tensor, covariates: torch.Tensor) -> None:
        zero = zero_data.new_zeros(())
        weight = pyro.sample("weight", dist.Normal(zero, 0.1).expand([covariates.size(-1)]).to_event(1))
        drift_scale = pyro.sample("drift_scale", dist.LogNormal(zero - 2, 1.0))
        with self.time_plate:
            drift = pyro.sample("drift", dist.Normal(zero, drift_scale))
        level = drift.cumsum(-1)[..., None] + (weight * covariates).sum(-1, keepdim=True)
        noise_scale = pyro.sample("noise_scale", dist.LogNormal(zero - 2, 1.0).expand([1]).to_event(1))
        self.predict(dist.Normal(zero, noise_scale), level)


class States(forecast.ForecastingModel):
    """A Gaussian state space model as the noise."""

    def model(self, zero_data: torch.Tensor, covariates: torch.Tensor) -> None:
        device = zero_data.device
        bias = pyro.sample("bias", dist.Normal(zero_data.new_zeros(1), 1.0).to_event(1))
        start = dist.Normal(zeros(device, 1), 1.0).to_event(1)
        eye = torch.eye(1, device=device)
        noise = dist.GaussianHMM(start, eye, start, eye, start, duration=zero_data.size(-2))
        self.predict(noise, bias.unsqueeze(-2) + zero_data)


@uses.add
def forecasts(device: torch.device) -> None:
    data, covariates = normal(device, 12, 1), normal(device, 16, 2)
    for made, more in ((Trend, {"time_reparam": "dct"}), (Trend, {"time_reparam": "haar"}), (States, {})):
        pyro.clear_param_store()
        forecaster = forecast.Forecaster(made(), data, covariates[:12], num_steps=2, log_every=0, **more)
        forecaster(data, covariates, num_samples=4, batch_size=2)
    forecast.eval_crps(normal(device, 5, 4, 1), normal(device, 4, 1))


class Seasons(forecast.ForecastingModel):
    """Weekly effects, and noise with heavy tails."""

    def model(self, zero_data: torch.Tensor, covariates: torch.Tensor) -> None:
        zero = zero_data.new_zeros(())
        with pyro.plate("day", 4, dim=-1):
            season = pyro.sample("season", dist.Normal(zero, 1.0))
        repeated = ops.tensor_utils.periodic_repeat(season, zero_data.size(-2), dim=-1)
        noise_scale = pyro.sample("noise_scale", dist.LogNormal(zero - 2, 1.0).expand([1]).to_event(1))
        self.predict(dist.StudentT(zero + 4, zero, noise_scale), repeated[..., None])


@uses.add
def forecasts_seasonal(device: torch.device) -> None:
    pyro.clear_param_store()
    data, covariates = normal(device, 12, 1), zeros(device, 16, 0)
    forecaster = forecast.Forecaster(
        Seasons(), data, covariates[:12], num_steps=2, log_every=0, num_particles=2, vectorize_particles=False
    )
    found = forecaster(data, covariates, num_samples=4)
    forecast.eval_mae(found, normal(device, 4, 1)), forecast.eval_rmse(found, normal(device, 4, 1))


@uses.add
def forecasts_sampled(device: torch.device) -> None:
    pyro.clear_param_store()
    data, covariates = normal(device, 6, 1), normal(device, 8, 2)
    forecaster = forecast.HMCForecaster(Trend(), data, covariates[:6], num_warmup=1, num_samples=2, max_tree_depth=2)
    forecaster(data, covariates, num_samples=2)


@uses.add
def forecasts_backtested(device: torch.device) -> None:
    pyro.clear_param_store()
    forecast.backtest(
        normal(device, 10, 1),
        normal(device, 10, 2),
        Trend,
        min_train_window=6,
        test_window=2,
        stride=2,
        num_samples=4,
        forecaster_options={"num_steps": 2, "log_every": 0},
    )


DYNAMICS = {"NcpContinuous": 2, "NcvContinuous": 4, "NcpDiscrete": 2, "NcvDiscrete": 4}


def dynamics_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        size = DYNAMICS[name]
        model = getattr(dynamic_models, name)(dimension=size, **{"sv2" if "Ncp" in name else "sa2": 2.0})
        model.to(device)
        state = extended_kalman_filter.EKFState(model, normal(device, size), torch.eye(size, device=device), time=0.0)
        seen = measurements.PositionMeasurement(normal(device, 2), torch.eye(2, device=device), time=1.0)
        ahead = state.predict(dt=1.0)
        ahead.update(seen)[0].predict(destination_time=2.0)
        ahead.log_likelihood_of_update(seen)
        _ = state.mean_pv, state.cov_pv
        model(normal(device, size), 1.0)
        model.process_noise_dist(0.5).sample()

    return use


uses.add_each("dynamics", DYNAMICS, dynamics_use)


@uses.add
def kalman_distribution(device: torch.device) -> None:
    model = dynamic_models.NcvContinuous(dimension=4, sa2=2.0).to(device)
    one = EKFDistribution(
        zeros(device, 4), torch.eye(4, device=device), model, torch.eye(2, device=device), time_steps=4
    )
    data = normal(device, 4, 2)
    one.log_prob(data)
    one.filter_states(data)


@uses.add
def assignments(device: torch.device) -> None:
    exists, assign = normal(device, 3), normal(device, 4, 3)
    for iterations in (None, 3):
        one = assignment.MarginalAssignment(exists, assign, iterations)
        one.exists_dist.sample(), one.assign_dist.sample()
        assignment.MarginalAssignmentPersistent(exists, normal(device, 2, 4, 3), iterations)
    edges = torch.tensor([[0, 1, 2, 3], [0, 1, 2, 0]], device=device)
    assignment.MarginalAssignmentSparse(3, 4, edges, exists, normal(device, 4), bp_iters=3)


@uses.add
def point_hashing(device: torch.device) -> None:
    points = normal(device, 10, 2)
    lsh = hashing.LSH(0.5)
    for key, point in enumerate(points[:4]):
        lsh.add(key, point)
    lsh.nearby(0)
    near = hashing.ApproxSet(0.5)
    for point in points[:4]:
        near.try_add(point)
    hashing.merge_points(points, 0.5)


# Other contributed models


@contextlib.contextmanager
def doubles_on(device: torch.device) -> Iterator[None]:
    """New tensors are on the device, and of double precision."""
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with device:
            yield
    finally:
        torch.set_default_dtype(usual)


@uses.add
def causal_effect(device: torch.device) -> None:
    pyro.clear_param_store()
    x, t, y = normal(device, 20, 4), (normal(device, 20) > 0).float(), normal(device, 20)
    with device:
        for kind, outcome in (("normal", y), ("bernoulli", (y > 0).float()), ("studentt", y), ("laplace", y)):
            pyro.clear_param_store()
            model = cevae.CEVAE(
                feature_dim=4, outcome_dist=kind, latent_dim=3, hidden_dim=8, num_layers=2, num_samples=3
            )
            model.to(device)
            model.fit(x, t, outcome, num_epochs=1, batch_size=10, log_every=0)
            model.ite(x)


SEQUENCES = ["ACGTA", "ACG", "GTACC", "TTACG"]


@uses.add
def profile_hidden_markov(device: torch.device) -> None:
    pyro.clear_param_store()
    with doubles_on(device):
        data = dataloaders.BiosequenceDataset(SEQUENCES, "list", "dna", device=device)
        model = mue_models.ProfileHMM(4, data.alphabet_length, cuda=device.type == "cuda")
        scheduler = optim.MultiStepLR({"optimizer": torch.optim.Adam, "optim_args": {"lr": 0.1}, "milestones": [1]})
        model.fit_svi(data, epochs=1, batch_size=2, scheduler=scheduler)
        model.evaluate(data, data)


@uses.add
def factor_mutational(device: torch.device) -> None:
    pyro.clear_param_store()
    with doubles_on(device):
        data = dataloaders.BiosequenceDataset(SEQUENCES, "list", "dna", include_stop=True, device=device)
        model = mue_models.FactorMuE(
            data.max_length, data.alphabet_length, 2, batch_size=2, ARD_prior=True, cuda=device.type == "cuda"
        )
        scheduler = optim.MultiStepLR({"optimizer": torch.optim.Adam, "optim_args": {"lr": 0.1}, "milestones": [1]})
        model.fit_svi(data, epochs=1, anneal_length=1, batch_size=2, scheduler=scheduler)
        model.evaluate(data)
        model.embed(data, batch_size=2)


@uses.add
def missing_data(device: torch.device) -> None:
    with device:
        one = MissingDataDiscreteHMM(normal(device, 3), normal(device, 3, 3), normal(device, 3, 4))
        data = torch.nn.functional.one_hot(index(device, 4, 6), 4).float()
        data[2] = 0
        one.log_prob(data)
        one.filter(data), one.smooth(data), one.sample_states(data)
        one.sample_given_states(one.map_states(data))
        one.given_states(one.map_states(data))
        arranger = Profile(3)
        logits = [normal(device, *shape) for shape in ((3, 4), (4, 4), (3, 3, 2), (3, 3, 2))]
        arranger(*logits)


COUNTS = [0.0, 1.0, 2.0, 3.0, 4.0]
EPIDEMICS: dict[str, Callable[[torch.Tensor], CompartmentalModel]] = {
    "SimpleSIR": lambda data: epidemics.SimpleSIRModel(50, 5.0, data),
    "SimpleSEIR": lambda data: epidemics.SimpleSEIRModel(50, 3.0, 5.0, data),
    "SimpleSEIRD": lambda data: epidemics.SimpleSEIRDModel(50, 3.0, 5.0, 0.1, data.clamp(max=1.0)),
    "OverdispersedSIR": lambda data: epidemics.OverdispersedSIRModel(50, 5.0, data),
    "OverdispersedSEIR": lambda data: epidemics.OverdispersedSEIRModel(50, 3.0, 5.0, data),
    "SuperspreadingSIR": lambda data: epidemics.SuperspreadingSIRModel(50, 5.0, data),
    "SuperspreadingSEIR": lambda data: epidemics.SuperspreadingSEIRModel(50, 3.0, 5.0, data),
    "HeterogeneousSIR": lambda data: epidemics.HeterogeneousSIRModel(50, 5.0, data),
    "SparseSIR": lambda data: epidemics.SparseSIRModel(50, 5.0, data, data > -1),
    "UnknownStartSIR": lambda data: epidemics.UnknownStartSIRModel(50, 5.0, 2, data),
    "RegionalSIR": lambda data: epidemics.RegionalSIRModel(
        torch.tensor([50.0, 40.0]), torch.eye(2).clamp(min=0.1), 5.0, torch.stack([data, data], -1)
    ),
    "HeterogeneousRegionalSIR": lambda data: epidemics.HeterogeneousRegionalSIRModel(
        torch.tensor([50.0, 40.0]), torch.eye(2).clamp(min=0.1), 5.0, torch.stack([data, data], -1)
    ),
}


def epidemic_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        pyro.clear_param_store()
        with doubles_on(device):
            model = EPIDEMICS[name](torch.tensor(COUNTS))
            model.generate({"R0": torch.tensor(2.0)})
            model.heuristic(num_particles=1024)
            model.fit_svi(num_samples=2, num_steps=1, num_particles=2, log_every=1)
            model.predict(forecast=2)

    return use


uses.add_each("epidemic", EPIDEMICS, epidemic_use)


@uses.add
def epidemic_sampled(device: torch.device) -> None:
    pyro.clear_param_store()
    with doubles_on(device):
        model = epidemics.SimpleSIRModel(20, 5.0, torch.tensor(COUNTS[:3]))
        model.fit_mcmc(num_samples=2, warmup_steps=1, max_tree_depth=2, num_quant_bins=2, disable_progbar=True)
        model.predict(forecast=1)


@uses.add
def epidemic_distributions(device: torch.device) -> None:
    total, probs = scalar(device, 10.0), scalar(device, 0.3)
    parts = epidemiology_distributions
    with parts.set_approx_sample_thresh(5), parts.set_approx_log_prob_tol(0.1):
        parts.binomial_dist(total, probs).sample()
        parts.binomial_dist(total, probs, overdispersion=0.2).sample()
        parts.beta_binomial_dist(total, total, total, overdispersion=0.1).sample()
        parts.negative_binomial_dist(total, probs).sample()
        parts.poisson_dist(total).sample()
        parts.infection_dist(individual_rate=probs, num_infectious=total, num_susceptible=total, population=20).sample()
    with parts.set_relaxed_distributions():
        parts.binomial_dist(total, probs).sample()


@uses.add
def small_pyro(device: torch.device) -> None:
    data = coins_data(device)

    def model() -> None:
        loc = minipyro.sample("loc", dist.Normal(scalar(device, 0.0), 1.0))
        with minipyro.plate("data", len(data), dim=-1):
            minipyro.sample("obs", dist.Normal(loc, 1.0), obs=data)

    def guide() -> None:
        loc = minipyro.param("guide_loc", scalar(device, 0.0))
        scale = minipyro.param("guide_scale", scalar(device, 1.0), constraint=constraints.positive)
        minipyro.sample("loc", dist.Normal(loc, scale))

    minipyro.get_param_store().clear()
    svi = minipyro.SVI(model, guide, minipyro.Adam({"lr": 0.01}), minipyro.Trace_ELBO())
    for _ in range(2):
        svi.step()
    with minipyro.seed(rng_seed=1), minipyro.trace() as trace:
        minipyro.replay(minipyro.block(model), guide_trace=minipyro.trace(guide).get_trace())()
    _ = trace


@uses.add
def hidden_layer(device: torch.device) -> None:
    x = normal(device, 6, 3)
    mean, spread = 0.1 * normal(device, 3, 4), positive(device, 3, 4)
    for sampling in (False, True):
        one = bnn.HiddenLayer(x, mean, spread, include_hidden_bias=not sampling, weight_space_sampling=sampling)
        one.log_prob(one.rsample())


@uses.add
def conjugate_beta(device: torch.device) -> None:
    pair = conjugate.BetaBinomialPair()

    def model() -> torch.Tensor:
        latent = pyro.sample("latent", pair.latent(scalar(device, 2.0), scalar(device, 3.0)))
        with pyro.plate("data", 4):
            return pyro.sample("obs", pair.conditional(probs=latent, total_count=torch.full((4,), 8.0, device=device)))

    poutine.trace(model).get_trace().log_prob_sum()
    pair.posterior(torch.ones(4, device=device)).sample()
    pair.compound().sample()


@uses.add
def conjugate_gamma(device: torch.device) -> None:
    pair = conjugate.GammaPoissonPair()
    seen = torch.tensor([1.0, 3.0, 2.0], device=device)

    def model() -> torch.Tensor:
        latent = pyro.sample("latent", pair.latent(scalar(device, 2.0), scalar(device, 1.0)))
        with pyro.plate("data", 3):
            return pyro.sample("obs", pair.conditional(latent), obs=seen)

    poutine.trace(model).get_trace().log_prob_sum()
    poutine.trace(conjugate.collapse_conjugate(model)).get_trace().log_prob_sum()
    pair.posterior(seen).sample()


@uses.add
def named_models(device: torch.device) -> None:
    probs = torch.ones(2, device=device) / 2

    @autoname.autoname
    def model() -> None:
        first = autoname.sample(dist.Normal(zeros(device, 2), 1.0).to_event(1))
        for _ in autoname.autoname(name="loop")(range(2)):
            autoname.sample("inner", dist.Normal(first.sum(), 1.0))

    @autoname.scope(prefix="outer")
    def scoped() -> torch.Tensor:
        return pyro.sample("x", dist.Categorical(probs))

    @autoname.name_count
    def counted() -> None:
        for _ in range(2):
            pyro.sample("y", dist.Categorical(probs))

    for one in (model, scoped, counted):
        poutine.trace(one).get_trace()
    state = autoname.named.Object("state")
    loc = state.loc.param_(zeros(device, 1))
    state.z.sample_(dist.Normal(loc, 1.0))
    autoname.named.List("many").add().sample_(dist.Normal(loc, 1.0))
    autoname.named.Dict("table")["a"].sample_(dist.Normal(loc, 1.0))


@uses.add
def random_variables(device: torch.device) -> None:
    one = dist.Uniform(zeros(device, 3), 1.0).rv.add(1.0).mul(2.0).log().neg().exp().sigmoid().tanh().pow(2).sub(0.1)
    one.div(2.0).abs().dist.sample()
    (2 * dist.Normal(zeros(device, 3), 1.0).rv + 1).dist.log_prob(normal(device, 3))


# Optimal designs


def designed(design: torch.Tensor) -> torch.Tensor:
    with pyro.plate_stack("plates", design.shape[:-1]):
        theta = pyro.sample("theta", dist.Normal(design.new_zeros(()), 1.0))
        return pyro.sample("y", dist.Normal(theta * design.squeeze(-1), 1.0))


def marginal_guide(design: torch.Tensor, *_: object) -> None:
    spread = pyro.param("spread", lambda: design.new_tensor(1.0), constraint=constraints.positive)
    with pyro.plate_stack("plates", design.shape[:-1]):
        pyro.sample("y", dist.Normal(design.new_zeros(()), spread * (1 + design.squeeze(-1) ** 2).sqrt()))


def posterior_guide(y_dict: dict[str, torch.Tensor], design: torch.Tensor, *_: object) -> None:
    slope = pyro.param("slope", lambda: design.new_tensor(0.5))
    spread = pyro.param("spread", lambda: design.new_tensor(1.0), constraint=constraints.positive)
    with pyro.plate_stack("plates", design.shape[:-1]):
        pyro.sample("theta", dist.Normal(slope * y_dict["y"], spread))


def likelihood_guide(_: dict[str, torch.Tensor], design: torch.Tensor, *__: object) -> None:
    spread = pyro.param("likelihood_spread", lambda: design.new_tensor(1.0), constraint=constraints.positive)
    with pyro.plate_stack("plates", design.shape[:-1]):
        pyro.sample("y", dist.Normal(design.squeeze(-1), spread))


DESIGNS = {
    "nmc": lambda design: oed.eig.nmc_eig(designed, design, "y", "theta", N=10, M=4),
    "nmc likelihood": lambda design: oed.eig.nmc_eig(designed, design, "y", "theta", N=10, M=4, M_prime=4),
    "posterior": lambda design: oed.eig.posterior_eig(
        designed, design, "y", "theta", 5, 2, posterior_guide, optim.Adam({"lr": 0.01}), final_num_samples=6
    ),
    "marginal": lambda design: oed.eig.marginal_eig(
        designed, design, "y", "theta", 5, 2, marginal_guide, optim.Adam({"lr": 0.01}), return_history=True
    ),
    "marginal likelihood": lambda design: oed.eig.marginal_likelihood_eig(
        designed, design, "y", "theta", 5, 2, marginal_guide, likelihood_guide, optim.Adam({"lr": 0.01})
    ),
    "vnmc": lambda design: oed.eig.vnmc_eig(
        designed, design, "y", "theta", (5, 3), 2, posterior_guide, optim.Adam({"lr": 0.01}), final_num_samples=(5, 3)
    ),
}


def design_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        pyro.clear_param_store()
        with device:
            DESIGNS[name](torch.linspace(-1, 1, 3).unsqueeze(-1))

    return use


uses.add_each("design", DESIGNS, design_use)


class Critic(torch.nn.Module):
    """Scores a design together with its outcome."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))

    def forward(self, design: torch.Tensor, trace: poutine.Trace, *_: object) -> torch.Tensor:
        return self.weight * trace.nodes["y"]["value"] + design.squeeze(-1)


@uses.add
def design_with_networks(device: torch.device) -> None:
    with device:
        pyro.clear_param_store()
        design = torch.linspace(-1, 1, 3, device=device).unsqueeze(-1)
        oed.eig.donsker_varadhan_eig(
            designed, design, "y", "theta", 5, 2, Critic().to(device), optim.Adam({"lr": 0.01})
        )
        oed.eig.lfire_eig(designed, design, "y", "theta", 4, 3, 2, Critic().to(device), optim.Adam({"lr": 0.01}))


@uses.add
def linear_designs(device: torch.device) -> None:
    with device:
        pyro.clear_param_store()
        design = normal(device, 2, 5, 2)
        model = glmm.known_covariance_linear_model(zeros(device, 2), positive(device, 2), scalar(device, 1.0))
        model(design)
        oed_util.linear_model_ground_truth(model, design, "y", "w")
        glmm.logistic_regression_model(zeros(device, 2), positive(device, 2))(design)
        group = glmm.group_assignment_matrix(torch.tensor([3, 2])).to(device)
        glmm.group_linear_model(
            zeros(device, 1), positive(device, 1), zeros(device, 1), positive(device, 1), scalar(device, 1.0)
        )(group.unsqueeze(0))
        glmm.normal_inverse_gamma_linear_model(
            zeros(device, 2), positive(device, 2), scalar(device, 3.0), scalar(device, 2.0)
        )(design)
        guide = guides.LinearModelPosteriorGuide((2,), {"w": 2}, {"y": 5}).to(device)
        guide({"y": normal(device, 2, 5)}, design, ["y"], ["w"])
        glmm.analytic_posterior_cov(torch.eye(2, device=device), design[0], scalar(device, 1.0))


if __name__ == "__main__":
    uses.main()
