"""A batch that `next` takes of a loader comes from the host, as those of a loop do, if some of it is moved later."""

import torch
from torch import Tensor
from torch.utils.data import DataLoader


def first(loader: DataLoader):
    x, y = next(iter(loader))
    print(x.mean().item(), y.max().item())  # silent: HS101
    x = x.cuda()  # expect: HS401
    return x.sum().item()  # expect: HS101


def first_of_a_name(train_loader, model):
    x, y = next(iter(train_loader))
    classes = int(y.max()) + 1  # silent: HS103
    return model(x.to("cuda")), classes  # expect: HS401


def by_an_iterator(loader: DataLoader):
    batches = iter(loader)
    x, y = next(batches)
    print(x.mean().item())  # silent: HS101
    x, y = x.cuda(), y.cuda()  # expect: HS401
    return y.mean().item()  # expect: HS101


def whole(loader: DataLoader):
    batch = next(iter(loader))
    print(batch[0].mean().item())  # silent: HS101
    return batch[0].cuda()  # expect: HS401


def moved_before(loader: DataLoader):
    x, y = next(iter(loader))
    return x.mean().item()  # expect: HS101


def of_tensors(x: Tensor):
    parts = iter(x)
    part = next(parts)
    print(part.sum().item())  # expect: HS101
    return part.cuda()


def may_be_anything_anywhere(loader: DataLoader):
    x, y = next(iter(loader))
    return int(y)  # silent: HS103
