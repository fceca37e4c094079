"""Time-domain, spectral, multi-resolution and perceptual audio losses of auraloss, alone and in training."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import auraloss
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import torch
from auraloss import freq, perceptual, time
from auraloss.utils import apply_reduction
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from uses import Use, Uses

mpl.use("Agg")
BATCH, LENGTH, RATE = 3, 8192, 16000
Maker = Callable[[], nn.Module]
uses = Uses()


def pair(device: torch.device, channels: int = 1, batch: int = BATCH) -> tuple[torch.Tensor, torch.Tensor]:
    target = torch.rand(batch, channels, LENGTH, device=device) * 2 - 1
    return (target + 0.1 * torch.randn_like(target)).requires_grad_(), target


class Amplifier(nn.Module):
    """A small convolutional model of an audio effect."""

    def __init__(self, channels: int = 1) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(channels, 8, 13, padding=6), nn.PReLU(), nn.Conv1d(8, channels, 13, padding=6), nn.Tanh()
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


# In the time domain

TIME: dict[str, Maker] = {
    "ESR": lambda: time.ESRLoss(),
    "DC": lambda: time.DCLoss(),
    "LogCosh": lambda: time.LogCoshLoss(),
    "LogCosh smooth": lambda: time.LogCoshLoss(a=0.5),
    "SNR": lambda: time.SNRLoss(),
    "SNR with a mean": lambda: time.SNRLoss(zero_mean=False),
    "SISDR": lambda: time.SISDRLoss(),
    "SISDR with a mean": lambda: time.SISDRLoss(zero_mean=False),
    "SDSDR": lambda: time.SDSDRLoss(),
}


def backward_use(made: dict[str, Maker], channels: int = 1) -> Callable[[str], Use]:
    def use_of(name: str) -> Use:
        def use(device: torch.device) -> None:
            criterion = made[name]().to(device)
            found = criterion(*pair(device, channels, 1 if "invariant" in name else BATCH))
            loss = found[0] if isinstance(found, tuple) else found
            loss.mean().backward()

        return use

    return use_of


uses.add_each("time", TIME, backward_use(TIME))


def reduced_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for kind in (time.ESRLoss, time.DCLoss, time.LogCoshLoss, time.SNRLoss, time.SISDRLoss, time.SDSDRLoss):
            kind(reduction=name)(*pair(device, 2)).sum().backward()
        apply_reduction(torch.rand(4, device=device), name)

    return use


uses.add_each("time with reduction", ("mean", "sum", "none"), reduced_use)

# In the frequency domain

STFT: dict[str, Maker] = {
    "default": lambda: freq.STFTLoss(),
    "short": lambda: freq.STFTLoss(fft_size=256, hop_size=64, win_length=256, window="hamming_window"),
    "linear": lambda: freq.STFTLoss(w_log_mag=0.0, w_lin_mag=1.0),
    "phase": lambda: freq.STFTLoss(w_phs=0.5, w_sc=0.0),
    "L2": lambda: freq.STFTLoss(mag_distance="L2"),
    "full": lambda: freq.STFTLoss(w_phs=1.0, w_lin_mag=1.0, output="full"),
    "sum": lambda: freq.STFTLoss(reduction="sum"),
    "none": lambda: freq.STFTLoss(reduction="none"),
    "scale invariant": lambda: freq.STFTLoss(scale_invariance=True),
    "perceptual": lambda: freq.STFTLoss(perceptual_weighting=True, sample_rate=44100),
    "perceptual and invariant": lambda: freq.STFTLoss(
        perceptual_weighting=True, sample_rate=RATE, scale_invariance=True, fft_size=512, hop_size=128, win_length=512
    ),
}
MULTIPLE: dict[str, Maker] = {
    "MultiResolution": lambda: freq.MultiResolutionSTFTLoss(),
    "MultiResolution chosen": lambda: freq.MultiResolutionSTFTLoss(
        fft_sizes=[512, 256], hop_sizes=[128, 64], win_lengths=[512, 256], w_phs=0.1, w_lin_mag=0.1
    ),
    "MultiResolution full": lambda: freq.MultiResolutionSTFTLoss(output="full", w_lin_mag=1.0),
    "MultiResolution perceptual and invariant": lambda: freq.MultiResolutionSTFTLoss(
        sample_rate=44100, perceptual_weighting=True, scale_invariance=True
    ),
    "RandomResolution": lambda: freq.RandomResolutionSTFTLoss(max_fft_size=2048),
    "RandomResolution rarely": lambda: freq.RandomResolutionSTFTLoss(
        resolutions=2, min_fft_size=64, max_fft_size=1024, randomize_rate=2, w_phs=0.1
    ),
}
SIZES: dict[str, list[int]] = {"fft_sizes": [512, 1024], "hop_sizes": [128, 256], "win_lengths": [512, 1024]}
STEREO: dict[str, Maker] = {
    "SumAndDifference": lambda: freq.SumAndDifferenceSTFTLoss(**SIZES),
    "SumAndDifference full": lambda: freq.SumAndDifferenceSTFTLoss(**SIZES, w_sum=0.8, w_diff=1.2, output="full"),
    "SumAndDifference perceptual": lambda: freq.SumAndDifferenceSTFTLoss(
        **SIZES, sample_rate=44100, perceptual_weighting=True
    ),
    "MultiResolution": lambda: freq.MultiResolutionSTFTLoss(),
    "STFT perceptual": lambda: freq.STFTLoss(perceptual_weighting=True, sample_rate=44100),
    "SISDR": lambda: time.SISDRLoss(),
    "ESR": lambda: time.ESRLoss(),
}
SCALED: dict[str, Callable[[torch.device], nn.Module]] = {
    "MelSTFT": lambda device: freq.MelSTFTLoss(RATE, n_mels=32, device=device),
    "MelSTFT unplaced": lambda device: freq.MelSTFTLoss(RATE, fft_size=512, hop_size=128, win_length=512, n_mels=20),
    "STFT of mels": lambda device: freq.STFTLoss(scale="mel", sample_rate=RATE, n_bins=32, w_lin_mag=1.0),
    "STFT of mels perceptual and invariant": lambda device: freq.STFTLoss(
        scale="mel", sample_rate=RATE, n_bins=32, perceptual_weighting=True, scale_invariance=True
    ),
    "MultiResolution of mels": lambda device: freq.MultiResolutionSTFTLoss(
        fft_sizes=[1024, 2048],
        hop_sizes=[256, 512],
        win_lengths=[1024, 2048],
        scale="mel",
        n_bins=64,
        sample_rate=RATE,
        perceptual_weighting=True,
        device=device,
    ),
    "RandomResolution of mels": lambda device: freq.RandomResolutionSTFTLoss(
        min_fft_size=512, max_fft_size=2048, scale="mel", sample_rate=RATE, n_mels=16
    ),
    "SumAndDifference of mels": lambda device: freq.SumAndDifferenceSTFTLoss(
        **SIZES, scale="mel", n_bins=32, sample_rate=RATE
    ),
}
uses.add_each("stft", STFT, backward_use(STFT))
uses.add_each("resolutions", MULTIPLE, backward_use(MULTIPLE))
uses.add_each("stereo", STEREO, backward_use(STEREO, channels=2))


def scaled_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        criterion = SCALED[name](device)
        criterion(*pair(device, 2 if "Sum" in name else 1, 1 if "invariant" in name else BATCH)).backward()

    return use


uses.add_each("scaled", SCALED, scaled_use)


def window_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        freq.STFTLoss(512, 128, 512, window=name)(*pair(device)).backward()

    return use


uses.add_each("window", ("bartlett_window", "blackman_window", "kaiser_window"), window_use)


@uses.add
def randomized_again(device: torch.device) -> None:
    criterion = auraloss.freq.RandomResolutionSTFTLoss(resolutions=2, max_fft_size=1024, randomize_rate=2)
    for _ in range(3):
        criterion(*pair(device)).backward()


@uses.add
def magnitudes(device: torch.device) -> None:
    stft = freq.STFTLoss(512, 128, 512)
    stft.window = stft.window.to(device)
    x, y = pair(device)
    (x_magnitude, _), (y_magnitude, _) = stft.stft(x.squeeze(1)), stft.stft(y.squeeze(1))
    freq.SpectralConvergenceLoss()(x_magnitude, y_magnitude)
    for log in (True, False):
        for distance in ("L1", "L2"):
            freq.STFTMagnitudeLoss(log=log, distance=distance, reduction="sum")(x_magnitude, y_magnitude)


# Filters


def filtered_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        fir = perceptual.FIRFilter(filter_type=name, fs=44100).to(device)
        x, y = fir(*pair(device))
        time.ESRLoss()(x, y).backward()

    return use


uses.add_each("filtered", ("hp", "fd", "aw"), filtered_use)


@uses.add
def drawn_filter(device: torch.device) -> None:
    fir = perceptual.FIRFilter(filter_type="aw", fs=44100, ntaps=51, plot=True).to(device)
    plt.close("all")
    fir(*pair(device))


@uses.add
def sums_and_differences(device: torch.device) -> None:
    x, y = pair(device, 2)
    module = perceptual.SumAndDifference()
    total, difference = module(x)
    (time.SNRLoss()(total, module(y)[0]) + difference.square().mean()).backward()
    module.sum(y), module.diff(y)


# Training

TRAINED: dict[str, Maker] = {
    "L1": lambda: nn.L1Loss(),
    "ESR": lambda: time.ESRLoss(),
    "SISDR": lambda: time.SISDRLoss(),
    "LogCosh": lambda: time.LogCoshLoss(),
    "STFT": lambda: freq.STFTLoss(),
    "MultiResolution": lambda: freq.MultiResolutionSTFTLoss(),
    "RandomResolution": lambda: freq.RandomResolutionSTFTLoss(max_fft_size=2048),
}


def trained_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model, criterion = Amplifier().to(device), TRAINED[name]().to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for _ in range(2):
            x, y = pair(device)
            loss = criterion(model(x.detach()), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss.item()

    return use


uses.add_each("trained with", TRAINED, trained_use)


@uses.add
def compressor_modelling(device: torch.device) -> None:
    model = Amplifier(2).to(device)
    esr, dc, stft = time.ESRLoss(), time.DCLoss(), freq.SumAndDifferenceSTFTLoss(**SIZES)
    pre = perceptual.FIRFilter(filter_type="hp")
    pre.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(2):
        x, y = pair(device, 2)
        out = model(x.detach())
        left_out, left_y = pre(out[:, :1], y[:, :1])
        loss = esr(left_out, left_y) + dc(out, y) + 0.1 * stft(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@uses.add
def evaluation(device: torch.device) -> None:
    model = Amplifier().to(device).eval()
    data = DataLoader(TensorDataset(torch.rand(6, 1, LENGTH), torch.rand(6, 1, LENGTH)), batch_size=2)
    criteria = {
        "snr": time.SNRLoss(),
        "si-sdr": time.SISDRLoss(),
        "stft": freq.STFTLoss(),
        "mrstft": freq.MultiResolutionSTFTLoss(),
    }
    found: dict[str, list[float]] = {name: [] for name in criteria}
    with torch.no_grad():
        for x, y in data:
            out = model(x.to(device))
            for name, criterion in criteria.items():
                found[name].append(criterion(out, y.to(device)).item())
    {name: np.mean(values) for name, values in found.items()}


@uses.add
def saved_loss(device: torch.device) -> None:
    criterion = freq.MultiResolutionSTFTLoss(sample_rate=44100, perceptual_weighting=True).to(device)
    with tempfile.TemporaryDirectory() as folder:
        torch.save(criterion.state_dict(), Path(folder) / "loss.pt")
        criterion.load_state_dict(torch.load(Path(folder) / "loss.pt"))
    criterion(*pair(device)).backward()


if __name__ == "__main__":
    uses.main()
