"""What is done with a batch says whether it is a tensor, where loaders differ in what their batches are."""

import torch
from torch.utils.data import DataLoader

from .base import Detector


class Pairs(Detector):
    def prepare(self, data):
        return DataLoader(data, batch_size=4)

    def training_forward(self, batch):
        data, labels = batch
        data = data.float().to(self.device)  # expect: HS401
        return self.net(data) - labels.to(self.device)  # expect: HS401

    def inference_forward(self, batch):
        batch = batch.float().to(self.device)  # expect: HS401
        return self.net(batch)


class Lists(Detector):
    def prepare(self, data):
        return [(torch.zeros(4, 3), [torch.ones(4)]) for _ in range(3)]

    def training_forward(self, batch):
        return [part.to(self.device) for part in batch]  # expect: HS401

    def inference_forward(self, batch):
        return sum(len(part) for part in batch)
