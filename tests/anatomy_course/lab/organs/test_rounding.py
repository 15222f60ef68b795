"""Rounding: half a step off at most, nothing off the second time, and again something off in moved blocks."""

import torch

from anatomy_course.content.organs.quantize import quantize
from anatomy_course.lab.organs import unpack
from anatomy_course.lab.organs.rounding import rounded


def test_rounding_is_what_the_exercise_packs():
    weight = torch.randn(3, 160, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(rounded(weight, 3), unpack(*quantize(weight, 3, 32)))


def test_the_second_time_nothing_changes_but_in_moved_blocks():
    weight = torch.randn(5, 96, generator=torch.Generator().manual_seed(0))
    once = rounded(weight, 4, minimum=True)
    steps = (weight.view(-1, 32).amax(1) - weight.view(-1, 32).amin(1)) / 15
    assert ((once - weight).view(-1, 32).abs() <= steps[:, None] / 2 + 1e-6).all()
    torch.testing.assert_close(rounded(once, 4, minimum=True), once)
    moved = rounded(once, 4, minimum=True, moved=16)
    assert (moved - once).abs().mean() > 0.05
    by_hand = rounded(once.flatten().roll(-16).view(1, -1), 4, minimum=True).flatten().roll(16).view(5, 96)
    assert torch.equal(moved, by_hand)
