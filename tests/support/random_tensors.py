"""Random tensors of any shape, the same ones for the same seed."""

import torch


def normal(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)
