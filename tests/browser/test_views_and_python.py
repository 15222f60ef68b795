"""Live views in JupyterLab: what is pressed or typed reaches Python, and what Python answers the page.

One view of each kind: a trait that the page writes, a question with an answer, a refusal, a training that goes on
beside the page, words that are translated. All views ask in the same way (`views/_kit`). How each behaves, by mouse and
by keys, is tested on a plain page beside its Python class; that all of them are drawn, fit and can be read here, by the
other files of this folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from driving import press, wait_until
from lab_page import NotebookPage
from playwright.sync_api import Locator, expect

BOARD, LAB, TRANSLATOR = "views.head_board(", "views.depth_lab(", "views.translator("


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


def test_stepper_refuses_in_one_sentence_and_keeps_its_picture(attention: NotebookPage) -> None:
    stepper = attention.widget("views.attention_stepper(")
    error = stepper.locator(".error")
    type_sentence(stepper, "bees buzz")
    words = stepper_words(stepper)
    for sentence, said in (("   ", "empty"), ("word " * 500, "shorten")):
        type_sentence(stepper, sentence)
        expect(error).to_contain_text(said)
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
