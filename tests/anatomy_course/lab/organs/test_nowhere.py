from __future__ import annotations

import pytest

from anatomy_course.lab.experiments.lookup_task import ON_A_STREET, LookupTask
from anatomy_course.lab.organs.nowhere import NOWHERE, _questions, look_up_or_not


def test_half_of_the_things_are_not_on_the_street():
    task = LookupTask(64, seed=1)
    street, question, answer = _questions(task, 400)
    assert street.shape == (400, ON_A_STREET, 64) and question.shape == (400, 1, 64)
    matches = (street @ question.mT)[..., 0].amax(1)
    here = answer != NOWHERE
    assert 0.4 < here.float().mean() < 0.6
    assert matches[here].mean() > 2 * matches[~here].mean()


def test_weight_leaves_the_street_only_where_it_has_somewhere_to_go():
    plain, sunk, token = (look_up_or_not(1, rest=rest, steps=150) for rest in ("none", "sink", "token"))
    assert plain.sum_here == pytest.approx(1, abs=1e-5) and plain.sum_nowhere == pytest.approx(1, abs=1e-5)
    assert sunk.sum_nowhere < sunk.sum_here - 0.2
    assert token.sum_nowhere < token.sum_here - 0.2
