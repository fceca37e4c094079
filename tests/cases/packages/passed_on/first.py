import torch

from .second import Sink, doubled, large, second


def first(s, x):
    return second(s), doubled(s * 2), large(x.shape[0])


def sized(n):
    return large(n)


class Runner:
    def __init__(self, model):
        self.model = model
        self.sink = Sink()

    @torch.no_grad()
    def go(self, batch):
        out = self.model(batch["x"])
        self.sink.push(out, batch["n"])
        return self.sink.third(out)
