"""The Trainer of transformers hands NumPy arrays to the function that computes metrics."""

import torch
from transformers import EvalPrediction


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    preds = logits.argmax(-1)
    mask = labels != -100
    return {"accuracy": (preds[mask] == labels[mask]).mean().item()}


class Metrics:
    def compute_seq_metrics(self, p, ignored=-100):
        predictions = p.predictions[0] if isinstance(p.predictions, tuple) else p.predictions
        keep = p.label_ids != ignored
        if keep.any():
            return predictions[keep].mean().item()
        return torch.from_numpy(p.label_ids).sum().item()


def whatever_it_is_called(evaluated: EvalPrediction):
    keep = evaluated.label_ids != -100
    return evaluated.predictions[keep].mean().item()


def compute_metrics_of_tensors(logits, labels):
    mask = labels != -100
    return (logits[mask] == labels[mask]).float().mean().item()  # expect: HS302, HS101


def measure(eval_pred):
    logits, labels = eval_pred
    return logits.argmax(-1)[labels != -100].float().mean().item()  # expect: HS302, HS101
