"""Family tree and comparison (notebook 06) on a plain page, looked at by axe-core in both looks.

What they show, and how they are used by mouse and keyboard, is tested beside their Python classes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from access import RULES, load_axe, nameless_controls, violations
from playwright.sync_api import Browser
from widget_page import show

from anatomy_utils.views import taxonomy
from anatomy_utils.widgets.base import AnatomyWidget

STATES: dict[Callable[[], AnatomyWidget], list[dict[str, Any]]] = {
    taxonomy.family_tree: [{}, {"chosen": "T5", "length": 131_072}, {"chosen": "XLNet"}, {"chosen": "ELMo"}],
    taxonomy.compare_models: [{}, {"first": "T5", "second": "Mistral"}],
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
        name = "_".join([make.__name__, theme, str(width), *map(str, state.values())])
        shown.page.screenshot(path=screenshots / f"{name}.png", full_page=True)
    shown.check()
