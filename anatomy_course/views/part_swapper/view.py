"""The part swapper: one part of a modern decoder in its form of 2017, and what becomes of the trained model.

Perplexity on two sets of sentences and a short continuation, before and after. Notebook 05. The class knows no model:
it is given what was measured, or `measure`, which is asked when the reader first chooses a part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.canvas import three_digits
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.experiments import part_swaps
from anatomy_course.lab.experiments.part_swaps import SwapReport, SwapResult
from anatomy_course.views._kit.base import attributes
from anatomy_course.views._kit.checks import Name
from anatomy_course.views._kit.request import Asking
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.tokenizer import Tokenizer

SETS = ("plain English", "the street")


class PartSwapper(Asking):
    """Choose a part; see perplexities and a continuation with it exchanged, beside the model as it is.

    Args:
        parts: name → what can be exchanged.
        before: the model as it is.
        results: name of a part → outcome, of those measured already.
        measure: name → outcome, of those not measured yet; without it every part needs a result.
        prompt: what the continuations go on from.
        blind: the perplexity of blind guessing: the size of the vocabulary.
        chosen: the part chosen at first; the first one when left out.

    Raises:
        ValueError: no parts, an unknown name, or a part with neither a result nor anybody to measure it.
    """

    parts = traitlets.List(traitlets.Dict()).tag(sync=True)
    before = traitlets.Dict().tag(sync=True)
    results = traitlets.Dict().tag(sync=True)
    """Name of a part → its outcome."""
    prompt = traitlets.Unicode().tag(sync=True)
    blind = traitlets.Int().tag(sync=True)
    chosen = Name("parts").tag(sync=True)

    def __init__(
        self,
        parts: Mapping[str, part_swaps.PartSwap],
        before: SwapResult,
        results: Mapping[str, SwapResult] | None = None,
        *,
        measure: Callable[[str], SwapResult] | None = None,
        prompt: str,
        blind: int,
        chosen: str = "",
        label: str = "Part swapper: a modern decoder with one part of 2017",
    ) -> None:
        names, results = list(parts), results or {}
        if not names:
            raise ValueError("There are no parts; give at least one.")
        for name in results:
            if name not in names:
                raise ValueError(f"There is no part {name!r}; the parts are {', '.join(map(repr, names))}.")
        if measure is None and (lacking := [name for name in names if name not in results]):
            raise ValueError(f"There is no result for {lacking[0]!r}; give one, or `measure`, which makes it.")
        self._measure = measure
        super().__init__(
            parts=[{"name": name, **attributes(part, "part modern of_2017 note")} for name, part in parts.items()],
            before=_told(before), prompt=prompt, blind=blind, label=label,
            results={name: _told(outcome) for name, outcome in results.items()}, chosen=chosen or names[0],
            question={"name": ""},
        )  # fmt: skip

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """The outcome of one more part."""
        name = str(question.get("name"))
        if name not in [part["name"] for part in self.parts]:
            raise ValueError(f"There is no part {name!r} to exchange.")
        if name in self.results or self._measure is None:
            return {}
        return {"results": {**self.results, name: _told(self._measure(name))}}

    def still_picture(self) -> Picture:
        """The perplexities measured so far, on a scale of powers of ten."""
        rows = {"as it is": self.before}
        rows |= {part["name"]: self.results[part["name"]]
                 for part in self.parts if part["name"] in self.results}  # fmt: skip
        told = "; ".join(
            f"{name} {three_digits(row['plain'])} and {three_digits(row['street'])}" for name, row in rows.items()
        )
        return plots.bars(
            list(rows), {name: [math.log10(row[key]) for row in rows.values()]
                         for name, key in zip(SETS, ("plain", "street"), strict=True)},
            xlabel=f"perplexity, in powers of ten (2 = 100, 3 = 1,000; blind guessing: {three_digits(self.blind)})",
            title=self.label,
            texts={name: [three_digits(row[key]) for row in rows.values()]
                   for name, key in zip(SETS, ("plain", "street"), strict=True)},
            roles={SETS[0]: "query", SETS[1]: "value"},
            alt=f"Perplexity on {SETS[0]} and on {SETS[1]}: {told}. Blind guessing has {self.blind:,}.",
        )  # fmt: skip


def _told(outcome: SwapResult) -> dict[str, Any]:
    """For the page, which takes no infinity."""
    told = attributes(outcome, "plain street continuation cache_bytes")
    for name in ("plain", "street"):
        if not math.isfinite(told[name]) or told[name] < 1:
            raise ValueError(f"{name} is {told[name]}; a perplexity is a finite number, 1 or more.")
    return told


def part_swapper(
    model: LanguageModel,
    tokenizer: Tokenizer,
    report: SwapReport | None = None,
    *,
    chosen: str = "LayerNorm",
    prompt: str = part_swaps.PROMPT,
) -> PartSwapper:
    """A modern decoder with one part of 2017; what `report` does not hold is measured when it is first chosen.

    Args:
        model: a Llama, such as SmolLM2.
        tokenizer: the one that it was trained with.
        report: from `part_swaps.measure_swaps`.
        chosen: see `PartSwapper`.
        prompt: what the continuations go on from, where there is no report.
    """
    prompt = report.prompt if report else prompt

    def measure(name: str) -> SwapResult:
        return part_swaps.measure_swap(model, tokenizer, name, prompt=prompt)

    known = {result.name: result for result in report.results} if report else {}
    before = known.pop("", None) or measure("")
    if chosen not in known:
        known[chosen] = measure(chosen)
    return PartSwapper(
        part_swaps.PART_SWAPS, before, known, measure=measure, prompt=prompt, blind=model.vocabulary.out_features,
        chosen=chosen,
    )  # fmt: skip
