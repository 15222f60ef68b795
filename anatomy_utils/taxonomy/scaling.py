"""A quantity as a formula of the length of a text, so that a curve over the length needs no model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LengthFormula:
    """A quantity that depends on the length of the text: fixed + once / length + each · what a layer sees of it.

    Attributes:
        fixed: what does not depend on the length.
        growing: pairs of an amount per position in sight, and how many positions a layer sees at most; None for all.
        once: what a text needs once, however long it is.
    """

    fixed: int
    growing: tuple[tuple[int, int | None], ...]
    once: int = 0

    def at(self, length: int) -> float:
        """The quantity at that length.

        >>> LengthFormula(7, ((2, None), (5, 4)), once=30).at(10)  # 7 + 2 · 10 + 5 · 4 + 30 / 10
        50.0
        """
        grown = sum(each * min(length, reach or length) for each, reach in self.growing)
        return self.fixed + grown + self.once / length
