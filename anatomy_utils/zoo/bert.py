"""BERT: the encoder by itself, trained to fill in masked words.

Devlin et al. 2019 (arXiv:1810.04805). Against the 2017 encoder: learned positions instead of waves, a segment vector,
a norm on the embeddings, GELU instead of ReLU. all-MiniLM-L6-v2 is a small BERT.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import Activation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import (
    MaskedLanguageHead,
    MultipleChoice,
    PretrainingHead,
    SequenceHead,
    SpanHead,
    TokenHead,
    WithHead,
)
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import LearnedPositions
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family, read, require


@dataclass(frozen=True)
class BertConfig:
    """The numbers of a BERT; the defaults are BERT-base's."""

    vocab_size: int = 30522
    d_model: int = 768
    num_layers: int = 12
    num_heads: int = 12
    d_ff: int = 3072
    max_positions: int = 512
    num_segments: int = 2
    norm_epsilon: float = 1e-12
    dropout: float = 0.1
    attention_dropout: float = 0.1
    position_offset: int = 0
    """Unused rows at the head of the position table; 2 in RoBERTa."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> BertConfig:
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the model has a variation that BERT does not have.
        """
        require(config, "BERT", hidden_act="gelu", position_embedding_type="absolute", is_decoder=False)
        names = (
            "vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size max_position_embeddings "
            "type_vocab_size layer_norm_eps hidden_dropout_prob attention_probs_dropout_prob"
        )
        return cls(*read(config, *names.split()))


def bert(config: BertConfig, *, activation: Activation = F.gelu) -> Encoder:
    """A BERT of the given size, with fresh weights; other families have another activation."""

    def norm() -> LayerNorm:
        return LayerNorm(config.d_model, config.norm_epsilon)

    def layer() -> EncoderLayer:
        return EncoderLayer(
            MultiHeadAttention(config.d_model, config.num_heads, dropout=config.attention_dropout),
            FeedForward(config.d_model, config.d_ff, activation=activation),
            self_attention_norms=NormPlaces(after=norm()),
            feed_forward_norms=NormPlaces(after=norm()),
            dropout=config.dropout,
        )

    embeddings = Embeddings(
        config.vocab_size,
        config.d_model,
        LearnedPositions(config.max_positions, config.d_model, offset=config.position_offset),
        num_segments=config.num_segments,
        norm=norm(),
        dropout=config.dropout,
    )
    return Encoder(embeddings, [layer() for _ in range(config.num_layers)])


def with_head(config: BertConfig, task: str, num_labels: int = 2, *, body: Encoder | None = None) -> nn.Module:
    """A BERT, or the `body` that another family makes of it, with the head of a task; see `TASKS`. Fresh weights."""
    body, width = body or bert(config), config.d_model

    def masked() -> MaskedLanguageHead:
        return MaskedLanguageHead(body.embeddings.tokens, LayerNorm(width, config.norm_epsilon))

    if task == "MultipleChoice":
        return MultipleChoice(body, SequenceHead(width, 1, dropout=config.dropout))
    heads = {
        "MaskedLM": masked,
        "PreTraining": lambda: PretrainingHead(masked(), SequenceHead(width, 2)),
        "NextSentencePrediction": lambda: SequenceHead(width, 2),
        "SequenceClassification": lambda: SequenceHead(width, num_labels, dropout=config.dropout),
        "TokenClassification": lambda: TokenHead(width, num_labels, dropout=config.dropout),
        "QuestionAnswering": lambda: SpanHead(width),
    }
    return WithHead(body, heads[task]()) if task in heads else body


_LAYER = r"(?:\w+\.)?encoder\.layer\.(\d+)\."
_EMBEDDINGS = r"(?:\w+\.)?embeddings\."
KEYS = KeyMap(
    rename=[
        (_EMBEDDINGS + r"word_embeddings\.weight", r"embeddings.tokens.weight"),
        (_EMBEDDINGS + r"position_embeddings\.weight", r"embeddings.positions.table.weight"),
        (_EMBEDDINGS + r"token_type_embeddings\.weight", r"embeddings.segments.weight"),
        (_EMBEDDINGS + r"LayerNorm\.(weight|bias)", r"embeddings.norm.\1"),
        (_LAYER + r"attention\.self\.(query|key|value)\.(weight|bias)", r"layers.\1.self_attention.to_\2.\3"),
        (_LAYER + r"attention\.output\.dense\.(weight|bias)", r"layers.\1.self_attention.to_output.\2"),
        (_LAYER + r"attention\.output\.LayerNorm\.(weight|bias)", r"layers.\1.self_attention_norms.after.\2"),
        (_LAYER + r"intermediate\.dense\.(weight|bias)", r"layers.\1.feed_forward.expand.\2"),
        (_LAYER + r"output\.dense\.(weight|bias)", r"layers.\1.feed_forward.contract.\2"),
        (_LAYER + r"output\.LayerNorm\.(weight|bias)", r"layers.\1.feed_forward_norms.after.\2"),
    ],
    ignore=[
        _EMBEDDINGS + r"position_ids",  # the numbers 0, 1, 2 … that old files stored
        r"(?:\w+\.)?pooler\..*",  # part of the next-sentence head
        r"cls\..*",  # the pretraining heads
    ],
)
_POOLER = (r"bert\.pooler\.dense\.(weight|bias)", r"head.dense.\1")
_LABELS = (r"(?:classifier|cls\.seq_relationship)\.(weight|bias)", r"head.labels.\1")


def _masked(head: str) -> list[tuple[str, str]]:
    return [
        (r"cls\.predictions\.transform\.dense\.(weight|bias)", head + r"dense.\1"),
        (r"cls\.predictions\.transform\.LayerNorm\.(weight|bias)", head + r"norm.\1"),
        (r"cls\.predictions\.decoder\.(weight|bias)", head + r"vocabulary.\1"),
        (r"cls\.predictions\.(bias)", head + r"vocabulary.\1"),
    ]


TASKS: dict[str, KeyMap] = {
    "Model": KEYS,
    "MaskedLM": KEYS.within("body.", *_masked("head."), ignore=[KEYS.ignore[0], KEYS.ignore[1], r"cls\.seq.*"]),
    "PreTraining": KEYS.within(
        "body.",
        *_masked("head.masked."),
        (r"bert\.pooler\.dense\.(weight|bias)", r"head.next_sentence.dense.\1"),
        (r"cls\.seq_relationship\.(weight|bias)", r"head.next_sentence.labels.\1"),
        ignore=KEYS.ignore[:1],
    ),
    "NextSentencePrediction": KEYS.within("body.", _POOLER, _LABELS, ignore=[KEYS.ignore[0], r"cls\.predictions.*"]),
    "SequenceClassification": KEYS.within("body.", _POOLER, _LABELS, ignore=KEYS.ignore[:1]),
    "MultipleChoice": KEYS.within("body.", _POOLER, _LABELS, ignore=KEYS.ignore[:1]),
    "TokenClassification": KEYS.within("body.", _LABELS),
    "QuestionAnswering": KEYS.within("body.", (r"qa_outputs\.(weight|bias)", r"head.ends.\1")),
}

FAMILY = Family("Bert", BertConfig.from_published, with_head, TASKS)
