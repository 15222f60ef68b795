"""The first words and the map looked at by axe-core, wide and narrow, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from access import RULES, load_axe, nameless_controls, violations
from playwright.sync_api import Browser
from widget_page import show

from anatomy_course.views import TransformerMap
from anatomy_course.views.first_words.view import type_a_sentence

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
VIEWS = {
    "first words": type_a_sentence,
    "map": lambda: TransformerMap(folder=NOTEBOOKS),
    "strip": lambda: TransformerMap("encoder", folder=NOTEBOOKS),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [992, 362])
@pytest.mark.parametrize("name", VIEWS)
def test_axe_finds_nothing_and_everything_has_a_name(browser: Browser, name: str, theme: Any, width: int) -> None:
    shown = show(browser, VIEWS[name](), theme=theme, size=(width, 900), reduced_motion=True)
    load_axe(shown)
    assert violations(shown, RULES) == []
    assert nameless_controls(shown) == []
    shown.check()
