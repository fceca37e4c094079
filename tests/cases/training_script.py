"""All at module level, as in a notebook or a first draft."""

import math
import time

import numpy as np
import torch
from torch import nn

device = "cuda"
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
criterion = nn.MSELoss()

x_train = torch.randn(1024, 16).to(device)  # expect: HS401
y_train = torch.sin(x_train.sum(dim=1, keepdim=True))
x_test = torch.from_numpy(np.random.rand(64, 16).astype(np.float32)).cuda()  # expect: HS401

history = []
best = math.inf
start = time.time()
for epoch in range(100):
    permutation = torch.randperm(x_train.size(0))
    running = 0.0
    for i in range(0, x_train.size(0), 64):
        indices = permutation[i : i + 64]
        batch = x_train[indices]  # expect: HS405
        target = y_train[indices]  # expect: HS405
        loss = criterion(model(batch), target)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(indices)  # expect: HS101
    epoch_loss = running / x_train.size(0)
    history.append(epoch_loss)
    if epoch_loss < best:  # silent: HS201
        best = epoch_loss
    print(f"{epoch}: {epoch_loss:.4f} {time.time() - start:.1f}s")  # silent: HS105

model.eval()
with torch.no_grad():
    prediction = model(x_test)
print(prediction)  # expect: HS105
print("mean", prediction.mean().item(), "shape", prediction.shape)  # expect: HS101
np.save("prediction.npy", prediction.cpu().numpy())  # expect: HS102
print(np.mean(history), min(history))  # silent: HS105, HS106


def restored(model, scheduler, path):
    model.load_state_dict(torch.load(path))  # expect: HS605
    model.load_state_dict(torch.load(path, map_location="cpu"))  # silent: HS605
    table = torch.load(path)  # expect: HS605
    return table
