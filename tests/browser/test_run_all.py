"""Run All of every notebook in JupyterLab: each cell ran, nothing failed, every solution passes, nothing leaves."""

from __future__ import annotations

import re
from collections.abc import Iterator

import nbformat
import pytest
from conftest import Ran
from lab_page import NotebookPage
from notebook_tools import NOTEBOOKS, not_passed, read
from playwright.sync_api import expect

WIDGET = "application/vnd.jupyter.widget-view+json"
# Where a widget's own output says that it could not be shown.
BROKEN = re.compile(r"Error (displaying|creating) widget|Failed to (load|create)|Loading widget|\[anywidget\]")


@pytest.fixture
def ran(ran: Ran) -> Iterator[Ran]:
    """Each notebook in turn; what went wrong in it up to here fails the test."""
    yield ran
    assert ran.notebook.problems() == []


def test_every_cell_ran_in_order_without_an_error(ran: Ran) -> None:
    code = [cell for cell in ran.cells if cell["cell_type"] == "code" and cell["source"].strip()]
    print(f"{ran.notebook.name}: {len(code)} code cells ran in {ran.seconds:.1f} s")
    failed = [
        f"{output['ename']}: {output['evalue']} in {cell['source'][:60]!r}"
        for cell in code
        for output in cell["outputs"]
        if output["output_type"] == "error"
    ]
    assert failed == []
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))


def test_every_exercise_is_solved_and_passes(ran: Ran) -> None:
    stubs = read(NOTEBOOKS / ran.notebook.name)
    if ran.notebook.name != "00_start_here.ipynb":
        assert not_passed(stubs, nbformat.from_dict({"cells": ran.cells})) == []


def test_every_widget_is_drawn(ran: Ran) -> None:
    widgets = [index for index, cell in enumerate(ran.cells) if has_widget(cell)]
    assert widgets
    for index in widgets:
        output = ran.notebook.output(index)
        drawn = output.locator(".anatomy").first
        drawn.wait_for()
        assert (drawn.get_attribute("aria-label") or "").strip(), f"cell {index}: the widget has a name"
        expect(drawn, f"cell {index}: the widget shows something").to_contain_text(re.compile(r"\S"))
        assert not BROKEN.search(output.inner_text()), output.inner_text()


def test_no_picture_lacks_its_alternative_text(ran: Ran) -> None:
    notebook = ran.notebook
    pictures = [index for index, cell in enumerate(ran.cells) if has_picture(cell)]
    for index in pictures:
        for image in notebook.output(index).locator("img").all():
            assert len(image.get_attribute("alt") or "") > 15, f"cell {index}: {notebook.source(index)[:60]}"


def has_widget(cell: dict) -> bool:
    return any(WIDGET in output.get("data", {}) for output in cell.get("outputs", []))


def has_picture(cell: dict) -> bool:
    return not has_widget(cell) and any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


def test_widgets_survive_scrolling_away_and_back(attention: NotebookPage) -> None:
    last = len(attention.ids()) - 1
    attention.cell(last)
    attention.cell(0)
    viewer = attention.widget("views.attention_viewer(")
    drawn = viewer.locator("canvas").last.evaluate(
        "node => new Set(node.getContext('2d').getImageData(0, 0, node.width, node.height).data).size"
    )
    assert drawn > 10, "the map still has its colors"
