"""What einops gives has the elements of what it was given, and the dimensions that the pattern names."""
import torch
from einops import einsum, rearrange, reduce, repeat


def masked(x, at, count, net):
    inside = at < rearrange(count, "b -> b 1")
    inside = rearrange(inside, "b n -> (b n)")
    x = rearrange(net(x), "b n d -> (b n) d")
    return x[inside]  # expect: HS302


def kept_types(x: torch.Tensor, scores: torch.Tensor):
    flat = rearrange(x > 0, "b n -> (b n)")
    total = reduce(scores, "b n ->", "mean")
    if total > 0:  # expect: HS201
        return x.flatten()[flat]  # expect: HS302
    both = repeat(x.argmax(-1), "b -> b n", n=2)
    return x[0, both]  # silent: HS302


def shapes(x: torch.Tensor):
    first = reduce(x, "b n -> b", "max")
    first[0] = 1.0  # expect: HS406
    wide = rearrange(x, "b n -> b 1 n")
    wide[0] = 1.0  # silent: HS406
    any_kind = rearrange(x, "b ... -> ... b")
    product = einsum(x, x, "b n, b n -> b")
    if product[0] > 1:  # expect: HS201
        return any_kind
    return product.tolist()  # expect: HS101


def on_the_host():
    table = rearrange(torch.arange(4), "(a b) -> a b", a=2)
    return table.sum().item()  # silent: HS101


def of_several(x: torch.Tensor):
    both = rearrange([x.cuda(), x.cuda()], "n b -> b n")  # expect: HS401
    if both.max().item() > 0:  # expect: HS101  # certain: HS101
        return both
    return x[reduce(x > 0, "b n -> b", "sum")]  # silent: HS302


def other_dimensions(x: torch.Tensor):
    turned = rearrange(x, "b ... -> ... b")
    turned[0] = 1.0  # expect: HS406
    return turned
