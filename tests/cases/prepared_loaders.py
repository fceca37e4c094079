"""Loaders that accelerate or Lightning Fabric prepared bring their batches to the device themselves."""

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def trained(model, dataset, optimizer):
    accelerator = Accelerator()
    train_dataloader = DataLoader(dataset, batch_size=4)
    model, optimizer, train_dataloader = accelerator.prepare(model, optimizer, train_dataloader)
    for batch in train_dataloader:
        x = batch["pixel_values"].to(accelerator.device)
        loss = model(x)
        accelerator.backward(loss)
        print(loss.item())  # expect: HS101


def by_hand(model, dataset, optimizer):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=4)
    model, optimizer = accelerator.prepare(model, optimizer)
    for images in loader:
        images = images.to(accelerator.device)  # expect: HS401
        model(images)


def left_where_it_is(model, dataset):
    accelerator = Accelerator()
    loader = accelerator.prepare(DataLoader(dataset), device_placement=[False])
    for images in loader:
        model(images.cuda())  # expect: HS401


class Trainer:
    def __init__(self, accelerator, train_loader, test_loader):
        self.accelerator = accelerator
        self.loader = self.accelerator.prepare(DataLoader(train_loader.dataset))
        self.tests = accelerator.prepare_data_loader(test_loader)

    def train(self):
        for images, labels in self.loader:
            yield images.cuda(), labels.to(self.accelerator.device)
        for images in self.tests:
            yield images.cuda()


def with_fabric(fabric, model, train_loader):
    loader = fabric.setup_dataloaders(train_loader)
    for images in loader:
        yield model(images.to(fabric.device))
    stays = fabric.setup_dataloaders(train_loader, move_to_device=False)
    for images in stays:
        yield model(images.to(fabric.device))  # expect: HS401


def cycle(dl):
    while True:
        for data in dl:
            yield data


class Endless:
    def __init__(self, accelerator, dataset):
        self.accelerator = accelerator
        self.dl = cycle(self.accelerator.prepare(DataLoader(dataset)))
        self.raw = cycle(DataLoader(dataset))

    def step(self, device):
        prepared = next(self.dl).to(device)  # silent: HS401
        return prepared + next(self.raw).to(device)  # expect: HS401
