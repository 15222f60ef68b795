"""A checkpoint without its configuration: what shapes do not say is guessed, and measured on a text. Notebook 09."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PASSAGE = (
    "Water is a liquid at the temperatures in which most people live. When it is cooled below zero degrees Celsius, it "
    "freezes and becomes ice, and when it is heated to one hundred degrees, it boils and becomes steam. Ice is lighter "
    "than water, which is why it floats. Because of this, lakes freeze from the top, and fish can live in the water "
    "below. Most of the water on Earth is in the oceans and is too salty to drink. Only a small part is fresh water, "
    "and most of that is frozen in glaciers and at the poles. The rest is in rivers, in lakes and under the ground. "
    "The sun heats the water of the oceans, and some of it rises into the air as vapor. High above the ground the "
    "vapor cools and forms clouds. When the drops in a cloud become too heavy, they fall as rain or snow. Rivers carry "
    "the water back to the oceans, and the cycle begins again."
)
"""Plain English, 189 of SmolLM2's tokens."""


def with_guesses(found: Mapping[str, Any], num_heads: int, rotary_base: float) -> dict[str, Any]:
    """A Llama's published configuration: what its shapes say, and two guesses. The rest is Llama's usual.

    Args:
        found: as `capstone.lost_config` returns it, of a file without QK norm.
        num_heads: of queries.
        rotary_base: the longest wave is about 2π · base positions.

    Raises:
        ValueError: the keys and values cannot be cut into heads of that width.
    """
    d_head, rest = divmod(found["d_model"], num_heads)
    if rest or found["kv_width"] % d_head:
        raise ValueError(
            f"{num_heads} heads do not fit: they must divide d_model, {found['d_model']}, and their width must divide "
            f"the width of keys, {found['kv_width']}."
        )
    return {
        "hidden_size": found["d_model"],
        "intermediate_size": found["d_ff"],
        "num_hidden_layers": found["num_layers"],
        "vocab_size": found["vocab_size"],
        "tie_word_embeddings": found["tied"],
        "num_attention_heads": num_heads,
        "num_key_value_heads": found["kv_width"] // d_head,
        "rope_theta": float(rotary_base),
        "rms_norm_eps": 1e-5,
        "architectures": ["LlamaForCausalLM"],
    }
