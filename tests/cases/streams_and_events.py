from torch import Tensor
import time
from contextlib import contextmanager

import torch


def benchmark(model, x: torch.Tensor, repeats: int = 10):
    torch.cuda.synchronize()  # silent: HS501
    start = time.perf_counter()
    for _ in range(repeats):
        model(x)
    torch.cuda.synchronize()  # silent: HS501
    return (time.perf_counter() - start) / repeats


def timed_each(model, batches):
    times = []
    for batch in batches:
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        start.record()  # silent: HS502
        model(batch)
        end.record()  # silent: HS502
        torch.cuda.synchronize()  # expect: HS501  # certain: HS501
        times.append(start.elapsed_time(end))
        torch.cuda.empty_cache()  # expect: HS503  # likely: HS503
    torch.cuda.empty_cache()  # silent: HS503
    return times


def pipelined(batches, stream: torch.cuda.Stream):
    done = torch.cuda.Event()
    for batch in batches:
        with torch.cuda.stream(stream):
            batch.mul_(2)
            done.record(stream)  # silent: HS502
        torch.cuda.current_stream().wait_stream(stream)  # silent: HS502
        torch.cuda.current_stream().wait_event(done)  # silent: HS502
        if done.query():  # silent: HS201, HS502
            batch.record_stream(stream)  # silent: HS502
        done.synchronize()  # expect: HS502


def drained(batches):
    stream = torch.cuda.Stream()
    for batch in batches:
        with torch.cuda.stream(stream):
            batch.add_(1)
        stream.synchronize()  # expect: HS502
    stream.synchronize()  # silent: HS502


class Prefetcher:
    def __init__(self, loader):
        self.loader = iter(loader)
        self.stream = torch.cuda.Stream()
        self.preload()

    def preload(self):
        try:
            self.next_input, self.next_target = next(self.loader)
        except StopIteration:
            self.next_input = None
            return
        with torch.cuda.stream(self.stream):
            self.next_input = self.next_input.cuda(non_blocking=True)
            self.next_target = self.next_target.cuda(non_blocking=True)

    def next(self):
        torch.cuda.current_stream().wait_stream(self.stream)  # silent: HS502
        result = self.next_input
        self.preload()
        return result


class Model(torch.nn.Module):
    def forward(self, x):
        torch.cuda.synchronize()  # expect: HS501
        return x


def streams_at_hand(batches: list[Tensor]):
    for batch in batches:
        batch.mul_(2)
        torch.cuda.current_stream().synchronize()  # expect: HS502


def synchronize():
    torch.cuda.synchronize()


def synchronize_if(asked):
    if asked:
        torch.cuda.synchronize()


@contextmanager
def timed():
    torch.cuda.synchronize()
    yield
    torch.cuda.synchronize()


def steps(model, loader):
    for x in loader:
        with timed():  # expect: HS606
            model(x).sum().backward()
        synchronize_if(False)  # silent: HS606
        synchronize()  # expect: HS606


def once(model):
    synchronize()  # silent: HS606
    return model
