"""Names at the top that a function sets with `global`, and scripts that choose their device so."""

import torch
from scipy.io import wavfile

device = None
host = None


def read(path):
    rate, samples = wavfile.read(path)
    moved = torch.FloatTensor(samples).to(device)  # expect: HS401
    kept = torch.FloatTensor(samples).to(host)
    return moved, kept


def load(path):
    return torch.load(path, map_location=device)  # expect: HS605


def load_here(path):
    return torch.load(path, map_location=host)


def main():
    global device
    device = torch.device("cuda")
