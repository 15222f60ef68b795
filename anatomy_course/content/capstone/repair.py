"""Notebook 09's repair: the positions that Emil's cache should have counted."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, primes, written


def repaired_positions(length: int, count: int, padding: Tensor) -> Tensor:
    """`length` tokens of each text are in the cache, padding included; `count` more follow.
    padding (batch,): how many padding tokens each text begins with → positions (batch, count), whole numbers.
    A text's first real token has position 0; padding tokens get 0, too.
    """
    ahead = torch.arange(length, length + count)
    return (ahead - padding[:, None]).clamp(min=0)


def cases(generator: Generator) -> Cases:
    prompt, alone, word, part = "a prompt at once", "one text without padding", "one new word", "several new words"
    rest = "the rest of a prompt"  # its padding begins in the cache and goes on among what is new
    for kind in (prompt, alone, word, part, rest):
        length, count, batch = primes(generator, 3, (2, 3, 5, 7, 11))
        batch = 1 if kind == alone else batch
        length, count = 0 if kind == prompt else length, 1 if kind == word else count
        width = length + count if kind in (prompt, rest) else length
        padding = torch.randint(width, (batch,), generator=generator)
        padding[0], padding[-1] = width - 1, 0  # the shortest text and the longest
        yield Case(
            {"length": length, "count": count, "padding": padding},
            kind,
            {"length": length, "count": count, "batch": batch},
        )


EXERCISE = written(
    repaired_positions,
    title="The repair: Emil's positions",
    task="Write what `emils_positions` should have been: each new token gets its place in its own text, padding not "
    "counted.",
    level="medium, 5 minutes",
    returns="positions: batch count",
    cases=cases,
    mistakes="""
    unchanged:
        from anatomy_course.lab.debugging.bugs import emils_positions
        return emils_positions(length, count, padding)
        “This is what Emil computes: every call starts again at position 0, no matter what is in the cache.”
    padding_counted: (ahead - padding[:, None]).clamp(min=0) ⇒ ahead.expand(len(padding), count)
        “Your positions continue from the cache, but they count padding: a text with padding begins too late.”
    cache_ignored: torch.arange(length, length + count) ⇒ torch.arange(count)
        “You leave padding out, but every call still starts again at the head of the text.”
    negative: .clamp(min=0) ⇒
        “Your real tokens are right, but padding gets negative positions. It should get 0.”
    padding_added: ahead - ⇒ ahead +
        “You add the number of padding tokens. It should be subtracted: padding moves a text to the right.”
    last_of_the_past: torch.arange(length, length + count) ⇒ torch.arange(length - 1, length + count - 1)
        “Your first new token gets the position of the last token in the cache. `length` tokens have the positions 0 to
        length − 1, so the next one has the position `length`, less the padding.”
    all_the_same: result[:, :1].expand_as(result)
        “All new tokens of a text get the same position. They follow one another.”
    whole_text: torch.arange(length, length + count) ⇒ torch.arange(length + count)
        “You number the whole text. Only the new tokens need positions; the others are in the cache.”
    one_row: torch.arange(length, length + count)
        “You give one row of positions. The texts have different amounts of padding: each needs a row of its own.”
    first_text: result[:1].expand_as(result)
        “All your rows are those of the first text; each text has padding of its own.”
    """,
    also_right="""
    text by text: torch.tensor([[max(0, length + new - first) for new in range(count)] for first in padding.tolist()])
    relu: (length - padding[:, None] + torch.arange(count)).relu()
    cut from the whole: (torch.arange(length + count) - padding[:, None]).clamp(min=0)[:, length:]
    """,
    hints="""
    - When Emil writes, he is called with count = 1 again and again, and length grows. Which position does he give to
      every new word?
    - Without padding the new tokens have the positions length, length + 1, … Each text then loses its own padding: give
      `padding` a second axis.
    - `torch.arange(length, length + count) - padding[:, None]` has shape (batch, count). `.clamp(min=0)` takes care of
      the padding tokens.
    """,
    explanation="""
    The tokens of Emil's prompt were numbered from 0 on when they entered the cache, so the offsets between its words
    were right, even where padding was counted. His new queries and keys all claimed to be at position 0, so their
    offsets to other words were wrong from the second call on. A text read in one call has only right offsets, which is
    why reading revealed no fault. Rotary positions compare offsets only, so Emil would also get well if padding were
    counted; a model with a table of positions, such as GPT-2, would not.
    """,
)
