"""Gemma 3, its text model, and EmbeddingGemma: five layers with a window for one that sees all.

Gemma Team 2025 (arXiv:2503.19786), section 2. Against Gemma 2: five local layers and then a global one, rotary waves up
to a hundred times as long in the global ones, and norms on each head's queries and keys in place of the soft caps.
EmbeddingGemma (Vera et al. 2025, arXiv:2509.20354) opens the mask: the same parts become an encoder, whose windows
reach to both sides. A surprise in its configuration: `sliding_window` counts both sides together there. What makes one
vector of a text, a mean and two projections, is published beside the model and not part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from torch import nn

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family, require
from anatomy_utils.zoo.gemma import GemmaNorm
from anatomy_utils.zoo.gemma2 import KEYS as GEMMA2_KEYS, Gemma2Config, gemma2, local_layers, opened
from anatomy_utils.zoo.heads import on_decoder
from anatomy_utils.zoo.qwen3 import NORM_KEYS


@dataclass(frozen=True)
class Gemma3Config(Gemma2Config):
    """The numbers of a Gemma 3; the defaults are its reference's, which no published size has."""

    vocab_size: int = 262208
    max_positions: int = 131072
    is_local: tuple[bool, ...] = (True, True, True, True, True, False) * 4 + (True, True)
    score_cap: float | None = None
    logit_cap: float | None = None
    rotary_base: float = 1_000_000.0
    """Of the layers that see all."""
    local_base: float = 10_000.0
    sees_both_sides: bool = False
    """EmbeddingGemma; `window` is then how far it reaches to both sides together."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> Gemma3Config:
        """As `Gemma2Config.from_published`; ValueError also where scores are capped, or positions are scaled."""
        require(config, "Gemma 3", attn_logit_softcapping=None)
        rope = config.get("rope_parameters") or {"full_attention": config.get("rope_scaling")}
        global_base = _base(rope.get("full_attention"), config.get("rope_theta", 1_000_000.0))
        local_base = _base(rope.get("sliding_attention"), config.get("rope_local_base_freq", 10_000.0))
        both = bool(config.get("use_bidirectional_attention"))
        changed = {"rope_parameters": None, "rope_scaling": None, "use_bidirectional_attention": False}
        left_out = {"max_position_embeddings": 131072, "attn_logit_softcapping": None, "final_logit_softcapping": None}
        known = Gemma2Config.from_published(left_out | dict(config) | changed)
        every = config.get("sliding_window_pattern", 6)
        return cls(
            **asdict(known)
            | {
                "is_local": local_layers(config, known.num_layers, every=every),
                "rotary_base": global_base,
                "local_base": local_base,
                "sees_both_sides": both,
            }
        )


def _base(rope: Mapping[str, Any] | None, left_out: float) -> float:
    """The base of the rotary positions of a kind of layers."""
    rope = rope or {}
    if rope.get("rope_type", "default") != "default":
        raise ValueError(f"The rotary positions are scaled ({rope}), which Gemma 3 here does not do.")
    return float(rope.get("rope_theta", left_out))


def gemma3(config: Gemma3Config) -> Decoder:
    """The stack of a Gemma 3 that writes, with fresh weights."""
    stack, local = gemma2(config), RotaryPositions(config.d_head, base=config.local_base)
    for layer in stack.layers:
        layer.self_attention.query_norm = GemmaNorm(config.d_head, config.norm_epsilon)
        layer.self_attention.key_norm = GemmaNorm(config.d_head, config.norm_epsilon)
        layer.rotary = local if layer.window else None
    return stack


def with_head(config: Gemma3Config, task: str) -> nn.Module:
    """A Gemma 3 for a task, with fresh weights; see `TASKS`.

    Raises:
        ValueError: it is to write, but sees both sides.
    """
    if not config.sees_both_sides:
        return on_decoder(gemma3(config), task, 0, tied=config.tied, logit_cap=config.logit_cap)
    if task != "TextModel":
        raise ValueError("use_bidirectional_attention is set, and what sees both sides cannot write; use TextModel.")
    return opened(gemma3(config), None if config.window is None else config.window // 2)


KEYS = KeyMap([*NORM_KEYS, *GEMMA2_KEYS.rename], GEMMA2_KEYS.ignore)
TASKS = {
    "TextModel": KEYS,
    "CausalLM": KEYS.within("decoder.", (r"lm_head\.weight", "vocabulary.weight")),
}

FAMILY = Family("Gemma3", Gemma3Config.from_published, with_head, TASKS, usual_task="CausalLM")
