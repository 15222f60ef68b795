"""Notebook 07: how many bytes a key/value cache takes."""

import torch

from anatomy_course.content.writing import Case, Cases, Draw, Generator, Tensor, and_short, written


def cache_bytes(
    lengths: Tensor, num_layers: int, num_kv_heads: int, d_head: int, window: int, bytes_per_number: int
) -> Tensor:  # fmt: skip
    """lengths (text), tokens so far; num_kv_heads, heads of keys and values; d_head, features of one head;
    bytes_per_number, 4 for float32 and 2 for float16 → bytes (text), whole numbers.
    """
    per_position = 2 * num_layers * num_kv_heads * d_head * bytes_per_number
    return lengths.clamp(max=window) * per_position


def cases(generator: Generator) -> Cases:
    for kind in ("short and long texts", "short texts", "very long texts"):
        sizes = Draw(generator, "num_layers num_kv_heads d_head", (3, 5, 7, 11)).sizes
        window = 60 + int(torch.randint(40, (), generator=generator))
        if kind == "very long texts":  # an odd number of bytes would need more digits than float32 has
            window = 500_001 + 2 * window
        lengths = 1 + torch.randint(window - 1, (13,), generator=generator)
        if kind != "short texts":
            lengths[torch.randperm(13, generator=generator)[:5]] += window  # some have left the window behind
        width = {"bytes_per_number": 4 if kind == "short texts" else 2}
        yield Case({"lengths": lengths, **sizes, "window": window, **width}, kind, {"text": 13, **sizes})


EXERCISE = written(
    cache_bytes,
    same_as="anatomy_utils.functional.costs.cache_bytes",
    title="Bytes of a cache",
    task="Count the bytes of all keys and values that a decoder keeps for each text, when a layer looks at the last "
    "`window` positions and forgets what lies before them.",
    level="easy, 3 minutes",
    returns="bytes: text",
    cases=and_short(cases, "text", "a single text"),
    stages="kept positions: lengths.clamp(max=window)",
    mistakes="""
    no_window: .clamp(max=window) ⇒
        “Short texts are right. The cache of long ones goes on growing in yours: nothing leaves the window.”
    always_full: lengths.clamp(max=window) ⇒ torch.full_like(lengths, window)
        “All of your texts fill the whole window, even the shorter ones.”
    longer_of_both: max=window ⇒ min=window
        “You take the longer of text and window: a short text fills the window, and a long one outgrows it.”
    window_minus_one: max=window ⇒ max=window - 1
        “Short texts are right; long ones keep one position too few. The last `window` positions include the newest
        one.”
    window_plus_one: max=window ⇒ max=window + 1
        “Short texts are right; long ones keep one position too many. The newest one is among the `window`.”
    begins_anew: lengths.clamp(max=window) ⇒ lengths % window
        “Short texts are right; after each full window your cache starts again from nothing. The newest position
        overwrites the oldest, and all others stay.”
    keys_only: 2 * ⇒
        “Yours is half of it, as if either the keys or the values were not counted.”
    keys_only_and_no_window (keys_only): .clamp(max=window) ⇒
        “Two things at once: keys and values are two tensors, and your cache goes on growing beyond the window.”
    queries_too: 2 * ⇒ 3 *
        “Yours is one and a half times as much, as if queries were kept as well. No later token needs them.”
    numbers_not_bytes: * bytes_per_number ⇒
        “You count numbers, not bytes.”
    bits: * bytes_per_number ⇒ * bytes_per_number * 8
        “You count bits, not bytes.”
    rounded: lengths.clamp(max=window) * per_position ⇒ (lengths.float().clamp(max=window) * per_position).long()
        “Small numbers are right; large ones are rounded, because float32 has only about seven digits. Whole numbers
        stay exact.”
    scores_too: .clamp(max=window) ⇒ .clamp(max=window) ** 2
        “Yours grows with the square of the length, as a table of scores would; a key and a value are kept for each
        position, not for each pair.”
    """,
    also_right="""
    text by text: lengths.clamp(max=window) ⇒ torch.tensor([min(length, window) for length in lengths.tolist()])
    the smaller of both: lengths.clamp(max=window) ⇒ torch.minimum(lengths, torch.tensor(window))
    where: lengths.clamp(max=window) ⇒ torch.where(lengths > window, window, lengths)
    """,
    again="""
    2 * num_layers ⇒ num_layers
        “This time the keys are used as values too, so that only one of the two is kept.”
        Not here: scores_too
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
