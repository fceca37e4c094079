"""Distributions don't check what they are given once a program has switched that off for all of them."""

import torch
from torch.distributions import Categorical, Distribution, MultivariateNormal, Normal

Distribution._validate_args = False


class Diagonal(Normal):
    def __init__(self, loc: torch.Tensor, scale: torch.Tensor):
        super().__init__(loc, scale)  # silent: HS602


def densities(x: torch.Tensor, mean: torch.Tensor, std: torch.Tensor, logits: torch.Tensor, covariance: torch.Tensor):
    normal = Normal(mean, std)  # silent: HS602
    choice = Categorical(logits=logits)  # silent: HS602
    whole = MultivariateNormal(mean, covariance)  # expect: HS602
    drawn = normal.sample()  # expect: HS602
    return normal.log_prob(x), choice.log_prob(x.long()), whole, drawn  # silent: HS602


def of_any(prior: Distribution, x: torch.Tensor):
    return prior.log_prob(x)  # silent: HS602


def by_name(policy, actions):
    dist = policy.dist(actions)
    return dist.log_prob(actions)  # silent: HS602
