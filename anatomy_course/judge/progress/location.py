"""Where progress is kept, and whether solutions are shown. Besides `zoo.unpacked`, the only place that looks at the
environment.

`ANATOMY_PROGRESS` names another file, for tests, shared machines and classrooms; `ANATOMY_SOLUTIONS=hidden` keeps
solutions off the cards of a class:

    ANATOMY_PROGRESS=here/progress.json ANATOMY_SOLUTIONS=hidden jupyter lab
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import platformdirs

from anatomy_course.judge.progress.record import Progress

VARIABLE = "ANATOMY_PROGRESS"
SOLUTIONS = "ANATOMY_SOLUTIONS"


def progress_file() -> Path:
    """The file in the user's data folder, or the one that the environment names."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    return Path(platformdirs.user_data_dir("transformer-anatomy", appauthor=False)) / "progress.json"


def solutions_hidden() -> bool:
    """Whether a teacher has hidden the solutions; who passed still reads why it works."""
    return os.environ.get(SOLUTIONS, "").strip().lower() == "hidden"


def own_progress() -> Progress:
    """The learner's progress; the same object for the same file, so that what cannot be saved is still remembered."""
    return _progress_in(progress_file())


@cache
def _progress_in(path: Path) -> Progress:
    return Progress(path, own=True)
