from .common import *


class Gaussian(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.mean = nn.Linear(size, size)
        self.std = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        drawn = torch.distributions.Normal(self.mean(x), F.softplus(self.std))  # expect: HS602
        return drawn.sample(), x[x > 0]  # expect: HS302, HS602


def acted(head, states):
    actions, _ = head(tensor(states))
    return np.tanh(actions.cpu().numpy())  # expect: HS102


def kinds(table, name):
    return np.sort(table[name].unique())  # silent: HS304


def classes(labels):
    return labels.unique().tolist()  # expect: HS101, HS304
