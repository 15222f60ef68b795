"""Notebook 06: how many bytes a key/value cache takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short, primes
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


# fmt: off
def cache_bytes(
    lengths: Tensor, num_layers: int, num_kv_heads: int, d_head: int, window: int, bytes_per_number: int
) -> Tensor:
    """lengths (text), tokens so far; num_kv_heads, heads of keys and values; d_head, features of one head;
    bytes_per_number, 4 for float32 and 2 for float16 → bytes (text), whole numbers.
    """
    per_position = 2 * num_layers * num_kv_heads * d_head * bytes_per_number
    return lengths.clamp(max=window) * per_position
# fmt: on


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


def _steps(lengths: Tensor, layers: int, heads: int, d_head: int, window: int, size: int) -> Mapping[str, Tensor]:
    return {"kept positions": lengths.clamp(max=window)}


EXERCISE = written(
    cache_bytes,
    same_as="anatomy_utils.functional.costs.cache_bytes",
    title="Bytes of a cache",
    task="Count the bytes of all keys and values that a decoder keeps for each text, when a layer looks at the last "
    "`window` positions and forgets what lies before them.",
    level="easy, 3 minutes",
    returns="bytes: text",
    cases=and_short(_cases, "text", "a single text"),
    stages=_steps,
    mistakes="""
    no_window: _bytes(lengths, num_layers, num_kv_heads, d_head, int(lengths.max()), bytes_per_number)
        “Short texts are right. The cache of long ones goes on growing in yours: nothing leaves the window.”
    always_full: _bytes(torch.full_like(lengths, window), num_layers, num_kv_heads, d_head, window, bytes_per_number)
        “All of your texts fill the whole window, even the shorter ones.”
    longer_of_both: lengths.clamp(min=window) * (2 * num_layers * num_kv_heads * d_head * bytes_per_number)
        “You take the longer of text and window: a short text fills the window, and a long one outgrows it.”
    window_minus_one: _bytes(lengths, num_layers, num_kv_heads, d_head, window - 1, bytes_per_number)
        “Short texts are right; long ones keep one position too few. The last `window` positions include the newest
        one.”
    window_plus_one: _bytes(lengths, num_layers, num_kv_heads, d_head, window + 1, bytes_per_number)
        “Short texts are right; long ones keep one position too many. The newest one is among the `window`.”
    begins_anew: (lengths % window) * (2 * num_layers * num_kv_heads * d_head * bytes_per_number)
        “Short texts are right; after each full window your cache starts again from nothing. The newest position
        overwrites the oldest, and all others stay.”
    keys_only:
        (lambda *given: _bytes(*given, kept=1))(lengths, num_layers, num_kv_heads, d_head, window, bytes_per_number)
        “Yours is half of it, as if either the keys or the values were not counted.”
    keys_only_and_no_window:
        _bytes(lengths, num_layers, num_kv_heads, d_head, int(lengths.max()), bytes_per_number, kept=1)
        “Two things at once: keys and values are two tensors, and your cache goes on growing beyond the window.”
    queries_too:
        (lambda *given: _bytes(*given, kept=3))(lengths, num_layers, num_kv_heads, d_head, window, bytes_per_number)
        “Yours is one and a half times as much, as if queries were kept as well. No later token needs them.”
    one_layer: _bytes(lengths, 1, num_kv_heads, d_head, window, bytes_per_number)
        “Those are the bytes of a single layer.”
    one_head: _bytes(lengths, num_layers, 1, d_head, window, bytes_per_number)
        “Those are the bytes of a single head.”
    numbers_not_bytes: _bytes(lengths, num_layers, num_kv_heads, d_head, window, 1)
        “You count numbers, not bytes.”
    bits: _bytes(lengths, num_layers, num_kv_heads, d_head, window, 8 * bytes_per_number)
        “You count bits, not bytes.”
    rounded:
        return (lambda n, *sizes: _bytes(n.float(), *sizes).long())(
            lengths, num_layers, num_kv_heads, d_head, window, bytes_per_number
        )
        “Small numbers are right; large ones are rounded, because float32 has only about seven digits. Whole numbers
        stay exact.”
    all_texts_together:
        (lambda *given: _bytes(*given).sum())(lengths, num_layers, num_kv_heads, d_head, window, bytes_per_number)
        “Yours is right for all texts together; what is wanted is one number for each.”
    scores_too: _bytes(lengths, num_layers, num_kv_heads, d_head, window, bytes_per_number) * lengths.clamp(max=window)
        “Yours grows with the square of the length, as a table of scores would; a key and a value are kept for each
        position, not for each pair.”
    """,
    also_right="""
    clamped: _bytes(lengths, num_layers, num_kv_heads, d_head, window, bytes_per_number)
    text by text:
        return torch.tensor(
            [2 * min(n, window) * num_layers * num_kv_heads * d_head * bytes_per_number for n in lengths.tolist()]
        )
    the smaller of both:
        torch.minimum(lengths, torch.tensor(window)) * num_layers * num_kv_heads * d_head * bytes_per_number * 2
    where:
        return (
            torch.where(lengths > window, window, lengths)
            * (2 * num_layers)
            * (num_kv_heads * d_head)
            * bytes_per_number
        )
    """,
    hints="""
    - First one position: how many numbers does one layer keep of it, in all of its heads together?
    - Two vectors of d_head features in each head of keys and values, in each layer. How many positions are kept of a
      text shorter than the window, and of a longer one?
    - `lengths.clamp(max=window)` is the smaller of the two, text by text.
    """,
    explanation="""
    Mistral 7B has 32 layers and 8 heads of 128 for keys and values: 128 KiB for each token that is kept. With a head of
    keys and values for each of its 32 query heads it would be four times as much.
    """,
)
