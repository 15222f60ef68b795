"""Whatever an answer changes around it is undone after its check, and the next answer is judged rightly."""

from __future__ import annotations

import builtins
import decimal
import gc
import logging
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from anatomy_course.judge import find_exercise
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.run import execute, try_once
from anatomy_course.judge.attempt.surroundings import Insides, _umask, as_usual, restored_globals
from anatomy_course.judge.judging.judge import judge

pytestmark = pytest.mark.usefixtures("shapes_unchecked")
"""A type checker around each of our functions draws random numbers, and meets what was replaced first."""

MEAN = find_exercise("start.mean")
SCORES = find_exercise("attention.scores")


def right(vectors: Tensor) -> Tensor:
    return vectors.mean(0)


def wrong(vectors: Tensor) -> Tensor:
    return vectors.sum(0)


def new_folder() -> None:
    os.chdir(tempfile.mkdtemp())


def lost_folder() -> None:
    new_folder()
    Path.cwd().rmdir()


def new_environment() -> None:
    os.environ["OMP_NUM_THREADS"] = "77"
    os.environ["LEFT_BEHIND"] = "1"
    os.environ.pop("PATH", None)


def few_open_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def entered(context: Any) -> Callable[[], Any]:
    """A `with` that is entered, never left, and never forgotten."""
    left_open.append(context)
    return context.__enter__


left_open: list[Any] = []
CHANGES: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "type": (lambda: torch.set_default_dtype(torch.float64), torch.get_default_dtype),
    "device": (lambda: torch.set_default_device("meta"), torch.get_default_device),
    "cpu": (lambda: torch.set_default_device("cpu"), torch._C._len_torch_function_stack),
    "entered device": (lambda: entered(torch.device("meta"))(), torch.get_default_device),
    "threads": (lambda: torch.set_num_threads(3), torch.get_num_threads),
    "deterministic": (lambda: torch.use_deterministic_algorithms(True), torch.are_deterministic_algorithms_enabled),
    "no gradients": (lambda: torch.set_grad_enabled(False), torch.is_grad_enabled),
    "inference": (lambda: entered(torch.inference_mode())(), torch.is_inference_mode_enabled),
    "autocast": (lambda: entered(torch.autocast("cpu"))(), lambda: torch.is_autocast_enabled("cpu")),
    "anomaly": (lambda: torch.autograd.set_detect_anomaly(True), torch.is_anomaly_enabled),
    "torch's random numbers": (lambda: torch.manual_seed(3), lambda: torch.get_rng_state().tolist()),
    "random": (lambda: random.seed(3), random.getstate),
    "numpy": (
        lambda: numpy.random.seed(3),  # noqa: NPY002
        lambda: numpy.random.get_state()[1].tolist(),  # noqa: NPY002
    ),
    "numpy's errors": (lambda: numpy.seterr(all="raise"), numpy.geterr),
    "folder": (new_folder, os.getcwd),
    "lost folder": (lost_folder, os.getcwd),
    "environment": (new_environment, lambda: dict(os.environ)),
    "path": (lambda: sys.path.insert(0, "/nowhere"), lambda: list(sys.path)),
    "recursion": (lambda: sys.setrecursionlimit(5000), sys.getrecursionlimit),
    "stop button": (lambda: signal.signal(signal.SIGINT, signal.SIG_IGN), lambda: signal.getsignal(signal.SIGINT)),
    "alarm": (lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN), lambda: signal.getsignal(signal.SIGALRM)),
    "garbage": (gc.disable, gc.isenabled),
    "garbage's threshold": (lambda: gc.set_threshold(10**6), gc.get_threshold),
    "garbage's messages": (lambda: gc.set_debug(gc.DEBUG_STATS), gc.get_debug),
    "umask": (lambda: os.umask(0o777), _umask),
    "torch's way to print": (lambda: torch.set_printoptions(precision=1), lambda: str(torch.tensor(math.pi))),
    "numpy's way to print": (lambda: numpy.set_printoptions(precision=1), lambda: str(numpy.array([math.pi]))),
    "turns of threads": (lambda: sys.setswitchinterval(0.5), sys.getswitchinterval),
    "errors in threads": (lambda: setattr(threading, "excepthook", print), lambda: threading.excepthook),
    "importers": (sys.meta_path.clear, lambda: list(sys.meta_path)),
    "precision": (lambda: torch.set_float32_matmul_precision("medium"), torch.get_float32_matmul_precision),
    "oneDNN": (lambda: torch._C._set_mkldnn_enabled(False), torch._C._get_mkldnn_enabled),
    "decimals": (lambda: setattr(decimal.getcontext(), "prec", 2), lambda: str(decimal.Decimal(1) / 3)),
    "logging": (lambda: logging.disable(50), lambda: logging.root.manager.disable),
    "level": (lambda: logging.root.setLevel(50), lambda: logging.root.level),
    "open files": (few_open_files, lambda: resource.getrlimit(resource.RLIMIT_NOFILE)[0]),
    "streams": (lambda: setattr(sys, "stderr", None), lambda: sys.stderr),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_setting_is_as_before_and_the_next_answer_is_judged_rightly(name: str) -> None:
    change, read = CHANGES[name]

    def changes(vectors: Tensor) -> Tensor:
        result = vectors.mean(0)
        change()
        return result

    before = read()
    assert judge(MEAN, changes, seconds=60.0).state in ("passed", "wrong")  # another type is wrong in the second case
    assert read() == before
    assert judge(MEAN, right).passed and not judge(MEAN, wrong).passed


def test_the_card_says_what_was_changed() -> None:
    def changes(vectors: Tensor) -> Tensor:
        torch.set_num_threads(torch.get_num_threads() + 1)
        sys.path.append("here")
        random.random()
        torch.rand(1)
        return vectors.mean(0)

    assert judge(MEAN, changes).notes == (
        "Your function changed torch's number of threads and the module search path; the check changed it back.",
    )
    assert judge(MEAN, right).notes == ()


def always(*arguments: Any, **more: Any) -> bool:
    return True


REPLACED: list[tuple[Any, str]] = [
    *((torch, name) for name in ("allclose", "equal", "isclose", "zeros")),
    *((Tensor, name) for name in ("mean", "detach", "__eq__", "to", "all")),
    *((builtins, name) for name in ("isinstance", "all", "next", "len", "setattr")),
    (functional, "softmax"),
    (torch.nn.Module, "__call__"),
    (math, "sqrt"),
    (numpy, "allclose"),
]


@pytest.mark.parametrize(("owner", "name"), REPLACED, ids=[f"{owner.__name__}.{name}" for owner, name in REPLACED])
def test_a_replaced_function_lets_nothing_wrong_pass_and_blames_nobody(owner: Any, name: str) -> None:
    before = vars(owner).get(name)

    def replaces(vectors: Tensor) -> Tensor:
        result = vectors.sum(0)
        setattr(owner, name, always)
        return result

    verdict = judge(MEAN, replaces)
    assert vars(owner).get(name) is before
    assert verdict.state in ("wrong", "crashed") and any(name in note for note in verdict.notes), verdict
    assert judge(MEAN, right).passed and judge(MEAN, wrong).state == "wrong"


def test_a_deleted_function_and_a_changed_number_come_back() -> None:
    def changes(vectors: Tensor) -> Tensor:
        result = vectors.mean(0)
        math.pi, torch.extra = 3, always  # type: ignore[attr-defined, misc]
        if hasattr(torch, "cumsum"):
            del torch.cumsum
        return result

    verdict = judge(MEAN, changes)
    assert verdict.passed and math.pi > 3 and torch.cumsum and not hasattr(torch, "extra")
    assert verdict.notes[-1].startswith("Your function changed `math.pi`, `torch.cumsum` and `torch.extra`;")


def test_the_courses_own_functions_come_back_too() -> None:
    """Else what an answer is compared with would be the answer itself."""
    module = sys.modules[SCORES.resolve().__module__]

    def replaces(query: Tensor, key: Tensor) -> Tensor:
        setattr(module, SCORES.resolve().__name__, lambda query, key: query @ key.mT)
        return query @ key.mT

    assert judge(SCORES, replaces).state == "wrong" and judge(SCORES, replaces).state == "wrong"


@pytest.mark.parametrize(
    "line",
    [
        "judging.judge.CHECKS = (lambda trial: Finding('You won', 'passed', state='passed'),)",
        "unwrap(tensors.close).__code__ = (lambda *a, **k: True).__code__",
        "vocabulary.ALIKE.clear()",
        "unwrap(Attempt.wrong_cases.fget).__code__ = (lambda self: set()).__code__",
        "functional.attention.scores.__defaults__ = (0.1,)",
    ],
)
def test_the_judge_itself_comes_back(line: str) -> None:
    """Its tables, the code of its functions: what an answer puts there passes neither it nor a later one."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(
        "from inspect import unwrap\n"
        "from anatomy_utils import functional\n"
        "from anatomy_course.judge import judging\n"
        "from anatomy_course.judge.attempt import tensors\n"
        "from anatomy_course.judge.attempt.tried import Attempt\n"
        "from anatomy_course.judge.judging.verdict import Finding\n"
        "from anatomy_course.judge.slips import vocabulary\n"
        f"def changes(vectors):\n    {line}\n    return vectors.sum(0)\n",
        names,
    )
    before = judge(MEAN, wrong, search=True)
    verdict = judge(MEAN, names["changes"], search=True)
    assert verdict.state == "wrong" and "the check changed it back" in verdict.notes[-1]
    assert judge(MEAN, wrong, search=True) == before and judge(SCORES, SCORES.resolve()).passed


def test_what_the_notebook_has_set_for_itself_is_as_usual_in_a_check() -> None:
    with torch.device("meta"), torch.autocast("cpu"):
        with as_usual() as said:
            assert judge(MEAN, right).passed and judge(MEAN, wrong).state == "wrong"
        assert torch.get_default_device().type == "meta" and torch.is_autocast_enabled("cpu")
    assert said == (
        "Your notebook has changed torch's default device and torch's autocast; the check used the usual one.",
    )
    with as_usual() as said:
        assert said == ()


def test_what_a_library_loads_late_is_nobodys_change(monkeypatch: pytest.MonkeyPatch) -> None:
    def loads(vectors: Tensor) -> Tensor:
        import torch._dynamo  # replaces torch.manual_seed

        return torch.compile(right, backend="eager")(vectors)

    verdict = judge(MEAN, loads, seconds=60.0)
    assert verdict.passed and not verdict.notes


def test_what_the_notebook_replaced_before_does_not_deceive_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    notebook: dict[str, Any] = {"__name__": "__main__"}
    exec("def alike(*arguments, **more):\n    return True", notebook)
    monkeypatch.setattr(torch, "allclose", notebook["alike"])
    monkeypatch.setattr(torch, "equal", torch.is_tensor)
    monkeypatch.setattr(Tensor, "all", notebook["alike"], raising=False)
    verdict = judge(MEAN, wrong)
    assert verdict.state == "wrong"
    assert verdict.notes[-1] == (
        "Your notebook has replaced `torch.allclose`, `torch.equal` and `Tensor.all`; the check used the original."
    )
    assert torch.allclose is notebook["alike"] and torch.equal is torch.is_tensor


def test_every_run_goes_back_to_what_its_check_found() -> None:
    """Between two runs the course itself compares."""
    case = AnswerKey(MEAN).cases[0]

    def changes(vectors: Tensor) -> Tensor:
        torch.set_default_dtype(torch.float64)
        torch.allclose = always  # type: ignore[assignment]
        return vectors.mean(0)

    own = torch.allclose
    with restored_globals() as around:
        execute(changes, [case], seconds=5.0)
        assert torch.allclose is own and torch.get_default_dtype() == torch.float32
        try_once(changes, dict(case.arguments), 5.0)
        assert torch.allclose is own and torch.get_default_dtype() == torch.float32
    assert around.undone == ["torch.allclose", "torch's default type of numbers"]


def test_an_input_that_is_changed_is_seen_whatever_was_replaced() -> None:
    def changes(vectors: Tensor) -> Tensor:
        result = vectors.mean(0)
        vectors.zero_()
        torch.equal = torch.allclose = always  # type: ignore[assignment]
        return result

    assert judge(MEAN, changes).found_by == "mutated"


def test_no_slip_is_searched_in_what_changes_its_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the search each edit of it would change them again, and `allclose` would call every one of them right. Where
    the lines that do so can be left out, the search goes on without them."""
    searched: list[Any] = []

    def search(trial: Any, finding: Any, on_wait: Any) -> Any:
        searched.append(trial.function)
        return finding

    def replaces(vectors: Tensor) -> Tensor:
        return vectors.sum(0) if setattr(torch, "allclose", always) is None else vectors  # type: ignore[func-returns-value]

    def alone(vectors: Tensor) -> Tensor:
        torch.allclose = always  # type: ignore[assignment]
        return vectors.sum(0)

    monkeypatch.setattr("anatomy_course.judge.judging.judge.with_slip", search)
    for function in (replaces, alone, wrong):
        judge(MEAN, function, search=True)
    assert searched == [alone, wrong]


def test_a_set_is_not_changed_because_a_copy_has_another_order() -> None:
    module = types.ModuleType("anatomy_course.of_a_test")
    module.TABLE = set(range(4000))  # type: ignore[attr-defined]
    module.TABLE -= set(range(4000)) - {1, 8}  # in a table of this size 1 comes first, in the copy's smaller one 8
    insides = Insides()
    insides.look_at([module])
    assert insides.restore() == []
    module.TABLE.add(2)
    assert len(insides.restore()) == 1
    assert sorted(module.TABLE) == [1, 8]


FIRST = """
import linecache, sys
import torch
from anatomy_course.judge import find_exercise
from anatomy_course.judge.judging.judge import judge
text = "def attention_scores(query, key):\\n    return query @ key.mT / key.shape[-2] ** 0.25\\n"
linecache.cache["cell"] = (len(text), None, text.splitlines(True), "cell")
exec(compile(text, "cell", "exec"))
verdict = judge(find_exercise("attention.scores"), attention_scores, search=True)
print(verdict.found_by, len(verdict.slips), [note for note in verdict.notes if "changed" in note])
"""


def test_the_first_answer_of_a_kernel_is_judged_as_all_others() -> None:
    """With each start of Python words have other places in a set."""
    fresh = {"env": os.environ | {"PYTHONHASHSEED": "1"}, "capture_output": True, "text": True, "check": True}
    done = subprocess.run([sys.executable, "-c", FIRST], **fresh)
    found_by, slips, changed = done.stdout.split(maxsplit=2)
    assert found_by.startswith("slip:") and int(slips) >= 1 and changed.strip() == "[]", done.stdout
