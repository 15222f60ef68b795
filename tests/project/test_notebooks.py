"""What every notebook of the course promises. nbval's strict run, offline, is a step of its own in `run_all.py`."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from notebook_tools import (
    ROOT,
    TITLE,
    WIDGET_VIEW,
    code_cells,
    exercise_ids,
    machine_paths,
    normalise,
    not_passed,
    notebook_paths,
    read,
    run,
    with_solutions,
)
from run_all import steps

from anatomy_course.judge.registry import exercises_of
from anatomy_course.page.colab import FIRST_CELL
from anatomy_course.page.notebooks import NOTEBOOKS, Notebook

MOST_BYTES = 2_000_000
MOST_LINES = 16
every_notebook = pytest.mark.parametrize("path", notebook_paths(), ids=lambda path: path.stem)


class Images(HTMLParser):
    """Collects the attributes of every image in a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.found.append(dict(attrs))


def outputs(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for cell in code_cells(notebook) for output in cell.outputs]


def test_the_course_has_notebooks() -> None:
    assert [path.stem for path in notebook_paths()] == [each.file for each in NOTEBOOKS]
    assert [each.number for each in NOTEBOOKS] == [f"{number:02}" for number in range(len(NOTEBOOKS))]


@every_notebook
def test_a_notebook_is_called_by_its_number(path: Path) -> None:
    numbers = {notebook.title: notebook.number for notebook in NOTEBOOKS}
    named = re.compile(rf"\b(0\d|10) (?:· )?({'|'.join(map(re.escape, numbers))})\b(?!–)")
    for cell in read(path).cells:
        for number, title in named.findall(cell.source):
            assert number == numbers[title], f"{number} {title}"


@every_notebook
def test_executed_in_order_from_a_fresh_kernel(path: Path) -> None:
    counts = [cell.execution_count for cell in code_cells(read(path))]
    assert counts == list(range(1, len(counts) + 1)), "run `make notebooks`"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.file)
def test_the_catalogue_has_its_exercises_in_the_same_order(notebook: Notebook) -> None:
    cells = read(ROOT / "notebooks" / f"{notebook.file}.ipynb").cells
    assert [id for cell in cells for id in exercise_ids(cell.source)] == list(exercises_of(notebook.prefix))


@every_notebook
def test_stored_in_the_normal_form(path: Path) -> None:
    notebook = read(path)
    assert nbformat.writes(normalise(notebook)) == nbformat.writes(notebook), "run `make notebooks`"
    nbformat.validate(notebook)


@every_notebook
def test_small_and_free_of_machine_paths(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < MOST_BYTES
    shown = re.sub(r"[A-Za-z0-9+/=]{200,}", "", text)  # pictures
    assert machine_paths(shown) == []


@every_notebook
def test_no_stored_error_and_no_stored_widget_view(path: Path) -> None:
    for output in outputs(read(path)):
        assert output.output_type != "error"
        assert output.get("name") != "stderr", output.get("text")
        assert WIDGET_VIEW not in output.get("data", {})


@every_notebook
def test_first_code_cell_is_the_same_everywhere(path: Path) -> None:
    assert code_cells(read(path))[0].source == FIRST_CELL


@every_notebook
def test_cells_are_thin(path: Path) -> None:
    for cell in code_cells(read(path)):
        assert len(cell.source.splitlines()) <= MOST_LINES, cell.source
        made = re.findall(r"^(?:def|class) ", cell.source, re.MULTILINE)
        assert len(made) <= len(exercise_ids(cell.source)), f"only exercise stubs are defined:\n{cell.source}"


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@pytest.mark.parametrize("path", [path for path in notebook_paths() if path.name[:2] in "00 01 02 03 04 05 08".split()])
def test_what_is_read_is_not_wide_and_has_no_comprehension_in_another(path: Path) -> None:
    for cell in code_cells(read(path)):
        if cell.source.startswith(TITLE):
            continue
        assert max(map(len, cell.source.splitlines()), default=0) <= 100, cell.source
        for node in ast.walk(ast.parse(cell.source)):
            inside = [each for each in ast.walk(node) if each is not node and isinstance(each, COMPREHENSIONS)]
            assert not isinstance(node, COMPREHENSIONS) or inside == [], cell.source


@every_notebook
def test_imports_are_in_one_cell(path: Path) -> None:
    importing = [
        cell.source for cell in code_cells(read(path)) if re.search(r"^(from|import) ", cell.source, re.MULTILINE)
    ]
    assert len(importing) == 1, importing[1:]
    title, *lines = filter(None, importing[0].splitlines())
    assert title == f"{TITLE}Imports" and len(lines) <= 12


@every_notebook
def test_folded_cells_have_a_title_and_nothing_to_fill_in(path: Path) -> None:
    cells = code_cells(read(path))
    titled = [cell for cell in cells if cell.source.startswith(TITLE)]
    assert [cell for cell in cells if cell.metadata.get("jupyter", {}).get("source_hidden")] == titled
    assert [cell for cell in cells if cell.metadata.get("cellView") == "form"] == titled
    assert cells[0] in titled, "the set-up for Colab"
    for cell in titled:
        title = cell.source.splitlines()[0].removeprefix(TITLE)
        assert 3 < len(title) <= 82 and title[0].isupper(), "what stands on the page, in one line"
        assert exercise_ids(cell.source) == [], "a stub is never folded"


@every_notebook
def test_every_stored_image_has_alt_text(path: Path) -> None:
    notebook = read(path)
    for output in outputs(notebook):
        data = output.get("data", {})
        images = Images(data.get("text/html", "")).found
        assert all(image.get("alt", "").strip() for image in images)
        if "image/png" in data:
            assert images, "a PNG without an HTML <img alt> beside it: return figures.picture.picture(figure, alt)"
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            assert all(image.get("alt", "").strip() for image in Images(cell.source).found)
            assert not re.search(r"!\[\s*\]\(", cell.source)


if sys.platform != "linux":  # there, the notebooks that run in the browser are solved, and one on Colab's versions

    @every_notebook
    @pytest.mark.notebook
    def test_every_exercise_passes_with_its_solution(path: Path) -> None:
        notebook = read(path)
        assert not_passed(notebook, run(with_solutions(notebook))) == []


REACHING = """
import socket
def reaches(host):
    try:
        socket.create_connection((host, 9), timeout=0.2)
    except OSError as error:
        return str(error)
outside, named, inside = [reaches("203.0.113.1"), reaches("example.org"), reaches("127.0.0.1")]
assert "203.0.113.1" in outside and "blocked" in outside, outside
assert "example.org" in named and "blocked" in named, named
assert "blocked" not in inside, inside"""


def test_the_block_blocks() -> None:
    run(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(REACHING)]), offline=True)


def test_the_strict_run_is_offline(tmp_path: Path) -> None:
    strict = next(step for step in steps() if "--nbval" in step.command)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(REACHING)])
    nbformat.write(normalise(notebook), tmp_path / "reaching.ipynb")
    words = [word for word in strict.command if not word.endswith(".ipynb")]
    command = [*words, "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | strict.variables, capture_output=True, text=True)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout


@every_notebook
def test_what_cards_tell_learners_to_call_is_imported(path: Path) -> None:
    code = "\n".join(cell["source"] for cell in code_cells(read(path)))
    imported = re.findall(r"^from anatomy_course import (.*)$", code, re.MULTILINE)
    assert {"hint", "solution"} <= set(", ".join(imported).split(", "))
