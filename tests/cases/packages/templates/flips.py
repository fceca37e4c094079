"""No word tells where the tensors come from; the base class does."""

from .base import Base


class Flips(Base):
    def generate(self, shape):
        return {}

    def transform(self, x, params):
        if params["chances"].sum() > 1:  # silent: HS201
            return x.flip(0)
        return x * params["chances"].to(x.device)  # expect: HS401

    def check(self, x, total):
        if total > 3:  # expect: HS201
            return x
        return x

    def peak(self, x):
        return x if x.sum(dim=1).max() > 3 else None  # expect: HS201


class Names:
    def check(self, x, total):
        if total > 3:  # silent: HS201
            return x
        return x
