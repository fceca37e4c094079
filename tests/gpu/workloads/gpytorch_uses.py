"""Kernels, likelihoods, exact, variational and deep models, priors, distributions and metrics of gpytorch."""

import math
from collections.abc import Callable

import gpytorch
import torch
from gpytorch import constraints, distributions, kernels, likelihoods, means, metrics, mlls, models, priors, variational
from gpytorch import settings as options
from gpytorch.models.deep_gps import DeepGP, DeepGPLayer, DeepLikelihood
from gpytorch.models.deep_gps.dspp import DSPP, DSPPLayer
from gpytorch.models.gplvm import BayesianGPLVM, MAPLatentVariable, PointLatentVariable, VariationalLatentVariable
from torch import nn
from uses import Use, Uses

COUNT, DIMENSIONS, TASKS = 24, 3, 2
Kernel = gpytorch.kernels.Kernel
Maker = Callable[[], Kernel]
uses = Uses()


def inputs_on(device: torch.device, count: int = COUNT, dimensions: int = DIMENSIONS) -> torch.Tensor:
    return torch.rand(count, dimensions, device=device)


def targets_of(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(2 * math.pi * x[:, 0]) + 0.1 * torch.randn(len(x), device=x.device)


def tasks_of(x: torch.Tensor) -> torch.Tensor:
    return torch.stack([torch.sin(6 * x[:, 0]), torch.cos(6 * x[:, 0])], dim=-1) + 0.1 * torch.randn(
        len(x), TASKS, device=x.device
    )


class Exact(models.ExactGP):
    def __init__(
        self,
        x: torch.Tensor | tuple[torch.Tensor, ...],
        y: torch.Tensor,
        likelihood: likelihoods.Likelihood,
        kernel: Kernel,
        mean: means.Mean | None = None,
    ) -> None:
        super().__init__(x, y, likelihood)
        self.mean_module = mean or means.ConstantMean()
        self.covar_module = kernel

    def forward(self, x: torch.Tensor) -> distributions.MultivariateNormal:
        return distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class ExactMultitask(Exact):
    def forward(self, x: torch.Tensor) -> distributions.MultitaskMultivariateNormal:
        return distributions.MultitaskMultivariateNormal(self.mean_module(x), self.covar_module(x))


class Hadamard(Exact):
    def __init__(self, x: torch.Tensor, y: torch.Tensor, likelihood: likelihoods.Likelihood, kernel: Kernel) -> None:
        super().__init__(x, y, likelihood, kernel)
        self.task_covar_module = kernels.IndexKernel(num_tasks=TASKS, rank=1)

    def forward(self, x: torch.Tensor, i: torch.Tensor) -> distributions.MultivariateNormal:
        covariance = self.covar_module(x).mul(self.task_covar_module(i))
        return distributions.MultivariateNormal(self.mean_module(x), covariance)


def scaled(kernel: Kernel | None = None) -> Kernel:
    return kernels.ScaleKernel(kernel or kernels.RBFKernel())


def train(model: nn.Module, loss: Callable[[], torch.Tensor], steps: int = 3) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    model.train()
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        value.item()


def train_exact(model: Exact, *x: torch.Tensor, steps: int = 3) -> None:
    model.likelihood.train()
    objective = mlls.ExactMarginalLogLikelihood(model.likelihood, model)
    train(model, lambda: -objective(model(*x), model.train_targets, *x), steps)
    model.eval()
    model.likelihood.eval()


# Kernels


KERNELS: dict[str, Maker] = {
    "RBF": lambda: kernels.RBFKernel(lengthscale_prior=priors.GammaPrior(3.0, 6.0)),
    "RBF with ARD": lambda: kernels.RBFKernel(
        ard_num_dims=DIMENSIONS, lengthscale_constraint=constraints.Interval(0.01, 10.0)
    ),
    "RBF of some": lambda: kernels.RBFKernel(active_dims=(0, 2)),
    "Matern 0.5": lambda: kernels.MaternKernel(nu=0.5),
    "Matern 1.5": lambda: kernels.MaternKernel(nu=1.5, ard_num_dims=DIMENSIONS),
    "Matern 2.5": lambda: kernels.MaternKernel(nu=2.5, ard_num_dims=DIMENSIONS),
    "Matern isotropic": lambda: kernels.MaternKernel(nu=2.5),
    "RQ": lambda: kernels.RQKernel(alpha_constraint=constraints.GreaterThan(0.1)),
    "Cosine": lambda: kernels.CosineKernel(active_dims=(0,), period_length_prior=priors.NormalPrior(1.0, 1.0)),
    "Periodic": lambda: kernels.PeriodicKernel(ard_num_dims=DIMENSIONS),
    "Linear": lambda: kernels.LinearKernel(variance_prior=priors.GammaPrior(2.0, 2.0)),
    "Linear with ARD": lambda: kernels.LinearKernel(ard_num_dims=DIMENSIONS),
    "Polynomial": lambda: kernels.PolynomialKernel(power=2, offset_prior=priors.GammaPrior(2.0, 2.0)),
    "Constant": lambda: kernels.ConstantKernel(constant_prior=priors.GammaPrior(2.0, 2.0)),
    "Piecewise 0": lambda: kernels.PiecewisePolynomialKernel(q=0),
    "Piecewise 2": lambda: kernels.PiecewisePolynomialKernel(q=2),
    "Piecewise 3": lambda: kernels.PiecewisePolynomialKernel(q=3, ard_num_dims=DIMENSIONS),
    "RFF": lambda: kernels.RFFKernel(num_samples=10, num_dims=DIMENSIONS),
    "RFF unsized": lambda: kernels.RFFKernel(num_samples=40),
    "SpectralDelta": lambda: kernels.SpectralDeltaKernel(num_dims=DIMENSIONS, num_deltas=16),
    "SpectralMixture": lambda: kernels.SpectralMixtureKernel(num_mixtures=3, ard_num_dims=DIMENSIONS),
    "Cylindrical": lambda: kernels.CylindricalKernel(4, kernels.MaternKernel(nu=2.5)),
    "Arc": lambda: kernels.ArcKernel(kernels.MaternKernel(nu=2.5), ard_num_dims=DIMENSIONS),
    "Arc with priors": lambda: kernels.ArcKernel(
        kernels.MaternKernel(nu=1.5), angle_prior=priors.GammaPrior(0.5, 1), radius_prior=priors.GammaPrior(3, 2)
    ),
    "Gaussian KL": lambda: kernels.GaussianSymmetrizedKLKernel(active_dims=(0, 1)),
    "distributional": lambda: kernels.DistributionalInputKernel(lambda a, b: torch.cdist(a, b)),
    "NewtonGirard": lambda: kernels.NewtonGirardAdditiveKernel(
        kernels.RBFKernel(ard_num_dims=DIMENSIONS), num_dims=DIMENSIONS, max_degree=2
    ),
    "AdditiveStructure": lambda: kernels.AdditiveStructureKernel(kernels.RBFKernel(), num_dims=DIMENSIONS),
    "sum": lambda: kernels.RBFKernel() + scaled(kernels.LinearKernel()),
    "product": lambda: kernels.RBFKernel(active_dims=(0,)) * kernels.PeriodicKernel(active_dims=(1,)),
    "sum of products": lambda: kernels.AdditiveKernel(
        kernels.ProductKernel(kernels.MaternKernel(), kernels.LinearKernel()), kernels.ConstantKernel()
    ),
    "scaled with a prior": lambda: kernels.ScaleKernel(
        kernels.RBFKernel(),
        outputscale_prior=priors.GammaPrior(2.0, 0.15),
        outputscale_constraint=constraints.Positive(),
    ),
    "interpolated": lambda: scaled(
        kernels.GridInterpolationKernel(kernels.RBFKernel(), grid_size=8, num_dims=DIMENSIONS)
    ),
    "interpolated in bounds": lambda: kernels.GridInterpolationKernel(
        kernels.RBFKernel(), grid_size=[6, 6, 6], grid_bounds=[(0.0, 1.0)] * DIMENSIONS
    ),
}
WITH_DERIVATIVES: dict[str, Maker] = {
    "RBFGrad": lambda: kernels.RBFKernelGrad(ard_num_dims=DIMENSIONS),
    "RBFGradGrad": lambda: kernels.RBFKernelGradGrad(),
    "Matern52Grad": lambda: kernels.Matern52KernelGrad(),
    "PolynomialGrad": lambda: kernels.PolynomialKernelGrad(power=2),
}


def kernel_use(made: Maker, count: int = 10) -> Use:
    def use(device: torch.device) -> None:
        kernel = made().to(device)
        x, others = inputs_on(device) * 0.5, inputs_on(device, count) * 0.5
        covariance = kernel(x).to_dense()
        covariance.sum().backward()
        kernel(x, others).to_dense()
        kernel(x).diagonal(dim1=-1, dim2=-2)
        kernel(x, diag=True)
        (kernel(x) @ torch.randn(kernel(x).size(-1), 2, device=device)).sum().backward()

    return use


def kernel_model_use(made: Maker) -> Use:
    def use(device: torch.device) -> None:
        x = inputs_on(device) * 0.5
        likelihood = likelihoods.GaussianLikelihood()
        model = Exact(x, targets_of(x), likelihood, made()).to(device)
        train_exact(model, x, steps=2)
        with torch.no_grad():
            likelihood(model(inputs_on(device, 8) * 0.5)).variance.sum()

    return use


uses.add_each("kernel", KERNELS, lambda name: kernel_use(KERNELS[name]))
uses.add_each("kernel with derivatives", WITH_DERIVATIVES, lambda name: kernel_use(WITH_DERIVATIVES[name], COUNT))
uses.add_each("exact model with", KERNELS, lambda name: kernel_model_use(KERNELS[name]))
uses.add_each(
    "exact model with",
    ["ProductStructure"],
    lambda _: kernel_model_use(lambda: kernels.ProductStructureKernel(scaled(), num_dims=DIMENSIONS)),
)


@uses.add
def batches_of_kernels(device: torch.device) -> None:
    x = torch.rand(2, COUNT, DIMENSIONS, device=device)
    for kernel in (
        kernels.RBFKernel(batch_shape=torch.Size([2])),
        kernels.MaternKernel(batch_shape=torch.Size([2])),
        kernels.PeriodicKernel(batch_shape=torch.Size([2])),
        kernels.LinearKernel(batch_shape=torch.Size([2])),
        kernels.RFFKernel(num_samples=8, num_dims=DIMENSIONS, batch_shape=torch.Size([2])),
    ):
        batch = scaled(kernel).to(device)
        batch(x).to_dense().sum().backward()
        batch[0](x[0]).to_dense()
        batch.expand_batch(3, 2)(x).to_dense()


@uses.add
def lazily_evaluated_covariance(device: torch.device) -> None:
    kernel = scaled(kernels.MaternKernel(ard_num_dims=DIMENSIONS)).to(device)
    covariance = kernel(inputs_on(device), inputs_on(device))
    covariance[:4, 2:6].to_dense()
    covariance[..., 3, :]
    covariance.repeat(2, 1, 1).to_dense()
    covariance.transpose(-1, -2).to_dense()
    covariance.unsqueeze(0).to_dense()
    square = kernel(inputs_on(device))
    square.add_jitter(1e-3).to_dense()
    square.evaluate_kernel().representation()
    index = torch.tensor([0, 3, 5], device=device)
    square[index, index]
    list(kernel.named_sub_kernels())


@uses.add
def kernels_of_tasks(device: torch.device) -> None:
    x = inputs_on(device)
    index = torch.randint(0, TASKS, (COUNT, 1), device=device)
    kernels.IndexKernel(num_tasks=TASKS, rank=2).to(device)(index).to_dense().sum().backward()
    prior = priors.LKJCovariancePrior(TASKS, 2.0, priors.SmoothedBoxPrior(0.05, 1.0))
    kernels.IndexKernel(num_tasks=TASKS, rank=1, prior=prior).to(device).covar_matrix.to_dense()
    kernels.MultitaskKernel(kernels.RBFKernel(), num_tasks=TASKS, rank=1).to(device)(x).to_dense().sum().backward()
    mixed = kernels.LCMKernel([kernels.RBFKernel(), kernels.MaternKernel()], num_tasks=TASKS, rank=1).to(device)
    mixed(x).to_dense().sum().backward()


@uses.add
def kernel_on_a_grid(device: torch.device) -> None:
    grid = torch.stack([torch.linspace(0, 1, 6), torch.linspace(0, 1, 6)], dim=-1).to(device)
    x = gpytorch.utils.grid.create_data_from_grid([grid[:, 0], grid[:, 1]])
    y = targets_of(x)
    kernel = kernels.GridKernel(kernels.RBFKernel(), grid=grid)
    model = Exact(x, y, likelihoods.GaussianLikelihood(), kernel, means.ZeroMean()).to(device)
    train_exact(model, x)
    with torch.no_grad():
        model.likelihood(model(x)).mean.sum()
    kernel.update_grid(grid * 0.5)


@uses.add
def hamming_kernel(device: torch.device) -> None:
    words = nn.functional.one_hot(torch.randint(0, 4, (COUNT, 5), device=device), 4).flatten(1).float()
    kernel = kernels.HammingIMQKernel(vocab_size=4, alpha_prior=priors.GammaPrior(2.0, 2.0)).to(device)
    kernel(words).to_dense().sum().backward()
    kernel(words, words[:5]).to_dense()
    kernel(words, diag=True)


@uses.add
def spectral_mixture_from_data(device: torch.device) -> None:
    x = torch.linspace(0, 1, COUNT, device=device)
    y = torch.sin(12 * x)
    for initialize in ("initialize_from_data", "initialize_from_data_empspect"):
        kernel = kernels.SpectralMixtureKernel(num_mixtures=3).to(device)
        getattr(kernel, initialize)(x, y)
        model = Exact(x, y, likelihoods.GaussianLikelihood(), kernel).to(device)
        train_exact(model, x)
    delta = kernels.SpectralDeltaKernel(num_dims=1, num_deltas=32).to(device)
    delta.initialize_from_data(x[:, None], y)
    delta(x[:, None]).to_dense()


# Means, constraints, priors


MEANS: dict[str, Callable[[], means.Mean]] = {
    "Zero": means.ZeroMean,
    "Constant": lambda: means.ConstantMean(
        constant_prior=priors.NormalPrior(0.0, 1.0), constant_constraint=constraints.Interval(-2.0, 2.0)
    ),
    "ConstantGrad": means.ConstantMeanGrad,
    "ConstantGradGrad": means.ConstantMeanGradGrad,
    "Linear": lambda: means.LinearMean(DIMENSIONS),
    "Linear without bias": lambda: means.LinearMean(DIMENSIONS, bias=False),
    "LinearGrad": lambda: means.LinearMeanGrad(DIMENSIONS),
    "LinearGradGrad": lambda: means.LinearMeanGradGrad(DIMENSIONS),
    "Multitask": lambda: means.MultitaskMean([means.ConstantMean(), means.LinearMean(DIMENSIONS)], num_tasks=TASKS),
}


def mean_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        mean = MEANS[name]().to(device)
        value = mean(inputs_on(device))
        mean(torch.rand(2, COUNT, DIMENSIONS, device=device))
        if value.requires_grad:
            value.sum().backward()

    return use


CONSTRAINTS: dict[str, Callable[[], constraints.Interval]] = {
    "Interval": lambda: constraints.Interval(0.1, 5.0, initial_value=1.0),
    "GreaterThan": lambda: constraints.GreaterThan(1e-4),
    "LessThan": lambda: constraints.LessThan(10.0),
    "Positive": lambda: constraints.Positive(transform=torch.exp, inv_transform=torch.log),
}


def constraint_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        constraint = CONSTRAINTS[name]().to(device)
        raw = torch.randn(6, device=device)
        value = constraint.transform(raw)
        constraint.inverse_transform(value)
        constraint.check(value)
        constraint.check_raw(raw)
        if constraint.initial_value is not None:
            float(constraint.initial_value)
        kernel = kernels.RBFKernel(lengthscale_constraint=constraint).to(device)
        kernel.lengthscale = 0.5
        kernel.initialize(lengthscale=torch.tensor(0.7, device=device))
        repr(kernel)

    return use


PRIORS: dict[str, Callable[[], priors.Prior]] = {
    "Gamma": lambda: priors.GammaPrior(2.0, 0.5),
    "HalfCauchy": lambda: priors.HalfCauchyPrior(1.0),
    "HalfNormal": lambda: priors.HalfNormalPrior(1.0),
    "Horseshoe": lambda: priors.HorseshoePrior(0.1),
    "LogNormal": lambda: priors.LogNormalPrior(0.0, 1.0),
    "Normal": lambda: priors.NormalPrior(0.0, 1.0),
    "SmoothedBox": lambda: priors.SmoothedBoxPrior(0.1, 2.0, sigma=0.1),
    "Uniform": lambda: priors.UniformPrior(0.0, 10.0),
    "transformed": lambda: priors.NormalPrior(0.0, 1.0, transform=torch.log),
}


def prior_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        prior = PRIORS[name]().to(device)
        prior.log_prob(torch.rand(4, device=device) + 0.2)
        prior.sample(torch.Size([3]))
        if name != "SmoothedBox":
            prior.expand(torch.Size([2]))
        x = inputs_on(device)
        kernel = kernels.ScaleKernel(kernels.RBFKernel(lengthscale_prior=PRIORS[name]()))
        model = Exact(x, targets_of(x), likelihoods.GaussianLikelihood(), kernel).to(device)
        train_exact(model, x, steps=2)
        [prior.log_prob(closure(module)) for _, module, prior, closure, _ in model.named_priors()]

    return use


uses.add_each("mean", MEANS, mean_use)
uses.add_each("constraint", CONSTRAINTS, constraint_use)
uses.add_each("prior", PRIORS, prior_use)


@uses.add
def priors_of_matrices(device: torch.device) -> None:
    covariance = torch.eye(3) * 2
    normal = priors.MultivariateNormalPrior(torch.zeros(3), covariance_matrix=covariance).to(device)
    normal.log_prob(torch.randn(4, 3, device=device))
    normal.sample(torch.Size([2]))
    priors.LKJPrior(3, 0.5).to(device).log_prob(torch.eye(3, device=device))
    factor = priors.LKJCholeskyFactorPrior(3, 0.5).to(device)
    factor.log_prob(torch.eye(3, device=device))
    factor.sample(torch.Size([2]))
    full = priors.LKJCovariancePrior(3, 0.5, priors.SmoothedBoxPrior(0.01, 10.0)).to(device)
    full.log_prob(torch.eye(3, device=device))
    full.sample(torch.Size([2]))


@uses.add
def sampling_hyperparameters(device: torch.device) -> None:
    x = inputs_on(device)
    kernel = kernels.ScaleKernel(
        kernels.RBFKernel(lengthscale_prior=priors.GammaPrior(3.0, 6.0)),
        outputscale_prior=priors.GammaPrior(2.0, 0.15),
    )
    likelihood = likelihoods.GaussianLikelihood(noise_prior=priors.GammaPrior(1.1, 0.05))
    model = Exact(x, targets_of(x), likelihood, kernel).to(device)
    model.covar_module.sample_from_prior("outputscale_prior")
    model.covar_module.base_kernel.sample_from_prior("lengthscale_prior")
    model.initialize(**{"likelihood.noise": 0.1, "covar_module.outputscale": 1.5})
    list(model.named_parameters_and_constraints())
    list(model.named_constraints())
    model.load_state_dict(model.state_dict())


# Distributions


def normal_on(device: torch.device, *batch: int, count: int = 6) -> distributions.MultivariateNormal:
    root = torch.randn(*batch, count, count, device=device)
    covariance = root @ root.mT + 0.5 * torch.eye(count, device=device)
    return distributions.MultivariateNormal(torch.randn(*batch, count, device=device), covariance)


@uses.add
def multivariate_normal(device: torch.device) -> None:
    normal = normal_on(device)
    normal.log_prob(torch.randn(6, device=device))
    normal.rsample(torch.Size([4]))
    normal.rsample(torch.Size([4]), base_samples=normal.get_base_samples(torch.Size([4])))
    normal.sample(torch.Size([2]))
    normal.confidence_region()
    normal.entropy()
    normal.add_jitter(1e-3).covariance_matrix
    normal.to_data_independent_dist()
    normal.expand(torch.Size([3])).unsqueeze(-1)
    normal[1:4].variance
    normal[..., 2].mean
    ((normal + normal) * 2.0 / 3.0 + 1.0).stddev
    torch.distributions.kl_divergence(normal, normal_on(device))


@uses.add
def lazy_multivariate_normal(device: torch.device) -> None:
    kernel = scaled().to(device)
    x = inputs_on(device)
    normal = distributions.MultivariateNormal(torch.zeros(COUNT, device=device), kernel(x).add_jitter(1e-2))
    normal.log_prob(torch.randn(3, COUNT, device=device)).sum().backward()
    normal.rsample(torch.Size([3])).sum().backward()
    normal[:5].covariance_matrix
    sum([normal, normal]).mean
    repr(normal)
    torch.distributions.kl_divergence(normal, normal)
    distributions.Delta(torch.zeros(4, device=device), event_dim=1).log_prob(torch.zeros(4, device=device))


@uses.add
def multitask_normal(device: torch.device) -> None:
    batch = distributions.MultitaskMultivariateNormal.from_batch_mvn(normal_on(device, TASKS))
    separate = distributions.MultitaskMultivariateNormal.from_independent_mvns([normal_on(device), normal_on(device)])
    repeated = distributions.MultitaskMultivariateNormal.from_repeated_mvn(normal_on(device), num_tasks=TASKS)
    for normal in (batch, separate, repeated):
        normal.log_prob(torch.randn(6, TASKS, device=device))
        normal.rsample(torch.Size([3]))
        normal.rsample(torch.Size([3]), base_samples=normal.get_base_samples(torch.Size([3])))
        normal.variance, normal.mean
        normal.expand(torch.Size([2]))
        normal.to_data_independent_dist()
    batch[1:4, :].mean
    batch[..., 0].mean
    batch[torch.tensor([0, 2], device=device), torch.tensor([1, 0], device=device)].mean


# Exact models


@uses.add
def exact_regression(device: torch.device) -> None:
    x = inputs_on(device)
    likelihood = likelihoods.GaussianLikelihood(
        noise_prior=priors.GammaPrior(1.1, 0.05), noise_constraint=constraints.GreaterThan(1e-3)
    )
    model = Exact(x, targets_of(x), likelihood, scaled()).to(device)
    train_exact(model, x, steps=5)
    test = inputs_on(device, 10)
    with torch.no_grad(), options.fast_pred_var():
        prediction = likelihood(model(test))
        prediction.confidence_region()
        model(test).sample(torch.Size([4]))
    likelihood.noise.item()
    model.covar_module.base_kernel.lengthscale.item()
    model.get_fantasy_model(test[:2], torch.randn(2, device=device))(test)
    model.get_fantasy_model(test[:2], torch.randn(3, 2, device=device))(test)
    model.set_train_data(test, torch.randn(10, device=device), strict=False)
    model(x)


@uses.add
def gradients_of_predictions(device: torch.device) -> None:
    x = inputs_on(device)
    model = Exact(x, targets_of(x), likelihoods.GaussianLikelihood(), scaled(kernels.MaternKernel())).to(device).eval()
    test = inputs_on(device, 5).requires_grad_()
    prediction = model(test)
    (prediction.mean.sum() + prediction.variance.sum()).backward()
    test.grad.norm()


@uses.add
def fast_samples_of_predictions(device: torch.device) -> None:
    x = inputs_on(device)
    model = Exact(x, targets_of(x), likelihoods.GaussianLikelihood(), scaled()).to(device)
    train_exact(model, x)
    with torch.no_grad(), options.fast_pred_var(), options.fast_pred_samples():
        model(inputs_on(device, 8)).rsample(torch.Size([3]))
    with torch.no_grad(), options.skip_posterior_variances():
        model(inputs_on(device, 8)).mean
    with options.prior_mode():
        model(inputs_on(device, 8)).mean


@uses.add
def interpolated_fast_predictions(device: torch.device) -> None:
    x = inputs_on(device, 40, 1)
    kernel = scaled(kernels.GridInterpolationKernel(kernels.RBFKernel(), grid_size=20, num_dims=1))
    model = Exact(x, targets_of(x), likelihoods.GaussianLikelihood(), kernel).to(device)
    train_exact(model, x)
    test = inputs_on(device, 8, 1)
    with torch.no_grad(), options.fast_pred_var(), options.fast_pred_samples():
        model(test).rsample(torch.Size([3]))
        model(test).variance
    with torch.no_grad(), options.fast_pred_var():
        model.get_fantasy_model(test[:2], torch.randn(2, device=device))(test).mean


@uses.add
def iterative_solvers(device: torch.device) -> None:
    x = inputs_on(device, 60)
    likelihood = likelihoods.GaussianLikelihood()
    model = Exact(x, targets_of(x), likelihood, scaled(kernels.MaternKernel())).to(device)
    with (
        options.max_cholesky_size(1),
        options.cg_tolerance(0.1),
        options.max_preconditioner_size(5),
        options.min_preconditioning_size(10),
        options.num_trace_samples(4),
        options.max_root_decomposition_size(20),
    ):
        train_exact(model, x)
        with torch.no_grad(), options.fast_pred_var():
            likelihood(model(inputs_on(device, 8))).variance.sum()


@uses.add
def inducing_points_of_a_kernel(device: torch.device) -> None:
    x = inputs_on(device, 40)
    likelihood = likelihoods.GaussianLikelihood()
    kernel = kernels.InducingPointKernel(scaled(), inducing_points=x[:8].clone(), likelihood=likelihood)
    model = Exact(x, targets_of(x), likelihood, kernel).to(device)
    train_exact(model, x)
    with torch.no_grad(), options.fast_pred_var():
        likelihood(model(inputs_on(device, 8))).variance.sum()
        model(inputs_on(device, 8)).sample()


@uses.add
def leave_one_out(device: torch.device) -> None:
    x = inputs_on(device)
    y = targets_of(x)
    model = Exact(x, y, likelihoods.GaussianLikelihood(), scaled()).to(device)
    objective = mlls.LeaveOneOutPseudoLikelihood(model.likelihood, model)
    train(model, lambda: -objective(model(x), y))


@uses.add
def known_noise(device: torch.device) -> None:
    x = inputs_on(device)
    noise = torch.full((COUNT,), 0.05, device=device)
    likelihood = likelihoods.FixedNoiseGaussianLikelihood(noise, learn_additional_noise=True)
    model = Exact(x, targets_of(x), likelihood, scaled()).to(device)
    train_exact(model, x)
    test = inputs_on(device, 6)
    likelihood(model(test), noise=torch.full((6,), 0.05, device=device)).variance
    model.get_fantasy_model(test[:2], torch.randn(2, device=device), noise=torch.full((2,), 0.05, device=device))(test)


@uses.add
def missing_observations(device: torch.device) -> None:
    x = inputs_on(device)
    y = targets_of(x)
    y[::5] = float("nan")
    model = Exact(x, y, likelihoods.GaussianLikelihood(), scaled()).to(device)
    with options.observation_nan_policy("mask"):
        train_exact(model, x)
        with torch.no_grad():
            model(inputs_on(device, 5)).mean
    sparse = Approximate(inputs_on(device, 8), whitened).to(device)
    likelihood = likelihoods.GaussianLikelihood().to(device)
    objective = mlls.VariationalELBO(likelihood, sparse, num_data=COUNT)
    for policy in ("mask", "fill"):
        with options.observation_nan_policy(policy):
            train(sparse, lambda: -objective(sparse(x), y), steps=2)
    old = likelihoods.GaussianLikelihoodWithMissingObs()
    old.to(device).expected_log_prob(y, sparse(x)).sum().backward()
    old.log_marginal(y, sparse(x)).sum()


@uses.add
def noise_from_another_model(device: torch.device) -> None:
    x = inputs_on(device)
    inner = Exact(x, targets_of(x).abs().log(), likelihoods.GaussianLikelihood(), scaled())
    noise = likelihoods.HeteroskedasticNoise(inner, noise_constraint=constraints.GreaterThan(1e-3)).to(device)
    noise(x).to_dense()


@uses.add
def classification_by_dirichlet(device: torch.device) -> None:
    x = inputs_on(device)
    labels = (x[:, 0] * 3).long().clamp(max=2)
    likelihood = likelihoods.DirichletClassificationLikelihood(labels, learn_additional_noise=True).to(device)
    shape = torch.Size([likelihood.num_classes])
    kernel = kernels.ScaleKernel(kernels.RBFKernel(batch_shape=shape), batch_shape=shape)
    targets = likelihood.transformed_targets
    model = Exact(x, targets, likelihood, kernel, means.ConstantMean(batch_shape=shape)).to(device)
    objective = mlls.ExactMarginalLogLikelihood(likelihood, model)
    train(model, lambda: -objective(model(x), targets).sum())
    model.eval()
    with torch.no_grad(), options.fast_pred_var():
        prediction = model(inputs_on(device, 6))
        prediction.loc.max(0)[1]
        prediction.sample(torch.Size([16])).exp().mean(0)


@uses.add
def batch_of_independent_outputs(device: torch.device) -> None:
    x = inputs_on(device)
    shape = torch.Size([TASKS])
    kernel = kernels.ScaleKernel(kernels.RBFKernel(batch_shape=shape), batch_shape=shape)
    likelihood = likelihoods.GaussianLikelihood(batch_shape=shape)
    model = Exact(x, tasks_of(x).mT, likelihood, kernel, means.ConstantMean(batch_shape=shape)).to(device)
    objective = mlls.ExactMarginalLogLikelihood(likelihood, model)
    train(model, lambda: -objective(model(x), model.train_targets).sum())
    model.eval()
    with torch.no_grad():
        likelihood.eval()(model(inputs_on(device, 5))).mean


MULTITASK_LIKELIHOODS: dict[str, dict[str, object]] = {
    "diagonal noise": {},
    "noise of rank 1": {"rank": 1},
    "global noise": {"has_task_noise": False},
    "task noise": {"has_global_noise": False, "noise_prior": priors.GammaPrior(1.1, 0.05)},
}


def multitask_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        x = inputs_on(device)
        likelihood = likelihoods.MultitaskGaussianLikelihood(num_tasks=TASKS, **MULTITASK_LIKELIHOODS[name])
        kernel = kernels.MultitaskKernel(kernels.RBFKernel(), num_tasks=TASKS, rank=1)
        mean = means.MultitaskMean(means.ConstantMean(), num_tasks=TASKS)
        model = ExactMultitask(x, tasks_of(x), likelihood, kernel, mean).to(device)
        train_exact(model, x)
        with torch.no_grad(), options.fast_pred_var():
            prediction = likelihood(model(inputs_on(device, 6)))
            prediction.confidence_region()
            prediction.sample()

    return use


uses.add_each("multitask with", MULTITASK_LIKELIHOODS, multitask_use)


@uses.add
def one_task_per_point(device: torch.device) -> None:
    x = inputs_on(device)
    task = torch.randint(0, TASKS, (COUNT, 1), device=device)
    model = Hadamard((x, task), targets_of(x), likelihoods.GaussianLikelihood(), kernels.RBFKernel()).to(device)
    train_exact(model, x, task)
    with torch.no_grad(), options.fast_pred_var():
        model.likelihood(model(inputs_on(device, 5), torch.zeros(5, 1, dtype=torch.long, device=device))).variance


@uses.add
def noise_per_task(device: torch.device) -> None:
    task = torch.randint(0, TASKS, (COUNT, 1), device=device)
    x = torch.cat([inputs_on(device), task.float()], dim=-1)
    likelihood = likelihoods.HadamardGaussianLikelihood(num_tasks=TASKS, task_feature_index=DIMENSIONS)
    kernel = kernels.MaternKernel(active_dims=(0, 1, 2)) * kernels.IndexKernel(TASKS, active_dims=(DIMENSIONS,))
    model = Exact(x, targets_of(x), likelihood, kernel).to(device)
    train_exact(model, x)
    with torch.no_grad():
        likelihood(model(x[:5]), x[:5]).variance


@uses.add
def list_of_models(device: torch.device) -> None:
    x = inputs_on(device)
    first = Exact(x, targets_of(x), likelihoods.GaussianLikelihood(), scaled())
    second = Exact(x[:10], targets_of(x[:10]), likelihoods.GaussianLikelihood(), scaled(kernels.MaternKernel()))
    model = models.IndependentModelList(first, second).to(device)
    likelihood = likelihoods.LikelihoodList(first.likelihood, second.likelihood)
    objective = mlls.SumMarginalLogLikelihood(likelihood, model)
    train(model, lambda: -objective(model(*model.train_inputs), model.train_targets))
    model.eval()
    likelihood.eval()
    test = inputs_on(device, 5)
    with torch.no_grad(), options.fast_pred_var():
        likelihood(*model(test, test))
    observed = [torch.randn(5, device=device), torch.randn(5, device=device)]
    model.get_fantasy_model([test, test], observed)


@uses.add
def derivatives(device: torch.device) -> None:
    x = inputs_on(device, 12, 1)
    y = torch.cat([torch.sin(x), torch.cos(x)], dim=1)
    likelihood = likelihoods.MultitaskGaussianLikelihood(num_tasks=2)
    model = ExactMultitask(x, y, likelihood, scaled(kernels.RBFKernelGrad()), means.ConstantMeanGrad()).to(device)
    train_exact(model, x)
    with torch.no_grad():
        likelihood(model(inputs_on(device, 4, 1))).mean


@uses.add
def deep_kernel(device: torch.device) -> None:
    class DeepKernel(Exact):
        def __init__(self, x: torch.Tensor, y: torch.Tensor, likelihood: likelihoods.Likelihood) -> None:
            super().__init__(x, y, likelihood, scaled(kernels.RBFKernel(ard_num_dims=2)))
            self.extractor = nn.Sequential(nn.Linear(DIMENSIONS, 16), nn.ReLU(), nn.Linear(16, 2))
            self.scale_to_bounds = gpytorch.utils.grid.ScaleToBounds(-1.0, 1.0)

        def forward(self, x: torch.Tensor) -> distributions.MultivariateNormal:
            return super().forward(self.scale_to_bounds(self.extractor(x)))

    x = inputs_on(device)
    model = DeepKernel(x, targets_of(x), likelihoods.GaussianLikelihood()).to(device)
    train_exact(model, x)
    with torch.no_grad(), options.fast_pred_var():
        model.likelihood(model(inputs_on(device, 5))).mean


@uses.add
def double_precision(device: torch.device) -> None:
    x = inputs_on(device).double()
    model = Exact(x, torch.sin(x[:, 0]), likelihoods.GaussianLikelihood(), scaled()).to(device).double()
    train_exact(model, x)
    model(x[:5]).covariance_matrix


# Metrics


METRICS = (
    "mean_absolute_error",
    "mean_squared_error",
    "standardized_mean_squared_error",
    "mean_standardized_log_loss",
    "negative_log_predictive_density",
    "quantile_coverage_error",
)


def metric_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        x, test = inputs_on(device), inputs_on(device, 10)
        y = targets_of(x)
        model = Exact(x, y, likelihoods.GaussianLikelihood(), scaled()).to(device)
        model.eval()
        model.likelihood.eval()
        settings = {"train_y": y} if name == "mean_standardized_log_loss" else {}
        with torch.no_grad():
            getattr(metrics, name)(model.likelihood(model(test)), targets_of(test), **settings).item()

    return use


uses.add_each("metric", METRICS, metric_use)


# Variational models


Strategy = Callable[["Approximate", torch.Tensor], variational.VariationalStrategy]


class Approximate(models.ApproximateGP):
    def __init__(
        self,
        points: torch.Tensor,
        strategy: Strategy,
        batch: torch.Size = torch.Size(),  # noqa: B008
        mean: means.Mean | None = None,
    ) -> None:
        super().__init__(strategy(self, points))
        self.mean_module = mean or means.ConstantMean(batch_shape=batch)
        self.covar_module = kernels.ScaleKernel(kernels.RBFKernel(batch_shape=batch), batch_shape=batch)

    def forward(self, x: torch.Tensor) -> distributions.MultivariateNormal:
        return distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def whitened(model: Approximate, points: torch.Tensor) -> variational.VariationalStrategy:
    distribution = variational.CholeskyVariationalDistribution(points.size(-2), batch_shape=points.shape[:-2])
    return variational.VariationalStrategy(model, points, distribution, learn_inducing_locations=True)


def plain_strategy(kind: str, distribution: str = "Cholesky") -> Strategy:
    def strategy(model: Approximate, points: torch.Tensor) -> variational.VariationalStrategy:
        made = getattr(variational, f"{distribution}VariationalDistribution")(points.size(-2))
        return getattr(variational, f"{kind}VariationalStrategy")(model, points, made)

    return strategy


def decoupled(model: Approximate, points: torch.Tensor) -> variational.VariationalStrategy:
    covariance = whitened(model, points)
    mean = variational.DeltaVariationalDistribution(points.size(-2) + 4)
    more = torch.rand(points.size(-2) + 4, points.size(-1), device=points.device)
    return variational.OrthogonallyDecoupledVariationalStrategy(covariance, more, mean)


def nearest(model: Approximate, points: torch.Tensor) -> variational.VariationalStrategy:
    distribution = variational.MeanFieldVariationalDistribution(points.size(-2))
    return variational.NNVariationalStrategy(model, points, distribution, k=3, training_batch_size=COUNT)


def gridded(model: Approximate, points: torch.Tensor) -> variational.VariationalStrategy:
    distribution = variational.CholeskyVariationalDistribution(6**DIMENSIONS)
    bounds = [(-0.1, 1.1)] * DIMENSIONS
    return variational.GridInterpolationVariationalStrategy(model, 6, bounds, distribution)


STRATEGIES: dict[str, Strategy] = {
    "Cholesky": whitened,
    "mean field": plain_strategy("", "MeanField"),
    "delta": plain_strategy("", "Delta"),
    "unwhitened": plain_strategy("Unwhitened"),
    "large batches": plain_strategy("LargeBatch"),
    "contour integrals": plain_strategy("Ciq", "MeanField"),
    "contour integrals and natural gradients": plain_strategy("Ciq", "Natural"),
    "batch decoupling": plain_strategy("BatchDecoupled"),
    "orthogonal decoupling": decoupled,
    "a grid": gridded,
}
DISTRIBUTIONS = ("Natural", "TrilNatural")


def variational_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        x = inputs_on(device)
        y = targets_of(x)
        likelihood = likelihoods.GaussianLikelihood().to(device)
        batch = torch.Size([2]) if name == "batch decoupling" else torch.Size()
        model = Approximate(inputs_on(device, 8), STRATEGIES[name], batch).to(device)
        objective = mlls.VariationalELBO(likelihood, model, num_data=COUNT)
        train(nn.ModuleList([model, likelihood]), lambda: -objective(model(x), y).sum())
        model.eval()
        with torch.no_grad():
            likelihood.eval()(model(inputs_on(device, 5))).variance
            model.variational_strategy.kl_divergence()

    return use


def natural_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        x = inputs_on(device)
        y = targets_of(x)
        likelihood = likelihoods.GaussianLikelihood().to(device)
        model = Approximate(inputs_on(device, 8), plain_strategy("", name)).to(device)
        natural = gpytorch.optim.NGD(model.variational_parameters(), num_data=COUNT, lr=0.1)
        other = torch.optim.Adam([*model.hyperparameters(), *likelihood.parameters()], lr=0.01)
        objective = mlls.VariationalELBO(likelihood, model, num_data=COUNT)
        for _ in range(3):
            natural.zero_grad()
            other.zero_grad()
            (-objective(model(x), y)).backward()
            natural.step()
            other.step()
        model.eval()(inputs_on(device, 5)).mean

    return use


uses.add_each("variational model with", STRATEGIES, variational_use)
uses.add_each("natural gradients with", DISTRIBUTIONS, natural_use)


class Nearest(Approximate):
    def __call__(
        self, x: torch.Tensor | None, prior: bool = False, **settings: object
    ) -> distributions.MultivariateNormal:
        return self.variational_strategy(x=x, prior=prior, **settings)


@uses.add
def nearest_neighbours(device: torch.device) -> None:
    x = inputs_on(device)
    y = targets_of(x)
    likelihood = likelihoods.GaussianLikelihood().to(device)
    model = Nearest(x, nearest).to(device)
    objective = mlls.VariationalELBO(likelihood, model, num_data=COUNT)
    optimizer = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        output = model(x=None)
        index = model.variational_strategy.current_training_indices
        loss = -objective(output, y[index])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        likelihood.eval()(model(inputs_on(device, 5))).variance


@uses.add
def additive_grid(device: torch.device) -> None:
    def strategy(model: Approximate, points: torch.Tensor) -> variational.VariationalStrategy:
        distribution = variational.CholeskyVariationalDistribution(8, batch_shape=torch.Size([DIMENSIONS]))
        return variational.AdditiveGridInterpolationVariationalStrategy(
            model, grid_size=8, grid_bounds=[(-0.1, 1.1)], num_dim=DIMENSIONS, variational_distribution=distribution
        )

    x = inputs_on(device)
    y = (x.sum(1) > 1.5).float()
    likelihood = likelihoods.BernoulliLikelihood().to(device)
    model = Approximate(x, strategy).to(device)
    objective = mlls.VariationalELBO(likelihood, model, num_data=COUNT)
    train(model, lambda: -objective(model(x), y).sum())
    model.eval()
    likelihood(model(x)).mean.ge(0.5)


@uses.add
def objectives(device: torch.device) -> None:
    x = inputs_on(device)
    y = targets_of(x)
    for kind in (mlls.VariationalELBO, mlls.PredictiveLogLikelihood, mlls.GammaRobustVariationalELBO):
        likelihood = likelihoods.GaussianLikelihood(noise_prior=priors.GammaPrior(1.1, 0.05)).to(device)
        model = Approximate(inputs_on(device, 8), whitened).to(device)
        objective = kind(likelihood, model, num_data=COUNT, beta=0.5)
        train(model, lambda: -objective(model(x), y))  # noqa: B023
    separate = mlls.VariationalELBO(likelihood, model, num_data=COUNT, combine_terms=False)
    [float(term) for term in separate(model(x), y)]


@uses.add
def minibatches(device: torch.device) -> None:
    x = torch.rand(64, DIMENSIONS)
    dataset = torch.utils.data.TensorDataset(x, targets_of(x))
    loader = torch.utils.data.DataLoader(dataset, batch_size=16, shuffle=True)
    model = Approximate(x[:8].clone(), whitened).to(device)
    likelihood = likelihoods.GaussianLikelihood().to(device)
    objective = mlls.VariationalELBO(likelihood, model, num_data=len(x))
    optimizer = torch.optim.Adam([{"params": model.parameters()}, {"params": likelihood.parameters()}], lr=0.01)
    for batch, targets in loader:
        optimizer.zero_grad()
        loss = -objective(model(batch.to(device)), targets.to(device))
        loss.backward()
        optimizer.step()
        loss.item()


@uses.add
def fantasies_of_a_variational_model(device: torch.device) -> None:
    x = inputs_on(device)
    y = targets_of(x)
    model = Approximate(inputs_on(device, 8), whitened, mean=means.ZeroMean()).to(device)
    model.likelihood = likelihoods.GaussianLikelihood().to(device)
    objective = mlls.VariationalELBO(model.likelihood, model, num_data=COUNT)
    train(model, lambda: -objective(model(x), y))
    model.eval()
    fantasy = model.get_fantasy_model(inputs_on(device, 2), torch.randn(2, device=device))
    with torch.no_grad():
        fantasy(inputs_on(device, 4)).mean


# Variational models of several tasks


def independent_tasks(model: Approximate, points: torch.Tensor) -> variational.VariationalStrategy:
    base = whitened(model, points)
    return variational.IndependentMultitaskVariationalStrategy(base, num_tasks=TASKS)


def mixed_tasks(model: Approximate, points: torch.Tensor) -> variational.VariationalStrategy:
    base = whitened(model, points)
    return variational.LMCVariationalStrategy(base, num_tasks=TASKS, num_latents=3, latent_dim=-1)


def variational_tasks(device: torch.device, strategy: Strategy, batch: int) -> None:
    x = inputs_on(device)
    y = tasks_of(x)
    points = torch.rand(batch, 8, DIMENSIONS, device=device)
    model = Approximate(points, strategy, torch.Size([batch])).to(device)
    likelihood = likelihoods.MultitaskGaussianLikelihood(num_tasks=TASKS).to(device)
    objective = mlls.VariationalELBO(likelihood, model, num_data=COUNT)
    train(nn.ModuleList([model, likelihood]), lambda: -objective(model(x), y))
    model.eval()
    with torch.no_grad():
        likelihood.eval()(model(inputs_on(device, 5))).confidence_region()
        model(inputs_on(device, 5), task_indices=torch.randint(0, TASKS, (5,), device=device)).mean


@uses.add
def independent_variational_tasks(device: torch.device) -> None:
    variational_tasks(device, independent_tasks, TASKS)


@uses.add
def mixed_variational_tasks(device: torch.device) -> None:
    variational_tasks(device, mixed_tasks, 3)


# Likelihoods of variational models


LIKELIHOODS: dict[str, Callable[[], likelihoods.Likelihood]] = {
    "Bernoulli": likelihoods.BernoulliLikelihood,
    "Beta": lambda: likelihoods.BetaLikelihood(scale_prior=priors.GammaPrior(2.0, 1.0)),
    "Gaussian": likelihoods.GaussianLikelihood,
    "Laplace": lambda: likelihoods.LaplaceLikelihood(noise_prior=priors.GammaPrior(2.0, 1.0)),
    "NegativeBinomial": likelihoods.NegativeBinomialLikelihood,
    "NegativeBinomial of failures": lambda: likelihoods.NegativeBinomialLikelihood(num_failures_param=True),
    "Poisson": likelihoods.PoissonLikelihood,
    "StudentT": lambda: likelihoods.StudentTLikelihood(deg_free_prior=priors.GammaPrior(2.0, 0.5)),
}


def suiting_targets(name: str, x: torch.Tensor) -> torch.Tensor:
    if name == "Bernoulli":
        return (x[:, 0] > 0.5).float()
    if name == "Beta":
        return x[:, 0].clamp(0.05, 0.95)
    if name.startswith(("Negative", "Poisson")):
        return (x[:, 0] * 5).floor()
    return targets_of(x)


def likelihood_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        x = inputs_on(device)
        y = suiting_targets(name, x)
        likelihood = LIKELIHOODS[name]().to(device)
        model = Approximate(inputs_on(device, 8), whitened).to(device)
        objective = mlls.VariationalELBO(likelihood, model, num_data=COUNT)
        train(nn.ModuleList([model, likelihood]), lambda: -objective(model(x), y))
        model.eval()
        likelihood.eval()
        with torch.no_grad(), options.num_likelihood_samples(8):
            likelihood(model(x)).mean
            likelihood.log_marginal(y, model(x)).sum()
            likelihood.expected_log_prob(y, model(x)).sum()
            likelihood(model(x).sample(torch.Size([4])))
        predictive = mlls.PredictiveLogLikelihood(likelihood, model, num_data=COUNT)
        train(model, lambda: -predictive(model(x), y), steps=1)

    return use


uses.add_each("likelihood", LIKELIHOODS, likelihood_use)


@uses.add
def softmax_likelihood(device: torch.device) -> None:
    x = inputs_on(device)
    labels = (x[:, 0] * 3).long().clamp(max=2)
    for mixing in (True, False):
        likelihood = likelihoods.SoftmaxLikelihood(num_features=3, num_classes=3, mixing_weights=mixing).to(device)
        points = torch.rand(3, 8, DIMENSIONS, device=device)

        def strategy(model: Approximate, points: torch.Tensor) -> variational.VariationalStrategy:
            return variational.IndependentMultitaskVariationalStrategy(whitened(model, points), num_tasks=3)

        model = Approximate(points, strategy, torch.Size([3])).to(device)
        objective = mlls.VariationalELBO(likelihood, model, num_data=COUNT)
        train(model, lambda: -objective(model(x), labels))  # noqa: B023
        with torch.no_grad():
            likelihood(model.eval()(x)).probs.mean(0).argmax(-1)


# Deep models


class HiddenLayer(DeepGPLayer):
    def __init__(self, inputs: int, outputs: int | None, layer: str = "constant") -> None:
        batch = torch.Size([] if outputs is None else [outputs])
        points = torch.randn(*batch, 8, inputs)
        distribution = variational.CholeskyVariationalDistribution(8, batch_shape=batch)
        strategy = variational.VariationalStrategy(self, points, distribution, learn_inducing_locations=True)
        super().__init__(strategy, inputs, outputs)
        self.mean_module = means.LinearMean(inputs) if layer == "linear" else means.ConstantMean(batch_shape=batch)
        kernel = kernels.RBFKernel(batch_shape=batch, ard_num_dims=inputs)
        self.covar_module = kernels.ScaleKernel(kernel, batch_shape=batch)

    def forward(self, x: torch.Tensor) -> distributions.MultivariateNormal:
        return distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class SkipLayer(HiddenLayer):
    def __call__(self, x: torch.Tensor, *others: torch.Tensor, **settings: object) -> distributions.MultivariateNormal:
        if not others:
            return super().__call__(x, **settings)
        samples = options.num_likelihood_samples.value()
        hidden = x.rsample() if isinstance(x, distributions.MultitaskMultivariateNormal) else x
        parts = [other.unsqueeze(0).expand(samples, *other.shape) for other in others]
        return super().__call__(torch.cat([hidden, *parts], dim=-1), are_samples=True, **settings)


class QuadratureLayer(DSPPLayer):
    def __init__(self, inputs: int, outputs: int | None, sites: int) -> None:
        batch = torch.Size([] if outputs is None else [outputs])
        distribution = variational.MeanFieldVariationalDistribution(8, batch_shape=batch)
        points = torch.randn(*batch, 8, inputs)
        strategy = variational.VariationalStrategy(self, points, distribution, learn_inducing_locations=True)
        super().__init__(strategy, inputs, outputs, sites)
        self.mean_module = means.ConstantMean(batch_shape=batch)
        kernel = kernels.MaternKernel(batch_shape=batch, ard_num_dims=inputs)
        self.covar_module = kernels.ScaleKernel(kernel, batch_shape=batch)

    def forward(self, x: torch.Tensor) -> distributions.MultivariateNormal:
        return distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class TwoLayers(DeepGP):
    def __init__(self, outputs: int | None) -> None:
        super().__init__()
        self.hidden = HiddenLayer(DIMENSIONS, 2, "linear")
        self.last = HiddenLayer(2, outputs)
        self.likelihood = (
            likelihoods.GaussianLikelihood() if outputs is None else likelihoods.MultitaskGaussianLikelihood(outputs)
        )

    def forward(self, x: torch.Tensor) -> distributions.MultivariateNormal:
        return self.last(self.hidden(x))


class Skipping(TwoLayers):
    def __init__(self) -> None:
        super().__init__(None)
        self.last = SkipLayer(2 + DIMENSIONS, None)

    def forward(self, x: torch.Tensor) -> distributions.MultivariateNormal:
        return self.last(self.hidden(x), x)


class Quadrature(DSPP):
    def __init__(self, sites: int = 3) -> None:
        super().__init__(sites)
        self.hidden = QuadratureLayer(DIMENSIONS, 2, sites)
        self.last = QuadratureLayer(2, None, sites)
        self.likelihood = likelihoods.GaussianLikelihood()

    def forward(self, x: torch.Tensor) -> distributions.MultivariateNormal:
        return self.last(self.hidden(x))


@uses.add
def deep_regression(device: torch.device) -> None:
    x = inputs_on(device)
    y = targets_of(x)
    for made in (lambda: TwoLayers(None), Skipping):
        model = made().to(device)
        objective = mlls.DeepApproximateMLL(mlls.VariationalELBO(model.likelihood, model, COUNT))
        with options.num_likelihood_samples(4):
            train(model, lambda: -objective(model(x), y))  # noqa: B023
            with torch.no_grad():
                prediction = model.likelihood(model.eval()(inputs_on(device, 5)))
                prediction.mean.mean(0)
                model.likelihood.log_marginal(targets_of(x), model(x)).sum()


@uses.add
def deep_tasks(device: torch.device) -> None:
    x = inputs_on(device)
    y = tasks_of(x)
    model = TwoLayers(TASKS).to(device)
    objective = mlls.DeepApproximateMLL(mlls.VariationalELBO(model.likelihood, model, COUNT))
    with options.num_likelihood_samples(4):
        train(model, lambda: -objective(model(x), y))
        with torch.no_grad():
            model.likelihood(model.eval()(inputs_on(device, 5))).to_data_independent_dist().mean.mean(0)


@uses.add
def deep_classification(device: torch.device) -> None:
    x = inputs_on(device)
    labels = (x[:, 0] > 0.5).float()
    model = TwoLayers(None)
    model.likelihood = DeepLikelihood(likelihoods.BernoulliLikelihood())
    model.to(device)
    with options.num_likelihood_samples(4), torch.no_grad():
        model.likelihood(model(x)).probs
        model.likelihood.log_marginal(labels, model(x))
        model.likelihood.expected_log_prob(labels, model(x))


@uses.add
def deep_quadrature(device: torch.device) -> None:
    x = inputs_on(device)
    y = targets_of(x)
    model = Quadrature().to(device)
    objective = mlls.DeepPredictiveLogLikelihood(model.likelihood, model, num_data=COUNT, beta=0.05)
    train(model, lambda: -objective(model(x), y))
    with torch.no_grad(), options.fast_computations(log_prob=False, solves=False):
        prediction = model.likelihood(model.eval()(x), mean_input=x)
        (model.quad_weights.unsqueeze(-1).exp() * prediction.mean).sum(0)


# Latent variables and pyro


LATENT = ("point", "MAP", "variational")


class Latent(BayesianGPLVM):
    def __init__(self, latent: nn.Module, outputs: int, dimensions: int) -> None:
        batch = torch.Size([outputs])
        distribution = variational.CholeskyVariationalDistribution(6, batch_shape=batch)
        points = torch.randn(outputs, 6, dimensions)
        super().__init__(latent, variational.VariationalStrategy(self, points, distribution))
        self.mean_module = means.ZeroMean(ard_num_dims=dimensions)
        self.covar_module = kernels.ScaleKernel(kernels.RBFKernel(ard_num_dims=dimensions))

    def forward(self, x: torch.Tensor) -> distributions.MultivariateNormal:
        return distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def latent_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        outputs, dimensions = 4, 2
        y = torch.randn(COUNT, outputs, device=device)
        start = nn.Parameter(torch.randn(COUNT, dimensions, device=device))
        zeros = torch.zeros(COUNT, dimensions, device=device)
        prior = priors.NormalPrior(zeros, torch.ones_like(zeros))
        latent = {
            "point": lambda: PointLatentVariable(COUNT, dimensions, start),
            "MAP": lambda: MAPLatentVariable(COUNT, dimensions, start, prior),
            "variational": lambda: VariationalLatentVariable(COUNT, outputs, dimensions, start, prior),
        }[name]()
        model = Latent(latent, outputs, dimensions).to(device)
        likelihood = likelihoods.GaussianLikelihood(batch_shape=torch.Size([outputs])).to(device)
        objective = mlls.VariationalELBO(likelihood, model, num_data=COUNT)
        index = torch.randperm(COUNT, device=device)[:10]

        def loss() -> torch.Tensor:
            sample = model.sample_latent_variable()
            return -objective(model(sample[index]), y[index].T).sum()

        train(nn.ModuleList([model, likelihood]), loss)

    return use


uses.add_each("latent variable", LATENT, latent_use)


@uses.add
def pyro_variational_inference(device: torch.device) -> None:
    import pyro

    class Model(models.PyroGP):
        def __init__(self, points: torch.Tensor, likelihood: likelihoods.Likelihood, count: int) -> None:
            super().__init__(whitened(self, points), likelihood, num_data=count, name_prefix="simple")
            self.mean_module = means.ConstantMean()
            self.covar_module = kernels.RBFKernel()

        def forward(self, x: torch.Tensor) -> distributions.MultivariateNormal:
            return distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    pyro.clear_param_store()
    x = inputs_on(device)
    y = suiting_targets("Poisson", x)
    model = Model(inputs_on(device, 6), likelihoods.PoissonLikelihood(), COUNT).to(device)
    elbo = pyro.infer.Trace_ELBO(num_particles=4, vectorize_particles=True, retain_graph=True)
    inference = pyro.infer.SVI(model.model, model.guide, pyro.optim.Adam({"lr": 0.01}), elbo)
    for _ in range(2):
        inference.step(x, y)
    with torch.no_grad():
        model.eval()(inputs_on(device, 4)).mean


@uses.add
def pyro_low_level(device: torch.device) -> None:
    import pyro

    class Model(Approximate):
        def guide(self, x: torch.Tensor, y: torch.Tensor) -> None:
            function = self.pyro_guide(x)
            with pyro.plate(".data_plate", dim=-1):
                pyro.sample(".f(x)", function)

        def model(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            pyro.module(".gp", self)
            function = self.pyro_model(x)
            with pyro.plate(".data_plate", dim=-1):
                rate = pyro.sample(".f(x)", function).exp()
                return pyro.sample(".y", pyro.distributions.Poisson(rate), obs=y)

    pyro.clear_param_store()
    x = inputs_on(device)
    y = suiting_targets("Poisson", x)
    model = Model(inputs_on(device, 6), whitened).to(device)
    elbo = pyro.infer.Trace_ELBO(num_particles=4, vectorize_particles=True, retain_graph=True)
    inference = pyro.infer.SVI(model.model, model.guide, pyro.optim.Adam({"lr": 0.01}), elbo)
    for _ in range(2):
        inference.step(x, y)


@uses.add
def fully_bayesian_model(device: torch.device) -> None:
    import pyro

    def uniform(low: float, high: float) -> priors.UniformPrior:
        return priors.UniformPrior(torch.tensor(low, device=device), torch.tensor(high, device=device))

    x = inputs_on(device, 10, 1)
    y = targets_of(x)
    kernel = kernels.ScaleKernel(kernels.RBFKernel(lengthscale_prior=uniform(0.01, 0.5)))
    kernel.register_prior("outputscale_prior", uniform(1.0, 2.0), "outputscale")
    likelihood = likelihoods.GaussianLikelihood(noise_prior=uniform(0.01, 0.5))
    model = Exact(x, y, likelihood, kernel).to(device)

    def pyro_model(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        with options.fast_computations(False, False, False):
            sampled = model.pyro_sample_from_prior()
            pyro.sample("obs", sampled.likelihood(sampled(x)), obs=y)
        return y

    sampler = pyro.infer.mcmc.MCMC(
        pyro.infer.mcmc.NUTS(pyro_model, max_tree_depth=2), num_samples=2, warmup_steps=2, disable_progbar=True
    )
    sampler.run(x, y)
    model.pyro_load_from_samples(sampler.get_samples())
    model.eval()
    with torch.no_grad():
        model(inputs_on(device, 4, 1).unsqueeze(0).repeat(2, 1, 1)).mean


# Utilities


@uses.add
def matrix_functions(device: torch.device) -> None:
    root = torch.randn(8, 8, device=device)
    matrix = (root @ root.T + 8 * torch.eye(8, device=device)).requires_grad_()
    right = torch.randn(8, 2, device=device)
    gpytorch.solve(matrix, right).sum().backward()
    gpytorch.solve(matrix, right, lhs=torch.randn(3, 8, device=device))
    gpytorch.inv_quad(matrix, right)
    gpytorch.inv_quad_logdet(matrix, right, logdet=True)
    gpytorch.add_diagonal(matrix, torch.ones(8, device=device)).to_dense()
    gpytorch.add_jitter(matrix, 1e-3)
    gpytorch.pivoted_cholesky(matrix, rank=3)
    gpytorch.root_decomposition(matrix).to_dense()
    gpytorch.root_inv_decomposition(matrix).to_dense()
    gpytorch.sqrt_inv_matmul(matrix.detach(), right)
    gpytorch.log_normal_cdf(torch.randn(20, device=device, requires_grad=True) * 6).sum().backward()


@uses.add
def grids(device: torch.device) -> None:
    x = inputs_on(device)
    gpytorch.utils.grid.choose_grid_size(x)
    gpytorch.utils.grid.choose_grid_size(x, kronecker_structure=False)
    grid = gpytorch.utils.grid.create_grid([5, 6], [(0.0, 1.0), (0.0, 1.0)], device=device)
    gpytorch.utils.grid.create_data_from_grid(grid)
    gpytorch.utils.grid.scale_to_bounds(x, -1, 1)
    scale = gpytorch.utils.grid.ScaleToBounds(-1.0, 1.0).to(device)
    scale(x)
    scale.eval()(x * 2)
    gpytorch.utils.interpolation.Interpolation().interpolate(grid, x[:, :2])


@uses.add
def quadrature_and_neighbours(device: torch.device) -> None:
    normal = torch.distributions.Normal(torch.zeros(4, device=device), torch.ones(4, device=device))
    gpytorch.utils.quadrature.GaussHermiteQuadrature1D(10).to(device)(torch.exp, normal)
    covariances = torch.rand(3, 6, 6, device=device)
    gpytorch.utils.sum_interaction_terms(covariances, max_degree=2)
    x = inputs_on(device)
    neighbours = gpytorch.utils.NNUtil(3, DIMENSIONS, device=device)
    neighbours.set_nn_idx(x)
    neighbours.find_nn_idx(inputs_on(device, 4))
    neighbours.build_sequential_nn_idx(x)


if __name__ == "__main__":
    uses.main()
