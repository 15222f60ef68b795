"""BART: an encoder–decoder that learned by repairing spoilt text.

Lewis et al. 2020 (arXiv:1910.13461). Against the 2017 Transformer: learned positions, GELU, a norm on the embeddings. A
surprise in its checkpoints: positions begin at row 2 of the table. For labels and spans, the same text goes into both
stacks and the decoder's vectors are read, for a label that of the last token, </s>.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import Activation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.encoder_decoder import EncoderDecoder, Rewriter
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import SequenceHead
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import LearnedPositions
from anatomy_utils.zoo.checkpoint import KeyMap, Pair, part, projections, sub_layers
from anatomy_utils.zoo.family import Family, numbers, require
from anatomy_utils.zoo.heads import BY_TOKEN, headed, two_layers, under_heads
from anatomy_utils.zoo.transformer import decoder_layers, encoder_layers

OFFSET = 2
"""The first row of the position tables that a real token uses."""


@dataclass(frozen=True)
class BartConfig:
    """The numbers of a BART; the defaults are BART-large's."""

    vocab_size: int = 50265
    d_model: int = 1024
    num_layers: int = 12
    num_decoder_layers: int = 12
    num_heads: int = 16
    num_decoder_heads: int = 16
    d_ff: int = 4096
    decoder_d_ff: int = 4096
    max_positions: int = 1024
    embeddings_scaled: bool = False
    dropout: float = 0.1
    attention_dropout: float = 0.0
    activation_dropout: float = 0.0
    classifier_dropout: float = 0.0
    start_id: int = 2
    """What the decoder reads first: </s>."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> BartConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or the activation is not GELU."""
        require(config, "BART", activation_function="gelu")
        names = (
            "vocab_size d_model num_layers=encoder_layers num_decoder_layers=decoder_layers "
            "num_heads=encoder_attention_heads num_decoder_heads=decoder_attention_heads d_ff=encoder_ffn_dim "
            "decoder_d_ff=decoder_ffn_dim max_positions=max_position_embeddings"
        )
        optional = (
            "embeddings_scaled=scale_embedding dropout attention_dropout activation_dropout classifier_dropout "
            "start_id=decoder_start_token_id"
        )
        return cls(**numbers(config, names, optional))


def stacks(config: BartConfig, *, activation: Activation = F.gelu) -> tuple[Encoder, Decoder]:
    """The two stacks of a BART; M2M-100 has another activation."""

    def after() -> NormPlaces:
        return NormPlaces(after=LayerNorm(config.d_model))

    def attention(num_heads: int) -> MultiHeadAttention:
        return MultiHeadAttention(config.d_model, num_heads, dropout=config.attention_dropout)

    def feed_forward(d_ff: int) -> FeedForward:
        return FeedForward(config.d_model, d_ff, activation=activation, dropout=config.activation_dropout)

    def embeddings() -> Embeddings:
        return Embeddings(
            config.vocab_size,
            config.d_model,
            LearnedPositions(config.max_positions, config.d_model, offset=OFFSET),
            scale=sqrt(config.d_model) if config.embeddings_scaled else 1.0,
            norm=LayerNorm(config.d_model),
            dropout=config.dropout,
        )

    rest = (after, config.dropout)
    encoder = encoder_layers(
        config.num_layers, lambda: attention(config.num_heads), lambda: feed_forward(config.d_ff), *rest
    )
    decoder = decoder_layers(
        config.num_decoder_layers,
        lambda: attention(config.num_decoder_heads),
        lambda: feed_forward(config.decoder_d_ff),
        *rest,
    )
    return Encoder(embeddings(), encoder), Decoder(embeddings(), decoder)


def bart(config: BartConfig) -> EncoderDecoder:
    """A BART of the given size, with fresh weights."""
    vocabulary = nn.Linear(config.d_model, config.vocab_size)
    vocabulary.bias.requires_grad_(False)  # published as final_logits_bias, which is not trained
    return EncoderDecoder(*stacks(config), vocabulary)


def with_head(config: BartConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A BART for a task, with fresh weights; see `TASKS`."""
    if task == "ConditionalGeneration":
        return bart(config)
    body, width = EncoderDecoder(*stacks(config), nn.Identity(), tied=False), config.d_model
    dropout = config.classifier_dropout
    text = partial(SequenceHead, width, at="last", dropout=dropout, input_dropout=dropout)
    return body if task == "Model" else headed(Rewriter(body, config.start_id), width, task, num_labels, text=text)


_SIDE = r"(?:model\.)?(encoder|decoder)\."
_LAYER = _SIDE + r"layers\.(\d+)\."


def stack_keys(norms: str) -> list[Pair]:
    """The token tables and the layers of both stacks; `norms` stand "before" or "after" the sub-layers."""
    return [
        (r"(?:model\.)?shared\.weight", "encoder.embeddings.tokens.weight"),
        (_SIDE + r"embed_tokens\.weight", r"\1.embeddings.tokens.weight"),
        *projections(_LAYER + r"self_attn\.", "q_proj k_proj v_proj out_proj", r"\1.layers.\2.self_attention."),
        *projections(_LAYER + r"encoder_attn\.", "q_proj k_proj v_proj out_proj", r"\1.layers.\2.cross_attention."),
        *sub_layers(_LAYER, norms, "self_attn_layer_norm final_layer_norm fc1 fc2", r"\1.layers.\2."),
        part(_LAYER + r"encoder_attn_layer_norm", rf"\1.layers.\2.cross_attention_norms.{norms}"),
    ]


KEYS = KeyMap(
    rename=[
        *stack_keys("after"),
        (_SIDE + r"embed_positions\.weight", r"\1.embeddings.positions.table.weight"),
        (_SIDE + r"layernorm_embedding\.(weight|bias)", r"\1.embeddings.norm.\2"),
        (r"final_logits_bias", "vocabulary.bias"),
    ],
    ignore=[
        r"lm_head\.weight",  # the shared table once more, where nothing is written
        _SIDE + r"version",  # in old files
    ],
    change=[(r"final_logits_bias", lambda bias: bias[0])],
)
TASKS = under_heads(
    KEYS,
    "body.model.",
    SequenceClassification=two_layers("classification_head"),
    QuestionAnswering=BY_TOKEN["QuestionAnswering"],
) | {"ConditionalGeneration": KEYS.within("", (r"lm_head\.weight", "vocabulary.weight"))}

FAMILY = Family("Bart", BartConfig.from_published, with_head, TASKS, usual_task="ConditionalGeneration")
