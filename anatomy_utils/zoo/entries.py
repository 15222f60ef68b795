"""The entries of a published `config.json`, checked before anything is made of them.

A damaged or invented configuration would otherwise show up late: as an error from the middle of a constructor, as
minutes of building a million layers, or as a model that computes nonsense.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from reprlib import repr
from typing import Any

CURE = "fetch it again, or take the one that belongs to the weights"


@dataclass(frozen=True)
class Kind:
    """What the value of an entry must be.

    Attributes:
        names: a regular expression for the entries' names.
        expected: completes "but … is expected".
        fits: whether a value is of this kind.
    """

    names: str
    expected: str
    fits: Callable[[Any], bool]


def _whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _from_1_to(high: int, names: str) -> Kind:
    return Kind(names, f"a whole number from 1 to {high:,}", lambda value: _whole(value, 1, high))


def _a(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


def _list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


_texts = _list_of(_a(str))


def _kinds_and_times(value: Any) -> bool:
    """A part of GPT-Neo's layers: `[["global", "local"], 6]`, kinds and how often they repeat."""
    return isinstance(value, list) and len(value) == 2 and _texts(value[0]) and _whole(value[1], 1, 1000)


OBJECTS = r"rope_parameters|rope_scaling|full_attention|sliding_attention|text_config|vision_config|encoder|decoder"
"""Entries with entries of their own."""
KINDS = (
    _from_1_to(1000, r"num_(hidden_|decoder_)?layers|n_layers?|(en|de)coder_layers|num_hidden_groups|inner_group_num"),
    _from_1_to(1000, r"num_(attention_|key_value_)?heads|n_heads?|(en|de)coder_attention_heads|num_random_blocks"),
    _from_1_to(
        10_000,
        r"num_(local_)?experts|n_(routed|shared)_experts|num_experts_per_tok|decoder_sparse_step|n_group|topk_group|"
        r"linear_num_(key|value)_heads|linear_conv_kernel_dim|full_attention_interval",
    ),
    _from_1_to(
        100_000,
        r"hidden_size|n_embd|d_model|dim|d_embed|embedding_size|(moe_)?intermediate_size|n_inner|d_ff|dff|hidden_dim|"
        r"d_inner|(en|de)coder_ffn_dim|d_kv|d_head|head_dim|(q|kv)_lora_rank|qk_(rope|nope)_head_dim|v_head_dim|"
        r"linear_(key|value)_head_dim|shared_expert_intermediate_size|"
        r"rotary_dim|pooler_hidden_size|block_size|div_val|num_labels|image_size|patch_size|num_channels|num_mel_bins|"
        r"projection_dim|max_(source|target)_positions",
    ),
    _from_1_to(
        1_000_000_000,
        r"vocab_size|(original_)?max_position_embeddings|n_positions|window_size|sliding_window|local_attention|"
        r"global_attn_every_n_layers|no_rope_layer_interval|sliding_window_pattern|"
        r"relative_attention_(num_buckets|max_distance)",
    ),
    Kind(
        r"type_vocab_size|mem_len|first_k_dense_replace|conv_kernel_size|conv_groups|(decoder_start|pad)_token_id|max_relative_positions|"
        r"position_buckets|clamp_len",
        "a whole number from -1 to 1,000,000",
        lambda value: _whole(value, -1, 1_000_000),
    ),
    Kind(
        r"(?!.*layerdrop).*(drop|dropout|dropatt)(_prob|_rate)?",
        "a number from 0 to 1",
        lambda value: _number(value) and 0 <= value <= 1,
    ),
    Kind(r"partial_rotary_factor", "a number above 0, at most 1", lambda value: _number(value) and 0 < value <= 1),
    Kind(r".*_(eps|epsilon)", "a number above 0, at most 1", lambda value: _number(value) and 0 < value <= 1),
    Kind(
        r"(\w+_)?rope_theta|rope_local_base_freq|query_pre_attn_scalar|\w+_softcapping|factor|beta_(fast|slow)|"
        r"swiglu_(alpha|limit)|routed_scaling_factor",
        "a number above 0",
        lambda value: _number(value) and 0 < value < float("inf"),
    ),
    Kind(
        r"tie_word_embeddings|attention_bias|mlp_bias|scale_embedding|share_att_key|scale_decoder_outputs|same_length|"
        r"norm_topk_prob|truncate|rope_interleave",
        "true or false",
        _a(bool),
    ),
    Kind(r"hidden_act|norm_rel_ebd|classifier_pooling", "a text", _a(str)),
    Kind(r"architectures|layer_types|attention_layers", "a list of texts", _texts),
    Kind(r"pos_att_type", "a text or a list of texts", lambda value: isinstance(value, str) or _texts(value)),
    Kind(r"attention_types", 'a list such as [[["global", "local"], 6]]', _list_of(_kinds_and_times)),
    Kind(r"mlp_only_layers", "a list of layers, counted from 0", _list_of(lambda value: _whole(value, 0, 1000))),
    Kind(r"no_rope_layers", "a list of 0 and 1", _list_of(lambda value: _whole(value, 0, 1))),
    Kind(r"cutoffs", "a list of whole numbers", _list_of(lambda value: _whole(value, 1, 1_000_000_000))),
    Kind(r"tie_projs", "a list of true and false", _list_of(_a(bool))),
    Kind(r"id2label", "an object with a name for each label", lambda value: isinstance(value, dict) and bool(value)),
    Kind(OBJECTS, "an object", _a(dict)),
)
OPTIONAL = (
    r"architectures|layer_types|no_rope_layers|pos_att_type|rope_parameters|rope_scaling|full_attention|sliding_attention|n_inner|"
    r"head_dim|num_key_value_heads|num_decoder_layers|sliding_window|rotary_dim|(decoder_start|pad)_token_id|"
    r"(classifier|cls)_dropout|intermediate_size|norm_rel_ebd|mlp_only_layers|q_lora_rank|\w+_softcapping"
)
"""Entries that published files leave null."""


@lru_cache(1000)
def kinds_of(name: str) -> tuple[Kind, ...]:
    """What an entry of this name must be; nothing for entries that the zoo does not read."""
    return tuple(kind for kind in KINDS if re.fullmatch(kind.names, name))


def check(config: Mapping[str, Any]) -> None:
    """Check every entry whose kind is known; entries that the zoo does not read may hold anything.

    >>> check({"hidden_size": "wide"})
    Traceback (most recent call last):
    ValueError: hidden_size is 'wide' in this configuration, but a whole number from 1 to 100,000 is expected; fetch it again, or take the one that belongs to the weights.

    Raises:
        ValueError: an entry holds something else.
    """  # noqa: E501 - the sentence is one line
    for name, value in config.items():
        if value is None and re.fullmatch(OPTIONAL, name):
            continue
        for kind in kinds_of(name):
            if not kind.fits(value):
                raise ValueError(
                    f"{name} is {repr(value)} in this configuration, but {kind.expected} is expected; {CURE}."
                )
        if re.fullmatch(OBJECTS, name):
            check(value)
