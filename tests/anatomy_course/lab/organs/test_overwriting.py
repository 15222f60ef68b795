"""Overwriting: the delta rule for all positions at once, and texts that ask for the latest value."""

import torch
from torch.nn import functional as F

from anatomy_course.content.organs.delta_step import delta_step
from anatomy_course.lab.organs.overwriting import KEYS, SYMBOLS, delta_rule, overwritten, train_to_overwrite


def test_all_at_once_is_step_by_step():
    generator = torch.Generator().manual_seed(0)
    query, key = F.normalize(torch.randn(2, 3, 11, 5, generator=generator), dim=-1)
    value, beta = torch.randn(3, 11, 7, generator=generator), torch.rand(3, 11, 1, generator=generator)
    state, read = torch.zeros(3, 1, 7, 5), []
    for step in range(11):
        state = delta_step(state, key[:, None, step], value[:, None, step], beta[:, step])
        read.append((state[:, 0] @ query[:, step, :, None])[..., 0])
    torch.testing.assert_close(delta_rule(query, key, value, beta), torch.stack(read, dim=1), atol=1e-5, rtol=1e-5)


def test_the_answer_is_the_latest_value_of_each_key():
    inputs, labels = overwritten(20, 3, torch.Generator().manual_seed(1))
    assert inputs.shape == (20, 2 * 3 * KEYS + KEYS) and labels.shape == (20, KEYS)
    for row, answers in zip(inputs.tolist(), labels.tolist(), strict=True):
        pairs = dict(zip(row[:-KEYS:2], row[1:-KEYS:2], strict=True))  # a later value takes an earlier one's place
        assert [pairs[key] - SYMBOLS for key in row[-KEYS:]] == answers


def test_training_gives_a_share_for_each_seed_and_length_and_is_repeatable():
    first, again = (train_to_overwrite("delta rule", (0, 5), times=(1, 3, 2), steps=4) for _ in range(2))
    assert first.shape == (2, 3)
    assert torch.equal(first, again) and not torch.equal(first[0], first[1])
