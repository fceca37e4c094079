"""Users hand in what their models give: that a pipeline brings it to the host before says nothing of them."""

import torch


class BoxProcessor:
    def finish_boxes(self, outputs, threshold):
        scores, labels = torch.softmax(outputs.logits, -1).max(-1)
        return scores[scores > threshold], labels  # expect: HS302
