"""What each live view of a notebook held when the notebook was last run, kept so that the site can show it again.

`make notebooks` writes one file per notebook, `make site` reads them. A view is a dictionary: `cell` is the id of its
cell, `number` its place among the outputs of that cell that hold data, `widget` the dotted name of its class, `state`
its traits, and `answers` what Python answered to the questions of `view_answers.py`. Bytes are `{"$bytes": base64}`. A
view's module and stylesheet are not kept: the package has them.
"""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

FOLDER = Path(__file__).resolve().parent / "views"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
NOT_KEPT = ("_", "layout", "tabbable", "tooltip")
"""How the traits begin that only a notebook's own page needs."""

View = dict[str, Any]


def of_run(notebook: NotebookNode, answers: dict[str, list[Any]] | None = None) -> list[View]:
    """The views of a notebook that was executed with its widgets' states stored, in the order of the page.

    Args:
        notebook: as `nbclient` leaves it.
        answers: model id → recorded answers.
    """
    states = notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    views = []
    for cell in notebook.cells:
        outputs = [output.data for output in cell.get("outputs", ()) if "data" in output]
        for number, data in enumerate(outputs):
            model = data.get(WIDGET_VIEW, {}).get("model_id")
            record = states.get(model)
            if record is not None and "_anywidget_id" in record["state"]:
                told = {"answers": answers[model]} if model in (answers or {}) else {}
                views.append({"cell": cell.id, "number": number, **_kept(record), **told})
    return views


def write(name: str, views: list[View], folder: Path = FOLDER) -> Path:
    """Keep the views of the notebook `name`; the same views make the same file."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.json.gz"
    path.write_bytes(packed(views))
    return path


def read(name: str, folder: Path = FOLDER) -> list[View]:
    """The views of the notebook `name`; none where no run was kept."""
    path = folder / f"{name}.json.gz"
    return json.loads(gzip.decompress(path.read_bytes())) if path.exists() else []


def packed(value: object) -> bytes:
    """Anything as compressed JSON, equal bytes for equal values."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    raw = bytearray(gzip.compress(text.encode(), 9, mtime=0))
    raw[9] = 255  # the byte that names the operating system
    return bytes(raw)


def _kept(record: dict[str, Any]) -> View:
    state = {name: value for name, value in record["state"].items() if not name.startswith(NOT_KEPT)}
    for buffer in record.get("buffers", ()):
        *way, last = buffer["path"]
        place: Any = state
        for step in way:
            place = place[step]
        raw = base64.b64decode(buffer["data"]) if buffer["encoding"] == "base64" else bytes.fromhex(buffer["data"])
        place[last] = {"$bytes": base64.b64encode(raw).decode("ascii")}
    return {"widget": record["state"]["_anywidget_id"], "state": state}
