"""Methods of Hugging Face's libraries, told by their names and those of their arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from hostsync.infer.calls.operations import merged
from hostsync.infer.frame import as_tensor, is_model_name
from hostsync.infer.methods.asked import Asked, called
from hostsync.infer.values import Mapping, Tensor, Unknown, Value, tensors_in


def _generate(asked: Asked) -> Value | None:
    """`model.generate(ids, max_new_tokens=20)` asks after each token whether all sequences have ended.

    Source: transformers, `generation/utils.py`, and our measurement (the page of HS605).
    """
    named = {name for name, _, _ in asked.keywords}
    if asked.subject is None or not is_model_name(asked.subject) or not named & _OF_GENERATION:
        return None
    values = [value for _, value in asked.args] + [value for _, _, value in asked.keywords]
    tensors = [tensor for value in values for tensor in tensors_in(value)]
    where = merged(tensors)
    asked.waits("transformers.GenerationMixin.generate", where)
    return None if "return_dict_in_generate" in named else Tensor(where, "int", 2, sure=False)


_OF_GENERATION: Final = frozenset(
    """generation_config max_new_tokens min_new_tokens do_sample num_beams num_return_sequences pad_token_id
    eos_token_id logits_processor stopping_criteria synced_gpus streamer assistant_model
    return_dict_in_generate""".split()
)
"""Arguments that hardly anything but transformers' `generate` has."""


def _decoded(asked: Asked) -> Value | None:
    """`tokenizer.batch_decode(ids)` reads tensors of ids back (transformers, `utils/generic.py`, `to_py_obj`)."""
    ids = asked.args[0][1] if asked.args else None
    if isinstance(ids, Tensor) and (asked.name == "batch_decode" or _TOKENIZER.search(called(asked.subject))):
        asked.waits(f"transformers.PreTrainedTokenizerBase.{asked.name}", ids.device)
    return None


_TOKENIZER: Final = re.compile(r"(tokenizer|processor|processing_class)\d*$")


def _gathered(asked: Asked) -> Value | None:
    """`accelerator.gather(x)` gives tensors for tensors, of all processes."""
    if not asked.args or not called(asked.subject).endswith("accelerator"):
        return None
    given = asked.args[0][1]
    if asked.name == "pad_across_processes":
        # It gathers the sizes, and reads them back.
        tensors = tensors_in(given)
        asked.waits("accelerate.Accelerator.pad_across_processes", merged(tensors))
    if isinstance(given, Unknown):
        return as_tensor(given)
    return given if isinstance(given, (Tensor, Mapping)) else None


ANSWERS: Final[dict[str, Callable[[Asked], Value | None]]] = {
    "generate": _generate,
    **dict.fromkeys(("batch_decode", "decode"), _decoded),
    **dict.fromkeys(("gather", "gather_for_metrics", "reduce", "pad_across_processes"), _gathered),
}
"""By method, what it gives; None for what is not known."""
