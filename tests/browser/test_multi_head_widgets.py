"""The live views of notebook 02 in JupyterLab: each driven by mouse and by keyboard, and asked what it then shows.

`test_head_widgets.py` looks closer at this project's own two, on a plain page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from driving import numbers_in, press, wait_until
from lab_page import NotebookPage
from playwright.sync_api import FrameLocator, Locator, expect

BOARD, SPLITTING = "views.head_board(", "views.head_splitting("
HEAD_VIEW, MODEL_VIEW, NEURON_VIEW = "views.head_view(", "views.model_view(", "views.neuron_view("


# ---- head splitting


def test_head_splitting_follows_a_number_by_mouse(multi_head: NotebookPage) -> None:
    splitting = multi_head.widget(SPLITTING)
    splitting.get_by_role("button", name=re.compile("^Step 5")).click()
    right, wrong = (splitting.locator(f".ht-{lane} .ht-number") for lane in ("right", "wrong"))
    expect(right).not_to_have_text(wrong.inner_text())
    splitting.page.wait_for_timeout(1200)  # cells come to rest
    splitting.locator(".ht-right .ht-cell").nth(0).click()
    stage = splitting.locator(".ht-right").get_by_role("application")
    expect(stage).to_have_accessible_name(re.compile("The, feature 0"))
    splitting.get_by_role("button", name=re.compile("^Step 1")).click()


def test_head_splitting_follows_a_number_by_keyboard(multi_head: NotebookPage) -> None:
    splitting = multi_head.widget(SPLITTING)
    press(splitting.get_by_role("button", name="Next"), "Enter", "Space", "Enter")
    stage = splitting.locator(".ht-right").get_by_role("application")
    press(stage, "Home", "ArrowDown", "ArrowRight")
    expect(stage).to_have_accessible_name(re.compile(r"\(?.*feature \d+"))
    before = stage.get_attribute("aria-label")
    press(stage, "ArrowDown")
    expect(stage).not_to_have_attribute("aria-label", before or "")


# ---- the head board


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


def test_board_ranks_and_switches_heads_by_mouse(multi_head: NotebookPage, board: Locator) -> None:
    first = board.locator(".hb-name").first
    expect(first).to_have_text("3·1")
    board.get_by_label("Rank by").select_option("effect on the output when off")
    expect(first).to_have_text("5·11")
    board.locator(".hb-tile").first.click()
    board.get_by_role("button", name="Switch layer 5, head 11 off").click()
    expect(board.locator(".hb-bars .number").first).to_be_visible()

    def moved() -> float:
        return max(numbers_in(text)[0] for text in board.locator(".hb-bars .number").all_inner_texts())

    wait_until(lambda: moved() > 0.05, board, "the kernel's answer is drawn")
    assert off_in_python(multi_head) == [[5, 11]]


def test_board_ranks_and_switches_heads_by_keyboard(multi_head: NotebookPage, board: Locator) -> None:
    heads = board.get_by_role("listbox", name=re.compile("^Heads"))
    press(heads, "Home", "ArrowRight", " ")
    wait_until(lambda: off_in_python(multi_head) == [[5, 11]], board, "Python knows which head is off")
    expect(board.locator("[aria-live=polite].visually-hidden")).to_contain_text("moved by")
    press(heads, " ")
    wait_until(lambda: off_in_python(multi_head) == [], board, "and that it is on again")


# ---- bertviz


def inside(notebook: NotebookPage, cell: str) -> tuple[Locator, FrameLocator]:
    """bertviz's frame in a cell, and the page in it once it is drawn."""
    frame = notebook.output(notebook.index(cell)).locator("iframe")
    frame.wait_for()
    page = frame.content_frame
    page.get_by_role("button").first.wait_for()
    return frame, page


def shown_lines(page: FrameLocator) -> int:
    """How many heads' lines the head view draws for a word: its groups that hold a visible line."""
    count: int = page.locator("svg").first.evaluate(
        """(svg) => new Set([...svg.querySelectorAll('#attention line')]
          .filter((line) => line.getAttribute('stroke-opacity') > 0 && line.getClientRects().length)
          .map((line) => line.getAttribute('stroke'))).size"""
    )
    return count


def test_head_view_keeps_one_head_by_mouse_and_by_keyboard(multi_head: NotebookPage) -> None:
    frame, page = inside(multi_head, HEAD_VIEW)
    squares = page.get_by_role("button")
    assert squares.count() == 12
    many = shown_lines(page)
    squares.nth(1).dblclick()
    wait_until(lambda: shown_lines(page) < many, frame, "only one head is left")
    one = shown_lines(page)
    squares.nth(1).dblclick()
    wait_until(lambda: shown_lines(page) == many, frame, "all heads are back")

    press(squares.nth(0), "ArrowRight")
    expect(squares.nth(1)).to_be_focused()
    frame.page.keyboard.press("Shift+Enter")
    wait_until(lambda: shown_lines(page) == one, frame, "only one head is left")
    frame.page.keyboard.press("Shift+Enter")
    wait_until(lambda: shown_lines(page) == many, frame, "all heads are back")
    press(page.get_by_role("combobox"), "ArrowDown")
    wait_until(lambda: squares.count() == 12, frame, "another layer has squares too")


def test_model_view_opens_a_head_by_mouse_and_by_keyboard(multi_head: NotebookPage) -> None:
    frame, page = inside(multi_head, MODEL_VIEW)
    small = page.get_by_role("button")
    assert small.count() == 72
    page.get_by_role("button", name="layer 3, head 1", exact=True).click()
    words = page.locator("svg text", has_text="animal")
    wait_until(lambda: words.count() >= 2, frame, "the drawing is large, with words on both sides")
    page.get_by_role("button", name="layer 3, head 1", exact=True).click()
    wait_until(lambda: words.count() == 0, frame, "and small again")

    press(small.first, "ArrowDown", "ArrowRight", "Enter")
    expect(page.get_by_role("button", name="layer 1, head 1", exact=True)).to_be_focused()
    wait_until(lambda: words.count() >= 2, frame, "the drawing is large")
    frame.page.keyboard.press("Enter")


def test_neuron_view_shows_a_query_by_mouse_and_by_keyboard(multi_head: NotebookPage) -> None:
    frame, page = inside(multi_head, NEURON_VIEW)
    words = page.locator("#expanded #leftText > g")
    assert words.count() == 16

    def asking() -> int:
        found: int = words.locator(".highlight").evaluate_all(
            "(all) => all.findIndex((it) => it.style.opacity === '1')"
        )
        return found

    wait_until(lambda: asking() == 10, frame, "it asks at first")
    words.nth(2).hover()
    wait_until(lambda: asking() == 2, frame, "the word under the mouse asks")
    words.nth(5).focus()
    wait_until(lambda: asking() == 5, frame, "the word in focus asks")
    press(words.nth(5), "Enter")
    wait_until(lambda: not words.first.is_visible(), frame, "the vectors are hidden")
    press(page.locator("#collapsed #leftText > g").nth(5), "Enter")
    wait_until(lambda: words.first.is_visible(), frame, "the vectors are back")
