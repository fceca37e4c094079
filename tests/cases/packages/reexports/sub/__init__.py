from .part import Part, part_idx
from . import deep
