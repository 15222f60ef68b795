"""The objective explorer: one sentence under each pretraining objective, what goes in and what is asked of the model.

The positions that count in the loss, who may look at whom, and the models that learnt so. Notebook 07. The class knows
no objective: it is given `draw`. The first drawings of each are handed over, so that they can be read without a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import torch
import traitlets

from anatomy_course.figures.objective_rows import ObjectiveRow, objective_rows
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.objectives.registry import OBJECTIVES, Objective
from anatomy_course.lab.street.parser import parse
from anatomy_course.views._kit.base import attributes
from anatomy_course.views._kit.checks import Whole, word_list
from anatomy_course.views._kit.request import Asking, usable_sentence
from anatomy_utils.taxonomy.tree import trained_on

MOST_POSITIONS = 80
GIVEN = 4
"""Drawings of each objective that are handed over."""

Draw = Callable[[str, str, float | None, int], Mapping[str, Any]]
"""Name of an objective, sentence, rate (None where there is none), number of the drawing → the fields of a
`objectives.Shown`. The same arguments give the same drawing."""
SENTENCE = "The animal didn't cross the street because it was too tired."
EXAMPLES = (
    "The animal didn't cross the street because it was too wide.",
    "The old robot couldn't push the red piano because it was too rusty.",
    "The dog avoided the lake because it was too deep.",
)
SEED = 1331
"""A first drawing in which something happens under every objective: a word is exchanged, all of a word is hidden."""


class ObjectiveExplorer(Asking):
    """Choose an objective and a sentence, draw again, change the rate.

    Args:
        questions: the objectives, those of one branch next to each other.
        draw: see `Draw`. Of a `ValueError` that it raises the sentence is shown.
        sentence: the first sentence.
        examples: sentences to pick from.
        chosen: the objective shown at first; the first one when left out.

    Raises:
        ValueError: no objectives, an unknown one, or `draw` refuses the sentence or gives what does not fit together.
    """

    drawn_height = 681
    objectives = traitlets.List(traitlets.Dict()).tag(sync=True)
    given = traitlets.Dict().tag(sync=True)
    """Name → the first drawings of `given_sentence` at the published rate."""
    given_sentence = traitlets.Unicode().tag(sync=True)
    examples = traitlets.List(traitlets.Unicode()).tag(sync=True)
    chosen = traitlets.Unicode().tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True)
    number = Whole(None).tag(sync=True)
    """Which drawing."""
    rates = traitlets.Dict().tag(sync=True)
    """Name → rate, where the reader has changed it."""
    drawing = traitlets.Dict().tag(sync=True)
    """What Python drew last, with `name`, `sentence`, `rate` and `number`."""

    def __init__(
        self,
        questions: Sequence[Objective],
        draw: Draw,
        sentence: str,
        *,
        examples: Sequence[str] = (),
        chosen: str = "",
        label: str = "Objective explorer: what goes in, what is asked",
    ) -> None:
        self._draw = draw
        self._questions = {question.name: question for question in questions}
        if not questions or len(self._questions) < len(questions):
            raise ValueError("Give at least one objective, and each its own name.")
        self._check_name(chosen or questions[0].name)
        given = {
            name: [_traits(draw(name, usable_sentence(sentence), question.rate, number)) for number in range(GIVEN)]
            for name, question in self._questions.items()
        }
        super().__init__(
            objectives=[attributes(each, "name branch asks models source rate rate_means") for each in questions],
            given=given, given_sentence=sentence, sentence=sentence, examples=list(examples),
            chosen=chosen or questions[0].name, label=label, question={"name": ""},
        )  # fmt: skip

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """One more drawing."""
        name, sentence = str(question.get("name")), usable_sentence(question.get("sentence"))
        self._check_name(name)
        published = self._questions[name].rate
        rate = None if published is None else float(question.get("rate") or published)
        number = int(question.get("number") or 0)
        drawing = _traits(self._draw(name, sentence, rate, number))
        told = {"name": name, "sentence": sentence, "rate": rate, "number": number, **drawing}
        rates = {**self.rates, name: rate} if rate != published else {k: v for k, v in self.rates.items() if k != name}
        return {"drawing": told, "sentence": sentence, "number": number, "rates": rates}

    def still_picture(self) -> Picture:
        """The first drawing of every objective."""
        first = {name: drawings[0] for name, drawings in self.given.items()}
        rows = [
            ObjectiveRow(name, _with_turns(one), one["altered"], one["asked"], bool(one["decoder_inputs"]))
            for name, one in first.items()
        ]
        told = " ".join(f"{row.name}: in “{' '.join(row.inputs)}”, asked {_asked(row.asked)}." for row in rows)
        return objective_rows(
            rows, title=self.label, alt=f"“{self.given_sentence}” under {len(rows)} objectives. {told}"
        )

    def _check_name(self, name: str) -> None:
        if name not in self._questions:
            raise ValueError(f"There is no objective {name!r}; there are {', '.join(map(repr, self._questions))}.")


def _with_turns(drawn: Mapping[str, Any]) -> Sequence[str]:
    """What goes in; where an order is drawn, each word with its turn."""
    if drawn["marks_mean"] != "turn":
        return drawn["inputs"]  # type: ignore[no-any-return]
    return [f"{turn}:{word}" for turn, word in zip(drawn["marks"], drawn["inputs"], strict=True)]


def _asked(asked: Sequence[str]) -> str:
    wanted = [word for word in asked if word]
    return f"“{' '.join(wanted)}” ({len(wanted)} of {len(asked)} positions)"


def _traits(drawn: Mapping[str, Any]) -> dict[str, Any]:
    """A drawing for the page, checked: lists, and the mask as rows of "1" and "0"."""
    inputs = word_list(drawn["inputs"], "inputs", at_most=MOST_POSITIONS)
    decoder_inputs = word_list(drawn["decoder_inputs"], "decoder_inputs", at_least=0, at_most=MOST_POSITIONS)
    answering, size = decoder_inputs or inputs, len(inputs) + len(decoder_inputs)
    lengths = {name: len(drawn[name]) for name in ("asked", "counts", "altered", "marks", "mask")}
    expected = {"asked": len(answering), "counts": len(answering), "altered": len(inputs), "marks": len(inputs)}
    expected |= {"mask": size} | ({} if lengths["marks"] else {"marks": 0})
    if lengths != expected or any(len(row) != size for row in drawn["mask"]):
        raise ValueError(f"A drawing has the lengths {lengths}; expected {expected}, and each row of the mask {size}.")
    lists = {name: list(drawn[name]) for name in ("asked", "counts", "altered", "marks")}
    texts = {name: str(drawn[name]) for name in ("mask_kind", "note", "marks_mean")}
    mask = ["".join("1" if cell else "0" for cell in row) for row in drawn["mask"]]
    return {"inputs": inputs, "decoder_inputs": decoder_inputs, "mask": mask, **lists, **texts}


def objective_explorer(
    sentence: str = SENTENCE, *, examples: Sequence[str] = EXAMPLES, chosen: str = "masked tokens", seed: int = SEED
) -> ObjectiveExplorer:
    """What goes in and what is asked under each objective of `objectives.OBJECTIVES`.

    Args:
        sentence: one of the street's, in English, as are the examples.
        examples, chosen: see `ObjectiveExplorer`.
        seed: of the first drawing; the next one has the next seed.

    Raises:
        ValueError: a sentence that is not of the street, or an unknown objective.
    """

    def draw(name: str, sentence: str, rate: float | None, number: int) -> dict[str, Any]:
        generator = torch.Generator().manual_seed(seed + number)
        return asdict(OBJECTIVES[name].show(parse(sentence, "english"), generator, rate))

    questions = [replace(each, models=(*trained_on(each.name), *each.models)) for each in OBJECTIVES.values()]
    return ObjectiveExplorer(questions, draw, sentence, examples=examples, chosen=chosen)
