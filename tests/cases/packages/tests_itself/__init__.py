from .coder import Coder, cdf_of
