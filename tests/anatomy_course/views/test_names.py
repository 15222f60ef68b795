"""`views.head_board` is the function, though the folder of its view has the same name and is a module."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

from anatomy_course import views

FOLDERS = sorted(path.parent.name for path in Path(views.__path__[0]).glob("*/view.py"))
MODULES = [module.name for module in walk_packages(views.__path__, f"{views.__name__}.")]
SHARED = [name for name in FOLDERS if name in {*vars(import_module(f"{views.__name__}.{name}.view"))}]
"""Folders whose name is a function's, too."""


def test_most_views_have_a_function_of_their_name() -> None:
    assert {"head_board", "mixer", "translator", "family_tree"} <= set(SHARED)
    assert len(SHARED) >= 18


@pytest.mark.parametrize("first", ["head_board.view", "card.view"])
def test_the_name_is_the_functions_whichever_module_comes_first(first: str) -> None:
    """In a process of its own: pytest, asked for the doctests of one folder, binds that folder's module again."""
    code = (
        f"from importlib import import_module; import_module('anatomy_course.views.{first}')\n"
        f"for name in {MODULES!r}: import_module(name)\n"
        "from anatomy_course import views\n"
        f"print(*(name for name in {SHARED!r} if callable(getattr(views, name))))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == SHARED


def test_nothing_lies_beside_the_folders() -> None:
    folder = Path(views.__path__[0])
    assert [path.name for path in folder.iterdir() if path.is_file()] == ["__init__.py"]
    assert {path.name for path in folder.iterdir() if path.is_dir()} - {"__pycache__", "_kit"} == set(FOLDERS)
