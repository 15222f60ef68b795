"""The widgets' scripts can be read in one sitting, and each belongs to a widget.

ESLint and Prettier (tests/support/lint_scripts.py) check the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from anatomy_course.views._kit.modules import STATIC, join

SCRIPTS = sorted(path for path in STATIC.rglob("*.js") if "vendor" not in path.relative_to(STATIC).parts)
LONGEST_LINE, LONGEST_FILE, LONGEST_RENDER = 120, 350, 200


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_can_be_read_in_one_sitting(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST_FILE
    long = [number for number, line in enumerate(lines, start=1) if len(line) > LONGEST_LINE]
    assert not long, f"lines {long} have more than {LONGEST_LINE} characters"
    assert lines[0].startswith("// "), "a script says first what it is"
    if "function render({ model, el }) {" in lines:
        start = lines.index("function render({ model, el }) {")
        assert lines.index("}", start) - start < LONGEST_RENDER


def test_every_script_belongs_to_a_widget() -> None:
    joined = [join(path)[1] for path in SCRIPTS if path.name == "view.js"]
    assert {file for files in joined for file in files} == set(SCRIPTS)


def test_no_two_widgets_have_a_root_class_in_common() -> None:
    added = re.compile(r'\broot\.classList\.add\("([\w-]+)"')
    names = Counter(name for path in SCRIPTS for name in set(added.findall(path.read_text(encoding="utf-8"))))
    assert [name for name, count in names.items() if count > 1] == [], "the styles of one would reach the other"


def test_superscripts_are_markup() -> None:
    """Some serif fonts draw the raised capital T as a small S."""
    assert [path.name for path in sorted(STATIC.rglob("*.js")) if "\u1d40" in path.read_text(encoding="utf-8")] == []
