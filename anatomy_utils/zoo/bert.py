"""BERT: the encoder by itself, trained to fill in masked words.

Devlin et al. 2019 (arXiv:1810.04805). Against the 2017 encoder: learned positions instead of waves, a segment vector,
a norm on the embeddings, GELU instead of ReLU. all-MiniLM-L6-v2 is a small BERT.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.attention import MultiHeadAttention
from anatomy_utils.embeddings import Embeddings
from anatomy_utils.encoder import Encoder, EncoderLayer, Norms
from anatomy_utils.feed_forward import FeedForward
from anatomy_utils.norm import LayerNorm
from anatomy_utils.positions import LearnedPositions
from anatomy_utils.zoo.checkpoint import KeyMap, load_published, pick


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

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> BertConfig:
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the model has a variation that BERT does not have.
        """
        for name, expected in (("hidden_act", "gelu"), ("position_embedding_type", "absolute")):
            if config.get(name, expected) != expected:
                raise ValueError(f"{name} is {config[name]!r}, but BERT here has {expected!r}; this is another family.")
        names = (
            "vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size max_position_embeddings "
            "type_vocab_size layer_norm_eps hidden_dropout_prob attention_probs_dropout_prob"
        )
        return cls(*pick(config, *names.split()))


def bert(config: BertConfig) -> Encoder:
    """A BERT of the given size, with fresh weights."""

    def norm() -> LayerNorm:
        return LayerNorm(config.d_model, config.norm_epsilon)

    def layer() -> EncoderLayer:
        return EncoderLayer(
            MultiHeadAttention(config.d_model, config.num_heads, dropout=config.attention_dropout),
            FeedForward(config.d_model, config.d_ff, activation=F.gelu),
            attention_norms=Norms(after=norm()),
            feed_forward_norms=Norms(after=norm()),
            dropout=config.dropout,
        )

    embeddings = Embeddings(
        config.vocab_size,
        config.d_model,
        LearnedPositions(config.max_positions, config.d_model),
        num_segments=config.num_segments,
        norm=norm(),
        dropout=config.dropout,
    )
    return Encoder(embeddings, [layer() for _ in range(config.num_layers)])


_LAYER = r"(?:bert\.)?encoder\.layer\.(\d+)\."
_EMBEDDINGS = r"(?:bert\.)?embeddings\."
KEYS = KeyMap(
    rename=[
        (_EMBEDDINGS + r"word_embeddings\.weight", r"embeddings.tokens.weight"),
        (_EMBEDDINGS + r"position_embeddings\.weight", r"embeddings.positions.table.weight"),
        (_EMBEDDINGS + r"token_type_embeddings\.weight", r"embeddings.segments.weight"),
        (_EMBEDDINGS + r"LayerNorm\.(weight|bias)", r"embeddings.norm.\1"),
        (_LAYER + r"attention\.self\.(query|key|value)\.(weight|bias)", r"layers.\1.self_attention.to_\2.\3"),
        (_LAYER + r"attention\.output\.dense\.(weight|bias)", r"layers.\1.self_attention.to_output.\2"),
        (_LAYER + r"attention\.output\.LayerNorm\.(weight|bias)", r"layers.\1.attention_norms.after.\2"),
        (_LAYER + r"intermediate\.dense\.(weight|bias)", r"layers.\1.feed_forward.expand.\2"),
        (_LAYER + r"output\.dense\.(weight|bias)", r"layers.\1.feed_forward.contract.\2"),
        (_LAYER + r"output\.LayerNorm\.(weight|bias)", r"layers.\1.feed_forward_norms.after.\2"),
    ],
    ignore=[
        _EMBEDDINGS + r"position_ids",  # the numbers 0, 1, 2 … that old files stored
        r"(?:bert\.)?pooler\..*",  # part of the next-sentence head
        r"cls\..*",  # the pretraining heads
    ],
)


def load(config: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Encoder:
    """A BERT from a published configuration and its tensors, ready to use (dropout off)."""
    encoder = bert(BertConfig.from_published(config))
    load_published(encoder, tensors, KEYS)
    return encoder.eval()
