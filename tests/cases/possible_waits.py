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
