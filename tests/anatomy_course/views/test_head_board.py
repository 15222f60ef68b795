"""The head board: ranking, filtering, switching heads off, and what it refuses."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from measure import look_at
from on_page import OnPage, Show
from small import BOARD, STREET, TOKENS, head_board, turned
from view_sizes import LAB, assert_fits

from anatomy_course import views
from anatomy_course.views import HeadBoard
from anatomy_course.views.head_board.view import IMPORTANCE
from anatomy_utils.interpret import activations

# Ranking and switching -----------------------------------------------------------------------------------------------


def test_heads_are_ranked_by_a_measure() -> None:
    assert head_board(rank="first").ranked() == [(0, 1), (1, 0), (1, 2), (0, 2), (1, 1), (0, 0)]
    assert head_board(rank="first", order="lowest").ranked()[0] == (0, 0)
    assert head_board(rank="first", order="layer").ranked() == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    ranked = HeadBoard(BOARD, TOKENS, query=4, key=2)
    assert np.abs(ranked.value_of("the chosen pair") - BOARD[:, :, 4, 2]).max() <= 1 / 510
    assert ranked.ranked()[0] == np.unravel_index(BOARD[:, :, 4, 2].argmax(), (2, 3))


def test_switching_off_tells_how_far_the_output_moved() -> None:
    shown = head_board()
    assert np.frombuffer(shown.moved, "<f4").tolist() == pytest.approx([0] * 5, abs=1e-6)
    shown.off = [[0, 1], [1, 2], [0, 1]]
    assert shown.off == [[0, 1], [1, 2]]
    moved = np.frombuffer(shown.moved, "<f4")
    assert moved.tolist() == pytest.approx([0, 0, 0, 0, 1 - np.cos(np.pi / 3)], abs=1e-6)
    before, after = (np.frombuffer(raw, "<f4").reshape(5, 5) for raw in (shown.before, shown.after))
    assert (before[4, 0], after[4, 0]) == pytest.approx((1, 0.5))
    assert (shown.answered, shown.error) == (1, "")
    shown.off = []
    assert shown.after == shown.before


def test_a_model_that_fails_is_told_in_one_sentence() -> None:
    def fragile(off: list[tuple[int, int]]) -> np.ndarray:
        if off:
            raise RuntimeError("no such layer")
        return turned(off)

    shown = head_board(switch=fragile)
    shown.off = [[0, 0]]
    failed = "The model could not run without these heads (RuntimeError: no such layer); switch them on again."
    assert (shown.error, shown.answered) == (failed, 1)
    shown.off = []
    assert shown.error == ""


def test_the_real_encoder_on_the_street(minilm: Any) -> None:
    shown = views.head_board(*minilm, STREET, word="it", towards="animal")
    assert (shown.layer, shown.head) == shown.ranked()[0] == (3, 1)
    assert shown.ranked()[1] == (5, 11)
    importance = shown.value_of(IMPORTANCE)
    shown.off = [[5, 11]]
    assert np.frombuffer(shown.moved, "<f4").mean() == pytest.approx(importance[5, 11], abs=1e-4)
    _, seen = activations.read_activations(*minilm, STREET)
    output = seen["layers.5.output"][0]
    similarity = torch.cosine_similarity(output[10], output[2], dim=0).item()
    assert np.frombuffer(shown.before, "<f4").reshape(16, 16)[10, 2] == pytest.approx(similarity, abs=1e-5)


def names(shown: OnPage) -> list[str]:
    return shown.texts(".hb-name")


def test_ranking_sorting_and_filtering(show: Show) -> None:
    shown = show(head_board(rank="first"), reduced_motion=True)
    layer, least = shown.page.get_by_label("Layer", exact=True), shown.page.get_by_role("slider", name="At least")
    assert names(shown) == ["0·1", "1·0", "1·2", "0·2", "1·1", "0·0"]
    shown.page.get_by_label("Order").select_option("by layer")
    assert names(shown) == ["0·0", "0·1", "0·2", "1·0", "1·1", "1·2"]
    shown.page.get_by_label("Rank by").select_option("second")
    assert names(shown)[0] == "0·0", "ranking sorts, even where the order was by layer"
    layer.select_option("1")
    assert names(shown) == ["1·1", "1·2", "1·0"]
    least.press("End")
    assert "No head reaches that value" in shown.text(".hb")
    layer.select_option("all")
    assert names(shown) == ["0·0"]
    shown.settle()
    assert (shown.widget.rank, shown.widget.order) == ("second", "highest")


def test_keys_choose_and_switch_heads(show: Show) -> None:
    shown = show(head_board(rank="first", order="layer"), reduced_motion=True)
    heads = shown.page.get_by_role("listbox", name=re.compile("^Heads"))
    heads.press("ArrowRight")
    heads.press("ArrowDown")
    shown.settle()
    assert (shown.widget.layer, shown.widget.head) == (1, 1)
    assert shown.page.locator("h4", has_text="Layer 1, head 1").count() == 1
    heads.press(" ")
    assert shown.follow().off == [[1, 1]]
    assert shown.page.get_by_role("option", name="Layer 1, head 1: off").count() == 1
    assert "0.13" in shown.text(".hb-moved")  # 1 − cos 30°
    shown.click("button", "Switch layer 1, head 1 on again")
    assert shown.follow().off == []
    assert "all heads on" in shown.text(".hb-effect")


def test_mouse_chooses_a_head_a_pair_and_switches(show: Show) -> None:
    shown = show(head_board(query=4, key=0), size=(1000, 1200), reduced_motion=True)
    shown.page.locator(".hb-tile", has_text="0·2").click()
    shown.click("button", "Switch layer 0, head 2 off")
    assert shown.follow().off == [[0, 2]]
    assert "1.00 → 0.87" in shown.text(".hb-pair")
    shown.page.get_by_label("Pair: from").select_option("2")
    assert "1.00 → 1.00" in shown.text(".hb-pair")
    large = shown.page.get_by_role("application")
    box = large.bounding_box()
    large.click(position={"x": box["width"] - 6, "y": box["height"] - 6})
    shown.settle()
    assert (shown.widget.query, shown.widget.key) == (4, 4)
    shown.click("button", "All heads on")
    assert shown.follow().off == []


def test_two_views_and_python_agree(show: Show) -> None:
    shown = show(head_board(), views=2)
    shown.update(rank="first", layer=1, head=2, query=1)
    assert shown.page.locator("h4", has_text="Layer 1, head 2").count() == 2
    assert names(shown)[:2] == ["0·1", "1·0"]
    assert "<script>alert(1" in shown.page.get_by_label("Pair: from").first.inner_text()


def test_without_a_model_all_but_switching_works(show: Show) -> None:
    shown = show(head_board(switch=None))
    assert shown.page.get_by_role("button", name=re.compile("^Switch")).count() == 0
    assert "given a model" in shown.text(".hb")
    heads = shown.page.get_by_role("listbox", name=re.compile("^Heads"))
    heads.press(" ")
    heads.press("End")
    shown.settle()
    assert shown.widget.off == []
    assert (shown.widget.layer, shown.widget.head) == shown.widget.ranked()[-1]


def test_256_tokens_need_no_element_per_cell_and_no_thumbnail_twice(show: Show) -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(256), size=(2, 12, 256)).astype(np.float32)
    tokens = [f"token{i}" for i in range(256)]
    shown = show(HeadBoard(weights, tokens, {"first": np.eye(12)[:2]}), size=(1000, 1000), reduced_motion=True)
    assert shown.count(".anatomy *") < 2000
    thumbnails = "() => { const all = [...document.querySelectorAll('.hb-map canvas')]; return %s; }"
    assert shown.page.evaluate(thumbnails % "all.every((each) => each.width <= 48)")
    shown.page.evaluate(thumbnails % "all.forEach((each) => { each.before = true; })")
    shown.page.get_by_role("listbox", name=re.compile("^Heads")).press("End")
    shown.page.get_by_label("Pair: from").select_option("200")
    shown.page.get_by_label("Rank by").select_option("first")
    shown.settle()
    assert shown.page.evaluate(thumbnails % "all.length === 24 && all.every((each) => each.before)")


@pytest.mark.parametrize("width", LAB)
def test_choosing_and_filtering_keep_the_height_and_a_small_effect_has_a_short_bar(show: Show, width: int) -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(16) * 0.2, size=(6, 12, 16))
    words = "[CLS] the animal didn ' t cross the street because it was too tired . [SEP]".split()

    def output(off: Any) -> np.ndarray:
        """Vectors that turn by 0.1 for every head that is off: they move by 1 − cos 0.1 = 0.005."""
        angles = 0.1 * len(off) + np.arange(16)
        return np.stack([np.cos(angles), np.sin(angles)], axis=-1)

    measures = {"first": weights[..., 0].mean(-1)}
    shown = show(HeadBoard(weights, words, measures, switch=output, query=10, key=2), width=width)
    root: Any = shown.page.query_selector(".anatomy")
    seen = look_at(root, window=width, press=True)
    assert seen.presses >= 20 and seen.jump <= 8
    assert shown.text(".shape") == "6 layers × 12 heads"
    shown.page.get_by_role("slider", name="At least").fill("0.5")
    assert "of 72 heads" in shown.text(".shape")
    assert_fits(shown.page)
    shown.widget.off = [[0, 0]]
    shown.follow()
    part = """node => node.getBoundingClientRect().width / node.parentElement.getBoundingClientRect().width"""
    parts = [bar.evaluate(part) for bar in shown.page.locator(".hb-track i").all()]
    assert width != 960 or parts == pytest.approx([1 - np.cos(0.1)] * 16, abs=0.02)
    assert "a full bar is 1" in shown.text(".hb-moved")
