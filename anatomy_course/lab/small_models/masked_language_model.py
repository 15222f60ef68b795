"""A masked language model: hidden words, predicted from the words on both sides. Encoders are pretrained in this way.

Notebook 04 trains it. Devlin et al. 2019, section 3.1 (arXiv:1810.04805); `objectives.masked_tokens` chooses the words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from anatomy_course.lab.small_models.encoder_tasks import D_MODEL, label_loss, small_encoder
from anatomy_course.lab.small_models.metrics import predictions
from anatomy_course.lab.small_models.train import BATCH, OnStep, train_model
from anatomy_course.lab.street.batches import Batch, Labeled, language_modeling
from anatomy_course.lab.street.parser import share_grammatical
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.vocabulary import MASK, street_vocabulary
from anatomy_utils.nn.heads import MaskedLanguageHead, WithHead
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.objectives.masked_tokens import draw_chances, mask_words
from anatomy_utils.training.history import History
from anatomy_utils.training.losses import IGNORE
from anatomy_utils.training.seeding import seeded


def train_masked_language_model(
    seed: int = 0,
    *,
    mask: Callable[..., Sequence[Tensor]] = mask_words,
    steps: int = 500,
    on_step: OnStep | None = None,
    progress: bool = True,
) -> tuple[WithHead, History]:
    """A model that says which word stands behind each mask. Its head shares the table of the words' vectors.

    Args:
        seed: of the weights, the sentences and the gaps in them.
        mask: what hides words; see `hide_words`.
        steps: of 32 sentences each.
        on_step: see `train.OnStep`.
        progress: show a bar.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        encoder = small_encoder()
        model = WithHead(encoder, MaskedLanguageHead(encoder.embeddings.tokens, LayerNorm(D_MODEL)))
    sentences = language_modeling(sample_scenes(steps * BATCH, generator, "train"))
    examples = hide_words(sentences, generator, mask)
    history = train_model(model, examples, label_loss, on_step=on_step, progress=progress)
    return model, history


def hide_words(texts: Batch, generator: torch.Generator, mask: Callable[..., Sequence[Tensor]] = mask_words) -> Labeled:
    """Texts to learn from: some words are hidden or exchanged, and the labels say what stood there.

    Args:
        texts: their first token is <bos>, which is never chosen, nor is padding.
        generator: draws the numbers that decide.
        mask: `objectives.mask_words`, or a function of yours in its place.
    """
    ids = texts.input_ids
    words = texts.attention_mask.clone()
    words[:, 0] = 0
    chances = draw_chances(ids.shape, torch.arange(len(street_vocabulary())), generator)
    masked_ids, labels = mask(ids, words, *chances, _mask_id())
    return Labeled(masked_ids, texts.attention_mask, labels)


def mask_one_word_each(texts: Batch, generator: torch.Generator) -> Labeled:
    """Texts to be judged on: <mask> in the place of one word of each, never of <bos> or padding."""
    chance = torch.rand(texts.input_ids.shape, generator=generator).masked_fill(texts.attention_mask == 0, -1.0)
    chance[:, 0] = -1.0
    gap = chance == chance.max(dim=1, keepdim=True).values
    labels = texts.input_ids.masked_fill(~gap, IGNORE)
    return Labeled(texts.input_ids.masked_fill(gap, _mask_id()), texts.attention_mask, labels)


def share_of_sensible_words(model: nn.Module, scenes: Sequence[Scene], generator: torch.Generator) -> float:
    """Hide one word of each sentence and put in what the model says: the share that are sentences of the street again.

    The word itself can often not be known ("The <mask> didn't cross the street because it was too tired."), but whether
    a word makes sense there can be judged.
    """
    texts = mask_one_word_each(language_modeling(scenes), generator)
    filled = torch.where(texts.labels == IGNORE, texts.input_ids, predictions(model, texts))
    return share_grammatical(street_vocabulary().text(row) for row in filled)


def _mask_id() -> int:
    return street_vocabulary().ids([MASK])[0]
