"""The two matrices of a head: W_QK says which words match, W_OV what is passed on.

A head uses W_Q and W_K only as the product W_Q · W_Kᵀ, and W_V and W_O only as W_V · W_O (Elhage et al. 2021, "A
Mathematical Framework for Transformer Circuits"). So the features of a query or a value have no meaning of their own:
turn W_Q and W_K by one rotation, and nothing changes. Both products are d_model wide and have the rank d_head at most.
Notebook 02.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.encoder import Encoder


def query_key_matrices(attention: MultiHeadAttention) -> Float[Tensor, "heads d_model d_model"]:
    """W_QK of each head: the score of two vectors is x W_QK yᵀ / √d_head, biases and rotation left out."""
    query, key = (_per_head(part.weight, attention) for part in (attention.to_query, attention.to_key))
    return query.mT @ key


def output_value_matrices(attention: MultiHeadAttention) -> Float[Tensor, "heads d_model d_model"]:
    """W_OV of each head: a vector y that gets all the weight adds y W_OV, biases left out."""
    output = attention.to_output.weight.detach().unflatten(1, (attention.num_heads, -1)).movedim(1, 0)
    return _per_head(attention.to_value.weight, attention).mT @ output.mT


def _per_head(weight: Tensor, attention: MultiHeadAttention) -> Float[Tensor, "heads d_head d_model"]:
    return weight.detach().unflatten(0, (attention.num_heads, -1))


class WordCircuits(NamedTuple):
    """What a head does with single words of the vocabulary, context left out.

    Attributes:
        matches: the score of each asking word with each word, less the key's mean over all words that ask.
        writes: the cosine of what the head passes on of each of these words with each word's own vector, both less
            their means.
        places: where the asking words are among all words.
    """

    matches: Float[Tensor, "asking word"]
    writes: Float[Tensor, "asking word"]
    places: Int[Tensor, " asking"]

    def own_match(self) -> float:
        """The share of the other words that match a word less than it matches itself; the mean over the words.
        0.5: chance."""
        return self._own(self.matches)

    def own_writing(self) -> float:
        """The share of the other words whose vectors are farther from what is passed on of a word than its own is; the
        mean over the words. Near 1 the head copies; near 0 it writes the opposite."""
        return self._own(self.writes)

    def _own(self, table: Float[Tensor, "asking word"]) -> float:
        less = (table < table.gather(1, self.places[:, None])).sum(dim=1) / (table.shape[1] - 1)
        return less.mean().item()


def word_vectors(encoder: Encoder, ids: Int[Tensor, " word"], position: int = 5) -> Float[Tensor, "word d_model"]:
    """What goes into the first layer for each of these words, as if it were alone at one position."""
    with torch.no_grad():
        return encoder.embeddings(ids[:, None], positions=torch.tensor([position]))[:, 0]


def word_circuits(
    vectors: Float[Tensor, "word d_model"],
    query_key: Float[Tensor, "d_model d_model"],
    output_value: Float[Tensor, "d_model d_model"],
    places: Int[Tensor, " asking"],
) -> WordCircuits:
    """What two matrices of one head make of some words, beside all others.

    The biases are left out, and nothing is lost: those of keys shift all scores of a query alike, those of queries and
    values fall out with the means.

    Args:
        vectors: of all words, from `word_vectors`.
        query_key, output_value: W_QK and W_OV of the head, or random ones as a control.
        places: of the words that ask.
    """
    centered = vectors - vectors.mean(dim=0)
    matches = (centered[places] @ query_key) @ vectors.T
    written = F.normalize(centered[places] @ output_value, dim=-1)
    return WordCircuits(matches, written @ F.normalize(centered, dim=-1).T, places)
