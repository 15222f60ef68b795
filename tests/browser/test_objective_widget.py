"""The objective explorer of notebook 06 with all real objectives, on a plain page: used by hand, and by axe-core.

What it shows of made-up objectives is tested beside its Python class.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from access import RULES, load_axe, nameless_controls, violations
from driving import drag_slider, press
from playwright.sync_api import Browser, expect
from widget_page import Shown, show

from anatomy_course import views
from anatomy_course.lab.objectives import OBJECTIVES
from anatomy_course.views.objective_explorer.view import EXAMPLES

PICTURED = ("masked tokens", "whole words", "permuted order", "prefix LM", "sentence permutation")


def answer(shown: Shown) -> None:
    """What the kernel has computed reaches the page."""
    shown.settle()
    names = ("drawing", "sentence", "number", "rates", "error", "answered")
    shown.update(**{name: getattr(shown.widget, name) for name in names})


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_and_everything_has_a_name(browser: Browser, theme: Any, screenshots: Path) -> None:
    shown = show(browser, views.objective_explorer(), theme=theme, size=(1000, 900), reduced_motion=True)
    load_axe(shown)
    for name in PICTURED:
        shown.update(chosen=name)
        assert violations(shown, RULES) == []
        assert nameless_controls(shown) == []
        shown.page.screenshot(path=screenshots / f"objectives_{name.replace(' ', '_')}_{theme}.png", full_page=True)
    shown.check()


def test_nothing_sticks_out_of_a_narrow_page(browser: Browser, screenshots: Path) -> None:
    shown = show(browser, views.objective_explorer(), size=(480, 1300), reduced_motion=True)
    for name in OBJECTIVES:
        shown.update(chosen=name)
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 480
    shown.page.screenshot(path=screenshots / "objectives_narrow.png", full_page=True)
    shown.check()


def test_the_explorer_by_mouse_and_keyboard(browser: Browser) -> None:
    shown = show(browser, views.objective_explorer(), size=(1000, 900), reduced_motion=True)
    page = shown.page
    widget: Any = shown.widget
    page.get_by_role("radio", name="replaced tokens").click()
    shown.settle()
    expect(page.locator(".oe-counted")).to_contain_text("12 of 12 positions count")
    expect(page.locator(".oe-asked", has_text="replaced")).to_have_count(1)
    press(page.get_by_role("radio", name="replaced tokens"), "ArrowUp", "ArrowUp")
    shown.settle()
    assert widget.chosen == "next sentence"
    page.get_by_role("radio", name="span corruption").click()
    shown.settle()
    drag_slider(page.get_by_role("slider", name="Rate"), 0.6)
    answer(shown)
    answer(shown)
    assert widget.rates["span corruption"] > 0.5
    expect(page.locator(".oe-in.altered")).not_to_have_count(0)
    field = page.get_by_label("Sentence of the street")
    field.fill("The animal didn't cross the stret because it was too tired.")
    field.press("Enter")
    answer(shown)
    expect(page.locator(".error").first).to_contain_text("'stret' (nearest words: 'street'")
    page.get_by_label("Another sentence").select_option(EXAMPLES[2])
    answer(shown)
    assert widget.sentence.startswith("The dog avoided the lake") and field.input_value() == widget.sentence
    page.get_by_role("radio", name="translation pairs").click()
    answer(shown)
    expect(page.locator(".oe-asked")).to_contain_text(["le", "chien", "a", "évité"])
    page.get_by_role("button", name="Draw again").click()
    answer(shown)
    assert widget.number == 1
    shown.check()
