"""The block stepper: its stages are the layer's own numbers, its arithmetic is right, and it can be played."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import Browser, Shown, show

from anatomy_course import views
from anatomy_course.views import BlockStepper
from anatomy_course.views.block_stepper.view import STAGES, BlockVectors
from anatomy_utils import pretrained
from anatomy_utils.interpret import activations

STREET = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def minilm() -> Any:
    return pretrained.load("minilm")


def made_up(sentence: str, layer: int) -> BlockVectors:
    """Three features a token; attention adds 1, feed-forward doubles; γ = 2, β = 0.5."""
    tokens = sentence.split()
    if "raise" in tokens:
        raise ValueError("That word is not known; use another.")
    if "crash" in tokens:
        raise RuntimeError("boom")
    x = np.arange(3.0 * len(tokens)).reshape(-1, 3) + layer

    def norm(v: np.ndarray) -> np.ndarray:
        return (v - v.mean(1, keepdims=True)) / v.std(1, keepdims=True) * 2 + 0.5

    post: dict[str, Any] = {"input": x, "attended": np.ones_like(x), "added": x + 1}
    post |= {"normed": norm(x + 1), "fed": 2 * norm(x + 1), "added again": 3 * norm(x + 1), "normed again": norm(3 * x)}
    pre = {"input": x, "normed": norm(x), "attended": np.ones_like(x), "added": x + 1, "normed again": norm(x + 1)}
    pre |= {"fed": 2 * norm(x + 1), "added again": x + 1 + 2 * norm(x + 1)}
    return BlockVectors(tokens, {"post": post, "pre": pre}, np.stack([[[2.0] * 3, [0.5] * 3]] * 2), epsilon=0.0)


def stepper(sentence: str = "a b c d", **settings: Any) -> BlockStepper:
    return BlockStepper(made_up, sentence, **{"num_layers": 2, "token": 1} | settings)


def test_post_norm_stages_are_the_real_layer(minilm: Any) -> None:
    widget = views.block_stepper(*minilm, layer=3, word="animal")
    assert widget.tokens[widget.token] == "animal"
    _, seen = activations.read_activations(*minilm, STREET)
    np.testing.assert_allclose(widget.stage("input"), seen["layers.2.output"][0].numpy(), atol=1e-6)
    np.testing.assert_allclose(widget.stage("normed again"), seen["layers.3.output"][0].numpy(), atol=1e-5)
    norm = minilm.model.layers[3].feed_forward_norms.after
    by_hand = F.layer_norm(torch.from_numpy(widget.stage("added again")), (384,), norm.weight, norm.bias, norm.epsilon)
    np.testing.assert_allclose(widget.stage("normed again"), by_hand.detach().numpy(), atol=1e-5)
    np.testing.assert_allclose(widget.stage("added"), widget.stage("input") + widget.stage("attended"), atol=1e-6)


def test_pre_norm_stages_use_the_same_weights_in_the_other_order(minilm: Any) -> None:
    widget = views.block_stepper(*minilm, layer=1)
    layer = minilm.model.layers[1]
    x = torch.from_numpy(widget.stage("input", "pre"))
    with torch.no_grad():
        normed = layer.self_attention_norms.after(x)
        added = x + layer.self_attention(normed[None])[0]
        fed = layer.feed_forward(layer.feed_forward_norms.after(added)[None])[0]
    np.testing.assert_allclose(widget.stage("normed", "pre"), normed.numpy(), atol=1e-5)
    np.testing.assert_allclose(widget.stage("added", "pre"), added.numpy(), atol=1e-5)
    np.testing.assert_allclose(widget.stage("added again", "pre"), (added + fed).numpy(), atol=1e-4)


def test_a_layer_without_norms_after_is_refused() -> None:
    from anatomy_course.lab.experiments.norm_placement import narrow_encoder

    layer = narrow_encoder(1, "pre", torch.Generator()).body.layers[0]
    with pytest.raises(ValueError, match="no LayerNorm after each sub-layer"):
        views.block_of(layer, torch.ones(1, 2, 32), ["a", "b"])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"norm": "sandwich"}, "norm='sandwich' was asked for; expected 'post' or 'pre'"),
        ({"trained_with": "none"}, "trained_with='none' was asked for"),
        ({"token": 4}, "token=4 was asked for; expected a whole number from 0 to 3"),
        ({"layer": 2}, "Layer 2 was asked for; there are layers 0 to 1"),
        ({"sentence": "  "}, "The sentence is empty"),
        ({"sentence": "a " * 25}, "25 tokens; the drawing has room for 24"),
        ({"sentence": "x" * 301}, "301 characters"),
    ],
)
def test_wrong_input_gets_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        stepper(**wrong)


def test_stages_that_do_not_fit_get_one_sentence() -> None:
    good = made_up("a b", 0)

    def missing(sentence: str, layer: int) -> BlockVectors:
        return BlockVectors(good.tokens, {"post": good.stages["post"]}, good.norms)

    def narrow(sentence: str, layer: int) -> BlockVectors:
        pre = {**good.stages["pre"], "fed": np.ones((2, 5))}
        return BlockVectors(good.tokens, {"post": good.stages["post"], "pre": pre}, good.norms)

    with pytest.raises(ValueError, match="pre-norm stages lack 'input'"):
        BlockStepper(missing, "a b")
    with pytest.raises(ValueError, match=r"pre-norm fed has shape \(2, 5\); expected .*here \(2, 3\)"):
        BlockStepper(narrow, "a b")


def test_a_question_is_answered_or_leaves_everything_as_it_was() -> None:
    widget = stepper()
    widget.token = 3
    widget.set_state({"question": {"sentence": "e f", "layer": 1}})
    assert (widget.tokens, widget.layer, widget.token, widget.answered, widget.error) == (["e", "f"], 1, 1, 1, "")
    before = widget.vectors
    for bad, said in (
        ("raise", "That word is not known"),
        ("crash", "Computing this failed: RuntimeError: boom"),
        ("", "empty"),
    ):
        widget.set_state({"question": {"sentence": bad, "layer": 1}})
        assert said in widget.error
    assert widget.answered == 4 and widget.vectors == before and widget.tokens == ["e", "f"]


def test_the_twin_tells_lengths() -> None:
    widget = stepper()
    length = np.linalg.norm([3.0, 4.0, 5.0])
    assert f"Lengths: input {length:.1f}, attended 1.7" in widget.still_picture().alt


def row(shown: Shown, name: str) -> list[str]:
    return shown.page.get_by_role("row").filter(has_text=name).last.inner_text().split("\n")


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_stepping_shows_each_vector_with_its_measures(browser: Browser, theme: Any) -> None:
    shown = show(browser, stepper(), theme=theme)
    assert shown.page.get_by_role("row").count() == 3  # the head, what comes in, attention
    shown.page.get_by_role("button", name="Next").click()
    shown.settle()
    assert shown.widget.step == 2
    assert [cell for cell in row(shown, "sum") if cell][-3:] == ["5.00", "0.82", "8.8"]  # 4, 5, 6
    shown.page.get_by_role("button", name="Step 3 Norm").press("Enter")
    feature = shown.page.get_by_role("slider", name="Feature")
    feature.press("Home")
    shown.settle()
    assert (
        shown.page.locator(".bs-sum").inner_text() == "feature 0: (4.000 − 5.000) / 0.816 · γ 2.000 + β 0.500 ≈ −1.949"
    )
    shown.check()


@pytest.mark.browser
def test_the_switch_changes_the_order_of_the_steps(browser: Browser) -> None:
    shown = show(browser, stepper(), views=2)
    radio = shown.page.get_by_role("radio", name="Post-norm").first
    radio.focus()
    shown.page.keyboard.press("ArrowRight")
    shown.settle()
    assert shown.widget.norm == "pre"
    names = [
        text.replace("\n", "") for text in shown.page.locator(".bs-steps").first.locator("button").all_inner_texts()
    ]
    assert [re.sub(r"^\d\s*", "", name) for name in names] == [
        "Norm",
        "Attention",
        "Add",
        "Norm",
        "Feed-forward",
        "Add",
    ]
    assert "trained post-norm" in shown.page.locator(".bs-caution").last.inner_text()
    assert shown.page.get_by_role("img", name="The block, pre-norm").count() == 2
    shown.check()


@pytest.mark.browser
def test_words_sentence_and_layer(browser: Browser) -> None:
    shown = show(browser, stepper())
    words = shown.page.get_by_role("listbox", name="Token")
    words.focus()
    words.press("End")
    shown.settle()
    assert shown.widget.token == 3
    shown.page.get_by_label("Sentence").fill("</script><b>x</b> y")
    shown.page.get_by_label("Sentence").press("Enter")
    shown.settle()
    assert shown.widget.tokens == ["</script><b>x</b>", "y"]
    shown.update(tokens=shown.widget.tokens, vectors=shown.widget.vectors, token=1, answered=1)
    assert words.inner_text().split("\n") == ["</script><b>x</b>", "y"]
    shown.page.get_by_label("Layer").select_option("1")
    shown.settle()
    assert shown.widget.layer == 1
    shown.page.get_by_label("Sentence").fill("raise")
    shown.page.get_by_label("Sentence").press("Enter")
    shown.settle()
    shown.update(error=shown.widget.error, answered=shown.widget.answered)
    assert shown.page.locator(".error").inner_text() == "That word is not known; use another."
    assert shown.page.get_by_role("button", name="Compute").is_enabled()
    shown.check()


@pytest.mark.browser
def test_playing_goes_to_the_end_and_stops(browser: Browser) -> None:
    widget = stepper()
    widget.step = 5
    shown = show(browser, widget)
    play = shown.page.get_by_role("button", name="Play")
    play.click()
    shown.page.wait_for_function("() => document.querySelector('.play').getAttribute('aria-pressed') === 'false'")
    shown.settle()
    assert shown.widget.step == 6
    shown.check()


def test_every_stage_of_one_order_is_in_the_other() -> None:
    assert set(STAGES["post"]) == set(STAGES["pre"])


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_it_fits_and_keeps_its_height(browser: Browser, minilm: Any, width: int) -> None:
    shown = show(browser, views.block_stepper(*minilm, word="it"), size=(LAB[width], 900))
    heights = {height_of(shown.page)}
    for step in [{"norm": norm, "step": step} for norm in ("post", "pre") for step in range(1, 7)]:
        shown.update(**step)
        assert_fits(shown.page)
        heights.add(height_of(shown.page))
    assert_stands_still(heights)
    shown.check()
