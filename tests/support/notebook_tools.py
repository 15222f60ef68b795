"""Run notebooks from a fresh kernel and bring them into the form in which they are stored.

`make notebooks` calls `main`; `test_notebooks.py` uses the rest.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs" / "site"))

import view_answers  # noqa: E402  (all three are beside what builds the site)
import view_states  # noqa: E402
from marks import EXERCISE, TITLE  # noqa: E402

NOTEBOOKS = ROOT / "notebooks"
STARTUP = Path(__file__).resolve().parent / "startup"
TRAININGS = ROOT / ".cache" / "results" / "trainings"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
CELL_SECONDS = 600
PICTURE = re.compile(r"([A-Za-z0-9+/=]{200,})")
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}
"""The metadata of a cell whose code is folded: JupyterLab reads the one, Colab the other."""
MORE = re.compile(r"^#+ .* · \*more\*$")
"""A heading that says that its section may be left out; in JupyterLab the section is folded under it."""
FOLDED_SECTION = {"jp-MarkdownHeadingCollapsed": True}


def notebook_paths() -> list[Path]:
    """Every notebook of the course, in reading order."""
    return sorted(path for path in NOTEBOOKS.glob("*.ipynb"))


def read(path: Path) -> NotebookNode:
    """The notebook at `path`, in format 4."""
    return nbformat.read(path, as_version=4)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells that hold any code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def folded(cell: NotebookNode) -> bool:
    """Whether a cell's code is not the point: it begins with a title, which stands for it on the page."""
    return cell.cell_type == "code" and cell.source.startswith(TITLE)


def opens_more(cell: NotebookNode) -> bool:
    """Whether a cell is the heading of a section that is marked *more*."""
    return cell.cell_type == "markdown" and bool(MORE.match(cell.source.partition("\n")[0]))


def network_blocked() -> dict[str, str]:
    """Environment variables that keep a Python process, and what it starts, from every address outside this machine."""
    return {**_prepared(), "ANATOMY_BLOCK_NETWORK": "1"}


def trained_once(*, only_keep: bool = False) -> dict[str, str]:
    """Environment variables with which a training that another run has kept is taken from there.

    Args:
        only_keep: train everything and keep it for the runs to come.
    """
    use = {} if not only_keep else {"ANATOMY_TRAININGS_ONLY_KEEP": "1"}
    return {**_prepared(), "ANATOMY_TRAININGS": str(TRAININGS), **use}


def _prepared() -> dict[str, str]:
    """The folder whose `sitecustomize` prepares a process, in front of the others."""
    others = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part and part != str(STARTUP)]
    return {"PYTHONPATH": os.pathsep.join([str(STARTUP), *others])}


@contextmanager
def fresh_home() -> Iterator[dict[str, str]]:
    """Environment variables that give a kernel an empty data folder, so that nobody's progress is read or changed."""
    with tempfile.TemporaryDirectory(prefix="anatomy-") as folder:
        places = {"XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "cache", "IPYTHONDIR": "ipython", "LOCALAPPDATA": "local"}
        moved = {variable: str(Path(folder) / name) for variable, name in places.items()}
        for place in moved.values():
            Path(place).mkdir()
        unpacked = os.environ.get("ANATOMY_CACHE", str(ROOT / ".cache" / "unpacked"))
        yield {**moved, "ANATOMY_PROGRESS": str(Path(folder) / "progress.json"), "ANATOMY_CACHE": unpacked}


def run(
    notebook: NotebookNode,
    *,
    python: str | Path = sys.executable,
    offline: bool = False,
    environment: Mapping[str, str] | None = None,
    kernel_options: Sequence[str] = (),
    seconds: int = CELL_SECONDS,
    keep_views: bool = False,
) -> NotebookNode:
    """Execute a copy of `notebook` from a fresh kernel of `python`, in the notebooks' folder, and return it.

    Args:
        notebook: stays as it is.
        python: the interpreter whose ipykernel runs it.
        offline: block every address outside this machine.
        environment: variables on top of this process's own.
        kernel_options: further words on the kernel's command line.
        seconds: the most that one cell may take.
        keep_views: store the state of every widget in the notebook's metadata.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell raised.
    """
    copy = nbformat.from_dict(notebook)
    for cell in code_cells(copy):
        cell.outputs, cell.execution_count = [], None
    with fresh_home() as places:
        variables = {**os.environ, **(network_blocked() if offline else {}), **places, **(environment or {})}
        variables.pop("MPLBACKEND", None)  # the kernel chooses its own
        manager = AsyncKernelManager()
        words = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"]
        manager._kernel_spec = KernelSpec(
            argv=[*words, *kernel_options],
            display_name="Python 3 (ipykernel)",
            language="python",
            metadata={"debugger": False},
        )
        client = NotebookClient(
            copy,
            km=manager,
            timeout=seconds,
            store_widget_state=keep_views,
            coalesce_streams=True,  # however often a busy kernel stops for breath
            resources={"metadata": {"path": str(NOTEBOOKS if NOTEBOOKS.exists() else ROOT)}},
        )
        client.execute(env=variables, cleanup_kc=True)  # without it, a kernel that it was given lives on
    return copy


def run_with_views(notebook: NotebookNode) -> tuple[NotebookNode, list[view_states.View]]:
    """Execute a copy of `notebook` offline; the copy, and the views that the site shows."""
    asked = nbformat.from_dict(notebook)
    asked.cells.append(nbformat.v4.new_code_cell(view_answers.CELL))
    done = run(asked, offline=True, keep_views=True)
    told = "".join(output.text for output in done.cells.pop().outputs if output.get("name") == "stdout")
    return done, view_states.of_run(done, json.loads(told))


def normalise(notebook: NotebookNode) -> NotebookNode:
    """The form in which a notebook is stored: static outputs, no widget state, no trace of the machine that ran it."""
    copy = nbformat.from_dict(notebook)
    copy.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    copy.nbformat, copy.nbformat_minor = 4, 5
    for number, cell in enumerate(copy.cells):
        cell.setdefault("id", f"cell-{number}")
        tags = {"tags": cell.metadata.tags} if "tags" in cell.metadata else {}
        cell.metadata = nbformat.from_dict(
            {**tags, **(FOLDED if folded(cell) else {}), **(FOLDED_SECTION if opens_more(cell) else {})}
        )
        if cell.cell_type == "code":
            cell.outputs = [_normalise_output(output) for output in cell.outputs]
    return copy


def _normalise_output(output: NotebookNode) -> NotebookNode:
    if "data" in output:
        output.data = {kind: _without_paths(value) for kind, value in output.data.items() if kind != WIDGET_VIEW}
    if "text" in output:
        output.text = _without_paths(output.text)
    if "metadata" in output:
        output.metadata = nbformat.from_dict({})
    return output


def _without_paths(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    pieces = PICTURE.split(value)  # pictures sit at the odd places; searching them takes minutes
    pieces[::2] = map(_shorten_paths, pieces[::2])
    return "".join(pieces)


def _shorten_paths(text: str) -> str:
    text = re.sub(r"[^\s\"'<>]*?/site-packages/", "site-packages/", text)
    for place, name in ((str(ROOT), "."), (tempfile.gettempdir(), "tmp"), (str(Path.home()), "~")):
        text = re.sub(rf"{re.escape(place)}(?=[/\\])", name, text)
    return text


def exercise_ids(source: str) -> list[str]:
    """The ids of the exercises whose stubs are in this cell."""
    return EXERCISE.findall(source)


def with_solutions(notebook: NotebookNode) -> NotebookNode:
    """A copy in which every exercise's stub is solved."""
    from anatomy_course.judge import inject_solutions

    copy = nbformat.from_dict(notebook)
    for cell in code_cells(copy):
        cell.source = inject_solutions(cell.source)
    return copy


def not_passed(stubs: NotebookNode, solved: NotebookNode) -> list[str]:
    """The cells with an exercise that no solution was put into, or whose cards do not all say “Passed”."""
    found = []
    for before, cell in zip(code_cells(stubs), code_cells(solved), strict=True):
        cards = "\n".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)
        exercises = exercise_ids(cell.source)
        if exercises and (before.source == cell.source or cards.count("Passed") != len(exercises)):
            found.append(f"{cell.source}\n{cards}")
    return found


def machine_paths(text: str) -> list[str]:
    """What in `text` looks like a path of the machine that ran the notebook."""
    roots = r"/home/|/Users/|/root/|/tmp/|/work/|/var/|/private/|[A-Z]:\\\\Users"
    return re.findall(rf"(?<![\w./:])(?:{roots})[^\s\"'<\\]*", text)


def main() -> int:
    """Execute, normalise and write every notebook, or those named on the command line, and its views for the site."""
    wanted = [Path(name).resolve() for name in sys.argv[1:]] or notebook_paths()
    for path in wanted:
        start = time.perf_counter()
        done, views = run_with_views(read(path))
        text = nbformat.writes(normalise(done), indent=1)
        path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        view_states.write(path.stem, views)
        print(f"{path.relative_to(ROOT)}: {time.perf_counter() - start:.1f} s, {len(text) / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
