"""A file that is imported, and shows at its end how it is used: on the CPU, which says nothing of those who import it."""
import torch
from torch import Tensor
from torch.utils.data import DataLoader


def pairs(features: Tensor, labels: Tensor):
    similar = (features @ features.T).view(-1)
    same = (labels[:, None] == labels[None]).view(-1)
    return similar[same]  # expect: HS302


def evaluate(path, Model, frames, device: torch.device = torch.device("cpu")):
    model = Model(path).to(device)
    scores = model(torch.Tensor(frames).to(device))  # expect: HS401
    return scores.cpu().numpy()  # expect: HS102


def score(path, Model, frames, device):
    return Model(path).to(device)(torch.Tensor(frames).to(device))  # expect: HS401


def on_the_gpu(frames, device):
    return torch.Tensor(frames).to(device)  # expect: HS401  # likely: HS401


def moved(frames: Tensor):
    return frames.sum().item()  # expect: HS101  # certain: HS101


def tables(sizes):
    return [size for size in sizes if (size > 0).all()]  # silent: HS201


class Positions(torch.nn.Module):
    def __init__(self, count):
        super().__init__()
        self.table = torch.arange(count) / count

    def forward(self, frames):
        x = frames.flatten(1)
        x = x + self.table.to(x.device)  # expect: HS401
        if x.mean() > 0:  # expect: HS201
            return x
        return x.abs()


def kept():
    return tables([torch.tensor([1, 2])])


def brightness(images: Tensor):
    return images.mean().item()  # silent: HS101


if __name__ == "__main__":
    from models import Small

    Positions(4)(torch.rand(1, 4))

    moved(torch.rand(3).cuda())  # expect: HS401
    pairs(torch.rand(8, 4), torch.randint(3, (8,)))
    evaluate("small.pt", Small, [1.0, 2.0])
    score("small.pt", Small, [1.0, 2.0], device="cpu")
    on_the_gpu([1.0], torch.device("cuda"))
    for images in DataLoader(range(4)):
        # Batches are no tensors made up for the call.
        brightness(images)
