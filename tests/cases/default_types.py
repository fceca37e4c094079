"""A type of the GPU as the default: `torch.Tensor` and factories work there then, named types of the host don't."""

import argparse
import sys

import numpy as np
import torch


def rays(points, rows, columns):
    near = torch.Tensor([0.5, 1.0])  # expect: HS404
    noise = torch.Tensor(np.random.rand(3))  # expect: HS404
    handed = torch.Tensor(points)  # expect: HS404
    sizes = torch.Tensor(rows, columns)  # silent: HS404
    empty = torch.Tensor([])  # silent: HS404
    total = torch.zeros(3).sum().item()  # expect: HS101
    steps = torch.linspace(0, 1, 8).tolist()  # expect: HS101
    return near, noise, handed, sizes, empty, total, steps


def on_the_host():
    a = torch.FloatTensor([0.5, 1.0])
    b = torch.LongTensor([1, 2])
    c = torch.from_numpy(np.zeros(3))
    return a[0].item(), b.tolist(), c.sum().item()  # silent: HS101


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    args = parser.parse_args()
    if args.cuda:
        torch.set_default_tensor_type("torch.cuda.FloatTensor")
    else:
        torch.set_default_tensor_type("torch.FloatTensor")
    on_the_host()
    return rays(np.load("points.npy"), *sys.argv)


if __name__ == "__main__":
    torch.set_default_tensor_type(torch.cuda.FloatTensor)
    main()
