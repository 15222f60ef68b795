"""Every view in a large window: text that can be read, nothing cut off, nothing on something, control and effect near.

This is the quick half: in the light theme, pressing a few of each view's controls. `make look` presses more, in windows
of three sizes and in both themes, measures after each press, and takes pictures. On plain pages,
`tests/anatomy_course/views` looks at most views in the widths that they have in these windows.
"""

from __future__ import annotations

from conftest import Ran
from look import ALLOWED, SIZES, see


def test_what_is_allowed_is_allowed_on_a_telephone_only() -> None:
    assert all(width == min(SIZES) for _, width in ALLOWED)


def test_every_view_can_be_read_and_stands_still(ran: Ran) -> None:
    seen = see(ran.notebook, max(SIZES), "light", thorough=False)
    assert seen.looks
    found = [f"“{look.name}” ({look.kind}): {finding}" for look in seen.to_mend() for finding in look.findings]
    assert not found, "\n".join([f"{len(found)} findings:", *found])
