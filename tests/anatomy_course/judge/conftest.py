"""What tests of answers share: a progress file that is the learner's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from anatomy_course.judge.progress.record import Progress


@pytest.fixture
def record(tmp_path: Path) -> Progress:
    return Progress(tmp_path / "deep" / "progress.json", own=True)
