"""What a row of the family tree holds: where a model comes from, and the sizes it was published in.

What can be computed from a model is not written here: `describe` and `costs` read it off the built modules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Branch = Literal["root", "encoder", "decoder", "encoder–decoder"]
Counted = Literal["all", "body", "all but the token table"]


@dataclass(frozen=True)
class Size:
    """One published size of a model.

    Attributes:
        name: as it is published: "base", "7B".
        config: the entries of its `config.json` on the Hugging Face hub that decide its shape.
        published: the number of parameters that its authors, or the hub, state, or that the published files hold
            where the row's note says that the authors count otherwise; 0 where nobody states one.
        rounding: one unit of the last digit that is stated; 1 for an exact count.
        counts: which part of the model that number counts; "body" leaves the head out (and a root's tables).
    """

    name: str
    config: Mapping[str, Any]
    published: int
    rounding: int = 1
    counts: Counted = "all"


@dataclass(frozen=True)
class ModelFacts:
    """One model of the family tree.

    Attributes:
        name: as people call it.
        year: of the paper's first version, as on arXiv; of the release where there is no paper.
        parent: the model it changes; "" for a root.
        paper: arXiv id; "" where there is none.
        change: what it changes against its parent, in a few words.
        family: the file in `anatomy_utils.zoo` that builds it; "" for a row that is only described.
        reference: the class of the `transformers` library that it equals, with its head; "" where there is none.
        sizes: the published ones, the smallest first.
        branch: which half of the Transformer it keeps.
        objectives: what it is trained on, names as in `anatomy_utils.objectives`.
        task: which head, as the zoo names it, where no reference tells.
        small: entries of the small version's configuration, where shrinking the numbers is not enough.
        note: what a reader would stumble over.
        month: of the release, where there is no arXiv id to tell it.
    """

    name: str
    year: int
    parent: str
    paper: str
    change: str
    family: str = ""
    reference: str = ""
    sizes: tuple[Size, ...] = ()
    branch: Branch = field(kw_only=True)
    objectives: tuple[str, ...] = field(kw_only=True)
    task: str = ""
    small: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    month: int = 0

    @property
    def published(self) -> tuple[int, int]:
        """Year and month; the months of a paper that came a year after the model begin with 13."""
        late = 12 * (2000 + int(self.paper[:2]) - self.year) if self.paper else 0
        return self.year, int(self.paper[2:4]) + late if self.paper else self.month

    @property
    def runs(self) -> bool:
        """Whether the zoo builds it."""
        return bool(self.family)

    def size(self, name: str) -> Size:
        """The published size of that name.

        Raises:
            ValueError: there is none.
        """
        for size in self.sizes:
            if size.name == name:
                return size
        known = ", ".join(repr(size.name) for size in self.sizes) or "none"
        raise ValueError(f"{self.name} has no size {name!r}; choose one of: {known}.")


MILLION, BILLION = 10**6, 10**9
