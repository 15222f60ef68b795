"""How large a view is drawn on its plain page, with the limits of `measure.py`."""

from __future__ import annotations

from collections.abc import Iterable

from measure import HIGH_FROM, JUMP, look_at, views
from playwright.sync_api import Page

LAB = {960: 1000, 592: 624, 330: 362}
"""Width of a card → width of a plain page that gives it."""


def height_of(page: Page) -> float:
    """Of the first card, in CSS pixels."""
    box = page.locator(".anatomy").first.bounding_box()
    assert box is not None
    return box["height"]


def assert_fits(page: Page) -> None:
    """Text can be read, nothing is cut off or lies on anything, and a wide card is no higher than a window shows."""
    assert page.viewport_size is not None
    wide = page.viewport_size["width"] >= LAB[960]
    findings = look_at(views(page)[0], window=HIGH_FROM if wide else 0).findings
    assert not findings, "\n".join(findings)


def assert_stands_still(heights: Iterable[float]) -> None:
    """The card kept its height from step to step."""
    known = list(heights)
    assert max(known) - min(known) <= JUMP, known
