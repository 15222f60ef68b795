"""Notebook 07: a causal mask with a sliding window (Mistral, GPT-Neo)."""

import torch

from anatomy_course.content.writing import Case, Cases, Draw, Generator, Tensor, and_short, written


def window_mask(length: int, window: int) -> Tensor:
    """A boolean (query, key) table, True = may attend. With a window of 3, position 5 sees 3, 4 and itself."""
    places = torch.arange(length)
    back = places[:, None] - places
    return (back >= 0) & (back < window)


def cases(generator: Generator) -> Cases:
    for kind in ("a long text", "a long text", "a text no longer than the window", "a window of one"):
        length = Draw(generator, "length", (7, 11, 13))["length"]
        window = 2 + int(torch.randint(length - 4, (), generator=generator))
        window = {"a window of one": 1, "a text no longer than the window": length + 2}.get(kind, window)
        yield Case({"length": length, "window": window}, kind, {"length": length})


EXERCISE = written(
    window_mask,
    same_as="anatomy_utils.functional.masks.local_causal",
    title="A window",
    task="Let each position attend to the last `window` positions, itself included, and to nothing that comes after "
    "it.",
    level="easy, 3 minutes",
    returns="mask: query key",
    cases=and_short(cases, "length", "a single word"),
    mistakes="""
    one_too_many: back < window ⇒ back <= window
        “In your mask each position sees `window` others and itself; it should be `window` with itself.”
    not_itself (one_too_many): back >= 0 ⇒ back > 0
        “In your mask each position sees `window` others, but not itself.”
    both_sides: back >= 0 ⇒ back > -window
        “Your window looks both ways, as an encoder's may (ModernBERT); a decoder's must not see what comes after.”
    half_each_side: (back >= 0) & (back < window) ⇒ back.abs() <= window // 2
        “Your window is centered on each position, half of it before and half after, as in ModernBERT; a decoder's ends
        with the position itself.”
    future_open: (back >= 0) & ⇒
        “Your mask hides what has left the window, but nothing of what comes after.”
    looks_ahead: places[:, None] - places ⇒ places - places[:, None]
        “Your window lies on the other side: each position sees itself and what comes after it.”
    causal_only: & (back < window) ⇒
        “Your mask is the causal one: nothing ever leaves the window.”
    what_has_left: (back >= 0) & (back < window) ⇒ back >= window
        “Your mask is True for what has left the window, and for nothing else.”
    blocks: (back < window) ⇒ (places[:, None] // window == places // window)
        “You have cut the text into blocks of `window` positions, and no position sees the block before its own. The
        window should move along with each position.”
    last_columns: (back < window) ⇒ (places >= length - window)
        “All of your positions share the last `window` columns of the text; each should have a window of its own.”
    first_columns: (back < window) ⇒ (places < window)
        “Your positions see the first `window` positions of the text; they should see those just before themselves.”
    """,
    also_right="""
    a band: torch.ones(length, length, dtype=torch.bool).triu(1 - window).tril()
    a triangle less a triangle:
        causal = torch.ones(length, length, dtype=torch.bool).tril()
        return causal ^ causal.tril(-window)
    two conditions: (back >= 0) & (back < window) ⇒ (places <= places[:, None]) & (places > places[:, None] - window)
    """,
    again="""
    (back >= 0) & (back < window) ⇒ back.abs() < window
        “This time a position sees both ways: whatever is fewer than `window` places away, before it or after it.”
    """,
    hints="""
    - It is the causal mask with one more condition. How far before its query is the farthest key that may be seen?
    - `torch.arange(length)[:, None] - torch.arange(length)` says for each pair how far the key is before the query;
      keys that come after it have negative numbers.
    - Two comparisons joined with `&`: not below 0, and below the window.
    """,
    explanation="""
    Mistral 7B has a window of 4096 in each of its 32 layers, GPT-Neo one of 256 in every second layer. What has left
    the window is not lost at once: the layer below has mixed it into states that are still there, so after k layers a
    position knows of k · (window − 1) positions before it.
    """,
)
