"""Two models side by side: their parts, their parameters, who attends to whom, and what they cost at any length.

All is computed in the browser from cards that are handed over once. Notebook 07.
"""

from __future__ import annotations

from collections.abc import Sequence

import traitlets

from anatomy_course.figures import diagrams, plots
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget
from anatomy_course.views._kit.model_card import ModelCard, place_of, told
from anatomy_course.views.family_tree.view import cards

LENGTHS = tuple(2**power for power in range(7, 18))
SHOWN = (0, 5, -1)
"""Which of the lengths are told in words."""
ROLES = ("query", "key")


class CompareModels(AnatomyWidget):
    """Any two models that run: what differs is marked, in words and by a sign.

    Args:
        cards: of all models; those without parts cannot be chosen.
        first, second: the models on the left and on the right at first.
        length: the length of text at which costs are told at first.

    Raises:
        ValueError: the cards are no tree, or there is no such model that runs.
    """

    models = traitlets.List(traitlets.Dict()).tag(sync=True)
    first = traitlets.Unicode().tag(sync=True)
    second = traitlets.Unicode().tag(sync=True)
    sizes = traitlets.List(traitlets.Int(), [0, 0]).tag(sync=True)
    """Which published size of either."""
    length = traitlets.Int(4096).tag(sync=True)

    def __init__(
        self,
        cards: Sequence[ModelCard],
        first: str,
        second: str,
        *,
        length: int = 4096,
        label: str = "Compare two models",
    ) -> None:
        models = [model for model in told(cards) if model["parts"]]
        super().__init__(
            models=models, first=place_of(first, cards, running=True), second=place_of(second, cards, running=True),
            length=length, label=label,
        )  # fmt: skip

    def still_picture(self) -> Picture:
        """What both keep of a text by its length; the work per token where neither keeps anything. Powers of ten."""
        known = {model["name"]: model for model in self.models}
        sizes = [known[name]["sizes"][place] for name, place in zip((self.first, self.second), self.sizes, strict=True)]
        keeps = any(size["cache"]["growing"] for size in sizes)
        what, ylabel = ("cache", "million bytes kept") if keeps else ("work", "million operations per token")
        curves: dict[str, list[float]] = {}
        words = []
        for side, name, size in zip(("left", "right"), (self.first, self.second), sizes, strict=True):
            shown = f"{name} {size['name']}"
            heights = [quantity_at(size[what], length) / 1e6 or float("nan") for length in LENGTHS]
            curves[shown if shown not in curves else f"{shown}, {side}"] = heights
            words.append(f"{shown}: {size['parameters']:,} parameters")
        values = "; ".join(
            f"{', '.join(f'{each[i]:,.1f}' for i in SHOWN)} on the {side}" if each[0] > 0 else f"none on the {side}"
            for side, each in zip(("left", "right"), curves.values(), strict=True)
        )
        at = ", ".join(f"{LENGTHS[i]:,}" for i in SHOWN)
        alt = f"{'; '.join(words)}. {ylabel.capitalize()} at {at} tokens: {values}."
        return plots.lines(
            LENGTHS, curves, xlabel="tokens in the text", ylabel=ylabel, title=self.label,
            log="xy", roles=dict(zip(curves, ROLES, strict=True)), alt=alt,
        )  # fmt: skip

    def poster(self) -> Picture:
        """Both models on one sheet, their stacks and what differs: `.save("two.pdf")`, or .svg or .png, to print it."""
        known = {model["name"]: model for model in self.models}
        one, other = (known[name] for name in (self.first, self.second))
        pairs = zip(one["parts"], other["parts"], strict=True)
        apart = [(mine, theirs) for mine, theirs in pairs if mine["value"] != theirs["value"]]
        return diagrams.side_by_side(
            [(each["name"], each["stacks"]) for each in (one, other)],
            [(mine["name"], mine["value"], theirs["value"]) for mine, theirs in apart],
            {mine["name"] for mine, _ in apart if not mine["is_size"]},
        )


def quantity_at(quantity: dict[str, object], length: int) -> float:
    """A card's {fixed, once, growing} at a length, as the page computes it.

    >>> quantity_at({"fixed": 7, "once": 30, "growing": [[2, None], [5, 4]]}, 10)
    50.0
    """
    growing: list[list[int | None]] = quantity["growing"]  # type: ignore[assignment]
    grown = sum((each or 0) * min(length, reach or length) for each, reach in growing)
    return quantity["fixed"] + grown + quantity["once"] / length  # type: ignore[operator, no-any-return]


def compare_models(first: str = "BERT", second: str = "GPT-2") -> CompareModels:
    """Any two models of the family tree side by side; the arguments are those of `CompareModels`."""
    return CompareModels(cards(), first, second)
