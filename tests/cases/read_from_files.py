"""What libraries read from files is in the memory of the host, unless they are told another place."""

import torch
import torchaudio
import torchvision
from safetensors.torch import load_file
from torchvision.io import decode_jpeg, read_file, read_image, read_video


def sound(path, device):
    samples, rate = torchaudio.load(path)
    if rate != 16000 or torch.isnan(samples).any():
        return samples.mean().item()
    return samples.to(device)  # expect: HS401


def picture(path, device):
    image = read_image(path)
    if image.float().mean() > 100:
        image = torchvision.io.read_image(path)
    torchvision.io.image.decode_png(image).float().mean().item()
    read_file(path).tolist()
    decode_jpeg(read_file(path), device="cuda").float().mean().item()  # expect: HS101
    return image.to(device)  # expect: HS401


def video(path):
    frames, sound, about = read_video(path)
    return frames.float().mean().item(), sound.tolist(), about["video_fps"]


def weights(path, device):
    for _name, value in load_file(path).items():
        if torch.isnan(value).any():
            return value.norm().item()
    load_file(path, "cuda")["head"].tolist()  # expect: HS605, HS101
    load_file(path, device="cuda")["head"].tolist()  # expect: HS605, HS101
    return load_file(path, device)["head"].tolist()  # expect: HS605, HS101


def put_there(path, device: str = "cuda"):
    first = load_file(path, device=device)  # expect: HS605
    second = load_file(path, "cuda")  # expect: HS605
    return first, second, load_file(path, device="cpu")  # silent: HS605
