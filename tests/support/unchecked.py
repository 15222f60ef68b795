"""Run something as in a learner's notebook: types and shapes are not checked at every call, and no lines counted.

Of long computations, checks and counting are the greater part; short tests run the same code with both.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import jaxtyping


@contextmanager
def shapes_unchecked() -> Iterator[None]:
    """What a learner has: no type checker in front of our own sentences."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        jaxtyping.config.update("jaxtyping_disable", before)


@contextmanager
def unchecked() -> Iterator[None]:
    """Neither types checked nor lines counted, for a while."""
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        with shapes_unchecked():
            yield
    finally:
        sys.settrace(tracer)
