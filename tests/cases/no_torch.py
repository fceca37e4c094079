"""Nothing of torch is imported: what looks like a tensor is something else."""
import joblib
import numpy as np
import tensorflow as tf


def evaluate(model, batch, mask, x):
    logits = model(batch)
    if logits.max() > 0:  # silent: HS201
        print(logits)  # silent: HS105
    value = logits.mean().item()  # silent: HS101
    rows = x[:, None]  # silent: HS302
    chosen = rows[mask]  # silent: HS302
    return value, chosen, x.tolist(), x.cpu(), np.asarray(x), tf.where(x > 0)  # silent: HS101, HS102, HS301


class Together(joblib.Parallel):
    def __call__(self, jobs):
        return super().__call__(jobs)


def lowest(jobs):
    lows, highs = zip(*Together(2)(job(detach=True) for job in jobs))
    return min(low.min() for low in lows)  # silent: HS106
