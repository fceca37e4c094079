"""What a library calls its backend: names of torch that its modules get from here, and from nowhere else."""

from .names import Tensor, functional, linalg, nn, torch, unique, where
from .releases import REDUCERS, SUMS, cholesky, inverse, nonzero, pinv, svd
from .stars import *
