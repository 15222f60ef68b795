"""The head traveller: what it ships, where its numbers go, and how it answers mouse and keyboard."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from on_page import OnPage, Show
from small import TOKENS, attention_module, head_splitting

from anatomy_course import views
from anatomy_course.figures.diagrams.heads import head_sharing, split_heads
from anatomy_utils.functional.multi_head import split_heads as split

WORDS = "The animal crossed a street".split()


def test_the_numbers_are_the_modules_own() -> None:
    attention, hidden_states = attention_module()
    shown = head_splitting()
    arrays = shown._arrays
    with torch.no_grad():
        output = attention(hidden_states)[0].numpy()
        values = attention.to_value(hidden_states)
    assert np.allclose(arrays["right.output"], output, atol=1e-6)
    assert np.allclose(arrays["right.weights"].sum(axis=-1), 1, atol=1e-6)
    for lane, parts in (("right", split(values, 3)[0]), ("wrong", values[0].view(3, 5, 4))):
        context = np.einsum("hqk,hkd->hqd", arrays[f"{lane}.weights"], parts.numpy())
        assert np.allclose(arrays[f"{lane}.context"], context, atol=1e-5)
    assert np.abs(arrays["wrong.output"] - output).max() > 0.1
    flat = np.frombuffer(shown.tensors, "<f4")
    assert len(flat) == 2 * 60 + 2 * 144 + 2 * (75 + 60 + 60)
    assert np.allclose(flat[-60:], arrays["wrong.output"].ravel(), atol=1e-6)


def test_shared_keys_and_a_lane_alone_are_refused() -> None:
    with pytest.raises(ValueError, match="3 heads share 1 key/value heads here"):
        views.head_splitting(*attention_module(num_kv_heads=1), TOKENS)
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


def told(shown: OnPage, lane: str) -> str:
    return shown.text(f".ht-{lane} .ht-told").replace("−", "-")


def test_the_number_is_found_at_each_step(show: Show) -> None:
    shown = show(head_splitting(), reduced_motion=True)
    arrays = shown.widget._arrays
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
        assert f"{index} = {number:.3f}" in told(shown, "right")
        if step in wrong:
            there = value if step < 4 else arrays["wrong.context"][1, 0, 1]
            assert f"{wrong[step]} = {there:.3f}" in told(shown, "wrong")
        if step < 7:
            shown.click("button", "Next")
    assert shown.widget.step == 8
    assert shown.page.get_by_role("button", name="Next").is_disabled()
    shown.click("button", "Step 4 Transpose", exact=True)
    shown.click("button", "Back", exact=True)
    assert shown.widget.step == 3


def test_kept_room_says_what_comes_there(show: Show) -> None:
    shown = show(head_splitting(), reduced_motion=True)
    assert shown.count(".ht-told .to-come") == 2
    shown.update(step=5)
    assert shown.count(".ht-told .to-come") == 0


def test_attention_adds_up_and_tells_what_a_wrong_head_misses(show: Show) -> None:
    shown = show(head_splitting(WORDS), reduced_motion=True)
    shown.update(step=5)
    for lane in ("right", "wrong"):
        products = shown.texts(f".ht-{lane} .ht-sum td:last-child")
        total = sum(float(text.replace("−", "-").lstrip("= ")) for text in products)
        number = float(shown.text(f".ht-{lane} .ht-number").replace("−", "-"))
        assert total == pytest.approx(number, abs=0.003)
    assert "this head never meets “The”, “street”" in told(shown, "wrong")
    assert shown.texts(".ht-wrong .ht-row")[5:8] == ["animal 8–11", "crossed 0–3", "crossed 4–7"]
    assert "(1, 3, 5, 4) batch, heads, position, d_head" in shown.text(".ht-wrong")


def test_cells_are_chosen_by_mouse_keys_and_lists(show: Show) -> None:
    shown = show(head_splitting(), reduced_motion=True)
    shown.page.locator(".ht-right .ht-cell").nth(2 * 12 + 7).click()
    shown.settle()
    assert (shown.widget.position, shown.widget.feature) == (2, 7)
    stage = shown.page.locator(".ht-wrong").get_by_role("application")
    stage.press("ArrowRight")
    stage.press("ArrowUp")
    shown.settle()
    assert (shown.widget.position, shown.widget.feature) == (1, 8)
    shown.page.get_by_label("Follow", exact=True).select_option("4")
    shown.page.get_by_label("feature", exact=True).select_option("0")
    shown.settle()
    assert (shown.widget.position, shown.widget.feature) == (4, 0)
    assert shown.count(".ht-cell.followed") == 2 and shown.count(".ht-cell.of-word") == 2 * 12


def test_right_and_wrong_cells_part_ways_when_the_axes_are_cut(show: Show) -> None:
    shown = show(head_splitting(), reduced_motion=True)

    def rows() -> list[int]:
        """In how many places of equal height the chosen word's numbers stand, in the right and the wrong lane."""
        top = "all => new Set(all.map((cell) => Math.round(cell.getBoundingClientRect().top))).size"
        return [shown.page.locator(f".ht-{lane} .of-word").evaluate_all(top) for lane in ("right", "wrong")]

    assert rows() == [1, 1]
    shown.update(step=4)
    assert rows() == [2, 3]  # a row of three heads, two of them side by side; three pieces of one word
    shown.update(step=7)
    assert rows() == [1, 1]


def test_it_plays_to_the_end_and_two_views_agree(show: Show) -> None:
    shown = show(head_splitting(), views=2)
    shown.update(step=7)
    shown.click("button", "Play")
    shown.page.wait_for_function("window.model.get('step') === 8")
    assert shown.page.get_by_role("button", name="Play").first.get_attribute("aria-pressed") == "false"
    assert shown.texts("[aria-current=step]") == ["8\nMix", "8\nMix"]
