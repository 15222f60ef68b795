"""Notebook 03: a question-answering head, the best span of an answer."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

BASE = -10.0
"""Where scores lie that are not planted."""


def _scores(generator: torch.Generator) -> Iterator[Case]:
    for kind, longest in (("a batch of texts", 3), ("a batch of texts", 2), ("one text", 5), ("one word at most", 1)):
        position = (11, 13)[int(torch.randint(2, (1,), generator=generator))]
        start, end = (0.3 * normal(generator, 7, position) + BASE for _ in range(2))
        first = int(torch.randint(1, 3, (1,), generator=generator)) if longest > 1 else 0
        last = first + longest - 1
        planted = (
            ((8, 6), (first, 6)),  # the best end is before the best start
            ((first, 6), (9, 6)),  # the best two are too far apart
            ((first, 6), (last, 6)),  # as long as may be
            ((first, 6), (last + 1, 6)),  # one word longer than may be
            ((first, 6), (first, 6)),  # one word
            ((first, 4), (9, 1)),  # the best start has no good end …
            ((9, 1), (8, 4)),  # … and the best end no good start
        )
        for row, ((begin, more), (stop, much)) in enumerate(planted):
            start[row, begin] += more
            end[row, stop] += much
        start[5, 8], end[5, 8], start[6, first], end[6, first] = (BASE + 3 for _ in range(4))
        if longest == 5:
            start, end = start - 60, end - 60  # e to their power is 0 in float32
        rows = torch.randperm(7, generator=generator)[: 1 if kind == "one text" else 7]
        arguments = {"start_scores": start[rows], "end_scores": end[rows], "max_length": longest}
        yield Case(arguments, kind, {"batch": len(rows), "position": position})


def _and_unlike_lengths(generator: torch.Generator) -> Iterator[Case]:
    """Those, texts of one word, and two lengths at which a span may fail although its rule is right."""
    yield from and_short(_scores, "position", "texts of one word")(generator)
    batch, position, longest = 3, 41, 7
    slope = 5.0 * torch.arange(position)  # the best starts are last, the best ends first: no two of them make a span
    start = slope + 0.3 * normal(generator, batch, position)
    end = 0.3 * normal(generator, batch, position) - slope
    place = torch.randint(10, 30, (batch, 1), generator=generator)
    start, end = start.scatter_add(1, place, 0 * place + 3.0), end.scatter_add(1, place, 0 * place + 3.0)
    arguments = {"start_scores": start, "end_scores": end, "max_length": longest}
    yield Case(arguments, "long texts", {"batch": batch, "position": position})
    batch, position, longest = 7, 5, 11
    start, end = (normal(generator, batch, position) + BASE for _ in range(2))
    arguments = {"start_scores": start, "end_scores": end, "max_length": longest}
    yield Case(arguments, "texts shorter than max_length", {"batch": batch, "position": position})


Span = tuple[Tensor, Tensor]


def _sums(start: Tensor, end: Tensor) -> Tensor:
    return start[:, :, None] + end[:, None, :]


def _band(start: Tensor, nearest: int, farthest: int) -> Tensor:
    """True where the end is `nearest` to `farthest` words after the start."""
    places = torch.arange(start.shape[1])
    further = places[None, :] - places[:, None]
    return (further >= nearest) & (further <= farthest)


def _largest(sums: Tensor, legal: Tensor, other: float = -torch.inf) -> Span:
    best = sums.masked_fill(~legal, other).flatten(1).argmax(1)
    return best // sums.shape[2], best % sums.shape[2]


def _within(start: Tensor, end: Tensor, nearest: int, farthest: int) -> Span:
    return _largest(_sums(start, end), _band(start, nearest, farthest))


def _right(start: Tensor, end: Tensor, longest: int) -> Span:
    return _within(start, end, 0, longest - 1)


def _start_first(start: Tensor, end: Tensor, longest: int) -> Span:
    begin = start.argmax(1)
    legal = _band(start, 0, longest - 1)[begin]
    return begin, end.masked_fill(~legal, -torch.inf).argmax(1)


def _end_first(start: Tensor, end: Tensor, longest: int) -> Span:
    stop = end.argmax(1)
    legal = _band(start, 0, longest - 1)[:, stop].T
    return start.masked_fill(~legal, -torch.inf).argmax(1), stop


def _in_loops(start: Tensor, end: Tensor, longest: int) -> Span:
    begins, stops = [], []
    for begin_scores, end_scores in zip(start.tolist(), end.tolist(), strict=True):
        spans = [(i, j) for i in range(len(end_scores)) for j in range(i, min(i + longest, len(end_scores)))]
        begin, stop = max(spans, key=lambda span: begin_scores[span[0]] + end_scores[span[1]])
        begins.append(begin)
        stops.append(stop)
    return torch.tensor(begins), torch.tensor(stops)


def _by_max(start: Tensor, end: Tensor, longest: int) -> Span:
    """The best legal end for each start, then the best start."""
    best = _sums(start, end).masked_fill(~_band(start, 0, longest - 1), -1e9).max(2)
    begin = best.values.argmax(1)
    return begin, best.indices.gather(1, begin[:, None])[:, 0]


EXERCISE = Exercise(
    id="encoder.best_span",
    title="The best span",
    task="Find the start and the end whose scores have the largest sum, among all spans that do not end before they "
    "start and have at most max_length words.",
    difficulty="hard",
    minutes=8,
    signature="best_span(start_scores: Tensor, end_scores: Tensor, max_length: int) -> tuple[Tensor, Tensor]",
    docstring="How well each word begins the answer and how well it ends it, (batch, position) each\n"
    "→ start and end, (batch,) each; the end is the answer's last word, so a span of one word has end = start.\n"
    "There is no padding.",
    reference="anatomy_utils.functional.spans.best_span",
    returns=(Output("start", "batch"), Output("end", "batch")),
    cases=_and_unlike_lengths,
    mistakes=(
        Mistake(
            "each_alone",
            lambda start, end, longest: (start.argmax(1), end.argmax(1)),
            "You give the best start and the best end, as if each were chosen by itself: in some texts the end comes "
            "before the start.",
        ),
        Mistake(
            "put_in_order",
            lambda start, end, longest: (
                torch.minimum(start.argmax(1), end.argmax(1)),
                torch.maximum(start.argmax(1), end.argmax(1)),
            ),
            "You give the best start and the best end, and call the earlier one the start: a word that ends an answer "
            "well need not begin one well.",
        ),
        Mistake(
            "backwards_allowed",
            lambda start, end, longest: _within(start, end, -start.shape[1], longest - 1),
            "Your spans are never too long, but some of them end before they start.",
        ),
        Mistake(
            "backwards_only",
            lambda start, end, longest: _within(start, end, 1 - longest, 0),
            "Your spans end where they start or before, as if you had kept the wrong triangle.",
        ),
        Mistake(
            "any_length",
            lambda start, end, longest: _within(start, end, 0, start.shape[1]),
            "Your spans never end before they start, but some have more than max_length words.",
        ),
        Mistake(
            "one_word_too_many",
            lambda start, end, longest: _within(start, end, 0, longest),
            "Your spans may have one word too many: with end = start there is one word already.",
        ),
        Mistake(
            "one_word_too_few",
            lambda start, end, longest: _within(start, end, 0, longest - 2),
            "Spans of exactly max_length words are not among yours.",
        ),
        Mistake(
            "never_one_word",
            lambda start, end, longest: _within(start, end, 1, longest - 1),
            "Your spans have two words at least; an answer may be a single word.",
        ),
        Mistake(
            "start_first",
            _start_first,
            "You choose the best start, and then the best end that goes with it. Another start may have a far better "
            "end.",
        ),
        Mistake(
            "end_first",
            _end_first,
            "You choose the best end, and then the best start that goes with it. Another end may have a far better "
            "start.",
        ),
        Mistake(
            "zero_wins",
            lambda start, end, longest: _largest(_sums(start, end), _band(start, 0, longest - 1), 0.0),
            "A span that is not allowed wins, as if its sum were 0: where all scores are negative, 0 is the largest.",
        ),
        Mistake(
            "multiplied",
            lambda start, end, longest: _largest(start[:, :, None] * end[:, None, :], _band(start, 0, longest - 1)),
            "Your spans have the largest product: two very bad scores make a large one. Scores like these are added.",
        ),
        Mistake(
            "probabilities_multiplied",
            lambda start, end, longest: _largest(
                start.softmax(1)[:, :, None] * end.softmax(1)[:, None, :], _band(start, 0, longest - 1)
            ),
            "Your spans are those of the largest product of probabilities. In long texts with scores far apart all "
            "those products are rounded to 0; add the scores themselves.",
        ),
        Mistake(
            "subtracted",
            lambda start, end, longest: _largest(end[:, None, :] - start[:, :, None], _band(start, 0, longest - 1)),
            "You subtract one score from the other; words that begin an answer well are then punished.",
        ),
        Mistake(
            "end_exclusive",
            lambda start, end, longest: (_right(start, end, longest)[0], _right(start, end, longest)[1] + 1),
            "Your starts are right; your ends are one word after the answer, as in a slice. Return the answer's "
            "last word.",
        ),
        Mistake(
            "length_for_end",
            lambda start, end, longest: (
                _right(start, end, longest)[0],
                _right(start, end, longest)[1] - _right(start, end, longest)[0] + 1,
            ),
            "Your starts are right, but instead of the ends you return how many words the answers have.",
        ),
    ),
    also_right={"in loops": _in_loops, "a band": _right, "best end of each start": _by_max},
    hints=(
        "Make a table of all sums, (batch, start, end); forbid some of its cells with −∞; find the largest one.",
        "`start_scores[:, :, None] + end_scores[:, None, :]` is the table. `torch.ones(n, n, dtype=torch.bool).triu()` "
        "is True where the end is not before the start; `.tril(k)` keeps what is at most k columns to the right of "
        "the diagonal.",
        "`flatten(1).argmax(dim=1)` finds the index of the largest cell of each text. That index divided by the "
        "length of the text (`//`) is the start, and the remainder (`%`) is the end.",
    ),
    solution="sums = start_scores[:, :, None] + end_scores[:, None, :]\n"
    "length = sums.shape[-1]\n"
    "legal = torch.ones(length, length, dtype=torch.bool).triu().tril(max_length - 1)\n"
    "best = sums.masked_fill(~legal, float('-inf')).flatten(1).argmax(dim=1)\n"
    "return best // length, best % length",
    explanation="The model never sees this rule; it only scores words. BERT answers questions this way. In a real text "
    "the question's own words and the padding are forbidden as well: their scores are set to −∞ first.",
    look_first=("start", "end"),
    seconds=10.0,  # torch.unravel_index, a fine way to end it, takes long to load
)
