"""A class's progress files as one table and one page."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from anatomy_utils.exercises.progress.record import Progress
from anatomy_utils.exercises.report import COLUMNS, main, page, read_class


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    anna, ben = Progress(tmp_path / "class" / "anna" / "progress.json"), Progress(tmp_path / "class" / "ben.json")
    anna.attempted("start.mean", passed=False, source=None, found_by="mistake:over_features")
    anna.attempted("start.mean", passed=False, source=None, found_by="mistake:over_features")
    anna.attempted("start.mean", passed=False, source=None, found_by="crash")
    anna.attempted("start.mean", passed=True, source="def mean_vector(vectors): ...", found_by="passed")
    anna.helped("start.mean", hints=2)
    ben.attempted("start.mean", passed=False, source=None, found_by="shape")
    ben.attempted("gone.from_the_course", passed=True, source=None)
    return tmp_path / "class"


def test_findings_are_added_up_and_a_pass_is_none(folder: Path) -> None:
    entry = Progress(folder / "anna" / "progress.json").entry("exercises", "start.mean")
    assert entry["met"] == {"mistake:over_features": 2, "crash": 1} and entry["tries"] == 4


def test_learners_are_called_what_their_files_are(folder: Path) -> None:
    learners, refused = read_class(folder)
    assert [learner.name for learner in learners] == ["anna", "ben"] and refused == []
    assert [*learners[1].exercises] == ["start.mean"], "what this course does not have is left out"


def test_the_table_and_the_page_are_written(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "notes.json").write_text("[1]")
    (folder / "broken.json").write_text("{")
    assert main([str(folder), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "broken.json is left out" in said and "notes.json is left out" in said
    assert "Learners: 2. Exercises passed: 1." in said
    with (tmp_path / "out" / "class.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert tuple(head) == COLUMNS
    assert rows == [
        ["anna", "start.mean", "yes", "4", "2", "no", "mistake:over_features × 2; crash × 1"],
        ["ben", "start.mean", "no", "1", "0", "no", "shape × 1"],
    ]
    written = (tmp_path / "out" / "class.html").read_text(encoding="utf-8")
    assert "1 of 2 exercises passed, a row for each learner" in written and "1 of 2" in written


def test_a_mistake_is_told_in_its_own_words_and_names_are_escaped(tmp_path: Path) -> None:
    Progress(tmp_path / "<b>.json").attempted("start.mean", passed=False, source=None, found_by="mistake:sum")
    learners, _ = read_class(tmp_path)
    text = page(learners)
    assert "<b>" not in text.replace("<b></b>", "") and "&lt;b&gt;" in text
    assert "1 × " in text


def test_there_must_be_something_to_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nowhere")]) == 2
    assert "nowhere is no folder" in capsys.readouterr().err
    assert main([str(tmp_path)]) == 2
    assert "holds no progress file" in capsys.readouterr().err


def test_strange_entries_are_survived(tmp_path: Path) -> None:
    strange = {"exercises": {"start.mean": {"tries": "many", "met": {"crash": "often", "shape": 2}, "passed": 1}}}
    (tmp_path / "odd.json").write_text(json.dumps(strange))
    (learner,), _ = read_class(tmp_path)
    assert learner.tries("start.mean") == 0 and not learner.passed("start.mean")
    assert learner.mistakes("start.mean") == {"shape": 2}


def test_it_runs_as_a_command(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "anatomy_utils.exercises.report", str(folder), "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Learners: 2." in done.stdout and (tmp_path / "class.html").exists()
