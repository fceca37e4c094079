import torch
from linear_operator import to_linear_operator
from linear_operator.utils.cholesky import psd_safe_cholesky
from torch import Tensor


class Strategy:
    def __init__(self, jitter: float = 1e-3):
        self.jitter = jitter

    def factor(self, covariance: Tensor):
        return psd_safe_cholesky(covariance)  # expect: HS605

    def forward(self, covariance, inputs: Tensor):
        inner = covariance[..., : len(inputs), : len(inputs)].add_jitter(self.jitter)  # expect: HS605
        root = covariance.root_inv_decomposition()  # expect: HS605
        fit, volume = covariance.inv_quad_logdet(inputs, logdet=True)  # expect: HS605
        drawn = covariance.zero_mean_mvn_samples(4)  # expect: HS605
        return inner, root, fit, volume, drawn, covariance.add_low_rank(root)  # silent: HS605

    def on_the_host(self):
        return psd_safe_cholesky(torch.eye(4))  # silent: HS605


def wrapped(covariance: Tensor):
    return to_linear_operator(covariance).add_jitter()  # expect: HS605


class Grid:
    def add_jitter(self, amount):
        return self

    def moved(self):
        return self.add_jitter(0.1)  # silent: HS605
