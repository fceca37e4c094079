"""Shapes."""

from .structure import Meshes

__all__ = ["Meshes"]
