"""Where progress is kept. Besides `zoo.unpacked`, the only place that looks at the environment.

`ANATOMY_PROGRESS` names another file, for tests, shared machines and classrooms:

    ANATOMY_PROGRESS=here/progress.json jupyter lab
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import platformdirs

from anatomy_utils.exercises.progress.record import Progress

VARIABLE = "ANATOMY_PROGRESS"


def progress_file() -> Path:
    """The file in the user's data folder, or the one that the environment names."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    return Path(platformdirs.user_data_dir("transformer-anatomy", appauthor=False)) / "progress.json"


def own_progress() -> Progress:
    """The learner's progress; the same object for the same file, so that what cannot be saved is still remembered."""
    return _progress_in(progress_file())


@cache
def _progress_in(path: Path) -> Progress:
    return Progress(path)
