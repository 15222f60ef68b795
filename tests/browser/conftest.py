"""One JupyterLab and one browser for all tests here, and each notebook opened and run once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from lab_page import NotebookPage, chromium_browser, open_notebook  # noqa: E402
from lab_server import Lab, jupyter_lab  # noqa: E402
from playwright.sync_api import Browser, expect  # noqa: E402

NOTEBOOKS = ROOT / "notebooks"
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
    with jupyter_lab(tmp_path_factory.mktemp("lab") / "home", sorted(NOTEBOOKS.glob("*.ipynb"))) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium_browser() as running:
        yield running


def _ran(name: str) -> Any:
    """A notebook, run once for all tests; a test that changes a cell puts it back."""

    @pytest.fixture(scope="session")
    def ran(browser: Browser, lab: Lab) -> Iterator[Ran]:
        with open_notebook(browser, lab, f"{name}.ipynb") as notebook:
            seconds = notebook.run_all()
            yield Ran(notebook, seconds, notebook.cells())

    return ran


ran_start = _ran("00_start_here")
ran_attention = _ran("01_attention")
ran_multi_head = _ran("02_multi_head_attention")
ran_encoder = _ran("03_encoder")
ran_decoder = _ran("04_decoder")
ran_encoder_decoder = _ran("05_encoder_decoder")
ran_taxonomy = _ran("06_taxonomy")
ran_capstone = _ran("07_capstone")


def _watched(ran: str) -> Any:
    """A notebook as it runs; the test fails if the page reports a problem meanwhile."""

    @pytest.fixture
    def watched(request: pytest.FixtureRequest) -> Iterator[NotebookPage]:
        notebook: NotebookPage = request.getfixturevalue(ran).notebook
        before = len(notebook.problems())
        notebook.page.bring_to_front()
        yield notebook
        assert notebook.problems()[before:] == []

    return watched


start = _watched("ran_start")
attention = _watched("ran_attention")
multi_head = _watched("ran_multi_head")
encoder = _watched("ran_encoder")
decoder = _watched("ran_decoder")
encoder_decoder = _watched("ran_encoder_decoder")
taxonomy = _watched("ran_taxonomy")
capstone = _watched("ran_capstone")


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where pictures go that people may look at; no test compares them."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS
