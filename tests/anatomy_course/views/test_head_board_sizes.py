"""The head board on pages of three widths: what fits, what stands still, and how long its bars are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from measure import look_at
from playwright.sync_api import Browser
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import show

from anatomy_course.views import HeadBoard

TOKENS = "[CLS] the animal didn ' t cross the street because it was too tired . [SEP]".split()


def output(off: Any) -> np.ndarray:
    """Vectors that turn by 0.1 for every head that is off: they move by 1 − cos 0.1 = 0.005."""
    turned = 0.1 * len(off) + np.arange(len(TOKENS))
    return np.stack([np.cos(turned), np.sin(turned)], axis=-1)


def board() -> HeadBoard:
    weights = np.random.default_rng(0).dirichlet(np.ones(16) * 0.2, size=(6, 12, 16))
    return HeadBoard(weights, TOKENS, {"first": weights[..., 0].mean(-1)}, switch=output, query=10, key=2)


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_the_board_fits_and_does_not_jump_when_heads_go_off(browser: Browser, width: int) -> None:
    shown = show(browser, board(), size=(LAB[width], 900))
    heights = []
    for off in ([], [[0, 0]], [[0, 0], [1, 1], [5, 11]]):
        shown.widget.off = off
        shown.update(**{name: getattr(shown.widget, name) for name in ("off", "after", "moved", "answered")})
        assert_fits(shown.page)
        heights.append(height_of(shown.page))
    assert_stands_still(heights)
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_choosing_and_filtering_keep_the_height(browser: Browser, width: int) -> None:
    shown = show(browser, board(), size=(LAB[width], 900))
    root = shown.page.query_selector(".anatomy")
    assert root is not None
    seen = look_at(root, window=width, press=True)
    assert seen.presses >= 20 and seen.jump <= 8
    assert shown.page.locator(".shape").first.inner_text() == "6 layers × 12 heads"
    shown.page.get_by_role("slider", name="At least").fill("0.5")
    assert "of 72 heads" in shown.page.locator(".shape").first.inner_text()
    assert_fits(shown.page)
    shown.check()


@pytest.mark.browser
def test_a_small_effect_has_a_short_bar(browser: Browser) -> None:
    shown = show(browser, board())
    shown.widget.off = [[0, 0]]
    shown.update(**{name: getattr(shown.widget, name) for name in ("off", "after", "moved", "answered")})
    part = """node => node.getBoundingClientRect().width / node.parentElement.getBoundingClientRect().width"""
    parts = [bar.evaluate(part) for bar in shown.page.locator(".hb-track i").all()]
    assert len(parts) == 16
    assert parts == pytest.approx([1 - np.cos(0.1)] * 16, abs=0.02)
    assert "a full bar is 1" in shown.page.locator(".hb-moved").inner_text()
    shown.check()
