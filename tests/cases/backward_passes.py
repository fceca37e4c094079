"""The gradient of what a mask selects counts the true elements of the mask once more, in the backward pass."""

import torch
import torch.nn.functional as F
from torch import nn


def of_nodes(model, data, optimizer):
    optimizer.zero_grad()
    out = model(data.x, data.edge_index)
    loss = F.nll_loss(out[data.train_mask], data.y[data.train_mask])  # expect: HS302
    loss.backward()  # expect: HS605
    optimizer.step()


def by_scaler(model, x, y, scaler, criterion):
    out = model(x)
    kept, wanted = out[y > 0], y[y > 0]  # expect: HS302
    losses = []
    losses.append(criterion(kept, wanted))
    scaler.scale(sum(losses)).backward()  # expect: HS605


def by_accelerator(model, x, accelerator):
    out = model(x)
    loss = out[x > 0].mean()  # expect: HS302
    accelerator.backward(loss)  # expect: HS605


def of_a_store(model, x, y):
    out = model(x)
    filled = torch.zeros_like(out)
    filled[y > 0] = torch.relu(model(x[:4]))  # expect: HS303
    filled.mean().backward()  # expect: HS605


def of_a_number(model, x, y):
    out = model(x) * 1
    out[y > 0] = 0.0
    out.mean().backward()  # silent: HS605


def by_masked_select(model, x):
    out = model(x)
    loss = torch.masked_select(out, x > 0).mean()  # expect: HS302
    loss.backward()  # silent: HS605


def of_a_parameter(x, y):
    scale = nn.Parameter(torch.ones(1, device="cuda"))
    loss = ((scale * x)[y > 0] ** 2).sum()  # expect: HS302
    (gradient,) = torch.autograd.grad(loss, scale)  # expect: HS605
    return gradient


class Trainer:
    def __init__(self):
        self.mlp = nn.Sequential(nn.Linear(8, 8), nn.ReLU()).cuda()

    def train(self, x):
        features = self.mlp(x)
        loss = features[features > 0].sum()  # expect: HS302
        loss.backward()  # expect: HS605

    def train_on_some(self, x):
        features = self.mlp(x[x[:, 0] > 0])  # expect: HS302
        features.sum().backward()  # silent: HS605


def from_inputs(model, x, y):
    out = model(x[y > 0])  # expect: HS302
    loss = out.mean()
    loss.backward()  # silent: HS605


def of_targets(model, x, y):
    out = model(x)
    wanted = y[y > 0]  # expect: HS302
    loss = F.mse_loss(out, wanted)
    loss.backward()  # silent: HS605


def beside(model, x, y):
    out = model(x)
    right = out[y > 0].argmax(dim=1)  # expect: HS302
    loss = F.cross_entropy(out, y)
    loss.backward()  # silent: HS605
    return right


def cut_off(model, x, y):
    out = model(x)
    scale = out[y > 0].detach().mean()  # expect: HS302
    loss = (out / scale).mean()
    loss.backward()  # silent: HS605


def without_gradients(model, teacher_model, x, y):
    with torch.no_grad():
        wanted = teacher_model(x)
    wanted = wanted[y > 0]  # expect: HS302
    loss = (model(x).mean() - wanted.mean()) ** 2
    loss.backward()  # silent: HS605


def weighed(model, x, y):
    out = model(x)
    loss = (out * (y > 0)).sum() / (y > 0).sum()
    loss.backward()  # silent: HS605


def on_the_host(model, y):
    x = torch.rand(8, 2, device="cpu")
    out = model(x.cpu()).cpu()  # expect: HS102
    loss = out[x > 0].mean()
    loss.backward()  # silent: HS605
