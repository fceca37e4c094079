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


def evaluate(loader, model):
    lags, hits, again = AverageMeter("lag"), AverageMeter("hits"), AverageMeter("again")
    for x, y in loader:
        right = (model(x.cuda()).argmax(1) == y.cuda()).float().mean()  # expect: HS401
        lags.compare(right)
        hits.update(right)
        again.update(right)
    again = AverageMeter("again")
    print(f"{lags.val} {again.val}")  # silent: HS105
    return f"{hits.val}"  # expect: HS105
