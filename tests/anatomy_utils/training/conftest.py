"""What several tests of training share."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def keyboard() -> Iterator[None]:
    """Tests that run in the background inherit a keyboard that is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
