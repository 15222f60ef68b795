"""M2M-100: one encoder–decoder that translates between any two of a hundred languages.

Fan et al. 2021 (arXiv:2010.11125). Against the 2017 Transformer: norms before the sub-layers and at the end of each
stack, and waves whose longest is exactly 2π · 10000 positions, counted from 2. The source begins with the token of its
language, and the decoder reads </s> and the token of the language to write in (see `prompt`). The reference also skips
whole layers at random while training (LayerDrop); that is left out here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import log, sqrt
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.zoo.bart import BartConfig, stack_keys, stacks
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family, after_padding, require


@dataclass(frozen=True)
class M2m100Config(BartConfig):
    """The numbers of an M2M-100; the defaults are those of the model with 418 million parameters."""

    vocab_size: int = 128112
    embeddings_scaled: bool = True
    attention_dropout: float = 0.1
    position_offset: int = 2
    """The number of the first position, one more than padding's id."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> M2m100Config:
        """The numbers in a published `config.json`; ValueError where one is missing, or the activation is not ReLU."""
        require(config, "M2M-100", activation_function="relu")
        left_out = {"scale_embedding": True, "attention_dropout": 0.1, "max_position_embeddings": 1024}
        known = BartConfig.from_published(left_out | dict(config) | {"activation_function": "gelu"})
        return cls(**asdict(known), position_offset=after_padding(config))


class Waves(nn.Module):
    """sin((p + offset) / 10000^(i / (n − 1))) for each of the n = d_model / 2 waves i, then their cosines.

    As in the code of the 2017 Transformer's authors, which differs a little from the paper's formula.

    Args:
        d_model: width of the vectors, even.
        offset: the number of the first position.

    Raises:
        ValueError: `d_model` is odd.
    """

    def __init__(self, d_model: int, offset: int) -> None:
        super().__init__()
        if d_model % 2:
            raise ValueError(f"Sines and cosines come in pairs, but d_model is {d_model}; choose an even width.")
        self.d_model = d_model
        self.offset = offset

    def forward(self, positions: Int[Tensor, "*batch position"]) -> Float[Tensor, "*batch position d_model"]:
        """The vectors of the given positions, counted from 0."""
        pairs = torch.arange(self.d_model // 2, device=positions.device)
        frequencies = torch.exp(-log(10_000) / max(self.d_model // 2 - 1, 1) * pairs)  # rounded as in the reference
        angles = (positions + self.offset)[..., None] * frequencies
        return torch.cat([angles.sin(), angles.cos()], dim=-1)


def _stacks(config: M2m100Config) -> tuple[Encoder, Decoder]:
    """The two stacks of an M2M-100: BART's with other positions, norms and activation."""

    def before() -> NormPlaces:
        return NormPlaces(before=LayerNorm(config.d_model))

    encoder, decoder = stacks(config, activation=F.relu)
    for stack in (encoder, decoder):
        scale = sqrt(config.d_model) if config.embeddings_scaled else 1.0
        waves = Waves(config.d_model, config.position_offset)
        stack.embeddings = Embeddings(config.vocab_size, config.d_model, waves, scale=scale, dropout=config.dropout)
        stack.norm = LayerNorm(config.d_model)
        for layer in stack.layers:
            layer.self_attention_norms, layer.feed_forward_norms = before(), before()
    for layer in decoder.layers:
        layer.cross_attention_norms = before()
    return encoder, decoder


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
        r"lm_head\.weight",  # the shared table once more, where nothing is written
        _STACK + r"embed_positions\.weights",  # the waves, which old files stored
    ],
)
TASKS: dict[str, KeyMap] = {
    "Model": KEYS,
    "ConditionalGeneration": KEYS.within("", (r"lm_head\.weight", "vocabulary.weight")),
}

FAMILY = Family("M2M100", M2m100Config.from_published, with_head, TASKS, usual_task="ConditionalGeneration")
