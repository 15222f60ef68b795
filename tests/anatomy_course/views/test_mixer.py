"""The weighted-average mixer: its weights, and what a reader sees when dragging, typing and choosing."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from measure import look_at, views
from on_page import OnPage, Show
from small import mixer


def test_weights_start_on_the_focus_and_make_its_own_vector() -> None:
    assert mixer().weights == [0.0, 1.0, 0.0]
    assert mixer().output.tolist() == [0.5, 0.5]


def test_presets_by_word_or_by_list_are_divided_by_their_sum() -> None:
    made = mixer(presets={"a": {"time": 3, "flies": 1}, "b": torch.tensor([0.0, 1.0, 1.0])})
    assert [preset["weights"] for preset in made.presets] == [[0.75, 0.25, 0.0], [0.0, 0.5, 0.5]]


def test_weights_set_from_python_sum_to_one_and_sent_ones_stay_as_they_are() -> None:
    made = mixer()
    made.weights = [1.0, 1.0, 2.0]
    assert made.weights == [0.25, 0.25, 0.5]
    sent = [0.1, 0.2, 0.7000000000000001]
    made.set_state({"weights": sent})
    assert made.weights == sent


def test_a_slider_moves_the_vector_and_the_others_make_room(show: Show) -> None:
    shown = show(mixer(weights=[1, 1, 1]))
    slider = shown.page.get_by_role("slider", name="weight of time")
    for _ in range(8):
        slider.press("ArrowRight")
    shown.settle()
    weights = np.array(shown.widget.weights)
    assert abs(weights.sum() - 1) < 1e-12 and weights[0] == pytest.approx(0.41, abs=0.011)
    assert weights[1] == pytest.approx(weights[2])
    equation = shown.text(".equation .line").replace("\n", "").split(" = ")[1]
    assert sum(map(float, re.findall(r"(\d\.\d\d) x", equation))) == pytest.approx(1)
    x, y = shown.widget.output
    assert shown.text(".equation .result-value") == f"({x:.2f}, {y:.2f})"
    slider.press("End")
    assert shown.page.get_by_role("slider", name="weight of fruit").input_value() == "0"
    slider.press("Home")
    shown.settle()
    assert shown.widget.weights == pytest.approx([0, 0.5, 0.5])  # the others keep their proportions


def test_presets_two_views_and_python_agree(show: Show) -> None:
    shown = show(mixer(presets={"as a verb": {"time": 1, "flies": 1}}), views=2, reduced_motion=True)
    shown.click("button", "as a verb")
    images = shown.page.get_by_role("group", name="lies at 0.25 on “verb ↔ insect” and 0.75 on “motion”")
    assert images.count() == 2 and shown.widget.weights == [0.5, 0.5, 0.0]
    shown.update(weights=[0.0, 0.0, 1.0])
    assert shown.page.get_by_role("group", name="lies at 1.00 on").count() == 2


def test_the_lead_is_a_length_a_number_and_a_side_of_the_diagonal(show: Show) -> None:
    made = mixer(weights=[0, 1, 0], vectors=[[0.0, 0.4], [0.3, 0.25], [0.4, 0.0]], towards=("bees", "travels"))
    assert "The lead of bees is 0.050." in made.still_picture().alt
    shown = show(made, reduced_motion=True)
    assert shown.page.locator(".side-name").all_text_contents() == ["nearer to bees", "nearer to travels"]
    assert shown.text(".lead-line") == "lead of bees: 0.050 (flies alone: bees by 0.050)"
    ends = "(node) => ['x1', 'x2'].map((name) => Number(node.getAttribute(name)))"
    diagonal, far = shown.page.locator(".lead").evaluate(ends)
    zero, most = shown.page.locator(".equal").evaluate(ends)
    assert zero < diagonal < far < most
    shown.update(weights=[1.0, 0.0, 0.0])
    assert shown.text(".lead-line") == "lead of travels: 0.400 (flies alone: bees by 0.050)"
    diagonal, far = shown.page.locator(".lead").evaluate(ends)
    assert far < diagonal


def middle(shown: OnPage, name: str) -> tuple[float, float]:
    box: Any = shown.page.get_by_role("application", name=name).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(shown: OnPage, x: float, y: float) -> None:
    """The new vector, to this place."""
    shown.page.mouse.move(*middle(shown, "The new vector"))
    shown.page.mouse.down()
    shown.page.mouse.move(x, y, steps=6)
    shown.page.mouse.up()
    shown.settle()


def test_the_diamond_is_dragged_and_the_weights_follow(show: Show) -> None:
    shown = show(mixer(vectors=[[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]], weights=[1, 1, 1]))
    flies, fruit = middle(shown, "flies at"), middle(shown, "fruit at")
    drag(shown, (flies[0] + fruit[0]) / 2, flies[1])
    assert shown.widget.output == pytest.approx([0.5, 0.0], abs=0.02)  # half of flies, half of fruit
    assert shown.widget.weights == pytest.approx([0, 0.5, 0.5], abs=0.03)
    drag(shown, fruit[0] + 60, fruit[1] + 60)
    assert shown.widget.weights == pytest.approx([0, 0, 1], abs=0.03)  # no weights reach beyond the shape


def test_a_word_is_dragged_by_keys_mouse_and_finger_and_put_back(show: Show) -> None:
    shown = show(mixer(weights=[0, 0, 1]))
    given = shown.widget.vectors
    back = shown.page.get_by_role("button", name="words back in place")
    assert back.is_disabled()
    fruit = shown.page.get_by_role("application", name="fruit at")
    fruit.press("ArrowUp")
    shown.settle()
    before = shown.widget.vectors
    assert before[2][1] > 0.01 and shown.widget.output[1] == pytest.approx(before[2][1])
    assert "fruit moved: the new vector of flies is 1.00, 0.03" in shown.text("[aria-live]")
    x, y = middle(shown, "fruit at")
    for kind, to in (("pointerdown", x), ("pointermove", x - 40), ("pointerup", x - 40)):
        event = {"clientX": to, "clientY": y, "button": 0, "pointerId": 1, "pointerType": "touch", "bubbles": True}
        fruit.evaluate("node => { node.setPointerCapture = () => {}; }")
        fruit.dispatch_event(kind, event)
    shown.settle()
    assert shown.widget.vectors[2][0] < before[2][0] - 0.05
    assert fruit.evaluate("node => getComputedStyle(node).touchAction") == "none"
    back.click()
    shown.settle()
    assert shown.widget.vectors == pytest.approx(np.array(given)) and back.is_disabled()


def test_the_mixtures_name_finds_a_free_place_on_a_narrow_map(show: Show) -> None:
    vectors = [[0.0, 1.0], [0.42, 0.45], [1.0, 0.0], [0.5, 0.62], [0.6, 0.5]]
    narrow = mixer(words=["time", "flies", "fruit", "arrow", "banana"], vectors=vectors)
    shown = show(narrow, width=592, reduced_motion=True)
    look = look_at(views(shown.page)[0], window=624, press=True, thorough=True)
    assert look.findings == [] and look.presses > 10
