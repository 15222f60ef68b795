"""What an exercise is made of. Exercises are data: the machinery around them knows none by name.

A catalogue module (`catalogue/attention/scores.py`) holds one `EXERCISE`; `tests/exercises/test_proof.py` proves each
of them: the stub is "not attempted", reference and alternatives pass, every mistake gets exactly its own sentence.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import torch
from torch import Tensor

Difficulty = Literal["easy", "medium", "hard"]


@dataclass(frozen=True)
class Case:
    """One input on which an answer is tried.

    Args:
        arguments: name → value, in the order of the signature. An attempt gets copies, never these.
        kind: completes "right with …": `"one sentence"`, `"a batch of sentences"`, `"large numbers"`.
        sizes: name → length of an axis, such as `{"d_head": 5}`; distinct primes, so that no axis passes for another.
    """

    arguments: Mapping[str, Any]
    kind: str
    sizes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Output:
    """A name and the names of the last axes of something that an answer returns: `Output("weights", "query key")`."""

    name: str
    axes: str = ""

    def axis(self, index: int, rank: int) -> str:
        """The name of axis `index` of a tensor of that rank; leading axes without a name are batches."""
        names = self.axes.split()
        index %= rank
        from_end = rank - index
        if from_end <= len(names):
            return names[-from_end]
        return "batch" if index == 0 else "heads" if index == 1 and rank - len(names) == 2 else f"number {index}"


@dataclass(frozen=True)
class Mistake:
    """A real misunderstanding: what it computes, and the sentence that tells what such a result equals.

    The sentence describes the result ("your rows are …"); it does not give the answer away.
    """

    name: str
    function: Callable[..., Any]
    sentence: str


@dataclass(frozen=True)
class Exercise:
    """Everything about one exercise.

    Args:
        id: notebook's prefix, a point and a name: `"attention.scores"`.
        title: two to four words.
        task: one sentence.
        minutes: how long a learner may need.
        signature: what follows `def`: `"attention_scores(query: Tensor, key: Tensor) -> Tensor"`.
        docstring: the stub's docstring; says the shapes.
        reference: the package's own function, or its dotted path (imported when first needed).
        returns: what the answer returns, in order.
        cases: draws the cases from a generator; the first one is small enough to be drawn.
        mistakes: at least four.
        alternatives: name → another right way to write it.
        hints: three, of growing help.
        solution: the body of the function, unindented.
        explanation: two or three sentences that go with the solution.
        stages: the tensors that a solution passes on its way, by name; called with the case's arguments.
        look_first: names of outputs in the order in which a fault spreads; the order of `returns` when left out.
        seconds: how long all cases together may take.
    """

    id: str
    title: str
    task: str
    difficulty: Difficulty
    minutes: int
    signature: str
    docstring: str
    reference: Callable[..., Any] | str
    returns: tuple[Output, ...]
    cases: Callable[[torch.Generator], Iterable[Case]]
    mistakes: tuple[Mistake, ...]
    alternatives: Mapping[str, Callable[..., Any]]
    hints: tuple[str, str, str]
    solution: str
    explanation: str
    stages: Callable[..., Mapping[str, Tensor]] | None = None
    look_first: tuple[str, ...] = ()
    seconds: float = 5.0

    @property
    def function_name(self) -> str:
        """The name that the stub defines."""
        return self.signature.partition("(")[0]

    def resolve(self) -> Callable[..., Any]:
        """The reference itself."""
        if not isinstance(self.reference, str):
            return self.reference
        module, _, name = self.reference.rpartition(".")
        function: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return function

    def parameters(self) -> list[str]:
        """The names of the stub's parameters, in order."""
        return list(_parameters(self.signature))

    def accepts(self, function: Callable[..., Any]) -> bool:
        """Whether `function` can be called with the stub's parameters in the stub's order."""
        try:
            inspect.signature(function).bind(*self.parameters())
        except TypeError:
            return False
        except ValueError:  # a built-in without a signature: trying it will tell
            return True
        return True


@cache
def _parameters(signature: str) -> tuple[str, ...]:
    """The parameters' names in a text such as `"scores(query: Tensor, key: Tensor) -> Tensor"`."""
    definition = ast.parse(f"def {signature}: ...").body[0]
    assert isinstance(definition, ast.FunctionDef)
    return tuple(argument.arg for argument in definition.args.args)
