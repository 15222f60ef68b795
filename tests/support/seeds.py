"""Randomness for tests: seeds to draw from, and a source of numbers for each."""

import torch
from hypothesis import strategies as st

SEEDS = st.integers(0, 10_000)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
