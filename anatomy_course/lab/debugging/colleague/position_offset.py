"""A case of notebook 04: an encoder whose words do not know their positions.

All shapes are right, every word gets a position vector, and a model with it trains. `symptoms_of_position_offset` shows
what one sentence tells; `tagging_trial_with_embedding` what a model with it learns, and what it never does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from anatomy_course.lab.debugging.colleague.symptoms import compared, yes
from anatomy_course.lab.debugging.colleague.tagging import BATCH, TaggingTrial, train_and_test_tagger
from anatomy_course.lab.experiments.norm_placement import D_MODEL, narrow_encoder
from anatomy_course.page.page import CellOutput
from anatomy_utils.functional.embeddings import embed_words
from anatomy_utils.functional.masks import padding
from anatomy_utils.training.seeding import seeded
from anatomy_utils.training.threads import threads

EmbedWords = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(input_ids, token table, position table) → vectors (batch position d_model)."""


def colleagues_embedding(input_ids: Tensor, token_table: Tensor, position_table: Tensor) -> Tensor:
    """The patient: a vector for each word and its position, as `embed_words` makes them."""
    positions = torch.arange(len(input_ids), device=input_ids.device)
    return token_table[input_ids] + position_table[positions][:, None]


def symptoms_of_position_offset(*, seed: int = 0) -> CellOutput:
    """What can be tried on "a dog sees a cat" and random tables: both embeddings.

    Args:
        seed: of the tables.

    Returns:
        A table: the shape, whether a position vector is added at all, and three things in which the two differ.
    """
    generator = torch.Generator().manual_seed(seed)
    tables = torch.randn(2, 8, 6, generator=generator)
    embeddings = {"healthy": embed_words, "patient": colleagues_embedding}
    title = "“a dog sees a cat”, 6 features"
    return compared(title, "tried on one sentence", embeddings, lambda embed: _examine(embed, *tables))


def _examine(embed: EmbedWords, tokens: Tensor, positions: Tensor) -> dict[str, str]:
    sentence, other_order = torch.tensor([[1, 2, 3, 1, 4]]), torch.tensor([[1, 4, 3, 1, 2]])
    vectors, turned = (embed(ids, tokens, positions)[0] for ids in (sentence, other_order))
    second = embed(torch.cat((other_order, sentence)), tokens, positions)[1]
    return {
        "shape of the output": str(tuple(vectors.shape)),
        "something is added to the tokens' vectors": yes(not torch.allclose(vectors, tokens[sentence[0]])),
        "both words “a” have the same vector": yes(torch.allclose(vectors[0], vectors[3])),
        "“dog” has the same vector in “a cat sees a dog”": yes(torch.allclose(vectors[1], turned[4])),
        "the sentence has the same vectors alone and as the second text of a batch": yes(
            torch.allclose(vectors, second)
        ),
    }


class TaggerWithEmbedding(nn.Module):
    """A narrow encoder of two layers that tags words, with any way to embed them."""

    def __init__(self, embed: EmbedWords, generator: torch.Generator) -> None:
        super().__init__()
        self.embed = embed
        self.model: Any = narrow_encoder(2, "pre", generator)
        with seeded(generator):
            self.positions = nn.Embedding(BATCH, D_MODEL)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        encoder = self.model.body
        hidden_states = self.embed(input_ids, encoder.embeddings.tokens.weight, self.positions.weight)
        logits: Tensor = self.model.head(encoder.run_layers(hidden_states, padding(attention_mask)))
        return logits


def tagging_trial_with_embedding(embed: EmbedWords, *, steps: int = 200, seed: int = 0) -> TaggingTrial:
    """Train a tagger on the street with the given embedding, and try it on sentences it has not seen.

    Args:
        embed: `embed_words`, `colleagues_embedding`, or your own.
        steps: of 64 sentences each.
        seed: of the model, the sentences and their order.
    """
    with threads(1):
        return train_and_test_tagger(
            lambda generator: TaggerWithEmbedding(embed, generator),
            (2048, 512),
            steps=steps,
            learning_rate=5e-3,
            seed=seed,
        )
