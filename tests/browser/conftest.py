"""One JupyterLab and one browser for all tests here, and each notebook opened and run once.

In 00, in which tests answer, the exercises are as a newcomer finds them; in the others they are solved.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from lab_page import NotebookPage, chromium_browser, open_notebook  # noqa: E402
from lab_server import Lab, jupyter_lab  # noqa: E402
from notebook_tools import notebook_paths, read, with_solutions  # noqa: E402
from playwright.sync_api import Browser, expect  # noqa: E402

from anatomy_course.page.notebooks import FILE  # noqa: E402

SCREENSHOTS = ROOT / ".cache" / "screenshots"
expect.set_options(timeout=30_000)  # what a busy machine may need to show an answer


@dataclass
class Ran:
    """A notebook after Run All, how long that took, and its cells as they were then."""

    notebook: NotebookPage
    seconds: float
    cells: list[dict[str, Any]]


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A JupyterLab that serves copies of the course's notebooks."""
    with jupyter_lab(tmp_path_factory.mktemp("lab") / "home", notebook_paths()) as running:
        for path in notebook_paths()[1:]:
            nbformat.write(with_solutions(read(path)), running.folder / path.name)
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium_browser() as running:
        yield running


class Desk:
    """Where one notebook lies open at a time: a page left open goes on drawing, and slows all others."""

    def __init__(self, browser: Browser, lab: Lab) -> None:
        self._browser = browser
        self._lab = lab
        self._closing = ExitStack()
        self._ran: Ran | None = None

    def ran(self, name: str) -> Ran:
        """The notebook that the tests call `name`, run once; a test that changes a cell puts it back."""
        file = f"{FILE[name]}.ipynb"
        if self._ran is None or self._ran.notebook.name != file:
            self.clear()
            notebook = self._closing.enter_context(open_notebook(self._browser, self._lab, file))
            self._ran = Ran(notebook, notebook.run_all(), notebook.cells())
        return self._ran

    def clear(self) -> None:
        """Close what lies open, and its kernel."""
        self._ran = None
        self._closing.close()


@pytest.fixture(scope="session")
def desk(browser: Browser, lab: Lab) -> Iterator[Desk]:
    desk = Desk(browser, lab)
    yield desk
    desk.clear()


@pytest.fixture(params=FILE)
def ran(request: pytest.FixtureRequest, desk: Desk) -> Ran:
    """Each notebook in turn."""
    return desk.ran(request.param)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """All tests of a notebook one after the other, so that each is opened once; last those that press everything.

    `ANATOMY_PART` names the first and the last notebook of a part, as "00–01"; tests of none belong to the first.
    """
    order = list(FILE)

    def place(item: pytest.Item) -> tuple[int, bool]:
        assert isinstance(item, pytest.Function)
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        used = {*item.fixturenames, parameters.get("ran")}
        notebook = min((order.index(name) for name in used.intersection(order)), default=-1)
        return notebook, item.path.stem == "test_view_sizes"

    items.sort(key=place)
    if part := os.environ.get("ANATOMY_PART"):
        first, last = map(int, part.split("–"))
        elsewhere = [item for item in items if not first <= max(place(item)[0], 0) <= last]
        config.hook.pytest_deselected(items=elsewhere)
        items[:] = [item for item in items if item not in elsewhere]


def _watched(name: str) -> Any:
    """A notebook as it runs; the test fails if the page reports a problem meanwhile."""

    @pytest.fixture
    def watched(desk: Desk) -> Iterator[NotebookPage]:
        notebook = desk.ran(name).notebook
        before = len(notebook.problems())
        yield notebook
        assert notebook.problems()[before:] == []

    return watched


start = _watched("start")
attention = _watched("attention")
multi_head = _watched("multi_head")
encoder = _watched("encoder")
positions = _watched("positions")
decoder = _watched("decoder")
encoder_decoder = _watched("encoder_decoder")
taxonomy = _watched("taxonomy")
capstone = _watched("capstone")
workshop = _watched("workshop")


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where pictures go that people may look at; no test compares them."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS
