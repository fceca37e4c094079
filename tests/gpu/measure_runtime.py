r"""Every candidate through the oracle and through each source of events; overheads; kept as JSON.

    PYTHONPATH=src python tests/gpu/measure_runtime.py --output tests/gpu/results/runtime-sources.json \
        --overhead tests/gpu/results/runtime-overhead.json --date 2026-11-20

Needs torch with CUDA, and nothing else. Takes about a minute.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import digests
import torch

import hostsync

SOURCES = ("driver", "trace", "debug")

# Name, whether it waits, and the call. What `measured.md`-style tables say of them is repeated here as an expectation.
Candidate = tuple[str, bool, Callable[[], Any]]


def candidates() -> list[Candidate]:
    d = "cuda"
    x = torch.rand(1 << 12, device=d)
    square = torch.eye(64, device=d) + 0.1
    mask = x > 0.5
    index = torch.arange(64, device=d)
    scalar = torch.tensor(5, device=d)
    values = torch.rand(int(mask.sum()), device=d)
    repeats = torch.ones(64, dtype=torch.long, device=d)
    big = torch.rand(1 << 22)
    big_pinned = big.pin_memory()
    small = torch.rand(1 << 10)
    on_device = torch.rand(1 << 22, device=d)
    pageable_out = torch.empty(1 << 22)
    pinned_out = torch.empty(1 << 22).pin_memory()
    parameter = torch.rand(64, device=d, requires_grad=True)
    parameter.grad = torch.rand(64, device=d)
    hot = torch.nn.functional.one_hot

    def store_scalar() -> None:
        x[mask] = 0.0

    def store_tensor() -> None:
        x[mask] = values

    def store_element() -> None:
        x[0] = 1.0

    two = torch.randn(2, 2, device=d)
    two_mask = torch.randint(2, (2, 2), device=d, dtype=torch.bool)
    two_y = torch.randn(int(two_mask.sum()), device=d)
    two_index, two_index_cpu = torch.tensor([0, 1], device=d), torch.tensor([0, 1])
    zero_d = torch.randn((), device=d)
    pair = torch.tensor([1, 2], device=d)

    def pytorch_store(index: Any, value: Any) -> Callable[[], None]:
        def store() -> None:
            two[index] = value

        return store

    def branch() -> int:
        return 1 if zero_d else 0

    graph = torch.cuda.CUDAGraph()
    static = torch.zeros(16, device=d)
    with torch.cuda.graph(graph):
        static.add_(1.0)
    driver_library = ctypes.CDLL("libcuda.so.1")
    pinned_kib = torch.empty(256).pin_memory()

    def memset(tensor: torch.Tensor) -> Callable[[], None]:
        address, size = ctypes.c_uint64(tensor.data_ptr()), ctypes.c_size_t(tensor.nbytes)

        def fill() -> None:
            assert driver_library.cuMemsetD8_v2(address, ctypes.c_ubyte(0), size) == 0

        return fill

    pinned_blocks = []

    def pinned_anew() -> None:
        pinned_blocks.append(torch.empty(1 << 28, pin_memory=True))

    def event() -> None:
        done = torch.cuda.Event()
        done.record()
        done.synchronize()

    def empty_cache() -> None:
        block = torch.empty(1 << 26, device=d)
        del block
        torch.cuda.empty_cache()

    def pinning(megabytes: int) -> Callable[[], None]:
        kept = []
        source = torch.empty(megabytes << 18)

        def pin_new_memory() -> None:
            kept.append(source.pin_memory())

        return pin_new_memory

    def grow() -> Callable[[], None]:
        kept = []
        return lambda: kept.append(torch.empty(1 << 26, device=d))

    return [
        # PyTorch's own list: test_sync_warning in its test/test_torch.py.
        ("pytorch: x[mask] = 1.0", False, pytorch_store(two_mask, 1.0)),
        ("pytorch: x[ind] = 0-d y", False, pytorch_store(two_index, zero_d)),
        ("pytorch: x[ind]", False, lambda: two[two_index]),
        ("pytorch: one_hot(ind, num_classes=…)", False, lambda: hot(two_index, num_classes=2)),
        ("pytorch: randperm(20000, device)", False, lambda: torch.randperm(20000, device=d)),
        ("pytorch: repeat_interleave(x, 2, output_size=4)", False, lambda: two.repeat_interleave(2, 0, output_size=4)),
        (
            "pytorch: repeat_interleave(x, repeats, output_size=3)",
            False,
            lambda: torch.repeat_interleave(two, pair, 0, output_size=3),
        ),
        ("pytorch: torch.any(y)", False, lambda: torch.any(two_y)),
        ("pytorch: x[mask] = y", True, pytorch_store(two_mask, two_y)),
        ("pytorch: x[ind_cpu] = y", True, pytorch_store(two_index_cpu, zero_d)),
        ("pytorch: x[mask]", True, lambda: two[two_mask]),
        ("pytorch: x[ind_cpu]", True, lambda: two[two_index_cpu]),
        ("pytorch: x.nonzero()", True, lambda: two.nonzero()),
        ("pytorch: if y", True, branch),
        ("pytorch: one_hot(ind)", True, lambda: hot(two_index)),
        ("pytorch: repeat_interleave(x, repeats)", True, lambda: torch.repeat_interleave(two, pair, 0)),
        ("replay of a CUDA graph", False, graph.replay),
        ("cuMemsetD8 of device memory", False, memset(static)),
        ("cuMemsetD8 of pinned memory", True, memset(pinned_kib)),
        ("empty(1 GiB, pin_memory=True), new", False, pinned_anew),
        ("torch.zeros, which is a memset", False, lambda: torch.zeros(1 << 20, device=d)),
        ("x + 1", False, lambda: x + 1),
        ("torch.full((4,), 2.0, device=d)", False, lambda: torch.full((4,), 2.0, device=d)),
        ("x[mask] = 0.0", False, store_scalar),
        ("torch.linalg.inv_ex(a)", False, lambda: torch.linalg.inv_ex(square)),
        ("one_hot(index, 64)", False, lambda: hot(index, 64)),
        ("repeat_interleave(output_size=)", False, lambda: torch.repeat_interleave(x[:64], repeats, output_size=64)),
        ("torch.multinomial(x, 4)", False, lambda: torch.multinomial(x, 4)),
        ("torch.cuda.get_rng_state()", False, torch.cuda.get_rng_state),
        ("clip_grad_norm_", False, lambda: torch.nn.utils.clip_grad_norm_([parameter], 1.0)),
        ("x[0].item()", True, lambda: x[0].item()),
        ("bool(t.all())", True, lambda: bool(mask.all())),
        ("mask.nonzero()", True, lambda: mask.nonzero()),
        ("torch.where(mask)", True, lambda: torch.where(mask)),
        ("masked_select", True, lambda: x.masked_select(mask)),
        ("x[mask]", True, lambda: x[mask]),
        ("torch.unique(x)", True, lambda: torch.unique(x)),
        ("torch.unique(x, dim=0)", True, lambda: torch.unique(x.view(64, 64), dim=0)),
        ("one_hot(index)", True, lambda: hot(index)),
        ("x[mask] = values", True, store_tensor),
        ("x[0] = 1.0", True, store_element),
        ("repr(x)", True, lambda: repr(x)),
        ("x[[0, 1, 2]]", True, lambda: x[[0, 1, 2]]),
        ("torch.tensor(1.0, device=d)", True, lambda: torch.tensor(1.0, device=d)),
        ("torch.tensor([1.0, 2.0], device=d)", True, lambda: torch.tensor([1.0, 2.0], device=d)),
        ("x[:scalar]", True, lambda: x[:scalar]),
        ("x.tolist()", True, lambda: x.tolist()),
        ("x.cpu()", True, lambda: x.cpu()),
        ("torch.bincount(index)", True, lambda: torch.bincount(index)),
        ("to device, pageable, 16 MiB", True, lambda: big.to(d)),
        ("to device, pageable, 16 MiB, non_blocking", True, lambda: big.to(d, non_blocking=True)),
        ("to device, pageable, 4 KiB, non_blocking", False, lambda: small.to(d, non_blocking=True)),
        ("to device, pinned", True, lambda: big_pinned.to(d)),
        ("to device, pinned, non_blocking", False, lambda: big_pinned.to(d, non_blocking=True)),
        ("pageable.copy_(x, non_blocking=True)", True, lambda: pageable_out.copy_(on_device, non_blocking=True)),
        ("pinned.copy_(x, non_blocking=True)", False, lambda: pinned_out.copy_(on_device, non_blocking=True)),
        ("t.to('cpu', non_blocking=True)", False, lambda: on_device.to("cpu", non_blocking=True)),
        ("torch.cuda.synchronize()", True, torch.cuda.synchronize),
        ("event.synchronize()", True, event),
        ("stream.synchronize()", True, lambda: torch.cuda.current_stream().synchronize()),
        ("torch.linalg.inv(a)", True, lambda: torch.linalg.inv(square)),
        ("torch.distributions.Normal(a, b)", True, lambda: torch.distributions.Normal(x, x + 1)),
        ("torch.cuda.empty_cache() with a cached block", True, empty_cache),
        ("pin_memory(), 1 MiB of new memory", False, pinning(1)),
        ("pin_memory(), 64 MiB of new memory", False, pinning(64)),
        ("growth by cudaMalloc, 256 MiB", False, grow()),
    ]


def measure_candidates() -> list[dict[str, Any]]:
    rows = []
    for name, expected, call in candidates():
        found = hostsync.waits(call)
        row: dict[str, Any] = {"candidate": name, "expected": expected, "waits": found.waited, "scope": found.scope}
        row["through"] = list(found.through)
        for sources in (*((one,) for one in SOURCES), SOURCES, ("trace", "debug")):
            with hostsync.watch(sources) as seen:
                call()
            row["+".join(sources)] = sum(wait.count for wait in seen.sites())
            if sources == ("driver",):
                row["seen as"] = sorted(
                    {(w.call, w.kind, w.memory, w.operation, w.stream) for w in seen.waits}, key=str
                )
        torch.cuda.synchronize()
        rows.append(row)
    return rows


def measure_threshold() -> dict[str, dict[str, bool]]:
    """From which size on a copy waits, to the device from pageable memory and back, by kind of copy."""
    out: dict[str, dict[str, bool]] = {"to device, pageable, non_blocking": {}, "to pageable, non_blocking": {}}
    for kib in (4, 64, 256, 1024, 2048, 2052, 2304, 2560, 3072, 4096, 16384, 65536):
        source, target = torch.empty(kib * 256).fill_(1), torch.empty(kib * 256, device="cuda")

        def there(source: torch.Tensor = source, target: torch.Tensor = target) -> None:
            target.copy_(source, non_blocking=True)

        def back(source: torch.Tensor = source, target: torch.Tensor = target) -> None:
            source.copy_(target, non_blocking=True)

        out["to device, pageable, non_blocking"][f"{kib} KiB"] = hostsync.waits(there).waited
        out["to pageable, non_blocking"][f"{kib} KiB"] = hostsync.waits(back).waited
    return out


def measure_overhead() -> dict[str, dict[str, Any]]:
    """Microseconds for each turn of a loop: medians, and the median ratio of pairs of runs that follow each other."""
    x = torch.rand(16, device="cuda")

    def launches(n: int) -> None:
        for _ in range(n):
            x.add_(1.0)

    def reads(n: int) -> None:
        for _ in range(n):
            x.sum().item()

    def item(n: int) -> None:
        one = x[0]
        for _ in range(n):
            one.item()

    def timed(loop: Callable[[int], None], n: int) -> float:
        torch.cuda.synchronize()
        begun = time.perf_counter()
        loop(n)
        torch.cuda.synchronize()
        return (time.perf_counter() - begun) / n * 1e6

    import torchvision

    model = torchvision.models.resnet50(weights=None).cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda")
    images = torch.rand(64, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.randint(0, 1000, (64,), device="cuda")

    def resnet50_steps(n: int) -> None:
        for _ in range(n):
            with torch.autocast("cuda"):
                loss = torch.nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            loss.item()

    # Before anything has watched, and so that a CPU which was asleep has woken.
    of_allow = measure_allow()
    resnet50_steps(20)
    loops = (
        ("launch", launches, 4000, 41),
        ("sum and item", reads, 1000, 21),
        ("item", item, 2000, 21),
        ("resnet50 step, batch 64, autocast and GradScaler", resnet50_steps, 8, 81),
    )
    out: dict[str, dict[str, Any]] = {}
    # The profiler keeps its subscription, and trace callbacks can't be taken back, so that these come last.
    for sources in ("driver", "debug", "profiler with_stack", "trace"):
        for name, loop, n, pairs in loops:
            plain, watched = [], []
            for _ in range(pairs if sources == "driver" else 5):
                plain.append(timed(loop, n))
                if sources.startswith("profiler"):
                    with torch.profiler.profile(with_stack=True):
                        loop(1)
                        watched.append(timed(loop, n))
                    continue
                with hostsync.watch(sources):
                    # The first calls after a subscription load what they need.
                    loop(1)
                    watched.append(timed(loop, n))
            row = out.setdefault(name, {})
            row[f"{sources}: plain"] = round(statistics.median(plain), 2)
            row[f"{sources}: watched"] = round(statistics.median(watched), 2)
            ratios = [after / before for before, after in zip(plain, watched, strict=True)]
            row[f"{sources}: median ratio of pairs"] = round(statistics.median(ratios), 4)
            low, _, high = statistics.quantiles(ratios, n=4)
            row[f"{sources}: quartiles"] = f"{low:.3f} to {high:.3f}"

    out["allow() with nothing watching"] = of_allow
    return out


def measure_allow() -> dict[str, Any]:
    """Microseconds of a `with hostsync.allow(...)` without a body, less those of the loop around it."""

    def allowing(n: int) -> None:
        for _ in range(n):
            with hostsync.allow("measured"):
                pass

    def nothing(n: int) -> None:
        for _ in range(n):
            pass

    def timed(loop: Callable[[int], None]) -> float:
        begun = time.perf_counter()
        loop(100_000)
        return (time.perf_counter() - begun) * 10

    for _ in range(20):
        timed(allowing)
    times = [timed(allowing) - timed(nothing) for _ in range(41)]
    low, median, high = statistics.quantiles(times, n=4)
    return {"microseconds": round(median, 4), "quartiles": f"{low:.3f} to {high:.3f}"}


def about(date: str, *measured: str) -> dict[str, str]:
    return {
        "of": digests.of_definition(Path(__file__), *measured),
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name(),
        "python": platform.python_version(),
        "date": date,
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--overhead", type=Path, help="measure overheads too, into this file")
    parser.add_argument("--date", required=True)
    options = parser.parse_args()
    torch.cuda.init()
    rows = measure_candidates()
    threshold = measure_threshold()
    wrong = [row["candidate"] for row in rows if row["waits"] != row["expected"]]
    unseen = [row["candidate"] for row in rows if row["waits"] != bool(row["driver"])]
    double = [row["candidate"] for row in rows if row["driver+trace+debug"] != row["driver"]]
    result = {
        **about(options.date, "candidates"),
        "against expectation": wrong,
        "driver disagrees with the oracle": unseen,
        "counted differently by all sources together": double,
        "candidates": rows,
        "copies that wait": threshold,
    }
    options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        marks = " ".join(
            f"{key}={row[key]}" for key in ("driver", "trace", "debug", "driver+trace+debug", "trace+debug")
        )
        print(f"{row['candidate'][:44]:45}{row['waits']!s:6}{row['scope']:8}{','.join(row['through'])[:32]:33}{marks}")
        print("      ", row["seen as"][:4])
    print(json.dumps({key: value for key, value in result.items() if key != "candidates"}, indent=1))
    if options.overhead:
        overhead = {**about(options.date, "measure_overhead", "measure_allow"), "microseconds": measure_overhead()}
        options.overhead.write_text(json.dumps(overhead, indent=1) + "\n", encoding="utf-8")
        print(json.dumps(overhead))
    return 1 if wrong or unseen or double else 0


if __name__ == "__main__":
    sys.exit(main())
