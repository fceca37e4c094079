"""What others have from here by a star: the modules that it imports, too."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Config:
    DEVICE = torch.device("cpu")
    HOST = "cpu"


def choose(number):
    if number >= 0:
        Config.DEVICE = torch.device(f"cuda:{number}")


def tensor(x):
    return torch.from_numpy(np.asarray(x)).to(Config.DEVICE)  # expect: HS401
