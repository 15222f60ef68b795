"""OLMo 2: norms after the sub-layers, inside the residual connection.

OLMo Team 2024 (arXiv:2501.00656), section 3. Against Llama: what a sub-layer gives is normalized before it is added,
and nothing is before the sub-layer; queries and keys are normalized too, those of all heads as one vector. Both keep
large training runs from diverging. Data, code and all intermediate weights are published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.norm import NormPlaces, RMSNorm, RMSNormOfHeads
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family
from anatomy_utils.zoo.llama import KEYS as LLAMA_KEYS, LAYER, LlamaConfig, llama, tasks, with_head
from anatomy_utils.zoo.qwen3 import NORM_KEYS


@dataclass(frozen=True)
class Olmo2Config(LlamaConfig):
    """The numbers of an OLMo 2; the defaults are those with 7 billion parameters, with the first OLMo's vocabulary."""

    vocab_size: int = 50304
    norm_epsilon: float = 1e-5

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> Olmo2Config:
        """As `LlamaConfig.from_published`."""
        return cls(**asdict(LlamaConfig.from_published({"rms_norm_eps": 1e-5} | dict(config))))


def olmo2(config: Olmo2Config) -> Decoder:
    """The stack of an OLMo 2 of the given size, with fresh weights."""

    def after_it() -> NormPlaces:
        return NormPlaces(output=RMSNorm(config.d_model, config.norm_epsilon))

    stack = llama(config)
    for layer in stack.layers:
        layer.self_attention_norms, layer.feed_forward_norms = after_it(), after_it()
        attention = layer.self_attention
        attention.query_norm = RMSNormOfHeads(attention.num_heads * config.d_head, config.norm_epsilon)
        attention.key_norm = RMSNormOfHeads(attention.num_kv_heads * config.d_head, config.norm_epsilon)
    return stack


_NORMS = [
    (LAYER + r"post_attention_layernorm\.weight", r"layers.\1.self_attention_norms.output.weight"),
    (LAYER + r"post_feedforward_layernorm\.weight", r"layers.\1.feed_forward_norms.output.weight"),
]
TASKS = tasks(KeyMap([*NORM_KEYS, *_NORMS, *LLAMA_KEYS.rename], LLAMA_KEYS.ignore))

FAMILY = Family("Olmo2", Olmo2Config.from_published, partial(with_head, stack=olmo2), TASKS)
