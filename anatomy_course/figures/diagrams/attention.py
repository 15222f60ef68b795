"""Diagrams of attention: why it came, what it does, several heads of it, and its use between two sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anatomy_course.figures.canvas import Number
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import look

Pair = tuple[int, int]
SOURCE = ("the", "animal", "was", "tired")
TARGET = ("l'", "animal", "était", "fatigué")


@look()
def sequence_to_sequence() -> Picture:
    """A recurrent encoder–decoder squeezed through one state, and the same with attention over all states."""
    pen = Pen(700, 412)
    _recurrent(pen, 0, "One state for everything", "before attention (Sutskever et al. 2014)")
    _recurrent(pen, 206, "Attention over all states", "each step asks afresh (Bahdanau et al. 2014)", attend=True)
    return pen.picture(
        "Two ways to translate. Above: a recurrent encoder reads four words and hands one single state to the "
        "decoder, which must write the whole translation from it. Below: the decoder also looks back, at each "
        "step, at all encoder states through weights that its own last state sets; thicker lines are larger weights."
    )


def _recurrent(pen: Pen, top: Number, title: str, note: str, attend: bool = False) -> None:
    pen.text(12, top + 20, title, 13, ha="left", weight="bold")
    pen.note(12, top + 38, note, 11, ha="left")
    states, outputs = [30 + i * 84 for i in range(4)], [400 + i * 76 for i in range(4)]
    y = top + 118
    for i, (x, word) in enumerate(zip(states, SOURCE, strict=True)):
        pen.word(x + 24, y + 62, word)
        pen.arrow((x + 24, y + 52), (x + 24, y + (34 if attend or i < 3 else 37)))
        pen.box(x, y, 48, 32, f"h{'₁₂₃₄'[i]}", "memory" if attend else "residual")
        if i:
            pen.arrow((x - 36, y + 16), (x if attend or i < 3 else x - 4, y + 16))
    for i, (x, word) in enumerate(zip(outputs, TARGET, strict=True)):
        pen.box(x, y, 48, 32, f"s{'₁₂₃₄'[i]}", "query" if attend else "residual")
        pen.word(x + 24, y + 62, word)
        pen.arrow((x + 24, y + 34), (x + 24, y + 52))
        if i:
            pen.arrow((x - 28, y + 16), (x, y + 16))
    if attend:
        pen.arrow((states[3] + 48, y + 16), (outputs[0], y + 16))
        for x, weight in zip(states, (0.06, 0.10, 0.24, 0.60), strict=True):
            middle = x + 24
            pen.arrow((middle, y), (middle, y - 34), role="weights", width=0.8 + 6 * weight, tip=False)
            pen.note(middle + 5, y - 12, f"{weight:.2f}", 9.5, ha="left")
        pen.arrow((states[0] + 24, y - 34), (outputs[3] + 24, y - 34), (outputs[3] + 24, y), role="weights", width=1.8)
        pen.text(400, y - 46, "weighted average of h₁ … h₄, here for s₄", 10, ha="left")
        pen.arrow((outputs[2] + 24, y), (outputs[2] + 24, y - 17), (states[3] + 66, y - 17), role="query", width=1.8)
        pen.note(410, y - 7, "s₃ asks: it sets the weights", 9.5, ha="left")
    else:
        pen.box(states[3] - 3, y - 4, 54, 40, "", "fail", fill=0)
        pen.arrow((states[3] + 51, y + 16), (outputs[0], y + 16), role="fail", width=2.4)
        pen.note(outputs[0], y - 12, "the whole sentence must fit into h₄", 10.5, ha="left")


@look()
def dot_products(pairs: Mapping[str, tuple[Pair, Pair]]) -> Picture:
    """Pairs of vectors in the plane, each with its dot product, worked out.

    Args:
        pairs: what there is to see → two vectors of two whole numbers, at most four pairs.
    """
    if not 1 <= len(pairs) <= 4:
        raise ValueError(f"There are {len(pairs)} pairs; one to four can stand side by side.")
    pen, told = Pen(700, 214), []
    for i, (name, (one, other)) in enumerate(pairs.items()):
        left, x, y, unit = 14 + 172 * i, 70 + 172 * i, 132, 26
        product = one[0] * other[0] + one[1] * other[1]
        pen.text(left, 20, name, 11.5, ha="left", weight="bold")
        for letter, (right, up), role in (("a", one, "query"), ("b", other, "key")):
            end = x + unit * right, y - unit * up
            pen.arrow((x, y), end, role=role, width=2.2)
            long = max(1.0, (right**2 + up**2) ** 0.5)
            pen.text(end[0] + 11 * right / long, end[1] - 11 * up / long, letter, 12, weight="bold")
        (a, b), (c, d) = ([f"({n})" if n < 0 else f"{n}" for n in pair] for pair in (one, other))
        pen.text(left, 180, f"a · b = {a}·{c} + {b}·{d}".replace("-", "−"), 11, ha="left")
        pen.text(left, 200, f"= {product}".replace("-", "−"), 12.5, ha="left", weight="bold")
        told.append(f"{name}: {one} and {other} give {product}")
    return pen.picture("Pairs of arrows with their dot products. " + "; ".join(told) + ".")


@look()
def self_attention(words: Sequence[str] = ("time", "flies", "like", "an", "arrow"), query: int = 1) -> Picture:
    """Self-attention for one word: its query meets every key, the weights average the values.

    Args:
        words: the sentence, 2 to 7 words.
        query: position of the word whose new vector is made.
    """
    if not 2 <= len(words) <= 7 or not 0 <= query < len(words):
        raise ValueError(
            f"Got {len(words)} words and query {query}; give 2 to 7 words and the position of one of them."
        )
    step = min(111, 556 // len(words))
    pen = Pen(700, 390, "Self-attention", "for one word; every word does the same at the same time")
    xs = [142 + i * step for i in range(len(words))]
    for i, (x, word) in enumerate(zip(xs, words, strict=True)):
        _one_word(pen, x, word, i == query)
    for y, name, shape in ((316, "hidden states", "(position, d_model)"),
                           (246, "query, key, value", "(position, d_head)"),
                           (158, "weights, sum to 1", "softmax(q · k / √d_head)"),
                           (62, "context", "(d_head)")):  # fmt: skip
        pen.text(12, y, name, 10.5, ha="left")
        pen.note(12, y + 14, shape, 9, ha="left")
    _meet(pen, xs, query)
    return pen.picture(
        f"Self-attention for the word {words[query]}: every word's hidden state becomes query, key and value. "
        f"The query of {words[query]} meets every key; scores divided by the root of d_head and a softmax "
        "give one weight per word; the values, weighted and summed, are the new vector."
    )


def _one_word(pen: Pen, x: Number, word: str, asking: bool) -> None:
    pen.word(x + 30, 366, word, 12, weight="bold" if asking else "normal")
    pen.vector(x + 6, 310, 4, "residual")
    pen.arrow((x + 30, 354), (x + 30, 327))
    for j, role in enumerate(("query", "key", "value")):
        left = x + j * 22
        if role != "query" or asking:
            pen.arrow((x + 30, 310), (left + 8, 273))
            pen.vector(left + 2, 237, 3, role, wide=12, high=12, standing=True)
            pen.text(left + 8, 229, role[0], 10.5, weight="bold")


def _meet(pen: Pen, xs: Sequence[Number], query: int) -> None:
    """The one query goes to every key; each weight and value go on to the sum."""
    asked = xs[query] + 8
    pen.arrow((asked, 221), (asked, 202), role="query", width=1.8, tip=False)
    pen.arrow((min(asked, xs[0] + 10), 202), (max(asked, xs[-1] + 10), 202), role="query", width=1.8, tip=False)
    for i, x in enumerate(xs):
        share = 0.62 if i == max(query - 1, 0) else 0.38 / (len(xs) - 1)
        pen.arrow((x + 10, 202), (x + 10, 178), role="query", width=1.4)
        pen.arrow((x + 30, 221), (x + 30, 178), role="key", width=1.4)
        pen.box(x - 2, 152, 44, 26, f"w{'₁₂₃₄₅₆₇'[i]}", "weights", fill=0.75 * share)
        pen.arrow((x + 20, 152), (x + 20, 120), role="weights", width=1.4)
        pen.arrow((x + 52, 221), (x + 52, 120), role="value", width=1.4)
    left, right = xs[0] - 6, xs[-1] + 64
    pen.box(left, 94, right - left, 26, "sum of weight × value", "value", size=11)
    middle = xs[query] + 30
    pen.arrow((middle, 94), (middle, 76))
    pen.vector(middle - 18, 58, 3, "value", wide=12, high=14)
    aside, side = (28, "left") if middle < 450 else (-28, "right")
    pen.note(middle + aside, 66, "the word's new vector, in context", 10, ha=side)


@look()
def multi_head(num_heads: int = 4) -> Picture:
    """Several heads side by side: project, attend in each, lay end to end, mix with W_O."""
    if not 2 <= num_heads <= 8:
        raise ValueError(f"num_heads was {num_heads}; 2 to 8 heads can be drawn.")
    pen = Pen(640, 442, "Multi-head attention", f"{num_heads} heads, each d_head = d_model / {num_heads} wide")
    step = min(118, 470 // num_heads)
    left = 150.0
    wide = step - 12.0
    right = left + step * num_heads - 12
    middle = (left + right) / 2
    joined = middle - wide * num_heads / 2  # side by side the contexts are as wide as the vectors
    for y, words in ((401, "hidden states\n(position, d_model)"), (335, "one projection each\nfor q, k, v"),
                     (239, "attention per head\n(position, d_head)"), (168, "side by side\n(position, d_model)"),
                     (112, "each head's rows\nof W_O"), (56, "output\n(position, d_model)")):  # fmt: skip
        pen.note(12, y, words, 10, ha="left")
    pen.box(joined, 386, wide * num_heads, 30, "hidden states", "residual")
    for i in range(num_heads):
        x, own = left + i * step, joined + i * wide
        for j, role in enumerate(("query", "key", "value")):
            third = (wide - 8) / 3
            place = x + j * (third + 4)
            letter = role[0].upper()
            pen.box(place, 320, third, 30, f"{letter}{i}" if third < 26 else f"W_{letter} {i}", role, size=9)
            start = min(max(place + third / 2, joined + 10), joined + wide * num_heads - 10)
            pen.arrow((start, 386), (place + third / 2, 350), width=1.1)
            pen.arrow((place + third / 2, 320), (place + third / 2, 262), role=role, width=1.1)
        pen.box(x, 216, wide, 46, f"head {i}", "weights")
        pen.arrow((x + wide / 2, 216), (own + wide / 2, 182), role="value")
        pen.box(own, 154, wide, 28, f"context {i}", "value", size=10)
        pen.arrow((own + wide / 2, 154), (own + wide / 2, 120), role="value")
        pen.box(own, 90, wide, 30, f"rows {i}" if wide < 60 else f"W_O, rows {i}", "feed_forward", size=9.5)
        pen.arrow((own + wide / 2, 90), (own + wide / 2, 72))
    pen.box(joined, 42, wide * num_heads, 30, "output: the sum of what all heads add", "residual")
    return pen.picture(
        f"Multi-head attention with {num_heads} heads: hidden states are projected to queries, keys and values "
        "for each head, each head attends in its own smaller space, the results are put side by side, as wide "
        "as the hidden states, and each head's rows of W_O add to the whole output."
    )


@look()
def cross_attention() -> Picture:
    """Attention between two sequences: queries from the target, keys and values from the memory."""
    pen = Pen(700, 418, "Cross-attention", "the same module; key and value come from elsewhere")
    pen.box(30, 336, 250, 44, "target hidden states", "residual", note="(batch, target, d_model)")
    pen.box(400, 336, 270, 44, "memory", "memory", note="(batch, source, d_model)")
    pen.box(115, 262, 80, 32, "query", "query")
    pen.box(420, 262, 80, 32, "key", "key")
    pen.box(570, 262, 80, 32, "value", "value")
    pen.arrow((155, 336), (155, 294))
    pen.arrow((460, 336), (460, 294), kind="memory")
    pen.arrow((610, 336), (610, 294), kind="memory")
    pen.box(115, 184, 385, 40, "weights = softmax( query · keyᵀ / √d_head )", "weights", note="", size=12)
    pen.note(307, 238, "(batch, heads, target, source)")
    pen.arrow((155, 262), (155, 224), role="query")
    pen.arrow((460, 262), (460, 224), role="key")
    pen.box(115, 118, 535, 34, "context = weights · value   (batch, heads, target, d_head)", "value")
    pen.arrow((307, 184), (307, 152), role="weights")
    pen.arrow((610, 262), (610, 152), role="value")
    pen.box(115, 62, 535, 34, "output = heads joined · W_O   (batch, target, d_model)", "residual")
    pen.arrow((307, 118), (307, 96), role="value")
    pen.note(155, 394, "what is being written", va="top")
    pen.note(535, 394, "what was read, from the top of the encoder", va="top")
    return pen.picture(
        "Cross-attention: the query is projected from the target's hidden states, key and value from the memory. "
        "The weights have one row per target position and one column per source position; weights times value is "
        "the context of each head at each target position, and the joined heads times W_O are the output."
    )
