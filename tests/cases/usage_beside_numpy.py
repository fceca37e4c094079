"""Where there are arrays too, what they share with tensors proves nothing."""
import numpy as np
import torch


class Step:
    def run(self, state):
        if state.mask.all():  # silent: HS201
            return np.zeros(3)
        return torch.zeros(3)
