"""A package that imports its own parts, and passes on what they define."""

from . import sub, utils
from .base import Base
from .base import helper as exported_helper
from .utils import *
from .utils import Helper
