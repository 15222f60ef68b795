"""Notebook 04: which position scheme is in a head, told by measuring it."""

from collections.abc import Callable

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, written
from anatomy_utils.functional.positions import alibi_slopes, sinusoids


def scheme(scores_of) -> str:
    """scores_of(words, positions) measures a hidden head: two lists of whole numbers, equally long;
    a word's id is from 0 to 96, and positions may be any, in any order → its scores (query, key),
    to within 0.0001. It raises ValueError where the head has no such position
    → "none", "learned", "waves", "rotary" or "bias"."""
    words, others = [5, 17, 42, 8], [61, 3, 29, 77]
    here, moved, all_at_0 = [0, 1, 5, 20], [10, 11, 15, 30], [0, 0, 0, 0]
    try:
        scores_of(words, [10**5] * 4)
    except ValueError:
        return "learned"
    scores, bare = scores_of(words, here), scores_of(words, all_at_0)
    if not torch.allclose(scores, scores_of(words, moved), atol=1e-3):
        return "waves"
    if torch.allclose(scores, bare, atol=1e-3):
        return "none"
    again = scores_of(others, here) - scores_of(others, all_at_0)
    return "bias" if torch.allclose(scores - bare, again, atol=1e-3) else "rotary"


SCHEMES = {
    "none": "no positions",
    "learned": "a learned table",
    "waves": "waves added to its words",
    "rotary": "rotary positions",
    "bias": "numbers added by the offset",
}
WORDS, D_MODEL, D_HEAD = 97, 24, 12


class Head:
    """One head with random weights, and with one of the schemes in it."""

    def __init__(self, name: str, generator: Generator, positions: int = 0, scale: float = 1.0) -> None:
        self.name, _, kind = name.partition(", ")
        self.positions = positions
        self.words, self.table = (torch.randn(rows, D_MODEL, generator=generator) for rows in (WORDS, positions))
        self.to_query, self.to_key = scale * torch.randn(2, D_MODEL, D_HEAD, generator=generator) / D_MODEL**0.5
        numbers = torch.randn(129, generator=generator)
        numbers = numbers + numbers.flip(0) if kind == "mirrored" else numbers
        self.numbers = -alibi_slopes(4)[0] * torch.arange(-64, 65).abs() if kind == "a penalty" else numbers
        self.numbers[64] = 0.0

    def __call__(self, words: list[int], positions: list[int]) -> Tensor:
        """The scores (query, key)."""
        ids, places = torch.as_tensor(words), torch.as_tensor(positions)
        if self.name == "learned" and ((places < 0) | (places >= self.positions)).any():
            raise ValueError(f"The position table has rows 0 to {self.positions - 1}.")
        vectors = self.words[ids]
        if self.name == "learned":
            vectors = vectors + self.table[places]
        if self.name == "waves":
            vectors = vectors + sinusoids(places, D_MODEL)
        query, key = vectors @ self.to_query, vectors @ self.to_key
        if self.name == "rotary":
            angles = places.double()[:, None] / 10_000 ** (torch.arange(0, D_HEAD, 2).double() / D_HEAD)
            turns = torch.polar(torch.ones_like(angles), angles)
            pairs = (torch.complex(*each.double().chunk(2, dim=-1)) * turns for each in (query, key))
            query, key = (torch.view_as_real(each).flatten(1).float() for each in pairs)
        scores = query @ key.T / D_HEAD**0.5
        if self.name == "bias":
            scores = scores + self.numbers[(places - places[:, None]).clamp(-64, 64) + 64]
        error = 12.9898 * ids[:, None] + 78.233 * places[:, None] + 37.719 * places  # never the same twice
        return scores + 1e-4 * error.sin()


def cases(generator: Generator) -> Cases:
    """A head of each scheme; tables of three lengths, three kinds of numbers by offset, small scores and large ones."""
    short = int(torch.randint(40, 60, (1,), generator=generator))
    for name, positions, scale in (
        *(("waves", 0, 1.0), ("rotary", 0, 1.0), ("none", 0, 1.0)),
        *(("learned", short, 1.0), ("learned", 512, 1.0), ("learned", 8192, 1.0)),
        *(("bias, a penalty", 0, 1.0), ("bias, any numbers", 0, 1.0), ("bias, mirrored", 0, 1.0)),
        *(("waves", 0, 0.4), ("rotary", 0, 0.4), ("rotary", 0, 2.0), ("rotary", 0, 2.0)),
        *(("bias, any numbers", 0, 2.0), ("bias, mirrored", 0, 2.0)),
    ):
        head = Head(name, generator, positions, scale)
        yield Case({"scores_of": head}, f"a head with {SCHEMES[head.name]}")


def drive(answer: Callable[[Head], object], scores_of: Head) -> tuple[Tensor, ...] | Objection:
    """1 where the scheme is named rightly."""
    said = answer(scores_of)
    if said == scores_of.name:
        return (torch.ones(()),)
    if not isinstance(said, str) or said not in SCHEMES:
        return Objection("name", f"Your function returns {said!r:.40}; give one of {', '.join(SCHEMES)}.", said)
    return Objection(said, f"You say {said!r} of a head with {SCHEMES[scores_of.name]}.", scores_of.name)


EXERCISE = written(
    scheme,
    title="Which scheme is this?",
    task="Find out, by measuring alone, how a hidden head knows its positions; choose the words and the positions.",
    level="hard, 12 minutes",
    returns="schemes that are right",
    cases=cases,
    observe=drive,
    mistakes="""
    only_moved: torch.allclose(scores, bare, atol=1e-3) ⇒ True
        “Where moving all words together changes nothing, you say "none". That shows only that the head knows no more
        than offsets. Change how far apart the words are, and measure more than one word.”
    never_far: 10**5 ⇒ 30
        “You never ask for a position that a table may lack, so a learned table passes for waves: both add vectors.”
    bert_sized: 10**5 ⇒ 1000
        “The farthest position that you ask for is in some tables: here they can have thousands of rows. Go further.”
    exactly_equal:
        torch.allclose(scores, scores_of(words, moved), atol=1e-3) ⇒
            torch.equal(scores, scores_of(words, moved))
        “You ask whether scores are exactly equal after the move. Measured scores never are, so all else
        passes for waves: allow a small difference.”
    only_far: 1, 5, 20], [10, 11, 15, 30], [0, 0, 0, 0] ⇒ 100, 300, 600], [10, 110, 310, 610], [0, 200, 500, 900]
        “You change distances that are all large. Numbers by the offset may be the same for all that is far, as T5's
        are: compare near words as well.”
    by_scores: (scores - bare, again, atol=1e-3) ⇒ (scores, scores_of(others, here), atol=1e-3)
        “Other words have other scores in every scheme, so numbers by the offset pass for rotary. What must be compared
        is the *change* that a position makes, for some words and for others.”
    by_symmetry:
        torch.allclose(scores - bare, again, atol=1e-3) ⇒ torch.allclose(scores - bare, (scores - bare).T, atol=1e-3)
        “You take numbers that differ from left to right for rotary. A learned number for each offset may do that too:
        change the words, and see whether the effect stays.”
    by_sign: torch.allclose(scores - bare, again, atol=1e-3) ⇒ bool((scores - bare <= 1e-3).all())
        “You look for a penalty. Numbers by the offset can be learned, and then some raise the score.”
    swapped: {"bias": "rotary", "rotary": "bias"}.get(result, result)
        “You have rotary and the numbers by the offset the wrong way round: which of the two acts through the words?”
    tables_swapped: {"learned": "waves", "waves": "learned"}.get(result, result)
        “You have the waves and the learned table the wrong way round: which of the two has an end?”
    """,
    also_right="""
    far first, one at a time:
        scores_of(words, [10**5] * 4) ⇒
            for power in range(1, 6):
                scores_of([5], [10**power])
    largest difference:
        not torch.allclose(scores, scores_of(words, moved), atol=1e-3) ⇒
            (scores - scores_of(words, moved)).abs().max() > 0.001
    all words at another position: [0, 0, 0, 0] ⇒ [7, 7, 7, 7]
    """,
    hints="""
    - Four questions tell the five apart. Is there an end? Does it matter where the whole text is? Does it matter how
      far apart two words are? Does that depend on the words?
    - Compare the scores of some words at positions such as 0, 1, 5, 20 with those at 10, 11, 15, 30, and with those of
      the same words all at position 0. `torch.allclose(…, atol=1e-3)` allows for rounding.
    - Take off the scores at equal positions: what is left is the positions' own. If it is the same for other words,
      numbers are added by the offset; if not, queries and keys were turned.
    """,
    explanation="""
    Each question is an experiment in which only one thing changes: the whole text moves, the distances vanish, the
    words are exchanged. No weights were read. The same four questions work on a model whose code you do not know.
    """,
)
