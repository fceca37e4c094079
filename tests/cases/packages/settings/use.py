"""What a model puts into a dictionary under a name says nothing of settings that go by that name."""

import torch


def window(data_cfg):
    features = data_cfg.config["features"]
    return int(features["length"] * features["rate"])


def told(result):
    return int(result["features"])  # expect: HS103


def trained(hparams, x: torch.Tensor):
    if hparams["features"] > 4:
        return x[: hparams["features"]]
    return x
