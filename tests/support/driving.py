"""How a reader's hands move, and waiting for what comes of it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, expect


def wait_until(condition: Callable[[], bool], place: Locator, what: str, seconds: float = 30) -> None:
    """Look again every 50 ms until `condition` holds."""
    for _ in range(int(seconds * 20)):
        if condition():
            return
        place.page.wait_for_timeout(50)
    raise AssertionError(f"In {seconds:.0f} s it did not happen that {what}.")


def press(place: Locator, *keys: str) -> None:
    """Focus an element and press keys one after the other."""
    place.focus()
    expect(place).to_be_focused()
    for key in keys:
        place.page.keyboard.press(key)
