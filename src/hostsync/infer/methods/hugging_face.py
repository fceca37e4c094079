"""Methods of Hugging Face's libraries, told by their names and those of their arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.calls.placing import merged
from hostsync.infer.devices import ANYWHERE, only_host
from hostsync.infer.explaining import as_tensor
from hostsync.infer.frame import Frame
from hostsync.infer.hints.defaults import may_be_left_out
from hostsync.infer.hints.loaders_and_models import is_model_name
from hostsync.infer.methods.asked import Asked, called
from hostsync.infer.nodes import assigned_to, is_none, last_name
from hostsync.infer.values import NOTHING, Items, Mapping, Nothing, Tensor, Unknown, Value, tensors_in


def masks_tokens(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList, *, is_model: bool) -> None:
    """`model(input_ids, attention_mask=mask)` asks whether the mask hides anything, as no mask is quicker.

    So does `model(**tokens)` of what a tokenizer has made, or with an argument that only models of transformers have.

    Source: transformers, `masking_utils.py`, `_ignore_causal_mask_sdpa`, and our measurement (the page of HS605).
    """
    named = {keyword.name for keyword in node.keywords}
    if not named.isdisjoint(_OF_PARTS):
        return
    takes_tokens = not named.isdisjoint(_TAKEN) or (args and (_is_of_ids(args[0][0]) or _is_whole(node, named)))
    if "attention_mask" in named and takes_tokens:
        expr, mask = next((expr, value) for name, expr, value in keywords if name == "attention_mask")
        if isinstance(mask, Nothing) or _may_be_left_out(frame, node, expr, mask):
            return
    elif not args and None in named and is_model:
        expr, mask = next((expr, value) for name, expr, value in keywords if name is None)
        # Other dictionaries hold None for the mask as often as not.
        is_made = (isinstance(mask, Tensor) and not mask.sure) or _is_of_tokenizer(frame, expr)
        is_made = is_made and not _is_of_pictures(frame, expr)
        if not is_made and (named.isdisjoint(_OF_MODELS) or not _TOKENS.search(last_name(expr))):
            return
    else:
        return
    where = mask.device if isinstance(mask, Tensor) else ANYWHERE
    op = "transformers.PreTrainedModel.forward"
    frame.emit("call", op, "", node, subject=expr, device=where, confidence="likely")


_TAKEN: Final = frozenset({"input_ids", "inputs_embeds"})
_OF_PARTS: Final = frozenset({"hidden_states", "past_key_values"})
"""What says that it is a part of a model, which gets a mask that is made up already, or is handed the next token."""
_OF_MODELS: Final = frozenset({"return_dict", "output_hidden_states", "output_attentions", "use_cache"})
_TOKENS: Final = re.compile(r"(^|_)(inputs?|features?|batch|encod\w+|tokens?|tokenized|text)(_|$)")
"""What dictionaries of tokens are called."""
_TOKENIZER: Final = re.compile(r"tokenizer(_?\d)?$")


def _may_be_left_out(frame: Frame, call: facts.Call, node: facts.Expr, mask: Value) -> bool:
    """Whether a mask is None in some case: by default, as one of two, or where nothing is to be hidden."""
    if isinstance(node, facts.Conditional):
        return is_none(node.body) or is_none(node.orelse)
    function = frame.function
    if not isinstance(node, facts.Name) or not isinstance(function, facts.Function):
        return False
    if isinstance(mask, (Tensor, Unknown)) and mask.param == node.id:
        return may_be_left_out(function, node.id)
    before = [value for value in assigned_to(function.body, node.id) if value is not None and value.span < call.span]
    return any(is_none(value) for value in before)


def _is_of_tokenizer(frame: Frame, node: facts.Expr) -> bool:
    """`tokens = tokenizer(texts)`, though all of it was moved since: `{k: v.to(device) for k, v in tokens.items()}`."""
    return any(_TOKENIZER.search(last_name(made.func)) for made in _makers(frame, node))


def _is_of_pictures(frame: Frame, node: facts.Expr) -> bool:
    """What a processor makes of pictures or sound alone has no mask that a model asks about."""
    for made in _makers(frame, node):
        named = {keyword.name for keyword in made.keywords}
        is_of_them = not named.isdisjoint(_PICTURES) or _OF_PICTURES.search(last_name(made.func)) is not None
        if is_of_them and "text" not in named:
            return True
    return False


def _makers(frame: Frame, node: facts.Expr) -> list[facts.Call]:
    """The calls of which a name is the result in a function: of `tokenizer(texts).to(device)` the first one."""
    function = frame.function
    if not isinstance(node, facts.Name) or not isinstance(function, facts.Function):
        return []
    found = []
    for value in assigned_to(function.body, node.id):
        made = value
        while (
            isinstance(made, facts.Call) and isinstance(made.func, facts.Attr) and type(made.func.value) is facts.Call
        ):
            made = made.func.value
        if isinstance(made, facts.Call):
            found.append(made)
    return found


_PICTURES: Final = frozenset({"images", "videos", "audio", "raw_speech", "sampling_rate"})
_OF_PICTURES: Final = re.compile(r"(image|video)_processor|feature_extractor")


def _is_whole(node: facts.Call, named: set[str | None]) -> bool:
    """`model(x, attention_mask=mask, output_hidden_states=True)`: the parts of a model are called otherwise."""
    return not named.isdisjoint(_OF_MODELS) and last_name(node.func).endswith("model")


def _is_of_ids(node: facts.Expr) -> bool:
    """`input_ids`, `batch["input_ids"]`, `tokens.input_ids.to(device)`."""
    while isinstance(node, facts.Call) and isinstance(node.func, facts.Attr):
        node = node.func.value
    if isinstance(node, facts.Subscript) and isinstance(node.key, facts.Const):
        return isinstance(node.key.value, str) and node.key.value.endswith("input_ids")
    return last_name(node).endswith("input_ids")


def _generate(asked: Asked) -> Value | None:
    """`model.generate(ids, max_new_tokens=20)` asks after each token whether all sequences have ended.

    Source: transformers, `generation/utils.py`, and our measurement (the page of HS605).
    """
    named = {name for name, _, _ in asked.keywords}
    model = _unwrapped(asked.subject)
    if model is None or not is_model_name(model) or not named & _OF_GENERATION:
        return None
    return _generated(asked)


def _unwrapped(node: facts.Expr | None) -> facts.Expr | None:
    """The model of `accelerator.unwrap_model(model)`; anything else as it is."""
    if isinstance(node, facts.Call) and last_name(node.func) == "unwrap_model" and node.args:
        return node.args[0]
    return node


def _generated(asked: Asked) -> Value | None:
    named = {name for name, _, _ in asked.keywords}
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


def _saved(asked: Asked) -> Value | None:
    """`model.save_pretrained(path)` brings each parameter to the host; tokenizers and settings are there.

    Source: transformers, `modeling_utils.py`, and our measurement (the page of HS605).
    """
    return _model_saved(asked) if _MODEL.search(called(asked.subject)) else None


def _model_saved(asked: Asked) -> Value | None:
    asked.waits("transformers.PreTrainedModel.save_pretrained", ANYWHERE)
    return None


_MODEL: Final = re.compile(r"(^|_)(model|lm)(_|$)")
"""`model_to_save` and `lm_q`, too; not the encoders and heads of `is_model_name`, which may be sub-modules of torch."""


def _decoded(asked: Asked) -> Value | None:
    """`tokenizer.batch_decode(ids)` reads tensors of ids back (transformers, `utils/generic.py`, `to_py_obj`)."""
    is_it = asked.name == "batch_decode" or _DECODER.search(called(asked.subject))
    return _ids_read(asked) if is_it else None


def _ids_read(asked: Asked) -> Value | None:
    """What is made text of: ids, which may be a tensor. `convert_ids_to_tokens` reads one after the other."""
    ids = asked.args[0][1] if asked.args else None
    tensors = tensors_in(ids, 1) if isinstance(ids, (Tensor, Items)) else ()
    if tensors:
        asked.waits(f"transformers.PreTrainedTokenizerBase.{asked.name}", tensors[0].device)
    return None


_DECODER: Final = re.compile(r"(tokenizer|processor|processing_class)(_?\d)?$")


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


def _state_saved(asked: Asked) -> Value | None:
    """`accelerator.save_state(path)` and `save_model(model, path)` write tensors, `save` those that it is handed.

    Source: accelerate, `checkpointing.py`, `save_accelerator_state`, and `utils/other.py`, `save`.
    """
    if not called(asked.subject).endswith("accelerator"):
        return None
    saved = [tensor for _, value in asked.args[:1] for tensor in tensors_in(value) if tensor.sure]
    held = [tensor for tensor in saved if not only_host(tensor.device)]
    if held or asked.name != "save":
        asked.waits(f"accelerate.Accelerator.{asked.name}", held[0].device if held else ANYWHERE)
    return NOTHING


def _unwrapping(asked: Asked) -> Value | None:
    """`accelerator.unwrap_model(model)` gives the model that was prepared."""
    return asked.args[0][1] if asked.args and called(asked.subject).endswith("accelerator") else None


OF_MODELS: Final[dict[str, Callable[[Asked], Value | None]]] = {"generate": _generated, "save_pretrained": _model_saved}
"""By method of what is known to be a model, what it gives."""
_DECODING: Final = ("batch_decode", "convert_ids_to_tokens", "decode")
OF_TOKENIZERS: Final[dict[str, Callable[[Asked], Value | None]]] = dict.fromkeys(_DECODING, _ids_read)
"""By method of what is known to be a tokenizer or processor, what it gives."""
ANSWERS: Final[dict[str, Callable[[Asked], Value | None]]] = {
    "generate": _generate,
    "save_pretrained": _saved,
    **dict.fromkeys(_DECODING, _decoded),
    **dict.fromkeys(("save", "save_model", "save_state"), _state_saved),
    "unwrap_model": _unwrapping,
    **dict.fromkeys(("gather", "gather_for_metrics", "reduce", "pad_across_processes"), _gathered),
}
"""By method, what it gives; None for what is not known."""
