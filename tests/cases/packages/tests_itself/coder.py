"""A module that others use, and that is a program, too, which tests it: what that hands in says nothing of them."""

import torch


def cdf_of(pdf: torch.Tensor, check: bool = True):
    cdf = torch.cumsum(pdf, dim=-1)
    if check:
        assert cdf[-1] <= 1  # expect: HS203
    return cdf


def decoded(data, device="cpu"):
    return torch.tensor(data, device=device)  # expect: HS404


def entropy_of(pdf: torch.Tensor):
    return pdf.log().sum().item()  # expect: HS101


class Coder:
    def push(self, symbol: int, cdf: torch.Tensor):
        return cdf[symbol].item()  # expect: HS101


def test():
    coder = Coder()
    coder.push(1, cdf_of(torch.rand(4)))
    decoded([1, 2])


def demo():
    print(entropy_of(torch.rand(4)))


if __name__ == "__main__":
    test()
    demo()
