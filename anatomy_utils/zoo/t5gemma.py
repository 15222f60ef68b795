"""T5Gemma: two Gemma 2 joined into an encoder–decoder.

Zhang et al. 2025 (arXiv:2504.06225). One decoder becomes the encoder, its mask opened, and another gets attention to
the encoder's output between its two sub-layers, with a norm on both sides as everywhere. Both start from the weights of
a trained Gemma 2, so they may be of different sizes: 9 billion parameters that read for 2 billion that write. Against
T5: rotary positions, gates, soft caps, windows, shared keys, and two token tables. A surprise in the reference: the
encoder's windows reach as far to either side as the decoder's reach back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.nn.heads import CappedVocabulary
from anatomy_utils.zoo.checkpoint import KeyMap, gated, projections
from anatomy_utils.zoo.family import Family, read, require
from anatomy_utils.zoo.gemma2 import Gemma2Config, gemma2, norm_keys, on_both_sides, opened


@dataclass(frozen=True)
class T5GemmaConfig:
    """The numbers of a T5Gemma; the defaults are those of the one made of two Gemma 2 with 2.6 billion parameters."""

    encoder: Gemma2Config = field(default_factory=Gemma2Config)
    decoder: Gemma2Config = field(default_factory=Gemma2Config)
    tied: bool = True

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> T5GemmaConfig:
        """The numbers in a published `config.json`; ValueError as in `Gemma2Config`, or where features are dropped."""
        require(config, "T5Gemma", dropout_rate=0.0)
        encoder, decoder = map(Gemma2Config.from_published, read(config, "encoder", "decoder"))
        return cls(encoder, decoder, config.get("tie_word_embeddings", True))


def _reading(config: Gemma2Config, d_memory: int) -> Decoder:
    """A Gemma 2 whose layers look at an encoder's output too."""

    def attention() -> MultiHeadAttention:
        return MultiHeadAttention(
            config.d_model,
            config.num_heads,
            num_kv_heads=config.num_kv_heads,
            d_head=config.d_head,
            d_memory=d_memory,
            bias=config.attention_bias,
            scale=config.query_scalar**-0.5,
            score_cap=config.score_cap,
        )

    stack = gemma2(config)
    layers = [
        DecoderLayer(
            layer.self_attention,
            layer.feed_forward,
            self_attention_norms=layer.self_attention_norms,
            feed_forward_norms=layer.feed_forward_norms,
            cross_attention=attention(),
            cross_attention_norms=on_both_sides(config),
            window=layer.window,
        )
        for layer in stack.layers
    ]
    decoder = Decoder(stack.embeddings, layers, rotary=stack.rotary)
    decoder.norm = stack.norm
    return decoder


def with_head(config: T5GemmaConfig, task: str) -> EncoderDecoder:
    """A T5Gemma for a task, with fresh weights; see `TASKS`."""
    encoder, decoder = opened(gemma2(config.encoder), config.encoder.window), config.decoder
    sizes = (decoder.d_model, decoder.vocab_size)
    vocabulary: nn.Module = nn.Identity()
    if task == "ConditionalGeneration":
        capped = None if decoder.logit_cap is None else CappedVocabulary(*sizes, decoder.logit_cap)
        vocabulary = capped or nn.Linear(*sizes, bias=False)
    tied = config.tied and task == "ConditionalGeneration"
    return EncoderDecoder(encoder, _reading(decoder, config.encoder.d_model), vocabulary, tied=tied, shared=False)


_SIDE = r"(?:model\.)?(encoder|decoder)\."
_LAYER, _OURS = _SIDE + r"layers\.(\d+)\.", r"\1.layers.\2."
_PLACES = {"pre": "before", "post": "output"}
KEYS = KeyMap(
    rename=[
        (_SIDE + r"embed_tokens\.weight", r"\1.embeddings.tokens.weight"),
        (_SIDE + r"norm\.weight", r"\1.norm.weight"),
        *projections(_LAYER + r"self_attn\.", "q_proj k_proj v_proj o_proj", _OURS + "self_attention."),
        *projections(_LAYER + r"cross_attn\.", "q_proj k_proj v_proj o_proj", _OURS + "cross_attention."),
        *norm_keys(_LAYER, _OURS),
        *(
            (_LAYER + rf"{when}_(self|cross)_attn_layernorm\.weight", _OURS + rf"\3_attention_norms.{place}.weight")
            for when, place in _PLACES.items()
        ),
        *gated(_LAYER + r"mlp\.", _OURS + "feed_forward."),
    ],
    ignore=[r".*\.rotary_emb\.inv_freq"],
)
TASKS = {"Model": KEYS, "ConditionalGeneration": KEYS.within("", (r"lm_head\.out_proj\.weight", "vocabulary.weight"))}

FAMILY = Family("T5Gemma", T5GemmaConfig.from_published, with_head, TASKS, usual_task="ConditionalGeneration")
