"""Gemma 2: every other layer looks only so far back, and nothing grows without bounds.

Gemma Team 2024 (arXiv:2408.00118), section 2. Against Gemma: layers with a window of 4096 take turns with layers that
see all, each sub-layer has a norm before it and one on what it gives, and a soft cap keeps scores within ±50 and logits
within ±30. Key/value heads are shared in all sizes. A surprise in the largest: scores are divided by √144, which is
√(d_model / heads), though its heads are 128 wide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from torch import nn

from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.encoder import Encoder, EncoderLayer, LocalLayer
from anatomy_utils.nn.norm import NormPlaces
from anatomy_utils.zoo.checkpoint import KeyMap, Pair
from anatomy_utils.zoo.family import Family, require
from anatomy_utils.zoo.gemma import GemmaConfig, GemmaNorm, gemma
from anatomy_utils.zoo.heads import on_decoder
from anatomy_utils.zoo.llama import KEYS as LLAMA_KEYS, LAYER, tasks


@dataclass(frozen=True)
class Gemma2Config(GemmaConfig):
    """The numbers of a Gemma 2; the defaults are those of the smallest, with 2.6 billion parameters."""

    d_model: int = 2304
    num_layers: int = 26
    num_kv_heads: int = 4
    d_ff: int = 9216
    window: int | None = 4096
    """How many positions a local layer sees, its own included."""
    is_local: tuple[bool, ...] = (True, False) * 13
    """Of each layer: whether it has the window."""
    query_scalar: float | int = 256
    """Scores are divided by its root."""
    score_cap: float | None = 50.0
    logit_cap: float | None = 30.0

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> Gemma2Config:
        """As `GemmaConfig.from_published`; ValueError also for other kinds of layers, or too few."""
        require(config, "Gemma 2", hidden_activation="gelu_pytorch_tanh")
        known = GemmaConfig.from_published({"num_key_value_heads": 4} | dict(config))
        return cls(
            **asdict(known)
            | {
                "window": config.get("sliding_window", 4096),
                "is_local": local_layers(config, known.num_layers, every=2),
                "query_scalar": config.get("query_pre_attn_scalar", 256),
                "score_cap": config.get("attn_logit_softcapping", 50.0),
                "logit_cap": config.get("final_logit_softcapping", 30.0),
            }
        )


def local_layers(config: Mapping[str, Any], num_layers: int, *, every: int) -> tuple[bool, ...]:
    """Which layers have a window: as layer_types says, and all but every so many where it is left out.

    >>> local_layers({}, 5, every=3)
    (True, True, False, True, True)

    Raises:
        ValueError: layer_types names another kind of layer, or is not as long as the stack.
    """
    local, full = "sliding_attention", "full_attention"
    kinds = config.get("layer_types") or [local if number % every else full for number in range(1, num_layers + 1)]
    if len(kinds) != num_layers or not {*kinds} <= {local, full}:
        raise ValueError(f"layer_types is {kinds}, but {num_layers} layers need a {local!r} or {full!r} each.")
    return tuple(kind == local for kind in kinds)


def gemma2(config: Gemma2Config) -> Decoder:
    """The stack of a Gemma 2 of the given size, with fresh weights."""
    stack = gemma(config)
    for layer, is_local in zip(stack.layers, config.is_local, strict=True):
        layer.window = config.window if is_local else None
        layer.self_attention.scale = config.query_scalar**-0.5
        layer.self_attention.score_cap = config.score_cap
        layer.self_attention_norms, layer.feed_forward_norms = on_both_sides(config), on_both_sides(config)
    return stack


def on_both_sides(config: GemmaConfig) -> NormPlaces:
    """A norm before a sub-layer, and one on what it gives."""
    before, output = (GemmaNorm(config.d_model, config.norm_epsilon) for _ in range(2))
    return NormPlaces(before=before, output=output)


def opened(stack: Decoder, reach: int | None) -> Encoder:
    """The same parts as an encoder: its local layers see so far to either side, the others the whole text."""

    def layer(part: DecoderLayer) -> EncoderLayer:
        norms = {name: getattr(part, name) for name in ("self_attention_norms", "feed_forward_norms")}
        rotary = part.rotary or stack.rotary
        if part.window is None or reach is None or rotary is None:
            return EncoderLayer(part.self_attention, part.feed_forward, **norms)
        return LocalLayer(part.self_attention, part.feed_forward, **norms, window=2 * reach + 1, rotary=rotary)

    encoder = Encoder(stack.embeddings, map(layer, stack.layers), rotary=stack.rotary)
    encoder.norm = stack.norm
    return encoder


def with_head(config: Gemma2Config, task: str, num_labels: int = 2) -> nn.Module:
    """A Gemma 2 with the head of a task, with fresh weights; see `TASKS`."""
    dropout = config.classifier_dropout
    return on_decoder(gemma2(config), task, num_labels, tied=config.tied, dropout=dropout, logit_cap=config.logit_cap)


def norm_keys(layer: str, ours: str = r"layers.\1.") -> list[Pair]:
    """Pairs for the norms on both sides; `layer` is how the published names of a layer begin."""
    return [
        (layer + r"post_attention_layernorm\.weight", ours + "self_attention_norms.output.weight"),
        (layer + r"pre_feedforward_layernorm\.weight", ours + "feed_forward_norms.before.weight"),
        (layer + r"post_feedforward_layernorm\.weight", ours + "feed_forward_norms.output.weight"),
    ]


KEYS = KeyMap([*norm_keys(LAYER), *LLAMA_KEYS.rename], LLAMA_KEYS.ignore)
TASKS = tasks(KEYS)

FAMILY = Family("Gemma2", Gemma2Config.from_published, with_head, TASKS)
