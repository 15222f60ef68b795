"""The mask painter: what Python refuses and computes, and painting by mouse and by keyboard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import Browser, Shown, show

from anatomy_course.views import MaskPainter

TOKENS = ["time", "flies", "like", "[PAD]", "[PAD]"]
SCORES = np.random.default_rng(3).normal(size=(5, 5))
CAUSAL = np.tril(np.ones((5, 5), dtype=bool))


def test_weights_are_the_softmax_over_the_open_cells() -> None:
    painter = MaskPainter(TOKENS, torch.tensor(SCORES), mask=torch.tensor(CAUSAL))
    expected = torch.tensor(SCORES).masked_fill(~torch.tensor(CAUSAL), -torch.inf).softmax(-1)
    np.testing.assert_allclose(painter.weights, expected, atol=1e-6)


def test_an_empty_row_is_all_zero_and_zero_after_the_softmax_loses_weight() -> None:
    mask = CAUSAL.copy()
    mask[2] = False
    painter = MaskPainter(TOKENS, SCORES, mask=mask)
    assert painter.weights[2].tolist() == [0.0] * 5
    assert painter.weights.sum(-1).tolist() == pytest.approx([1, 1, 0, 1, 1])
    painter.zero_after = True
    assert painter.weights.sum(-1)[0] < 0.99


def test_the_mask_can_be_assigned_but_not_changed_in_place() -> None:
    painter = MaskPainter(TOKENS, SCORES)
    painter.mask = CAUSAL
    assert painter.mask.dtype == np.bool_ and (painter.mask == CAUSAL).all()
    with pytest.raises(ValueError, match="read-only"):
        painter.mask[0, 0] = False


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tokens": []}, "0 words"),
        ({"tokens": ["a"] * 25}, "That makes 25 tokens; the drawing has room for 24"),
        ({"scores": np.ones((5, 4))}, r"scores has shape \(5, 4\); expected .*here \(5, 5\)"),
        ({"scores": np.ones((1, 5, 5))}, r"shape \(1, 5, 5\)"),
        ({"scores": np.where(CAUSAL, SCORES, -np.inf)}, "NaN or infinity"),
        ({"mask": CAUSAL.astype(int)}, "mask holds int64; expected booleans of shape \\(5, 5\\), True = may attend"),
        ({"mask": CAUSAL[:4]}, r"mask has shape \(4, 5\)"),
        ({"mask": [[True], [True, False]]}, "mask (is no rectangular array|holds object)"),
        ({"mask": "causal"}, "mask holds <U6"),
        ({"attention_mask": [1, 1, 1]}, r"attention_mask has shape \(3,\); expected .*here \(5,\)"),
        ({"attention_mask": [1, 1, 1, 2, 0]}, "1 for a real token and 0 for padding"),
    ],
)
def test_wrong_input_gets_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        MaskPainter(**{"tokens": TOKENS, "scores": SCORES} | wrong)


def test_the_twin_names_tokens_and_masked_cells() -> None:
    assert "10 of 25 cells are masked" in MaskPainter(TOKENS, SCORES, mask=CAUSAL).still_picture().alt


def cell(shown: Shown, query: int, key: int) -> Any:
    return shown.page.get_by_role("grid").locator("tbody tr").nth(query).locator("td").nth(key)


def sums(shown: Shown) -> list[str]:
    return shown.page.locator("td.sum").all_inner_texts()


@pytest.mark.browser
def test_buttons_and_the_wrong_way(browser: Browser) -> None:
    shown = show(browser, MaskPainter(TOKENS, SCORES))
    for name, expected in {
        "causal": CAUSAL,
        "padding": np.tile([True, True, True, False, False], (5, 1)),
        "causal and padding": CAUSAL & [True, True, True, False, False],
        "none": np.zeros((5, 5), dtype=bool),
        "all open": np.ones((5, 5), dtype=bool),
    }.items():
        shown.page.get_by_role("radio", name=name, exact=True).click()
        shown.settle()
        assert (shown.widget.mask == expected).all(), name
        assert sums(shown) == ["empty" if name == "none" else "1.00"] * 5
    shown.page.get_by_role("radio", name="causal", exact=True).click()
    shown.page.get_by_role("button", name="0 after the softmax").click()
    shown.settle()
    assert shown.widget.zero_after is True
    assert sums(shown) == [f"{total:.2f}" for total in shown.widget.weights.sum(-1)]
    assert "4 of 5 rows no longer sum to 1" in shown.page.get_by_role("status").inner_text()
    shown.check()


@pytest.mark.browser
def test_painting_by_mouse_and_by_keyboard(browser: Browser) -> None:
    shown = show(browser, MaskPainter(TOKENS, SCORES), views=2)
    cell(shown, 1, 0).first.hover()
    shown.page.mouse.down()
    for key in (1, 2):
        box = shown.page.get_by_role("grid").first.locator("tbody tr").nth(1).locator("td").nth(key).bounding_box()
        shown.page.mouse.move(box["x"] + 5, box["y"] + 5)
    shown.page.mouse.up()
    shown.settle()
    assert shown.widget.mask[1].tolist() == [False, False, False, True, True]
    for press in (
        "ArrowDown",
        "ArrowLeft",
        "Space",
        "Shift+ArrowLeft",
    ):  # from (1, 2) to (2, 1), close, go on to (2, 0)
        shown.page.keyboard.press(press)
    shown.settle()
    assert shown.widget.mask[2].tolist() == [False, False, True, True, True]
    assert int(shown.widget.mask.sum()) == 20
    grids = shown.page.get_by_role("grid").all()
    assert [grid.locator("td.masked-cell").count() for grid in grids] == [5, 5]  # both views
    assert "masked, weight 0.00" in str(shown.page.locator("td:focus").get_attribute("aria-label"))
    shown.update(mask=np.zeros((5, 5), dtype=bool))
    shown.settle()
    assert sums(shown) == ["empty"] * 10
    shown.check()


@pytest.mark.browser
def test_any_text_is_shown_as_text(browser: Browser) -> None:
    tokens = ["<script>window.hit=1</script>", "😀", "مرحبا", "</td><b>x</b>"]
    shown = show(browser, MaskPainter(tokens, np.zeros((4, 4))), theme="dark")
    assert shown.page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy b').length === 0")
    assert sums(shown) == ["1.00"] * 4
    assert shown.page.get_by_role("radio", name="padding").is_disabled()
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_an_empty_row_moves_nothing(browser: Browser, width: int) -> None:
    tokens = ["[CLS]", "time", "flies", "like", "an", "arrow", "[SEP]"]
    scores = np.random.default_rng(0).normal(size=(7, 7)) * 3
    shown = show(browser, MaskPainter(tokens, scores, mask=np.tri(7, dtype=bool)), size=(LAB[width], 900))
    heights, places = [], []
    for press in ("Enter", "none", "0 after the softmax", "all open"):
        if press == "Enter":
            cell(shown, 0, 0).press(press)
        else:
            shown.page.get_by_text(press, exact=press != "0 after the softmax").click()
        shown.settle()
        assert_fits(shown.page)
        heights.append(height_of(shown.page))
        places.append(shown.page.get_by_role("table", name="weights").bounding_box())
    assert_stands_still(heights)
    assert len({(place["x"], place["y"]) for place in places}) == 1
    shown.check()


@pytest.mark.browser
def test_whole_masks_are_a_choice_of_which_none_may_be_made(browser: Browser) -> None:
    shown = show(browser, MaskPainter(["a", "b", "c"], np.zeros((3, 3)), mask=np.tri(3, dtype=bool)))
    assert shown.page.get_by_role("radio", name="causal").is_checked()
    shown.page.get_by_role("radio", name="causal").press("ArrowRight")  # past padding, of which there is none
    shown.settle()
    assert shown.widget.mask.sum() == 0 and shown.page.get_by_role("radio", name="none").is_checked()
    cell(shown, 1, 1).press("Enter")
    shown.settle()
    assert shown.page.locator("[role=radio][aria-checked=true]").count() == 0
    shown.check()
