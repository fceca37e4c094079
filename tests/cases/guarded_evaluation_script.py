"""A script under its guard that takes its device from elsewhere."""
import torch
from settings import device
from somewhere import fetch, load

if __name__ == "__main__":
    model = load("small.pt").to(device)
    print(torch.relu(model(fetch())).mean().item())  # expect: HS101
