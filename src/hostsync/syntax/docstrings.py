"""Finds in a docstring what it says of the types of parameters.

Three styles are understood: NumPy (`x : Tensor`), Google (`x (Tensor): the input`, also as transformers writes it,
"`torch.Tensor` of shape `(n,)`, *optional*") and Sphinx (`:type x: Tensor`, `:param Tensor x: the input`).

Sources: https://numpydoc.readthedocs.io/en/latest/format.html,
https://google.github.io/styleguide/pyguide.html#383-functions-and-methods and
https://www.sphinx-doc.org/en/master/usage/domains/python.html#info-field-lists
"""

from __future__ import annotations

import re
from typing import Final

_NAMES: Final = r"[*]{0,2}\w+(?:[ \t]*,[ \t]*[*]{0,2}\w+)*"
_DECLARED: Final = re.compile(
    r"^[ \t]*(?:"
    r":type[ \t]+(?P<type_of>\w+)[ \t]*:[ \t]*(?P<type>[^\n]+)"
    r"|:param[ \t]+(?P<before>[\w.]+(?:\[[\w., ]+\])?)[ \t]+(?P<param>\w+)[ \t]*:"
    rf"|(?:[-*][ \t]+)?(?P<google_names>{_NAMES})[ \t]*"
    r"\((?P<google>[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)[ \t]*(?::|--|$)"
    rf"|(?P<numpy_names>{_NAMES})[ \t]*:[ \t]*(?P<numpy>[^\n]+)"
    r")",
    re.MULTILINE,
)

LONGEST: Final = 200
"""Characters of a type; what is longer is a description."""


def types_in(docstring: str) -> dict[str, str]:
    """By name of a parameter, what a docstring gives as its type, as it is written; what is said first counts.

    Where no type is given, it may be the beginning of what is said of the parameter.
    """
    found: dict[str, str] = {}
    for match in _DECLARED.finditer(docstring):
        names = match["type_of"] or match["param"] or match["google_names"] or match["numpy_names"]
        text = match["type"] or match["before"] or match["google"] or match["numpy"] or ""
        for name in names.split(","):
            found.setdefault(name.strip(" \t*"), text[:LONGEST])
    return found
