"""A class's progress files as one table and one page."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from anatomy_course.judge.progress import files
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.report import COLUMNS, main, page, read_class


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    anna, ben = Progress(tmp_path / "class" / "anna" / "progress.json"), Progress(tmp_path / "class" / "ben.json")
    anna.attempted("start.mean", passed=False, source=None, found_by="mistake:over_features")
    anna.attempted("start.mean", passed=False, source=None, found_by="mistake:over_features")
    anna.attempted("start.mean", passed=False, source=None, found_by="crash")
    anna.attempted("start.mean", passed=True, source="def mean_vector(vectors): ...", found_by="passed")
    anna.helped("start.mean", hints=2)
    anna.handed_in("start.mean", passed=True)
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


def test_the_table_and_the_page_are_written(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
        ["anna", "start.mean", "yes", "4", "2", "no", "1", "mistake:over_features × 2; crash × 1"],
        ["ben", "start.mean", "no", "1", "0", "no", "0", "shape × 1"],
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


HOME = Path(".local") / "share" / "transformer-anatomy" / "progress.json"


@pytest.fixture
def out(tmp_path: Path) -> Iterator[Path]:
    """Where the report goes; a test that hangs is ended."""
    if hasattr(signal, "alarm"):
        signal.alarm(60)
    yield tmp_path / "out"
    if hasattr(signal, "alarm"):
        signal.alarm(0)


def reported(folder: Path, out: Path) -> list[list[str]]:
    """The rows of class.csv; the page is whole as well."""
    assert main([str(folder), "--out", str(out)]) == 0
    assert (out / "class.html").read_text(encoding="utf-8").endswith("</html>\n")
    with (out / "class.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def entry(**values: object) -> str:
    return json.dumps({"exercises": {"start.mean": {"tries": 1, **values}}})


FORMULA = '=HYPERLINK("x")'


@pytest.mark.parametrize(
    ("text", "row"),
    [
        (entry(met={"\ud800": 1}), ["1", "0", "no", "0", "? × 1"]),
        (entry(hints="\ud800"), ["1", "0", "no", "0", ""]),
        (entry().replace("1", "1" + "0" * 400), ["0", "0", "no", "0", ""]),
        (entry(hints="=1+1"), ["1", "0", "no", "0", ""]),
        (entry(met={FORMULA: 1}), ["1", "0", "no", "0", f"'{FORMULA} × 1"]),
        (entry(met={"a": 2, ";=1": 1}), ["1", "0", "no", "0", "a × 2; ;'=1 × 1"]),
        (entry(met={"\r@SUM": 1, "\t\x1b[2J": 1}), ["1", "0", "no", "0", "?@SUM × 1; ??[2J × 1"]),
        (
            entry(met={f"{n:03}{'x' * 300}": n for n in range(300)}),
            ["1", "0", "no", "0", "; ".join(f"{n:03}{'x' * 77} × {n}" for n in range(299, 279, -1))],
        ),
        (entry(tries=float("nan"), met={"crash": float("inf"), "shape": -1}), ["0", "0", "no", "0", ""]),
    ],
)
def test_what_a_file_says_spoils_neither_table_nor_page(folder: Path, out: Path, text: str, row: list[str]) -> None:
    (folder / "mallory.json").write_text(text)
    rows = reported(folder, out)
    assert [row[0] for row in rows] == ["anna", "ben", "mallory"] and rows[2][3:] == row


@pytest.mark.skipif(os.name != "posix", reason="links, pipes and names of bytes are for Unix")
def test_files_that_are_none_are_named_and_the_rest_is_reported(
    folder: Path, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(folder / "fifo.json")
    (folder / "zero.json").symlink_to("/dev/zero")
    (folder / "carl").symlink_to(folder / "anna")
    (folder / "dora").mkdir()
    (folder / "dora" / "progress.json").symlink_to(folder / "anna" / "progress.json")
    (folder / "huge.json").write_text(entry(met="a" * files.MOST_BYTES))
    (folder / "deep.json").write_text("[" * 10**6)
    (folder / "digits.json").write_text(entry().replace("1", "1" * 5000))
    (folder / "folder.json").mkdir()
    (folder / "empty").mkdir()
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.json")).write_text(entry())
    (folder / "=cmd.json").write_text(entry())
    rows = reported(folder, out)
    assert [row[0] for row in rows] == ["'=cmd", "anna", "ben", "??"]
    said = capsys.readouterr().out
    page_text = (out / "class.html").read_text(encoding="utf-8")
    for sentence in (
        "fifo.json is left out: it is no regular file.",
        "zero.json is left out: it is a link.",
        "carl is left out: it is a link.",
        "dora is left out: it is a link.",
        "huge.json is left out: it is larger than 4 MB.",
        "deep.json is left out: it is no progress file.",
        "digits.json is left out: it is no progress file.",
    ):
        assert f"{sentence}\n" in said and f"<p>{sentence}</p>" in page_text
    assert said.count("is left out") == 7


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only an administrator may give files away")
def test_root_reads_the_homes_and_counts_for_nobody_what_is_somebody_elses(
    tmp_path: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    homes = tmp_path / "home"
    anna, mallory = Progress(homes / "anna" / HOME), homes / "mallory" / ".local"
    anna.attempted("start.mean", passed=True, source=None)
    mallory.parent.mkdir()
    mallory.symlink_to(homes / "anna" / ".local")
    for uid, path in ((12345, homes / "anna"), (12345, anna.path), (12346, mallory.parent)):
        os.chown(path, uid, -1)
    assert [row[:3] for row in reported(homes, out)] == [["anna", "start.mean", "yes"]]
    assert "mallory is left out: it belongs to somebody else.\n" in capsys.readouterr().out


def test_it_runs_as_a_command_in_a_terminal_that_lacks_some_letters(folder: Path, tmp_path: Path) -> None:
    (folder / "Ωmega.json").write_text("{")
    command = [sys.executable, "-m", "anatomy_course.judge.report", str(folder), "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, check=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert b"?mega.json is left out" in done.stdout and b"Learners: 2." in done.stdout
    assert (tmp_path / "class.html").exists()
