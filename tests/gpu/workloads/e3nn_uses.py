"""Irreps, rotations, spherical harmonics, tensor products, layers, networks and signals on the sphere of e3nn."""

import copy
import math

import e3nn
import torch
from e3nn import io, nn, o3
from e3nn import math as e3nn_math
from e3nn.math import perm
from e3nn.nn.models import gate_points_2101, gate_points_2102
from e3nn.nn.models.v2103 import voxel_convolution as voxel_2103
from e3nn.nn.models.v2104 import voxel_convolution as voxel_2104
from e3nn.nn.models.v2106 import gate_points_message_passing, gate_points_networks, points_convolution
from e3nn.o3 import experimental
from e3nn.o3.irrep import l0e, l1o, l2e
from e3nn.util import jit, test
from uses import Use, Uses

BATCH, NODES = 16, 12
uses = Uses()


def features_on(device: torch.device, irreps: o3.Irreps | str, *size: int) -> torch.Tensor:
    return o3.Irreps(irreps).randn(*(size or (BATCH,)), -1, device=device, requires_grad=True)


def train_step(module: torch.nn.Module, *inputs: object) -> torch.Tensor:
    optimizer = torch.optim.Adam(module.parameters(), lr=1e-3)
    out = module(*inputs)
    optimizer.zero_grad()
    out.pow(2).mean().backward()
    optimizer.step()
    return out.detach()


# ---- irreps ----


@uses.add
def irrep_arithmetic(device: torch.device) -> None:
    irreps = o3.Irreps("8x0e + 4x1o + 2x2e + 1x1o")
    irreps.simplify(), irreps.sort(), irreps.regroup(), irreps.remove_zero_multiplicities()
    irreps.filter(keep="0e + 1o"), irreps.filter(drop="0e"), irreps.filter(lmax=1)
    assert "1o" in irreps and irreps.count("1o") == 5 and l2e in l1o * l1o
    list(o3.Irrep.iterator(2)), 3 * o3.Irrep("1e"), l0e + l1o, 2 * irreps, irreps * 2
    x = features_on(device, irreps)
    for part in irreps.slices():
        x[..., part].norm(dim=-1)
    irreps.slice_by_mul[:5].randn(3, -1, device=device)
    irreps.randn(3, -1, normalization="norm", device=device)
    repr(irreps), irreps.dim, irreps.num_irreps, irreps.ls, irreps.lmax, hash(irreps[0])


@uses.add
def representation_matrices(device: torch.device) -> None:
    irreps = o3.Irreps("2x0e + 1x1o + 1x2e")
    angles = o3.rand_angles(4)
    x = features_on(device, irreps, 4)
    for matrix in (
        irreps.D_from_angles(*angles),
        irreps.D_from_angles(*angles, torch.ones(4)),
        irreps.D_from_quaternion(o3.rand_quaternion(4)),
        irreps.D_from_axis_angle(*o3.rand_axis_angle(4)),
        irreps.D_from_matrix(o3.rand_matrix(4)),
    ):
        torch.einsum("bij,bj->bi", matrix.to(device), x).sum().backward()


@uses.add
def irrep_matrices(device: torch.device) -> None:
    with device:
        irrep = o3.Irrep("2o")
        x = torch.randn(3, irrep.dim)
        for matrix in (
            irrep.D_from_angles(*o3.rand_angles(3), torch.ones(3)),
            irrep.D_from_matrix(-o3.rand_matrix(3)),
            irrep.D_from_quaternion(o3.rand_quaternion(3)),
            irrep.D_from_axis_angle(*o3.rand_axis_angle(3)),
            o3.wigner_D(2, *o3.rand_angles(3)),
        ):
            torch.einsum("bij,bj->bi", matrix, x)


@uses.add
def wigner_matrices(device: torch.device) -> None:
    o3.wigner_D(3, *o3.rand_angles(5)).to(device) @ torch.randn(5, 7, 1, device=device)
    for dtype in (torch.float32, torch.float64):
        clebsch = o3.wigner_3j(1, 2, 2, dtype=dtype, device=device)
        x = torch.randn(BATCH, 3, dtype=dtype, device=device)
        torch.einsum("bi,bj,ijk->bk", x, torch.randn(BATCH, 5, dtype=dtype, device=device), clebsch)
    basis = o3.change_basis_real_to_complex(2, device=device)
    basis @ o3.so3_generators(2).to(device).to(basis.dtype) @ basis.conj().T
    o3.su2_generators(1)


# ---- rotations ----


@uses.add
def rotation_conversions(device: torch.device) -> None:
    angles = o3.rand_angles(BATCH, device=device)
    matrix = o3.angles_to_matrix(*angles)
    quaternion = o3.angles_to_quaternion(*angles)
    axis, angle = o3.angles_to_axis_angle(*angles)
    o3.matrix_to_angles(matrix), o3.matrix_to_quaternion(matrix), o3.matrix_to_axis_angle(matrix)
    o3.quaternion_to_angles(quaternion), o3.quaternion_to_matrix(quaternion), o3.quaternion_to_axis_angle(quaternion)
    o3.axis_angle_to_angles(axis, angle), o3.axis_angle_to_matrix(axis, angle)
    o3.axis_angle_to_quaternion(axis, angle)
    assert torch.allclose(o3.quaternion_to_matrix(quaternion), matrix, atol=1e-4)


@uses.add
def rotation_composition(device: torch.device) -> None:
    first, second = o3.rand_angles(BATCH, device=device), o3.rand_angles(BATCH, device=device)
    o3.compose_angles(*first, *second), o3.inverse_angles(*first)
    o3.compose_angles(*first, *o3.identity_angles(BATCH, device=device))
    quaternion = o3.rand_quaternion(BATCH, device=device)
    o3.compose_quaternion(quaternion, o3.inverse_quaternion(quaternion))
    o3.compose_quaternion(quaternion, o3.identity_quaternion(BATCH, device=device))
    o3.compose_axis_angle(*o3.rand_axis_angle(BATCH, device=device), *o3.rand_axis_angle(BATCH, device=device))


@uses.add
def rotated_points(device: torch.device) -> None:
    points = torch.randn(BATCH, 3, device=device)
    angle = torch.rand(BATCH, device=device)
    for turn in (o3.matrix_x(angle), o3.matrix_y(angle), o3.matrix_z(angle), o3.rand_matrix(BATCH, device=device)):
        points = torch.einsum("bij,bj->bi", turn, points)
    alpha, beta = o3.xyz_to_angles(points)
    o3.angles_to_xyz(alpha, beta)


# ---- spherical harmonics ----


def harmonics_use(normalization: str) -> Use:
    def use(device: torch.device) -> None:
        points = torch.randn(BATCH, 3, device=device, requires_grad=True)
        o3.spherical_harmonics([0, 1, 2, 3], points, True, normalization=normalization).sum().backward()
        module = o3.SphericalHarmonics(o3.Irreps.spherical_harmonics(4), normalize=False, normalization=normalization)
        module.to(device)(points).pow(2).sum().backward()

    return use


uses.add_each("spherical_harmonics", ("integral", "component", "norm"), harmonics_use)


@uses.add
def high_degree_harmonics(device: torch.device) -> None:
    points = torch.randn(BATCH, 3, device=device, dtype=torch.float64)
    o3.spherical_harmonics(list(range(12)), points, True, "component")
    o3.spherical_harmonics("1x6e + 1x2e", points, True)
    o3.spherical_harmonics(5, points, False)


@uses.add
def position_gradients(device: torch.device) -> None:
    points = torch.randn(BATCH, 3, device=device, requires_grad=True)
    energy = o3.spherical_harmonics(2, points, True)[:, 0].pow(2).sum()
    (force,) = torch.autograd.grad(energy, points, create_graph=True)
    force.pow(2).sum().backward()


def angular_use(normalization: str) -> Use:
    def use(device: torch.device) -> None:
        alpha, beta = torch.rand(BATCH, device=device), torch.rand(BATCH, device=device)
        o3.spherical_harmonics_alpha_beta([0, 1, 2], alpha, beta, normalization=normalization)
        module = o3.SphericalHarmonicsAlphaBeta(o3.Irreps.spherical_harmonics(3), normalization=normalization)
        module.to(device)(alpha, beta)

    return use


uses.add_each("harmonics_of_angles", ("integral", "component", "norm"), angular_use)


@uses.add
def legendre(device: torch.device) -> None:
    beta = torch.rand(BATCH, device=device)
    o3.Legendre([0, 1, 2, 3]).to(device)(beta.cos(), beta.sin())
    o3.spherical_harmonics_alpha(3, torch.rand(BATCH, device=device))


# ---- tensor products ----


def product_use(mode: str) -> Use:
    outs = {"uvw": 6, "uvu": 4, "uvv": 4, "uuw": 6, "uuu": 4, "uvuv": 16, "uvu<v": 6, "u<vw": 6}

    def use(device: torch.device) -> None:
        weighted = mode not in ("uvu<v",)
        product = o3.TensorProduct("4x1o", "4x1o", f"{outs[mode]}x1e", [(0, 0, 0, mode, weighted)]).to(device)
        product(features_on(device, "4x1o"), features_on(device, "4x1o")).sum().backward()
        scalars = o3.TensorProduct("4x0e", "4x1o", f"{outs[mode]}x1o", [(0, 0, 0, mode, weighted)]).to(device)
        if mode not in ("uvu<v", "u<vw"):
            scalars(features_on(device, "4x0e"), features_on(device, "4x1o")).sum().backward()

    return use


def right_use(mode: str) -> Use:
    outs = {"uvw": 6, "uvu": 4, "uvv": 4, "uuw": 6, "uuu": 4, "uvuv": 16}

    def use(device: torch.device) -> None:
        for first, second, out in (("1o", "1o", "1e"), ("0e", "1o", "1o"), ("1o", "0e", "1o"), ("1o", "1o", "0e")):
            product = o3.TensorProduct(
                f"4x{first}", f"4x{second}", f"{outs[mode]}x{out}", [(0, 0, 0, mode, True)], compile_right=True
            ).to(device)
            matrix = product.right(features_on(device, f"4x{second}"))
            torch.einsum("bi,bio->bo", features_on(device, f"4x{first}"), matrix)
            product(features_on(device, f"4x{first}"), features_on(device, f"4x{second}"))

    return use


uses.add_each("right_of_product", ("uvw", "uvu", "uvv", "uuw", "uuu", "uvuv"), right_use)
uses.add_each("tensor_product", ("uvw", "uvu", "uvv", "uuw", "uuu", "uvuv", "uvu<v", "u<vw"), product_use)


@uses.add
def tensor_product_with_given_weights(device: torch.device) -> None:
    product = o3.TensorProduct(
        "8x0o + 8x1o",
        "16x1o",
        "16x1e",
        [(0, 0, 0, "uvw", True, 3), (1, 0, 0, "uvw", True, 1)],
        in2_var=[1 / 16],
        internal_weights=False,
        shared_weights=False,
    ).to(device)
    weight = torch.randn(BATCH, product.weight_numel, device=device, requires_grad=True)
    product(features_on(device, product.irreps_in1), features_on(device, "16x1o"), weight).sum().backward()
    product(features_on(device, product.irreps_in1), features_on(device, "16x1o"), list(product.weight_views(weight)))
    product.weight_view_for_instruction(0, weight)


@uses.add
def dot_product(device: torch.device) -> None:
    irreps = o3.Irreps("3x0e + 4x0o + 1e + 2o + 3o")
    instructions = [(i, i, 0, "uuw", False) for i in range(len(irreps))]
    product = o3.TensorProduct(irreps, irreps, "0e", instructions).to(device)
    product(features_on(device, irreps), features_on(device, irreps)).sum().backward()


@uses.add
def fully_connected_tensor_product(device: torch.device) -> None:
    product = o3.FullyConnectedTensorProduct("8x0e + 4x1o", "0e + 1o + 2e", "8x0e + 4x1o + 2x2e").to(device)
    train_step(product, features_on(device, product.irreps_in1), features_on(device, product.irreps_in2))
    for index, instruction, view in product.weight_views(yield_instruction=True):
        assert index >= 0 and view.shape == instruction.path_shape
    repr(product)


@uses.add
def path_normalized_tensor_product(device: torch.device) -> None:
    product = o3.FullyConnectedTensorProduct(
        "4x0e + 4x1o", "0e + 1o", "4x0e + 4x1o", irrep_normalization="norm", path_normalization="path"
    ).to(device)
    train_step(product, features_on(device, "4x0e + 4x1o"), features_on(device, "0e + 1o"))


@uses.add
def right_of_tensor_product(device: torch.device) -> None:
    product = o3.FullyConnectedTensorProduct("4x0e + 2x1o", "0e + 1o", "4x0e + 2x1o", compile_right=True).to(device)
    matrix = product.right(features_on(device, "0e + 1o"))
    torch.einsum("bi,bio->bo", features_on(device, "4x0e + 2x1o"), matrix)


@uses.add
def full_tensor_product(device: torch.device) -> None:
    first, second = features_on(device, "4x0e + 2x1o"), features_on(device, "2x1o + 1x2e")
    o3.FullTensorProduct("4x0e + 2x1o", "2x1o + 1x2e").to(device)(first, second)
    o3.FullTensorProduct("4x0e + 2x1o", "2x1o + 1x2e", filter_ir_out=["0e", "1o"]).to(device)(first, second)


@uses.add
def elementwise_tensor_product(device: torch.device) -> None:
    first, second = features_on(device, "5x1o + 5x1e"), features_on(device, "10x1e")
    o3.ElementwiseTensorProduct("5x1o + 5x1e", "10x1e").to(device)(first, second)
    o3.ElementwiseTensorProduct("5x1o + 5x1e", "10x1e", ["0e", "0o"], "norm").to(device)(first, second)


@uses.add
def experimental_tensor_products(device: torch.device) -> None:
    first, second = o3.Irreps("5x1o + 5x1e"), o3.Irreps("10x1e")
    for normalization in ("component", "norm"):
        full = o3.FullTensorProductv2(first, second, irrep_normalization=normalization).to(device)
        full(features_on(device, first), features_on(device, second)).sum().backward()
    element = experimental.ElementwiseTensorProductv2(first, second, filter_ir_out=[o3.Irrep("0e"), o3.Irrep("0o")])
    element.to(device)(features_on(device, first), features_on(device, second))


@uses.add
def tensor_square(device: torch.device) -> None:
    x = features_on(device, "4x0e + 3x1o")
    o3.TensorSquare("4x0e + 3x1o").to(device)(x).sum().backward()
    o3.TensorSquare("4x0e + 3x1o", irrep_normalization="norm", filter_ir_out=["0e", "2e"]).to(device)(x)
    train_step(o3.TensorSquare("4x0e + 3x1o", "4x0e + 2x2e").to(device), x)


@uses.add
def reduced_tensor_products(device: torch.device) -> None:
    for formula in ("ij=-ji", "ij=ji", "ijk=jik=ikj"):
        product = o3.ReducedTensorProducts(formula, i="1o").to(device)
        vectors = [torch.randn(BATCH, 3, device=device) for _ in product.irreps_in]
        product(*vectors), repr(product)
    mixed = o3.ReducedTensorProducts("ij", i="0e + 1o", j="1o", filter_ir_out=["1o", "2e"], filter_ir_mid=["1o", "2e"])
    mixed.to(device)(features_on(device, "0e + 1o"), features_on(device, "1o"))


# ---- linear layers and norms ----


@uses.add
def linear(device: torch.device) -> None:
    layer = o3.Linear("4x0e + 16x1o", "8x0e + 8x1o", biases=True).to(device)
    train_step(layer, features_on(device, "4x0e + 16x1o"))
    plain = o3.Linear("4x0e + 16x1o", "8x0e + 8x1o").to(device)
    for _, instruction, view in plain.weight_views(yield_instruction=True):
        assert view.shape == instruction.path_shape
    plain.weight_view_for_instruction(0)
    repr(layer)


@uses.add
def linear_of_given_weights(device: torch.device) -> None:
    layer = o3.Linear("4x0e + 3x1o", "4x0e + 2x1o", internal_weights=False, shared_weights=False).to(device)
    weight = torch.randn(BATCH, layer.weight_numel, device=device, requires_grad=True)
    layer(features_on(device, "4x0e + 3x1o"), weight).sum().backward()


@uses.add
def linear_of_channels(device: torch.device) -> None:
    layer = o3.Linear("4x0e + 3x1o", "4x0e + 2x1o", f_in=5, f_out=6, path_normalization="path").to(device)
    train_step(layer, features_on(device, "4x0e + 3x1o", BATCH, 5))
    sparse = o3.Linear("4x0e + 3x0e", "4x0e + 3x0e", instructions=[(0, 0), (1, 1)]).to(device)
    train_step(sparse, features_on(device, "7x0e"))


@uses.add
def norm(device: torch.device) -> None:
    x = features_on(device, "17x1o + 3x2e")
    o3.Norm("17x1o + 3x2e").to(device)(x).sum().backward()
    o3.Norm("17x1o + 3x2e", squared=True).to(device)(x).sum().backward()


# ---- layers ----


@uses.add
def activation(device: torch.device) -> None:
    layer = nn.Activation("8x0e + 4x0o + 2x1o", [torch.nn.functional.silu, torch.tanh, None]).to(device)
    layer(features_on(device, "8x0e + 4x0o + 2x1o")).sum().backward()
    repr(layer)


@uses.add
def gate(device: torch.device) -> None:
    layer = nn.Gate("16x0o", [torch.tanh], "32x0o", [torch.tanh], "16x1e + 16x1o").to(device)
    layer(features_on(device, layer.irreps_in)).sum().backward()
    scalars = nn.Gate("8x0e", [torch.relu], "", [], "").to(device)
    scalars(features_on(device, scalars.irreps_in))
    repr(layer), layer.irreps_out


@uses.add
def norm_activation(device: torch.device) -> None:
    irreps = "4x0e + 3x1o + 2x2e"
    nn.NormActivation(irreps, torch.sigmoid).to(device)(features_on(device, irreps)).sum().backward()
    layer = nn.NormActivation(o3.Irreps(irreps), torch.tanh, epsilon=1e-6, bias=True).to(device)
    train_step(layer, features_on(device, irreps))


@uses.add
def batch_norm(device: torch.device) -> None:
    irreps = o3.Irreps("8x0e + 4x0o + 4x1o")
    for options in ({}, {"reduce": "max", "normalization": "norm"}, {"instance": True}, {"affine": False}):
        layer = nn.BatchNorm(irreps, **options).to(device)
        out = layer(features_on(device, irreps, BATCH, 5))
        out.sum().backward()
        layer.eval()(features_on(device, irreps))


@uses.add
def dropout(device: torch.device) -> None:
    for rate in (0.0, 0.5, 1.0):
        layer = nn.Dropout("8x0e + 4x1o", p=rate).to(device)
        layer(features_on(device, "8x0e + 4x1o", BATCH, 3)).sum().backward()
        layer.eval()(features_on(device, "8x0e + 4x1o"))


@uses.add
def extract_and_identity(device: torch.device) -> None:
    x = features_on(device, "1e + 0e + 0e")
    nn.Extract("1e + 0e + 0e", ["0e", "0e"], [(1,), (2,)]).to(device)(x)
    nn.Extract("1e + 0e + 0e", ["1e + 0e + 0e"], [(0, 1, 2)], squeeze_out=True).to(device)(x)
    nn.ExtractIr("1e + 0e + 0e", "0e").to(device)(x)
    nn.Identity("1e + 2x0e", "1e + 2x0e").to(device)(x)


@uses.add
def fully_connected_net(device: torch.device) -> None:
    net = nn.FullyConnectedNet([10, 32, 32, 5], torch.nn.functional.silu).to(device)
    train_step(net, torch.randn(BATCH, 10, device=device))
    out = nn.FullyConnectedNet([10, 16, 5], torch.tanh, variance_in=2, variance_out=3, out_act=True).to(device)
    train_step(out, torch.randn(BATCH, 10, device=device))
    repr(net)


@uses.add
def sphere_activation(device: torch.device) -> None:
    irreps = o3.Irreps.spherical_harmonics(3)
    for options in ({}, {"normalization": "norm", "lmax_out": 2}):
        layer = nn.S2Activation(irreps, torch.tanh, 12, **options).to(device)
        layer(features_on(device, layer.irreps_in)).sum().backward()
    odd = nn.S2Activation(io.SphericalTensor(2, -1, 1), torch.tanh, 10).to(device)
    odd(features_on(device, odd.irreps_in))


@uses.add
def randomly_rotated_sphere_activation(device: torch.device) -> None:
    with device:
        layer = nn.S2Activation(o3.Irreps.spherical_harmonics(3), torch.tanh, 12, random_rot=True)
        layer(features_on(device, layer.irreps_in)).sum().backward()


@uses.add
def rotation_activation(device: torch.device) -> None:
    layer = nn.SO3Activation(2, 2, torch.nn.functional.relu, 4).to(device)
    size = sum((2 * degree + 1) ** 2 for degree in range(3))
    layer(torch.randn(BATCH, size, device=device, requires_grad=True)).sum().backward()
    repr(layer)


# ---- signals on the sphere ----


@uses.add
def sphere_grid(device: torch.device) -> None:
    to_grid = o3.ToS2Grid(lmax=4, res=(12, 11), normalization="integral").to(device)
    signal = features_on(device, o3.Irreps.spherical_harmonics(4))
    values = to_grid(signal)
    from_grid = o3.FromS2Grid(res=(12, 11), lmax=4, normalization="integral").to(device)
    from_grid(values).sum().backward()
    assert to_grid.grid.shape == from_grid.grid.shape


@uses.add
def sphere_grid_made_on_the_device(device: torch.device) -> None:
    for normalization in ("component", "norm"):
        to_grid = o3.ToS2Grid(3, 10, normalization=normalization, device=device)
        from_grid = o3.FromS2Grid(10, 3, normalization=normalization, lmax_in=3, device=device)
        from_grid(to_grid(torch.randn(BATCH, 16, device=device)))
    even = o3.ToS2Grid(3, (10, 10)).to(device)
    o3.FromS2Grid((10, 10), 3).to(device)(even(torch.randn(BATCH, 16, device=device)))


@uses.add
def sphere_fourier(device: torch.device) -> None:
    betas, alphas = o3.s2_grid(10, 11, device=device)
    o3.angles_to_xyz(alphas[None, :], betas[:, None])
    _, _, shb, sha = o3.spherical_harmonics_s2_grid(4, 10, 11, device=device)
    waves = torch.randn(BATCH, 9, device=device)
    o3.rfft(o3.irfft(waves, 11), 4)
    waves @ sha.T, torch.randn(BATCH, 25, device=device) @ shb.T


@uses.add
def rotation_grid(device: torch.device) -> None:
    grid = o3.SO3Grid(2, 4).to(device)
    values = grid.to_grid(torch.randn(BATCH, 35, device=device))
    grid.from_grid(values.relu())


@uses.add
def spherical_tensor(device: torch.device) -> None:
    tensor = io.SphericalTensor(4, 1, -1)
    points = torch.randn(3, 3, device=device)
    signal = tensor.with_peaks_at(points)
    tensor.with_peaks_at(points, torch.rand(3, device=device) + 0.5)
    tensor.sum_of_diracs(points, torch.rand(3, device=device))
    tensor.norms(signal)
    tensor.signal_xyz(signal, torch.randn(10, 3, device=device))


@uses.add
def spherical_tensor_samples(device: torch.device) -> None:
    tensor = io.SphericalTensor(3, 1, 1)
    positions = torch.randn(2, 40, 3, device=device)
    tensor.from_samples_on_s2(positions, torch.rand(2, 40, device=device), res=20)


@uses.add
def spherical_tensor_plots(device: torch.device) -> None:
    tensor = io.SphericalTensor(4, 1, -1)
    signal = tensor.with_peaks_at(torch.eye(3, device=device)).cpu()
    tensor.signal_on_grid(signal, res=20)
    tensor.plot(signal, center=torch.zeros(3), res=20, relu=True)
    tensor.plotly_surface(signal, res=20)
    tensor.find_peaks(signal, res=20)


@uses.add
def cartesian_tensor(device: torch.device) -> None:
    for formula in ("ij=ji", "ij=-ji", "ijk=-jik"):
        tensor = io.CartesianTensor(formula)
        data = torch.randn(BATCH, *[3] * len(tensor.indices), device=device)
        spherical = tensor.from_cartesian(data)
        tensor.to_cartesian(spherical)
    tensor = io.CartesianTensor("ij=ji")
    rtp = tensor.reduced_tensor_products().to(device)
    vectors = torch.randn(2, BATCH, 3, device=device)
    tensor.from_vectors(*vectors), tensor.from_vectors(*vectors, rtp=rtp)
    tensor.to_cartesian(tensor.from_cartesian(torch.randn(BATCH, 3, 3, device=device), rtp), rtp)


# ---- mathematics ----


def basis_use(basis: str) -> Use:
    def use(device: torch.device) -> None:
        x = torch.linspace(0.1, 2.0, 50, device=device, requires_grad=True)
        for cutoff in (True, False):
            e3nn_math.soft_one_hot_linspace(x, 0.0, 2.5, 8, basis=basis, cutoff=cutoff).sum().backward()

    return use


uses.add_each("radial_basis", ("gaussian", "cosine", "smooth_finite", "fourier", "bessel"), basis_use)


@uses.add
def cutoffs(device: torch.device) -> None:
    x = torch.linspace(-1, 2, 50, device=device, requires_grad=True)
    e3nn_math.soft_unit_step(x).sum().backward()
    e3nn_math.bessel(x.detach().abs(), 6, x_max=2.0)


@uses.add
def normalized_activations(device: torch.device) -> None:
    for function in (torch.tanh, torch.nn.functional.silu, lambda x: x):
        e3nn_math.normalize2mom(function, device=device).to(device)(torch.randn(BATCH, device=device))
    e3nn_math.moment(torch.relu, 2, device=device)


@uses.add
def bases(device: torch.device) -> None:
    vectors = torch.randn(3, 6, device=device)
    e3nn_math.orthonormalize(vectors), e3nn_math.complete_basis(vectors)
    e3nn_math.direct_sum(torch.randn(2, 2, device=device), torch.randn(3, 3, device=device))


@uses.add
def permutations(device: torch.device) -> None:
    basis, _ = e3nn_math.reduce_permutation(*e3nn_math.germinate_formulas("ij=-ji"), i=4, device=device)
    torch.einsum("aij,ij->a", basis, torch.randn(4, 4, device=device))
    perm.natural_representation((1, 2, 0), device=device) @ torch.randn(3, device=device)
    perm.standard_representation((1, 2, 0), device=device)
    one = perm.rand(4)
    assert perm.is_perm(one) and perm.compose(one, perm.inverse(one)) == perm.identity(4)
    perm.sign(one), perm.to_cycles(one), perm.from_int(perm.to_int(one), 4)
    assert perm.is_group(perm.germinate({(1, 2, 0)})) and len(perm.group(3)) == 6


# ---- networks ----


def graph_on(device: torch.device, irreps: o3.Irreps | str) -> dict[str, torch.Tensor]:
    return {
        "pos": torch.randn(NODES, 3, device=device),
        "x": o3.Irreps(irreps).randn(NODES, -1, device=device),
        "batch": torch.arange(NODES, device=device) // (NODES // 2),
    }


def edges_on(device: torch.device, pos: torch.Tensor, radius: float = 2.0) -> tuple[torch.Tensor, ...]:
    distances = torch.cdist(pos, pos)
    source, target = ((distances < radius) & (distances > 0)).nonzero().T
    return source, target, pos[source] - pos[target]


GATED = {
    "layers": 2,
    "max_radius": 2.0,
    "number_of_basis": 8,
    "radial_layers": 1,
    "radial_neurons": 16,
    "num_neighbors": 4.0,
    "num_nodes": 6.0,
}


@uses.add
def network_2101(device: torch.device) -> None:
    edge = o3.Irreps.spherical_harmonics(2)
    net = gate_points_2101.Network("4x0e", "4x0e + 2x0o + 2x1o + 2x1e", "0e + 1o", "2x0e", edge, **GATED).to(device)
    train_step(net, graph_on(device, "4x0e") | {"z": torch.rand(NODES, 2, device=device)})
    plain = gate_points_2101.Network(None, "4x0e + 2x1o", "1o", None, edge, reduce_output=False, **GATED).to(device)
    plain({"pos": torch.randn(NODES, 3, device=device)})


@uses.add
def network_2102(device: torch.device) -> None:
    edge = o3.Irreps.spherical_harmonics(2)
    net = gate_points_2102.Network("4x0e", "4x0e + 2x0o + 2x1o + 2x1e", "0e + 1o", "2x0e", edge, **GATED).to(device)
    train_step(net, graph_on(device, "4x0e") | {"z": torch.rand(NODES, 2, device=device)})
    plain = gate_points_2102.Network(None, "4x0e + 2x1o", "1o", None, edge, reduce_output=False, **GATED).to(device)
    plain({"pos": torch.randn(NODES, 3, device=device)})


@uses.add
def simple_network(device: torch.device) -> None:
    options = {"max_radius": 2.0, "num_neighbors": 3.0, "num_nodes": 6.0, "mul": 4, "layers": 2, "lmax": 1}
    net = gate_points_networks.SimpleNetwork("3x0e + 2x1o", "4x0e + 1x1o", **options).to(device)
    train_step(net, graph_on(device, "3x0e + 2x1o"))
    nodes = gate_points_networks.SimpleNetwork("3x0e", "1x1o", pool_nodes=False, **options).to(device)
    nodes({"pos": torch.randn(NODES, 3, device=device), "x": torch.randn(NODES, 3, device=device)})


@uses.add
def network_for_a_graph_with_attributes(device: torch.device) -> None:
    net = gate_points_networks.NetworkForAGraphWithAttributes(
        "3x0e + 2x1o", "4x0e + 1x1o", "1e", "3x0o + 1e", 2.0, 3.0, 6.0, mul=4, layers=1, lmax=1
    ).to(device)
    graph = {
        "pos": torch.randn(3, 3, device=device),
        "edge_index": torch.tensor([[0, 1, 2], [1, 2, 0]], device=device),
        "node_input": net.irreps_node_input.randn(3, -1, device=device),
        "node_attr": net.irreps_node_attr.randn(3, -1, device=device),
        "edge_attr": o3.Irreps("1e").randn(3, -1, device=device),
    }
    train_step(net, graph)


@uses.add
def message_passing(device: torch.device) -> None:
    layers = ["0e", "4x0e + 2x1o", "4x0e + 2x1o", "1o"]
    net = gate_points_message_passing.MessagePassing(layers, "0e", "0e + 1o", [4, 16], 3.0).to(device)
    source, target, vector = edges_on(device, torch.randn(NODES, 3, device=device))
    attributes = o3.spherical_harmonics([0, 1], vector, True, normalization="component")
    scalars = e3nn_math.soft_one_hot_linspace(vector.norm(dim=1), 0.0, 2.0, 4, basis="smooth_finite", cutoff=True)
    ones = torch.ones(NODES, 1, device=device)
    train_step(net, ones, ones, source, target, attributes, scalars)


@uses.add
def points_convolutions(device: torch.device) -> None:
    source, target, vector = edges_on(device, torch.randn(NODES, 3, device=device))
    attributes = o3.spherical_harmonics([0, 1], vector, True)
    scalars = e3nn_math.bessel(vector.norm(dim=1), 4, x_max=2.0)
    conv = points_convolution.Convolution("2x0e + 1o", "0e", "0e + 1o", "3x0e + 2x1o", [4, 16], 3.0).to(device)
    ones = torch.ones(NODES, 1, device=device)
    train_step(conv, features_on(device, "2x0e + 1o", NODES), ones, source, target, attributes, scalars)


@uses.add
def voxel_convolutions(device: torch.device) -> None:
    image = torch.randn(2, 4, 8, 8, 8, device=device)
    harmonics = o3.Irreps.spherical_harmonics(lmax=2)
    train_step(voxel_2103.Convolution("0e + 1e", "0e + 1e + 2e", harmonics, 5).to(device), image)
    conv = voxel_2104.Convolution("0e + 1e", "0e + 1e + 2e", harmonics, diameter=5, num_radial_basis=5)
    train_step(conv.to(device), image)
    for module in (voxel_2103, voxel_2104):
        small = module.LowPassFilter(2.0, stride=2).to(device)(image)
        module.LowPassFilter(2.0, stride=2, transposed=True).to(device)(small)
        module.LowPassFilter(1.0).to(device)(image)


class PointConvolution(torch.nn.Module):
    """The convolution of the user guide."""

    def __init__(self, irreps_in: str, irreps_sh: o3.Irreps, irreps_out: str) -> None:
        super().__init__()
        self.irreps_sh = irreps_sh
        self.tp = o3.FullyConnectedTensorProduct(irreps_in, irreps_sh, irreps_out, shared_weights=False)
        self.fc = nn.FullyConnectedNet([10, 16, self.tp.weight_numel], torch.relu)

    def forward(self, x: torch.Tensor, pos: torch.Tensor) -> torch.Tensor:
        source, target, vector = edges_on(pos.device, pos)
        sh = o3.spherical_harmonics(self.irreps_sh, vector, normalize=True, normalization="component")
        emb = e3nn_math.soft_one_hot_linspace(vector.norm(dim=1), 0.0, 2.0, 10, basis="smooth_finite", cutoff=True)
        summands = self.tp(x[source], sh, self.fc(emb.mul(10**0.5)))
        return torch.zeros(len(pos), summands.shape[1], device=pos.device).index_add(0, target, summands) / math.sqrt(3)


@uses.add
def network_of_the_guide(device: torch.device) -> None:
    gated = nn.Gate("8x0e", [torch.relu], "4x0e", [torch.sigmoid], "4x1o").to(device)
    sh = o3.Irreps.spherical_harmonics(2)
    first = PointConvolution("2x0e + 1o", sh, str(gated.irreps_in)).to(device)
    last = PointConvolution(str(gated.irreps_out), sh, "0e").to(device)
    optimizer = torch.optim.Adam([*first.parameters(), *last.parameters()], lr=1e-2)
    pos, x = torch.randn(NODES, 3, device=device), features_on(device, "2x0e + 1o", NODES)
    for _ in range(2):
        loss = last(gated(first(x, pos)), pos).sum().pow(2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()


# ---- utilities ----


@uses.add
def equivariance_tests(device: torch.device) -> None:
    product = o3.FullyConnectedTensorProduct("4x0e + 2x1o", "0e + 1o", "4x0e + 2x1o").to(device)
    inputs = [x.detach() for x in (features_on(device, "4x0e + 2x1o"), features_on(device, "0e + 1o"))]
    test.assert_equivariant(product, args_in=inputs, tolerance=1e-2)
    errors = test.equivariance_error(
        lambda points: points.mean(0, keepdim=True),
        args_in=[torch.randn(NODES, 3, device=device)],
        irreps_in=["cartesian_points"],
        irreps_out=["cartesian_points"],
        ntrials=2,
    )
    test.format_equivariance_error(errors)


@uses.add
def random_representations(device: torch.device) -> None:
    test.set_random_seeds()
    for irreps in test.random_irreps(n=3, lmax=2, clean=True, allow_empty=False):
        irreps.randn(BATCH, -1, device=device)


def scripted_use(name: str) -> Use:
    made = {
        "Linear": lambda: o3.Linear("4x0e + 2x1o", "4x0e + 2x1o"),
        "Norm": lambda: o3.Norm("4x0e + 2x1o"),
        "Gate": lambda: nn.Gate("4x0e", [torch.tanh], "2x0e", [torch.sigmoid], "2x1o"),
        "FullyConnectedNet": lambda: nn.FullyConnectedNet([8, 16, 4], torch.tanh),
        "NormActivation": lambda: nn.NormActivation("4x0e + 2x1o", torch.sigmoid),
    }

    def use(device: torch.device) -> None:
        module = made[name]().to(device)
        x = features_on(device, getattr(module, "irreps_in", "8x0e"))
        jit.compile(module)(x).sum().backward()

    return use


uses.add_each("compiled", ("Linear", "Norm", "Gate", "FullyConnectedNet", "NormActivation"), scripted_use)


@uses.add
def traced_modules(device: torch.device) -> None:
    jit.compile(o3.FromS2Grid((8, 7), 3).to(device))(torch.randn(8, 7, device=device))
    layer = jit.trace(o3.Norm("4x1o").to(device), (features_on(device, "4x1o").detach(),), in_place=False)
    layer(features_on(device, "4x1o"))
    jit.get_tracing_inputs(o3.Norm("4x1o").to(device))
    with jit.disable_e3nn_codegen():
        o3.Linear("4x0e", "4x0e").to(device)(torch.randn(BATCH, 4, device=device))


@uses.add
def optimization_defaults(device: torch.device) -> None:
    before = e3nn.get_optimization_defaults()
    e3nn.set_optimization_defaults(optimize_einsums=False, specialized_code=False)
    product = o3.FullyConnectedTensorProduct("4x0e + 2x1o", "0e + 1o", "4x0e + 2x1o").to(device)
    e3nn.set_optimization_defaults(**{name: before[name] for name in ("optimize_einsums", "specialized_code")})
    train_step(product, features_on(device, "4x0e + 2x1o"), features_on(device, "0e + 1o"))


@uses.add
def saved_module(device: torch.device) -> None:
    layer = o3.FullyConnectedTensorProduct("4x0e + 2x1o", "0e + 1o", "4x0e + 2x1o").to(device)
    copied = copy.deepcopy(layer)
    other = o3.FullyConnectedTensorProduct("4x0e + 2x1o", "0e + 1o", "4x0e + 2x1o").to(device)
    other.load_state_dict(layer.state_dict())
    x, y = features_on(device, "4x0e + 2x1o"), features_on(device, "0e + 1o")
    assert torch.allclose(layer(x, y), other(x, y), atol=1e-5)
    assert torch.allclose(layer(x, y), copied(x, y), atol=1e-5)


if __name__ == "__main__":
    uses.main()
