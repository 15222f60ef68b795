"""The layer journey: its similarities are the encoder's, its neighbors the nearest, and a typed sentence joins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from on_page import OnPage, Show
from small import EVIL, nearest_words
from torch.nn import functional as F

from anatomy_course import views
from anatomy_utils.interpret import activations


def test_similarities_are_cosines_and_neighbors_are_in_order() -> None:
    widget = nearest_words()
    assert widget.words == ["apple 1", "pear 1", "phone 2", "fruit 2", "apple 2"]
    degrees = np.radians([[0, 80, 85, 40, 0], [0, 10, 50, 5, 0]])
    np.testing.assert_allclose(widget.cosines("apple 1"), np.cos(degrees), atol=2e-5)
    for layer in (0, 1):
        assert [name for name, _ in widget.neighbors("apple 1", layer)] == ["apple 2", "fruit 2", "pear 1", "phone 2"]
        assert [name for name, _ in widget.neighbors("phone 2", layer, 2)] == ["pear 1", "fruit 2"]


@pytest.mark.usefixtures("shapes_unchecked")
def test_the_real_encoder_draws_the_two_apples_apart(minilm: Any) -> None:
    widget = views.nearest_words(*minilm)
    fruit, firm = widget.cosines("apple 1"), widget.cosines("apple 3")
    pear, microsoft = widget.words.index("pear 2"), widget.words.index("microsoft 4")
    np.testing.assert_allclose(fruit[0], firm[0], atol=1e-4)  # one row of the table
    assert fruit[3, pear] > firm[3, pear] + 0.1 and firm[3, microsoft] > fruit[3, microsoft] + 0.1
    apple, other = (activations.word_states(*minilm, views.JOURNEY[i], word)[4]
                    for i, word in ((0, "apple"), (1, "pear")))  # fmt: skip
    assert fruit[4, pear] == pytest.approx(F.cosine_similarity(apple, other, dim=0).item(), abs=1e-4)
    assert not any(name.startswith(("[", ".")) for name in widget.words)


def test_a_sentence_is_added_and_its_known_word_is_chosen() -> None:
    widget = nearest_words()
    widget.set_state({"question": {"sentence": "x pear y"}})
    assert (widget.error, widget.answered) == ("", 1)
    assert widget.words[widget.chosen] == "pear 3"
    before = widget.similarities
    for bad, said in (("raise", "That word is not known"), ("", "empty"), ("y " * 160, "words; at most|characters")):
        widget.set_state({"question": {"sentence": bad}})
        assert widget.similarities == before and len(widget.sentences) == 3
        assert any(part in widget.error for part in said.split("|"))
    widget.set_state({"question": {"sentence": "a b"}})  # a refused sentence does not stay behind
    assert len(widget.sentences) == 4 and widget.error == ""


def test_ones_own_sentences_can_be_taken_out_and_the_others_keep_their_words() -> None:
    widget = nearest_words(follow=["pear", "fruit"])
    for sentence in ("x apple", "pear pear x"):
        widget.set_state({"question": {"sentence": sentence, "out": 0, "id": widget.answered + 1}})
    assert widget.given == 2 and len(widget.sentences) == 4
    widget.set_state({"chosen": widget.words.index("x 4"), "followed": [1, widget.words.index("x 3"), 3]})
    widget.set_state({"question": {"sentence": "", "out": 3, "id": 9}})
    assert (widget.error, len(widget.sentences)) == ("", 3)
    assert widget.words[widget.chosen] == "x 3" and [widget.words[i] for i in widget.followed] == ["pear 1", "fruit 2"]
    widget.set_state({"question": {"sentence": "", "out": 2, "id": 10}})
    assert widget.error == "Sentence 2 cannot be taken out; only your own ones can." and len(widget.sentences) == 3


def cells(shown: OnPage, layer: int) -> list[str]:
    names = shown.page.get_by_role("row").locator(f"[data-place$=' {layer}']").all()
    return [name.locator(".visually-hidden").inner_text() for name in names]


def test_choosing_words_by_mouse_and_keys(show: Show) -> None:
    shown = show(nearest_words())
    nearest = {"apple, sentence 2": "1.00", "fruit, sentence 2": "0.77", "pear, sentence 1": "0.17"}
    nearest |= {"phone, sentence 2": "0.09"}
    assert cells(shown, 0) == [f"{word}: {cosine}" for word, cosine in nearest.items()]
    shown.click("option", "phone, sentence 2")
    assert shown.widget.chosen == 2
    assert cells(shown, 0)[0] == "pear, sentence 1: 1.00"
    shown.page.get_by_role("listbox", name="Word").focus()
    shown.keys("ArrowUp")
    assert shown.widget.chosen == 0
    shown.keys("End", "ArrowLeft")
    assert shown.widget.words[shown.widget.chosen] == "fruit 2"
    shown.click("button", "Only words of other sentences")
    assert shown.widget.others and all("sentence 1" in name for name in cells(shown, 1))


def test_following_words_as_curves(show: Show) -> None:
    shown = show(nearest_words(follow=["pear"]), views=2)
    chart = shown.page.get_by_role("img", name="Cosine with apple, sentence 1").last
    assert "pear, sentence 1 from 0.17 to 0.98" in chart.get_attribute("aria-label")
    shown.page.locator(".lj-cell").filter(has_text="phone").first.press("Enter")
    shown.settle()
    assert shown.widget.followed == [1, 2]
    assert "phone, sentence 2 from 0.09 to 0.64" in chart.get_attribute("aria-label")
    assert shown.page.evaluate("document.activeElement.lastChild.textContent") == "phone, sentence 2: 0.09"
    shown.click("button", "Follow no longer: pear, sentence 1")
    assert shown.widget.followed == [2]


HEARD = "text => document.querySelector('.anatomy > [aria-live]').textContent === text"


def test_the_readers_own_sentence_is_added_heard_and_taken_out(show: Show) -> None:
    shown = show(nearest_words())
    shown.type("Your own sentence", f"{EVIL} pear")
    shown.follow("answered", "error", "sentences", "similarities", "layers")
    shown.page.wait_for_function(HEARD, arg="Added; now pear, sentence 3 is chosen.")
    assert shown.page.get_by_role("option", name="pear, sentence 3").get_attribute("aria-selected") == "true"
    assert shown.page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy img').length === 0")
    shown.page.get_by_label("Your own sentence").fill("raise")
    shown.click("button", "Add")
    shown.follow()
    assert shown.text(".error") == "That word is not known; use another."
    shown = show(nearest_words())
    shown.page.get_by_label("Your own sentence").fill("x pear")
    shown.click("button", "Add")
    shown.follow("answered", "error", "sentences", "similarities", "layers")
    shown.click("button", "Take out sentence 3")
    shown.follow("answered", "error", "sentences", "similarities", "layers")
    shown.page.wait_for_function(HEARD, arg="Taken out; now apple, sentence 1 is chosen.")
    assert shown.page.get_by_role("button", name="Take out").count() == 0


def test_the_chosen_word_of_a_long_story_is_in_sight(show: Show, minilm: Any) -> None:
    widget = views.nearest_words(*minilm, [*views.JOURNEY, "The animal didn't cross the street, " * 3])
    shown = show(widget, width=330)
    inside = """node => node.getBoundingClientRect().bottom
      <= node.closest('.lj-sentences').getBoundingClientRect().bottom"""
    for place in (0, len(widget.words) - 1, 3):
        shown.update(chosen=place)
        assert shown.page.locator(".lj-sentences [aria-selected=true]").evaluate(inside)
