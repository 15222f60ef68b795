"""The card under an exercise cell: what was found, target and yours side by side, hints one by one, the solution.

Everything on it is in the browser from the start, so its buttons work while the kernel is busy, or gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget


class Card(AnatomyWidget):
    """One judged exercise.

    Args:
        card: the card's data, as `judge.card.card` makes it.
        page: the same card for where no widget lives: anything with a MIME bundle.
        on_help: told how many hints are open and whether the solution is, each time that changes.
        on_point: told the line that the learner points at, where the card asks for it before it names one.
    """

    card = traitlets.Dict().tag(sync=True)
    hints_shown = traitlets.Int(0).tag(sync=True)
    solution_shown = traitlets.Bool(False).tag(sync=True)
    pointed = traitlets.Int(-1).tag(sync=True)
    """The number of a line; 0 when the question was skipped, −1 before it is answered."""

    def __init__(
        self,
        card: dict[str, Any],
        *,
        page: Any = None,
        on_help: Callable[[int, bool], None] | None = None,
        on_point: Callable[[int], None] | None = None,
    ) -> None:
        self._page = page
        super().__init__(card=card, label=f"Exercise: {card['title']}")
        if on_help is not None:
            self.observe(
                lambda change: on_help(self.hints_shown, self.solution_shown), ["hints_shown", "solution_shown"]
            )

        if on_point is not None:
            self.observe(lambda change: on_point(change["new"]) if change["new"] > 0 else None, "pointed")

    def still_picture(self) -> Picture:
        """The page it was given."""
        page: Picture = self._page
        return page
