"""The live views of notebook 05 in JupyterLab: each driven by mouse and by keyboard, and asked what Python then knows.

What each shows, and how it behaves on a plain page, is tested beside its Python class.
"""

from __future__ import annotations

import re

import pytest
from driving import numbers_in, press, wait_until
from lab_page import NotebookPage
from playwright.sync_api import Locator, expect

CURVES = ("train_translator(", "train_text_to_text(")
TRANSLATOR, FLOW = "views.translator(", "views.translation_flow("
HEADS = "views.pronoun_heads("
SENTENCE = "The animal didn't cross the street because it was too tired."


@pytest.mark.parametrize("cell", CURVES)
def test_the_curve_shows_all_steps_when_training_is_over(encoder_decoder: NotebookPage, cell: str) -> None:
    curves = encoder_decoder.widget(cell)
    expect(curves).to_contain_text(re.compile(r"step \d+, done"))
    expect(curves.get_by_role("img").first).to_have_attribute("aria-label", re.compile("loss"))


# ---- the translator


def read(translator: Locator, sentence: str) -> None:
    """Have a sentence read, by keyboard; nothing is written of it yet."""
    again = translator.get_by_role("button", name="Start over")
    if again.is_enabled():  # it opens translated, and what is shown translated stays so
        again.click()
    field = translator.get_by_label("Sentence, English or French")
    field.fill(sentence)
    press(field, "Enter")
    expect(translator.get_by_role("listbox", name="Written so far")).to_contain_text("…")
    expect(again).to_be_disabled()


def test_a_sentence_is_translated_by_mouse(encoder_decoder: NotebookPage) -> None:
    translator = encoder_decoder.widget(TRANSLATOR)
    read(translator, SENTENCE)
    translator.get_by_role("button", name="Next word").click()
    translator.get_by_label("Head").select_option("0")
    looked = numbers_in(" ".join(translator.locator(".tr-source .number").all_inner_texts()))
    assert sum(looked) == pytest.approx(1, abs=0.08)
    wait_until(lambda: encoder_decoder.trait(TRANSLATOR, "head") == 0, translator, "Python knows the head")
    translator.get_by_role("button", name="Translate all").click()
    expect(translator.get_by_role("button", name="Next word")).to_be_disabled()
    translator.get_by_role("button", name="Swap tired for wide").click()
    expect(translator.locator(".tr-compared")).to_contain_text("wide")
    assert encoder_decoder.trait(TRANSLATOR, "sentence") == SENTENCE.replace("tired", "wide")


def test_lines_end_at_their_words_in_a_narrow_window(encoder_decoder: NotebookPage) -> None:
    size = encoder_decoder.page.viewport_size
    assert size is not None
    encoder_decoder.page.set_viewport_size(size | {"width": 1100})
    try:
        drawn = encoder_decoder.widget(TRANSLATOR).locator(".tr-lines")
        heights = [drawn.locator(part).bounding_box() for part in ("svg", ".tr-target")]
        assert heights[0] and heights[1] and abs(heights[0]["height"] - heights[1]["height"]) < 2
    finally:
        encoder_decoder.page.set_viewport_size(size)


def test_a_sentence_is_translated_by_keyboard(encoder_decoder: NotebookPage) -> None:
    translator = encoder_decoder.widget(TRANSLATOR)
    read(translator, "La voiture n'a pas traversé le pont parce qu'elle était trop lourde.")
    wait_until(lambda: "voiture" in encoder_decoder.trait(TRANSLATOR, "source"), translator, "the kernel has read it")
    words = translator.get_by_role("listbox", name="Written so far")
    press(words, "ArrowRight", "ArrowRight", "ArrowLeft")
    wait_until(lambda: encoder_decoder.trait(TRANSLATOR, "revealed") == 2, translator, "two words are written")
    assert encoder_decoder.trait(TRANSLATOR, "current") == 0


def test_an_unknown_word_is_replaced_by_keyboard(encoder_decoder: NotebookPage) -> None:
    translator = encoder_decoder.widget(TRANSLATOR)
    field = translator.get_by_label("Sentence, English or French")
    field.fill("The animal didn't cross the streat because it was too wide.")
    press(field, "Enter")
    press(translator.get_by_role("button", name="street instead of streat"), "Enter")
    wait_until(lambda: "street" in encoder_decoder.trait(TRANSLATOR, "source"), translator, "the kernel has read it")
    expect(translator.get_by_role("group", name="Unknown words")).to_be_hidden()


# ---- the flow


def test_the_figure_is_gone_through_by_mouse(encoder_decoder: NotebookPage) -> None:
    flow = encoder_decoder.widget(FLOW)
    flow.locator(".fl-figure .tm-part", has_text="cross-attention").click()
    expect(flow.locator("h4")).to_contain_text("cross-attention")
    place = encoder_decoder.trait(FLOW, "place")
    flow.get_by_role("button", name="Next", exact=True).click()
    wait_until(lambda: encoder_decoder.trait(FLOW, "place") == place + 1, flow, "Python knows the step")


def test_the_figure_is_gone_through_by_keyboard(encoder_decoder: NotebookPage) -> None:
    flow = encoder_decoder.widget(FLOW)
    press(flow.get_by_role("slider", name="Step"), "Home")
    press(flow.get_by_role("button", name="Next", exact=True), "PageDown")
    expect(flow).to_contain_text("Writing token 1 of")
    wait_until(lambda: encoder_decoder.trait(FLOW, "place") > 0, flow, "Python knows the step")
    flow.page.keyboard.press("ArrowLeft")
    expect(flow).to_contain_text("Reading the source")
    flow.page.keyboard.press("Home")
    wait_until(lambda: encoder_decoder.trait(FLOW, "place") == 0, flow, "Python knows that it begins anew")


# ---- the pronoun heads


@pytest.fixture
def heads(encoder_decoder: NotebookPage) -> Locator:
    """The view with all heads on."""
    found = encoder_decoder.widget(HEADS)
    on = found.get_by_role("button", name="All heads on")
    if on.is_enabled():
        on.click()
    expect(found).to_contain_text("All heads are on.")
    return found


def test_heads_are_switched_and_searched_by_mouse(encoder_decoder: NotebookPage, heads: Locator) -> None:
    heads.get_by_role("button", name="Switch Decoder: cross-attention, layer 0, head 1 off").click()
    expect(heads.get_by_role("region", name="Right pronouns")).to_contain_text("without this head")
    assert encoder_decoder.trait(HEADS, "off") == [["cross", 0, 1]]
    heads.get_by_role("button", name="Search").click()
    wait_until(lambda: bool(encoder_decoder.trait(HEADS, "steps")), heads, "the search has found a head")
    steps = encoder_decoder.trait(HEADS, "steps")
    assert encoder_decoder.trait(HEADS, "off") == steps[-1]["off"]
    expect(heads.get_by_role("button", pressed=True)).to_have_count(len(steps))
    expect(heads.get_by_role("button", name="Search")).to_be_enabled()


def test_heads_are_switched_by_keyboard(encoder_decoder: NotebookPage, heads: Locator) -> None:
    first = heads.get_by_role("button", name="Switch Encoder: self-attention, layer 0, head 0 off")
    press(first, "ArrowDown", "ArrowRight", "Space")
    off = [["encoder", 1, 1]]
    wait_until(lambda: encoder_decoder.trait(HEADS, "off") == off, heads, "Python knows which head is off")
    before = encoder_decoder.trait(HEADS, "pair")
    press(heads.get_by_label("Pair", exact=True), "ArrowDown")
    wait_until(lambda: encoder_decoder.trait(HEADS, "pair") == before + 1, heads, "another pair is translated")
