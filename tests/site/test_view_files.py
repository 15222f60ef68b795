"""What is kept of the notebooks' views fits the notebooks and the widgets as they are today."""

from __future__ import annotations

import base64
import inspect
import re
from pathlib import Path
from typing import Any

import elsewhere
import nbformat
import pytest
import view_answers
import view_files
import view_states
from cells import Pages, with_ways_to_run
from notebook_tools import notebook_paths, read

from anatomy_course import views as live_views
from anatomy_course.views._kit.base import AnatomyWidget
from anatomy_course.views._kit.request import Asking

NAMES = [path.stem for path in notebook_paths()]
MOST_BYTES = 4_000_000


def executed(state: dict[str, Any], buffers: list[dict[str, Any]]) -> nbformat.NotebookNode:
    """A notebook of one cell with one view, as it is after a run."""
    view = {view_states.WIDGET_VIEW: {"model_id": "m"}, "text/html": "<p>twin</p>"}
    outputs = [
        nbformat.v4.new_output("stream", text="words"),
        nbformat.v4.new_output("display_data", {"text/html": "<p>a table</p>"}),
        nbformat.v4.new_output("display_data", view),
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x", id="a-cell", outputs=outputs)])
    record = {"state": {"_anywidget_id": "some.where.Mixer", "_esm": "…", **state}, "buffers": buffers}
    notebook.metadata["widgets"] = {view_states.WIDGET_STATE: {"state": {"m": record}}}
    return notebook


def test_a_view_keeps_its_traits_and_its_bytes_at_their_place() -> None:
    raw = base64.b64encode(b"\x01\x02").decode("ascii")
    buffers = [
        {"path": ["weights"], "encoding": "base64", "data": raw},
        {"path": ["maps", 1], "encoding": "base64", "data": raw},
    ]
    (view,) = view_states.of_run(executed({"step": 3, "maps": [None, None]}, buffers), {"m": [1]})
    assert view == {
        "cell": "a-cell",
        "number": 1,
        "widget": "some.where.Mixer",
        "state": {"step": 3, "weights": {"$bytes": raw}, "maps": [None, {"$bytes": raw}]},
        "answers": [1],
    }


def test_the_same_views_make_the_same_file(tmp_path: Path) -> None:
    views = [{"cell": "a", "state": {"b": 1, "a": "é"}}]
    first = view_states.write("one", views, tmp_path).read_bytes()
    assert view_states.write("one", [{"state": {"a": "é", "b": 1}, "cell": "a"}], tmp_path).read_bytes() == first
    assert view_states.read("one", tmp_path) == views
    assert view_states.read("another", tmp_path) == []


@pytest.mark.parametrize("name", NAMES)
def test_kept_views_belong_to_the_stored_notebook_and_to_the_classes(name: str, tmp_path: Path) -> None:
    views = view_states.read(name)
    assert views, "make notebooks keeps the views of every notebook"
    for view in views:
        traits = view_files.widget_class(view).class_traits(sync=True)
        assert set(view["state"]) <= set(traits), f"{view['widget']} has changed: run make notebooks"
    notebook = read(next(path for path in notebook_paths() if path.stem == name))
    page = Pages(tmp_path).page(name, notebook, views)  # refuses a view that the notebook has not
    shown = [view for view in views if view_files.kind(view) not in view_files.NOT_SHOWN]
    text = "\n".join(output.data.get("text/html", "") for cell in page.cells for output in html_outputs(cell))
    assert re.findall(r'data-view="([^"]+)"', text) == [
        view_files.view_id(view) for cell in page.cells for view in shown if view["cell"] == cell.id
    ]
    assert 'src="data:image' not in text  # a still picture; the certificate may be downloaded as one
    assert "<style" not in text


def html_outputs(cell: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for output in cell.get("outputs", ()) if "data" in output]


def test_kept_views_stay_small() -> None:
    assert sum(path.stat().st_size for path in view_states.FOLDER.iterdir()) < MOST_BYTES


def test_every_view_that_asks_python_says_what_needs_a_kernel() -> None:
    classes = {name: cls for name in dir(live_views) if inspect.isclass(cls := getattr(live_views, name))}
    asking = {name for name, cls in classes.items() if issubclass(cls, Asking) and cls is not Asking}
    assert asking == set(view_files.WITH_KERNEL)


def test_a_module_becomes_a_plain_script_or_is_refused(tmp_path: Path) -> None:
    view_files.write_widget(live_views.Mixer, tmp_path)
    script = (tmp_path / "Mixer.js").read_text(encoding="utf-8")
    assert script.startswith('anatomyViews.widgets["Mixer"] = () => {')
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)

    class TwoExports(AnatomyWidget):
        _esm = "export const a = 1;\nexport default { render };"

    with pytest.raises(ValueError, match="cannot become a plain script"):
        view_files.write_widget(TwoExports, tmp_path)


def test_only_questions_that_a_view_answers_are_kept() -> None:
    class Translator:
        examples = ("good", "bad")

        def answer(self, question: dict[str, str]) -> dict[str, Any]:
            if question["sentence"] == "bad":
                raise ValueError
            return {"weights": b"\x00"}

    assert view_answers.answers(Translator()) == [{"question": {"sentence": "good"}, "traits": {"weights": b"\x00"}}]
    assert view_answers.plain(b"\x00") == {"$bytes": "AA=="}


@pytest.mark.parametrize(("named", "expected"), [("someone/course", True), ("", False)])
def test_links_lead_to_the_repository_or_are_left_out(
    named: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "repository", lambda: named)
    assert ("github/someone/course/blob/main/notebooks/x.ipynb" in elsewhere.colab_button("x", "Go")) is expected
    assert ("mybinder.org/v2/gh/someone/course/" in with_ways_to_run("# X\nText", "x")) is expected
    assert "make lab" in with_ways_to_run("# X\nText", "x")
