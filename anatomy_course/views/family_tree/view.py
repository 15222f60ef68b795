"""The family tree: choose a model, see its blocks with what its parent does not have, what it costs, and run it.

Everything but the run is computed in the browser from cards that are handed over once. Notebook 06. The widget knows no
model: it is given cards, and `run`, which is asked when the reader wants to see one work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import traitlets

from anatomy_course.views._kit.model_card import ModelCard, ModelRun, place_of, told
from anatomy_course.views._kit.request import Asking

if TYPE_CHECKING:
    from anatomy_course.figures.picture import Picture

DEFAULT_LABEL = "Family tree: each model is its parent plus what changed"


class FamilyTree(
    Asking,
    module="family_tree/view.js",
    shares=("_kit/request.js", "_kit/taxonomy.js", "family_tree/drawing.js", "family_tree/panels.js"),
):
    """A tree of models by branch and year; the chosen one as blocks, differences, numbers and a run.

    Args:
        cards: one for each model, in the order of the tree.
        runs: name → what a small version of it did, of those that ran already.
        run: name → the same, of those that did not run yet; without it, only `runs` can be shown.
        chosen: the model shown at first.
        length: the length of text at which costs are shown at first.
        label: heading and accessible name.

    Raises:
        ValueError: the cards are no tree, there is no model `chosen`, or a run of a model without a card.
    """

    models = traitlets.List(traitlets.Dict()).tag(sync=True)
    runs = traitlets.Dict().tag(sync=True)
    """Name of a model → its run."""
    can_run = traitlets.Bool(False).tag(sync=True)
    chosen = traitlets.Unicode().tag(sync=True)
    length = traitlets.Int(1024).tag(sync=True)

    def __init__(
        self,
        cards: Sequence[ModelCard],
        runs: Mapping[str, ModelRun] | None = None,
        *,
        run: Callable[[str], ModelRun] | None = None,
        chosen: str,
        length: int = 1024,
        label: str = DEFAULT_LABEL,
    ) -> None:
        models, runs = told(cards), runs or {}
        self._cards = tuple(cards)
        for name in (chosen, *runs):
            place_of(name, cards)
        self._run = run
        super().__init__(
            models=models, runs={name: asdict(found) for name, found in runs.items()}, can_run=run is not None,
            chosen=chosen, length=length, label=label, question={"name": ""},
        )  # fmt: skip

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """One more model that ran."""
        name = place_of(str(question.get("name")), self._cards, running=True)
        if self._run is None:
            raise ValueError("Nothing can be run here.")
        return {"runs": {**self.runs, name: asdict(self._run(name))}}

    def static_twin(self) -> Picture:
        """The whole tree; what the chosen model changes is told in the text beside it."""
        from anatomy_course.figures import diagrams

        return diagrams.family_tree(self._cards)
