"""Lessons of the street for a published model: their answers, how a model's are counted, and what was recorded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from anatomy_course.lab.experiments import taught
from anatomy_course.lab.experiments.taught import Lesson, Measured
from anatomy_course.lab.street import answer, parse
from anatomy_utils.training.losses import IGNORE

SCHOOL = taught.lessons(40, torch.Generator().manual_seed(1), "train")
VOCABULARY = 128


class Letters:
    """A tokenizer whose ids are those of letters."""

    def __call__(self, text: str) -> SimpleNamespace:
        return SimpleNamespace(input_ids=torch.tensor([[ord(letter) for letter in text]]))

    def decode(self, ids: Tensor) -> str:
        return "".join(map(chr, ids.tolist()))


letters = Letters()


class Parrot:
    """Continues a text as the first of some texts that begins like it; after any other one, with a line break."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts, self.most = texts, 0

    def __call__(self, ids: Tensor) -> Tensor:
        self.most = max(self.most, len(ids))
        logits = torch.zeros(*ids.shape, VOCABULARY)
        for row, each in enumerate(ids.tolist()):
            text = "".join(map(chr, each))
            for place in range(len(text)):
                begun = text[: place + 1]
                longer = (each for each in self.texts if each.startswith(begun) and each != begun)
                logits[row, place, ord(next(longer, begun + "\n")[place + 1])] = 1
        return logits


def told(some: Sequence[Lesson]) -> list[str]:
    return [each.prompt + each.answer for each in some]


def test_the_answer_names_what_it_is_and_the_other_one_does_not() -> None:
    seen = set()
    for lesson in SCHOOL:
        sentence = lesson.prompt.removesuffix(taught.ASKED)
        scene = parse(sentence, "english")
        seen.add(scene.referent)
        right = answer(f"What was too {scene.reason}?", sentence).split()[-1]
        assert lesson.answer.startswith(f" The {right} was too {scene.reason} to ")
        wrong = scene.object if scene.referent == "subject" else scene.subject
        assert lesson.other.startswith(f" The {wrong} was too {scene.reason} to ")
        ending = f"the {scene.object}."
        assert lesson.answer.endswith(ending) == (scene.referent == "subject")
        assert lesson.other.endswith(ending) == (scene.referent == "object")
    assert seen == {"subject", "object"}


def test_what_is_asked_in_the_test_was_not_taught() -> None:
    exam = taught.lessons(40, torch.Generator().manual_seed(1), "test")
    assert not {each.prompt for each in exam} & {each.prompt for each in SCHOOL}


def test_a_coin_exchanges_the_answers_of_about_half() -> None:
    mixed = taught.by_coin(SCHOOL, torch.Generator().manual_seed(0))
    exchanged = 0
    for lesson, other in zip(SCHOOL, mixed, strict=True):
        assert other.prompt == lesson.prompt
        assert {other.answer, other.other} == {lesson.answer, lesson.other}
        exchanged += other.answer != lesson.answer
    assert 10 <= exchanged <= 30
    assert mixed == taught.by_coin(SCHOOL, torch.Generator().manual_seed(0))
    assert mixed != taught.by_coin(SCHOOL, torch.Generator().manual_seed(1))


def test_only_the_answers_tokens_are_learned() -> None:
    lessons = [Lesson("abc", "de", "fg"), Lesson("h", "i", "k")]
    ids, labels = taught.batch_of(lessons, letters, "x")
    row = [ord(letter) for letter in "xabcde"]
    assert ids.tolist() == [row, [ord(letter) for letter in "xhi"] + [0] * 3]
    assert labels.tolist() == [
        [IGNORE] * 3 + [ord("d"), ord("e"), IGNORE],
        [IGNORE, ord("i"), *[IGNORE] * 4],
    ]


def test_answers_are_counted_by_what_a_model_would_write() -> None:
    others = [each._replace(answer=each.other) for each in SCHOOL]
    assert taught.shares_of_answers(Parrot(told(SCHOOL)), SCHOOL, letters) == (1, 0)
    assert taught.shares_of_answers(Parrot(told(others)), SCHOOL, letters) == (0, 1)
    assert taught.shares_of_answers(Parrot([]), SCHOOL, letters) == (0, 0)
    mixed = Parrot([*told(SCHOOL[:20]), *told(others[20:30])])
    assert taught.shares_of_answers(mixed, SCHOOL, letters) == (0.5, 0.25)


def test_an_answer_that_only_begins_with_the_other_noun_counts_as_the_other() -> None:
    begun = [each.prompt + " ".join(each.other.split(" ")[:4]) for each in SCHOOL]
    assert taught.shares_of_answers(Parrot(begun), SCHOOL, letters) == (0, 1)


def test_examples_in_front_are_read_and_few_texts_at_once() -> None:
    before = taught.examples(SCHOOL[:2])
    assert before == "".join(f"{text}\n" for text in told(SCHOOL[:2]))
    parrot = Parrot([before + text for text in told(SCHOOL[2:6])])
    assert taught.shares_of_answers(parrot, SCHOOL[2:6], letters, before) == (1, 0)
    assert parrot.most == 1, "one is longer than 256 letters"
    assert taught.shares_of_answers(parrot, SCHOOL[2:6], letters) == (0, 0)


def test_the_loss_is_the_mean_over_all_tokens() -> None:
    assert math.isclose(
        taught.text_loss(lambda ids: torch.zeros(*ids.shape, VOCABULARY), ["abc", "de"], letters),
        math.log(VOCABULARY),
        rel_tol=1e-6,
    )
    knows = 50 * torch.nn.functional.one_hot(torch.arange(VOCABULARY).roll(-1), VOCABULARY).float()  # a, b, c, …
    loss = taught.text_loss(lambda ids: knows[ids], ["abcde", "aa"], letters)
    assert math.isclose(loss, 50 / 5, rel_tol=1e-4), "one of five tokens is wrong"


def test_nothing_to_measure_is_an_error() -> None:
    with pytest.raises(ValueError, match="no lesson to ask"):
        taught.shares_of_answers(Parrot([]), [], letters)
    with pytest.raises(ValueError, match="no token to guess"):
        taught.text_loss(Parrot([]), ["a"], letters)


def test_a_model_writes_up_to_a_period_a_line_or_the_limit() -> None:
    parrot = Parrot(["Say: one two. three", "Go\n\non\nand on", "12345678"])
    assert taught.write(parrot, "Say:", letters) == " one two."
    assert taught.write(parrot, "Go", letters) == "\n\non\n"
    assert taught.write(parrot, "12", letters, most=3) == "345"


def test_all_is_measured_at_once() -> None:
    found = taught.measure(Parrot(told(SCHOOL[:4])), SCHOOL[:5], ["def f(): pass"], letters)
    assert found[:2] == (0.8, 0.0)
    assert found.english == taught.text_loss(Parrot(told(SCHOOL[:4])), taught.PLAIN, letters)
    assert found.python == taught.text_loss(Parrot(told(SCHOOL[:4])), ["def f(): pass"], letters)


def test_a_table_has_a_number_for_each_seed() -> None:
    runs = {"before": [Measured(0.5, 0.25, 3.0, 2.0)], "taught": [Measured(1, 0, 3.126, 2), Measured(0.75, 0.25, 4, 1)]}
    assert taught.table_rows(runs) == [
        ["before", "50%", "25%", "25%", "3.00", "2.00"],
        ["taught", "100%, 75%", "0%, 25%", "0%, 0%", "3.13, 4.00", "2.00, 1.00"],
    ]


def test_the_notebook_says_what_was_recorded() -> None:
    kept = taught.recorded()
    assert {kind: len(runs) for kind, runs in kept.items()} == {
        "before": 1, "prompted": 1, "taught": 3, "coin": 3, "upper": 3,
    }  # fmt: skip
    (before,) = kept["before"]
    assert before.right + before.other == 0
    for kind in ("taught", "coin", "upper"):
        for run in kept[kind]:
            assert run.right + run.other >= 0.9, "they have the form"
            assert run.english > before.english + 0.1 and run.python > before.python + 0.1, "and have forgotten"
    right = {kind: [run.right for run in runs] for kind, runs in kept.items()}
    assert max(right["coin"]) <= 0.6 and max(right["upper"]) < 0.7 < 0.75 < min(right["taught"])
    (prompted,) = kept["prompted"]
    assert 0.55 < prompted.right + prompted.other < 0.75, "two thirds have the form"
    assert 0.4 < prompted.right / (prompted.right + prompted.other) < 0.6, "half of them the right noun"
