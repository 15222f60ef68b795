"""The capstone's body: every organ that the learner has written, put together, with ours where one is missing.

body = assemble()
with body.inside(model):  # published weights run through the learner's functions
    model(input_ids, attention_mask)
body.examine(model, input_ids, attention_mask)  # organ by organ: accepted, or what is wrong first
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from anatomy_course.judge.by_id import saved_function
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.progress.location import own_progress
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.registry import find_exercise, ids
from anatomy_course.lab.transplant.operations import organs_in, reject, transplant
from anatomy_course.lab.transplant.rejection import Rejection
from anatomy_course.lab.transplant.replaceable import ORGANS
from anatomy_course.lab.transplant.saved import SavedAnswer, in_use
from anatomy_course.page.notebooks import NOTEBOOKS
from anatomy_course.page.page import CellOutput, escape, stacked, table

WRITE = "decoder.write"  # the decoding loop's exercise; no organ of a model, but what runs one
IN_PARTS = ("scores", "softmax", "weighted_average")
"""What attention consists of: a body runs it whole or in these parts."""


@dataclass(frozen=True)
class Part:
    name: str  # as `transplant` calls it; `"write"` for the decoding loop
    exercise: Exercise  # in which it is written
    function: Callable[..., Any]  # what runs; a saved answer is set aside where it fails, and the course's own goes on
    origin: str  # "yours", "the course's own" or "put in by hand"
    unusable: str = ""  # why a saved function could not even be tried; empty when all is well

    @property
    def note(self) -> str:
        """Why a saved function is not used; empty when all is well."""
        return self.function.note if isinstance(self.function, SavedAnswer) else self.unusable

    @property
    def whose(self) -> str:
        """As `origin`, but for an answer that has been set aside since: then it is "the course's own"."""
        return "the course's own" if self.note else self.origin

    @property
    def notebook(self) -> str:
        """Number and title of the notebook where it is written."""
        prefix = self.exercise.id.partition(".")[0]
        return next(f"{known.number} {known.title}" for known in NOTEBOOKS if known.prefix == prefix)


class ShowsItself:
    """The last expression of a cell shows its page; `_page` makes it."""

    def _page(self) -> CellOutput:
        raise NotImplementedError

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        return self._page()._repr_mimebundle_(include, exclude)

    def __repr__(self) -> str:
        return self._page().text


@dataclass(frozen=True, repr=False)
class Body(ShowsItself):
    """Organs that can be put into any model of the zoo."""

    parts: dict[str, Part]  # name → organ, in the course's order; the decoding loop, `"write"`, comes last

    @property
    def yours(self) -> tuple[str, ...]:
        return tuple(name for name, part in self.parts.items() if part.whose == "yours")

    @property
    def write(self) -> Callable[..., Any]:
        """The decoding loop: `write(step, cache, prompt_ids, max_new_tokens, stop_id)`."""
        return self.parts["write"].function

    def fitting(self, model: nn.Module, *, in_parts: bool = False) -> dict[str, Any]:
        """The organs that any model of the zoo has a place for; attention as one function, or as scores, softmax and
        weighted average."""
        held = organs_in(model) - ({"attention"} if in_parts else set(IN_PARTS))
        whole_layers = "decoder_layer" in held  # it would not use it
        left_out = {"attend_to_memory"} if whole_layers and not in_parts else {"decoder_layer"}
        return {name: part.function for name, part in self.parts.items() if name in held - left_out}

    @contextmanager
    def inside(self, model: nn.Module, *, in_parts: bool = False) -> Iterator[None]:
        """Run a model with this body's organs instead of its own, inside the `with` block.

        A saved answer that fails in it is set aside with a warning, and the course's own goes on.
        """
        with transplant(model, **self.fitting(model, in_parts=in_parts)):
            yield

    def replaced(self, **functions: Callable[..., Any]) -> Body:
        """The same body with other functions put in by hand: `body.replaced(layer_norm=mine)`.

        Raises:
            ValueError: it has no organ of that name.
        """
        for name in functions:
            if name not in self.parts:
                raise ValueError(f"The body has no organ {name!r}; it has {', '.join(self.parts)}.")
        by_hand = {
            name: replace(self.parts[name], function=function, origin="put in by hand", unusable="")
            for name, function in functions.items()
        }
        return Body({**self.parts, **by_hand})

    def reject(self, model: nn.Module, *inputs: Any, run: Callable[..., object] | None = None) -> Rejection | None:
        """The first module of the model that does not accept one of the organs when it is called with these inputs, or
        `run` with them, such as a generation; None when all are accepted."""
        for in_parts in (False, True):
            found = reject(model, *inputs, run=run, **self.fitting(model, in_parts=in_parts))
            if found is not None:
                return found
        return None

    def examine(self, model: nn.Module, *inputs: Any) -> Examination:
        """Try every organ by itself in a model in evaluation mode, called with these inputs, and all of them together.

        A saved answer that stops is set aside afterwards with a warning; from then on the course's own runs.
        """
        functions = self.fitting(model) | self.fitting(model, in_parts=True)
        tried = [name for name in self.parts if name in functions]
        found = {name: reject(model, *inputs, **{name: functions[name]}) for name in tried}
        with torch.no_grad():
            wanted = model(*inputs)
            try:
                with transplant(model, **{name: in_use(part) for name, part in self.fitting(model).items()}):
                    got = model(*inputs)
            except ValueError:  # an organ that stops, or gives something of another shape; `found` says which
                got = None
        for name, rejection in found.items():
            if isinstance(function := functions[name], SavedAnswer) and rejection and rejection.difference is None:
                function.set_aside(str(rejection))
        if got is None:
            return Examination(self, found, None)
        real = inputs[1].bool() if len(inputs) > 1 and inputs[1].shape == wanted.shape[:2] else ...
        return Examination(self, found, (got[real] - wanted[real]).abs().max().item())

    def _page(self) -> CellOutput:
        caption = f"{len(self.yours)} of {len(self.parts)} organs are yours"
        rows = [[name, part.whose, part.notebook, part.exercise.id] for name, part in self.parts.items()]
        page = table(caption, ["organ", "whose", "notebook", "exercise"], rows, words=(1, 2, 3))
        notes = [part.note for part in self.parts.values() if part.note]
        return stacked(page, *(CellOutput(f"<p>{escape(note)}</p>", note) for note in notes))


@dataclass(frozen=True, repr=False)
class Examination(ShowsItself):
    """What a model says to each organ of a body.

    Attributes:
        difference: the largest difference of the model's output when all organs run at once; None when they cannot.
    """

    body: Body  # which
    found: dict[str, Rejection | None]  # organ → the first module that does not accept it; None where all do
    difference: float | None

    @property
    def count(self) -> int:
        return sum(rejection is None for rejection in self.found.values())

    @property
    def accepted(self) -> bool:
        return not any(self.found.values()) and self.difference is not None

    @property
    def together(self) -> str:
        """How far the output moves when all organs run at once, in words: up to the next power of ten, and 0.0001 at
        least, for anything below is rounding, which no two machines do alike."""
        if self.difference is None:
            return "do not run"
        power = next(power for power in range(-4, 40) if power == 39 or self.difference < 10.0**power)
        return f"off by less than {10.0**power:g}"

    def _page(self) -> CellOutput:
        pairs = [(self.body.parts[name], rejection) for name, rejection in self.found.items()]
        rows = [
            [part.name, part.origin, str(rejection)] if rejection else [part.name, part.whose, "accepted"]
            for part, rejection in pairs
        ]
        caption = f"{self.count} of {len(rows)} organs accepted; all at once: {self.together}"
        return table(caption, ["organ", "whose", "the model says"], rows, words=(1, 2))


def assemble(*, record: Progress | None = None) -> Body:
    """A body of all organs that the learner's exercises have left in the saved progress, and ours for the rest."""
    notes = record or own_progress()
    return Body({name: _part(name, id, notes) for name, id in {**written_in(), "write": WRITE}.items()})


def written_in() -> dict[str, str]:
    """Organ → the last exercise that is judged against our version of it, in the course's order."""
    last = {find_exercise(id).resolve(): id for id in ids()}
    found = {name: last[organ.reference] for name, organ in ORGANS.items() if organ.reference in last}
    return dict(sorted(found.items(), key=lambda pair: ids().index(pair[1])))


def _part(name: str, id: str, notes: Progress) -> Part:
    exercise, note = find_exercise(id), ""
    try:
        yours = saved_function(exercise, notes)
    except ValueError as error:
        yours, note = None, str(error)
    if yours is None:
        return Part(name, exercise, exercise.resolve(), "the course's own", note)
    return Part(name, exercise, yours, "yours")
