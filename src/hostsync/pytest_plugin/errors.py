"""What the plugin raises in tests."""

from __future__ import annotations


class UnexpectedHostSync(AssertionError):  # noqa: N818 - reads well in `xfail(raises=UnexpectedHostSync)`
    """A test made the host wait for the GPU more often than it may. Can be pickled.

    Attributes:
        waits: the unexpected waits.
    """

    def __init__(self, message: str = "", waits: int = 0) -> None:
        super().__init__(message)
        self.waits = waits

    def __reduce__(self) -> tuple[type[UnexpectedHostSync], tuple[str, int]]:
        return UnexpectedHostSync, (str(self), self.waits)
