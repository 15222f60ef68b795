"""Cells that never reach the judge: what Python cannot read, and ids that do not exist, in a running IPython."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anatomy_course.judge import solution_source, stub
from anatomy_course.judge.decorator import in_words, instead

SOLVED = solution_source("attention.scores")
BROKEN = {
    "a colon": (SOLVED.replace(") -> Tensor:", ") -> Tensor"), "a `:` is missing", "In line 2"),
    "a parenthesis": (SOLVED.replace("transpose(-2, -1)", "transpose(-2, -1"), "the `(` is never closed", "return"),
    "an indent": (SOLVED.replace("    return", "return"), "this `return` is outside the function", "return"),
    "a level": (SOLVED.replace("    return", "  return"), "its indent matches no line above", "return"),
}
SHELL = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
assert shell.run_cell("import torch; from torch import Tensor; from anatomy_course.judge import exercise").success
for cell in json.loads(sys.stdin.read()):
    done = shell.run_cell(cell)
    print("went well:", done.success)
"""


def test_cells_in_a_notebook_show_a_card_and_the_notebook_goes_on(tmp_path: Path) -> None:
    use = "print(attention_scores(torch.eye(2), torch.eye(2)).shape)"
    misspelled = SOLVED.replace("attention.scores", "attention.score")
    without = SOLVED.replace('("attention.scores")', "")
    broken = [text for text, _, _ in BROKEN.values()]
    empty = stub("attention.scores")
    cells = [*broken, use, misspelled, use, without, use, empty, SOLVED, empty]
    around = {**os.environ, "ANATOMY_PROGRESS": str(tmp_path / "progress.json"), "IPYTHONDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", SHELL], input=json.dumps(cells), capture_output=True, text=True, env=around
    )
    assert done.returncode == 0, done.stderr
    shown = done.stdout
    assert "Traceback" not in shown and "Error" not in shown, shown
    assert shown.count("went well: True") == len(cells)
    for _, words, where in BROKEN.values():
        assert words in shown and where in shown
    assert shown.count("✗ Python cannot read this cell: Scaled scores") == len(broken)
    assert "There is no exercise with the id 'attention.score'; did you mean 'attention.scores'" in shown
    assert "@exercise needs an id in parentheses" in shown
    assert shown.count("torch.Size([2, 2])") == 3, "the course's own version is used"
    assert shown.count("Not attempted yet") == 1
    assert "Empty again; it passed before" in shown and "It stays passed" in shown


@pytest.mark.parametrize(
    "cell",
    [
        SOLVED,
        "print(1",
        'x = """@exercise("attention.scores")"""',
        f"%time 1\n{BROKEN['a colon'][0]}",
        f"files = !ls\n{SOLVED}",
        f"await thing()\n{SOLVED}",
        f"\0{SOLVED}",
    ],
    ids=ascii,
)
def test_other_cells_are_left_alone(cell: str) -> None:
    lines = cell.splitlines(keepends=True)
    assert instead(lines) is lines


def test_words_that_are_not_known_are_python_s_own() -> None:
    assert in_words("cannot assign to literal here") == "“cannot assign to literal here”."
