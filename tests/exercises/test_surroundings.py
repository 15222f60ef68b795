"""Whatever an answer changes around it is undone after its check, and the next answer is judged rightly."""

from __future__ import annotations

import builtins
import gc
import math
import os
import random
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from anatomy_utils.exercises import find_exercise
from anatomy_utils.exercises.attempt.answer_key import AnswerKey
from anatomy_utils.exercises.attempt.run import execute, try_once
from anatomy_utils.exercises.attempt.surroundings import put_back
from anatomy_utils.exercises.judging.judge import judge

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
    "deterministic": (
        lambda: torch.use_deterministic_algorithms(True),
        torch.are_deterministic_algorithms_enabled,
    ),
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
    assert judge(MEAN, changes, seconds=60.0).state in (
        "passed",
        "wrong",
    )  # in the second case another type may be wrong already
    assert read() == before
    assert judge(MEAN, right).passed and judge(MEAN, wrong).found_by == judge(MEAN, wrong).found_by != "passed"


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
    (torch, "allclose"),
    (torch, "equal"),
    (torch, "isclose"),
    (torch, "zeros"),
    (Tensor, "mean"),
    (Tensor, "detach"),
    (Tensor, "__eq__"),
    (Tensor, "to"),
    (Tensor, "all"),
    (functional, "softmax"),
    (torch.nn.Module, "__call__"),
    (math, "sqrt"),
    (builtins, "isinstance"),
    (builtins, "all"),
    (builtins, "next"),
    (builtins, "len"),
    (builtins, "setattr"),
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
        "Your notebook has replaced `torch.allclose` and `torch.equal`; the check used the original."
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
    with put_back() as around:
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
    """In the search each edit of it would change them again, and `allclose` would call every one of them right."""
    searched: list[Any] = []

    def search(trial: Any, finding: Any, on_wait: Any) -> Any:
        searched.append(trial.function)
        return finding

    def replaces(vectors: Tensor) -> Tensor:
        torch.allclose = always  # type: ignore[assignment]
        return vectors.sum(0)

    monkeypatch.setattr("anatomy_utils.exercises.judging.judge.with_slip", search)
    for function in (replaces, wrong):
        judge(MEAN, function, search=True)
    assert searched == [wrong]
