"""Masks by hand, by their definition, and what cannot be one."""

import pytest
import torch

from anatomy_utils.functional import masks


def test_masks_by_hand_and_bad_input():
    assert masks.combine(None, None) is None
    joined = masks.combine(masks.causal(3), masks.padding(torch.tensor([[1, 1, 0]])))
    assert joined.shape == (1, 1, 3, 3)
    assert joined[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    with pytest.raises(ValueError, match="only 1 .* and 0"):
        masks.padding(torch.tensor([[2, 1]]))
    with pytest.raises(ValueError, match="torch.float32"):
        masks.combine(torch.ones(2, 2))
    with pytest.raises(ValueError, match="-1"):
        masks.causal(-1)


def test_a_local_mask_reaches_as_far_to_either_side():
    at = torch.arange(7)
    for reach in (0, 2, 9):
        assert torch.equal(masks.local(7, reach), (at[:, None] - at).abs() <= reach)
    with pytest.raises(ValueError, match="not 3 and -1"):
        masks.local(3, -1)


def test_a_local_causal_mask_reaches_back_only_and_may_be_asked_for_its_last_rows():
    at = torch.arange(7)
    for window in (1, 3, 9):
        allowed = masks.local_causal(7, window)
        assert torch.equal(allowed, masks.causal(7) & (at[:, None] - at < window))
        assert torch.equal(masks.local_causal(7, window, queries=2), allowed[5:])


def test_a_restriction_keeps_the_numbers_of_what_is_allowed():
    numbers, allowed = torch.arange(6.0).view(2, 3), torch.tensor([[True, False, True], [False, True, True]])
    assert masks.restricted(numbers, allowed).tolist() == [[0, -torch.inf, 2], [-torch.inf, 4, 5]]
    assert torch.equal(masks.additive(numbers, allowed), masks.restricted(numbers, allowed))
    assert torch.equal(
        masks.additive(numbers, masks.restricted(numbers, allowed)), 2 * masks.restricted(numbers, allowed)
    )
    assert torch.equal(
        masks.restricted(~allowed[0], allowed), torch.tensor([[False, False, False], [False, True, False]])
    )
