"""The exported program for tests: written from a record that our own solutions fill, and loaded as a module."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from anatomy_course.capstone.program.own import pieces
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.stub import solution_text

HEAD = "from __future__ import annotations\nimport torch as torch\nfrom torch import Tensor as Tensor\n"


def solved(path: Path, without: tuple[str, ...] = (), **own: str) -> Progress:
    """A record in which every exercise is solved as we do it, but for what is given as text."""
    record = Progress(path / "progress.json", own=True)
    for name, exercise in pieces().items():
        if name not in without:
            text = own.get(name, solution_text(exercise).partition("\n")[2])
            record.attempted(exercise.id, passed=True, source=HEAD + text)
    return record


def loaded(path: Path) -> Any:
    """The file as a module, as `import` would find it from another folder."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
