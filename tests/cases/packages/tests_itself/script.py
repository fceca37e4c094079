"""A program that nobody imports."""

import torch


def total(x: torch.Tensor):
    return x.sum().item()  # silent: HS101


def main():
    print(total(torch.rand(3)))


if __name__ == "__main__":
    main()
