"""Metrics of trained models: shares of right answers on unseen batches, and BLEU of translations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from anatomy_course.lab.street.batches import Labeled, Pointed
from anatomy_course.lab.street.text import tokenize
from anatomy_utils.functional.spans import best_span
from anatomy_utils.nn.heads import SpanLogits
from anatomy_utils.training.losses import IGNORE

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

LONGEST_ANSWER = 4
"""Words, as in "it was too tired"."""


@torch.no_grad()
def predictions(model: nn.Module, batch: Labeled | Pointed) -> Int[Tensor, "batch *label"]:
    """What the model holds likeliest: a class for each text, a tag or word for each token, or an answer's two ends."""
    logits = model(batch.input_ids, batch.attention_mask)
    if isinstance(logits, SpanLogits):
        return torch.stack(best_span(logits.start, logits.end, LONGEST_ANSWER), dim=-1)
    return logits.argmax(-1)


def targets(batch: Labeled | Pointed) -> Int[Tensor, "batch *label"]:
    """What `predictions` should be, `IGNORE` where there is nothing to say."""
    if isinstance(batch, Pointed):
        return torch.stack([batch.start_positions, batch.end_positions], dim=-1)
    return batch.labels


def texts_all_right(model: nn.Module, batch: Labeled | Pointed) -> Bool[Tensor, " batch"]:
    """Which texts are wholly right: their class, the tags of all their words, or both ends of the answer."""
    labels = targets(batch)
    right = (predictions(model, batch) == labels) | (labels == IGNORE)
    return right.reshape(len(right), -1).all(dim=1)


def share_of_right_texts(model: nn.Module, batch: Labeled | Pointed) -> float:
    """The share of texts that are wholly right, from 0 to 1: the strictest measure."""
    return texts_all_right(model, batch).float().mean().item()


def share_of_right_labels(model: nn.Module, batch: Labeled | Pointed) -> float:
    """The share of single labels that are right, from 0 to 1: a text of many words counts for more than a short one."""
    labels = targets(batch)
    counts = labels != IGNORE
    return (predictions(model, batch) == labels)[counts].float().mean().item()


def bleu(written: Sequence[str], references: Sequence[str], *, words: Literal["street", "13a"] = "street") -> float:
    """BLEU of translations as a whole corpus, from 0 to 100: 100 where every word is right.

    The geometric mean of the shares of runs of 1, 2, 3 and 4 words that also occur in the sentence's reference, times
    a penalty for texts that are shorter than the references together. One reference for each translation.

    Args:
        written: what the model wrote, at least one text.
        references: the right translations, in the same order.
        words: what counts as a word. "street" cuts as the model knows words (*l'* *animal*); "13a" is sacrebleu's
            default, which leaves *l'animal* one word. Numbers of the two cannot be compared.

    Raises:
        ValueError: there are no texts, or not one reference for each.
        ImportError: sacrebleu is not installed.
    """
    if not written or len(written) != len(references):
        raise ValueError(
            f"{len(written)} translations cannot be compared with {len(references)} references; give one for each."
        )
    if words == "street":
        written, references = ([" ".join(tokenize(text)) for text in texts] for texts in (written, references))
    return float(_metric("none" if words == "street" else words).corpus_score(written, [references]).score)


def _metric(tokenize: str) -> BLEU:
    """BLEU over words that sacrebleu cuts, or with "none" over texts that are cut already.

    With sacrebleu's own "13a" one wrong noun would count for two words in English and for one in French. `force` only
    silences the advice against texts that are cut into words already.
    """
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise ImportError("BLEU needs the package sacrebleu: pip install sacrebleu, then run this again.") from None
    return BLEU(tokenize=tokenize, force=True)
