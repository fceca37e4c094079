"""Objects of libraries around torch: what makes them, and which class that is.

Sources: documentation of onnxruntime (`InferenceSession`), wandb (`init`) and evaluate (`load`); transformers,
`trainer.py`, `modeling_utils.py` and `tokenization_utils_base.py`; peft,
`peft_model.py`, whose models hand on to the one in them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from hostsync.infer.context import Context
from hostsync.infer.values import Instance, Ref

SESSION: Final = "onnxruntime.InferenceSession"
TRAINER: Final = "transformers.Trainer"
RUN: Final = "wandb.Run"
METRIC: Final = "evaluate.EvaluationModule"
MODEL: Final = "transformers.PreTrainedModel"
TOKENIZER: Final = "transformers.PreTrainedTokenizerBase"

_TOKENIZERS: Final = r"transformers\.(?:\w+\.)*(?:\w*Tokenizer(?:Fast|Base)?|\w*Processor)\.from_pretrained"
_MODELS: Final = (
    r"transformers\.(?:\w+\.)*(?!TF[A-Z]|Flax)(?:\w*Model(?!Card)|\w*For[A-Z])\w*\.(?:from_pretrained|_?from_config)"
)
_MADE_BY: Final = (
    (re.compile(r"onnxruntime\.InferenceSession"), SESSION),
    (re.compile(r"transformers\.(?:\w+\.)*\w*Trainer"), TRAINER),
    (re.compile(r"wandb\.(?:init|run)"), RUN),
    (re.compile(r"evaluate\.(?:load|combine)"), METRIC),
    (re.compile(_MODELS), MODEL),
    (re.compile(r"peft\.(?:\w+\.)*(?:get_peft_model|\w*PeftModel\w*\.from_pretrained)"), MODEL),
    (re.compile(_TOKENIZERS), TOKENIZER),
)
"""By the dotted name of a constructor or of what hands one out, the class."""


@cache
def made_by(name: str) -> Instance | None:
    """The object that a library's function or class gives, by its dotted name; None for all others."""
    return next((Instance(known, False) for made, known in _MADE_BY if made.fullmatch(name)), None)


def library_class(context: Context, value: Instance) -> str:
    """The class of a library that an object is of, or by which the project has derived its class; empty for others."""
    if not value.local:
        return value.name
    bases = [base.name for info in context.lineage(value.name) for base in info.bases if isinstance(base, Ref)]
    return next((made.name for made in map(made_by, bases) if made is not None), "")
