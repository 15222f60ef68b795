"""The case of notebook 02: heads scrambled by a view.

All shapes are right, nothing crashes, and a model with it trains. But a head of it sees pieces of a few neighboring
words where it should see a part of every word. `symptoms_of_head_splitting` shows what that does to one sentence;
`tagging_trial_with_heads` what it does to a model that learns.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from anatomy_course.lab.debugging.colleague.symptoms import compared, yes
from anatomy_course.lab.debugging.colleague.tagging import TaggingTrial, train_and_test_tagger
from anatomy_course.lab.street.grammar import say_in_english
from anatomy_course.lab.street.labels import TAGS, tags
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.page.page import CellOutput
from anatomy_utils.functional.attention import scaled_dot_product_attention
from anatomy_utils.functional.masks import padding
from anatomy_utils.functional.multi_head import attend_in_heads
from anatomy_utils.training.seeding import seeded

Heads = Callable[[Tensor, Tensor, Tensor, int, Tensor | None], Tensor]
"""(query, key, value, num_heads, mask) → context, all (batch position d_model)."""


def colleagues_heads(query: Tensor, key: Tensor, value: Tensor, num_heads: int, mask: Tensor | None = None) -> Tensor:
    """The patient: split into heads, attend in each, merge, as `attend_in_heads` does."""
    batch, _, d_model = query.shape
    query, key, value = (part.view(batch, num_heads, -1, d_model // num_heads) for part in (query, key, value))
    context = scaled_dot_product_attention(query, key, value, mask).context
    return context.reshape(batch, -1, d_model)


def symptoms_of_head_splitting(words: int = 12, num_heads: int = 4, *, seed: int = 0) -> CellOutput:
    """What a doctor would try on one sentence of random vectors: both attentions, and what reaches which word.

    Args:
        words: how many there are.
        num_heads: each 8 wide.
        seed: of the vectors.

    Returns:
        A table: the shapes, how many outputs change with the last word, and two things that should change nothing.
    """
    generator = torch.Generator().manual_seed(seed)
    sentence, other = torch.randn(2, 1, words, num_heads * 8, generator=generator)
    order = torch.randperm(words, generator=generator)
    return compared(
        f"{words} words, {num_heads} heads",
        "tried on one sentence",
        {"healthy": attend_in_heads, "patient": colleagues_heads},
        lambda heads: _examine(heads, sentence, other, order, num_heads),
    )


def _examine(heads: Heads, sentence: Tensor, other: Tensor, order: Tensor, num_heads: int) -> dict[str, str]:
    words = sentence.shape[1]

    def outputs(vectors: Tensor, real: int) -> Tensor:
        mask = torch.arange(vectors.shape[1]) < real
        return heads(vectors, vectors, vectors, num_heads, mask)[0, :real]

    before = outputs(sentence, words)
    last = torch.cat((sentence[:, :-1], other[:, -1:]), dim=1)
    noticed = int((outputs(last, words) - before).abs().amax(-1).gt(1e-5).sum())
    padded = outputs(torch.cat((sentence, other[:, :3]), dim=1), words)
    moved = outputs(sentence[:, order], words)
    return {
        "shape of the output": str(tuple(heads(sentence, sentence, sentence, num_heads, None).shape)),
        "another last word: outputs that change": f"{noticed} of {words}",
        "shuffled words give the same vectors, shuffled": yes(torch.allclose(moved, before[order], atol=1e-5)),
        "three words of padding after it change nothing": yes(torch.allclose(padded, before, atol=1e-5)),
    }


class TaggerWithHeads(nn.Module):
    """A small model that gives each word a label: embeddings, layers of attention with residuals, a linear layer."""

    def __init__(self, heads: Heads, vocab_size: int, num_labels: int, d_model: int = 64, num_layers: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.words = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(32, d_model)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(num_layers))
        self.to_query, self.to_key, self.to_value, self.to_output = (
            nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(num_layers)) for _ in range(4)
        )
        self.labels = nn.Linear(d_model, num_labels)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, num_heads: int = 4) -> Tensor:
        hidden_states = self.words(input_ids) + self.positions.weight[: input_ids.shape[1]]
        mask = padding(attention_mask)
        layers = zip(self.norms, self.to_query, self.to_key, self.to_value, self.to_output, strict=True)
        for norm, to_query, to_key, to_value, to_output in layers:
            normed = norm(hidden_states)
            context = self.heads(to_query(normed), to_key(normed), to_value(normed), num_heads, mask)
            hidden_states = hidden_states + to_output(context)
        logits: Tensor = self.labels(hidden_states)
        return logits


def tagging_example(*, seed: int = 0) -> str:
    """One sentence of the street, each word with its label after a slash."""
    (scene,) = sample_scenes(1, torch.Generator().manual_seed(seed), "test")
    told = say_in_english(scene)
    return " ".join(f"{word}/{label}" for word, label in zip(told.tokens, tags(scene, told), strict=True))


def tagging_trial_with_heads(heads: Heads, *, steps: int = 200, seed: int = 0) -> TaggingTrial:
    """Train a tagger on the street with the given attention inside, and try it on sentences it has not seen.

    Args:
        heads: `attend_in_heads`, `colleagues_heads`, or your own.
        steps: of 64 sentences each.
        seed: of the model, the sentences and their order.
    """

    def build(generator: torch.Generator) -> TaggerWithHeads:
        with seeded(generator):
            return TaggerWithHeads(heads, len(street_vocabulary()), len(TAGS))

    return train_and_test_tagger(build, (2000, 500), steps=steps, learning_rate=2e-3, seed=seed)
