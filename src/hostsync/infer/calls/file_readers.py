"""What libraries read from files: tensors in the memory of the host, unless they are told another place, and data.

Sources: documentation of torchaudio (`load`), torchvision (`torchvision.io`) and safetensors (`safetensors.torch`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.calls.placing import device_of
from hostsync.infer.devices import CPU, Device, is_certain, only_host
from hostsync.infer.explaining import explain
from hostsync.infer.frame import Frame
from hostsync.infer.values import DATA, NUMBER, UNKNOWN, Items, Tensor, Value
from hostsync.infer.values import Mapping as MappingValue

LOADING: Final = "safetensors.torch.load_file"

_Reader: TypeAlias = Callable[[Frame, facts.Call, ArgumentList, KeywordList], Value]


def _told(keywords: KeywordList, given: ArgumentList) -> Device:
    """Where they are told to put what they read."""
    named = [value for name, _, value in keywords if name == "device"] + [value for _, value in given]
    return device_of(named[0]).device if named else CPU


def _picture(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return explain(Tensor(_told(keywords, []), ndim=3), node)


def _bytes(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return explain(Tensor(CPU, ndim=1), node)


def _video(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    frames, sound = explain(Tensor(CPU, ndim=4), node), explain(Tensor(CPU, "float", 2), node)
    return Items("tuple", (frames, sound, MappingValue((), NUMBER)), UNKNOWN)


def _sound(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """The samples and how many of them there are in a second."""
    return Items("tuple", (explain(Tensor(CPU, "float", 2), node), NUMBER), UNKNOWN)


def _data(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """Texts, numbers, lists and dictionaries, none of which holds a tensor."""
    return DATA


def _weights(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    device = _told(keywords, args[1:2])
    if not only_host(device):
        frame.emit("call", LOADING, "", node, device=device, confidence=None if is_certain(device) else "likely")
    return MappingValue((), explain(Tensor(device), node))


READERS: Final[Mapping[str, _Reader]] = MappingProxyType(
    {
        "torchaudio.load": _sound,
        **{
            f"torchvision.io.{module}{name}": _picture
            for name in "read_image decode_image decode_jpeg decode_png decode_gif decode_webp".split()
            for module in ("", "image.")
        },
        "torchvision.io.read_file": _bytes,
        "torchvision.io.read_video": _video,
        LOADING: _weights,
        **dict.fromkeys(
            "json.load json.loads orjson.loads ujson.load ujson.loads yaml.load yaml.full_load yaml.safe_load "
            "tomllib.load tomllib.loads tomli.load tomli.loads toml.load toml.loads csv.reader csv.DictReader".split(),
            _data,
        ),
    }
)
"""By function, what it gives."""
