"""Eight faults, each one step of `care` that went wrong, and what puts it right.

They raise no error, every shape is right, and none of them is made up: `patients` names public reports of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import fields, replace
from functools import partial

import torch
from torch import Tensor, nn

from anatomy_utils.debugging.model import D_HEAD, NUM_HEADS, new_body
from anatomy_utils.debugging.pipeline import BATCH, Books
from anatomy_utils.functional.attention import scores, weighted_average
from anatomy_utils.functional.masks import Mask, and_causal
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.recipes.encoder_tasks import label_loss
from anatomy_utils.tap import tap
from anatomy_utils.toy_language import street_vocabulary
from anatomy_utils.toy_language.batches import IGNORE, Labelled
from anatomy_utils.training import adamw

# ---- what it is taught


def without_the_end(model: LanguageModel, batch: Labelled) -> Tensor:
    """Padding is the same token as the end of a text, so leaving padding out leaves out the end."""
    pad_id = street_vocabulary().eos_id  # "tokenizer.pad_token = tokenizer.eos_token"
    return label_loss(model, replace(batch, labels=batch.labels.masked_fill(batch.labels == pad_id, IGNORE)))


def shifted_again(model: LanguageModel, batch: Labelled) -> Tensor:
    """Labels that stand one ahead already are moved by one more."""
    later = torch.cat([batch.labels[:, 1:], torch.full_like(batch.labels[:, :1], IGNORE)], dim=1)
    return label_loss(model, replace(batch, labels=later))


# ---- what it reads


def few_lessons(books: Books) -> Sequence[Labelled]:
    """The same few sentences again and again."""
    few = [lesson[:FEW] for lesson in books.lessons[: max(1, FEW // BATCH)]]
    return [few[step % len(few)] for step in range(len(books.lessons))]


def familiar_exam(books: Books) -> Labelled:
    """Sentences drawn from the file that the lessons were drawn from."""
    return books.lessons[0][:FEW]


FEW = 128
"""Different sentences."""

# ---- how it learns


def small_body(generator: torch.Generator) -> LanguageModel:
    """A body for a part of the words; the others are added before it learns."""
    return new_body(generator, vocab_size=PART_OF_THE_WORDS)


def enlarge(model: LanguageModel) -> None:
    """Give a body a table with a row for every word of the street; the rows that it had are copied."""
    old = model.decoder.embeddings.tokens
    table = nn.Embedding(len(street_vocabulary()), old.embedding_dim)
    nn.init.normal_(table.weight, std=0.02, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        table.weight[: len(old.weight)] = old.weight
    model.decoder.embeddings.tokens, model.vocabulary.weight = table, table.weight


def enlarged_too_late(model: LanguageModel) -> torch.optim.Optimizer:
    """The optimizer holds the table that was there when it was made."""
    optimizer = adamw(model)
    enlarge(model)
    return optimizer


def enlarged_first(model: LanguageModel) -> torch.optim.Optimizer:
    """As it should be: first the body, then the optimizer."""
    enlarge(model)
    return adamw(model)


PART_OF_THE_WORDS = 200

# ---- how it is used


dropping_body = partial(new_body, dropout=0.2)


def left_in_training(model: LanguageModel) -> LanguageModel:
    """Nobody calls `model.eval()`."""
    return deepcopy(model).train()


def moved_to_neighbours(model: LanguageModel) -> LanguageModel:
    """An engine that turns neighbouring features together runs weights that learnt with halves."""
    engine = new_body(torch.Generator(), layout="neighbours")
    engine.load_state_dict(model.state_dict())
    return engine.eval()


def moved_and_sorted(model: LanguageModel) -> LanguageModel:
    """As it should be: the rows of queries and keys are brought into the engine's order on the way."""
    engine = moved_to_neighbours(model)
    order = torch.arange(D_HEAD).view(2, -1).T.flatten()  # 0, d/2, 1, d/2 + 1, …
    rows = torch.cat([head * D_HEAD + order for head in range(NUM_HEADS)])
    for layer in engine.decoder.layers:
        for part in (layer.self_attention.to_query, layer.self_attention.to_key):
            part.weight.data = part.weight.data[rows]
    return engine


class RestartingCache(KeyValueCache):
    """A cache that counts the new tokens from 0 at every step."""

    def positions(self, count: int) -> Tensor:
        return torch.arange(count)


class Restarting(LanguageModel):
    """Writes with a cache that restarts its counting."""

    def start(self, batch: int, capacity: int, *, attention_mask: Tensor | None = None) -> KeyValueCache:
        cache = super().start(batch, capacity, attention_mask=attention_mask)
        return RestartingCache(**{part.name: getattr(cache, part.name) for part in fields(cache)})


def counted_from_zero(model: LanguageModel) -> LanguageModel:
    """Every step of writing takes its token for the first one."""
    return Restarting(deepcopy(model.decoder), deepcopy(model.vocabulary)).eval()


class UnguardedAttention(MultiHeadAttention):
    """Softmax of −∞ alone: a query that may attend to nothing gets 0 / 0."""

    def _explicit_is_faster(self, query: Tensor, key: Tensor) -> bool:
        return True

    def _explicit(self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, causal: bool) -> Tensor:
        matches = scores(query, key, self.scale)
        if causal:
            mask = and_causal(mask, query.shape[-2], query.device)
        if mask is not None:
            matches = matches.masked_fill(~mask, -torch.inf)
        return weighted_average(tap(self, "weights", matches.softmax(dim=-1)), value)


def unguarded(model: LanguageModel) -> LanguageModel:
    """An engine whose attention has no answer for a query that may attend to nothing."""
    engine = deepcopy(model)
    for layer in engine.decoder.layers:
        attention = UnguardedAttention(layer.self_attention.to_query.in_features, NUM_HEADS, bias=False)
        attention.load_state_dict(layer.self_attention.state_dict())
        layer.self_attention = attention
    return engine.eval()
