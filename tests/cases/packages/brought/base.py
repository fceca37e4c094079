"""A pipeline brings to the host what its model gives, and hands it on."""

import torch


class Base:
    def __init__(self, model, box_processor):
        self.model = model
        self.box_processor = box_processor

    def bring(self, outputs, device):
        if isinstance(outputs, dict):
            return {name: self.bring(value, device) for name, value in outputs.items()}
        if isinstance(outputs, torch.Tensor):
            return outputs.to(device)  # expect: HS102
        return outputs

    def read(self, outputs):
        raise NotImplementedError

    def run(self, inputs):
        outputs = self.model(**inputs)
        outputs = self.bring(outputs, torch.device("cpu"))
        return self.read(outputs)
