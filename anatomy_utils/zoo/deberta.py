"""DeBERTa: BERT whose attention reads content and position apart.

He et al. 2021 (arXiv:2006.03654). Against BERT: no positions and no segments are added to the tokens. Every score is
the sum of three: content asks content, content asks offset, offset asks content (`DisentangledPositions`), with one
table of offsets for all layers. Surprises in its checkpoints: keys have no bias, and the rows of queries, keys and
values alternate head by head in one matrix.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional.positions import offset_row
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.heads import SequenceHead
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.nn.relative_positions import DisentangledPositions, OffsetTable
from anatomy_utils.zoo import bert
from anatomy_utils.zoo.checkpoint import MIXED, KeyMap, part
from anatomy_utils.zoo.family import USUAL, Family, numbers, require
from anatomy_utils.zoo.heads import BY_TOKEN, POOLED, masked, under_heads


@dataclass(frozen=True)
class DebertaConfig(bert.BertConfig):
    """The numbers of a DeBERTa; the defaults are DeBERTa-base's."""

    vocab_size: int = 50265
    max_positions: int = 0
    num_segments: int = 0
    max_distance: int = 512
    """Farther offsets share the last row of their side."""
    norm_epsilon: float = 1e-7
    pooler_dropout: float = 0.0
    classifier_dropout: float = 0.1
    key_bias: bool = False
    num_buckets: int = 0
    """Rows of offsets on each side; 0 where every offset has its own."""
    shared_projections: bool = False
    """Whether offsets are projected as contents are."""
    offset_norm: bool = False
    """Whether the table of offsets is normalized."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> DebertaConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as DeBERTa has it here."""
        width = config.get("hidden_size")
        left_out = {"relative_attention": False, "position_biased_input": True}
        require(
            left_out | dict(config), "DeBERTa", hidden_act="gelu", pooler_hidden_act="gelu", relative_attention=True,
            position_biased_input=False, type_vocab_size=0, talking_head=False, embedding_size=width,
            pooler_hidden_size=width,
        )  # fmt: skip
        kinds = config.get("pos_att_type") or []
        if set(kinds.split("|") if isinstance(kinds, str) else kinds) != {"c2p", "p2c"}:
            raise ValueError(f"pos_att_type is {kinds!r}, but DeBERTa here has both 'c2p' and 'p2c'.")
        optional = (
            "norm_epsilon=layer_norm_eps dropout=hidden_dropout_prob attention_dropout=attention_probs_dropout_prob"
        )
        known = numbers(config, USUAL, f"{optional} pooler_dropout classifier_dropout=cls_dropout")
        farthest = config.get("max_relative_positions", -1)
        known["max_distance"] = farthest if farthest > 0 else config.get("max_position_embeddings", 512)
        return cls(**{"classifier_dropout": known.get("dropout", 0.1)} | known)


def deberta(config: DebertaConfig) -> Encoder:
    """A DeBERTa of the given size, with fresh weights."""
    width, heads = config.d_model, config.num_heads

    def norm() -> LayerNorm:
        return LayerNorm(width, config.norm_epsilon)

    table = OffsetTable(
        2 * (config.num_buckets or config.max_distance),
        width,
        norm() if config.offset_norm else None,
        dropout=config.dropout,
    )
    row = partial(offset_row, num_buckets=config.num_buckets, max_distance=config.max_distance)

    def attention() -> MultiHeadAttention:
        attention = MultiHeadAttention(width, heads, dropout=config.attention_dropout)
        attention.scale = 1 / math.sqrt(3 * attention.d_head)  # three scores are added
        if not config.key_bias:
            attention.to_key = nn.Linear(width, width, bias=False)
        to_query, to_key = attention.to_query, attention.to_key
        if not config.shared_projections:
            to_query, to_key = nn.Linear(width, width), nn.Linear(width, width, bias=config.key_bias)
        attention.score_positions = DisentangledPositions(row, table, to_query, to_key, heads)
        return attention

    body = bert.bert(config)
    body.embeddings = Embeddings(config.vocab_size, width, norm=norm(), dropout=config.dropout)
    for layer in body.layers:
        layer.self_attention = attention()
    return body


def with_head(config: DebertaConfig, task: str, num_labels: int = 2, *, body: Encoder | None = None) -> nn.Module:
    """A DeBERTa, or the `body` that its second version makes of it, with the head of a task; see `TASKS`."""
    pooler, classifier = config.pooler_dropout, config.classifier_dropout
    text = partial(SequenceHead, config.d_model, activation=F.gelu, dropout=classifier, input_dropout=pooler)
    return bert.with_head(config, task, num_labels, body=body or deberta(config), text=text)


_BODY = r"(?:deberta\.)?"
_ATTENTION, _OURS = _BODY + r"encoder\.layer\.(\d+)\.attention\.self\.", r"layers.\1.self_attention."
SHARED_KEYS = [
    (_BODY + r"embeddings\.word_embeddings\.weight", r"embeddings.tokens.weight"),
    part(_BODY + r"embeddings\.LayerNorm", "embeddings.norm"),
    (_BODY + r"encoder\.rel_embeddings\.weight", "layers.0.self_attention.score_positions.table.vectors.weight"),
    *bert.LAYERS,
]
"""What every version of DeBERTa has."""
KEYS = KeyMap(
    rename=[
        *SHARED_KEYS,
        (_ATTENTION + r"in_proj\.(weight)", MIXED),
        (_ATTENTION + r"q_bias", _OURS + r"to_query.bias"),
        (_ATTENTION + r"v_bias", _OURS + r"to_value.bias"),
        (_ATTENTION + r"pos_proj\.weight", _OURS + r"score_positions.to_key.weight"),
        part(_ATTENTION + r"pos_q_proj", _OURS + r"score_positions.to_query"),
    ],
    ignore=[
        _BODY + r"embeddings\.(?:position_ids|position_embeddings\.weight)",  # read by a decoder that is not here
        r"(?:mask_predictions|lm_predictions|cls|pooler|classifier|qa_outputs)\..*",  # the heads of tasks
    ],
)


def tasks(keys: KeyMap) -> dict[str, KeyMap]:
    """The same stack under every head; that for masked words has other names in files of the second version."""
    transform, vocabulary = (rf"(?:cls\.predictions{last}|lm_predictions\.lm_head)" for last in (r"\.transform", ""))
    return under_heads(
        keys,
        MaskedLM=masked(transform, vocabulary),
        SequenceClassification=POOLED,
        MultipleChoice=POOLED,
        **BY_TOKEN,
    )


TASKS = tasks(KEYS)


def part_by_part(config: DebertaConfig, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The published tensors; rows that go (head, part, feature) in the order (part, head, feature), to be cut."""

    def reordered(weight: Float[Tensor, "rows d_model"]) -> Float[Tensor, "rows d_model"]:
        return weight.unflatten(0, (config.num_heads, 3, -1)).transpose(0, 1).flatten(0, 2)

    return {name: reordered(part) if name.endswith("in_proj.weight") else part for name, part in tensors.items()}


FAMILY = Family("Deberta", DebertaConfig.from_published, with_head, TASKS, prepare=part_by_part)
