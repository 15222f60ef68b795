"""A still picture that can be as high as its view is: the page stays where it is when a cell is run."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import widget_page
from measure import JUMP
from view_sizes import LAB, height_of

sys.path.append(str(Path(__file__).resolve().parents[3] / "docs" / "site"))

import view_files
import view_states

from anatomy_course.figures.picture import NEARLY, Picture

STORED = {view_files.kind(view): view for file in sorted(view_states.FOLDER.iterdir())
          for view in view_states.read(file.name.removesuffix(".json.gz"))}  # fmt: skip
"""The last view of each class in the notebooks."""
FILLED = [name for name, view in STORED.items() if view_files.widget_class(view).drawn_height]


@pytest.mark.parametrize(
    ("wide", "high", "to", "width"),
    [(700, 400, 520, 910), (700, 400, 560, 960), (700, 400, 600, 700), (700, 800, 600, 700), (700, 400, 0, 700)],
)
def test_a_picture_is_enlarged_only_where_that_makes_it_as_high(wide: int, high: int, to: int, width: int) -> None:
    png = bytes(16) + (2 * wide).to_bytes(4, "big") + (2 * high).to_bytes(4, "big")
    assert Picture(png, "two squares", wide).filling(to).width == width


@pytest.mark.browser
@pytest.mark.parametrize("name", FILLED)
def test_a_view_is_as_high_as_its_class_says(browser: Any, name: str) -> None:
    assert len(FILLED) > 8
    cls = view_files.widget_class(STORED[name])
    state = {**STORED[name]["state"], "_esm": cls._esm, "sample": []}  # live curves, before anything is written
    as_stored: Any = SimpleNamespace(_css=cls._css, get_state=lambda: state, set_state=lambda state: None)
    shown = widget_page.show(browser, as_stored, size=(LAB[960], 900))
    shown.page.wait_for_timeout(300)
    assert abs(height_of(shown.page) - cls.drawn_height) <= min(NEARLY, 2 * JUMP)
    shown.page.context.close()
