"""T5: every task as text in, text out.

Raffel et al. 2020 (arXiv:1910.10683). Against the 2017 encoder–decoder: norms before the sub-layers and without mean or
shift (RMSNorm), relative positions as a number added to the scores, no biases. Surprises in its checkpoints: scores are
not divided by √d_head; hidden states are divided by √d_model before a tied projection. Version 1.1 has a GELU gate
in the feed-forward network and no tied projection. Labels and spans are read where BART reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import gelu_tanh
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.encoder_decoder import EncoderDecoder, Rewriter
from anatomy_utils.nn.feed_forward import FeedForward, GatedFeedForward
from anatomy_utils.nn.heads import SequenceHead, SpanHead, TokenHead, WithHead
from anatomy_utils.nn.norm import Norms, RMSNorm
from anatomy_utils.nn.positions import T5Bias
from anatomy_utils.zoo.checkpoint import KeyMap, load_published, number_of_labels, pick, task_of, unfilled


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
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the feed-forward network is another one.
        """
        kind = config.get("feed_forward_proj", "relu")
        if kind not in ("relu", "gated-gelu"):
            raise ValueError(f"feed_forward_proj is {kind!r}, but T5 here has 'relu' or (version 1.1) 'gated-gelu'.")
        vocab_size, d_model, d_head, d_ff, layers, heads = pick(
            config, "vocab_size", "d_model", "d_kv", "d_ff", "num_layers", "num_heads"
        )
        tied = config.get("tie_word_embeddings", True)
        return cls(
            vocab_size,
            d_model,
            d_head,
            d_ff,
            layers,
            config.get("num_decoder_layers") or layers,
            heads,
            num_buckets=config.get("relative_attention_num_buckets", 32),
            max_distance=config.get("relative_attention_max_distance", 128),
            gated=kind == "gated-gelu",
            tied=tied,
            output_scaled=config.get("scale_decoder_outputs", tied),
            norm_epsilon=config.get("layer_norm_epsilon", 1e-6),
            dropout=config.get("dropout_rate", 0.1),
            classifier_dropout=config.get("classifier_dropout", 0.0),
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

    def before() -> Norms:
        return Norms(before=norm())

    def embeddings() -> Embeddings:
        return Embeddings(config.vocab_size, config.d_model, dropout=config.dropout)

    def bias(*, bidirectional: bool) -> T5Bias:
        return T5Bias(
            config.num_heads,
            bidirectional=bidirectional,
            num_buckets=config.num_buckets,
            max_distance=config.max_distance,
        )

    encoder_layers = [
        EncoderLayer(
            attention(),
            feed_forward(),
            self_attention_norms=before(),
            feed_forward_norms=before(),
            dropout=config.dropout,
        )
        for _ in range(config.num_layers)
    ]
    decoder_layers = [
        DecoderLayer(
            attention(),
            feed_forward(),
            self_attention_norms=before(),
            feed_forward_norms=before(),
            cross_attention=attention(),
            cross_attention_norms=before(),
            dropout=config.dropout,
        )
        for _ in range(config.num_decoder_layers)
    ]
    return (
        Encoder(embeddings(), encoder_layers, norm(), score_bias=bias(bidirectional=True)),
        Decoder(embeddings(), decoder_layers, norm=norm(), score_bias=bias(bidirectional=False)),
    )


def t5(config: T5Config) -> EncoderDecoder:
    """A T5 of the given size, with fresh weights."""
    vocabulary = nn.Linear(config.d_model, config.vocab_size, bias=False)
    output_scale = config.d_model**-0.5 if config.output_scaled else 1.0
    return EncoderDecoder(*_stacks(config), vocabulary, tied=config.tied, output_scale=output_scale)


def with_head(config: T5Config, task: str, num_labels: int = 2) -> nn.Module:
    """A T5 for a task, with fresh weights; see `TASKS`."""
    encoder, decoder = _stacks(config)
    width, dropout = config.d_model, config.classifier_dropout
    if task == "EncoderModel":
        return encoder
    if task == "TokenClassification":
        return WithHead(encoder, TokenHead(width, num_labels, dropout=dropout))
    body = EncoderDecoder(encoder, decoder, nn.Identity(), tied=False)
    if task == "SequenceClassification":
        head = SequenceHead(width, num_labels, at="last", dropout=dropout, input_dropout=dropout)
        return WithHead(Rewriter(body, config.start_id), head)
    if task == "QuestionAnswering":
        return WithHead(Rewriter(body, config.start_id), SpanHead(width))
    return t5(config) if task == "ConditionalGeneration" else body


_PARTS = {"q": "query", "k": "key", "v": "value", "o": "output"}
_FEED_FORWARD = {"wi": "expand", "wi_0": "gate", "wi_1": "expand", "wo": "contract"}
_SHARED = r"(?:transformer\.)?shared\.weight"
_SUBLAYERS = {
    "encoder": ("self_attention_norms", "feed_forward_norms"),
    "decoder": ("self_attention_norms", "cross_attention_norms", "feed_forward_norms"),
}


def _stack(side: str, prefix: str) -> list[tuple[str, str]]:
    """Where the tensors of one of the stacks go; a prefix stands before our names."""
    stack = rf"(?:transformer\.)?{side}\."
    sublayer, layer = stack + r"block\.(\d+)\.layer\.\d\.", prefix + r"layers.\1."
    return [
        (stack + r"embed_tokens\.weight", prefix + "embeddings.tokens.weight"),
        (stack + r"final_layer_norm\.weight", prefix + "norm.weight"),
        (sublayer + r"SelfAttention\.relative_attention_bias\.weight", prefix + "score_bias.table.weight"),
        *(
            (sublayer + rf"SelfAttention\.{a}\.weight", layer + f"self_attention.to_{b}.weight")
            for a, b in _PARTS.items()
        ),
        *(
            (sublayer + rf"EncDecAttention\.{a}\.weight", layer + f"cross_attention.to_{b}.weight")
            for a, b in _PARTS.items()
        ),
        *(
            (sublayer + rf"DenseReluDense\.{a}\.weight", layer + f"feed_forward.{b}.weight")
            for a, b in _FEED_FORWARD.items()
        ),
        *(
            (stack + rf"block\.(\d+)\.layer\.{i}\.layer_norm\.weight", layer + f"{norms}.before.weight")
            for i, norms in enumerate(_SUBLAYERS[side])
        ),
    ]


KEYS = KeyMap(
    [
        (_SHARED, "encoder.embeddings.tokens.weight"),
        (r"lm_head\.weight", "vocabulary.weight"),
        *_stack("encoder", "encoder."),
        *_stack("decoder", "decoder."),
    ],
    # In old files, and never used:
    ignore=[r"(?:transformer\.)?decoder\.block\.\d+\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight"],
)
ENCODER_KEYS = KeyMap([(_SHARED, "embeddings.tokens.weight"), *_stack("encoder", "")])
TASKS: dict[str, KeyMap] = {
    "Model": KEYS,
    "EncoderModel": ENCODER_KEYS,
    "ConditionalGeneration": KEYS,
    "SequenceClassification": KEYS.within(
        "body.model.",
        (r"classification_head\.dense\.(weight|bias)", r"head.dense.\1"),
        (r"classification_head\.out_proj\.(weight|bias)", r"head.labels.\1"),
    ),
    "TokenClassification": ENCODER_KEYS.within("body.", (r"classifier\.(weight|bias)", r"head.labels.\1")),
    "QuestionAnswering": KEYS.within("body.model.", (r"qa_outputs\.(weight|bias)", r"head.ends.\1")),
}
"""Task, as published architectures name it → where each tensor goes."""


def load(config: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> nn.Module:
    """A T5, with the head its configuration names, ready to use (dropout off)."""
    task = task_of({"architectures": ["T5ForConditionalGeneration"]} | dict(config), "T5", TASKS)
    with unfilled():
        model = with_head(T5Config.from_published(config), task, number_of_labels(config))
    load_published(model, tensors, TASKS[task])
    return model.eval()
