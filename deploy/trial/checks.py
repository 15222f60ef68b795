"""What must hold once all learners have finished; each check raises AssertionError with a sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from trial.hub import Hub
from trial.learner import ANSWERED, FOLDER, NOTEBOOK, Learner

UPDATED = "03_encoder.ipynb"
"""A notebook that no learner has touched when the teacher changes it."""

NEWS = '{"cell_type": "markdown", "id": "news", "metadata": {}, "source": "News"}'


def for_all(learners: list[Learner], work: Callable[[Learner], None]) -> None:
    """Do something for all learners at once; the first error is raised when all are through."""
    with ThreadPoolExecutor(len(learners)) as pool:
        for done in [pool.submit(work, each) for each in learners]:
            done.result()


def finished(learners: list[Learner]) -> None:
    """Each learner's file holds three exercises that passed, with the tries of this learner and of nobody else."""
    for each in learners:
        kept = json.loads(each.account.progress.read_text(encoding="utf-8"))["exercises"]
        passed = {id for id, entry in kept.items() if entry.get("passed")}
        assert passed == set(ANSWERED), f"{each.account.name} passed {passed}."
        tries = kept[ANSWERED[0]]["tries"]
        assert tries == each.wrong + 1, f"{each.account.name} has {tries} tries, not {each.wrong + 1}."
        text = (each.account.home / NOTEBOOK).read_text(encoding="utf-8")
        assert "return table[input_ids]" in text, f"{each.account.name}'s notebook was not saved."


def apart(learners: list[Learner]) -> None:
    """Nobody reaches another's files or server: not from their kernel, not through the hub; the cache is read-only."""
    for one, other in zip(learners, [*learners[1:], learners[0]], strict=True):
        _refused(one, f"import os; print(os.listdir({str(other.account.home)!r}))", "PermissionError")
        for file in (other.account.progress, other.account.home / NOTEBOOK):
            _refused(one, f"print(open({str(file)!r}).read())", "PermissionError")
        for path in ("api/contents/", f"files/{NOTEBOOK}", "api/kernels"):
            status = one.request("GET", f"{other.url}/{path}").status_code
            assert status in (403, 404), f"{one.account.name} got {path} of {other.account.name}: {status}"
        status = one.request("GET", f"{one.hub.url}/hub/api/users/{other.account.name}").status_code
        assert status in (403, 404), f"{one.account.name} read about {other.account.name} from the hub: {status}"
        way = one.run("from ipykernel.connect import get_connection_info\nprint(get_connection_info())")
        assert '"ipc"' in way, f"others can listen to {one.account.name}'s kernel: {way}"
        _refused(one, "import os; open(os.environ['ANATOMY_CACHE'] + '/new', 'w')", "PermissionError")


def the_course_came_from_the_hub_alone(learners: list[Learner]) -> None:
    """The copy is the learner's own, and no address of a server puts another repository beside it."""
    for each in learners:
        copy = each.account.home / FOLDER
        others = [path for path in (copy, *copy.rglob("*")) if path.lstat().st_uid != each.account.uid]
        assert not others, f"{each.account.name}'s copy has files of somebody else: {others[:3]}"
        for path in ("git-pull", "git-pull/api", "git-sync"):
            status = each.request("GET", f"{each.url}/{path}?repo={each.hub.folder}/course.git").status_code
            assert status == 404, f"{path} of {each.account.name}'s server answers {status}"


def memory_is_limited(learner: Learner) -> None:
    """Too large a tensor raises an error in the learner's kernel, which goes on."""
    gigabytes = 2 * float(learner.run("import os; print(os.environ['MEM_LIMIT'])")) / 2**30
    _refused(learner, f"import torch; too_large = torch.zeros(int({gigabytes} * 2**28))", "RuntimeError")
    assert "6" in learner.run("print(1 + 2 + 3)"), "the kernel did not go on"


def killed_kernel_loses_nothing(learner: Learner) -> None:
    """A kernel that is killed comes back, and the cards know what was passed before."""
    before = learner.account.progress.read_bytes()
    notebook = (learner.account.home / NOTEBOOK).read_bytes()
    pid = int(learner.run("import os; print(os.getpid())"))
    os.kill(pid, signal.SIGKILL)
    assert learner.kernel is not None
    learner.kernel.close()
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), "the kernel's end")

    def is_back() -> bool:
        found = learner.request("GET", f"{learner.url}/api/kernels/{learner.kernel.id if learner.kernel else ''}")
        return found.ok and _runs(learner, f"import os; assert os.getpid() != {pid}")

    wait_until(is_back, "the kernel's return")
    assert learner.account.progress.read_bytes() == before, "the progress file changed"
    assert (learner.account.home / NOTEBOOK).read_bytes() == notebook, "the notebook changed"
    told = learner.run(
        "from anatomy_course.judge.progress.location import own_progress\n"
        f"print([own_progress().entry('exercises', id)['passed'] for id in {ANSWERED!r}])"
    )
    assert told.count("True") == len(ANSWERED), f"after the restart: {told}"


def restarted_hub_loses_nothing(hub: Hub, learners: list[Learner]) -> float:
    """Servers and kernels go on while the hub is away, with what is in their memory; seconds until it is back."""
    files = {each.account.name: each.account.progress.read_bytes() for each in learners}

    def remember(learner: Learner) -> None:
        learner.run(f"mark = {learner.account.name!r}")
        if learner.kernel:
            learner.kernel.close()

    def recall(learner: Learner) -> None:
        same = f"assert mark == {learner.account.name!r}"
        wait_until(lambda: _runs(learner, same), f"{learner.account.name}'s kernel, as it was before the restart")

    for_all(learners, remember)
    hub.stop()
    seconds = hub.start()
    for_all(learners, recall)
    for each in learners:
        assert each.account.progress.read_bytes() == files[each.account.name], f"{each.account.name}'s progress changed"
    return seconds


def update_keeps_answers(hub: Hub, learners: list[Learner]) -> None:
    """The teacher changes a notebook that learners answered in, and another one: both arrive, the answers stay."""
    teacher = hub.folder / "teacher"
    _git(hub.folder, "clone", "--quiet", str(hub.folder / "course.git"), str(teacher))
    own, other = teacher / NOTEBOOK.removeprefix(f"{FOLDER}/"), teacher / "notebooks" / UPDATED
    for path, old, new in (
        (own, '@exercise(\\"attention.weighted_average\\")', '@exercise(\\"attention.weighted_average\\")  # teacher'),
        (own, "Transformers anatomized", "Transformers anatomized again"),
        (other, '"cells": [', f'"cells": [\n  {NEWS},'),
    ):
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{path.name} has no {old}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
    _git(teacher, "-c", "user.name=teacher", "-c", "user.email=teacher@localhost", "commit", "--quiet", "-am", "News")
    _git(teacher, "push", "--quiet", "origin", "HEAD:main")

    def restart(learner: Learner) -> None:
        learner.stop_server()
        learner.start_server()

    for_all(learners, restart)
    for each in learners:
        text = (each.account.home / NOTEBOOK).read_text(encoding="utf-8")
        sources = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
        assert any("return table[input_ids]" in source for source in sources), f"{each.account.name} lost an answer"
        news = (each.account.home / FOLDER / "notebooks" / UPDATED).read_text(encoding="utf-8")
        assert '"News"' in news, f"{each.account.name} did not get the new cell"


def wait_until(true: Callable[[], bool], what: str, seconds: float = 180) -> None:
    """Ask until it is so."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited {seconds:.0f} s for {what}"
        time.sleep(0.5)


def _refused(learner: Learner, code: str, error: str) -> None:
    told = "no error"
    try:
        learner.run(code)
    except RuntimeError as raised:
        told = str(raised)
    assert told.startswith(error), f"{learner.account.name} ran {code}: {told}"


def _runs(learner: Learner, code: str) -> bool:
    try:
        learner.run(code)
    except Exception:  # the socket of a kernel that is just coming back may close in many ways
        if learner.kernel:
            learner.kernel.close()
        return False
    return True


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
