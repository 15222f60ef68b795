"""Predictions of a trained encoder for a typed sentence. Notebooks 03 and 04.

All raise ValueError for a word that the street does not know; the message names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from anatomy_course.lab.small_models.metrics import LONGEST_ANSWER
from anatomy_course.lab.street.labels import CLASSES, TAGS
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import BOS, MASK, SEP, street_vocabulary
from anatomy_utils.functional.spans import best_span
from anatomy_utils.nn.heads import WithHead


def classify_sentence(model: WithHead, sentence: str, label: str = "topic") -> dict[str, float]:
    """How likely each class is, from 0 to 1; the likeliest first.

    Args:
        model: from `train_classifier`, with the same label.
        sentence: in words of the street.
        label: "topic" or "referent".
    """
    probabilities = _logits(model, [BOS, *tokenize(sentence)])[0].softmax(-1).tolist()
    return dict(sorted(zip(CLASSES[label], probabilities, strict=True), key=lambda pair: -pair[1]))


def tag_words(model: WithHead, sentence: str) -> list[tuple[str, str]]:
    """Each word and its likeliest tag, by a model from `train_tagger`."""
    words = tokenize(sentence)
    numbers = _logits(model, [BOS, *words])[0].argmax(-1).tolist()
    return [(word, TAGS[number]) for word, number in zip(words, numbers[1:], strict=True)]


def answer_question(model: WithHead, question: str, sentence: str) -> str:
    """The likeliest span of words, by a model from `train_question_answerer`."""
    words = [BOS, *tokenize(question), SEP, *tokenize(sentence)]
    logits = _logits(model, words)
    start, end = best_span(logits.start, logits.end, LONGEST_ANSWER)
    return " ".join(words[int(start) : int(end) + 1])


def fill_mask(model: WithHead, sentence: str, count: int = 5) -> list[tuple[str, float]]:
    """The likeliest words for the first <mask> of a sentence and how likely they are, by a model from
    `train_masked_language_model`.

    Raises:
        ValueError: there is no <mask>.
    """
    words = [BOS, *tokenize(sentence)]
    if MASK not in words:
        raise ValueError(f"There is no gap in {sentence!r}; write {MASK} in the place of a word.")
    likeliest = _logits(model, words)[0, words.index(MASK)].softmax(-1).topk(count)
    found = street_vocabulary().tokens(likeliest.indices)
    return list(zip(found, likeliest.values.tolist(), strict=True))


@torch.no_grad()
def _logits(model: WithHead, words: Sequence[str]) -> Any:
    return model(torch.tensor([street_vocabulary().ids(words)]))
