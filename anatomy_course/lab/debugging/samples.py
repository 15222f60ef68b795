"""Texts that a model generates: from nothing, and from prompts of unequal length in one batch."""

from __future__ import annotations

import torch
from torch import Tensor

from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.decoding.filters import Filters
from anatomy_utils.decoding.generation import Generated, generate
from anatomy_utils.nn.heads import LanguageModel

LONGEST = 24
"""Tokens after which a text is cut off; the toy language's longest English sentence has 15."""
PROMPTS = (
    "The animal didn't cross the street because it was too",
    "The monster avoided the",
    "The big truck couldn't",
    "The old dog",
    "The",
)
"""Beginnings of unequal length."""


def sample_texts(model: LanguageModel, count: int, generator: torch.Generator) -> Generated:
    """Texts from nothing, sampled with top-p = 0.9."""
    vocabulary = street_vocabulary()
    return generate(
        model.step,
        model.start(count, 1 + LONGEST),
        torch.full((count, 1), vocabulary.bos_id),
        max_new_tokens=LONGEST,
        stop_ids=[vocabulary.eos_id],
        filters=Filters(top_p=0.9),
        generator=generator,
    )


def padded_prompts() -> tuple[Tensor, Tensor]:
    """`PROMPTS` as ids and mask, padded on the left."""
    vocabulary = street_vocabulary()
    rows = [[vocabulary.bos_id, *vocabulary.ids(tokenize(prompt))] for prompt in PROMPTS]
    width = max(map(len, rows))
    ids = [[vocabulary.pad_id] * (width - len(row)) + row for row in rows]
    return torch.tensor(ids), torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])


def complete_prompts(model: LanguageModel) -> Generated:
    """Completions of `PROMPTS`, all of them in one batch, by greedy decoding."""
    vocabulary = street_vocabulary()
    ids, mask = padded_prompts()
    return generate(
        model.step,
        model.start(len(ids), ids.shape[1] + LONGEST, attention_mask=mask),
        ids,
        max_new_tokens=LONGEST,
        stop_ids=[vocabulary.eos_id],
        attention_mask=mask,
    )
