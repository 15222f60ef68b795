"""The recurrent encoder–decoder with attention: where looking back began, three years before the Transformer.

Bahdanau et al. 2014 (arXiv:1409.0473). A root of the family tree, small but running. One recurrent network (GRU) reads
the source in both directions; another writes the target, one word after the other, and before each word it looks back
at all that was read. What it compares by is not a dot product but a small network (`AdditiveAttention`). Take away the
recurrence, and a Transformer is left. torch's GRU resets its state after a projection, the paper's before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from anatomy_utils.functional import masks
from anatomy_utils.functional.attention import masked_softmax, weighted_average
from anatomy_utils.tap import tap
from anatomy_utils.zoo.family import Family


@dataclass(frozen=True)
class RecurrentConfig:
    """The numbers of a recurrent encoder–decoder; the defaults are the paper's (appendix A.2.3)."""

    vocab_size: int = 30000
    d_embedding: int = 620
    d_model: int = 1000
    """Width of the states; the source's annotations are twice as wide, one half per direction."""
    d_alignment: int = 1000
    """Width inside the network that compares."""
    d_readout: int = 500
    """Width of what the next word is read off."""


class ContextAndWeights(NamedTuple):
    """What the attention found, and how much each source position counted."""

    context: Float[Tensor, "batch d_source"]
    weights: Float[Tensor, "batch source"]


class AdditiveAttention(nn.Module):
    """score_j = v · tanh(W state + U annotation_j): a small network compares, instead of a dot product.

    Bahdanau et al. 2014, section 3.1 and appendix A.1.2.

    Args:
        d_state: width of what asks.
        d_source: width of what is asked.
        d_alignment: width of the network in between.
    """

    def __init__(self, d_state: int, d_source: int, d_alignment: int) -> None:
        super().__init__()
        self.to_query = nn.Linear(d_state, d_alignment, bias=False)
        self.to_key = nn.Linear(d_source, d_alignment, bias=False)
        self.to_score = nn.Linear(d_alignment, 1, bias=False)

    def forward(
        self,
        state: Float[Tensor, "batch d_state"],
        annotations: Float[Tensor, "batch source d_source"],
        keys: Float[Tensor, "batch source d_alignment"],
        mask: Bool[Tensor, "batch source"],
    ) -> ContextAndWeights:
        """Taps `scores` and `weights` (batch source).

        Args:
            state: of the writer, before the word.
            annotations: what there is to look back at.
            keys: `to_key` of them, which is the same for every word.
            mask: True = a real token of the source.
        """
        scores = self.to_score(torch.tanh(self.to_query(state)[:, None] + keys))[..., 0]
        weights = tap(self, "weights", masked_softmax(tap(self, "scores", scores), mask))
        return ContextAndWeights(weighted_average(weights[:, None], annotations)[:, 0], weights)


@dataclass(frozen=True)
class TranslatorState:
    """What the writer goes on from: the source as it was read, and its own state after the words so far."""

    annotations: Float[Tensor, "batch source d_source"]
    keys: Float[Tensor, "batch source d_alignment"]
    mask: Bool[Tensor, "batch source"]
    state: Float[Tensor, "batch d_model"]

    def rows(self, rows: Int[Tensor, " batch"]) -> TranslatorState:
        """A copy that holds the given rows, in their order."""
        return TranslatorState(self.annotations[rows], self.keys[rows], self.mask[rows], self.state[rows])


class RecurrentTranslator(nn.Module):
    """A recurrent reader in both directions and a recurrent writer that looks back; called as `EncoderDecoder` is.

    Args:
        config: the numbers.
    """

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        d_embedding, d_model, d_source = config.d_embedding, config.d_model, 2 * config.d_model
        self.source_tokens = nn.Embedding(config.vocab_size, d_embedding)
        self.target_tokens = nn.Embedding(config.vocab_size, d_embedding)
        self.reader = nn.GRU(d_embedding, d_model, batch_first=True, bidirectional=True)
        self.first_state = nn.Linear(d_model, d_model)
        self.attention = AdditiveAttention(d_model, d_source, config.d_alignment)
        self.writer = nn.GRUCell(d_embedding + d_source, d_model)
        self.readout = nn.Linear(d_model + d_embedding + d_source, 2 * config.d_readout)
        self.vocabulary = nn.Linear(config.d_readout, config.vocab_size)

    def forward(
        self,
        input_ids: Int[Tensor, "batch source"],
        decoder_input_ids: Int[Tensor, "batch target"],
        attention_mask: Int[Tensor, "batch source"] | None = None,
        decoder_attention_mask: Int[Tensor, "batch target"] | None = None,
    ) -> Float[Tensor, "batch target vocab_size"]:
        """The logits of the token that follows each target position, with the right ones before it (teacher forcing).

        Args:
            input_ids: the source, padded at the end.
            decoder_input_ids: the target, shifted right by one.
            attention_mask: of the source: 1 = real token, 0 = padding.
            decoder_attention_mask: not needed: padding stands behind the target, and nobody looks ahead.
        """
        return self._write(decoder_input_ids, self.start(input_ids, attention_mask=attention_mask))[0]

    def start(
        self,
        input_ids: Int[Tensor, "batch source"],
        capacity: int = 0,
        *,
        attention_mask: Int[Tensor, "batch source"] | None = None,
    ) -> TranslatorState:
        """Read the source once, for `step`. Whatever the capacity, there is room: only one state is kept."""
        masks.check_input(input_ids, attention_mask)
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        vectors = self.source_tokens(input_ids)
        packed = pack_padded_sequence(vectors, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False)
        read, last = self.reader(packed)
        annotations, _ = pad_packed_sequence(read, batch_first=True, total_length=input_ids.shape[1])
        state = torch.tanh(self.first_state(last[1]))  # the reader from the right ends at the first word
        return TranslatorState(annotations, self.attention.to_key(annotations), mask.bool(), state)

    def step(
        self, decoder_input_ids: Int[Tensor, "batch new"], reading: TranslatorState
    ) -> tuple[Float[Tensor, "batch vocab_size"], TranslatorState]:
        """The logits of what follows the last of these target tokens, and the state after it."""
        logits, reading = self._write(decoder_input_ids, reading)
        return logits[:, -1], reading

    def _write(self, ids: Tensor, reading: TranslatorState) -> tuple[Tensor, TranslatorState]:
        state, found = reading.state, []
        for word in self.target_tokens(ids).unbind(1):  # one after the other: each state waits for the one before
            context, _ = self.attention(state, reading.annotations, reading.keys, reading.mask)
            state = self.writer(torch.cat([word, context], dim=-1), state)
            pairs = self.readout(torch.cat([state, word, context], dim=-1)).unflatten(-1, (-1, 2))
            found.append(pairs.amax(-1))  # "maxout": of each pair the greater
        return self.vocabulary(torch.stack(found, 1)), replace(reading, state=state)


FAMILY = Family("RNN with attention", lambda entries: RecurrentConfig(**entries), RecurrentTranslator)
