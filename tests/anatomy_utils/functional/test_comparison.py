"""Comparing runs: the first layer that differs, and how far a hidden word moves a real encoder's output."""

import torch
from solutions import both

from anatomy_course.lab.small_models.encoder_tasks import small_encoder
from anatomy_utils.functional.comparison import first_difference


def test_the_first_difference_is_the_lowest_of_a_real_word():
    theirs, mask = torch.zeros(5, 2, 3, 7), torch.tensor([[1, 1, 1], [1, 1, 0]])
    yours = theirs.clone()
    yours[0, 1, 2] = 9.0  # padding
    yours[1, 0, 0, 6] = -0.25  # as far off as is allowed
    assert first_difference(yours, theirs, mask, 0.25) == -1
    yours[4, 0, 1, 3] = 0.5
    assert first_difference(yours, theirs, mask, 0.25) == 4
    yours[2, 1, 1, 0] = -0.5
    assert first_difference(yours, theirs, mask, 0.25) == 2
    yours[1, 0, 2, 5] = torch.nan
    assert first_difference(yours, theirs, mask, 1.0) == 1


def test_hiding_a_word_of_a_model_moves_its_output():
    torch.manual_seed(0)
    body = small_encoder().eval()
    ids = torch.tensor([[5, 9, 7, 30, 11]])

    @torch.no_grad()
    def read(attention_mask):
        return body(ids.expand(len(attention_mask), -1), attention_mask)[:, 2]

    with torch.no_grad():
        shorter = torch.stack([body(ids, (torch.arange(5) != place).long()[None])[0, 2] for place in range(5)])
    wanted = (shorter - read(torch.ones(1, 5, dtype=torch.long))).norm(dim=-1)
    for effects in both("taxonomy.leave_one_out"):
        torch.testing.assert_close(effects(read, 5), wanted)
        assert (wanted > 0.01).all()
