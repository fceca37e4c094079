import numpy as np
import torch
from torch import nn


class Family(nn.Module):
    def penalty(self, values, weight):
        raise NotImplementedError

    def score(self, rows: np.ndarray):
        self.update(torch.from_numpy(rows))
        return self.penalty(torch.from_numpy(rows), 1.0) + self.tension(torch.from_numpy(rows))

    def tension(self, values):
        raise NotImplementedError

    def update(self, values):
        raise NotImplementedError


class Squared(Family):
    def penalty(self, values, weight):
        if values.max() > 3:  # expect: HS201
            return values
        return values**2 * weight

    def tension(self, values):
        if values.max() > 3:  # silent: HS201
            return values
        return values + 1

    def update(self, values):
        if values.max() > 3:  # silent: HS201
            return values
        return values + 2
