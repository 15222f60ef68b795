"""Cache lab, part swapper and logit lens: their counts and refusals, and how they are used by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from made_up_decoder_widgets import FIRST, HOSTILE, OUTCOMES, cache_lab, lens, swapper
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import Browser, Shown, show

from anatomy_course.lab.experiments.cache_cost import CacheEntry
from anatomy_course.lab.experiments.part_swaps import SwapResult
from anatomy_course.views.logit_lens.view import Readings


def answered(shown: Shown, *names: str) -> None:
    """What the kernel has answered reaches the page."""
    shown.settle()
    shown.update(**{name: getattr(shown.widget, name) for name in (*names, "error", "answered")})


# ---- Python


def test_steps_are_counted() -> None:
    lab = cache_lab()
    assert [(step.computed, step.read) for step in lab.steps(cached=True)] == [(3, 0), (1, 3), (1, 4), (1, 5)]
    assert [(step.computed, step.read) for step in lab.steps(cached=False)] == [(3, 0), (4, 0), (5, 0), (6, 0)]
    assert "of 6 positions are computed with the cache, of 18 without it" in lab.still_picture().alt
    assert lab.still_picture().alt.endswith("takes 80 bytes.")


def test_lengths_are_measured_one_by_one() -> None:
    lab = cache_lab()
    for length in (8, 4, 8):
        lab.set_state({"question": {"length": length, "asked": lab.answered + 1}})
    assert lab.costs == [
        {"length": 4, "with_cache": 0.001, "without": 0.002, "kept": 320},
        {"length": 8, "with_cache": 0.001, "without": 0.004, "kept": 640},
    ]
    lab.set_state({"question": {"length": 5}})
    assert lab.error == "Length 5 cannot be measured here." and len(lab.costs) == 2


def test_parts_are_measured_when_they_are_asked_for() -> None:
    asked: list[str] = []

    def measure(name: str) -> SwapResult:
        asked.append(name)
        if name == "ReLU":
            raise RuntimeError("out of memory")
        return OUTCOMES[name]

    widget = swapper(results={}, measure=measure)
    widget.set_state({"question": {"name": "multi-head"}})
    assert widget.results["multi-head"]["cache_bytes"] == 240 and widget.error == ""
    widget.set_state({"question": {"name": "ReLU"}})
    assert "out of memory" in widget.error and set(widget.results) == {"multi-head"}
    widget.set_state({"question": {"name": "multi-head", "again": 1}})
    widget.set_state({"question": {"name": "GELU"}})
    assert widget.error == "There is no part 'GELU' to exchange." and asked == ["multi-head", "ReLU"]


def test_readings_are_what_was_computed() -> None:
    widget = lens()
    assert (widget.layer, widget.position, widget.layers) == (3, 2, 4)
    assert widget.said(0, 0) == [("a", 0.5), (HOSTILE, 0.25)]
    assert [widget.settled(position) for position in range(3)] == [3, 0, 3]
    widget.set_state({"question": {"text": "only two"}})
    assert (widget.tokens, widget.position, widget.error) == (["only", "two"], 1, "")
    widget.set_state({"question": {"text": "raise"}})
    assert widget.error.startswith("That word is not known") and widget.tokens == ["only", "two"]


def test_twins_tell_what_they_show() -> None:
    assert "ReLU 730000000 and" not in (alt := swapper().still_picture().alt)
    assert "as it is 50.6 and 104; LayerNorm 59.6 and 134; ReLU 7.30e8 and 2.10e10" in alt
    assert "after “animal” “c” from layer 3 on" in lens().still_picture().alt


@pytest.mark.parametrize(
    ("make", "wrong", "said"),
    [
        (cache_lab, {"written": ["a"] * 22}, "There are 25 positions; at most 24 can be drawn"),
        (cache_lab, {"entry": CacheEntry(2, 2, 3, 5, 4)}, "kv_heads dividing heads"),
        (cache_lab, {"entry": CacheEntry(0, 1, 3, 5, 4)}, "counts of at least 1"),
        (cache_lab, {"prompt": []}, "prompt has 0 words"),
        (swapper, {"parts": {}}, "give at least one"),
        (swapper, {"chosen": "GELU"}, "chosen='GELU' was asked for; expected one of 'LayerNorm', 'ReLU'"),
        (swapper, {"results": {}}, "There is no result for 'LayerNorm'"),
        (swapper, {"before": SwapResult("before", float("inf"), 2.0, "", 1)}, "plain is inf"),
        (lens, {"position": 3}, "position=3 was asked for; expected a whole number from 0 to 2"),
        (lens, {"text": " "}, "The sentence is empty"),
        (lens, {"text": "a " * 25}, "That makes 25 tokens; the drawing has room for 24"),
        (lens, {"compute": lambda text: Readings(["a"], [], np.ones((2, 1, 1)), [[1], [1]], [[1], [1]])}, "top has"),
        (
            lens,
            {"compute": lambda text: Readings(["a"], [[["x"]]] * 2, np.ones((2, 1, 1)), [[1]], [[1]])},
            r"final_probabilities has shape \(1, 1\); expected .*here \(2, 1\)",
        ),
    ],
)
def test_wrong_input_gets_one_sentence(make: Callable[..., Any], wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said) as error:
        make(**wrong)
    assert "\n" not in str(error.value)


# ---- the cache lab on its page


def sums(shown: Shown) -> list[list[str]]:
    rows = shown.page.locator(".cl-sums tbody tr").all()
    return [[text.replace("\u202f", "") for text in row.locator("td").all_inner_texts()] for row in rows]


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_cache_by_mouse_and_keys(browser: Browser, theme: Any) -> None:
    shown = show(browser, cache_lab(), theme=theme)
    page = shown.page
    grid = page.get_by_role("img", name="Step 3")
    assert "computes keys and values of 1 position, reads those of 5" in (grid.get_attribute("aria-label") or "")
    assert sums(shown) == [["6", "18"], ["12", "0"], ["960 bytes", "0 bytes"], ["480 bytes", "0 bytes"]]
    page.locator(".cl-row", has_text="step 1").click()
    shown.settle()
    assert shown.widget.step == 1 and sums(shown)[0] == ["4", "7"]  # type: ignore[attr-defined]
    page.get_by_role("slider", name="Step").press("ArrowRight")
    shown.settle()
    assert shown.widget.step == 2 and sums(shown)[1] == ["7", "0"]  # type: ignore[attr-defined]
    page.get_by_role("button", name="Cache").press("Enter")
    shown.settle()
    assert not shown.widget.cached  # type: ignore[attr-defined]
    label = page.get_by_role("img", name="Step 2").get_attribute("aria-label") or ""
    assert label == "Step 2, without the cache: computes keys and values of 5 positions, 4 of them again."
    assert page.locator(".cl-row.now .cl-cell.again").count() == 4
    assert page.locator(".cl-row.now .cl-cell.computed").count() == 1
    assert "= 80 bytes" in page.locator(".cl-formula").inner_text()
    assert "would be 240 bytes" in page.locator(".cl-left").inner_text()
    shown.check()


@pytest.mark.browser
def test_the_clock_is_asked_length_by_length(browser: Browser) -> None:
    shown = show(browser, cache_lab())
    shown.page.get_by_role("button", name="Measure").click()
    shown.settle()
    assert shown.widget.question["length"] == 4  # type: ignore[attr-defined]
    answered(shown, "costs")
    shown.settle()
    assert shown.widget.question["length"] == 8  # type: ignore[attr-defined]
    answered(shown, "costs")
    chart = shown.page.get_by_role("img", name="Measured for one token")
    assert "8 positions: 1.0 milliseconds with the cache, 4.0 without" in (chart.get_attribute("aria-label") or "")
    assert shown.page.get_by_role("img", name="Measured for 8: 640 bytes").count() == 1
    assert shown.page.get_by_role("button", name="Measure").is_enabled()
    shown.page.get_by_role("button", name="Measure").click()
    shown.settle()
    shown.page.get_by_role("button", name="Stop").click()
    answered(shown, "costs")
    shown.settle()
    assert [cost["length"] for cost in shown.widget.costs] == [4]  # type: ignore[attr-defined]
    shown.check()


@pytest.mark.browser
def test_without_a_clock_there_is_no_button(browser: Browser) -> None:
    shown = show(browser, cache_lab(measure=None), views=2)
    assert shown.page.get_by_role("button", name="Measure").count() == 0
    assert shown.page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy img').length === 0")
    shown.check()


# ---- the part swapper on its page


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_parts_are_chosen_by_mouse_and_keys(browser: Browser, theme: Any) -> None:
    shown = show(browser, swapper(), theme=theme)
    page, detail = shown.page, shown.page.locator(".os-detail")
    assert "1.2 times as hesitant on plain English, 1.3 times on the street." in detail.inner_text()
    page.get_by_role("radio", name="heads, multi-head for grouped-query").click()
    shown.settle()
    assert shown.widget.chosen == "multi-head"  # type: ignore[attr-defined]
    assert "Nothing changes" in detail.inner_text() and "3.0 times as much" in detail.inner_text()
    page.keyboard.press("ArrowUp")
    shown.settle()
    assert shown.widget.chosen == "ReLU"  # type: ignore[attr-defined]
    assert page.evaluate("document.activeElement.getAttribute('aria-checked')") == "true"
    assert "Worse than blind guessing" in detail.inner_text() and HOSTILE in detail.inner_text()
    label = page.get_by_role("radio", name="feed-forward").get_attribute("aria-label") or ""
    assert label.endswith("perplexity 7.3 · 10⁸ on plain English, 2.1 · 10¹⁰ on the street")
    bars = [node.bounding_box()["width"] for node in page.locator(".os-part .os-bar.plain").all()]  # type: ignore[index]
    assert bars[0] == pytest.approx(bars[2], rel=0.2) and bars[1] > 5 * bars[0]
    assert page.evaluate("window.hit === undefined")
    shown.check()


@pytest.mark.browser
def test_a_part_is_measured_when_it_is_chosen(browser: Browser) -> None:
    shown = show(browser, swapper(results={"LayerNorm": OUTCOMES["LayerNorm"]}, measure=OUTCOMES.__getitem__))
    page = shown.page
    assert page.get_by_role("radio", name="not measured yet").count() == 2
    page.get_by_role("radio", name="feed-forward").press("Enter")
    shown.settle()
    assert "measuring" in page.locator(".os-part[aria-checked=true]").inner_text()
    answered(shown, "results")
    assert page.get_by_role("radio", name="not measured yet").count() == 1
    assert "Worse than blind guessing" in page.locator("[aria-live=polite].visually-hidden").inner_text()
    shown.check()


# ---- the logit lens on its page


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_lens_by_mouse_and_keys(browser: Browser, theme: Any) -> None:
    shown = show(browser, lens(), theme=theme)
    page = shown.page
    widget: Any = shown.widget
    rows = [
        row.locator("[role=gridcell] .word").all_inner_texts() for row in page.locator(".ll-row:not(.ll-head)").all()
    ]
    assert rows == FIRST[::-1], "the last layer stands on top"
    assert page.locator(".ll-cell.settled").count() == 3 and page.locator(".ll-cell.final").count() == 2 + 4 + 2
    grid = page.get_by_role("grid")
    grid.press("ArrowDown")
    grid.press("ArrowLeft")
    shown.settle()
    assert (widget.layer, widget.position) == (2, 1)
    assert page.locator(".ll-told .ll-title").first.inner_text() == "Behind “tired”, after layer 2, it would say"
    assert page.locator(".ll-told .note").inner_text() == "In the end it says “b”: here 36.7 %, rank 2."
    grid.press("Control+End")
    shown.settle()
    assert (widget.layer, widget.position) == (0, 2)
    page.locator(".ll-cell").first.hover()  # the top left cell is only looked at
    shown.settle()
    assert "Behind “the”, after layer 3, the last" in page.locator(".ll-told").inner_text()
    assert (widget.layer, widget.position) == (0, 2)
    page.locator(".ll-cell").first.click()
    shown.settle()
    assert (widget.layer, widget.position) == (3, 0)
    chart = page.get_by_role("img", name="Probability of b after the")
    assert "the likeliest for good from layer 3 on" in (chart.get_attribute("aria-label") or "")
    shown.check()


@pytest.mark.browser
def test_the_readers_own_text_goes_through_the_lens(browser: Browser) -> None:
    shown = show(browser, lens(), views=2)
    field = shown.page.get_by_label("Text").first
    field.fill(f"now {HOSTILE} four words")
    field.press("Enter")
    answered(shown, "text", "tokens", "layers", "most", "words", "top", "probabilities", "final", "layer", "position")
    assert shown.page.locator("[role=columnheader]").nth(2).inner_text() == "</script…"
    assert shown.page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy img').length === 0")
    assert shown.page.locator("[role=gridcell]").count() == 2 * 4 * 4
    field.fill("raise")
    field.press("Enter")
    answered(shown)
    assert shown.page.locator(".error").first.inner_text() == "That word is not known; use another."
    shown.check()


HEARD = "text => document.querySelector('.anatomy > [aria-live]').textContent === text"
IN_SIGHT = """() => {
  const box = document.querySelector('.scroll').getBoundingClientRect();
  const cell = document.querySelector('.ll-cell[aria-selected=true]').getBoundingClientRect();
  return cell.left >= box.left && cell.right <= box.right + 1;
}"""


@pytest.mark.browser
def test_another_text_is_heard_when_it_is_there_and_its_chosen_cell_is_in_sight(browser: Browser) -> None:
    shown = show(browser, lens(text=" ".join(["tired"] * 24)))
    assert shown.page.locator(".scroll").evaluate("node => node.scrollLeft") > 0
    assert shown.page.evaluate(IN_SIGHT)
    field = shown.page.get_by_label("Text")
    for text in ("one two three", " ".join(["so"] * 22), "x y"):
        field.fill(text)
        field.press("Enter")
        answered(shown, "answered", "tokens", "words", "top", "probabilities", "final", "layer", "position", "text")
        final = shown.widget.said(3, shown.widget.position)[0][0]
        shown.page.wait_for_function(HEARD, arg=f"Read. In the end it says {final}.")
        assert shown.page.evaluate(IN_SIGHT)
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
@pytest.mark.parametrize("make", [lens, cache_lab, swapper])
def test_a_view_fits_and_keeps_its_height(browser: Browser, make: Callable[..., Any], width: int) -> None:
    shown = show(browser, make(), size=(LAB[width], 900))
    steps: dict[str, list[Any]] = {
        "LogitLens": [{"layer": 0, "position": 0}, {"layer": 3, "position": 1}],
        "CacheLab": [{"step": 0}, {"cached": False}, {"step": 3}],
        "PartSwapper": [{"chosen": name} for name in OUTCOMES],
    }
    heights = {height_of(shown.page)}
    for step in steps[type(shown.widget).__name__]:
        shown.update(**step)
        assert_fits(shown.page)
        heights.add(height_of(shown.page))
    assert_stands_still(heights)
    shown.check()
