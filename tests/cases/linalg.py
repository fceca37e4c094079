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
