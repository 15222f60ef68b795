"""Cache lab, part swapper and logit lens over made-up models."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np

from anatomy_course.lab.experiments.cache_cost import CacheCost, CacheEntry
from anatomy_course.lab.experiments.part_swaps import PartSwap, SwapResult
from anatomy_course.views import CacheLab, LogitLens, PartSwapper
from anatomy_course.views.logit_lens.view import Readings

HOSTILE = "</script><img/src=x/onerror=window.hit=1>"


def cache_lab(**settings: Any) -> CacheLab:
    """Three prompt tokens, four steps, 2 · 2 layers · 1 head · 5 numbers · 4 bytes."""
    given: dict[str, Any] = {
        "prompt": ["The", "animal", HOSTILE[:20]], "written": ["was", "too", "tired", "."],
        "entry": CacheEntry(layers=2, kv_heads=1, heads=3, d_head=5, number_bytes=4),
        "measure": lambda length: CacheCost(length, 0.001, 0.0005 * length, 80 * length),
        "work": {4: (10.0, 40.0), 8: (11.0, 90.0)},
    }  # fmt: skip
    given |= settings
    return CacheLab(given.pop("prompt"), given.pop("written"), given.pop("entry"), given.pop("measure"), **given)


PARTS = {
    "LayerNorm": PartSwap("norm", "RMSNorm", "LayerNorm", "The mean is taken off too.", nullcontext),
    "ReLU": PartSwap("feed-forward", "SwiGLU", "ReLU", "The gate is gone.", nullcontext),
    "multi-head": PartSwap("heads", "grouped-query", "multi-head", "Copies.", nullcontext),
}
WHOLE = SwapResult("", 50.6, 104.0, " nice time", 80)
OUTCOMES = {
    "LayerNorm": SwapResult("LayerNorm", 59.6, 134.0, " good one", 80),
    "ReLU": SwapResult("ReLU", 7.3e8, 2.1e10, HOSTILE, 80),
    "multi-head": SwapResult("multi-head", 50.6, 104.0, " nice time", 240),
}


def swapper(**settings: Any) -> PartSwapper:
    given: dict[str, Any] = {"parts": PARTS, "before": WHOLE, "results": OUTCOMES, "prompt": "I had a", "blind": 49152}
    given |= settings
    return PartSwapper(given.pop("parts"), given.pop("before"), given.pop("results"), **given)


FIRST = [["a", "b", "c"], ["b", "b", "a"], ["a", "b", "b"], ["b", "b", "c"]]
"""The likeliest token after each layer, behind each of three tokens."""


def readings(text: str) -> Readings:
    """The likeliest token of `FIRST` with probability ½, another with ¼."""
    if "raise" in text:
        raise ValueError("That word is not known; use another.")
    tokens = text.split()
    first = [[row[i % 3] for i in range(len(tokens))] for row in FIRST]
    top = [[[each, HOSTILE if each == "a" else "d"] for each in row] for row in first]
    shape = (4, len(tokens))
    return Readings(
        tokens, top, np.stack([np.full(shape, 0.5), np.full(shape, 0.25)], axis=-1),
        np.linspace(0.1, 0.5, 4)[:, None] * np.ones(shape), np.array([9, 5, 2, 1])[:, None] * np.ones(shape, dtype=int),
    )  # fmt: skip


def lens(**settings: Any) -> LogitLens:
    return LogitLens(settings.pop("compute", readings), settings.pop("text", "the tired animal"), **settings)
