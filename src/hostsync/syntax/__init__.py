"""Python source → facts. Importing this room does not import libcst."""

from hostsync.syntax.parse import SourceError, parse_module, parse_module_text

__all__ = ["SourceError", "parse_module", "parse_module_text"]
