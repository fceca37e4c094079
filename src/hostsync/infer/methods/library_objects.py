"""Methods of the objects of libraries around torch that `calls/library_objects` knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hostsync.infer.calls.library_objects import METRIC, MODEL, RUN, SESSION, TOKENIZER, TRAINER
from hostsync.infer.calls.taken_to_the_host import taken
from hostsync.infer.devices import only_host
from hostsync.infer.methods import hugging_face
from hostsync.infer.methods.asked import Asked
from hostsync.infer.values import NOTHING, ON_HOST, UNKNOWN, Array, Items, Mapping, Value, tensors_in


def _arrays(asked: Asked) -> Value | None:
    """`session.run(None, inputs)` gives a list of NumPy arrays."""
    return Items("list", None, Array())


def _predicted(asked: Asked) -> Value | None:
    """`trainer.predict(dataset)` gives predictions and labels as NumPy arrays, and metrics (`PredictionOutput`)."""
    return ON_HOST


def _logged(asked: Asked) -> Value | None:
    return taken("wandb.Run.log", asked.frame, asked.node, asked.args, asked.keywords)


def _scored(asked: Asked) -> Value | None:
    """Predictions and references become a column of a table (datasets, `features/features.py`,
    `_cast_to_python_objects`), of which numbers are made at the end."""
    values = [value for _, value in asked.args] + [value for _, _, value in asked.keywords]
    held = [tensor for value in values for tensor in tensors_in(value) if tensor.sure and not only_host(tensor.device)]
    if held:
        asked.waits(f"{METRIC}.{asked.name}", held[0].device)
    return Mapping((), ON_HOST) if asked.name == "compute" else NOTHING


_ANSWERS: Final[dict[tuple[str, str], Callable[[Asked], Value | None]]] = {
    (SESSION, "run"): _arrays,
    (TRAINER, "predict"): _predicted,
    (RUN, "log"): _logged,
    **{(METRIC, name): _scored for name in ("add", "add_batch", "compute")},
    **{(MODEL, name): answer for name, answer in hugging_face.OF_MODELS.items()},
    **{(TOKENIZER, name): answer for name, answer in hugging_face.OF_TOKENIZERS.items()},
}
"""By class and method, what it gives; None for what is not known."""

LIBRARY_METHODS: Final = frozenset(name for _, name in _ANSWERS)
"""The names of these methods."""


def library_method(asked: Asked, name: str) -> Value | None:
    """What a method of an object of the class `name` gives; None where nothing is known of it."""
    answer = _ANSWERS.get((name, asked.name))
    if answer is None:
        return None
    given = answer(asked)
    return UNKNOWN if given is None else given
