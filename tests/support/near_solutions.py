"""Small edits of each exercise's solution: every one that passes must be right for all inputs (`make near`).

They are the edits that the search for a slip tries on a learner's code, and some pairs of them. One that passes and is
wrong shows that a case is missing. So what passes is tried again, on further seeds and on harder inputs.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from harder_inputs import SEEDS, Input, harder_inputs, only_rounding
from solutions import solution

from anatomy_course.judge import solution_source
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.program import Program
from anatomy_course.judge.attempt.surroundings import restored_globals
from anatomy_course.judge.attempt.tensors import changed, fresh_arguments, same_result
from anatomy_course.judge.attempt.time_limit import interruptible, run_limited
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.registry import earlier_pieces
from anatomy_course.judge.slips.child import in_a_child
from anatomy_course.judge.slips.edit import Edit
from anatomy_course.judge.slips.search import all_edits
from anatomy_course.judge.slips.vocabulary import EditVocabulary

LONGEST = 0.5
"""Seconds that one program may take on one input."""
FURTHER = range(1, 101)
PAIRS = 300
"""How many pairs of edits are tried per exercise, drawn with a fixed seed."""
SAME = (".contiguous()", ".clone()")
"""Calls that change no number: a program that differs by one of them is the solution itself."""


@dataclass
class Tried:
    """What came of the programs near one solution.

    Args:
        count: how many there were.
        passed: those that the judge passes.
        unexplained: of these, the ones that are wrong → the input that shows it.
        at: how many have been tried.
    """

    count: int
    passed: list[str] = field(default_factory=list)
    unexplained: dict[str, str] = field(default_factory=dict)
    at: int = 0


def near_solutions(exercise: Exercise, *, singles: int | None = None, pairs: int = PAIRS) -> list[str]:
    """The solution's text after each small edit, and after some pairs of them.

    Args:
        exercise: whose solution.
        singles: how many of the small edits, drawn with a fixed seed; all when left out.
        pairs: how many pairs.
    """
    program = Program(solution(exercise.id), solution_source(exercise.id))
    edits = list(all_edits(program, EditVocabulary(program, exercise)))
    draw = random.Random(exercise.id)
    ones = [(edit,) for edit in (edits if singles is None else draw.sample(edits, min(singles, len(edits))))]
    twos = [(draw.choice(edits), draw.choice(edits)) for _ in range(pairs)]
    own = ast.unparse(program.tree)
    texts = dict.fromkeys(_edited(program, group) for group in (*ones, *twos))
    return [text for text in texts if text not in (own, "")]


def _edited(program: Program, edits: tuple[Edit, ...]) -> str:
    """The text after the edits; empty where they are in each other's way."""
    if len(edits) == 2 and {node for node, *_ in edits[0].changes} & {node for node, *_ in edits[1].changes}:
        return ""
    if not edits:
        return ast.unparse(program.tree)
    with edits[0].applied():
        return _edited(program, edits[1:])


def try_all(
    exercise: Exercise, texts: Sequence[str], further: Sequence[int] = FURTHER, harder: Sequence[int] = SEEDS
) -> Tried:
    """Run every program on the exercise's cases and, in processes of their own, those that pass on much more."""
    cases = _inputs(exercise, 0)
    done = Tried(len(texts))

    def run_all(tell: Callable[[Any], None]) -> None:
        with restored_globals():
            while done.at < len(texts):
                done.at += 1
                tell(done)  # should the program take the process with it, the next one goes on behind it
                function = _made(exercise, texts[done.at - 1])
                if function and _first_wrong(function, cases) is None:
                    done.passed.append(texts[done.at - 1])
            tell(done)

    with TemporaryDirectory() as folder:  # some exercises are about files
        while done.at < len(texts):
            done = in_a_child(run_all, 300, folder=Path(folder)) or done

    def prove(tell: Callable[[Any], None]) -> None:
        with restored_globals():
            done.unexplained = _refuted(exercise, done.passed, further, harder)
            own = exercise.as_function(solution(exercise.id))
            if _first_wrong(own, cases, longest=exercise.seconds) is None:  # else nothing can pass here
                tell(done)

    with TemporaryDirectory() as folder:
        proven = in_a_child(prove, 3000, folder=Path(folder))
    assert proven, f"the programs near {exercise.id} could not be tried"
    return proven


def _refuted(exercise: Exercise, texts: Sequence[str], further: Sequence[int], harder: Sequence[int]) -> dict[str, str]:
    own = ast.unparse(Program(solution(exercise.id), solution_source(exercise.id)).tree)
    doubtful = [text for text in texts if _plain(text) != own]
    if not doubtful:
        return {}
    answers = (exercise.resolve(), solution(exercise.id), *exercise.also_right.values())
    right = list(map(exercise.as_function, answers))
    inputs = [each for seed in further for each in _inputs(exercise, seed)] + harder_inputs(exercise, right, harder)
    refuted = {}
    for text in doubtful:
        function = _made(exercise, text)
        wrong = _first_wrong(function, inputs, partial(only_rounding, function, right[0]))
        if wrong is not None:
            refuted[text] = ", ".join(f"{name} {_in_words(value)}" for name, value in wrong.items())
    return refuted


def _plain(text: str) -> str:
    for call in SAME:
        text = text.replace(call, "")
    return ast.unparse(ast.parse(text))


def _made(exercise: Exercise, text: str) -> Any:
    names: dict[str, Any] = {"torch": torch, "Tensor": torch.Tensor, **earlier_pieces(exercise)}
    try:
        exec(compile(text, "<near solution>", "exec"), names)
    except Exception:
        return None
    return exercise.as_function(names[exercise.function_name])


def _inputs(exercise: Exercise, seed: int) -> list[Input]:
    key = AnswerKey(exercise, seed)
    return [(case.arguments, target) for case, target in zip(key.cases, key.targets, strict=True)]


def _first_wrong(
    function: Callable[..., Any],
    inputs: Sequence[Input],
    excused: Callable[[Any], bool] = lambda arguments: False,
    longest: float = LONGEST,
) -> Any:
    """The first input on which it is not right; None when it is right on all."""
    for arguments, target in inputs:
        given = fresh_arguments(arguments)
        try:
            result = run_limited(partial(interruptible, function, *given.values()), longest)
        except BaseException:
            return arguments
        if changed(arguments, given) or not (same_result(result, target) or excused(arguments)):
            return arguments
    return None


def _in_words(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{tuple(value.shape)} {value.flatten()[:4].tolist() if value.numel() else ''}".strip()
    return repr(value)[:40]
