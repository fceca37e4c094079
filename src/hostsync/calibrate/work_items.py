"""What there is to measure, item by item: operators, expressions, distributions, modules, optimizers."""

from __future__ import annotations

import ast
import sys
import types
import unittest
from collections.abc import Callable
from importlib import import_module
from itertools import islice
from typing import Any

from hostsync.calibrate import samples
from hostsync.calibrate.argument_kinds import clone, kinds_of, text_of
from hostsync.calibrate.recorder import Recorder

torch: Any = import_module("torch")

SAMPLES = ((torch.float32, 48), (torch.int64, 12), (torch.bool, 8), (torch.complex64, 12))
"""How many samples of an operator are looked at, by dtype."""


def opinfos() -> list[Any]:
    """Return PyTorch's operator samples; its tests want a package that only their base class needs."""
    stub = types.ModuleType("expecttest")
    stub.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    stub.assert_expected_inline = None  # type: ignore[attr-defined]
    sys.modules.setdefault("expecttest", stub)
    return list(import_module("torch.testing._internal.common_methods_invocations").op_db)


def resolve(name: str) -> Any:
    """What a dotted name stands for in torch; None for what this torch does not have."""
    value = torch
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def op_item(info: Any) -> Callable[[Recorder], None]:
    """Measures an operator by the samples that torch has of it."""

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
    """Measures an expression of `samples`."""

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
    """The statements of a sample that prepare, compiled, and the last one, which is measured."""
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
    """Measures a distribution: how it is made, and its methods."""

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
    """Measures a transform of `torch.distributions`."""

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
    """Measures an expression under kinds of arguments that are written out."""

    def prepare() -> Callable[[], Any]:
        names = samples.environment(recorder.device)
        statements, last = split_expression(text)
        exec(statements, names)
        code = compile(ast.Expression(last.value), text, "eval")  # type: ignore[attr-defined]
        return lambda: eval(code, names)

    recorder.run(name, kinds, prepare)


def module_item(info: Any) -> Callable[[Recorder], None]:
    """Measures a module by the samples that torch has of it."""

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
    """Measures a step of an optimizer."""

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
    """Measures the collectives of a group of one process."""
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
