import argparse
import collections
import logging
import pathlib
import queue
import re
import subprocess
import threading

import numpy as np
import pandas as pd
import torch

args = argparse.ArgumentParser().parse_args()
log = logging.getLogger("same")


def dicts(config: dict, counts: collections.Counter):
    for key, value in config.items():  # silent: HS101
        if value:  # silent: HS201
            print(key, value)  # silent: HS105
    best = max(counts, key=counts.get)  # silent: HS106
    return {k: int(v) for k, v in counts.items()}, best  # silent: HS103


def arrays(path: str):
    a = np.load(path)
    pickled = np.load(path, allow_pickle=True).item()  # silent: HS101
    named = np.load(path)["boxes"].tolist()  # silent: HS101
    b = np.zeros((4, 4))
    mean = b.mean().item()  # silent: HS101
    values = np.unique(a).tolist()  # silent: HS101, HS304
    nonzero = np.nonzero(b)[0]  # silent: HS301
    b[b > 0] = 1.0  # silent: HS303
    b[0] = 1.0  # silent: HS406
    c = b[b > 0]  # silent: HS302
    d = b[[0, 1]]  # silent: HS405
    if np.any(b > 0) and b.all():  # silent: HS201, HS204
        mean += float(b.sum())  # silent: HS103
    inverse = np.linalg.inv(b)  # silent: HS601
    ones = np.where(b > 0)[0]  # silent: HS301
    return pickled, named, mean, values, nonzero, c, d, inverse, ones, int(b.max())  # silent: HS103


def frames(path: str):
    frame = pd.read_csv(path)
    labels = frame["label"].unique().tolist()  # silent: HS304
    rows = frame[frame["x"] > 0]  # silent: HS302
    repeated = frame["x"].repeat(2)  # silent: HS306
    if frame["x"].isna().any():  # silent: HS201
        frame = frame.dropna()
    return labels, rows, repeated, frame["x"].mode(), frame.nunique()  # silent: HS305


def paths(root: pathlib.Path):
    files = sorted(root.glob("*.pt"))  # silent: HS106
    if root.exists() and not root.is_dir():  # silent: HS201, HS204
        return []
    return [str(file) for file in files if file.suffix == ".pt"]  # silent: HS105, HS201


def threads(work: queue.Queue, event: threading.Event):
    while not work.empty():  # silent: HS202
        item = work.get()
        print(item)  # silent: HS105
    event.wait()  # silent: HS502
    if event.is_set():  # silent: HS201
        event.clear()
    threading.Barrier(2).wait()  # silent: HS504


def processes(command: list[str]):
    result = subprocess.run(command, capture_output=True)
    if result.returncode:  # silent: HS201
        log.error("failed: %s", result.stderr)  # silent: HS105
    match = re.match(r"(\d+)", "12")
    if match:  # silent: HS201
        return int(match.group(1))  # silent: HS103
    return None


def numbers(values: list[float], flags: list[bool]):
    if any(flags) and not all(v > 0 for v in values):  # silent: HS106, HS201, HS204
        return max(values)  # silent: HS106
    for index in range(len(values)):  # silent: HS104
        values[index] = 0.0  # silent: HS406
    return sorted(values), sum(values), 3 in values  # silent: HS106


def options():
    if args.batch_size > 16 and args.lr < 1:  # silent: HS201, HS204
        print(f"{args.lr:.3f}", args.device)  # silent: HS105
    return float(args.lr), int(args.workers), range(args.epochs)  # silent: HS103, HS104


def strings(text: str):
    parts = text.split(",")
    first = parts[0]
    return "{} {}".format(first, len(parts)), text.index("a"), text.count("b")  # silent: HS105


class Record:
    def __init__(self, value: int):
        self.value = value

    def item(self):
        return self.value

    def tolist(self):
        return [self.value]

    def cpu(self):
        return self

    def nonzero(self):
        return self.value != 0


def own_members():
    record = Record(3)
    if record.nonzero():  # silent: HS201, HS301
        return record.cpu()  # silent: HS102
    return record.item(), record.tolist()  # silent: HS101


def from_file(path: str):
    checkpoint = torch.load(path, map_location="cpu")
    epoch = checkpoint["epoch"]
    if epoch > 10:  # silent: HS201
        print("late", epoch)  # silent: HS105
    return epoch
