"""The attention stepper: true numbers, one sentence for what it cannot show, and every step by mouse and keyboard."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from measure import look_at
from on_page import Show
from small import attention_stepper, steps
from view_sizes import LAB

from anatomy_course.views import AttentionStepper
from anatomy_course.views.attention_stepper.view import Steps

PREPARED = "document.querySelectorAll('.as-body').length === 7"
ARRIVED = "step => document.querySelector('.as-bodies').style.getPropertyValue('--at') === `${step}.000`"
# What is colored in the step in sight: the strips' gradients and the matrices' pixels.
PAINTED = """() => [...document.querySelectorAll(".as-body:not([inert]) :is(.as-strip .as-band, canvas)")]
  .map((node) => node.style.background || node.toDataURL())"""


def test_steps_of_two_words_by_hand() -> None:
    found = Steps.of(["a", "b"], np.eye(2), [[1.0, 0, 0, 0], [0, 0, 0, 0]], [[2.0, 0, 0, 0], [0, 0, 0, 0]], np.eye(2))
    assert np.allclose(found.scores, [[1, 0], [0, 0]])  # 1 · 2 / √4
    assert np.allclose(found.weights, [[0.7310586, 0.2689414], [0.5, 0.5]])
    assert np.allclose(found.context, found.weights)


def test_steps_agree_with_torch_and_the_browser_gets_the_very_numbers() -> None:
    found = steps("one two three four five six")
    query, key, value = (torch.tensor(part)[None] for part in (found.query, found.key, found.value))
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, value)[0]
    assert np.allclose(found.context, expected, atol=1e-5)
    widget = attention_stepper("one two three four five six")
    assert widget.tokens == found.tokens and widget.query == 5
    for name, array in widget.steps.items():
        assert np.array_equal(array, np.asarray(getattr(found, name), np.float32)), name


@pytest.mark.parametrize(
    ("sentence", "query"),
    [
        ("too wide", 0), ("[CLS] Bees like flowers . [SEP]", 1), ("[CLS] The bees .", 2), (". . it ?", 2), (". ?", 0),
        ("so tired", 1), ("tired or so tired , it was tired", 7),
    ],
)  # fmt: skip
def test_a_new_sentence_keeps_the_word_that_asks_or_takes_its_first_content_word(sentence: str, query: int) -> None:
    widget = attention_stepper("the big animal in this street was tired", query=7)
    widget.question = {"sentence": sentence, "id": 1}
    assert (widget.sentence, widget.tokens, widget.error) == (sentence, sentence.split(), "")
    assert (widget.query, widget.answered) == (query, 1)


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("  ", "The sentence is empty; type at least one word."),
        ("word " * 50, "The sentence has 50 words; at most 12 fit: shorten it."),
        ("word " * 500, "The sentence has 2500 characters; at most 300 fit: shorten it."),
        ("x" * 90, "One of the words has 90 characters; the drawing has room for 60"),
    ],
)
def test_a_bad_sentence_gets_one_sentence_and_the_picture_stays(sentence: str, answer: str) -> None:
    widget = attention_stepper()
    before = widget.tensors
    widget.question = {"sentence": sentence, "id": 1}
    assert widget.error.startswith(answer) and "\n" not in widget.error
    assert (widget.sentence, widget.tensors) == ("the animal was tired", before)
    widget.question = {"sentence": "all is well"}
    assert widget.error == ""


@pytest.mark.parametrize("level", ["word", "matrix"])
def test_all_six_steps_show_the_right_numbers(show: Show, level: str) -> None:
    found = steps("the <b>animal</b> was 😀 tired שלום")
    shown = show(attention_stepper(compute=lambda _: found, query=2, level=level))
    key, component = int(np.argmax(found.weights[2])), int(np.argmax(np.abs(found.context[2])))
    expected = [
        f"{abs(found.query[2, 0]):.2f}",
        f"{abs(found.scores[2, key] * 5**0.5):.2f}",
        f"{abs(found.scores[2, key]):.2f}",
        f"{found.weights[2, key]:.3f}",
        f"{abs(found.weights[2, key] * found.value[key, component]):.3f}",
        f"{abs(found.context[2, component]):.3f}",
    ]
    following = shown.page.get_by_role("button", name="Next", exact=True)
    for number, value in enumerate(expected, start=1):
        shown.settle()
        assert shown.widget.step == number and value in shown.text(".as-equation")
        if number < 6:
            following.press("Enter")
    assert following.is_disabled()
    assert shown.texts(".as-words .word")[1] == "<b>animal</b>"


def test_query_and_key_words_by_keyboard_and_mouse(show: Show) -> None:
    shown = show(attention_stepper(query=0, step=4))
    shown.page.get_by_role("listbox", name="Query word").press("ArrowRight")
    assert shown.widget.query == 1
    shown.click("option", "tired, position 3")
    assert shown.widget.query == 3
    shown.page.get_by_role("listbox", name="Key word of the equation").press("Home")
    shown.settle()
    assert f"{shown.widget.steps['weights'][3, 0]:.3f}" in shown.text(".as-equation")
    shown.click("radio", "All words at once")
    assert shown.widget.level == "matrix"
    shown.page.get_by_role("application").nth(1).press("ArrowDown")


def test_steps_are_prepared_out_of_sight_and_follow_later_choices(show: Show) -> None:
    shown = show(attention_stepper(query=0, step=4))
    shown.page.wait_for_function(PREPARED)
    in_sight = shown.page.locator(".as-body:not([inert])")
    assert in_sight.count() == 1
    assert shown.page.locator(".as-body[inert] .as-row").first.is_visible() is False
    shown.click("option", "tired, position 3")
    shown.click("button", "Step 6")
    rows = in_sight.locator(".as-row[role=option] [data-step='4'] .number").all_inner_texts()
    assert rows == [f"{w:.3f}" for w in shown.widget.steps["weights"][3]]
    shown.widget.question = {"sentence": "a b"}
    shown.follow("tokens", "shapes")
    shown.page.wait_for_function(PREPARED)
    assert in_sight.locator(".as-row[role=option]").count() == 2


@pytest.mark.parametrize("level", ["word", "matrix"])
def test_a_sentence_of_as_many_tokens_replaces_all_words_and_numbers(show: Show, level: str) -> None:
    shown = show(attention_stepper(query=3, level=level))
    shown.page.wait_for_function(PREPARED)
    first = steps("so was one street")
    second = Steps.of(first.tokens, first.hidden, -first.query, first.key, 3 * first.value)
    fresh = show(attention_stepper(compute=lambda _: second, query=3, level=level))
    shown.update(**{name: getattr(fresh.widget, name) for name in ("tokens", "shapes", "tensors")})
    for step in range(1, 7):
        for each in (shown, fresh):
            each.click("button", f"Step {step}")
        kept, built = shown.text(".as-stage"), fresh.text(".as-stage")
        assert kept == built, f"step {step}"
        assert "street" in kept and "animal" not in kept
        kept, built = (each.page.evaluate(PAINTED) for each in (shown, fresh))
        assert len(kept) > 1 or step in (3, 4)
        assert kept == built, f"the colors of step {step}"


def test_no_strip_is_a_canvas_and_no_slider_is_in_reach_where_nothing_is_printed(show: Show) -> None:
    shown = show(attention_stepper(step=1))
    shown.page.wait_for_function(PREPARED)
    assert shown.count(".as-body:not(:has(.as-matrices)) canvas") == 0, "each canvas is a layer, and many are slow"
    bands = shown.page.locator(".as-body:not([inert]) .as-strip .as-band")
    assert all("linear-gradient" in each for each in bands.evaluate_all("all => all.map((b) => b.style.background)"))
    slider, counts = shown.page.get_by_role("slider", name="Printed component"), []
    for step in range(1, 7):
        shown.click("button", f"Step {step}")
        counts.append((slider.count(), shown.count("[inert] input[type=range]")))
    assert counts == [(1, 0), (1, 0), (0, 1), (0, 1), (1, 0), (1, 0)]


def test_a_typed_sentence_reaches_python_and_an_error_is_shown(show: Show) -> None:
    shown = show(attention_stepper())
    shown.type("Sentence", "too <wide>")
    assert shown.follow("tokens", "shapes").tokens == shown.texts(".as-words .word") == ["too", "<wide>"]
    shown.type("Sentence", "word " * 500)  # a long paste arrives whole
    assert "2500 characters; at most 300 fit" in shown.follow().error
    assert shown.text(".error") == shown.widget.error
    assert shown.texts(".as-words .word") == ["too", "<wide>"]


PLACES = """all => all.map((node) => [node.offsetLeft, node.offsetWidth])"""
SEEN = """all => all.filter((node) => node.checkVisibility({ opacityProperty: true })).length"""


def test_columns_stay_and_fill_one_after_the_other(show: Show) -> None:
    shown = show(attention_stepper(), reduced_motion=True)
    cells = shown.page.locator(".as-row[role=option] .as-cell")
    places, filled = cells.evaluate_all(PLACES), []
    for step in range(1, 7):
        shown.click("button", f"Step {step}")
        assert shown.page.evaluate(ARRIVED, step), "less motion: at once"
        assert cells.evaluate_all(PLACES) == places
        filled.append(shown.page.locator(".as-word-table .as-moves").evaluate_all(SEEN))
    assert filled == [9, 13, 17, 21, 25, 26], "the query, two columns, then one a step, then the sum"


def test_the_slider_carries_numbers_and_comes_to_rest_at_a_step(show: Show) -> None:
    shown = show(attention_stepper(step=4))
    scrub = shown.page.get_by_role("slider", name="Move through the steps")
    cell = shown.page.locator(".as-row[role=option] [data-step='5'] .as-strip").first
    value = shown.page.locator(".as-row[role=option] .as-strip").nth(1)
    left = "node => Math.round(node.getBoundingClientRect().left)"
    place = cell.evaluate("node => Math.round(node.parentElement.getBoundingClientRect().left) + 5")
    lefts = []
    for at in ("4.02", "4.3", "4.6", "5"):
        scrub.evaluate("(node, at) => { node.value = at; node.dispatchEvent(new Event('input')); }", at)
        shown.settle()
        assert shown.widget.step == 5 and scrub.get_attribute("aria-valuetext") == "Step 5, Weigh"
        lefts.append(cell.evaluate(left))
    assert lefts == sorted(lefts) and lefts[-1] == place
    assert abs(lefts[0] - value.evaluate(left)) < 20 < place - lefts[1], "it starts where the value is"
    scrub.evaluate(
        "node => { node.value = 5.4; ['input', 'change'].forEach((e) => node.dispatchEvent(new Event(e))); }"
    )
    shown.page.wait_for_function(ARRIVED, arg=6)
    scrub.press("ArrowLeft")
    assert shown.widget.step == 5
    shown.page.get_by_role("button", name="Step 5").press("ArrowLeft")
    shown.page.wait_for_function(ARRIVED, arg=4)
    assert shown.widget.step == 4


def test_a_click_on_a_column_goes_to_its_step_and_in_a_row_to_that_word(show: Show) -> None:
    shown = show(attention_stepper(step=6))
    shown.page.locator(".as-head [data-step='2']").click()
    assert shown.widget.step == 2
    shown.page.locator(".as-row[role=option] [data-step='4']").nth(1).click()
    shown.settle()
    assert shown.widget.step == 4 and f"{shown.widget.steps['weights'][3, 1]:.3f}" in shown.text(".as-equation")
    shown.page.locator(".as-row[role=option] .as-word").nth(2).click()
    assert shown.widget.step == 4 and "was" in shown.text("[aria-selected=true] .as-word .word")


@pytest.mark.parametrize(("step", "seen"), [*enumerate(["1 1", "1 2", "2 3", "3 4", "1 4 5", "4 5"], start=1)])
def test_a_telephone_shows_the_column_under_way_and_where_it_comes_from(show: Show, step: int, seen: str) -> None:
    shown = show(attention_stepper(step=step), width=358)
    cells = shown.page.locator(".as-row[role=option]").first.locator(".as-cell:visible")
    assert cells.evaluate_all("all => all.map((node) => node.dataset.step).join(' ')") == seen


def test_play_goes_on_by_itself_and_stops_when_asked(show: Show) -> None:
    shown = show(attention_stepper(), reduced_motion=True)
    sign = "node => getComputedStyle(node, '::before').content"
    play = shown.page.get_by_role("button", name="Play")
    assert "▶" in play.evaluate(sign)
    play.press("Space")
    assert "❚" in play.evaluate(sign)
    shown.page.wait_for_function("window.model.get('step') === 2", timeout=6000)
    shown.click("button", "Back")
    assert play.get_attribute("aria-pressed") == "false" and shown.widget.step == 1
    choice = shown.page.get_by_role("radio").first
    assert not {"▶", "❚"} & set(choice.evaluate(sign)), "a choice has a sign of its own"
    assert choice.evaluate("node => getComputedStyle(node, '::before').borderRadius") == "50%"


@pytest.mark.parametrize("width", [*LAB, 294])
def test_a_short_sentence_keeps_its_height_for_all_words_at_once(show: Show, width: int) -> None:
    shown = show(attention_stepper("one two three four"), width=width, reduced_motion=True)
    shown.page.wait_for_function(PREPARED)
    root: Any = shown.page.query_selector(".anatomy")
    seen = look_at(root, window=width, press=True, thorough=True)
    assert seen.presses > 20 and seen.jump <= 8
    assert seen.findings == []


def test_a_transpose_is_a_raised_letter(show: Show) -> None:
    shown = show(attention_stepper(level="matrix", step=2))
    assert shown.text(".as-formula sup") == "T"
    assert shown.texts(".as-body:not([inert]) figcaption sup") == ["T", "T"]
    assert shown.page.get_by_role("application", name=re.compile("^K transposed")).count() == 1


def test_labels_of_a_long_sentence_do_not_lie_on_each_other(show: Show) -> None:
    tokens = [f"word{i}" for i in range(30)]
    made = Steps.of(tokens, *np.random.default_rng(0).normal(size=(4, 30, 8)))
    shown = show(AttentionStepper(lambda _: made, level="matrix", step=4, query=13))
    tops = "all => all.filter((n) => n.textContent).map((n) => [n.textContent, n.getBoundingClientRect().top])"
    labels = shown.page.locator(".as-body:not([inert]) .as-left .word").evaluate_all(tops)
    assert "word13" in [text for text, _ in labels]
    assert all(after - before >= 11 for (_, before), (_, after) in zip(labels, labels[1:], strict=False))
