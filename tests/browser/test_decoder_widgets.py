"""The live views of notebook 04 in JupyterLab: each driven by mouse and by keyboard, and asked what Python then knows.

What each shows, and how it behaves on a plain page, is tested beside its Python class.
"""

from __future__ import annotations

import re
from typing import Any

from driving import drag_slider, press, wait_until
from lab_page import NotebookPage
from playwright.sync_api import Locator, expect

CURVES = "small_models.train_small_gpt("
LOGITS, FILTERED = "views.explore_logits(gpt", "views.explore_logits(smollm2"
STEPPER, TREE = "views.step_through(", "views.beam_tree("
CACHE, SWAPPER, LENS = "views.cache_lab(", "views.part_swapper(", "views.logit_lens("


def test_the_curve_shows_all_steps_when_training_is_over(decoder: NotebookPage) -> None:
    curves = decoder.widget(CURVES)
    expect(curves).to_contain_text(re.compile(r"step \d+, done"))
    expect(curves.get_by_role("img").first).to_have_attribute("aria-label", re.compile("loss"))


# ---- the logits explorer


def test_logits_are_explored_by_mouse(decoder: NotebookPage) -> None:
    explorer = decoder.widget(LOGITS)
    explorer.get_by_role("option", name="because, position").click()
    expect(explorer.locator(".le-title")).to_contain_text("because")
    explorer.get_by_role("listbox", name="Next token").get_by_role("option").nth(2).click()
    drag_slider(explorer.get_by_role("slider", name="Temperature"), 0.9)
    wait_until(lambda: decoder.trait(LOGITS, "temperature") > 2, explorer, "Python knows the temperature")
    assert decoder.trait(LOGITS, "token") == 2
    explorer.get_by_role("button", name="No filters").click()
    expect(explorer.locator(".le-verdict")).to_contain_text("their probabilities sum to 100 %")


def test_logits_are_explored_by_keyboard(decoder: NotebookPage) -> None:
    explorer = decoder.widget(FILTERED)
    press(explorer.get_by_role("slider", name="Top-k"), "Home", "ArrowRight")
    press(explorer.get_by_role("slider", name="Top-p"), "End")
    expect(explorer.locator(".le-verdict")).to_contain_text(re.compile("^2 of "))
    press(explorer.get_by_role("listbox", name="Position"), "Home", "ArrowRight")
    press(explorer.get_by_role("listbox", name="Next token"), "Home", "ArrowDown")
    wait_until(lambda: decoder.trait(FILTERED, "position") == 1, explorer, "Python knows the position")
    assert [decoder.trait(FILTERED, name) for name in ("token", "top_k", "top_p")] == [1, 2, 1]


# ---- the decoding stepper


def start_anew(stepper: Locator, prompt: str) -> None:
    """Another prompt, by keyboard; the likeliest token is chosen from here on."""
    field = stepper.get_by_label("Text to continue")
    field.fill(prompt)
    press(field, "Enter")
    expect(stepper.locator(".ds-prompt").last).to_contain_text(prompt.split()[-1])
    expect(stepper.locator(".ds-token")).to_have_count(0)


def test_a_text_is_written_by_mouse(decoder: NotebookPage) -> None:
    stepper = decoder.widget(STEPPER)
    start_anew(stepper, "One two")
    written = stepper.locator(".ds-token")
    stepper.get_by_role("button", name="Next token").click()
    expect(written).to_have_count(1)
    stepper.locator(".ds-rows button").nth(1).click()
    expect(written).to_have_count(2)
    assert [token["by_hand"] for token in decoder.trait(STEPPER, "written")] == [False, True]
    written.first.click()
    expect(written).to_have_count(0)
    assert decoder.trait(STEPPER, "written") == []


def test_a_text_is_written_by_keyboard(decoder: NotebookPage) -> None:
    stepper = decoder.widget(STEPPER)
    start_anew(stepper, "Red blue")
    candidates, written = stepper.locator(".ds-rows button"), stepper.locator(".ds-token")
    press(candidates.first, "ArrowDown", "Enter")
    expect(written).to_have_count(1)
    assert decoder.trait(STEPPER, "written")[0]["by_hand"]
    expect(candidates.first).to_be_focused()
    decoder.page.keyboard.press("Backspace")
    expect(written).to_have_count(0)
    press(stepper.get_by_label("Choose"), "End")
    wait_until(lambda: decoder.trait(STEPPER, "rule")["sample"], stepper, "tokens are chosen at random")
    expect(stepper.get_by_role("slider", name="Temperature")).to_be_enabled()
    press(stepper.get_by_label("Choose"), "Home")
    wait_until(lambda: not decoder.trait(STEPPER, "rule")["sample"], stepper, "the likeliest is chosen again")


# ---- the beam tree


def test_beams_are_followed_by_mouse(decoder: NotebookPage) -> None:
    tree = decoder.widget(TREE)
    tree.get_by_label("Beams kept").select_option("2")
    expect(tree).to_contain_text("at most 2 go on.")
    tree.get_by_role("button", name="Next step").click()
    wait_until(lambda: decoder.trait(TREE, "step") == 2, tree, "Python knows the step")
    node = tree.locator("[data-place='1 1']")
    node.click()
    expect(node).to_have_attribute("aria-pressed", "true")
    expect(tree.locator(".bt-detail")).to_contain_text("as the length penalty is 0")


def test_beams_are_followed_by_keyboard(decoder: NotebookPage) -> None:
    tree = decoder.widget(TREE)
    field = tree.get_by_label("Text to continue")
    field.fill("One two three")
    press(field, "Enter")
    wait_until(lambda: decoder.trait(TREE, "prompt_text") == "One two three", tree, "the kernel has searched")
    press(tree.get_by_role("slider", name="Step"), "Home", "ArrowRight")
    expect(tree).to_contain_text(re.compile("Step 2: .* open texts"))
    wait_until(lambda: decoder.trait(TREE, "step") == 2, tree, "Python knows the step")
    place = tree.locator("[data-place][tabindex='0']")
    press(place, "ArrowLeft", "Home")
    expect(tree.locator("[data-place='0 0']")).to_be_focused()


# ---- the cache lab


def test_cache_is_measured_by_mouse(decoder: NotebookPage) -> None:
    lab = decoder.widget(CACHE)
    lab.locator(".cl-row").nth(3).click()
    wait_until(lambda: decoder.trait(CACHE, "step") == 2, lab, "Python knows the step")
    measure = lab.get_by_role("button", name="Measure")
    measure.click()
    wait_until(lambda: bool(decoder.trait(CACHE, "costs")), lab, "the first length is measured")
    stop = lab.get_by_role("button", name="Stop")
    if stop.is_enabled():
        stop.click()
    expect(measure).to_be_enabled()
    expect(lab.get_by_role("img", name="Measured for one token")).to_be_visible()


def test_cache_is_switched_off_by_keyboard(decoder: NotebookPage) -> None:
    lab = decoder.widget(CACHE)
    press(lab.get_by_role("slider", name="Step"), "Home", "ArrowRight")
    cached = decoder.trait(CACHE, "cached")
    press(lab.get_by_role("button", name="Cache", exact=True), "Space")
    wait_until(lambda: decoder.trait(CACHE, "cached") != cached, lab, "Python knows")
    expect(lab.locator(".cl-said")).to_contain_text("of them again" if cached else "reads those of")


# ---- the part swapper


def test_a_part_is_exchanged_by_mouse(decoder: NotebookPage) -> None:
    swapper = decoder.widget(SWAPPER)
    swapper.get_by_role("radio", name="ReLU for").click()
    expect(swapper.locator(".os-verdict")).to_contain_text("Worse than blind guessing")
    wait_until(lambda: decoder.trait(SWAPPER, "chosen") == "ReLU", swapper, "Python knows the part")


def test_a_part_is_exchanged_by_keyboard(decoder: NotebookPage) -> None:
    swapper = decoder.widget(SWAPPER)
    names = [part["name"] for part in decoder.trait(SWAPPER, "parts")]
    place = names.index(decoder.trait(SWAPPER, "chosen"))
    press(swapper.get_by_role("radio", checked=True), "ArrowDown")
    following = (place + 1) % len(names)
    expect(swapper.get_by_role("radio").nth(following)).to_be_focused()
    wait_until(lambda: decoder.trait(SWAPPER, "chosen") == names[following], swapper, "the next part is chosen")


# ---- the logit lens


def test_layers_are_read_by_mouse(decoder: NotebookPage) -> None:
    lens = decoder.widget(LENS)
    rows = lens.locator(".ll-row:not(.ll-head)")
    rows.nth(2).locator(".ll-cell").nth(1).click()
    chosen = (decoder.trait(LENS, "layers") - 3, 1)
    wait_until(lambda: place(decoder) == chosen, lens, "Python knows the cell")
    expect(lens.locator(".ll-five > *")).to_have_count(decoder.trait(LENS, "most"))


def test_layers_are_read_by_keyboard(decoder: NotebookPage) -> None:
    lens = decoder.widget(LENS)
    field = lens.get_by_label("Text", exact=True)
    field.fill("One two three four")
    press(field, "Enter")
    last = lambda: (decoder.trait(LENS, "layers") - 1, len(decoder.trait(LENS, "tokens")) - 1)  # noqa: E731
    wait_until(lambda: decoder.trait(LENS, "text") == "One two three four", lens, "the kernel has read it")
    assert place(decoder) == last()
    expect(lens.get_by_role("columnheader").last).to_have_text(re.compile("four$"))
    press(lens.get_by_role("grid"), "ArrowDown", "ArrowLeft")
    wait_until(lambda: place(decoder) == tuple(at - 1 for at in last()), lens, "the cell below on the left is chosen")


def place(decoder: NotebookPage) -> tuple[Any, Any]:
    """Layer and position of the chosen cell."""
    return decoder.trait(LENS, "layer"), decoder.trait(LENS, "position")
