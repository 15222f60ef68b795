"""The head board: ranking, filtering, switching heads off, and what it refuses."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser
from widget_page import Shown, show

from anatomy_course import views
from anatomy_course.views import HeadBoard
from anatomy_course.views.head_board.view import IMPORTANCE
from anatomy_utils import pretrained
from anatomy_utils.interpret import activations

TOKENS = ["the", "<script>alert(1)</script>", "😀", "שלום", "it"]
STREET = "The animal didn't cross the street because it was too tired."


WEIGHTS = np.random.default_rng(1).dirichlet(np.ones(5), size=(2, 3, 5))
FIRST = np.array([[0.1, 0.6, 0.3], [0.5, 0.2, 0.4]])


def without(off: list[tuple[int, int]]) -> np.ndarray:
    """A model of two features in which every head that is off turns the last token by 30 degrees."""
    output = np.tile([1.0, 0.0], (5, 1))
    angle = np.pi / 6 * len(off)
    output[4] = np.cos(angle), np.sin(angle)
    return output


def board(**options: Any) -> HeadBoard:
    return HeadBoard(WEIGHTS, TOKENS, {"first": FIRST, "second": 1 - FIRST}, **({"switch": without} | options))


# Ranking -----------------------------------------------------------------------------------------------------------


def test_heads_are_ranked_by_a_measure() -> None:
    assert board(rank="first").ranked() == [(0, 1), (1, 0), (1, 2), (0, 2), (1, 1), (0, 0)]
    assert board(rank="first", order="lowest").ranked()[0] == (0, 0)
    assert board(rank="first", order="layer").ranked() == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]


def test_the_chosen_pair_needs_no_measure() -> None:
    ranked = HeadBoard(WEIGHTS, TOKENS, query=4, key=2)
    assert np.abs(ranked.value_of("the chosen pair") - WEIGHTS[:, :, 4, 2]).max() <= 1 / 510
    assert ranked.ranked()[0] == np.unravel_index(WEIGHTS[:, :, 4, 2].argmax(), (2, 3))


# Switching ---------------------------------------------------------------------------------------------------------


def test_switching_off_tells_how_far_the_output_moved() -> None:
    shown = board()
    assert np.frombuffer(shown.moved, "<f4").tolist() == pytest.approx([0] * 5, abs=1e-6)
    shown.off = [[0, 1], [1, 2]]
    moved = np.frombuffer(shown.moved, "<f4")
    assert moved.tolist() == pytest.approx([0, 0, 0, 0, 1 - np.cos(np.pi / 3)], abs=1e-6)
    before, after = (np.frombuffer(raw, "<f4").reshape(5, 5) for raw in (shown.before, shown.after))
    assert before[4, 0] == pytest.approx(1)
    assert after[4, 0] == pytest.approx(0.5)
    assert (shown.answered, shown.error) == (1, "")
    shown.off = []
    assert shown.after == shown.before


def test_a_model_that_fails_is_told_in_one_sentence() -> None:
    def fragile(off: list[tuple[int, int]]) -> np.ndarray:
        if off:
            raise RuntimeError("no such layer")
        return without(off)

    shown = board(switch=fragile)
    shown.off = [[0, 0]]
    failed = "The model could not run without these heads (RuntimeError: no such layer); switch them on again."
    assert shown.error == failed
    assert shown.answered == 1
    shown.off = []
    assert shown.error == ""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"rank": "third"}, "rank='third' was asked for; expected one of 'the chosen pair', 'first', 'second'"),
        ({"key": 5}, "key=5 was asked for; expected a whole number from 0 to 4"),
        ({"query": 7}, "query=7 was asked for"),
        (
            {"measures": {"odd": FIRST.T}},
            "measure 'odd' has shape (3, 2); expected numbers of shape (layers, heads), here (2, 3)",
        ),
        ({"measures": {"odd": FIRST * np.nan}}, "NaN"),
        (
            {"switch": lambda off: np.ones((3, 2))},
            "what switch returned has shape (3, 2); expected numbers of shape (position, d_model), here (5, 2)",
        ),
        ({"switch": lambda off: np.ones(5)}, "expected numbers of shape (position, d_model)"),
    ],
)
def test_unusable_input_gets_one_sentence(change: dict[str, Any], sentence: str) -> None:
    given = {"measures": {"first": FIRST, "second": FIRST}} | change
    with pytest.raises(ValueError, match=re.escape(sentence)) as error:
        HeadBoard(WEIGHTS, TOKENS, given.pop("measures"), **given)
    assert "\n" not in str(error.value)


def test_heads_that_are_not_there_cannot_be_off() -> None:
    shown = board()
    with pytest.raises(ValueError, match=re.escape("off holds [2, 0]; expected [layer, head] with layer 0 to 1")):
        shown.off = [[2, 0]]
    shown.off = [[1, 1], [1, 1]]
    assert shown.off == [[1, 1]]


def test_the_twin_shows_the_ranking() -> None:
    data, _ = board(rank="first")._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "image/png"} <= set(data)
    assert "highest first by first: layer 0 head 1 0.60, layer 1 head 0 0.50" in data["text/plain"]


def test_the_real_encoder_on_the_street() -> None:
    encoder, tokenizer = pretrained.load("minilm")
    shown = views.head_board(encoder, tokenizer, STREET, word="it", towards="animal")
    assert (shown.layer, shown.head) == shown.ranked()[0] == (3, 1)
    assert shown.ranked()[1] == (5, 11)
    importance = shown.value_of(IMPORTANCE)
    shown.off = [[5, 11]]
    assert np.frombuffer(shown.moved, "<f4").mean() == pytest.approx(importance[5, 11], abs=1e-4)
    _, seen = activations.read_activations(encoder, tokenizer, STREET)
    output = seen["layers.5.output"][0]
    similarity = torch.cosine_similarity(output[10], output[2], dim=0).item()
    assert np.frombuffer(shown.before, "<f4").reshape(16, 16)[10, 2] == pytest.approx(similarity, abs=1e-5)


# In the browser ----------------------------------------------------------------------------------------------------


def names(shown: Shown) -> list[str]:
    return shown.page.locator(".hb-name").all_inner_texts()


def answer(shown: Shown) -> None:
    """What the kernel computed reaches the page."""
    shown.settle()
    widget = shown.widget
    shown.update(after=widget.after, moved=widget.moved, error=widget.error, answered=widget.answered)  # type: ignore[attr-defined]


@pytest.mark.browser
def test_ranking_sorting_and_filtering(browser: Browser) -> None:
    shown = show(browser, board(rank="first"), reduced_motion=True)
    page = shown.page
    assert names(shown) == ["0·1", "1·0", "1·2", "0·2", "1·1", "0·0"]
    page.get_by_label("Order").select_option("by layer")
    assert names(shown) == ["0·0", "0·1", "0·2", "1·0", "1·1", "1·2"]
    page.get_by_label("Rank by").select_option("second")
    assert names(shown)[0] == "0·0", "ranking sorts, even where the order was by layer"
    page.get_by_label("Layer", exact=True).select_option("1")
    assert names(shown) == ["1·1", "1·2", "1·0"]
    least = page.get_by_role("slider", name="At least")
    least.press("End")
    assert "No head reaches that value" in page.locator(".hb").inner_text()
    page.get_by_label("Layer", exact=True).select_option("all")
    assert names(shown) == ["0·0"]
    shown.settle()
    assert shown.widget.rank == "second"
    assert shown.widget.order == "highest"
    shown.check()


@pytest.mark.browser
def test_keys_choose_and_switch_heads(browser: Browser) -> None:
    shown = show(browser, board(rank="first", order="layer"), reduced_motion=True)
    heads = shown.page.get_by_role("listbox", name=re.compile("^Heads"))
    heads.press("ArrowRight")
    heads.press("ArrowDown")
    shown.settle()
    assert (shown.widget.layer, shown.widget.head) == (1, 1)
    assert shown.page.locator("h4", has_text="Layer 1, head 1").count() == 1
    heads.press(" ")
    answer(shown)
    assert shown.widget.off == [[1, 1]]
    assert shown.page.get_by_role("option", name="Layer 1, head 1: off").count() == 1
    assert "0.13" in shown.page.locator(".hb-moved").inner_text()  # 1 − cos 30°
    shown.page.get_by_role("button", name="Switch layer 1, head 1 on again").click()
    answer(shown)
    assert shown.widget.off == []
    assert "all heads on" in shown.page.locator(".hb-effect").inner_text()
    shown.check()


@pytest.mark.browser
def test_mouse_chooses_a_head_a_pair_and_switches(browser: Browser) -> None:
    shown = show(browser, board(query=4, key=0), size=(1000, 1200), reduced_motion=True)
    shown.page.locator(".hb-tile", has_text="0·2").click()
    shown.page.get_by_role("button", name="Switch layer 0, head 2 off").click()
    answer(shown)
    assert shown.widget.off == [[0, 2]]
    pair = shown.page.locator(".hb-pair")
    assert "1.00 → 0.87" in pair.inner_text()
    shown.page.get_by_label("Pair: from").select_option("2")
    assert "1.00 → 1.00" in pair.inner_text()
    large = shown.page.get_by_role("application")
    box = large.bounding_box()
    assert box is not None
    large.click(position={"x": box["width"] - 6, "y": box["height"] - 6})
    shown.settle()
    assert (shown.widget.query, shown.widget.key) == (4, 4)
    shown.page.get_by_role("button", name="All heads on").click()
    answer(shown)
    assert shown.widget.off == []
    shown.check()


@pytest.mark.browser
def test_two_views_python_and_odd_tokens_agree(browser: Browser) -> None:
    shown = show(browser, board(), views=2)
    shown.update(rank="first", layer=1, head=2, query=1)
    assert shown.page.locator("h4", has_text="Layer 1, head 2").count() == 2
    assert names(shown)[:2] == ["0·1", "1·0"]
    assert "<script>alert(1" in shown.page.get_by_label("Pair: from").first.inner_text()
    assert shown.page.locator(".hb script, .hb img").count() == 0
    shown.check()


@pytest.mark.browser
def test_without_a_model_all_but_switching_works(browser: Browser) -> None:
    shown = show(browser, board(switch=None))
    assert shown.page.get_by_role("button", name=re.compile("^Switch")).count() == 0
    assert "given a model" in shown.page.locator(".hb").inner_text()
    heads = shown.page.get_by_role("listbox", name=re.compile("^Heads"))
    heads.press(" ")
    heads.press("End")
    shown.settle()
    assert shown.widget.off == []
    assert (shown.widget.layer, shown.widget.head) == shown.widget.ranked()[-1]
    shown.check()


@pytest.mark.browser
def test_256_tokens_need_no_element_per_cell_and_no_thumbnail_twice(browser: Browser) -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(256), size=(2, 12, 256)).astype(np.float32)
    tokens = [f"token{i}" for i in range(256)]
    shown = show(browser, HeadBoard(weights, tokens, {"first": np.eye(12)[:2]}), size=(1000, 1000), reduced_motion=True)
    assert shown.page.locator(".anatomy *").count() < 2000
    thumbnails = "() => { const all = [...document.querySelectorAll('.hb-map canvas')]; return %s; }"
    assert shown.page.evaluate(thumbnails % "all.every((each) => each.width <= 48)")
    shown.page.evaluate(thumbnails % "all.forEach((each) => { each.before = true; })")
    heads = shown.page.get_by_role("listbox", name=re.compile("^Heads"))
    heads.press("End")
    shown.page.get_by_label("Pair: from").select_option("200")
    shown.page.get_by_label("Rank by").select_option("first")
    shown.settle()
    assert shown.page.evaluate(thumbnails % "all.length === 24 && all.every((each) => each.before)")
    shown.check()
