import torch
from torch import Tensor


def guarded(x: Tensor, mask: Tensor):
    if torch.jit.is_scripting():
        limit = int(x.max())  # silent: HS103
        return x[:limit]
    return x


def not_compiling(x: Tensor):
    if not torch.compiler.is_compiling():
        if (x < 0).any():  # expect: HS201
            raise ValueError("negative")
    return x.sqrt()


def only_when_compiling(x: Tensor):
    if torch.compiler.is_compiling():
        torch._check(x.max().item() < 10)  # silent: HS101
    return x


def either(x: Tensor):
    if torch.jit.is_scripting() or torch.jit.is_tracing():
        n = x.sum().item()  # silent: HS101
    else:
        n = x.mean().item()  # expect: HS101
    return n


def traced(x: Tensor, count: int):
    if torch.jit.is_tracing() and count:
        return x[: x.max()]  # silent: HS308
    return x[:count]  # silent: HS308


@torch.jit.script
def scripted(x: Tensor) -> Tensor:
    return x * 2


@torch.jit.script
def scripted_that_waits(x: Tensor) -> Tensor:
    if torch.all(x > 0):  # expect: HS201
        return x
    return -x


@torch.jit.script
def scripted_around_it(x: Tensor) -> Tensor:
    return scripted_that_waits(x * 2)  # silent: HS606


@torch.jit.script
def scripted_that_may_wait(layer):
    return layer.cpu()  # silent: HS102


def runs_scripted(x: Tensor):
    a = scripted(x)  # silent: HS606
    b = scripted_that_waits(x)  # expect: HS606
    c = scripted_around_it(x)  # expect: HS606
    host = torch.rand(4)
    return a, b, c, scripted_around_it(host)  # silent: HS606


def runs_scripted_of_anything(batch, layer):
    a = scripted_that_may_wait(layer)  # silent: HS606
    return a, scripted_that_waits(batch["x"])  # expect: HS606


class Clusters:
    @staticmethod
    @torch.jit.script
    def _shift(centers: Tensor, before: Tensor) -> Tensor:
        d = torch.norm(centers - before, p=2, dim=-1)
        d[d == float("inf")] = 0  # expect: HS303
        return torch.mean(d, dim=-1)

    @staticmethod
    def _shift_in_python(centers: Tensor, before: Tensor) -> Tensor:
        d = torch.norm(centers - before, p=2, dim=-1)
        d[d == float("inf")] = 0  # silent: HS303
        return torch.mean(d, dim=-1)

    def fit(self, x: Tensor):
        plain = self._shift_in_python(x, x)  # silent: HS606
        return plain + self._shift(x, x)  # expect: HS606


def plain_that_waits(x: Tensor) -> Tensor:
    if torch.all(x > 0):  # expect: HS201
        return x
    return -x


def runs_plain(x: Tensor):
    return plain_that_waits(x)  # silent: HS606


@torch.compile
def compiled(x: Tensor):
    return x + x.shape[0]


def exported(x: Tensor):
    if torch.onnx.is_in_onnx_export():
        return x.nonzero()  # silent: HS301
    return x.topk(5).indices  # silent: HS301


def sizes_under_tracing(x: Tensor, size):
    is_tracing = torch._C._get_tracing_state()

    def wanted():
        if is_tracing:
            return [torch.floor(side.float()).item() for side in size]  # silent: HS101
        return size

    def scale(given, out):
        return (given - 1) / (out.float() - 1).clamp(min=1) if torch.jit.is_tracing() else given / max(1, out)  # silent: HS106

    # That a size has `float` under tracing does not make it a tensor elsewhere.
    out = wanted()
    return torch.arange(0, out[1], device=x.device) * scale(x.shape[0], out[0])  # silent: HS104


def used_elsewhere(x, size):
    if torch.jit.is_scripting():
        return size.float()
    return x.float().sum().item()  # expect: HS101


kept_out = torch.compiler.disable(torch.linalg.eigh)


@torch.compiler.disable(recursive=False)
def summed(x: torch.Tensor):
    return x.sum()


def kept_out_of_the_compiler(x: torch.Tensor):
    values = kept_out(x @ x.T)  # expect: HS601
    return values if summed(x) > 0 else None  # expect: HS201
