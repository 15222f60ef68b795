"""The layer journey: its similarities are the encoder's, its neighbors the nearest, and a typed sentence joins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from torch.nn import functional as F
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import Browser, Shown, show

from anatomy_course import views
from anatomy_course.views import NearestWords
from anatomy_course.views.nearest_words.view import WordStates
from anatomy_utils import pretrained
from anatomy_utils.interpret import activations


@pytest.fixture(scope="module")
def minilm() -> Any:
    return pretrained.load("minilm")


ANGLES = {"apple": (0, 60), "pear": (80, 50), "phone": (85, 10), "fruit": (40, 55), "x": (180, 180)}
"""Word → the direction of its vector, in degrees, in layer 0 and in layer 1."""


def made_up(sentences: list[str]) -> WordStates:
    if any("raise" in text for text in sentences):
        raise ValueError("That word is not known; use another.")
    listed = [text.split() for text in sentences]
    turned = np.radians([[ANGLES.get(word, (90, 90))[layer] for words in listed for word in words] for layer in (0, 1)])
    return WordStates(listed, 3 * np.stack([np.cos(turned), np.sin(turned)], axis=-1))


def journey(**settings: Any) -> NearestWords:
    sentences = settings.pop("sentences", ["apple pear", "phone fruit apple"])
    return NearestWords(made_up, sentences, **{"word": "apple"} | settings)


def test_similarities_are_cosines_and_neighbors_are_in_order() -> None:
    widget = journey()
    assert widget.words == ["apple 1", "pear 1", "phone 2", "fruit 2", "apple 2"]
    degrees = np.radians([[0, 80, 85, 40, 0], [0, 10, 50, 5, 0]])
    np.testing.assert_allclose(widget.cosines("apple 1"), np.cos(degrees), atol=2e-5)
    assert [name for name, _ in widget.neighbors("apple 1", 0)] == ["apple 2", "fruit 2", "pear 1", "phone 2"]
    assert [name for name, _ in widget.neighbors("apple 1", 1)] == ["apple 2", "fruit 2", "pear 1", "phone 2"]
    assert [name for name, _ in widget.neighbors("phone 2", 0, 2)] == ["pear 1", "fruit 2"]
    assert [name for name, _ in widget.neighbors("phone 2", 1, 2)] == ["pear 1", "fruit 2"]


@pytest.mark.usefixtures("shapes_unchecked")
def test_the_real_encoder_draws_the_two_apples_apart(minilm: Any) -> None:
    widget = views.nearest_words(*minilm)
    fruit, firm = widget.cosines("apple 1"), widget.cosines("apple 3")
    pear, microsoft = widget.words.index("pear 2"), widget.words.index("microsoft 4")
    np.testing.assert_allclose(fruit[0], firm[0], atol=1e-4)  # one row of the table
    assert fruit[3, pear] > firm[3, pear] + 0.1 and firm[3, microsoft] > fruit[3, microsoft] + 0.1
    one, other = (
        activations.word_states(*minilm, views.JOURNEY[i], word)[4] for i, word in ((0, "apple"), (1, "pear"))
    )
    assert fruit[4, pear] == pytest.approx(F.cosine_similarity(one, other, dim=0).item(), abs=1e-4)
    assert not any(name.startswith(("[", ".")) for name in widget.words)


def test_a_sentence_is_added_and_its_known_word_is_chosen() -> None:
    widget = journey()
    widget.set_state({"question": {"sentence": "x pear y"}})
    assert (widget.error, widget.answered) == ("", 1)
    assert widget.words[widget.chosen] == "pear 3"
    for bad, said in (("raise", "That word is not known"), ("", "empty"), ("y " * 160, "162 words|characters|words")):
        before = widget.similarities
        widget.set_state({"question": {"sentence": bad}})
        assert widget.similarities == before and len(widget.sentences) == 3
        assert any(part in widget.error for part in said.split("|"))
    widget.set_state({"question": {"sentence": "a b"}})  # a refused sentence does not stay behind
    assert len(widget.sentences) == 4 and widget.error == ""


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"word": "plum"}, "no word 'plum' in sentence 1; its words are apple, pear"),
        ({"sentence": 9}, "no word 'apple' in sentence 9; its words are those of sentences 1 to 2"),
        ({"follow": ["plum"]}, "no word 'plum' in the sentences"),
        ({"follow": ["pear 2"]}, "no word 'pear 2' in the sentences"),
        ({"sentences": ["apple", ""]}, "The sentence is empty"),
        ({"sentences": ["apple " * 40] * 5}, "200 words together; at most 160 fit"),
    ],
)
def test_wrong_input_gets_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        journey(**wrong)


def test_another_number_of_vectors_than_words_gets_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"states has shape \(2, 3, 4\); expected .*here \(2, 1, 4\)"):
        NearestWords(lambda sentences: WordStates([["apple"]], np.ones((2, 3, 4))), ["apple"], word="apple")


def test_the_twin_tells_the_nearest() -> None:
    alt = journey(follow=["pear"]).still_picture().alt
    assert alt.endswith(
        "with pear 1 over 1 layers. Nearest after the last layer: apple 2 1.00, fruit 2 1.00, pear 1 0.98."
    )


def cells(shown: Shown, layer: int) -> list[str]:
    names = shown.page.get_by_role("row").locator(f"[data-place$=' {layer}']").all()
    return [name.locator(".visually-hidden").inner_text() for name in names]


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_choosing_words_by_mouse_and_keys(browser: Browser, theme: Any) -> None:
    shown = show(browser, journey(), theme=theme)
    assert cells(shown, 0) == [
        "apple, sentence 2: 1.00",
        "fruit, sentence 2: 0.77",
        "pear, sentence 1: 0.17",
        "phone, sentence 2: 0.09",
    ]
    shown.page.get_by_role("option", name="phone, sentence 2").click()
    shown.settle()
    assert shown.widget.chosen == 2
    assert cells(shown, 0)[0] == "pear, sentence 1: 1.00"
    shown.page.get_by_role("listbox", name="Word").focus()
    shown.page.keyboard.press("ArrowUp")
    shown.settle()
    assert shown.widget.chosen == 0
    shown.page.keyboard.press("End")
    shown.page.keyboard.press("ArrowLeft")
    shown.settle()
    assert shown.widget.words[shown.widget.chosen] == "fruit 2"
    shown.page.get_by_role("button", name="Only words of other sentences").click()
    shown.settle()
    assert shown.widget.others and all("sentence 1" in name for name in cells(shown, 1))
    shown.check()


@pytest.mark.browser
def test_following_words_as_curves(browser: Browser) -> None:
    shown = show(browser, journey(follow=["pear"]), views=2)
    chart = shown.page.get_by_role("img", name="Cosine with apple, sentence 1").last
    assert "pear, sentence 1 from 0.17 to 0.98" in (chart.get_attribute("aria-label") or "")
    cell = shown.page.locator(".lj-cell").filter(has_text="phone").first
    cell.focus()
    cell.press("Enter")
    shown.settle()
    assert shown.widget.followed == [1, 2]
    assert "phone, sentence 2 from 0.09 to 0.64" in (chart.get_attribute("aria-label") or "")
    assert shown.page.evaluate("document.activeElement.lastChild.textContent") == "phone, sentence 2: 0.09"
    shown.page.get_by_role("button", name="Follow no longer: pear, sentence 1").first.click()
    shown.settle()
    assert shown.widget.followed == [2]
    shown.check()


@pytest.mark.browser
def test_the_readers_own_sentence(browser: Browser) -> None:
    shown = show(browser, journey())
    field = shown.page.get_by_label("Your own sentence")
    field.fill("</script><img/src=x/onerror=window.hit=1> pear")
    field.press("Enter")
    shown.settle()
    names = ("sentences", "layers", "similarities", "chosen", "error", "answered")
    shown.update(**{name: getattr(shown.widget, name) for name in names})
    assert shown.page.get_by_role("option", name="pear, sentence 3").get_attribute("aria-selected") == "true"
    assert shown.page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy img').length === 0")
    field.fill("raise")
    shown.page.get_by_role("button", name="Add").click()
    shown.settle()
    shown.update(error=shown.widget.error, answered=shown.widget.answered)
    assert shown.page.locator(".error").inner_text() == "That word is not known; use another."
    shown.check()


def test_ones_own_sentences_can_be_taken_out_and_the_others_keep_their_words() -> None:
    widget = journey(follow=["pear", "fruit"])
    for sentence in ("x apple", "pear pear x"):
        widget.set_state({"question": {"sentence": sentence, "out": 0, "id": widget.answered + 1}})
    assert widget.given == 2 and len(widget.sentences) == 4
    widget.set_state({"chosen": widget.words.index("x 4"), "followed": [1, widget.words.index("x 3"), 3]})
    widget.set_state({"question": {"sentence": "", "out": 3, "id": 9}})
    assert (widget.error, len(widget.sentences)) == ("", 3)
    assert widget.words[widget.chosen] == "x 3" and [widget.words[i] for i in widget.followed] == ["pear 1", "fruit 2"]
    widget.set_state({"question": {"sentence": "", "out": 2, "id": 10}})
    assert widget.error == "Sentence 2 cannot be taken out; only your own ones can." and len(widget.sentences) == 3


@pytest.mark.browser
def test_what_is_heard_is_the_new_answer(browser: Browser) -> None:
    shown = show(browser, journey())
    shown.page.get_by_label("Your own sentence").fill("x pear")
    shown.page.get_by_role("button", name="Add").click()
    answered(shown)
    shown.page.wait_for_function(HEARD, arg="Added; now pear, sentence 3 is chosen.")
    shown.page.get_by_role("button", name="Take out sentence 3").click()
    answered(shown)
    shown.page.wait_for_function(HEARD, arg="Taken out; now apple, sentence 1 is chosen.")
    assert shown.page.get_by_role("button", name="Take out").count() == 0
    shown.check()


INSIDE = """node => node.getBoundingClientRect().bottom
  <= node.closest('.lj-sentences').getBoundingClientRect().bottom"""
HEARD = "text => document.querySelector('.anatomy > [aria-live]').textContent === text"


def answered(shown: Shown) -> None:
    """The answer reaches the page, its number first."""
    shown.settle()
    names = ("answered", "error", "sentences", "similarities", "layers", "chosen", "followed")
    shown.update(**{name: getattr(shown.widget, name) for name in names})


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_a_long_sentence_stays_in_the_card(browser: Browser, minilm: Any, width: int) -> None:
    texts = [*views.JOURNEY, "The animal didn't cross the street because it was too tired, " * 2]
    widget = views.nearest_words(*minilm, texts)
    shown = show(browser, widget, size=(LAB[width], 900))
    heights = set()
    for place in (0, len(widget.words) - 1, 3):
        shown.update(chosen=place, followed=[1, 2, 5, 6, 7][: place + 2])
        assert_fits(shown.page)
        heights.add(height_of(shown.page))
        assert shown.page.locator(".lj-sentences [aria-selected=true]").evaluate(INSIDE)
    assert_stands_still(heights)
    shown.check()
