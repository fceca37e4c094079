import torch


def at_least(release):
    return torch.__version__ >= release
