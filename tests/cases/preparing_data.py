import random

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset, IterableDataset, Sampler


class Images(Dataset):
    def __init__(self, images: np.ndarray, labels: list[int], transform=None):
        self.images = torch.from_numpy(images)
        self.labels = torch.tensor(labels)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index: int):
        image = self.images[index].float() / 255
        label = int(self.labels[index])  # silent: HS103
        if image.max() > 1:  # silent: HS201
            image = image.clamp(max=1)
        if self.transform is not None:  # silent: HS201
            image = self.transform(image)
        if torch.rand(1).item() < 0.5:  # silent: HS101
            image = image.flip(-1)
        return image, label

    def counts(self):
        return torch.bincount(self.labels).tolist()  # silent: HS101, HS305


class Stream(IterableDataset):
    def __iter__(self):
        for seed in range(100):
            generator = torch.Generator().manual_seed(seed)
            x = torch.randn(16, generator=generator)
            if x.sum() > 0:  # silent: HS201
                yield x, x.argmax().item()  # silent: HS101


class Balanced(Sampler):
    def __init__(self, labels: list[int]):
        self.labels = torch.as_tensor(labels)

    def __iter__(self):
        order = torch.randperm(len(self.labels))
        ones = order[self.labels[order] == 1]  # silent: HS302
        return iter(ones.tolist())  # silent: HS101


def collate(batch):
    lengths = torch.tensor([len(x) for x, _ in batch])
    longest = lengths.max()
    mask = torch.arange(longest)[None, :] < lengths[:, None]  # silent: HS104
    padded = torch.zeros(len(batch), longest)  # silent: HS104
    for i, (x, _) in enumerate(batch):
        padded[i, : len(x)] = torch.tensor(x)  # silent: HS308
    labels = torch.tensor([y for _, y in batch])
    return padded, mask, labels, mask.sum().item()  # silent: HS101


class Erase:
    def __init__(self, probability: float):
        self.probability = probability

    def __call__(self, image: np.ndarray):
        tensor = torch.from_numpy(image)
        if random.random() < self.probability:  # silent: HS201
            top = torch.randint(0, tensor.shape[0], (1,)).item()  # silent: HS101
            tensor[top] = 0.0  # silent: HS406
        return tensor.numpy()  # silent: HS102


class Prepared(Dataset):
    def __init__(self, table: torch.Tensor, device: str):
        self.table = table
        self.device = device

    def __getitem__(self, index: int):
        x = self.load(index)
        if x.max() > 1.0:  # silent: HS201
            x = x / 255
        weight = torch.tensor([1.0, 2.0], device=self.device)  # expect: HS404
        on_the_gpu = torch.ones(3, device="cuda").sum().item()  # expect: HS101
        return self.normalized(x) * weight, on_the_gpu, self.table.cpu()  # expect: HS102

    def normalized(self, x: torch.Tensor):
        return x - x.min().item()  # silent: HS101


class OrderOf(Sampler):
    def __iter__(self):
        return iter(self.order().tolist())  # silent: HS101

    def order(self) -> torch.Tensor:
        return self.source.order()


class DataCollatorWithNoise:
    def __call__(self, x: torch.Tensor):
        return x[x.sum(-1).argmax().item()]  # silent: HS101


class Sampler2D:
    def __call__(self, x: torch.Tensor):
        return x[x.sum(-1).argmax().item()]  # expect: HS101


class PaddingCollator:
    def __call__(self, features):
        return self.mask_tokens(features["input_ids"], features.get("special"))

    def mask_tokens(self, inputs: torch.Tensor, special=None):
        def masked(value: torch.Tensor):
            return value.sum().item() > 0  # silent: HS101

        if special is None:
            special = [row.index(1) for row in inputs.tolist()]  # silent: HS101
        inputs[torch.bernoulli(inputs.float()).bool()] = 0  # silent: HS303
        return inputs, masked(inputs)


def shifted(batch: torch.Tensor):
    return batch - batch.min().item()  # expect: HS101


def _only_for_batches(batch: torch.Tensor):
    return batch.max().item() or _only_for_batches(batch[1:])  # silent: HS101


class Padding:
    def pad(self, batch: torch.Tensor):
        return batch[: batch.max().item()]  # expect: HS101


def collate_all(batch):
    def key(row: torch.Tensor):
        return row.sum().item()  # silent: HS101

    return shifted(batch), _only_for_batches(batch), Padding().pad(batch), {"key": key}


def step(batch: torch.Tensor):
    return shifted(batch)


class NeighbourLoader(torch.utils.data.DataLoader):
    def __init__(self, graph, seeds: torch.Tensor):
        if seeds.dtype == torch.bool:
            seeds = seeds.nonzero().view(-1)  # silent: HS301
        self.graph = graph
        super().__init__(seeds.tolist(), collate_fn=self._around)  # silent: HS101

    def _around(self, seeds):
        return self.graph.edge_index[0].unique()  # silent: HS304


class Batches:
    def __init__(self, graph, seeds: torch.Tensor):
        self.seeds = seeds.nonzero().view(-1)  # expect: HS301
