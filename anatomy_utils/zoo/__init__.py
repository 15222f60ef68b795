"""The zoo: one short file per family of models, each built from the same organs and equal to its reference."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_MODEL_TYPES = """
albert bart bert big_bird ctrl deberta deberta-v2 distilbert electra gemma gpt2 gpt_neo gptj llama m2m_100 mistral
modernbert openai-gpt qwen2 qwen3 roberta t5 transfo-xl xlm-roberta
"""
FAMILIES = {name: f"anatomy_utils.zoo.{name.replace('-', '_')}" for name in _MODEL_TYPES.split()}
"""`model_type` in a published config.json → the module that builds and loads it."""


def loader(model_type: object) -> Callable[..., Any]:
    """The `load(config, tensors)` function of a family.

    Raises:
        ValueError: no family has this `model_type`.
    """
    if not isinstance(model_type, str) or model_type not in FAMILIES:
        raise ValueError(f"model_type {model_type!r} is not in the zoo; it has {', '.join(sorted(FAMILIES))}.")
    return import_module(FAMILIES[model_type]).load
