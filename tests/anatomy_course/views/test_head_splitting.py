"""The head traveller: what it ships and refuses, where its numbers go, and how it answers mouse and keyboard."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import Shown, show

from anatomy_course import views
from anatomy_course.figures.diagrams.heads import head_sharing, split_heads
from anatomy_course.views import HeadSplitting
from anatomy_course.views.head_splitting.view import Lane, SplitHeads, _checked
from anatomy_utils.functional.multi_head import split_heads as split
from anatomy_utils.nn.attention import MultiHeadAttention

TOKENS = ["the", "<script>alert(1)</script>", "😀", "שלום", "it"]
HEADS, D_MODEL = 3, 12


def module(**options: Any) -> tuple[MultiHeadAttention, torch.Tensor]:
    torch.manual_seed(0)
    return MultiHeadAttention(D_MODEL, HEADS, **options), 2 * torch.randn(1, 5, D_MODEL)


def traveller(tokens: list[str] = TOKENS, **options: Any) -> HeadSplitting:
    attention, hidden_states = module()
    return views.head_splitting(attention, hidden_states, tokens, **({"position": 1, "feature": 9} | options))


def journey(**changes: Any) -> SplitHeads:
    lane = Lane(np.full((2, 3, 3), 1 / 3), np.ones((2, 3, 2)), np.ones((3, 4)))
    square = np.ones((4, 4))
    return replace(SplitHeads(["a", "b", "c"], np.ones((3, 4)), square, np.ones((3, 4)), square, lane, lane), **changes)


# What it ships -----------------------------------------------------------------------------------------------------


def test_the_numbers_are_the_modules_own() -> None:
    attention, hidden_states = module()
    arrays = traveller()._arrays
    with torch.no_grad():
        output = attention(hidden_states)[0].numpy()
        values = attention.to_value(hidden_states)
    assert np.allclose(arrays["right.output"], output, atol=1e-6)
    assert np.allclose(arrays["right.weights"].sum(axis=-1), 1, atol=1e-6)
    right = np.einsum("hqk,hkd->hqd", arrays["right.weights"], split(values, HEADS)[0].numpy())
    wrong = np.einsum("hqk,hkd->hqd", arrays["wrong.weights"], values[0].view(HEADS, 5, 4).numpy())
    assert np.allclose(arrays["right.context"], right, atol=1e-5)
    assert np.allclose(arrays["wrong.context"], wrong, atol=1e-5)
    assert np.abs(arrays["wrong.output"] - output).max() > 0.1


def test_the_buffer_holds_all_tensors_in_order() -> None:
    shown = traveller()
    flat = np.frombuffer(shown.tensors, "<f4")
    assert len(flat) == 2 * 60 + 2 * 144 + 2 * (75 + 60 + 60)
    assert np.allclose(flat[-60:], shown._arrays["wrong.output"].ravel(), atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"tokens": ["a", "b"]},
            "hidden_states has shape (3, 4); expected numbers of shape (position, d_model), here (2, 4)",
        ),
        ({"tokens": ["a"] * 9}, "That makes 9 tokens; the drawing has room for 8"),
        ({"value": np.ones(4)}, "value has shape (4,); expected numbers of shape (position, d_model)"),
        ({"hidden_states": np.ones((3, 17))}, "d_model is 17 for 2 heads; the drawing has room for 16"),
        ({"wrong": Lane(np.ones((1, 3, 3)), np.ones((2, 3, 2)), np.ones((3, 4)))}, "wrong.weights has shape (1, 3, 3)"),
    ],
)
def test_unusable_input_gets_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as error:
        _checked(journey(**changes))
    assert "\n" not in str(error.value)


def test_places_that_are_not_there_are_refused() -> None:
    for name, value, choice in (("position", 5, "0 to 4"), ("feature", 12, "0 to 11"), ("step", 9, "1 to 8")):
        shown = traveller()
        with pytest.raises(ValueError, match=f"{name}={value} was asked for; expected a whole number from {choice}"):
            setattr(shown, name, value)
    attention, hidden_states = module(num_kv_heads=1)
    with pytest.raises(ValueError, match="3 heads share 1 key/value heads here"):
        views.head_splitting(attention, hidden_states, TOKENS)


# Its figures -------------------------------------------------------------------------------------------------------


def test_the_twin_names_the_words_that_each_wrong_head_has() -> None:
    data, _ = traveller("The animal crossed a street".split())._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "image/png"} <= set(data)
    said = "head 0 has only The, animal; head 1 has only a, animal, crossed; head 2 has only a, street"
    assert said in data["text/plain"]
    with pytest.raises(ValueError, match="give 'right' and 'wrong'"):
        split_heads(["a"], [[1.0]], {"right": ([[[1.0]]], [[[1.0]]])})


def test_sharing_is_drawn_with_its_counts() -> None:
    picture = head_sharing({"full": (6, 6, 1000, 2**20), "one": (6, 1, 500, 3 * 2**9)}, positions=100)
    assert "full: 6 query heads, 6 for keys and values, 1000 parameters, 1.0 MiB" in picture.alt
    assert "one: 6 query heads, 1 for keys and values, 500 parameters, 1.5 KiB" in picture.alt
    assert picture.figure is not None
    drawn = [text.get_text() for text in picture.figure.axes[0].texts]
    assert (drawn.count("k0"), drawn.count("k5"), drawn.count("q5")) == (2, 1, 2)
    with pytest.raises(ValueError, match="'odd' has 6 heads and 4 key/value heads"):
        head_sharing({"odd": (6, 4, 1, 1)}, 1)


# In the browser ----------------------------------------------------------------------------------------------------


def told(shown: Shown, lane: str) -> str:
    return shown.page.locator(f".ht-{lane} .ht-told").inner_text()


@pytest.mark.browser
def test_the_number_is_found_at_each_step(browser: Browser) -> None:
    shown = show(browser, traveller(), reduced_motion=True)
    arrays = shown.widget._arrays  # type: ignore[attr-defined]
    value, context = arrays["value"][1, 9], arrays["right.context"][2, 1, 1]
    right = [
        ("hidden_states[0, 1, 9]", arrays["hidden_states"][1, 9]),
        ("value[0, 1, 9]", value),
        ("value[0, 1, 2, 1]", value),
        ("value[0, 2, 1, 1]", value),
        ("context[0, 2, 1, 1]", context),
        ("context[0, 1, 2, 1]", context),
        ("context[0, 1, 9]", context),
        ("context[0, 1, 9]", context),
    ]
    wrong = {2: "value[0, 1, 0, 1]", 3: "value[0, 1, 0, 1]", 4: "context[0, 1, 0, 1]", 6: "context[0, 1, 9]"}
    for step, (index, number) in enumerate(right):
        text = told(shown, "right").replace("−", "-")
        assert f"{index} = {number:.3f}" in text
        if step in wrong:
            there = value if step < 4 else arrays["wrong.context"][1, 0, 1]
            assert f"{wrong[step]} = {there:.3f}" in told(shown, "wrong").replace("−", "-")
        if step < 7:
            shown.page.get_by_role("button", name="Next").click()
            shown.settle()
    assert shown.widget.step == 8  # type: ignore[attr-defined]
    assert shown.page.get_by_role("button", name="Next").is_disabled()
    shown.page.get_by_role("button", name="Step 4 Transpose", exact=True).click()
    shown.page.get_by_role("button", name="Back", exact=True).click()
    shown.settle()
    assert shown.widget.step == 3  # type: ignore[attr-defined]
    shown.check()


@pytest.mark.browser
def test_attention_adds_up_and_tells_what_a_wrong_head_misses(browser: Browser) -> None:
    shown = show(browser, traveller("The animal crossed a street".split(), position=1, feature=9), reduced_motion=True)
    shown.update(step=5)
    for lane in ("right", "wrong"):
        products = shown.page.locator(f".ht-{lane} .ht-sum td:last-child").all_inner_texts()
        total = sum(float(text.replace("−", "-").lstrip("= ")) for text in products)
        number = float(shown.page.locator(f".ht-{lane} .ht-number").inner_text().replace("−", "-"))
        assert total == pytest.approx(number, abs=0.003)
    assert "this head never meets “The”, “street”" in told(shown, "wrong")
    assert shown.page.locator(".ht-wrong .ht-row").all_inner_texts()[5:8] == [
        "animal 8–11",
        "crossed 0–3",
        "crossed 4–7",
    ]
    assert "(1, 3, 5, 4) batch, heads, position, d_head" in shown.page.locator(".ht-wrong").inner_text()
    shown.check()


@pytest.mark.browser
def test_cells_are_chosen_by_mouse_keys_and_lists(browser: Browser) -> None:
    shown = show(browser, traveller(), reduced_motion=True)
    shown.page.locator(".ht-right .ht-cell").nth(2 * D_MODEL + 7).click()
    shown.settle()
    assert (shown.widget.position, shown.widget.feature) == (2, 7)  # type: ignore[attr-defined]
    stage = shown.page.locator(".ht-wrong").get_by_role("application")
    stage.press("ArrowRight")
    stage.press("ArrowUp")
    shown.settle()
    assert (shown.widget.position, shown.widget.feature) == (1, 8)  # type: ignore[attr-defined]
    shown.page.get_by_label("Follow", exact=True).select_option("4")
    shown.page.get_by_label("feature", exact=True).select_option("0")
    shown.settle()
    assert (shown.widget.position, shown.widget.feature) == (4, 0)  # type: ignore[attr-defined]
    assert shown.page.locator(".ht-cell.followed").count() == 2
    assert shown.page.locator(".ht-cell.of-word").count() == 2 * D_MODEL
    assert shown.page.locator(".ht script").count() == 0
    shown.check()


@pytest.mark.browser
def test_right_and_wrong_cells_part_ways_when_the_axes_are_cut(browser: Browser) -> None:
    shown = show(browser, traveller(), reduced_motion=True)

    def rows(lane: str) -> int:
        """In how many places of equal height the chosen word's numbers stand."""
        return shown.page.evaluate(
            "lane => new Set([...document.querySelectorAll(`.ht-${lane} .of-word`)]"
            ".map((cell) => Math.round(cell.getBoundingClientRect().top))).size",
            lane,
        )

    assert (rows("right"), rows("wrong")) == (1, 1)
    shown.update(step=4)
    assert rows("wrong") == 3  # three pieces of one word under each other
    assert rows("right") == 2  # the same row of three heads, two of which stand side by side
    shown.update(step=7)
    assert (rows("right"), rows("wrong")) == (1, 1)
    shown.check()


@pytest.mark.browser
def test_it_plays_to_the_end_and_two_views_agree(browser: Browser) -> None:
    shown = show(browser, traveller(), views=2)
    shown.update(step=7)
    shown.page.get_by_role("button", name="Play").first.click()
    shown.page.wait_for_function("window.model.get('step') === 8")
    assert shown.page.get_by_role("button", name="Play").first.get_attribute("aria-pressed") == "false"
    assert shown.page.locator("[aria-current=step]").all_inner_texts() == ["8\nMix", "8\nMix"]
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_every_step_fits_and_nothing_jumps(browser: Browser, width: int) -> None:
    torch.manual_seed(0)
    small, hidden_states = MultiHeadAttention(8, 2), 2 * torch.randn(1, 5, 8)
    words = ["The", "animal", "crossed", "a", "street"]
    shown = show(
        browser, views.head_splitting(small, hidden_states, words, position=1, feature=6), size=(LAB[width], 900)
    )
    heights = []
    for step in range(1, 9):
        shown.update(step=step)
        assert_fits(shown.page)
        heights.append(height_of(shown.page))
    assert_stands_still(heights)
    shown.check()
