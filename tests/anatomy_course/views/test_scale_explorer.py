"""The scale explorer: its numbers against theory and NumPy, and what slider, toggle and new sample do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from view_sizes import LAB, assert_fits, height_of
from widget_page import Browser, Shown, show

from anatomy_course.views import ScaleExplorer
from anatomy_course.views.scale_explorer.view import measure


def test_variance_grows_with_the_width_and_dividing_keeps_it_at_one() -> None:
    assert measure(256, scaled=False)["variance"] == pytest.approx(256, rel=0.1)
    assert measure(256, scaled=True)["variance"] == pytest.approx(1, rel=0.1)


def test_undivided_scores_saturate_and_leave_no_gradient() -> None:
    plain, divided = measure(512, scaled=False), measure(512, scaled=True)
    assert plain["entropy"] < 0.5 < 3 < divided["entropy"] < 4
    assert plain["gradient"] < 0.01 < 0.2 < divided["gradient"] and plain["largest"] > 0.9


def test_the_gradient_norm_is_that_of_the_jacobian() -> None:
    weights = np.array([0.7, 0.2, 0.1])
    squares = (weights**2).sum()
    closed_form = np.sqrt(squares - 2 * (weights**3).sum() + squares**2)
    assert closed_form == pytest.approx(np.linalg.norm(np.diag(weights) - np.outer(weights, weights)))


@pytest.mark.parametrize("wrong", [0, 513, -1, 2.5, True, "64", None])
def test_wrong_widths_get_one_sentence(wrong: Any) -> None:
    with pytest.raises(ValueError, match="d_head=.* was asked for; expected a whole number from 1 to 512"):
        ScaleExplorer(wrong)
    with pytest.raises(ValueError, match="expected a whole number from 1 to 512"):
        ScaleExplorer(513)


def test_the_twin_tells_the_measurement() -> None:
    assert "not divided it falls to 0." in ScaleExplorer().still_picture().alt


def test_the_twin_shows_scores_weights_entropy_and_gradient() -> None:
    figure = ScaleExplorer(32).still_picture().figure
    assert figure is not None
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == [
        "all scores at dₖ = 32", "weights of one query at dₖ = 32",
        "variance of the scores", "entropy of the weights, bits", "gradient of the softmax",
    ]  # fmt: skip
    divided, plain = figure.axes[4].lines
    assert plain.get_ydata()[-1] < 0.01 < 0.2 < divided.get_ydata()[-1]
    assert sum(bar.get_height() for bar in figure.axes[1].patches) == pytest.approx(2)


def value(shown: Shown, title: str) -> float:
    return float(shown.page.get_by_role("group", name=title).locator(".big").inner_text())


@pytest.mark.browser
def test_slider_toggle_and_sample(browser: Browser) -> None:
    shown = show(browser, ScaleExplorer(64))
    assert value(shown, "Variance of the scores") == pytest.approx(64, rel=0.15)
    assert value(shown, "Entropy of the weights") < 1
    slider = shown.page.get_by_role("slider")
    slider.focus()
    slider.press("End")
    assert slider.get_attribute("aria-valuetext") == "512"
    shown.settle()
    assert shown.widget.d_head == 512
    assert value(shown, "Gradient through the softmax") < 0.02
    shown.page.get_by_role("button", name="divide by √dₖ").click()
    shown.settle()
    assert shown.widget.scaled is True
    before = value(shown, "Variance of the scores")
    assert before == pytest.approx(1, rel=0.15)
    assert value(shown, "Gradient through the softmax") > 0.2
    weights = shown.page.get_by_role("img", name="Weights of one query").get_attribute("aria-label")
    shown.page.get_by_role("button", name="new sample").click()
    shown.settle()
    assert shown.page.get_by_role("img", name="Weights of one query").get_attribute("aria-label") != weights
    shown.update(d_head=9)
    shown.settle()
    assert slider.get_attribute("aria-valuetext") == "9"
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("wide", [960, 592, 330])
def test_its_charts_keep_their_text_and_it_keeps_its_height(browser: Browser, wide: int) -> None:
    shown = show(browser, ScaleExplorer(64), size=(LAB[wide], 900))
    assert_fits(shown.page)
    before = height_of(shown.page)
    assert wide == 330 or before <= 760, "the charts stand beside each other"
    for d_head, scaled in ((1, False), (512, False), (512, True)):
        shown.update(d_head=d_head, scaled=scaled)
        assert_fits(shown.page)
        assert abs(height_of(shown.page) - before) <= 8
    shown.page.set_viewport_size({"width": LAB[330], "height": 900})
    shown.settle()
    assert_fits(shown.page)
    shown.check()


@pytest.mark.browser
def test_a_measure_is_read_point_by_point(browser: Browser) -> None:
    shown = show(browser, ScaleExplorer(64))
    chart = shown.page.get_by_role("img", name="Entropy of the weights over dₖ")
    chart.focus()
    chart.press("ArrowRight")
    reading, live = chart.locator(".reading text"), shown.page.locator(".anatomy > [aria-live]")
    assert reading.inner_html() == live.inner_text()
    name, number = str(live.inner_text()).split(": ")
    assert name == "undivided" and number.endswith(" at 512") and float(number.split()[0]) < 0.5
    chart.press("ArrowDown")
    assert live.inner_text().startswith("divided: 3.")
    shown.check()


@pytest.mark.browser
def test_the_bars_are_drawn_as_the_curve_they_belong_to(browser: Browser) -> None:
    shown = show(browser, ScaleExplorer(64))
    for scaled, kind in ((False, "undivided"), (True, "divided")):
        shown.update(scaled=scaled)
        assert shown.page.locator(f".bar.{kind}").count() == shown.page.locator(".bar").count() == 17
        assert shown.page.locator(f".curve.chosen.{kind}").count() == 3 + 1  # and the key's
    assert shown.page.locator("sup").inner_text() == "T"
    shown.check()
