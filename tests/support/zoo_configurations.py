"""What else an entry of a published configuration may hold, and what comes of a model that is saved with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from zoo_cases import ZooCase, both_answers, transformers

from anatomy_utils.zoo import checkpoint, entries, loader

ACTIVATIONS = ("relu", "gelu", "gelu_new", "gelu_pytorch_tanh", "silu", "tanh")
TEXTS = {
    "attention_type": ("original_full", "block_sparse"),
    "classifier_pooling": ("cls", "mean"),
    "dtype": ("float16", "bfloat16"),
    "feed_forward_proj": ("relu", "gated-gelu", "gelu", "gated-silu", "gated-relu"),
    "norm_rel_ebd": ("none", "layer_norm"),
    "position_embedding_type": ("relative_key", "relative_key_query"),
    "problem_type": ("regression", "single_label_classification", "multi_label_classification"),
    "summary_type": ("first", "last", "mean"),
}
LISTS = {
    "attention_layers": (["global"] * 3, ["global", "local", "local"]),
    "attention_types": ([[["global"], 3]], [[["local"], 3]]),
    "id2label": ({0: "no"}, {0: "no", 1: "yes", 2: "perhaps"}),
    "layer_types": (["full_attention"] * 3, ["sliding_attention"] * 3),
    "pos_att_type": (["c2p"], ["p2c", "c2p"], "p2c|c2p", []),
}
NAMES = {"architectures", "model_type", "transformers_version"}
"""What says which class the reference is: not to be changed alone."""
PARTS = {"text_config", "vision_config", "encoder", "decoder"}
"""Entries that hold a configuration."""
COMMON = transformers.PretrainedConfig().to_dict().keys()
"""What every configuration has; the reference's base class reads it, so that a few families are enough."""


def other_values(name: str, value: Any) -> Iterator[Any]:
    """Plausible values of an entry, none of them the one that it has."""
    found: tuple[Any, ...] = ()
    if name in TEXTS or name in LISTS:
        found = (TEXTS | LISTS)[name]
    elif isinstance(value, bool):
        found = (not value,)
    elif isinstance(value, int):
        found = (0, 2) if name.endswith("_id") else (2 * value or 1,)
    elif isinstance(value, float):
        found = (value + 0.7,) if value else (0.05,)
    elif isinstance(value, str) and ("act" in name or name == "afn"):
        found = ACTIVATIONS
    elif isinstance(value, str):
        found = ("other",)
    elif name in PARTS:
        own = ((inner, held) for inner, held in value.items() if inner not in NAMES | COMMON)
        found = tuple(value | {inner: other} for inner, held in own for other in other_values(inner, held))
    elif isinstance(value, dict):
        found = tuple(_turned(value))
    elif value is None:
        found = (2,) if name.endswith("_id") else (True, 0.3, 2, "gelu")
    found += (None,) if re.fullmatch(entries.OPTIONAL, name) else ()
    yield from (other for other in found if other is not value and (other != value or other is True))


def _turned(rope: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Rotary positions of another base or scale, for all layers or for one kind of them."""
    if "rope_theta" in rope:
        yield rope | {"rope_theta": 77.0}
        yield rope | {"rope_type": "linear", "factor": 2.0}
    for kind, inner in rope.items():
        if isinstance(inner, dict):
            yield from (rope | {kind: changed} for changed in _turned(inner))


class OursError(Exception):
    """What our model raised, told apart from the reference's errors."""


def outcome(case: ZooCase, folder: Path) -> str:
    """What comes of the reference saved and loaded: "equal", "refused", "no reference" (it cannot be built or asked),
    or else what is wrong."""
    try:
        reference = case.reference()
        reference.save_pretrained(folder)
    except Exception:  # each entry has errors of its own
        return "no reference"
    try:
        config, tensors = checkpoint.read_folder(folder)
        model = loader(config["model_type"])(config, tensors)
    except Exception as error:
        return _told(error)

    def ask(*asked: torch.Tensor) -> Any:
        try:
            return model(*asked)
        except Exception as error:
            raise OursError from error

    for padded in (True, False):
        try:
            with torch.no_grad():
                got, wanted = both_answers(case, reference, ask, padded)
        except OursError as error:
            return _told(error.__cause__)
        except Exception:  # padding that it does not know, for one
            continue
        if not all(part.isfinite().all() for part in wanted):
            continue
        pairs = list(zip(got, wanted, strict=True))
        if any(mine.shape != theirs.shape for mine, theirs in pairs):
            return "another shape"
        largest = max((mine - theirs).abs().max().item() for mine, theirs in pairs)
        scale = max(1.0, *(theirs.abs().max().item() for _, theirs in pairs))
        return "equal" if largest < 1e-4 * scale else f"different by {largest:.1e}"
    return "no reference"


def _told(error: BaseException | None) -> str:
    one = isinstance(error, ValueError) and "\n" not in str(error)
    return "refused" if one else f"{type(error).__name__}: {error}"


def quiet() -> None:
    """The reference neither warns nor draws bars while it saves."""
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
