"""The translator: words come one by one with alignment and rivals, swaps are compared, nothing typed is lost."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from on_page import OnPage, Show
from playwright.sync_api import expect
from small import WEIGHTS, translation, translator

from anatomy_course.views import Translator

FIELD = "Sentence, English or French"


def ask(widget: Any, sentence: str) -> None:
    widget.set_state({"question": {"sentence": sentence}})


def test_alignment_is_the_chosen_heads_or_their_mean() -> None:
    widget = translator(layer=0, head=2)
    np.testing.assert_allclose(widget.alignment(), WEIGHTS[0, 2], atol=1 / 255)
    widget.layer, widget.head = 1, -1
    np.testing.assert_allclose(widget.alignment(), WEIGHTS[1].mean(axis=0), atol=1 / 255)
    assert (translator().layer, translator().head) == (1, -1)


def test_what_is_shown_translated_stays_so() -> None:
    widget = translator(written="all")
    ask(widget, "it is wide")
    assert widget.written[0] == "elle"
    assert (widget.revealed, widget.current) == (4, 0)  # all of it, and the pronoun looked at
    widget.revealed = 1
    ask(widget, "it is tired")
    assert widget.revealed == 0


def test_unknown_words_leave_everything_else_as_it_was() -> None:
    widget = translator(written=2)
    ask(widget, "it is stret")
    assert widget.refused == [{"word": "stret", "nearest": [{"word": "tired", "sentence": "it is tired"}]}]
    assert (widget.refusal, widget.error) == ("The street does not know 'stret'.", "")
    assert (widget.written[0], widget.revealed, widget.sentence) == ("il", 2, "it is tired")
    ask(widget, "nonsense")
    assert widget.error == "That makes no sense."
    ask(widget, "it is wide")
    assert (widget.refused, widget.refusal, widget.error, widget.sentence) == ([], "", "", "it is wide")


@pytest.mark.parametrize(
    ("sentence", "right", "told"),
    [
        ("it is wide", True, "Right to the last word."),
        ("it is tired", False, "The right translation is: il est las."),
        ("it is odd", None, ""),
        ("it is going on", False, "It found no end: after 4 words it was stopped."),
    ],
)
def test_the_verdict(sentence: str, right: bool | None, told: str) -> None:
    assert translator(sentence=sentence).verdict == {"right": right, "told": told}


def written(shown: OnPage) -> list[str]:
    return shown.texts(".tr-written .word")


def test_word_by_word_by_mouse(show: Show) -> None:
    shown = show(translator(layer=0, head=0), reduced_motion=True)
    page, widget = shown.page, shown.widget
    assert written(shown) == [] and page.get_by_role("button", name="Start over").is_disabled()
    shown.click("button", "Next word")
    assert written(shown) == ["il"] and widget.revealed == 1
    assert shown.texts(".tr-source .number") == ["0.50", "0.25", "0.13", "0.13", "0.00"]
    assert shown.texts(".tr-rival .number") == ["0.750", "0.200", "0.050"]
    assert shown.count(".tr-line.now") == 4  # nothing is drawn for a weight of 0
    shown.click("button", "Translate all")
    assert written(shown) == ["il", "est", "las", "⟨end⟩"]
    expect(page.locator(".tr-verdict.wrong")).to_have_text("The right translation is: il est las.")
    page.locator(".tr-target .tr-row").nth(1).click()
    shown.settle()
    assert widget.current == 1
    assert shown.texts(".tr-source .number") == ["0.00", "0.50", "0.25", "0.13", "0.13"]
    page.get_by_label("Layer").select_option("1")
    shown.settle()
    assert shown.texts(".tr-source .number") == ["0.13", "0.00", "0.50", "0.25", "0.13"]
    page.get_by_label("Head").select_option("mean of heads")
    shown.settle()
    assert (widget.layer, widget.head) == (1, -1)
    shown.click("button", "Start over")
    assert written(shown) == [] and widget.revealed == 0


def test_word_by_word_by_keyboard(show: Show) -> None:
    shown = show(translator(), views=2)
    page, widget = shown.page, shown.widget
    listed = page.get_by_role("listbox", name="Written so far").first
    listed.focus()
    shown.keys("ArrowRight", "ArrowRight", "ArrowRight")
    assert written(shown) == ["il", "est", "las"] * 2
    shown.keys("Home")
    assert (widget.revealed, widget.current) == (3, 0)
    shown.keys("ArrowRight")
    assert (widget.revealed, widget.current) == (3, 1)
    expect(page.locator("[aria-live=polite].visually-hidden").first).to_contain_text("est, looked at")
    chosen = listed.get_by_role("option", selected=True)
    assert chosen.inner_text() == "est"
    assert listed.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    following = page.get_by_role("button", name="Next word").first
    following.press("Enter")
    shown.settle()
    expect(listed).to_be_focused()  # the button has nothing left to do and would lose the keys
    shown.keys("ArrowLeft")
    assert (widget.revealed, widget.current) == (4, 2)
    page.get_by_role("button", name="Start over").first.press("Enter")
    shown.settle()
    expect(following).to_be_focused()


def test_translate_all_takes_its_time(show: Show) -> None:
    shown = show(translator())
    shown.page.get_by_role("button", name="Translate all").click()
    assert written(shown) != ["il", "est", "las", "⟨end⟩"]
    expect(shown.page.locator(".tr-written .word")).to_have_count(4)


def test_the_matrix_prints_the_current_row(show: Show) -> None:
    shown = show(translator(layer=0, head=0, written=3))
    shown.page.get_by_label("Alignment as").select_option("matrix")
    shown.settle()
    rows = shown.page.locator(".tr-matrix tbody tr")
    assert rows.count() == 3
    assert shown.text(".tr-matrix tbody .tr-now th") == "las"
    assert shown.texts(".tr-now td") == ["0.13", "0.00", "0.50", "0.25", "0.13"]
    color = "node => getComputedStyle(node).backgroundColor"
    cell = rows.nth(0).locator("td").first
    before = cell.evaluate(color)
    shown.theme("dark")
    shown.settle()
    assert cell.evaluate(color) != before
    rows.nth(0).click()
    shown.settle()
    assert shown.widget.current == 0 and shown.text(".tr-now th") == "il"


def test_it_opens_translated_and_swapping_the_reason_marks_what_changed(show: Show) -> None:
    shown = show(Translator(translation, "it is tired"))
    page = shown.page
    assert shown.widget.revealed == 4 and shown.widget.current == 0, "the pronoun is looked at"
    assert written(shown) == ["il", "est", "las", "⟨end⟩"]
    swap, field = page.get_by_role("button", name="Swap tired for wide"), page.get_by_label(FIELD)
    assert swap.bounding_box()["y"] < field.bounding_box()["y"], "the swaps stand on top"
    swap.press("Enter")
    shown.follow()
    assert written(shown)[0] == "elle"
    assert shown.texts(".tr-compared mark") == ["tired", "il", "las", "wide", "elle", "large"]
    expect(page.locator("[aria-live=polite].visually-hidden")).to_contain_text("il las became elle large")
    assert field.input_value() == "it is wide"
    assert shown.texts(".tr-swaps .button") == ["tired"]


def test_what_was_typed_stays_and_known_words_are_offered(show: Show) -> None:
    known = {"english": {"nouns": ["street", "<b>"]}}
    shown = show(translator(examples=["it is wide"], known=known))
    page, field = shown.page, shown.page.get_by_label(FIELD)
    offers, again = (
        page.get_by_role("group", name="Unknown words"),
        page.get_by_role("button", name="Translate", exact=True),
    )
    shown.type(FIELD, "it is stret")
    shown.follow()
    expect(offers).to_contain_text("The street does not know 'stret'.")
    assert field.input_value() == "it is stret"
    again.click()  # the same again is a question too
    shown.follow()
    expect(offers).to_be_visible()
    expect(again).to_be_enabled()
    field.fill("nonsense")
    again.click()
    shown.follow()
    expect(offers).to_be_hidden()
    expect(page.locator(".error:visible").first).to_have_text("That makes no sense.")
    assert field.input_value() == "nonsense"
    shown.type(FIELD, "it is stret")
    shown.follow()
    shown.click("button", "tired instead of stret")
    shown.follow()
    assert field.input_value() == "it is tired"
    expect(offers).to_be_hidden()
    page.locator(".tr-known summary").click()
    expect(page.locator(".tr-known")).to_contain_text("english, nouns: street, <b>")
    page.get_by_label("or take one").select_option("it is wide")
    shown.follow()
    shown.click("button", "Next word")
    assert written(shown) == ["elle"]


def test_a_remark_comes_with_what_may_have_been_meant(show: Show) -> None:
    shown = show(translator(sentence="it is odd"))
    expect(shown.page.locator(".tr-remark")).to_contain_text("Odd.")
    shown.click("button", re.compile("^Take: it is wide"))
    assert shown.follow().sentence == "it is wide"
    expect(shown.page.locator(".tr-remark")).to_be_hidden()


@pytest.mark.parametrize("width", [960, 330])
def test_an_unreadable_sentence_gets_the_nearest_that_can_be_read(show: Show, width: int) -> None:
    shown = show(translator(written="all"), width=width)
    root = shown.page.locator(".anatomy")
    before = root.evaluate("root => root.offsetHeight")
    shown.type(FIELD, "it is stret more")
    shown.follow()
    assert root.evaluate("root => root.scrollWidth") <= width
    if width == 960:
        assert root.evaluate("root => root.offsetHeight") == before <= 700
    assert not shown.page.get_by_role("button", name="instead of stret").is_visible(), "another word is unknown too"
    shown.click("button", "Read: it is wide")
    assert shown.follow().sentence == "it is wide" and written(shown)[0] == "elle"
