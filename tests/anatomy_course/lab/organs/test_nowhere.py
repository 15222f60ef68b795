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


def test_only_with_a_sink_do_weights_sum_to_less_where_nothing_is_found():
    plain, sunk = (look_up_or_not(1, sinks=sinks, steps=150) for sinks in (False, True))
    assert plain.sum_here == pytest.approx(1, abs=1e-5) and plain.sum_nowhere == pytest.approx(1, abs=1e-5)
    assert sunk.sum_nowhere < sunk.sum_here - 0.2
