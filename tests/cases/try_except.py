import torch
from torch import Tensor

try:
    from apex import amp
except ImportError:
    amp = None


def cholesky(a: Tensor):
    try:
        return torch.linalg.cholesky(a)  # expect: HS601
    except RuntimeError as error:
        print(error)  # silent: HS105
        return torch.linalg.cholesky(a + 1e-6)  # expect: HS601


def with_fallback(x: Tensor):
    try:
        y = x.cuda()  # expect: HS401
    except RuntimeError:
        y = x.cpu()  # expect: HS102
    finally:
        print("moved")  # silent: HS105
    return y.sum().item()  # expect: HS101


def host_either_way(n: int):
    try:
        y = torch.arange(n)
    except ValueError:
        y = torch.zeros(n)
    else:
        y = y + 1
    return y.sum().item()  # silent: HS101


def retry(model, x: Tensor):
    for attempt in range(3):
        try:
            out = model(x).mean()
            out.backward()
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()  # expect: HS503
            continue
        if torch.isfinite(out):  # expect: HS201
            return out
    raise RuntimeError("no finite result")


def with_statements(x: Tensor, path: str):
    with open(path) as file, torch.no_grad():
        lines = file.readlines()
        y = x.softmax(-1)
    if lines and y.max() > 0.5:  # expect: HS201
        return y
    return None


def deleted(x: Tensor):
    y = x.sum()
    del y
    y = 3
    if y > 2:  # silent: HS201
        return x
    return None
