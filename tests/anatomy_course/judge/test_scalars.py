"""Single numbers: the relation to the target that holds over all cases."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.judging.judge import judge

PERPLEXITY = find_exercise("decoder.perplexity")


def right(probabilities: Tensor, mask: Tensor) -> Tensor:
    return probabilities[mask == 1].log().mean().neg().exp()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t, mask: t * math.log(2), "the target times 0.693 (log 2)."),
        (lambda t, mask: -t, "the target with its sign flipped."),
        (lambda t, mask: t + 0.5, "0.5 too large, in each of these cases."),
        (lambda t, mask: t ** math.log(10), "the target to the power of 2.3 (log 10)."),
        (lambda t, mask: t * mask.sum(), "the target times the number of entries that count in `attention_mask`."),
        (lambda t, mask: t / mask.sum(), "the target divided by the number of entries that count in `attention_mask`."),
        (lambda t, mask: t + mask.shape[1], "the target plus the number of positions."),
        (lambda t, mask: t - mask.double().mean(), "minus the share of entries that count in `attention_mask`."),
    ],
)
def test_a_relation_over_all_cases(change: Callable[[Tensor, Tensor], Tensor], says: str) -> None:
    verdict = judge(PERPLEXITY, lambda p, mask: change(right(p, mask), mask).float())
    assert verdict.sentence.endswith(says)


def test_no_relation_where_every_case_has_its_own() -> None:
    verdict = judge(PERPLEXITY, lambda p, mask: right(p, mask) + p[0, 0] ** 3)
    assert verdict.found_by == "likeness:cell" and "does not recognize" in verdict.sentence


def test_a_mistake_times_a_number() -> None:
    mistake = next(mistake for mistake in PERPLEXITY.mistakes if mistake.name == "texts_alike")
    verdict = judge(PERPLEXITY, lambda p, mask: 3 * mistake.function(p, mask))
    assert verdict.found_by == "likeness:texts_alike+factor"
    assert mistake.sentence in verdict.sentence and "times 3" in verdict.sentence
    assert torch.is_tensor(mistake.function(torch.rand(1, 2), torch.ones(1, 2)))
