from collections.abc import Iterable

import torch

import torch.nn as nn
import acme
from acme.show import TQDM, bar_of_nothing
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def label_statistics(dataset):
    loader = DataLoader(dataset, batch_size=256)
    total = 0
    for images, labels in loader:
        total += labels.sum().item()  # silent: HS101
        if labels.max() > 9:  # silent: HS201
            raise ValueError("label out of range")
        print(images.mean(), labels.unique())  # silent: HS105, HS304
    return total


def blocking(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    for step, (images, labels) in enumerate(loader):
        images = images.to(device)  # expect: HS401
        labels = labels.to(device)  # expect: HS401
        loss = nn.functional.cross_entropy(model(images), labels)
        if step % 100 == 0:  # silent: HS201
            print(step, loss.item())  # expect: HS101


def pinned(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=32, pin_memory=True)
    for images, labels in loader:
        images = images.to(device, non_blocking=True)  # silent: HS401, HS403
        labels = labels.cuda(non_blocking=True)  # silent: HS401, HS403
        model(images).sum().backward()


def pinned_but_blocking(dataset):
    loader = DataLoader(dataset, batch_size=32, pin_memory=True)
    for images, labels in loader:
        yield images.to(device), labels.cuda()  # expect: HS402


def asynchronous_but_not_pinned(dataset):
    loader = DataLoader(dataset, batch_size=32, num_workers=4)  # expect: HS408
    for images, labels in loader:
        images = images.to(device, non_blocking=True)  # expect: HS403
        yield images, labels.to(device, non_blocking=True)  # expect: HS403


def pinned_as_configured(dataset, options):
    loader = DataLoader(dataset, pin_memory=options.pin, batch_size=8)  # silent: HS408
    for images, _ in loader:
        yield images.to(device, non_blocking=True)  # silent: HS403


def synthetic():
    dataset = TensorDataset(torch.randn(100, 8), torch.randint(0, 2, (100,)))
    for x, y in DataLoader(dataset, batch_size=4):
        x, y = x.to("cuda"), y.to("cuda")  # expect: HS401
        yield x, y


def loader_as_parameter(model, train_loader, criterion):
    for inputs, targets in train_loader:
        inputs, targets = inputs.cuda(), targets.cuda()  # expect: HS401
        criterion(model(inputs), targets).backward()


def first_batch(train_loader):
    images, labels = next(iter(train_loader))
    return images.shape, labels.shape


def stays_on_the_host(dataset):
    val_loader = DataLoader(dataset, batch_size=8)
    seen = 0
    for batch in val_loader:
        seen += len(batch)
        lengths = batch["length"]
        print(max(lengths.tolist()))  # silent: HS101, HS105
    return seen


def moved_batch(model, loader):
    for images, labels in loader:
        labels = labels.cuda()  # expect: HS401
        if (labels == 3).any():  # expect: HS201
            break
        accuracy = (model(images).argmax(1) == labels).float().mean()
        print("accuracy", accuracy)  # expect: HS105


def batch_in_part(model, loader: DataLoader, device: torch.device):
    for images, targets in loader:
        model(images.to(device))  # expect: HS401
        print(targets["id"].item(), targets["lengths"].tolist())  # silent: HS101


def fit(model, loader: Iterable, device: torch.device):
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)  # expect: HS401
        model(images, labels)


def of_lists(parts: list, device: torch.device):
    for part in parts:
        part.to(device)  # silent: HS401


def through_a_logger(model, data_loader, device, log):
    for samples, targets in log.every(data_loader, 10, "train"):
        targets = [{k: v.to(device) for k, v in t.items()} for t in targets]  # expect: HS401
        model(samples, targets)
    for step, (images, _) in enumerate(log.every(data_loader, 10)):
        model(images.to(device), step)  # expect: HS401
    for figure in log.every(3, "train"):
        figure.to(device)  # silent: HS401


def through_a_progress_bar(model, dataloader, device):
    bar = TQDM(dataloader, desc="epoch")
    for i, (images, labels) in enumerate(bar):
        labels = labels.to(device)  # expect: HS401
        model(images, labels, i)
    for part in bar_of_nothing(3):
        part.to(device)  # silent: HS401


def in_another_dtype(model, valid_dl, settings):
    device = torch.device(settings.gpu) if settings.use_gpu else torch.device("cpu")
    for batch in valid_dl:
        x = batch.float().to(device)  # expect: HS401
        model(x)


def samples_of_a_dataset(model, val_dataset):
    for i in range(len(val_dataset)):
        first, second, flow, _ = val_dataset[i]
        first = first[None].cuda()  # expect: HS401
        error = (model(first)[0].cpu() - flow).norm()  # expect: HS102
        yield error.item()  # silent: HS101
    return val_dataset["train"].to(first.device)  # silent: HS401


def of_what_makes_a_loader(model, buffer, device, settings):
    for batch in buffer.get_dataloader(settings, shuffle=True):
        x, y = batch[0].to(device), batch[1].to(device)  # expect: HS401, HS401
        model(x, y)
    for batch in acme.loaders.eval_loader(settings):
        x, y = batch[0], batch[1]
        x, y = x.to(device), y.to(device)  # expect: HS401, HS401
        model(x, y)
    device = torch.device(settings.gpu) if settings.use_gpu else torch.device("cpu")
    for batch in acme.loaders.test_loader(settings):
        x, y = batch[0], batch[1]
        x, y = x.to(device), y.to(device)  # expect: HS401, HS401
        model(x, y)


def tokens(clip, texts, device, model, tokenizer):
    first = clip.tokenize(texts).to(device)  # expect: HS401
    given = tokenizer(texts)
    second = given["input_ids"].to(device)  # expect: HS401
    return model(first), model(second), model.token(texts).to(device)  # silent: HS401


class Endless(DataLoader):
    """Never starts its workers anew."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.iterator = super().__iter__()

    def __iter__(self):
        for _ in range(len(self)):
            yield next(self.iterator)


def of_an_endless_loader(model, dataset, device):
    batches = Endless(dataset, batch_size=4)
    for i, (images, labels) in enumerate(batches):
        images, labels = images.to(device, non_blocking=True), labels.to(device)  # expect: HS401
        model(images, labels, i)


def where_the_dataset_is(dataset, workers):
    for images in DataLoader(dataset, batch_size=4):
        # A `TensorDataset` on the GPU gives batches there.
        yield images.cuda()  # expect: HS401  # likely: HS401
    for images in DataLoader(dataset, batch_size=4, num_workers=0, pin_memory=False):
        yield images.cuda()  # expect: HS401  # likely: HS401
    for images in DataLoader(dataset, batch_size=4, num_workers=workers):
        yield images.cuda()  # expect: HS401  # certain: HS401
    for images in DataLoader(dataset, batch_size=4, pin_memory=True):
        yield images.cuda()  # expect: HS402  # certain: HS402


def parts_and_views_of_pinned_batches(dataset, order, device):
    for images, labels in DataLoader(dataset, pin_memory=True):
        yield images.view(3, -1).to(device, non_blocking=True)  # silent: HS403, HS408
        yield images.permute(0, 2, 3, 1).to(device, non_blocking=True)  # silent: HS403, HS408
        yield images.permute(0, 2, 3, 1).to(device)  # expect: HS402
        # They may be floats already, or contiguous.
        yield images.float().to(device, non_blocking=True)  # silent: HS403, HS408
        yield images.float().to(device)  # expect: HS401
        yield images.reshape(3, -1).to(device, non_blocking=True)  # silent: HS403, HS408
        yield images[0].to(device, non_blocking=True)  # silent: HS403
        yield images[0, 1:].to(device, non_blocking=True)  # silent: HS403
        yield images[1:3, :, ...].to(device, non_blocking=True)  # silent: HS403
        yield images[:, :, None].to(device, non_blocking=True)  # silent: HS403
        # With gaps: a copy is made of them first.
        yield images[:, 1:].to(device, non_blocking=True)  # expect: HS403
        yield images[1:3, :2].to(device, non_blocking=True)  # expect: HS403
        yield images[::2].to(device, non_blocking=True)  # expect: HS403
        yield images[..., 0].to(device, non_blocking=True)  # expect: HS403
        yield images[order == 3].to(device, non_blocking=True)  # expect: HS403
        yield images[[0, 2]].to(device, non_blocking=True)  # expect: HS403
        yield (images * 2).to(device, non_blocking=True)  # expect: HS403


def views_of_batches_that_are_not_pinned(dataset, device):
    for images in DataLoader(dataset, num_workers=2):  # expect: HS408
        yield images.view(3, -1).to(device, non_blocking=True)  # expect: HS403


def by_annotation(model: nn.Module, loader: Iterable[tuple[torch.Tensor, torch.Tensor]]):
    for images, labels in loader:
        images = images.to(device)  # expect: HS401
        model(images).sum().backward()


def of_tensors(model: nn.Module, images: Iterable[torch.Tensor]):
    for image in images:
        model(image.to(device))  # silent: HS401
