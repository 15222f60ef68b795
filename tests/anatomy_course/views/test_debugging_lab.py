"""The debugging lab: beds, probes, samples, diagnoses and cures, and what is remembered of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_up_debugging_lab import view
from on_page import Show
from playwright.sync_api import expect
from view_sizes import LAB, assert_fits, height_of

from anatomy_course.figures import plots


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


def test_samples_cure_and_diagnosis() -> None:
    told: list[Any] = []
    shown = view(told, chosen=[3])
    shown.question = {"do": "write", "bed": 2}
    assert shown.samples[2] == ["The | cat slept.", "A | bed 2."] and shown.samples[0][1] == "A | …"
    shown.question = {"do": "cure", "bed": 0}
    assert [found["passed"] for found in shown.cures[0].values()] == [True] * 3 and shown.cures[1] == {}
    assert shown.chosen == [3, -1, -1]
    shown.chosen = [3, -1, 2]
    assert told == [(2, 2)], "a diagnosis is told once, with its bed"


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


def test_curves_in_a_grid() -> None:
    charts = {f"chart {n}": {"one": [3.0, 2.0, float(n)], "other": [3.0, np.nan, 1.0]} for n in range(5)}
    drawn = plots.curve_grid(charts, xlabel="step", ylabel="loss", title="Five")
    assert drawn.figure is not None and len(drawn.figure.axes) == 5
    assert {axes.get_ylim() for axes in drawn.figure.axes} == {(0.0, 4.0 * 1.06)}, "one scale for all"
    assert drawn.alt.startswith("Five. chart 0: one from 3 to 0, other from 3 to 1; chart 1: one from 3 to 1,")
    with pytest.raises(ValueError, match="2 charts; give at least one, each with a series"):
        plots.curve_grid({"a": {"one": [1.0]}, "b": {}})


def test_examine_diagnose_and_cure_with_the_keyboard(show: Show) -> None:
    told: list[Any] = []
    shown = show(view(told))
    page, role, press = shown.page, shown.page.get_by_role, shown.page.keyboard.press
    ada, boris, clara = (role("tab", name=name) for name in ("Ada", "Boris", "Clara"))
    ada.focus()
    press("ArrowRight")
    expect(boris).to_be_focused()
    expect(boris).to_have_attribute("aria-selected", "true")
    expect(boris).to_contain_text("not examined")
    role("radio", name="Probes").press("Space")
    role("button", name="stops").focus()
    expect(page.locator(".wd-told")).to_have_text("stops: Does it stop?")
    press("Enter")
    shown.follow()
    expect(page.locator(".wd-told")).to_have_text("stops: Does it stop? stops of bed 1 was measured.")
    row = role("row", name="stops")
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
    shown.click("radio", "In public")
    expect(role("link")).to_have_attribute("href", "https://example.org/7")
    assert told == [1, (1, 0), (1, 2)]

    role("button", name="Cure Boris").press("Enter")
    shown.follow()
    expect(page.locator(".wd-cured")).to_have_text("Boris is told when to stop.")
    expect(row).to_contain_text("1.00, healthy")
    boris.press("End")
    expect(clara).to_be_focused()
    expect(page.get_by_text("What is wrong with Clara?")).to_be_visible()
    expect(role("columnheader", name="probe")).to_be_visible()
    expect(role("columnheader", name="cured")).to_be_hidden()
    boris.click()
    shown.click("radio", "In public")
    ada.click()
    expect(role("radio", name="Loss")).to_be_checked()


def test_charts_samples_and_failures(show: Show) -> None:
    shown = show(view())
    page, told = shown.page, "Attention weights, 5 queries by 5 keys: {} on the left, the healthy twin on the right. {}"
    expect(page.get_by_role("img", name="Ada ends at 1.50, the healthy twin at 1.10")).to_be_visible()
    shown.click("radio", "Attention")
    expect(page.locator(".wd-maps")).to_have_attribute("aria-label", told.format("Ada", "All are numbers."))
    assert shown.count(".wd-maps rect:not(.wd-frame)") == 30
    shown.click("radio", "Samples")
    shown.click("button", "Write again")
    shown.follow()
    expect(page.locator(".wd-texts li").first).to_have_text("The …Ada: cat slept.twin: twin slept.")
    page.get_by_label("Cause B of Ada").check()
    shown.click("radio", "Probes")
    shown.click("button", "causality")
    shown.follow()
    expect(page.get_by_role("status").filter(has_text="no such layer")).to_be_visible()
    expect(page.get_by_role("tab", name="Ada")).to_contain_text("not examined")
    expect(page.get_by_label("Cause B of Ada")).to_be_checked()  # a tick is kept while a probe is asked
    shown.click("radio", "Attention")
    shown.click("tab", "Boris")
    expect(page.locator(".wd-nan")).to_have_count(5)
    nan = told.format("Boris", "5 of Boris's weights are NaN.")
    expect(page.locator(".wd-maps")).to_have_attribute("aria-label", nan)


def test_a_line_parts_the_words_read_at_once_from_the_others(show: Show) -> None:
    for tokens, lines in ((None, 0), (["<bos>", "the", "cow", "did", "cross"], 2)):  # one in each map
        made = view()
        made.beds = [bed | ({"tokens": tokens} if tokens else {}) for bed in made.beds]
        shown = show(made)
        shown.click("radio", "Attention")
        assert shown.count(".wd-turn") == lines


def test_what_was_done_before_is_shown_in_every_view(show: Show) -> None:
    shown = show(view(chosen=[1, 0, -1], examined=[True, True, False]), views=2)
    assert shown.texts(".wd-state") == ["✓ diagnosed", "• examined", "not examined"] * 2
    expect(shown.page.locator(".answer").first).to_have_text("Right. Because of B.")
    shown.page.get_by_role("tab", name="Clara").nth(1).click()
    expect(shown.page.get_by_text("What is wrong with Clara?")).to_have_count(2)


@pytest.mark.parametrize("width", LAB)
def test_it_fits_and_nothing_jumps(show: Show, width: int) -> None:
    shown = show(view(), width=width)
    height = height_of(shown.page)
    for name, right in (("Ada", "B"), ("Boris", "C")):
        shown.click("tab", name)
        for part in ("Loss", "Attention", "Samples", "Probes"):
            shown.click("radio", part, exact=True)
            assert_fits(shown.page)
            assert height_of(shown.page) == height
        shown.click("button", "stops")
        shown.follow()
        for letter in ("A", right):
            shown.page.get_by_label(f"Cause {letter} of {name}").check()
            shown.click("button", "Make this diagnosis")
            assert height_of(shown.page) == height
        shown.click("button", "Cure")
        shown.follow()
        expect(shown.page.get_by_role("radio", name="Probes")).to_be_checked()
        assert_fits(shown.page)
        assert height_of(shown.page) == height
