"""Live views in JupyterLab: what is pressed or typed reaches Python, and what Python answers the page.

One test for each view that asks Python. How each view behaves, by mouse and by keys, is tested on a plain page beside
its Python class; that all of them are drawn, fit and can be read here, by the other files of this folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from driving import press, wait_until
from lab_page import NotebookPage
from playwright.sync_api import Locator, expect

BOARD, LAB, JOURNEY = "views.head_board(", "views.depth_lab(", "views.nearest_words("
STEPPER, TREE = "views.step_through(", "views.beam_tree("
CACHE, SWAPPER, LENS = "views.cache_lab(", "views.part_swapper(", "views.logit_lens("
TRANSLATOR, HEADS = "views.translator(", "views.pronoun_heads("


def test_a_mask_is_painted(attention: NotebookPage) -> None:
    painter = attention.widget("views.mask_painter(")
    name = f"_{attention.cells()[attention.index('views.mask_painter(')]['execution_count']}.mask.tolist()"
    painter.get_by_role("radio", name="all open").click()
    cell = painter.get_by_role("grid").get_by_role("row").nth(3).get_by_role("gridcell").nth(1)
    cell.click()
    wait_until(lambda: attention.ask_kernel(name)[2][1] is False, painter, "Python's mask has the painted cell")
    press(cell, "ArrowRight", "Space")
    wait_until(lambda: attention.ask_kernel(name)[2][2] is False, painter, "Python's mask has the second cell")
    painter.get_by_role("radio", name="all open").click()


def stepper_words(stepper: Locator) -> list[str]:
    words = stepper.get_by_role("listbox", name="Query word").get_by_role("option")
    return [text.strip() for text in words.all_inner_texts()]


def type_sentence(stepper: Locator, sentence: str) -> None:
    """Put a sentence into the field and press Enter; wait for the kernel's answer."""
    field = stepper.get_by_label("Sentence", exact=True)
    field.fill(sentence)
    field.press("Enter")
    expect(stepper.get_by_role("button", name="Compute")).to_be_enabled(timeout=20_000)
    stepper.page.wait_for_timeout(100)


def test_stepper_computes_a_sentence_of_the_readers_own(attention: NotebookPage) -> None:
    stepper = attention.widget("views.attention_stepper(")
    type_sentence(stepper, "fruit flies like a banana")
    assert stepper_words(stepper) == ["[CLS]", "fruit", "flies", "like", "a", "banana", "[SEP]"]
    stepper.get_by_label("Sentence", exact=True).fill("bees buzz")
    stepper.get_by_role("button", name="Compute").click()
    wait_until(lambda: "bees" in stepper_words(stepper), stepper, "the button computes, too")


@pytest.mark.parametrize(
    ("sentence", "said"),
    [("", "empty"), ("   ", "empty"), ("word " * 500, "shorten"), (" ".join("abcdefghijklmnopqrstuvwxyz"), "tokens")],
    ids=["empty", "blank", "500 words", "too many tokens"],
)
def test_stepper_refuses_in_one_sentence_and_keeps_its_picture(
    attention: NotebookPage, sentence: str, said: str
) -> None:
    stepper = attention.widget("views.attention_stepper(")
    type_sentence(stepper, "bees buzz")
    words = stepper_words(stepper)
    type_sentence(stepper, sentence)
    error = stepper.locator(".error")
    expect(error).to_contain_text(said)
    assert "Traceback" not in error.inner_text()
    assert error.inner_text().count("\n") == 0
    assert stepper_words(stepper) == words
    type_sentence(stepper, "bees buzz")
    expect(error).to_be_empty()


@pytest.fixture
def board(multi_head: NotebookPage) -> Iterator[Locator]:
    found = multi_head.widget(BOARD)
    back_to_the_start(found)
    yield found
    back_to_the_start(found)


def back_to_the_start(board: Locator) -> None:
    """As the notebook shows the board: other tests press what it has, and leave it as it then is."""
    on = board.get_by_role("button", name="All heads on")
    if on.is_enabled():
        on.click()
    start = {"Rank by": "the chosen pair", "Order": "highest", "Layer": "all"}
    for name, value in start.items():
        board.get_by_label(name, exact=True).select_option(value)
    for name, token in (("Pair: from", "it"), ("to", "animal")):
        place = board.get_by_label(name, exact=True).locator("option", has_text=re.compile(rf"^{token} "))
        board.get_by_label(name, exact=True).select_option(place.first.get_attribute("value"))
    board.get_by_role("slider", name="At least").fill("0")


def off_in_python(multi_head: NotebookPage) -> list[list[int]]:
    count = multi_head.cells()[multi_head.index(BOARD)]["execution_count"]
    found: list[list[int]] = multi_head.ask_kernel(f"_{count}.off")
    return found


def test_board_ranks_and_switches_heads_by_keyboard(multi_head: NotebookPage, board: Locator) -> None:
    heads = board.get_by_role("listbox", name=re.compile("^Heads"))
    press(heads, "Home", "ArrowRight", " ")
    wait_until(lambda: off_in_python(multi_head) == [[5, 11]], board, "Python knows which head is off")
    expect(board.locator("[aria-live=polite].visually-hidden")).to_contain_text("moved by")
    press(heads, " ")
    wait_until(lambda: off_in_python(multi_head) == [], board, "and that it is on again")


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


def test_the_curve_shows_all_steps_when_training_is_over(encoder: NotebookPage) -> None:
    curves = encoder.widget("small_models.train_tagger(")
    expect(curves).to_contain_text(re.compile(r"step \d+, done"))
    expect(curves.get_by_role("img").first).to_have_attribute("aria-label", re.compile("loss"))


def test_a_word_is_followed_by_keyboard(encoder: NotebookPage) -> None:
    journey = encoder.widget(JOURNEY)
    press(journey.get_by_role("listbox", name="Word"), "Home", "ArrowRight")
    wait_until(lambda: encoder.trait(JOURNEY, "chosen") == 1, journey, "Python knows the word")
    journey.get_by_label("Your own sentence").fill("An apple is a healthy snack.")
    journey.page.keyboard.press("Enter")
    expect(journey.get_by_role("option", name="apple, sentence 10")).to_have_attribute("aria-selected", "true")


def start_anew(stepper: Locator, prompt: str) -> None:
    """Another prompt, by keyboard; the likeliest token is chosen from here on."""
    field = stepper.get_by_label("Text to continue")
    field.fill(prompt)
    press(field, "Enter")
    expect(stepper.locator(".ds-prompt").last).to_contain_text(prompt.split()[-1])
    expect(stepper.locator(".ds-token")).to_have_count(0)


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


def test_a_part_is_exchanged_by_mouse(decoder: NotebookPage) -> None:
    swapper = decoder.widget(SWAPPER)
    swapper.get_by_role("radio", name="ReLU for").click()
    expect(swapper.locator(".os-verdict")).to_contain_text("Worse than blind guessing")
    wait_until(lambda: decoder.trait(SWAPPER, "chosen") == "ReLU", swapper, "Python knows the part")


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


def read(translator: Locator, sentence: str) -> None:
    """Have a sentence read, by keyboard; nothing is written of it yet."""
    again = translator.get_by_role("button", name="Start over")
    written = translator.get_by_role("listbox", name="Written so far")
    field = translator.get_by_label("Sentence, English or French")
    field.fill(sentence)
    press(field, "Enter")
    expect(translator.locator(".tr-source")).to_contain_text(sentence.split()[1])
    if again.is_enabled():  # what is shown translated stays so
        again.click()
    expect(written).to_contain_text("…")
    expect(again).to_be_disabled()


def test_a_sentence_is_translated_by_keyboard(encoder_decoder: NotebookPage) -> None:
    translator = encoder_decoder.widget(TRANSLATOR)
    read(translator, "La voiture n'a pas traversé le pont parce qu'elle était trop lourde.")
    wait_until(lambda: "voiture" in encoder_decoder.trait(TRANSLATOR, "source"), translator, "the kernel has read it")
    words = translator.get_by_role("listbox", name="Written so far")
    press(words, "ArrowRight", "ArrowRight", "ArrowLeft")
    wait_until(lambda: encoder_decoder.trait(TRANSLATOR, "revealed") == 2, translator, "two words are written")
    assert encoder_decoder.trait(TRANSLATOR, "current") == 0


@pytest.fixture
def heads(encoder_decoder: NotebookPage) -> Locator:
    """The view with all heads on."""
    found = encoder_decoder.widget(HEADS)
    on = found.get_by_role("button", name="All heads on")
    if on.is_enabled():
        on.click()
    expect(found).to_contain_text("All heads are on.")
    return found


def test_heads_are_switched_and_searched_by_mouse(encoder_decoder: NotebookPage, heads: Locator) -> None:
    heads.get_by_role("button", name="Switch Decoder: cross-attention, layer 0, head 1 off").click()
    expect(heads.get_by_role("region", name="Right pronouns")).to_contain_text("without this head")
    assert encoder_decoder.trait(HEADS, "off") == [["cross", 0, 1]]
    heads.get_by_role("button", name="Search").click()
    wait_until(lambda: bool(encoder_decoder.trait(HEADS, "steps")), heads, "the search has found a head")
    steps = encoder_decoder.trait(HEADS, "steps")
    assert encoder_decoder.trait(HEADS, "off") == steps[-1]["off"]
    expect(heads.get_by_role("button", pressed=True)).to_have_count(len(steps))
    expect(heads.get_by_role("button", name="Search")).to_be_enabled()
