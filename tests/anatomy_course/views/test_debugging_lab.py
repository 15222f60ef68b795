"""The debugging lab: beds, probes, samples, diagnoses and cures, what is remembered, what is refused, and its twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_up_debugging_lab import PROBES, answer, bed, view
from playwright.sync_api import Browser, expect
from view_sizes import LAB, assert_fits, height_of
from widget_page import show

from anatomy_course.figures import plots
from anatomy_course.views import DebuggingLab
from anatomy_course.views.debugging_lab.view import Bed, Twin

# In Python -----------------------------------------------------------------------------------------------------------


def test_a_probe_is_found_noted_and_told() -> None:
    told: list[Any] = []
    shown = view(told)
    shown.question = {"do": "probe", "bed": 1, "probe": "stops"}
    assert shown.findings[1]["stops"] == {
        "shown": "NaN", "healthy": "1.00", "passed": False, "sentence": "stops of bed 1 was measured.",
    }  # fmt: skip
    assert shown.findings[0] == {} and shown.examined == [False, True, False] and told == [1]
    shown.question = {"do": "probe", "bed": 1, "probe": "same answer twice"}
    assert list(shown.findings[1]) == ["stops", "same answer twice"], "the first one is kept"


def test_samples_and_cure() -> None:
    shown = view()
    shown.question = {"do": "write", "bed": 2}
    assert shown.samples[2] == ["The | cat slept.", "A | bed 2."] and shown.samples[0][1] == "A | …"
    shown.question = {"do": "cure", "bed": 0}
    assert [found["passed"] for found in shown.cures[0].values()] == [True] * 3 and shown.cures[1] == {}


def test_a_diagnosis_is_told_once_with_its_bed() -> None:
    told: list[Any] = []
    shown = view(told, chosen=[3])
    assert shown.chosen == [3, -1, -1]
    shown.chosen = [3, -1, 2]
    assert told == [(2, 2)]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"do": "probe", "bed": 0, "probe": "causality"}, "no such layer"),
        ({"do": "probe", "bed": 0, "probe": "pulse"}, "There is no probe 'pulse'; there are 'stops', "),
        ({"do": "write", "bed": 3}, "Bed 3 was asked for; there are beds 0 to 2."),
        ({"do": "bury", "bed": 0}, "'bury' cannot be done here"),
    ],
)
def test_what_cannot_be_answered_leaves_the_rest_as_it_was(question: dict[str, Any], sentence: str) -> None:
    shown = view()
    shown.question = question
    assert sentence in shown.error and shown.answered == 1
    assert shown.findings == [{}, {}, {}] and shown.examined == [False] * 3


def test_beds_and_fitting_maps_are_needed() -> None:
    lab = view()._lab
    with pytest.raises(ValueError, match="0 beds and 3 probes"):
        DebuggingLab([], Twin([1.0], 1.0, 1.0, []), PROBES, lab)
    wrong = Bed(**{**vars(bed("Ada", 0)), "weights": np.ones((4, 4)), "twin_weights": np.ones((4, 4))})
    with pytest.raises(ValueError, match=r"map of Ada has shape \(4, 4\), but there are 5 tokens"):
        DebuggingLab([wrong], Twin([1.0], 1.0, 1.0, []), PROBES, lab)


def test_the_twin_shows_all_curves() -> None:
    data, _ = view()._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "image/png"} <= set(data)
    assert "ends at 1.10: Ada ends at 1.50; Boris ends at 2.50; Clara ends at 3.50." in data["text/plain"]


def test_curves_in_a_grid() -> None:
    charts = {f"chart {n}": {"one": [3.0, 2.0, float(n)], "other": [3.0, np.nan, 1.0]} for n in range(5)}
    drawn = plots.curve_grid(charts, xlabel="step", ylabel="loss", title="Five")
    assert drawn.figure is not None and len(drawn.figure.axes) == 5
    assert {axes.get_ylim() for axes in drawn.figure.axes} == {(0.0, 4.0 * 1.06)}, "one scale for all"
    assert drawn.alt.startswith("Five. chart 0: one from 3 to 0, other from 3 to 1; chart 1: one from 3 to 1,")
    with pytest.raises(ValueError, match="2 charts; give at least one, each with a series"):
        plots.curve_grid({"a": {"one": [1.0]}, "b": {}})


# In the browser ------------------------------------------------------------------------------------------------------


def test_examine_diagnose_and_cure_with_the_keyboard(browser: Browser) -> None:
    told: list[Any] = []
    shown = show(browser, view(told))
    page, press = shown.page, shown.page.keyboard.press
    page.get_by_role("tab", name="Ada").focus()
    press("ArrowRight")
    boris = page.get_by_role("tab", name="Boris")
    expect(boris).to_be_focused()
    expect(boris).to_have_attribute("aria-selected", "true")
    expect(boris).to_contain_text("not examined")
    page.get_by_role("radio", name="Probes").press("Space")
    page.get_by_role("button", name="stops").focus()
    expect(page.locator(".wd-told")).to_have_text("stops: Does it stop?")
    press("Enter")
    answer(shown)
    expect(page.locator(".wd-told")).to_have_text("stops: Does it stop? stops of bed 1 was measured.")
    row = page.get_by_role("row", name="stops")
    expect(row).to_contain_text("NaN, not healthy")
    expect(boris).to_contain_text("examined")

    page.get_by_label("Cause A of Boris").focus()
    press("Space")
    press("Enter")
    expect(page.locator(".answer:visible")).to_have_text("Not this one. Because of A.")
    for name in ("Cure Boris", "In public"):
        expect(page.get_by_text(name, exact=True).and_(page.locator("button"))).to_be_disabled()
    page.get_by_label("Cause C of Boris").check()
    press("Enter")
    expect(page.locator(".answer:visible")).to_have_text("Right. Because of C.")
    expect(boris).to_contain_text("diagnosed")
    expect(page.get_by_text("1 of 3 diagnosed")).to_be_visible()
    page.get_by_role("radio", name="In public").click()
    expect(page.get_by_role("link")).to_have_attribute("href", "https://example.org/7")
    assert told == [1, (1, 0), (1, 2)]

    page.get_by_role("button", name="Cure Boris").press("Enter")
    answer(shown)
    expect(page.locator(".wd-cured")).to_have_text("Boris is told when to stop.")
    expect(row).to_contain_text("1.00, healthy")
    page.get_by_role("tab", name="Boris").press("End")
    expect(page.get_by_role("tab", name="Clara")).to_be_focused()
    expect(page.get_by_text("What is wrong with Clara?")).to_be_visible()
    expect(page.get_by_role("columnheader", name="probe")).to_be_visible()
    expect(page.get_by_role("columnheader", name="cured")).to_be_hidden()
    page.get_by_role("tab", name="Boris").click()
    page.get_by_role("radio", name="In public").click()
    page.get_by_role("tab", name="Ada").click()
    expect(page.get_by_role("radio", name="Loss")).to_be_checked()
    shown.check()


def test_charts_samples_and_failures(browser: Browser) -> None:
    shown = show(browser, view())
    page = shown.page
    expect(page.get_by_role("img", name="Ada ends at 1.50, the healthy twin at 1.10")).to_be_visible()
    page.get_by_role("radio", name="Attention").click()
    expect(page.locator(".wd-maps")).to_have_attribute("aria-label", "Attention weights, 5 queries by 5 keys: Ada on "
        "the left, the healthy twin on the right. All are numbers.")  # fmt: skip
    assert page.locator(".wd-maps rect:not(.wd-frame)").count() == 30
    page.get_by_role("radio", name="Samples").click()
    page.get_by_role("button", name="Write again").click()
    answer(shown)
    expect(page.locator(".wd-texts li").first).to_have_text("The …Ada: cat slept.twin: twin slept.")
    page.get_by_role("radio", name="Probes").click()
    page.get_by_role("button", name="causality").click()
    answer(shown)
    expect(page.get_by_role("status").filter(has_text="no such layer")).to_be_visible()
    expect(page.get_by_role("tab", name="Ada")).to_contain_text("not examined")
    page.get_by_role("radio", name="Attention").click()
    page.get_by_role("tab", name="Boris").click()
    expect(page.locator(".wd-nan")).to_have_count(5)
    expect(page.locator(".wd-maps")).to_have_attribute("aria-label", "Attention weights, 5 queries by 5 keys: Boris on "
        "the left, the healthy twin on the right. 5 of Boris's weights are NaN.")  # fmt: skip
    shown.check()


def test_what_was_done_before_is_shown_in_every_view(browser: Browser) -> None:
    shown = show(browser, view(chosen=[1, 0, -1], examined=[True, True, False]), views=2)
    states = shown.page.locator(".wd-state").all_inner_texts()
    assert states == ["✓ diagnosed", "• examined", "not examined"] * 2
    expect(shown.page.locator(".answer").first).to_have_text("Right. Because of B.")
    shown.page.get_by_role("tab", name="Clara").nth(1).click()
    expect(shown.page.get_by_text("What is wrong with Clara?")).to_have_count(2)
    shown.theme("dark")
    shown.settle()
    shown.check()


@pytest.mark.parametrize("width", LAB)
def test_it_fits_and_nothing_jumps(browser: Browser, width: int) -> None:
    shown = show(browser, view(), size=(LAB[width], 900))
    page = shown.page
    height = height_of(page)
    for name in ("Ada", "Boris"):
        page.get_by_role("tab", name=name).click()
        for part in ("Loss", "Attention", "Samples", "Probes"):
            page.get_by_role("radio", name=part, exact=True).click()
            shown.settle()
            assert_fits(page)
            assert height_of(page) == height
        page.get_by_role("button", name="stops").click()
        answer(shown)
        right = {"Ada": "B", "Boris": "C"}[name]
        for letter in ("A", right):
            page.get_by_label(f"Cause {letter} of {name}").check()
            page.get_by_role("button", name="Make this diagnosis").click()
            assert height_of(page) == height
        page.get_by_role("button", name="Cure").click()
        answer(shown)
        expect(page.get_by_role("radio", name="Probes")).to_be_checked()
        assert_fits(page)
        assert height_of(page) == height
    shown.check()


def test_a_tick_is_kept_while_a_probe_is_asked(browser: Browser) -> None:
    shown = show(browser, view(chosen=[0]))
    page = shown.page
    page.get_by_label("Cause B of Ada").check()
    page.get_by_role("radio", name="Probes").click()
    page.get_by_role("button", name="stops").click()
    answer(shown)
    expect(page.get_by_label("Cause B of Ada")).to_be_checked()
    shown.check()
