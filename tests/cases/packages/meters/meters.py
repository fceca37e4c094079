"""Nothing here speaks of tensors: others bring them."""


class AverageMeter:
    def __init__(self, name):
        self.name = name
        self.val = 0
        self.sum = 0
        self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n

    def compare(self, other):
        return other

    def __str__(self):
        return f"{self.name} {self.val:.3f}"  # expect: HS105


class Counter:
    def __init__(self):
        self.count = 0

    def update(self, n):
        self.count += n
        if self.count > 10:  # silent: HS201
            self.count = 0


def accuracy(hits, n):
    if hits > n:  # expect: HS201
        raise ValueError("more hits than there are")
    return hits / n


def checked(n):
    if n < 0:  # silent: HS201
        raise ValueError("negative")
    return n
