import torch


def summarise(image: torch.Tensor, label):
    foreground = image[torch.where(label > 0)]  # expect: HS301
    return foreground.max().item()  # expect: HS101
