"""Measures which operations make the host wait for the GPU: a child process (`hostsync.calibrate.children`).

The oracle: enqueue a delay kernel, record an event, run the call, ask `event.query()`. An event that is done says that
the call waited. Every call runs once before, so that first-use costs do not count; one that seems to wait is run again
behind a delay that is long against its own time on the host. Other processes on the same GPU only make a delay longer:
an event that is not done still says that the call did not wait, and a call that they slow down is seen by the second
run. `tests/gpu/test_ops_waits.py` holds one process and many to the same verdicts.

What runs: PyTorch's own operator samples (`op_db`, `module_db`), as function, method, in-place method and alias; the
same with one number or size replaced by a 0-d device tensor, and with one tensor of several on the CPU where that is
legal; and the expressions of `samples`. With `--dry-run` everything is executed on the CPU and no verdict is given.
"""

from __future__ import annotations

import ast
import re
import sys
import time
import types
import unittest
import warnings
from collections.abc import Callable
from importlib import import_module
from itertools import islice
from typing import Any

from hostsync.calibrate import samples
from hostsync.calibrate.children import Record, serve
from hostsync.calibrate.delay import cycles_per_ms

torch: Any = import_module("torch")

SHORT_MS, LONG_MS = 1.5, 20.0
"""Delays: of the first run, and at least of the second, which confirms a wait."""
ITEM_SECONDS = 40.0
"""An item that takes longer is cut short."""
SAMPLES = ((torch.float32, 48), (torch.int64, 12), (torch.bool, 8), (torch.complex64, 12))
"""How many samples of an operator are looked at, by dtype; of equal kinds of arguments, `LIMIT` are run."""
LIMIT = 4
CPU_LIMIT = 2
"""How often a parameter gets a tensor on the CPU."""

Kinds = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]


# --- the oracle ----------------------------------------------------------------------------------


class Oracle:
    """Tells whether a call waits; on the CPU (`dry`) it only runs the call."""

    def __init__(self, dry: bool) -> None:
        self.dry = dry
        self.warned = False
        if dry:
            return
        self.cycles_per_ms = cycles_per_ms()
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
        prepare()()
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


_PLAIN = re.compile(r"(?!cuda)[A-Za-z_][A-Za-z0-9_-]{0,19}")


def kind_of(value: Any) -> str:
    """Describe an argument: `f2` is a float tensor of two dimensions, `cpu:` before it says where, `n` is a number,
    `n-` a negative one, and a short string stands for itself."""
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
        return "n-" if not isinstance(value, complex) and value < 0 else "n"
    if isinstance(value, str):
        return f"'{value}'" if _PLAIN.fullmatch(value) else "str"
    if isinstance(value, (list, tuple, torch.Size)):
        kinds = {kind_of(item).removesuffix("-") for item in value}
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


def on_device(value: Any) -> bool:
    """Tell whether an argument is a device tensor, or a list of them."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(on_device(item) for item in value)
    return isinstance(value, torch.Tensor) and value.device.type != "cpu"


def to_cpu(value: Any) -> Any:
    return value.cpu() if isinstance(value, torch.Tensor) else type(value)(to_cpu(item) for item in value)


def has_elements(args: tuple[Any, ...]) -> bool:
    """Tell whether no tensor argument is empty: an empty tensor needs no waiting."""
    return all(item.numel() for item in args if isinstance(item, torch.Tensor) and item.layout == torch.strided)


# --- recording -----------------------------------------------------------------------------------


class Recorder:
    """Runs calls under the oracle and writes a record of each."""

    def __init__(self, oracle: Oracle, device: str, write: Callable[[Record], None], skip: int = 0) -> None:
        """
        Args:
            oracle: the judge.
            device: where tensors are.
            write: takes a record.
            skip: calls that were recorded before, by a process that broke at the last of them.
        """
        self.oracle = oracle
        self.device = device
        self.write = write
        self.skip = skip
        self.seen: dict[tuple[str, str], int] = {}
        self.deadline = time.monotonic() + ITEM_SECONDS
        self.cut = False

    def late(self) -> bool:
        self.cut = self.cut or time.monotonic() > self.deadline
        return self.cut

    def run(
        self, name: str, kinds: str, prepare: Callable[[], Callable[[], Any]], limit: int = LIMIT, tries: bool = False
    ) -> bool:
        """Measure one call, write one record of it, and return whether it ran.

        Args:
            name: the operation.
            kinds: of its arguments.
            prepare: makes the call.
            limit: how many of the same kinds are measured.
            tries: the call may well be illegal, so that an error says nothing.
        """
        key = (name, kinds)
        if self.seen.get(key, 0) >= limit or self.late():
            return True
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.skip:
            self.skip -= 1
            return True
        record: Record = {"op": name, "kinds": kinds}
        try:
            waited = self.oracle.waits(prepare)
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            if "CUDA error" in text or "device-side assert" in text:
                # The context is lost; a new process goes on behind this call.
                raise SystemExit(3) from None
            unsupported = isinstance(error, NotImplementedError) and name.startswith("torch.distributions.")
            self.write({**record, "skipped" if tries or unsupported else "error": text.splitlines()[0][:160]})
            return False
        if self.oracle.dry:
            self.write({**record, "ran": True})
        else:
            self.write({**record, "waited": waited, "warned": self.oracle.warned})
        return True

    def call(
        self,
        name: str,
        function: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        in_place: bool,
        tries: bool = False,
    ) -> bool:
        if not has_elements(args):
            return True

        def prepare() -> Callable[[], Any]:
            these = clone(args) if in_place else args
            return lambda: function(*these, **kwargs)

        return self.run(name, text_of(kinds_of(args, kwargs)), prepare, tries=tries)

    def with_tensors(self, name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], first: int) -> None:
        """Repeat a call with one number, or the last of some sizes, replaced by a 0-d device tensor."""
        for index, value in enumerate(args):
            replaced = self._as_tensor(value) if index >= first else None
            if replaced is not None and self.seen.get((name, f"@{index}"), 0) < 2:
                self.seen[name, f"@{index}"] = self.seen.get((name, f"@{index}"), 0) + 1
                self.call(name, function, (*args[:index], replaced, *args[index + 1 :]), kwargs, False, True)
        for key, value in kwargs.items():
            replaced = self._as_tensor(value)
            if replaced is not None and self.seen.get((name, f"@{key}"), 0) < 2:
                self.seen[name, f"@{key}"] = self.seen.get((name, f"@{key}"), 0) + 1
                self.call(name, function, args, {**kwargs, key: replaced}, False, True)

    def with_cpu(self, name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], in_place: bool) -> None:
        """Repeat a call with one of several device tensors on the CPU."""
        if self.device == "cpu":
            return
        held = [item for item in (*args, *kwargs.values()) if on_device(item)]
        if len(held) < 2:
            return
        for index, value in enumerate(args):
            if on_device(value) and self._may(name, f"cpu@{index}"):
                moved = (*args[:index], to_cpu(value), *args[index + 1 :])
                self.call(name, function, moved, kwargs, in_place, True)
        for key, value in kwargs.items():
            if on_device(value) and self._may(name, f"cpu@{key}"):
                self.call(name, function, args, {**kwargs, key: to_cpu(value)}, in_place, True)

    def _may(self, name: str, where: str) -> bool:
        count = self.seen.get((name, where), 0)
        self.seen[name, where] = count + 1
        return count < CPU_LIMIT

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
        dtypes = [(dtype, count) for dtype, count in SAMPLES if dtype in supported]
        if not dtypes or torch.float32 not in supported:
            dtypes += [(dtype, 12) for dtype in sorted(supported, key=str)[:1] if dtype not in dict(dtypes)]
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
                        recorder.with_cpu(form, callee, args, sample.kwargs, in_place)

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
                recorder.run(f"Tensor.{member}", tensor, prepare, tries=True)

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


# --- the child -----------------------------------------------------------------------------------

CATALOGUE = "?"
"""The item whose answer says what there is to measure, and on what."""


def about(dry: bool) -> Record:
    """What a measurement is of."""
    found: Record = {"torch": str(torch.__version__), "python": sys.version.split()[0], "device": "none (dry run)"}
    if not dry:
        found |= {"device": torch.cuda.get_device_name(), "free_memory": torch.cuda.mem_get_info()[0]}
    return found


def main() -> None:
    """Serve items of work by name."""
    dry = "--dry-run" in sys.argv[1:]
    warnings.simplefilter("ignore")
    # Many of these processes share the cores.
    torch.set_num_threads(1)
    work = dict(items())
    judge = Oracle(dry)

    def handle(item: str, skip: int, write: Callable[[Record], None]) -> None:
        if item == CATALOGUE:
            write({"about": about(dry), "items": list(work)})
            return
        recorder = Recorder(judge, "cpu" if dry else "cuda", write, skip)
        try:
            work[item](recorder)
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            write({"op": item, "kinds": "", "error": text.splitlines()[0][:160]})
            if "CUDA error" in text:
                raise SystemExit(3) from None
        if recorder.cut:
            write({"op": item, "kinds": "", "error": f"cut short after {ITEM_SECONDS:g} s"})

    serve(handle)


if __name__ == "__main__":
    main()
