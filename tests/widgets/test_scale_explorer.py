"""The scale explorer: its numbers against theory and NumPy, and what slider, toggle and new sample do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from widget_page import Browser, Shown, show

from anatomy_utils.widgets import ScaleExplorer
from anatomy_utils.widgets.scale_explorer import _whole, measure


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
    with pytest.raises(ValueError, match="d_head is .*; expected a whole number from 1 to 512"):
        _whole(wrong, "d_head", 1, 512)
    with pytest.raises(ValueError, match="expected a whole number from 1 to 512"):
        ScaleExplorer(513)


def test_the_twin_tells_the_measurement() -> None:
    assert "not divided it falls to 0." in ScaleExplorer().static_twin().alt


def test_the_twin_shows_scores_weights_entropy_and_gradient() -> None:
    figure = ScaleExplorer(32).static_twin().figure
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
