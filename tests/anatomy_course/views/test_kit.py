"""The kit on a page: charts in CSS pixels, one sign for each kind of button, and fields that cut nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser
from view_sizes import LAB, assert_fits
from widget_page import show

from anatomy_course.views import AttentionStepper
from anatomy_course.views.attention_stepper.view import Steps
from anatomy_course.views.live_curves.view import LiveCurves

SIGN = "node => getComputedStyle(node, '::before').content"


def stepper() -> AttentionStepper:
    unit = [[1.0, 0.0], [0.0, 1.0]]
    return AttentionStepper(lambda _: Steps.of(["a", "b"], unit, unit, unit, unit))


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_a_chart_keeps_the_size_of_its_text(browser: Browser, width: int) -> None:
    curves = LiveCurves()
    curves.draw("one", range(9), range(9))
    shown = show(browser, curves, size=(LAB[width], 800))
    assert_fits(shown.page)
    chart = shown.page.locator(".line-chart").first.bounding_box()
    assert chart and chart["width"] <= width
    shown.check()


@pytest.mark.browser
def test_play_a_choice_and_a_switch_have_a_sign_each(browser: Browser) -> None:
    shown = show(browser, stepper())
    play = shown.page.get_by_role("button", name="Play")
    assert "▶" in play.evaluate(SIGN)
    play.click()
    assert "❚" in play.evaluate(SIGN)
    choice = shown.page.get_by_role("radio").first
    assert not {"▶", "❚"} & set(choice.evaluate(SIGN))
    assert choice.evaluate("node => getComputedStyle(node, '::before').borderRadius") == "50%"
    shown.check()


@pytest.mark.browser
def test_a_long_paste_arrives_whole(browser: Browser) -> None:
    shown = show(browser, stepper())
    field = shown.page.get_by_label("Sentence")
    field.fill("word " * 500)
    field.press("Enter")
    shown.settle()
    assert "2500 characters; at most 300 fit" in shown.widget.error
    shown.check()
