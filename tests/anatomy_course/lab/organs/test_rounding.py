"""Rounding: half a step off at most, nothing off the second time, and again something off in moved blocks."""

import pytest
import torch

from anatomy_course.content.organs.quantize import quantize
from anatomy_course.lab.organs import compare_roundings, perplexity, unpack
from anatomy_course.lab.organs.rounding import rounded
from anatomy_utils.training import seeded
from anatomy_utils.zoo.llama import LlamaConfig, with_head


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


def test_a_model_that_was_rounded_so_loses_nothing_but_in_moved_blocks():
    config = LlamaConfig(
        vocab_size=24, d_model=32, num_layers=2, num_heads=4, num_kv_heads=2, d_ff=96, max_positions=16, d_head=8
    )
    with seeded(torch.Generator().manual_seed(0)), torch.no_grad():
        model = with_head(config, "CausalLM").eval()
        for name, weight in model.named_parameters():
            if weight.dim() == 2:
                weight.copy_(rounded(weight, 8) if "tokens" in name else rounded(weight, 4, minimum=True))
    ids = torch.tensor([[3, 1, 4, 15, 9, 2, 6]])
    own, found = perplexity(model, ids), compare_roundings(model, ids)
    assert found["scale and minimum"][0] == pytest.approx(own, rel=1e-5)
    others = [*found["scale"], found["scale and minimum"][1]]
    assert all(abs(each - own) > 1e-4 * own for each in others)
