"""The attention viewer: what it refuses, what it ships, and how it answers mouse and keyboard."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from playwright.sync_api import Browser
from view_sizes import LAB, assert_fits, height_of
from widget_page import Shown, show

from anatomy_course.views import AttentionViewer

TOKENS = ["the", "<script>alert(1)</script>", "😀", "שלום", "it"]


def some_weights(layers: int = 2, heads: int = 3, queries: int = 5, keys: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(keys), size=(layers, heads, queries))


# What it ships -----------------------------------------------------------------------------------------------------


def test_one_byte_per_weight_in_order() -> None:
    weights = np.array([[[[1.0, 0.0], [0.5, 0.5]]]])
    viewer = AttentionViewer(weights, ["a", "b"])
    assert list(viewer.weights) == [255, 0, 128, 128]
    assert viewer.shape == [1, 1, 2, 2]


@given(st.integers(0, 2**32 - 1), st.integers(1, 13), st.integers(1, 13))
def test_quantisation_is_off_by_at_most_half_a_step(seed: int, queries: int, keys: int) -> None:
    weights = some_weights(1, 2, queries, keys, seed)
    viewer = AttentionViewer(weights, ["q"] * queries, key_tokens=["k"] * keys, head=1)
    assert np.abs(viewer.shown - weights[0, 1]).max() <= 1 / 510 + 1e-6


def test_the_mean_over_heads() -> None:
    weights = some_weights()
    viewer = AttentionViewer(weights, TOKENS, layer=1, average=True)
    assert np.abs(viewer.shown - weights[1].mean(axis=0)).max() <= 1 / 510 + 1e-6


def test_the_payload_is_a_fortieth_of_bertviz() -> None:
    bertviz = pytest.importorskip("bertviz", reason="bertviz comes with the [lab] extra")
    tokens = [f"token{i}" for i in range(64)]
    weights = torch.softmax(torch.randn(12, 12, 64, 64, generator=torch.Generator().manual_seed(0)), dim=-1)
    theirs = len(bertviz.model_view(list(weights[:, None]), tokens, html_action="return").data)
    state = AttentionViewer(weights, tokens).get_state()
    ours = len(state.pop("weights")) + sum(len(str(state[name])) for name in ("tokens", "key_tokens", "shape"))
    assert ours * 40 <= theirs


@pytest.mark.parametrize("make", [list, torch.tensor, lambda w: [torch.tensor(layer)[None] for layer in w]])
def test_lists_tensors_and_batches_of_one_are_taken(make: Any) -> None:
    weights = some_weights()
    assert AttentionViewer(make(weights), TOKENS).weights == AttentionViewer(weights, TOKENS).weights


def test_the_twin_is_in_the_bundle() -> None:
    data, _ = AttentionViewer(some_weights(), TOKENS)._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "image/png", "text/plain"} <= set(data)
    assert "<script>" not in data["text/html"]


# What it refuses ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "options", "sentence"),
    [
        (some_weights(), {"tokens": TOKENS[:3]}, "tokens has 3 entries and the weights have 5 query positions"),
        (some_weights(), {"tokens": "one string"}, "tokens is one string"),
        (some_weights()[0], {}, "have 3 axes"),
        (np.zeros((2, 4, 3, 5, 5)), {}, "batch of 4 sentences"),
        (some_weights() * 3, {}, "weights lie between 0 and 1"),
        (some_weights() * np.nan, {}, "NaN or infinity"),
        (some_weights(keys=4), {}, "name the keys' tokens with key_tokens="),
        ([some_weights()[0], some_weights(heads=2)[0]], {}, "different shapes"),
        ([], {}, "empty"),
        (some_weights(1, 1, 257, 257), {"tokens": ["t"] * 257}, "up to 256 tokens and was given 257"),
        ([["words"]], {}, "no array of numbers"),
        (some_weights(), {"layer": 2}, "layer=2 was asked for; expected a whole number from 0 to 1"),
        (some_weights(), {"head": -1}, "head=-1"),
    ],
)
def test_unusable_input_gets_one_sentence(weights: Any, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as error:
        AttentionViewer(weights, **({"tokens": TOKENS} | options))
    assert "\n" not in str(error.value)


def test_a_layer_out_of_range_is_refused_later_too() -> None:
    viewer = AttentionViewer(some_weights(), TOKENS)
    with pytest.raises(ValueError, match="layer=7"):
        viewer.layer = 7
    assert viewer.layer == 0


# In the browser ----------------------------------------------------------------------------------------------------


def overview(shown: Shown) -> Any:
    return shown.page.get_by_role("application").nth(0)


def large_map(shown: Shown) -> Any:
    return shown.page.get_by_role("application").nth(1)


def settle(shown: Shown) -> None:
    shown.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")


@pytest.mark.browser
def test_keys_choose_head_and_cell(browser: Browser) -> None:
    weights = some_weights()
    shown = show(browser, AttentionViewer(weights, TOKENS, query=4))
    overview(shown).press("ArrowRight")
    overview(shown).press("ArrowDown")
    assert (shown.widget.layer, shown.widget.head) == (1, 1)
    large_map(shown).press("ArrowRight")
    large_map(shown).press("ArrowRight")
    large_map(shown).press("ArrowUp")
    settle(shown)
    assert shown.widget.query == 3
    exact = round(weights[1, 1, 3, 1] * 255)
    assert f"{exact}/255" in shown.page.locator(".av-read").inner_text()
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pointing_tells_the_weight_and_tokens_stay_text(browser: Browser, theme: Any) -> None:
    weights = np.zeros((1, 1, 5, 5))
    weights[..., 1] = 1.0
    shown = show(browser, AttentionViewer(weights, TOKENS), theme=theme)
    box = large_map(shown).bounding_box()
    found = False
    for x in range(int(box["x"]) + 60, int(box["x"] + box["width"]), 12):
        shown.page.mouse.move(x, box["y"] + box["height"] - 12)
        settle(shown)
        found = found or "1.000" in shown.page.locator(".av-read").inner_text()
    assert found
    assert shown.page.locator(".av-words .word").nth(1).inner_text() == TOKENS[1]
    shown.check()


@pytest.mark.browser
def test_two_views_and_python_agree(browser: Browser) -> None:
    shown = show(browser, AttentionViewer(some_weights(), TOKENS), views=2)
    shown.update(layer=1, head=2)
    settle(shown)
    assert shown.page.locator("h4", has_text="Layer 1, head 2").count() == 2
    shown.page.get_by_role("button", name="Mean over heads").first.click()
    assert shown.widget.average is True
    shown.check()


@pytest.mark.browser
def test_256_tokens_stay_smooth(browser: Browser) -> None:
    weights = some_weights(6, 12, 256, 256)
    shown = show(browser, AttentionViewer(weights, [f"token{i}" for i in range(256)]), size=(1000, 1000))
    medians = shown.page.evaluate(
        """async () => {
            const map = document.querySelectorAll("canvas")[1];
            const box = map.getBoundingClientRect();
            const times = [];
            for (let i = 0; i < 40; i += 1) {
                await new Promise(requestAnimationFrame);
                const start = performance.now();
                const place = { clientX: box.x + 120 + i * 5, clientY: box.y + 120 + i * 4 };
                map.dispatchEvent(new PointerEvent("pointermove", place));
                await new Promise(requestAnimationFrame);
                await new Promise((done) => setTimeout(done));
                times.push(performance.now() - start);
            }
            return times.sort((a, b) => a - b)[20];
        }"""
    )
    assert medians < 50  # two frames at most, with room for a busy machine
    assert shown.page.locator(".anatomy *").count() < 1500  # no element per cell
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
@pytest.mark.parametrize("length", [16, 64])
def test_it_fits_and_pointing_moves_nothing(browser: Browser, width: int, length: int) -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(length) * 0.2, size=(6, 12, length))
    shown = show(browser, AttentionViewer(weights, [f"word{i}" for i in range(length)]), size=(LAB[width], 900))
    assert_fits(shown.page)
    before = height_of(shown.page)
    shown.page.get_by_role("application", name="Attention weights").press("ArrowRight")
    shown.settle()
    assert abs(height_of(shown.page) - before) <= 8
    shown.check()
