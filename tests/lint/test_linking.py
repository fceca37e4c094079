"""What a file knows of other files and packages."""

from __future__ import annotations

from hostsync.lint.check import Plan
from hostsync.lint.linking import unmeasured

OWN = "<acme@0123456789abcdef>/acme/segments.py:scatter"
TORCH = "<torch@0123456789abcdef>/torch/functional.py:unique"


def test_a_function_of_a_package_is_not_the_one_of_torch_that_has_its_name() -> None:
    targets = [("acme.segments scatter", OWN), ("acme unique", TORCH)]
    found = unmeasured(targets, "use", Plan())
    assert found["acme.segments scatter"] == OWN
    assert found["acme unique"].endswith("torch.unique"), "which a package has from torch and passes on"
