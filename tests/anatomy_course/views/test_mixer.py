"""The weighted-average mixer: what Python refuses, and what a reader sees when dragging, typing and choosing."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from measure import look_at, views
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import Browser, show

from anatomy_course.views import Mixer

WORDS = ["time", "flies", "fruit"]
VECTORS = [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]


def mixer(**settings: Any) -> Mixer:
    return Mixer(
        **{"words": WORDS, "vectors": VECTORS, "focus": "flies", "axes": ("verb ↔ insect", "motion")} | settings
    )


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


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"words": ["time"]}, "1 words; expected 2 to 12"),
        ({"words": ["a"] * 13}, "13 words"),
        ({"words": "time flies"}, "one string"),
        ({"vectors": np.ones((2, 2))}, r"shape \(2, 2\); expected .*here \(3, 2\)"),
        ({"vectors": np.ones((3, 4))}, r"shape \(3, 4\)"),
        ({"vectors": [[1], [2, 3], [4, 5]]}, "rectangular"),
        ({"focus": "bees"}, "focus is 'bees'; expected one of time, flies, fruit"),
        ({"focus": 3}, "focus is 3"),
        ({"weights": [1.0, 1.0]}, r"weights has shape \(2,\); expected .*here \(3,\)"),
        ({"weights": [-1.0, 1.0, 1.0]}, "at least 0"),
        ({"presets": {"none": [0, 0, 0]}}, "preset 'none' .* not all 0"),
        ({"presets": {"other": {"bees": 1}}}, "preset 'other' names 'bees'"),
    ],
)
def test_wrong_input_gets_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        mixer(**wrong)


def test_the_twin_tells_the_average() -> None:
    made = mixer(weights=[1, 3, 0])
    assert "0.25 time, 0.75 flies, at (0.38, 0.62)" in made.still_picture().alt


def printed_weights(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"(\d\.\d\d) x", text.split(" = ")[1])]


@pytest.mark.browser
def test_a_slider_moves_the_vector_and_the_others_make_room(browser: Browser) -> None:
    shown = show(browser, mixer(weights=[1, 1, 1]))
    slider = shown.page.get_by_role("slider", name="weight of time")
    slider.focus()
    slider.press("ArrowRight")
    for _ in range(7):
        slider.press("ArrowRight")
    shown.settle()
    weights = np.array(shown.widget.weights)
    assert abs(weights.sum() - 1) < 1e-12 and weights[0] == pytest.approx(0.41, abs=0.011)
    assert weights[1] == pytest.approx(weights[2])
    equation = shown.page.locator(".equation .line").first.inner_text().replace("\n", "")
    assert sum(printed_weights(equation)) == pytest.approx(1)
    result = shown.page.locator(".equation .result-value").inner_text()
    assert result == f"({shown.widget.output[0]:.2f}, {shown.widget.output[1]:.2f})"
    slider.press("End")
    assert shown.page.get_by_role("slider", name="weight of fruit").input_value() == "0"
    slider.press("Home")
    shown.settle()
    assert shown.widget.weights == pytest.approx([0, 0.5, 0.5])  # the others keep their proportions
    shown.check()


@pytest.mark.browser
def test_presets_two_views_and_python_agree(browser: Browser) -> None:
    shown = show(browser, mixer(presets={"as a verb": {"time": 1, "flies": 1}}), views=2, reduced_motion=True)
    shown.page.get_by_role("button", name="as a verb").first.click()
    images = shown.page.get_by_role("group", name="lies at 0.25 on “verb ↔ insect” and 0.75 on “motion”")
    assert images.count() == 2 and shown.widget.weights == [0.5, 0.5, 0.0]
    shown.update(weights=[0.0, 0.0, 1.0])
    assert shown.page.get_by_role("group", name="lies at 1.00 on").count() == 2
    shown.check()


@pytest.mark.browser
def test_any_text_is_shown_as_text(browser: Browser) -> None:
    words = ["<script>window.hit = 1</script>", "😀👩‍👩‍👧", "שלום", "</script><img src=x onerror=window.hit=1>"]
    shown = show(browser, mixer(words=words, vectors=np.eye(4)[:, :2], focus=2), theme="dark")
    assert shown.page.get_by_role("slider").count() == 4
    assert shown.page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy img').length === 0")
    shown.check()


def middle(shown: Any, name: str) -> tuple[float, float]:
    box = shown.page.get_by_role("application", name=name).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.browser
def test_the_diamond_is_dragged_and_the_weights_follow(browser: Browser) -> None:
    shown = show(browser, mixer(vectors=[[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]], weights=[1, 1, 1]))
    x, y = middle(shown, "The new vector")
    flies, fruit = middle(shown, "flies at"), middle(shown, "fruit at")
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    shown.page.mouse.move((flies[0] + fruit[0]) / 2, flies[1], steps=6)
    shown.page.mouse.up()
    shown.settle()
    assert shown.widget.output == pytest.approx([0.5, 0.0], abs=0.02)  # half of flies, half of fruit
    assert shown.widget.weights == pytest.approx([0, 0.5, 0.5], abs=0.03)
    shown.page.mouse.move(*middle(shown, "The new vector"))
    shown.page.mouse.down()
    shown.page.mouse.move(fruit[0] + 60, fruit[1] + 60, steps=6)
    shown.page.mouse.up()
    shown.settle()
    assert shown.widget.weights == pytest.approx([0, 0, 1], abs=0.03)  # no weights reach beyond the shape
    shown.check()


@pytest.mark.browser
def test_a_word_is_dragged_by_keys_mouse_and_finger_and_put_back(browser: Browser) -> None:
    shown = show(browser, mixer(weights=[0, 0, 1]))
    back = shown.page.get_by_role("button", name="words back in place")
    assert back.is_disabled()
    fruit = shown.page.get_by_role("application", name="fruit at")
    fruit.press("ArrowUp")
    shown.settle()
    assert shown.widget.vectors[2][1] > 0.01 and shown.widget.output[1] == pytest.approx(shown.widget.vectors[2][1])
    assert "fruit moved: the new vector of flies is 1.00, 0.03" in shown.page.locator("[aria-live]").first.inner_text()
    before = shown.widget.vectors
    x, y = middle(shown, "fruit at")
    for kind, point in (("pointerdown", (x, y)), ("pointermove", (x - 40, y)), ("pointerup", (x - 40, y))):
        event = {"clientX": point[0], "clientY": point[1], "button": 0, "pointerId": 1, "pointerType": "touch"}
        fruit.evaluate("node => { node.setPointerCapture = () => {}; }")
        fruit.dispatch_event(kind, event | {"bubbles": True})
    shown.settle()
    assert shown.widget.vectors[2][0] < before[2][0] - 0.05
    assert fruit.evaluate("node => getComputedStyle(node).touchAction") == "none"
    back.click()
    shown.settle()
    assert shown.widget.vectors == pytest.approx(np.array(VECTORS)) and back.is_disabled()
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_it_fits_and_nothing_jumps(browser: Browser, width: int) -> None:
    shown = show(browser, mixer(presets={"as a verb": {"time": 1, "flies": 1}}), size=(LAB[width], 900))
    assert_fits(shown.page)
    heights = {height_of(shown.page)}
    for name in ("as a verb", "all alike", "only flies"):
        shown.page.get_by_role("button", name=name).click()
        shown.page.wait_for_timeout(600)
        heights.add(height_of(shown.page))
    assert_stands_still(heights)
    shown.check()


@pytest.mark.browser
def test_the_mixtures_name_finds_a_free_place_on_a_narrow_map(browser: Browser) -> None:
    vectors = [[0.0, 1.0], [0.42, 0.45], [1.0, 0.0], [0.5, 0.62], [0.6, 0.5]]
    narrow = mixer(words=[*WORDS, "arrow", "banana"], vectors=vectors)
    shown = show(browser, narrow, size=(LAB[592], 900), reduced_motion=True)
    look = look_at(views(shown.page)[0], window=LAB[592], press=True, thorough=True)
    assert look.findings == [] and look.presses > 10
    shown.check()
