"""Everything that checks the project, step by step, with one summary at the end. `make test` runs it.

Each step needs one core, and two run at a time. A browser leaves its core idle now and then: from the first browser on,
a third step that may wait takes what the two leave over. What a step says comes when it is done. One that fails does
not stop the others. `python tests/run_all.py lint notebooks` runs only the steps named;
`python tests/run_all.py quick` looks at what changed since the last commit (`make quick`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from threading import Event
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))

from changed import PACKAGES, affected_tests, changed_files, expression
from chromium import find_chromium
from lint_scripts import MISSING
from notebook_tools import TRAININGS, network_blocked, trained_once

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
RESULTS = ROOT / ".cache" / "results"
BIN = Path(sys.executable).parent
UNTYPED = {
    "units of views": ("project", "site", "anatomy_course/views"),
    "units of exercises": ("anatomy_course/judge", "anatomy_course/figures", "anatomy_course/page"),
}
"""Tests of what mostly calls others: to check each call's types and shapes again would take a third of their time."""
TRAINING = {
    "units of debugging": ("anatomy_course/lab/debugging",),
    "units of small models": ("anatomy_course/lab/experiments", "anatomy_course/lab/small_models"),
    "units of training": ("anatomy_utils/training",),
}
"""Folders whose tests train models, in short steps, so that neither core is long without work at the end."""
PLAIN = ("-o", "addopts=--import-mode=importlib --strict-markers")
NO_NBVAL = ("-p", "no:nbval")
"""Loading what reads notebooks takes a second."""
BROWSERS = ("00–02", "03–05", "06–10")
"""The notebooks that each of the browsers opens (`tests/browser/conftest.py`)."""


@dataclass
class Step:
    """One command; `group` is what it can be asked for by on the command line."""

    name: str
    group: str
    command: list[str]
    is_pytest: bool = False
    variables: dict[str, str] = field(default_factory=dict)
    may_wait: bool = False
    """Whether it may run beside the two, on what they leave over: no test of it looks at a clock."""


@dataclass
class Outcome:
    """What came of a step."""

    step: Step
    passed: int
    failed: int
    skipped: int
    seconds: float


def steps() -> list[Step]:
    """All steps: the strict run, the browsers, the others; of those that may wait the longest first."""

    def tool(name: str, *arguments: str) -> list[str]:
        return [str(BIN / name), *arguments]

    def tests(*arguments: str) -> list[str]:
        return [sys.executable, "-m", "pytest", "-q", "-rsx", "--durations=5", *arguments]

    found = {path if path.parent.name in PACKAGES else path.parent for path in TESTS.rglob("test_*.py")}
    places = sorted(path.relative_to(ROOT).as_posix() for path in found if path.name != "browser")
    untyped, training = (
        {name: [f"tests/{place}" for place in wanted] for name, wanted in named.items()}
        for named in (UNTYPED, TRAINING)
    )
    elsewhere = [place for others in (untyped | training).values() for place in others]
    assert set(elsewhere) <= set(places), "a folder of tests has another name now"
    typed = [*PACKAGES, *(place for place in places if place not in elsewhere)]
    quick = [*NO_NBVAL, "-m", "not notebook and not proof"]
    proofs = [*NO_NBVAL, "-m", "proof", "tests/anatomy_course/judge/test_proof.py"]
    nbval = ["--nbval", "--nbval-sanitize-with", "tests/support/sanitize.cfg", "--nbval-cell-timeout=600"]
    stored = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "notebooks").glob("*.ipynb"))
    browser = tests("-p", "no:cacheprovider", "-o", "addopts=", "tests/browser")
    alone = {"OMP_NUM_THREADS": "1"}  # processes side by side: with two threads each they stall each other
    strict = alone | network_blocked() | trained_once(only_keep=True)
    again = alone | trained_once()  # the strict run, which comes first, trains every model; these look at other things
    return [
        Step("notebooks 01, 03 …: strict (nbval), offline", "notebooks", tests(*nbval, *stored[1::2]), True, strict),
        Step("notebooks 00, 02 …: strict (nbval), offline", "notebooks", tests(*nbval, *stored[::2]), True, strict),
        *(Step(f"browser: {part}", "browser", browser, True, again | {"ANATOMY_PART": part}) for part in BROWSERS),
        Step("Colab's versions", "colab", tests(*PLAIN, "-m", "notebook", "tests/project"), True, again),
        *(Step(name, "units", tests(*quick, *PLAIN, *paths), True, alone) for name, paths in untyped.items()),
        Step("units of models, types checked", "units", tests(*quick, *typed), True, alone, may_wait=True),
        Step("exercises: proofs", "proofs", tests(*proofs), True, alone, may_wait=True),
        *(
            Step(f"{name}, types checked", "units", tests(*quick, *paths), True, alone, may_wait=True)
            for name, paths in training.items()
        ),
        Step("types (mypy)", "lint", tool("mypy"), may_wait=True),
        Step("scripts (ESLint, Prettier)", "lint", [sys.executable, "tests/support/lint_scripts.py"], may_wait=True),
        Step("layers (import-linter)", "lint", tool("lint-imports", "--no-logo"), may_wait=True),
        Step("style (ruff)", "lint", tool("ruff", "check", "."), may_wait=True),
    ]


def quick_step() -> list[Step]:
    """The unit tests that depend on what changed since the last commit; none when nothing did."""
    changed = changed_files()
    tests = affected_tests(changed)
    if not tests:
        print("Nothing that a unit test depends on has changed since the last commit.")
        return []
    words = expression(changed)
    arguments = ["-q", "-x", "-m", "not notebook and not proof", *(["-k", words] if words else []), *tests]
    parallel = ["-n", "2", "--dist", "load"] if len(tests) > 2 else []
    command = [sys.executable, "-m", "pytest", *parallel, *arguments]
    return [Step(f"units that depend on it ({len(tests)} files)", "units", command, True, {"OMP_NUM_THREADS": "1"})]


def carry_out(step: Step, *, beside: bool = False) -> Outcome:
    """Run one step, show what it said, and count what it reports; a command that is no test run counts as one test.

    Args:
        step: which.
        beside: leave the cores to everything else.
    """
    start = time.perf_counter()
    report = RESULTS / (re.sub(r"\W+", "-", step.name) + ".xml")
    less = ["nice", "-n", "19"] if beside and shutil.which("nice") else []
    command = [*less, *step.command, *([f"--junitxml={report}"] if step.is_pytest else [])]
    with tempfile.TemporaryDirectory() as fresh:  # nbval's kernels must not read or change anybody's progress
        own = {"PYTHONUTF8": "1", "ANATOMY_PROGRESS": str(Path(fresh) / "progress.json"), "IPYTHONDIR": fresh}
        own["ANATOMY_CACHE"] = str(ROOT / ".cache" / "unpacked")
        variables = os.environ | own | step.variables
        variables.pop("PYTHONDONTWRITEBYTECODE", None)  # every kernel would compile torch again
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8", "errors": "replace"}
        done = subprocess.run(command, cwd=ROOT, env=variables, **pipes)
    print(f"\n== {step.name}\n{done.stdout}", flush=True)
    seconds = time.perf_counter() - start
    if done.returncode == MISSING and not step.is_pytest:
        return missing(step)
    if not step.is_pytest:
        return Outcome(step, int(done.returncode == 0), int(done.returncode != 0), 0, seconds)
    passed, failed, skipped = _counts(report)
    return Outcome(step, passed, failed or int(done.returncode != 0), skipped, seconds)


def carry_out_all(wanted: list[Step], browser: str | None) -> list[Outcome]:
    """All steps, two at a time and from the first browser on one beside them; their outcomes in the steps' order."""
    first, then = (deque(step for step in wanted if step.may_wait == later) for later in (False, True))
    outcomes: dict[str, Outcome] = {}
    third = Event()

    def work(*queues: deque[Step], beside: bool = False) -> None:
        for queue in queues:
            while (step := _next(queue)) is not None:
                if step.group == "browser":
                    third.set()
                can_run = bool(browser) or step.group != "browser"
                outcomes[step.name] = carry_out(step, beside=beside) if can_run else missing(step)
        third.set()

    def work_beside() -> None:
        third.wait()
        work(then, beside=True)

    with ThreadPoolExecutor(max_workers=3) as pool:
        for done in [pool.submit(work, first, then), pool.submit(work, first, then), pool.submit(work_beside)]:
            done.result()
    return [outcomes[step.name] for step in wanted]


def _next(queue: deque[Step]) -> Step | None:
    try:
        return queue.popleft()
    except IndexError:  # the other took the last one
        return None


def missing(step: Step) -> Outcome:
    """A step was skipped because what it needs is not here; under CI that is a failure."""
    in_ci = bool(os.environ.get("CI"))
    return Outcome(step, 0, int(in_ci), int(not in_ci), 0.0)


def main() -> int:
    """Run the steps, print the summary; 1 if anything failed."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    for old in RESULTS.glob("*.xml"):
        old.unlink()
    shutil.rmtree(TRAININGS, ignore_errors=True)
    wanted = [step for step in steps() if step.group in sys.argv[1:] or not sys.argv[1:]]
    if sys.argv[1:] == ["quick"]:
        wanted = [*(step for step in steps() if step.group == "lint"), *quick_step()]
    browser = find_chromium()
    import_module("matplotlib.font_manager")  # lists the machine's fonts once; else several kernels do it at a time
    print(f"{len(wanted)} steps, two at a time and one beside them; each speaks when it is done.", flush=True)
    outcomes = carry_out_all(wanted, browser)
    print(f"\n{'step':<46}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}")
    for outcome in outcomes:
        counts = f"{outcome.passed:>8}{outcome.failed:>8}{outcome.skipped:>9}{outcome.seconds:>9.0f}"
        print(f"{outcome.step.name:<46}{counts}")
    if browser is None:
        print("no Chromium, Chrome or Edge was found: install one, or name it with CHROMIUM=/path/to/chromium")
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    skipped = sum(outcome.skipped for outcome in outcomes)
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return int(failed > 0 or passed == 0)


def _counts(report: Path) -> tuple[int, int, int]:
    if not report.exists():
        return 0, 1, 0
    suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
    total, failures, errors, skipped = (
        sum(int(suite.get(kind, 0)) for suite in suites) for kind in ("tests", "failures", "errors", "skipped")
    )
    return total - failures - errors - skipped, failures + errors, skipped


if __name__ == "__main__":
    raise SystemExit(main())
