"""The live views of notebook 03 in JupyterLab: each driven by mouse and by keyboard, and asked what it then shows.

What each shows, and how it behaves on a plain page, is tested beside its Python class.
"""

from __future__ import annotations

import re

from driving import drag_slider, pixels, press, wait_until
from lab_page import NotebookPage
from playwright.sync_api import expect

POSITIONS, BLOCK = "views.position_explorer(", "views.block_stepper("
LAB, JOURNEY = "views.depth_lab(", "views.nearest_words("
CURVES = "small_models.train_tagger("


# ---- the position explorer


def test_positions_are_explored_by_mouse(encoder: NotebookPage) -> None:
    explorer = encoder.widget(POSITIONS)
    verdict = explorer.locator(".pe-verdict")
    explorer.get_by_role("radio", name="learned").click()
    expect(verdict).to_have_text(re.compile("^Not only on the offset"))
    explorer.get_by_role("radio", name="ALiBi").click()
    expect(verdict).to_have_text(re.compile("^Depends only on the offset"))
    before = pixels(explorer.locator(".pe-canvas").first)
    explorer.get_by_label("Drawn for").select_option(index=3)
    wait_until(lambda: pixels(explorer.locator(".pe-canvas").first) != before, explorer, "another head is drawn")
    drag_slider(explorer.get_by_role("slider", name="reference position"), 0.9)
    wait_until(lambda: encoder.trait(POSITIONS, "position") > 50, explorer, "Python knows the place")


def test_positions_are_explored_by_keyboard(encoder: NotebookPage) -> None:
    explorer = encoder.widget(POSITIONS)
    explorer.get_by_role("radio", name="sinusoidal").click()
    press(explorer.get_by_role("slider", name="reference position"), "Home", "ArrowRight")
    expect(explorer.get_by_role("group", name="Worked example")).to_contain_text("0.84")
    press(explorer.get_by_role("radio", name="sinusoidal"), "ArrowRight")
    wait_until(lambda: encoder.trait(POSITIONS, "scheme") == "learned", explorer, "the next scheme is chosen")


# ---- the block stepper


def test_block_is_stepped_through_by_mouse(encoder: NotebookPage) -> None:
    block = encoder.widget(BLOCK)
    block.get_by_role("button", name=re.compile("^Step 3")).click()
    expect(block.locator(".bs-sum")).to_contain_text("γ")
    block.get_by_role("radio", name="Pre-norm").click()
    expect(block.get_by_role("img", name="The block, pre-norm")).to_be_visible()
    expect(block.locator(".bs-caution")).to_contain_text("trained post-norm")
    block.get_by_role("radio", name="Post-norm").click()
    block.get_by_label("Layer").select_option("4")
    wait_until(lambda: encoder.trait(BLOCK, "layer") == 4, block, "the kernel answers for another layer")


def test_block_is_stepped_through_by_keyboard(encoder: NotebookPage) -> None:
    block = encoder.widget(BLOCK)
    press(block.get_by_role("button", name="Next"), "Enter", "Space")
    token = encoder.trait(BLOCK, "token")
    press(block.get_by_role("listbox", name="Token"), "ArrowLeft")
    wait_until(lambda: encoder.trait(BLOCK, "token") == token - 1, block, "the word before is chosen")
    sentence = block.get_by_label("Sentence")
    sentence.fill("Bees buzz around the garden.")
    press(sentence, "Enter")
    wait_until(lambda: "buzz" in encoder.trait(BLOCK, "tokens"), block, "the kernel answers for another sentence")


# ---- the depth lab


def test_lab_trains_while_one_watches_and_stops(encoder: NotebookPage) -> None:
    lab = encoder.widget(LAB)
    runs = lab.get_by_role("list", name="Runs").get_by_role("listitem")
    before = runs.count()
    assert before >= 9
    press(lab.get_by_role("slider", name="Depth"), "End")  # the run that takes longest: there is time to stop it
    press(lab.get_by_role("radio", name="Post-norm"), "ArrowRight")
    lab.get_by_label("Seed", exact=True).select_option("2")
    lab.get_by_role("button", name="Train").click()
    expect(lab).to_contain_text(re.compile(r"step [1-9]\d* of 150"))
    lab.get_by_role("button", name="Stop").click()
    wait_until(lambda: not encoder.trait(LAB, "running"), lab, "the run is over")
    newest = encoder.trait(LAB, "shown")[-1]
    assert (newest["depth"], newest["norm"], newest["seed"]) == (24, "pre", 2)
    assert 1 <= newest["steps"] < 150
    expect(runs).to_have_count(before + 1)
    lab.get_by_role("button", name="Take out: 24 layers, pre-norm, no warm-up, seed 2").click()
    expect(runs).to_have_count(before)


def test_lab_shows_the_gradients_of_a_step_by_keyboard(encoder: NotebookPage) -> None:
    lab = encoder.widget(LAB)
    chart = lab.get_by_role("img", name="Gradient norm per layer")
    slider = lab.get_by_role("slider", name="At step")
    press(slider, "End")
    last = chart.get_attribute("aria-label")
    press(slider, "Home")
    expect(chart).not_to_have_attribute("aria-label", last or "")


# ---- live curves


def test_the_curve_shows_all_steps_when_training_is_over(encoder: NotebookPage) -> None:
    curves = encoder.widget(CURVES)
    expect(curves).to_contain_text("step 120, done")
    expect(curves.get_by_role("img").first).to_have_attribute("aria-label", re.compile("loss"))


# ---- the layer journey


def test_a_word_is_followed_by_mouse(encoder: NotebookPage) -> None:
    journey = encoder.widget(JOURNEY)
    journey.get_by_role("option", name="flies, sentence 6").click()
    chart = journey.get_by_role("img", name=re.compile("^Cosine with flies, sentence 6"))
    expect(chart).to_be_visible()
    journey.locator(".lj-cell").filter(has_text="insects").first.click()
    expect(journey.get_by_role("button", name="Follow no longer: insects, sentence 7")).to_be_visible()
    journey.get_by_role("button", name="Follow no longer: insects, sentence 7").click()


def test_a_word_is_followed_by_keyboard(encoder: NotebookPage) -> None:
    journey = encoder.widget(JOURNEY)
    press(journey.get_by_role("listbox", name="Word"), "Home", "ArrowRight")
    wait_until(lambda: encoder.trait(JOURNEY, "chosen") == 1, journey, "Python knows the word")
    journey.get_by_label("Your own sentence").fill("An apple is a healthy snack.")
    journey.page.keyboard.press("Enter")
    expect(journey.get_by_role("option", name="apple, sentence 10")).to_have_attribute("aria-selected", "true")
