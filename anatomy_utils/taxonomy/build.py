"""From a row of the tree to modules: its published sizes without memory for weights, and a small version that runs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from math import sqrt
from typing import Any

import torch
from torch import nn

from anatomy_utils import zoo
from anatomy_utils.taxonomy.row import ModelFacts, Size
from anatomy_utils.zoo.checkpoint import unfilled

SMALL = {
    "vocab_size": 53,
    "hidden_size": 32, "n_embd": 32, "d_model": 32, "dim": 32,
    "num_hidden_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2, "num_decoder_layers": 2,
    "encoder_layers": 2, "decoder_layers": 2,
    "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "num_local_experts": 4, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24,
    "n_routed_experts": 8, "n_group": 4, "topk_group": 2, "first_k_dense_replace": 1,
    "q_lora_rank": 12, "kv_lora_rank": 10, "qk_nope_head_dim": 6, "qk_rope_head_dim": 4, "v_head_dim": 8,
    "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 6, "linear_value_head_dim": 8,
    "shared_expert_intermediate_size": 24, "full_attention_interval": 2,
    "intermediate_size": 64, "n_inner": 64, "hidden_dim": 64, "d_ff": 64, "dff": 64,
    "encoder_ffn_dim": 64, "decoder_ffn_dim": 64,
    "head_dim": 8, "d_head": 8, "d_kv": 8, "query_pre_attn_scalar": 8,
    "max_position_embeddings": 64, "n_positions": 64,
    "sliding_window": 4, "window_size": 4, "local_attention": 6, "rotary_dim": 4,
    "image_size": 12, "patch_size": 4, "projection_dim": 16,
    "num_mel_bins": 8, "max_source_positions": 64, "max_target_positions": 64,
    "embedding_size": 16, "pooler_hidden_size": 32, "position_buckets": 8, "block_size": 1, "num_random_blocks": 1,
}  # fmt: skip
"""What a published entry becomes in the small version; entries that are not named here stay as they are."""


def build(model: ModelFacts, size: Size) -> nn.Module:
    """The model in a published size, on torch's meta device: every shape is there, and no number.

    Raises:
        ValueError: the row is only described.
    """
    with unfilled(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "LSTM with projections")  # torch finds ELMo's slower; nothing is run here
        return _assembled(model, size.config)


def small_config(model: ModelFacts, vocab_size: int = SMALL["vocab_size"]) -> dict[str, Any]:
    """The first published size with small numbers: the same kind of model, fit to be run while somebody waits.

    Raises:
        ValueError: the row is only described.
    """
    if not model.runs:
        raise ValueError(f"{model.name} is only described in the tree; choose a row that runs.")
    published = model.sizes[0].config
    return _shrunk(published, vocab_size) | dict(model.small)


def _shrunk(published: Mapping[str, Any], vocab_size: int) -> dict[str, Any]:
    """Small numbers for large ones, also in the configurations of parts."""
    numbers = SMALL | {"vocab_size": vocab_size}
    config = {
        name: _shrunk(entry, vocab_size) if isinstance(entry, Mapping) else numbers.get(name, entry)
        for name, entry in published.items()
    }
    if "num_key_value_heads" in published:
        shared = published["num_key_value_heads"] < published["num_attention_heads"]
        config["num_key_value_heads"] = min(published["num_key_value_heads"], 2 if shared else 4)
    return config


def small(model: ModelFacts, *, generator: torch.Generator, vocab_size: int = SMALL["vocab_size"]) -> nn.Module:
    """A small version of the model with fresh weights, dropout off.

    Args:
        model: a row that runs.
        generator: makes the weights: matrices normal of 1/√width, biases 0.
        vocab_size: entries of the vocabulary.

    Raises:
        ValueError: the row is only described.
    """
    module = _assembled(model, small_config(model, vocab_size))
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.dim() > 1:
                parameter.normal_(std=1 / sqrt(parameter.shape[-1]), generator=generator)
            elif name.endswith("bias"):
                parameter.zero_()
    return module.eval()


def _assembled(model: ModelFacts, config: Mapping[str, Any]) -> nn.Module:
    if not model.runs:
        raise ValueError(f"{model.name} is only described in the tree; choose a row that runs.")
    family = zoo.find(model.family)
    if family is None:
        raise ValueError(f"{model.name} is said to be in zoo/{model.family}.py, but there is no such family.")
    task = family.task_of({"architectures": [model.reference]}) if model.reference else model.task
    return family.build(config, task)
