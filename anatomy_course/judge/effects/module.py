"""A class of modules as a function: make one, give it weights, and look at what it computes.

Compared are its parameters (names, shapes; see `structure`), its outputs in evaluation mode, the gradients of some
parameters and, where dropout is part of it, the range of its outputs in training mode.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from anatomy_course.judge.attempt.tensors import close, fresh
from anatomy_course.judge.definition import Objection, Output
from anatomy_course.judge.effects.initial import InitialSpread
from anatomy_course.judge.effects.structure import named_parameters, objection_to, objection_to_buffers, skeleton
from anatomy_course.judge.stub import with_names

RUNS, RUNS_WITHOUT_DROPOUT = 8, 2  # in evaluation mode: dropout that is still on may drop the same twice by chance
WEIGHTS = "weights"  # the argument that holds all weights of a module of many parameters


@dataclass(frozen=True)
class ModuleDrive:
    """Turns a class of modules into a function of what its constructor takes, its inputs and its weights.

    Args:
        copies: in training mode the first entry of the batch is given so many times, and the lowest and highest of each
            output is compared: that hangs on what is dropped and how the rest is scaled, but not on the order in which
            random numbers are drawn. Enough copies see every pattern of dropout. 0 where there is none: then the output
            in training mode is that of evaluation mode.
        packed: whether a case holds all weights as one vector, in the reference's order: for modules of so many
            parameters that trying something with each of them would take long.
        initial: the standard deviations that a new module's weights are to have, if that is asked; looked at where the
            batch is 1, which one case should have.
        given: what an answer may call by name, where its notebook does not have it.
        lengths: whether a text may be longer than the one before it: then a module that was first given one position,
            on the second axis of the inputs, must still compute the same for all of them.
    """

    reference: Callable[..., nn.Module]  # the class beside which an answer is held
    construct: tuple[str, ...]  # names of what the constructor takes
    inputs: tuple[str, ...]  # names of what `forward` takes: tensors whose first axis is the batch
    gradients: tuple[str, ...] = ()  # names of parameters, and of inputs, whose gradients are compared
    copies: int = 0
    packed: bool = False
    initial: InitialSpread | None = None
    given: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    published: bool = False  # whether published weights are loaded into it, by name and strictly
    lengths: bool = False

    def arguments(
        self, generator: torch.Generator, construct: Mapping[str, Any], inputs: Mapping[str, Tensor]
    ) -> dict[str, Any]:
        """A case's arguments: those of the constructor, the inputs, and a random weight for each parameter."""
        wanted = skeleton(self.reference, tuple(construct.values()))
        shapes = {name: weight.shape for name, weight in wanted.named_parameters()}
        drawn = {name: torch.randn(shape, generator=generator) / shape[-1] ** 0.5 for name, shape in shapes.items()}
        if self.packed:
            drawn = {WEIGHTS: torch.cat([weight.flatten() for weight in drawn.values()])}
        return {**construct, **inputs, **drawn}

    def weights(self, *arguments: Any) -> dict[str, Tensor]:
        """The weights in a case's arguments, by the reference's names; a shared one under each of them."""
        wanted = skeleton(self.reference, arguments[: len(self.construct)])
        given = arguments[len(self.construct) + len(self.inputs) :]
        if self.packed:
            parameters = list(wanted.parameters())
            parts = given[0].split([parameter.numel() for parameter in parameters])
            given = tuple(part.reshape(p.shape) for part, p in zip(parts, parameters, strict=True))
        of = {id(parameter): weight for parameter, weight in zip(wanted.parameters(), given, strict=True)}
        return {name: of[id(parameter)] for name, parameter in named_parameters(wanted).items()}

    def outputs(self, output: Output) -> tuple[Output, ...]:
        """All that is compared, for `Exercise.returns`; `output` is what `forward` returns."""
        of_gradients = tuple(Output(f"gradient of {name}") for name in self.gradients)
        ends = ("lowest", "highest") if self.copies else ()
        return (output, *of_gradients, *(Output(f"{end} {output.name} in training", output.axes) for end in ends))

    def __call__(self, answer: Callable[..., Any], *arguments: Any) -> tuple[Tensor, ...] | Objection:
        with torch.random.fork_rng(devices=[]), with_names(answer, self.given):
            return self._outputs(answer, arguments)

    def _outputs(self, answer: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Tensor, ...] | Objection:
        first, last = len(self.construct), len(self.construct) + len(self.inputs)
        construct, inputs = arguments[:first], arguments[first:last]
        wanted = skeleton(self.reference, construct)
        torch.default_generator.manual_seed(0)
        made = answer(*construct)
        objection = objection_to(made, wanted) or (self.published and objection_to_buffers(made))
        if not objection and self.initial and len(inputs[0]) == 1:
            objection = self.initial.objection_to(answer, self.reference)
        if objection:
            return objection
        weights = self.weights(*arguments)
        untouched = tuple(map(fresh, inputs))
        made.to(next(iter(weights.values())).dtype).eval()
        output = functional_call(made, weights, inputs)
        if output is None:
            said = "Your `forward` returned nothing (None). It should end with `return` and what it computed."
            return Objection("nothing", said)
        if not isinstance(output, Tensor):
            return Objection("type", f"Your `forward` returns a {type(output).__name__}; one tensor is wanted.")
        objection = self._objection_to_use(made, answer(*construct), weights, untouched, output)
        if not objection and self.lengths:
            objection = self._objection_to_lengths(answer(*construct), weights, untouched, output)
        if objection:
            return objection
        return (output, *self._gradients(made, untouched), *self._range(made, untouched))

    def _objection_to_use(
        self, made: nn.Module, other: nn.Module, weights: dict[str, Tensor], inputs: tuple[Any, ...], output: Tensor
    ) -> Objection | None:
        """Loads the weights into `made` and saves it into `other`: both must then compute `output`, again and again."""
        other.to(next(iter(weights.values())).dtype).eval()
        with torch.no_grad():
            made.load_state_dict(weights, strict=False)
            runs = RUNS if self.copies else RUNS_WITHOUT_DROPOUT
            once, *again = (made(*map(fresh, inputs)) for _ in range(runs))
            if not all(close(once, other) for other in again):
                return Objection(
                    "eval_changes",
                    "In evaluation mode (`.eval()`) your module gives another result each time, as if in training: "
                    "whatever is random in it must look at `self.training`, as `torch.nn.Dropout` does.",
                )
            other.load_state_dict(made.state_dict())
            if not close(once, output) or not close(other(*map(fresh, inputs)), output):
                return Objection(
                    "not_saved",
                    "Saved with `state_dict()` and loaded into another one, your module computes something else, as "
                    "if it held numbers that are not parameters.",
                )
            if not self.copies and not close(made.train()(*map(fresh, inputs)), output):
                return Objection(
                    "training_changes",
                    "In training mode your module computes something else than in evaluation mode (`.eval()`); here "
                    "the two should be the same. Is there a dropout in it?",
                )
            made.eval()
        return None

    def _objection_to_lengths(
        self, made: nn.Module, weights: dict[str, Tensor], inputs: tuple[Any, ...], output: Tensor
    ) -> Objection | None:
        """A new module is given one position, then all: it must not have kept a mask or angles of the first call."""
        made.to(next(iter(weights.values())).dtype).eval()
        with torch.no_grad():
            made.load_state_dict(weights, strict=False)
            made(*(fresh(each[:, :1]) for each in inputs))
            try:
                same = close(made(*map(fresh, inputs)), output)
            except Exception:  # such as sizes that do not fit: `output` shows that they did before
                same = False
        if same:
            return None
        return Objection(
            "first_call",
            "Given one position first and then a whole text, your module does not compute what it does for the text "
            "alone, as if it kept something of its first call, such as a mask of that size.",
        )

    def _gradients(self, made: nn.Module, inputs: tuple[Any, ...]) -> list[Tensor]:
        """Of a sum of all outputs, each with a weight of its own; no longer where there are more positions, since what
        rounding does to a gradient grows with its length."""
        parameters = named_parameters(made)
        given = dict(zip(self.inputs, map(fresh, inputs), strict=True))
        watched = [given[n].requires_grad_() if n in given else parameters[n] for n in self.gradients]
        with torch.enable_grad():
            output = made(*given.values())
            weights = torch.arange(output.numel(), dtype=output.dtype).cos().reshape(output.shape)
            total = (output * weights).sum() / max(1, math.prod(output.shape[:-1])) ** 0.5
        if not watched or not total.requires_grad:
            return [torch.zeros_like(parameter) for parameter in watched]
        return list(torch.autograd.grad(total, watched, allow_unused=True, materialize_grads=True))

    def _range(self, made: nn.Module, inputs: tuple[Any, ...]) -> list[Tensor]:
        if not self.copies:
            return []
        made.train()
        with torch.no_grad():
            output = made(*(each[:1].repeat_interleave(self.copies, 0) for each in inputs))
        made.eval()
        return [output.amin(0), output.amax(0)] if output.dim() else [output, output]
