"""The live views of heads (notebook 02) with the real encoder, on a plain page: by mouse, by keyboard, in both looks.

What each view shows is tested beside its Python class; here they are used as a reader would, and looked at by axe-core.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from access import RULES, load_axe, nameless_controls, violations
from driving import numbers_in, pixels, point_at, press
from playwright.sync_api import Browser, expect
from widget_page import Shown, show

from anatomy_course import views
from anatomy_course.views._kit.base import AnatomyWidget
from anatomy_course.views.head_board.view import IMPORTANCE
from anatomy_utils import pretrained
from anatomy_utils.nn.attention import MultiHeadAttention

STREET = "The animal didn't cross the street because it was too tired."


@cache
def minilm() -> Any:
    return pretrained.load("minilm")


def board() -> AnatomyWidget:
    return views.head_board(*minilm(), STREET, word="it", towards="animal")


def splitting() -> AnatomyWidget:
    torch.manual_seed(0)
    small = MultiHeadAttention(12, 3)
    words = "The animal crossed a street".split()
    return views.head_splitting(small, 2 * torch.randn(1, 5, 12), words, position=1, feature=9)


def answer(shown: Shown) -> None:
    """What the kernel has computed reaches the page."""
    shown.settle()
    widget: Any = shown.widget
    shown.update(after=widget.after, moved=widget.moved, error=widget.error, answered=widget.answered)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("make", [board, splitting])
@pytest.mark.parametrize("width", [1000, 480])
def test_axe_finds_nothing_and_everything_has_a_name(
    browser: Browser, make: Callable[[], AnatomyWidget], theme: Any, width: int, screenshots: Path
) -> None:
    shown = show(browser, make(), theme=theme, size=(width, 1300), reduced_motion=True)
    load_axe(shown)
    for state in [{}, {"off": [[3, 1], [5, 11]]}] if make is board else [{}, {"step": 5}, {"step": 8}]:
        shown.update(**state)
        if make is board:
            answer(shown)
        assert violations(shown, RULES) == []
        assert nameless_controls(shown) == []
    wide = shown.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, "nothing sticks out of the page"
    shown.page.screenshot(path=screenshots / f"{make.__name__}_{theme}_{width}.png", full_page=True)
    shown.check()


def test_the_board_by_mouse(browser: Browser) -> None:
    shown = show(browser, board(), size=(1000, 1300))
    page = shown.page
    assert page.locator(".hb-name").first.inner_text() == "3·1"
    page.get_by_label("Rank by").select_option("the previous token")
    assert page.locator(".hb-name").first.inner_text() == "0·2"
    assert numbers_in(page.locator(".hb-value").first.inner_text()) == [1.0]
    large = page.get_by_role("application")
    before = pixels(large)
    page.locator(".hb-tile").first.click()
    shown.settle()
    expect(page.locator("h4", has_text="Layer 0, head 2")).to_be_visible()
    assert pixels(large) != before
    point_at(large, 0.6, 0.6)
    shown.settle()
    assert numbers_in(page.locator(".av-read").inner_text())

    page.get_by_label("Rank by").select_option(IMPORTANCE)
    page.locator(".hb-tile").first.click()
    page.get_by_role("button", name="Switch layer 5, head 11 off").click()
    answer(shown)
    moved = [numbers_in(text)[0] for text in page.locator(".hb-bars .number").all_inner_texts()]
    assert len(moved) == 16
    assert max(moved) > 0.02
    before_after = page.locator(".hb-big .number").all_inner_texts()
    assert len(before_after) == 2 and before_after[0] != before_after[1]
    page.get_by_role("button", name="All heads on").click()
    answer(shown)
    expect(page.locator(".hb-effect")).to_contain_text("all heads on")
    shown.check()


def test_the_board_by_keyboard(browser: Browser) -> None:
    shown = show(browser, board(), size=(1000, 1300))
    heads = shown.page.get_by_role("listbox", name=re.compile("^Heads"))
    press(heads, "ArrowRight", " ")
    answer(shown)
    widget: Any = shown.widget
    assert (widget.layer, widget.head) == (5, 11)
    assert widget.off == [[5, 11]]
    expect(shown.page.locator("[aria-live=polite].visually-hidden")).to_contain_text("moved by")
    press(shown.page.get_by_role("slider", name="At least"), *["ArrowRight"] * 3)
    expect(shown.page.locator(".heading")).to_contain_text(re.compile(r"board\d\d? of 72 heads"))
    press(shown.page.get_by_role("application", name="Attention weights"), "ArrowUp")
    shown.settle()
    assert widget.query == 9
    shown.check()


def test_head_splitting_by_mouse_and_keyboard(browser: Browser) -> None:
    shown = show(browser, splitting(), size=(1000, 900))
    page = shown.page
    widget: Any = shown.widget
    step = page.get_by_role("button", name="Next")
    press(step, "Enter", "Enter", "Space")
    shown.settle()
    assert widget.step == 4
    number = page.locator(".ht-right .ht-number").inner_text()
    stage = page.locator(".ht-right").get_by_role("application")
    press(stage, "ArrowDown", "ArrowLeft")
    shown.settle()
    assert (widget.position, widget.feature) == (2, 8)
    assert page.locator(".ht-right .ht-number").inner_text() != number
    expect(page.locator("[aria-live=polite].visually-hidden")).to_contain_text("crossed, feature 8")
    page.wait_for_timeout(1000)  # cells come to rest
    page.locator(".ht-wrong .ht-cell").nth(0).click()
    shown.settle()
    assert (widget.position, widget.feature) == (0, 0)
    shown.check()


def test_cells_fly_unless_the_reader_asked_for_less_motion(browser: Browser) -> None:
    place = "() => document.querySelectorAll('.ht-right .ht-cell')[59].getBoundingClientRect().top"
    for reduced in (True, False):
        shown = show(browser, splitting(), size=(1000, 900), reduced_motion=reduced)
        shown.update(step=4)
        at_once = shown.page.evaluate(place)
        shown.page.wait_for_timeout(1200)
        assert (shown.page.evaluate(place) == at_once) is reduced
        shown.check()
