"""What is drawn on the CPU is uploaded when it is used; what a base class hands in is a tensor."""

import torch

from .base import Base


class Turns(Base):
    def generate(self, shape):
        angles = torch.empty(shape[0]).uniform_(-1, 1)
        return {"angles": angles, "order": torch.randperm(4)}

    def transform(self, x, params):
        angles = params["angles"].to(x.device)  # expect: HS401
        for i in params["order"].tolist():
            x = x.roll(i, dims=0)
        return x * params.get("angles").to(x.device) + angles  # expect: HS401

    def check(self, x, total):
        if total > 3:  # expect: HS201
            return x
        return x


class Samples(torch.utils.data.Dataset):
    """Batches are moved as a whole: what is put into a sample says nothing of what is read from a batch."""

    def __getitem__(self, index):
        return {"angle_of": torch.rand(3), "pixels": torch.rand(3, 3)}


def evaluate(model, batch):
    read = batch["pixels"].max().item()  # expect: HS101
    return model(batch["pixels"]), read


def of_several_kinds(state):
    state["count_of"] = 0
    if state["count_of"] > 3:
        return
    other = {"count_of": torch.zeros(3)}
    return other


def counted(state):
    return state["count_of"] > 3 and state["count_of"]
