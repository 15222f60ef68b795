"""The cache lab: which positions' keys and values each step computes, and which it finds in the cache.

With a cache each position is computed once and read ever after; without one, every step computes all again. Notebook
05. The class knows no model: it counts by itself, and is given `measure` for the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import traitlets

from anatomy_course.figures import canvas
from anatomy_course.figures.canvas import printable
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import look
from anatomy_course.lab.experiments import cache_cost as costs, part_swaps
from anatomy_course.lab.street.vocabulary import Vocabulary
from anatomy_course.views._kit.base import attributes
from anatomy_course.views._kit.checks import word_list
from anatomy_course.views._kit.request import Asking
from anatomy_course.views._kit.token_text import spelling
from anatomy_utils.decoding.generation import generate
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_POSITIONS = 24
LENGTHS = (16, 32, 64, 128, 256)
"""Positions at which the cache lab measures, as far as the model has them."""


@dataclass(frozen=True)
class CacheStep:
    """What one step does, in positions; step 0 reads the prompt."""

    computed: int
    read: int


class CacheLab(Asking):
    """Steps × positions, with and without the cache; running totals; seconds for growing lengths.

    Args:
        prompt: its tokens.
        written: the tokens written behind it: one step each.
        entry: what is kept of each position.
        measure: length → cost; nothing can be measured where it is left out.
        work: length → (arithmetic of one step with the cache, without), in any unit: the lengths to measure, and the
            theory beside the clock.
        cached: whether the cache is on at first.

    Raises:
        ValueError: too many tokens to draw, a count below 1, or key/value heads that do not divide the heads.
    """

    drawn_height = 663
    prompt = traitlets.List(traitlets.Unicode()).tag(sync=True)
    written = traitlets.List(traitlets.Unicode()).tag(sync=True)
    entry = traitlets.Dict().tag(sync=True)
    work = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    """[length, with the cache, without] of each length."""
    can_measure = traitlets.Bool(False).tag(sync=True)
    cached = traitlets.Bool(True).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    costs = traitlets.List(traitlets.Dict()).tag(sync=True)
    """{length, with_cache, without, kept} as measured so far."""

    def __init__(
        self,
        prompt: Sequence[str],
        written: Sequence[str],
        entry: costs.CacheEntry,
        measure: Callable[[int], costs.CacheCost] | None = None,
        *,
        work: Mapping[int, tuple[float | int, float | int]] | None = None,
        cached: bool = True,
        label: str = "Cache lab: what is stored, what is computed again",
    ) -> None:
        prompt, written = word_list(prompt, "prompt"), word_list(written, "written")
        if (count := len(prompt) + len(written)) > MOST_POSITIONS:
            raise ValueError(f"There are {count} positions; at most {MOST_POSITIONS} can be drawn: shorten the prompt.")
        kept = attributes(entry, "layers kv_heads heads d_head number_bytes bytes")
        if min(kept.values()) < 1 or entry.heads % entry.kv_heads:
            raise ValueError(f"The entry is {entry}; expected counts of at least 1, kv_heads dividing heads.")
        self._measure = measure
        super().__init__(
            prompt=prompt, written=written, entry=kept, cached=cached, label=label, step=len(written) - 1,
            work=[[float(length), *map(float, both)] for length, both in sorted((work or {}).items())],
            can_measure=measure is not None and bool(work), question={"length": 0},
        )  # fmt: skip

    def steps(self, cached: bool) -> list[CacheStep]:
        """What each step computes and reads. The last written token is nobody's input and is not counted."""
        lengths = [len(self.prompt) + i for i in range(len(self.written))]
        if not cached:
            return [CacheStep(length, 0) for length in lengths]
        return [CacheStep(length, 0) if i == 0 else CacheStep(1, length - 1) for i, length in enumerate(lengths)]

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """One more length by the clock."""
        length = question.get("length")
        if self._measure is None or length not in [int(each[0]) for each in self.work]:
            raise ValueError(f"Length {length!r} cannot be measured here.")
        found = {"length": length, **attributes(self._measure(length), "with_cache without kept")}
        others = [cost for cost in self.costs if cost["length"] != length]
        return {"costs": sorted([*others, found], key=lambda cost: int(cost["length"]))}

    @look()
    def still_picture(self) -> Picture:
        """The grid, with the cache and without: a row for each step, a column for each position."""
        columns, steps = [*self.prompt, *self.written[:-1]], len(self.written)
        side = min(24.0, 268 / len(columns))
        pen = Pen(700, 176 + (side + 4) * steps, self.label)
        computed = []
        for lane, (title, cached) in enumerate((("with a cache", True), ("without one", False))):
            left, found = 110 + 300 * lane, self.steps(cached)
            computed.append(sum(step.computed for step in found))
            pen.text(left, 66, title, 12, ha="left", weight="bold")
            for place, word in enumerate(columns):
                pen.text(left + (place + 0.4) * side, 132, printable(word, 9), 9, rotation=90, va="bottom")
            for row, step in enumerate(found):
                y = 138 + row * (side + 4)
                if not lane:
                    pen.note(12, y + side / 2, f"step {row}" if row else "step 0: prompt", ha="left")
                for place in range(step.read + step.computed):
                    color = canvas.role("key") if place >= step.read else "#d3d8dc"
                    pen.rectangle(left + place * side, y, side - 3, side - 3, facecolor=color)
        y = 150 + steps * (side + 4)
        keys = (110, canvas.role("key"), "computed in this step"), (300, "#d3d8dc", "read from the cache")
        for x, color, words in keys:
            pen.rectangle(x, y, 14, 14, facecolor=color)
            pen.note(x + 20, y + 7, words, ha="left")
        return pen.picture(
            f"{steps} steps after a prompt of {len(self.prompt)} tokens, a row each; with the cache the grid grows by "
            f"one computed column a step. Keys and values of {computed[0]} positions are computed with the cache, of "
            f"{computed[1]} without it. Each position kept takes {self.entry['bytes']:,} bytes."
        )


def cache_lab(
    model: LanguageModel,
    words: Vocabulary | Tokenizer,
    prompt: str = part_swaps.PROMPT,
    *,
    new_tokens: int = 6,
    lengths: Sequence[int] = LENGTHS,
) -> CacheLab:
    """What a decoder reads from its cache and what it computes, step by step; measured at the press of a button.

    Args:
        model: writes `new_tokens` tokens behind the prompt, always the likeliest.
        words: the street's vocabulary, or the tokenizer of a published model.
        prompt: what it goes on from.
        new_tokens: how many steps are drawn.
        lengths: positions at which time is measured.

    Raises:
        ValueError: too many positions to draw, or more than the model has.
    """
    spell = spelling(words)
    ids = spell.ids(prompt)
    written = generate(
        model.step, model.start(1, len(ids) + new_tokens), torch.tensor([ids]), max_new_tokens=new_tokens
    )
    return CacheLab(
        [spell.word(i) for i in ids], [spell.word(i) for i in written.rows()[0]],
        costs.cache_entry_of(model), lambda length: costs.measure_cache_cost(model, length),
        work={n: (costs.count_operations(model, n, 1), costs.count_operations(model, n, n)) for n in lengths},
    )  # fmt: skip
