"""What is moved under its own name, and what uses it tells of it."""
import torch
from helpers import made, parts

train_x, train_y = made(100)
train_x = train_x.cuda()  # expect: HS401
train_y = train_y.cuda(non_blocking=True)  # silent: HS401
first, second = parts()
first, second = first.cuda(), second.cuda()  # silent: HS401
second.train()
loss_of = made("loss")
loss_of = loss_of.cuda()  # silent: HS401


def run():
    return loss_of(first(train_x), train_y)


def evaluate(lines, net):
    net = net.cuda()  # silent: HS401
    seen = made(lines)
    seen = seen.cuda()  # expect: HS401
    other = made(lines)
    other.cuda()  # silent: HS401
    known = torch.zeros(3, device="cuda")
    known = known.cuda()  # silent: HS401
    return net(seen), other, known


class Trainer:
    def __init__(self, options):
        self.device = torch.device("cpu" if options.no_cuda else "cuda")

    def whole(self, batch):
        for key, value in batch.items():
            batch[key] = value.to(self.device)  # expect: HS401
        return [value.to(self.device) for value in batch.values()]  # expect: HS401

    def typed(self, batch):
        for key, value in batch.items():
            batch[key] = value.to(torch.float16)  # silent: HS401
        for name, count in made(batch).items():
            print(name, count)  # silent: HS105
