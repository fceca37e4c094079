import re

import torch
from torch import Tensor


def until_small(x: Tensor, limit: float):
    while (error := x.norm()) > limit:  # expect: HS202
        x = x / 2
    return error.item()  # expect: HS101


def first_bad(x: Tensor):
    if (bad := x.isnan()).any():  # expect: HS201
        return x[bad]  # expect: HS302
    if (count := x.numel()) > 10:  # silent: HS201
        return count
    return None


def read_once(x: Tensor):
    if (value := x.sum().item()) > 0:  # expect: HS101
        return value
    return [v for row in x if (v := row.sum()) > 0]  # expect: HS201


def text(line: str):
    if match := re.match(r"\d+", line):  # silent: HS201
        return int(match.group())  # silent: HS103
    while chunk := line[:10]:  # silent: HS202
        line = line[10:]
        print(chunk)  # silent: HS105
    return 0
