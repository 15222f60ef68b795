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


@pytest.fixture(scope="session")
def ran_start(browser: Browser, lab: Lab) -> Iterator[Ran]:
    """Notebook 00, run once for all tests; a test that changes a cell puts it back."""
    with open_notebook(browser, lab, "00_start_here.ipynb") as notebook:
        seconds = notebook.run_all()
        yield Ran(notebook, seconds, notebook.cells())


@pytest.fixture(scope="session")
def ran_attention(browser: Browser, lab: Lab) -> Iterator[Ran]:
    """Notebook 01, run once for all tests; a test that changes a cell puts it back."""
    with open_notebook(browser, lab, "01_attention.ipynb") as notebook:
        seconds = notebook.run_all()
        yield Ran(notebook, seconds, notebook.cells())


@pytest.fixture(scope="session")
def ran_multi_head(browser: Browser, lab: Lab) -> Iterator[Ran]:
    """Notebook 02, run once for all tests; a test that changes a cell puts it back."""
    with open_notebook(browser, lab, "02_multi_head_attention.ipynb") as notebook:
        seconds = notebook.run_all()
        yield Ran(notebook, seconds, notebook.cells())


@pytest.fixture(scope="session")
def ran_encoder(browser: Browser, lab: Lab) -> Iterator[Ran]:
    """Notebook 03, run once for all tests; a test that changes a cell puts it back."""
    with open_notebook(browser, lab, "03_encoder.ipynb") as notebook:
        seconds = notebook.run_all()
        yield Ran(notebook, seconds, notebook.cells())


@pytest.fixture(scope="session")
def ran_decoder(browser: Browser, lab: Lab) -> Iterator[Ran]:
    """Notebook 04, run once for all tests; a test that changes a cell puts it back."""
    with open_notebook(browser, lab, "04_decoder.ipynb") as notebook:
        seconds = notebook.run_all()
        yield Ran(notebook, seconds, notebook.cells())


@pytest.fixture(scope="session")
def ran_encoder_decoder(browser: Browser, lab: Lab) -> Iterator[Ran]:
    """Notebook 05, run once for all tests; a test that changes a cell puts it back."""
    with open_notebook(browser, lab, "05_encoder_decoder.ipynb") as notebook:
        seconds = notebook.run_all()
        yield Ran(notebook, seconds, notebook.cells())


@pytest.fixture
def start(ran_start: Ran) -> Iterator[NotebookPage]:
    """Notebook 00 as it runs; the test fails if the page reports a problem meanwhile."""
    yield from _watched(ran_start.notebook)


@pytest.fixture
def attention(ran_attention: Ran) -> Iterator[NotebookPage]:
    """Notebook 01 as it runs; the test fails if the page reports a problem meanwhile."""
    yield from _watched(ran_attention.notebook)


@pytest.fixture
def multi_head(ran_multi_head: Ran) -> Iterator[NotebookPage]:
    """Notebook 02 as it runs; the test fails if the page reports a problem meanwhile."""
    yield from _watched(ran_multi_head.notebook)


@pytest.fixture
def encoder(ran_encoder: Ran) -> Iterator[NotebookPage]:
    """Notebook 03 as it runs; the test fails if the page reports a problem meanwhile."""
    yield from _watched(ran_encoder.notebook)


@pytest.fixture
def decoder(ran_decoder: Ran) -> Iterator[NotebookPage]:
    """Notebook 04 as it runs; the test fails if the page reports a problem meanwhile."""
    yield from _watched(ran_decoder.notebook)


@pytest.fixture
def encoder_decoder(ran_encoder_decoder: Ran) -> Iterator[NotebookPage]:
    """Notebook 05 as it runs; the test fails if the page reports a problem meanwhile."""
    yield from _watched(ran_encoder_decoder.notebook)


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where pictures go that people may look at; no test compares them."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS


def _watched(notebook: NotebookPage) -> Iterator[NotebookPage]:
    before = len(notebook.problems())
    notebook.page.bring_to_front()
    yield notebook
    assert notebook.problems()[before:] == []
