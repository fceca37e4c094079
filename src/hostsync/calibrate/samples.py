"""Calls to measure, besides PyTorch's own operator samples.

Each expression is `statements; call`: only the last part is measured, the statements before it prepare. The names in
it are those of `environment`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

ENVIRONMENT = """
x: 64 x 64 float       v: 64 float, positive   i: 8 long, sorted        m: 64 x 64 mask     mv: mask of 64
f: 0-d float           s: 0-d long, 3          p: positive definite     y: like x           u: 64 long, counts
xc: x on the CPU       ic: i on the CPU        mc: mv on the CPU        c: 0-d float, CPU   xp: pinned copy of x
big: 4 Mi float, CPU, pageable                 host: the same size, CPU, pageable           n: NumPy array
gpu: 4 Mi float        model, loss_of()        d: the device            D: torch.distributions
"""


@cache
def _large(device: str) -> dict[str, Any]:
    torch: Any = import_module("torch")
    big = torch.randn(4 << 20)
    return {"big": big, "host": torch.empty(4 << 20), "gpu": big.to(device)}


def environment(device: str) -> dict[str, Any]:
    """Return fresh values for the names of `ENVIRONMENT`."""
    torch: Any = import_module("torch")
    numpy: Any = import_module("numpy")
    torch.manual_seed(0)
    x = torch.randn(64, 64, device=device)
    xc = torch.randn(64, 64)
    model = torch.nn.Linear(64, 64, device=device)

    def loss_of() -> Any:
        model.zero_grad(set_to_none=True)
        loss = model(x).square().mean()
        loss.backward()
        return loss

    mv = torch.arange(64, device=device) % 3 == 0
    return {
        "torch": torch,
        "np": numpy,
        "F": torch.nn.functional,
        "D": torch.distributions,
        "nn": torch.nn,
        "rnn": torch.nn.utils.rnn,
        "math": import_module("math"),
        "operator": import_module("operator"),
        "d": device,
        "x": x,
        "y": torch.randn(64, 64, device=device),
        "v": torch.rand(64, device=device) + 0.5,
        "i": torch.tensor([0, 2, 3, 5, 8, 13, 21, 34], device=device),
        "u": torch.arange(64, device=device) % 4,
        "m": torch.randn(64, 64, device=device) > 0,
        "mv": mv,
        "f": torch.tensor(0.5, device=device),
        "s": torch.tensor(3, device=device),
        "p": x @ x.T + 64 * torch.eye(64, device=device),
        "xc": xc,
        "ic": torch.tensor([0, 2, 3]),
        "mc": mv.cpu(),
        "c": torch.tensor(0.5),
        "xp": xc.pin_memory() if device != "cpu" else xc,
        **_large(device),
        "n": numpy.array([0, 2, 3]),
        "model": model,
        "loss_of": loss_of,
    }


def _same(name: str, *calls: str) -> list[tuple[str, str]]:
    return [(name, call) for call in calls]


_LINALG = (
    "inv cholesky eigh eigvalsh svd svdvals matrix_rank pinv eig eigvals lu_factor ldl_factor ldl_factor_ex lu qr det "
    "slogdet cond matrix_exp inv_ex cholesky_ex lu_factor_ex norm matrix_norm vector_norm"
)

EXPRESSIONS: list[tuple[str, str]] = [
    # read-backs
    *_same("Tensor.item", "x[0, 0].item()", "f.item()"),
    *_same("Tensor.tolist", "i.tolist()", "f.tolist()"),
    *_same("Tensor.cpu", "x.cpu()"),
    *_same("Tensor.numpy", "x.numpy(force=True)"),
    *_same("Tensor.is_nonzero", "f.is_nonzero()"),
    *_same("torch.is_nonzero", "torch.is_nonzero(f)"),
    *_same("torch.equal", "torch.equal(x, y)"),
    *_same("Tensor.equal", "x.equal(y)"),
    *_same("torch.allclose", "torch.allclose(x, y)"),
    *_same("Tensor.allclose", "x.allclose(y)"),
    ("builtins.float", "float(f)"),
    ("builtins.int", "int(f)"),
    ("builtins.bool", "bool(f)"),
    ("builtins.range", "range(s)"),
    ("builtins.repr", "repr(x)"),
    ("builtins.format", "format(f, '.3f')"),
    ("builtins.max", "max(f, v[0])"),
    ("builtins.sum", "sum([f, f])"),
    ("builtins.len", "len(x)"),
    ("builtins.any", "any([f])"),
    ("math.sqrt", "math.sqrt(f)"),
    ("operator.index", "operator.index(s)"),
    ("operator.contains", "1 in u"),
    ("operator.mod", "'%s' % f"),
    ("iteration", "[q for q in v]"),
    # data-dependent shapes
    *_same("torch.nonzero", "torch.nonzero(m)", "torch.nonzero(m, as_tuple=True)"),
    *_same("Tensor.nonzero", "m.nonzero()", "m.nonzero(as_tuple=True)"),
    *_same("torch.argwhere", "torch.argwhere(m)"),
    *_same("torch.nonzero_static", "torch.nonzero_static(m, size=4)"),
    *_same("torch.where", "torch.where(m)", "torch.where(m, x, y)", "torch.where(m, x, 0.0)", "torch.where(m, 1.0, 0.0)"),
    *_same("Tensor.where", "x.where(m, y)", "x.where(m, 0.0)"),
    *_same("torch.unique", "torch.unique(u)", "torch.unique(u, dim=0)", "torch.unique(m)"),
    *_same("Tensor.unique", "u.unique()"),
    *_same("torch.unique_consecutive", "torch.unique_consecutive(u)"),
    *_same("torch.bincount", "torch.bincount(u)", "torch.bincount(u, minlength=8)"),
    *_same("torch.histc", "torch.histc(v)", "torch.histc(v, 10)", "torch.histc(v, 10, 0.0, 2.0)", "torch.histc(v, bins=10, min=0, max=2)"),
    *_same("Tensor.histc", "v.histc()", "v.histc(10, 0.0, 2.0)"),
    *_same("torch.mode", "torch.mode(v)", "torch.mode(gpu)"),
    *_same(
        "torch.repeat_interleave",
        "torch.repeat_interleave(v, u)",
        "torch.repeat_interleave(u)",
        "torch.repeat_interleave(u, output_size=96)",
        "torch.repeat_interleave(v, u, output_size=96)",
        "torch.repeat_interleave(v, 2)",
        "torch.repeat_interleave(v, repeats=u, dim=0)",
    ),
    *_same("Tensor.repeat_interleave", "v.repeat_interleave(u)", "v.repeat_interleave(2)", "v.repeat_interleave(u, output_size=96)", "v.repeat_interleave(u, dim=0)"),
    *_same("torch.nn.functional.one_hot", "F.one_hot(u)", "F.one_hot(u, 4)", "F.one_hot(u, num_classes=4)", "F.one_hot(u, -1)"),
    *_same("torch.combinations", "torch.combinations(v)", "torch.combinations(v, 3)", "torch.combinations(v, 2, True)"),
    *_same("torch.isin", "torch.isin(u, i)", "torch.isin(i, u)", "torch.isin(u, i, assume_unique=True)", "torch.isin(i, gpu.long())", "torch.isin(u, 3)"),
    *_same("torch.masked_select", "torch.masked_select(x, m)"),
    *_same("torch.cartesian_prod", "torch.cartesian_prod(v, v)"),
    *_same("torch.cov", "torch.cov(x)"),
    *_same("torch.corrcoef", "torch.corrcoef(x)"),
    *_same("torch.searchsorted", "torch.searchsorted(v.sort()[0], v)", "sv, o = v.sort(); torch.searchsorted(v, v, sorter=o)", "torch.searchsorted(v, 0.7)"),
    *_same("torch.bucketize", "torch.bucketize(x, v)"),
    *_same("torch.segment_reduce", "torch.segment_reduce(v, 'sum', lengths=torch.full((8,), 8, device=d))", "torch.segment_reduce(v, 'sum', lengths=torch.full((8,), 8, device=d), unsafe=True)"),
    *_same("torch.multinomial", "torch.multinomial(v, 4)"),
    *_same("torch.normal", "torch.normal(v, v)", "torch.normal(v, 1.0)", "torch.normal(0.0, v)", "torch.normal(0.0, 1.0, (3,), device=d)"),
    *_same("torch.stft", "torch.stft(gpu[:4096], 256, window=torch.hann_window(256, device=d), return_complex=True)"),
    *_same("torch.istft", "w = torch.hann_window(256, device=d); z = torch.stft(gpu[:4096], 256, window=w, return_complex=True); torch.istft(z, 256, window=w)"),
    *_same("Tensor.coalesce", "z = torch.sparse_coo_tensor(torch.stack([u, u]), v, (64, 64)); z.coalesce()"),
    *_same("torch.sparse_coo_tensor", "torch.sparse_coo_tensor(torch.stack([u, u]), v, (64, 64))", "torch.sparse_coo_tensor(torch.stack([u, u]), v)", "torch.sparse_coo_tensor(torch.stack([u, u]), v, size=(64, 64))"),
    *_same("torch.sparse_csr_tensor", "torch.sparse_csr_tensor(torch.arange(65, device=d), u.clone() * 0, v, (64, 64))", "torch.sparse_csr_tensor(torch.arange(65, device=d), u.clone() * 0, v)"),
    *_same("Tensor.to_sparse", "x.to_sparse()"),
    *_same("Tensor.to_sparse_csr", "x.to_sparse_csr()"),
    *_same("Tensor.to_sparse_csc", "x.to_sparse_csc()"),
    *_same("Tensor.to_sparse_coo", "x.to_sparse_coo()"),
    *_same("Tensor.to_sparse_bsr", "x.to_sparse_bsr((2, 2))"),
    *_same("Tensor.to_sparse_bsc", "x.to_sparse_bsc((2, 2))"),
    *_same("Tensor.to_dense", "z = x.to_sparse(); z.to_dense()"),
    *_same("torch.sparse.mm", "z = x.to_sparse(); torch.sparse.mm(z, y)"),
    *_same("torch.sparse.sum", "z = x.to_sparse(); torch.sparse.sum(z)"),
    *_same("torch.sparse.softmax", "z = x.to_sparse(); torch.sparse.softmax(z, 1)"),
    *_same("torch.nested.nested_tensor", "torch.nested.nested_tensor([x, y])", "torch.nested.nested_tensor([x, y], layout=torch.jagged)"),
    *_same("torch.nested.as_nested_tensor", "torch.nested.as_nested_tensor([x, y])"),
    *_same("torch.tensordot", "torch.tensordot(x, y, 1)", "torch.tensordot(x, y, dims=([1], [0]))", "q = torch.tensor([[1], [0]], device=d); torch.tensordot(x, y, q)"),
    # subscripts
    ("subscript mask-load", "x[m]"),
    ("subscript mask-load", "x[mv]"),
    ("subscript mask-load cpu", "x[mc]"),
    ("subscript mask-store tensor", "x[mv] = y[:22]"),
    ("subscript mask-store tensor", "x[m] = f"),
    ("subscript mask-store number", "x[m] = 0.0"),
    ("subscript mask-store number", "x[mv] = 0.0"),
    ("subscript mask-store number", "x[mv, :] = 0.0"),
    ("subscript mask-store number", "x[:, mv] = 0.0"),
    ("subscript mask-store number", "x[mv, 0] = 0.0"),
    ("subscript mask-store mask-and-index", "x[mv, 0:64][:, 0] = 0.0"),
    ("subscript mask-store two masks", "x[mv, mv] = 0.0"),
    ("subscript mask-store cpu number tensor", "x[m] = c"),
    ("subscript mask-augment", "x[m] += 1"),
    ("subscript list-index", "x[[0, 2]]"),
    ("subscript list-index", "x[[0, 2], [1, 3]]"),
    ("subscript list-index", "x[range(3)]"),
    ("subscript list-index", "x[:, [0, 2]]"),
    ("subscript numpy-index", "x[n]"),
    ("subscript cpu-index", "x[ic]"),
    ("subscript device-index", "x[i]"),
    ("subscript device-index", "x[i, i]"),
    ("subscript scalar-tensor", "x[s]"),
    ("subscript scalar-tensor", "x[s:]"),
    ("subscript scalar-tensor", "x[:s]"),
    ("subscript scalar-tensor", "x[0, s]"),
    ("subscript scalar-tensor store", "x[s] = 1.0"),
    ("subscript scalar-store", "x[0] = 1.0"),
    ("subscript scalar-store element", "x[0, 0] = 1.0"),
    ("subscript scalar-store element", "v[0] = 1.0"),
    ("subscript scalar-store positions", "x[i] = 0.0"),
    ("subscript scalar-store positions", "x[i, i] = 0.0"),
    ("subscript slice-store", "x[1:5] = 1.0"),
    ("subscript list-store", "x[[0, 2]] = 1.0"),
    ("subscript cpu-store", "x[i] = xc[:8]"),
    ("subscript cpu-store", "x[0] = c"),
    ("subscript tensor-store", "x[i] = y[:8]"),
    ("subscript tensor-store", "x[0] = y[1]"),
    ("subscript element-store tensor", "x[0, 0] = f"),
    ("subscript plain", "x[0]"),
    ("subscript plain", "x[1:3, None]"),
    # copies and constructors
    *_same(
        "Tensor.to",
        "xc.to(d)", "xp.to(d)", "xp.to(d, non_blocking=True)", "xc.to(d, non_blocking=True)", "big.to(d, non_blocking=True)",
        "x.to('cpu')", "x.to('cpu', non_blocking=True)", "x.to(torch.float16)", "x.to(d)", "x.to(y)", "x.to(xc)", "xc.to(x)",
    ),
    *_same("Tensor.cuda", "xc.cuda()", "xp.cuda(non_blocking=True)", "x.cuda()"),
    *_same("Tensor.copy_", "x.copy_(xc)", "x.copy_(xp, non_blocking=True)", "x.copy_(y)", "xc.copy_(x)", "host.copy_(gpu, non_blocking=True)", "xp.copy_(x, non_blocking=True)"),
    *_same("Tensor.type", "x.type(torch.LongTensor)", "x.type(torch.float16)", "x.type('torch.FloatTensor')", "x.type()"),
    *_same("Tensor.type_as", "x.type_as(y)", "xc.type_as(x)", "x.type_as(xc)"),
    *_same("Tensor.pin_memory", "xc.pin_memory()"),
    *_same("torch.tensor", "torch.tensor(1.0, device=d)", "torch.tensor([1, 2], device=d)", "torch.tensor(n, device=d)", "torch.tensor([f, f])", "torch.tensor(f)", "torch.tensor([f, f], device=d)"),
    *_same("torch.as_tensor", "torch.as_tensor(1.0, device=d)", "torch.as_tensor([1, 2], device=d)", "torch.as_tensor(n, device=d)", "torch.as_tensor(x)", "torch.as_tensor(x, device=d)", "torch.as_tensor([1, 2])"),
    *_same("torch.asarray", "torch.asarray([1, 2], device=d)", "torch.asarray(n, device=d)", "torch.asarray(1.0, device=d)", "torch.asarray(x)"),
    *_same("Tensor.new_tensor", "x.new_tensor([1.0, 2.0])", "x.new_tensor(1.0)", "x.new_tensor(n)"),
    *_same("Tensor.new", "x.new([1.0, 2.0])", "x.new(3)"),
    *_same("torch.cuda.FloatTensor", "torch.cuda.FloatTensor([1.0, 2.0])", "torch.cuda.FloatTensor(3)"),
    *_same("torch.cuda.LongTensor", "torch.cuda.LongTensor([1, 2])"),
    *_same("torch.scalar_tensor", "torch.scalar_tensor(1.0, device=d)"),
    *_same("torch.full", "torch.full((3,), 1.0, device=d)", "torch.full((3,), f, device=d)", "torch.full((3,), f)"),
    *_same("torch.full_like", "torch.full_like(x, 1.0)", "torch.full_like(x, f)"),
    *_same("Tensor.new_full", "x.new_full((3,), 1.0)", "x.new_full((3,), f)"),
    *_same("torch.zeros", "torch.zeros(3, device=d)", "torch.zeros(s, device=d)", "torch.zeros((s, s), device=d)"),
    *_same("torch.ones", "torch.ones(3, device=d)", "torch.ones(s)"),
    *_same("torch.empty", "torch.empty(s, device=d)"),
    *_same("torch.rand", "torch.rand(3, device=d)", "torch.rand(s, device=d)"),
    *_same("torch.randn", "torch.randn(s, device=d)"),
    *_same("torch.randint", "torch.randint(0, 5, (3,), device=d)", "torch.randint(0, s, (3,), device=d)", "torch.randint(s, (3,), device=d)"),
    *_same("torch.randperm", "torch.randperm(64, device=d)", "torch.randperm(s, device=d)"),
    *_same("torch.arange", "torch.arange(5, device=d)", "torch.arange(s, device=d)", "torch.arange(0, s, device=d)", "torch.arange(0, 9, s, device=d)", "torch.arange(end=s, device=d)"),
    *_same("torch.linspace", "torch.linspace(0, 1, 5, device=d)", "torch.linspace(f, 1, 5, device=d)", "torch.linspace(0, f, 5, device=d)", "torch.linspace(0, 1, s, device=d)"),
    *_same("torch.logspace", "torch.logspace(0, 1, 5, device=d)", "torch.logspace(f, 1, 5, device=d)", "torch.logspace(0, f, 5, device=d)"),
    *_same("torch.eye", "torch.eye(4, device=d)", "torch.eye(s, device=d)"),
    *_same("torch.tril_indices", "torch.tril_indices(4, 4, device=d)"),
    *_same("torch.hann_window", "torch.hann_window(16, device=d)"),
    *_same("torch.from_numpy", "torch.from_numpy(n)"),
    *_same("Tensor.view", "x.view(-1, 8)", "x.view(s + 61, -1)"),
    *_same("Tensor.reshape", "x.reshape(-1, 8)", "x.reshape(s + 61, -1)"),
    *_same("Tensor.expand", "v.expand(2, 64)", "v.expand(s, 64)"),
    *_same("Tensor.repeat", "v.repeat(2)", "v.repeat(s)"),
    *_same("Tensor.narrow", "v.narrow(0, 1, 3)", "v.narrow(0, s, 3)"),
    *_same("torch.narrow", "torch.narrow(v, 0, s, 3)"),
    *_same("Tensor.split", "v.split(8)", "v.split([32, 32])"),
    *_same("torch.add", "torch.add(x, y, alpha=2)", "torch.add(x, y, alpha=f)"),
    *_same("torch.sub", "torch.sub(x, y, alpha=f)"),
    *_same("Tensor.add", "x.add(y, alpha=f)", "x.add(f)"),
    *_same("Tensor.add_", "x.add_(y, alpha=f)", "x.add_(f)"),
    *_same("Tensor.mul", "x.mul(f)", "x.mul(c)"),
    *_same("torch.clamp", "torch.clamp(x, min=f)", "torch.clamp(x, 0.0, 1.0)"),
    *_same("torch.lerp", "torch.lerp(x, y, f)", "torch.lerp(x, y, 0.5)"),
    *_same("Tensor.masked_fill", "x.masked_fill(m, 0.0)", "x.masked_fill(m, f)", "x.masked_fill(m, c)"),
    *_same("Tensor.masked_fill_", "x.masked_fill_(m, 0.0)", "x.masked_fill_(m, f)"),
    *_same("torch.masked_fill", "torch.masked_fill(x, m, f)"),
    *_same("Tensor.index_fill", "x.index_fill(0, i, 0.0)", "x.index_fill(0, i, f)"),
    *_same("Tensor.index_fill_", "x.index_fill_(0, i, 0.0)", "x.index_fill_(0, i, f)"),
    *_same("Tensor.fill_", "x.fill_(1.0)", "x.fill_(f)", "x.fill_(c)"),
    *_same("Tensor.masked_scatter", "x.masked_scatter(m, y)"),
    *_same("Tensor.index_put_", "x.index_put_((i,), f)", "x.index_put_((i,), f, accumulate=True)", "x.index_put_((m,), f)"),
    *_same("Tensor.index_put", "x.index_put((i,), f)", "x.index_put((m,), f)"),
    *_same("torch.index_put", "torch.index_put(x, (i,), f)", "torch.index_put(x, (m,), f)"),
    *_same("torch.tensor_split", "torch.tensor_split(v, 4)"),
    *_same("torch.stack", "torch.stack([f, f])"),
    *_same("torch.block_diag", "torch.block_diag(x, y)"),
    # linear algebra
    *((f"torch.linalg.{name}", f"torch.linalg.{name}(p)") for name in _LINALG.split()),
    *((f"torch.linalg.{name}", f"torch.linalg.{name}(p, check_errors=True)") for name in ("inv_ex", "cholesky_ex", "lu_factor_ex", "ldl_factor_ex")),
    *_same("torch.linalg.solve", "torch.linalg.solve(p, x)"),
    *_same("torch.linalg.solve_ex", "torch.linalg.solve_ex(p, x)", "torch.linalg.solve_ex(p, x, check_errors=True)"),
    *_same("torch.linalg.solve_triangular", "torch.linalg.solve_triangular(p, x, upper=True)"),
    *_same("torch.linalg.lstsq", "torch.linalg.lstsq(p, x)"),
    *_same("torch.linalg.tensorsolve", "torch.linalg.tensorsolve(p, v)"),
    *_same("torch.linalg.tensorinv", "torch.linalg.tensorinv(p.reshape(8, 8, 64))"),
    *_same("torch.linalg.lu_solve", "a, b = torch.linalg.lu_factor(p); torch.linalg.lu_solve(a, b, x)"),
    *_same("torch.linalg.ldl_solve", "a, b = torch.linalg.ldl_factor(p); torch.linalg.ldl_solve(a, b, x)"),
    *_same("torch.linalg.matrix_power", "torch.linalg.matrix_power(p, 2)", "torch.linalg.matrix_power(p, -1)"),
    *_same("torch.linalg.norm", "torch.linalg.norm(p, 2)", "torch.linalg.norm(p, 'nuc')", "torch.linalg.norm(p, ord='fro')"),
    *_same("torch.linalg.matrix_norm", "torch.linalg.matrix_norm(p, 2)", "torch.linalg.matrix_norm(p, 'nuc')"),
    *_same("torch.linalg.cond", "torch.linalg.cond(p, 'fro')"),
    *_same("torch.linalg.matrix_exp", "torch.linalg.matrix_exp(p[None].repeat(4, 1, 1) * 0.01)"),
    *_same("torch.inverse", "torch.inverse(p)"),
    *_same("Tensor.inverse", "p.inverse()"),
    *_same("torch.cholesky", "torch.cholesky(p)"),
    *_same("torch.cholesky_inverse", "torch.cholesky_inverse(torch.linalg.cholesky_ex(p).L)"),
    *_same("torch.cholesky_solve", "torch.cholesky_solve(x, torch.linalg.cholesky_ex(p).L)"),
    *_same("torch.triangular_solve", "torch.triangular_solve(x, p)"),
    *_same("torch.svd", "torch.svd(p)"),
    *_same("torch.qr", "torch.qr(p)"),
    *_same("torch.pinverse", "torch.pinverse(p)"),
    *_same("torch.lu", "torch.lu(p)"),
    *_same("torch.det", "torch.det(p)"),
    *_same("torch.logdet", "torch.logdet(p)"),
    *_same("torch.lobpcg", "torch.lobpcg(p, k=3)"),
    *_same("torch.svd_lowrank", "torch.svd_lowrank(p)"),
    *_same("torch.pca_lowrank", "torch.pca_lowrank(p)"),
    *_same("torch.norm", "torch.norm(p)", "torch.norm(p, p='nuc')"),
    # losses, layers, recurrent helpers
    *_same(
        "torch.nn.functional.ctc_loss",
        "F.ctc_loss(torch.randn(20, 4, 8, device=d).log_softmax(2), torch.randint(1, 8, (4, 6), device=d), torch.full((4,), 20, device=d), torch.full((4,), 6, device=d))",
        "F.ctc_loss(torch.randn(20, 4, 8, device=d).log_softmax(2), torch.randint(1, 8, (4, 6), device=d), torch.full((4,), 20), torch.full((4,), 6))",
        "F.ctc_loss(torch.randn(20, 4, 8, device=d).log_softmax(2), torch.randint(1, 8, (4, 6), device=d), [20] * 4, [6] * 4)",
    ),
    *_same("torch.nn.functional.gaussian_nll_loss", "F.gaussian_nll_loss(x, y, x.exp())", "F.gaussian_nll_loss(x, y, 1.0)"),
    *_same(
        "torch.nn.functional.cross_entropy", "F.cross_entropy(x, u)", "F.cross_entropy(x, u, v)",
        "F.cross_entropy(x, u, label_smoothing=0.1)", "F.cross_entropy(x, u, v, label_smoothing=0.1)",
    ),
    *_same("torch.nn.functional.nll_loss", "F.nll_loss(x, u)"),
    *_same("torch.nn.functional.interpolate", "F.interpolate(x[None, None], scale_factor=2)", "F.interpolate(x[None, None], size=(s, s))"),
    *_same("torch.nn.functional.affine_grid", "F.affine_grid(torch.rand(2, 2, 3, device=d), (2, 3, 8, 8))", "F.affine_grid(torch.rand(2, 2, 3, device=d), (2, 3, 1, 8))"),
    *_same("torch.nn.functional.embedding", "F.embedding(u, x)", "F.embedding(u, x.clone(), max_norm=1.0)"),
    *_same("torch.nn.functional.dropout", "F.dropout(x, 0.5)", "F.dropout(x, f)"),
    *_same("torch.nn.functional.gumbel_softmax", "F.gumbel_softmax(x)"),
    *_same("torch.nn.functional.scaled_dot_product_attention", "F.scaled_dot_product_attention(x[None], x[None], x[None])"),
    *_same("torch.nn.utils.rnn.pack_padded_sequence", "q = torch.tensor([8, 5, 2], device=d); rnn.pack_padded_sequence(x[None].repeat(3, 1, 1).transpose(0, 1), q)", "rnn.pack_padded_sequence(x[None].repeat(3, 1, 1).transpose(0, 1), [8, 5, 2])", "rnn.pack_padded_sequence(x[None].repeat(3, 1, 1).transpose(0, 1), torch.tensor([8, 5, 2]))", "rnn.pack_padded_sequence(x[None].repeat(3, 1, 1).transpose(0, 1), torch.tensor([8, 5, 9]), enforce_sorted=False)"),
    *_same("torch.nn.utils.rnn.pad_packed_sequence", "q = rnn.pack_padded_sequence(x[None].repeat(3, 1, 1).transpose(0, 1), torch.tensor([8, 5, 2])); rnn.pad_packed_sequence(q)", "q = rnn.pack_padded_sequence(x[None].repeat(3, 1, 1).transpose(0, 1), torch.tensor([8, 5, 9]), enforce_sorted=False); rnn.pad_packed_sequence(q)"),
    *_same("torch.nn.utils.rnn.pad_sequence", "rnn.pad_sequence([v, v[:8]])"),
    *_same("torch.nn.utils.rnn.pack_sequence", "rnn.pack_sequence([v[:, None], v[:8, None]])"),
    *_same("torch.nn.utils.rnn.unpad_sequence", "rnn.unpad_sequence(x, torch.full((64,), 8, device=d))"),
    *_same("torch.nn.utils.rnn.invert_permutation", "rnn.invert_permutation(torch.arange(8, device=d))"),
    *((f"torch.nn.init.{name}", f"nn.init.{name}(x)") for name in "uniform_ normal_ trunc_normal_ ones_ zeros_ eye_ xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ orthogonal_".split()),
    *_same("torch.nn.init.constant_", "nn.init.constant_(x, 1.0)", "nn.init.constant_(x, f)"),
    *_same("torch.nn.init.sparse_", "nn.init.sparse_(x, 0.1)"),
    *_same("torch.nn.init.dirac_", "nn.init.dirac_(x[None].repeat(4, 1, 1))"),
    *_same("torch.nn.utils.clip_grad_norm_", "loss_of(); nn.utils.clip_grad_norm_(model.parameters(), 1.0)", "loss_of(); nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)", "loss_of(); nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False)", "loss_of(); nn.utils.clip_grad_norm_(model.parameters(), f)"),
    *_same("torch.nn.utils.clip_grad_value_", "loss_of(); nn.utils.clip_grad_value_(model.parameters(), 1.0)"),
    *_same("torch.nn.utils.get_total_norm", "nn.utils.get_total_norm([x, y])", "nn.utils.get_total_norm([x, y], error_if_nonfinite=True)"),
    *_same("torch.nn.utils.clip_grads_with_norm_", "loss_of(); nn.utils.clip_grads_with_norm_(model.parameters(), 1.0, f)"),
    *_same("torch.nn.utils.parameters_to_vector", "nn.utils.parameters_to_vector(model.parameters())"),
    *_same("torch.nn.utils.vector_to_parameters", "q = nn.utils.parameters_to_vector(model.parameters()).detach(); nn.utils.vector_to_parameters(q, model.parameters())"),
    *_same("torch.nn.utils.parametrizations.orthogonal", "nn.utils.parametrizations.orthogonal(nn.Linear(8, 8, device=d))"),
    *_same("torch.nn.utils.parametrizations.weight_norm", "nn.utils.parametrizations.weight_norm(nn.Linear(8, 8, device=d))"),
    *_same("torch.nn.utils.parametrizations.spectral_norm", "nn.utils.parametrizations.spectral_norm(nn.Linear(8, 8, device=d))"),
    *_same("torch.nn.Module.state_dict", "model.state_dict()"),
    *_same("torch.nn.Module.zero_grad", "loss_of(); model.zero_grad()"),
    *_same("torch.nn.Module.cpu", "nn.Linear(8, 8, device=d).cpu()"),
    *_same("torch.nn.Module.to", "nn.Linear(8, 8).to(d)"),
    *_same("torch.nn.Module.cuda", "nn.Linear(8, 8).cuda()"),
    *_same("torch.nn.Module.half", "nn.Linear(8, 8, device=d).half()"),
    *_same("torch.nn.Module.load_state_dict", "model.load_state_dict(model.state_dict())", "model.load_state_dict({k: q.cpu() for k, q in model.state_dict().items()})"),
    *_same("Tensor.backward", "q = model(x).square().mean(); q.backward(retain_graph=True)"),
    *_same("torch.autograd.grad", "q = model(x).square().mean(); torch.autograd.grad(q, list(model.parameters()), retain_graph=True)"),
    *_same("torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint(model, x, use_reentrant=False)"),
    *_same("torch.testing.assert_close", "torch.testing.assert_close(x, x.clone())"),
    *_same("torch.utils.data.default_collate", "torch.utils.data.default_collate([v, v])", "torch.utils.data.default_collate([{'a': f}, {'a': f}])"),
    *_same("torch.masked.sum", "torch.masked.sum(x, mask=m)"),
    *_same("torch.masked.mean", "torch.masked.mean(x, mask=m)"),
    *_same("torch.manual_seed", "torch.manual_seed(3)", "torch.manual_seed(s)"),
    *_same("torch.save", "torch.save(x, __import__('io').BytesIO())"),
    *_same("torch.promote_types", "torch.promote_types(torch.float16, torch.float32)"),
    # mixed precision and optimisers
    *((f"torch.amp.GradScaler.{name}", f"z = torch.amp.GradScaler(d); o = torch.optim.SGD(model.parameters(), 0.1); z.scale(loss_of()); {call}") for name, call in (
        ("step", "z.step(o)"), ("get_scale", "z.get_scale()"), ("state_dict", "z.state_dict()"), ("scale", "z.scale(f)"),
        ("unscale_", "z = torch.amp.GradScaler(d); z.scale(loss_of()); z.unscale_(o)"), ("is_enabled", "z.is_enabled()"),
        ("get_growth_factor", "z.get_growth_factor()"), ("get_backoff_factor", "z.get_backoff_factor()"),
        ("get_growth_interval", "z.get_growth_interval()"), ("update", "z.unscale_(o); z.update()"),
    )),
    *_same("torch.optim.lr_scheduler.ReduceLROnPlateau.step", "z = torch.optim.lr_scheduler.ReduceLROnPlateau(torch.optim.SGD(model.parameters(), 0.1)); z.step(f)", "z = torch.optim.lr_scheduler.ReduceLROnPlateau(torch.optim.SGD(model.parameters(), 0.1)); z.step(0.5)"),
    *_same("torch.optim.swa_utils.AveragedModel.update_parameters", "z = torch.optim.swa_utils.AveragedModel(model); z.update_parameters(model); z.update_parameters(model)"),
    # streams, events, the allocator
    *((f"torch.cuda.{name}", f"torch.cuda.{name}()") for name in (
        "synchronize current_stream default_stream current_device device_count is_available memory_allocated memory_reserved "
        "max_memory_allocated max_memory_reserved memory_stats mem_get_info memory_summary memory_snapshot reset_peak_memory_stats "
        "reset_accumulated_memory_stats reset_max_memory_allocated get_rng_state get_rng_state_all initial_seed seed seed_all "
        "is_current_stream_capturing is_initialized get_device_name get_device_properties get_device_capability "
        "get_arch_list get_gencode_flags is_bf16_supported current_blas_handle ipc_collect get_sync_debug_mode "
        "host_memory_stats memory_cached max_memory_cached reset_max_memory_cached list_gpu_processes init "
        "memory_stats_as_nested_dict get_allocator_backend graph_pool_handle "
        "host_memory_stats_as_nested_dict reset_accumulated_host_memory_stats reset_peak_host_memory_stats "
        "is_tf32_supported cudart"
    ).split()),
    *((f"torch.accelerator.{name}", f"torch.accelerator.{name}()") for name in (
        "synchronize current_stream current_accelerator current_device_index device_count is_available memory_allocated "
        "memory_reserved memory_stats max_memory_allocated max_memory_reserved reset_peak_memory_stats get_memory_info "
        "reset_accumulated_memory_stats"
    ).split()),
    *_same("torch.cuda.empty_cache", "z = torch.empty(64 << 20, device=d); del z; torch.cuda.empty_cache()"),
    *_same("torch.accelerator.empty_cache", "z = torch.empty(64 << 20, device=d); del z; torch.accelerator.empty_cache()"),
    *_same("torch.cuda.manual_seed", "torch.cuda.manual_seed(1)"),
    *_same("torch.cuda.manual_seed_all", "torch.cuda.manual_seed_all(1)"),
    *_same("torch.cuda.set_rng_state", "z = torch.cuda.get_rng_state(); torch.cuda.set_rng_state(z)"),
    *_same("torch.cuda.set_device", "torch.cuda.set_device(0)"),
    *_same("torch.cuda.set_stream", "torch.cuda.set_stream(torch.cuda.current_stream())"),
    *_same("torch.cuda.stream", "torch.cuda.stream(torch.cuda.current_stream())"),
    *_same("torch.cuda.Stream", "torch.cuda.Stream()"),
    *_same("torch.cuda.Event", "torch.cuda.Event(enable_timing=True)"),
    *((f"torch.cuda.Stream.{name}", f"z = torch.cuda.current_stream(); e = torch.cuda.Event(); e.record(); {call}") for name, call in (
        ("synchronize", "z.synchronize()"), ("query", "z.query()"), ("wait_stream", "z.wait_stream(torch.cuda.Stream())"),
        ("wait_event", "z.wait_event(e)"), ("record_event", "z.record_event()"), ("is_capturing", "z.is_capturing()"),
    )),
    *_same("torch.Stream.synchronize", "torch.accelerator.current_stream().synchronize()"),
    *((f"torch.cuda.Event.{name}", f"e = torch.cuda.Event(enable_timing=True); {call}") for name, call in (
        ("synchronize", "(e.record(), e.synchronize())"), ("query", "(e.record(), e.query())"), ("record", "e.record()"), ("wait", "e.record(); e.wait()"),
    )),
    *_same("torch.Event.synchronize", "e = torch.Event(d); (e.record(), e.synchronize())"),
    *_same("Tensor.record_stream", "x.record_stream(torch.cuda.current_stream())"),
    *_same("torch.Generator.manual_seed", "torch.Generator(d).manual_seed(1)"),
    *_same("torch.Generator.get_state", "torch.Generator(d).get_state()"),
    *_same("torch.Generator.seed", "torch.Generator(d).seed()"),
    *_same("torch.get_rng_state", "torch.get_rng_state()"),
    *_same("torch.utils.dlpack.from_dlpack", "torch.utils.dlpack.from_dlpack(x)"),
    *_same("torch.from_dlpack", "torch.from_dlpack(x)"),
    *_same("torch.func.vmap", "torch.func.vmap(torch.sin)(x)"),
]  # fmt: skip

DISTRIBUTIONS: dict[str, str] = {
    "Bernoulli": "probs=v / 2",
    "Beta": "concentration1=v, concentration0=v",
    "Binomial": "total_count=5, probs=v / 2",
    "Categorical": "probs=x.exp()",
    "Cauchy": "loc=v, scale=v",
    "Chi2": "df=v",
    "ContinuousBernoulli": "probs=v / 2",
    "Dirichlet": "concentration=x.exp()",
    "Exponential": "rate=v",
    "FisherSnedecor": "df1=v, df2=v",
    "Gamma": "concentration=v, rate=v",
    "GeneralizedPareto": "loc=v, scale=v, concentration=v",
    "Geometric": "probs=v / 2",
    "Gumbel": "loc=v, scale=v",
    "HalfCauchy": "scale=v",
    "HalfNormal": "scale=v",
    "Independent": "base_distribution=D.Normal(v, v, validate_args=False), reinterpreted_batch_ndims=1",
    "InverseGamma": "concentration=v, rate=v",
    "Kumaraswamy": "concentration1=v, concentration0=v",
    "LKJCholesky": "dim=3, concentration=f",
    "Laplace": "loc=v, scale=v",
    "LogNormal": "loc=v, scale=v",
    "LogisticNormal": "loc=v[:4], scale=v[:4]",
    "LowRankMultivariateNormal": "loc=v, cov_factor=x[:, :2], cov_diag=v",
    "MixtureSameFamily": (
        "mixture_distribution=D.Categorical(probs=v, validate_args=False), "
        "component_distribution=D.Normal(v, v, validate_args=False)"
    ),
    "Multinomial": "total_count=5, probs=v",
    "MultivariateNormal": "loc=v, covariance_matrix=p",
    "NegativeBinomial": "total_count=v, probs=v / 2",
    "Normal": "loc=v, scale=v",
    "OneHotCategorical": "probs=x.exp()",
    "OneHotCategoricalStraightThrough": "probs=x.exp()",
    "Pareto": "scale=v, alpha=v",
    "Poisson": "rate=v",
    "RelaxedBernoulli": "temperature=f, probs=v / 2",
    "RelaxedOneHotCategorical": "temperature=f, probs=v",
    "StudentT": "df=v",
    "TransformedDistribution": (
        "base_distribution=D.Normal(v, v, validate_args=False), transforms=[D.AffineTransform(0.0, 2.0)]"
    ),
    "Uniform": "low=v, high=v + 1",
    "VonMises": "loc=v, concentration=v",
    "Weibull": "scale=v, concentration=v",
    "Wishart": "df=f + 64, covariance_matrix=p",
}
"""Arguments that construct each distribution over device tensors."""

DISTRIBUTION_CALLS: dict[str, str] = {
    "sample": "z.sample()",
    "rsample": "z.rsample()",
    "log_prob": "z.log_prob(q)",
    "cdf": "z.cdf(q)",
    "icdf": "z.icdf(torch.full_like(q, 0.5))",
    "entropy": "z.entropy()",
    "mean": "z.mean",
    "mode": "z.mode",
    "stddev": "z.stddev",
    "variance": "z.variance",
    "perplexity": "z.perplexity()",
    "enumerate_support": "z.enumerate_support()",
    "expand": "z.expand((2,) + z.batch_shape)",
    "sample_n": "z.sample_n(2)",
    "probs": "z.probs",
    "logits": "z.logits",
    "covariance_matrix": "z.covariance_matrix",
    "precision_matrix": "z.precision_matrix",
    "scale_tril": "z.scale_tril",
    "batch_shape": "z.batch_shape",
    "event_shape": "z.event_shape",
    "support": "z.support",
    "rate": "z.rate",
    "scale": "z.scale",
    "loc": "z.loc",
    "concentration": "z.concentration",
    "concentration0": "z.concentration0",
    "concentration1": "z.concentration1",
    "df": "z.df",
    "temperature": "z.temperature",
}

TRANSFORMS: dict[str, str] = {
    "AbsTransform": "D.AbsTransform()",
    "AffineTransform": "D.AffineTransform(v, v)",
    "ExpTransform": "D.ExpTransform()",
    "PowerTransform": "D.PowerTransform(f)",
    "SigmoidTransform": "D.SigmoidTransform()",
    "SoftplusTransform": "D.SoftplusTransform()",
    "TanhTransform": "D.TanhTransform()",
    "SoftmaxTransform": "D.SoftmaxTransform()",
    "StickBreakingTransform": "D.StickBreakingTransform()",
    "LowerCholeskyTransform": "D.LowerCholeskyTransform()",
    "ComposeTransform": "D.ComposeTransform([D.ExpTransform()])",
}

OPTIMIZERS: dict[str, tuple[str, ...]] = {
    "SGD": ("lr=0.01", "lr=0.01, momentum=0.9", "lr=0.01, fused=True", "lr=0.01, foreach=False"),
    "Adam": ("", "fused=True", "foreach=False", "capturable=True", "amsgrad=True"),
    "AdamW": ("", "fused=True", "foreach=False", "capturable=True"),
    "NAdam": ("", "foreach=False", "capturable=True"),
    "RAdam": ("", "foreach=False", "capturable=True"),
    "Adamax": ("", "foreach=False", "capturable=True"),
    "Adagrad": ("", "foreach=False"),
    "Adadelta": ("", "foreach=False"),
    "ASGD": ("", "foreach=False", "capturable=True"),
    "RMSprop": ("", "foreach=False", "capturable=True"),
    "Rprop": ("", "foreach=False", "capturable=True"),
    "Adafactor": ("", "foreach=False"),
    "Muon": ("",),
    "LBFGS": ("max_iter=2",),
}

DISTRIBUTED: list[tuple[str, str]] = [
    ("torch.distributed.barrier", "torch.distributed.barrier()"),
    ("torch.distributed.barrier", "torch.distributed.barrier(async_op=True)"),
    ("torch.distributed.all_reduce", "torch.distributed.all_reduce(x)"),
    ("torch.distributed.all_reduce", "torch.distributed.all_reduce(x, async_op=True)"),
    ("torch.distributed.broadcast", "torch.distributed.broadcast(x, 0)"),
    ("torch.distributed.reduce", "torch.distributed.reduce(x, 0)"),
    ("torch.distributed.all_gather", "torch.distributed.all_gather([y], x)"),
    ("torch.distributed.all_gather_into_tensor", "torch.distributed.all_gather_into_tensor(y, x)"),
    ("torch.distributed.reduce_scatter_tensor", "torch.distributed.reduce_scatter_tensor(y, x)"),
    ("torch.distributed.reduce_scatter", "torch.distributed.reduce_scatter(y, [x])"),
    ("torch.distributed.all_to_all_single", "torch.distributed.all_to_all_single(y, x)"),
    ("torch.distributed.all_to_all", "torch.distributed.all_to_all([y], [x])"),
    ("torch.distributed.gather", "torch.distributed.gather(x, [y])"),
    ("torch.distributed.scatter", "torch.distributed.scatter(x, [y])"),
    ("torch.distributed.all_gather_object", "torch.distributed.all_gather_object([None], {'a': 1})"),
    ("torch.distributed.broadcast_object_list", "torch.distributed.broadcast_object_list([{'a': 1}], 0)"),
    ("torch.distributed.gather_object", "torch.distributed.gather_object({'a': 1}, [None])"),
    ("torch.distributed.scatter_object_list", "torch.distributed.scatter_object_list([None], [{'a': 1}])"),
    ("torch.distributed.get_rank", "torch.distributed.get_rank()"),
    ("torch.distributed.get_world_size", "torch.distributed.get_world_size()"),
    ("torch.distributed.Work.wait", "w = torch.distributed.all_reduce(x, async_op=True); w.wait()"),
    ("torch.distributed.Work.is_completed", "w = torch.distributed.all_reduce(x, async_op=True); w.is_completed()"),
]
"""Measured with NCCL and one rank."""

MEMBERS_TO_SKIP = frozenset(
    "backward share_memory_ register_hook register_post_accumulate_grad_hook reinforce apply_ map_ map2_ resize resize_as "
    "module_load set_ resize_ as_subclass storage_type ipu xpu mtia to_mkldnn requires_grad_ retain_grad".split()
)
"""Members of Tensor that the automatic calls `x.member()` leave out: they fail, change what others use, or only warn."""
