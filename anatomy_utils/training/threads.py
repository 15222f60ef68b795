"""Threads: how many cores torch uses, borrowed and given back.

The products inside a tiny model are too small to share out: a second thread brings next to nothing, and where other
programs want the same cores, torch's threads wait for each other and training becomes many times slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let torch use so many threads inside the `with` block, and as many as before after it.

    >>> before = torch.get_num_threads()
    >>> with threads(1):
    ...     torch.get_num_threads()
    1
    >>> torch.get_num_threads() == before
    True
    """
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
