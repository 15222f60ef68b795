"""The translator: words come one by one with alignment and rivals, swaps are compared, nothing typed is lost."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect
from widget_page import Browser, Shown, show

from anatomy_course.views import Translator
from anatomy_course.views.translator.view import Translation, UnknownWords

WEIGHTS = np.stack([
    np.stack([np.roll([0.5, 0.25, 0.125, 0.125, 0.0], i + 2 * head + layer) for i in range(4)])
    for layer in range(2) for head in range(3)
]).reshape(2, 3, 4, 5)  # fmt: skip


def made_up(sentence: str) -> Translation:
    """ "it is tired" → il est las, "it is wide" → elle est large; anything else is refused in its own way."""
    words = sentence.rstrip(".").split()
    if "stret" in words:
        raise UnknownWords(
            "The street does not know 'stret'.",
            {"stret": [("tired", sentence.replace("stret", "tired"))]} | {"x" * 60: []}
            if "more" in words
            else {"stret": [("tired", sentence.replace("stret", "tired"))]},
            "it is wide",
        )
    if words[0] != "it":
        raise ValueError("That makes no sense.")
    wide = words[-1] == "wide"
    written = ["elle" if wide else "il", "est", "large" if wide else "las", "<eos>"]
    return Translation(
        source=["<french>", *words[:3], "."],
        written=written if "on" not in words else [*written[:3], "las"],
        candidates=[[(word, 0.75), ("rival", 0.2), ("other", 0.05)] for word in written],
        weights=WEIGHTS,
        text=" ".join(written[:3]),
        direction="English → French",
        accepted=[] if "odd" in words else ["elle est large" if wide else "il est las."],
        remark="Odd." if "odd" in words else "",
        correction="it is wide" if "odd" in words else "",
        swaps=[("tired", "it is tired")] if wide else [("wide", "it is wide")],
        reason=3,
        pronouns=[0],
    )


def translator(**settings: Any) -> Translator:
    return Translator(made_up, settings.pop("sentence", "it is tired"), **{"written": 0} | settings)


def ask(widget: Translator, sentence: str, swap: bool = False) -> None:
    widget.set_state({"question": {"sentence": sentence, "swap": swap}})


# ---- Python


def test_alignment_is_the_chosen_heads_or_their_mean() -> None:
    widget = translator(layer=0, head=2)
    np.testing.assert_allclose(widget.alignment(), WEIGHTS[0, 2], atol=1 / 255)
    widget.layer, widget.head = 1, -1
    np.testing.assert_allclose(widget.alignment(), WEIGHTS[1].mean(axis=0), atol=1 / 255)
    assert (translator().layer, translator().head) == (1, -1)


def test_a_swap_keeps_the_whole_in_view_and_marks_what_changed() -> None:
    widget = translator(written="all")
    ask(widget, "it is wide", swap=True)
    assert widget.before["written"] == ["il", "est", "las", "<eos>"] and widget.written[0] == "elle"
    assert (widget.before["gone"], widget.before["new"]) == ([0, 2], [0, 2])
    assert (widget.before["gone_source"], widget.before["new_source"]) == ([3], [3])
    assert (widget.revealed, widget.current) == (4, 0)  # all of it, and the pronoun looked at
    ask(widget, "it is tired")
    assert (widget.before, widget.revealed, widget.current) == ({}, 4, 0), "what is shown translated stays so"
    widget.revealed = 1
    ask(widget, "it is wide", swap=True)
    assert widget.revealed == 0 and widget.before["gone"] == [0, 2]


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


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"layer": 2}, "layer=2 was asked for; expected a whole number from 0 to 1"),
        ({"head": 3}, "head=3 was asked for; expected a whole number from -1 to 2"),
        ({"written": 5}, "written is 5; expected 0 to 4"),
        ({"written": "most"}, "written is 'most'; expected 0 to 4"),
        ({"sentence": " "}, "The sentence is empty"),
        ({"sentence": "nonsense"}, "That makes no sense"),
    ],
)
def test_wrong_input_gets_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        translator(**wrong)


def test_parts_that_do_not_fit_get_one_sentence() -> None:
    def compute(weights: Any, candidates: Any) -> Translation:
        return Translation(["a", "b"], ["c", "<eos>"], candidates, weights, "c")

    with pytest.raises(ValueError, match=r"weights has shape \(1, 1, 2, 3\); expected .*here \(1, 1, 2, 2\)"):
        Translator(lambda _: compute(np.ones((1, 1, 2, 3)), [[], []]))
    with pytest.raises(ValueError, match="candidates for 1 words, but 2 were written"):
        Translator(lambda _: compute(np.ones((1, 1, 2, 2)), [[]]))


def test_traits_out_of_range_are_refused() -> None:
    widget = translator()
    for name, value in (("revealed", 5), ("current", 4), ("layer", 2), ("head", 3)):
        with pytest.raises(ValueError, match=f"{name}={value} was asked for"):
            setattr(widget, name, value)


def test_the_twin_says_where_each_word_looked() -> None:
    alt = translator(layer=0, head=0).still_picture().alt
    assert alt.startswith("“it is tired” became “il est las” Where each written word looked most, layer 0, head 0: ")
    assert "il at <french> 0.50, est at it 0.50, las at is 0.50" in alt


# ---- the page


def answer(shown: Shown) -> None:
    """What Python answered reaches the page, the count of answers last."""
    shown.settle()
    widget: Any = shown.widget
    names = ["sentence", "source", "written", "text", "candidates", "weights", "verdict", "remark", "correction",
             "swaps", "before", "refused", "refusal", "readable", "revealed", "current", "error",
             "answered"]  # fmt: skip
    shown.update(**{name: getattr(widget, name) for name in names})


def written(shown: Shown) -> list[str]:
    return shown.page.locator(".tr-written .word").all_inner_texts()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_word_by_word_by_mouse(browser: Browser, theme: Any) -> None:
    shown = show(browser, translator(layer=0, head=0), theme=theme, reduced_motion=True)
    page, widget = shown.page, shown.widget
    assert written(shown) == [] and page.get_by_role("button", name="Start over").is_disabled()
    page.get_by_role("button", name="Next word").click()
    shown.settle()
    assert written(shown) == ["il"] and widget.revealed == 1
    assert page.locator(".tr-source .number").all_inner_texts() == ["0.50", "0.25", "0.13", "0.13", "0.00"]
    assert page.locator(".tr-rival .number").all_inner_texts() == ["0.750", "0.200", "0.050"]
    assert page.locator(".tr-line.now").count() == 4  # nothing is drawn for a weight of 0
    page.get_by_role("button", name="Translate all").click()
    shown.settle()
    assert written(shown) == ["il", "est", "las", "⟨end⟩"]
    expect(page.locator(".tr-verdict.wrong")).to_have_text("The right translation is: il est las.")
    page.locator(".tr-target .tr-row").nth(1).click()
    shown.settle()
    assert widget.current == 1
    assert page.locator(".tr-source .number").all_inner_texts() == ["0.00", "0.50", "0.25", "0.13", "0.13"]
    page.get_by_label("Layer").select_option("1")
    shown.settle()
    assert page.locator(".tr-source .number").all_inner_texts() == ["0.13", "0.00", "0.50", "0.25", "0.13"]
    page.get_by_label("Head").select_option("mean of heads")
    shown.settle()
    assert (widget.layer, widget.head) == (1, -1)
    page.get_by_role("button", name="Start over").click()
    shown.settle()
    assert written(shown) == [] and widget.revealed == 0
    shown.check()


@pytest.mark.browser
def test_word_by_word_by_keyboard(browser: Browser) -> None:
    shown = show(browser, translator(), views=2)
    page, widget = shown.page, shown.widget
    listed = page.get_by_role("listbox", name="Written so far").first
    listed.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        shown.settle()
    assert written(shown) == ["il", "est", "las"] * 2
    page.keyboard.press("Home")
    shown.settle()
    assert (widget.revealed, widget.current) == (3, 0)
    page.keyboard.press("ArrowRight")
    shown.settle()
    assert (widget.revealed, widget.current) == (3, 1)
    expect(page.locator("[aria-live=polite].visually-hidden").first).to_contain_text("est, looked at")
    chosen = listed.get_by_role("option", selected=True)
    assert chosen.inner_text() == "est"
    assert listed.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    page.get_by_role("button", name="Next word").first.focus()
    page.keyboard.press("Enter")
    shown.settle()
    expect(listed).to_be_focused()  # the button has nothing left to do and would lose the keys
    page.keyboard.press("ArrowLeft")
    shown.settle()
    assert (widget.revealed, widget.current) == (4, 2)
    page.get_by_role("button", name="Start over").first.focus()
    page.keyboard.press("Enter")
    shown.settle()
    expect(page.get_by_role("button", name="Next word").first).to_be_focused()
    shown.check()


@pytest.mark.browser
def test_translate_all_takes_its_time(browser: Browser) -> None:
    shown = show(browser, translator())
    shown.page.get_by_role("button", name="Translate all").click()
    assert written(shown) != ["il", "est", "las", "⟨end⟩"]
    expect(shown.page.locator(".tr-written .word")).to_have_count(4)
    shown.check()


@pytest.mark.browser
def test_the_matrix_prints_the_current_row(browser: Browser) -> None:
    shown = show(browser, translator(layer=0, head=0, written=3))
    page = shown.page
    page.get_by_label("Alignment as").select_option("matrix")
    shown.settle()
    rows = page.locator(".tr-matrix tbody tr")
    assert rows.count() == 3
    assert page.locator(".tr-matrix tbody .tr-now th").inner_text() == "las"
    assert page.locator(".tr-now td").all_inner_texts() == ["0.13", "0.00", "0.50", "0.25", "0.13"]
    before = rows.nth(0).locator("td").first.evaluate("node => getComputedStyle(node).backgroundColor")
    shown.theme("dark")
    shown.settle()
    assert rows.nth(0).locator("td").first.evaluate("node => getComputedStyle(node).backgroundColor") != before
    rows.nth(0).click()
    shown.settle()
    assert shown.widget.current == 0 and page.locator(".tr-now th").inner_text() == "il"
    shown.check()


@pytest.mark.browser
def test_swapping_the_reason_marks_what_changed(browser: Browser) -> None:
    shown = show(browser, translator(written="all"))
    page = shown.page
    page.get_by_role("button", name="Swap tired for wide").focus()
    page.keyboard.press("Enter")
    answer(shown)
    assert written(shown)[0] == "elle"
    assert page.locator(".tr-compared mark").all_inner_texts() == ["tired", "il", "las", "wide", "elle", "large"]
    expect(page.locator("[aria-live=polite].visually-hidden")).to_contain_text("il las became elle large")
    assert page.get_by_label("Sentence, English or French").input_value() == "it is wide"
    assert page.locator(".tr-swaps .button").all_inner_texts() == ["tired"]
    shown.check()


@pytest.mark.browser
def test_what_was_typed_stays_and_known_words_are_offered(browser: Browser) -> None:
    known = {"english": {"nouns": ["street", "<b>"]}}
    shown = show(browser, translator(examples=["it is wide"], known=known))
    page = shown.page
    field = page.get_by_label("Sentence, English or French")
    field.fill("it is stret")
    field.press("Enter")
    answer(shown)
    offers = page.get_by_role("group", name="Unknown words")
    expect(offers).to_contain_text("The street does not know 'stret'.")
    assert field.input_value() == "it is stret"
    page.get_by_role("button", name="Translate", exact=True).click()  # the same again is a question too
    answer(shown)
    expect(offers).to_be_visible()
    expect(page.get_by_role("button", name="Translate", exact=True)).to_be_enabled()
    field.fill("nonsense")
    page.get_by_role("button", name="Translate", exact=True).click()
    answer(shown)
    expect(offers).to_be_hidden()
    expect(page.locator(".error:visible").first).to_have_text("That makes no sense.")
    assert field.input_value() == "nonsense"
    field.fill("it is stret")
    field.press("Enter")
    answer(shown)
    page.get_by_role("button", name="tired instead of stret").click()
    answer(shown)
    assert field.input_value() == "it is tired"
    expect(offers).to_be_hidden()
    page.locator(".tr-known summary").click()
    expect(page.locator(".tr-known")).to_contain_text("english, nouns: street, <b>")
    page.get_by_label("or take one").select_option("it is wide")
    answer(shown)
    page.get_by_role("button", name="Next word").click()
    shown.settle()
    assert written(shown) == ["elle"]
    shown.check()


@pytest.mark.browser
def test_a_remark_comes_with_what_may_have_been_meant(browser: Browser) -> None:
    shown = show(browser, translator(sentence="it is odd"))
    expect(shown.page.locator(".tr-remark")).to_contain_text("Odd.")
    shown.page.get_by_role("button", name=re.compile("^Take: it is wide")).click()
    answer(shown)
    assert shown.widget.sentence == "it is wide"
    expect(shown.page.locator(".tr-remark")).to_be_hidden()
    shown.check()


def test_it_opens_translated_with_the_swaps_on_top_and_the_pronoun_looked_at(browser: Browser) -> None:
    shown = show(browser, Translator(made_up, "it is tired"))
    assert shown.widget.revealed == 4 and shown.widget.current == 0
    assert written(shown) == ["il", "est", "las", "⟨end⟩"]
    swap = shown.page.get_by_role("button", name="Swap tired for wide").bounding_box()
    field = shown.page.get_by_label("Sentence, English or French").bounding_box()
    assert swap is not None and field is not None and swap["y"] < field["y"]
    shown.check()


@pytest.mark.parametrize("width", [960, 330])
def test_an_unreadable_sentence_gets_the_nearest_that_can_be_read(browser: Browser, width: int) -> None:
    shown = show(browser, translator(written="all"), size=(width + 32, 900))
    before = shown.page.locator(".anatomy").evaluate("root => root.offsetHeight")
    field = shown.page.get_by_label("Sentence, English or French")
    field.fill("it is stret more")
    field.press("Enter")
    answer(shown)
    assert shown.page.locator(".anatomy").evaluate("root => root.scrollWidth") <= width
    if width == 960:
        assert shown.page.locator(".anatomy").evaluate("root => root.offsetHeight") == before <= 700
    assert not shown.page.get_by_role("button", name="instead of stret").is_visible(), "another word is unknown too"
    shown.page.get_by_role("button", name="Read: it is wide").click()
    answer(shown)
    assert shown.widget.sentence == "it is wide" and written(shown)[0] == "elle"
    shown.check()
