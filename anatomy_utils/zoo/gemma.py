"""Gemma: Llama with norms that multiply by 1 + weight, louder embeddings and another gate.

Gemma Team 2024 (arXiv:2403.08295), section 2. Against Llama: RMSNorm stores how far it is from doing nothing, tokens'
vectors are multiplied by √d_model, the gate is GELU (its tanh approximation), heads are 256 wide whatever d_model, and
the projection onto the vocabulary of 256 000 shares the token table. In the smallest all heads share one key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from jaxtyping import Float
from torch import Tensor, nn

from anatomy_utils.functional.feed_forward import gelu_tanh
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.feed_forward import GatedFeedForward
from anatomy_utils.nn.norm import NormPlaces, RMSNorm
from anatomy_utils.zoo.family import Family
from anatomy_utils.zoo.llama import TASKS, LlamaConfig, llama, with_head


@dataclass(frozen=True)
class GemmaConfig(LlamaConfig):
    """The numbers of a Gemma; the defaults are those of the smallest, with 2.5 billion parameters."""

    vocab_size: int = 256000
    d_model: int = 2048
    num_layers: int = 18
    num_heads: int = 8
    num_kv_heads: int = 1
    d_ff: int = 16384
    d_head: int = 256
    max_positions: int = 8192
    tied: bool = True

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> GemmaConfig:
        """As `LlamaConfig.from_published`; ValueError also for another gate, or where the model sees the future."""
        gate = config.get("hidden_activation") or config.get("hidden_act", "gelu_pytorch_tanh")
        if gate not in ("gelu_pytorch_tanh", "gelu"):  # the first files said "gelu" and meant the approximation
            raise ValueError(f"hidden_act is {gate!r}, but Gemma here has 'gelu_pytorch_tanh'.")
        if config.get("use_bidirectional_attention"):
            raise ValueError("use_bidirectional_attention is set, but Gemma here sees only the past.")
        rest = {name: value for name, value in config.items() if name != "hidden_act"}
        left_out = {"head_dim": 256, "tie_word_embeddings": True, "max_position_embeddings": 8192}
        return cls(**asdict(LlamaConfig.from_published(left_out | rest)))


class GemmaNorm(RMSNorm):
    """RMSNorm that multiplies by 1 + weight: weights of 0, which weight decay pulls to, change nothing."""

    def __init__(self, d_model: int, epsilon: float = 1e-6) -> None:
        super().__init__(d_model, epsilon)
        nn.init.zeros_(self.weight)

    def stretch(self) -> Float[Tensor, " d_model"]:
        """What each feature is multiplied by."""
        return 1 + self.weight


def gemma(config: GemmaConfig) -> Decoder:
    """The stack of a Gemma of the given size, with fresh weights."""

    def norm() -> GemmaNorm:
        return GemmaNorm(config.d_model, config.norm_epsilon)

    stack = llama(config)
    stack.embeddings.scale = config.d_model**0.5
    for layer in stack.layers:
        layer.self_attention_norms = NormPlaces(before=norm())
        layer.feed_forward_norms = NormPlaces(before=norm())
        layer.feed_forward = GatedFeedForward(config.d_model, config.d_ff, activation=gelu_tanh)
    stack.norm = norm()
    return stack


FAMILY = Family("Gemma", GemmaConfig.from_published, partial(with_head, stack=gemma), TASKS)
