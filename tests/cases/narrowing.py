from typing import Optional, Union

import numpy as np
import torch
from torch import Tensor


def to_number(value: Union[int, float, Tensor]) -> float:
    if isinstance(value, Tensor):
        return value.item()  # expect: HS101
    return 0.0


def early_exit(value):
    if not torch.is_tensor(value):
        return float(value)  # silent: HS103
    return float(value)  # expect: HS103


def by_device(x: Tensor):
    if x.device.type == "cpu":
        return x.sum().item()  # silent: HS101
    return x.mean().item()  # expect: HS101


def by_flag(x: Tensor):
    if x.is_cuda:
        values = x.cpu()  # expect: HS102
    else:
        values = x.tolist()  # silent: HS101
    return values


def not_cuda(x: Tensor):
    if not x.is_cuda:
        if x.max() > 1:  # silent: HS201
            x = x / 255
        return x.cuda()  # expect: HS401
    return x


def optional(mask: Optional[Tensor], x: Tensor):
    if mask is None:
        return x
    if mask.any():  # expect: HS201
        return x[mask.bool()]  # expect: HS302
    return x


def tensor_or_none(limit: Optional[float], x: Tensor):
    if limit:  # silent: HS201
        x = x.clamp(max=limit)
    if limit is not None and limit > 0:  # silent: HS201, HS204
        x = x / limit
    return x


def number_or_tensor(timestep: Union[float, torch.Tensor], table: torch.Tensor):
    if not isinstance(timestep, torch.Tensor):
        timestep = torch.tensor([timestep], dtype=torch.float32, device=table.device)  # expect: HS404
    elif len(timestep.shape) == 0:  # silent: HS201
        timestep = timestep[None]
    return timestep.expand(table.shape[0])


def by_instance(data):
    if isinstance(data, (list, tuple)):
        return [by_instance(item) for item in data]
    if isinstance(data, dict):
        return {key: by_instance(value) for key, value in data.items()}
    if isinstance(data, torch.Tensor):
        return data.detach().cpu().numpy()  # expect: HS102
    return data


def number_only(count):
    if isinstance(count, int):
        return bool(count)  # silent: HS103
    return count


def assert_narrows(x):
    assert isinstance(x, torch.Tensor)  # silent: HS203
    assert x.dim() == 3  # silent: HS203
    return x.min().item()  # expect: HS101


def bool_mask(index: Tensor, x: Tensor):
    if index.dtype == torch.bool:
        return x[index]  # expect: HS302
    return x[index]  # silent: HS302


def moved_when_needed(x: Tensor, y: Tensor):
    if x.device != y.device:  # silent: HS201
        y = y.to(x.device)  # expect: HS401
    return x + y


def replaced_when_none(x: Tensor, table: Tensor, position_ids=None):
    if position_ids is None:
        position_ids = torch.arange(x.shape[1], device=x.device)
    last = position_ids.max() + 1
    return table[:last]  # expect: HS308


def moved_the_other_way(x: Tensor, y: Tensor):
    if x.device != y.device:
        x = x.to(y.device)  # expect: HS401
    return x + y


def left_early(x: Tensor, device: torch.device):
    if x.device == device:
        return x
    return x.to(device)  # expect: HS401


def not_there(x: Tensor, y: Tensor):
    if x.device != y.device:
        raise ValueError("on two devices")
    return x.to(y.device)  # silent: HS401


def not_alike(x: Tensor, dtype: torch.dtype, device: torch.device):
    if x.dtype != dtype or x.device != device:
        x = x.to(dtype=dtype, device=device)  # expect: HS401
    return x


def asked_once(value):
    is_tensor = isinstance(value, torch.Tensor)
    if not is_tensor:
        return float(value)  # silent: HS103
    return float(value)  # expect: HS103


def asked_before_it_changed(values):
    was_array = isinstance(values, np.ndarray)
    if was_array:
        values = torch.from_numpy(values).cuda()  # expect: HS401
    values = values.softmax(-1)
    return values.cpu().numpy() if was_array else values  # expect: HS102


def on_other_accelerators(x: Tensor, ids: Tensor, table: Tensor, wide: bool):
    device = ids.device
    if ids.device.type == "mps":
        ids = ids.to("cpu")  # silent: HS102
    rows = torch.gather(table.to(ids.device), 0, ids).to(device)  # silent: HS401
    if x.device.type != "npu":
        total = x.sum().item()  # expect: HS101
    else:
        total = x.sum().item()  # silent: HS101
    if wide and torch.backends.mps.is_available():
        total += x.max().item()  # silent: HS101
    elif wide or torch.xpu.is_available():
        total += x.min().item()  # expect: HS101
    host = x.cpu() if is_torch_npu_available() else x  # silent: HS102
    return rows, total, host.amax().item()  # expect: HS101


def is_meta(x: Tensor) -> bool:
    if x.device.type == "meta":
        return torch.zeros(1)
    return x.new_zeros(1)


def what_a_function_gives_elsewhere(x: Tensor):
    return is_meta(x).item()  # expect: HS101


def made_of_what_is_no_tensor(hidden: Tensor, kernel: "Tensor | None" = None, factor: int = 2):
    if kernel is None:
        kernel = [1] * factor
    kernel = torch.tensor(kernel, dtype=torch.float32)
    kernel = kernel / torch.sum(kernel)
    return kernel.to(hidden.device)  # expect: HS401


def made_of_a_tensor(hidden: Tensor, kernel: Tensor):
    assert kernel.dim() == 1
    kernel = torch.tensor(kernel, dtype=torch.float32)
    return kernel.to(hidden.device)  # silent: HS401


def arrays_or_tensors(boxes, width):
    if isinstance(boxes, torch.Tensor):
        boxes[..., [0, 2]] = boxes[..., [0, 2]].clamp(0, width)  # expect: HS405
    else:
        boxes[..., [0, 2]] = boxes[..., [0, 2]].clip(0, width)  # silent: HS405
        kept = boxes[boxes > 0]  # silent: HS302
    return boxes


def arrays_where_nothing_else_tells(found, width):
    boxes = found.boxes
    if isinstance(boxes, torch.Tensor):
        return boxes
    boxes[..., [1, 3]] = width  # silent: HS405
    return boxes[..., [0, 2]]  # silent: HS405


def of_what_is_asked_for_nothing(found):
    boxes = found.boxes
    return boxes[..., [0, 2]]  # expect: HS405


def asked_where_it_is(weight, seed: int):
    if weight.device.type == "cpu":
        devices = []
    else:
        devices = [weight.device]
    with torch.random.fork_rng(devices):
        torch.manual_seed(seed)
        return weight.tolist()  # silent: HS101


def always_on_the_host(count: int):
    return asked_where_it_is(torch.zeros(count), 1)


def asked_and_brought_over(weight: Tensor):
    if weight.is_cuda:
        weight = weight.cpu()  # expect: HS102
    return weight.tolist()  # silent: HS101


def scripted(x: torch.Tensor, channel: int | torch.Tensor):
    if torch.jit.isinstance(channel, int):
        return x[..., channel]  # silent: HS308
    return x * channel


def use_scripted(x: torch.Tensor, channel: torch.Tensor):
    return scripted(x, channel.max())


def by_equal_device(x: Tensor):
    if x.device == torch.device("cpu"):
        return x.item()  # silent: HS101
    return x.item()  # expect: HS101


def by_unequal_device(x: Tensor):
    if x.device != torch.device("cpu"):
        return x.item()  # expect: HS101
    return x.item()  # silent: HS101


def by_several_types(x: Tensor):
    if x.device.type in ("cpu", "meta"):
        return x.item()  # silent: HS101
    if x.device.type not in ["cuda", "xpu"]:
        return x.max().item()  # silent: HS101
    return x.item()  # expect: HS101


def by_types_of_accelerators(x: Tensor):
    if x.device.type in ("cuda", "cpu"):
        return x.item()  # expect: HS101
    return x.max().item()  # expect: HS101


def by_the_text_of_a_device(x: Tensor):
    if str(x.device) == "cpu":
        return x.item()  # silent: HS101
    return x.item()  # expect: HS101


def by_one_of_several_gpus(x: Tensor):
    if str(x.device) == "cuda:0":
        return x.item()  # expect: HS101
    return x.item()  # expect: HS101


def without_a_gpu(x: Tensor):
    if not torch.cuda.is_available():
        return x.item()  # silent: HS101
    return x.item()  # expect: HS101


def with_a_gpu(x: Tensor):
    if torch.cuda.is_available():
        return x.item()  # expect: HS101
    else:
        return x.item()  # silent: HS101


def left_with_a_gpu(x: Tensor):
    if torch.cuda.is_available():
        return x.item()  # expect: HS101
    return x.item()  # silent: HS101


def with_a_gpu_if_wanted(x: Tensor, wanted: bool):
    if wanted and torch.cuda.is_available():
        return x.item()  # expect: HS101
    return x.item()  # expect: HS101


def left_without_a_gpu_or_else(x: Tensor, small: bool):
    if small or not torch.cuda.is_available():
        return x.item()  # expect: HS101
    return x.item()  # expect: HS101


def by_what_is_asked_for(x: Tensor, device):
    if device == "cpu":
        x = x.to(device)  # silent: HS102, HS401
        return x.item()  # silent: HS101
    return x.to(device).item()  # expect: HS101


def by_the_type_of_what_is_asked_for(device: torch.device):
    if device.type != "cpu":
        return torch.rand(3).to(device).sum().item()  # expect: HS101, HS401
    return torch.rand(3).to(device).sum().item()  # silent: HS101, HS401


def forgotten_after_the_test(device, seed: int):
    if device == "cpu":
        torch.manual_seed(seed)
    return torch.rand(3).to(device).sum().item()  # expect: HS101, HS401


def by_what_names_no_device(x: Tensor, mode):
    if mode == "cpu":
        return x.item()  # expect: HS101
    return x.item()  # expect: HS101


class Placed(torch.nn.Module):
    def forward(self, x):
        if self.device == "cpu":
            x = x.to(self.device)
            return x.item()  # silent: HS101
        return x.sum().item()  # expect: HS101


def drawn_where_the_host_is(count: int, device: torch.device):
    population = torch.full((count,), 4, device=device)
    if device.type == "cpu":
        out = torch.empty(count, 2, device=device)
        for i in range(2):
            out[:, i] = population + i  # silent: HS102
        return out
    return population.tolist()  # expect: HS101


def not_none_after_the_test(m: Optional[Tensor] = None):
    if m is None:
        return 0
    if m:  # expect: HS201
        return 1
    return 2


def not_none_in_the_branch(m: Optional[Tensor] = None):
    if m is not None:
        return 1 if m else 2  # expect: HS201
    return 3


def not_none_by_an_assertion(m: Optional[Tensor] = None):
    assert m is not None
    if not m:  # expect: HS201
        return 1
    return 2


def none_as_well(m: Optional[Tensor] = None):
    if m is not None:
        m = m * 2
    if m:  # silent: HS201
        return 1
    return 2


def bound_anew_after_the_test(m: Optional[Tensor] = None, n: Optional[Tensor] = None):
    if m is None:
        return 0
    m = n
    if m:  # silent: HS201
        return 1
    return 2
