"""Where a value may live: on an accelerator, on the CPU, or wherever something else does."""

from __future__ import annotations

from typing import Final, TypeAlias

Atom: TypeAlias = str
"""`acc` (an accelerator), `other` (where CUDA does not work), `cpu`, `meta`, `?` (not known), `=name`: wherever the
parameter `name` lives, or `moved`: wherever the object that hands it on has been moved to."""
Device: TypeAlias = frozenset[Atom]
"""The places where a value may live."""

ACCELERATOR: Final[Device] = frozenset({"acc"})
CPU: Final[Device] = frozenset({"cpu"})
META: Final[Device] = frozenset({"meta"})
ANYWHERE: Final[Device] = frozenset({"?"})
MOVED: Final[Device] = frozenset({"moved"})
UNTOLD: Final[Device] = frozenset({"untold"})
"""Where a call leaves out a device that is the CPU then. Only devices are ever there, between files."""
OTHER: Final[Device] = frozenset({"other"})
"""On an accelerator that CUDA does not drive, of which nothing was measured, or by a test wherever CUDA is not."""
OTHER_DEVICES: Final = frozenset({"hpu", "mlu", "mps", "musa", "neuron", "npu", "tpu", "xla", "xpu"})
"""Names of devices that CUDA does not drive, as `torch.device` and methods such as `x.xpu()` know them."""
_HOST: Final[Device] = CPU | META | OTHER
MOVES: Final = frozenset({"to", "cuda"})
"""Methods that take tensors, modules and what holds such to a device, which is the accelerator nearly always."""


def of_param(name: str) -> Device:
    """The device of whatever is passed for the parameter `name`."""
    return frozenset({"=" + name})


def is_of_params(device: Device) -> bool:
    """Whether it depends on what is passed for a parameter."""
    for atom in device:  # noqa: SIM110, asked so often that a generator's cost shows
        if atom.startswith("="):
            return True
    return False


def without_params(device: Device) -> Device:
    """A device as others see it, who don't know the parameters of the function that it comes from."""
    return frozenset("?" if atom.startswith("=") else atom for atom in device) if is_of_params(device) else device


def only_host(device: Device) -> bool:
    """True when the value is known not to live on an accelerator that CUDA drives."""
    return device <= _HOST


def is_certain(device: Device) -> bool:
    """True when there is positive evidence of an accelerator and none of anything else."""
    return device == ACCELERATOR


def unmixed(device: Device) -> Device:
    """Where one of several tensors is, each of which may be elsewhere: that some are on the CPU says nothing of it."""
    return device - CPU or device
