"""The probes of the ward: each asks one thing of a writer, answers with a number, and says what a healthy one gives.

They are the same for everybody. One alone seldom names a fault: it is which of them a patient fails that tells.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from anatomy_utils.debugging.pipeline import Books, Taught
from anatomy_utils.debugging.samples import padded_prompts, texts
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.recipes.encoder_tasks import label_loss
from anatomy_utils.toy_language import is_grammatical, street_vocabulary
from anatomy_utils.toy_language.batches import IGNORE

TEXTS = 64
"""How many texts are written to be judged."""
EQUAL = 1e-3
"""Logits that differ by less are the same: adding in another order costs some 1e-5."""


@dataclass(frozen=True)
class Subject:
    """Whom a probe looks at.

    Attributes:
        model: the writer as people meet it.
        taught: how it came to be.
        books: what there was to learn from, and sentences that nobody has seen.
    """

    model: LanguageModel
    taught: Taught
    books: Books


@dataclass(frozen=True)
class Probe:
    """Something that can be asked of every writer.

    Attributes:
        name: what it is called by.
        question: what it asks.
        measure: the number.
        passes: (number, the healthy twin's number) → whether all is well.
        says: the number in a sentence.
        shows: the number alone.
    """

    name: str
    question: str
    measure: Callable[[Subject], float]
    passes: Callable[[float, float], bool]
    says: str
    shows: str = "{:.2f}"

    def show(self, value: float | int) -> str:
        """A number as it stands in a table."""
        return self.shows.format(value) if math.isfinite(value) else "NaN"


def _unseen(subject: Subject) -> float:
    exam = subject.books.exam
    words = exam.labels.masked_fill(exam.labels == street_vocabulary().eos_id, IGNORE)
    return label_loss(subject.model, replace(exam, labels=words)).item()


def _remembered(subject: Subject) -> float:
    return label_loss(subject.model, subject.taught.read[-1]).item() - subject.taught.history.loss[-1]


def _ahead(subject: Subject) -> float:
    """How far ahead of a position the word stands that the likeliest guess hits most often; 0 is the word itself."""
    exam = subject.books.exam
    guesses = subject.model(exam.input_ids, exam.attention_mask).argmax(dim=-1)
    hits = []
    for ahead in range(4):
        words = exam.input_ids[:, ahead:]
        real = words > street_vocabulary().eos_id
        hits.append((guesses[:, : words.shape[1]] == words)[real].float().mean())
    return float(torch.stack(hits).argmax())


def _again(subject: Subject) -> float:
    ids = subject.books.exam.input_ids[:8]
    return _apart(subject.model(ids), subject.model(ids))


def _cached(subject: Subject) -> float:
    ids = subject.books.exam.input_ids[:1, :10]
    model = subject.model
    cache, steps = model.start(1, ids.shape[1]), []
    for position in range(ids.shape[1]):
        logits, cache = model.step(ids[:, position : position + 1], cache)
        steps.append(logits)
    return _apart(model(ids), torch.stack(steps, dim=1))


def _together(subject: Subject) -> float:
    ids, mask = padded_prompts()
    model = subject.model
    together, _ = model.step(ids, model.start(*ids.shape, attention_mask=mask))
    alone = []
    for row, real in zip(ids, mask.bool(), strict=True):
        prompt = row[real][None]
        alone.append(model.step(prompt, model.start(*prompt.shape))[0])
    return _apart(together, torch.cat(alone))


def _apart(one: torch.Tensor, other: torch.Tensor) -> float:
    return (one - other).abs().max().item()


def _stops(subject: Subject) -> float:
    return texts(subject.model, TEXTS, torch.Generator().manual_seed(0)).finished.float().mean().item()


def _right_and_new(subject: Subject) -> float:
    vocabulary = street_vocabulary()
    rows = texts(subject.model, TEXTS, torch.Generator().manual_seed(0)).rows()
    written = [vocabulary.text(row) for row in rows]
    known = {_key(row) for batch in subject.taught.read for row in batch.input_ids.tolist()}
    new = [text for text, row in zip(written, rows, strict=True) if _key([vocabulary.bos_id, *row]) not in known]
    return sum(map(is_grammatical, new)) / len(rows)


def _key(ids: list[int]) -> tuple[int, ...]:
    """A sentence without what stands around it."""
    return tuple(number for number in ids if number > street_vocabulary().eos_id)


def _least_moved(subject: Subject) -> float:
    after = subject.taught.model.state_dict()
    moved = [((after[name] - start).norm() / start.norm()).item() for name, start in subject.taught.before.items()]
    return min(moved)


PROBES = {
    probe.name: probe
    for probe in (
        Probe(
            "unseen sentences",
            "What is its loss on the words, <eos> not counted, of sentences that it has never read?",
            _unseen,
            lambda value, twin: value < twin + 0.12,
            "On the words of sentences that it has never read its loss is {}",
        ),
        Probe(
            "as it was taught",
            "Its last lesson read once more: how much higher is the loss now than the one noted in training?",
            _remembered,
            lambda value, twin: abs(value) < 0.1,
            "Its last lesson read once more: the loss now, less the one noted in training, is {}",
            "{:+.2f}",
        ),
        Probe(
            "which word it says",
            "Its likeliest guess at each position: how far ahead stands the word that it hits most often?",
            _ahead,
            lambda value, twin: value == 1,
            "The word that it guesses stands ahead by {}",
            "{:.0f}",
        ),
        Probe(
            "same answer twice",
            "The same sentences read twice: how far apart are the two answers (logits, at most)?",
            _again,
            lambda value, twin: value < EQUAL,
            "The same sentences read twice give logits that differ by up to {}",
        ),
        Probe(
            "cached equals uncached",
            "A sentence read word by word with the cache, and as a whole: how far apart are the logits?",
            _cached,
            lambda value, twin: value < EQUAL,
            "Read word by word and as a whole, logits differ by up to {}",
        ),
        Probe(
            "batch equals single",
            "Prompts of unequal length in one batch, and each alone: how far apart are the logits?",
            _together,
            lambda value, twin: value < EQUAL,
            "In company and alone, logits differ by up to {}",
        ),
        Probe(
            "stops",
            f"Of {TEXTS} texts that it writes, what share does it end itself?",
            _stops,
            lambda value, twin: value > 0.9,
            "The share of its texts that it ends itself is {}",
        ),
        Probe(
            "right and new",
            f"Of {TEXTS} texts that it writes, what share is good and no copy of something it has read?",
            _right_and_new,
            lambda value, twin: value > 0.4 * twin,
            "The share of its texts that are good and no copies is {}",
        ),
        Probe(
            "every organ learns",
            "How far did the weights that moved least move in training, as a share of their own size?",
            _least_moved,
            lambda value, twin: value > 1e-3,
            "In training the weights that moved least moved by {} of their size",
            "{:.3f}",
        ),
    )
}
"""Name → probe, in the order of the ward's table."""


def measured(probe: Probe, subject: Subject) -> float:
    """A probe's number, without gradients."""
    with torch.inference_mode():
        return probe.measure(subject)
