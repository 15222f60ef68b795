"""Exercises as a learner meets them in JupyterLab: a wrong answer, a right one, a crash, help, questions, a restart."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from driving import press, wait_until
from lab_page import NotebookPage, open_notebook
from lab_server import Lab
from notebook_tools import NOTEBOOKS
from playwright.sync_api import Browser, Locator, expect

MEAN = '@exercise("start.mean")'


@pytest.fixture
def mean(start: NotebookPage) -> Iterator[tuple[NotebookPage, int]]:
    """The first exercise's cell in notebook 00, put back afterwards."""
    index = start.index(MEAN)
    stub = start.source(index)
    yield start, index
    start.write_and_run(index, stub)


def answer(notebook: NotebookPage, index: int, line: str) -> Locator:
    """Replace the stub's dots by `line`, run the cell, and return the card."""
    source = notebook.source(index)
    head = source[: source.rindex('"""') + 3]
    output = notebook.write_and_run(index, f"{head}\n    {line}")
    card = output.locator(".anatomy")
    card.wait_for()
    notebook.settle()
    return card


def test_stub_is_not_attempted_yet(start: NotebookPage) -> None:
    card = start.widget(MEAN)
    expect(card).to_contain_text("Not attempted yet")
    expect(card).to_contain_text("course's own version")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("return vectors.sum(dim=0)", "You have the sum of the vectors"),
        ("return vectors.mean()", "one single number"),
        ("return vectors.mean(0).tolist()", "list"),
        ("vectors.mean(0)", "return"),
        ("return vector.mean(0)", "vector.mean(0)"),
        ("return 1 / 0", "1 / 0"),
    ],
    ids=["recognised", "shape", "type", "nothing returned", "name error", "crash"],
)
def test_wrong_answer_gets_its_sentence(mean: tuple[NotebookPage, int], line: str, said: str) -> None:
    notebook, index = mean
    card = answer(notebook, index, line)
    expect(card).to_contain_text(said)
    assert "Passed" not in card.inner_text()
    assert "Traceback" not in notebook.output(index).inner_text()
    assert notebook.output(index).locator("[data-mime-type$='stderr'], .jp-mod-error").count() == 0


def test_endless_loop_is_stopped(mean: tuple[NotebookPage, int]) -> None:
    notebook, index = mean
    card = answer(notebook, index, "while True: pass")
    expect(card).to_contain_text("took too long")


def test_right_answer_passes_and_is_remembered(mean: tuple[NotebookPage, int], lab: Lab) -> None:
    notebook, index = mean
    card = answer(notebook, index, "return vectors.mean(dim=0)")
    expect(card).to_contain_text("Passed")
    expect(card).to_contain_text("Later cells use your function")
    expect(card).to_contain_text("Every exercise in this notebook has passed")
    assert notebook.ask_kernel("mean_vector(__import__('torch').tensor([[1., 2.], [3., 6.]])).tolist()") == [2, 4]
    kept = json.loads(lab.progress.read_text(encoding="utf-8"))
    assert kept["exercises"]["start.mean"]["passed"]


def test_hints_come_one_by_one_and_then_the_solution(mean: tuple[NotebookPage, int]) -> None:
    notebook, index = mean
    card = answer(notebook, index, "return vectors.sum(dim=0)")
    hint = card.get_by_role("button", name=re.compile("hint", re.IGNORECASE))
    first, last = "Which of the two axes must disappear", "average over axis 0."
    assert first not in card.inner_text()
    hint.click()
    notebook.settle()
    assert first in card.inner_text()
    assert last not in card.inner_text(), "one hint at a time"
    press(hint, "Enter")
    press(hint, "Space")
    notebook.settle()
    assert last in card.inner_text()

    solution = card.get_by_role("button", name=re.compile("solution", re.IGNORECASE))
    expect(card).not_to_contain_text("return vectors.mean(dim=0)")
    press(solution, "Enter")
    notebook.settle()
    if "return vectors.mean(dim=0)" not in card.inner_text():  # a second press confirms
        card.get_by_role("button", name=re.compile("solution|show|yes", re.IGNORECASE)).last.click()
    expect(card).to_contain_text("return vectors.mean(dim=0)")


def test_question_gives_a_reason_for_wrong_and_right(start: NotebookPage) -> None:
    question = start.widget('ask("start.how")')
    check = question.get_by_role("button", name="Check")
    reasons = ("Then you could not read on", "Nothing below breaks")
    assert not any(reason in question.inner_text() for reason in reasons)
    check.click()
    expect(question).to_contain_text("Choose one first")
    question.get_by_label("Today's function", exact=False).click()
    check.click()
    expect(question).to_contain_text(reasons[0])
    press(question.get_by_role("radio").first, "ArrowDown", "ArrowDown", "Enter")
    expect(question).to_contain_text(reasons[1])
    expect(question.get_by_role("radio", name="The course's own version", exact=False)).to_be_checked()


def test_restart_and_out_of_order_still_works(browser: Browser, lab: Lab) -> None:
    """The first cells and one exercise far below, after a restart, with nothing between them."""
    copy = lab.folder / "01_again.ipynb"  # a notebook of the same name would share the kernel of the other tests
    copy.write_bytes((NOTEBOOKS / "01_attention.ipynb").read_bytes())
    with open_notebook(browser, lab, copy.name) as notebook:
        imports, exercise = notebook.index("from anatomy_utils"), notebook.index('@exercise("attention.scores")')
        notebook.restart()
        notebook.run_cell(exercise)
        assert "NameError" in notebook.output(exercise).inner_text(), "without the imports Python says so"
        notebook.run_cell(imports)
        card = answer(notebook, exercise, "return query @ key.transpose(-1, -2)")
        expect(card).to_contain_text("bare dot products")
        card = answer(notebook, exercise, "return query @ key.transpose(-1, -2) / key.shape[-1] ** 0.5")
        expect(card).to_contain_text("Passed")
        earlier = notebook.index('@exercise("attention.weighted_average")')
        notebook.run_cell(earlier)
        expect(notebook.output(earlier).locator(".anatomy")).to_contain_text("Not attempted yet")
        assert notebook.problems() == []


def test_prediction_is_noted_and_not_judged(attention: NotebookPage, lab: Lab) -> None:
    guess = attention.widget('predict("attention.predict_shuffle")')
    press(guess.get_by_role("radio").first, "Space")
    guess.get_by_role("button", name="Note my prediction").click()
    expect(guess).to_contain_text("Noted")
    assert not guess.locator(".ok, .wrong").count()
    card = attention.page.locator(".anatomy-card:has([data-outcome='attention.predict_shuffle'])")
    expect(card).to_contain_text("It came out differently")
    expect(card.locator("details")).to_have_attribute("open", "")
    wait_until(lambda: "predict_shuffle" in lab.progress.read_text(encoding="utf-8"), guess, "the prediction is kept")
