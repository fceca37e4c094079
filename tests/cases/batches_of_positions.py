"""Samplers that give positions: a list of them is copied to the GPU when a tensor there is indexed with it."""
import torch
from torch.utils.data import BatchSampler, SubsetRandomSampler
from torch.utils.data import sampler as samplers
from torch.utils.data.sampler import BatchSampler as Batches


class Storage:
    def __init__(self, steps, envs):
        self.obs = torch.zeros(steps + 1, envs, 4)

    def to(self, device):
        self.obs = self.obs.to(device)  # expect: HS401

    def minibatches(self, size):
        for indices in BatchSampler(SubsetRandomSampler(range(size)), 4, drop_last=True):
            yield self.obs[:-1].view(-1, 4)[indices]  # expect: HS405


def of_the_module(obs: torch.Tensor, count):
    for rows in Batches(samplers.SubsetRandomSampler(range(count)), 4, drop_last=False):
        print(obs[rows].shape)  # expect: HS405
    for row in SubsetRandomSampler(range(count)):
        print(obs[row].shape)  # silent: HS405
