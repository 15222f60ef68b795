"""Notebook 04: a question-answering head, the best span of an answer."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_short, normal, written
from anatomy_utils.functional import spans


# fmt: off
def best_span(
    start_scores: Tensor, end_scores: Tensor, max_length: int
) -> tuple[Tensor, Tensor]:
    """How well each word begins the answer and how well it ends it, (batch, position) each
    → start and end, (batch,) each; the end is the answer's last word, so a span of one word has
    end = start. There is no padding, and in each text one span is better than all others."""
    sums = start_scores[:, :, None] + end_scores[:, None, :]
    length = sums.shape[-1]
    legal = torch.ones(length, length, dtype=torch.bool).triu().tril(max_length - 1)
    best = sums.masked_fill(~legal, float('-inf')).flatten(1).argmax(dim=1)
    return best // length, best % length
# fmt: on


BASE = -10.0
"""Where scores lie that are not planted."""


def planted(generator: Generator) -> Cases:
    for kind, longest in (("a batch of texts", 3), ("a batch of texts", 2), ("one text", 5), ("one word at most", 1)):
        position = (11, 13)[int(torch.randint(2, (1,), generator=generator))]
        start, end = (0.3 * normal(generator, 7, position) + BASE for _ in range(2))
        first = int(torch.randint(1, 3, (1,), generator=generator)) if longest > 1 else 0
        last = first + longest - 1
        peaks = (
            ((8, 6), (first, 6)),  # the best end is before the best start
            ((first, 6), (9, 6)),  # the best two are too far apart
            ((first, 6), (last, 6)),  # as long as may be
            ((first, 6), (last + 1, 6)),  # one word longer than may be
            ((first, 6), (first, 6)),  # one word
            ((first, 4), (9, 1)),  # the best start has no good end …
            ((9, 1), (8, 4)),  # … and the best end no good start
        )
        for row, ((begin, more), (stop, much)) in enumerate(peaks):
            start[row, begin] += more
            end[row, stop] += much
        start[5, 8], end[5, 8], start[6, first], end[6, first] = (BASE + 3 for _ in range(4))
        if longest == 5:
            start, end = start - 60, end - 60  # e to their power is 0 in float32
        rows = torch.randperm(7, generator=generator)[: 1 if kind == "one text" else 7]
        yield case(kind, start[rows], end[rows], longest)


def cases(generator: Generator) -> Cases:
    """Those, texts of one word, and two lengths at which a span may fail although its rule is right."""
    yield from and_short(planted, "position", "texts of one word")(generator)
    slope = 5.0 * torch.arange(41)  # the best starts are last, the best ends first: no two of them make a span
    start = slope + 0.3 * normal(generator, 3, 41)
    end = 0.3 * normal(generator, 3, 41) - slope
    place = torch.randint(10, 30, (3, 1), generator=generator)
    start, end = (scores.scatter_add(1, place, torch.full((3, 1), 3.0)) for scores in (start, end))
    yield case("long texts", start, end, 7)
    start, end = (normal(generator, 7, 5) + BASE for _ in range(2))
    yield case("texts shorter than max_length", start, end, 11)


def case(kind: str, start: Tensor, end: Tensor, longest: int) -> Case:
    arguments = {"start_scores": start, "end_scores": end, "max_length": longest}
    return Case(arguments, kind, {"batch": start.shape[0], "position": start.shape[1]})


EXERCISE = written(
    best_span,
    same_as=spans.best_span,
    title="The best span",
    task="Find the start and the end whose scores have the largest sum, among all spans that do not end before they "
    "start and have at most max_length words.",
    level="hard, 8 minutes",
    returns="start: batch; end: batch",
    cases=cases,
    look_first="start end",
    seconds=10.0,  # torch.unravel_index, a fine way to end it, takes long to load
    mistakes="""
    each_alone: (start_scores.argmax(dim=1), end_scores.argmax(dim=1))
        “You give the best start and the best end, as if each were chosen by itself: in some texts the end comes before
        the start.”
    put_in_order (each_alone): (torch.minimum(*result), torch.maximum(*result))
        “You give the best start and the best end, and call the earlier one the start: a word that ends an answer well
        need not begin one well.”
    backwards_allowed: .triu() ⇒
        “Your spans are never too long, but some of them end before they start.”
    backwards_only: .triu().tril(max_length - 1) ⇒ .tril().triu(1 - max_length)
        “Your spans end where they start or before, as if you had kept the wrong triangle.”
    any_length: .tril(max_length - 1) ⇒
        “Your spans never end before they start, but some have more than max_length words.”
    one_word_too_many: max_length - 1 ⇒ max_length
        “Your spans may have one word too many: with end = start there is one word already.”
    one_word_too_few: max_length - 1 ⇒ max_length - 2
        “Spans of exactly max_length words are not among yours.”
    never_one_word: .triu() ⇒ .triu(1)
        “Your spans have two words at least; an answer may be a single word.”
    start_first:
        best = sums.masked_fill(~legal, float('-inf')).flatten(1).argmax(dim=1) ⇒ start = start_scores.argmax(dim=1)
        best // length, best % length ⇒ start, end_scores.masked_fill(~legal[start], float('-inf')).argmax(dim=1)
        “You choose the best start, and then the best end that goes with it. Another start may have a far better end.”
    end_first:
        best = sums.masked_fill(~legal, float('-inf')).flatten(1).argmax(dim=1) ⇒ end = end_scores.argmax(dim=1)
        best // length, best % length ⇒ start_scores.masked_fill(~legal.T[end], float('-inf')).argmax(dim=1), end
        “You choose the best end, and then the best start that goes with it. Another end may have a far better start.”
    zero_wins: float('-inf') ⇒ 0.0
        “A span that is not allowed wins, as if its sum were 0: where all scores are negative, 0 is the largest.”
    multiplied: [:, :, None] + ⇒ [:, :, None] *
        “Your spans have the largest product: two very bad scores make a large one. Scores like these are added.”
    probabilities_multiplied:
        start_scores[ ⇒ start_scores.softmax(1)[
        + end_scores[ ⇒ * end_scores.softmax(1)[
        “Your spans are those of the largest product of probabilities. In long texts with scores far apart all those
        products are rounded to 0; add the scores themselves.”
    subtracted: sums = start_scores ⇒ sums = -start_scores
        “You subtract one score from the other; words that begin an answer well are then punished.”
    end_exclusive: best % length ⇒ best % length + 1
        “Your starts are right; your ends are one word after the answer, as in a slice. Return the answer's last word.”
    length_for_end: best % length ⇒ best % length - best // length + 1
        “Your starts are right, but instead of the ends you return how many words the answers have.”
    """,
    also_right="""
    max: argmax(dim=1) ⇒ max(dim=1).indices
    a band:
        legal = torch.ones(length, length, dtype=torch.bool).triu().tril(max_length - 1) ⇒
            further = torch.arange(length) - torch.arange(length)[:, None]
            legal = (further >= 0) & (further < max_length)
    best end of each start:
        best = sums.masked_fill(~legal, float('-inf')).flatten(1).argmax(dim=1) ⇒
            best = sums.masked_fill(~legal, -1e9).max(dim=2)
        return best // length, best % length ⇒
            start = best.values.argmax(dim=1)
            return start, best.indices.gather(1, start[:, None])[:, 0]
    """,
    hints="""
    - Make a table of all sums, (batch, start, end); forbid some of its cells with −∞; find the largest one.
    - `start_scores[:, :, None] + end_scores[:, None, :]` is the table. `torch.ones(n, n, dtype=torch.bool).triu()` is
      True where the end is not before the start; `.tril(k)` keeps what is at most k columns to the right of the
      diagonal.
    - `flatten(1).argmax(dim=1)` finds the index of the largest cell of each text. That index divided by the length of
      the text (`//`) is the start, and the remainder (`%`) is the end.
    """,
    explanation="""
    The model never sees this rule; it only scores words. BERT answers questions this way. In a real text the question's
    own words and the padding are forbidden as well: their scores are set to −∞ first.
    """,
)
