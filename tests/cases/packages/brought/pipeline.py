import torch

from brought.base import Base


class Detection(Base):
    def read(self, outputs):
        found = self.box_processor.finish_boxes(outputs, 0.5)
        return [score.item() for score in outputs["scores"]], found, torch.float32
