"""Diagrams of real tensors: the six steps, masks, positions. The numbers are passed in by whoever computed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anatomy_course.figures.arrays import array, labels_for, steps_of
from anatomy_course.figures.canvas import Number, number, shape_text, width_of
from anatomy_course.figures.cells import color_bar, masked_key
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import look


@look()
def six_steps(words: Sequence[str], steps: Mapping[str, Any], query: int = 1) -> Picture:
    """Attention for one word in six steps with the numbers of a real computation.

    Args:
        words: the sentence, at most 8 words.
        steps: "query", "key", "value" (position, d_head), "scores" (query, key; already divided by √d_head),
            "weights" (query, key) and "context" (position, d_head).
        query: position of the word whose new vector is made.

    Raises:
        ValueError: a tensor is missing, the sizes disagree, or more than 8 words or 8 features.
    """
    got = steps_of(steps)
    labels = labels_for(len(got["key"]), words, "word")
    count, d_head = got["key"].shape
    if count > 8 or max(d_head, got["value"].shape[1]) > 8:
        raise ValueError(f"There are {count} words of {d_head} features; the picture has room for 8 and 8.")
    if got["scores"].shape != (count, count) or not 0 <= query < count:
        raise ValueError(
            f"The scores have shape {got['scores'].shape} and query is {query} for {count} words; make them fit."
        )
    return _six(labels, got, query)


def _six(words: list[str], got: Mapping[str, np.ndarray], query: int) -> Picture:
    count, d_head = got["key"].shape
    wide, high, left = 40.0, 22.0, 236.0
    word, block = words[query], high * count
    q, k, v = got["query"][query], got["key"], got["value"]
    scores, weights = got["scores"][query], got["weights"][query]
    dots, weighed = scores * np.sqrt(d_head), weights[:, None] * v
    limit = float(max(np.abs(a).max() for a in (q, k, v)))
    big = float(max(np.abs(dots).max(), limit))
    tops = np.cumsum([66, block + 36, 62, 62, 62, block + 34])
    pen = Pen(
        700, float(tops[-1]) + 52, f"Six steps of attention for the word “{word}”", f"{count} words, d_head {d_head}"
    )

    def step(i: int, name: str, rule: str, shape: str) -> Number:
        y = float(tops[i])
        pen.text(14, y + 10, str(i + 1), 20, ha="left", weight="bold")
        pen.text(40, y + 4, name, 12, ha="left", weight="bold")
        pen.note(40, y + 20, rule, 10.5, ha="left")
        pen.note(40, y + 35, shape, 9.5, ha="left")
        return y

    y = step(0, "project", "three roles of each word", f"q {shape_text(q.shape)}   k, v {shape_text(k.shape)}")
    xs = (left, left + d_head * wide * 0.8 + 84)
    small: dict[str, Any] = {"digits": 1, "size": 9.0, "limit": limit}
    pen.text(14 + 26, y + 60, f"q of {word}", 10.5, ha="left")
    pen.cells(40, y + 68, q[None], wide * 0.8, high, **small)
    for x, matrix, name in ((xs[0], k, "key"), (xs[1], v, "value")):
        pen.text(x, y - 8, f"{name} of each word", 10.5, ha="left")
        pen.cells(x, y + 4, matrix, wide * 0.8, high, rows=words, **small)

    def row(i: int, name: str, rule: str, values: np.ndarray, kind: Any, top: Number | None) -> None:
        y = step(i, name, rule, shape_text(values.shape, ("key",)))
        pen.cells(left, y + 4, values[None], wide + 12, high, kind, limit=top, digits=2, size=10, columns=words)

    row(1, "score", "q · k, one number per word", dots, "signed", big)
    row(2, "scale", f"divide by √d_head = {np.sqrt(d_head):.4g}", scores, "signed", big)
    row(3, "softmax", "positive, sum to 1: the weights", weights, "weights", None)
    y = step(4, "weigh", "each value times its weight", shape_text(weighed.shape))
    pen.cells(left, y + 4, weighed, wide, high, rows=words, digits=2, size=10, limit=limit)
    y = step(5, "sum", f"the new vector of {word}", shape_text(got["context"][query].shape, ("d_head",)))
    pen.cells(left, y + 4, got["context"][query][None], wide, high, digits=2, size=10, limit=limit)
    pen.arrow((left + d_head * wide / 2, y - 20), (left + d_head * wide / 2, y + 2))
    most = words[int(weights.argmax())]
    return pen.picture(
        f"Attention for the word {word} in six steps with real numbers: project to query, key and value; score q · k; "
        f"divide by the root of d_head {d_head}; softmax to weights, the largest {number(float(weights.max()))} "
        f"on {most}; weigh the values; sum them to the new vector of {d_head} numbers."
    )


@look()
def masks(words: Sequence[str], maps: Sequence[tuple[str, Any, Any]]) -> Picture:
    """The same scores under different masks: weights drawn where a word may attend, hatching where it may not.

    Args:
        words: the sentence.
        maps: (name, mask (query, key) with True = may attend, weights (query, key)), at most four.

    Raises:
        ValueError: no map or more than four, or sizes that disagree with the words.
    """
    if not 1 <= len(maps) <= 4:
        raise ValueError(f"There are {len(maps)} masks; one to four can stand side by side.")
    drawn = [(name, array(mask, 2, "mask").astype(bool), array(weights, 2, "weights")) for name, mask, weights in maps]
    labels = labels_for(drawn[0][2].shape[1], words, "word")
    for name, mask, weights in drawn:
        if mask.shape != weights.shape or weights.shape != drawn[0][2].shape:
            raise ValueError(
                f"Mask {name!r} has shape {mask.shape} and its weights {weights.shape}; give equal shapes."
            )
    longest = max(width_of(label) for label in labels)
    left = 12 + longest + 8
    cell = min(30.0, (700 - left - 56 - 14 * len(drawn)) / len(drawn) / len(labels))
    top, high = 74 + longest, cell * len(drawn[0][2])
    pen = Pen(
        700, top + high + 40, "Masks", f"True = may attend, {shape_text(drawn[0][1].shape, ('query', 'key'))} each"
    )
    for n, (name, mask, weights) in enumerate(drawn):
        x = left + n * (cell * len(labels) + 14)
        pen.text(x, 52, name, 12, ha="left", weight="bold")
        digits = 1 if cell > 20 else None
        pen.cells(x, top, weights, cell, cell, "weights", seen=mask, digits=digits, size=9, columns=labels,
                  upright=True, rows=labels if n == 0 else ())  # fmt: skip
    color_bar(pen.sheet, left + len(drawn) * (cell * len(labels) + 14), top, min(high, 120), (0, 1), "weights")
    masked_key(pen.sheet, left, top + high + 24)
    return pen.picture(
        f"Attention weights of {len(labels)} words from the same scores under "
        + ", ".join(name for name, _, _ in drawn)
        + "; hatched cells are masked and weigh exactly 0; each row still sums to 1."
    )


@look()
def positions(tables: Sequence[tuple[str, Any]]) -> Picture:
    """Position vectors as a map, and how alike the vectors of two places are.

    Args:
        tables: (name, vectors (position, d_model)), one or two.

    Raises:
        ValueError: no table, or more than two.
    """
    if not 1 <= len(tables) <= 2:
        raise ValueError(f"There are {len(tables)} position tables; one or two can be compared.")
    drawn = [(name, array(table, 2, "position table")) for name, table in tables]
    pen = Pen(700, 30 + 252 * len(drawn), "Position vectors", "and how alike two places are")
    for n, (name, table) in enumerate(drawn):
        top = 84 + 252 * n
        length, d_model = table.shape
        limit = float(np.abs(table).max())
        unit = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
        pen.text(12, top - 32, name, 12, ha="left", weight="bold")
        pen.note(
            12 + width_of(name, 12, True) + 8, top - 32, shape_text(table.shape, ("position", "d_model")), ha="left"
        )
        pen.cells(56, top, table, 320 / d_model, 170 / length, limit=limit)
        color_bar(pen.sheet, 384, top, 170, (-limit, limit), "signed")
        pen.cells(466, top, unit @ unit.T, 170 / length, 170 / length, limit=1)
        color_bar(pen.sheet, 644, top, 170, (-1, 1), "signed")
        pen.note(216, top - 10, "feature →")
        pen.note(551, top - 10, "cosine similarity of two positions")
        for x in (50, 460):
            for place in (0, length - 1):
                pen.note(x, top + 170 * (place + 0.5) / length, str(place), ha="right")
        pen.text(22, top + 85, "position", 10, rotation=90)
    return pen.picture(
        "Position vectors of " + " and ".join(name for name, _ in drawn) + ": left the vectors, one row per position; "
        "right the cosine similarity of every pair of positions, largest on the diagonal: neighbors look alike."
    )
