"""Whisper: the 2017 Transformer listens, and writes what was said.

Radford et al. 2022 (arXiv:2212.04356), section 2.2. Against the 2017 Transformer: norms before the sub-layers, GELU,
learned positions in the decoder, and sound for a source: half a minute at a time, 3000 frames of a mel spectrogram,
which two convolutions turn into 1500 vectors. Surprises in its checkpoints: keys are projected without a bias (it
would add the same to all scores of a query, which softmax does not see), the waves that mark the encoder's positions
are stored, and what to do (language, task, time stamps) is told the decoder as the first tokens of what it writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import LearnedPositions
from anatomy_utils.nn.signals import SignalEncoder, SoundFrames
from anatomy_utils.zoo.bart import BartConfig, stack_keys
from anatomy_utils.zoo.checkpoint import KeyMap, part
from anatomy_utils.zoo.family import Family, require
from anatomy_utils.zoo.m2m_100 import Waves
from anatomy_utils.zoo.transformer import decoder_layers, encoder_layers


@dataclass(frozen=True)
class WhisperConfig(BartConfig):
    """The numbers of a Whisper; the defaults are those of the smallest, with 39 million parameters."""

    vocab_size: int = 51865
    d_model: int = 384
    num_layers: int = 4
    num_decoder_layers: int = 4
    num_heads: int = 6
    num_decoder_heads: int = 6
    d_ff: int = 1536
    decoder_d_ff: int = 1536
    max_positions: int = 448
    """Of what is written."""
    dropout: float = 0.0
    start_id: int = 50257
    num_bands: int = 80
    """Of pitch, in each frame of the sound."""
    max_source_positions: int = 1500
    """Half as many as frames."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> WhisperConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or the activation is not GELU.

        Its reference reads scale_embedding and does nothing with it; so it is left aside here.
        """
        require(config, "Whisper", activation_function="gelu")
        left_out = {"dropout": 0.0, "decoder_start_token_id": 50257}
        known = BartConfig.from_published(
            left_out
            | dict(config)
            | {"max_position_embeddings": config.get("max_target_positions", 448), "scale_embedding": False}
        )
        own = {
            "num_bands": config.get("num_mel_bins", 80),
            "max_source_positions": config.get("max_source_positions", 1500),
        }
        return cls(**asdict(known) | own)


def _stacks(config: WhisperConfig) -> tuple[SignalEncoder, Decoder]:
    """The two stacks of a Whisper."""
    d_model = config.d_model

    def before() -> NormPlaces:
        return NormPlaces(before=LayerNorm(d_model))

    def attention(num_heads: int) -> MultiHeadAttention:
        attention = MultiHeadAttention(d_model, num_heads, dropout=config.attention_dropout)
        attention.to_key = nn.Linear(d_model, d_model, bias=False)
        return attention

    def feed_forward(d_ff: int) -> FeedForward:
        return FeedForward(d_model, d_ff, activation=F.gelu, dropout=config.activation_dropout)

    sound = SoundFrames(
        config.num_bands,
        d_model,
        Waves(d_model, offset=0),
        max_positions=config.max_source_positions,
        dropout=config.dropout,
    )
    tokens = Embeddings(
        config.vocab_size,
        d_model,
        LearnedPositions(config.max_positions, d_model),
        dropout=config.dropout,
    )
    listening = encoder_layers(
        config.num_layers,
        lambda: attention(config.num_heads),
        lambda: feed_forward(config.d_ff),
        before,
        config.dropout,
    )
    writing = decoder_layers(
        config.num_decoder_layers,
        lambda: attention(config.num_decoder_heads),
        lambda: feed_forward(config.decoder_d_ff),
        before,
        config.dropout,
    )
    return (
        SignalEncoder(sound, listening, LayerNorm(d_model)),
        Decoder(tokens, writing, norm=LayerNorm(d_model)),
    )


def with_head(config: WhisperConfig, task: str) -> EncoderDecoder:
    """A Whisper for a task, with fresh weights; see `TASKS`."""
    writes = task == "ConditionalGeneration"
    vocabulary = nn.Linear(config.d_model, config.vocab_size, bias=False) if writes else nn.Identity()
    return EncoderDecoder(*_stacks(config), vocabulary, tied=writes, shared=False)


_SIDE = r"(?:model\.)?(encoder|decoder)\."
KEYS = KeyMap(
    rename=[
        *stack_keys("before"),
        part(_SIDE + r"layer_norm", r"\1.norm"),
        part(r"(?:model\.)?encoder\.conv1", "encoder.embeddings.listen"),
        part(r"(?:model\.)?encoder\.conv2", "encoder.embeddings.halve"),
        (r"(?:model\.)?decoder\.embed_positions\.weight", "decoder.embeddings.positions.table.weight"),
    ],
    ignore=[r"(?:model\.)?encoder\.embed_positions\.weight"],  # the waves
)
TASKS = {"Model": KEYS, "ConditionalGeneration": KEYS.within("", (r"proj_out\.weight", "vocabulary.weight"))}

FAMILY = Family("Whisper", WhisperConfig.from_published, with_head, TASKS, usual_task="ConditionalGeneration")
