"""Models, posteriors, acquisition functions, their optimization, samplers, transforms and test problems of botorch."""

from collections.abc import Callable

import torch
from botorch import acquisition, cross_validation, fit, generation, models, optim, posteriors, sampling, test_functions
from botorch.acquisition import (
    analytic,
    cost_aware,
    fixed_feature,
    input_constructors,
    logei,
    monte_carlo,
    multi_objective,
    multi_step_lookahead,
    objective,
    penalized,
    risk_measures,
)
from botorch.acquisition import utils as acquisition_utils
from botorch.acquisition.joint_entropy_search import qJointEntropySearch
from botorch.acquisition.multi_objective import joint_entropy_search as multi_joint
from botorch.acquisition.multi_objective import (
    max_value_entropy_search,
    multi_output_risk_measures,
    parego,
)
from botorch.acquisition.multi_objective import objective as multi_objectives
from botorch.acquisition.multi_objective import predictive_entropy_search as multi_predictive
from botorch.acquisition.multi_objective import utils as multi_utils
from botorch.acquisition.multioutput_acquisition import MultiOutputAcquisitionFunctionWrapper, MultiOutputPosteriorMean
from botorch.acquisition.predictive_entropy_search import qPredictiveEntropySearch
from botorch.acquisition.thompson_sampling import PathwiseThompsonSampling
from botorch.models import kernels as botorch_kernels
from botorch.models import map_saas, relevance_pursuit
from botorch.models import utils as model_utils
from botorch.models.additive_gp import OrthogonalAdditiveGP
from botorch.models.contextual import LCEAGP, SACGP
from botorch.models.contextual_multioutput import LCEMGP
from botorch.models.cost import FixedCostModel
from botorch.models.deterministic import FixedSingleSampleModel, MatheronPathModel
from botorch.models.heterogeneous_mtgp import HeterogeneousMTGP
from botorch.models.hierarchical import HierarchicalConditionalKernelGP
from botorch.models.kernels.orthogonal_additive_kernel import OrthogonalAdditiveKernel
from botorch.models.kernels.positive_index import PositiveIndexKernel
from botorch.models.latent_kronecker_gp import LatentKroneckerGP
from botorch.models.likelihoods import PairwiseLogitLikelihood, PairwiseProbitLikelihood
from botorch.models.robust_relevance_pursuit_model import RobustRelevancePursuitSingleTaskGP
from botorch.models.transforms import factory
from botorch.models.transforms import input as input_transforms
from botorch.models.transforms import outcome as outcome_transforms
from botorch.models.utils import inducing_point_allocators
from botorch.optim import closures, homotopy, initializers, parameter_constraints, stopping
from botorch.optim import fit as optim_fit
from botorch.optim.optimize import optimize_acqf_list
from botorch.sampling import index_sampler, list_sampler, pairwise_samplers, pathwise, qmc, stochastic_samplers
from botorch.sampling.get_sampler import get_sampler
from botorch.test_functions import sensitivity_analysis
from botorch.utils import constraints as utils_constraints
from botorch.utils import (
    datasets,
    feasible_volume,
    probability,
    rounding,
    safe_math,
    transforms,
)
from botorch.utils import multi_objective as pareto
from botorch.utils import objective as utils_objective
from botorch.utils import sampling as utils_sampling
from botorch.utils.multi_objective import box_decompositions, hypervolume
from botorch.utils.probability import linalg
from botorch.utils.probability import utils as probability_utils
from gpytorch import kernels, likelihoods, mlls, priors
from uses import Use, Uses

COUNT, DIMENSIONS, FEW = 12, 3, torch.Size([8])
OPTIMIZE = {"num_restarts": 2, "raw_samples": 8, "options": {"maxiter": 3, "batch_limit": 2}}
Model = models.model.Model
uses = Uses()


def few_steps() -> dict[str, object]:
    return {"options": {"maxiter": 3}}


def inputs_on(device: torch.device, *sizes: int) -> torch.Tensor:
    return torch.rand(*(sizes or (COUNT, DIMENSIONS)), dtype=torch.double, device=device)


def targets_of(x: torch.Tensor, outputs: int = 1) -> torch.Tensor:
    waves = [torch.sin(5 * x[..., 0] + k) + x[..., 1:].sum(-1) for k in range(outputs)]
    return torch.stack(waves, dim=-1) + 0.05 * torch.randn(*x.shape[:-1], outputs, dtype=x.dtype, device=x.device)


def bounds_on(device: torch.device, dimensions: int = DIMENSIONS) -> torch.Tensor:
    return torch.stack([torch.zeros(dimensions), torch.ones(dimensions)]).to(device, torch.double)


def model_on(device: torch.device, outputs: int = 1) -> models.SingleTaskGP:
    x = inputs_on(device)
    return models.SingleTaskGP(x, targets_of(x, outputs)).to(device)


def models_on(device: torch.device, outputs: int = 2) -> models.ModelListGP:
    return models.ModelListGP(*[model_on(device) for _ in range(outputs)])


def fitted(model: models.gpytorch.GPyTorchModel) -> models.gpytorch.GPyTorchModel:
    kind = mlls.SumMarginalLogLikelihood if isinstance(model, models.ModelListGP) else mlls.ExactMarginalLogLikelihood
    fit.fit_gpytorch_mll(kind(model.likelihood, model), optimizer_kwargs=few_steps())
    return model


def predict(model: Model, x: torch.Tensor) -> None:
    with torch.no_grad():
        posterior = model.posterior(x)
        posterior.mean, posterior.variance
        posterior.rsample(torch.Size([3]))
        model.posterior(x, observation_noise=True).variance


def ascend(function: torch.nn.Module, x: torch.Tensor) -> None:
    x = x.requires_grad_()
    (gradient,) = torch.autograd.grad(function(x).sum(), x)
    gradient.norm()


# Models


def single(x: torch.Tensor, **settings: object) -> models.SingleTaskGP:
    return models.SingleTaskGP(x, targets_of(x), **settings)


def with_levels(x: torch.Tensor, levels: int = 3) -> torch.Tensor:
    return torch.cat([x[..., :-1], (x[..., -1:] * levels).floor().clamp(max=levels - 1)], dim=-1)


def multi_task(x: torch.Tensor, **settings: object) -> models.MultiTaskGP:
    x = with_levels(x, 2)
    return models.MultiTaskGP(x, targets_of(x), task_feature=-1, **settings)


def mixed(x: torch.Tensor) -> models.MixedSingleTaskGP:
    x = with_levels(x)
    return models.MixedSingleTaskGP(x, targets_of(x), cat_dims=[DIMENSIONS - 1])


EXACT: dict[str, Callable[[torch.Tensor], models.gpytorch.GPyTorchModel]] = {
    "SingleTaskGP": single,
    "SingleTaskGP of known noise": lambda x: single(x, train_Yvar=torch.full_like(x[:, :1], 0.01)),
    "SingleTaskGP of two outputs": lambda x: models.SingleTaskGP(x, targets_of(x, 2)),
    "SingleTaskGP with transforms": lambda x: single(
        x, input_transform=input_transforms.Normalize(DIMENSIONS), outcome_transform=outcome_transforms.Standardize(1)
    ),
    "SingleTaskGP with warping": lambda x: single(
        x,
        input_transform=input_transforms.Warp(
            DIMENSIONS, indices=[0, 1], concentration1_prior=priors.LogNormalPrior(0.0, 0.5), bounds=bounds_on(x.device)
        ),
    ),
    "SingleTaskGP with a kernel": lambda x: single(
        x, covar_module=kernels.ScaleKernel(kernels.MaternKernel(nu=2.5, ard_num_dims=DIMENSIONS))
    ),
    "SingleTaskGP in batches": lambda x: models.SingleTaskGP(x.repeat(2, 1, 1), targets_of(x.repeat(2, 1, 1))),
    "SingleTaskGP of a wide network": lambda x: single(
        x, covar_module=botorch_kernels.InfiniteWidthBNNKernel(2, device=x.device)
    ),
    "fidelities": lambda x: models.SingleTaskMultiFidelityGP(x, targets_of(x), data_fidelities=[2]),
    "two fidelities": lambda x: models.SingleTaskMultiFidelityGP(
        x, targets_of(x), iteration_fidelity=1, data_fidelities=[2], linear_truncated=False
    ),
    "MixedSingleTaskGP": mixed,
    "MultiTaskGP": multi_task,
    "MultiTaskGP of rank 1": lambda x: multi_task(
        x, rank=1, output_tasks=[0], train_Yvar=torch.full_like(x[:, :1], 0.1)
    ),
    "KroneckerMultiTaskGP": lambda x: models.KroneckerMultiTaskGP(x, targets_of(x, 2)),
    "HigherOrderGP": lambda x: models.HigherOrderGP(x, targets_of(x, 6).reshape(-1, 2, 3), outcome_transform=None),
    "OrthogonalAdditiveGP": lambda x: OrthogonalAdditiveGP(x, targets_of(x), second_order=True),
    "AdditiveMapSaas": lambda x: models.AdditiveMapSaasSingleTaskGP(x, targets_of(x), num_taus=2),
    "EnsembleMapSaas": lambda x: models.EnsembleMapSaasSingleTaskGP(x, targets_of(x), num_taus=2),
    "LCEAGP": lambda x: LCEAGP(x[:, :2], targets_of(x), None, decomposition={"a": [0], "b": [1]}),
    "SACGP": lambda x: SACGP(x[:, :2], targets_of(x), None, decomposition={"a": [0], "b": [1]}),
    "LCEMGP": lambda x: LCEMGP(with_levels(x, 2), targets_of(x), task_feature=DIMENSIONS - 1),
    "HierarchicalConditionalKernelGP": lambda x: HierarchicalConditionalKernelGP(
        torch.cat([x[:, :2], (x[:, 2:] > 0.5).double()], dim=1), targets_of(x), {2: {0: [0], 1: [1]}}
    ),
    "RobustRelevancePursuit": lambda x: RobustRelevancePursuitSingleTaskGP(x, targets_of(x)),
}


def test_inputs(name: str, model: models.gpytorch.GPyTorchModel) -> torch.Tensor:
    x = model.train_inputs[0] if not isinstance(model, models.ModelList) else model.models[0].train_inputs[0]
    if "two outputs" in name or "batches" in name or "Ensemble" in name:
        x = x[0]
    if ("MultiTask" in name and "Kronecker" not in name) or "LCEM" in name:
        return x[:4, : DIMENSIONS - 1].double()
    return x[:4] + 0.0


def exact_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = EXACT[name](inputs_on(device)).to(device)
        loss = mlls.ExactMarginalLogLikelihood(model.likelihood, model)
        fit.fit_gpytorch_mll(loss, optimizer_kwargs=few_steps())
        x = test_inputs(name, model)
        predict(model, x)
        model.num_outputs, model.batch_shape

    return use


uses.add_each("model", EXACT, exact_use)


@uses.add
def conditioned_models(device: torch.device) -> None:
    model = fitted(model_on(device, 2))
    x = inputs_on(device, 2, DIMENSIONS)
    model.posterior(x)
    model.condition_on_observations(x, targets_of(x, 2)).posterior(x).mean
    fantasy = model.fantasize(x, sampling.SobolQMCNormalSampler(FEW))
    fantasy.posterior(inputs_on(device, 2, DIMENSIONS)).mean
    model.subset_output([1]).posterior(x).mean
    model.posterior(x, output_indices=[0, 1]).mean


@uses.add
def lists_of_models(device: torch.device) -> None:
    model = fitted(models_on(device))
    x = inputs_on(device, 4, DIMENSIONS)
    predict(model, x)
    model.subset_output([0]).posterior(x)
    model.posterior(x)
    model.fantasize(x, sampling.IIDNormalSampler(torch.Size([4]))).posterior(x).mean
    plain = models.ModelList(model.models[0], models.deterministic.GenericDeterministicModel(lambda z: z[..., :1]))
    plain.posterior(x).mean


@uses.add
def kronecker_sampling(device: torch.device) -> None:
    x = inputs_on(device)
    model = models.KroneckerMultiTaskGP(x, targets_of(x, 2)).to(device)
    posterior = model.posterior(inputs_on(device, 4, DIMENSIONS))
    posterior.rsample(FEW)
    sampling.SobolQMCNormalSampler(FEW)(posterior)
    higher = models.HigherOrderGP(x, targets_of(x, 4).reshape(-1, 2, 2), outcome_transform=None).to(device)
    flattened = outcome_transforms.Standardize(4)
    flattened.to(device)(targets_of(x, 4))
    sampling.IIDNormalSampler(FEW)(higher.posterior(inputs_on(device, 2, DIMENSIONS)))


@uses.add
def heterogeneous_tasks(device: torch.device) -> None:
    first, second = inputs_on(device, 8, 2), inputs_on(device, 8, 3)
    model = HeterogeneousMTGP(
        [first, second], [targets_of(first), targets_of(second)], None, [[0, 1], [0, 1, 2]], full_feature_dim=3
    ).to(device)
    x = torch.cat([inputs_on(device, 3, 2), torch.zeros(3, 1, dtype=torch.double, device=device)], dim=1)
    predict(fitted(model), x)


@uses.add
def latent_kronecker(device: torch.device) -> None:
    x, t = inputs_on(device), torch.linspace(0, 1, 5, dtype=torch.double, device=device)[:, None]
    y = targets_of(x, 5)
    y[:3, 3:] = float("nan")
    model = LatentKroneckerGP(x, t, y).to(device)
    with model.use_iterative_methods():
        fitted(model)
        posterior = model.posterior(inputs_on(device, 3, DIMENSIONS), t)
        posterior.rsample(torch.Size([2]))


@uses.add
def variational_models(device: torch.device) -> None:
    x = inputs_on(device, 30, DIMENSIONS)
    y = targets_of(x)
    for outputs, allocator in (
        (1, inducing_point_allocators.GreedyVarianceReduction()),
        (1, inducing_point_allocators.GreedyImprovementReduction(model_on(device), maximize=True)),
    ):
        model = models.SingleTaskVariationalGP(
            x, y, num_outputs=outputs, inducing_points=6, inducing_point_allocator=allocator
        ).to(device)
        loss = mlls.VariationalELBO(model.likelihood, model.model, num_data=len(x))
        fit.fit_gpytorch_mll(loss, optimizer_kwargs=few_steps())
        predict(model, inputs_on(device, 4, DIMENSIONS))
        model.init_inducing_points(x)
    wide = models.SingleTaskVariationalGP(x, targets_of(x, 2), num_outputs=2, inducing_points=x[:6]).to(device)
    predict(wide, inputs_on(device, 4, DIMENSIONS))


PAIRWISE = {"probit": PairwiseProbitLikelihood, "logit": PairwiseLogitLikelihood}


def preferences_on(device: torch.device, likelihood: str = "probit") -> models.PairwiseGP:
    x = inputs_on(device, 8, DIMENSIONS)
    utility = x.sum(-1)
    pairs = torch.randperm(8, device=device).reshape(4, 2)
    flipped = utility[pairs[:, 0]] < utility[pairs[:, 1]]
    comparisons = torch.where(flipped[:, None], pairs.flip(-1), pairs)
    transform = input_transforms.Normalize(DIMENSIONS)
    return models.PairwiseGP(x, comparisons, PAIRWISE[likelihood](), input_transform=transform).to(device)


def pairwise_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = preferences_on(device, name)
        loss = models.PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model)
        fit.fit_gpytorch_mll(loss, optimizer_kwargs=few_steps())
        x = inputs_on(device, 4, DIMENSIONS)
        model.posterior(x).rsample(torch.Size([2]))
        model.condition_on_observations(x[:2], torch.tensor([[0, 1]], device=device)).posterior(x).mean
        model.set_train_data(x, torch.tensor([[0, 1], [2, 3]], device=device), update_model=True)

    return use


uses.add_each("pairwise preferences with", PAIRWISE, pairwise_use)


@uses.add
def saas_priors(device: torch.device) -> None:
    x = inputs_on(device)
    fit.get_fitted_map_saas_model(x, targets_of(x), tau=0.1, optimizer_kwargs=few_steps())
    kernel = map_saas.add_saas_prior(kernels.MaternKernel(ard_num_dims=DIMENSIONS).to(x), tau=0.1)
    kernel(x).to_dense()
    map_saas.get_additive_map_saas_covar_module(DIMENSIONS, 2, dtype=torch.double, device=device)(x).to_dense()


@uses.add
def relevance_pursuits(device: torch.device) -> None:
    for pursuit in (relevance_pursuit.forward_relevance_pursuit, relevance_pursuit.backward_relevance_pursuit):
        x = inputs_on(device)
        y = targets_of(x)
        y[0] += 5
        model = RobustRelevancePursuitSingleTaskGP(x, y).to(device)
        loss = mlls.ExactMarginalLogLikelihood(model.likelihood, model)
        pursuit(
            model.likelihood.noise_covar,
            loss,
            sparsity_levels=[0, 1, 2],
            optimizer_kwargs=few_steps(),
            record_model_trace=False,
        )


@uses.add
def deterministic_models(device: torch.device) -> None:
    x = inputs_on(device)
    gp = model_on(device)
    coefficients = inputs_on(device, DIMENSIONS, 2)
    for model in (
        models.GenericDeterministicModel(lambda z: z[..., :2], num_outputs=2),
        models.AffineDeterministicModel(coefficients, b=0.1),
        models.deterministic.PosteriorMeanModel(gp),
        FixedSingleSampleModel(gp),
        MatheronPathModel(gp),
        models.AffineFidelityCostModel({2: 1.5}, fixed_cost=2.0),
        FixedCostModel(torch.tensor([1.0, 2.0], device=device)),
    ):
        posterior = model.to(device, torch.double).posterior(x)
        posterior.mean
        posterior.rsample(torch.Size([2]))


# Transforms


def box(device: torch.device) -> torch.Tensor:
    return bounds_on(device) * 2


INPUT_TRANSFORMS: dict[str, Callable[[torch.device], input_transforms.InputTransform]] = {
    "Normalize": lambda device: input_transforms.Normalize(DIMENSIONS),
    "Normalize by bounds": lambda device: input_transforms.Normalize(DIMENSIONS, bounds=box(device)),
    "Normalize some": lambda device: input_transforms.Normalize(DIMENSIONS, indices=[0, 2]),
    "InputStandardize": lambda device: input_transforms.InputStandardize(DIMENSIONS),
    "Affine": lambda device: input_transforms.AffineInputTransform(
        DIMENSIONS, coefficient=box(device)[1], offset=box(device)[0]
    ),
    "Log10": lambda device: input_transforms.Log10(indices=[1]),
    "Warp": lambda device: input_transforms.Warp(DIMENSIONS, indices=[0, 1], bounds=bounds_on(device)),
    "Round": lambda device: input_transforms.Round(integer_indices=[0]),
    "Round approximately": lambda device: input_transforms.Round(integer_indices=[0], approximate=True),
    "AppendFeatures": lambda device: input_transforms.AppendFeatures(inputs_on(device, 4, 1), transform_on_train=True),
    "InputPerturbation": lambda device: input_transforms.InputPerturbation(
        inputs_on(device, 4, DIMENSIONS) * 0.1, bounds=bounds_on(device), transform_on_train=True
    ),
    "InputPerturbation by factors": lambda device: input_transforms.InputPerturbation(
        1 + inputs_on(device, 4, DIMENSIONS) * 0.1, multiplicative=True
    ),
    "FilterFeatures": lambda device: input_transforms.FilterFeatures(torch.tensor([0, 2], device=device)),
    "InteractionFeatures": lambda device: input_transforms.InteractionFeatures(),
    "OneHotToNumeric": lambda device: input_transforms.OneHotToNumeric(DIMENSIONS, {1: 2}),
    "Chained": lambda device: input_transforms.ChainedInputTransform(
        normalized=input_transforms.Normalize(DIMENSIONS), rounded=input_transforms.Round(integer_indices=[0])
    ),
    "rounding": lambda device: factory.get_rounding_input_transform(box(device), integer_indices=[0]),
    "rounding of categories": lambda device: factory.get_rounding_input_transform(
        bounds_on(device), categorical_features={1: 2}, initialization=True
    ),
}
UNTRANSFORMED = ("Normalize", "InputStandardize", "Affine", "Log10", "Warp")


def input_transform_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        transform = INPUT_TRANSFORMS[name](device).to(device, torch.double)
        x = inputs_on(device)
        transform.train()
        changed = transform(x)
        transform.eval()
        changed = transform(x)
        if name.startswith(UNTRANSFORMED):
            transform.untransform(changed)
        transform.equals(transform)
        transform.preprocess_transform(x)

    return use


OUTCOME_TRANSFORMS: dict[str, Callable[[], outcome_transforms.OutcomeTransform]] = {
    "Standardize": lambda: outcome_transforms.Standardize(m=2),
    "Standardize some": lambda: outcome_transforms.Standardize(m=2, outputs=[0]),
    "Log": outcome_transforms.Log,
    "Log of some": lambda: outcome_transforms.Log(outputs=[1]),
    "Power": lambda: outcome_transforms.Power(power=0.5),
    "Bilog": outcome_transforms.Bilog,
    "Chained": lambda: outcome_transforms.ChainedOutcomeTransform(
        log=outcome_transforms.Log(), standardize=outcome_transforms.Standardize(m=2)
    ),
}


def outcome_transform_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        transform = OUTCOME_TRANSFORMS[name]().to(device, torch.double)
        y = inputs_on(device, COUNT, 2) + 0.5
        transform.train()
        changed, _ = transform(y)
        transform.eval()
        transform.untransform(changed)
        if name.endswith("some"):
            return
        x = inputs_on(device)
        model = models.SingleTaskGP(x, y, outcome_transform=OUTCOME_TRANSFORMS[name]()).to(device)
        posterior = model.posterior(inputs_on(device, 3, DIMENSIONS))
        if name not in ("Power", "Bilog"):
            posterior.mean, posterior.variance
        posterior.rsample(torch.Size([4]))

    return use


uses.add_each("input transform", INPUT_TRANSFORMS, input_transform_use)
uses.add_each("outcome transform", OUTCOME_TRANSFORMS, outcome_transform_use)


@uses.add
def transforms_of_categories(device: torch.device) -> None:
    x = with_levels(inputs_on(device))
    encode = input_transforms.NumericToCategoricalEncoding(
        DIMENSIONS, {DIMENSIONS - 1: 3}, {DIMENSIONS - 1: lambda z: torch.nn.functional.one_hot(z.long(), 3).to(x)}
    )
    encode(x)
    task = with_levels(inputs_on(device), 2)
    stratified = outcome_transforms.StratifiedStandardize(
        stratification_idx=DIMENSIONS - 1, all_task_values=torch.tensor([0, 1], device=device)
    ).to(device)
    models.MultiTaskGP(task, targets_of(task), task_feature=-1, outcome_transform=stratified)


@uses.add
def perturbed_model(device: torch.device) -> None:
    x = inputs_on(device)
    perturbation = input_transforms.InputPerturbation(inputs_on(device, 4, DIMENSIONS) * 0.1)
    model = models.SingleTaskGP(x, targets_of(x), input_transform=perturbation).to(device)
    for measure in (
        risk_measures.CVaR(0.5, n_w=4),
        risk_measures.VaR(0.5, n_w=4),
        risk_measures.WorstCase(n_w=4),
        risk_measures.Expectation(n_w=4),
    ):
        function = monte_carlo.qSimpleRegret(model, sampling.SobolQMCNormalSampler(FEW), objective=measure)
        ascend(function, inputs_on(device, 2, 2, DIMENSIONS))
    expected = objective.ExpectationPosteriorTransform(n_w=4)
    ascend(analytic.UpperConfidenceBound(model, 0.2, posterior_transform=expected), inputs_on(device, 2, 1, DIMENSIONS))


@uses.add
def multi_output_risk(device: torch.device) -> None:
    samples = inputs_on(device, 4, 8, 2)
    for measure in (
        multi_output_risk_measures.MultiOutputExpectation(4),
        multi_output_risk_measures.IndependentCVaR(0.5, 4),
        multi_output_risk_measures.IndependentVaR(0.5, 4),
        multi_output_risk_measures.MultiOutputWorstCase(4),
        multi_output_risk_measures.MVaR(4, 0.5),
        multi_output_risk_measures.MVaR(4, 0.5, expectation=True),
        multi_output_risk_measures.MARS(0.5, 4, [0.5, 0.5], baseline_Y=inputs_on(device, 5, 2)),
    ):
        measure(samples)


# Kernels


KERNELS: dict[str, Callable[[torch.device], kernels.Kernel]] = {
    "Categorical": lambda device: botorch_kernels.CategoricalKernel(ard_num_dims=DIMENSIONS),
    "Downsampling": lambda device: botorch_kernels.DownsamplingKernel(active_dims=(0,)),
    "ExponentialDecay": lambda device: botorch_kernels.ExponentialDecayKernel(active_dims=(0,)),
    "InfiniteWidthBNN": lambda device: botorch_kernels.InfiniteWidthBNNKernel(2, device=device),
    "LinearTruncatedFidelity": lambda device: botorch_kernels.LinearTruncatedFidelityKernel([2], DIMENSIONS),
    "LinearTruncatedFidelity of two": lambda device: botorch_kernels.LinearTruncatedFidelityKernel([1, 2], DIMENSIONS),
    "OrthogonalAdditive": lambda device: OrthogonalAdditiveKernel(
        DIMENSIONS, second_order=True, dtype=torch.double, device=device
    ),
}


def kernel_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        kernel = KERNELS[name](device).to(device, torch.double)
        x = inputs_on(device)
        kernel(x).to_dense().sum().backward()
        kernel(x, inputs_on(device, 4, DIMENSIONS)).to_dense()
        kernel(x, diag=True)

    return use


uses.add_each("kernel", KERNELS, kernel_use)


@uses.add
def positive_index_kernel(device: torch.device) -> None:
    kernel = PositiveIndexKernel(num_tasks=3, rank=2).to(device, torch.double)
    kernel(torch.randint(0, 3, (COUNT, 1), device=device)).to_dense().sum().backward()


# Fitting


@uses.add
def fitting_by_torch(device: torch.device) -> None:
    model = model_on(device)
    loss = mlls.ExactMarginalLogLikelihood(model.likelihood, model)
    optim_fit.fit_gpytorch_mll_torch(loss, step_limit=5)
    optim_fit.fit_gpytorch_mll_scipy(loss, options={"maxiter": 3})
    fit.fit_gpytorch_mll(loss, optimizer=optim_fit.fit_gpytorch_mll_torch, optimizer_kwargs={"step_limit": 3})
    leave_out = mlls.LeaveOneOutPseudoLikelihood(model.likelihood, model)
    fit.fit_gpytorch_mll(leave_out, optimizer_kwargs=few_steps())
    closures.get_loss_closure(loss)()
    closures.get_loss_closure_with_grads(loss, dict(loss.named_parameters()))()


@uses.add
def fitting_by_batches(device: torch.device) -> None:
    x = inputs_on(device, 20, DIMENSIONS)
    model = models.SingleTaskVariationalGP(x, targets_of(x), inducing_points=5).to(device)
    loss = mlls.VariationalELBO(model.likelihood, model.model, num_data=20)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, targets_of(x).squeeze(-1)), batch_size=10)
    closure = closures.get_loss_closure_with_grads(loss, dict(loss.named_parameters()), data_loader=loader)
    optim_fit.fit_gpytorch_mll_torch(loss, closure=closure, step_limit=3)


@uses.add
def stopping_criteria(device: torch.device) -> None:
    criterion = stopping.ExpMAStoppingCriterion(maxiter=20, n_window=4)
    values = torch.linspace(1, 0, 8, device=device)
    [criterion(value) for value in values]


@uses.add
def cross_validations(device: torch.device) -> None:
    x = inputs_on(device, 6, DIMENSIONS)
    y = targets_of(x)
    folds = cross_validation.gen_loo_cv_folds(x, y, torch.full_like(y, 0.01))
    cross_validation.batch_cross_validation(
        models.SingleTaskGP, mlls.ExactMarginalLogLikelihood, folds, fit_args={"optimizer_kwargs": few_steps()}
    )
    model = fitted(models.SingleTaskGP(x, y).to(device))
    cross_validation.efficient_loo_cv(model).posterior.mean
    cross_validation.loo_cv(model)
    cross_validation.ensemble_loo_cv(models.EnsembleMapSaasSingleTaskGP(x, y, num_taus=2).to(device))


# Acquisition functions of one objective


ANALYTIC: dict[str, Callable[[Model], acquisition.AcquisitionFunction]] = {
    "ExpectedImprovement": lambda model: analytic.ExpectedImprovement(model, best_f=0.5),
    "LogExpectedImprovement": lambda model: analytic.LogExpectedImprovement(model, best_f=0.5),
    "ProbabilityOfImprovement": lambda model: analytic.ProbabilityOfImprovement(model, best_f=0.5, maximize=False),
    "LogProbabilityOfImprovement": lambda model: analytic.LogProbabilityOfImprovement(model, best_f=0.5),
    "UpperConfidenceBound": lambda model: analytic.UpperConfidenceBound(model, beta=0.2),
    "PosteriorMean": lambda model: analytic.PosteriorMean(model),
    "PosteriorStandardDeviation": lambda model: analytic.PosteriorStandardDeviation(model),
    "LogNoisyExpectedImprovement": lambda model: analytic.LogNoisyExpectedImprovement(
        model, model.train_inputs[0], num_fantasies=4
    ),
    "NoisyExpectedImprovement": lambda model: analytic.NoisyExpectedImprovement(
        model, model.train_inputs[0], num_fantasies=4
    ),
    "fixed feature": lambda model: fixed_feature.FixedFeatureAcquisitionFunction(
        analytic.LogExpectedImprovement(model, 0.5), d=DIMENSIONS, columns=[1], values=[0.4]
    ),
    "penalty L1": lambda model: penalized.PenalizedAcquisitionFunction(
        analytic.UpperConfidenceBound(model, 0.2), penalized.L1Penalty(model.train_inputs[0][0]), 0.1
    ),
    "penalty L2": lambda model: penalized.PenalizedAcquisitionFunction(
        analytic.UpperConfidenceBound(model, 0.2), penalized.L2Penalty(model.train_inputs[0][0]), 0.1
    ),
    "penalty Gaussian": lambda model: penalized.PenalizedAcquisitionFunction(
        analytic.UpperConfidenceBound(model, 0.2), penalized.GaussianPenalty(model.train_inputs[0][0], 0.5), 0.1
    ),
    "penalty of groups": lambda model: penalized.PenalizedAcquisitionFunction(
        analytic.UpperConfidenceBound(model, 0.2),
        penalized.GroupLassoPenalty(model.train_inputs[0][0], [[0, 1], [2]]),
        0.1,
    ),
    "penalty L0": lambda model: penalized.PenalizedAcquisitionFunction(
        analytic.UpperConfidenceBound(model, 0.2),
        penalized.L0PenaltyApprox(model.train_inputs[0][0], dtype=torch.double, device=model.train_inputs[0].device),
        0.1,
    ),
    "proximal": lambda model: acquisition.ProximalAcquisitionFunction(
        analytic.ExpectedImprovement(model, 0.5), torch.ones(DIMENSIONS).to(model.train_inputs[0])
    ),
}


def analytic_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        x = inputs_on(device)
        noise = torch.full((COUNT, 1), 0.01, dtype=torch.double, device=device) if "Noisy" in name else None
        function = ANALYTIC[name](models.SingleTaskGP(x, targets_of(x), noise).to(device)).to(device)
        ascend(function, inputs_on(device, 5, 1, DIMENSIONS - 1 if name == "fixed feature" else DIMENSIONS))

    return use


uses.add_each("analytic acquisition", ANALYTIC, analytic_use)


@uses.add
def constrained_analytic_acquisition(device: torch.device) -> None:
    model = model_on(device, 3)
    limits = {1: (None, 0.5), 2: (-1.0, 1.0)}
    x = inputs_on(device, 4, 1, DIMENSIONS)
    for function in (
        analytic.ConstrainedExpectedImprovement(model, 0.5, objective_index=0, constraints=limits),
        analytic.LogConstrainedExpectedImprovement(model, 0.5, objective_index=0, constraints=limits),
        analytic.LogProbabilityOfFeasibility(model, constraints=limits),
    ):
        ascend(function.to(device), x.clone())
    weights = torch.ones(3, dtype=torch.double, device=device)
    scalar = objective.ScalarizedPosteriorTransform(weights)
    ascend(analytic.LogExpectedImprovement(model, 0.5, posterior_transform=scalar), x.clone())
    ascend(analytic.qAnalyticProbabilityOfImprovement(model_on(device), 0.5), inputs_on(device, 3, 2, DIMENSIONS))
    ascend(analytic.ScalarizedPosteriorMean(model_on(device), weights[:2]), inputs_on(device, 3, 2, DIMENSIONS))


Sampler = sampling.MCSampler
MONTE_CARLO: dict[str, Callable[[Model, Sampler, torch.Tensor], acquisition.AcquisitionFunction]] = {
    "qExpectedImprovement": lambda model, sampler, x: monte_carlo.qExpectedImprovement(model, 0.5, sampler),
    "qLogExpectedImprovement": lambda model, sampler, x: logei.qLogExpectedImprovement(model, 0.5, sampler),
    "qLogExpectedImprovement pending": lambda model, sampler, x: logei.qLogExpectedImprovement(
        model, 0.5, sampler, X_pending=x[:2], fat=False
    ),
    "qNoisyExpectedImprovement": lambda model, sampler, x: monte_carlo.qNoisyExpectedImprovement(model, x, sampler),
    "qNoisyExpectedImprovement pruned": lambda model, sampler, x: monte_carlo.qNoisyExpectedImprovement(
        model, x, sampler, prune_baseline=True, cache_root=False
    ),
    "qLogNoisyExpectedImprovement": lambda model, sampler, x: logei.qLogNoisyExpectedImprovement(model, x, sampler),
    "qProbabilityOfImprovement": lambda model, sampler, x: monte_carlo.qProbabilityOfImprovement(model, 0.5, sampler),
    "qSimpleRegret": lambda model, sampler, x: monte_carlo.qSimpleRegret(model, sampler),
    "qUpperConfidenceBound": lambda model, sampler, x: monte_carlo.qUpperConfidenceBound(model, 0.2, sampler),
    "qLowerConfidenceBound": lambda model, sampler, x: monte_carlo.qLowerConfidenceBound(model, 0.2, sampler),
    "qPosteriorStandardDeviation": lambda model, sampler, x: monte_carlo.qPosteriorStandardDeviation(model, sampler),
    "qLogProbabilityOfFeasibility": lambda model, sampler, x: logei.qLogProbabilityOfFeasibility(
        model, [lambda y: y[..., 0] - 0.5], sampler
    ),
    "with constraints": lambda model, sampler, x: logei.qLogExpectedImprovement(
        model, 0.5, sampler, constraints=[lambda y: y[..., 0] - 1.0]
    ),
    "qNegIntegratedPosteriorVariance": lambda model, sampler, x: acquisition.qNegIntegratedPosteriorVariance(
        model, x, sampling.SobolQMCNormalSampler(torch.Size([1]))
    ),
    "qKnowledgeGradient": lambda model, sampler, x: acquisition.qKnowledgeGradient(model, num_fantasies=1),
    "qLowerBoundMaxValueEntropy": lambda model, sampler, x: acquisition.qLowerBoundMaxValueEntropy(model, x, 4),
    "qMaxValueEntropy": lambda model, sampler, x: acquisition.qMaxValueEntropy(model, x, 2, 4, 8, use_gumbel=False),
    "PathwiseThompsonSampling": lambda model, sampler, x: PathwiseThompsonSampling(model),
    "prior guided": lambda model, sampler, x: acquisition.PriorGuidedAcquisitionFunction(
        logei.qLogExpectedImprovement(model, 0.5, sampler), lambda z: z.sum(-1), log=True
    ),
}
ALONE = ("qLowerBoundMaxValueEntropy", "qMaxValueEntropy")


def monte_carlo_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = fitted(model_on(device))
        points = inputs_on(device, 6, DIMENSIONS)
        function = MONTE_CARLO[name](model, sampling.SobolQMCNormalSampler(FEW, seed=1), points)
        ascend(function, inputs_on(device, 3, 1 if name in ALONE else 2, DIMENSIONS))

    return use


uses.add_each("Monte Carlo acquisition", MONTE_CARLO, monte_carlo_use)

NAMES = ("qEI", "qLogEI", "qPI", "qNEI", "qLogNEI", "qSR", "qUCB", "qLogPF", "qEHVI", "qLogEHVI", "qNEHVI", "qLogNEHVI")


def named_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        outputs = 2 if "HVI" in name else 1
        model = model_on(device, outputs)
        x = inputs_on(device, 6, DIMENSIONS)
        aim = (
            multi_objectives.IdentityMCMultiOutputObjective()
            if outputs == 2
            else objective.LinearMCObjective(torch.ones(1, dtype=torch.double, device=device))
        )
        settings: dict[str, object] = {"beta": 0.2} if name == "qUCB" else {}
        if outputs == 2:
            settings |= {"ref_point": [0.0, 0.0], "Y": targets_of(x, 2)}
        if name == "qLogPF":
            settings["constraints"] = [lambda y: y[..., 0]]
        function = acquisition.get_acquisition_function(name, model, aim, x, mc_samples=8, **settings)
        ascend(function, inputs_on(device, 2, 2, DIMENSIONS))

    return use


uses.add_each("acquisition by name", NAMES, named_use)


@uses.add
def objectives(device: torch.device) -> None:
    model = model_on(device, 2)
    weights = torch.tensor([0.7, 0.3], dtype=torch.double, device=device)
    limits = [lambda y: y[..., 1] - 0.5]
    preferences = preferences_on(device)
    learned = models.PairwiseGP(inputs_on(device, 4, 2), torch.tensor([[0, 1], [2, 3]], device=device)).to(device)
    start = inputs_on(device, DIMENSIONS)
    for aim in (
        objective.LinearMCObjective(weights),
        objective.GenericMCObjective(lambda y, X=None: y.square().sum(-1)),
        objective.ConstrainedMCObjective(lambda y, X=None: y[..., 0], limits, infeasible_cost=0.1),
        objective.LearnedObjective(learned, torch.Size([2])),
        penalized.PenalizedMCObjective(lambda y, X=None: y[..., 0], penalized.L1PenaltyObjective(start), 0.1),
    ):
        function = monte_carlo.qExpectedImprovement(model, 0.1, sampling.SobolQMCNormalSampler(FEW), aim.to(device))
        ascend(function, inputs_on(device, 2, 2, DIMENSIONS))
    acquisition_utils.get_infeasible_cost(inputs_on(device), model, lambda y, X=None: y[..., 0])
    acquisition_utils.prune_inferior_points(
        model, inputs_on(device), objective.LinearMCObjective(weights), num_samples=16
    )
    preferences.posterior(inputs_on(device, 2, DIMENSIONS)).mean


@uses.add
def one_shot_acquisition(device: torch.device) -> None:
    model = model_on(device)
    gradient = acquisition.qKnowledgeGradient(model, num_fantasies=3)
    ascend(gradient, inputs_on(device, 2, 5, DIMENSIONS))
    gradient.extract_candidates(inputs_on(device, 2, 5, DIMENSIONS))
    gradient.evaluate(inputs_on(device, 2, 1, DIMENSIONS), bounds=bounds_on(device), **OPTIMIZE)
    valued = acquisition.qKnowledgeGradient(model, 3, current_value=torch.tensor(0.4, device=device).double())
    optim.optimize_acqf(valued, bounds_on(device), q=1, **OPTIMIZE)
    steps = multi_step_lookahead.qMultiStepLookahead(model, batch_sizes=[1], num_fantasies=[2])
    width = steps.get_augmented_q_batch_size(1)
    ascend(steps, inputs_on(device, 2, width, DIMENSIONS))


@uses.add
def fidelities(device: torch.device) -> None:
    x = inputs_on(device)
    model = models.SingleTaskMultiFidelityGP(x, targets_of(x), data_fidelities=[2]).to(device)
    costs = models.AffineFidelityCostModel({2: 1.0}, fixed_cost=5.0).to(device)
    utility = cost_aware.InverseCostWeightedUtility(costs)

    def project(points: torch.Tensor) -> torch.Tensor:
        return acquisition_utils.project_to_target_fidelity(points, {2: 1.0}, d=DIMENSIONS)

    def expand(points: torch.Tensor) -> torch.Tensor:
        return acquisition_utils.expand_trace_observations(points, fidelity_dims=[2], num_trace_obs=1)

    current = torch.zeros(1, dtype=torch.double, device=device)
    gradient = acquisition.qMultiFidelityKnowledgeGradient(
        model, num_fantasies=2, current_value=current, cost_aware_utility=utility, project=project, expand=expand
    )
    ascend(gradient, inputs_on(device, 2, 3, DIMENSIONS))
    for kind in (acquisition.qMultiFidelityMaxValueEntropy, acquisition.qMultiFidelityLowerBoundMaxValueEntropy):
        entropy = kind(model, x, 2, 3, 8, cost_aware_utility=utility, project=project)
        ascend(entropy, inputs_on(device, 2, 1, DIMENSIONS))
    generic = cost_aware.GenericCostAwareUtility(lambda points, deltas: deltas / (1 + points[..., 2].mean(-1)))
    generic(inputs_on(device, 2, 1, DIMENSIONS), inputs_on(device, 2))


@uses.add
def entropy_searches(device: torch.device) -> None:
    model = model_on(device)
    inputs, outputs = acquisition_utils.get_optimal_samples(
        model, bounds_on(device), num_optima=2, raw_samples=16, num_restarts=2
    )
    for kind in ("LB", "MC"):
        joint = qJointEntropySearch(model, inputs, outputs, estimation_type=kind, num_samples=8)
        ascend(joint, inputs_on(device, 2, 1, DIMENSIONS))
    predictive = qPredictiveEntropySearch(model, inputs, max_ep_iterations=5)
    ascend(predictive, inputs_on(device, 2, 1, DIMENSIONS))


@uses.add
def preference_acquisition(device: torch.device) -> None:
    model = preferences_on(device)
    x = inputs_on(device, 2, 2, DIMENSIONS)
    best = acquisition.AnalyticExpectedUtilityOfBestOption(model)
    ascend(best, x.clone())
    ascend(acquisition.AnalyticExpectedUtilityOfBestOption(model, previous_winner=x[0, :1]), x[:, :1].clone())
    ascend(acquisition.qExpectedUtilityOfBestOption(model), x.clone())
    ascend(acquisition.PairwiseBayesianActiveLearningByDisagreement(model, num_samples=8), x.clone())
    variance = acquisition.PairwiseMCPosteriorVariance(
        model, objective.LinearMCObjective(torch.ones(1, dtype=torch.double, device=device))
    )
    ascend(variance, x.clone())


# Acquisition functions of several objectives


def partitioned(device: torch.device) -> box_decompositions.NondominatedPartitioning:
    point = torch.zeros(2, dtype=torch.double, device=device)
    return box_decompositions.FastNondominatedPartitioning(point, Y=inputs_on(device, 10, 2))


SEVERAL: dict[str, Callable[[Model, Sampler, torch.Tensor], acquisition.AcquisitionFunction]] = {
    "ExpectedHypervolumeImprovement": lambda model, sampler, x: multi_objective.ExpectedHypervolumeImprovement(
        model, [0.0, 0.0], partitioned(x.device)
    ),
    "qExpectedHypervolumeImprovement": lambda model, sampler, x: multi_objective.qExpectedHypervolumeImprovement(
        model, [0.0, 0.0], partitioned(x.device), sampler
    ),
    "qExpectedHypervolumeImprovement with constraints": lambda model, sampler, x: (
        multi_objective.qExpectedHypervolumeImprovement(
            model, [0.0, 0.0], partitioned(x.device), sampler, constraints=[lambda y: y[..., 0] - 1], X_pending=x[:1]
        )
    ),
    "qLogExpectedHypervolumeImprovement": lambda model, sampler, x: multi_objective.qLogExpectedHypervolumeImprovement(
        model, [0.0, 0.0], partitioned(x.device), sampler
    ),
    "qNoisyExpectedHypervolumeImprovement": lambda model, sampler, x: (
        multi_objective.qNoisyExpectedHypervolumeImprovement(model, [0.0, 0.0], x, sampler, prune_baseline=True)
    ),
    "qLogNoisyExpectedHypervolumeImprovement": lambda model, sampler, x: (
        multi_objective.qLogNoisyExpectedHypervolumeImprovement(model, [0.0, 0.0], x, sampler)
    ),
    "qLogNParEGO": lambda model, sampler, x: parego.qLogNParEGO(model, x, sampler=sampler),
    "MOMF": lambda model, sampler, x: multi_objective.MOMF(model, [0.0, 0.0], partitioned(x.device), sampler),
    "MultiOutputPosteriorMean": lambda model, sampler, x: MultiOutputPosteriorMean(model),
}


def several_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = model_on(device, 2)
        function = SEVERAL[name](model, sampling.SobolQMCNormalSampler(FEW), inputs_on(device, 6, DIMENSIONS))
        many = name.startswith("q")
        ascend(function.to(device), inputs_on(device, 3, 2 if many else 1, DIMENSIONS))

    return use


uses.add_each("several objectives", SEVERAL, several_use)


@uses.add
def several_objectives_chosen(device: torch.device) -> None:
    model = model_on(device, 3)
    weights = torch.tensor([1.0, -1.0], dtype=torch.double, device=device)
    x = inputs_on(device, 6, DIMENSIONS)
    for aim in (
        multi_objectives.IdentityMCMultiOutputObjective(outcomes=[0, 2]),
        multi_objectives.WeightedMCMultiOutputObjective(weights, outcomes=[0, 1]),
        multi_objectives.GenericMCMultiOutputObjective(lambda y, X=None: y[..., :2].abs()),
        multi_objectives.FeasibilityWeightedMCMultiOutputObjective(model, x, constraint_idcs=[2]),
    ):
        function = multi_objective.qLogNoisyExpectedHypervolumeImprovement(
            model, [0.0, 0.0], x, sampling.SobolQMCNormalSampler(FEW), aim.to(device)
        )
        ascend(function, inputs_on(device, 2, 1, DIMENSIONS))
    point = torch.zeros(3, dtype=torch.double, device=device)
    multi_objective.prune_inferior_points_multi_objective(model, x, point, num_samples=8)
    wrapper = MultiOutputAcquisitionFunctionWrapper(
        [analytic.PosteriorMean(model_on(device)), analytic.PosteriorStandardDeviation(model_on(device))]
    )
    wrapper(inputs_on(device, 2, 1, DIMENSIONS))


@uses.add
def knowledge_of_hypervolume(device: torch.device) -> None:
    model = models_on(device)
    point = torch.zeros(2, dtype=torch.double, device=device)
    for settings in ({}, {"use_posterior_mean": False, "inner_sampler": sampling.SobolQMCNormalSampler(FEW)}):
        function = multi_objective.qHypervolumeKnowledgeGradient(
            model, point, num_fantasies=2, num_pareto=2, **settings
        )
        width = function.get_augmented_q_batch_size(1)
        ascend(function, inputs_on(device, 2, width, DIMENSIONS))
    costs = cost_aware.InverseCostWeightedUtility(models.AffineFidelityCostModel({2: 1.0}, 1.0).to(device))
    fidelity = multi_objective.qMultiFidelityHypervolumeKnowledgeGradient(
        model,
        point,
        target_fidelities={2: 1.0},
        num_fantasies=2,
        num_pareto=2,
        current_value=point[:1],
        cost_aware_utility=costs,
    )
    ascend(fidelity, inputs_on(device, 2, fidelity.get_augmented_q_batch_size(1), DIMENSIONS))


@uses.add
def entropy_of_several_objectives(device: torch.device) -> None:
    model = fitted(models_on(device))
    sets, fronts = multi_utils.sample_optimal_points(
        model, bounds_on(device), num_samples=2, num_points=3, optimizer_kwargs={"pop_size": 64, "max_tries": 4}
    )
    cells = multi_utils.compute_sample_box_decomposition(fronts)
    for kind in ("0", "LB", "MC"):
        joint = multi_joint.qLowerBoundMultiObjectiveJointEntropySearch(
            model, sets, fronts, cells, estimation_type=kind, num_samples=4
        )
        ascend(joint, inputs_on(device, 2, 1, DIMENSIONS))
    value = max_value_entropy_search.qLowerBoundMultiObjectiveMaxValueEntropySearch(model, cells, num_samples=4)
    ascend(value, inputs_on(device, 2, 1, DIMENSIONS))
    predictive = multi_predictive.qMultiObjectivePredictiveEntropySearch(model, sets, max_ep_iterations=3)
    ascend(predictive, inputs_on(device, 2, 1, DIMENSIONS))


# Input constructors


CONSTRUCTED = {
    "ExpectedImprovement": (analytic.ExpectedImprovement, 1, {}),
    "UpperConfidenceBound": (analytic.UpperConfidenceBound, 1, {"beta": 0.1}),
    "PosteriorMean": (analytic.PosteriorMean, 1, {}),
    "NoisyExpectedImprovement": (analytic.LogNoisyExpectedImprovement, 1, {"num_fantasies": 2}),
    "qSimpleRegret": (monte_carlo.qSimpleRegret, 1, {}),
    "qExpectedImprovement": (monte_carlo.qExpectedImprovement, 1, {}),
    "qLogExpectedImprovement": (logei.qLogExpectedImprovement, 1, {}),
    "qNoisyExpectedImprovement": (monte_carlo.qNoisyExpectedImprovement, 1, {}),
    "qLogNoisyExpectedImprovement": (logei.qLogNoisyExpectedImprovement, 1, {}),
    "qProbabilityOfImprovement": (monte_carlo.qProbabilityOfImprovement, 1, {}),
    "qUpperConfidenceBound": (monte_carlo.qUpperConfidenceBound, 1, {}),
    "qMaxValueEntropy": (acquisition.qMaxValueEntropy, 1, {"bounds": [(0.0, 1.0)] * DIMENSIONS, "candidate_size": 8}),
    "qExpectedHypervolumeImprovement": (multi_objective.qExpectedHypervolumeImprovement, 2, {}),
    "qLogNoisyExpectedHypervolumeImprovement": (multi_objective.qLogNoisyExpectedHypervolumeImprovement, 2, {}),
    "qLogNParEGO": (parego.qLogNParEGO, 2, {}),
}


def constructed_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        kind, outputs, settings = CONSTRUCTED[name]
        x = inputs_on(device)
        y = targets_of(x, outputs)
        noise = torch.full_like(y, 0.01) if "LogNoisy" in kind.__name__ else None
        model = models.SingleTaskGP(x, y, noise).to(device)
        names, outcomes = [f"x{k}" for k in range(DIMENSIONS)], [f"y{k}" for k in range(outputs)]
        data = datasets.SupervisedDataset(x, y, feature_names=names, outcome_names=outcomes)
        settings = dict(settings)
        if outputs == 2 and "Hyper" in name:
            settings["objective_thresholds"] = torch.zeros(2, dtype=torch.double, device=device)
        made = input_constructors.get_acqf_input_constructor(kind)(model=model, training_data=data, **settings)
        ascend(kind(**made), inputs_on(device, 2, 1, DIMENSIONS))

    return use


uses.add_each("constructed", CONSTRUCTED, constructed_use)


# Optimization of acquisition functions


def improvement_on(device: torch.device) -> logei.qLogExpectedImprovement:
    return logei.qLogExpectedImprovement(model_on(device), 0.5, sampling.SobolQMCNormalSampler(FEW, seed=0))


OPTIMIZED: dict[str, dict[str, object]] = {
    "plainly": {"q": 2},
    "in sequence": {"q": 2, "sequential": True},
    "with fixed features": {"q": 1, "fixed_features": {0: 0.5}},
    "with all restarts": {"q": 1, "return_best_only": False},
    "with rounding": {"q": 1, "post_processing_func": lambda x: x.round(decimals=1)},
    "by gradient steps": {"q": 1, "gen_candidates": generation.gen_candidates_torch},
}


def optimize_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        optim.optimize_acqf(improvement_on(device), bounds_on(device), **OPTIMIZED[name], **OPTIMIZE)

    return use


uses.add_each("optimized", OPTIMIZED, optimize_use)


@uses.add
def optimization_under_constraints(device: torch.device) -> None:
    function = improvement_on(device)
    index = torch.tensor([0, 1], device=device)
    ones = torch.ones(2, dtype=torch.double, device=device)
    limits = [(index, -ones, -1.5)]
    optim.optimize_acqf(function, bounds_on(device), q=1, inequality_constraints=limits, **OPTIMIZE)
    optim.optimize_acqf(function, bounds_on(device), q=2, equality_constraints=[(index, ones, 1.0)], **OPTIMIZE)
    start = torch.full((2, 1, DIMENSIONS), 0.2, dtype=torch.double, device=device)
    options = {"num_restarts": 2, "options": {"maxiter": 3, "batch_limit": 1}, "batch_initial_conditions": start}
    ball = [(lambda x: 1.0 - x.square().sum(-1), True)]
    optim.optimize_acqf(function, bounds_on(device), q=1, nonlinear_inequality_constraints=ball, **options)
    parameter_constraints.evaluate_feasibility(inputs_on(device, 3, 1, DIMENSIONS), inequality_constraints=limits)


@uses.add
def optimization_over_choices(device: torch.device) -> None:
    function = improvement_on(device)
    choices = inputs_on(device, 20, DIMENSIONS)
    optim.optimize_acqf_discrete(function, q=2, choices=choices)
    optim.optimize_acqf_discrete(function, q=1, choices=choices, X_avoid=choices[:3])
    levels = [torch.linspace(0, 1, 4, dtype=torch.double, device=device) for _ in range(DIMENSIONS)]
    optim.optimize_acqf_discrete_local_search(function, levels, q=1, num_restarts=2, raw_samples=8)
    optim.optimize_acqf_mixed(function, bounds_on(device), 1, fixed_features_list=[{0: 0.0}, {0: 1.0}], **OPTIMIZE)


@uses.add
def mixed_alternating_optimization(device: torch.device) -> None:
    function = improvement_on(device)
    bounds = bounds_on(device)
    options = {"maxiter_alternating": 2, "maxiter_discrete": 2, "maxiter_continuous": 2, "batch_limit": 2}
    for kinds in ({"discrete_dims": {0: [0, 1]}}, {"cat_dims": {1: [0, 1]}, "discrete_dims": {0: [0.0, 0.5, 1.0]}}):
        optim.optimize_mixed.optimize_acqf_mixed_alternating(
            function, bounds, options=options, q=1, raw_samples=8, num_restarts=2, **kinds
        )


@uses.add
def cyclic_and_listed_optimization(device: torch.device) -> None:
    function = improvement_on(device)
    optim.optimize_acqf_cyclic(function, bounds_on(device), q=2, cyclic_options={"maxiter": 2}, **OPTIMIZE)
    optimize_acqf_list([function, improvement_on(device)], bounds_on(device), **OPTIMIZE)


@uses.add
def homotopy_optimization(device: torch.device) -> None:
    model = model_on(device)
    start = torch.zeros(DIMENSIONS, dtype=torch.double, device=device)
    penalty = penalized.L0PenaltyApprox(start, dtype=torch.double, device=device)
    function = penalized.PenalizedAcquisitionFunction(analytic.UpperConfidenceBound(model, 0.2), penalty, 0.1)
    schedule = homotopy.LogLinearHomotopySchedule(start=0.2, end=1e-2, num_steps=3)
    path = homotopy.Homotopy([homotopy.HomotopyParameter(penalty.a, schedule)])
    optim.optimize_homotopy.optimize_acqf_homotopy(
        function, bounds_on(device), q=1, homotopy=path, final_options={"maxiter": 3}, **OPTIMIZE
    )


@uses.add
def starting_points(device: torch.device) -> None:
    function = improvement_on(device)
    x = inputs_on(device, 10, 1, DIMENSIONS)
    values = function(x).detach()
    initializers.initialize_q_batch(x, values, 3)
    initializers.initialize_q_batch_nonneg(x, values.exp(), 3)
    initializers.initialize_q_batch_topn(x, values, 3)
    initializers.gen_batch_initial_conditions(
        function, bounds_on(device), q=2, num_restarts=2, raw_samples=8, options={"sample_around_best": True, "seed": 1}
    )
    gradient = acquisition.qKnowledgeGradient(model_on(device), num_fantasies=2)
    initializers.gen_one_shot_kg_initial_conditions(
        gradient, bounds_on(device), q=1, num_restarts=2, raw_samples=8, options={"maxiter": 2}
    )
    initializers.sample_points_around_best(
        logei.qLogNoisyExpectedImprovement(model_on(device), inputs_on(device)), 4, 0.1, bounds_on(device)
    )


@uses.add
def candidates(device: torch.device) -> None:
    function = improvement_on(device)
    x = inputs_on(device, 3, 2, DIMENSIONS)
    points, values = generation.gen_candidates_scipy(x, function, 0.0, 1.0, options={"maxiter": 3})
    generation.get_best_candidates(points, values)
    generation.gen_candidates_torch(x, function, 0.0, 1.0, options={"maxiter": 3})
    choices = inputs_on(device, 20, DIMENSIONS)
    model = model_on(device)
    with torch.no_grad():
        generation.MaxPosteriorSampling(model, replacement=False)(choices, num_samples=3)
        generation.BoltzmannSampling(analytic.PosteriorMean(model), eta=1.0)(choices, num_samples=3)
        limited = generation.sampling.ConstrainedMaxPosteriorSampling(model, models_on(device, 1), replacement=True)
        limited(choices, num_samples=3)


@uses.add
def one_step_of_optimization(device: torch.device) -> None:
    problem = test_functions.Hartmann(dim=6, negate=True).to(device)
    x = inputs_on(device, 8, 6)
    y = problem(x)[:, None]
    for _ in range(2):
        normalize = input_transforms.Normalize(6, bounds=problem.bounds)
        model = models.SingleTaskGP(x, y, input_transform=normalize).to(device)
        function = logei.qLogExpectedImprovement(fitted(model), y.max(), sampling.SobolQMCNormalSampler(FEW))
        points, _ = optim.optimize_acqf(function, problem.bounds, q=2, **OPTIMIZE)
        x, y = torch.cat([x, points]), torch.cat([y, problem(points)[:, None]])
    y.max().item()


# Posteriors and samplers


@uses.add
def posterior_functions(device: torch.device) -> None:
    posterior = model_on(device).posterior(inputs_on(device, 4, DIMENSIONS))
    posterior.quantile(torch.tensor([0.1, 0.9], dtype=torch.double, device=device))
    posterior.density(torch.tensor([0.0, 0.5], dtype=torch.double, device=device))
    posterior.sample(torch.Size([2]))
    posteriors.gpytorch.scalarize_posterior(
        model_on(device, 2).posterior(inputs_on(device, 4, DIMENSIONS)), inputs_on(device, 2), offset=0.5
    ).mean
    squared = posteriors.TransformedPosterior(
        posterior, lambda y: y.square(), lambda m, v: m.square() + v, lambda m, v: 2 * v.square()
    )
    squared.mean, squared.variance, squared.rsample(torch.Size([2]))
    normal = torch.distributions.Normal(torch.zeros(4, 1, device=device), torch.ones(4, 1, device=device))
    posteriors.TorchPosterior(normal).rsample(torch.Size([3]))
    listed = posteriors.PosteriorList(posterior, posterior)
    listed.mean, listed.variance, listed.rsample(torch.Size([2]))
    several = posteriors.ensemble.EnsemblePosterior(inputs_on(device, 5, 4, 1))
    several.mean, several.variance, several.rsample(torch.Size([2]))


@uses.add
def samplers(device: torch.device) -> None:
    x = inputs_on(device, 4, DIMENSIONS)
    posterior = model_on(device).posterior(x)
    for sampler in (
        sampling.IIDNormalSampler(FEW, seed=0),
        sampling.SobolQMCNormalSampler(FEW, seed=0),
        stochastic_samplers.StochasticSampler(FEW),
        stochastic_samplers.ForkedRNGSampler(FEW, seed=3),
        pairwise_samplers.PairwiseIIDNormalSampler(FEW, max_num_comparisons=4),
        pairwise_samplers.PairwiseSobolQMCNormalSampler(FEW, seed=0),
        get_sampler(posterior, FEW),
    ):
        sampler(posterior)
        sampler(posterior)
    mixed_posterior = posteriors.PosteriorList(model_on(device).posterior(x), model_on(device).posterior(x))
    list_sampler.ListSampler(sampling.IIDNormalSampler(FEW), sampling.SobolQMCNormalSampler(FEW))(mixed_posterior)
    index_sampler.IndexSampler(FEW)(posteriors.ensemble.EnsemblePosterior(inputs_on(device, 5, 4, 1)))
    get_sampler(mixed_posterior, FEW)(mixed_posterior)


@uses.add
def quasi_random_engines(device: torch.device) -> None:
    qmc.NormalQMCEngine(3, seed=0).draw(8).to(device)
    qmc.NormalQMCEngine(3, seed=0, inv_transform=True).draw(8).to(device)
    covariance = torch.eye(2, dtype=torch.double, device=device)
    qmc.MultivariateNormalQMCEngine(torch.zeros(2, dtype=torch.double, device=device), covariance, seed=0).draw(8)


PATHS: dict[str, Callable[[torch.device], Model]] = {
    "one output": model_on,
    "two outputs": lambda device: model_on(device, 2),
    "a list": models_on,
    "transforms": lambda device: single(
        inputs_on(device),
        covar_module=kernels.ScaleKernel(kernels.RBFKernel()),
        input_transform=input_transforms.Normalize(DIMENSIONS),
        outcome_transform=outcome_transforms.Standardize(1),
    ).to(device),
}


def paths_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = PATHS[name](device)
        x = inputs_on(device, 4, DIMENSIONS)
        pathwise.draw_matheron_paths(model, torch.Size([3]))(x)
        pathwise.draw_kernel_feature_paths(model, torch.Size([3]))(x)
        sampled = pathwise.get_matheron_path_model(model)
        sampled.posterior(x).mean
        if name == "one output":
            paths = pathwise.get_matheron_path_model(model, torch.Size([2]))
            utils_sampling.optimize_posterior_samples(paths, bounds_on(device), raw_samples=16, num_restarts=2)

    return use


uses.add_each("paths of", PATHS, paths_use)


@uses.add
def kernel_features(device: torch.device) -> None:
    x = inputs_on(device)
    for kernel in (kernels.RBFKernel(ard_num_dims=DIMENSIONS), kernels.ScaleKernel(kernels.MaternKernel(nu=2.5))):
        pathwise.gen_kernel_features(kernel.to(x), num_inputs=DIMENSIONS, num_outputs=16)(x)
    pathwise.KernelEvaluationMap(kernel, x)(inputs_on(device, 4, DIMENSIONS))
    x = inputs_on(device, 30, DIMENSIONS)
    sparse = models.SingleTaskVariationalGP(x, targets_of(x), inducing_points=6).to(device)
    pathwise.draw_matheron_paths(sparse, torch.Size([2]))(x)


# Test problems


SYNTHETIC: dict[str, dict[str, object]] = {
    name: {}
    for name in (
        "Ackley Beale Branin Bukin Cosine8 DixonPrice DropWave EggHolder Griewank Hartmann HolderTable Levy "
        "Michalewicz Powell Rastrigin Rosenbrock Shekel SixHumpCamel StyblinskiTang ThreeHumpCamel AugmentedBranin "
        "AugmentedHartmann AugmentedRosenbrock PressureVessel SpeedReducer TensionCompressionString WeldedBeamSO "
        "BNH BraninCurrin CarSideImpact CONSTR ConstrainedBraninCurrin DiscBrake GMM OSY Penicillin SRN ToyRobust "
        "VehicleSafety WeldedBeam MOMFBraninCurrin MOMFPark"
    ).split()
} | {name: {"dim": 4} for name in "C2DTLZ2 DTLZ1 DTLZ2 DTLZ3 DTLZ4 DTLZ5 DTLZ7 MW7 ZDT1 ZDT2 ZDT3".split()}


def problem_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        problem = getattr(test_functions, name)(noise_std=0.1, negate=True, **SYNTHETIC[name]).to(device)
        x = transforms.unnormalize(inputs_on(device, 6, problem.dim), problem.bounds)
        problem(x)
        problem.evaluate_true(x)
        if hasattr(problem, "evaluate_slack"):
            problem.evaluate_slack(x)
            problem.is_feasible(x)
        if name in ("DTLZ1", "DTLZ2", "ZDT1", "ZDT2", "ZDT3"):
            problem.gen_pareto_front(8)

    return use


uses.add_each("problem", SYNTHETIC, problem_use)


@uses.add
def sensitivities(device: torch.device) -> None:
    problems = sensitivity_analysis.Ishigami(), sensitivity_analysis.Gsobol(dim=6), sensitivity_analysis.Morris()
    for problem in problems:
        problem.to(device)(inputs_on(device, 5, problem.dim))


# Several objectives


def decomposition_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for outputs in (2, 3):
            point = torch.zeros(outputs, dtype=torch.double, device=device)
            values = inputs_on(device, 10, outputs)
            parts = getattr(box_decompositions, name)(point, Y=values)
            parts.get_hypercell_bounds()
            parts.compute_hypervolume().item()
            parts.update(inputs_on(device, 3, outputs))
            parts.pareto_Y
        if name != "NondominatedPartitioning":
            getattr(box_decompositions, name)(point[:2], Y=inputs_on(device, 2, 6, 2)).get_hypercell_bounds()

    return use


uses.add_each(
    "decomposition",
    ["DominatedPartitioning", "FastNondominatedPartitioning", "NondominatedPartitioning"],
    decomposition_use,
)


@uses.add
def pareto_fronts(device: torch.device) -> None:
    values = inputs_on(device, 20, 2)
    point = torch.zeros(2, dtype=torch.double, device=device)
    front = values[pareto.is_non_dominated(values)]
    pareto.is_non_dominated(inputs_on(device, 3, 20, 2), deduplicate=False)
    pareto.is_non_dominated(inputs_on(device, 1200, 2), maximize=False)
    pareto.Hypervolume(point).compute(front)
    pareto.infer_reference_point(front)
    pareto.infer_reference_point(front, max_ref_point=point, scale_max_ref_point=True)
    pareto.get_chebyshev_scalarization(inputs_on(device, 2), values)(values)
    hypervolume.get_hypervolume_maximizing_subset(2, front, point)
    first = box_decompositions.FastNondominatedPartitioning(point, Y=values)
    both = box_decompositions.BoxDecompositionList(first, first)
    both.get_hypercell_bounds()
    both.compute_hypervolume()
    both.pareto_Y
    pareto.Hypervolume(torch.zeros(4, dtype=torch.double, device=device)).compute(inputs_on(device, 6, 4))


# Utilities


@uses.add
def sampling_in_sets(device: torch.device) -> None:
    bounds = bounds_on(device)
    settings = {"device": device, "dtype": torch.double}
    utils_sampling.draw_sobol_samples(bounds, n=4, q=2, batch_shape=[2])
    utils_sampling.draw_sobol_normal_samples(3, 8, seed=0, **settings)
    for quasi in (True, False):
        utils_sampling.sample_hypersphere(3, 5, qmc=quasi, **settings)
        utils_sampling.sample_simplex(3, 5, qmc=quasi, **settings)
    utils_sampling.sample_hypersphere(2, 5, **settings)
    utils_sampling.batched_multinomial(inputs_on(device, 2, 5), 3)
    utils_sampling.boltzmann_sample(inputs_on(device, 10), 3, eta=1.0)
    x = inputs_on(device, 4, DIMENSIONS)
    utils_sampling.sample_truncated_normal_perturbations(x, 6, 0.1, bounds)
    utils_sampling.sample_perturbed_subset_dims(x, bounds, 6)
    with utils_sampling.manual_seed(3):
        torch.rand(2, device=device)


@uses.add
def sampling_in_polytopes(device: torch.device) -> None:
    bounds = bounds_on(device)
    sides = torch.ones(1, DIMENSIONS, dtype=torch.double, device=device)
    limit = torch.ones(1, 1, dtype=torch.double, device=device) * 1.5
    utils_sampling.HitAndRunPolytopeSampler((sides, limit), bounds=bounds, n_burnin=5, n_thinning=2).draw(4)
    utils_sampling.DelaunayPolytopeSampler((sides, limit), bounds=bounds).draw(4)
    index = torch.arange(DIMENSIONS, device=device)
    constraint = [(index, -torch.ones(DIMENSIONS, dtype=torch.double, device=device), -1.5)]
    utils_sampling.get_polytope_samples(4, bounds, constraint, seed=0, n_burnin=5, n_thinning=2)
    utils_sampling.sparse_to_dense_constraints(DIMENSIONS, constraint)
    utils_sampling.normalize_sparse_linear_constraints(bounds, constraint)
    start = torch.full((DIMENSIONS, 1), 0.2, dtype=torch.double, device=device)
    utils_sampling.sample_polytope(sides, limit, start, n=5, n0=2)


@uses.add
def truncated_normals(device: torch.device) -> None:
    covariance = torch.eye(3, dtype=torch.double, device=device) + 0.3
    mean = torch.zeros(3, dtype=torch.double, device=device)
    limits = torch.tensor([[-1.0, 1.0]] * 3, dtype=torch.double, device=device)
    truncated = probability.TruncatedMultivariateNormal(mean, covariance_matrix=covariance, bounds=limits)
    truncated.log_prob(torch.zeros(2, 3, dtype=torch.double, device=device))
    truncated.rsample(torch.Size([4]))
    truncated.log_partition
    solver = probability.MVNXPB(covariance, limits)
    solver.solve()
    solver.augment(covariance[:1, :1] + 1, limits[:1], torch.full((1, 3), 0.1, dtype=torch.double, device=device))
    chain = probability.LinearEllipticalSliceSampler(
        bounds=limits.T, mean=mean[:, None], covariance_matrix=covariance, burnin=2, num_chains=2
    )
    chain.draw(4)


@uses.add
def skew_normals(device: torch.device) -> None:
    covariance = torch.eye(2, dtype=torch.double, device=device) + 0.3
    mean = torch.zeros(2, dtype=torch.double, device=device)
    limits = torch.tensor([[0.0, 2.0]] * 2, dtype=torch.double, device=device)
    truncated = probability.TruncatedMultivariateNormal(mean, covariance_matrix=covariance, bounds=limits)
    gauss = torch.distributions.MultivariateNormal(mean, covariance)
    skewed = probability.UnifiedSkewNormal(truncated, gauss, 0.1 * torch.ones_like(covariance))
    skewed.log_prob(torch.zeros(3, 2, dtype=torch.double, device=device))
    skewed.rsample(torch.Size([4]))


@uses.add
def normal_functions(device: torch.device) -> None:
    x = torch.linspace(-8, 8, 21, dtype=torch.double, device=device)
    for function in ("ndtr", "phi", "log_ndtr", "log_phi", "log_erfc", "log_erfcx", "standard_normal_log_hazard"):
        getattr(probability_utils, function)(x)
    probability_utils.log_prob_normal_in(x, x + 1)
    probability_utils.percentile_of_score(inputs_on(device, 10), inputs_on(device, 1))
    low, high = x[:5], x[:5] + 2
    probability.bvn(torch.full_like(low, 0.3), low, low, high, high)
    probability.bvnmom(torch.full_like(low, 0.3), low, low, high, high)
    root = torch.linalg.cholesky(torch.eye(3, dtype=torch.double, device=device) + 0.3)
    linalg.augment_cholesky(root, torch.eye(1, dtype=torch.double, device=device), Kba=root[:1] * 0.1)
    linalg.block_matrix_concat([[root, root], [root, root]])


@uses.add
def safe_functions(device: torch.device) -> None:
    x = torch.randn(4, 6, dtype=torch.double, device=device, requires_grad=True)
    y = torch.randn(4, 6, dtype=torch.double, device=device)
    smooth = ("log1pexp", "fatplus", "log_fatplus", "log_softplus", "fatmoid", "log_fatmoid", "logexpit", "cauchy")
    for name in ("exp", *smooth):
        getattr(safe_math, name)(x).sum().backward()
    for name in ("add", "sub", "mul", "div", "fatmaximum", "fatminimum", "logplusexp"):
        getattr(safe_math, name)(x, y)
    for name in ("fatmax", "fatmin", "smooth_amax", "smooth_amin", "logmeanexp", "logsumexp"):
        getattr(safe_math, name)(x, dim=-1)
    safe_math.log(y.abs())
    safe_math.log1mexp(-y.abs())
    safe_math.logdiffexp(-y.abs() - 1, -y.abs())
    safe_math.sigmoid(x, log=True, fat=True)


@uses.add
def objective_utilities(device: torch.device) -> None:
    samples = inputs_on(device, 8, 4, 2)
    limits = utils_constraints.get_outcome_constraint_transforms(
        (torch.ones(1, 2, dtype=torch.double, device=device), torch.ones(1, 1, dtype=torch.double, device=device))
    )
    utils_objective.apply_constraints(samples[..., 0], limits, samples, infeasible_cost=0.1)
    utils_objective.compute_feasibility_indicator(limits, samples)
    utils_objective.compute_smoothed_feasibility_indicator(limits, samples, eta=1e-2, log=True, fat=True)
    utils_objective.get_objective_weights_transform(inputs_on(device, 2))(samples)
    utils_constraints.get_monotonicity_constraints(4, device=device, dtype=torch.double)
    feasible_volume.estimate_feasible_volume(
        bounds_on(device), model_on(device, 2), limits, nsample_feature=20, nsample_outcome=8
    )
    acquisition_utils.compute_best_feasible_objective(
        samples, samples[..., 0], limits, infeasible_obj=torch.zeros(1, dtype=torch.double, device=device)
    )


@uses.add
def data_utilities(device: torch.device) -> None:
    x = inputs_on(device) * 3
    bounds = bounds_on(device) * 3
    transforms.unnormalize(transforms.normalize(x, bounds), bounds)
    transforms.standardize(targets_of(x))
    transforms.match_batch_shape(x[:, None], x.repeat(COUNT, 1, 1))
    rounding.approximate_round(x)
    rounding.RoundSTE.apply(x)
    rounding.OneHotArgmaxSTE.apply(x)
    model_utils.check_min_max_scaling(transforms.normalize(x, bounds))
    model_utils.check_standardization(transforms.standardize(targets_of(x)))
    model_utils.consolidate_duplicates(x.repeat(2, 1), torch.tensor([[0, 1], [2, 14]], device=device))


@uses.add
def data_sets(device: torch.device) -> None:
    x, y = inputs_on(device), targets_of(inputs_on(device), 2)
    names = [f"x{k}" for k in range(DIMENSIONS)]
    data = datasets.SupervisedDataset(x, y, Yvar=y.abs(), feature_names=names, outcome_names=["a", "b"])
    data.clone(mask=torch.arange(COUNT, device=device) < 6)
    single_data = datasets.SupervisedDataset(x, y[:, :1], feature_names=names, outcome_names=["a"])
    other = datasets.SupervisedDataset(x, y[:, 1:], feature_names=names, outcome_names=["b"])
    models.SingleTaskGP(**models.SingleTaskGP.construct_inputs(single_data)).to(device).posterior(x).mean
    both = datasets.MultiTaskDataset([single_data, other], target_outcome_name="a")
    both.X, both.Y


@uses.add
def constraints_of_parameters(device: torch.device) -> None:
    interval = utils_constraints.LogTransformedInterval(1e-3, 10.0, initial_value=1.0).to(device)
    interval.inverse_transform(interval.transform(torch.randn(4, device=device)))
    x = inputs_on(device)
    noise = likelihoods.GaussianLikelihood(noise_constraint=utils_constraints.LogTransformedInterval(1e-4, 1.0, 0.1))
    fitted(models.SingleTaskGP(x, targets_of(x), likelihood=noise).to(device))


if __name__ == "__main__":
    uses.main()
