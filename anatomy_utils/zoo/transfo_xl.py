"""Transformer-XL: a decoder that remembers the segments it has read.

Dai et al. 2019 (arXiv:1901.02860). Against the decoder of 2017: every layer also attends to what went into it in
earlier segments (`nn.segment_recurrence`), positions are told by their offsets (`nn.relative_positions`), and a
vocabulary of 267735 whole words has rows of four widths (`nn.adaptive_softmax`). The reference, in transformers 4,
begins a text with memories full of zeros, which are attended to; see `zeros`. It also drops features of the waves and
of the last hidden states while training, and has a head for labels; both are left out here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, cast

from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_utils.nn.adaptive_softmax import AdaptiveSoftmax, AdaptiveTokens
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.relative_positions import TransformerXLPositions
from anatomy_utils.nn.segment_recurrence import Memories, RecurrentDecoder, RecurrentLayer
from anatomy_utils.zoo.checkpoint import MIXED, KeyMap, sub_layers
from anatomy_utils.zoo.family import Family, read, require

VARIATIONS = {
    "attn_type": 0,
    "pre_lnorm": False,
    "untie_r": True,
    "adaptive": True,
    "tie_word_embeddings": True,
    "sample_softmax": -1,
}
"""Entries of a configuration that must have these values here."""


@dataclass(frozen=True)
class TransfoXLConfig:
    """The numbers of a Transformer-XL; the defaults are those of the one published for WikiText-103."""

    vocab_size: int = 267735
    cutoffs: tuple[int, ...] = (20000, 40000, 200000)
    """Where the second cluster of words begins, and each further one."""
    d_table: int = 1024
    """Width of the first cluster's rows."""
    divisor: int = 4
    """How much narrower each cluster's rows are than those of the one before."""
    own_projections: tuple[bool, ...] = (True, False, False, False)
    """For each cluster, whether the exit has a projection of its own instead of the entrance's."""
    d_model: int = 1024
    num_layers: int = 18
    num_heads: int = 16
    d_head: int = 64
    d_ff: int = 4096
    memory_length: int = 1600
    windowed: bool = True
    """Each position sees the newest `memory_length` ones, wherever its segment begins."""
    max_distance: int | None = 1000
    """Keys farther back than this share its wave."""
    norm_epsilon: float = 1e-5
    dropout: float | int = 0.1
    attention_dropout: float | int = 0.0

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> TransfoXLConfig:
        """The numbers in a `config.json`; ValueError where one is missing, or not as in the published model."""
        require(config, "Transformer-XL", **VARIATIONS)
        if config.get("div_val") == 1:
            raise ValueError("div_val is 1, but Transformer-XL here has narrower rows for rarer words; give 2 or more.")
        names = (
            "vocab_size cutoffs d_embed div_val tie_projs d_model n_layer n_head d_head d_inner mem_len same_length "
            "clamp_len layer_norm_epsilon dropout dropatt"
        )
        known = dict(zip(names.split(), read(config, *names.split()), strict=True))
        known["cutoffs"] = tuple(known["cutoffs"])
        known["tie_projs"] = tuple(not tied for tied in known["tie_projs"])
        known["clamp_len"] = known["clamp_len"] if known["clamp_len"] > 0 else None
        return cls(*known.values())


class RecurrentLanguageModel(nn.Module):
    """A recurrent decoder and the softmax over its vocabulary: the next segment in, what may follow each position out.

    Args:
        decoder: the stack.
        head: hidden states → logarithms of probabilities.
    """

    def __init__(self, decoder: RecurrentDecoder, head: AdaptiveSoftmax) -> None:
        super().__init__()
        self.decoder = decoder
        self.head = head

    def forward(
        self,
        input_ids: Int[Tensor, "batch position"],
        memories: Memories | None = None,
        attention_mask: Int[Tensor, "batch position"] | None = None,
    ) -> tuple[Float[Tensor, "batch position vocab_size"], Memories]:
        """Logarithms of the probabilities of what follows each position, and the memories for the next segment."""
        hidden_states, memories = self.decoder(input_ids, memories, attention_mask)
        return self.head(hidden_states), memories

    def start(self, batch: int) -> Memories:
        """Memories of nothing, for `step`."""
        return self.decoder.start(batch)

    def step(
        self, input_ids: Int[Tensor, "batch new"], memories: Memories
    ) -> tuple[Float[Tensor, "batch vocab_size"], Memories]:
        """The same, for what follows the last of these tokens: memories serve as a cache."""
        hidden_states, memories = self.decoder(input_ids, memories)
        return self.head(hidden_states[:, -1:])[:, 0], memories


def zeros(decoder: RecurrentDecoder, batch: int) -> Memories:
    """The memories that transformers 4 begins a text with: as many zeros as fit, attended to like any memory."""
    nothing = decoder.start(batch)
    full = [layer.new_zeros(batch, decoder.memory_length, layer.shape[-1]) for layer in nothing.layers]
    return nothing.extended(full, nothing.real.new_ones(batch, decoder.memory_length), decoder.memory_length)


def transfo_xl(config: TransfoXLConfig) -> RecurrentDecoder:
    """The stack of a Transformer-XL of the given size, with fresh weights."""

    def norms() -> NormPlaces:
        return NormPlaces(after=LayerNorm(config.d_model, config.norm_epsilon))

    def layer() -> RecurrentLayer:
        heads = (config.d_model, config.num_heads, config.d_head)
        attention = MultiHeadAttention(
            config.d_model,
            config.num_heads,
            d_head=config.d_head,
            bias=False,
            dropout=config.attention_dropout,
            score_positions=TransformerXLPositions(*heads, max_distance=config.max_distance),
        )
        return RecurrentLayer(
            attention,
            FeedForward(config.d_model, config.d_ff, dropout=config.dropout),
            self_attention_norms=norms(),
            feed_forward_norms=norms(),
            dropout=config.dropout,
        )

    tokens = AdaptiveTokens(
        config.vocab_size, config.d_model, cutoffs=config.cutoffs, d_table=config.d_table, divisor=config.divisor
    )
    return RecurrentDecoder(
        Embeddings(
            config.vocab_size, config.d_model, scale=sqrt(config.d_model), dropout=config.dropout, tokens=tokens
        ),
        [layer() for _ in range(config.num_layers)],
        memory_length=config.memory_length,
        windowed=config.windowed,
    )


def with_head(config: TransfoXLConfig, task: str) -> RecurrentDecoder | RecurrentLanguageModel:
    """A Transformer-XL with the head of a task, with fresh weights; see `TASKS`."""
    decoder = transfo_xl(config)
    if task == "Model":
        return decoder
    tokens = cast(AdaptiveTokens, decoder.embeddings.tokens)
    return RecurrentLanguageModel(decoder, AdaptiveSoftmax(tokens, config.own_projections))


_LAYER = r"(?:transformer\.)?layers\.(\d+)\."
_ATTENTION, _POSITIONS = r"layers.\1.self_attention.", r"layers.\1.self_attention.score_positions."
_TABLES = r"(?:transformer\.)?word_emb\."
KEYS = KeyMap(
    rename=[
        (_TABLES + r"emb_layers\.(\d+)\.weight", r"embeddings.tokens.tables.\1.weight"),
        (_TABLES + r"emb_projs\.(\d+)", r"embeddings.tokens.projections.\1.weight"),
        (_LAYER + r"dec_attn\.qkv_net\.(weight)", MIXED),
        (_LAYER + r"dec_attn\.o_net\.weight", _ATTENTION + r"to_output.weight"),
        (_LAYER + r"dec_attn\.r_net\.weight", _POSITIONS + r"to_wave_key.weight"),
        (_LAYER + r"dec_attn\.r_w_bias", _POSITIONS + r"content_preference"),
        (_LAYER + r"dec_attn\.r_r_bias", _POSITIONS + r"offset_preference"),
        *sub_layers(_LAYER, "after", r"dec_attn\.layer_norm pos_ff\.layer_norm pos_ff\.CoreNet\.0 pos_ff\.CoreNet\.3"),
    ],
    ignore=[r"(?:transformer\.)?pos_emb\.inv_freq"],  # of the waves, which are computed
)
TASKS: dict[str, KeyMap] = {
    "Model": KeyMap(KEYS.rename, [*KEYS.ignore, r"crit\..*"]),
    "LMHeadModel": KEYS.within(
        "decoder.",
        (r"crit\.cluster_(weight|bias)", r"head.clusters.\1"),
        (r"crit\.out_layers\.(\d+)\.(weight|bias)", r"head.words.\1.\2"),
        (r"crit\.out_projs\.(\d+)", r"head.projections.\1.weight"),
    ),
}

FAMILY = Family("TransfoXL", TransfoXLConfig.from_published, with_head, TASKS)
