"""Error messages: what torch and Python really say today is known, and nothing is left of their own words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from anatomy_course.judge.judging.error_messages import plain_words

A, B = torch.ones(2, 3), torch.ones(5, 7)


def _unassigned() -> Any:
    if A is None:
        late = 1
    return late


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda: A @ B, "the left one is 2 × 3, the right one 5 × 7."),
        (lambda: A @ torch.ones(4), "the matrix is 2 × 3, the vector has 4 numbers."),
        (lambda: torch.ones(2, 3, 5) @ torch.ones(2, 7, 5), "the last axis of the left has 5"),
        (
            lambda: A + B,
            "one has 3 and the other 7 where they should be equal, or one of them 1. Write both shapes down",
        ),
        (
            lambda: A.sum(4),
            "There is no axis 4: this tensor's axes are 0 to 1 or, counted from the end, -2 to -1.",
        ),
        (lambda: A[2], "Index 2 is not among the places of its axis, which holds 2 (0 to 1)."),
        (lambda: A.reshape(4, 2), "6 numbers cannot be laid out as (4, 2): the sizes must multiply to 6."),
        (lambda: A.T.view(6), "`view` reads the numbers in the order in which they lie"),
        (lambda: torch.cat([A, B]), "Joined along axis 0, tensors must be equally long along all others; here 3 meets"),
        (lambda: A.expand(2, 9), "expand repeats an axis of length 1 only; axis 1 has 3, and 9 was asked for."),
        (lambda: torch.exp(2.0), "torch.exp wants a tensor, and this is a plain number; for numbers there is math.exp"),
        (lambda: A.transposed, "A Tensor has nothing called `transposed`."),
        (lambda: missing, "`missing` is not known here."),
        (lambda: _unassigned(), "`late` is used before anything has been put into it."),
        (lambda: len(A)(), "A int cannot be called like a function"),
        (lambda: 1 + "1", "`+` does not work between int and str."),
        (lambda: bool(A == A), "An `if` (or `and`, `or`, `not`) wants one True or False"),
    ],
)
def test_what_really_happens_is_said_in_plain_words(function: Callable[[], Any], says: str) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011
        function()
    assert says in plain_words(raised.value)


def test_an_unknown_error_keeps_its_own_first_line() -> None:
    assert plain_words(OSError("the disk {0} is full\nsecond line")) == "OSError: the disk {0} is full"
    assert plain_words(KeyError()) == "It raised KeyError."
