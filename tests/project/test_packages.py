"""The house: what its root holds, what rooms export, and which modules and names are of use to anybody."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

import pytest
from anatomy_course.page.earlier_names import EARLIER
from notebook_tools import code_cells, notebook_paths, read

import anatomy_utils

ROOT = Path(anatomy_utils.__path__[0])
MODULES = [path for path in ROOT.rglob("*.py") if path.name != "__init__.py" and path.name != "colab.py"]
NAMESAKES = {"GatedFeedForward"}
"""Public classes that may share their name: what notebook 08 gives is a text that runs without the course."""

ROOMS = [
    room.name
    for room in iter_modules(anatomy_utils.__path__)
    if room.ispkg and "open_room(" in (ROOT / room.name / "__init__.py").read_text("utf-8")
]


@pytest.mark.parametrize("name", ROOMS)
def test_every_name_and_every_module_is_found(name: str) -> None:
    room = import_module(f"anatomy_utils.{name}")
    modules = {module.name for module in iter_modules(room.__path__)}
    assert modules <= set(dir(room))
    for each in dir(room):
        assert getattr(room, each) is not None
    with pytest.raises(AttributeError, match=f"anatomy_utils.{name}' has no attribute 'elsewhere'"):
        room.elsewhere  # noqa: B018


@pytest.mark.parametrize("name", ROOMS)
def test_no_two_functions_or_classes_of_a_room_share_a_name(name: str) -> None:
    files = (ROOT / name).glob("*.py")
    names = [
        node.name
        for file in files
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    assert [each for each, count in Counter(names).items() if count > 1] == []


@pytest.mark.parametrize("name", ROOMS)
def test_a_room_loads_nothing_before_it_is_used(name: str) -> None:
    code = f"import sys, anatomy_utils.{name}; print(*sorted(each for each in sys.modules if 'anatomy_utils' in each))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == ["anatomy_utils", f"anatomy_utils.{name}"]


def test_the_listing_is_the_architecture() -> None:
    files = {path.name for path in ROOT.glob("*.py")}
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert files == {"__init__.py", "colab.py", "pretrained.py", "tap.py"}
    assert len(folders) == 18
    assert all(f"`{name}`" in str(anatomy_utils.__doc__) for name in {*folders, "pretrained", "tap"})


def test_rooms_are_small_enough_to_be_listed() -> None:
    crowded = {
        folder.relative_to(ROOT).as_posix(): count
        for folder in ROOT.rglob("*")
        if folder.is_dir() and (count := len(list(folder.glob("*.py")))) > 25
    }
    assert set(crowded) <= {"zoo", "widgets"}, crowded


@pytest.mark.parametrize(
    "line",
    [
        "from anatomy_utils import masks",
        "from anatomy_utils.attention import MultiHeadAttention",
        "from anatomy_course.judge.cases import tagger",
        "from anatomy_course.lab.small_models import gaps",
        "import anatomy_utils.street",
    ],
)
def test_an_import_by_an_earlier_name_says_where_things_are(line: str) -> None:
    with pytest.raises(ImportError, match=r"is now `anatomy_utils\.[\w.]+`.*earlier copy"):
        exec(line)


def test_earlier_names_lead_to_modules_that_exist() -> None:
    for old, now in EARLIER.items():
        assert all(find_spec(f"anatomy_utils.{name}") for name in now), old


def test_every_module_is_reached() -> None:
    """From another module, a notebook, a benchmark or a script; what only tests use is not part of the course."""
    scripts = [path for folder in ("benchmarks", "images", "docs") for path in (ROOT.parent / folder).glob("*.py")]
    cells = "\n".join(cell.source for path in notebook_paths() for cell in code_cells(read(path)))
    reached = set(re.findall(r"\w+", cells))
    for path in [*ROOT.rglob("*.py"), *scripts]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                reached |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    for path in MODULES:
        name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
        public = {getattr(node, "name", "_") for node in ast.parse(path.read_text("utf-8")).body}
        by_itself = "zoo" in name or "catalogue" in name or "earlier_names" in name  # found by their file's name
        assert by_itself or name in reached or public & reached, f"nothing needs {name}"


@pytest.mark.parametrize("name", ["functional", "nn", "decoding", "training", "zoo"])
def test_every_module_has_its_test_file(name: str) -> None:
    modules = {path.stem for path in (ROOT / name).glob("*.py")} - {"__init__"}
    tested = {path.stem.removeprefix("test_") for path in (ROOT.parent / "tests" / name).glob("test_*.py")}
    assert sorted(modules - tested) == []


def test_few_public_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    shared = {name: places for name, places in homes.items() if len(places) > 1}
    assert set(shared) <= NAMESAKES, shared
