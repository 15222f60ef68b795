"""Gaps: masked words, filled in from what stands before and behind them. So encoders are pretrained, here in miniature.

Notebook 03 trains it. Devlin et al. 2019, section 3.1 (arXiv:1810.04805), choose 15 % of the words to be predicted. A
tenth of these stay as they are and a tenth become random ones, because the texts of BERT's later tasks have no masks;
here nothing comes later, and all chosen words become <mask>.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import nn

from anatomy_utils.heads import MaskedLanguageHead, WithHead
from anatomy_utils.norm import LayerNorm
from anatomy_utils.recipes.measures import predictions
from anatomy_utils.recipes.practice import BATCH, OnStep, practise
from anatomy_utils.recipes.readers import D_MODEL, label_loss, small_encoder
from anatomy_utils.street import Scene, share_grammatical, street_vocabulary
from anatomy_utils.street.batches import Batch, Labelled, language_modelling
from anatomy_utils.street.sampling import sample_scenes
from anatomy_utils.street.vocabulary import MASK
from anatomy_utils.training import IGNORE, History, seeded


def train_gap_filler(
    seed: int = 0, *, steps: int = 800, on_step: OnStep | None = None, progress: bool = True
) -> tuple[WithHead, History]:
    """A model that says which word stands behind each mask. Its head shares the table of the words' vectors.

    Args:
        seed: of the weights, the sentences and the gaps in them.
        steps: of 32 sentences each.
        on_step: see `practice.OnStep`.
        progress: show a bar.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        encoder = small_encoder()
        model = WithHead(encoder, MaskedLanguageHead(encoder.embeddings.tokens, LayerNorm(D_MODEL)))
    sentences = language_modelling(sample_scenes(steps * BATCH, generator, "train"))
    history = practise(model, hide_words(sentences, generator), label_loss, on_step=on_step, progress=progress)
    return model, history


def hide_words(texts: Batch, generator: torch.Generator, share: float = 0.15) -> Labelled:
    """Put <mask> in the place of some words and make those words the labels; in each text at least one.

    Args:
        texts: their first token is <bos>, which is never hidden, nor is padding.
        generator: chooses the words.
        share: the chance of a word to be hidden; 0 hides exactly one word in each text.
    """
    chance = torch.rand(texts.input_ids.shape, generator=generator).masked_fill(texts.attention_mask == 0, math.inf)
    chance[:, 0] = math.inf
    hidden = (chance < share) | (chance == chance.min(dim=1, keepdim=True).values)
    (mask_id,) = street_vocabulary().ids([MASK])
    labels = texts.input_ids.masked_fill(~hidden, IGNORE)
    return Labelled(texts.input_ids.masked_fill(hidden, mask_id), texts.attention_mask, labels)


def share_sensible(model: nn.Module, scenes: Sequence[Scene], generator: torch.Generator) -> float:
    """Hide one word of each sentence and put in what the model says: the share of sentences that are grammatical again.

    The word itself can often not be known ("The <mask> didn't cross the street because it was too tired."), but whether
    a word makes sense there can be judged.
    """
    texts = hide_words(language_modelling(scenes), generator, share=0.0)
    filled = torch.where(texts.labels == IGNORE, texts.input_ids, predictions(model, texts))
    return share_grammatical(street_vocabulary().text(row) for row in filled)
