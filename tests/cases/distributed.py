import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def setup():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))  # silent: HS103
    dist.barrier()  # silent: HS504


def reduce_mean(x: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    dist.all_reduce(x, op=dist.ReduceOp.SUM)  # silent: HS504, HS505
    return x / dist.get_world_size()


def train(model, loader, optimizer, epochs: int):
    model = DDP(model.cuda())
    for epoch in range(epochs):
        for batch in loader:
            loss = model(batch.cuda()).mean()  # expect: HS401
            loss.backward()
            optimizer.step()
            dist.all_reduce(loss)  # silent: HS504
            dist.barrier()  # expect: HS504
            if dist.get_rank() == 0:  # silent: HS201
                print(loss.item())  # expect: HS101
        gathered = [None] * dist.get_world_size()  # silent: HS104
        dist.all_gather_object(gathered, {"epoch": epoch})  # expect: HS505


def gather(x: torch.Tensor):
    buffers = [torch.zeros_like(x) for _ in range(dist.get_world_size())]  # silent: HS104
    work = dist.all_gather(buffers, x, async_op=True)
    work.wait()  # silent: HS502, HS504
    return torch.cat(buffers)


def save(model, path: str):
    objects = [path]
    dist.broadcast_object_list(objects)  # silent: HS505
    if dist.get_rank() == 0:  # silent: HS201
        print(objects[0])  # silent: HS105
    dist.barrier()  # silent: HS504
    torch.cuda.empty_cache()  # silent: HS503


def average_step(model):
    size = float(dist.get_world_size())  # silent: HS103
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad.data)  # silent: HS505
        parameter.grad.data /= size


def variable_sizes(x: torch.Tensor):
    size = torch.tensor([x.shape[0]], device=x.device)  # expect: HS404
    sizes = [torch.zeros_like(size) for _ in range(dist.get_world_size())]
    dist.all_gather(sizes, size)
    largest = max(int(s) for s in sizes)  # expect: HS103
    return torch.zeros(largest, device=x.device)  # silent: HS104
