"""Nothing proves a tensor: shown with --min-confidence possible only."""
import torch


def read(table, layer, text_encoder_2, controlnet, make_layers):
    a = table.cpu()  # expect: HS102
    b = table.to("cpu")  # expect: HS102
    b = table.to(device=torch.device("cpu"))  # expect: HS102
    b = layer.to("cpu")  # expect-possible: HS102  # silent: HS102
    c = layer.cpu()  # expect-possible: HS102  # silent: HS102
    d = text_encoder_2.cpu(), controlnet.cpu()  # expect-possible: HS102, HS102  # silent: HS102
    e = make_layers()[0].cpu()  # expect-possible: HS102  # silent: HS102
    f = renewed(layer).cpu()  # expect-possible: HS102  # silent: HS102
    return a, b, c, d, e, f


def renewed(part):
    return part.renewed()


class Beside:
    """To be derived from beside a module, whose `forward` gives nobody knows what."""

    def forward(self, x):
        if super().forward(x) > 3:  # expect-possible: HS201  # silent: HS201
            return x
        return None


def guarded(x: torch.Tensor, bound: float):
    # All but models of 16-bit floats never come to ask; what asks behind a test of another kind is asked.
    if x.dtype == torch.float16 and torch.isinf(x).any():  # expect-possible: HS201  # silent: HS201
        x = x.clamp(-bound, bound)
    if x.dtype == torch.half and not torch.isfinite(x).all() and x.sum() > 0:  # expect-possible: HS201, HS201  # silent: HS201
        x = x.clamp(-bound, bound)
    is_over = x.dtype == torch.float16 and bool(torch.isinf(x).any())  # expect-possible: HS103  # silent: HS103
    if x.dtype == torch.float16 or torch.isinf(x).any():  # expect: HS201
        x = x.clamp(-bound, bound)
    if x.is_floating_point() and torch.isnan(x).any():  # expect: HS201
        x = torch.nan_to_num(x)
    return x, is_over
