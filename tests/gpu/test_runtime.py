"""The runtime on a GPU: places, regions, backward passes, restored state."""

from __future__ import annotations

import ast
import inspect
import linecache
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import hostsync

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

SOURCES = ("driver", "trace", "debug")


@pytest.fixture
def x() -> Any:
    torch.cuda.init()
    values = torch.rand(64, device="cuda")
    values.sum().item()
    return values


def text(wait: Any) -> str:
    from hostsync.runtime.places import text_at

    return text_at(wait.place)


def row() -> int:
    frame = inspect.currentframe()
    assert isinstance(frame, FrameType) and frame.f_back is not None
    return frame.f_back.f_lineno


@pytest.mark.parametrize("sources", SOURCES)
def test_the_expression_that_waited(x: Any, sources: str) -> None:
    mask = x > 0.5
    with hostsync.watch(sources) as seen:
        total = 1 + x.sum().item()
        picked = x[mask]
    assert [text(wait) for wait in seen.waits] == ["x.sum().item()", "x[mask]"], seen.waits
    assert [wait.operation for wait in seen.waits] == ["aten::item", "aten::index"]
    assert seen.count == 2 and total and picked is not None
    assert {wait.place.function.rpartition(".")[2] for wait in seen.waits} == {"test_the_expression_that_waited"}
    if sources == "driver":
        assert {wait.stream for wait in seen.waits} == {7}
        assert all(wait.seconds > 0 for wait in seen.waits)


def test_auto_takes_the_driver(x: Any) -> None:
    with hostsync.watch() as seen:
        x.tolist()
    assert seen.sources == ("driver",)
    (wait,) = seen.waits
    assert (wait.call, wait.kind, wait.memory, wait.bytes) == ("cuMemcpyDtoHAsync_v2", "copy-to-host", "pageable", 256)


class ReadsInBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, value: Any) -> Any:
        return value * 2

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        gradient.sum().item()
        return gradient


def test_a_wait_in_backward_without_python(x: Any) -> None:
    parameter = x.clone().requires_grad_()
    loss = parameter[parameter > 0.5].sum()
    loss.backward(retain_graph=True)
    with hostsync.watch("driver") as seen:
        loss.backward()
    (wait, *_) = seen.waits
    assert text(wait) == "loss.backward()"
    assert wait.phase == "backward" and wait.operation == "IndexBackward0"


def test_a_wait_in_a_function_of_backward(x: Any) -> None:
    loss = ReadsInBackward.apply(x.clone().requires_grad_()).sum()
    with hostsync.watch("driver") as seen:
        loss.backward()
    (wait,) = seen.waits
    assert text(wait) == "gradient.sum().item()"
    assert wait.phase == "backward"


WAITS: dict[str, Callable[[Any], Any]] = {
    "item": lambda x: x[0].item(),
    "mask": lambda x: x[x > 0.5],
    "truth": lambda x: 1 if x[0] > 0 else 2,
    "print": lambda x: f"{x}",
    "stream": lambda x: torch.cuda.current_stream().synchronize(),
}


@pytest.mark.parametrize("sources", SOURCES)
@pytest.mark.parametrize("name", list(WAITS))
def test_forbid_raises_at_the_wait(x: Any, name: str, sources: str) -> None:
    after = []
    with pytest.raises(hostsync.HostSyncError) as raised, hostsync.forbid(sources):
        WAITS[name](x)
        after.append(1)
    assert not after
    assert raised.value.wait is not None and "lambda" in raised.value.wait.place.function
    copy = pickle.loads(pickle.dumps(raised.value))
    assert copy.wait == raised.value.wait and str(copy) == str(raised.value)
    x.sum().item()


@pytest.mark.parametrize("sources", ["driver", "trace"])
def test_forbid_raises_at_waits_without_a_warning(x: Any, sources: str) -> None:
    for call in (torch.cuda.synchronize, lambda: torch.cuda.current_stream().record_event().synchronize()):
        after = []
        with pytest.raises(hostsync.HostSyncError), hostsync.forbid(sources):
            call()
            after.append(1)
        assert not after


def test_forbid_raises_the_line(x: Any) -> None:
    from hostsync.runtime import trace

    expected = 0
    try:
        with hostsync.forbid():
            y = x + 1
            expected = row() + 1
            y = x[y > 0.5]
            y = y + 1
    except hostsync.HostSyncError as error:
        # Once torch's GPU trace is on in the process, errors are raised after the operation.
        assert error.__traceback__ is not None
        assert error.__traceback__.tb_lineno in (expected, expected + trace.is_registered)
        assert error.wait is not None and error.wait.place is not None and error.wait.place.row == expected
    else:
        pytest.fail("nothing was raised")
    assert linecache.getline(__file__, expected).strip() == "y = x[y > 0.5]"


@pytest.mark.parametrize("sources", SOURCES)
def test_forbid_in_backward(x: Any, sources: str) -> None:
    loss = ReadsInBackward.apply(x.clone().requires_grad_()).sum()
    after = []
    with pytest.raises(hostsync.HostSyncError), hostsync.forbid(sources):
        loss.backward()
        after.append(1)
    assert not after


@pytest.mark.parametrize("sources", SOURCES)
def test_what_is_allowed(x: Any, sources: str) -> None:
    with hostsync.watch(sources) as seen, hostsync.forbid(sources):
        with hostsync.allow("for the log"):
            x.sum().item()
        x.sum().item()  # hostsync: allow[HS101] at the end
        hostsync.allow("as a function")(lambda: x.sum().item())()
    assert seen.count == 0
    assert [wait.allowed for wait in seen.waits] == ["for the log", "at the end", "as a function"]


def test_other_threads(x: Any) -> None:
    def read() -> None:
        x.sum().item()

    with hostsync.watch() as mine, hostsync.watch(all_threads=True) as all_of_them:
        thread = threading.Thread(target=read, name="reader")
        thread.start()
        thread.join()
    assert mine.count == 0
    assert [wait.thread for wait in all_of_them.waits] == ["reader"]


@pytest.mark.parametrize("sources", [SOURCES, ("driver", "debug"), ("trace", "debug"), ("driver", "trace")])
def test_sources_together_count_once(x: Any, sources: tuple[str, ...]) -> None:
    mask = x > 0.5
    with hostsync.watch(sources) as seen:
        for _ in range(3):
            x.sum().item()
            x[mask]
            torch.cuda.synchronize()
            x.cpu()
    assert seen.count == 12, seen.sites()


def test_state_is_restored(x: Any) -> None:
    filters, contents, show = warnings.filters, list(warnings.filters), warnings._showwarnmsg  # type: ignore[attr-defined]
    tracer = sys.gettrace()
    for _ in range(2):
        with pytest.raises(hostsync.HostSyncError), hostsync.forbid(("driver", "debug")):
            x.sum().item()
        with pytest.raises(KeyError), hostsync.watch(SOURCES):
            raise KeyError
    assert torch.cuda.get_sync_debug_mode() == 0
    assert warnings.filters is filters and warnings.filters == contents
    assert warnings._showwarnmsg is show  # type: ignore[attr-defined]
    assert sys.gettrace() is tracer


@pytest.mark.parametrize("filters", ["error", "ignore"])
def test_the_hook_survives_filters(x: Any, filters: Any) -> None:
    with hostsync.watch("debug") as seen, warnings.catch_warnings():
        warnings.simplefilter(filters)
        x.sum().item()
        warnings.resetwarnings()
        x.sum().item()
    assert seen.count == 2


BESIDE = """
import torch, hostsync
x = torch.rand(64, device="cuda")
x.sum().item()
with hostsync.watch() as first:
    x.sum().item()
with torch.profiler.profile() as profile:
    x.sum().item()
    with hostsync.watch() as seen:
        x.sum().item()
assert any(event.device_type == torch.autograd.DeviceType.CUDA for event in profile.events()), "nothing profiled"
with hostsync.watch() as last:
    x.sum().item()
print([(one.count, one.sources, one.blind_spots[-1:]) for one in (first, seen, last)])
"""


def test_beside_the_profiler() -> None:
    # In a process of its own: the profiler keeps its subscription.
    done = subprocess.run([sys.executable, "-c", BESIDE], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    first, seen, last = ast.literal_eval(done.stdout.splitlines()[-1])
    print(done.stdout)
    assert first[:2] == (1, ("driver",))
    assert seen[:2] == (1, ("trace",)) and "CUPTI" in seen[2][0]
    assert last[0] == 1


def test_the_oracle(x: Any) -> None:
    assert hostsync.waits(lambda: x.sum().item()) == (True, "stream", ("cuStreamSynchronize",))
    assert hostsync.waits(lambda: x + 1) == (False, "none", ())
    assert not hostsync.waits(lambda: x + 1)
    assert hostsync.waits(torch.cuda.synchronize).scope == "device"
    side = torch.cuda.Stream()
    assert hostsync.waits(side.synchronize, stream=side)
    assert not hostsync.waits(side.synchronize)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), pytest.raises(RuntimeError, match="capture"):
        hostsync.waits(lambda: x + 1)


def test_the_oracle_without_sleep(x: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.cuda, "_sleep")
    assert hostsync.waits(lambda: x.sum().item()).waited
    assert not hostsync.waits(lambda: x + 1).waited


def test_the_oracle_beside_a_watch(x: Any) -> None:
    with hostsync.watch() as seen:
        assert hostsync.waits(lambda: x.sum().item())
    assert {text(wait) for wait in seen.waits} == {"x.sum().item()"}


def test_results_are_the_same_watched_or_not(x: Any) -> None:
    def run() -> Any:
        torch.manual_seed(0)
        model = torch.nn.Linear(64, 64, device="cuda")
        for _ in range(3):
            model(x).sum().backward()
            model.weight.data -= 0.1 * model.weight.grad
            model.weight.sum().item()
        return model.weight.detach()

    plain = run()
    with hostsync.watch() as seen:
        watched = run()
    assert torch.equal(plain, watched) and seen.count == 3


def test_compiled_code(x: Any) -> None:
    @torch.compile(fullgraph=True, backend="eager")
    def step(value: Any) -> Any:
        with hostsync.allow("nothing to see"):
            return value * 2

    assert torch.equal(step(x), x * 2)
    with hostsync.watch() as seen:
        assert step(x) is not None
    assert seen.count == 0


FORK = """
import os, torch, hostsync
with hostsync.watch() as seen:
    child = os.fork()
    x = torch.ones(2, device="cuda")
    for _ in range(3):
        x.sum().item()
    if child == 0:
        os._exit(0 if seen.count >= 3 else 3)
    assert os.waitpid(child, 0)[1] == 0
    again = os.fork()
    if again == 0:
        with hostsync.watch() as inner:
            pass
        os._exit(0)
    assert os.waitpid(again, 0)[1] == 0
    before = seen.count
    x.sum().item()
    assert seen.count == before + 1
assert seen.sources == ("driver",)
"""


def test_a_program_that_forks() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_loader_with_workers(x: Any) -> None:
    data = torch.utils.data.TensorDataset(torch.arange(64.0))
    for context in ("fork", "spawn"):
        loader = torch.utils.data.DataLoader(
            data, batch_size=16, num_workers=2, pin_memory=True, multiprocessing_context=context
        )
        with hostsync.watch() as seen:
            total = sum(batch.to("cuda", non_blocking=True).sum() for (batch,) in loader)
            assert total.item() == 2016  # type: ignore[union-attr]
        assert [text(wait) for wait in seen.waits] == ["total.item()"], seen.waits


def test_autocast_and_scaler(x: Any) -> None:
    model = torch.nn.Linear(64, 64).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler()

    def step() -> None:
        with torch.autocast("cuda"):
            loss = model(x).float().sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()

    step()
    with hostsync.watch() as seen:
        step()
    assert [(text(wait), wait.phase) for wait in seen.waits] == [("scaler.step(optimizer)", "optimizer")], seen.waits


MILLION = """
import resource, torch, hostsync
x = torch.ones(1, device="cuda")
with hostsync.watch() as seen:
    for _ in range(1000):
        x.item()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(999_000):
        x.item()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
assert seen.count == 1_000_000, seen.count
assert len(seen.waits) == seen.KEPT, len(seen.waits)
assert sorted(site.count for site in seen.sites()) == [1000, 999_000], seen.sites()
print(grown)
"""


def test_a_million_waits_in_bounded_memory() -> None:
    done = subprocess.run([sys.executable, "-c", MILLION], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 64 * 1024, f"{done.stdout} KiB more"


THREADS = """
import threading, torch, hostsync
x = torch.ones(1 << 16, device="cuda")

def work(number, results):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for step in range(200):
            made = torch.empty((number + 1) << 18, device="cuda").fill_(step)
            total = made[:10].sum().item()
            del made
            if step % 50 == 0:
                torch.cuda.empty_cache()
            with hostsync.allow("in a thread"):
                x.sum().item()
    results[number] = total

results = {}
with hostsync.watch(all_threads=True) as seen:
    threads = [threading.Thread(target=work, args=(number, results)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
assert results == dict.fromkeys(range(4), 1990.0), results
items = [site for site in seen.sites() if site.kind == "stream"]
assert sum(site.count for site in items if site.allowed is None) == 800, items
assert sum(site.count for site in items if site.allowed) == 800, items
"""


def test_threads_that_allocate_free_and_wait_do_not_lock_up() -> None:
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr


STRESS = """
import torch, hostsync
x = torch.ones(4, device="cuda")
raised = 0
for turn in range(3000):
    try:
        with hostsync.forbid(("driver", "debug")[turn % 2]):
            y = x * 2
            y.sum().item()
    except hostsync.HostSyncError:
        raised += 1
assert raised == 3000, raised
assert torch.cuda.get_sync_debug_mode() == 0
"""


def test_forbid_thousands_of_times() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", STRESS], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_a_watched_function_that_forks(x: Any) -> None:
    import os

    @hostsync.watch()
    def forking() -> int:
        child = os.fork()
        if child == 0:
            os._exit(7)
        status = os.waitpid(child, 0)[1]
        x.sum().item()
        return os.waitstatus_to_exitcode(status)

    with hostsync.watch() as seen:
        assert forking() == 7
    assert [text(wait) for wait in seen.waits] == ["x.sum().item()"]


def test_compiled_by_inductor(x: Any) -> None:
    """No graph is broken by a region around, and none by an allowance inside."""

    def model(value: Any) -> Any:
        with hostsync.allow("nothing to see"):
            value = torch.sin(value) * 2
        return value + 1

    compiled = torch.compile(model, fullgraph=True)
    expected = torch.sin(x) * 2 + 1
    assert torch.allclose(compiled(x), expected)
    with hostsync.watch() as seen:
        found = compiled(x)
        found.sum().item()
    assert torch.allclose(found, expected)
    assert [text(wait) for wait in seen.waits] == ["found.sum().item()"], seen.waits
    torch.compiler.reset()
    with hostsync.forbid(), hostsync.allow("compiling"):
        assert torch.allclose(torch.compile(model, fullgraph=True)(x), expected)


def test_capture_of_a_graph(x: Any) -> None:
    graph = torch.cuda.CUDAGraph()
    static = torch.zeros(16, device="cuda")
    with hostsync.watch(), torch.cuda.graph(graph):
        static.add_(1.0)
    with hostsync.watch() as seen:
        graph.replay()
    assert seen.count == 0
    torch.cuda.synchronize()
    assert static.tolist() == [1.0] * 16
