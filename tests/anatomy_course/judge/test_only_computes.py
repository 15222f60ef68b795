"""An answer with effects has them once for each case and never again; what it computes is searched all the same."""

from __future__ import annotations

import json
import linecache
import math
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from answer_cells import attempt, run_cell
from torch.nn import functional as F

from anatomy_course.judge import exercise, find_exercise
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.only_computes import Reader
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.slips.child import can_fork, in_a_child
from anatomy_course.judge.slips.search import find_repair
from anatomy_utils import training

MEAN = find_exercise("start.mean")
LINUX = pytest.mark.skipif(not can_fork(), reason="only Linux has a process of its own for the search")


def answer(text: str, **names: Any) -> Callable[..., Any]:
    """The function of a cell, as if a learner had run it; without a `def`, `text` is its body."""
    if "def mean_vector" not in text:
        text = "def mean_vector(vectors):\n    " + text.replace("\n", "\n    ")
    given = {"F": F, "math": math, "os": os, "Path": Path}
    held = run_cell(text, **given | names)
    function: Callable[..., Any] = held["mean_vector"]
    return function


COMPUTES = (
    "return vectors.mean(0)",
    "print(vectors)\nreturn F.softmax(torch.stack(list(vectors.unbind(0))), dim=-1).sum(0) / math.sqrt(2)",
    "made = []\nfor vector in vectors:\n    made.append(vector * 2)\nreturn torch.stack(made).mean(0)",
    "import math as m\nfrom torch import nn\nreturn nn.Linear(2, 2)(vectors) * m.pi",
    "total = torch.zeros_like(vectors[0])\ntotal[:] = vectors.sum(0)\ntotal /= len(vectors)\nreturn total",
    "with torch.no_grad():\n    return torch.einsum('ij->j', vectors)",
    "try:\n    return vectors.mean(0)\nexcept ValueError as error:\n    raise RuntimeError(str(error)) from error",
    "def helper(x):\n    return x.sum(0)\ndef mean_vector(vectors):\n    return helper(vectors) * SCALE + TABLE[:1]",
    "class Own(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.inner = torch.nn.Linear(2, 2)\n"
    "    def forward(self, x):\n        return self.inner(x)\ndef mean_vector(vectors):\n    return Own()(vectors)",
    "half = lambda x: x / 2\ndef mean_vector(vectors):\n    return half(vectors)",
)
HAS_EFFECTS = (
    "torch.save(vectors, 'a.pt')",
    "save = torch.save\nsave(vectors, 'a.pt')",
    "getattr(torch, 'save')(vectors, 'a.pt')",
    "t = torch\nt.save(vectors, 'a.pt')",
    "from torch import save\nsave(vectors, 'a.pt')",
    "import os\nos.remove('a.pt')",
    "torch.os.remove('a.pt')",
    "torch.hub.load('a', 'b')",
    "torch.from_file('a', shared=True, size=2)",
    "torch.set_num_threads(3)",
    "torch.allclose = print",
    "torch.nn.functional.relu = print",
    "vectors.numpy().tofile('a')",
    "vectors.untyped_storage()._write_file('a', True, True, 4)",
    "vectors.share_memory_()",
    "open('a', 'w')",
    "print(vectors, file=log)",
    "Path('a').write_text('a')",
    "log.put('a')",
    "log + 1",
    "notes.append(1)",
    "notes[0] = 1",
    "counts['a'] += 1",
    "TABLE.add_(1)",
    "TABLE[0] = 1",
    "alias = TABLE\nalias[0] = 1",
    "F.relu(TABLE, out=TABLE)",
    "global total\ntotal = 1",
    "remove('a')",
    "wrapped(vectors)",
    "two_deep(vectors)",
    "partial()",
    "exec('1')",
    "__import__('os')",
    "().__class__.__base__.__subclasses__()",
    "(x for x in ()).gi_frame.f_builtins",
    "match vectors:\n    case object(save=s): s('a')",
    "exercise('start.mean')(max)",
    "import anatomy_course.judge as e\ne.progress()",
    "mean_vector.calls = 1",
    "next(source)",
    "mapped('a', shared=True, size=2)",
    "native(vectors)",
    "training.checkpointing.save_training('a', vectors)",
    "training.side_by_side(max)",
    "import typing\ntyping.get_type_hints(vectors)",
    "import types\ntypes.CodeType(vectors)",
    "input()",
    "exit()",
)


class Log:
    """Something of the notebook's that writes."""

    def put(self, path: str) -> None:
        with open(path, "a") as file:  # noqa: PTH123
            file.write("x")

    def figure(self) -> Log:
        return self

    def __add__(self, other: object) -> int:
        return 0


def around() -> dict[str, Any]:
    """What the notebook holds besides."""
    text = (
        "import functools\ndef opens(x):\n    open('a')\ndef two_deep(x):\n    return opens(x)\n"
        "def logged(f):\n    @functools.wraps(f)\n    def inner(*a):\n        open('a')\n        return f(*a)\n"
        "    return inner\n"
        "@logged\ndef wrapped(x):\n    return x\n"
    )
    linecache.cache["<around>"] = (len(text), None, text.splitlines(keepends=True), "<around>")
    held: dict[str, Any] = {
        "SCALE": 0.5, "TABLE": torch.zeros(1), "log": Log(), "notes": [0], "counts": {"a": 0}, "remove": os.remove,
        "partial": partial(open, "a"), "source": iter([1, 2]), "exercise": exercise, "mapped": torch.from_file,
        "native": torch._C._set_mkldnn_enabled, "training": training, "__name__": "__main__",
    }  # fmt: skip
    exec(compile(text, "<around>", "exec"), held)
    return held


@pytest.mark.parametrize("text", COMPUTES)
def test_what_only_computes_may_run_again(text: str) -> None:
    assert Reader(answer(text, **around())).finds_nothing()


@pytest.mark.parametrize("text", HAS_EFFECTS)
def test_what_has_an_effect_may_not(text: str) -> None:
    assert not Reader(answer(f"{text}\nreturn vectors.mean(0)", **around())).finds_nothing()


@pytest.mark.parametrize(
    ("text", "remembers"),
    [
        ("global total\ntotal = 1", True),
        ("notes.append(1)", True),
        ("alias = notes\nalias.append(1)", True),
        ("TABLE.add_(1)", False),
        ("log.put('a')", False),
        ("notes.append(TABLE)", False),
        ("notes.copy()", False),
    ],
)
def test_what_changes_a_variable_of_the_notebook_is_told_from_what_touches_a_file(text: str, remembers: bool) -> None:
    assert Reader(answer(f"{text}\nreturn vectors.mean(0)", **around())).finds_a_memory() is remembers


def test_what_is_around_a_function_counts_too() -> None:
    held = around()
    assert not Reader(held["logged"](answer("return vectors.mean(0)"))).finds_nothing()
    assert not Reader(held["two_deep"]).permits(held["opens"]) and not Reader(held["opens"]).permits(os)
    assert Reader(held["opens"]).permits(torch)


EFFECTS = {
    "torch.save": ("torch.save(vectors, paths[0])", 0),
    "remove": ("from os import remove\nPath(paths[0]).touch()\nremove(paths[0])", 0),
    "method": ("log.put(paths[0])", 1),
    "with": ("with open(paths[0], 'a') as file:\n    file.write('x')", 1),
    "figure": ("picture = plt.figure()\npicture.put(paths[0])\nplt.put(paths[0])", 2),
    "bar": ("for i in tqdm(range(3)):\n    log.put(paths[0])", 3),
}
"""What an answer does besides, and how many letters it appends to a file by that each time it is run."""


@pytest.mark.parametrize("kind", EFFECTS)
def test_an_effect_happens_once_for_each_case_and_the_slip_is_found(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The edited copies are made without the lines that have effects, as far as the result does not depend on them."""
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", partial(find_repair, seconds=9.0))
    lines, letters = EFFECTS[kind]
    paths = [str(tmp_path / "mine"), str(tmp_path / "precious")]
    Path(paths[1]).write_text("my thesis")
    function = answer(f"{lines}\nreturn vectors.prod(0)", paths=paths, log=Log(), plt=Log(), tqdm=lambda turns: turns)
    verdict = judge(MEAN, function, search=True)
    assert verdict.found_by == "slip:method", verdict.sentence
    assert Path(paths[1]).read_text() == "my thesis"
    assert not letters or len(Path(paths[0]).read_text()) == letters * len(AnswerKey(MEAN).cases)


def test_a_result_that_depends_on_the_effect_is_not_searched(tmp_path: Path) -> None:
    counts = {"runs": 0}

    def counted() -> int:
        counts["runs"] += 1
        return 2

    trial = attempt("start.mean", answer("return vectors.mean(0) * counted()", counted=counted))
    assert trial.program() is None and not trial.may_run_again
    assert find_repair(trial) is None and counts["runs"] == len(trial.cases)


def test_a_check_within_an_answer_is_noted_once_for_each_case(tmp_path: Path) -> None:
    record = Progress(tmp_path / "progress.json", own=True)
    inner = answer("return vectors.sum(0)")
    function = answer("exercise('start.mean', record=record)(inner)\nreturn vectors.amax(0) + 1",
                      exercise=exercise, record=record, inner=inner)  # fmt: skip
    judge(MEAN, function, search=True)
    noted = json.loads((tmp_path / "progress.json").read_text())["exercises"]["start.mean"]
    assert noted["tries"] == len(AnswerKey(MEAN).cases) and len(noted["met"]) == 1


@LINUX
def test_the_process_of_the_search_changes_nothing_outside(tmp_path: Path) -> None:
    """A second wall, for what the first has overlooked: files, programs, connections, signals, what is open."""
    precious, folder = tmp_path / "precious", tmp_path / "own"
    precious.write_text("my thesis")
    folder.mkdir()
    mine = (tmp_path / "log").open("w")
    server = socket.create_server(("127.0.0.1", 0))
    ways: dict[str, Callable[[], Any]] = {
        "write": lambda: precious.write_text("x"),
        "remove": precious.unlink,
        "rename": lambda: precious.rename(tmp_path / "other"),
        "make": lambda: (tmp_path / "new").mkdir(),
        "cut": lambda: os.truncate(precious, 0),
        "connect": lambda: socket.create_connection(server.getsockname(), 1),
        "program": lambda: subprocess.run([sys.executable, "-c", ""], check=True),
        "signal": lambda: os.kill(os.getppid(), signal.SIGCONT),
        "open file": lambda: os.write(mine.fileno(), b"x"),
    }

    def work(tell: Callable[[Any], None]) -> None:
        done = []
        for way, act in ways.items():
            try:
                act()
                done.append(way)
            except OSError:
                continue
        (folder / "own").write_text("x")
        tell((done, (folder / "own").read_text(), precious.read_text()))

    told = in_a_child(work, 20.0, folder=folder)
    if told[0] and told[0] != ["open file"] and "write" in told[0]:
        pytest.skip("this system has no Landlock")
    assert told == ([], "x", "my thesis")


def test_what_an_answer_displays_comes_once(tmp_path: Path) -> None:
    script = tmp_path / "cells.py"
    script.write_text(
        "from IPython.core.displaypub import DisplayPublisher\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shown = []\n"
        "class Page(DisplayPublisher):\n"
        "    def publish(self, data, *arguments, **more):\n"
        "        shown.append(data.get('text/plain', ''))\n"
        "shell = InteractiveShell.instance()\n"
        "shell.display_pub = Page(shell=shell)\n"
        "shell.run_cell('import matplotlib; matplotlib.use(\"agg\"); import matplotlib.pyplot as plt\\n'\n"
        "    'from IPython.display import display\\nfrom anatomy_course.judge import exercise')\n"
        "for line in ('plt.imshow(vectors); plt.show()', 'plt.figure()', 'display(3)', 'pass'):\n"
        "    for result in ('prod', 'mean'):\n"
        "        shown.clear()\n"
        "        shell.run_cell(f'@exercise(\"start.mean\")\\ndef mean_vector(vectors):\\n    {line}\\n'\n"
        "            f'    return vectors.{result}(0)')\n"
        "        print([words.split(':')[0] for words in shown if 'Looking' not in words and 'HTML' not in words])\n"
        "        assert not shell.user_ns['plt'].get_fignums()\n"
    )
    ran = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False,
        env={**os.environ, "ANATOMY_PROGRESS": str(tmp_path / "progress.json"), "IPYTHONDIR": str(tmp_path)},
    )  # fmt: skip
    wrong, right = "✗ Not right yet", "✓ Passed"
    figure = "<Figure size 640x480 with {} Axes>"
    wanted = [[shown, state] for shown in (figure.format(1), figure.format(0), "3") for state in (wrong, right)]
    assert ran.stdout.splitlines() == [str(shown) for shown in (*wanted, [wrong], [right])], ran.stderr
