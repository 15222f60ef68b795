"""Schedules: by hand, and against Hugging Face's."""

import pytest
import torch
from torch import nn

from anatomy_utils.training import cosine_schedule, learning_rate, linear_schedule, paper_schedule


def test_paper_schedule_by_hand():
    schedule = paper_schedule(512, warmup=4000)
    assert schedule(4000) == pytest.approx(512**-0.5 * 4000**-0.5)
    assert schedule(1) == pytest.approx(schedule(4000) / 4000)
    assert schedule(16_000) == pytest.approx(schedule(4000) / 2)
    assert paper_schedule(512, scale=2.0)(77) == pytest.approx(2 * schedule(77))


@pytest.mark.parametrize(("ours", "theirs"), [(linear_schedule, "linear"), (cosine_schedule, "cosine")])
@pytest.mark.parametrize("warmup", [0, 3])
def test_schedules_equal_hugging_face(ours, theirs, warmup):
    from transformers import get_scheduler

    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.5)
    reference = get_scheduler(theirs, optimizer, num_warmup_steps=warmup, num_training_steps=17)
    schedule = ours(0.5, steps=17, warmup=warmup)
    for step in range(1, 20):  # theirs begins with a step of rate 0, ours with the first rate above it
        optimizer.step()
        reference.step()
        if step <= 17:
            assert schedule(step) == pytest.approx(optimizer.param_groups[0]["lr"]), step
        else:
            assert schedule(step) == pytest.approx(0)


def test_schedules_end_where_they_are_told_and_name_bad_numbers():
    assert [linear_schedule(1.0, steps=4, end=0.5)(step) for step in (4, 99)] == [0.5, 0.5]
    assert cosine_schedule(1.0, steps=4, end=0.5)(2) == pytest.approx(0.75)
    with pytest.raises(ValueError, match="warmup is 9 of 9 steps"):
        linear_schedule(1.0, steps=9, warmup=9)
    with pytest.raises(ValueError, match="warmup is 0 steps"):
        paper_schedule(8, warmup=0)


@pytest.mark.parametrize("warmup", [0, 5])
def test_a_rate_counted_from_0(warmup):
    rates = [learning_rate(step, 17, warmup, 0.8, 0.2) for step in range(17)]
    assert rates[0] == pytest.approx(0.8 / warmup) if warmup else rates[0] < 0.8
    assert rates[-1] == pytest.approx(0.2) and max(rates) <= 0.8
    assert rates == [cosine_schedule(0.8, steps=17, warmup=warmup, end=0.2)(step) for step in range(1, 18)]
    with pytest.raises(ValueError, match="warmup is 17 of 17"):
        learning_rate(0, 17, 17, 0.8, 0.2)
