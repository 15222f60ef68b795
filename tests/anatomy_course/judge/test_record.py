"""The progress file: never half written, never lost, and never in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from anatomy_course.judge.progress import record as record_module
from anatomy_course.judge.progress.record import Progress

SOURCE = "def f(x):\n    return x\n"


@pytest.fixture
def record(tmp_path: Path) -> Progress:
    return Progress(tmp_path / "deep" / "progress.json")


@contextmanager
def another_kernel_holds(path: Path) -> Iterator[None]:
    program = "import sys, filelock\nwith filelock.FileLock(sys.argv[1]): print('held', flush=True), sys.stdin.read()"
    command = [sys.executable, "-c", program, f"{path}.lock"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as kernel:
        assert kernel.stdout is not None and kernel.stdout.readline() == "held\n"
        yield
        kernel.communicate()


WRITER = (
    "import sys; from pathlib import Path; from anatomy_course.judge.progress import record as module\n"
    "module.PATIENCE = module.IMPATIENCE = float(sys.argv[4])\n"
    "record = module.Progress(Path(sys.argv[1]))\n"
    "for i in range(int(sys.argv[3])): record.attempted(f'{sys.argv[2]}.{i}', passed=True, source='def f(): ...')\n"
    "assert 'could not' not in record.notice, record.notice"
)


@pytest.mark.parametrize("patience", ["5", "0"], ids=["patient", "impatient"])
def test_two_busy_kernels_lose_nothing(tmp_path: Path, patience: str) -> None:
    """Without patience every lock that is in use counts as one that is not to be had."""
    path, count = tmp_path / "progress.json", 100
    command = [sys.executable, "-c", WRITER, str(path)]
    kernels = [subprocess.Popen([*command, name, str(count), patience]) for name in "ab"]
    assert [kernel.wait(120) for kernel in kernels] == [0, 0]
    record = Progress(path)
    for _ in range(2):
        assert all(record.entry("exercises", f"{name}.{i}")["tries"] == 1 for name in "ab" for i in range(count))
        record.attempted("c", passed=True, source=None)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["progress.json", "progress.json.lock"], (
        "nothing half written or unmerged is left"
    )


def test_what_another_kernels_lock_keeps_out_lies_beside_and_is_merged_later(
    record: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_module, "IMPATIENCE", 0.1)
    record.attempted("a", passed=True, source=SOURCE)
    before = record.path.read_bytes()
    record._patience = 0.1
    with another_kernel_holds(record.path):
        record.attempted("a", passed=False, source=None)
        assert "kept beside it, as progress.json." in record.take_notice()
        record.attempted("b", passed=True, source=SOURCE)
        record.answered("q", 2, right=True)
        assert record.path.read_bytes() == before and len(list(record.path.parent.glob("*.waiting"))) == 3
        for reader in (record, Progress(record.path)):
            assert reader.passed("b") and reader.entry("exercises", "a")["tries"] == 2
            assert reader.entry("questions", "q") == {"first": 2, "last": 2, "right": True}
    record.take_notice()
    other = Progress(record.path)
    other.answered("q", 1, right=False)
    assert not list(record.path.parent.glob("*.waiting")) and other.notice == ""
    merged = json.loads(record.path.read_text())
    assert merged["exercises"]["b"].items() >= {"passed": True, "source": SOURCE, "tries": 1}.items()
    assert merged["exercises"]["a"]["tries"] == 2 and merged["questions"]["q"] == {"first": 2, "last": 1, "right": True}


def test_a_note_that_is_none_hurts_nobody(record: Progress) -> None:
    record.path.parent.mkdir()
    for number, text in enumerate(["{", "3", "[3]", '[["exercises", "a", 1]]', '[["badges", "a", {}]]', "[" * 10**5]):
        record.path.with_name(f"progress.json.{number}.waiting").write_text(text)
    record.attempted("b", passed=True, source=None)
    assert set(Progress(record.path).read()["exercises"]) == {"b"} and record.notice == ""


def test_without_locks_it_is_saved_all_the_same_and_said(record: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    class NoLock:
        def __init__(self, path: Path) -> None: ...

        def acquire(self, timeout: float) -> None:
            raise OSError(38, "Function not implemented")

    monkeypatch.setattr(record_module, "FileLock", NoLock)
    record.attempted("a", passed=True, source=SOURCE)
    assert "could not be locked" in record.take_notice() and Progress(record.path).passed("a")
    record.attempted("b", passed=True, source=SOURCE)
    assert record.notice == "" and Progress(record.path).passed("b")


def test_only_old_half_written_files_are_tidied_away(record: Progress) -> None:
    record.attempted("a", passed=True, source=SOURCE)
    old, young, other = (record.path.with_name(n) for n in ("progress.json1.new", "progress.json2.new", "mine.new"))
    for path in (old, young, other):
        path.write_text("{")
    yesterday = time.time() - 86400
    os.utime(old, (yesterday, yesterday))
    os.utime(other, (yesterday, yesterday))
    record.attempted("b", passed=True, source=SOURCE)
    assert not old.exists() and young.exists() and other.exists()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "cloud" / "kept.json"
    link = tmp_path / "progress.json"
    link.symlink_to(target)
    record = Progress(link)
    record.attempted("a", passed=True, source=SOURCE)
    record.attempted("b", passed=True, source=SOURCE)
    assert link.is_symlink() and Progress(target).passed("a") and Progress(link).passed("b")
    target.write_text("{")
    record.attempted("c", passed=True, source=SOURCE)
    assert link.is_symlink() and target.with_name("kept.damaged-1.json").read_text() == "{" and record.passed("c")


def test_a_place_that_cannot_be_written_costs_nothing_but_the_memory(tmp_path: Path) -> None:
    """A file stands where the folder should be: unlike a mode, that stops an administrator's account too."""
    (tmp_path / "folder").write_text("in the way")
    record = Progress(tmp_path / "folder" / "progress.json")
    record.attempted("a", passed=True, source=SOURCE)
    assert "could not be" in record.take_notice() and record.passed("a") and record.source("a") == SOURCE
    record.attempted("b", passed=True, source=None)
    assert record.passed("b") and record.notice == "" and (tmp_path / "folder").read_text() == "in the way"


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="an administrator may write everywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        record = Progress(tmp_path / "progress.json")
        record.attempted("a", passed=True, source=SOURCE)
        assert "could not be saved" in record.take_notice() and record.passed("a")
    finally:
        tmp_path.chmod(0o700)


def test_a_full_disk_leaves_the_old_file_whole(record: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    record.attempted("a", passed=True, source=SOURCE)
    before = record.path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    record.attempted("b", passed=True, source=SOURCE)
    assert record.path.read_bytes() == before and "No space left" in record.notice
    assert record.passed("a") and record.passed("b")
    assert not list(record.path.parent.glob("*.new"))


def test_what_could_not_be_saved_is_saved_when_it_can_be(tmp_path: Path) -> None:
    obstacle = tmp_path / "folder"
    obstacle.write_text("in the way")
    record = Progress(obstacle / "progress.json")
    record.attempted("a", passed=True, source=SOURCE)
    assert "each time you run an exercise it is tried again" in record.take_notice()
    record.answered("q", 1, right=True)
    assert record.take_notice() == ""
    obstacle.unlink()
    record.attempted("a", passed=False, source=None)
    assert "could be saved again" in record.take_notice()
    again = Progress(record.path)
    assert again.entry("exercises", "a").items() >= {"passed": True, "source": SOURCE, "tries": 2}.items()
    assert again.entry("questions", "q")["right"] is True
    record.attempted("b", passed=True, source=None)
    assert record.notice == ""


def test_a_kernel_that_dies_in_a_check_is_told_by_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    program = (
        "import os, sys; from pathlib import Path; from anatomy_course.judge import exercise\n"
        "from anatomy_course.judge.progress.record import Progress\n"
        "exercise('start.mean', record=Progress(Path(sys.argv[1])))(lambda vectors: os._exit(3))"
    )
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == 3
    record = Progress(path)
    with record.checking("attention.scores"):
        assert Progress(path).take_notice() == "", "the mark of a check that still runs is left alone"
    assert record.take_notice().startswith("The kernel died while start.mean was being checked: ")
    assert record.take_notice() == "" == Progress(path).take_notice()
    assert not list(tmp_path.glob("*.checking-*"))


def test_a_file_that_cannot_be_read_is_told_and_costs_nothing(record: Progress) -> None:
    """A folder of the file's name: unlike a mode, that stops an administrator's account too."""
    record.path.mkdir(parents=True)
    assert record.read()["exercises"] == {}
    assert "could not be read (" in record.take_notice()


@pytest.mark.parametrize("strange", ["many", True, -3, 10**400, 2.5, None, [1]], ids=repr)
def test_numbers_that_nobody_can_have_counted_count_nothing(record: Progress, strange: object) -> None:
    entry = {"tries": strange, "hints": strange, "met": {"crash": strange, "shape": 2}}
    record.path.parent.mkdir()
    record.path.write_text(json.dumps({"exercises": {"a": entry}}))
    record.attempted("a", passed=False, source=None, found_by="crash")
    record.helped("a", hints=1)
    assert record.entry("exercises", "a") == {"tries": 1, "hints": 1, "met": {"crash": 1, "shape": 2}}


def test_notes_of_the_same_moment_are_merged_in_the_order_of_their_names(record: Progress) -> None:
    record.path.parent.mkdir()
    for number in (3, 1, 4, 0, 5, 9, 2, 6, 8, 7):
        aside = record.path.with_name(f"progress.json.{number}.waiting")
        aside.write_text(json.dumps([["questions", "q", {"first": number, "last": number}]]))
        os.utime(aside, (1, 1))
    assert record.entry("questions", "q") == {"first": 0, "last": 9}


@pytest.mark.parametrize("umask", [0o000, 0o777], ids=oct)
def test_the_file_is_its_owners_alone_whatever_an_answer_left_as_umask(record: Progress, umask: int) -> None:
    record.path.parent.mkdir()
    before = os.umask(umask)
    try:
        record.attempted("a", passed=True, source=SOURCE)
    finally:
        os.umask(before)
    if os.name == "posix":
        assert record.path.stat().st_mode & 0o777 == 0o600
    assert Progress(record.path).passed("a")


def test_an_answer_that_replaces_json_loses_nothing(record: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    record.attempted("a", passed=True, source=SOURCE)
    monkeypatch.setattr(json, "loads", lambda *arguments, **more: {})
    monkeypatch.setattr(json, "dumps", None)
    record.attempted("b", passed=True, source=SOURCE)
    assert record.notice == "" and record.passed("a") and record.passed("b")
    monkeypatch.undo()
    assert set(json.loads(record.path.read_text())["exercises"]) == {"a", "b"}


@pytest.fixture
def own(record: Progress) -> Progress:
    """The learner's own file, with an answer in it."""
    progress = Progress(record.path, own=True)
    progress.attempted("a", passed=True, source=SOURCE)
    assert progress.runnable("a") == SOURCE
    return progress


def others_may_write(path: Path) -> None:
    path.chmod(0o646)


def another_user_wrote(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only an administrator may give files away")
    os.chown(path, 12345, -1)


@pytest.mark.skipif(os.name != "posix", reason="modes and owners of files are for Unix")
@pytest.mark.parametrize("suspect", [others_may_write, another_user_wrote])
def test_what_others_could_have_written_is_not_run_not_even_after_it_was_saved(
    own: Progress, suspect: Callable[[Path], None]
) -> None:
    suspect(own.path)
    for _ in range(2):
        with pytest.raises(ValueError, match="others could have written to .*; pass the exercise once more"):
            own.runnable("a")
        assert own.passed("a") and own.source("a") is None
        own.attempted("b", passed=True, source=None)  # writes a new file, which is the learner's own again
    assert json.loads(own.path.read_text())["exercises"]["a"]["source_of_others"] == SOURCE, "nothing is thrown away"
    own.attempted("a", passed=True, source=SOURCE)
    assert own.runnable("a") == SOURCE


@pytest.mark.skipif(os.name != "posix", reason="modes and owners of files are for Unix")
def test_notes_and_links_of_others_do_not_bring_code(own: Progress, tmp_path: Path) -> None:
    aside = own.path.with_name("progress.json.1.waiting")
    aside.write_text(json.dumps([["exercises", "a", {"source": "evil"}]]))
    others_may_write(aside)
    assert own.runnable("a") == SOURCE
    own.attempted("b", passed=True, source=None)
    assert own.runnable("a") == SOURCE and aside.exists()
    if os.geteuid() == 0:
        link = tmp_path / "linked.json"
        link.symlink_to(own.path)
        os.chown(link, 12345, -1, follow_symlinks=False)
        with pytest.raises(ValueError, match="others could have written"):
            Progress(link, own=True).runnable("a")


def test_a_copy_of_somebodys_file_is_read_and_not_run(own: Progress) -> None:
    copy = own.path.with_name("anna.json")
    copy.write_bytes(own.path.read_bytes())
    assert Progress(copy).passed("a") and Progress(copy).source("a") == SOURCE and Progress(copy).runnable("b") is None
    with pytest.raises(ValueError, match=r"anna\.json is not your own progress file"):
        Progress(copy).runnable("a")
