"""First- and second-order extensions, curvature products, custom modules and the converter of backpack."""

from collections.abc import Callable

import torch
from backpack import backpack, disable, extend, extensions
from backpack.core.derivatives import conv_transposend, convnd, linear, lstm, rnn
from backpack.custom_module.branching import Parallel
from backpack.custom_module.pad import Pad
from backpack.custom_module.permute import Permute
from backpack.custom_module.reduce_tuple import ReduceTuple
from backpack.custom_module.scale_module import ScaleModule
from backpack.custom_module.slicing import Slicing
from backpack.extensions.backprop_extension import BackpropExtension
from backpack.hessianfree.ggnvp import ggn_vector_product, ggn_vector_product_from_plist
from backpack.hessianfree.hvp import hessian_vector_product
from backpack.hessianfree.lop import transposed_jacobian_vector_product
from backpack.hessianfree.rop import jacobian_vector_product
from backpack.utils import kroneckers
from backpack.utils.convert_parameters import vector_to_parameter_list
from backpack.utils.examples import autograd_diag_ggn_exact
from torch import nn
from uses import Use, Uses

BATCH, CLASSES = 4, 3
uses = Uses()
Problem = tuple[nn.Module, torch.Tensor]


# Models and their input


def table(device: torch.device) -> Problem:
    model = nn.Sequential(nn.Linear(5, 6), nn.Sigmoid(), nn.Linear(6, CLASSES))
    return model.to(device), torch.rand(BATCH, 5, device=device)


def scalar(device: torch.device) -> Problem:
    model = nn.Sequential(nn.Linear(5, 6), nn.Sigmoid(), nn.Linear(6, 1))
    return model.to(device), torch.rand(BATCH, 5, device=device)


def pictures(device: torch.device) -> Problem:
    model = nn.Sequential(
        nn.ZeroPad2d(1),
        nn.Conv2d(2, 4, 3, stride=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(4, 3, 2, groups=1),
        nn.Tanh(),
        nn.AvgPool2d(2, stride=1),
        nn.Dropout(0.2),
        nn.Flatten(),
        nn.Linear(3, CLASSES),
    )
    return model.to(device), torch.rand(BATCH, 2, 14, 14, device=device)


def convolutions(dim: int, adapt: bool = True) -> Callable[[torch.device], Problem]:
    conv = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[dim - 1]
    pool = (nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d)[dim - 1]
    average = (nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d)[dim - 1]
    adaptive = (nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d)[dim - 1]

    def made(device: torch.device) -> Problem:
        model = nn.Sequential(
            conv(2, 4, 3, padding=1, groups=2),
            nn.ELU(),
            pool(2),
            conv(4, 3, 2, bias=False),
            nn.LeakyReLU(),
            average(2, stride=1),
            *([adaptive(1)] if adapt else []),
            nn.Flatten(),
            nn.Linear(3, CLASSES),
        )
        return model.to(device), torch.rand(BATCH, 2, *[6] * dim, device=device)

    return made


def transposed(dim: int) -> Callable[[torch.device], Problem]:
    conv = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)[dim - 1]

    def made(device: torch.device) -> Problem:
        model = nn.Sequential(
            conv(2, 3, 2, stride=2), nn.SELU(), conv(3, 1, 2), nn.LogSigmoid(), nn.Flatten(), nn.LazyLinear(CLASSES)
        ).to(device)
        x = torch.rand(BATCH, 2, *[3] * dim, device=device)
        with torch.no_grad():
            model(x)
        return model, x

    return made


def simple_convolutions(dim: int, transpose: bool = False) -> Callable[[torch.device], Problem]:
    plain = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[dim - 1]
    conv = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)[dim - 1] if transpose else plain

    def made(device: torch.device) -> Problem:
        model = nn.Sequential(
            conv(2, 3, 2), nn.ReLU(), conv(3, 2, 2), nn.Sigmoid(), nn.Flatten(), nn.LazyLinear(CLASSES)
        ).to(device)
        x = torch.rand(BATCH, 2, *[4] * dim, device=device)
        with torch.no_grad():
            model(x)
        return model, x

    return made


def normalized(device: torch.device) -> Problem:
    model = nn.Sequential(nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(27, CLASSES))
    return model.to(device).eval(), torch.rand(BATCH, 2, 4, 4, device=device)


def normalized_rows(device: torch.device) -> Problem:
    model = nn.Sequential(nn.Linear(5, 6), nn.BatchNorm1d(6), nn.Sigmoid(), nn.Linear(6, CLASSES))
    return model.to(device).eval(), torch.rand(BATCH, 5, device=device)


def recurrent(kind: type[nn.Module]) -> Callable[[torch.device], Problem]:
    def made(device: torch.device) -> Problem:
        model = nn.Sequential(
            kind(4, 5, batch_first=True), ReduceTuple(0), Permute(0, 2, 1), nn.Flatten(), nn.Linear(15, CLASSES)
        )
        return model.to(device), torch.rand(BATCH, 3, 4, device=device)

    return made


def words(device: torch.device) -> Problem:
    model = nn.Sequential(nn.Embedding(10, 4), nn.Flatten(), nn.Linear(12, CLASSES))
    return model.to(device), torch.randint(0, 10, (BATCH, 3), device=device)


def branched(device: torch.device) -> Problem:
    model = nn.Sequential(
        nn.Linear(5, 6),
        Parallel(ScaleModule(0.5), nn.Sequential(nn.Linear(6, 6), nn.Sigmoid()), nn.Identity()),
        nn.ReLU(),
        nn.Linear(6, CLASSES),
    )
    return model.to(device), torch.rand(BATCH, 5, device=device)


def padded_and_sliced(device: torch.device) -> Problem:
    model = nn.Sequential(
        Pad((1, 1), value=0.1),
        nn.Linear(7, 6),
        Slicing((slice(None), slice(0, 4))),
        nn.Sigmoid(),
        Pad((0, 1)),
        nn.Linear(5, CLASSES),
    )
    return model.to(device), torch.rand(BATCH, 5, device=device)


PROBLEMS: dict[str, Callable[[torch.device], Problem]] = {
    "table": table,
    "pictures": pictures,
    "conv1d": convolutions(1),
    "conv2d": convolutions(2),
    "conv3d": convolutions(3),
    **{f"pooled conv{dim}d": convolutions(dim, adapt=False) for dim in (1, 2, 3)},
    "conv_transpose1d": transposed(1),
    "conv_transpose2d": transposed(2),
    "conv_transpose3d": transposed(3),
    "batchnorm": normalized,
    "batchnorm of rows": normalized_rows,
    "rnn": recurrent(nn.RNN),
    "lstm": recurrent(nn.LSTM),
    "embedding": words,
    "branches": branched,
    "padding and slices": padded_and_sliced,
}


def labels(device: torch.device) -> torch.Tensor:
    return torch.arange(BATCH, device=device) % CLASSES


def run(problem: Problem, *wanted: BackpropExtension, loss: nn.Module | None = None, target: object = None) -> None:
    """One backward pass with extensions."""
    model, x = extend(problem[0]), problem[1]
    loss = extend(nn.CrossEntropyLoss() if loss is None else loss).to(x.device)
    value = loss(model(x), labels(x.device) if target is None else target)
    with backpack(*wanted):
        value.backward()


# First order


def first_order_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        wanted = [extensions.BatchGrad(), extensions.BatchL2Grad(), extensions.SumGradSquared(), extensions.Variance()]
        problem = PROBLEMS[name](device)
        run(problem, *wanted)
        for param in problem[0].parameters():
            param.grad_batch.sum(0), param.batch_l2.mean(), param.sum_grad_squared.sqrt(), param.variance.mean()

    return use


uses.add_each("first order of", PROBLEMS, first_order_use)


@uses.add
def individual_gradients_of_some(device: torch.device) -> None:
    for made in (table, pictures, PROBLEMS["lstm"], words):
        run(made(device), extensions.BatchGrad(subsampling=[0, 2]))


# Second order

SECOND = {
    "DiagGGNExact": extensions.DiagGGNExact,
    "DiagGGNMC": lambda: extensions.DiagGGNMC(mc_samples=2),
    "BatchDiagGGNExact": extensions.BatchDiagGGNExact,
    "BatchDiagGGNMC": extensions.BatchDiagGGNMC,
    "SqrtGGNExact": extensions.SqrtGGNExact,
    "SqrtGGNMC": lambda: extensions.SqrtGGNMC(mc_samples=2),
    "DiagHessian": extensions.DiagHessian,
    "BatchDiagHessian": extensions.BatchDiagHessian,
}
NOT_FOR = {
    "Sqrt": ("conv1d", "conv2d", "conv3d", "rnn", "lstm"),
    "DiagHessian": ("batchnorm", "batchnorm of rows", "rnn", "lstm", "embedding", "branches"),
}


def second_order_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for problem, made in PROBLEMS.items():
            if not any(part in name and problem in problems for part, problems in NOT_FOR.items()):
                run(made(device), SECOND[name]())

    return use


uses.add_each("second order", SECOND, second_order_use)

LOSSES: dict[str, tuple[Callable[[], nn.Module], Callable[[torch.device], torch.Tensor]]] = {
    "MSELoss": (nn.MSELoss, lambda device: torch.rand(BATCH, CLASSES, device=device)),
    "MSELoss summed": (lambda: nn.MSELoss(reduction="sum"), lambda device: torch.rand(BATCH, CLASSES, device=device)),
    "CrossEntropyLoss summed": (lambda: nn.CrossEntropyLoss(reduction="sum"), labels),
    "BCEWithLogitsLoss": (
        nn.BCEWithLogitsLoss,
        lambda device: torch.randint(0, 2, (BATCH, 1), device=device).float(),
    ),
}


def loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, target_on = LOSSES[name]
        problem = scalar if name == "BCEWithLogitsLoss" else table
        for wanted in (*SECOND.values(), extensions.KFLR, extensions.KFAC, extensions.BatchGrad):
            run(problem(device), wanted(), loss=made(), target=target_on(device))

    return use


uses.add_each("loss", LOSSES, loss_use)


@uses.add
def roots_of_some(device: torch.device) -> None:
    for made in (table, pictures):
        run(made(device), extensions.SqrtGGNExact(subsampling=[0, 1]), extensions.SqrtGGNMC(subsampling=[1]))


@uses.add
def gram_matrix(device: torch.device) -> None:
    model, x = table(device)
    run((model, x), extensions.SqrtGGNExact())
    roots = torch.cat([param.sqrt_ggn_exact.flatten(2) for param in model.parameters()], dim=2).flatten(end_dim=1)
    torch.linalg.eigvalsh(roots @ roots.T)


# Kronecker factors

KRONECKER = {
    "KFAC": lambda: extensions.KFAC(mc_samples=2),
    "KFLR": extensions.KFLR,
    "KFRA": extensions.KFRA,
}
KRONECKER_PROBLEMS: dict[str, Callable[[torch.device], Problem]] = {
    "table": table,
    "pictures": pictures,
    "branches": branched,
    **{f"conv{dim}d": simple_convolutions(dim) for dim in (1, 2, 3)},
    **{f"conv_transpose{dim}d": simple_convolutions(dim, transpose=True) for dim in (1, 2, 3)},
}


def kronecker_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for problem, made in KRONECKER_PROBLEMS.items():
            if name == "KFAC" or problem in ("table", "pictures", "conv2d") or (name == "KFLR" and "conv" in problem):
                run(made(device), KRONECKER[name]())

    return use


uses.add_each("factors", KRONECKER, kronecker_use)


@uses.add
def products_with_factors(device: torch.device) -> None:
    model, x = table(device)
    run((model, x), extensions.KFLR())
    for param in model.parameters():
        factors = param.kflr
        vector = torch.rand(param.numel(), device=device)
        kroneckers.kfacs_to_mat(factors)
        kroneckers.apply_kfac_mat_prod(factors, vector)
        kroneckers.apply_inv_kfac_mat_prod(factors, vector.unsqueeze(1), shift=0.1)
        kroneckers.inv_kfacs(factors, shift=[0.1] * len(factors))
        kroneckers.inv_kfac_mat_prod(factors, shift=0.1)(vector)


# Products with blocks of the curvature

CURVATURES: dict[str, tuple[Callable[[], BackpropExtension], str]] = {
    "HMP": (extensions.HMP, "hmp"),
    "GGNMP": (extensions.GGNMP, "ggnmp"),
    "PCHMP abs": (lambda: extensions.PCHMP(modify="abs"), "pchmp"),
    "PCHMP clip": (lambda: extensions.PCHMP(modify="clip"), "pchmp"),
}


def curvature_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, field = CURVATURES[name]
        for problem in (table, pictures):
            model, x = problem(device)
            run((model, x), made())
            for param in model.parameters():
                getattr(param, field)(torch.rand(2, *param.shape, device=device))

    return use


uses.add_each("products", CURVATURES, curvature_use)


@uses.add
def products_with_batchnorm(device: torch.device) -> None:
    model, x = table(device)
    model = nn.Sequential(nn.Linear(5, 6), nn.BatchNorm1d(6), nn.Linear(6, CLASSES)).to(device)
    for made, field in (CURVATURES["HMP"], CURVATURES["GGNMP"]):
        run((model, x), made())
        for param in model.parameters():
            getattr(param, field)(torch.rand(1, *param.shape, device=device))


@uses.add
def hessian_free(device: torch.device) -> None:
    model, x = table(device)
    output = model(x)
    loss = nn.CrossEntropyLoss()(output, labels(device))
    params = list(model.parameters())
    vector = [torch.rand_like(param) for param in params]
    hessian_vector_product(loss, params, vector)
    gradients = torch.autograd.grad(loss, params, create_graph=True)
    hessian_vector_product(loss, params, vector, grad_params=gradients)
    ggn_vector_product(loss, output, model, vector)
    ggn_vector_product_from_plist(loss, output, params[:2], vector[:2])
    jacobian_vector_product(output, params, vector)
    transposed_jacobian_vector_product(output, params, torch.rand_like(output))


@uses.add
def diagonal_with_autograd(device: torch.device) -> None:
    model, x = table(device)
    autograd_diag_ggn_exact(x, labels(device), model, nn.CrossEntropyLoss(), idx=[0, 3])
    flat = torch.rand(sum(param.numel() for param in model.parameters()), device=device)
    vector_to_parameter_list(flat, model.parameters())


# The converter


class Residual(nn.Module):
    """A residual network as users write it."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(2, 3, 3, padding=1)
        self.second = nn.Conv2d(3, 3, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)
        self.out = nn.Linear(48, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.relu(self.first(x))
        x = self.relu(self.second(x) * 0.5 + x)
        return self.out(torch.flatten(x, 1))


class Reading(nn.Module):
    """A recurrent network with several layers."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.lstm = nn.LSTM(4, 5, num_layers=2, batch_first=True)
        self.out = nn.Linear(5, CLASSES)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x, _ = self.lstm(self.embedding(tokens))
        x = self.out(x)
        x = x.permute(0, 2, 1)
        return x.transpose(1, 2).permute(0, 2, 1)


@uses.add
def converted_residual(device: torch.device) -> None:
    model = extend(Residual().to(device).eval(), use_converter=True)
    run((model, torch.rand(BATCH, 2, 4, 4, device=device)), extensions.BatchGrad(), extensions.DiagGGNExact())


@uses.add
def converted_reader(device: torch.device) -> None:
    model = extend(Reading().to(device), use_converter=True, debug=True)
    target = torch.randint(0, CLASSES, (BATCH, 3), device=device)
    run((model, torch.randint(0, 10, (BATCH, 3), device=device)), extensions.DiagGGNExact(), target=target)


@uses.add
def converted_torchvision_block(device: torch.device) -> None:
    from torchvision.models.resnet import BasicBlock

    block = nn.Sequential(BasicBlock(2, 2), nn.Flatten(), nn.Linear(32, CLASSES)).to(device).eval()
    model = extend(block, use_converter=True)
    run((model, torch.rand(BATCH, 2, 4, 4, device=device)), extensions.DiagGGNMC())


# Contexts and optimizers


@uses.add
def contexts(device: torch.device) -> None:
    model, x = table(device)
    model, loss = extend(model, debug=True), extend(nn.CrossEntropyLoss())
    with disable():
        loss(model(x), labels(device)).backward()
    value = loss(model(x), labels(device))
    norms = {}

    def hook(module: nn.Module) -> None:
        for param in module.parameters(recurse=False):
            norms[id(param)] = param.grad_batch.flatten(1).norm(dim=1)
            del param.grad_batch

    with backpack(extensions.BatchGrad(), extension_hook=hook, debug=True):
        value.backward()
    value = loss(model(x), labels(device))
    with backpack(extensions.DiagGGNExact(), retain_graph=True):
        value.backward(retain_graph=True)
    with backpack(extensions.BatchGrad()):
        value.backward()


class DiagonalOptimizer(torch.optim.Optimizer):
    """Divides the gradient by the diagonal of the GGN, as in the example of the documentation."""

    def __init__(self, parameters: object, step_size: float, damping: float) -> None:
        super().__init__(parameters, {"step_size": step_size, "damping": damping})

    def step(self) -> None:
        for group in self.param_groups:
            for param in group["params"]:
                direction = param.grad / (param.diag_ggn_mc + group["damping"])
                param.data.add_(direction, alpha=-group["step_size"])


@uses.add
def diagonal_optimizer(device: torch.device) -> None:
    model, _ = pictures(device)
    model, loss = extend(model), extend(nn.CrossEntropyLoss()).to(device)
    optimizer = DiagonalOptimizer(model.parameters(), step_size=0.1, damping=1.0)
    for _ in range(2):
        optimizer.zero_grad()
        value = loss(model(torch.rand(BATCH, 2, 14, 14, device=device)), labels(device))
        with backpack(extensions.DiagGGNMC()):
            value.backward()
        optimizer.step()


@uses.add
def kronecker_training(device: torch.device) -> None:
    model, x = table(device)
    model, loss = extend(model), extend(nn.CrossEntropyLoss()).to(device)
    for _ in range(2):
        model.zero_grad()
        value = loss(model(x), labels(device))
        with backpack(extensions.KFAC()):
            value.backward()
        for param in model.parameters():
            step = kroneckers.apply_inv_kfac_mat_prod(param.kfac, param.grad.flatten(), shift=0.5)
            param.data.sub_(0.1 * step.view_as(param))


@uses.add
def private_gradients(device: torch.device) -> None:
    model, x = table(device)
    run((model, x), extensions.BatchGrad(), extensions.BatchL2Grad())
    norms = sum(param.batch_l2 for param in model.parameters()).sqrt()
    scale = (1.0 / (norms + 1e-6)).clamp(max=1.0)
    for param in model.parameters():
        param.grad = torch.einsum("n,n...->...", scale, param.grad_batch) + 0.01 * torch.randn_like(param)


@uses.add
def gradient_noise(device: torch.device) -> None:
    model, x = table(device)
    run((model, x), extensions.Variance(), extensions.SumGradSquared(), extensions.BatchL2Grad())
    total = sum((param.grad**2).sum() for param in model.parameters())
    (sum(param.variance.sum() for param in model.parameters()) / total).sqrt()


# Derivatives of layers, as those who write extensions use them


@uses.add
def derivatives_of_layers(device: torch.device) -> None:
    layer = extend(nn.Linear(4, 3)).to(device)
    x = torch.rand(BATCH, 4, device=device, requires_grad=True)
    out = layer(x)
    derivative = linear.LinearDerivatives()
    derivative.jac_mat_prod(layer, (None,), (out,), torch.rand(2, BATCH, 4, device=device))
    derivative.jac_t_mat_prod(layer, (None,), (out,), torch.rand(2, BATCH, 3, device=device))
    for name in ("weight", "bias"):
        derivative.param_mjp(name, layer, (None,), (out,), torch.rand(2, BATCH, 3, device=device), sum_batch=False)
    derivative.weight_jac_mat_prod(layer, (None,), (out,), torch.rand(2, 3, 4, device=device))
    derivative.bias_jac_mat_prod(layer, (None,), (out,), torch.rand(2, 3, device=device))


@uses.add
def derivatives_of_convolutions(device: torch.device) -> None:
    for made, count in ((nn.Conv1d, 1), (nn.Conv2d, 2), (nn.Conv3d, 3)):
        layer = extend(made(2, 3, 2)).to(device)
        x = torch.rand(BATCH, 2, *[4] * count, device=device, requires_grad=True)
        out = layer(x)
        derivative = convnd.ConvNDDerivatives(count)
        derivative.jac_mat_prod(layer, (None,), (out,), torch.rand(2, *x.shape, device=device))
        derivative.jac_t_mat_prod(layer, (None,), (out,), torch.rand(2, *out.shape, device=device))
        derivative.weight_jac_mat_prod(layer, (None,), (out,), torch.rand(2, *layer.weight.shape, device=device))
        for algorithm in ("weight", "bias"):
            derivative.param_mjp(algorithm, layer, (None,), (out,), torch.rand(2, *out.shape, device=device))


@uses.add
def derivatives_of_transposed_convolutions(device: torch.device) -> None:
    for made, count in ((nn.ConvTranspose1d, 1), (nn.ConvTranspose2d, 2), (nn.ConvTranspose3d, 3)):
        layer = extend(made(2, 3, 2)).to(device)
        x = torch.rand(BATCH, 2, *[4] * count, device=device, requires_grad=True)
        out = layer(x)
        derivative = conv_transposend.ConvTransposeNDDerivatives(count)
        derivative.jac_mat_prod(layer, (None,), (out,), torch.rand(2, *x.shape, device=device))
        derivative.weight_jac_mat_prod(layer, (None,), (out,), torch.rand(2, *layer.weight.shape, device=device))
        derivative.bias_jac_mat_prod(layer, (None,), (out,), torch.rand(2, 3, device=device))


@uses.add
def derivatives_of_recurrent_layers(device: torch.device) -> None:
    for made, derivative in ((nn.RNN, rnn.RNNDerivatives()), (nn.LSTM, lstm.LSTMDerivatives())):
        layer = extend(made(4, 5, batch_first=True)).to(device)
        x = torch.rand(BATCH, 3, 4, device=device, requires_grad=True)
        out, _ = layer(x)
        derivative.jac_mat_prod(layer, (None,), (out,), torch.rand(2, *x.shape, device=device))
        derivative.jac_t_mat_prod(layer, (None,), (out,), torch.rand(2, *out.shape, device=device))


@uses.add
def memory_saving(device: torch.device) -> None:
    for save in (True, False):
        for dim in (1, 2, 3):
            with convnd.weight_jac_t_save_memory(save):
                run(simple_convolutions(dim)(device), extensions.BatchGrad(), extensions.Variance())
            with convnd.weight_jac_t_save_memory(save):
                run(simple_convolutions(dim, transpose=True)(device), extensions.BatchGrad(), extensions.DiagGGNMC())


@uses.add
def averaged_curvature(device: torch.device) -> None:
    model = nn.Sequential(
        nn.Conv2d(1, 2, 2), nn.Sigmoid(), nn.ZeroPad2d(1), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(8, CLASSES)
    ).to(device)
    x = torch.rand(BATCH, 1, 4, 4, device=device)
    for loss, target in (
        (nn.MSELoss(), torch.rand(BATCH, CLASSES, device=device)),
        (nn.MSELoss(reduction="sum"), torch.rand(BATCH, CLASSES, device=device)),
        (nn.CrossEntropyLoss(reduction="sum"), labels(device)),
    ):
        run((model, x), extensions.KFRA(), loss=loss, target=target)
        run(table(device), extensions.HMP(), loss=loss, target=target)


if __name__ == "__main__":
    uses.main()
