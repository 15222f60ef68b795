"""What an exercise is made of. Exercises are data: the machinery around them knows none by name.

A module of the content (`content/attention/scores.py`) holds one `EXERCISE`; `judge/test_proof.py` proves each
of them: the stub is "not attempted", reference and alternatives pass, every mistake gets exactly its own sentence.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Literal

import torch
from torch import Tensor

Difficulty = Literal["easy", "medium", "hard"]


@dataclass(frozen=True)
class Case:
    """One input on which an answer is tried.

    Args:
        sizes: name → length of an axis, such as `{"d_head": 5}`; distinct primes, so that no axis passes for another.
    """

    arguments: Mapping[str, Any]  # name → value, in the order of the signature. An attempt gets copies, never these.
    kind: str  # completes "right with …": `"one sentence"`, `"a batch of sentences"`, `"large numbers"`
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
class Objection:
    """What a drive returns in place of outputs for an answer that gives none to compare, such as a module that lacks a
    parameter. Two answers with the same objection made the same mistake.

    Args:
        example: what was returned, where the sentence shows some of it: two answers that return something else have two
            objections, and beside the sentence of a catalogued mistake this one is a note.
    """

    name: str  # of its kind: `"missing"`
    sentence: str  # what is wrong
    example: Any = None


@dataclass(frozen=True)
class Condition:
    """What else may be asked of the same idea, when an exercise comes once more."""

    sentence: str  # what is different: `"This time …"`
    function: Callable[..., Any]  # the solution then
    solution: str  # its body
    mistakes: tuple[Mistake, ...]  # the exercise's own that can be made here too, and what was right before
    stages: Callable[..., Mapping[str, Tensor]] | None


@dataclass(frozen=True)
class Exercise:
    """Everything about one exercise. What is not explained here is as in `form.written`, which makes it.

    Args:
        signature: what follows `def`: `"attention_scores(query: Tensor, key: Tensor) -> Tensor"`; of a class, what
            follows `class`: `"FeedForward(torch.nn.Module)"`.
        stages: called with a case's arguments; gives the tensors that a solution passes on its way, by name.
        methods: of a class, what follows `def` of each method that the stub holds, the constructor first.
    """

    id: str  # notebook's prefix, a point and a name: `"attention.scores"`
    title: str
    task: str
    difficulty: Difficulty
    minutes: int  # how long a learner may need
    signature: str
    docstring: str  # the stub's docstring; says the shapes
    reference: Callable[..., Any] | str  # the package's own function, or its dotted path (imported when first needed)
    returns: tuple[Output, ...]
    cases: Callable[[torch.Generator], Iterable[Case]]
    mistakes: tuple[Mistake, ...]
    also_right: Mapping[str, Callable[..., Any]]  # name → another right way to write it
    hints: tuple[str, str, str]
    solution: str  # the body of the function or the class, unindented
    explanation: str
    stages: Callable[..., Mapping[str, Tensor]] | None = None
    look_first: tuple[str, ...] = ()
    seconds: float = 5.0
    methods: tuple[str, ...] = ()
    observe: Callable[..., Any] | None = None
    uses: tuple[str, ...] = ()
    again: Condition | None = None

    @property
    def function_name(self) -> str:
        return self.signature.partition("(")[0]

    @property
    def kind(self) -> Literal["class", "function"]:
        return "class" if self.methods else "function"

    def as_function(self, answer: Callable[..., Any]) -> Callable[..., Any]:
        """Any answer, be it a function, a class or a procedure, as a function from a case's arguments to outputs.

        Whatever is compared comes from here: the reference, each mistake, the learner's answer and its variations.
        """
        return answer if self.observe is None else partial(self.observe, answer)

    def resolve(self) -> Callable[..., Any]:
        if not isinstance(self.reference, str):
            return self.reference
        module, _, name = self.reference.rpartition(".")
        function: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return function

    def parameters(self) -> list[str]:
        """The names of the stub's parameters, in order; of a class, those of its constructor."""
        return list(_parameters(self.methods[0])[1:] if self.methods else _parameters(self.signature))

    def attributes(self) -> set[str]:
        """The attributes and methods that the solution uses."""
        return {node.attr for node in ast.walk(ast.parse(self.solution)) if isinstance(node, ast.Attribute)}

    def accepts(self, answer: Callable[..., Any]) -> bool:
        """Whether `answer`, or each of its methods, can be called with the stub's parameters in the stub's order."""
        if not self.methods:
            return _takes(answer, self.parameters())
        return all(_takes(getattr(answer, m.partition("(")[0], None), _parameters(m)) for m in self.methods)

    def wanted(self) -> str:
        """What an answer must take, in words for the learner."""
        if not self.methods:
            names = ", ".join(self.parameters())
            return f"Your function must take ({names}), in this order; keep the first line of the stub."
        heads = " and ".join(f"`{m.partition('(')[0]}({', '.join(_parameters(m))})`" for m in self.methods)
        return f"Your class must have {heads}, with the parameters in this order; keep the stub's lines with `def`."


def _takes(function: Any, parameters: Iterable[str]) -> bool:
    try:
        inspect.signature(function).bind(*parameters)
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
