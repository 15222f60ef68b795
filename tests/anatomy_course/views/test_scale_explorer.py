"""The scale explorer: its numbers against theory and NumPy, and what slider, toggle and new sample do."""

from __future__ import annotations

from typing import Any

import pytest
from on_page import OnPage, Show
from view_sizes import LAB, height_of

from anatomy_course.views import ScaleExplorer
from anatomy_course.views.scale_explorer.view import measure


def test_variance_grows_with_the_width_and_dividing_keeps_it_at_one() -> None:
    assert measure(256, scaled=False)["variance"] == pytest.approx(256, rel=0.1)
    assert measure(256, scaled=True)["variance"] == pytest.approx(1, rel=0.1)


def test_undivided_scores_saturate_and_leave_no_gradient() -> None:
    plain, divided = measure(512, scaled=False), measure(512, scaled=True)
    assert plain["entropy"] < 0.5 < 3 < divided["entropy"] < 4
    assert plain["gradient"] < 0.01 < 0.2 < divided["gradient"] and plain["largest"] > 0.9


@pytest.mark.parametrize("wrong", [0, 513, 2.5, True, "64", None])
def test_wrong_widths_get_one_sentence(wrong: Any) -> None:
    with pytest.raises(ValueError, match="d_head=.* was asked for; expected a whole number from 1 to 512"):
        ScaleExplorer(wrong)


def test_the_picture_shows_scores_weights_entropy_and_gradient() -> None:
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


def value(shown: OnPage, title: str) -> float:
    return float(shown.page.get_by_role("group", name=title).locator(".big").inner_text())


def test_slider_toggle_and_sample(show: Show) -> None:
    shown = show(ScaleExplorer(64))
    assert value(shown, "Variance of the scores") == pytest.approx(64, rel=0.15)
    assert value(shown, "Entropy of the weights") < 1
    slider = shown.page.get_by_role("slider")
    slider.press("End")
    shown.settle()
    assert slider.get_attribute("aria-valuetext") == "512" and shown.widget.d_head == 512
    assert value(shown, "Gradient through the softmax") < 0.02
    shown.click("button", "divide by √dₖ")
    assert shown.widget.scaled is True
    assert value(shown, "Variance of the scores") == pytest.approx(1, rel=0.15)
    assert value(shown, "Gradient through the softmax") > 0.2
    weights = shown.page.get_by_role("img", name="Weights of one query")
    before = weights.get_attribute("aria-label")
    shown.click("button", "new sample")
    assert weights.get_attribute("aria-label") != before
    shown.update(d_head=9)
    assert slider.get_attribute("aria-valuetext") == "9"


def test_a_width_between_the_sliders_stops_is_named_from_the_start(show: Show) -> None:
    shown = show(ScaleExplorer(9))
    assert shown.text("output") == shown.page.get_by_role("slider").get_attribute("aria-valuetext") == "9"


@pytest.mark.parametrize("width", [960, 592])
def test_its_charts_stand_beside_each_other(show: Show, width: int) -> None:
    assert width in LAB and height_of(show(ScaleExplorer(64), width=width).page) <= 760


def test_a_measure_is_read_point_by_point(show: Show) -> None:
    shown = show(ScaleExplorer(64))
    chart = shown.page.get_by_role("img", name="Entropy of the weights over dₖ")
    chart.press("ArrowRight")
    live = shown.page.locator(".anatomy > [aria-live]")
    assert chart.locator(".reading text").inner_html() == live.inner_text()
    name, number = live.inner_text().split(": ")
    assert name == "undivided" and number.endswith(" at 512") and float(number.split()[0]) < 0.5
    chart.press("ArrowDown")
    assert live.inner_text().startswith("divided: 3.")


def test_the_bars_are_drawn_as_the_curve_they_belong_to(show: Show) -> None:
    shown = show(ScaleExplorer(64))
    for scaled, kind in ((False, "undivided"), (True, "divided")):
        shown.update(scaled=scaled)
        assert shown.count(f".bar.{kind}") == shown.count(".bar") == 17
        assert shown.count(f".curve.chosen.{kind}") == 3 + 1  # and the key's
    assert shown.text("sup") == "T"
