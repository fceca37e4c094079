"""hostsync finds the lines of PyTorch code that quietly make the CPU wait for the GPU."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hostsync.runtime.errors import HostSyncError
    from hostsync.runtime.oracle import waits
    from hostsync.runtime.regions import allow, forbid, watch

__version__ = "0.1.0"
__all__ = ["HostSyncError", "allow", "forbid", "waits", "watch"]

_HOMES = {
    "HostSyncError": "errors",
    "allow": "regions",
    "forbid": "regions",
    "waits": "oracle",
    "watch": "regions",
}


def __getattr__(name: str) -> object:
    """Import the runtime's names when they are first used: the static half has no use for them."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"hostsync.runtime.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
