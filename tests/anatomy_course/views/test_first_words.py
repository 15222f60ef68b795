"""The first words: what is recorded, what is loaded when, what a sentence of one's own brings, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch
from measure import look_at, views
from playwright.sync_api import Browser
from widget_page import Shown, show

from anatomy_course.lab.small_models.small_gpt import train_small_gpt
from anatomy_course.lab.street import street_vocabulary
from anatomy_course.views import FirstWords
from anatomy_course.views.first_words.view import (
    RECORDED,
    Heads,
    Loader,
    ModelWriter,
    Rival,
    Written,
    load_reader,
    load_writer,
    recording,
    type_a_sentence,
)
from anatomy_utils import pretrained
from anatomy_utils.nn.heads import LanguageModel

SENTENCE = "The cat sat on the"
ENDINGS = ["␣mat", "␣mouse", "␣moon", "␣sofa", "<b>"]
NAMES = "sentence tokens weights heads written chosen word loading ready recorded error answered".split()


def heads(sentence: str) -> Heads:
    """Two layers of three heads, each of which looks at one word only: layer + head places on."""
    tokens = ["[CLS]", *("[UNK]" if "🙂" in each else each for each in sentence.lower().split()), "[SEP]"]
    eye = np.eye(len(tokens))
    return Heads(tokens, np.stack([[np.roll(eye, layer + head, 1) for head in range(3)] for layer in range(2)]))


class Models:
    """A reader and a writer whose tokens come from a list; it ends with a full stop after four words."""

    def __init__(self) -> None:
        self.loaded: list[str] = []
        self.seen: list[str] = []
        self.widget: Any = None

    def load(self, role: str) -> Any:
        self.loaded.append(role)
        self.seen.append(self.widget.loading)
        return self

    def read(self, sentence: str) -> Heads:
        return heads(sentence)

    def write(self, sentence: str, token_ids: Any, more: int) -> list[Written]:
        ids = list(token_ids)
        for _ in range(more):
            ids.append(9 if len(ids) >= 4 else 0)
        rivals = tuple(Rival(i, text, 0.5 / (i + 1)) for i, text in enumerate(ENDINGS))
        stop = Written(9, ".", 0.75, False, (Rival(9, ".", 0.75), *rivals[:4]))
        return [stop if i == 9 else Written(i, ENDINGS[i], 0.5 / (i + 1), False, rivals) for i in ids]


@pytest.fixture
def models() -> Models:
    return Models()


@pytest.fixture
def view(models: Models) -> FirstWords:
    models.widget = FirstWords(
        Loader("a reader, about 2 seconds", lambda: models.load("reader")),
        Loader("a writer, about 7 seconds", lambda: models.load("writer")),
        sentence=SENTENCE, heads=heads(SENTENCE), written=models.write(SENTENCE, [0, 2], 0), chosen=(1, 1), word="sat",
    )  # fmt: skip
    return models.widget


def ask(widget: Any, **question: Any) -> Any:
    """What the page does: another question."""
    widget.set_state({"question": {**question, "id": widget.answered + 1}})
    return widget


def words(widget: Any) -> list[str]:
    return [each["word"] for each in widget.written]


def test_it_opens_with_the_recording_and_loads_nothing(view: Any, models: Models) -> None:
    assert models.loaded == [] and view.recorded
    assert view.text() == "The cat sat on the mat moon"
    assert view.attention().shape == (2, 3, 7, 7) and view.attention()[1, 1, 3].argmax() == 5


def test_only_what_is_needed_is_loaded_and_the_page_hears_what(view: Any, models: Models) -> None:
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


@pytest.mark.parametrize(("sentence", "said"), [
    ("", "at least one word"), ("     ", "at least one word"), ("\0", "at least one word"), (None, "give one string"),
    ("word " * 500, "The sentence has 2500 characters; at most 300 fit"),
    ("a " * 60, "makes 62 pieces; the drawing has room for"),
])  # fmt: skip
def test_what_cannot_be_read_gets_a_sentence_and_changes_nothing(view: Any, sentence: Any, said: str) -> None:
    before = {name: getattr(view, name) for name in NAMES[:7]}
    for do in ("read", "write"):
        ask(view, do=do, sentence=sentence)
        assert said in view.error
        assert {name: getattr(view, name) for name in NAMES[:7]} == before
    ask(view, do="dance")
    assert "asked to 'dance'" in view.error


def test_a_sentence_of_ones_own_opens_with_its_strongest_look_at_a_distance(view: Any) -> None:
    ask(view, do="read", sentence="Bees like flowers")
    assert (view.chosen, view.word) == ([0, 2], "bees"), "heads 0 and 1 of layer 0 look at the word itself and the next"
    assert view.attention()[0, 2, 1].argmax() == 3
    ask(view, do="read", sentence="Bees!")
    assert (view.chosen, view.word) == ([0, 2], ""), "one word can look at no other"
    view.chosen = [1, 0]
    ask(view, do="read", sentence="Bees like flowers")
    assert (view.chosen, view.word) == ([1, 0], ""), "a head that the reader chose stays"


def test_a_model_that_cannot_be_loaded_is_said(view: Any, models: Models) -> None:
    def missing() -> Any:
        raise ValueError("The weights are not installed; run: pip install them")

    view._loaders["writer"] = Loader("a writer", missing)
    ask(view, do="load")
    assert view.error.startswith("The weights are not installed") and view.loading == "" and not view.ready


def test_weights_must_fit_their_tokens(models: Models) -> None:
    loader: Any = Loader("", lambda: models)
    with pytest.raises(ValueError, match=r"weights has shape \(1, 1, 2, 2\); expected .*here \(1, 1, 1, 1\)"):
        FirstWords(loader, loader, sentence="a", heads=Heads(["a"], np.ones((1, 1, 2, 2))), written=[])


def test_the_twin_shows_text_rivals_and_heads(view: Any, models: Models) -> None:
    twin = view.still_picture()
    assert "“The cat sat on the mat moon”" in twin.alt and "mat 50%, mouse 25%" in twin.alt and "6 heads" in twin.alt
    ask(view, do="read", sentence="Bees like flowers")
    assert "reads “Bees like flowers”" in view.still_picture().alt
    assert "“bees” looks most at “flowers”" in view.still_picture().alt
    ask(view, do="read", sentence="Bees")
    assert "looks most" not in view.still_picture().alt


# In the browser ----------------------------------------------------------------------------------------------------


def until(shown: Shown, done: Any) -> None:
    """What the kernel has computed reaches the page, until `done(widget)`."""
    for _ in range(200):
        there = done(shown.widget)
        shown.update(**{name: getattr(shown.widget, name) for name in NAMES})
        if there:
            return
        shown.page.wait_for_timeout(40)
    raise AssertionError("what was waited for did not come")


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_ones_own_words_are_read_and_gone_on_with(browser: Browser, view: Any, models: Models, theme: Any) -> None:
    shown = show(browser, view, theme=theme, size=(992, 900))
    page = shown.page
    assert "This was recorded" in page.locator(".fw-state").inner_text()
    page.get_by_label("Your sentence").fill("Bees <i>like</i> 🙂 علم flowers")
    until(shown, lambda widget: widget.ready)
    tokens = ["[CLS]", "bees", "<i>like</i>", "[UNK]", "علم", "flowers", "[SEP]"]
    assert page.locator(".fw-token").all_inner_texts() == tokens
    assert "[UNK] stands for" in page.locator(".fw-state").inner_text()
    page.get_by_label("Your sentence").press("Enter")
    until(shown, lambda widget: len(widget.written) == 5)
    assert page.locator(".fw-new .word").all_inner_texts() == ["mat", "mat", "mat", "mat", "."]
    page.locator(".fw-new").nth(1).click()
    assert "Rivals of “mat”" in page.locator(".fw-half").first.inner_text()
    page.get_by_role("button", name="<b>, 10 %").click()
    until(shown, lambda widget: len(widget.written) == 5 and words(widget)[1] == "<b>")
    assert page.locator(".fw-turn .word").inner_text() == "<b>"
    assert page.locator(".fw-text b, .fw-page i").count() == 0
    shown.check()


@pytest.mark.browser
def test_a_head_and_a_word_are_chosen_by_mouse_and_keys(browser: Browser, view: Any) -> None:
    shown = show(browser, view)
    page = shown.page
    told = page.locator(".fw-told")
    assert "Layer 1, head 1. “sat” looks most at “the”: 100 %." in told.inner_text()
    page.get_by_role("radio", name="Layer 0, head 2").hover()
    assert "Layer 0, head 2. “sat” looks most at “the”: 100 %." in told.inner_text()
    assert shown.widget.chosen == [1, 1], "pointing at a head does not choose it"
    page.get_by_role("radio", name="Layer 0, head 2").click()
    shown.settle()
    page.keyboard.press("ArrowLeft")
    shown.settle()
    assert shown.widget.chosen == [0, 1]
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Layer 0, head 1"
    assert "Habit: 100 % of its attention falls on the word after" in told.inner_text()
    page.get_by_role("button", name="cat").click()
    assert "“cat” looks most at “sat”: 100 %" in told.inner_text()
    assert page.locator(".fw-lines path").count() == 1
    page.get_by_role("button", name="cat").click()
    shown.settle()
    assert page.locator(".fw-lines path").count() == 7
    shown.check()


@pytest.mark.browser
def test_a_refused_sentence_is_said_and_the_picture_stays(browser: Browser, view: Any) -> None:
    shown = show(browser, view)
    page = shown.page
    page.get_by_label("Your sentence").fill("word " * 500)
    until(shown, lambda widget: widget.error)
    assert "The sentence has 2500 characters" in page.locator(".fw-state .error").inner_text()
    assert page.locator(".fw-token").count() == 7
    page.get_by_label("Your sentence").press("Enter")
    until(shown, lambda widget: widget.answered > 1)
    page.wait_for_timeout(400)
    assert "Go on" in page.get_by_role("button", name="Go on").inner_text(), "it does not go on asking"
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("wide", [960, 592, 330])
def test_it_fits_and_keeps_its_height(browser: Browser, view: Any, wide: int) -> None:
    shown = show(browser, view, size=(wide + 32, 900))
    page = shown.page
    before = page.locator(".anatomy").bounding_box()
    assert before and (wide < 500 or before["height"] <= 700)
    page.get_by_label("Your sentence").fill("many words " * 15)
    until(shown, lambda widget: widget.ready)
    page.get_by_label("Your sentence").press("Enter")
    until(shown, lambda widget: len(widget.written) == 5)
    after = page.locator(".anatomy").bounding_box()
    assert after and abs(after["height"] - before["height"]) <= 8
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("wide", [960, 720, 592, 330])
def test_no_line_is_cut_and_no_head_makes_it_higher(browser: Browser, view: Any, wide: int) -> None:
    view.written = [{**each, "word": "␣immeasurably"} for each in view.written]
    shown = show(browser, view, size=(wide + 32, 900))
    for traits in ({}, {"loading": "a writer, 135 million parameters, about 7 seconds", "recorded": False}):
        shown.update(**traits)
        look = look_at(views(shown.page)[0], window=1024, press=True, thorough=True)
        assert look.findings == [] and look.presses > 4
    shown.check()


# ---- with the real models


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return train_small_gpt(1, steps=30, progress=False)[0].eval()


def writer(model: LanguageModel) -> Any:
    return ModelWriter(model, street_vocabulary())


def test_a_text_is_gone_on_with_from_any_place(model: LanguageModel) -> None:
    writing = writer(model)
    first = writing.write("The animal didn't cross", [], 3)
    ids = [each.token_id for each in first]
    with torch.no_grad():
        logits = model(torch.tensor([street_vocabulary().ids("<bos> the animal didn't cross".split())]))[0, -1]
    likeliest = logits.softmax(-1).topk(5)
    assert [each.token_id for each in first[0].rivals] == likeliest.indices.tolist()
    assert first[0].probability == pytest.approx(likeliest.values[0].item(), abs=1e-5)
    other = first[1].rivals[2].token_id
    turned = writing.write("The animal didn't cross", [ids[0], other], 1)
    assert [each.token_id for each in turned][:2] == [ids[0], other] and len(turned) == 3
    fresh = writer(model).write("The animal didn't cross", [ids[0], other], 1)
    assert [each.token_id for each in fresh] == [each.token_id for each in turned]
    assert [each.token_id for each in writing.write("The animal didn't cross", ids, 0)] == ids
    with pytest.raises(ValueError, match="33 tokens were asked for"):
        writing.write("The animal didn't cross", [0] * 33, 1)


def test_nothing_is_loaded_before_the_reader_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained, "load", lambda name: pytest.fail(f"{name} was loaded"))
    view = type_a_sentence()
    assert view.recorded and view.heads == [6, 12] and len(view.weights) == 72 * len(view.tokens) ** 2
    assert view.tokens[view.tokens.index(view.word)] == "it"
    assert view.attention().sum(-1) == pytest.approx(1, abs=0.03)  # bytes, rounded


def test_the_recording_is_what_the_models_say() -> None:
    kept = json.loads(RECORDED.read_text("utf-8"))
    reader, smollm = load_reader(), load_writer()
    now = recording(reader, smollm, kept["sentence"], kept["word"], "animal", len(kept["written"]))
    assert {**now, "written": 0, "weights": 0} == {**kept, "written": 0, "weights": 0}
    for before, after in zip(kept["written"], now["written"], strict=True):
        assert (before["token_id"], before["word"]) == (after["token_id"], after["word"])
        assert before["probability"] == pytest.approx(after["probability"], abs=2e-3)
    assert len(now["weights"]) == len(kept["weights"])


def test_loaders_say_what_is_loaded_and_how_long_it_takes() -> None:
    names = [loader.name for loader in type_a_sentence()._loaders.values() if isinstance(loader, Loader)]
    assert ["million parameters, about" in name and name.endswith("seconds") for name in names] == [True, True]
