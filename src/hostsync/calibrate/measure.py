"""Measures which operations make the host wait for the GPU.

    python -m hostsync.calibrate.measure --out DIR [--dry-run] [--shards 6] [--seconds 280] [--only REGEX]

The oracle: enqueue a delay kernel, record an event, run the call, ask `event.query()`. An event that is done says that
the call waited. Every call runs once before, so that first-use costs do not count; one that seems to wait is run again
behind a delay that is long against its own time on the host.

What runs: PyTorch's own operator samples (`op_db`, `module_db`), as function, method, in-place method and alias; the
same with one number or size replaced by a 0-d device tensor; and the expressions of `samples`. Work is dealt to child
processes, so that a device-side assertion or a hang costs one item only. `--dry-run` executes everything on the CPU.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import json
import re
import subprocess
import sys
import tempfile
import time
import types
import unittest
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from hostsync.calibrate import samples

torch: Any = import_module("torch")

SHORT_MS, LONG_MS = 2.0, 30.0
ITEM_SECONDS = 25.0

Kinds = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]


# --- the oracle ----------------------------------------------------------------------------------


class Oracle:
    """Tells whether a call waits; on the CPU (`dry`) it only runs the call."""

    def __init__(self, dry: bool) -> None:
        self.dry = dry
        self.warned = False
        if dry:
            return
        torch.cuda.synchronize()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(1_000_000)
        start.record()
        torch.cuda._sleep(10_000_000)
        end.record()
        torch.cuda.synchronize()
        self.cycles_per_ms = 10_000_000 / start.elapsed_time(end)
        self.event = torch.cuda.Event()

    def _behind(self, milliseconds: float, call: Callable[[], Any]) -> bool:
        torch.cuda.synchronize()
        torch.cuda.set_sync_debug_mode("warn")
        try:
            torch.cuda._sleep(int(self.cycles_per_ms * milliseconds))
            self.event.record()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = call()
            done = bool(self.event.query())
            self.warned = any("synchroniz" in str(item.message) for item in caught)
            del result
        finally:
            torch.cuda.set_sync_debug_mode("default")
            torch.cuda.synchronize()
        return done

    def waits(self, prepare: Callable[[], Callable[[], Any]]) -> bool:
        """Run what `prepare` returns and tell whether it waited. Raises whatever the call raises."""
        call = prepare()
        started = time.perf_counter()
        call()
        if self.dry:
            return False
        torch.cuda.synchronize()
        call = prepare()
        started = time.perf_counter()
        call()
        own_ms = (time.perf_counter() - started) * 1000
        if not self._behind(max(SHORT_MS, min(own_ms, 200.0)), prepare()):
            return False
        return self._behind(max(LONG_MS, min(own_ms * 10, 1500.0)), prepare())


# --- describing arguments ------------------------------------------------------------------------


def kind_of(value: Any) -> str:
    """Describe an argument: `f2` is a float tensor of two dimensions, `cpu:` before it says where, `n` is a number."""
    if isinstance(value, torch.Tensor):
        letter = (
            "b"
            if value.dtype == torch.bool
            else "f"
            if value.is_floating_point()
            else "c"
            if value.is_complex()
            else "i"
        )
        where = "cpu:" if value.device.type == "cpu" else ""
        layout = "" if value.layout == torch.strided else "s"
        return f"{where}{letter}{layout}{value.dim()}"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float, complex)):
        return "n"
    if isinstance(value, str):
        return "str"
    if isinstance(value, (list, tuple, torch.Size)):
        kinds = {kind_of(item) for item in value}
        return "[" + ",".join(sorted(kinds)[:3]) + "]"
    module = type(value).__module__
    if module.startswith("numpy"):
        return "numpy"
    if isinstance(value, torch.dtype):
        return "dtype"
    if isinstance(value, torch.device):
        return "device"
    return "object"


def kinds_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Kinds:
    return tuple(kind_of(item) for item in args), tuple(sorted((key, kind_of(item)) for key, item in kwargs.items()))


def text_of(kinds: Kinds) -> str:
    positional, keywords = kinds
    return ", ".join([*positional, *(f"{key}={kind}" for key, kind in keywords)])


def clone(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value):
        return type(value)(clone(item) for item in value)
    return value


def has_elements(args: tuple[Any, ...]) -> bool:
    """Tell whether no tensor argument is empty: an empty tensor needs no waiting."""
    return all(item.numel() for item in args if isinstance(item, torch.Tensor) and item.layout == torch.strided)


# --- recording -----------------------------------------------------------------------------------


class Recorder:
    """Runs calls under the oracle and writes a line of JSON for each."""

    def __init__(self, oracle: Oracle, device: str, write: Callable[[dict[str, Any]], None]) -> None:
        self.oracle = oracle
        self.device = device
        self.write = write
        self.seen: dict[tuple[str, str], int] = {}
        self.deadline = 0.0

    def late(self) -> bool:
        return time.monotonic() > self.deadline

    def run(self, name: str, kinds: str, prepare: Callable[[], Callable[[], Any]], limit: int = 4) -> bool:
        """Measure one call; return whether it ran."""
        key = (name, kinds)
        if self.seen.get(key, 0) >= limit or self.late():
            return True
        self.seen[key] = self.seen.get(key, 0) + 1
        try:
            waited = self.oracle.waits(prepare)
        except Exception as error:
            if isinstance(error, NotImplementedError) and name.startswith("torch.distributions."):
                return False
            text = f"{type(error).__name__}: {error}"
            if "CUDA error" in text or "device-side assert" in text:
                raise SystemExit(3) from None
            self.write({"op": name, "kinds": kinds, "error": text.splitlines()[0][:160]})
            return False
        self.write({"op": name, "kinds": kinds, "waited": waited, "warned": self.oracle.warned})
        return True

    def call(self, name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], in_place: bool) -> bool:
        if not has_elements(args):
            return True

        def prepare() -> Callable[[], Any]:
            these = clone(args) if in_place else args
            return lambda: function(*these, **kwargs)

        return self.run(name, text_of(kinds_of(args, kwargs)), prepare)

    def with_tensors(self, name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], first: int) -> None:
        """Repeat a call with one number, or the last of some sizes, replaced by a 0-d device tensor."""
        for index, value in enumerate(args):
            replaced = self._as_tensor(value) if index >= first else None
            if replaced is not None and self.seen.get((name, f"@{index}"), 0) < 2:
                self.seen[name, f"@{index}"] = self.seen.get((name, f"@{index}"), 0) + 1
                self.call(name, function, (*args[:index], replaced, *args[index + 1 :]), kwargs, False)
        for key, value in kwargs.items():
            replaced = self._as_tensor(value)
            if replaced is not None and self.seen.get((name, f"@{key}"), 0) < 2:
                self.seen[name, f"@{key}"] = self.seen.get((name, f"@{key}"), 0) + 1
                self.call(name, function, args, {**kwargs, key: replaced}, False)

    def _as_tensor(self, value: Any) -> Any:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return torch.tensor(value, device=self.device)
        if isinstance(value, (list, tuple, torch.Size)) and value and all(type(item) is int for item in value):
            return (*value[:-1], torch.tensor(value[-1], device=self.device))
        return None


# --- items of work -------------------------------------------------------------------------------


def opinfos() -> list[Any]:
    """Return PyTorch's operator samples; its tests want a package that only their base class needs."""
    stub = types.ModuleType("expecttest")
    stub.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    stub.assert_expected_inline = None  # type: ignore[attr-defined]
    sys.modules.setdefault("expecttest", stub)
    return list(import_module("torch.testing._internal.common_methods_invocations").op_db)


def resolve(name: str) -> Any:
    value = torch
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def op_item(info: Any) -> Callable[[Recorder], None]:
    def work(recorder: Recorder) -> None:
        kind = "cuda" if recorder.device != "cpu" else "cpu"
        supported = info.supported_dtypes(kind)
        dtypes = [
            (dtype, count)
            for dtype, count in ((torch.float32, 16), (torch.int64, 5), (torch.bool, 4))
            if dtype in supported
        ]
        if not dtypes or torch.float32 not in supported:
            dtypes += [(dtype, 8) for dtype in sorted(supported, key=str)[:1]]
        named = resolve(info.name)
        function = named if callable(named) else info.op
        forms = [("torch." + info.name, function, False)]
        for variants in (info, *info.aliases):
            name = getattr(variants, "name", "").rpartition(".")[2]
            if variants is not info:
                alias = resolve(variants.name)
                if callable(alias):
                    forms.append(("torch." + variants.name, alias, False))
            method = getattr(torch.Tensor, name, None)
            if callable(method) and getattr(variants, "method_variant", None):
                forms.append((f"Tensor.{name}", method, False))
            method = getattr(torch.Tensor, name + "_", None)
            if callable(method) and getattr(variants, "inplace_variant", None):
                forms.append((f"Tensor.{name}_", method, True))
        if named is not info.op and callable(info.op):
            forms.append((f"~torch.{info.name}", info.op, False))
        for dtype, count in dtypes:
            try:
                inputs = list(islice(info.sample_inputs(recorder.device, dtype, requires_grad=False), count))
            except Exception as error:
                recorder.write({"op": "torch." + info.name, "kinds": str(dtype), "error": f"samples: {error}"[:160]})
                continue
            for form, callee, in_place in forms:
                for number, sample in enumerate(inputs):
                    if (in_place and number >= 4) or recorder.late():
                        break
                    args = (sample.input, *sample.args)
                    if recorder.call(form, callee, args, sample.kwargs, in_place) and not form.startswith("~"):
                        recorder.with_tensors(form, callee, args, sample.kwargs, 1 if form.startswith("Tensor.") else 0)

    return work


def expression_item(name: str, text: str) -> Callable[[Recorder], None]:
    def work(recorder: Recorder) -> None:
        statements, last = split_expression(text)

        def prepare() -> Callable[[], Any]:
            names = samples.environment(recorder.device)
            exec(statements, names)
            if isinstance(last, ast.Expr):
                code = compile(ast.Expression(last.value), text, "eval")
                if recorder.device != "cpu":
                    torch.cuda.synchronize()
                return lambda: eval(code, names)
            code = compile(ast.Module([last], []), text, "exec")
            return lambda: exec(code, names)

        recorder.run(name, describe_expression(text, recorder.device), prepare)

    return work


def split_expression(text: str) -> tuple[Any, ast.stmt]:
    body = ast.parse(text).body
    return compile(ast.Module(body[:-1], []), text, "exec"), body[-1]


def describe_expression(text: str, device: str) -> str:
    """Describe the arguments of a call as those of a sample; anything else is described by its text."""
    statements, last = split_expression(text)
    call = last.value if isinstance(last, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return f"`{text}`"
    names = samples.environment(device)
    try:
        exec(statements, names)
        values = [eval(compile(ast.Expression(item), text, "eval"), names) for item in call.args]
        keywords = {
            item.arg: eval(compile(ast.Expression(item.value), text, "eval"), names)
            for item in call.keywords
            if item.arg
        }
        if isinstance(call.func, ast.Attribute):
            owner = eval(compile(ast.Expression(call.func.value), text, "eval"), names)
            if isinstance(owner, torch.Tensor):
                values.insert(0, owner)
    except Exception:
        return f"`{text}`"
    return text_of(kinds_of(tuple(values), keywords)) + f" `{text}`"


def distribution_item(name: str, arguments: str) -> Callable[[Recorder], None]:
    def work(recorder: Recorder) -> None:
        full = f"torch.distributions.{name}"
        for validate in ("", ", validate_args=False"):
            kind = "validate_args=false" if validate else ""
            expression_kinds(recorder, full, kind, f"D.{name}({arguments}{validate})")
            make = f"z = D.{name}({arguments}{validate}); q = z.sample()"
            for member, call in samples.DISTRIBUTION_CALLS.items():
                cls = getattr(torch.distributions, name)
                if (
                    "(" in call
                    or hasattr(cls, member)
                    or member in (cls.arg_constraints if isinstance(cls.arg_constraints, dict) else ())
                ):
                    expression_kinds(recorder, f"{full}.{member}", "self." + kind if kind else "", f"{make}; {call}")

    return work


def transform_item(name: str, make: str) -> Callable[[Recorder], None]:
    def work(recorder: Recorder) -> None:
        full = f"torch.distributions.{name}"
        expression_kinds(recorder, full, "", make)
        start = f"z = {make}; q = torch.rand(64, device=d)"
        expression_kinds(recorder, f"{full}.__call__", "", f"{start}; z(q)")
        expression_kinds(recorder, f"{full}.inv", "", f"{start}; z.inv(z(q))")
        expression_kinds(
            recorder, f"{full}.log_abs_det_jacobian", "", f"{start}; r = z(q); z.log_abs_det_jacobian(q, r)"
        )

    return work


def expression_kinds(recorder: Recorder, name: str, kinds: str, text: str) -> None:
    def prepare() -> Callable[[], Any]:
        names = samples.environment(recorder.device)
        statements, last = split_expression(text)
        exec(statements, names)
        code = compile(ast.Expression(last.value), text, "eval")  # type: ignore[attr-defined]
        return lambda: eval(code, names)

    recorder.run(name, kinds, prepare)


def module_item(info: Any) -> Callable[[Recorder], None]:
    def work(recorder: Recorder) -> None:
        cls = info.module_cls
        name = f"torch.nn.{cls.__name__}.forward"
        for training in (True, False):
            inputs = info.module_inputs_func(
                info, device=recorder.device, dtype=torch.float32, requires_grad=False, training=training
            )
            for sample in islice(inputs, 8):
                if recorder.late() or sample.forward_input is None:
                    break
                built = sample.constructor_input
                try:
                    module = cls(*built.args, **built.kwargs).to(recorder.device, torch.float32).train(training)
                except Exception:
                    continue
                forward = sample.forward_input
                kinds = text_of(kinds_of(forward.args, forward.kwargs))

                def prepare(module: Any = module, forward: Any = forward) -> Callable[[], Any]:
                    args = clone(tuple(forward.args))
                    return lambda: module(*args, **forward.kwargs)

                recorder.run(name, kinds, prepare)

    return work


def optimizer_item(name: str, arguments: str) -> Callable[[Recorder], None]:
    def work(recorder: Recorder) -> None:
        kinds = ", ".join(part.strip() for part in arguments.split(",") if "lr" not in part)
        argument = "loss_of" if name == "LBFGS" else ""
        names = samples.environment(recorder.device)
        which = "[model.weight]" if name == "Muon" else "model.parameters()"
        exec(f"o = torch.optim.{name}({which}, {arguments}); loss_of()", names)
        if name != "LBFGS":
            exec("o.step(); loss_of(); o.step()", names)
        call = compile(f"o.step({argument})", "step", "eval")

        def prepare() -> Callable[[], Any]:
            names["loss_of"]()
            return lambda: eval(call, names)

        recorder.run(f"torch.optim.{name}.step", kinds, prepare)
        recorder.run(f"torch.optim.{name}.zero_grad", kinds, lambda: lambda: names["o"].zero_grad())

    return work


def members_item(names: list[str]) -> Callable[[Recorder], None]:
    """Read each property of a float, an int and a mask tensor; call each method without arguments."""

    def work(recorder: Recorder) -> None:
        tensors = samples.environment(recorder.device)
        for member in names:
            for letter in ("x", "i", "m"):

                def prepare(letter: str = letter, member: str = member) -> Callable[[], Any]:
                    tensor = tensors[letter].clone()
                    static = getattr(type(tensor), member, None)
                    if callable(static):
                        return lambda: getattr(tensor, member)()
                    return lambda: getattr(tensor, member)

                tensor = {"x": "f2", "i": "i1", "m": "b2"}[letter]
                recorder.run(f"Tensor.{member}", tensor, prepare)

    return work


def distributed_item(recorder: Recorder) -> None:
    distributed = import_module("torch.distributed")
    backend = "gloo" if recorder.device == "cpu" else "nccl"
    distributed.init_process_group(backend, store=distributed.HashStore(), rank=0, world_size=1)
    for name, text in samples.DISTRIBUTED:
        expression_item(name, text)(recorder)
    distributed.destroy_process_group()


def items() -> list[tuple[str, Callable[[Recorder], None]]]:
    """Return all work with a name for each; the same order in every process. What may break a process comes last."""
    work: list[tuple[str, Callable[[Recorder], None]]] = []
    work += [
        (f"expression {number} {name}", expression_item(name, text))
        for number, (name, text) in enumerate(samples.EXPRESSIONS)
    ]
    work += [(f"distribution {name}", distribution_item(name, text)) for name, text in samples.DISTRIBUTIONS.items()]
    work += [(f"transform {name}", transform_item(name, text)) for name, text in samples.TRANSFORMS.items()]
    work += [
        (f"optimizer {name} {text}", optimizer_item(name, text))
        for name, variants in samples.OPTIMIZERS.items()
        for text in variants
    ]
    members = sorted(
        name for name in dir(torch.Tensor) if not name.startswith("_") and name not in samples.MEMBERS_TO_SKIP
    )
    work += [(f"members {start}", members_item(members[start : start + 20])) for start in range(0, len(members), 20)]
    work += [(f"op {info.name}.{info.variant_test_name}", op_item(info)) for info in opinfos()]
    try:
        modules = list(import_module("torch.testing._internal.common_modules").module_db)
    except Exception:
        modules = []
    work += [(f"module {info.name}", module_item(info)) for info in modules]
    work.append(("distributed", distributed_item))
    return work


# --- processes -----------------------------------------------------------------------------------


def child(options: argparse.Namespace) -> int:
    """Do every `shards`-th item from `start` on; a line `{"item": n}` goes before each."""
    warnings.simplefilter("ignore")
    device = "cpu" if options.dry_run else "cuda"
    with Path(options.file).open("a", encoding="utf-8") as stream:

        def write(record: dict[str, Any]) -> None:
            stream.write(json.dumps(record) + "\n")
            stream.flush()

        recorder = Recorder(Oracle(options.dry_run), device, write)
        work = items()
        for number in range(options.start, len(work), options.shards):
            name, run = work[number]
            if options.only and not re.search(options.only, name):
                continue
            write({"item": number, "name": name})
            recorder.deadline = time.monotonic() + ITEM_SECONDS
            try:
                run(recorder)
            except Exception as error:
                write({"op": name, "kinds": "", "error": f"{type(error).__name__}: {error}"[:160]})
            recorder.seen = {key: count for key, count in recorder.seen.items() if not key[1].startswith("@")}
        write({"finished": True})
    return 0


def read(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue


def collect(files: list[Path], out: Path, started: float, dry: bool) -> None:
    """Sum the lines up and write `ops.json`: per operation and kinds of arguments, [calls, waited, warned]."""
    ops: dict[str, dict[str, list[int]]] = {}
    errors: dict[str, str] = {}
    for path in files:
        for record in read(path):
            if "error" in record:
                errors[f"{record['op']} ({record['kinds']})"] = record["error"]
            elif "waited" in record:
                counts = ops.setdefault(record["op"], {}).setdefault(record["kinds"], [0, 0, 0])
                counts[0] += 1
                counts[1] += record["waited"]
                counts[2] += record["warned"]
    result = {
        "torch": torch.__version__,
        "device": "none (dry run)" if dry else torch.cuda.get_device_name(0),
        "python": sys.version.split()[0],
        "date": datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat(),
        "seconds": round(time.monotonic() - started, 1),
        "ops": dict(sorted(ops.items())),
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / "ops.json").write_text(json.dumps(result, indent=0) + "\n", encoding="utf-8")
    (out / "errors.json").write_text(json.dumps(errors, indent=0) + "\n", encoding="utf-8")
    waiting = sum(any(counts[1] for counts in kinds.values()) for kinds in ops.values())
    print(
        f"{len(ops)} operations, {waiting} wait on some sample, {len(errors)} errors, {result['seconds']} s", flush=True
    )


def parent(options: argparse.Namespace) -> int:
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{shard}.jsonl" for shard in range(options.shards)]
        running: dict[int, subprocess.Popen[bytes]] = {}
        next_start = dict(enumerate(range(options.shards)))

        def launch(shard: int) -> None:
            command = [sys.executable, "-m", "hostsync.calibrate.measure", "--out", str(options.out), "--child"]
            command += ["--file", str(files[shard]), "--start", str(next_start[shard]), "--shards", str(options.shards)]
            command += ["--only", options.only] + (["--dry-run"] if options.dry_run else [])
            running[shard] = subprocess.Popen(command, stderr=subprocess.DEVNULL)

        for shard in range(options.shards):
            launch(shard)
        progress = dict.fromkeys(range(options.shards), (0, time.monotonic()))
        while running and time.monotonic() - started < options.seconds:
            time.sleep(0.5)
            for shard, process in list(running.items()):
                size = files[shard].stat().st_size if files[shard].exists() else 0
                if size != progress[shard][0]:
                    progress[shard] = (size, time.monotonic())
                hung = time.monotonic() - progress[shard][1] > 60
                if process.poll() is None and not hung:
                    continue
                if hung:
                    process.kill()
                    process.wait()
                last = [record for record in read(files[shard]) if "item" in record or "finished" in record][-1:]
                del running[shard]
                if last and "finished" in last[0]:
                    continue
                done = last[0]["item"] if last else next_start[shard] - options.shards
                print(f"shard {shard} broke at {last[0].get('name') if last else 'its start'}", flush=True)
                if not last and next_start[shard] == shard and time.monotonic() - started > 60:
                    continue
                next_start[shard] = done + options.shards
                progress[shard] = (size, time.monotonic())
                launch(shard)
        for process in running.values():
            process.kill()
            process.wait()
        if running:
            print(f"out of time; unfinished shards: {sorted(running)}", flush=True)
        collect(files, Path(options.out), started, options.dry_run)
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measures which operations of torch make the host wait.")
    parser.add_argument("--out", type=Path, required=True, help="folder for ops.json and errors.json")
    parser.add_argument("--dry-run", action="store_true", help="only execute the samples, on the CPU")
    parser.add_argument("--shards", type=int, default=6, help="processes at a time")
    parser.add_argument("--seconds", type=float, default=280, help="stop then and keep what was measured")
    parser.add_argument("--only", default="", help="regular expression: measure only items with such a name")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    parser.add_argument("--start", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    return child(options) if options.child else parent(options)


if __name__ == "__main__":
    sys.exit(main())
