"""Activations of an encoder: every tensor of one text by name, and a word's vectors layer by layer. Notebook 01."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.functional.embeddings import lookup
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.tap import Seen, watch
from anatomy_utils.zoo.tokenizer import Tokenizer


def one_text(text: object) -> str:
    """The text itself.

    Raises:
        ValueError: it is no text, or it is empty.
    """
    if not isinstance(text, str):
        raise ValueError(f"Give one text, such as 'The cat sat.', not {text!r:.60}.")
    if not text.strip():
        raise ValueError("The text is empty; write at least one word.")
    return text


def read_activations(encoder: Encoder, tokenizer: Tokenizer, text: str) -> tuple[list[str], Seen]:
    """Run one text through an encoder and keep every named tensor on the way.

    Returns:
        The text's tokens, and what was seen.

    Raises:
        ValueError: the text is none, is empty, or is longer than the encoder's positions.
    """
    batch = tokenizer(one_text(text))
    with torch.no_grad(), watch(encoder) as seen:
        encoder(batch.input_ids)
    return batch.tokens[0], seen


def word_states(
    encoder: Encoder, tokenizer: Tokenizer, text: str, word: str
) -> Float[Tensor, "num_layers_and_embedding d_model"]:
    """A word's vector before any context, and after each layer.

    Args:
        text: any text that holds the word.
        word: one token of the vocabulary, as the tokenizer writes it (lower case for MiniLM).

    Returns:
        Row 0: the token's row of the embedding table, the same in every text. Row i: its hidden state after layer i.

    Raises:
        ValueError: the text has no such token.
    """
    tokens, seen = read_activations(encoder, tokenizer, text)
    if word not in tokens:
        raise ValueError(f"There is no token {word!r} in {tokens}.")
    position = tokens.index(word)
    layers = [seen[f"layers.{i}.output"] for i in range(len(encoder.layers))]
    return torch.stack([states[0, position] for states in (seen["embeddings.tokens"], *layers)])


def word_similarity(
    encoder: Encoder, tokenizer: Tokenizer, text: str, word: str, others: Sequence[str]
) -> dict[str, list[float]]:
    """How near a word in its text is to other words by themselves, layer by layer.

    Args:
        text: the text that gives the word its context.
        word: the token in question.
        others: single tokens to compare with; each is run through the encoder alone.

    Returns:
        Other word → cosine similarities (−1 … 1): first without context, then after each layer.
    """
    states = word_states(encoder, tokenizer, text, word)
    return {
        other: F.cosine_similarity(states, word_states(encoder, tokenizer, other, other), dim=-1).tolist()
        for other in others
    }


def unit_embeddings(encoder: Encoder, tokenizer: Tokenizer, words: Sequence[str]) -> Float[Tensor, "word d_model"]:
    """The rows of the embedding table for single-token words, each brought to length 1.

    Raises:
        ValueError: a word is cut into several tokens.
    """
    rows = []
    for word in words:
        pieces = tokenizer(word).tokens[0][1:-1]
        if len(pieces) != 1:
            raise ValueError(f"{word!r} is cut into {pieces}; choose a word that is one token.")
        rows.append(lookup(encoder.embeddings.tokens.weight, tokenizer(word).input_ids[0, 1]))
    return F.normalize(torch.stack(rows).detach(), dim=-1)
