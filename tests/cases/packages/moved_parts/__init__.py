"""Objects that are moved by a method `to` of their own, and tell their parts."""

from .uniform import Drawing

__all__ = ["Drawing"]
