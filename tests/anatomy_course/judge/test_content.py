"""The content's files: all of them listed, in the notebooks' order."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch import Tensor

from anatomy_course import content
from anatomy_course.judge import find_exercise, ids
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.tensors import parts
from anatomy_course.page.notebooks import NOTEBOOKS, Notebook

FOLDER = Path(content.__file__).parent
NO_EXERCISES = {"__init__", "shared", "gpt_in_steps"}
NOTHING_TO_SQUEEZE = {"taxonomy.corrupt_spans", "taxonomy.leave_one_out"}
"""Nobody asks for one token with a gap in it, or for one token left out of one."""


def test_the_catalogue_has_a_folder_for_each_notebook() -> None:
    assert {path.stem for path in FOLDER.iterdir()} - {"__pycache__"} == {
        *("__init__", "draw", "ideas", "shared", "sizes", "writing"),
        *(notebook.prefix for notebook in NOTEBOOKS),
    }


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.prefix)
def test_every_file_is_an_exercise_that_its_notebook_lists(notebook: Notebook) -> None:
    files = {path.stem for path in (FOLDER / notebook.prefix).glob("*.py")} - NO_EXERCISES
    assert {f"{notebook.prefix}.{name}" for name in files} == {
        id for id in ids() if id.startswith(f"{notebook.prefix}.")
    }


def test_a_bare_squeeze_passes_nowhere() -> None:
    """Some case has an axis of length one in its result, such as a batch of one text."""
    functions = [exercise for exercise in map(find_exercise, ids()) if exercise.observe is None]
    for exercise in functions:
        results = [part for target in AnswerKey(exercise).targets for part in parts(target) or ()]
        shapes = [part.shape for part in results if isinstance(part, Tensor) and part.ndim]
        spared = not shapes or any(1 in shape for shape in shapes)
        assert spared != (exercise.id in NOTHING_TO_SQUEEZE), exercise.id
