import torch

from .meters import AverageMeter, Counter, accuracy, checked


def train(loader, model):
    losses, seen = AverageMeter("loss"), Counter()
    for x, y in loader:
        x, y = x.cuda(), y.cuda()  # expect: HS401
        loss = torch.nn.functional.cross_entropy(model(x), y)
        losses.update(loss, x.shape[0])
        seen.update(checked(x.shape[0]))
        part = accuracy((y > 0).sum(), 10)
        print(losses.val, part.item())  # expect: HS101, HS105
    return losses.sum.item()  # expect: HS101
