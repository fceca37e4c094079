"""Packages that are built on torch say as much as torch itself."""
from pytorch_forecasting import Baseline
from sentence_transformers import SentenceTransformer


def scores(model: SentenceTransformer, sentences):
    found = model.similarity(model.encode(sentences), model.encode(sentences))
    return found.mean().item()  # expect: HS101


def error(batch, model: Baseline):
    return model.loss(batch).item()  # expect: HS101
