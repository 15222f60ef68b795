"""The attention viewer: what it ships, what it takes, and how it answers mouse and keyboard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from on_page import Show
from small import TOKENS, attention_viewer, attention_weights
from view_sizes import height_of

from anatomy_course.views import AttentionViewer


def test_one_byte_per_weight_in_order() -> None:
    viewer = AttentionViewer(np.array([[[[1.0, 0.0], [0.5, 0.5]]]]), ["a", "b"])
    assert list(viewer.weights) == [255, 0, 128, 128]
    assert viewer.shape == [1, 1, 2, 2]


@given(st.integers(0, 2**32 - 1), st.integers(1, 13), st.integers(1, 13))
def test_quantization_is_off_by_at_most_half_a_step(seed: int, queries: int, keys: int) -> None:
    weights = attention_weights(1, 2, queries, keys, seed)
    viewer = AttentionViewer(weights, ["q"] * queries, key_tokens=["k"] * keys, head=1)
    assert np.abs(viewer.shown - weights[0, 1]).max() <= 1 / 510 + 1e-6


def test_the_mean_over_heads() -> None:
    viewer = attention_viewer(layer=1, average=True)
    assert np.abs(viewer.shown - attention_weights()[1].mean(axis=0)).max() <= 1 / 510 + 1e-6


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
    assert attention_viewer(make(attention_weights())).weights == attention_viewer().weights


def test_keys_choose_head_and_cell(show: Show) -> None:
    shown = show(attention_viewer(query=4))
    overview, large = (shown.page.get_by_role("application").nth(place) for place in (0, 1))
    overview.press("ArrowRight")
    overview.press("ArrowDown")
    assert (shown.widget.layer, shown.widget.head) == (1, 1)
    height = height_of(shown.page)
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):
        large.press(key)
    shown.settle()
    assert shown.widget.query == 3
    assert f"{round(attention_weights()[1, 1, 3, 1] * 255)}/255" in shown.text(".av-read")
    assert abs(height_of(shown.page) - height) <= 8


def test_pointing_tells_the_weight_and_tokens_stay_text(show: Show) -> None:
    weights = np.zeros((1, 1, 5, 5))
    weights[..., 1] = 1.0
    shown = show(attention_viewer(weights))
    box = shown.page.get_by_role("application").nth(1).bounding_box()
    read = []
    for x in range(int(box["x"]) + 60, int(box["x"] + box["width"]), 12):
        shown.page.mouse.move(x, box["y"] + box["height"] - 12)
        shown.settle()
        read.append(shown.text(".av-read"))
    assert any("1.000" in text for text in read)
    assert shown.texts(".av-words .word")[1] == TOKENS[1]


def test_two_views_and_python_agree(show: Show) -> None:
    shown = show(attention_viewer(), views=2)
    shown.update(layer=1, head=2)
    assert shown.page.locator("h4", has_text="Layer 1, head 2").count() == 2
    shown.click("button", "Mean over heads")
    assert shown.widget.average is True


def test_256_tokens_stay_smooth(show: Show) -> None:
    weights = attention_weights(6, 12, 256, 256)
    shown = show(AttentionViewer(weights, [f"token{i}" for i in range(256)]), size=(1000, 1000))
    median = shown.page.evaluate(
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
    assert median < 50  # two frames at most, with room for a busy machine
    assert shown.count(".anatomy *") < 1500  # no element per cell
