"""The live views of notebook 05 with a whole encoder–decoder, on a plain page: used as a reader would, and by axe-core.

The model is untrained, so its translations are nonsense and as long as they can get: the most that has to fit. What
each view shows is tested beside its Python class.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from access import RULES, load_axe, nameless_controls, violations
from driving import drag_slider, numbers_in, press
from playwright.sync_api import Browser, expect
from widget_page import Shown, show

from anatomy_course import views
from anatomy_course.lab.street import street_vocabulary
from anatomy_course.views._kit.base import AnatomyWidget
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

UNKNOWN = "The animal didn't cross the stret"
ANSWER = ("sentence", "direction", "source", "written", "text", "candidates", "weights", "shape", "verdict", "remark",
          "correction", "swaps", "reason", "pronouns", "before", "refused", "refusal", "readable", "revealed",
          "current", "error", "answered")  # fmt: skip


@cache
def model() -> EncoderDecoder:
    config = TransformerConfig(
        len(street_vocabulary()), d_model=32, num_layers=2, num_decoder_layers=2, num_heads=4, d_ff=40, pre_norm=True,
        dropout=0.0,
    )  # fmt: skip
    return transformer(config, generator=torch.Generator().manual_seed(1))


def translator() -> AnatomyWidget:
    return views.translator(model())


def flow() -> AnatomyWidget:
    return views.translation_flow(model())


def answer(shown: Shown) -> None:
    """What the kernel has computed reaches the page."""
    shown.settle()
    shown.update(**{name: getattr(shown.widget, name) for name in ANSWER})


STATES: dict[Callable[[], AnatomyWidget], list[dict[str, Any]]] = {
    translator: [{}, {"revealed": 0, "current": 0}, {"revealed": 32, "current": 7}, {"view": "matrix"}],
    flow: [{}, {"place": 3}, {"place": 12 + 5}, {"place": 12 + 15}, {"place": 12 + 18 + 29}],
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("make", STATES)
def test_axe_finds_nothing_and_everything_has_a_name(
    browser: Browser, make: Callable[[], AnatomyWidget], theme: Any, screenshots: Path
) -> None:
    shown = show(browser, make(), theme=theme, size=(1000, 1300), reduced_motion=True)
    load_axe(shown)
    for number, state in enumerate(STATES[make]):
        shown.update(**state)
        assert violations(shown, RULES) == []
        assert nameless_controls(shown) == []
        shown.page.screenshot(path=screenshots / f"{make.__name__}_{number}_{theme}.png", full_page=True)
    if make is translator:
        shown.page.locator(".tr-known summary").click()
        press(shown.page.get_by_label("Sentence, English or French"), "End", "x", "Enter")
        answer(shown)
        expect(shown.page.get_by_role("group", name="Unknown words")).to_be_visible()
        assert violations(shown, RULES) == []
        shown.page.screenshot(path=screenshots / f"{make.__name__}_unknown_{theme}.png", full_page=True)
    shown.check()


@pytest.mark.parametrize("make", STATES)
def test_nothing_sticks_out_of_a_narrow_page(
    browser: Browser, make: Callable[[], AnatomyWidget], screenshots: Path
) -> None:
    shown = show(browser, make(), size=(480, 1300), reduced_motion=True)
    for number, state in enumerate(STATES[make]):
        shown.update(**state)
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 480
        shown.page.screenshot(path=screenshots / f"{make.__name__}_{number}_narrow.png", full_page=True)
    shown.check()


def test_the_translator_by_mouse_and_keyboard(browser: Browser) -> None:
    shown = show(browser, translator(), size=(1000, 1300), reduced_motion=True)
    page = shown.page
    widget: Any = shown.widget
    assert widget.revealed == len(widget.written), "it opens translated"
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("button", name="Next word").click()
    shown.settle()
    assert widget.revealed == 1
    first = numbers_in(" ".join(page.locator(".tr-source .number").all_inner_texts()))
    assert sum(first) == pytest.approx(1, abs=0.08), "a row of attention weights, printed"
    page.get_by_label("Head").select_option("2")
    shown.settle()
    assert numbers_in(" ".join(page.locator(".tr-source .number").all_inner_texts())) != first
    page.get_by_role("button", name="Swap tired for wide").click()
    answer(shown)
    assert widget.source[-2] == "wide" and widget.before["source"][-2] == "tired"
    field = page.get_by_label("Sentence, English or French")
    field.fill(UNKNOWN)
    field.press("Enter")
    answer(shown)
    page.get_by_role("button", name="street instead of stret").click()
    answer(shown)
    expect(page.locator(".tr-remark")).to_contain_text("Not a sentence of the street")
    page.get_by_role("button", name="Translate all").click()
    shown.settle()
    expect(page.locator(".tr-verdict")).to_contain_text("found no end")
    press(page.get_by_role("listbox", name="Written so far"), "Home", "ArrowRight")
    shown.settle()
    assert widget.current == 1
    shown.check()


def test_the_flow_by_mouse_and_keyboard(browser: Browser) -> None:
    shown = show(browser, flow(), size=(1000, 1300), reduced_motion=True)
    page = shown.page
    widget: Any = shown.widget
    page.locator(".tm-part", has_text="cross-attention").click()
    shown.settle()
    assert widget.where() == ("cross_attention", 1)
    expect(page.locator("h4")).to_have_text("Decoder layer 0 of 0–1: cross-attention")
    page.locator(".tm-part", has_text="cross-attention").click()
    expect(page.locator("h4")).to_have_text("Decoder layer 1 of 0–1: cross-attention")
    expect(page.get_by_role("img", name="keys (batch 1, heads 4, source 13, d_head 8)")).to_be_visible()
    press(page.get_by_role("button", name="Next", exact=True), "PageDown", "ArrowLeft")
    shown.settle()
    assert widget.where() == ("next_token", 1)
    drag_slider(page.get_by_role("slider", name="Step"), 1.0)
    shown.settle()
    assert widget.where() == ("next_token", 31)
    shown.check()
