"""M2M-100: one encoder–decoder that translates between any two of a hundred languages.

Fan et al. 2021 (arXiv:2010.11125). Against the 2017 Transformer: norms before the sub-layers and at the end of each
stack, and waves whose longest is exactly 2π · 10000 positions, counted from 2. The source begins with the token of its
language, and the decoder reads </s> and the token of the language to write in (see `prompt`). The reference also skips
whole layers at random while training (LayerDrop); that is left out here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, Norms
from anatomy_utils.zoo.bart import stack_keys
from anatomy_utils.zoo.checkpoint import KeyMap, load_published, pick, task_of, unfilled

OFFSET = 2
"""The number of the first position: padding had 1 where the model was trained."""


@dataclass(frozen=True)
class M2m100Config:
    """The numbers of an M2M-100; the defaults are those of the model with 418 million parameters."""

    vocab_size: int = 128112
    d_model: int = 1024
    num_layers: int = 12
    num_decoder_layers: int = 12
    num_heads: int = 16
    num_decoder_heads: int = 16
    d_ff: int = 4096
    decoder_d_ff: int = 4096
    embeddings_scaled: bool = True
    dropout: float = 0.1
    attention_dropout: float = 0.1
    activation_dropout: float = 0.0

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> M2m100Config:
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the activation is another one than ReLU.
        """
        if config.get("activation_function", "relu") != "relu":
            raise ValueError(f"activation_function is {config['activation_function']!r}, but M2M-100 here has 'relu'.")
        names = (
            "vocab_size d_model encoder_layers decoder_layers encoder_attention_heads decoder_attention_heads "
            "encoder_ffn_dim decoder_ffn_dim scale_embedding dropout attention_dropout activation_dropout"
        )
        return cls(*pick(config, *names.split()))


class Waves(nn.Module):
    """sin((p + 2) / 10000^(i / (n − 1))) for each of the n = d_model / 2 waves i, then their cosines.

    As in the code of the 2017 Transformer's authors, which differs a little from the paper's formula.

    Args:
        d_model: width of the vectors, even.

    Raises:
        ValueError: `d_model` is odd.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        if d_model % 2:
            raise ValueError(f"Sines and cosines come in pairs, but d_model is {d_model}; choose an even width.")
        self.d_model = d_model

    def forward(self, positions: Int[Tensor, "*batch position"]) -> Float[Tensor, "*batch position d_model"]:
        """The vectors of the given positions, counted from 0."""
        frequencies = 10_000.0 ** -torch.linspace(0, 1, self.d_model // 2, device=positions.device)
        angles = (positions + OFFSET)[..., None] * frequencies
        return torch.cat([angles.sin(), angles.cos()], dim=-1)


def _stacks(config: M2m100Config) -> tuple[Encoder, Decoder]:
    """The two stacks of an M2M-100."""

    def norm() -> LayerNorm:
        return LayerNorm(config.d_model)

    def before() -> Norms:
        return Norms(before=norm())

    def attention(num_heads: int) -> MultiHeadAttention:
        return MultiHeadAttention(config.d_model, num_heads, dropout=config.attention_dropout)

    def feed_forward(d_ff: int) -> FeedForward:
        return FeedForward(config.d_model, d_ff, dropout=config.activation_dropout)

    def embeddings() -> Embeddings:
        return Embeddings(
            config.vocab_size,
            config.d_model,
            Waves(config.d_model),
            scale=sqrt(config.d_model) if config.embeddings_scaled else 1.0,
            dropout=config.dropout,
        )

    encoder_layers = [
        EncoderLayer(
            attention(config.num_heads),
            feed_forward(config.d_ff),
            self_attention_norms=before(),
            feed_forward_norms=before(),
            dropout=config.dropout,
        )
        for _ in range(config.num_layers)
    ]
    decoder_layers = [
        DecoderLayer(
            attention(config.num_decoder_heads),
            feed_forward(config.decoder_d_ff),
            self_attention_norms=before(),
            feed_forward_norms=before(),
            cross_attention=attention(config.num_decoder_heads),
            cross_attention_norms=before(),
            dropout=config.dropout,
        )
        for _ in range(config.num_decoder_layers)
    ]
    return Encoder(embeddings(), encoder_layers, norm()), Decoder(embeddings(), decoder_layers, norm=norm())


def m2m_100(config: M2m100Config) -> EncoderDecoder:
    """An M2M-100 of the given size, with fresh weights."""
    return EncoderDecoder(*_stacks(config), nn.Linear(config.d_model, config.vocab_size, bias=False))


def with_head(config: M2m100Config, task: str) -> nn.Module:
    """An M2M-100 for a task, with fresh weights; see `TASKS`."""
    if task == "ConditionalGeneration":
        return m2m_100(config)
    return EncoderDecoder(*_stacks(config), nn.Identity(), tied=False)


def prompt(language_ids: Int[Tensor, " batch"], start_id: int = 2) -> Int[Tensor, "batch 2"]:
    """What the decoder reads before it writes: </s>, and the token of the language to write in.

    >>> prompt(torch.tensor([128028, 128022])).tolist()  # French and English in the published vocabulary
    [[2, 128028], [2, 128022]]
    """
    return torch.stack([torch.full_like(language_ids, start_id), language_ids], dim=1)


_STACK = r"(?:model\.)?(encoder|decoder)\."
KEYS = KeyMap(
    rename=[*stack_keys("before"), (_STACK + r"layer_norm\.(weight|bias)", r"\1.norm.\2")],
    ignore=[
        r"lm_head\.weight",  # the shared table once more
        _STACK + r"embed_positions\.weights",  # the waves, which old files stored
    ],
)
TASKS: dict[str, KeyMap] = {"Model": KEYS, "ConditionalGeneration": KEYS}
"""Task, as published architectures name it → where each tensor goes."""


def load(config: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> nn.Module:
    """An M2M-100, with the head its configuration names, ready to use (dropout off)."""
    task = task_of({"architectures": ["M2M100ForConditionalGeneration"]} | dict(config), "M2M100", TASKS)
    with unfilled():
        model = with_head(M2m100Config.from_published(config), task)
    load_published(model, tensors, TASKS[task])
    return model.eval()
