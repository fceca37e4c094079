"""A file that shows at its end what it can do, and says nothing of a device: it runs on the CPU there."""
import torch
from somewhere import fetch


class Positions(torch.nn.Module):
    def __init__(self, count):
        super().__init__()
        self.table = torch.arange(count) / count

    def forward(self, frames):
        x = frames.flatten(1)
        return x + self.table.to(x.device)  # expect: HS401


def moved(frames: torch.Tensor, device):
    return frames.to(device).sum().item()  # expect: HS101


if __name__ == "__main__":
    positions = Positions(4)
    print(positions(torch.rand(1, 4)))  # silent: HS105
    for name, frames in torch.load("frames.pt", map_location="cpu").items():
        print(name, positions(frames).mean().item())  # silent: HS101
    print(torch.relu(fetch()).mean().item())  # silent: HS101
