"""What tests of views share: a page that is checked when its test ends, and two models."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import widget_page
from view_sizes import LAB

from anatomy_course.lab.small_models.small_gpt import train_small_gpt
from anatomy_utils import pretrained

sys.path.append(str(Path(__file__).parent))  # small.py and on_page.py


def pytest_itemcollected(item: Any) -> None:
    """Whatever shows a view drives a browser."""
    if "show" in item.fixturenames:
        item.add_marker(pytest.mark.browser)


@pytest.fixture
def show(browser: Any) -> Iterator[Any]:
    """Opens a view on a page, on a card of some width if wanted; in the end nothing may have gone wrong there."""
    from on_page import OnPage

    opened = []

    def open_page(widget: Any, width: int | None = None, **options: Any) -> OnPage:
        size = {"size": (LAB.get(width, width + 32), 900)} if width else {}
        shown = OnPage(**vars(widget_page.show(browser, widget, **size | options)))
        opened.append(shown)
        return shown

    yield open_page
    for shown in opened:
        shown.check()
        shown.page.context.close()


@pytest.fixture(scope="session")
def minilm() -> Any:
    return pretrained.load("minilm")


@pytest.fixture(scope="session")
def gpt() -> Any:
    """A small language model of the street after a few steps."""
    return train_small_gpt(1, steps=30, progress=False)[0].eval()
