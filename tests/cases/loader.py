"""A module that is called after loading: it prepares data on the host."""
import torch


class Walks:
    def __init__(self, graph):
        self.graph = graph

    def around(self, seeds: torch.Tensor):
        found = self.graph.edges[seeds].unique()  # silent: HS304
        if found.max() > 3:  # silent: HS201
            return found.nonzero()  # silent: HS301
        return found.tolist()  # silent: HS101

    def to_arrays(self, seeds: torch.Tensor):
        # Who writes this has seen some that are elsewhere.
        return seeds.cpu().numpy()  # expect: HS102


def prefetched(batches):
    for batch in batches:
        yield torch.zeros(3).to("cuda") + batch  # expect: HS401
