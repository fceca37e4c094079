import functools
from functools import partial

import torch
from torch import Tensor, nn

import reexports
import reexports.sub.deep.core as core
import reexports.utils as pu
from reexports import Base, Helper, exported_helper, idx, sub
from reexports.base import NetBase
from reexports.sub import Part, deep, part_idx
from reexports.sub.deep import core_idx

from . import utils
from . import utils as U
from .utils import FUNCS, DEFAULT, deco2_idx, deco_idx


def calls(x: Tensor):
    d = x.device
    reexports.idx(3).to(d)  # expect: HS401
    reexports.utils.idx(3).to(d)  # expect: HS401
    pu.idx(3).to(d)  # expect: HS401
    idx(3).to(d)  # expect: HS401
    U.idx(3).to(d)  # expect: HS401
    utils.idx(3).to(d)  # expect: HS401
    core.core_idx(3).to(d)  # expect: HS401
    core_idx(3).to(d)  # expect: HS401
    deep.core_idx(3).to(d)  # expect: HS401
    reexports.sub.deep.core_idx(3).to(d)  # expect: HS401
    sub.deep.core_idx(3).to(d)  # expect: HS401
    part_idx(3).to(d)  # expect: HS401
    sub.part_idx(3).to(d)  # expect: HS401
    exported_helper(3).to(d)  # expect: HS401
    core.two(3)[0].to(d)  # expect: HS401
    a, b = core.two(3)
    a.to(d)  # expect: HS401
    b.to(d)  # expect: HS401
    core.as_dict(3)["a"].to(d)  # expect: HS401
    deco_idx(3).to(d)  # expect: HS401
    deco2_idx(3).to(d)  # expect: HS401
    DEFAULT.to(d)  # expect: HS401
    U.DEFAULT.to(d)  # expect: HS401
    FUNCS["idx"](3).to(d)  # expect: HS401
    partial(utils.idx, 3)().to(d)  # expect: HS401
    f = utils.idx
    f(3).to(d)  # expect: HS401
    g = getattr(utils, "idx")
    g(3).to(d)  # expect: HS401
    (lambda n: utils.idx(n))(3).to(d)  # expect: HS401


def classes(x: Tensor):
    d = x.device
    Helper.idx(3).to(d)  # expect: HS401
    Helper(3).get().to(d)  # expect: HS401
    Helper(3).grid.to(d)  # expect: HS401
    Helper(3).prop.to(d)  # expect: HS401
    Helper.create(3).get().to(d)  # expect: HS401
    reexports.Helper(3).get().to(d)  # expect: HS401
    U.Helper.idx(3).to(d)  # expect: HS401
    Helper.table.to(d)  # expect: HS401
    h = U.Helper(3)
    h.grid.to(d)  # expect: HS401
    Part(3).make(3).to(d)  # expect: HS401
    Part(3).mean.to(d)  # expect: HS401
    Part(3).table.to(d)  # expect: HS401
    sub.Part(3).scale.to(d)  # expect: HS401


class Mine(Base):
    def __call__(self, x: Tensor):
        d = x.device
        self.mean.to(d)  # expect: HS401
        self.scale.to(d)  # expect: HS401
        self.table.to(d)  # expect: HS401
        self.helper.grid.to(d)  # expect: HS401
        self.helper.get().to(d)  # expect: HS401
        self.make(3).to(d)  # expect: HS401
        self.late.to(d)  # expect: HS401
        return x


class Other(reexports.Base):
    def run(self, x):
        return x - self.mean.to(x.device)  # expect: HS401


class Another(sub.Part):
    def run(self, x):
        return x - self.make(3).to(x.device)  # expect: HS401


class Net(NetBase):
    def forward(self, x):
        a = self.anchors.to(x.device)  # expect: HS401
        return x[self.steps], a


class Mixin:
    def offsets(self):
        return torch.arange(self.n)


class Mixed(Mixin, Base):
    def run(self, x):
        return self.offsets().to(x)  # expect: HS401


def nested(x: Tensor):
    def inner(n):
        return utils.idx(n)

    return inner(3).to(x.device)  # expect: HS401


def loops(x: Tensor, n: int):
    for t in (utils.idx(3), exported_helper(3)):
        t.to(x.device)  # expect: HS401
    parts = [utils.idx(i) for i in range(n)]
    for p in parts:
        p.to(x.device)  # expect: HS401
    torch.cat(parts).to(x.device)  # expect: HS401
    d = {k: utils.idx(3) for k in "ab"}
    d["a"].to(x.device)  # expect: HS401
    for k, v in d.items():
        v.to(x.device)  # expect: HS401
    parts2 = []
    for i in range(n):
        parts2.append(utils.idx(i))
    torch.stack(parts2, 0).to(x.device)  # expect: HS401
    out = functools.reduce(torch.add, parts2)
    m = map(utils.idx, range(3))
    for q in m:
        q.to(x.device)  # expect: HS401
