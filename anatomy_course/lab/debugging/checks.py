"""The checks: each measures one number of a model and compares it with that of a healthy baseline.

They are the same for every model. One alone seldom names a bug; which of them fail together does. Some look at texts
that a model generates: from nothing, and from prompts of unequal length in one batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from anatomy_course.lab.debugging.pipeline import Datasets, TrainedModel
from anatomy_course.lab.small_models.encoder_tasks import label_loss
from anatomy_course.lab.street.parser import is_grammatical
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.decoding.filters import Filters
from anatomy_utils.decoding.generation import Generated, generate
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.training.losses import IGNORE

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


TEXTS = 64
"""How many texts are sampled for a check."""
EQUAL = 1e-3
"""Logits that differ by less are the same: adding in another order costs some 1e-5."""


@dataclass(frozen=True)
class CheckedModel:
    """What a check looks at.

    Attributes:
        model: as deployed.
        trained: as trained.
        datasets: for training and test.
    """

    model: LanguageModel
    trained: TrainedModel
    datasets: Datasets


Measure = Callable[[CheckedModel], float]


@dataclass(frozen=True)
class Check:
    """A number measured of every model.

    Attributes:
        name: of the check.
        question: what the number answers.
        measure: computes the number.
        passes: (number, the baseline's number) → whether all is well.
        fails: in words, when it does not pass.
        says: format of a sentence with the number.
        shows: format of the number alone.
    """

    name: str
    question: str
    measure: Measure
    passes: Callable[[float, float], bool]
    fails: str
    says: str
    shows: str = "{:.2f}"

    def show(self, value: float | int) -> str:
        """A number as shown in a table."""
        return self.shows.format(value) if math.isfinite(value) else "NaN"


CHECKS: dict[str, Check] = {}
"""Name → check, in the order of the table."""


def _check(
    name: str, question: str, passes: Callable[[float, float], bool], fails: str, says: str, shows: str = "{:.2f}"
) -> Callable[[Measure], Measure]:
    """The function below measures the number of this check."""

    def noted(measure: Measure) -> Measure:
        CHECKS[name] = Check(name, question, measure, passes, fails, says, shows)
        return measure

    return noted


@_check(
    "unseen sentences",
    "What is its loss on the words of sentences that it has never read, <eos> not counted?",
    lambda value, baseline: value < baseline + 0.12,
    "0.12 or more above the twin's",
    "On the words of sentences that it has never read, its loss is {}",
)
def _unseen_loss(checked: CheckedModel) -> float:
    test = checked.datasets.test
    words = test.labels.masked_fill(test.labels == street_vocabulary().eos_id, IGNORE)
    return label_loss(checked.model, replace(test, labels=words)).item()


@_check(
    "as it was taught",
    "Its last training batch once more: how much higher is the loss now than the one noted in training?",
    lambda value, baseline: abs(value) < 0.1,
    "0.1 or more, up or down",
    "On its last training batch, the loss now minus the one noted in training is {}",
    "{:+.2f}",
)
def _loss_change(checked: CheckedModel) -> float:
    return label_loss(checked.model, checked.trained.batches[-1]).item() - checked.trained.history.loss[-1]


@_check(
    "which word it says",
    "At which shift do its likeliest guesses fit the text best: 0 for the word itself, 1 for the next?",
    lambda value, baseline: value == 1,
    "not 1",
    "The shift at which its guesses fit the text best is {}",
    "{:.0f}",
)
def _distance_of_guess(checked: CheckedModel) -> float:
    """The shift at which the likeliest guesses are right most often; 0 is the word itself, 1 the next one."""
    test = checked.datasets.test
    guesses = checked.model(test.input_ids, test.attention_mask).argmax(dim=-1)
    hits = []
    for ahead in range(4):
        words = test.input_ids[:, ahead:]
        real = words > street_vocabulary().eos_id
        hits.append((guesses[:, : words.shape[1]] == words)[real].float().mean())
    return float(torch.stack(hits).argmax())


@_check(
    "same answer twice",
    "The same sentences twice: by how much do the logits differ at most?",
    lambda value, baseline: value < EQUAL,
    "0.001 or more, or NaN",
    "For the same sentences twice, the logits differ by up to {}",
)
def _repeated(checked: CheckedModel) -> float:
    ids = checked.datasets.test.input_ids[:8]
    return _difference(checked.model(ids), checked.model(ids))


@_check(
    "cached equals uncached",
    "A sentence word by word with the cache, and as a whole: by how much do the logits differ at most?",
    lambda value, baseline: value < EQUAL,
    "0.001 or more, or NaN",
    "Word by word and as a whole, the logits differ by up to {}",
)
def _cached(checked: CheckedModel) -> float:
    ids = checked.datasets.test.input_ids[:1, :10]
    model = checked.model
    cache, steps = model.start(1, ids.shape[1]), []
    for position in range(ids.shape[1]):
        logits, cache = model.step(ids[:, position : position + 1], cache)
        steps.append(logits)
    return _difference(model(ids), torch.stack(steps, dim=1))


@_check(
    "batch equals single",
    "Prompts of unequal length in one batch, and each alone: by how much do the logits differ at most?",
    lambda value, baseline: value < EQUAL,
    "0.001 or more, or NaN",
    "In a batch and alone, the logits differ by up to {}",
)
def _batched(checked: CheckedModel) -> float:
    ids, mask = padded_prompts()
    model = checked.model
    together, _ = model.step(ids, model.start(*ids.shape, attention_mask=mask))
    alone = []
    for row, real in zip(ids, mask.bool(), strict=True):
        prompt = row[real][None]
        alone.append(model.step(prompt, model.start(*prompt.shape))[0])
    return _difference(together, torch.cat(alone))


def _difference(one: torch.Tensor, other: torch.Tensor) -> float:
    return (one - other).abs().max().item()


@_check(
    "stops",
    f"It writes {TEXTS} texts: what share does it end by itself?",
    lambda value, baseline: value > 0.9,
    "0.9 or less",
    "The share of its texts that it ends by itself is {}",
)
def _share_stopped(checked: CheckedModel) -> float:
    return sample_texts(checked.model, TEXTS, torch.Generator().manual_seed(0)).finished.float().mean().item()


@_check(
    "right and new",
    f"It writes {TEXTS} texts: what share is right and not copied from its training data?",
    lambda value, baseline: value > 0.4 * baseline,
    "0.4 of the twin's or less",
    "The share of its texts that are right and not copied is {}",
)
def _share_right_and_new(checked: CheckedModel) -> float:
    vocabulary = street_vocabulary()
    rows = sample_texts(checked.model, TEXTS, torch.Generator().manual_seed(0)).rows()
    written = [vocabulary.text(row) for row in rows]
    known = {_key(row) for batch in checked.trained.batches for row in batch.input_ids.tolist()}
    new = [text for text, row in zip(written, rows, strict=True) if _key([vocabulary.bos_id, *row]) not in known]
    return sum(map(is_grammatical, new)) / len(rows)


def _key(ids: list[int]) -> tuple[int, ...]:
    """A sentence without special tokens."""
    return tuple(number for number in ids if number > street_vocabulary().eos_id)


@_check(
    "every part learns",
    "How much did the weights that changed least in training change, relative to their size?",
    lambda value, baseline: value > 1e-3,
    "0.001 or less",
    "In training, the weights that changed least changed by {} of their size",
    "{:.3f}",
)
def _least_change(checked: CheckedModel) -> float:
    after = checked.trained.model.state_dict()
    moved = [
        ((after[name] - start).norm() / start.norm()).item() for name, start in checked.trained.initial_weights.items()
    ]
    return min(moved)
