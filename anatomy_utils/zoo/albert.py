"""ALBERT: a BERT of a single layer, run many times.

Lan et al. 2020 (arXiv:1909.11942). Against BERT: all layers share one layer's weights (or a few groups of layers do),
the tables are narrow and a projection widens their vectors, and the second task while learning is the order of two
sentences instead of whether they belong together. Its checkpoints disagree on GELU: some have the exact one, some its
tanh approximation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import Activation, gelu_tanh
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
from anatomy_utils.zoo.family import Family, read

ACTIVATIONS: dict[str, Activation] = {"gelu": F.gelu, "gelu_new": gelu_tanh}


@dataclass(frozen=True)
class AlbertConfig:
    """The numbers of an ALBERT; the defaults are ALBERT-base's in its second version."""

    vocab_size: int = 30000
    d_embedding: int = 128
    """Width of the tables."""
    d_model: int = 768
    num_layers: int = 12
    num_groups: int = 1
    """How many different layers the stack is made of; neighbors share one."""
    layers_per_group: int = 1
    """How many layers a group has; each of `num_layers` runs them all."""
    num_heads: int = 12
    d_ff: int = 3072
    max_positions: int = 512
    num_segments: int = 2
    norm_epsilon: float = 1e-12
    dropout: float | int = 0.0
    attention_dropout: float | int = 0.0
    activation: str = "gelu_new"
    classifier_dropout: float | int = 0.1

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> AlbertConfig:
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the model has a variation that ALBERT does not have.
        """
        names = (
            "vocab_size embedding_size hidden_size num_hidden_layers num_hidden_groups inner_group_num "
            "num_attention_heads intermediate_size max_position_embeddings type_vocab_size layer_norm_eps "
            "hidden_dropout_prob attention_probs_dropout_prob hidden_act"
        )
        known = cls(*[*read(config, *names.split()), config.get("classifier_dropout_prob", 0.1)])
        if known.activation not in ACTIVATIONS:
            raise ValueError(f"hidden_act is {known.activation!r}, but ALBERT here has {' or '.join(ACTIVATIONS)}.")
        if not 1 <= known.num_groups <= known.num_layers:
            raise ValueError(
                f"num_hidden_groups is {known.num_groups}, but {known.num_layers} layers can be put into 1 to "
                f"{known.num_layers} groups."
            )
        return known


def order(config: AlbertConfig) -> list[tuple[int, int]]:
    """Which layer runs when, from the bottom up: its group, and its place within the group.

    >>> order(AlbertConfig(num_layers=3, num_groups=2))
    [(0, 0), (0, 0), (1, 0)]
    """
    groups = [i * config.num_groups // config.num_layers for i in range(config.num_layers)]
    return [(group, place) for group in groups for place in range(config.layers_per_group)]


def albert(config: AlbertConfig) -> Encoder:
    """An ALBERT of the given size, with fresh weights; the same layer stands at several places of its stack."""

    def norm() -> LayerNorm:
        return LayerNorm(config.d_model, config.norm_epsilon)

    def layer() -> EncoderLayer:
        return EncoderLayer(
            MultiHeadAttention(config.d_model, config.num_heads, dropout=config.attention_dropout),
            FeedForward(config.d_model, config.d_ff, activation=ACTIVATIONS[config.activation]),
            self_attention_norms=NormPlaces(after=norm()),
            feed_forward_norms=NormPlaces(after=norm()),
            dropout=config.dropout,
        )

    embeddings = Embeddings(
        config.vocab_size,
        config.d_embedding,
        LearnedPositions(config.max_positions, config.d_embedding),
        num_segments=config.num_segments,
        norm=LayerNorm(config.d_embedding, config.norm_epsilon),
        dropout=config.dropout,
        projection=nn.Linear(config.d_embedding, config.d_model),
    )
    different = {place: layer() for place in dict.fromkeys(order(config))}
    return Encoder(embeddings, [different[place] for place in order(config)])


def with_head(config: AlbertConfig, task: str, num_labels: int = 2) -> nn.Module:
    """An ALBERT with the head of a task, with fresh weights; see `TASKS`.

    "PreTraining" answers for the masked words and, in `next_sentence`, whether the two sentences stand in their order
    (0) or were swapped (1).
    """
    body, width = albert(config), config.d_model

    def masked() -> MaskedLanguageHead:
        return MaskedLanguageHead(
            body.embeddings.tokens,
            LayerNorm(config.d_embedding, config.norm_epsilon),
            activation=ACTIVATIONS[config.activation],
            d_model=width,
        )

    def label(count: int) -> SequenceHead:
        return SequenceHead(width, count, dropout=config.classifier_dropout)

    if task == "MultipleChoice":
        return MultipleChoice(body, label(1))
    heads = {
        "MaskedLM": masked,
        "PreTraining": lambda: PretrainingHead(masked(), label(2)),
        "SequenceClassification": lambda: label(num_labels),
        "TokenClassification": lambda: TokenHead(width, num_labels, dropout=config.classifier_dropout),
        "QuestionAnswering": lambda: SpanHead(width),
    }
    return WithHead(body, heads[task]()) if task in heads else body


_EMBEDDINGS = r"(?:albert\.)?embeddings\."
_ENCODER = r"(?:albert\.)?encoder\."
_LAYER = _ENCODER + r"layers\.(\d+)\."  # see `by_place`
KEYS = KeyMap(
    rename=[
        (_EMBEDDINGS + r"word_embeddings\.weight", r"embeddings.tokens.weight"),
        (_EMBEDDINGS + r"position_embeddings\.weight", r"embeddings.positions.table.weight"),
        (_EMBEDDINGS + r"token_type_embeddings\.weight", r"embeddings.segments.weight"),
        (_EMBEDDINGS + r"LayerNorm\.(weight|bias)", r"embeddings.norm.\1"),
        (_ENCODER + r"embedding_hidden_mapping_in\.(weight|bias)", r"embeddings.projection.\1"),
        (_LAYER + r"attention\.(query|key|value)\.(weight|bias)", r"layers.\1.self_attention.to_\2.\3"),
        (_LAYER + r"attention\.dense\.(weight|bias)", r"layers.\1.self_attention.to_output.\2"),
        (_LAYER + r"attention\.LayerNorm\.(weight|bias)", r"layers.\1.self_attention_norms.after.\2"),
        (_LAYER + r"ffn\.(weight|bias)", r"layers.\1.feed_forward.expand.\2"),
        (_LAYER + r"ffn_output\.(weight|bias)", r"layers.\1.feed_forward.contract.\2"),
        (_LAYER + r"full_layer_layer_norm\.(weight|bias)", r"layers.\1.feed_forward_norms.after.\2"),
    ],
    ignore=[
        _EMBEDDINGS + r"position_ids",  # the numbers 0, 1, 2 … that old files stored
        r"(?:albert\.)?pooler\..*",  # part of the sentence-order head
        r"(?:predictions|sop_classifier)\..*",  # the pretraining heads
    ],
)
_POOLER = r"albert\.pooler\.(weight|bias)"
_LABELS = (r"classifier\.(weight|bias)", r"head.labels.\1")


def _masked(head: str) -> list[tuple[str, str]]:
    return [
        (r"predictions\.dense\.(weight|bias)", head + r"dense.\1"),
        (r"predictions\.LayerNorm\.(weight|bias)", head + r"norm.\1"),
        (r"predictions\.decoder\.(weight|bias)", head + r"vocabulary.\1"),
        (r"predictions\.(bias)", head + r"vocabulary.\1"),
    ]


_LABELLED = KEYS.within("body.", (_POOLER, r"head.dense.\1"), _LABELS, ignore=KEYS.ignore[:1])
TASKS: dict[str, KeyMap] = {
    "Model": KEYS,
    "MaskedLM": KEYS.within("body.", *_masked("head."), ignore=[*KEYS.ignore[:2], r"sop_classifier\..*"]),
    "PreTraining": KEYS.within(
        "body.",
        *_masked("head.masked."),
        (_POOLER, r"head.next_sentence.dense.\1"),
        (r"sop_classifier\.classifier\.(weight|bias)", r"head.next_sentence.labels.\1"),
        ignore=KEYS.ignore[:1],
    ),
    "SequenceClassification": _LABELLED,
    "MultipleChoice": _LABELLED,
    "TokenClassification": KEYS.within("body.", _LABELS),
    "QuestionAnswering": KEYS.within("body.", (r"qa_outputs\.(weight|bias)", r"head.ends.\1")),
}


def by_place(config: AlbertConfig, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The published tensors, those of layers named by the first place of the stack at which the layer stands."""
    places = order(config)

    def first(match: re.Match[str]) -> str:
        return f"layers.{places.index((int(match[1]), int(match[2])))}."

    published = r"albert_layer_groups\.(\d+)\.albert_layers\.(\d+)\."
    return {re.sub(published, first, name): tensor for name, tensor in tensors.items()}


FAMILY = Family("Albert", AlbertConfig.from_published, with_head, TASKS, prepare=by_place)
