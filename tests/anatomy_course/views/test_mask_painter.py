"""The mask painter: what Python computes, and painting by mouse and by keyboard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from on_page import OnPage, Show
from small import CAUSAL, SCORES, mask_painter

from anatomy_course.views import MaskPainter


def test_weights_are_the_softmax_over_the_open_cells() -> None:
    painter = mask_painter(scores=torch.tensor(SCORES), mask=torch.tensor(CAUSAL))
    expected = torch.tensor(SCORES).masked_fill(~torch.tensor(CAUSAL), -torch.inf).softmax(-1)
    np.testing.assert_allclose(painter.weights, expected, atol=1e-6)


def test_an_empty_row_is_all_zero_and_zero_after_the_softmax_loses_weight() -> None:
    mask = CAUSAL.copy()
    mask[2] = False
    painter = mask_painter(mask=mask)
    assert painter.weights[2].tolist() == [0.0] * 5
    assert painter.weights.sum(-1).tolist() == pytest.approx([1, 1, 0, 1, 1])
    painter.zero_after = True
    assert painter.weights.sum(-1)[0] < 0.99


def test_the_mask_can_be_assigned_but_not_changed_in_place() -> None:
    painter = mask_painter()
    painter.mask = CAUSAL
    assert painter.mask.dtype == np.bool_ and (painter.mask == CAUSAL).all()
    with pytest.raises(ValueError, match="read-only"):
        painter.mask[0, 0] = False


def cell(shown: OnPage, query: int, key: int) -> Any:
    grid = shown.page.get_by_role("grid").first
    return grid.locator("tbody tr").nth(query).locator("td").nth(key)


def test_buttons_and_the_wrong_way(show: Show) -> None:
    shown = show(mask_painter())
    real = np.tile([True, True, True, False, False], (5, 1))
    masks = {"causal": CAUSAL, "padding": real, "causal and padding": CAUSAL & real}
    for name, expected in (masks | {"none": False & real, "all open": True | real}).items():
        shown.click("radio", name, exact=True)
        assert (shown.widget.mask == expected).all(), name
        assert shown.texts("td.sum") == ["empty" if name == "none" else "1.00"] * 5
    shown.click("radio", "causal", exact=True)
    place = shown.page.get_by_role("table", name="weights").bounding_box()
    shown.click("button", "0 after the softmax")
    assert shown.widget.zero_after is True
    assert shown.texts("td.sum") == [f"{total:.2f}" for total in shown.widget.weights.sum(-1)]
    assert "4 of 5 rows no longer sum to 1" in shown.page.get_by_role("status").inner_text()
    shown.click("radio", "none", exact=True)
    empty = shown.page.get_by_role("table", name="weights").bounding_box()
    assert (empty["x"], empty["y"]) == (place["x"], place["y"]), "an empty row moves nothing"


def test_painting_by_mouse_and_by_keyboard(show: Show) -> None:
    shown = show(mask_painter(), views=2)
    cell(shown, 1, 0).hover()
    shown.page.mouse.down()
    for key in (1, 2):
        box = cell(shown, 1, key).bounding_box()
        shown.page.mouse.move(box["x"] + 5, box["y"] + 5)
    shown.page.mouse.up()
    shown.settle()
    assert shown.widget.mask[1].tolist() == [False, False, False, True, True]
    shown.keys("ArrowDown", "ArrowLeft", "Space", "Shift+ArrowLeft")  # from (1, 2) to (2, 1), close, go on to (2, 0)
    assert shown.widget.mask[2].tolist() == [False, False, True, True, True]
    assert int(shown.widget.mask.sum()) == 20
    grids = shown.page.get_by_role("grid").all()
    assert [grid.locator("td.masked-cell").count() for grid in grids] == [5, 5]  # both views
    assert "masked, weight 0.00" in str(shown.page.locator("td:focus").get_attribute("aria-label"))
    shown.update(mask=np.zeros((5, 5), dtype=bool))
    assert shown.texts("td.sum") == ["empty"] * 10


def test_whole_masks_are_a_choice_of_which_none_may_be_made(show: Show) -> None:
    shown = show(MaskPainter(["a", "b", "c"], np.zeros((3, 3)), mask=np.tri(3, dtype=bool)))
    causal, none, padding = (shown.page.get_by_role("radio", name=name) for name in ("causal", "none", "padding"))
    assert causal.first.is_checked() and padding.first.is_disabled()
    causal.first.press("ArrowRight")  # past padding, of which there is none
    shown.settle()
    assert shown.widget.mask.sum() == 0 and none.is_checked()
    cell(shown, 1, 1).press("Enter")
    shown.settle()
    assert shown.count("[role=radio][aria-checked=true]") == 0
