"""Sorting real texts with a pretrained encoder: a head on the mean of the words, and what to compare it with.

Notebook 04 sorts docstrings of Python's library by counted words, by a frozen body, and by one that learns too.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_course.lab.street.batches import Batch, Labeled
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.training.losses import cross_entropy
from anatomy_utils.training.seeding import seeded
from anatomy_utils.zoo.tokenizer import Tokenizer

LONGEST = 24
"""Tokens of a text that are read."""


class MeanHead(nn.Module):
    """One logit per label, from the mean of the words' vectors.

    Args:
        labels: from d_model to the number of labels.
    """

    def __init__(self, labels: nn.Linear) -> None:
        super().__init__()
        self.labels = labels

    def forward(self, hidden_states: Tensor, attention_mask: Tensor) -> Float[Tensor, "batch label"]:
        """Padding has no say."""
        logits: Tensor = self.labels(mean_of_words(hidden_states, attention_mask))
        return logits


def mean_of_words(
    hidden_states: Float[Tensor, "batch position d_model"], attention_mask: Int[Tensor, "batch position"]
) -> Float[Tensor, "batch d_model"]:
    """The mean of the vectors that are not padding."""
    real = attention_mask[..., None]
    return (hidden_states * real).sum(1) / real.sum(1)


def labeled_texts(tokenizer: Tokenizer, texts: Sequence[tuple[str, int]]) -> Labeled:
    """(text, label) pairs as a batch; of each text the first 24 tokens."""
    given = tokenizer([text for text, _ in texts], max_length=LONGEST)
    return Labeled(given.input_ids, given.attention_mask, torch.tensor([label for _, label in texts]))


@torch.no_grad()
def text_vectors(encoder: Encoder, batch: Batch) -> Float[Tensor, "batch d_model"]:
    """One vector for each text, the mean of its words' vectors, from an encoder as it is."""
    parts = zip(batch.input_ids.split(40), batch.attention_mask.split(40), strict=True)
    return torch.cat([mean_of_words(encoder(ids, mask), mask) for ids, mask in parts])


def word_counts(batch: Batch, known: Int[Tensor, " token"]) -> Float[Tensor, "batch token"]:
    """How often each text has each of the known tokens, whatever the order: what can be said without any encoder."""
    same = (batch.input_ids[..., None] == known) & (batch.attention_mask[..., None] == 1)
    return same.sum(1).float()


def linear_classifier(features: Float[Tensor, "text feature"], labels: Int[Tensor, " text"]) -> nn.Linear:
    """A linear layer that sorts vectors, trained for 200 steps on all of them at once; always the same one."""
    with seeded(torch.Generator().manual_seed(0)):
        layer = nn.Linear(features.shape[1], int(labels.max()) + 1)
    optimizer = torch.optim.AdamW(layer.parameters(), lr=1e-2)
    for _ in range(200):
        optimizer.zero_grad()
        cross_entropy(layer(features), labels).backward()
        optimizer.step()
    return layer
