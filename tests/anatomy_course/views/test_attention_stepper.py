"""The attention stepper: true numbers, one sentence for what it cannot show, and every step by mouse and keyboard."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser
from widget_page import Shown, show

from anatomy_course.views import AttentionStepper
from anatomy_course.views.attention_stepper.view import Steps

D_MODEL, D_HEAD, D_VALUE = 11, 5, 7
# What is colored in the step in sight: the strips' gradients and the matrices' pixels.
PAINTED = """() => [...document.querySelectorAll(".as-body:not([inert]) :is(.as-strip .as-band, canvas)")]
  .map((node) => node.style.background || node.toDataURL())"""


def steps_of(sentence: str) -> Steps:
    """A stand-in for a model: random projections, the same for every sentence."""
    tokens = sentence.split()
    if len(tokens) > 12:
        raise ValueError(f"The sentence has {len(tokens)} words; at most 12 fit: shorten it.")
    random = np.random.default_rng(len(tokens))
    hidden = random.normal(size=(len(tokens), D_MODEL))
    query, key, value = (hidden @ random.normal(size=(D_MODEL, size)) for size in (D_HEAD, D_HEAD, D_VALUE))
    return Steps.of(tokens, hidden, query, key, value)


def test_steps_of_two_words_by_hand() -> None:
    steps = Steps.of(["a", "b"], np.eye(2), [[1.0, 0, 0, 0], [0, 0, 0, 0]], [[2.0, 0, 0, 0], [0, 0, 0, 0]], np.eye(2))
    assert np.allclose(steps.scores, [[1, 0], [0, 0]])  # 1 · 2 / √4
    assert np.allclose(steps.weights, [[0.7310586, 0.2689414], [0.5, 0.5]])
    assert np.allclose(steps.context, steps.weights)


def test_steps_agree_with_torch() -> None:
    steps = steps_of("one two three four five six")
    query, key, value = (torch.tensor(part)[None] for part in (steps.query, steps.key, steps.value))
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, value)[0]
    assert np.allclose(steps.context, expected, atol=1e-5)


def test_the_browser_gets_the_very_numbers() -> None:
    steps = steps_of("the animal was tired")
    widget = AttentionStepper(lambda _: steps, "the animal was tired")
    for name, array in widget.steps.items():
        assert np.array_equal(array, np.asarray(getattr(steps, name), np.float32)), name
    assert widget.tokens == ["the", "animal", "was", "tired"]
    assert widget.query == 3


def test_a_new_sentence_is_computed() -> None:
    widget = AttentionStepper(steps_of, "the animal was tired", query=3)
    widget.question = {"sentence": "too wide"}
    assert (widget.sentence, widget.tokens, widget.error) == ("too wide", ["too", "wide"], "")
    assert widget.query == 0
    assert widget.answered == 1


@pytest.mark.parametrize(
    ("sentence", "query"),
    [("[CLS] Bees like flowers . [SEP]", 1), ("[CLS] The bees .", 2), (". . it ?", 2), (". ?", 0)],
)
def test_a_new_sentence_is_asked_by_its_first_content_word(sentence: str, query: int) -> None:
    widget = AttentionStepper(steps_of, "the big animal in this street was tired", query=7)
    widget.question = {"sentence": sentence, "id": 1}
    assert widget.query == query


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("", "The sentence is empty; type at least one word."),
        ("  ", "The sentence is empty; type at least one word."),
        ("word " * 50, "The sentence has 50 words; at most 12 fit: shorten it."),
        ("word " * 500, "The sentence has 2500 characters; at most 300 fit: shorten it."),
        ("x" * 90, "One of the words has 90 characters; the drawing has room for 60"),
    ],
)
def test_a_bad_sentence_gets_one_sentence_and_the_picture_stays(sentence: str, answer: str) -> None:
    widget = AttentionStepper(steps_of, "the animal was tired")
    before = widget.tensors
    widget.question = {"sentence": sentence, "id": 1}
    assert widget.error.startswith(answer)
    assert "\n" not in widget.error
    assert (widget.sentence, widget.tensors) == ("the animal was tired", before)
    widget.question = {"sentence": "all is well"}
    assert widget.error == ""


def test_a_model_that_breaks_does_not_leave_the_learner_waiting() -> None:
    def broken(sentence: str) -> Steps:
        if sentence != "fine":
            raise RuntimeError("boom")
        return steps_of(sentence)

    widget = AttentionStepper(broken, "fine")
    widget.question = {"sentence": "not fine"}
    assert widget.error == "Computing this failed: RuntimeError: boom"
    assert widget.answered == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"query": np.zeros((4, 3))},
            "key has shape (4, 5); expected numbers of shape (position, d_head), here (4, 3)",
        ),
        ({"key": np.zeros((5, D_HEAD))}, "key has shape (5, 5)"),
        ({"weights": np.zeros((4, 5))}, "weights has shape (4, 5)"),
        ({"hidden": np.full((4, D_MODEL), np.nan)}, "hidden holds NaN"),
        ({"value": np.zeros(4)}, "value has shape (4,)"),
        ({"tokens": ["a"] * 33}, "That makes 33 tokens; the drawing has room for 32"),
        ({"tokens": "a string"}, "tokens is one string"),
    ],
)
def test_tensors_that_do_not_fit_get_one_sentence(change: dict[str, Any], sentence: str) -> None:
    steps = replace(steps_of("the animal was tired"), **change)
    with pytest.raises(ValueError, match=re.escape(sentence)) as error:
        AttentionStepper(lambda _: steps)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("options", [{"step": 0}, {"step": 7}, {"level": "letter"}, {"query": 4}])
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        AttentionStepper(steps_of, "the animal was tired", **options)


def test_the_twin_is_in_the_bundle() -> None:
    data, _ = AttentionStepper(steps_of, "the <script>x</script> was tired")._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "image/png", "text/plain"} <= set(data)
    assert "<script>" not in data["text/html"]


def test_the_twin_shows_all_six_steps_of_the_query_word() -> None:
    widget = AttentionStepper(steps_of, "the animal was tired", query=1)
    twin = widget.still_picture()
    assert "six steps of attention for the word animal over 4 words" in twin.alt.lower()
    assert f"{widget.steps['weights'][1].max():.2f}" in twin.alt
    widget.query = 0
    assert "the word the" in widget.still_picture().alt


# In the browser ----------------------------------------------------------------------------------------------------


def settle(shown: Shown) -> None:
    shown.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")


@pytest.mark.browser
@pytest.mark.parametrize("level", ["word", "matrix"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_six_steps_show_the_right_numbers(browser: Browser, level: str, theme: Any) -> None:
    steps = steps_of("the <b>animal</b> was 😀 tired שלום")
    shown = show(browser, AttentionStepper(lambda _: steps, query=2, level=level), theme=theme)
    equation = shown.page.locator(".as-equation")
    key = int(np.argmax(steps.weights[2]))
    component = int(np.argmax(np.abs(steps.context[2])))
    expected = [
        f"{abs(steps.query[2, 0]):.2f}",
        f"{abs(steps.scores[2, key] * np.sqrt(D_HEAD)):.2f}",
        f"{abs(steps.scores[2, key]):.2f}",
        f"{steps.weights[2, key]:.3f}",
        f"{abs(steps.weights[2, key] * steps.value[key, component]):.3f}",
        f"{abs(steps.context[2, component]):.3f}",
    ]
    for number, value in enumerate(expected, start=1):
        settle(shown)
        assert shown.widget.step == number
        assert value in equation.inner_text()
        if number < 6:
            shown.page.get_by_role("button", name="Next", exact=True).press("Enter")
    assert shown.page.get_by_role("button", name="Next", exact=True).is_disabled()
    assert shown.page.locator(".as-words .word").nth(1).inner_text() == "<b>animal</b>"
    shown.check()


@pytest.mark.browser
def test_query_and_key_words_by_keyboard_and_mouse(browser: Browser) -> None:
    shown = show(browser, AttentionStepper(steps_of, "the animal was tired", query=0, step=4))
    words = shown.page.get_by_role("listbox", name="Query word")
    words.press("ArrowRight")
    assert shown.widget.query == 1
    shown.page.get_by_role("option", name="tired, position 3").click()
    assert shown.widget.query == 3
    rows = shown.page.get_by_role("listbox", name="Key word of the equation")
    rows.press("Home")
    settle(shown)
    weight = shown.widget.steps["weights"][3, 0]
    assert f"{weight:.3f}" in shown.page.locator(".as-equation").inner_text()
    shown.page.get_by_role("radio", name="All words at once").click()
    assert shown.widget.level == "matrix"
    settle(shown)
    shown.page.get_by_role("application").nth(1).press("ArrowDown")
    shown.check()


@pytest.mark.browser
def test_steps_are_prepared_out_of_sight_and_follow_later_choices(browser: Browser) -> None:
    shown = show(browser, AttentionStepper(steps_of, "the animal was tired", query=0, step=4))
    shown.page.wait_for_function("document.querySelectorAll('.as-body').length === 12")
    in_sight = shown.page.locator(".as-body:not([inert])")
    assert in_sight.count() == 1
    assert shown.page.locator(".as-body[inert] .as-row").first.is_visible() is False
    shown.page.get_by_role("option", name="tired, position 3").click()
    shown.page.get_by_role("button", name="Step 6").click()
    settle(shown)
    assert [f"{w:.3f}" for w in shown.widget.steps["weights"][3]] == [
        text.splitlines()[-1] for text in in_sight.locator(".as-row[role=option] .as-bar").all_inner_texts()
    ]
    shown.update(
        tokens=["a", "b"], **{name: getattr(AttentionStepper(steps_of, "a b"), name) for name in ("shapes", "tensors")}
    )
    shown.page.wait_for_function("document.querySelectorAll('.as-body').length === 12")
    assert in_sight.locator(".as-row[role=option]").count() == 2
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("level", ["word", "matrix"])
def test_a_sentence_of_as_many_tokens_replaces_all_words_and_numbers(browser: Browser, level: str) -> None:
    shown = show(browser, AttentionStepper(steps_of, "the animal was tired", query=3, level=level))
    shown.page.wait_for_function("document.querySelectorAll('.as-body').length === 12")
    first = steps_of("so was one street")
    other = AttentionStepper(lambda _: Steps.of(first.tokens, first.hidden, -first.query, first.key, 3 * first.value))
    shown.update(**{name: getattr(other, name) for name in ("tokens", "shapes", "tensors")})
    fresh = show(browser, AttentionStepper(other._compute, query=3, level=level))
    for step in range(1, 7):
        for page in (shown.page, fresh.page):
            page.get_by_role("button", name=f"Step {step}").click()
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        kept, built = (page.locator(".as-stage").inner_text() for page in (shown.page, fresh.page))
        assert kept == built, f"step {step}"
        assert "street" in kept and "animal" not in kept
        kept, built = (page.evaluate(PAINTED) for page in (shown.page, fresh.page))
        assert len(kept) > 1 or step in (3, 4)
        assert kept == built, f"the colors of step {step}"
    shown.check()
    fresh.check()


@pytest.mark.browser
def test_no_strip_is_a_canvas(browser: Browser) -> None:
    shown = show(browser, AttentionStepper(steps_of, "the animal was tired", step=1))
    shown.page.wait_for_function("document.querySelectorAll('.as-body').length === 12")
    assert shown.page.locator(".as-body:not(:has(.as-matrices)) canvas").count() == 0, (
        "each canvas is a layer of its own, and many layers are slow"
    )
    bands = shown.page.locator(".as-body:not([inert]) .as-strip .as-band")
    assert all(
        "linear-gradient" in background
        for background in bands.evaluate_all("all => all.map((b) => b.style.background)")
    )
    shown.check()


@pytest.mark.browser
def test_a_typed_sentence_reaches_python_and_an_error_is_shown(browser: Browser) -> None:
    shown = show(browser, AttentionStepper(steps_of, "the animal was tired"))
    field = shown.page.get_by_label("Sentence")
    field.fill("too <wide>")
    field.press("Enter")
    shown.page.wait_for_timeout(50)
    assert shown.widget.tokens == ["too", "<wide>"]
    shown.update(**{name: getattr(shown.widget, name) for name in ("tokens", "shapes", "tensors", "query", "answered")})
    settle(shown)
    assert shown.page.locator(".as-words .word").all_inner_texts() == ["too", "<wide>"]
    field.fill("")
    field.press("Enter")
    shown.page.wait_for_timeout(50)
    shown.update(error=shown.widget.error, answered=shown.widget.answered)
    assert "The sentence is empty" in shown.page.locator(".error").inner_text()
    assert shown.page.locator(".as-words .word").all_inner_texts() == ["too", "<wide>"]
    shown.check()


@pytest.mark.browser
def test_play_goes_on_by_itself_and_stops_when_asked(browser: Browser) -> None:
    shown = show(browser, AttentionStepper(steps_of, "the animal was tired"), reduced_motion=True)
    shown.page.get_by_role("button", name="Play").press("Space")
    shown.page.wait_for_function("window.model.get('step') === 2", timeout=6000)
    shown.page.get_by_role("button", name="Back").click()
    assert shown.page.get_by_role("button", name="Play").get_attribute("aria-pressed") == "false"
    assert shown.widget.step == 1
    shown.check()
