"""T5: every task as text in, text out.

Raffel et al. 2020 (arXiv:1910.10683). Against the 2017 encoder–decoder: norms before the sub-layers and without mean or
shift (RMSNorm), relative positions as a number added to the scores, no biases. Surprises in its checkpoints: scores are
not divided by √d_head; hidden states are divided by √d_model before a tied projection. Version 1.1 has a GELU gate
in the feed-forward network and no tied projection. Labels and spans are read where BART reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import gelu_tanh
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.encoder_decoder import EncoderDecoder, Rewriter
from anatomy_utils.nn.feed_forward import FeedForward, GatedFeedForward
from anatomy_utils.nn.heads import SequenceHead
from anatomy_utils.nn.norm import NormPlaces, RMSNorm
from anatomy_utils.nn.positions import T5Bias
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family, numbers, require
from anatomy_utils.zoo.heads import BY_TOKEN, LABELS, headed, two_layers, under_heads
from anatomy_utils.zoo.transformer import decoder_layers, encoder_layers


@dataclass(frozen=True)
class T5Config:
    """The numbers of a T5; the defaults are T5-small's."""

    vocab_size: int = 32128
    d_model: int = 512
    d_head: int = 64
    d_ff: int = 2048
    num_layers: int = 6
    num_decoder_layers: int = 6
    num_heads: int = 8
    num_buckets: int = 32
    max_distance: int = 128
    gated: bool = False
    """Version 1.1: a GELU gate in the feed-forward network."""
    tied: bool = True
    output_scaled: bool = True
    """Whether hidden states are divided by √d_model before the projection."""
    norm_epsilon: float = 1e-6
    dropout: float = 0.1
    classifier_dropout: float = 0.0
    start_id: int = 0
    """What the decoder reads first: the padding token."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> T5Config:
        """The numbers in a `config.json`; ValueError where one is missing, or the feed-forward network is another."""
        kind = config.get("feed_forward_proj", "relu")
        if kind not in ("relu", "gated-gelu"):
            raise ValueError(f"feed_forward_proj is {kind!r}, but T5 here has 'relu' or (version 1.1) 'gated-gelu'.")
        gated = kind == "gated-gelu"
        require(config, f"a T5 with {kind}", dense_act_fn="gelu_new" if gated else "relu", is_gated_act=gated)
        optional = (
            "num_buckets=relative_attention_num_buckets max_distance=relative_attention_max_distance "
            "norm_epsilon=layer_norm_epsilon dropout=dropout_rate classifier_dropout"
        )
        known = numbers(config, "vocab_size d_model d_head=d_kv d_ff num_layers num_heads", optional)
        tied = config.get("tie_word_embeddings", True)
        return cls(
            **known,
            num_decoder_layers=config.get("num_decoder_layers") or known["num_layers"],
            gated=gated,
            tied=tied,
            output_scaled=config.get("scale_decoder_outputs", tied),
            start_id=config.get("decoder_start_token_id", config.get("pad_token_id", 0)),
        )


def _stacks(config: T5Config) -> tuple[Encoder, Decoder]:
    """The two stacks of a T5."""

    def norm() -> RMSNorm:
        return RMSNorm(config.d_model, config.norm_epsilon)

    def attention() -> MultiHeadAttention:
        return MultiHeadAttention(
            config.d_model, config.num_heads, d_head=config.d_head, bias=False, dropout=config.dropout, scale=1.0
        )

    def feed_forward() -> nn.Module:
        if config.gated:
            return GatedFeedForward(config.d_model, config.d_ff, activation=gelu_tanh, dropout=config.dropout)
        return FeedForward(config.d_model, config.d_ff, activation=F.relu, bias=False, dropout=config.dropout)

    def before() -> NormPlaces:
        return NormPlaces(before=norm())

    def embeddings() -> Embeddings:
        return Embeddings(config.vocab_size, config.d_model, dropout=config.dropout)

    def bias(*, bidirectional: bool) -> T5Bias:
        return T5Bias(
            config.num_heads,
            bidirectional=bidirectional,
            num_buckets=config.num_buckets,
            max_distance=config.max_distance,
        )

    parts = (attention, feed_forward, before, config.dropout)
    encoder, decoder = encoder_layers(config.num_layers, *parts), decoder_layers(config.num_decoder_layers, *parts)
    return (
        Encoder(embeddings(), encoder, norm(), score_bias=bias(bidirectional=True)),
        Decoder(embeddings(), decoder, norm=norm(), score_bias=bias(bidirectional=False)),
    )


def t5(config: T5Config) -> EncoderDecoder:
    """A T5 of the given size, with fresh weights."""
    vocabulary = nn.Linear(config.d_model, config.vocab_size, bias=False)
    output_scale = config.d_model**-0.5 if config.output_scaled else 1.0
    return EncoderDecoder(*_stacks(config), vocabulary, tied=config.tied, output_scale=output_scale)


def with_head(config: T5Config, task: str, num_labels: int = 2) -> nn.Module:
    """A T5 for a task, with fresh weights; see `TASKS`."""
    if task == "ConditionalGeneration":
        return t5(config)
    encoder, decoder = _stacks(config)
    width, dropout = config.d_model, config.classifier_dropout
    text = partial(SequenceHead, width, at="last", dropout=dropout, input_dropout=dropout)
    answer = partial(headed, width=width, task=task, num_labels=num_labels, text=text, dropout=dropout)
    if task in ("EncoderModel", "TokenClassification"):
        return answer(encoder)
    body = EncoderDecoder(encoder, decoder, nn.Identity(), tied=False)
    return body if task == "Model" else answer(Rewriter(body, config.start_id))


_SHARED = r"(?:transformer\.)?shared\.weight"
_SIDE = r"(?:transformer\.)?(encoder|decoder)\."
_SUBLAYER, _OURS = _SIDE + r"block\.(\d+)\.layer\.", r"\1.layers.\2."
_ATTENTION = {"q": "to_query", "k": "to_key", "v": "to_value", "o": "to_output"}
_PARTS = {
    "SelfAttention": ("self_attention", _ATTENTION),
    "EncDecAttention": ("cross_attention", _ATTENTION),
    "DenseReluDense": ("feed_forward", {"wi": "expand", "wi_0": "gate", "wi_1": "expand", "wo": "contract"}),
}
_STACKS = [
    (_SIDE + r"embed_tokens\.weight", r"\1.embeddings.tokens.weight"),
    (_SIDE + r"final_layer_norm\.weight", r"\1.norm.weight"),
    (_SUBLAYER + r"0\.SelfAttention\.relative_attention_bias\.weight", r"\1.score_bias.table.weight"),
    *(
        (_SUBLAYER + rf"\d\.{theirs}\.{a}\.weight", _OURS + f"{ours}.{b}.weight")
        for theirs, (ours, names) in _PARTS.items()
        for a, b in names.items()
    ),
    (_SUBLAYER + r"0\.layer_norm\.weight", _OURS + "self_attention_norms.before.weight"),
    (_SUBLAYER.replace("encoder|", "") + r"1\.layer_norm\.weight", _OURS + "cross_attention_norms.before.weight"),
    (_SUBLAYER + r"[12]\.layer_norm\.weight", _OURS + "feed_forward_norms.before.weight"),
]
KEYS = KeyMap(
    [(_SHARED, "encoder.embeddings.tokens.weight"), (r"lm_head\.weight", "vocabulary.weight"), *_STACKS],
    # In old files, and never used:
    ignore=[r"(?:transformer\.)?decoder\.block\.\d+\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight"],
)
ENCODER_KEYS = KeyMap(
    [(_SHARED, "embeddings.tokens.weight"), *((theirs, ours.removeprefix(r"\1.")) for theirs, ours in _STACKS)]
)
TASKS = {
    **under_heads(
        KEYS,
        "body.model.",
        SequenceClassification=two_layers("classification_head"),
        QuestionAnswering=BY_TOKEN["QuestionAnswering"],
    ),
    "ConditionalGeneration": KEYS,
    "EncoderModel": ENCODER_KEYS,
    "TokenClassification": ENCODER_KEYS.within("body.", LABELS),
}

FAMILY = Family("T5", T5Config.from_published, with_head, TASKS, usual_task="ConditionalGeneration")
