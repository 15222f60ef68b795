"""Diagrams of heads: how vectors are cut into them, rightly and wrongly, and how query heads share keys and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anatomy_course.figures import canvas
from anatomy_course.figures.arrays import array, labels_for
from anatomy_course.figures.canvas import Kind, Number, number, printable, shape_text
from anatomy_course.figures.cells import color_bar
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import PAGE, look

LANE_TITLES = {"right": "✓ right: view, then transpose", "wrong": "✗ wrong: view alone"}
WIDE, MIDDLE = 700, 352
MOST_KINDS = 4


@look()
def split_heads(words: Sequence[str], value: Any, lanes: Mapping[str, tuple[Any, Any]], position: int = 0) -> Picture:
    """Values of every word cut into heads, each head's weights and contexts: with a transpose, and by `view` alone.

    Args:
        words: the sentence, at most 8 words.
        value: (position, d_model), before the split.
        lanes: "right" and "wrong" → weights (heads, query, key) and contexts (heads, position, d_head).
        position: the word whose numbers are framed.

    Raises:
        ValueError: a lane is missing, the sizes disagree, or there are more than 8 words or 16 features.
    """
    numbers = array(value, 2, "value")
    names = labels_for(len(numbers), words, "word")
    if set(lanes) != set(LANE_TITLES):
        raise ValueError(f"The lanes are {', '.join(lanes) or 'none'}; give 'right' and 'wrong'.")
    drawn = {lane: (array(weights, 3, "weights"), array(context, 3, "context"))
             for lane, (weights, context) in lanes.items()}  # fmt: skip
    count, d_model = numbers.shape
    heads = len(drawn["right"][0])
    for lane, (weights, context) in drawn.items():
        expected = (heads, count, count), (heads, count, d_model // heads)
        if (weights.shape, context.shape) != expected:
            raise ValueError(
                f"The {lane} lane has weights {weights.shape} and contexts {context.shape} for {count} words and "
                f"{heads} heads; expected {expected[0]} and {expected[1]}."
            )
    if count > 8 or d_model > 16 or not 0 <= position < count:
        raise ValueError(
            f"There are {count} words of {d_model} features and position is {position}; there is room for 8 of 16."
        )
    return _lanes(names, numbers, drawn, position)


def _lanes(
    words: list[str], value: np.ndarray, lanes: Mapping[str, tuple[np.ndarray, np.ndarray]], position: int
) -> Picture:
    count, d_model = value.shape
    heads = len(lanes["right"][0])
    d_head = d_model // heads
    high, cell = 15.0, min(18.0, 226 / d_model)
    unit = min(17.0, 226 / (2 * d_head + count))  # of the cells in a head's three small pictures
    block = count * high + 34
    limit = float(max(np.abs(value).max(), *(np.abs(context).max() for _, context in lanes.values())))
    first = 118 + count * high + 44
    pen = Pen(
        WIDE, first + heads * block, "One projection, cut into heads", f"the numbers of “{words[position]}” framed"
    )
    green = canvas.role("value")
    pieces = value.reshape(count * heads, d_head)  # position by position, head by head, as it lies in memory
    whose = np.repeat(np.arange(count), heads)
    for lane, x in (("right", 12.0), ("wrong", 12.0 + MIDDLE)):
        weights, context = lanes[lane]
        pen.text(x, 52, LANE_TITLES[lane], 12, canvas.role("pass" if lane == "right" else "fail"), ha="left",
                 weight="bold")  # fmt: skip
        pen.note(x, 72, f"value {shape_text(value.shape, ('position', 'd_model'))}", ha="left")
        pen.cells(x + 62, 92, value, cell, high, limit=limit, rows=words)
        _frame(pen, x + 62, 92 + position * high, d_model * cell, high, green)
        code = f"view(1, {count}, {heads}, {d_head}).transpose(1, 2)" if lane == "right" else (
            f"view(1, {heads}, {count}, {d_head})")  # fmt: skip
        pen.text(x, first - 46, f"{code}: {shape_text((1, heads, count, d_head))}", 10, ha="left")
        kind: Kind = "signed" if lane == "right" else "weights"
        limits: tuple[Number, Number] = (-limit, limit) if lane == "right" else (0, 1)
        pen.note(x + 298, 72, "numbers" if lane == "right" else "weights", 9.5, ha="left")
        color_bar(pen.sheet, x + 298, 92, max(count * high, 45), limits, kind)
        left = x + 80
        middle = left + d_head * unit + 14
        last = middle + count * unit + 14
        for head in range(heads):
            y = first + head * block
            rows = np.arange(count) * heads + head if lane == "right" else np.arange(count) + head * count
            names = words if lane == "right" else [
                f"{printable(words[whose[row]], 8)} {row % heads * d_head}–{row % heads * d_head + d_head - 1}"
                for row in rows
            ]  # fmt: skip
            pen.text(left, y - 12, f"head {head}", 10.5, ha="left", weight="bold")
            pen.note(middle, y - 12, "weights", ha="left")
            pen.note(last, y - 12, "context", ha="left")
            pen.cells(left, y, pieces[rows], unit, high, limit=limit, rows=names)
            for row in np.flatnonzero(whose[rows] == position):
                _frame(pen, left, y + row * high, d_head * unit, high, green)
            pen.cells(middle, y, weights[head], unit, high, "weights")
            pen.cells(last, y, context[head], unit, high, limit=limit)
    seen = [sorted({words[whose[row]] for row in range(head * count, (head + 1) * count)}) for head in range(heads)]
    return pen.picture(
        f"{count} words of {d_model} numbers cut into {heads} heads of {d_head}. Right: every head has a row for every "
        "word. Wrong, by view alone: a head's rows are pieces of a few words; "
        + "; ".join(f"head {head} has only {', '.join(names)}" for head, names in enumerate(seen)) + "."
    )  # fmt: skip


def _frame(pen: Pen, x: float, y: float, width: float, height: float, color: str) -> None:
    pen.rectangle(x, y, width, height, fill=False, edgecolor=color, linewidth=2.2, zorder=5)


@look()
def head_sharing(kinds: Mapping[str, Sequence[int]], positions: int) -> Picture:
    """Which query heads read which key/value head, and what that costs.

    Args:
        kinds: name → (num_heads, num_kv_heads, parameters, cache_bytes), as `cache_cost.key_value_sharing` counts them.
        positions: how many positions the cache bytes are for.

    Raises:
        ValueError: no kind or more than 4, more than 16 heads, or key/value heads that do not divide the heads.
    """
    if not 1 <= len(kinds) <= MOST_KINDS:
        raise ValueError(f"There are {len(kinds)} kinds; 1 to {MOST_KINDS} can stand side by side.")
    for name, (num_heads, num_kv_heads, _, _) in kinds.items():
        if not 1 <= num_kv_heads <= num_heads <= 16 or num_heads % num_kv_heads:
            raise ValueError(
                f"{name!r} has {num_heads} heads and {num_kv_heads} key/value heads; expected at most 16 heads, "
                "divided evenly among the key/value heads."
            )
    pen = Pen(WIDE, 304, "Query heads that share keys and values", "one layer")
    lane = (WIDE - 24) / len(kinds)
    most = max(cache for _, _, _, cache in kinds.values())
    for n, (name, (num_heads, num_kv_heads, parameters, cache)) in enumerate(kinds.items()):
        x = 12 + n * lane
        wide = lane - 26
        pen.text(x, 58, name, 12.5, ha="left", va="baseline", weight="bold")
        step = wide / num_heads
        side = min(step - 3, 26.0)
        size = 9.5 if side > 15 else 7.5
        shared_by = num_heads // num_kv_heads
        for kv in range(num_kv_heads):
            middle = x + (kv + 0.5) * shared_by * step
            for y, role, letter in ((78, "key", "k"), (106, "value", "v")):
                pen.box(middle - side / 2, y, side, 24, f"{letter}{kv}" if side > 11 else "", role, size=size)
            for head in range(kv * shared_by, (kv + 1) * shared_by):
                above = x + (head + 0.5) * step
                pen.arrow((middle, 132), (above, 164), role="query", width=1.2, tip=False)
        for head in range(num_heads):
            label = f"q{head}" if side > 11 else ""
            pen.box(x + (head + 0.5) * step - side / 2, 164, side, 24, label, "query", size=size)
        heads = f"{num_kv_heads} key/value head{'s' if num_kv_heads > 1 else ''}"
        pen.note(x, 208, f"{num_heads} query heads, {heads}", ha="left")
        pen.text(x, 230, f"{parameters:,} parameters".replace(",", " "), 11.5, ha="left")
        pen.text(x, 251, f"{_bytes(cache)} of cache", 11.5, ha="left")
        pen.box(x, 264, max(3.0, wide * cache / most), 10, "", "value", fill=0.5)
    pen.note(12, 290, f"cache: keys and values of {positions:,} positions".replace(",", " "), ha="left")
    told = "; ".join(
        f"{name}: {num_heads} query heads, {kv} for keys and values, {parameters} parameters, {_bytes(cache)}"
        for name, (num_heads, kv, parameters, cache) in kinds.items()
    )
    return pen.picture(f"Which query heads share keys and values, and the cache of {positions} positions. {told}.")


def _bytes(count: int) -> str:
    """A number of bytes as people write it, in steps of 1024."""
    for unit, size in (("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{number(count / size, 1)} {unit}"
    return f"{count} bytes"


@look()
def induction_circuit() -> Picture:
    """The two steps by which “A B … A” goes on with B: what is written at B, and what finds it there."""
    pen = Pen(WIDE, 310, "Two heads, one after the other", "“A B … A” → B")
    words, before = ("<bos>", "A", "B", "…", "A"), ("", "before: <bos>", "before: A", "before: …", "before: …")
    step = (WIDE - 120) / 5
    plain: dict[str, Any] = {"bbox": {"facecolor": PAGE, "edgecolor": "none"}}
    places = [110 + (i + 0.5) * step for i in range(len(words))]
    for y, label in ((272, "tokens"), (176, "after layer 0"), (80, "after layer 1")):
        pen.note(12, y, label, ha="left")
    for x, word, note in zip(places, words, before, strict=True):
        pen.arrow((x, 256), (x, 198), kind="residual")
        pen.arrow((x, 156), (x, 102), kind="residual")
        pen.box(x - 44, 256, 88, 32, word, bold=True)
        pen.box(x - 44, 156, 88, 41, word, note=note)
        pen.box(x - 44, 60, 88, 41, word, note="next: B" if x == places[4] else "")
    for start, end, y in ((1, 2, 228), (2, 4, 130)):
        ends = places[start] + 8, places[end] - 8
        pen.arrow((ends[0], y + 28), (ends[0], y), (ends[1], y), (ends[1], y - 28), role="value", width=2)
    pen.note(places[1] + step / 2, 216, "copies A")
    pen.note(places[3], 115, "asks: who has A before it?", **plain)
    pen.note(places[3], 144, "copies B", **plain)
    return pen.picture(
        "Five positions: <bos>, A, B, …, A again. In layer 0 the token A is copied to its right neighbor B, which "
        "then holds its own token B and, as the one before, A. In layer 1 the second A asks who has A before it, "
        "finds B and copies it: the next token is B."
    )
