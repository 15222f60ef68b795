"""Threads: torch gets as many as it is lent, and its own number back."""

import time

import pytest
import torch

from anatomy_utils.training.threads import seconds_computed, threads


def test_threads_are_lent_and_given_back():
    with threads(3):
        assert torch.get_num_threads() == 3
        with threads(2):
            assert torch.get_num_threads() == 2
        assert torch.get_num_threads() == 3
        with pytest.raises(KeyError), threads(5):
            raise KeyError
        assert torch.get_num_threads() == 3


def test_the_clock_runs_while_something_is_computed():
    before = seconds_computed()
    while seconds_computed() - before < 0.02:
        sum(range(1000))
    start, before = time.perf_counter(), seconds_computed()
    while time.perf_counter() - start < 0.001:
        pass
    assert seconds_computed() >= before
