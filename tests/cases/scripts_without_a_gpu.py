"""What a layer makes of a parameter lives where that does, also for calls that are followed before the function is."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        return self.last(self.first(x))


net = Net()
inputs = torch.randn(2, 3)
outputs = net(inputs)
print(outputs.sum().item())  # silent: HS101
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(net(inputs), torch.ones(2, 1))
    loss.backward()
    optimizer.step()
    print(loss.item())  # silent: HS101

on_device = Net().cuda()
print(on_device(inputs.cuda()).sum().item())  # expect: HS101, HS401
