"""A training loop that gets model, data and loss from elsewhere and never names torch."""
import math
import sys

import numpy as np
from tqdm import tqdm


def train_one_epoch(model, loader, criterion, optimizer, device, meter):
    model.train()
    for images, targets in tqdm(loader):
        images = images.to(device)  # expect: HS401
        targets = [{key: value.to(device) for key, value in target.items()} for target in targets]  # expect: HS401
        loss = criterion(model(images), targets)
        if not math.isfinite(loss.item()):  # expect: HS101
            sys.exit(1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.update(loss.item())  # expect: HS101
    return meter.avg


def mean_of(values):
    return np.mean(values), values.tolist()  # silent: HS101, HS104


def widths(config):
    return [int(width) for width in config.widths if width > 0]  # silent: HS103, HS201
