"""ViT: BERT's encoder reads an image, sixteen by sixteen pixels a word.

Dosovitskiy et al. 2021 (arXiv:2010.11929), section 3.1. Against BERT: patches of pixels instead of tokens, and norms
before the sub-layers. Nothing in it knows that an image has two dimensions: positions are numbered row by row, and
which patches are neighbors is learned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.encoder import EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import SequenceHead, WithHead
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.signals import ImagePatches, SignalEncoder
from anatomy_utils.zoo.bert import LAYERS
from anatomy_utils.zoo.checkpoint import KeyMap, part
from anatomy_utils.zoo.family import USUAL, Family, numbers, require
from anatomy_utils.zoo.heads import LABELS, under_heads


@dataclass(frozen=True)
class ViTConfig:
    """The numbers of a ViT; the defaults are ViT-Base's with patches of 16 pixels."""

    d_model: int = 768
    num_layers: int = 12
    num_heads: int = 12
    d_ff: int = 3072
    image_size: int = 224
    patch_size: int = 16
    num_channels: int = 3
    norm_epsilon: float = 1e-12
    dropout: float | int = 0.0
    attention_dropout: float | int = 0.0

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> ViTConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as ViT has it here."""
        require(config, "ViT", hidden_act="gelu", qkv_bias=True)
        names = f"{USUAL.removeprefix('vocab_size ')} image_size patch_size"
        optional = (
            "num_channels norm_epsilon=layer_norm_eps dropout=hidden_dropout_prob "
            "attention_dropout=attention_probs_dropout_prob"
        )
        return cls(**numbers(config, names, optional))


def vit(config: ViTConfig) -> SignalEncoder:
    """A ViT of the given size, with fresh weights."""

    def before() -> NormPlaces:
        return NormPlaces(before=LayerNorm(config.d_model, config.norm_epsilon))

    def layer() -> EncoderLayer:
        return EncoderLayer(
            MultiHeadAttention(config.d_model, config.num_heads, dropout=config.attention_dropout),
            FeedForward(config.d_model, config.d_ff, activation=F.gelu),
            self_attention_norms=before(),
            feed_forward_norms=before(),
            dropout=config.dropout,
        )

    patches = ImagePatches(
        config.image_size,
        config.patch_size,
        config.d_model,
        num_channels=config.num_channels,
        dropout=config.dropout,
    )
    layers = [layer() for _ in range(config.num_layers)]
    return SignalEncoder(patches, layers, LayerNorm(config.d_model, config.norm_epsilon))


def with_head(config: ViTConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A ViT for a task, with fresh weights; see `TASKS`."""
    if task == "Model":
        return vit(config)
    return WithHead(vit(config), SequenceHead(config.d_model, num_labels, activation=None))


_EMBEDDINGS = r"(?:vit\.)?embeddings\."
_LAYER = r"(?:vit\.)?encoder\.layer\.(\d+)\."
KEYS = KeyMap(
    rename=[
        (_EMBEDDINGS + r"cls_token", "embeddings.first"),
        (_EMBEDDINGS + r"position_embeddings", "embeddings.positions.table.weight"),
        part(_EMBEDDINGS + r"patch_embeddings\.projection", "embeddings.patches"),
        part(_LAYER + r"layernorm_before", r"layers.\1.self_attention_norms.before"),
        part(_LAYER + r"layernorm_after", r"layers.\1.feed_forward_norms.before"),
        part(_LAYER + r"attention\.attention\.(query|key|value)", r"layers.\1.self_attention.to_\2"),
        *LAYERS,
        part(r"(?:vit\.)?layernorm", "norm"),
    ],
    ignore=[r"(?:vit\.)?pooler\..*"],
    change=[
        (r".*cls_token", lambda vector: vector.flatten()),
        (r".*position_embeddings", lambda table: table[0]),
        (r".*projection\.weight", lambda kernel: kernel.flatten(1)),  # stored as a convolution
    ],
)
TASKS = under_heads(KEYS, ImageClassification=[LABELS])

FAMILY = Family("ViT", ViTConfig.from_published, with_head, TASKS)
