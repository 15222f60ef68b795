"""One answer, tried: what every check and every diagnosis looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from torch import Tensor

from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.only_computes import Reader
from anatomy_course.judge.attempt.program import Program
from anatomy_course.judge.attempt.run import RunOnCases, execute
from anatomy_course.judge.attempt.tensors import close, fresh_arguments, parts, plain, same_result
from anatomy_course.judge.definition import Case, Exercise, Mistake

LONGEST = 60  # how many characters of a value are shown


class OutputPair(NamedTuple):
    case: int
    output: int
    yours: Tensor
    target: Tensor


@dataclass(frozen=True)
class Attempt:
    """The learner's answer, what it returned on every case, and what it should have returned."""

    exercise: Exercise  # what was asked
    answer_key: AnswerKey  # the cases and their targets
    function: Callable[..., Any]  # the learner's answer, which may be a class
    run: RunOnCases  # what came of running it on the cases
    seconds: float  # how long all cases together may take
    source: str | None = None  # the answer's text, for where Python cannot find it

    @cached_property
    def again(self) -> Callable[..., Any]:
        """The answer, for one more run.

        Where it has effects, a copy without them, if that returns the same; else a function that returns nothing.
        """
        if self._reader.finds_nothing():
            return self.function
        program = self._program(without_effects=True)
        copy = program and program.build()
        return copy if copy and self._does_the_same(copy) else _not_again

    def program(self) -> Program | None:
        """The answer's code, to be edited and run; None where that must not be."""
        return self._program(without_effects=self.again is not self.function) if self.may_run_again else None

    def _program(self, *, without_effects: bool) -> Program | None:
        try:
            program = Program(self.function, self.source)
        except ValueError:
            return None
        if without_effects:
            self._reader.leave_out(program)
        return program if self._reader.finds_nothing_in(program) else None

    def _does_the_same(self, copy: Callable[..., Any]) -> bool:
        """Whether a copy of the answer returns the same on every case, and stops where the answer does."""
        tried = execute(self.exercise.as_function(copy), self.cases, seconds=self.seconds)
        if len(tried.results) != len(self.results) or (tried.error is None) is not (self.run.error is None):
            return False
        pairs = zip(self.results, tried.results, strict=True)
        return all(yours is its or same_result(yours, its) for yours, its in pairs)

    @property
    def once_more(self) -> Callable[..., Any]:
        """The same for a run on the same arguments, which an answer may also stand that remembers the run before."""
        remembers = not self.may_run_again and self._reader.finds_a_memory()
        return self.exercise.as_function(self.function) if remembers else self.call_again

    @property
    def may_run_again(self) -> bool:
        """Whether the answer, or a copy of it without effects, may be run once more."""
        return self.again is not _not_again

    @cached_property
    def _reader(self) -> Reader:
        error = self.run.error
        missing = {error.name} if isinstance(error, AttributeError) and error.name else set()  # there is no such method
        return Reader(
            self.function,
            self.source,
            words=self.exercise.attributes() | missing,
            arguments=self.cases[0].arguments.values(),
            writes=self.writes,
        )

    @property
    def writes(self) -> str:
        """The argument that holds a file's name, where the exercise asks for a file."""
        return "path" if "path" in self.exercise.parameters() else ""

    @property
    def call_again(self) -> Callable[..., Any]:
        """The same as a function from a case's arguments to outputs."""
        return self.exercise.as_function(self.again)

    @property
    def cases(self) -> Sequence[Case]:
        return self.answer_key.cases

    @property
    def results(self) -> Sequence[Any]:
        """What the function returned, case by case; fewer than there are cases when it crashed or was stopped."""
        return self.run.results

    @cached_property
    def pairs(self) -> list[OutputPair]:
        """Yours and the target for every output of every case, plain; the results must be of the right type."""
        return [OutputPair(i, k, plain(yours), plain(target)) for i, k, yours, target in self.as_returned()]

    def as_returned(self) -> Iterator[OutputPair]:
        """The same, with tensors as they were returned."""
        for i, (result, wanted) in enumerate(zip(self.results, self.answer_key.targets, strict=True)):
            for k, (yours, target) in enumerate(zip(parts(result) or (), parts(wanted) or (), strict=True)):
                yield OutputPair(i, k, yours, target)

    @cached_property
    def wrong(self) -> dict[int, list[int]]:
        """Output → the cases in which it is not the target; outputs in the order in which a fault spreads."""
        names = [output.name for output in self.exercise.returns]
        order = [names.index(name) for name in dict.fromkeys([*self.exercise.look_first, *names])]
        off = [(pair.output, pair.case) for pair in self.pairs if not close(pair.yours, pair.target)]
        return {k: [case for output, case in off if output == k] for k in order}

    @property
    def wrong_cases(self) -> set[int]:
        """The cases in which something is wrong, or in which it stopped; all where it returns the wrong things."""
        if len(self.results) < len(self.cases):
            return {len(self.results)}
        try:
            return {case for cases in self.wrong.values() for case in cases}
        except ValueError:
            return set(range(len(self.cases)))

    @cached_property
    def mistake(self) -> Mistake | None:
        """The first of the exercise's mistakes that gives the same on every case."""
        for mistake, results in self.answer_key.mistaken:
            if all(same_result(yours, theirs) for yours, theirs in zip(self.results, results, strict=True)):
                return mistake
        return None

    def stages(self, case: Case) -> dict[str, Tensor]:
        """The tensors that a right solution passes on a case, plain; none where the exercise does not tell them."""
        passed = self.exercise.stages and self.exercise.stages(*fresh_arguments(case.arguments).values())
        return {name: plain(tensor) for name, tensor in (passed or {}).items()}

    def arguments_in_words(self, case: int) -> str:
        """What the answer is given in a case, as far as words can show it; empty where nothing can be shown."""
        own = set(self.exercise.parameters())  # what a case holds besides is for the drive alone
        given = {name: value for name, value in self.cases[case].arguments.items() if name in own}
        shown = {
            n: v for n, v in given.items() if isinstance(v, Tensor | bool | int | float | str | list | tuple | dict)
        }
        return ", ".join(
            f"{n} of shape {tuple(v.shape)}" if isinstance(v, Tensor) else f"{n} = {cut(v)}" for n, v in shown.items()
        )


def _not_again(*arguments: Any) -> None:
    """What stands for an answer with effects."""


def kinds_in_words(cases: Sequence[Case], joint: str = "and") -> str:
    """The kinds of some cases: `"one sentence, with a batch of sentences and with a single word"`."""
    return listed((case.kind for case in cases), joint)


def listed(kinds: Iterable[str], joint: str = "and") -> str:
    """Kinds of cases, each once, as the words behind "with"."""
    *first, last = dict.fromkeys(kinds)
    return f"{', with '.join(first)} {joint} with {last}" if first else last


def cut(value: Any) -> str:
    """A value as Python writes it, and no more of it than fits a card."""
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{value[:LONGEST]!r} …"
    words = f"{value:.4g}" if isinstance(value, float) else repr(value)
    return words if isinstance(value, str) or len(words) <= LONGEST else f"{words[:LONGEST]} …"
