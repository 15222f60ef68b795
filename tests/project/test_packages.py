"""The two packages: what they hold and export, how large they are, and which modules and names are of use."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from notebook_tools import code_cells, notebook_paths, read
from zoo_cases import CASES

import anatomy_course
import anatomy_utils
from anatomy_course import views
from anatomy_course.judge import ids

ROOT = Path(anatomy_utils.__path__[0]).parent
PACKAGES = [ROOT / name for name in anatomy_course.PACKAGES]
FILES = [path for package in PACKAGES for path in package.rglob("*.py")]
MODULES = [path for path in FILES if path.name not in ("__init__.py", "colab.py")]
NAMESAKES = {"GatedFeedForward"}
"""Public classes that may share their name: what notebook 10 gives is a text that runs without the course."""
LINES = {
    "anatomy_utils, the small package": (("anatomy_utils",), 19_430),
    "the two packages together": (anatomy_course.PACKAGES, 74_090),
    "the exercises": (("anatomy_course/content",), 14_185),
    "what judges answers": (("anatomy_course/judge", "anatomy_course/capstone"), 15_000),
    "the tests": (("tests",), 37_360),
}
"""How many lines of Python there may be, in place of a limit for each file: one may be as long as one idea needs."""
EXERCISES = {id.partition(".")[2] for id in ids()}
EXERCISE = 125
"""How many lines an exercise may have on average."""


def dotted(path: Path) -> str:
    """`anatomy_utils/nn/__init__.py` → `anatomy_utils.nn`."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def exports(path: Path) -> list[str]:
    """The names that an `__init__.py` imports for others, those that only editors and type checkers read included."""
    tree = ast.walk(ast.parse(path.read_text("utf-8")))
    imports = [node for node in tree if isinstance(node, ast.ImportFrom) and node.col_offset in (0, 4)]
    return [alias.asname for node in imports for alias in node.names if alias.asname]


EXPORTING = {dotted(path): path for path in FILES if path.name == "__init__.py" and exports(path)}


# Exports --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPORTING)
def test_every_name_is_found_and_stands_once(name: str) -> None:
    package, names = import_module(name), exports(EXPORTING[name])
    assert [each for each, count in Counter(names).items() if count > 1] == []
    assert set(names) <= set(dir(package))
    for each in names:
        assert getattr(package, each) is not None
    with pytest.raises(AttributeError, match=f"{name}' has no attribute 'elsewhere'"):
        package.elsewhere  # noqa: B018


@pytest.mark.parametrize("name", EXPORTING)
def test_no_two_functions_or_classes_of_a_package_share_a_name(name: str) -> None:
    names = [
        node.name
        for file in EXPORTING[name].parent.glob("*.py")
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    assert [each for each, count in Counter(names).items() if count > 1] == []


def test_what_comes_late_is_what_editors_are_told() -> None:
    assert sorted(anatomy_course._HOME) == sorted(exports(EXPORTING["anatomy_course"]))
    for name in ("anatomy_course.lab.street", "anatomy_utils.taxonomy"):
        (late,) = [node for node in ast.parse(EXPORTING[name].read_text("utf-8")).body if isinstance(node, ast.If)]
        told = [alias.asname for node in late.body if isinstance(node, ast.ImportFrom) for alias in node.names]
        table = import_module(name)._LATE
        assert sorted(told) == sorted([*table, *(each for names in table.values() for each in names)])


def test_a_type_checker_and_an_editor_find_what_a_notebook_calls(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    lines = ["import anatomy_course", "from anatomy_course import views", "reveal_type(views.head_board)",
             "reveal_type(anatomy_course.exercise)"]  # fmt: skip
    (tmp_path / "cell.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(tmp_path / "cell.py")]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    board, decorator = re.findall(r'Revealed type is "(.*)"', said)
    assert board.startswith("def (") and board.endswith("HeadBoard") and "Any" not in board.split("->")[0].split(",")[0]
    assert decorator.startswith("def (id: ")
    place = Path(inspect.getsourcefile(inspect.unwrap(views.head_board)) or "")
    assert place.is_relative_to(ROOT / "anatomy_course" / "views")


@pytest.mark.parametrize("package", anatomy_course.PACKAGES)
def test_a_package_loads_nothing_before_it_is_used(package: str) -> None:
    heavy = "{'torch', 'numpy', 'matplotlib', 'anywidget', 'ipywidgets', 'IPython'}"
    code = f"import sys, {package}; print(*sorted(m for m in sys.modules if 'anatomy_' in m or m in {heavy}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert [name for name in loaded if not name.startswith("__editable__")] == [package]


# What there is ---------------------------------------------------------------------------------------------------


def test_the_listing_of_the_small_package_is_its_table_of_contents() -> None:
    files, folders = listing("anatomy_utils")
    assert files == {"__init__.py", "pretrained.py", "tap.py"}
    assert len(folders) <= 8, f"{len(folders)} folders: the small package is to be seen at a glance"
    assert all(f"`{name}`" in str(anatomy_utils.__doc__) for name in {*folders, "pretrained", "tap"})


def test_the_listing_of_the_course_is_its_table_of_contents() -> None:
    files, folders = listing("anatomy_course")
    assert files == {"__init__.py"} and len(folders) == 7
    assert all(f"`{name}`" in str(anatomy_course.__doc__) for name in folders)


def listing(package: str) -> tuple[set[str], set[str]]:
    """A package's own files and folders."""
    inside = list((ROOT / package).iterdir())
    folders = {path.name for path in inside if path.is_dir() and any(path.rglob("*.py"))}
    return {path.name for path in inside if path.suffix == ".py"}, folders


@pytest.mark.parametrize("what", LINES)
def test_there_is_not_more_of_it_than_the_next_person_can_hold(what: str) -> None:
    folders, most = LINES[what]
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    count = sum(len(path.read_text("utf-8").splitlines()) for path in files)
    assert count <= most, f"{what}: {count} lines of Python, {count - most} more than the {most} that LINES allows"


def test_an_exercise_is_short_on_average() -> None:
    content = ROOT / "anatomy_course" / "content"
    lengths = [len(path.read_text("utf-8").splitlines()) for path in content.glob("*/*.py") if path.stem in EXERCISES]
    assert len(lengths) > 80 and sum(lengths) / len(lengths) <= EXERCISE


def test_every_module_is_reached() -> None:
    """From another module, a notebook, a benchmark or a script; what only tests use is not part of the course.

    That a package's `__init__.py` lists it does not count, unless that calls it: nobody may need what is listed.
    """
    scripts = [path for folder in ("tools/benchmarks", "tools/images", "docs") for path in (ROOT / folder).glob("*.py")]
    cells = "\n".join(cell.source for path in notebook_paths() for cell in code_cells(read(path)))
    started = re.findall(r"hook=([\w.]+)", (ROOT / "Makefile").read_text("utf-8"))  # by JupyterLab
    reached = {*re.findall(r"\w+", cells), *(name.rpartition(".")[0] for name in started)}
    for path in [*MODULES, ROOT / "anatomy_course" / "page" / "colab.py", *scripts]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                reached |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
                reached |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                reached.add(f"{node.value.id}.{node.attr}")
    for path in FILES:
        if path.name == "__init__.py":
            reached |= {node.id for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Name)}
    for path in MODULES:
        name, room = dotted(path), path.parent.name
        public = {getattr(node, "name", "_") for node in ast.parse(path.read_text("utf-8")).body} - {"_"}
        by_itself = name.startswith(("anatomy_utils.zoo.", "anatomy_course.content."))  # found by their file's name
        called = public | {f"{room}.{each}" for each in public}
        assert by_itself or name in reached or called & reached, f"nothing needs {name}"


@pytest.mark.parametrize("name", ["functional", "decoding", "training", "zoo"])
def test_every_module_has_its_test_file_or_its_place_in_the_table_of_references(name: str) -> None:
    """What `nn` holds beyond that is compared as a part of the zoo's families."""
    modules = {path.stem.removesuffix("_layout") for path in (ROOT / "anatomy_utils" / name).glob("[!_]*.py")}
    files = (ROOT / "tests" / "anatomy_utils" / name).glob("test_*.py")
    tested = {path.stem.removeprefix("test_") for path in files} | ({*CASES} if name == "zoo" else set())
    assert sorted(modules - tested) == []


def test_few_public_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for path in MODULES:
        if "content" in path.parts:  # a solution has the name that learners give
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    shared = {name: places for name, places in homes.items() if len(places) > 1}
    assert set(shared) <= NAMESAKES, shared
