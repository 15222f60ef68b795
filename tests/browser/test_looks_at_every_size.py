"""Every view at three sizes of window: text that can be read, nothing cut off, nothing on something, no jumps.

This is the quick half: in the light theme, pressing a few of each view's controls in the large window only. `make look`
presses more and in every window, measures after each press, and takes pictures.
"""

from __future__ import annotations

import pytest
from conftest import Ran
from look import ALLOWED, SIZES, see


def test_what_is_allowed_is_allowed_on_a_telephone_only() -> None:
    assert all(width == min(SIZES) for _, width in ALLOWED)


@pytest.mark.parametrize("width", SIZES)
def test_every_view_can_be_read_and_stands_still(ran: Ran, width: int) -> None:
    seen = see(ran.notebook, width, "light", press=width == max(SIZES), thorough=False)
    assert seen.looks
    found = [f"“{look.name}” ({look.kind}): {finding}" for look in seen.to_mend() for finding in look.findings]
    assert not found, "\n".join([f"{len(found)} findings:", *found])
