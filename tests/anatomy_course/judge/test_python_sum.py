"""Python's own `sum` on a tensor."""

from __future__ import annotations

import pytest
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.judging.judge import judge


def weights(query: Tensor, key: Tensor) -> Tensor:
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return (scores - scores.amax(-1, keepdim=True)).exp()


def summed(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    powers = weights(query, key)
    shares = powers / sum(powers)
    return shares @ value, shares


def summed_with_an_axis(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    powers = weights(query, key)
    shares = powers / sum(powers, -1) * 3
    return shares @ value, shares


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (
            summed,
            "With the sum over the last axis, which stays with length 1, in its place your function would be right.",
        ),
        (summed_with_an_axis, "its second argument is not an axis but the number that it starts from."),
    ],
)
def test_it_adds_along_the_first_axis(function: object, says: str, unchecked: None) -> None:
    verdict = judge(find_exercise("attention.attention"), function)  # type: ignore[arg-type]
    assert verdict.found_by == "likeness:python_sum"
    assert says in verdict.sentence


def test_a_sum_of_a_list_is_not_accused(unchecked: None) -> None:
    def of_a_list(vectors: Tensor) -> Tensor:
        return sum(list(vectors)) / 7  # type: ignore[return-value]

    assert judge(find_exercise("start.mean"), of_a_list).found_by != "likeness:python_sum"
