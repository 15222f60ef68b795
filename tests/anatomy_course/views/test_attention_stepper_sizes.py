"""The attention stepper on pages of three widths: what fits, what stands still, and what is written how."""

from __future__ import annotations

import re

import numpy as np
import pytest
from measure import look_at
from playwright.sync_api import Browser
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import show

from anatomy_course.views import AttentionStepper
from anatomy_course.views.attention_stepper.view import Steps


def made_up(sentence: str) -> Steps:
    tokens = sentence.split()
    hidden, query, key, value = np.random.default_rng(0).normal(size=(4, len(tokens), 8))
    return Steps.of(tokens, hidden, query, key, value)


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
@pytest.mark.parametrize("level", ["word", "matrix"])
def test_every_step_fits_and_nothing_jumps(browser: Browser, level: str, width: int) -> None:
    sentence = "[CLS] the animal didn't cross the street because it was tired [SEP]"
    shown = show(browser, AttentionStepper(made_up, sentence, query=8, level=level), size=(LAB[width], 900))
    shown.page.wait_for_function("document.querySelectorAll('.as-body').length === 12")
    shown.settle()
    heights = []
    for step in range(1, 7):
        shown.page.get_by_role("button", name=f"Step {step}").click()
        shown.settle()
        assert_fits(shown.page)
        heights.append(height_of(shown.page))
    assert_stands_still(heights)
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", [*LAB, 294])
def test_a_short_sentence_keeps_its_height_for_all_words_at_once(browser: Browser, width: int) -> None:
    shown = show(browser, AttentionStepper(made_up, "one two three four"), size=(width + 32, 900))
    shown.page.wait_for_function("document.querySelectorAll('.as-body').length === 12")
    root = shown.page.query_selector(".anatomy")
    assert root is not None
    seen = look_at(root, window=width, press=True, thorough=True)
    assert seen.presses > 20 and seen.jump <= 8
    assert seen.findings == []
    shown.check()


@pytest.mark.browser
def test_the_slider_is_out_of_reach_where_no_component_is_printed(browser: Browser) -> None:
    shown = show(browser, AttentionStepper(made_up, "one two three four"))
    slider = shown.page.get_by_role("slider", name="Printed component")
    counts = []
    for step in range(1, 7):
        shown.page.get_by_role("button", name=f"Step {step}").click()
        counts.append((slider.count(), shown.page.locator("[inert] input[type=range]").count()))
    assert counts == [(1, 0), (1, 0), (0, 1), (0, 1), (1, 0), (1, 0)]
    shown.check()


@pytest.mark.browser
def test_a_transpose_is_a_raised_letter(browser: Browser) -> None:
    shown = show(browser, AttentionStepper(made_up, "the animal was tired", level="matrix", step=2))
    assert shown.page.locator(".as-formula sup").inner_text() == "T"
    assert shown.page.locator(".as-body:not([inert]) figcaption sup").all_inner_texts() == ["T", "T"]
    assert "\u1d40" not in shown.page.locator(".anatomy").inner_text()
    assert shown.page.get_by_role("application", name=re.compile("^K transposed")).count() == 1
    shown.check()


@pytest.mark.browser
def test_labels_of_a_long_sentence_do_not_lie_on_each_other(browser: Browser) -> None:
    sentence = " ".join(f"word{i}" for i in range(30))
    shown = show(browser, AttentionStepper(made_up, sentence, level="matrix", step=4, query=13))
    tops = "all => all.filter((n) => n.textContent).map((n) => [n.textContent, n.getBoundingClientRect().top])"
    labels = shown.page.locator(".as-body:not([inert]) .as-left .word").evaluate_all(tops)
    assert "word13" in [text for text, _ in labels]
    assert all(after - before >= 11 for (_, before), (_, after) in zip(labels, labels[1:], strict=False))
    shown.check()
