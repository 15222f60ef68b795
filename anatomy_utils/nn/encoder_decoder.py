"""The encoder–decoder: one stack reads, the other writes and looks back at what was read.

The Transformer as it was published in 2017, for translation. Notebook 06 teaches it.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_utils.functional import masks
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.encoder import Encoder


class EncoderDecoder(nn.Module):
    """An encoder, a decoder with cross-attention, and the projection onto the vocabulary.

    Vaswani et al. 2017, figure 1 (arXiv:1706.03762).

    Args:
        encoder: reads the source.
        decoder: writes the target; its layers have cross-attention.
        vocabulary: from d_model to vocab_size; `nn.Identity()` for a model that gives hidden states.
        tied: the projection shares its weight with the decoder's token table.
        shared: encoder and decoder share one token table (section 3.4 of the paper).
        output_scale: what hidden states are multiplied with before the projection (T5: 1 / √d_model when tied).
    """

    def __init__(
        self,
        encoder: Encoder,
        decoder: Decoder,
        vocabulary: nn.Module,
        *,
        tied: bool = True,
        shared: bool = True,
        output_scale: float = 1.0,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.vocabulary = vocabulary
        self.output_scale = output_scale
        if shared:
            decoder.embeddings.tokens = encoder.embeddings.tokens
        if tied:
            vocabulary.weight = decoder.embeddings.tokens.weight

    def forward(
        self,
        input_ids: Int[Tensor, "batch source"] | Float[Tensor, "batch ..."],
        decoder_input_ids: Int[Tensor, "batch target"],
        attention_mask: Int[Tensor, "batch source"] | None = None,
        decoder_attention_mask: Int[Tensor, "batch target"] | None = None,
    ) -> Float[Tensor, "batch target vocab_size"]:
        """All target positions at once, as in training with teacher forcing.

        Args:
            input_ids: the source; for a `SignalEncoder` a sound or an image.
            decoder_input_ids: the target, shifted right by one.
            attention_mask: of the source: 1 = real token, 0 = padding.
            decoder_attention_mask: of the target.

        Returns:
            The logits of the token that follows each target position.

        Raises:
            ValueError: there is not one target for each source, or as `Encoder` and `Decoder`.
        """
        if len(decoder_input_ids) != len(input_ids):
            raise ValueError(
                f"There are {len(input_ids)} source texts and {len(decoder_input_ids)} target texts; "
                "give one target for each source."
            )
        memory = self.encoder(input_ids, attention_mask)
        memory_mask = None if attention_mask is None else masks.padding(attention_mask)
        hidden_states = self.decoder(decoder_input_ids, decoder_attention_mask, memory=memory, memory_mask=memory_mask)
        return self._logits(hidden_states)

    def start(
        self,
        input_ids: Int[Tensor, "batch source"] | Float[Tensor, "batch ..."],
        capacity: int,
        *,
        attention_mask: Int[Tensor, "batch source"] | None = None,
    ) -> KeyValueCache:
        """Read the source once; an empty cache for `step`, with the memory's keys and values in it.

        Args:
            input_ids: the source.
            capacity: how many target positions there is room for.
            attention_mask: of the source: 1 = real token, 0 = padding.
        """
        return self.decoder.start(
            len(input_ids),
            capacity,
            memory=self.encoder(input_ids, attention_mask),
            memory_mask=None if attention_mask is None else masks.padding(attention_mask),
        )

    def step(
        self, decoder_input_ids: Int[Tensor, "batch new"], cache: KeyValueCache
    ) -> tuple[Float[Tensor, "batch vocab_size"], KeyValueCache]:
        """The logits of what follows the last of these target tokens, and the cache that holds them too."""
        hidden_states, cache = self.decoder.step(decoder_input_ids, cache)
        return self._logits(hidden_states[:, -1]), cache

    def _logits(self, hidden_states: Tensor) -> Tensor:
        return self.vocabulary(hidden_states if self.output_scale == 1.0 else hidden_states * self.output_scale)


class Rewriter(nn.Module):
    """An encoder–decoder that reads a text and then writes the same text: one vector per token, from the decoder.

    Lewis et al. 2020, section 3 (arXiv:1910.13461): where a label or a span is asked for, the decoder's vectors know
    the whole text twice over.

    Args:
        model: gives hidden states: its vocabulary is `nn.Identity()`.
        start_id: what the decoder reads before the text.
    """

    def __init__(self, model: EncoderDecoder, start_id: int) -> None:
        super().__init__()
        self.model = model
        self.start_id = start_id

    def forward(
        self, input_ids: Int[Tensor, "batch position"], attention_mask: Int[Tensor, "batch position"] | None = None
    ) -> Float[Tensor, "batch position d_model"]:
        """The decoder's vector at each token; the decoder itself has read only what stands before that token."""
        start = input_ids.new_full((len(input_ids), 1), self.start_id)
        return self.model(input_ids, torch.cat([start, input_ids[:, :-1]], dim=1), attention_mask)
