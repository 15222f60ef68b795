"""Cache lab, part swapper and logit lens (notebook 04) on a plain page, looked at by axe-core in both looks.

What they show, and how they are used by mouse and keyboard, is tested beside their Python classes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from access import RULES, load_axe, nameless_controls, violations
from made_up_decoder_widgets import OUTCOMES, cache_lab, lens, swapper
from playwright.sync_api import Browser
from widget_page import show

from anatomy_course.views._kit.base import AnatomyWidget

STATES: dict[Callable[[], AnatomyWidget], list[dict[str, Any]]] = {
    cache_lab: [
        {},
        {"cached": False, "step": 1, "costs": [{"length": 8, "with_cache": 0.01, "without": 0.2, "kept": 640}]},
    ],
    swapper: [{}, {"chosen": "ReLU"}],
    lens: [{}, {"layer": 0, "position": 1}],
}
"""Widget → what it is asked to show, one after the other."""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("make", STATES)
@pytest.mark.parametrize("width", [1000, 480])
def test_axe_finds_nothing_and_everything_has_a_name(
    browser: Browser, make: Callable[[], AnatomyWidget], theme: Any, width: int, screenshots: Path
) -> None:
    shown = show(browser, make(), theme=theme, size=(width, 1000), reduced_motion=True)
    load_axe(shown)
    for state in STATES[make]:
        shown.update(**state)
        assert violations(shown, RULES) == []
        assert nameless_controls(shown) == []
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width, "nothing sticks out of the page"
    shown.page.screenshot(path=screenshots / f"{make.__name__}_{theme}_{width}.png", full_page=True)
    shown.check()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_while_a_part_is_measured(browser: Browser, theme: Any) -> None:
    shown = show(browser, swapper(results={}, measure=OUTCOMES.__getitem__), theme=theme)
    load_axe(shown)
    shown.page.get_by_role("radio").nth(1).click()
    shown.settle()
    assert violations(shown, RULES) == []
    assert nameless_controls(shown) == []
    shown.check()
