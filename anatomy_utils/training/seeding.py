"""Chance that can be repeated: torch's global source of random numbers, borrowed and given back.

Fresh weights and dropout draw from torch's global source, which cannot be passed in. `seeded` sets it from a generator
for the length of a block and puts it back as it was, so that nobody else's chance changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import torch

_borrowing = RLock()
"""The global source is one for all threads: who borrows it has it alone."""


@contextmanager
def seeded(generator: torch.Generator | None) -> Iterator[None]:
    """Let a generator decide all that torch draws globally inside the `with` block.

    Args:
        generator: one number is drawn from it, so that a second block differs from the first; None leaves all as it is.

    >>> with seeded(torch.Generator().manual_seed(0)):
    ...     first = torch.nn.Linear(2, 3).weight
    >>> with seeded(torch.Generator().manual_seed(0)):
    ...     second = torch.nn.Linear(2, 3).weight
    >>> torch.equal(first, second)
    True
    """
    if generator is None:
        yield
        return
    seed = int(torch.randint(2**62, (), generator=generator, device=generator.device))
    with _borrowing, torch.random.fork_rng():
        torch.manual_seed(seed)
        yield
