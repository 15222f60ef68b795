"""Texts as a batch, the numbers about them, and the loop: it learns from the judge, and from nothing else."""

from math import log

import pytest
import torch
from torch import nn

from anatomy_course.content.workshop.advantages import advantages
from anatomy_course.content.workshop.judged_loss import judged_loss
from anatomy_course.content.workshop.next_id import next_id
from anatomy_course.lab.small_models.judged import (
    Judgment,
    as_batch,
    judge,
    learn_from_judgments,
    loss_on_texts,
    recorded_judgments,
)
from anatomy_course.lab.small_models.python_code import is_function

VOCABULARY, MOST = 7, 5


class Pairs(nn.Module):
    """Guesses from the last token alone, at first each token alike."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(VOCABULARY, VOCABULARY)
        nn.init.zeros_(self.table.weight)

    def forward(self, input_ids):
        return self.table(input_ids)


def test_a_batch_reads_the_end_mark_first_and_counts_up_to_the_mark_after_the_text():
    inputs, ids, counted = as_batch([[4, 5, 6], [2], []], most=3, end_id=1)
    assert inputs.tolist() == [[1, 4, 5], [1, 2, 1], [1, 1, 1]]
    assert ids.tolist() == [[4, 5, 6], [2, 1, 1], [1, 1, 1]]
    assert counted.tolist() == [[True, True, True], [True, True, False], [True, False, False]], "no end after a cut"


@pytest.mark.parametrize(("texts", "said"), [([[1, 2, 3]], "a text has 3 tokens"), ([], "there is no text")])
def test_a_batch_of_nothing_or_of_longer_texts_is_refused(texts, said):
    with pytest.raises(ValueError, match=said):
        as_batch(texts, most=2)


def test_the_loss_is_that_of_the_counted_tokens():
    model = Pairs()
    with torch.no_grad():
        model.table.weight[3, 4] = 20.0
    assert loss_on_texts(model, as_batch([[3]], most=2)) == pytest.approx((log(7) + 20) / 2, abs=1e-3)
    assert loss_on_texts(model, as_batch([[3]], most=9)) == loss_on_texts(model, as_batch([[3]], most=2)), (
        "what is after the end"
    )


def test_texts_are_counted_as_they_are():
    assert judge(["a b", "a b", "c"], lambda text: "a" in text, 2.0) == Judgment(2 / 3, 2, 5 / 3, 2.0)
    with pytest.raises(ValueError, match="There is no text to judge"):
        judge([], bool, 0.0)


def reward(text):
    return float(3 in text)


def learned(leash, shuffle=None):
    source, means = torch.Generator().manual_seed(0), []
    before = Pairs()
    after = learn_from_judgments(
        before, reward, lambda logits: next_id(logits, 1.0, VOCABULARY, source), advantages, judged_loss,
        leash=leash, steps=30, length=MOST, most=MOST, rate=0.1, shuffle=shuffle,
        on_step=lambda rewards, texts: means.append(rewards[-1]),
    )  # fmt: skip
    assert bool((before.table.weight == 0).all()), "where it began stays"
    return sum(means[-5:]) / 5, after.table.weight.detach()


def test_it_learns_what_the_judge_rewards_and_not_from_judgments_of_other_texts():
    free, weights = learned(0.0)
    held, held_weights = learned(2.0)
    dealt, _ = learned(0.0, torch.Generator().manual_seed(1))
    assert dealt < held < free and free > 0.95, "nothing, a little and most is learned"
    assert held_weights.abs().mean() < weights.abs().mean() / 2, "the leash holds it near where it began"


def test_the_record_tells_collapse_from_learning_in_every_seed():
    for runs in recorded_judgments()["street"].values():
        windows, before = runs["windows"], runs["rows"]
        free, held, dealt = (runs[f"rows, {name}"] for name in ("no leash", "leash 0.3", "dealt"))
        assert free["accepted"] > held["accepted"] > before["accepted"] + 0.2
        assert before["accepted"] >= windows["accepted"]
        assert dealt["accepted"] < before["accepted"] + 0.1
        assert free["different"] < 200 < 380 < held["different"]
        assert free["held_out"] > before["held_out"] + 0.5 > held["held_out"]


def test_the_parser_alone_makes_functions_short_and_alike():
    first, *_, last = recorded_judgments()["python"]["pages"]
    assert first["accepted"] < 0.3 and last["accepted"] > 0.9
    assert last["tokens"] < first["tokens"] / 3 and last["different"] < first["different"] / 2
    assert sum(is_function(text) for text in last["texts"]) == len(last["texts"])
