"""The form in which exercises and questions are written: what an entry means, and what is told of one that is wrong."""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from anatomy_course.judge.definition import Exercise, Output
from anatomy_course.judge.questions import Choice, Question, read_questions
from anatomy_course.judge.stub import solution_text, stub_text

SOLUTION = '''
def halves(x: Tensor, *, shift: float = 0.5) -> Tensor:
    """x (…, n) → the same shape.
    Half of each, and the shift.
    """
    half = x / 2
    return half + shift  # both
'''
CLASS = '''
class Halves(torch.nn.Module):
    """x (…, n) → the same shape."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.shift = torch.nn.Parameter(torch.full((n,), 0.5))

    def forward(self, x: Tensor) -> Tensor:
        half = x / 2
        return half + self.shift
'''
NUMBERS = itertools.count()
X = torch.tensor([2.0, -4.0])


HINTS = "'- a\\n b\\n- c\\n- d'"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Exercise]:
    """Writes a file of content, and loads what it holds."""

    def written(solution: str = SOLUTION, mistakes: str = "", also_right: str = "", **more: str) -> Exercise:
        name = f"anatomy_course.content.attention.of_a_test_{next(NUMBERS)}"
        given = {"stages": "None", "observe": "None", "level": "'easy, 3 minutes'", "hints": HINTS, **more}
        settings = "\n".join(f"    {key}={value}," for key, value in given.items())
        defined = solution.split("(")[0].split()[-1]
        path = tmp_path / f"{name}.py"
        path.write_text(
            "from __future__ import annotations\nimport torch\nfrom torch import Tensor\n"
            "from anatomy_course.judge.form import written\ndef twice(x): return 2 * x\n"
            f"{solution}\nEXERCISE = written(\n    {defined}, title='T', task='Do it.', returns='out: n',\n"
            f"    cases=lambda generator: [], explanation='Why\\n  so.',\n{settings}\n"
            f'    also_right="""\n{also_right}\n""",\n    mistakes="""\n{mistakes}\n""",\n)\n',
            "utf-8",
        )
        module = ModuleType(name)
        module.__file__ = str(path)
        sys.modules[name] = module
        try:
            exec(compile(path.read_text("utf-8"), str(path), "exec"), vars(module))
        finally:
            del sys.modules[name]
        return vars(module)["EXERCISE"]

    return written


def test_what_is_read_from_the_solution(write: Callable[..., Exercise]) -> None:
    exercise = write(mistakes="none: x / 2 ⇒ 0 * x\n    “Nothing of x\n    is left.”")
    assert exercise.signature == "halves(x: Tensor, *, shift: float = 0.5) -> Tensor"
    assert exercise.docstring == "x (…, n) → the same shape.\nHalf of each, and the shift."
    assert exercise.solution == "half = x / 2\nreturn half + shift  # both"
    assert (exercise.difficulty, exercise.minutes, exercise.hints) == ("easy", 3, ("a b", "c", "d"))
    assert exercise.returns == (Output("out", "n"),) and exercise.explanation == "Why so."
    assert exercise.mistakes[0].sentence == "Nothing of x is left."
    assert solution_text(exercise).endswith("    half = x / 2\n    return half + shift  # both\n")


def test_a_first_line_of_several_lines_is_kept(write: Callable[..., Exercise]) -> None:
    text = "    x: Tensor,\n    *, shift: float = 0.5\n) -> Tensor"
    exercise = write(SOLUTION.replace("x: Tensor, *, shift: float = 0.5) -> Tensor:", f"\n{text}:  # fmt: skip"))
    assert exercise.signature == f"halves(\n{text}" and exercise.parameters() == ["x"]
    assert stub_text(exercise).splitlines()[1:5] == f"def halves(\n{text}:".splitlines()


def test_a_class_gives_its_methods(write: Callable[..., Exercise]) -> None:
    exercise = write(CLASS)
    assert exercise.kind == "class" and exercise.parameters() == ["n"]
    assert exercise.methods == ("__init__(self, n: int) -> None", "forward(self, x: Tensor) -> Tensor")
    assert "    def forward(self, x: Tensor) -> Tensor:\n        ...\n" in stub_text(exercise)
    assert "        half = x / 2\n        return half + self.shift\n" in solution_text(exercise)


@pytest.mark.parametrize(
    ("entry", "result"),
    [
        ("x / 2 ⇒ x", X + 0.5),
        ("+ shift ⇒", X / 2),
        ("\n    x / 2 ⇒ x / 4\n    + shift ⇒ - shift", X / 4 - 0.5),
        (
            "\n    half = x / 2 ⇒\n        half = x\n        for _ in range(2):\n            half = half / 2",
            X / 4 + 0.5,
        ),
        ("3 * result", 3 * (X / 2 + 0.5)),
        ("twice(x)", 2 * X),
        ("\n    y = x - 1\n    return y", X - 1),
        ("\n    (\n        x\n        - 3\n    )", X - 3),
    ],
)
def test_an_entry_of_a_function(write: Callable[..., Exercise], entry: str, result: torch.Tensor) -> None:
    made = write(also_right=f"other: {entry}").also_right["other"]
    torch.testing.assert_close(made(X), result)
    assert "halves" in inspect.getsource(made), "the judge reads the text of what is right"


@pytest.mark.parametrize(
    ("entry", "result"),
    [
        ("x / 2 ⇒ x", X + 0.5),
        ("result - 1", X / 2 - 0.5),
        ("\n    def forward(self, x):\n        return self.shift * x", X * 0.5),
        ("\n    half = x / 2 ⇒ half = self.part(x)\n    super().__init__() ⇒\n        super().__init__()\n"
         "        self.part = torch.nn.Identity()", X + 0.5),
    ],
)  # fmt: skip
def test_an_entry_of_a_class(write: Callable[..., Exercise], entry: str, result: torch.Tensor) -> None:
    torch.testing.assert_close(write(CLASS, also_right=f"other: {entry}").also_right["other"](2)(X).detach(), result)


def test_an_entry_built_on_another(write: Callable[..., Exercise]) -> None:
    exercise = write(
        also_right="whole (one line): x / 2 + shift",
        mistakes="no_shift (whole (one line)): + shift ⇒\n    “No shift.”\nlarge (no_shift): result * 9\n    “Large.”",
    )
    assert list(exercise.also_right) == ["whole (one line)"], "no entry has that name: it is part of the name"
    torch.testing.assert_close(exercise.mistakes[1].function(X), X / 2 * 9)


@pytest.mark.parametrize(
    ("mistakes", "words"),
    [
        ("lost: z / 2 ⇒ z\n    “Lost.”", "'lost': its text has no 'z / 2'"),
        ("bare:\n    “Bare.”", "'bare': nothing is different"),
        ("same: x / 2 ⇒ x / 2\n    “Same.”", "'same' is the solution itself"),
        ("dumb: x / 2 ⇒ x", "'dumb' has no sentence"),
        ("one: x / 2 ⇒ x\n    “A.”\none: x / 2 ⇒ -x\n    “B.”", "'one' is there twice"),
        ("thirds: halves ⇒ thirds\n    “Thirds.”", "'thirds': an edit gives the solution another name"),
        ("no entry", "'no entry' is no entry"),
        ("broken: x / 2 ⇒ x / (\n    “Broken.”", "'broken': '(' was never closed"),
        ("alone: half + 1\n    “Alone.”", "'alone': it is the whole body, without the solution's 'half'"),
        ("odd:\n    x / 2 ⇒ x\n    and more\n    “Odd.”", "'and more' is neither an edit"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(write: Callable[..., Exercise], mistakes: str, words: str) -> None:
    with pytest.raises(ValueError, match=r"of_a_test_\d+\.py:\d+: ") as error:
        write(mistakes=mistakes)
    assert words in str(error.value)
    line = int(str(error.value).partition(".py:")[2].partition(":")[0])
    assert line > 20, "the entry's line, not the file's first one"


def test_another_condition(write: Callable[..., Exercise]) -> None:
    entries = ["a: x / 2 ⇒ x / 3", "b: + shift ⇒", "c: 2 * result", "d (b): return half ⇒ return -half"]
    mistakes = repr("\n".join(f"{entry}\n    “{entry[0].upper()}.”" for entry in entries))
    asked = write(mistakes=mistakes, again="'x / 2 ⇒ x / 4\\n    “This time a quarter.”'").again
    assert asked is not None and asked.sentence == "This time a quarter."
    assert asked.function(X).tolist() == [1.0, -0.5] and asked.solution == "half = x / 4\nreturn half + shift  # both"
    assert [mistake.name for mistake in asked.mistakes] == ["as_it_was", "b", "d"], "`x / 2` is gone, and C is no edit"
    left = write(mistakes=mistakes, again="'x / 2 ⇒ x / 4\\n    “This time a quarter.”\\n    Not here: b'").again
    assert left is not None and [mistake.name for mistake in left.mistakes] == ["as_it_was"], "nor what is built on it"


@pytest.mark.parametrize(
    ("again", "words"),
    [
        ("'y ⇒ z\\n    “Z.”'", "'again': its text has no 'y'"),
        ("'x / 2 ⇒ x / 4\\n    “Z.”\\n    Not here: e'", "'again': there is no mistake 'e' to be left out."),
    ],
)
def test_a_condition_that_cannot_be_read(write: Callable[..., Exercise], again: str, words: str) -> None:
    with pytest.raises(ValueError, match=r"of_a_test_\d+\.py:\d+: " + words):
        write(again=again)


def test_other_odd_settings_are_told(write: Callable[..., Exercise]) -> None:
    with pytest.raises(ValueError, match="should read like 'medium, 4 minutes'"):
        write(level="'quick'")
    with pytest.raises(ValueError, match="there are 2 hints; give three"):
        write(hints="'- one\\n- two'")
    with pytest.raises(ValueError, match="of a class, give edits"):
        write(CLASS, mistakes="other: 3\n    “Three.”")
    with pytest.raises(ValueError, match="has no docstring"):
        write("def bare(x):\n    return x\n")


def test_stages_are_the_solutions_own_variables(write: Callable[..., Exercise]) -> None:
    stages = write(stages="'half\\ntwo halves: 2 * half'").stages
    assert stages is not None
    torch.testing.assert_close(dict(stages(X)), {"half": X / 2, "two halves": X})


def test_stages_behind_a_drive_and_of_a_procedure(write: Callable[..., Exercise]) -> None:
    def drive(answer: Callable[..., Any], x: torch.Tensor) -> Any:
        return answer(2)(x)

    given = {"stages": "'half'", "observe": "lambda answer, x: answer(2)(x)"}
    stages = write(CLASS, **given).stages
    assert stages is not None
    torch.testing.assert_close(stages(X)["half"], X / 2)
    procedure = 'def add_one(x):\n    """In place."""\n    y = x.add_(1)\n'
    stages = write(procedure, stages="'y'").stages
    assert stages is not None
    torch.testing.assert_close(stages(X.clone())["y"], X + 1)


PAGE = """# Predictions

## first

What comes
out?

- [ ] This
  > No: it
  > does not.
- [x] That, with `code` and
      more
  > Yes.
"""


def test_a_page_of_questions() -> None:
    wrong, right = Choice("This", "No: it does not."), Choice("That, with `code` and more", "Yes.", right=True)
    expected = Question("start.first", "What comes out?", (wrong, right), "prediction")
    assert list(read_questions(PAGE, "start")) == [expected]
    (question,) = read_questions(PAGE.replace("Predictions", "Questions"), "start")
    assert question.kind == "question"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[x]", "[ ]", "'start.first' must have exactly one right choice"),
        ("  > Yes.", "", "Every choice of the question 'start.first' needs a reason"),
        ("[x]", "[y]", "'start.first' begins with"),
        ("# Predictions", "Predictions", "begin with a heading, not with 'Predictions'"),
    ],
)
def test_a_page_that_cannot_be_read(old: str, new: str, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("[", r"\[")):
        list(read_questions(PAGE.replace(old, new), "start"))
