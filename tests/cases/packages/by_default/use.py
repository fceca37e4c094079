"""That a caller's `with torch.device("cuda")` may change where a tensor is made goes with it into other files."""

import torch

from .tables import Grid, kept, positions


def looked_up(path):
    steps = positions(4)
    index = steps.cuda()  # expect: HS401  # likely: HS401
    state = kept(path).cuda()  # expect: HS401  # certain: HS401
    return index, state


def along(points: torch.Tensor):
    grid = Grid(4)
    moved = grid.steps.cuda()  # expect: HS401  # likely: HS401
    fixed = grid.fixed.cuda()  # expect: HS401  # certain: HS401
    return points + moved + fixed


class Finer(Grid):
    def halved(self):
        return self.steps.to("cuda") / 2, self.fixed.to("cuda") / 2  # expect: HS401, HS401
