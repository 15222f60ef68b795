"""The block stepper: its stages are the layer's own numbers, its arithmetic is right, and it can be played."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from on_page import OnPage, Show
from small import STREET, block_stepper
from torch.nn import functional as F

from anatomy_course import views
from anatomy_course.lab.experiments.norm_placement import narrow_encoder
from anatomy_course.views.block_stepper.view import STAGES
from anatomy_utils.interpret import activations


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
    assert set(STAGES["post"]) == set(STAGES["pre"])
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
    layer = narrow_encoder(1, "pre", torch.Generator()).body.layers[0]
    with pytest.raises(ValueError, match="no LayerNorm after each sub-layer"):
        views.block_of(layer, torch.ones(1, 2, 32), ["a", "b"])


def test_a_question_is_answered_or_leaves_everything_as_it_was() -> None:
    widget = block_stepper()
    widget.token = 3
    widget.set_state({"question": {"sentence": "e f", "layer": 1}})
    assert (widget.tokens, widget.layer, widget.token, widget.answered, widget.error) == (["e", "f"], 1, 1, 1, "")
    before = widget.vectors
    for bad, said in (("raise", "That word is not known"), ("", "empty")):
        widget.set_state({"question": {"sentence": bad, "layer": 1}})
        assert said in widget.error
    assert widget.answered == 3 and widget.vectors == before and widget.tokens == ["e", "f"]


def row(shown: OnPage, name: str) -> list[str]:
    return shown.page.get_by_role("row").filter(has_text=name).last.inner_text().split("\n")


def test_stepping_shows_each_vector_with_its_measures_and_playing_stops_at_the_end(show: Show) -> None:
    shown = show(block_stepper())
    assert shown.page.get_by_role("row").count() == 3  # the head, what comes in, attention
    shown.click("button", "Next")
    assert shown.widget.step == 2
    assert [cell for cell in row(shown, "sum") if cell][-3:] == ["5.00", "0.82", "8.8"]  # 4, 5, 6
    shown.page.get_by_role("button", name="Step 3 Norm").press("Enter")
    shown.page.get_by_role("slider", name="Feature").press("Home")
    shown.settle()
    assert shown.text(".bs-sum") == "feature 0: (4.000 − 5.000) / 0.816 · γ 2.000 + β 0.500 ≈ −1.949"
    shown.click("button", "Step 5")
    shown.click("button", "Play")
    shown.page.wait_for_function("() => document.querySelector('.play').getAttribute('aria-pressed') === 'false'")
    shown.settle()
    assert shown.widget.step == 6


def test_the_switch_changes_the_order_of_the_steps(show: Show) -> None:
    shown = show(block_stepper(), views=2)
    shown.page.get_by_role("radio", name="Post-norm").first.focus()
    shown.keys("ArrowRight")
    assert shown.widget.norm == "pre"
    names = shown.page.locator(".bs-steps").first.locator("button").all_inner_texts()
    order = [re.sub(r"^\d\s*", "", name.replace("\n", "")) for name in names]
    assert order == ["Norm", "Attention", "Add", "Norm", "Feed-forward", "Add"]
    assert "trained post-norm" in shown.texts(".bs-caution")[-1]
    assert shown.page.get_by_role("img", name="The block, pre-norm").count() == 2


def test_words_sentence_and_layer(show: Show) -> None:
    shown = show(block_stepper())
    words = shown.page.get_by_role("listbox", name="Token")
    words.press("End")
    shown.settle()
    assert shown.widget.token == 3
    shown.type("Sentence", "</script><b>x</b> y")
    assert shown.follow().tokens == words.inner_text().split("\n") == ["</script><b>x</b>", "y"]
    shown.page.get_by_label("Layer").select_option("1")
    assert shown.follow().layer == 1
    shown.type("Sentence", "raise")
    shown.follow()
    assert shown.text(".error") == "That word is not known; use another."
    assert shown.page.get_by_role("button", name="Compute").is_enabled()
