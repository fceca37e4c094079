"""Waveform augmentations and compositions of torch_audiomentations, pitch shifts, and filters of julius."""

import io
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import julius
import numpy as np
import torch
import torch_audiomentations as ta
import yaml
from julius import core as julius_core
from julius.resample import _downsample2, _upsample2
from julius.utils import Chrono, MarkdownTable
from scipy.io import wavfile
from torch import nn
from torch_audiomentations.augmentations.mix import Mix
from torch_audiomentations.augmentations.padding import Padding
from torch_audiomentations.augmentations.random_crop import RandomCrop
from torch_audiomentations.augmentations.shift import shift_cpu, shift_gpu
from torch_audiomentations.utils.config import get_class_by_name
from torch_audiomentations.utils.dsp import (
    calculate_desired_noise_rms,
    calculate_rms,
    convert_amplitude_ratio_to_decibels,
    convert_decibels_to_amplitude_ratio,
)
from torch_audiomentations.utils.file import find_audio_files_in_paths
from torch_audiomentations.utils.io import Audio
from torch_pitch_shift import get_fast_shifts, pitch_shift, ratio_to_semitones, semitones_to_ratio
from uses import Use, Uses

RATE, BATCH, CHANNELS, LENGTH = 8000, 4, 2, 4000
FRAMES, CLASSES = 20, 3
uses = Uses()


def waves(device: torch.device, channels: int = CHANNELS, length: int = LENGTH) -> torch.Tensor:
    return torch.rand(BATCH, channels, length, device=device) - 0.5


def frame_targets(device: torch.device, frames: int = FRAMES) -> torch.Tensor:
    return torch.randint(0, 2, (BATCH, CHANNELS, frames, CLASSES), device=device)


class Classifier(nn.Module):
    """A classifier of waveforms."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(CHANNELS, 8, 64, stride=16)
        self.fc = nn.Linear(8, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.relu(self.conv(x)).mean(-1))


# Augmentations, in each mode


TRANSFORMS: dict[str, tuple[type, dict[str, Any]]] = {
    "AddColoredNoise": (ta.AddColoredNoise, {}),
    "AddColoredNoise pink": (
        ta.AddColoredNoise,
        {"min_snr_in_db": 10.0, "max_snr_in_db": 10.0, "min_f_decay": 1.0, "max_f_decay": 1.0},
    ),
    "BandPassFilter": (ta.BandPassFilter, {"max_center_frequency": 1900}),
    "BandStopFilter": (ta.BandStopFilter, {"max_center_frequency": 1900}),
    "Gain": (ta.Gain, {"min_gain_in_db": -15.0, "max_gain_in_db": 5.0}),
    "HighPassFilter": (ta.HighPassFilter, {}),
    "HighPassFilter fixed": (ta.HighPassFilter, {"min_cutoff_freq": 1000, "max_cutoff_freq": 1000}),
    "Identity": (ta.Identity, {}),
    "LowPassFilter": (ta.LowPassFilter, {"max_cutoff_freq": 3500.0}),
    "LowPassFilter fixed": (ta.LowPassFilter, {"min_cutoff_freq": 1000.0, "max_cutoff_freq": 1000.0}),
    "PeakNormalization": (ta.PeakNormalization, {}),
    "PeakNormalization too loud": (ta.PeakNormalization, {"apply_to": "only_too_loud_sounds"}),
    "PitchShift": (ta.PitchShift, {"sample_rate": RATE}),
    "PolarityInversion": (ta.PolarityInversion, {}),
    "Shift": (ta.Shift, {}),
    "Shift seconds": (ta.Shift, {"min_shift": 0.05, "max_shift": 0.1, "shift_unit": "seconds", "rollover": False}),
    "Shift samples": (ta.Shift, {"min_shift": -100, "max_shift": 100, "shift_unit": "samples", "rollover": False}),
    "Shift fixed": (ta.Shift, {"min_shift": 0.25, "max_shift": 0.25}),
    "SpliceOut": (ta.SpliceOut, {"num_time_intervals": 4, "max_width": 200}),
    "TimeInversion": (ta.TimeInversion, {}),
    "Mix": (Mix, {}),
    "Mix original": (Mix, {"mix_target": "original", "min_snr_in_db": 1.0}),
    "Padding": (Padding, {}),
    "Padding start": (Padding, {"pad_section": "start", "min_fraction": 0.2}),
    "ShuffleChannels": (ta.ShuffleChannels, {}),
}


def applied_use(name: str) -> Use:
    kind, made = TRANSFORMS[name]

    def use(device: torch.device) -> None:
        for mode in ("per_example", "per_batch", "per_channel"):
            if mode in kind.supported_modes:
                augment = kind(mode=mode, p=1.0, output_type="dict", **made).to(device)
                augment(waves(device), sample_rate=RATE).samples.mean()

    return use


uses.add_each("applied", TRANSFORMS, applied_use)


def sometimes_use(name: str) -> Use:
    kind, made = TRANSFORMS[name]

    def use(device: torch.device) -> None:
        augment = kind(p=0.5, output_type="tensor", **{"sample_rate": RATE, **made})
        for _ in range(3):
            augment(samples=waves(device))
        augment.freeze_parameters()
        augment.unfreeze_parameters()
        augment.eval()
        augment(samples=waves(device))

    return use


uses.add_each(
    "sometimes",
    ("AddColoredNoise", "Gain", "PolarityInversion", "Shift", "LowPassFilter", "PeakNormalization", "TimeInversion"),
    sometimes_use,
)


WITH_TARGETS = ("Gain", "TimeInversion", "PolarityInversion", "AddColoredNoise", "Identity", "LowPassFilter", "Shift")


def targets_use(name: str) -> Use:
    kind, made = TRANSFORMS[name]

    def use(device: torch.device) -> None:
        for mode, p_mode in (
            ("per_example", "per_example"),
            ("per_channel", "per_channel"),
            ("per_channel", "per_example"),
            ("per_channel", "per_batch"),
            ("per_example", "per_batch"),
            ("per_batch", "per_batch"),
        ):
            augment = kind(mode=mode, p=0.7, p_mode=p_mode, sample_rate=RATE, output_type="dict", **made)
            targets = frame_targets(device)
            out = augment(waves(device), RATE, targets=targets, target_rate=RATE * FRAMES // LENGTH)
            nn.functional.mse_loss(out.targets.float(), targets.float())

    return use


def mixed_targets_use(name: str) -> Use:
    kind, made = TRANSFORMS[name]

    def use(device: torch.device) -> None:
        for p_mode in ("per_example", "per_batch"):
            augment = kind(p=1.0, p_mode=p_mode, output_type="dict", **made) if "Mix" in name else kind(p=1.0, **made)
            augment.output_type = "dict"
            for frames in (FRAMES, 1):
                augment(waves(device), RATE, frame_targets(device, frames)).targets.sum()

    return use


def whole_targets_use(name: str) -> Use:
    kind, made = TRANSFORMS[name]

    def use(device: torch.device) -> None:
        augment = kind(p=1.0, output_type="dict", **made)
        augment(waves(device), sample_rate=RATE, targets=frame_targets(device, 1))
        augment(waves(device), sample_rate=RATE, targets=frame_targets(device))

    return use


uses.add_each("targets", (name for name in WITH_TARGETS if name != "Shift"), targets_use)
uses.add_each("targets", ("Mix", "Mix original", "ShuffleChannels"), mixed_targets_use)
uses.add_each("targets of wholes", ("Gain", "TimeInversion", "AddColoredNoise"), whole_targets_use)


@uses.add
def shift_with_targets(device: torch.device) -> None:
    augment = ta.Shift(min_shift=0.2, max_shift=0.2, p=1.0, output_type="dict")
    augment(waves(device), sample_rate=RATE, targets=frame_targets(device, 1))


@uses.add
def shifts(device: torch.device) -> None:
    by = torch.tensor([5, -3, 0, 7], device=device, dtype=torch.int32)
    shift = shift_gpu if device.type == "cuda" else shift_cpu
    for rollover in (True, False):
        shift(waves(device), by, rollover)
    shift_gpu(waves(device), by, True)
    shift_gpu(waves(device), by, False)
    shift_cpu(waves(torch.device("cpu")), by.cpu(), False)


@uses.add
def pitch_shift_modes(device: torch.device) -> None:
    for mode in ("per_example", "per_channel", "per_batch"):
        augment = ta.PitchShift(-5.0, 5.0, mode=mode, p=1.0, sample_rate=16000, output_type="dict")
        augment(waves(device, 1), 16000).samples.mean()


@uses.add
def mono(device: torch.device) -> None:
    batch = waves(device, 1)
    ta.ShuffleChannels(p=1.0, output_type="dict")(batch, RATE)
    for augment in (ta.Gain(p=1.0), ta.TimeInversion(p=1.0), ta.SpliceOut(8, 100, p=1.0)):
        augment(batch, sample_rate=RATE)
    ta.Gain(p=1.0, output_type="dict")(batch[:0], sample_rate=RATE)


@uses.add
def changed_probability(device: torch.device) -> None:
    augment = ta.Gain(p=0.0, output_type="dict")
    augment(waves(device), RATE)
    augment.p = 1.0
    augment(waves(device), RATE)


@uses.add
def half_precision(device: torch.device) -> None:
    batch = waves(device).half()
    for augment in (ta.PolarityInversion(p=1.0), ta.TimeInversion(p=1.0), ta.Identity(p=0.5)):
        augment(batch, RATE)


@uses.add
def random_crop(device: torch.device) -> None:
    RandomCrop(0.25, RATE)(waves(device))
    RandomCrop(1000, RATE, max_length_unit="samples")(waves(device), RATE)
    RandomCrop(2.0, RATE)(waves(device))


# Noise and impulse responses from recordings


def recording(seconds: float, rate: int = RATE, channels: int = 1) -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.5, 0.5, (int(seconds * rate), channels)).astype(np.float32)


def recorded(folder: Path) -> list[dict[str, Any]]:
    """Writes wave files, and reads them as the package's Audio takes them: samples with their rate."""
    for i, (seconds, rate, channels) in enumerate(((0.3, RATE, 1), (1.0, 2 * RATE, 2), (0.7, RATE, 1))):
        wavfile.write(folder / f"noise{i}.wav", rate, recording(seconds, rate, channels))
    read = [wavfile.read(path) for path in find_audio_files_in_paths(folder)]
    return [{"samples": torch.from_numpy(data.reshape(len(data), -1).T.copy()), "sample_rate": r} for r, data in read]


def background_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        with tempfile.TemporaryDirectory() as folder:
            sounds = recorded(Path(folder))
            for snr, rate in ((20.0, RATE), (3.0, None)):
                augment = ta.AddBackgroundNoise(
                    folder, 3.0, snr, mode=name, p=1.0, sample_rate=rate, output_type="dict"
                ).to(device)
                augment.background_paths = sounds
                augment(waves(device), sample_rate=RATE).samples.std()

    return use


def impulse_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        with tempfile.TemporaryDirectory() as folder:
            sounds = recorded(Path(folder))
            for compensate, rate in ((False, RATE), (True, None)):
                augment = ta.ApplyImpulseResponse(
                    [folder],
                    compensate_for_propagation_delay=compensate,
                    mode=name,
                    p=1.0,
                    sample_rate=rate,
                    output_type="dict",
                ).to(device)
                augment.ir_paths = sounds
                augment(waves(device), sample_rate=RATE).samples.std()

    return use


MODES = ("per_example", "per_channel", "per_batch")
uses.add_each("background noise", MODES, background_use)
uses.add_each("impulse response", MODES, impulse_use)


@uses.add
def audio_files(device: torch.device) -> None:
    audio, mono_audio = Audio(RATE // 2, mono=False), Audio(RATE)
    file = {"samples": torch.rand(2, LENGTH, device=device) - 0.5, "sample_rate": RATE}
    audio(file, sample_offset=100, num_samples=500)
    audio({**file, "channel": 1})
    mono_audio(file)
    mono_audio.get_num_samples(file)
    Audio.rms_normalize(mono_audio(file))
    audio(file, num_samples=333)


@uses.add
def convolutions(device: torch.device) -> None:
    kernel = torch.rand(1, CHANNELS, 65, device=device)
    for mode in ("full", "valid", "same"):
        ta.convolve(waves(device), kernel, mode=mode)


@uses.add
def levels(device: torch.device) -> None:
    rms = calculate_rms(waves(device))
    noise = calculate_desired_noise_rms(rms, 10.0)
    convert_decibels_to_amplitude_ratio(convert_amplitude_ratio_to_decibels(rms / noise))


# Compositions and configurations


def chain() -> list[nn.Module]:
    return [
        ta.Gain(min_gain_in_db=-15.0, max_gain_in_db=5.0, p=0.5, output_type="dict"),
        ta.PolarityInversion(p=0.5, output_type="dict"),
        ta.AddColoredNoise(p=0.5, output_type="dict"),
        ta.LowPassFilter(max_cutoff_freq=3500.0, p=0.5, output_type="dict"),
    ]


COMPOSITIONS: dict[str, Callable[[], nn.Module]] = {
    "Compose": lambda: ta.Compose(chain(), output_type="dict"),
    "Compose shuffled": lambda: ta.Compose(chain(), shuffle=True, p=0.8, output_type="dict"),
    "Compose with modules": lambda: ta.Compose([*chain()[:2], nn.Dropout(0.1)], output_type="dict"),
    "SomeOf": lambda: ta.SomeOf((1, None), chain(), output_type="dict"),
    "SomeOf two": lambda: ta.SomeOf(2, [*chain(), nn.Dropout(0.1)], output_type="dict"),
    "OneOf": lambda: ta.OneOf(chain(), output_type="dict"),
    "nested": lambda: ta.Compose([ta.OneOf(chain()[:2]), ta.SomeOf((1, 2), chain()[2:])], output_type="dict"),
    "tensors": lambda: ta.Compose([ta.Compose(chain()), ta.OneOf(chain())]),
}


def composition_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        augment = COMPOSITIONS[name]().to(device)
        for _ in range(2):
            augment(waves(device), sample_rate=RATE)
        augment(samples=waves(device), sample_rate=RATE, targets=frame_targets(device), target_rate=40)
        augment.eval()
        augment(waves(device), sample_rate=RATE)

    return use


uses.add_each("composition", COMPOSITIONS, composition_use)


@uses.add
def frozen_composition(device: torch.device) -> None:
    for augment in (ta.Compose(chain(), output_type="dict"), ta.SomeOf(2, chain(), output_type="dict")):
        batch = waves(device)
        augment(batch, sample_rate=RATE)
        if isinstance(augment, ta.SomeOf):
            for transform in augment.transforms:
                transform(batch, sample_rate=RATE)
        augment.freeze_parameters()
        augment(batch, sample_rate=RATE)
        augment.unfreeze_parameters()
        _ = augment.supported_modes


CONFIG = {
    "transform": "Compose",
    "params": {
        "transforms": [
            {"transform": "Gain", "params": {"min_gain_in_db": -12.0, "mode": "per_channel"}},
            {"transform": "PolarityInversion"},
        ],
        "shuffle": True,
    },
}


@uses.add
def configurations(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yml"
        path.write_text(yaml.safe_dump(CONFIG))
        ta.from_yaml(path)(waves(device), RATE)
    ta.from_dict({"transform": "Gain", "params": {"min_gain_in_db": -12.0, "p": 1.0}})(waves(device), RATE)
    get_class_by_name("torch_audiomentations.TimeInversion")(p=1.0)(waves(device), RATE)


@uses.add
def training(device: torch.device) -> None:
    model = Classifier().to(device)
    augment = ta.Compose([*chain(), ta.Shift(p=0.5), ta.PeakNormalization(p=0.5)], output_type="dict").to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(3):
        labels = torch.randint(0, CLASSES, (BATCH,), device=device)
        samples = augment(waves(device), sample_rate=RATE).samples
        loss = nn.functional.cross_entropy(model(samples), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    augment.eval()
    model.eval()
    with torch.no_grad():
        model(augment(waves(device), sample_rate=RATE).samples).argmax(1)


# torch_pitch_shift


@uses.add
def pitch_shifts(device: torch.device) -> None:
    batch = waves(device)
    for shift in get_fast_shifts(RATE)[:2]:
        pitch_shift(batch, shift, RATE)
    pitch_shift(batch, -5, RATE)
    pitch_shift(batch, 12, RATE, bins_per_octave=24, n_fft=256, hop_length=32)
    pitch_shift(batch, Fraction(4, 5), RATE, n_fft=256, window=torch.hann_window(256, device=device))
    ratio_to_semitones(semitones_to_ratio(3.0))
    get_fast_shifts(RATE, lambda x: 1 < x < 1.5)


# julius

FILTERS: dict[str, Callable[[], nn.Module]] = {
    "LowPassFilter": lambda: julius.LowPassFilter(0.25),
    "LowPassFilter strided": lambda: julius.LowPassFilter(0.1, stride=2, fft=True),
    "LowPassFilter unpadded": lambda: julius.LowPassFilter(0.1, pad=False, fft=False),
    "LowPassFilter zero": lambda: julius.LowPassFilters([0.0, 0.1]),
    "LowPassFilters": lambda: julius.LowPassFilters([0.05, 0.2, 0.4]),
    "LowPassFilters long": lambda: julius.LowPassFilters([0.01, 0.02], zeros=16),
    "HighPassFilter": lambda: julius.HighPassFilter(0.1),
    "HighPassFilter unpadded": lambda: julius.HighPassFilter(0.1, pad=False),
    "HighPassFilters": lambda: julius.HighPassFilters([0.1, 0.2], zeros=4),
    "BandPassFilter": lambda: julius.BandPassFilter(0.1, 0.3),
    "BandPassFilter long": lambda: julius.BandPassFilter(0.01, 0.3, fft=True),
    "SplitBands": lambda: julius.SplitBands(RATE, n_bands=6),
    "SplitBands cutoffs": lambda: julius.SplitBands(RATE, cutoffs=[500, 1000, 2000]),
    "SplitBands one": lambda: julius.SplitBands(RATE, n_bands=1),
    "ResampleFrac up": lambda: julius.ResampleFrac(4, 5),
    "ResampleFrac down": lambda: julius.ResampleFrac(RATE * 2, RATE, zeros=16),
    "ResampleFrac same": lambda: julius.ResampleFrac(RATE, RATE),
    "FFTConv1d": lambda: julius.FFTConv1d(CHANNELS, 4, 128, stride=4, padding=8),
    "FFTConv1d without bias": lambda: julius.FFTConv1d(CHANNELS, 4, 256, bias=False),
}
SHOWN = ("cutoff", "cutoffs", "cutoff_low", "cutoff_high", "stride", "pad", "zeros", "fft")


def filter_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        module = FILTERS[name]().to(device)
        x = waves(device).requires_grad_()
        out = module(x)
        out.square().mean().backward()
        repr(module)
        for shown in SHOWN:
            getattr(module, shown, None)

    return use


uses.add_each("julius", FILTERS, filter_use)


@uses.add
def julius_functions(device: torch.device) -> None:
    x = waves(device)
    julius.lowpass_filter(x, 0.2)
    julius.lowpass_filters(x, [0.1, 0.2])
    julius.highpass_filter(x, 0.2)
    julius.highpass_filters(x, [0.1, 0.2])
    julius.bandpass_filter(x, 0.1, 0.2)
    julius.split_bands(x, RATE, n_bands=4)
    julius.split_bands(x, RATE, cutoffs=[1000, 2000])
    julius.fft_conv1d(x, torch.rand(3, CHANNELS, 128, device=device), torch.zeros(3, device=device), stride=2)


@uses.add
def julius_resampling(device: torch.device) -> None:
    x = waves(device)
    julius.resample_frac(x, 4, 3)
    julius.resample_frac(x, 3, 4, full=True)
    up = julius.ResampleFrac(3, 7, rolloff=0.9).to(device)
    up(x, output_length=9000)
    up(x, full=True)
    _downsample2(_upsample2(x))
    _downsample2(x[..., :-1], zeros=12)


@uses.add
def julius_core_functions(device: torch.device) -> None:
    x = waves(device)
    julius_core.volume(x)
    tone = julius_core.pure_tone(440.0, RATE, 0.5, device=device)
    julius_core.unfold(tone, 256, 64)
    julius_core.pad_to(tone, 5000)
    julius_core.sinc(torch.linspace(-3, 3, 7, device=device))
    julius_core.mel_to_hz(julius_core.hz_to_mel(torch.tensor([100.0, 1000.0], device=device)))
    julius_core.mel_frequencies(10, 0.0, 4000.0)


@uses.add
def julius_training(device: torch.device) -> None:
    model = nn.Sequential(julius.FFTConv1d(CHANNELS, 4, 128, stride=8), nn.ReLU(), julius.FFTConv1d(4, 1, 32))
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    target = julius.ResampleFrac(8, 1).to(device)(waves(device))
    for _ in range(2):
        out = model(waves(device))
        loss = nn.functional.l1_loss(out, target[:, :1, : out.shape[-1]])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@uses.add
def julius_benchmark(device: torch.device) -> None:
    table = MarkdownTable(["Name of it", "Duration"], file=io.StringIO())
    table.header()
    for name in ("LowPassFilters", "SplitBands"):
        module = FILTERS[name]().to(device)
        with Chrono() as chrono:
            module(waves(device))
        table.line([name, f"{chrono.duration:.4f}"])


if __name__ == "__main__":
    uses.main()
