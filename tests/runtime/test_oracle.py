"""The oracle and the sources where there is no GPU: what they say."""

from __future__ import annotations

import sys

import pytest

import hostsync
from hostsync.runtime.errors import OracleError, SourceError
from hostsync.runtime.oracle import Waited


def test_the_result_is_true_only_if_it_waited() -> None:
    assert not Waited(False, "none", ())
    assert Waited(True, "stream", ())


def test_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(OracleError, match="torch"):
        hostsync.waits(lambda: None)
    with hostsync.watch() as seen:
        pass
    assert seen.sources == () and "torch isn't installed" in seen.blind_spots[0]
    with pytest.raises(SourceError, match="torch isn't installed"), hostsync.watch("driver"):
        pass


def test_a_torch_without_cuda() -> None:
    torch = pytest.importorskip("torch")
    if torch.version.cuda is not None:
        pytest.skip("this torch has CUDA")
    with pytest.raises(OracleError, match="without"):
        hostsync.waits(lambda: None)
    with hostsync.forbid():
        torch.ones(2).sum().item()
    with pytest.raises(SourceError, match="without CUDA"), hostsync.watch("debug"):
        pass


def test_an_unknown_source() -> None:
    for wrong in ("drivr", (), ("driver", "auto")):
        with pytest.raises(ValueError, match="sources must be"), hostsync.watch(wrong):
            pass


def test_regions_in_compiled_code() -> None:
    torch = pytest.importorskip("torch")

    @torch.compile(fullgraph=True, backend="eager")
    def step(value):  # type: ignore[no-untyped-def]
        with hostsync.allow("nothing to see"):
            return value * 2

    @torch.compile(fullgraph=True, backend="eager")
    @hostsync.allow("nothing to see")
    def decorated(value):  # type: ignore[no-untyped-def]
        return value * 2

    value = torch.ones(3)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for run in (step, decorated):
            assert torch.equal(run(value), value * 2)
            with hostsync.allow("nothing to see"):
                assert torch.equal(run(value), value * 2)
