from .coder import Coder, cdf_of, decoded, entropy_of
