"""Curvature operators, their products, inverses, spectra and estimators of curvlinops."""

import tempfile
from collections import UserDict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from curvlinops import (
    CGInverseLinearOperator,
    EFLinearOperator,
    EKFACLinearOperator,
    FisherMCLinearOperator,
    FisherType,
    GGNLinearOperator,
    HessianLinearOperator,
    JacobianLinearOperator,
    KFACInverseLinearOperator,
    KFACLinearOperator,
    KFACType,
    LanczosApproximateLogSpectrumCached,
    LanczosApproximateSpectrumCached,
    LSMRInverseLinearOperator,
    NeumannInverseLinearOperator,
    SubmatrixLinearOperator,
    TransposedJacobianLinearOperator,
    hutchinson_diag,
    hutchinson_squared_fro,
    hutchinson_trace,
    hutchpp_trace,
    lanczos_approximate_log_spectrum,
    lanczos_approximate_spectrum,
    xdiag,
    xtrace,
)
from curvlinops.examples import IdentityLinearOperator, OuterProductLinearOperator, TensorLinearOperator
from curvlinops.examples import functorch as dense
from curvlinops.experimental import ActivationHessianLinearOperator
from curvlinops.papyan2020traces.spectrum import fast_lanczos
from curvlinops.utils import allclose_report
from scipy.sparse.linalg import cg, eigsh
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from uses import Use, Uses

FEATURES, CLASSES, BATCH = 5, 3, 6
Data = list[tuple[torch.Tensor, torch.Tensor]]
uses = Uses()


class Case:
    """A model, its loss, its parameters and its data."""

    def __init__(self, model: nn.Module, loss: nn.Module, data: Data) -> None:
        self.model = model
        self.loss = loss
        self.data = data
        self.params = [param for param in model.parameters() if param.requires_grad]

    @property
    def parts(self) -> tuple[nn.Module, nn.Module, list[nn.Parameter], Data]:
        return self.model, self.loss, self.params, self.data


def table(device: torch.device) -> nn.Module:
    return nn.Sequential(nn.Linear(FEATURES, 6), nn.ReLU(), nn.Linear(6, CLASSES)).to(device)


def classification(device: torch.device, reduction: str = "mean") -> Case:
    data = [
        (torch.rand(count, FEATURES, device=device), torch.randint(0, CLASSES, (count,), device=device))
        for count in (BATCH, 4)
    ]
    return Case(table(device), nn.CrossEntropyLoss(reduction=reduction).to(device), data)


def regression(device: torch.device) -> Case:
    data = [
        (torch.rand(count, FEATURES, device=device), torch.rand(count, CLASSES, device=device)) for count in (BATCH, 4)
    ]
    return Case(table(device), nn.MSELoss(reduction="mean").to(device), data)


def binary(device: torch.device) -> Case:
    data = [(x, (y > 0.5).float()) for x, y in regression(device).data]
    return Case(table(device), nn.BCEWithLogitsLoss().to(device), data)


def pictures(device: torch.device) -> Case:
    model = nn.Sequential(
        nn.Conv2d(2, 3, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(12, CLASSES)
    )
    data = [(torch.rand(4, 2, 6, 6, device=device), torch.randint(0, CLASSES, (4,), device=device))]
    return Case(model.to(device), nn.CrossEntropyLoss(), data)


def loaded(device: torch.device) -> Case:
    """The data stays on the CPU, in a loader; the operators move it."""
    data = TensorDataset(torch.rand(10, FEATURES), torch.randint(0, CLASSES, (10,)))
    return Case(table(device), nn.CrossEntropyLoss(), DataLoader(data, batch_size=4))


CASES: dict[str, Callable[[torch.device], Case]] = {
    "classification": classification,
    "summed classification": lambda device: classification(device, "sum"),
    "regression": regression,
    "binary": binary,
    "pictures": pictures,
    "loader": loaded,
}
OPERATORS: dict[str, Callable] = {
    "Hessian": HessianLinearOperator,
    "GGN": GGNLinearOperator,
    "EF": EFLinearOperator,
    "FisherMC": FisherMCLinearOperator,
    "KFAC": KFACLinearOperator,
    "EKFAC": EKFACLinearOperator,
}


def operator_use(name: str) -> Use:
    operator, case = name.split(" of ")

    def use(device: torch.device) -> None:
        chosen = CASES[case](device)
        found = OPERATORS[operator](*chosen.parts)
        found @ torch.rand(found.shape[1], device=device)
        found @ torch.rand(found.shape[1], 2, device=device)
        found.adjoint() @ [torch.rand_like(param) for param in chosen.params]

    return use


uses.add_each("product with", [f"{operator} of {case}" for operator in OPERATORS for case in CASES], operator_use)


@uses.add
def gradient_and_loss(device: torch.device) -> None:
    found = GGNLinearOperator(*classification(device).parts, num_data=10)
    found.gradient_and_loss()


@uses.add
def hessian_in_blocks(device: torch.device) -> None:
    case = classification(device)
    found = HessianLinearOperator(*case.parts, block_sizes=[2, 2], progressbar=True)
    found @ torch.eye(found.shape[1], device=device)


@uses.add
def double_precision(device: torch.device) -> None:
    case = regression(device)
    case.model.double()
    data = [(x.double(), y.double()) for x, y in case.data]
    found = HessianLinearOperator(case.model, case.loss, list(case.model.parameters()), data)
    found @ torch.eye(found.shape[1], device=device, dtype=torch.float64)


@uses.add
def data_of_dicts(device: torch.device) -> None:
    class Reader(nn.Module):
        """Takes the input from a dict."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = table(device)

        def forward(self, batch: UserDict) -> torch.Tensor:
            return self.inner(batch["x"].to(device))

    model = Reader().to(device)
    data = [(UserDict({"x": torch.rand(4, FEATURES)}), torch.randint(0, CLASSES, (4,))) for _ in range(2)]
    parts = (model, nn.CrossEntropyLoss(), list(model.parameters()), data)
    for operator in (HessianLinearOperator, GGNLinearOperator, KFACLinearOperator):
        found = operator(*parts, batch_size_fn=lambda batch: len(batch["x"]))
        found @ torch.rand(found.shape[1], device=device)


@uses.add
def factors_of_other_convolutions(device: torch.device) -> None:
    for more in ({"padding": "same"}, {"stride": 2, "padding": 1}, {"groups": 2}, {"bias": False, "dilation": 2}):
        model = nn.Sequential(nn.Conv2d(2, 4, 3, **more), nn.ReLU(), nn.Flatten(), nn.LazyLinear(CLASSES)).to(device)
        data = [(torch.rand(4, 2, 6, 6, device=device), torch.randint(0, CLASSES, (4,), device=device))]
        with torch.no_grad():
            model(data[0][0])
        for approx in (KFACType.EXPAND, KFACType.REDUCE):
            parts = (model, nn.CrossEntropyLoss(), list(model.parameters()), data)
            found = KFACLinearOperator(*parts, kfac_approx=approx, fisher_type=FisherType.EMPIRICAL)
            found @ torch.rand(found.shape[1], device=device)


@uses.add
def factors_of_sequences(device: torch.device) -> None:
    class Tagger(nn.Module):
        """Classifies each of the words of each sentence."""

        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(FEATURES, 6)
            self.out = nn.Linear(6, CLASSES)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.out(torch.tanh(self.first(x))).transpose(1, 2)

    model = Tagger().to(device)
    data = [(torch.rand(4, 3, FEATURES, device=device), torch.randint(0, CLASSES, (4, 3), device=device))]
    for kind in (FisherType.EMPIRICAL, FisherType.MC):
        found = KFACLinearOperator(model, nn.CrossEntropyLoss(), list(model.parameters()), data, fisher_type=kind)
        found @ torch.rand(found.shape[1], device=device)


# Jacobians


@uses.add
def jacobians(device: torch.device) -> None:
    case = classification(device)
    one = JacobianLinearOperator(case.model, case.params, case.data)
    one @ torch.rand(one.shape[1], device=device)
    one @ torch.rand(one.shape[1], 2, device=device)
    other = TransposedJacobianLinearOperator(case.model, case.params, case.data)
    other @ torch.rand(other.shape[1], device=device)
    one.adjoint() @ torch.rand(one.shape[0], 2, device=device)
    other.adjoint()


@uses.add
def linearized_laplace(device: torch.device) -> None:
    case = classification(device)
    ggn = GGNLinearOperator(*case.parts)
    damping = 0.1 * IdentityLinearOperator([tuple(param.shape) for param in case.params], device, torch.float32)
    inverse = CGInverseLinearOperator(ggn + damping, eps=0, tolerance=1e-3, max_iter=30)
    jacobian = JacobianLinearOperator(case.model, case.params, case.data[:1])
    jacobian @ (inverse @ (jacobian.adjoint() @ torch.rand(jacobian.shape[0], 2, device=device)))


@uses.add
def dense_references(device: torch.device) -> None:
    case = classification(device)
    eye = torch.eye(sum(param.numel() for param in case.params), device=device)
    hessian = HessianLinearOperator(*case.parts) @ eye
    allclose_report(hessian, dense.functorch_hessian(*case.parts), rtol=1e-3, atol=1e-5)
    allclose_report(GGNLinearOperator(*case.parts) @ eye, dense.functorch_ggn(*case.parts), rtol=1e-3, atol=1e-5)
    dense.functorch_empirical_fisher(*case.parts)
    dense.functorch_gradient_and_loss(*case.parts)
    dense.functorch_jacobian(case.model, case.params, case.data)


@uses.add
def reported_differences(device: torch.device) -> None:
    allclose_report(torch.rand(4, device=device), torch.rand(4, device=device))


# KFAC

FISHERS = {
    "type 2": {"fisher_type": FisherType.TYPE2},
    "MC": {"fisher_type": FisherType.MC, "mc_samples": 2},
    "empirical": {"fisher_type": FisherType.EMPIRICAL},
    "forward only": {"fisher_type": FisherType.FORWARD_ONLY},
    "reduced": {"kfac_approx": KFACType.REDUCE},
    "joint": {"separate_weight_and_bias": False},
    "joint and reduced": {"separate_weight_and_bias": False, "kfac_approx": KFACType.REDUCE},
}


def kfac_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for made in (classification, pictures):
            found = KFACLinearOperator(*made(device).parts, **FISHERS[name])
            found @ torch.rand(found.shape[1], 2, device=device)
            _ = found.trace, found.det, found.logdet, found.frobenius_norm

    return use


def ekfac_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for made in (classification, pictures):
            found = EKFACLinearOperator(*made(device).parts, **FISHERS[name])
            found @ torch.rand(found.shape[1], 2, device=device)
            _ = found.trace, found.det, found.logdet, found.frobenius_norm

    return use


def kfac_loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for kind in (FisherType.TYPE2, FisherType.MC, FisherType.EMPIRICAL):
            for operator in (KFACLinearOperator, EKFACLinearOperator):
                found = operator(*CASES[name](device).parts, fisher_type=kind, check_deterministic=False)
                found @ torch.rand(found.shape[1], device=device)

    return use


uses.add_each("KFAC", FISHERS, kfac_use)
uses.add_each("EKFAC", [name for name in FISHERS if name != "forward only"], ekfac_use)
uses.add_each("factors of", ("regression", "binary"), kfac_loss_use)

DAMPINGS = {
    "constant": {"damping": 1e-2},
    "of each": {"damping": (1e-2, 1e-3)},
    "heuristic": {"damping": 1e-2, "use_heuristic_damping": True, "min_damping": 1e-6},
    "exact": {"damping": 1e-2, "use_exact_damping": True},
    "uncached": {"damping": 1e-2, "cache": False, "retry_double_precision": False},
}


def kfac_inverse_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for more in ({}, {"separate_weight_and_bias": False}):
            case = pictures(device)
            kfac = KFACLinearOperator(*case.parts, **more)
            inverse = KFACInverseLinearOperator(kfac, **DAMPINGS[name])
            inverse @ torch.rand(kfac.shape[1], device=device)
            inverse @ [torch.rand_like(param) for param in case.params]

    return use


uses.add_each("inverse of KFAC, damping", DAMPINGS, kfac_inverse_use)


@uses.add
def inverse_of_ekfac(device: torch.device) -> None:
    for made in (classification, pictures):
        found = EKFACLinearOperator(*made(device).parts)
        KFACInverseLinearOperator(found, damping=1e-2, use_exact_damping=True) @ torch.rand(
            found.shape[1], device=device
        )


@uses.add
def saved_factors(device: torch.device) -> None:
    case = classification(device)
    for operator, more in ((KFACLinearOperator, {}), (EKFACLinearOperator, {"use_exact_damping": True})):
        found = operator(*case.parts)
        inverse = KFACInverseLinearOperator(found, damping=1e-2, **more)
        inverse @ torch.rand(found.shape[1], device=device)
        _ = found.trace, found.logdet, found.det, found.frobenius_norm
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "state.pt"
            torch.save(found.state_dict(), path)
            again = operator.from_state_dict(torch.load(path, weights_only=False), case.model, case.params, case.data)
            torch.save(inverse.state_dict(), path)
            KFACInverseLinearOperator.from_state_dict(torch.load(path, weights_only=False), again)
        again @ torch.rand(found.shape[1], device=device)


@uses.add
def preconditioned_training(device: torch.device) -> None:
    case = classification(device)
    optimizer = torch.optim.SGD(case.params, lr=0.1)
    for _ in range(2):
        kfac = KFACLinearOperator(*case.parts, check_deterministic=False)
        gradient, _ = kfac.gradient_and_loss()
        step = KFACInverseLinearOperator(kfac, damping=1e-1) @ gradient
        optimizer.zero_grad()
        for param, part in zip(case.params, step, strict=True):
            param.grad = part.detach()
        optimizer.step()


# Inverses


def damped(case: Case, device: torch.device, damping: float = 0.5) -> torch.Tensor:
    shapes = [tuple(param.shape) for param in case.params]
    return GGNLinearOperator(*case.parts) + damping * IdentityLinearOperator(shapes, device, torch.float32)


@uses.add
def inverse_with_cg(device: torch.device) -> None:
    found = damped(classification(device), device)
    inverse = CGInverseLinearOperator(found)
    inverse @ torch.rand(found.shape[1], device=device)
    inverse.adjoint() @ torch.rand(found.shape[1], 2, device=device)


@uses.add
def inverse_with_lsmr(device: torch.device) -> None:
    case = classification(device)
    found = damped(case, device)
    inverse = LSMRInverseLinearOperator(found, maxiter=20)
    inverse @ torch.rand(found.shape[1], 2, device=device)
    inverse @ [torch.rand_like(param) for param in case.params]
    inverse.adjoint()


@uses.add
def inverse_with_neumann(device: torch.device) -> None:
    case = classification(device)
    found = damped(case, device)
    inverse = NeumannInverseLinearOperator(found, num_terms=10, scale=0.5)
    inverse @ torch.rand(found.shape[1], device=device)
    inverse.adjoint() @ [torch.rand_like(param) for param in case.params]
    NeumannInverseLinearOperator(found, num_terms=5, scale=0.5, check_nan=False) @ torch.rand(
        found.shape[1], device=device
    )


@uses.add
def inverse_with_scipy(device: torch.device) -> None:
    found = damped(classification(device), device).to_scipy()
    cg(found, np.random.default_rng(0).random(found.shape[1]).astype(np.float32), maxiter=10)


# Algebra


@uses.add
def sums_and_products(device: torch.device) -> None:
    case = classification(device)
    one, other = HessianLinearOperator(*case.parts), GGNLinearOperator(*case.parts)
    vector = torch.rand(one.shape[1], device=device)
    for found in (one + other, one - other, 2.0 * one, one * 0.5, one @ other, (one + 0.1 * other).adjoint()):
        found @ vector
    (one @ other).adjoint() @ vector
    (one @ other).to_scipy() @ np.ones(one.shape[1], dtype=np.float32)
    (2.0 * one + other).to_scipy() @ np.ones((one.shape[1], 2), dtype=np.float32)


@uses.add
def submatrices(device: torch.device) -> None:
    found = GGNLinearOperator(*classification(device).parts)
    part = SubmatrixLinearOperator(found, [0, 1, 4], [1, 2])
    part @ torch.eye(2, device=device)
    part.adjoint() @ torch.eye(3, device=device)
    part.set_submatrix([3, 4], [0, 5])
    part @ torch.rand(2, device=device)


@uses.add
def operators_of_tensors(device: torch.device) -> None:
    matrix = torch.rand(8, 8, device=device)
    matrix = matrix @ matrix.T
    TensorLinearOperator(matrix) @ torch.rand(8, device=device)
    outer = OuterProductLinearOperator(torch.rand(3, device=device), torch.rand(8, 3, device=device))
    outer @ torch.rand(8, 2, device=device)
    outer.adjoint()
    IdentityLinearOperator([(8,)], device, torch.float32) @ torch.rand(8, device=device)


@uses.add
def top_eigenvalues(device: torch.device) -> None:
    for operator in (HessianLinearOperator, GGNLinearOperator):
        scipy_operator = operator(*classification(device).parts).to_scipy(dtype=np.float64)
        eigsh(scipy_operator, k=3, which="LA")
        scipy_operator @ np.ones((scipy_operator.shape[1], 2))


@uses.add
def power_iteration(device: torch.device) -> None:
    found = GGNLinearOperator(*classification(device).parts)
    vector = torch.rand(found.shape[1], device=device)
    for _ in range(4):
        vector = vector / vector.norm()
        product = found @ vector
        product @ vector
        vector = product


# Estimators

ESTIMATORS: dict[str, Callable] = {
    "hutchinson_trace": lambda a: hutchinson_trace(a, num_matvecs=4),
    "hutchinson_trace normal": lambda a: hutchinson_trace(a, num_matvecs=4, distribution="normal"),
    "hutchpp_trace": lambda a: hutchpp_trace(a, num_matvecs=6),
    "hutchpp_trace normal": lambda a: hutchpp_trace(a, num_matvecs=6, distribution="normal"),
    "xtrace": lambda a: xtrace(a, num_matvecs=6),
    "hutchinson_diag": lambda a: hutchinson_diag(a, num_matvecs=4),
    "xdiag": lambda a: xdiag(a, num_matvecs=6),
    "hutchinson_squared_fro": lambda a: hutchinson_squared_fro(a, num_matvecs=4),
}


def estimator_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        ESTIMATORS[name](torch.rand(20, 20, device=device))
        ESTIMATORS[name](GGNLinearOperator(*classification(device).parts))

    return use


uses.add_each("estimate", ESTIMATORS, estimator_use)


@uses.add
def estimated_averages(device: torch.device) -> None:
    found = HessianLinearOperator(*classification(device).parts)
    torch.stack([hutchinson_trace(found, num_matvecs=2) for _ in range(3)]).mean()
    hutchinson_squared_fro(torch.rand(20, 8, device=device), num_matvecs=4)


# Spectra


def symmetric(device: torch.device) -> TensorLinearOperator:
    matrix = torch.rand(30, 30, device=device)
    return TensorLinearOperator(matrix @ matrix.T / 30 + torch.eye(30, device=device))


@uses.add
def spectrum(device: torch.device) -> None:
    lanczos_approximate_spectrum(symmetric(device), 10, num_points=32, num_repeats=2)
    known = (0.5, 10.0)
    lanczos_approximate_spectrum(symmetric(device), 10, num_points=32, boundaries=known)
    lanczos_approximate_spectrum(symmetric(device), 10, num_points=32, boundaries=(None, 10.0))
    lanczos_approximate_spectrum(symmetric(device), 10, num_points=32, boundaries=(0.5, None))


@uses.add
def log_spectrum(device: torch.device) -> None:
    lanczos_approximate_log_spectrum(symmetric(device), 10, num_points=32, num_repeats=2)
    lanczos_approximate_log_spectrum(symmetric(device), 10, num_points=32, boundaries=(0.5, 10.0), epsilon=1e-4)


@uses.add
def cached_spectrum(device: torch.device) -> None:
    found = LanczosApproximateSpectrumCached(symmetric(device), 10)
    found.approximate_spectrum(num_repeats=2, num_points=32)
    found.approximate_spectrum(num_repeats=3, num_points=32, kappa=1.5)
    logs = LanczosApproximateLogSpectrumCached(symmetric(device), 10, boundaries=(0.5, 10.0))
    logs.approximate_log_spectrum(num_repeats=2, num_points=32, kappa=1.04)


@uses.add
def spectrum_of_hessian(device: torch.device) -> None:
    found = HessianLinearOperator(*classification(device).parts)
    lanczos_approximate_spectrum(found, 8, num_points=32)


@uses.add
def lanczos(device: torch.device) -> None:
    fast_lanczos(symmetric(device), 10)
    fast_lanczos(symmetric(device), 10, use_eigh_tridiagonal=True)


# Activations


@uses.add
def hessian_of_activations(device: torch.device) -> None:
    case = regression(device)
    for name, kind in (("1", "input"), ("0", "output")):
        found = ActivationHessianLinearOperator(case.model, case.loss, (name, kind, 0), case.data[:1])
        found @ torch.eye(found.shape[1], device=device)


if __name__ == "__main__":
    uses.main()
