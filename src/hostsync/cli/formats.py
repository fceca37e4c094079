"""The option `--output-format`."""

from __future__ import annotations

from typing import Any

import click


class FormatChoice(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """The formats are the modules of a folder; they are listed when somebody names one."""

    name = "format"

    def __init__(self, *own: str) -> None:
        """
        Args:
            own: formats that the command has besides.
        """
        self._own = own

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self._own and value not in self._names():
            self.fail(f"{value!r} is not one of {', '.join(self._names())}.", param, ctx)
        return str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return f"[{'|'.join(self._names())}]"

    def _names(self) -> tuple[str, ...]:
        from hostsync.report import format_names

        return (*self._own, *(name for name in format_names() if name not in self._own))
