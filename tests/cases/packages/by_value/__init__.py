"""Methods that a base class has by value, or takes whatever arguments for: derived classes name them."""

from .operations import Shift

__all__ = ["Shift"]
