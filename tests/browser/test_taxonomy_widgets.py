"""Family tree and comparison (notebook 06) on a plain page, looked at by axe-core in both looks.

What they show, and how they are used by mouse and keyboard, is tested beside their Python classes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from access import RULES, load_axe, nameless_controls, violations
from playwright.sync_api import Browser, FloatRect
from widget_page import show

from anatomy_course import views
from anatomy_course.views._kit.base import AnatomyWidget

STATES: dict[Callable[[], AnatomyWidget], list[dict[str, Any]]] = {
    views.family_tree: [{}, {"chosen": "T5", "length": 131_072}, {"chosen": "XLNet"}, {"chosen": "ELMo"}],
    views.compare_models: [{}, {"first": "T5", "second": "Mistral"}],
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


def test_what_changed_stands_at_every_model_and_covers_nothing(browser: Browser) -> None:
    shown = show(browser, views.family_tree(), size=(992, 900), reduced_motion=True)
    page = shown.page
    for name in ("Transformer", "ModernBERT"):  # bold names are wider
        page.get_by_role("treeitem", name=name, exact=False).first.click()
        shown.settle()
        notes = page.locator(".ft-note")
        assert all(note.is_visible() for note in notes.all())
        boxes = [each.bounding_box() for each in page.locator(".ft-note, .ft-label, .ft-dot, .ft-branch").all()]
        faults = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a and b and overlap(a, b)]
        assert faults == []
    page.locator(".ft-note", has_text="RMSNorm, rotary, SwiGLU").click()
    shown.settle()
    assert page.locator(".ft-name b").inner_text() == "Llama"
    shown.check()


def overlap(one: FloatRect, other: FloatRect) -> bool:
    """Whether two boxes have more than a line's leading in common."""
    wide = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    high = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return wide > 0 and high > 3
