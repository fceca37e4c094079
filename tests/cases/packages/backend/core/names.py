import torch
import torch.nn.functional as functional
from torch import Tensor, linalg, nn, unique, where
