"""How an exercise card looks: contrast, distances, and the cards that no judge wrote."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator
from widget_page import Browser, Theme, show

from anatomy_course.figures import canvas, palette
from anatomy_course.judge import find_exercise
from anatomy_course.judge.card import card, card_page
from anatomy_course.judge.judging.crash import SourceLine
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.judging.verdict import State, Verdict
from anatomy_course.views import Card

SCORES = find_exercise("attention.scores")


def card_of(verdict: Verdict) -> Card:
    return Card(card(SCORES, verdict), page=card_page(SCORES, verdict))


def rgb(css: str) -> list[float]:
    return [float(number) / 255 for number in re.findall(r"[\d.]+", css)[:3]]


def box(node: Locator) -> Any:
    return node.bounding_box()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_and_frames_stand_out_and_buttons_stand_apart(browser: Browser, theme: Theme) -> None:
    verdict = judge(SCORES, lambda query, key: query @ key.transpose(-2, -1) / 8)
    shown = show(browser, card_of(verdict), theme=theme)
    looks = shown.page.locator(".window td:not(:empty)").evaluate_all(
        """cells => cells.map((cell) => {
          const { color, backgroundColor, borderTopColor, backgroundClip } = getComputedStyle(cell);
          return [color, backgroundColor, borderTopColor, cell.className === "differs" ? backgroundClip : ""];
        })"""
    )
    page = getattr(palette.PAGE, theme)
    for ink, cell, frame, clip in looks:
        assert canvas.contrast(rgb(ink), rgb(cell)) >= 4.5
        if clip:
            assert clip == "padding-box", "a line of the page's color parts the frame from the cell's"
            assert canvas.contrast(rgb(frame), page) >= 4.5
    tops = "Math.round(document.querySelector('.row').getBoundingClientRect().top)"
    assert (
        shown.page.evaluate(f"{tops} - document.querySelector('.found').lastChild.getBoundingClientRect().bottom") > 8
    )
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("state", ["emptied", "unreadable"])
def test_cards_that_no_judge_wrote(browser: Browser, state: State) -> None:
    verdict = Verdict(state, "Said here.", "untouched", line=SourceLine(2, "def f(query)"))
    shown = show(browser, card_of(verdict))
    group = shown.page.get_by_role("group", name="Exercise: Scaled scores")
    headline, after = {
        "emptied": ("Empty again; it passed before", "It stays passed"),
        "unreadable": ("Python cannot read this cell", "the course's own version"),
    }[state]
    assert headline in group.inner_text() and after in group.inner_text()
    assert (group.evaluate("card => card.classList.contains('is-failed')")) is (state == "unreadable")
    shown.check()
