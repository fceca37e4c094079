"""Loading operations: the layout, its errors, and what the shipped files must know."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from hostsync.catalogue import ops
from hostsync.catalogue.errors import CatalogueError
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.model import ArgumentTest, Op, OpParam, Wait
from hostsync.catalogue.ops import (
    flagged,
    load_ops,
    merge_ops,
    parse_condition,
    parse_op,
    parse_params,
    split_params,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OPS = load_ops()


def names_of_torch() -> list[str]:
    text = (rules_dir() / "evidence" / "ops-names.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def write(folder: Path, text: str) -> Path:
    path = folder / "ops.toml"
    path.write_text(text, encoding="utf-8")
    return path


def conditions(name: str) -> list[str]:
    """Write an operation's waits as in the files."""
    return [
        " and ".join(f"{test.param} {test.predicate}" for test in wait.tests) or "always" for wait in OPS[name].waits
    ]


# --- the shipped files ---------------------------------------------------------------------------


def test_every_public_callable_is_there_and_nothing_else() -> None:
    assert sorted(OPS) == sorted(names_of_torch())


def test_every_entry_is_understood() -> None:
    for name in OPS:
        assert OPS[name].name == name


@pytest.mark.parametrize("path", sorted((rules_dir() / "ops").glob("*.toml")), ids=lambda path: path.stem)
def test_the_quick_reader_and_the_toml_parser_agree(path: Path) -> None:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    assert set(document) == {"torch", "ops"}
    quick = load_ops([path])
    assert list(quick) == list(document["ops"])
    for name, table in document["ops"].items():
        assert quick[name] == parse_op(name, table)


def test_fields_that_equal_their_default_are_left_out() -> None:
    defaults = {"returns": "tensor", "device": "args", "waits": "never", "event": "call"}
    for path in (rules_dir() / "ops").glob("*.toml"):
        for table in tomllib.loads(path.read_text(encoding="utf-8"))["ops"].values():
            for key, value in table.items():
                assert value is not False
                assert value != defaults.get(key, "")


def test_the_shipped_files_are_read_without_the_toml_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    # It takes four times as long as the reader that knows the layout.
    def refuse(text: str) -> dict[str, object]:
        raise AssertionError(text[:80])

    monkeypatch.setattr(tomllib, "loads", refuse)
    assert len(load_ops()) == len(OPS)


def test_a_shipped_operation_is_understood_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    understood: list[str] = []

    def noting(name: str, table: Mapping[str, object]) -> Op:
        understood.append(name)
        return parse_op(name, table)

    expected = OPS["torch.cov"]
    monkeypatch.setattr(ops, "parse_op", noting)
    table = load_ops()
    assert not understood
    assert table["torch.cov"] == expected
    assert table["torch.cov"] == expected
    assert understood == ["torch.cov"]


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("torch.linspace", "argument"),
        ("torch.zeros", "argument"),
        ("torch.full", "argument"),
        ("torch.arange", "argument"),
        ("torch.tensor", "argument"),
        ("torch.randint", "argument"),
        ("torch.hann_window", "argument"),
        ("torch.fft.fftfreq", "argument"),
        ("torch.zeros_like", "like"),
        ("Tensor.new_zeros", "like"),
        ("torch.as_tensor", "like"),
        ("torch.from_numpy", "cpu"),
        ("torch.frombuffer", "cpu"),
        ("Tensor.cpu", "cpu"),
        ("torch.FloatTensor", "cpu"),
        ("torch.cuda.FloatTensor", "accelerator"),
        ("Tensor.cuda", "accelerator"),
        ("Tensor.to", "unknown"),
        ("torch.add", "args"),
        ("torch.cat", "args"),
        ("torch.nn.functional.relu", "args"),
        ("torch.nn.Linear", "argument"),
    ],
)
def test_device(name: str, device: str) -> None:
    assert OPS[name].device == device


@pytest.mark.parametrize(
    ("name", "returns"),
    [
        ("Tensor.item", "python"),
        ("Tensor.tolist", "python"),
        ("Tensor.numel", "python"),
        ("Tensor.dim", "python"),
        ("Tensor.is_contiguous", "python"),
        ("Tensor.size", "shape"),
        ("Tensor.shape", "shape"),
        ("Tensor.stride", "shape"),
        ("Tensor.numpy", "numpy"),
        ("Tensor.device", "device"),
        ("Tensor.dtype", "dtype"),
        ("Tensor.T", "tensor"),
        ("Tensor.grad", "tensor"),
        ("Tensor.split", "list"),
        ("torch.chunk", "list"),
        ("torch.unbind", "list"),
        ("torch.topk", "tensors"),
        ("torch.sort", "tensors"),
        ("Tensor.add_", "self"),
        ("torch.nn.init.normal_", "self"),
        ("torch.nn.functional.relu_", "self"),
        ("torch.equal", "python"),
        ("torch.allclose", "python"),
        ("torch.is_tensor", "python"),
        ("torch.nn.Linear", "module"),
        ("torch.nn.Linear.forward", "tensor"),
        ("torch.distributions.Normal", "object"),
        ("torch.distributions.Normal.sample", "tensor"),
        ("torch.distributed.all_reduce", "object"),
        ("torch.cuda.synchronize", "none"),
        ("torch.cuda.memory_allocated", "python"),
    ],
)
def test_returns(name: str, returns: str) -> None:
    assert OPS[name].returns == returns


@pytest.mark.parametrize(
    ("name", "dtype", "ndim"),
    [
        ("Tensor.eq", "bool", "broadcast"),
        ("torch.isnan", "bool", "same"),
        ("Tensor.any", "bool", "reduce"),
        ("Tensor.argmax", "int", "reduce"),
        ("torch.nonzero", "int", "2"),
        ("torch.arange", "", "1"),
        ("torch.rand", "float", "size"),
        ("torch.zeros", "float", "size"),
        ("Tensor.reshape", "same", "size"),
        ("torch.stack", "promoted", "more"),
        ("Tensor.float", "float", "same"),
        ("Tensor.long", "int", "same"),
        ("Tensor.sum", "summed", "reduce"),
        ("Tensor.clone", "", "same"),
    ],
)
def test_dtype_and_dimensions(name: str, dtype: str, ndim: str) -> None:
    assert (OPS[name].dtype, OPS[name].ndim) == (dtype, ndim)


def test_what_makes_a_tensor_of_the_sizes_that_it_is_given() -> None:
    made = {name for name in OPS if OPS[name].makes_of_sizes}
    assert made == {f"torch.{name}" for name in ("empty", "ones", "rand", "randn", "zeros")} | {
        f"Tensor.new_{name}" for name in ("empty", "ones", "zeros")
    }


def test_what_gives_positions() -> None:
    given = {name.rpartition(".")[2] for name in OPS if OPS[name].positions}
    assert given == set("max min median nanmedian mode kthvalue sort topk cummax cummin".split())


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("Tensor.item", "read-back"),
        ("torch.testing.assert_close", "read-back"),
        ("torch.nonzero", "shape"),
        ("torch.nn.functional.one_hot", "shape"),
        ("torch.cuda.Stream.synchronize", "synchronize"),
        ("torch.distributed.barrier", "synchronize"),
        ("torch.linalg.inv", "call"),
        ("torch.nn.Module.cpu", "call"),
    ],
)
def test_what_a_wait_is(name: str, event: str) -> None:
    assert OPS[name].event == event


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Tensor.item", ["always"]),
        ("torch.nonzero", ["always"]),
        ("torch.where", ["input missing"]),
        ("torch.nn.functional.one_hot", ["num_classes missing", "num_classes negative", "num_classes tensor"]),
        ("torch.index_put", ["indices mask", "indices cpu and indices int"]),
        ("torch.cholesky_inverse", ["input batch"]),
        ("torch.linalg.matrix_norm", ["ord 2", "ord -2", "ord 'nuc'", "ord tensor", "dim tensor"]),
        ("torch.max", ["dim tensor and keepdim given"]),
        ("torch.linalg.inv", ["always"]),
        ("torch.linalg.inv_ex", ["check_errors true"]),
        ("torch.linalg.det", []),
        ("torch.linalg.qr", []),
        ("torch.searchsorted", ["sorter given"]),
        ("Tensor.masked_fill", ["value tensor"]),
        ("torch.full", ["fill_value tensor", "size tensor"]),
        ("torch.multinomial", ["num_samples tensor"]),
        ("Tensor.sum", ["dim tensor"]),
        ("Tensor.mul", []),
        ("Tensor.to", []),
        ("torch.distributions.Normal", ["validate_args missing", "validate_args true"]),
        ("torch.distributions.Normal.log_prob", ["self validating"]),
        ("torch.amp.GradScaler.step", ["always"]),
        ("torch.amp.GradScaler.update", []),
        ("torch.optim.Adam.step", []),
        ("torch.optim.LBFGS.step", ["always"]),
        ("torch.cuda.synchronize", ["always"]),
        ("torch.cuda.Stream.wait_stream", []),
        ("torch.distributed.all_reduce", []),
    ],
)
def test_waits(name: str, expected: list[str]) -> None:
    assert conditions(name) == expected


def test_waits_carry_releases() -> None:
    assert Wait((ArgumentTest("std", "tensor"),), "<2.14") in OPS["torch.normal"].waits
    assert OPS["torch.nn.init.trunc_normal_"].waits == (Wait((), ">=2.13"),)


def test_clip_grad_norm_waits_only_when_told_to_check() -> None:
    assert "always" not in conditions("torch.nn.utils.clip_grad_norm_")
    assert "error_if_nonfinite true" in conditions("torch.nn.utils.clip_grad_norm_")


PROOF = "unsqueeze masked_fill is_cuda numel view_as detach requires_grad index_select nonzero_static add_ clamp"
NO_PROOF = (
    "item tolist any all unique values mean sum where copy expand type size data apply_ map_ to cpu cuda half float "
    "double backward shape dim squeeze reshape nonzero numpy device dtype T flatten sort split index softmax sigmoid "
    "relu stft grad name"
)


@pytest.mark.parametrize("member", PROOF.split())
def test_members_that_prove_a_tensor(member: str) -> None:
    assert OPS[f"Tensor.{member}"].tensor_only


@pytest.mark.parametrize("member", NO_PROOF.split())
def test_members_that_prove_nothing(member: str) -> None:
    op = OPS.get(f"Tensor.{member}")
    assert op is None or not op.tensor_only


# --- the layout ----------------------------------------------------------------------------------


def test_parameters() -> None:
    assert parse_params("input, *size, dims=(0, 1), sep=', ', **more") == (
        OpParam("input", None, "normal"),
        OpParam("size", None, "args"),
        OpParam("dims", "(0, 1)", "keyword"),
        OpParam("sep", "', '", "keyword"),
        OpParam("more", None, "kwargs"),
    )
    assert parse_params("a, /, b, *, c=None")[2] == OpParam("c", "None", "keyword")
    assert split_params("") == []


@pytest.mark.parametrize("text", ["a, a", "1x", "a b"])
def test_bad_parameters(text: str) -> None:
    with pytest.raises(ValueError):
        parse_params(text)


def test_conditions() -> None:
    assert parse_condition("always") == ()
    assert parse_condition("a tensor and b missing") == (ArgumentTest("a", "tensor"), ArgumentTest("b", "missing"))
    for text in ("", "a", "a maybe", "a tensor or b tensor", "always and a given"):
        with pytest.raises(ValueError):
            parse_condition(text)


def test_an_entry_with_everything(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        'torch = "2.13.0"\n\n[ops]\n"lab.shine" = { params = "x, n=-1", returns = "tensors", device = "like", '
        'dtype = "int", ndim = "reduce", memory = "same", positions = true, waits = ["n missing", '
        '{ when = "x tensor and n given", torch = ">=2.5,<2.9" }], '
        'event = "shape", tensor_only = true, property = true, by_name = true }\n',
    )
    assert load_ops([path])["lab.shine"] == Op(
        "lab.shine",
        (OpParam("x", None, "normal"), OpParam("n", "-1", "normal")),
        "tensors",
        "like",
        "int",
        "reduce",
        "same",
        (
            Wait((ArgumentTest("n", "missing"),), ""),
            Wait((ArgumentTest("x", "tensor"), ArgumentTest("n", "given")), ">=2.5,<2.9"),
        ),
        True,
        True,
        True,
        False,
        "shape",
        True,
    )


def test_any_toml_layout_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "# note\n[ops.'lab.shine']\nparams = 'x'\nwaits = '''always'''\n")
    assert load_ops([path])["lab.shine"].waits == (Wait((), ""),)


def test_defaults(tmp_path: Path) -> None:
    path = write(tmp_path, '[ops]\n"lab.shine" = {}\n')
    assert load_ops([path])["lab.shine"] == Op("lab.shine", (), "tensor", "args", "", "", "", (), False, False)


@pytest.mark.parametrize(
    ("text", "row", "message"),
    [
        ('[ops]\n\n"lab.shine" = { colour = "red" }\n', 3, "unknown field 'colour'"),
        ('[ops]\n"lab.shine" = { returns = "tensr" }\n', 2, "returns is 'tensr'"),
        ('[ops]\n"lab.shine" = { device = "gpu" }\n', 2, "device is 'gpu'"),
        ('[ops]\n"lab.shine" = { ndim = "many" }\n', 2, "ndim is 'many'"),
        ('[ops]\n"lab.shine" = { event = "index" }\n', 2, "event is 'index'"),
        ('[ops]\n"lab.shine" = { waits = "sometimes" }\n', 2, "'sometimes' is not a test"),
        ('[ops]\n"lab.shine" = { params = "x", waits = "y given" }\n', 2, "no parameter"),
        ('[ops]\n"lab.shine" = { waits = [{ when = "always", torch = "2.15" }] }\n', 2, "version specifier"),
        ('[ops]\n"lab.shine" = { waits = [{ if = "always" }] }\n', 2, "an item of waits"),
        ('[ops]\n"lab.shine" = { waits = 3 }\n', 2, "condition or a list"),
        ('[ops]\n"lab.shine" = { params = 3 }\n', 2, "params must be a string"),
        ('[ops]\n"lab.shine" = { property = "yes" }\n', 2, "property is 'yes'"),
        ('[ops]\n"shine" = {}\n', 2, "dotted name"),
        ('[ops]\n"lab.shine" = 3\n', 2, "must be a table"),
        ('rule = 1\n[ops]\n"lab.shine" = {}\n', 1, "unknown key"),
        ('[ops]\n"lab.shine" = {}\n"lab.shine" = {}\n', 3, ""),
        ('[ops]\n"lab.shine" = { = }\n', 2, ""),
    ],
)
def test_errors_name_file_line_and_key(tmp_path: Path, text: str, row: int, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(CatalogueError) as caught:
        load_ops([path])
    assert caught.value.path == path
    assert caught.value.row == row
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_an_operation_in_two_files_is_an_error(tmp_path: Path) -> None:
    first = write(tmp_path, '[ops]\n"lab.shine" = {}\n')
    second = tmp_path / "more.toml"
    second.write_text('[ops]\n"lab.shine" = {}\n', encoding="utf-8")
    with pytest.raises(CatalogueError, match="already in"):
        load_ops([first, second])


def test_a_missing_or_undecodable_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="cannot be read"):
        load_ops([tmp_path / "none.toml"])
    path = tmp_path / "bytes.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(CatalogueError, match="cannot be read"):
        load_ops([path])


def test_merge() -> None:
    extra = {"lab.shine": parse_op("lab.shine", {}), "torch.add": parse_op("torch.add", {"waits": "always"})}
    merged = merge_ops(OPS, extra)
    assert len(merged) == len(OPS) + 1
    assert merged["torch.add"].waits
    assert merged["torch.sub"] == OPS["torch.sub"]
    assert "lab.shine" in merged
    assert sorted(merged) == sorted([*OPS, "lab.shine"])
    assert merge_ops(OPS, {}) is OPS


def test_operations_that_only_a_tensor_has(tmp_path: Path) -> None:
    found = sorted(name for name, op in OPS.items() if op.tensor_only and name.startswith("Tensor."))
    assert len(found) > 300
    assert sorted(flagged(load_ops(), "tensor_only")) == found, "not understood yet"
    assert sorted(flagged(OPS, "tensor_only")) == found
    measured = load_ops([write(tmp_path, '[ops]\n"Tensor.own" = { tensor_only = true }\n"Tensor.item" = {}\n')])
    assert list(flagged(measured, "tensor_only")) == ["Tensor.own"]
    both = merge_ops(load_ops(), measured)
    assert sorted(flagged(both, "tensor_only")) == sorted({*found, "Tensor.own"} - {"Tensor.item"})
