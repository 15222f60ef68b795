"""A notebook's two times are the same wherever a learner meets them: contents, README, map, and its own first lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from notebook_tools import ROOT, opens_more, read

from anatomy_course.page.notebooks import NOTEBOOKS, Notebook
from anatomy_course.views import TransformerMap

README = (ROOT / "README.md").read_text(encoding="utf-8")
every_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.file)


def test_two_times_or_one() -> None:
    both = Notebook("00_made_up", "made", "Made up", "nothing", "Why?", 30, 60)
    assert both.time == "30 min, 60 with all sections"
    assert Notebook("00_made_up", "made", "Made up", "nothing", "Why?", 15, 15).time == "15 min"


@every_notebook
def test_the_readme_and_the_map_say_the_same(notebook: Notebook, tmp_path: Path) -> None:
    assert 5 <= notebook.core <= notebook.minutes
    (row,) = [line for line in README.splitlines() if f"(notebooks/{notebook.file}.ipynb)" in line]
    assert f"| {notebook.time} |" in row, "run `make tables`"
    drawn = TransformerMap(folder=tmp_path)
    assert [stop["time"] for stop in drawn.notebooks if stop["file"] == notebook.file] == [notebook.time]
    assert {part["time"] for part in drawn.parts if part["notebook"] == notebook.file} <= {notebook.time}


@every_notebook
def test_its_first_lines_say_them_too(notebook: Notebook) -> None:
    cells = read(ROOT / "notebooks" / f"{notebook.file}.ipynb").cells
    said = set(re.findall(r"\d+", cells[0].source))
    assert {str(notebook.core), str(notebook.minutes)} <= said, notebook.time
    if any(map(opens_more, cells)):
        assert notebook.core < notebook.minutes, "sections marked *more* are not core"
