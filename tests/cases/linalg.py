import torch
from torch import Tensor


def checked(a: Tensor, b: Tensor):
    inverse = torch.linalg.inv(a)  # expect: HS601
    old = torch.inverse(a)  # expect: HS601
    solved = torch.linalg.solve(a, b)  # expect: HS601
    factor = torch.linalg.cholesky(a)  # expect: HS601
    u, s, v = torch.linalg.svd(a)  # expect: HS601
    values, vectors = torch.linalg.eigh(a)  # expect: HS601
    pseudo = a.pinverse()  # expect: HS601
    covariance = torch.cov(a)  # expect: HS605
    return inverse, old, solved, factor, u, s, v, values, vectors, pseudo, covariance


def unchecked(a: Tensor, b: Tensor):
    inverse, info = torch.linalg.inv_ex(a)  # silent: HS601
    factor, info = torch.linalg.cholesky_ex(a)  # silent: HS601
    q, r = torch.linalg.qr(a)  # silent: HS601
    det = torch.linalg.det(a)  # silent: HS601
    norm = torch.linalg.norm(a, dim=-1)  # silent: HS601
    vector = torch.linalg.vector_norm(a, ord=2)  # silent: HS601
    product = torch.linalg.multi_dot([a, b, a])  # silent: HS601
    triangular = torch.linalg.solve_triangular(r, b, upper=True)  # silent: HS601
    crossed = torch.linalg.cross(a, b)  # silent: HS601
    variance = torch.var(a, dim=0)  # silent: HS605
    return inverse, info, factor, q, det, norm, vector, product, triangular, crossed, variance


def on_the_host(n: int):
    a = torch.rand(n, n)
    a = a @ a.T + torch.eye(n)
    return torch.linalg.inv(a), torch.linalg.cholesky(a), torch.cov(a), a.inverse()  # silent: HS601, HS605


def asks(a: Tensor):
    factor, info = torch.linalg.cholesky_ex(a)
    if info.any():  # expect: HS201
        factor = torch.linalg.cholesky(a + torch.eye(3, device=a.device))  # expect: HS601
    return factor


def orders(p: Tensor):
    spectral = torch.linalg.matrix_norm(p, 2)  # expect: HS601
    smallest = torch.linalg.matrix_norm(p, ord=-2)  # expect: HS601
    nuclear = torch.linalg.matrix_norm(p, "nuc")  # expect: HS601
    sums = torch.linalg.matrix_norm(p, 1)  # silent: HS601
    default = torch.linalg.matrix_norm(p, "fro")  # silent: HS601
    condition = torch.linalg.cond(p, 2)  # expect: HS601
    return spectral, smallest, nuclear, sums, default, condition, torch.linalg.cond(p, "fro")  # silent: HS601


def by_dimensions(n: int):
    matrix = torch.eye(n, device="cuda")
    several = torch.zeros(4, 8, 8, device="cuda")
    largest = torch.linalg.norm(matrix, 2)  # expect: HS601
    rows = torch.linalg.norm(matrix, 2, dim=-1)  # silent: HS601
    row = torch.linalg.norm(matrix[0], 2)  # silent: HS601
    flat = torch.norm(matrix, 2)  # silent: HS601
    one = torch.cholesky_inverse(torch.zeros(8, 8, device="cuda"))  # silent: HS601
    many = torch.cholesky_inverse(several)  # expect: HS601
    return largest, rows, row, flat, one, many, several.cholesky_inverse()  # expect: HS601


def solves_with_a_factor(residuals: Tensor, factor: Tensor):
    weights = torch.cholesky_solve(residuals.unsqueeze(-1), factor).squeeze(-1)  # expect: HS601
    covariance = factor.cholesky_inverse()  # expect: HS601
    one = torch.zeros(8, 1, device="cuda").cholesky_solve(torch.eye(8, device="cuda"))  # silent: HS601
    return weights, covariance, one


def dimensions_on_the_device(x: Tensor):
    axis = torch.zeros((), dtype=torch.long, device="cuda")
    total = x.sum(axis)  # expect: HS605
    pairs = torch.max(x, axis, True)  # expect: HS605
    return total, pairs, x.sum(0), torch.max(x, axis)  # silent: HS605


def degrees(index: torch.Tensor, weight: torch.Tensor, count: int):
    adjacency = torch.sparse_coo_tensor(index, weight, (count, count))
    total = torch.sparse.sum(adjacency)  # silent: HS605
    rows = torch.sparse.sum(adjacency, dim=1).to_dense()  # expect: HS605
    return total, rows
