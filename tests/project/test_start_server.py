"""What a learner's server does before it starts: the course arrives, and nothing that the learner did is lost."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the hub is for Linux")
SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "start_server.py"
NOTEBOOK = "notebooks/01.ipynb"
LINES = [f"line {number}\n" for number in range(12)]


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=teacher", "-c", "user.email=teacher@localhost", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def script() -> Any:
    spec = importlib.util.spec_from_file_location("start_server", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def teacher(tmp_path: Path) -> Path:
    """The teacher's copy of the course, from which `course.git` beside it was made."""
    folder = tmp_path / "teacher"
    (folder / "notebooks").mkdir(parents=True)
    (folder / NOTEBOOK).write_text("".join(LINES))
    (folder / "notebooks" / "02.ipynb").write_text("second\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "course")
    git(tmp_path, "clone", "--quiet", "--bare", "teacher", "course.git")
    return folder


@pytest.fixture
def pull(teacher: Path, script: Any) -> Callable[[], Path]:
    """Start the learner's server: the learner's copy."""
    home = teacher.parent / "home"
    home.mkdir()

    def start() -> Path:
        script.pull(str(teacher.parent / "course.git"), home / script.FOLDER)
        copy: Path = home / script.FOLDER
        assert git(copy, "status", "--porcelain", "--untracked-files=no") == "", "nothing is half done"
        return copy

    return start


def publish(teacher: Path, **files: str | None) -> None:
    """The teacher changes files (None deletes one) and pushes."""
    for name, text in files.items():
        path = teacher / name.replace("__", "/").replace("_", ".")
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    git(teacher, "add", "--all")
    git(teacher, "commit", "--quiet", "--message", "news")
    git(teacher, "push", "--quiet", str(teacher.parent / "course.git"), "main")


def changed(**lines: str) -> str:
    return "".join(lines.get(f"line_{number}", line) for number, line in enumerate(LINES))


def test_where_both_changed_a_line_the_learners_stays_and_the_rest_arrives(
    teacher: Path, pull: Callable[[], Path]
) -> None:
    copy = pull()
    assert (copy / NOTEBOOK).read_text() == changed()
    for round in "ab":
        mine = (copy / NOTEBOOK).read_text().splitlines(keepends=True)
        mine[1] = f"mine {round}\n"
        (copy / NOTEBOOK).write_text("".join(mine))
        publish(teacher, notebooks__01_ipynb=changed(line_1=f"news {round}\n", line_9=f"news {round}\n"))
        pull()
        assert (copy / NOTEBOOK).read_text() == changed(line_1=f"mine {round}\n", line_9=f"news {round}\n")
    pull()


def test_a_deleted_notebook_comes_back_as_it_is_now(teacher: Path, pull: Callable[[], Path]) -> None:
    copy = pull()
    (copy / NOTEBOOK).unlink()
    publish(teacher, notebooks__01_ipynb="new\n", notebooks__02_ipynb=None)
    (copy / "notebooks" / "02.ipynb").unlink()
    pull()
    assert (copy / NOTEBOOK).read_text() == "new\n" and not (copy / "notebooks" / "02.ipynb").exists()


def test_what_the_course_dropped_and_the_learner_changed_stays(teacher: Path, pull: Callable[[], Path]) -> None:
    copy = pull()
    (copy / NOTEBOOK).write_text("mine\n")
    publish(teacher, notebooks__01_ipynb=None, notebooks__02_ipynb="new\n")
    for _ in range(2):
        pull()
        assert (copy / NOTEBOOK).read_text() == "mine\n" and (copy / "notebooks" / "02.ipynb").read_text() == "new\n"


def test_the_learners_own_files_make_way_under_another_name(teacher: Path, pull: Callable[[], Path]) -> None:
    copy = pull()
    (copy / "notebooks" / "03.ipynb").write_text("mine\n")
    (copy / "data").write_text("my data\n")
    (copy / "plan.md").mkdir()
    (copy / "plan.md" / "mine").write_text("my plan\n")
    (copy / "notebooks" / "model.pt").write_text("my model\n")
    publish(teacher, notebooks__03_ipynb="third\n", data__a_txt="new\n", plan_md="plan\n")
    pull()
    assert (copy / "notebooks" / "03.ipynb").read_text() == "third\n" and (copy / "data" / "a.txt").exists()
    (notebook,), (data,) = copy.glob("notebooks/03__*.ipynb"), copy.glob("data__*")
    (plan,) = copy.glob("plan__*.md/mine")
    assert [each.read_text() for each in (notebook, data, plan)] == ["mine\n", "my data\n", "my plan\n"]
    assert (copy / "notebooks" / "model.pt").read_text() == "my model\n"


def test_what_a_killed_server_left_is_no_obstacle(teacher: Path, pull: Callable[[], Path], script: Any) -> None:
    half = teacher.parent / "home" / f".{script.FOLDER}.new" / ".git"
    half.mkdir(parents=True)
    copy = pull()
    assert [path.name for path in copy.parent.iterdir()] == [script.FOLDER]
    (copy / NOTEBOOK).write_text("mine\n")
    publish(teacher, notebooks__01_ipynb=None)
    git(copy, "commit", "--quiet", "--all", "--message", "mine")
    git(copy, "fetch", "--quiet", "origin")
    assert subprocess.run(["git", "merge", "--quiet", "origin/main"], cwd=copy, capture_output=True).returncode == 1
    lock = copy / ".git" / "index.lock"
    lock.touch()
    with pytest.raises(subprocess.CalledProcessError):
        pull()
    os.utime(lock, (time.time() - 2 * script.STALE,) * 2)
    pull()
    assert (copy / NOTEBOOK).read_text() == "mine\n"


def test_a_folder_that_is_no_copy_is_left_alone(teacher: Path, pull: Callable[[], Path], script: Any) -> None:
    home = teacher.parent / "home"
    git(home, "init", "--quiet")
    (home / script.FOLDER).mkdir()
    (home / script.FOLDER / "mine").touch()
    with pytest.raises(ValueError, match="is no copy of the course; rename it"):
        pull()
    assert git(home, "log", "--all") == "" and (home / script.FOLDER / "mine").exists()


@pytest.mark.parametrize("course", ["nowhere.git", "--upload-pack=touch evil", "http://127.0.0.1:9/course.git"])
def test_the_server_starts_even_where_the_course_cannot_be_reached(
    teacher: Path, pull: Callable[[], Path], course: str
) -> None:
    """A module that tells what it was given takes the place of the server; a file in the learner's home does not."""
    copy, home = pull(), teacher.parent / "home"
    (copy / NOTEBOOK).write_text("mine\n")
    package = teacher.parent / "site" / "jupyterhub"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "singleuser.py").write_text("import json, os, sys; print(json.dumps([os.getpid(), sys.argv[1:]]))")
    (home / "json.py").write_text("raise SystemExit('the wrong json')")
    own = {"HOME": str(home), "ANATOMY_COURSE": course, "PYTHONPATH": str(package.parent)}
    command = [sys.executable, str(SCRIPT), "--port=1", "--ServerApp.x=a b"]
    with subprocess.Popen(command, env=os.environ | own, cwd=home, stdout=-1, stderr=-1, text=True) as server:
        told, said = server.communicate(timeout=60)
    assert json.loads(told) == [server.pid, ["--port=1", "--ServerApp.x=a b"]], "it is the same process"
    assert "goes on with what is there" in said and (copy / NOTEBOOK).read_text() == "mine\n"
    assert not list(home.rglob("evil"))
