from torch import nn
import numpy as np
import torch
from PIL import Image
from torch import Tensor


def plain(x: Tensor):
    a = x.cpu()  # expect: HS102
    b = x.to("cpu")  # expect: HS102
    c = x.to(torch.device("cpu"))  # expect: HS102
    d = x.to(device="cpu", dtype=torch.float32)  # expect: HS102
    e = x.numpy(force=True)  # expect: HS102
    f = x.type(torch.FloatTensor)  # expect: HS102
    return a, b, c, d, e, f


def once(x: Tensor):
    y = x.detach().cpu()  # expect: HS102
    z = y.cpu().to("cpu").numpy()  # silent: HS102
    return z, y.float().numpy(), np.asarray(y), y.tolist()  # silent: HS101, HS102


def asynchronous(x: Tensor):
    return x.to("cpu", non_blocking=True)  # silent: HS102


def to_image(x: Tensor) -> Image.Image:
    x = x.mul(255).add_(0.5).clamp_(0, 255).permute(1, 2, 0)
    array = x.to("cpu", torch.uint8).numpy()  # expect: HS102
    return Image.fromarray(array)


def modules(model: torch.nn.Module):
    model = model.cpu()  # silent: HS102
    model.to("cpu")  # silent: HS102
    return model


def list_of_results(batches: list[Tensor]):
    results = []
    for batch in batches:
        results.append(batch.softmax(-1).cpu())  # expect: HS102
    joined = torch.cat(results)
    return joined.numpy(), joined.max().item()  # silent: HS101, HS102


def through_numpy(x: Tensor):
    array = x.detach().cpu().numpy()  # expect: HS102
    mean = array.mean().item()  # silent: HS101
    spread = float(array.std())  # silent: HS103
    back = torch.from_numpy(array)
    if back.sum() > 0:  # silent: HS201
        mean += 1
    return np.mean(array), mean, spread, array.tolist()  # silent: HS101, HS102


def statistics(x: Tensor):
    return np.array(x.shape), np.prod(x.size()), np.zeros(x.shape[0])  # silent: HS102, HS104


def until_numpy(outputs):
    logits = outputs.logits
    return logits.cpu().numpy()  # expect: HS102


def state(model: nn.Module):
    return {name: value.cpu() for name, value in model.state_dict().items()}  # expect: HS102


def members_of_tensors(model, x):
    out = model(x)
    first = out.squeeze().cpu()  # expect: HS102
    second = out["scores"].argmax(-1).cpu()  # expect: HS102
    return first, second, out.logits.softmax(-1).mean().cpu()  # expect: HS102


def into_host_memory(batches: list[Tensor]):
    # A device tensor stored into a CPU tensor is a copy to the host.
    losses = torch.zeros(len(batches))
    host = torch.zeros(4)
    for k, batch in enumerate(batches):
        losses[k] = batch.cuda().mean()  # expect: HS102
        host[:] = batch.cuda()  # expect: HS102
        host.copy_(batch.cuda())  # expect: HS102
    return losses, host


def offloaded(y: Tensor, pin: bool):
    staged = torch.empty(y.shape, pin_memory=pin)
    staged.copy_(y)  # expect: HS102
    plain = torch.empty(y.shape)
    plain.copy_(y)  # silent: HS102
    return staged, plain


def place():
    return torch.device("cpu")


def computed(x: Tensor):
    there = put_there(x, place())
    return x.to(place()), there  # expect: HS102


def put_there(x: Tensor, device):
    return x.to(device)  # expect: HS102


def outputs_of_models(style_model, unet, build_model, unwrap_model, image, config):
    made = style_model(image).cpu()  # expect: HS102
    noise = unet(image).cpu()  # expect: HS102
    model = build_model(config).cpu()  # expect-possible: HS102
    inner = unwrap_model(style_model).cpu()  # expect-possible: HS102
    return made, noise, model, inner


def without_a_wait_on_the_gpu(boxes: Tensor, scores: Tensor, non_blocking: bool):
    is_cuda = boxes.is_cuda
    found = boxes.to("cpu", non_blocking=is_cuda), scores.to("cpu", non_blocking=scores.is_cuda)  # silent: HS102
    rest = scores.to("cpu", non_blocking=scores.device.type == "cuda")  # silent: HS102
    if is_cuda:
        torch.cuda.current_stream(boxes.device).synchronize()
    return found, rest, scores.to("cpu", non_blocking=non_blocking)  # expect: HS102
