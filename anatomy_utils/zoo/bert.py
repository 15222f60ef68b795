"""BERT: the encoder by itself, trained to fill in masked words.

Devlin et al. 2019 (arXiv:1810.04805). Against the 2017 encoder: learned positions instead of waves, a segment vector,
a norm on the embeddings, GELU instead of ReLU. all-MiniLM-L6-v2 is a small BERT.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import Activation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import MaskedLanguageHead, PretrainingHead, SequenceHead
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import LearnedPositions
from anatomy_utils.zoo.checkpoint import KeyMap, part, sub_layers
from anatomy_utils.zoo.family import USUAL, Family, numbers, require
from anatomy_utils.zoo.heads import BY_TOKEN, POOLED, POOLER, headed, masked, under_heads

PUBLISHED = (
    f"{USUAL} max_positions=max_position_embeddings num_segments=type_vocab_size norm_epsilon=layer_norm_eps "
    "dropout=hidden_dropout_prob attention_dropout=attention_probs_dropout_prob"
)
"""Our names and the published ones, for `numbers`."""


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
    dropout: float | int = 0.1
    attention_dropout: float | int = 0.1
    position_offset: int = 0
    """Unused rows at the head of the position table; 2 in RoBERTa."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> BertConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as BERT has it."""
        require(config, "BERT", hidden_act="gelu", position_embedding_type="absolute", is_decoder=False)
        return cls(**numbers(config, PUBLISHED))


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

    return Encoder(tables(config, config.d_model), [layer() for _ in range(config.num_layers)])


def tables(config: BertConfig, width: int, projection: nn.Linear | None = None) -> Embeddings:
    """The embeddings of a BERT; those of other families are narrower, and a projection widens their vectors."""
    return Embeddings(
        config.vocab_size,
        width,
        LearnedPositions(config.max_positions, width, offset=config.position_offset),
        num_segments=config.num_segments,
        norm=LayerNorm(width, config.norm_epsilon),
        dropout=config.dropout,
        projection=projection,
    )


def with_head(
    config: BertConfig,
    task: str,
    num_labels: int = 2,
    *,
    body: Encoder | None = None,
    activation: Activation = F.gelu,
    text: Callable[[int], SequenceHead] | None = None,
    dropout: float | None = None,
    **others: Callable[[], nn.Module],
) -> nn.Module:
    """A BERT with the head of a task, with fresh weights; see `TASKS`.

    Args:
        config: the numbers.
        task: as published architectures name it.
        num_labels: how many labels a classifier has.
        body: what another family makes of a BERT.
        activation: of the head for masked words.
        text: number of labels → the head for a whole text, where another family has another one.
        dropout: before the label of each token; as everywhere when left out.
        others: task → its head, as in `headed`.
    """
    body, width = body or bert(config), config.d_model
    tokens = body.embeddings.tokens
    pooled = text or partial(SequenceHead, width, dropout=config.dropout)

    def mask() -> MaskedLanguageHead:
        norm = LayerNorm(tokens.embedding_dim, config.norm_epsilon)
        return MaskedLanguageHead(tokens, norm, activation=activation, d_model=width)

    pretraining = {
        "MaskedLM": mask,
        "PreTraining": lambda: PretrainingHead(mask(), text(2) if text else SequenceHead(width, 2)),
        "NextSentencePrediction": lambda: SequenceHead(width, 2),
    }
    dropout = config.dropout if dropout is None else dropout
    return headed(body, width, task, num_labels, text=pooled, dropout=dropout, **pretraining | others)


_LAYER = r"(?:\w+\.)?encoder\.layer\.(\d+)\."
_EMBEDDINGS = r"(?:\w+\.)?embeddings\."
TABLES = [
    (_EMBEDDINGS + r"word_embeddings\.weight", r"embeddings.tokens.weight"),
    (_EMBEDDINGS + r"position_embeddings\.weight", r"embeddings.positions.table.weight"),
    (_EMBEDDINGS + r"token_type_embeddings\.weight", r"embeddings.segments.weight"),
    part(_EMBEDDINGS + r"LayerNorm", "embeddings.norm"),
]
LAYERS = [
    part(_LAYER + r"attention\.self\.(query|key|value)", r"layers.\1.self_attention.to_\2"),
    part(_LAYER + r"attention\.output\.dense", r"layers.\1.self_attention.to_output"),
    *sub_layers(_LAYER, "after", r"attention\.output\.LayerNorm output\.LayerNorm intermediate\.dense output\.dense"),
]
KEYS = KeyMap(
    rename=[*TABLES, *LAYERS],
    ignore=[
        _EMBEDDINGS + r"position_ids",  # the numbers 0, 1, 2 … that old files stored
        r"(?:\w+\.)?pooler\..*",  # part of the next-sentence head
        r"cls\..*",  # the pretraining heads
    ],
)
MASKED = masked(r"cls\.predictions\.transform", r"cls\.predictions")
PRETRAINING = [
    *masked(r"cls\.predictions\.transform", r"cls\.predictions", "head.masked."),
    part(r"bert\.pooler(?:\.dense)?", "head.next_sentence.dense"),
    part(r"cls\.seq_relationship", "head.next_sentence.labels"),
]
TASKS = under_heads(
    KEYS,
    MaskedLM=MASKED,
    PreTraining=PRETRAINING,
    NextSentencePrediction=[POOLER, part(r"cls\.seq_relationship", "head.labels")],
    SequenceClassification=POOLED,
    MultipleChoice=POOLED,
    **BY_TOKEN,
)

FAMILY = Family("Bert", BertConfig.from_published, with_head, TASKS)
