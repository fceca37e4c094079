"""Spectrogram layers of nnAudio: STFT and its inverse, mel, MFCC, gammatone, CQT, and VQT, fixed and trained."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from nnAudio import features, librosa_functions
from nnAudio import utils as nnaudio_utils
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from uses import Use, Uses

RATE, BATCH, LENGTH = 8000, 3, 4000
Maker = Callable[[], nn.Module]
uses = Uses()


def waves(device: torch.device, length: int = LENGTH) -> torch.Tensor:
    return torch.rand(BATCH, length, device=device) * 2 - 1


def chirp(device: torch.device) -> torch.Tensor:
    t = torch.linspace(0, 0.5, LENGTH, device=device)
    return torch.sin(2 * torch.pi * (200 + 1000 * t) * t)


class Classifier(nn.Module):
    """A convolutional classifier on top of a spectrogram layer."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.fc = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        spectrogram = torch.log(self.layer(x) + 1e-4)
        return self.fc(torch.relu(self.conv(spectrogram.unsqueeze(1))).mean((2, 3)))


# STFT

STFTS: dict[str, Maker] = {
    "default": lambda: features.STFT(n_fft=256, sr=RATE, verbose=False),
    "hopped": lambda: features.STFT(n_fft=256, win_length=200, hop_length=64, window="hamming", sr=RATE, verbose=False),
    "uncentered": lambda: features.STFT(n_fft=256, hop_length=64, center=False, sr=RATE, verbose=False),
    "constant": lambda: features.STFT(n_fft=256, pad_mode="constant", sr=RATE, verbose=False),
    "linear": lambda: features.STFT(n_fft=256, freq_bins=60, freq_scale="linear", fmax=3000, sr=RATE, verbose=True),
    "log": lambda: features.STFT(n_fft=256, freq_bins=60, freq_scale="log", fmax=3000, sr=RATE, verbose=True),
    "log2": lambda: features.STFT(n_fft=256, freq_bins=60, freq_scale="log2", fmax=3000, sr=RATE, verbose=True),
    "magnitude": lambda: features.STFT(n_fft=256, output_format="Magnitude", sr=RATE, verbose=False),
    "trainable": lambda: features.STFT(n_fft=256, trainable=True, output_format="Magnitude", sr=RATE, verbose=False),
}


def stft_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        layer = STFTS[name]().to(device)
        layer(waves(device)), layer(chirp(device)), layer(waves(device).unsqueeze(1))
        for kind in ("Magnitude", "Complex", "Phase"):
            layer(waves(device), output_format=kind)
        repr(layer)

    return use


uses.add_each("stft", STFTS, stft_use)


def inverse_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        window, center = name.split()
        layer = features.STFT(
            n_fft=256, hop_length=64, window=window, center=center == "centered", iSTFT=True, sr=RATE, verbose=False
        ).to(device)
        x = waves(device)
        spectrogram = layer(x, output_format="Complex")
        layer.inverse(spectrogram, length=x.shape[1])
        layer.inverse(spectrogram)
        layer.inverse(spectrogram, length=x.shape[1], refresh_win=False)

    return use


uses.add_each("inverse stft", ("hann centered", "hamming centered", "hamming uncentered"), inverse_use)


@uses.add
def inverse_layer(device: torch.device) -> None:
    x = waves(device)
    spectrogram = features.STFT(n_fft=256, hop_length=64, sr=RATE, verbose=False).to(device)(x, output_format="Complex")
    for refresh in (True, False):
        layer = features.iSTFT(n_fft=256, hop_length=64, sr=RATE, refresh_win=refresh, verbose=False).to(device)
        layer(spectrogram, onesided=True, length=x.shape[1])
        layer(spectrogram, onesided=True)
    features.iSTFT(n_fft=256, verbose=True).to(device)(spectrogram, onesided=True)


@uses.add
def trained_inverse(device: torch.device) -> None:
    forward = features.STFT(n_fft=128, hop_length=32, iSTFT=True, trainable=True, sr=RATE, verbose=False).to(device)
    backward = features.iSTFT(n_fft=128, hop_length=32, trainable_kernels=True, trainable_window=True, verbose=False)
    backward.to(device)
    optimizer = torch.optim.Adam([*forward.parameters(), *backward.parameters()], lr=1e-4)
    for _ in range(2):
        x = waves(device)
        spectrogram = forward(x, output_format="Complex")
        loss = (backward(spectrogram, onesided=True, length=LENGTH) - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# Mel, MFCC, gammatone

MELS: dict[str, Maker] = {
    "MelSpectrogram": lambda: features.MelSpectrogram(sr=RATE, n_fft=512, n_mels=32, hop_length=128, verbose=False),
    "MelSpectrogram htk": lambda: features.MelSpectrogram(
        sr=RATE, n_fft=256, n_mels=20, htk=True, fmin=50, fmax=3500, power=1.0, center=False, verbose=False
    ),
    "MelSpectrogram plain": lambda: features.MelSpectrogram(
        sr=RATE, n_fft=256, n_mels=20, norm=None, pad_mode="constant", window="hamming", verbose=True
    ),
    "MelSpectrogram trained": lambda: features.MelSpectrogram(
        sr=RATE, n_fft=256, n_mels=20, trainable_mel=True, trainable_STFT=True, verbose=False
    ),
    "MFCC": lambda: features.MFCC(sr=RATE, n_mfcc=13, n_fft=512, n_mels=32, hop_length=128, verbose=False),
    "MFCC without top": lambda: features.MFCC(sr=RATE, n_mfcc=13, top_db=None, n_fft=256, n_mels=20, verbose=True),
    "Gammatonegram": lambda: features.Gammatonegram(sr=RATE, n_fft=512, n_bins=32, hop_length=128, verbose=False),
    "Gammatonegram bounded": lambda: features.Gammatonegram(
        sr=RATE, n_fft=256, n_bins=20, fmin=50, fmax=3500, power=1.0, center=False, verbose=True
    ),
    "Gammatonegram trained": lambda: features.Gammatonegram(
        sr=RATE, n_fft=256, n_bins=20, trainable_bins=True, trainable_STFT=True, verbose=False
    ),
}
# CQT, VQT

CQTS: dict[str, Maker] = {
    "CQT1992": lambda: features.CQT1992(sr=RATE, hop_length=128, fmin=220, n_bins=36),
    "CQT1992 to an end": lambda: features.CQT1992(sr=RATE, hop_length=128, fmin=220, fmax=2000, pad_mode="constant"),
    "CQT1992 trained": lambda: features.CQT1992(
        sr=RATE, hop_length=128, fmin=220, n_bins=24, trainable_STFT=True, trainable_CQT=True
    ),
    "CQT1992v2": lambda: features.CQT1992v2(sr=RATE, hop_length=128, fmin=110, n_bins=48, verbose=False),
    "CQT1992v2 padded": lambda: features.CQT1992v2(
        sr=RATE, hop_length=128, fmin=220, n_bins=None, fmax=1500, pad_mode="constant", filter_scale=0.5, verbose=False
    ),
    "CQT1992v2 gaussian": lambda: features.CQT1992v2(
        sr=RATE, hop_length=64, fmin=220, n_bins=24, window=("gaussian", 50), center=False, verbose=True
    ),
    "CQT1992v2 trained": lambda: features.CQT1992v2(
        sr=RATE, hop_length=128, fmin=220, n_bins=24, trainable=True, verbose=False
    ),
    "CQT": lambda: features.CQT(sr=RATE, hop_length=128, fmin=220, n_bins=36, bins_per_octave=12, verbose=False),
    "CQT2010": lambda: features.CQT2010(sr=RATE, hop_length=64, fmin=110, n_bins=48, verbose=False),
    "CQT2010 early": lambda: features.CQT2010(
        sr=RATE, hop_length=64, fmin=55, n_bins=36, pad_mode="constant", verbose=True
    ),
    "CQT2010 trained": lambda: features.CQT2010(
        sr=RATE,
        hop_length=64,
        fmin=110,
        n_bins=36,
        trainable_STFT=True,
        trainable_CQT=True,
        earlydownsample=False,
        verbose=False,
    ),
    "CQT2010v2": lambda: features.CQT2010v2(sr=RATE, hop_length=64, fmin=110, n_bins=48, verbose=False),
    "CQT2010v2 early": lambda: features.CQT2010v2(
        sr=RATE, hop_length=64, fmin=55, n_bins=30, pad_mode="constant", norm=False, verbose=True
    ),
    "CQT2010v2 trained": lambda: features.CQT2010v2(
        sr=RATE, hop_length=64, fmin=110, n_bins=36, trainable=True, earlydownsample=False, verbose=False
    ),
    "VQT": lambda: features.VQT(sr=RATE, hop_length=64, fmin=110, n_bins=48, gamma=5, verbose=False),
    "VQT early": lambda: features.VQT(sr=RATE, hop_length=64, fmin=55, n_bins=30, gamma=10, verbose=True),
    "VQT late": lambda: features.VQT(
        sr=RATE, hop_length=64, fmin=110, n_bins=36, earlydownsample=False, pad_mode="constant", verbose=False
    ),
}


def mel_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        layer = MELS[name]().to(device)
        x = waves(device).requires_grad_()
        layer(x).mean().backward()
        with torch.no_grad():
            layer(chirp(device)), layer(x.unsqueeze(1))
        repr(layer)

    return use


def cqt_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        layer = CQTS[name]().to(device)
        x = waves(device, 8000)
        layer(x).mean()
        with torch.no_grad():
            for kind in ("Magnitude", "Complex", "Phase"):
                layer(x, output_format=kind)
            for normalization in ("convolutional", "wrap"):
                layer(x, normalization_type=normalization)
            if hasattr(layer, "forward_manual"):
                layer.forward_manual(x)
        repr(layer)

    return use


uses.add_each("mel", MELS, mel_use)
uses.add_each("cqt", CQTS, cqt_use)


# Training

TRAINED: dict[str, Maker] = {
    "STFT": STFTS["trainable"],
    "fixed STFT": STFTS["magnitude"],
    "MelSpectrogram": MELS["MelSpectrogram trained"],
    "fixed MelSpectrogram": MELS["MelSpectrogram"],
    "Gammatonegram": MELS["Gammatonegram trained"],
    "CQT1992v2": CQTS["CQT1992v2 trained"],
    "CQT2010v2": CQTS["CQT2010v2 trained"],
    "fixed CQT": CQTS["CQT"],
    "fixed VQT": CQTS["VQT"],
}


def trained_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = Classifier(TRAINED[name]()).to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        data = DataLoader(TensorDataset(torch.rand(6, 8000) * 2 - 1, torch.arange(6) % 3), batch_size=3, shuffle=True)
        for x, y in data:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss.item()
        model.eval()
        with torch.no_grad():
            model(waves(device, 8000)).argmax(1).cpu().numpy()

    return use


uses.add_each("trained", TRAINED, trained_use)


@uses.add
def saved_layers(device: torch.device) -> None:
    for make in (MELS["MelSpectrogram"], CQTS["CQT1992v2"], STFTS["default"]):
        layer, other = make().to(device), make().to(device)
        with tempfile.TemporaryDirectory() as folder:
            torch.save(layer.state_dict(), Path(folder) / "layer.pt")
            other.load_state_dict(torch.load(Path(folder) / "layer.pt", map_location=device))
        other(waves(device, 8000))


@uses.add
def preprocessing(device: torch.device) -> None:
    layer = MELS["MelSpectrogram"]().to(device)
    found = []
    for (x,) in DataLoader(TensorDataset(torch.rand(8, LENGTH)), batch_size=4):
        with torch.no_grad():
            found.append(layer(x.to(device)).cpu())
    np.log(torch.cat(found).numpy() + 1e-6)


@uses.add
def half_precision(device: torch.device) -> None:
    layer = MELS["MelSpectrogram"]().to(device)
    with torch.autocast(device.type, dtype=torch.bfloat16):
        layer(waves(device))


# Functions


@uses.add
def downsampling(device: torch.device) -> None:
    x = waves(device).unsqueeze(1)
    kernel = torch.tensor(nnaudio_utils.create_lowpass_filter(0.5, 64, 0.03)).to(device)[None, None]
    nnaudio_utils.downsampling_by_2(x, kernel)
    nnaudio_utils.downsampling_by_n(x, kernel, 4)
    nnaudio_utils.nextpow2(300), nnaudio_utils.prepow2(300)


@uses.add
def tensor_helpers(device: torch.device) -> None:
    x = waves(device)
    nnaudio_utils.broadcast_dim(x), nnaudio_utils.broadcast_dim(x[0]), nnaudio_utils.broadcast_dim(x.unsqueeze(1))
    nnaudio_utils.broadcast_dim_conv2d(torch.rand(2, 8, 9, device=device))
    nnaudio_utils.uniform_distribution(1.0, 2.0, 3, 4, device=device)
    nnaudio_utils.overlap_add(torch.rand(2, 256, 10, device=device), 64)
    window = torch.hann_window(256, device=device)
    nnaudio_utils.torch_window_sumsquare(window, 10, 64, 256)
    nnaudio_utils.extend_fbins(torch.rand(2, 129, 10, 2, device=device))
    nnaudio_utils.rfft_fn(x, onesided=True)


@uses.add
def filter_banks(device: torch.device) -> None:
    mel = torch.tensor(librosa_functions.get_mel(RATE, 512, n_mels=32, fmax=4000)).to(device)
    gammatone = torch.tensor(librosa_functions.get_gammatone(RATE, 512, n_bins=32)).to(device)
    spectrogram = features.STFT(n_fft=512, output_format="Magnitude", sr=RATE, verbose=False).to(device)(waves(device))
    torch.matmul(mel, spectrogram), torch.matmul(gammatone, spectrogram)
    for htk in (True, False):
        mels = librosa_functions.hz_to_mel(np.array([60.0, 440.0, 2000.0]), htk=htk)
        librosa_functions.mel_to_hz(mels, htk=htk), librosa_functions.mel_frequencies(10, htk=htk)
        librosa_functions.mel_to_hz(librosa_functions.hz_to_mel(440.0, htk=htk), htk=htk)


@uses.add
def chroma(device: torch.device) -> None:
    bank = torch.tensor(librosa_functions.chroma(RATE, 512)).to(device)
    spectrogram = features.STFT(n_fft=512, output_format="Magnitude", sr=RATE, verbose=False).to(device)(waves(device))
    torch.matmul(bank, spectrogram)
    librosa_functions.chroma(RATE, 512, n_chroma=24, base_c=False, norm=None)
    librosa_functions.hz_to_octs(np.array([440.0]))
    matrix = np.random.default_rng(0).random((4, 5))
    for norm in (np.inf, -np.inf, 0, 1, 2, None):
        librosa_functions.normalize(matrix, norm=norm)
    librosa_functions.normalize(matrix, threshold=0.5, fill=True)


if __name__ == "__main__":
    uses.main()
