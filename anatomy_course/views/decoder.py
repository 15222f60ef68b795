"""Inside a decoder, for notebook 04: its cache, its modern parts, and what it would say after each layer."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from anatomy_course.lab.experiments import cache_cost as costs, part_swaps, parts_of_2017
from anatomy_course.lab.experiments.part_swaps import SwapReport, SwapResult
from anatomy_course.lab.street.vocabulary import Vocabulary
from anatomy_course.views.cache_lab.view import CacheLab
from anatomy_course.views.logit_lens.view import LogitLens, Readings
from anatomy_course.views.part_swapper.view import PartSwapper
from anatomy_course.views.token_text import spelling
from anatomy_utils.decoding.generation import generate
from anatomy_utils.interpret.logit_lens import apply_logit_lens as read
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.tokenizer import Tokenizer

LENGTHS = (16, 32, 64, 128, 256)
"""Positions at which the cache lab measures, as far as the model has them."""


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
        chosen: the swap chosen at first.
        prompt: what it goes on from, where there is no report.
    """
    prompt = report.prompt if report else prompt

    def measure(name: str) -> SwapResult:
        return part_swaps.measure_swap(model, tokenizer, name, prompt=prompt)

    known = {result.name: result for result in report.results} if report else {}
    before = known.pop("", None) or measure("")
    if chosen not in known:
        known[chosen] = measure(chosen)
    return PartSwapper(
        parts_of_2017.PART_SWAPS,
        before,
        known,
        measure=measure,
        prompt=prompt,
        blind=model.vocabulary.out_features,
        chosen=chosen,
    )


def logit_lens(
    model: LanguageModel, words: Vocabulary | Tokenizer, text: str, *, position: int | None = None
) -> LogitLens:
    """What a decoder would say after each of its layers, for any text that the reader types.

    Args:
        model: any language model whose layers are tapped.
        words: the street's vocabulary, or the tokenizer of a published model.
        text: read at first.
        position: the token chosen at first; the last one when left out.
    """
    spell = spelling(words)

    def compute(typed: str) -> Readings:
        ids = spell.ids(typed)
        lens = read(model, torch.tensor([ids]))
        return Readings(
            [spell.word(i) for i in ids],
            [[[spell.word(i) for i in top] for top in layer] for layer in lens.top_ids.tolist()],
            lens.top_probabilities, lens.final_probabilities, lens.final_ranks,
        )  # fmt: skip

    return LogitLens(compute, text, position=position)
