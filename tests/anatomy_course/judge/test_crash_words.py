"""Crashes in plain words, where the answer's other lines tell more; `answers/crashes.py` has one for each sentence."""

from __future__ import annotations

from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.judging.judge import judge


def test_the_line_that_gave_a_variable_its_shape_is_named_with_its_axes(unchecked: None) -> None:
    def per_position(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int) -> Tensor:
        query, key, value = ((x @ weight).unflatten(-1, (num_heads, -1)) for weight in (wq, wk, wv))
        scores = query @ key.mT / query.shape[-1] ** 0.5
        context = scores.softmax(-1) @ value
        return context.mT @ wo

    verdict = judge(find_exercise("multi_head.multi_head_attention"), per_position)
    first = per_position.__code__.co_firstlineno
    assert verdict.notes[0] == (
        f"`context` got its shape (2, 3, 7, 5) (batch × position × heads × d_head) in line {first + 3}."
    )
