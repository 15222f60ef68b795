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
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import MaskedLanguageHead, MultipleChoice, SequenceHead, SpanHead, TokenHead, WithHead
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.relative_positions import DisentangledPositions, OffsetTable
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family, read


@dataclass(frozen=True)
class DebertaConfig:
    """The numbers of a DeBERTa; the defaults are DeBERTa-base's."""

    vocab_size: int = 50265
    d_model: int = 768
    num_layers: int = 12
    num_heads: int = 12
    d_ff: int = 3072
    max_distance: int = 512
    """Farther offsets share the last row of their side."""
    norm_epsilon: float = 1e-7
    dropout: float = 0.1
    attention_dropout: float = 0.1
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
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the model has a variation that DeBERTa here does not have.
        """
        return cls(**shared_numbers(config))


def shared_numbers(config: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a `config.json` that every version of DeBERTa has, under our names."""
    width = config.get("hidden_size")
    for name, left_out, expected in (
        ("hidden_act", "gelu", "gelu"),
        ("pooler_hidden_act", "gelu", "gelu"),
        ("relative_attention", False, True),
        ("position_biased_input", True, False),
        ("type_vocab_size", 0, 0),
        ("talking_head", False, False),
        ("embedding_size", width, width),
        ("pooler_hidden_size", width, width),
    ):
        if (given := config.get(name, left_out)) != expected:
            raise ValueError(f"{name} is {given!r}, but DeBERTa here has {expected!r}.")
    kinds = config.get("pos_att_type") or []
    if set(kinds.split("|") if isinstance(kinds, str) else kinds) != {"c2p", "p2c"}:
        raise ValueError(f"pos_att_type is {kinds!r}, but DeBERTa here has both 'c2p' and 'p2c'.")
    vocab_size, d_model, num_layers, num_heads, d_ff = read(
        config, "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size"
    )
    farthest, dropout = config.get("max_relative_positions", -1), config.get("hidden_dropout_prob", 0.1)
    before_labels = config.get("cls_dropout")
    return {
        "vocab_size": vocab_size,
        "d_model": d_model,
        "num_layers": num_layers,
        "num_heads": num_heads,
        "d_ff": d_ff,
        "max_distance": farthest if farthest > 0 else config.get("max_position_embeddings", 512),
        "norm_epsilon": config.get("layer_norm_eps", 1e-7),
        "dropout": dropout,
        "attention_dropout": config.get("attention_probs_dropout_prob", 0.1),
        "pooler_dropout": config.get("pooler_dropout", 0.0),
        "classifier_dropout": dropout if before_labels is None else before_labels,
    }


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

    def layer() -> EncoderLayer:
        return EncoderLayer(
            attention(),
            FeedForward(width, config.d_ff, activation=F.gelu),
            self_attention_norms=NormPlaces(after=norm()),
            feed_forward_norms=NormPlaces(after=norm()),
            dropout=config.dropout,
        )

    embeddings = Embeddings(config.vocab_size, width, norm=norm(), dropout=config.dropout)
    return Encoder(embeddings, [layer() for _ in range(config.num_layers)])


def with_head(config: DebertaConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A DeBERTa with the head of a task, with fresh weights; see `TASKS`."""
    return headed(deberta(config), config, task, num_labels)


def headed(body: Encoder, config: DebertaConfig, task: str, num_labels: int) -> nn.Module:
    """The stack with the head of a task on top."""
    width = config.d_model

    def pooled(labels: int) -> SequenceHead:
        return SequenceHead(
            width,
            labels,
            activation=F.gelu,
            dropout=config.classifier_dropout,
            input_dropout=config.pooler_dropout,
        )

    if task == "MultipleChoice":
        return MultipleChoice(body, pooled(1))
    heads = {
        "MaskedLM": lambda: MaskedLanguageHead(body.embeddings.tokens, LayerNorm(width, config.norm_epsilon)),
        "SequenceClassification": lambda: pooled(num_labels),
        "TokenClassification": lambda: TokenHead(width, num_labels, dropout=config.dropout),
        "QuestionAnswering": lambda: SpanHead(width),
    }
    return WithHead(body, heads[task]()) if task in heads else body


_BODY = r"(?:deberta\.)?"
_LAYER = _BODY + r"encoder\.layer\.(\d+)\."
_ATTENTION = r"layers.\1.self_attention."
_OFFSETS = "layers.0.self_attention.score_positions.table."
SHARED_KEYS = [
    (_BODY + r"embeddings\.word_embeddings\.weight", r"embeddings.tokens.weight"),
    (_BODY + r"embeddings\.LayerNorm\.(weight|bias)", r"embeddings.norm.\1"),
    (_BODY + r"encoder\.rel_embeddings\.weight", _OFFSETS + r"vectors.weight"),
    (_LAYER + r"attention\.output\.dense\.(weight|bias)", _ATTENTION + r"to_output.\2"),
    (_LAYER + r"attention\.output\.LayerNorm\.(weight|bias)", r"layers.\1.self_attention_norms.after.\2"),
    (_LAYER + r"intermediate\.dense\.(weight|bias)", r"layers.\1.feed_forward.expand.\2"),
    (_LAYER + r"output\.dense\.(weight|bias)", r"layers.\1.feed_forward.contract.\2"),
    (_LAYER + r"output\.LayerNorm\.(weight|bias)", r"layers.\1.feed_forward_norms.after.\2"),
]
"""What every version of DeBERTa has."""
KEYS = KeyMap(
    rename=[
        *SHARED_KEYS,
        (
            _LAYER + r"attention\.self\.in_proj\.weight",
            tuple(_ATTENTION + f"to_{part}.weight" for part in ("query", "key", "value")),
        ),
        (_LAYER + r"attention\.self\.q_bias", _ATTENTION + r"to_query.bias"),
        (_LAYER + r"attention\.self\.v_bias", _ATTENTION + r"to_value.bias"),
        (_LAYER + r"attention\.self\.pos_proj\.weight", _ATTENTION + r"score_positions.to_key.weight"),
        (_LAYER + r"attention\.self\.pos_q_proj\.(weight|bias)", _ATTENTION + r"score_positions.to_query.\2"),
    ],
    ignore=[
        _BODY + r"embeddings\.(?:position_ids|position_embeddings\.weight)",  # read by a decoder that is not here
        r"(?:mask_predictions|lm_predictions|cls|pooler|classifier|qa_outputs)\..*",  # the heads of tasks
    ],
)


def tasks(keys: KeyMap) -> dict[str, KeyMap]:
    """Task, as published architectures name it → where each tensor goes."""
    pooler = (r"pooler\.dense\.(weight|bias)", r"head.dense.\1")
    labels = (r"classifier\.(weight|bias)", r"head.labels.\1")
    transform = r"(?:cls\.predictions\.transform|lm_predictions\.lm_head)\."
    masked = [
        (transform + r"dense\.(weight|bias)", r"head.dense.\1"),
        (transform + r"LayerNorm\.(weight|bias)", r"head.norm.\1"),
        (r"cls\.predictions\.decoder\.(weight|bias)", r"head.vocabulary.\1"),
        (r"(?:cls\.predictions|lm_predictions\.lm_head)\.(bias)", r"head.vocabulary.\1"),
    ]
    heads = {
        "MaskedLM": masked,
        "SequenceClassification": [pooler, labels],
        "MultipleChoice": [pooler, labels],
        "TokenClassification": [labels],
        "QuestionAnswering": [(r"qa_outputs\.(weight|bias)", r"head.ends.\1")],
    }
    unread = [keys.ignore[0], r"mask_predictions\..*"]
    return {"Model": keys} | {task: keys.within("body.", *head, ignore=unread) for task, head in heads.items()}


TASKS = tasks(KEYS)


def part_by_part(config: DebertaConfig, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The published tensors; rows that go (head, part, feature) in the order (part, head, feature), to be cut."""

    def reordered(weight: Float[Tensor, "rows d_model"]) -> Float[Tensor, "rows d_model"]:
        return weight.unflatten(0, (config.num_heads, 3, -1)).transpose(0, 1).flatten(0, 2)

    return {name: reordered(part) if name.endswith("in_proj.weight") else part for name, part in tensors.items()}


FAMILY = Family("Deberta", DebertaConfig.from_published, with_head, TASKS, prepare=part_by_part)
