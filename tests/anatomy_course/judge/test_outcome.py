"""The outcome of a prediction: a card with the guess, what happened, and what shows it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser

from anatomy_course.figures import canvas, palette, plots
from anatomy_course.judge.card import outcome_page
from anatomy_course.judge.registry import find_question
from anatomy_course.page.page import table

HEAD_OFF = find_question("multi_head.predict_head_off")


def test_a_wrong_guess_stands_beside_what_happened() -> None:
    page = outcome_page(HEAD_OFF, 0, {"similarity <without>": 0.993})
    for told in ("It came out differently", "Your guess", "Below 0.7", "What happened", "Above 0.99"):
        assert told in page.html
    assert "<strong>0.993</strong>" in page.html and "similarity &lt;without&gt;" in page.html
    assert page.text.endswith("similarity <without>: 0.993")


def test_a_right_guess_is_said_once_and_none_is_no_mistake() -> None:
    right = outcome_page(HEAD_OFF, HEAD_OFF.right)
    assert "✓ Your prediction was right" in right.html and right.html.count("Above 0.99: hardly at all.") == 1
    none = outcome_page(HEAD_OFF, None)
    assert "covered until you guess" in none.html and none.text.startswith("You made no prediction this time.")
    before, cover, _ = none.html.partition("<details>")
    assert cover and "Above 0.99" not in before and "is-open" in before, "covered, and neither right nor wrong"


def test_a_picture_or_a_table_can_be_what_shows_it() -> None:
    drawn = plots.lines([1, 2], {"loss": [2, 1]}, alt="The loss falls.")
    page = outcome_page(HEAD_OFF, 0, drawn)
    assert page.html.count("<img") == 1 and 'alt="The loss falls."' in page.html
    assert page.text.endswith("The loss falls.")
    listed = table("Losses", ["", "loss"], [["healthy", 0.25]])
    page = outcome_page(HEAD_OFF, 0, drawn, listed)
    assert drawn.alt in page.html and listed.html in page.html and page.text.endswith(listed.text)


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_card_in_both_themes_and_two_widths(browser: Browser, theme: palette.Theme) -> None:
    page = browser.new_page(viewport={"width": 760, "height": 600})
    paper = getattr(palette.PAGE, theme)
    ink = getattr(palette.INK, theme)
    body = f'<body data-jp-theme-light="{str(theme == "light").lower()}" style="background:{paper};color:{ink}">'
    page.set_content(f"<!doctype html>{body}{outcome_page(HEAD_OFF, 0, {'similarity': 0.993}).html}")
    color = page.locator(".state").evaluate("line => getComputedStyle(line).color")
    shade = [int(number) / 255 for number in re.findall(r"\d+", color)]
    assert canvas.contrast(shade, paper) >= 4.5
    tops = "boxes => boxes.slice(0, 2).map((box) => box.getBoundingClientRect().top)"
    guess, happened = page.locator(".beside > div").evaluate_all(tops)
    assert guess == happened, "side by side"
    page.set_viewport_size({"width": 330, "height": 600})
    guess, happened = page.locator(".beside > div").evaluate_all(tops)
    assert guess < happened, "one below the other"
    assert page.evaluate("document.documentElement.scrollWidth") <= 330
    page.close()
