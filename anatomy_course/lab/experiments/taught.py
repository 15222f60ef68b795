"""Teaching a published model the street: what it is asked, how its answers are counted, what it forgets. Notebook 10.

A sentence of the street, "In short:", and the street's summary, which names what *it* stands for: "The street was too
wide to cross." So an answer has a form, and it is right or wrong. In the control the noun is chosen by a coin: the form
can be learned from it, the choice cannot.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F

from anatomy_course.lab.experiments.part_swaps import PLAIN as PLAIN
from anatomy_course.lab.street.inventory import Split
from anatomy_course.lab.street.labels import summary
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.text import detokenize
from anatomy_utils.training.losses import IGNORE

ASKED = "\nIn short:"
TOKENS = 256
"""How many tokens are read at once when answers are counted: their logits take 50 MB."""
RECORDED = Path(__file__).with_name("taught.json")

Read = Callable[[Int[Tensor, "batch position"]], Float[Tensor, "batch position vocabulary"]]
"""A model: ids → logits."""


@runtime_checkable
class _Tokenizer(Protocol):
    """Text → ids and back, as `pretrained.load` gives it."""

    def __call__(self, text: str, /) -> Any: ...

    def decode(self, ids: Tensor, /) -> str: ...


class Lesson(NamedTuple):
    """What is asked, what the street answers, and what it would answer if *it* were the other noun."""

    prompt: str
    answer: str
    other: str


class Measured(NamedTuple):
    """What a model answers, and how well it still guesses other texts."""

    right: float
    """The share of answers, from 0 to 1, that are the street's, word for word."""
    other: float
    """The share that begins with the other noun."""
    english: float
    """The loss on plain English, in nats per token."""
    python: float
    """The loss on Python functions."""


def lessons(count: int, generator: Generator, split: Split) -> list[Lesson]:
    """Different sentences of the street, and their summaries.

    The answer to "The truck couldn't cross the river because it was too weak." is "The truck was too weak to cross the
    river.", and the other one "The river was too weak to cross.", each with a space in front.
    """
    scenes = sample_scenes(count, generator, split)
    asked = [f"{say(scene, 'english')}{ASKED}" for scene in scenes]
    told = [[f" {detokenize(words)}" for words in (summary(scene), _other(scene))] for scene in scenes]
    return [Lesson(prompt, *both) for prompt, both in zip(asked, told, strict=True)]


def by_coin(right: Sequence[Lesson], generator: Generator) -> list[Lesson]:
    """The same lessons; in about half of them, by chance, the answer is the one with the other noun."""
    heads = torch.rand(len(right), generator=generator) < 0.5
    return [
        lesson._replace(answer=lesson.other, other=lesson.answer) if head else lesson
        for lesson, head in zip(right, heads.tolist(), strict=True)
    ]


def batch_of(
    some: Sequence[Lesson], tokenizer: _Tokenizer, before: str = ""
) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"]]:
    """Inputs and labels: each position's label is the next token where that is one of the answer, else `IGNORE`.

    Args:
        some: lessons; shorter ones are filled up at the end, where no position that counts can see it.
        tokenizer: as `pretrained.load` gives it.
        before: a text in front of each prompt, such as lessons with their answers.
    """
    rows = [[tokenizer(text).input_ids[0].tolist() for text in (before + each.prompt, each.answer)] for each in some]
    length = max(len(prompt) + len(answer) for prompt, answer in rows)
    ids, labels = torch.zeros(len(rows), length, dtype=torch.long), torch.full((len(rows), length), IGNORE)
    for row, (prompt, answer) in enumerate(rows):
        ids[row, : len(prompt) + len(answer)] = torch.tensor(prompt + answer)
        labels[row, len(prompt) - 1 : len(prompt) + len(answer) - 1] = torch.tensor(answer)
    return ids, labels


def examples(some: Iterable[Lesson]) -> str:
    """Lessons with their answers, one after the other, to put in front of a prompt."""
    return "".join(f"{each.prompt}{each.answer}\n" for each in some)


def shares_of_answers(
    read: Read, some: Sequence[Lesson], tokenizer: _Tokenizer, before: str = ""
) -> tuple[float, float]:
    """Which answers a model writes when it always takes the likeliest token.

    Nothing is written for that: it is given an answer, and writes it if each token of it is the likeliest.

    Args:
        read: the model.
        some: lessons that it is asked.
        before: as in `batch_of`.

    Returns:
        The shares of right answers and of answers that begin with the other noun.

    Raises:
        ValueError: there is no lesson.
    """
    if not some:
        raise ValueError("There is no lesson to ask; give a list of them.")
    right = _written(read, some, tokenizer, before)
    left = [each for each, is_right in zip(some, right, strict=True) if not is_right]
    beginnings = [each._replace(answer=" ".join(each.other.split(" ")[:3])) for each in left]  # " The street"
    other = _written(read, beginnings, tokenizer, before)
    return sum(right) / len(some), sum(other) / len(some)


@torch.no_grad()
def text_loss(read: Read, texts: Sequence[str], tokenizer: _Tokenizer) -> float:
    """The mean cross-entropy of texts' tokens, all but the first of each, in nats.

    Raises:
        ValueError: there is no token to guess.
    """
    total, count = 0.0, 0
    for text in texts:
        ids = tokenizer(text).input_ids
        total += F.cross_entropy(read(ids[:, :-1])[0], ids[0, 1:], reduction="sum").item()
        count += ids.shape[1] - 1
    if not count:
        raise ValueError("There is no token to guess; give at least one text of two tokens.")
    return total / count


def measure(read: Read, some: Sequence[Lesson], python: Sequence[str], tokenizer: _Tokenizer) -> Measured:
    """Ask a model, and let it guess plain English and some functions; errors as in what it calls."""
    losses = (text_loss(read, texts, tokenizer) for texts in (PLAIN, python))
    return Measured(*shares_of_answers(read, some, tokenizer), *losses)


@torch.no_grad()
def write(read: Read, prompt: str, tokenizer: _Tokenizer, most: int = 16) -> str:
    """The likeliest token after a prompt, again and again: up to a period or the end of a line, or `most` tokens."""
    ids = tokenizer(prompt).input_ids
    length, text = ids.shape[1], ""
    while ids.shape[1] < length + most and not (text.strip() and text.endswith((".", "\n"))):
        ids = torch.cat([ids, read(ids)[:, -1:].argmax(dim=-1)], dim=1)
        text = tokenizer.decode(ids[0, length:])
    return text


def recorded() -> dict[str, list[Measured]]:
    """What `docs/record_taught.py` measured on another machine: kind of run → one for each seed.

    The kinds are "before", "prompted" (with examples in front), "taught", "coin" (taught a coin's answers) and "upper"
    (with adapters in the upper ten blocks alone).
    """
    kept = json.loads(RECORDED.read_text(encoding="utf-8"))
    return {kind: [Measured(*each) for each in seeds] for kind, seeds in kept.items()}


def table_rows(runs: Mapping[str, Sequence[Measured]]) -> list[list[str]]:
    """Rows for `show_table`: kind of run, shares of answers (right, other noun, something else), both losses.

    Where there are several seeds, a cell holds one number for each.
    """
    rows = []
    for kind, seeds in runs.items():
        shares = ((each.right, each.other, abs(1 - each.right - each.other)) for each in seeds)
        told = [[*(f"{share:.0%}" for share in of_seed)] for of_seed in shares]
        losses = [[f"{loss:.2f}" for loss in (each.english, each.python)] for each in seeds]
        of_seeds = [[*one, *other] for one, other in zip(told, losses, strict=True)]
        rows.append([kind, *(", ".join(column) for column in zip(*of_seeds, strict=True))])
    return rows


@torch.no_grad()
def _written(read: Read, some: Sequence[Lesson], tokenizer: _Tokenizer, before: str) -> list[bool]:
    written: list[bool] = []
    while len(written) < len(some):
        longest = batch_of(some[len(written) : len(written) + 1], tokenizer, before)[0].shape[1]
        chunk = some[len(written) : len(written) + max(1, TOKENS // longest)]
        ids, labels = batch_of(chunk, tokenizer, before)
        likeliest = read(ids).argmax(dim=-1)
        written += ((likeliest == labels) | (labels == IGNORE)).all(dim=1).tolist()
    return written


def _other(scene: Scene) -> list[str]:
    """The summary as it would be if *it* were the other noun."""
    the, _, *rest, period = summary(scene)
    if scene.referent == "subject":  # the summary ends in the object
        return [the, scene.object, *rest[:-2], period]
    return [the, scene.subject, *rest, the, scene.object, period]
