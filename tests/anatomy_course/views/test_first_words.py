"""The first words: what is recorded, what is loaded when, what a sentence of one's own brings, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch
from measure import look_at, views
from on_page import OnPage, Show
from small import SENTENCE, Models, first_words

from anatomy_course.lab.street import street_vocabulary
from anatomy_course.views import FirstWords
from anatomy_course.views.first_words.view import (
    RECORDED,
    Heads,
    Loader,
    ModelWriter,
    load_reader,
    load_writer,
    recording,
    type_a_sentence,
)  # fmt: skip
from anatomy_utils import pretrained

PICTURE = "sentence tokens weights heads written chosen word".split()


@pytest.fixture
def models() -> Models:
    return Models()


@pytest.fixture
def view(models: Models) -> Any:
    return first_words(models)


def ask(widget: Any, **question: Any) -> Any:
    """What the page does: another question."""
    widget.set_state({"question": {**question, "id": widget.answered + 1}})
    return widget


def words(widget: Any) -> list[str]:
    return [each["word"] for each in widget.written]


def test_it_opens_with_the_recording_and_loads_only_what_is_needed(view: Any, models: Models) -> None:
    assert view.text() == "The cat sat on the mat moon"
    assert view.attention().shape == (2, 3, 7, 7) and view.attention()[1, 1, 3].argmax() == 5
    ask(view, do="read", sentence=SENTENCE)
    assert models.loaded == [] and view.recorded
    ask(view, do="read", sentence=" Bees like   flowers ")
    assert models.loaded == ["reader"] and models.seen == ["a reader, about 2 seconds"]
    assert view.sentence == "Bees like flowers" and view.tokens == ["[CLS]", "bees", "like", "flowers", "[SEP]"]
    assert view.written == [] and not view.recorded and not view.ready and view.loading == ""
    ask(view, do="load")
    assert models.loaded == ["reader", "writer"] and models.seen[1] == "a writer, about 7 seconds" and view.ready
    ask(view, do="write", sentence="Bees like flowers", token_ids=[], more=2)
    assert words(view) == ["␣mat", "␣mat"] and len(models.loaded) == 2


def test_a_rival_is_gone_on_from_and_the_heads_of_the_recording_stay(view: Any, models: Models) -> None:
    before = view.weights
    ask(view, do="write", sentence=SENTENCE, token_ids=[1], more=1)
    assert words(view) == ["␣mouse", "␣mat"] and view.weights == before and models.loaded == ["writer"]


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("\0", "at least one word"),
        (None, "give one string"),
        ("word " * 500, "The sentence has 2500 characters; at most 300 fit"),
        ("a " * 60, "makes 62 pieces; the drawing has room for"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence_and_changes_nothing(view: Any, sentence: Any, said: str) -> None:
    before = view.get_state(PICTURE)
    for do in ("read", "write"):
        ask(view, do=do, sentence=sentence)
        assert said in view.error and view.get_state(PICTURE) == before
    ask(view, do="dance")
    assert "asked to 'dance'" in view.error


def test_a_sentence_of_ones_own_opens_with_its_strongest_look_at_a_distance(view: Any) -> None:
    ask(view, do="read", sentence="Bees like flowers")
    assert (view.chosen, view.word) == ([0, 2], "bees"), "heads 0 and 1 of layer 0 look at the word itself and the next"
    assert view.attention()[0, 2, 1].argmax() == 3
    alt = view.still_picture().alt
    assert "reads “Bees like flowers”" in alt and "“bees” looks most at “flowers”" in alt
    ask(view, do="read", sentence="Bees!")
    assert (view.chosen, view.word) == ([0, 2], ""), "one word can look at no other"
    assert "looks most" not in view.still_picture().alt
    view.chosen = [1, 0]
    ask(view, do="read", sentence="Bees like flowers")
    assert (view.chosen, view.word) == ([1, 0], ""), "a head that the reader chose stays"


def test_a_model_that_cannot_be_loaded_is_said(view: Any, models: Models) -> None:
    def missing() -> Any:
        raise ValueError("The weights are not installed; run: pip install them")

    view._loaders["writer"] = Loader("a writer", missing)
    ask(view, do="load")
    assert view.error.startswith("The weights are not installed") and view.loading == "" and not view.ready
    loader: Any = Loader("", lambda: models)
    with pytest.raises(ValueError, match=r"weights has shape \(1, 1, 2, 2\); expected .*here \(1, 1, 1, 1\)"):
        FirstWords(loader, loader, sentence="a", heads=Heads(["a"], np.ones((1, 1, 2, 2))), written=[])


def until(shown: OnPage, done: Any) -> None:
    """What the kernel has computed reaches the page, until `done(widget)`."""
    for _ in range(200):
        there = done(shown.widget)
        shown.follow()
        if there:
            return
        shown.page.wait_for_timeout(40)
    raise AssertionError("what was waited for did not come")


def test_ones_own_words_are_read_and_gone_on_with(show: Show, view: Any) -> None:
    shown = show(view, width=960)
    page = shown.page
    assert "This was recorded" in shown.text(".fw-state")
    page.get_by_label("Your sentence").fill("Bees <i>like</i> 🙂 علم flowers")
    until(shown, lambda widget: widget.ready)
    assert shown.texts(".fw-token") == ["[CLS]", "bees", "<i>like</i>", "[UNK]", "علم", "flowers", "[SEP]"]
    assert "[UNK] stands for" in shown.text(".fw-state")
    page.get_by_label("Your sentence").press("Enter")
    until(shown, lambda widget: len(widget.written) == 5)
    assert shown.texts(".fw-new .word") == ["mat", "mat", "mat", "mat", "."]
    page.locator(".fw-new").nth(1).click()
    assert "Rivals of “mat”" in shown.text(".fw-half")
    shown.click("button", "<b>, 10 %")
    until(shown, lambda widget: len(widget.written) == 5 and words(widget)[1] == "<b>")
    assert shown.text(".fw-turn .word") == "<b>"
    assert shown.count(".fw-text b, .fw-page i") == 0


def test_a_head_and_a_word_are_chosen_by_mouse_and_keys(show: Show, view: Any) -> None:
    shown = show(view)
    assert "Layer 1, head 1. “sat” looks most at “the”: 100 %." in shown.text(".fw-told")
    head = shown.page.get_by_role("radio", name="Layer 0, head 2")
    head.hover()
    assert "Layer 0, head 2. “sat” looks most at “the”: 100 %." in shown.text(".fw-told")
    assert shown.widget.chosen == [1, 1], "pointing at a head does not choose it"
    head.click()
    shown.keys("ArrowLeft")
    assert shown.widget.chosen == [0, 1]
    assert shown.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Layer 0, head 1"
    assert "Habit: 100 % of its attention falls on the word after" in shown.text(".fw-told")
    shown.click("button", "cat")
    assert "“cat” looks most at “sat”: 100 %" in shown.text(".fw-told")
    assert shown.count(".fw-lines path") == 1
    shown.click("button", "cat")
    assert shown.count(".fw-lines path") == 7


def test_a_refused_sentence_is_said_and_the_picture_stays(show: Show, view: Any) -> None:
    shown = show(view)
    shown.page.get_by_label("Your sentence").fill("word " * 500)
    until(shown, lambda widget: widget.error)
    assert "The sentence has 2500 characters" in shown.text(".fw-state .error")
    assert shown.count(".fw-token") == 7
    shown.page.get_by_label("Your sentence").press("Enter")
    until(shown, lambda widget: widget.answered > 1)
    shown.page.wait_for_timeout(400)
    assert "Go on" in shown.page.get_by_role("button", name="Go on").inner_text(), "it does not go on asking"


@pytest.mark.parametrize("width", [960, 720, 592, 330])
def test_it_fits_and_keeps_its_height(show: Show, width: int) -> None:
    view = first_words()
    view.written = [{**each, "word": "␣immeasurably"} for each in view.written]
    shown = show(view, width=width)
    for traits in ({}, {"loading": "a writer, 135 million parameters, about 7 seconds", "recorded": False}):
        shown.update(**traits)
        look = look_at(views(shown.page)[0], window=1024, press=True, thorough=True)
        assert look.findings == [] and look.presses > 4
    shown = show(first_words(), width=width)
    before = shown.page.locator(".anatomy").bounding_box()["height"]
    assert width < 500 or before <= 700
    shown.page.get_by_label("Your sentence").fill("many words " * 15)
    until(shown, lambda widget: widget.ready)
    shown.page.get_by_label("Your sentence").press("Enter")
    until(shown, lambda widget: len(widget.written) == 5)
    assert abs(shown.page.locator(".anatomy").bounding_box()["height"] - before) <= 8
    assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# With the real models ------------------------------------------------------------------------------------------------


def test_a_text_is_gone_on_with_from_any_place(gpt: Any) -> None:
    vocabulary, beginning = street_vocabulary(), "The animal didn't cross"
    writing = ModelWriter(gpt, vocabulary)

    def ids(writer: ModelWriter, before: list[int], more: int) -> list[int]:
        return [each.token_id for each in writer.write(beginning, before, more)]

    first = writing.write(beginning, [], 3)
    with torch.no_grad():
        logits = gpt(torch.tensor([vocabulary.ids(["<bos>", *beginning.lower().split()])]))[0, -1]
    likeliest = logits.softmax(-1).topk(5)
    assert [each.token_id for each in first[0].rivals] == likeliest.indices.tolist()
    assert first[0].probability == pytest.approx(likeliest.values[0].item(), abs=1e-5)
    turn = [first[0].token_id, first[1].rivals[2].token_id]
    turned = ids(writing, turn, 1)
    assert turned[:2] == turn and len(turned) == 3
    assert ids(ModelWriter(gpt, vocabulary), turn, 1) == turned
    back = [each.token_id for each in first]
    assert ids(writing, back, 0) == back
    with pytest.raises(ValueError, match="33 tokens were asked for"):
        writing.write(beginning, [0] * 33, 1)


def test_nothing_is_loaded_before_the_reader_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained, "load", lambda name: pytest.fail(f"{name} was loaded"))
    view = type_a_sentence()
    assert view.recorded and view.heads == [6, 12] and len(view.weights) == 72 * len(view.tokens) ** 2
    assert view.tokens[view.tokens.index(view.word)] == "it"
    assert view.attention().sum(-1) == pytest.approx(1, abs=0.03)  # bytes, rounded
    names = [loader.name for loader in view._loaders.values() if isinstance(loader, Loader)]
    assert ["million parameters, about" in name and name.endswith("seconds") for name in names] == [True, True]


def test_the_recording_is_what_the_models_say() -> None:
    kept = json.loads(RECORDED.read_text("utf-8"))
    now = recording(load_reader(), load_writer(), kept["sentence"], kept["word"], "animal", len(kept["written"]))
    assert {**now, "written": 0, "weights": 0} == {**kept, "written": 0, "weights": 0}
    for before, after in zip(kept["written"], now["written"], strict=True):
        assert (before["token_id"], before["word"]) == (after["token_id"], after["word"])
        assert before["probability"] == pytest.approx(after["probability"], abs=2e-3)
    assert len(now["weights"]) == len(kept["weights"])
