"""Notebook 06: how many bytes a key/value cache takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short, primes
from anatomy_course.content.taxonomy.shared import ROUNDED
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("short and long texts", "short texts", "very long texts"):
        layers, heads, d_head = primes(generator, 3, (3, 5, 7, 11))
        window = 60 + int(torch.randint(40, (), generator=generator))
        if kind == "very long texts":  # an odd number of bytes would need more digits than float32 has
            window = 500_001 + 2 * window
        lengths = 1 + torch.randint(window - 1, (13,), generator=generator)
        if kind != "short texts":
            lengths[torch.randperm(13, generator=generator)[:5]] += window  # some have left the window behind
        arguments = {
            "lengths": lengths,
            "num_layers": layers,
            "num_kv_heads": heads,
            "d_head": d_head,
            "window": window,
            "bytes_per_number": 4 if kind == "short texts" else 2,
        }
        sizes = {"text": 13, "num_layers": layers, "num_kv_heads": heads, "d_head": d_head}
        yield Case(arguments, kind, sizes)


def _bytes(lengths: Tensor, layers: int, heads: int, d_head: int, window: int, size: int, *, kept: int = 2) -> Tensor:
    return lengths.clamp(max=window) * (kept * layers * heads * d_head * size)


def _text_by_text(lengths: Tensor, layers: int, heads: int, d_head: int, window: int, size: int) -> Tensor:
    return torch.tensor([2 * min(n, window) * layers * heads * d_head * size for n in lengths.tolist()])


def _steps(lengths: Tensor, layers: int, heads: int, d_head: int, window: int, size: int) -> Mapping[str, Tensor]:
    return {"kept positions": lengths.clamp(max=window)}


EXERCISE = Exercise(
    id="taxonomy.cache_bytes",
    title="Bytes of a cache",
    task="Count the bytes of all keys and values that a decoder keeps for each text, when a layer looks at the last "
    "`window` positions and forgets what lies before them.",
    difficulty="easy",
    minutes=3,
    signature="cache_bytes(\n"
    "    lengths: Tensor, num_layers: int, num_kv_heads: int, d_head: int, window: int, bytes_per_number: int\n"
    ") -> Tensor",
    docstring="lengths (text), tokens so far; num_kv_heads, heads of keys and values; d_head, features of one head;\n"
    "bytes_per_number, 4 for float32 and 2 for float16 → bytes (text), whole numbers.",
    reference="anatomy_utils.functional.costs.cache_bytes",
    returns=(Output("bytes", "text"),),
    cases=and_short(_cases, "text", "a single text"),
    mistakes=(
        Mistake(
            "no_window",
            lambda n, layers, heads, d, window, size: _bytes(n, layers, heads, d, int(n.max()), size),
            "Short texts are right. The cache of long ones goes on growing in yours: nothing leaves the window.",
        ),
        Mistake(
            "always_full",
            lambda n, layers, heads, d, window, size: _bytes(
                torch.full_like(n, window), layers, heads, d, window, size
            ),
            "All of your texts fill the whole window, even the shorter ones.",
        ),
        Mistake(
            "longer_of_both",
            lambda n, layers, heads, d, window, size: n.clamp(min=window) * (2 * layers * heads * d * size),
            "You take the longer of text and window: a short text fills the window, and a long one outgrows it.",
        ),
        Mistake(
            "window_minus_one",
            lambda n, layers, heads, d, window, size: _bytes(n, layers, heads, d, window - 1, size),
            "Short texts are right; long ones keep one position too few. The last `window` positions include the "
            "newest one.",
        ),
        Mistake(
            "window_plus_one",
            lambda n, layers, heads, d, window, size: _bytes(n, layers, heads, d, window + 1, size),
            "Short texts are right; long ones keep one position too many. The newest one is among the `window`.",
        ),
        Mistake(
            "begins_anew",
            lambda n, layers, heads, d, window, size: (n % window) * (2 * layers * heads * d * size),
            "Short texts are right; after each full window your cache starts again from nothing. The newest position "
            "overwrites the oldest, and all others stay.",
        ),
        Mistake(
            "keys_only",
            lambda *given: _bytes(*given, kept=1),
            "Yours is half of it, as if either the keys or the values were not counted.",
        ),
        Mistake(
            "keys_only_and_no_window",
            lambda n, layers, heads, d, window, size: _bytes(n, layers, heads, d, int(n.max()), size, kept=1),
            "Two things at once: keys and values are two tensors, and your cache goes on growing beyond the window.",
        ),
        Mistake(
            "queries_too",
            lambda *given: _bytes(*given, kept=3),
            "Yours is one and a half times as much, as if queries were kept as well. No later token needs them.",
        ),
        Mistake(
            "one_layer",
            lambda n, layers, heads, d, window, size: _bytes(n, 1, heads, d, window, size),
            "Those are the bytes of a single layer.",
        ),
        Mistake(
            "one_head",
            lambda n, layers, heads, d, window, size: _bytes(n, layers, 1, d, window, size),
            "Those are the bytes of a single head.",
        ),
        Mistake(
            "numbers_not_bytes",
            lambda n, layers, heads, d, window, size: _bytes(n, layers, heads, d, window, 1),
            "You count numbers, not bytes.",
        ),
        Mistake(
            "bits",
            lambda n, layers, heads, d, window, size: _bytes(n, layers, heads, d, window, 8 * size),
            "You count bits, not bytes.",
        ),
        Mistake(
            "rounded",
            lambda n, *sizes: _bytes(n.float(), *sizes).long(),
            ROUNDED,
        ),
        Mistake(
            "all_texts_together",
            lambda *given: _bytes(*given).sum(),
            "Yours is right for all texts together; what is wanted is one number for each.",
        ),
        Mistake(
            "scores_too",
            lambda n, layers, heads, d, window, size: _bytes(n, layers, heads, d, window, size) * n.clamp(max=window),
            "Yours grows with the square of the length, as a table of scores would; a key and a value are kept for "
            "each position, not for each pair.",
        ),
    ),
    also_right={
        "clamped": _bytes,
        "text by text": _text_by_text,
        "the smaller of both": lambda n, layers, heads, d, window, size: (
            torch.minimum(n, torch.tensor(window)) * layers * heads * d * size * 2
        ),
        "where": lambda n, layers, heads, d, window, size: (
            torch.where(n > window, window, n) * (2 * layers) * (heads * d) * size
        ),
    },
    hints=(
        "First one position: how many numbers does one layer keep of it, in all of its heads together?",
        "Two vectors of d_head features in each head of keys and values, in each layer. How many positions are kept of "
        "a text shorter than the window, and of a longer one?",
        "`lengths.clamp(max=window)` is the smaller of the two, text by text.",
    ),
    solution="per_position = 2 * num_layers * num_kv_heads * d_head * bytes_per_number\n"
    "return lengths.clamp(max=window) * per_position",
    explanation="Mistral 7B has 32 layers and 8 heads of 128 for keys and values: 128 KiB for each token that is "
    "kept. With a head of keys and values for each of its 32 query heads it would be four "
    "times as much.",
    stages=_steps,
)
