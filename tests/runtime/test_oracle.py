"""The oracle and the sources where there is no GPU: what they say."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import hostsync
from hostsync.runtime import chain, prerequisites, sources
from hostsync.runtime.capture import Capture
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


def test_before_cuda_is_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    late: list[Callable[[], None]] = []
    devices = [1, 0]
    cuda = SimpleNamespace(is_initialized=lambda: False, _tls=SimpleNamespace(), _lazy_call=late.append)
    cuda.device_count = lambda: devices[0]
    compiler = SimpleNamespace(is_compiling=lambda: False)
    torch = SimpleNamespace(version=SimpleNamespace(cuda="13.0"), cuda=cuda, compiler=compiler, __version__="2.11")
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(chain, "is_compiling", chain.is_compiling)
    with hostsync.watch() as seen, hostsync.watch("driver") as named, hostsync.forbid():
        pass
    assert len(late) == 3
    for one in (seen, named):
        assert one.sources == () and one.blind_spots == ("no source was active: CUDA was not in use",)
    assert repr(seen) == "<Capture: 0 waits; no source was active: CUDA was not in use>"
    del devices[0]
    monkeypatch.setattr(prerequisites, "_sees_a_device", lambda: False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    reason = "no source was active: CUDA was not in use, and torch 2.11 finds no CUDA device here"
    assert seen.blind_spots == (reason,)


def test_sources_that_fail_when_cuda_starts_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise SourceError("somebody else has it")

    monkeypatch.setattr(sources, "_MAKE", dict.fromkeys(sources.ORDER, fail))
    for wanted in (("auto",), ("trace",)):
        session = sources.Session(0, wanted)
        session.start_late()
        capture = Capture()
        capture._session = session
        assert capture.sources == () and all("somebody else has it" in spot for spot in capture.blind_spots)
        assert len(capture.blind_spots) == (3 if wanted == ("auto",) else 1)


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
