"""What every test here shares: reproducible property tests, and nobody's progress touched."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from unchecked import shapes_unchecked, unchecked

if TYPE_CHECKING:
    from playwright.sync_api import Browser

settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("local"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was imported stays: that Python looks for garbage among a million objects is a tenth of the tests' time."""
    _with_views.update(item.path for item in session.items if "browser" in getattr(item, "fixturenames", ()))
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Of a notebook's cell that warned, nbval says only that it did; the report says what."""
    report = yield
    warned = [out.text for out in getattr(item, "test_outputs", None) or [] if out.get("name") == "stderr"]
    if report.failed and warned:
        report.sections.append(("what the cell wrote to stderr", "".join(warned)))
    return report


UNPACKED = Path(__file__).resolve().parent.parent / ".cache" / "unpacked"


@pytest.fixture(autouse=True, scope="session")
def empty_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Send everything that would go to the user's data folder to a temporary one; weights are unpacked once for all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANATOMY_CACHE", os.environ.get("ANATOMY_CACHE", str(UNPACKED)))
        for variable in ("XDG_DATA_HOME", "LOCALAPPDATA"):
            patch.setenv(variable, str(tmp_path_factory.mktemp("data")))
        patch.delenv("ANATOMY_PROGRESS", raising=False)
        yield


_with_views: set[Path] = set()
"""Files with tests that open a browser."""
_open: list[Browser] = []
_closing = ExitStack()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for views on a plain page, the same one for files that follow each other."""
    from widget_page import widget_browser

    if not _open:
        _open.append(_closing.enter_context(widget_browser()))
    yield _open[0]
    for context in _open[0].contexts:
        context.close()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """The browser ends where the next file needs none: as long as it lives, an event loop is running."""
    if nextitem is None or nextitem.path not in _with_views:
        _end_browser()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """It ends also where the first failure ends all."""
    _end_browser()


def _end_browser() -> None:
    _open.clear()
    _closing.close()


def _unchecked() -> Iterator[None]:
    with unchecked():
        yield


def _shapes_unchecked() -> Iterator[None]:
    with shapes_unchecked():
        yield


shapes_unchecked_test = pytest.fixture(_shapes_unchecked, name="shapes_unchecked")
unchecked_test = pytest.fixture(_unchecked, name="unchecked")
unchecked_file = pytest.fixture(_unchecked, name="unchecked_file", scope="module")
