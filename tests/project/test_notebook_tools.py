"""The notebook machinery, tried on notebooks made for the purpose."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
import torch
from notebook_tools import ROOT, STARTUP, WIDGET_VIEW, machine_paths, normalise, run

from anatomy_utils.training.history import History
from anatomy_utils.training.loop import fit

sys.path.append(str(STARTUP))

import trainings


def notebook_of(*cells: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])


def test_normal_form_keeps_nothing_of_the_machine() -> None:
    notebook = notebook_of("x")
    path = f"{ROOT}/anatomy_utils/tap.py {tempfile.gettempdir()}/x {sys.prefix}/lib/site-packages/torch/x.py"
    data = {"text/plain": path, WIDGET_VIEW: {"model_id": "1"}}
    notebook.cells[0].outputs = [nbformat.v4.new_output("execute_result", data, execution_count=1)]
    notebook.cells[0].metadata = {"execution": {"iopub": "now"}, "tags": ["raises-exception"]}
    notebook.metadata = {"widgets": {"state": {}}, "kernelspec": {"name": "my-own", "display_name": "Mine"}}
    normal = normalise(notebook)
    assert normal.cells[0].outputs[0].data == {"text/plain": "./anatomy_utils/tap.py tmp/x site-packages/torch/x.py"}
    assert normal.cells[0].metadata == {"tags": ["raises-exception"]}
    assert normal.metadata["kernelspec"]["name"] == "python3"
    assert "widgets" not in normal.metadata
    assert normalise(normal) == normal
    assert machine_paths(nbformat.writes(normal)) == []


def test_a_title_folds_a_cell_and_nothing_else_does() -> None:
    notebook = notebook_of("#@title Imports\nimport torch", "import torch", "x = 1  #@title no")
    notebook.cells[1].metadata = {"jupyter": {"source_hidden": True}, "cellView": "form"}
    normal = normalise(notebook)
    assert normal.cells[0].metadata == {"jupyter": {"source_hidden": True}, "cellView": "form"}
    assert normal.cells[1].metadata == normal.cells[2].metadata == {}


def test_a_section_that_may_be_left_out_is_folded_and_no_other() -> None:
    notebook = notebook_of("x = 1")
    heads = ["## 9 · Since 2017 · *more*\n\nWords.", "## 1 · More", "Words.\n\n## 2 · Later · *more*"]
    notebook.cells = [*(nbformat.v4.new_markdown_cell(head) for head in heads), *notebook.cells]
    metadata = [cell.metadata for cell in normalise(notebook).cells]
    assert metadata == [{"jp-MarkdownHeadingCollapsed": True}, {}, {}, {}]


def test_machine_paths_are_found() -> None:
    assert all(map(machine_paths, ['"/home/ann/x.py"', '"/private/abc"', '"/Users/ann/x"', r'"C:\\Users\\ann"']))
    assert not any(map(machine_paths, ["https://host/home/page", "./var/x", "docs/home/x", "a/b"]))


def test_only_a_training_that_ended_by_itself_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainings, "FOLDER", tmp_path)
    interrupted = False

    def loss(model: torch.nn.Module, batch: torch.Tensor) -> torch.Tensor:
        if interrupted:
            raise KeyboardInterrupt
        return model(batch).square().mean()

    def train() -> History:
        torch.manual_seed(0)
        model, batches = torch.nn.Linear(3, 2), [torch.ones(5, 3), torch.zeros(5, 3)]
        return trainings.remembering(fit)(model, batches, loss, progress=False)

    interrupted = True
    assert train().stopped and not list(tmp_path.iterdir())
    interrupted = False
    first = train()
    assert first.stopped is None and len(list(tmp_path.iterdir())) == 1
    assert train().loss == first.loss


def test_a_run_starts_fresh_and_leaves_the_notebook_alone() -> None:
    notebook = notebook_of("import os; x = 1", "x, os.environ['ANATOMY_PROGRESS'], os.path.basename(os.getcwd())")
    notebook.cells[0].execution_count = 7
    done = run(notebook)
    one, data, folder = eval(done.cells[1].outputs[0].data["text/plain"])
    assert (one, folder) == (1, "notebooks")
    assert "anatomy-" in data and not Path(data).parent.exists()
    assert [cell.execution_count for cell in done.cells] == [1, 2]
    assert notebook.cells[0].execution_count == 7
