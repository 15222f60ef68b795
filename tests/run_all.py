"""Everything that checks the project, step by step, with one summary at the end. `make test` runs it.

A step that fails does not stop the others. `python tests/run_all.py lint notebooks` runs only the steps named;
`python tests/run_all.py quick` looks at what changed since the last commit (`make quick`).
Steps that need one core each run two at a time at the end, and their words come when they are done.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))

from changed import affected_tests, changed_files, expression
from chromium import find_chromium
from lint_scripts import MISSING
from notebook_tools import TRAININGS, network_blocked, trained_once

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
RESULTS = ROOT / ".cache" / "results"
BIN = Path(sys.executable).parent
ON_TWO_CORES = ("lint", "units", "notebooks")
UNTYPED = ("exercises", "figures", "notebook", "project", "site", "views", "widgets")
"""Rooms that mostly call others: checking the types and shapes of each call again would take a third of their time."""
PLAIN = ("-o", "addopts=--import-mode=importlib --strict-markers")
HALVES = ("00–03", "04–08")
"""The notebooks that each of the two browsers opens (`tests/browser/conftest.py`)."""


@dataclass
class Step:
    """One command; `group` is what it can be asked for by on the command line."""

    name: str
    group: str
    command: list[str]
    is_pytest: bool = False
    variables: dict[str, str] = field(default_factory=dict)


@dataclass
class Outcome:
    """What came of a step."""

    step: Step
    passed: int
    failed: int
    skipped: int
    seconds: float


def steps() -> list[Step]:
    """All steps, the quick ones first."""

    def tool(name: str, *arguments: str) -> list[str]:
        return [str(BIN / name), *arguments]

    def tests(*arguments: str) -> list[str]:
        return [sys.executable, "-m", "pytest", "-q", "-rsx", "--durations=5", *arguments]

    places = sorted({path.parent if path.parent.parent == TESTS else path for path in TESTS.rglob("test_*.py")})
    rooms = [str(path.relative_to(ROOT)) for path in places if path.name != "browser"]
    untyped = [room for room in rooms if Path(room).name in UNTYPED]
    typed = ["anatomy_utils", *(room for room in rooms if room not in untyped)]
    by_file = ["-n", "2", "--dist", "loadfile"]
    quick = ["-m", "not notebook and not proof"]
    proofs = ["-m", "proof", "tests/exercises/test_proof.py"]
    nbval = ["--nbval", "--nbval-sanitize-with", "tests/support/sanitize.cfg", "--nbval-cell-timeout=300"]
    browser = tests("-p", "no:cacheprovider", "-o", "addopts=", "tests/browser")
    alone = {"OMP_NUM_THREADS": "1"}  # processes side by side: with two threads each they stall each other
    strict = alone | network_blocked() | trained_once(only_keep=True)
    again = alone | trained_once()  # the strict run trains every model; these two look at other things
    return [
        Step("style (ruff)", "lint", tool("ruff", "check", ".")),
        Step("types (mypy)", "lint", tool("mypy")),
        Step("rooms (import-linter)", "lint", tool("lint-imports", "--no-logo")),
        Step("scripts (ESLint, Prettier)", "lint", [sys.executable, "tests/support/lint_scripts.py"]),
        Step("units of models, types checked", "units", tests(*by_file, *quick, *typed), True, alone),
        Step("units of exercises and views", "units", tests(*by_file, *quick, *PLAIN, *untyped), True, alone),
        Step("notebooks: strict (nbval), offline", "notebooks", tests(*by_file, *nbval, "notebooks"), True, strict),
        *(Step(f"browser: {half}", "browser", browser, True, again | {"ANATOMY_HALF": half}) for half in HALVES),
        Step("notebooks: solved, on Colab", "solved", tests(*PLAIN, "-m", "notebook", "tests/project"), True, again),
        Step("exercises: proofs", "proofs", tests(*proofs), True, alone),
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


def carry_out(step: Step, output: IO[str] | None = None) -> Outcome:
    """Run one step and count what it reports; a command that is no test run counts as one test.

    Args:
        step: what to run.
        output: where it writes; its words appear at once when left out.
    """
    print(f"\n== {step.name}", file=output, flush=True)
    start = time.perf_counter()
    report = RESULTS / (re.sub(r"\W+", "-", step.name) + ".xml")
    command = [*step.command, f"--junitxml={report}"] if step.is_pytest else step.command
    with tempfile.TemporaryDirectory() as fresh:  # nbval's kernels must not read or change anybody's progress
        own = {"PYTHONUTF8": "1", "ANATOMY_PROGRESS": str(Path(fresh) / "progress.json")}
        own["ANATOMY_CACHE"] = str(ROOT / ".cache" / "unpacked")
        variables = os.environ | own | step.variables
        variables.pop("PYTHONDONTWRITEBYTECODE", None)  # every kernel would compile torch again
        code = subprocess.run(command, cwd=ROOT, env=variables, stdout=output, stderr=output).returncode
    seconds = time.perf_counter() - start
    if code == MISSING and not step.is_pytest:
        return missing(step)
    if not step.is_pytest:
        return Outcome(step, int(code == 0), int(code != 0), 0, seconds)
    passed, failed, skipped = _counts(report)
    return Outcome(step, passed, failed or int(code != 0), skipped, seconds)


def carry_out_aside(step: Step) -> Outcome:
    """Run the step while another one writes, and show its words together when it has ended."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as words:
        outcome = carry_out(step, words)
        words.seek(0)
        print(words.read(), flush=True)
    return outcome


def can_run(step: Step, browser: str | None) -> bool:
    """Whether what the step needs is on this machine."""
    return bool(browser) or step.group != "browser"


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
    outcomes = [carry_out(step) for step in wanted if step.group in ON_TWO_CORES]
    with ThreadPoolExecutor(max_workers=2) as pool:
        aside = [step for step in wanted if step.group not in ON_TWO_CORES]
        outcomes += pool.map(lambda step: (carry_out_aside if can_run(step, browser) else missing)(step), aside)
    print(f"\n{'step':<38}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}")
    for outcome in outcomes:
        counts = f"{outcome.passed:>8}{outcome.failed:>8}{outcome.skipped:>9}{outcome.seconds:>9.0f}"
        print(f"{outcome.step.name:<38}{counts}")
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
