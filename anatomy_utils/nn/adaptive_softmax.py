"""Adaptive tables: frequent words get wide rows, rare ones narrow rows, at the entrance and at the exit.

In a vocabulary of whole words, sorted by frequency, most of the table would belong to words that hardly ever come. So
the vocabulary is cut into clusters; each cluster's rows are narrower than those of the one before. Transformer-XL,
which knows 267735 words, has both halves. Notebook 07 runs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_utils.functional.embeddings import check_ids


class AdaptiveTokens(nn.Module):
    """A token table in clusters: row · projection, where the rows get narrower from cluster to cluster.

    Baevski and Auli 2019, section 3 (arXiv:1809.10853).

    Args:
        vocab_size: ids of all clusters, the most frequent words first.
        d_model: width of the vectors that come out.
        cutoffs: where the second cluster begins, and each further one; none for a single cluster.
        d_table: width of the first cluster's rows.
        divisor: each cluster's rows are narrower by this factor than those of the one before.

    Raises:
        ValueError: the cutoffs do not rise from 1 to below vocab_size, or the last rows would have no width.
    """

    def __init__(
        self, vocab_size: int, d_model: int, *, cutoffs: Sequence[int] = (), d_table: int, divisor: int
    ) -> None:
        super().__init__()
        self.ranges = list(pairwise([0, *cutoffs, vocab_size]))  # of ids, one per cluster
        if any(low >= high for low, high in self.ranges):
            raise ValueError(f"The cutoffs {list(cutoffs)} do not rise from 1 to below {vocab_size}; sort them.")
        self.widths = [d_table // divisor**cluster for cluster in range(len(self.ranges))]
        if not self.widths[-1]:
            raise ValueError(f"{d_table} divided by {divisor} {len(cutoffs)} times leaves no width; widen the table.")
        self.num_embeddings = vocab_size
        self.embedding_dim = d_model
        self.tables = nn.ModuleList(
            nn.Embedding(high - low, width) for (low, high), width in zip(self.ranges, self.widths, strict=True)
        )
        self.projections = nn.ModuleList(nn.Linear(width, d_model, bias=False) for width in self.widths)

    def forward(self, input_ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position d_model"]:
        """One vector per id. Every cluster is asked, and those that do not have the id give nothing."""
        check_ids(input_ids, self.num_embeddings)
        found = []
        for (low, high), table, projection in zip(self.ranges, self.tables, self.projections, strict=True):
            inside = (low <= input_ids) & (input_ids < high)
            rows = table((input_ids - low).where(inside, 0))
            found.append(projection(rows * inside[..., None]))
        return torch.stack(found).sum(dim=0)


class AdaptiveSoftmax(nn.Module):
    """log P(word) = log P(cluster) + log P(word | cluster), with the rows of an `AdaptiveTokens`.

    Grave et al. 2017, section 4 (arXiv:1609.04309). The first softmax is over the words of the first cluster and one
    entry for each further cluster; a rare word needs a second one, within its cluster.

    Args:
        tokens: the tables to share.
        own_projections: for each cluster, whether it has a projection of its own instead of the entrance's.

    Raises:
        ValueError: own_projections is not of one entry per cluster.
    """

    def __init__(self, tokens: AdaptiveTokens, own_projections: Sequence[bool]) -> None:
        super().__init__()
        if len(own_projections) != len(tokens.tables):
            raise ValueError(
                f"own_projections has {len(own_projections)} entries for {len(tokens.tables)} clusters; give one each."
            )
        widths, sizes = tokens.widths, [high - low for low, high in tokens.ranges]
        self.clusters = nn.Linear(widths[0], len(sizes) - 1)
        self.words = nn.ModuleList(nn.Linear(width, size) for width, size in zip(widths, sizes, strict=True))
        for words, table in zip(self.words, tokens.tables, strict=True):
            words.weight = table.weight
        self.projections = nn.ModuleList(
            nn.Linear(width, tokens.embedding_dim, bias=False) if own else shared
            for own, width, shared in zip(own_projections, widths, tokens.projections, strict=True)
        )

    def forward(
        self, hidden_states: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position vocab_size"]:
        """The logarithm of each word's probability; the probabilities of a position sum to 1."""
        narrow = [hidden_states @ projection.get_parameter("weight") for projection in self.projections]
        first = [self.words[0](narrow[0]), self.clusters(narrow[0])]
        frequent, clusters = torch.cat(first, dim=-1).log_softmax(dim=-1).split([part.shape[-1] for part in first], -1)
        rare = [
            clusters[..., i, None] + words(narrow[i + 1]).log_softmax(dim=-1) for i, words in enumerate(self.words[1:])
        ]
        return torch.cat([frequent, *rare], dim=-1)
