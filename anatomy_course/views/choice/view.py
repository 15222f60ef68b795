"""A question with choices, or a prediction: radio buttons, judged in the browser, with a reason for each choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget

LABELS = {"question": "Question", "prediction": "Prediction"}


class ChoiceQuestion(AnatomyWidget):
    """One question.

    Args:
        question: `{"id", "kind", "text", "choices": [{"text", "reason", "right"}]}`, as `Question.data` makes it.
        page: the same for where no widget lives: anything with a MIME bundle.
        chosen: the choice made before; −1 for none.
        on_choice: told the number of a choice that is checked, each time it is another one.
    """

    question = traitlets.Dict().tag(sync=True)
    chosen = traitlets.Int(-1).tag(sync=True)

    def __init__(
        self,
        question: dict[str, Any],
        *,
        page: Any = None,
        chosen: int = -1,
        on_choice: Callable[[int], None] | None = None,
    ) -> None:
        self._page = page
        count = len(question["choices"])
        super().__init__(
            question=question, chosen=chosen if 0 <= chosen < count else -1, label=LABELS[question["kind"]]
        )
        if on_choice is not None:
            self.observe(lambda change: on_choice(change["new"]) if 0 <= change["new"] < count else None, "chosen")

    def still_picture(self) -> Picture:
        """The page it was given."""
        page: Picture = self._page
        return page
