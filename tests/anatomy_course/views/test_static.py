"""The widgets' scripts can be read in one sitting, and no two of them have a function of the same name.

ESLint and Prettier (tests/support/lint_scripts.py) check the rest.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from anatomy_course.views._kit.base import KIT, STATIC

PACKAGE = STATIC.parent
SCRIPTS = sorted(path for path in STATIC.rglob("*.js") if "vendor" not in path.relative_to(STATIC).parts)
LONGEST_LINE, LONGEST_FILE, LONGEST_RENDER = 120, 350, 200


def modules() -> list[tuple[str, ...]]:
    """The files of each widget's module, as its class names them: the kit, what it shares, its own."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                words = {
                    word.arg: ast.literal_eval(word.value) for word in node.keywords if word.arg in ("module", "shares")
                }
                if "module" in words:
                    found.append((*KIT, *words.get("shares", ()), words["module"]))
    return found


def declared(path: Path, kinds: str = "function|const|let") -> list[str]:
    """What a script declares at its top level."""
    return re.findall(rf"^(?:{kinds}) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_can_be_read_in_one_sitting(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST_FILE
    assert [number for number, line in enumerate(lines, start=1) if len(line) > LONGEST_LINE] == []
    assert lines[0].startswith("// "), "a script says first what it is"
    if "function render({ model, el }) {" in lines:
        start = lines.index("function render({ model, el }) {")
        assert lines.index("}", start) - start < LONGEST_RENDER


def test_no_function_stands_in_two_scripts() -> None:
    names = Counter(name for path in SCRIPTS for name in declared(path, "function") if name != "render")
    assert [name for name, count in names.items() if count > 1] == []


def test_every_script_belongs_to_a_widget_and_fits_beside_the_others() -> None:
    assert {name for files in modules() for name in files} == {path.relative_to(STATIC).as_posix() for path in SCRIPTS}
    for files in modules():
        names = Counter(name for file in files for name in declared(STATIC / file))
        assert [name for name, count in names.items() if count > 1] == [], files[-1]


def test_no_two_widgets_have_a_root_class_in_common() -> None:
    added = re.compile(r'\broot\.classList\.add\("([\w-]+)"')
    names = Counter(name for path in SCRIPTS for name in set(added.findall(path.read_text(encoding="utf-8"))))
    assert [name for name, count in names.items() if count > 1] == [], "the styles of one would reach the other"


def test_superscripts_are_markup() -> None:
    """Some serif fonts draw the raised capital T as a small S."""
    assert [path.name for path in sorted(STATIC.rglob("*.js")) if "\u1d40" in path.read_text(encoding="utf-8")] == []
