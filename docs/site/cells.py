"""A notebook as it is stored, made into one that Sphinx can turn into a page."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from pathlib import Path

import nbformat
from elsewhere import repository, run_it
from exercise_help import colored, exercise_html
from marks import EXERCISE, TITLE
from nbformat import NotebookNode
from view_files import NOT_SHOWN, kind, view_html
from view_states import View

COLAB_SETUP = TITLE + "Set-up for Google Colab"
STYLE = re.compile(r"<style>(.*?)</style>\s*", re.DOTALL)
PNG = re.compile(r'src="data:image/png;base64,([^"]+)"')
PROGRESS = re.compile(r"^progress\((.*)\)$")
ONLY_SHOWS = re.compile(r"^(ask|predict|outcome|progress)\([^\n]*\)$")
"""Cells whose code says nothing that their output does not."""
KERNEL = r"On\s+a\s+page\s+(?:that\s+is\s+not\s+running|without\s+a\s+running\s+kernel)"
NOT_RUNNING = re.compile(rf"\s*(?:\({KERNEL}[^()]*\)|{KERNEL}[^.]*\.)")
"""What a notebook says of its pictures where no kernel runs; here its views are live."""
MEASURE = 64
"""How many characters of code fit into a line of the prose; longer code reaches out on both sides."""


class Pages:
    """Makes the pages of one site.

    Args:
        made: the folder for pictures, which becomes a part of `_static`.
    """

    def __init__(self, made: Path) -> None:
        self._made = made
        self.styles: dict[str, None] = {}
        """What outputs brought as `<style>`, each once; a page may hold none outside its head."""

    def page(self, name: str, notebook: NotebookNode, views: list[View]) -> NotebookNode:
        """The notebook `name` with live places for views, folded help for exercises, and pictures in files."""
        shown = [view for view in views if kind(view) not in NOT_SHOWN]
        copy = nbformat.from_dict(notebook)
        copy.cells = [cell for cell in copy.cells if not _left_out(cell.source)]
        for cell in copy.cells:
            if cell.cell_type == "code":
                self._code_cell(name, cell, [view for view in shown if view["cell"] == cell.id])
            else:
                cell.source = NOT_RUNNING.sub("", cell.source)
        copy.cells[0].source = with_ways_to_run(copy.cells[0].source, name)
        return copy

    def _code_cell(self, name: str, cell: NotebookNode, live: list[View]) -> None:
        exercises = EXERCISE.findall(cell.source)
        if exercises:
            html_parts = [exercise_html(id, name) for id in exercises]
            cell.outputs = [_html_output("".join(html_parts))]
        elif PROGRESS.match(cell.source.strip()):
            cell.outputs = [_html_output("<p>Your own progress appears here when you run the notebook.</p>")]
        else:
            self._outputs(name, cell, live)
        if cell.source.startswith(TITLE):
            title, _, rest = cell.source.partition("\n")
            summary = f"<summary>{html.escape(title.removeprefix(TITLE))}</summary>"
            folded = _html_output(f'<details class="code">{summary}{colored(rest)}</details>')
            cell.outputs = [folded, *cell.outputs]
        if cell.source.startswith(TITLE) or ONLY_SHOWS.match(cell.source):
            cell.metadata = nbformat.from_dict({"tags": ["remove-input"]})
        elif max(map(len, cell.source.splitlines()), default=0) <= MEASURE:
            cell.metadata = nbformat.from_dict({"tags": ["short"]})

    def _outputs(self, name: str, cell: NotebookNode, live: list[View]) -> None:
        """Each output in one form; one that was a view becomes its place."""
        at = {view["number"]: view for view in live}
        for number, output in enumerate(output for output in cell.outputs if "data" in output):
            if "text/html" in output.data:
                still = self._still(output.data["text/html"])
                view = at.pop(number, None)
                shown = still if view is None else view_html(view, name, still)
                output.data = nbformat.from_dict({"text/html": shown})
        if at:
            problem = f"{name}, cell {cell.id}: a view was kept that the stored notebook has not"
            raise ValueError(f"{problem}; run make notebooks.")

    def _still(self, text: str) -> str:
        for style in STYLE.findall(text):
            self.styles[style.strip()] = None
        text = STYLE.sub("", text)
        return PNG.sub(lambda found: f'loading="lazy" src="{self._picture(found.group(1))}"', text)

    def _picture(self, encoded: str) -> str:
        raw = base64.b64decode(encoded)
        file = self._made / "pictures" / f"{hashlib.sha256(raw).hexdigest()[:16]}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(raw)
        return f"_static/pictures/{file.name}"


def with_ways_to_run(first: str, name: str) -> str:
    """The first cell of a notebook with a line under its title that says how to run it."""
    title, _, rest = first.partition("\n")
    words = f"This page shows a run of the notebook. Run it yourself: {run_it(name)}."
    if not repository():
        words += " In Colab, open it with <em>File › Open notebook › GitHub</em>."
    return f'{title}\n\n<p class="ways-to-run">{words}</p>\n{rest}'


def _left_out(source: str) -> bool:
    """Whether a cell is no use on a page: the set-up for Colab, and a notebook's list of what the reader has passed."""
    own = PROGRESS.match(source.strip())
    return source.startswith(COLAB_SETUP) or bool(own and own.group(1))


def _html_output(text: str) -> NotebookNode:
    return nbformat.v4.new_output("display_data", {"text/html": text})
