"""Cache lab, part swapper and logit lens: their counts, and how they are used by mouse and keyboard."""

from __future__ import annotations

import pytest
from made_up_decoder_widgets import FIRST, HOSTILE, OUTCOMES, cache_lab, lens, swapper
from on_page import OnPage, Show

from anatomy_course.lab.experiments.part_swaps import SwapResult


def test_steps_are_counted_and_lengths_measured_one_by_one() -> None:
    lab = cache_lab()
    assert [(step.computed, step.read) for step in lab.steps(cached=True)] == [(3, 0), (1, 3), (1, 4), (1, 5)]
    assert [(step.computed, step.read) for step in lab.steps(cached=False)] == [(3, 0), (4, 0), (5, 0), (6, 0)]
    told = lab.still_picture().alt
    assert "4 steps after a prompt of 3 tokens" in told and "grows by one computed column a step" in told
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
    for number, (name, error) in enumerate(
        {"multi-head": "", "ReLU": "out of memory", "GELU": "no part 'GELU'"}.items()
    ):
        widget.set_state({"question": {"name": name, "id": number + 1}})
        assert error in widget.error and (error or not widget.error)
        assert set(widget.results) == {"multi-head"}
    widget.set_state({"question": {"name": "multi-head", "id": 9}})
    assert widget.results["multi-head"]["cache_bytes"] == 240 and asked == ["multi-head", "ReLU"]


def test_readings_are_what_was_computed() -> None:
    widget = lens()
    assert (widget.layer, widget.position, widget.layers) == (3, 2, 4)
    assert widget.said(0, 0) == [("a", 0.5), (HOSTILE, 0.25)]
    assert [widget.settled(position) for position in range(3)] == [3, 0, 3]
    widget.set_state({"question": {"text": "only two"}})
    assert (widget.tokens, widget.position, widget.error) == (["only", "two"], 1, "")
    widget.set_state({"question": {"text": "raise"}})
    assert widget.error.startswith("That word is not known") and widget.tokens == ["only", "two"]


# The cache lab on its page -------------------------------------------------------------------------------------------


def sums(shown: OnPage) -> list[list[str]]:
    rows = shown.page.locator(".cl-sums tbody tr").all()
    return [[text.replace("\u202f", "") for text in row.locator("td").all_inner_texts()] for row in rows]


def test_the_cache_by_mouse_and_keys(show: Show) -> None:
    shown = show(cache_lab())
    page = shown.page
    label = page.get_by_role("img", name="Step 3").get_attribute("aria-label")
    assert "computes keys and values of 1 position, reads those of 5" in label
    assert sums(shown) == [["6", "18"], ["12", "0"], ["960 bytes", "0 bytes"], ["480 bytes", "0 bytes"]]
    page.locator(".cl-row", has_text="step 1").click()
    shown.settle()
    assert shown.widget.step == 1 and sums(shown)[0] == ["4", "7"]
    page.get_by_role("slider", name="Step").press("ArrowRight")
    shown.settle()
    assert shown.widget.step == 2 and sums(shown)[1] == ["7", "0"]
    page.get_by_role("button", name="Cache").press("Enter")
    shown.settle()
    assert not shown.widget.cached
    label = page.get_by_role("img", name="Step 2").get_attribute("aria-label")
    assert label == "Step 2, without the cache: computes keys and values of 5 positions, 4 of them again."
    assert shown.count(".cl-row.now .cl-cell.again") == 4 and shown.count(".cl-row.now .cl-cell.computed") == 1
    assert "= 80 bytes" in shown.text(".cl-formula") and "would be 240 bytes" in shown.text(".cl-left")


def test_the_clock_is_asked_length_by_length(show: Show) -> None:
    shown = show(cache_lab())
    shown.click("button", "Measure")
    for length in (4, 8):
        assert shown.widget.question["length"] == length
        shown.follow()
    chart = shown.page.get_by_role("img", name="Measured for one token")
    assert "8 positions: 1.0 milliseconds with the cache, 4.0 without" in chart.get_attribute("aria-label")
    assert shown.page.get_by_role("img", name="Measured for 8: 640 bytes").count() == 1
    assert shown.page.get_by_role("button", name="Measure").is_enabled()
    shown.click("button", "Measure")
    shown.click("button", "Stop")
    assert [cost["length"] for cost in shown.follow().costs] == [4]
    shown = show(cache_lab(measure=None), views=2)
    assert shown.page.get_by_role("button", name="Measure").count() == 0, "there is no clock"
    assert shown.page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy img').length === 0")


# The part swapper on its page ----------------------------------------------------------------------------------------


def test_parts_are_chosen_by_mouse_and_keys(show: Show) -> None:
    shown = show(swapper())
    page = shown.page
    assert "1.2 times as hesitant on plain English, 1.3 times on the street." in shown.text(".os-detail")
    shown.click("radio", "heads, multi-head for grouped-query")
    assert shown.widget.chosen == "multi-head"
    assert "Nothing changes" in shown.text(".os-detail") and "3.0 times as much" in shown.text(".os-detail")
    shown.keys("ArrowUp")
    assert shown.widget.chosen == "ReLU"
    assert page.evaluate("document.activeElement.getAttribute('aria-checked')") == "true"
    assert "Worse than blind guessing" in shown.text(".os-detail") and HOSTILE in shown.text(".os-detail")
    label = page.get_by_role("radio", name="feed-forward").get_attribute("aria-label")
    assert label.endswith("perplexity 7.3 · 10⁸ on plain English, 2.1 · 10¹⁰ on the street")
    bars = [node.bounding_box()["width"] for node in page.locator(".os-part .os-bar.plain").all()]
    assert bars[0] == pytest.approx(bars[2], rel=0.2) and bars[1] > 5 * bars[0]


def test_a_part_is_measured_when_it_is_chosen(show: Show) -> None:
    shown = show(swapper(results={"LayerNorm": OUTCOMES["LayerNorm"]}, measure=OUTCOMES.__getitem__))
    waiting = shown.page.get_by_role("radio", name="not measured yet")
    assert waiting.count() == 2
    shown.page.get_by_role("radio", name="feed-forward").press("Enter")
    shown.settle()
    assert "measuring" in shown.text(".os-part[aria-checked=true]")
    shown.follow()
    assert waiting.count() == 1
    assert "Worse than blind guessing" in shown.text("[aria-live=polite].visually-hidden")


# The logit lens on its page ------------------------------------------------------------------------------------------

HEARD = "text => document.querySelector('.anatomy > [aria-live]').textContent === text"
IN_SIGHT = """() => {
  const box = document.querySelector('.scroll').getBoundingClientRect();
  const cell = document.querySelector('.ll-cell[aria-selected=true]').getBoundingClientRect();
  return cell.left >= box.left && cell.right <= box.right + 1;
}"""


def test_the_lens_by_mouse_and_keys(show: Show) -> None:
    shown = show(lens())
    page, widget = shown.page, shown.widget
    rows = page.locator(".ll-row:not(.ll-head)").all()
    words = [row.locator("[role=gridcell] .word").all_inner_texts() for row in rows]
    assert words == FIRST[::-1], "the last layer stands on top"
    assert shown.count(".ll-cell.settled") == 3 and shown.count(".ll-cell.final") == 2 + 4 + 2
    grid, first = page.get_by_role("grid"), page.locator(".ll-cell").first
    grid.press("ArrowDown")
    grid.press("ArrowLeft")
    shown.settle()
    assert (widget.layer, widget.position) == (2, 1)
    assert shown.text(".ll-told .ll-title") == "Behind “tired”, after layer 2, it would say"
    assert shown.text(".ll-told .note") == "In the end it says “b”: here 36.7 %, rank 2."
    grid.press("Control+End")
    first.hover()  # the top left cell is only looked at
    shown.settle()
    assert "Behind “the”, after layer 3, the last" in shown.text(".ll-told")
    assert (widget.layer, widget.position) == (0, 2)
    first.click()
    shown.settle()
    assert (widget.layer, widget.position) == (3, 0)
    chart = page.get_by_role("img", name="Probability of b after the")
    assert "the likeliest for good from layer 3 on" in chart.get_attribute("aria-label")


def test_the_readers_own_text_goes_through_the_lens(show: Show) -> None:
    shown = show(lens(), views=2)
    shown.type("Text", f"now {HOSTILE} four words")
    shown.follow()
    assert shown.page.locator("[role=columnheader]").nth(2).inner_text() == "</script…"
    assert shown.page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy img').length === 0")
    assert shown.count("[role=gridcell]") == 2 * 4 * 4
    shown.type("Text", "raise")
    shown.follow()
    assert shown.text(".error") == "That word is not known; use another."


def test_another_text_is_heard_when_it_is_there_and_its_chosen_cell_is_in_sight(show: Show) -> None:
    shown = show(lens(text=" ".join(["tired"] * 24)))
    assert shown.page.locator(".scroll").evaluate("node => node.scrollLeft") > 0
    assert shown.page.evaluate(IN_SIGHT)
    for text in ("one two three", " ".join(["so"] * 22), "x y"):
        shown.type("Text", text)
        widget = shown.follow("answered")
        final = widget.said(3, widget.position)[0][0]
        shown.page.wait_for_function(HEARD, arg=f"Read. In the end it says {final}.")
        assert shown.page.evaluate(IN_SIGHT)
