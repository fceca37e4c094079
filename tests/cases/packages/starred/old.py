from torch.autograd import Variable

from .common import *


def identity(x):
    return Variable(torch.from_numpy(np.eye(3))).view(1, 9).cuda() + x  # expect: HS401
