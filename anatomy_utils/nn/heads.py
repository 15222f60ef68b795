"""Heads: what turns a stack's hidden states into an answer.

The stack is the same for every task; a small head on top reads off what is asked: a word, a label for the text, a label
for each token, a span. Notebooks 03 to 05 teach them. Published checkpoints disagree on details of the same idea: BERT
and BART have a layer with tanh before the labels, DistilBERT one with ReLU, GPT-2 none.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional.attention import soft_cap
from anatomy_utils.functional.feed_forward import Activation
from anatomy_utils.functional.masks import Mask
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.dropout import dropout_or_nothing


class LanguageModel(nn.Module):
    """A decoder and the projection onto the vocabulary: for each position, one logit per possible next token.

    Args:
        decoder: the stack.
        vocabulary: from d_model to vocab_size.
        tied: the projection shares its weight with the token table (Press and Wolf 2017, arXiv:1608.05859).
    """

    def __init__(self, decoder: Decoder, vocabulary: nn.Linear, *, tied: bool = True) -> None:
        super().__init__()
        self.decoder = decoder
        self.vocabulary = vocabulary
        if tied:
            self.vocabulary.weight = decoder.embeddings.tokens.weight

    def forward(
        self, input_ids: Int[Tensor, "batch position"], attention_mask: Int[Tensor, "batch position"] | None = None
    ) -> Float[Tensor, "batch position vocab_size"]:
        """The logits of what follows each position."""
        return self.vocabulary(self.decoder(input_ids, attention_mask))

    def start(
        self, batch: int, capacity: int, *, attention_mask: Int[Tensor, "batch position"] | None = None
    ) -> KeyValueCache:
        """An empty cache for `step`; see `Decoder.start`."""
        return self.decoder.start(batch, capacity, attention_mask=attention_mask)

    def step(
        self, input_ids: Int[Tensor, "batch new"], cache: KeyValueCache
    ) -> tuple[Float[Tensor, "batch vocab_size"], KeyValueCache]:
        """The logits of what follows the last of these tokens, and the cache that holds them too."""
        hidden_states, cache = self.decoder.step(input_ids, cache)
        return self.vocabulary(hidden_states[:, -1]), cache


class CappedVocabulary(nn.Linear):
    """A projection onto the vocabulary whose logits stay softly within bounds; see `functional.attention.soft_cap`.

    Gemma Team 2024, section 2 (arXiv:2408.00118).

    Args:
        d_model: width of the hidden states.
        vocab_size: entries of the vocabulary.
        cap: the bound of the logits, above 0.
    """

    def __init__(self, d_model: int, vocab_size: int, cap: float) -> None:
        super().__init__(d_model, vocab_size, bias=False)
        self.cap = cap

    def forward(self, hidden_states: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch vocab_size"]:
        """One logit per entry, between −cap and cap."""
        return soft_cap(super().forward(hidden_states), self.cap)


class WithHead(nn.Module):
    """A stack with a head: runs the one, then the other.

    Args:
        body: token ids, or an image (and whatever else it takes) → hidden states.
        head: (hidden states, attention mask) → the answer.
    """

    def __init__(self, body: nn.Module, head: nn.Module) -> None:
        super().__init__()
        self.body = body
        self.head = head

    def forward(
        self, input_ids: Shaped[Tensor, "..."], attention_mask: Int[Tensor, "..."] | None = None, **more: Any
    ) -> Any:
        """The head's answer; `more` goes to the body."""
        return self.head(self.body(input_ids, attention_mask, **more), attention_mask)


class SequenceHead(nn.Module):
    """One answer for the whole text, read from a single position.

    Args:
        d_model: width of the hidden states.
        num_labels: how many labels there are to choose from.
        at: which position speaks for the text: the first (BERT's [CLS]) or the last real one (GPT-2, BART).
        activation: of a layer before the labels; None for no such layer.
        bias: whether the last projection adds a bias.
        dropout: probability of dropping a feature before the labels while training.
        input_dropout: the same before the layer in front of the labels (RoBERTa, BART, T5).
    """

    def __init__(
        self,
        d_model: int,
        num_labels: int,
        *,
        at: Literal["first", "last"] = "first",
        activation: Activation | None = torch.tanh,
        bias: bool = True,
        dropout: float = 0.0,
        input_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.at = at
        self.activation = activation
        self.input_dropout = dropout_or_nothing(input_dropout)
        self.dense = nn.Linear(d_model, d_model) if activation else nn.Identity()
        self.dropout = nn.Dropout(dropout)
        self.labels = nn.Linear(d_model, num_labels, bias=bias)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        attention_mask: Int[Tensor, "batch position"] | None = None,
    ) -> Float[Tensor, "batch num_labels"]:
        """One logit per label."""
        if self.at == "first":
            speaker = hidden_states[:, 0]
        elif attention_mask is None:
            speaker = hidden_states[:, -1]
        else:
            last = attention_mask.shape[1] - 1 - attention_mask.flip(1).int().argmax(dim=1)
            speaker = hidden_states[torch.arange(len(last), device=last.device), last]
        speaker = self.dense(self.input_dropout(speaker))
        return self.labels(self.dropout(self.activation(speaker) if self.activation else speaker))


class TokenHead(nn.Module):
    """One answer for each token: tags of names and places, for example.

    Args:
        d_model: width of the hidden states.
        num_labels: how many labels there are to choose from.
        dropout: probability of dropping a feature before the labels while training.
    """

    def __init__(self, d_model: int, num_labels: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.labels = nn.Linear(d_model, num_labels)

    def forward(
        self, hidden_states: Float[Tensor, "batch position d_model"], attention_mask: Mask | None = None
    ) -> Float[Tensor, "batch position num_labels"]:
        """One logit per token and label."""
        return self.labels(self.dropout(hidden_states))


class SpanLogits(NamedTuple):
    """How well each token would begin the answer, and how well it would end it."""

    start: Float[Tensor, "batch position"]
    end: Float[Tensor, "batch position"]


class SpanHead(nn.Module):
    """Where in the text the answer stands.

    Devlin et al. 2019, section 4.2 (arXiv:1810.04805).

    Args:
        d_model: width of the hidden states.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.ends = nn.Linear(d_model, 2)

    def forward(
        self, hidden_states: Float[Tensor, "batch position d_model"], attention_mask: Mask | None = None
    ) -> SpanLogits:
        """Two logits per token."""
        return SpanLogits(*self.ends(hidden_states).unbind(-1))


class MultipleChoice(nn.Module):
    """Which of several texts fits best: each is read by itself and given one number.

    Args:
        body: token ids → hidden states.
        head: a `SequenceHead` with a single label.
    """

    def __init__(self, body: nn.Module, head: SequenceHead) -> None:
        super().__init__()
        self.body = body
        self.head = head

    def forward(
        self,
        input_ids: Int[Tensor, "batch choice position"],
        attention_mask: Int[Tensor, "batch choice position"] | None = None,
        **more: Tensor,
    ) -> Float[Tensor, "batch choice"]:
        """One logit per choice."""
        flat = {name: part.flatten(0, 1) for name, part in more.items()}
        mask = None if attention_mask is None else attention_mask.flatten(0, 1)
        return self.head(self.body(input_ids.flatten(0, 1), mask, **flat), mask).view(input_ids.shape[:2])


class MaskedLanguageHead(nn.Module):
    """Which token stands behind a mask: a layer, a norm, and the projection onto the vocabulary.

    Devlin et al. 2019, section 3.1 (arXiv:1810.04805); the projection shares its weight with the token table.

    Args:
        tokens: the token table to share.
        norm: applied after the layer.
        activation: of the layer.
        bias: whether the layer adds a bias.
        d_model: width of the hidden states; the table's when left out.
    """

    def __init__(
        self,
        tokens: nn.Embedding,
        norm: nn.Module,
        *,
        activation: Activation = F.gelu,
        bias: bool = True,
        d_model: int | None = None,
    ) -> None:
        super().__init__()
        self.dense = nn.Linear(d_model or tokens.embedding_dim, tokens.embedding_dim, bias=bias)
        self.activation = activation
        self.norm = norm
        self.vocabulary = nn.Linear(tokens.embedding_dim, tokens.num_embeddings)
        self.vocabulary.weight = tokens.weight

    def forward(
        self, hidden_states: Float[Tensor, "batch position d_model"], attention_mask: Mask | None = None
    ) -> Float[Tensor, "batch position vocab_size"]:
        """One logit per token and entry of the vocabulary."""
        return self.vocabulary(self.norm(self.activation(self.dense(hidden_states))))


class ReplacedTokenHead(nn.Module):
    """Was this token in the text, or was it put there by a generator?

    Clark et al. 2020 (arXiv:2003.10555).

    Args:
        d_model: width of the hidden states.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.replaced = nn.Linear(d_model, 1)

    def forward(
        self, hidden_states: Float[Tensor, "batch position d_model"], attention_mask: Mask | None = None
    ) -> Float[Tensor, "batch position"]:
        """One logit per token; positive means "replaced"."""
        return self.replaced(F.gelu(self.dense(hidden_states))).squeeze(-1)


class PretrainingLogits(NamedTuple):
    """Two tasks at once: the masked words, and whether the second text follows the first."""

    tokens: Float[Tensor, "batch position vocab_size"]
    next_sentence: Float[Tensor, "batch 2"]


class PretrainingHead(nn.Module):
    """Masked words, and whether the second text follows the first.

    Args:
        masked: the head for masked words.
        next_sentence: the head for "follows" (0) and "does not" (1).
    """

    def __init__(self, masked: MaskedLanguageHead, next_sentence: SequenceHead) -> None:
        super().__init__()
        self.masked = masked
        self.next_sentence = next_sentence

    def forward(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        attention_mask: Int[Tensor, "batch position"] | Bool[Tensor, "batch position"] | None = None,
    ) -> PretrainingLogits:
        """The logits of both tasks."""
        return PretrainingLogits(self.masked(hidden_states), self.next_sentence(hidden_states, attention_mask))
