"""Threads: torch gets as many as it is lent, and its own number back."""

import pytest
import torch

from anatomy_utils.training.threads import threads


def test_threads_are_lent_and_given_back():
    with threads(3):
        assert torch.get_num_threads() == 3
        with threads(2):
            assert torch.get_num_threads() == 2
        assert torch.get_num_threads() == 3
        with pytest.raises(KeyError), threads(5):
            raise KeyError
        assert torch.get_num_threads() == 3
