"""The debugging lab looked at by axe-core, wide and narrow, light and dark, before and after a cure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from access import RULES, load_axe, nameless_controls, violations
from made_up_debugging_lab import answer, view
from playwright.sync_api import Browser
from widget_page import show


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1000, 480])
def test_axe_finds_nothing_and_everything_has_a_name(
    browser: Browser, theme: Any, width: int, screenshots: Path
) -> None:
    shown = show(browser, view(chosen=[-1, 2, -1]), theme=theme, size=(width, 900), reduced_motion=True)
    load_axe(shown)
    for bed, question in ((0, {"do": "write"}), (1, {"do": "probe", "probe": "stops"}), (1, {"do": "cure"})):
        shown.update(bed=bed, question={"bed": bed, **question})
        answer(shown)
        for part in shown.page.locator(".wd-pick .button:enabled").all():
            part.click()
            assert violations(shown, RULES) == []
            assert nameless_controls(shown) == []
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width, "nothing sticks out of the page"
    shown.page.screenshot(path=screenshots / f"debugging_lab_{theme}_{width}.png", full_page=True)
    shown.check()
