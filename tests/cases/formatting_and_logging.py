import logging
import sys
import warnings

import torch
from torch import Tensor
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

logger = logging.getLogger(__name__)


def printing(loss: Tensor, x: Tensor, step: int):
    print(loss)  # expect: HS105
    print("loss:", loss, "step:", step)  # expect: HS105
    print(x.shape, x.dtype, x.device, len(x))  # silent: HS105
    print("step", step)  # silent: HS105
    print(x.grad is None, x.requires_grad)  # silent: HS105
    print("done", file=sys.stderr)  # silent: HS105


def formatting(loss: Tensor, x: Tensor, step: int):
    a = f"{step}: {loss:.3f}"  # expect: HS105
    b = f"{tuple(x.shape)}"  # silent: HS105
    c = "{:.2f}".format(loss.mean())  # expect: HS105
    d = "mean %.2f" % loss.mean()  # expect: HS105
    e = "step %d of %d" % (step, 10)  # silent: HS105
    f = str(loss)  # expect: HS105
    g = str(x.device)  # silent: HS105
    h = repr(x)  # expect: HS105
    i = f"{x.shape[0]}x{x.size(1)}"  # silent: HS105
    j = "%s: %s" % (step, loss)  # expect: HS105
    return a, b, c, d, e, f, g, h, i, j


def logged(loss: Tensor, x: Tensor, step: int):
    logger.info("loss %s", loss)  # expect: HS105
    logger.debug("step %d", step)  # silent: HS105
    logger.debug("loss %s", loss)  # silent: HS105
    logger.debug(f"loss {loss}")  # expect: HS105
    logging.warning("bad loss: %s", loss)  # expect: HS105
    warnings.warn(f"loss is {loss}")  # expect: HS105
    logger.info("shape %s", x.shape)  # silent: HS105
    logger.info(f"{step} of {len(x)}")  # silent: HS105


def progress(model, batches: list[Tensor]):
    bar = tqdm(batches)
    for batch in bar:
        loss = model(batch.cuda()).mean()
        bar.set_postfix(loss=loss.item())  # expect: HS101
        bar.set_description(f"loss {loss.detach():.3f}")  # expect: HS105
        bar.update(1)  # silent: HS105


def raised(x: Tensor, n: int):
    if x.shape[0] != n:  # silent: HS201
        raise ValueError(f"expected {n} rows, got {x}")  # silent: HS105
    assert x.ndim == 2, f"got {x}"  # silent: HS105, HS203
    return x


class Averages:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def __str__(self):
        return f"{self.total / self.count:.4f}"  # silent: HS105


def keyword_of_format(loss: Tensor):
    return "loss {loss:.3f}".format(loss=loss)  # expect: HS105


def to_tensorboard(writer: SummaryWriter, loss: Tensor, weights: Tensor, step: int, given):
    writer.add_scalar("loss", loss, step)  # expect: HS105
    writer.add_histogram("weights", weights, step)  # expect: HS105
    writer.add_scalar("rate", 0.1, step)  # silent: HS105
    writer.add_scalar("given", given, step)  # silent: HS105
    given.add_scalar("loss", loss)  # expect: HS105


def in_columns(loss: Tensor, name: str):
    return ("%s " * 2 + "%.3f") % (name, name, loss)  # expect: HS105


def of_several(losses: Tensor, epoch: int):
    return "%d: %.3f %.3f" % (epoch, *losses)  # expect: HS105


class Pose:
    """Whoever looks at it has it on the device."""

    def __init__(self, matrix: Tensor):
        self.matrix = matrix

    def __repr__(self):
        return f"Pose({self.matrix})"  # expect: HS105


class Scaled(torch.nn.Module):
    """Modules are printed where they are made."""

    def __init__(self, size: int):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(size))

    def extra_repr(self):
        return f"scale={self.scale}"  # silent: HS105


def containers(x: torch.Tensor, sizes: list):
    parts = {"first": x.mean(), "size": x.shape}
    shown = f"{parts}", str([x]), repr((1, x))  # expect: HS105, HS105, HS105
    plain = f"{sizes} {list(x.shape)} {(row for row in [x])}", str({"size": x.shape})  # silent: HS105
    return shown, plain, str([x.cpu()])  # expect: HS102


def displayed(x: torch.Tensor):
    from IPython.display import display

    display(x)  # expect: HS105
    display(x.shape)  # silent: HS105


def shown_as_it_is(model, loader, log):
    for x in loader:
        x = x.to("cuda")  # expect: HS401
        out = model(x)
        print("out", out)  # expect: HS105
        print("done", loader)  # silent: HS105
        log(out)  # silent: HS105
