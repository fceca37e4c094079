"""Nothing here tells what is handed in; two files up, it does."""

import torch


def second(s):
    if s > 1:  # expect: HS201
        return torch.zeros(1)
    return None


def doubled(s):
    if s > 1:  # expect: HS201
        return torch.zeros(1)
    return None


def large(n):
    if n > 1:  # silent: HS201
        return torch.zeros(1)
    return None


class Sink:
    def push(self, out, n):
        if n:  # expect: HS201
            return 1
        if out > 3:  # expect: HS201
            return 2
        return 3

    def third(self, out):
        if out > 4:  # expect: HS201
            return torch.zeros(1)
        return None
