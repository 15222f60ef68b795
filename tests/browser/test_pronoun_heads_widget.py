"""The pronoun heads' view looked at by axe-core, wide and narrow, light and dark, before and after a search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from access import RULES, load_axe, nameless_controls, violations
from made_up_pronoun_heads import answer, view
from playwright.sync_api import Browser
from widget_page import show


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1000, 480])
def test_axe_finds_nothing_and_everything_has_a_name(
    browser: Browser, theme: Any, width: int, screenshots: Path
) -> None:
    shown = show(browser, view(), theme=theme, size=(width, 900), reduced_motion=True)
    load_axe(shown)
    for question in ({"off": [], "pair": 0}, {"off": [["encoder", 0, 1]], "pair": 0}, {"search": True, "pair": 1}):
        shown.update(question=question)
        answer(shown)
        assert violations(shown, RULES) == []
        assert nameless_controls(shown) == []
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width, "nothing sticks out of the page"
    shown.page.screenshot(path=screenshots / f"pronoun_heads_{theme}_{width}.png", full_page=True)
    shown.check()
