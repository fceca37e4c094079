"""A class that calls methods which others fill in, and hands them a dictionary."""

import torch


class Base(torch.nn.Module):
    def chances(self, shape, p):
        drawn = torch.rand(1)
        if drawn.sum() == 1:
            return drawn * torch.rand(shape[0])
        return drawn.repeat(shape[0])

    def generate(self, shape):
        raise NotImplementedError

    def check(self, x, total):
        return x

    def transform(self, x, params):
        raise NotImplementedError

    def forward(self, x, params=None):
        if params is None:
            params = self.generate(x.shape)
            params["chances"] = self.chances(x.shape, 0.5)
        return self.applied(x, params)

    def applied(self, x, params):
        chosen = params["chances"] > 0.5
        if chosen.all():
            return self.transform(x, params)
        return self.check(x, torch.sum(x))
