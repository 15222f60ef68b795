"""Diagrams of the body: the whole transformer, its stacks and blocks, where the norm stands, lengths within a layer."""

from __future__ import annotations

from collections.abc import Mapping

from anatomy_course.figures import canvas, transformer_layout as layout
from anatomy_course.figures.canvas import Number
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import QUIET, look


@look()
def transformer(here: str = "") -> Picture:
    """The whole transformer of 2017: encoder on the left, decoder on the right, memory between them.

    Args:
        here: a part, or the name of a notebook, such as "03_encoder": it or its parts get bold labels and a mark.
    """
    pen = Pen(layout.WIDTH, layout.HEIGHT, "The transformer", "data flows upward")
    for part in layout.parts():
        if part.frame:
            pen.frame(part.x, part.y, part.width, part.height)
            # The residual way runs along the outer side, so the name stands in the inner corner.
            inner = (part.x + part.width - 10, "right") if part.x < 350 else (part.x + 10, "left")
            pen.text(inner[0], part.y + part.height - 11, part.label, 10, QUIET, ha=inner[1], weight="bold")
    for words, place in layout.N_LABELS:
        pen.text(*place, words, 14, weight="bold")
    for arrow in layout.arrows():
        pen.arrow(*arrow.points, kind=arrow.kind)
        if arrow.label and arrow.label_at:
            pen.note(*arrow.label_at, arrow.label, ha="left")
    for x, y in layout.SUMS:
        pen.sum(x, y)
    for part in layout.parts():
        if not part.frame:
            marked = bool(here) and here in (part.id, part.notebook)
            label = f"▸ {part.label}" if marked else part.label
            pen.box(part.x, part.y, part.width, part.height, label, part.role, bold=marked,
                    dashed=part.id.endswith("tokens") or part.id == "next_token")  # fmt: skip
    _stream_key(pen, 36, 84)
    return pen.picture(
        "The transformer. Left, the encoder: token embedding plus positions, then N blocks of self-attention, "
        "add and norm, feed-forward, add and norm; its output is the memory. Right, the decoder: token embedding "
        "plus positions, then N blocks of masked self-attention, cross-attention that reads the memory, and "
        "feed-forward, each followed by add and norm; then a linear layer and softmax give the next token."
    )


def _stream_key(pen: Pen, x: Number, y: Number) -> None:
    pen.arrow((x, y), (x + 34, y))
    pen.note(x + 42, y, "hidden states", ha="left")
    pen.arrow((x, y + 22), (x + 34, y + 22), kind="residual")
    pen.note(x + 42, y + 22, "residual: around the sub-layer", ha="left")
    pen.arrow((x, y + 44), (x + 34, y + 44), kind="memory")
    pen.note(x + 42, y + 44, "memory: read by the decoder", ha="left")


def _sub_layers(
    pen: Pen, x: Number, bottom: Number, layers: list[tuple[str, str, str]], *, right: bool = True
) -> Number:
    """Sub-layers one above the other with their add & norm and residual way; returns the top of the last norm."""
    width, y = 220.0, bottom
    for label, role, note in layers:
        top = y - 62
        edge = x + width if right else x
        beside = edge + 22 if right else edge - 22
        pen.box(x, top, width, 44, label, role, note=note)
        pen.arrow((x + width / 2, y), (x + width / 2, top + 44))
        pen.arrow((x + width / 2, y - 8), (beside, y - 8), (beside, top - 33), (edge, top - 33), kind="residual")
        pen.box(x, top - 48, width, 30, "add & norm", "residual")
        pen.arrow((x + width / 2, top), (x + width / 2, top - 18))
        y = top - 48
    return y


@look()
def encoder_block() -> Picture:
    """One encoder block: self-attention and feed-forward, each with its residual way and norm."""
    pen = Pen(560, 362, "Encoder block", "post-norm, as in 2017")
    pen.frame(60, 62, 320, 254, "× N")
    layers = [
        ("multi-head self-attention", "weights", "words look at each other"),
        ("feed-forward", "feed_forward", "each position alone"),
    ]
    top = _sub_layers(pen, 106, 306, layers)
    pen.arrow((216, 342), (216, 306), tip=False)
    pen.arrow((216, top), (216, 44))
    pen.note(228, 336, "hidden states (batch, position, d_model)", ha="left")
    pen.note(228, 50, "hidden states (batch, position, d_model)", ha="left")
    pen.note(392, 262, "around it: the residual\nstream carries on what\nis already known", ha="left")
    pen.note(392, 150, "d_model → d_ff → d_model,\nthe same weights\nat every position", ha="left")
    return pen.picture(
        "One encoder block from below: self-attention, add and norm, feed-forward, add and norm. A dashed residual "
        "connection leads around each of the two sub-layers. Shape in and out is batch, position, d_model."
    )


@look()
def decoder_block() -> Picture:
    """One decoder block: masked self-attention, cross-attention to the memory, feed-forward."""
    pen = Pen(640, 472, "Decoder block", "post-norm, as in 2017")
    pen.frame(60, 62, 320, 364, "× N")
    layers = [
        ("masked self-attention", "weights", "cannot look to the right"),
        ("cross-attention", "weights", "query from below"),
        ("feed-forward", "feed_forward", "each position alone"),
    ]
    top = _sub_layers(pen, 82, 416, layers, right=True)
    pen.arrow((192, 452), (192, 416), tip=False)
    pen.arrow((192, top), (192, 44))
    pen.note(204, 446, "hidden states (batch, target, d_model)", ha="left")
    pen.note(204, 50, "hidden states (batch, target, d_model)", ha="left")
    pen.box(456, 222, 150, 44, "memory", "memory", note="(batch, source, d_model)")
    pen.arrow((456, 252), (302, 252), kind="memory")
    pen.note(448, 238, "key, value", ha="right")
    pen.note(531, 284, "from the top of the encoder", va="top")
    return pen.picture(
        "One decoder block from below: masked self-attention, cross-attention, feed-forward, each followed by add "
        "and norm, with a residual connection around it. Cross-attention takes its queries from below and its keys "
        "and values from the memory, which comes from the encoder."
    )


@look()
def encoder_stack(num_layers: int = 6) -> Picture:
    """One stream for each word, from the bottom of a stack to its top: attention is the only thing between them."""
    if not 2 <= num_layers <= 12:
        raise ValueError(f"num_layers was {num_layers}; a stack of 2 to 12 layers can be drawn.")
    words = ["time", "flies", "like", "an", "arrow"]
    streams = [92 + 104 * i for i in range(len(words))]
    left, right = streams[0] - 40, streams[-1] + 66
    pen = Pen(770, 362 + 30 * num_layers, "Encoder stack", f"{num_layers} layers, one stream for each word")
    bottom = pen.height - 16
    for x, word in zip(streams, words, strict=True):
        pen.word(x, bottom - 4, word)
        pen.vector(x - 24, bottom - 44, 4, "residual")
        pen.arrow((x, bottom - 44), (x, 88), role="residual", width=3)
        pen.vector(x - 24, 68, 4, "memory")
    pen.note(right + 24, bottom - 37, "token + position", ha="left")
    _mixing(pen, streams, left, right, bottom - 166)
    pen.note(right + 24, bottom - 122, "attention: from every\nstream to every stream,\nadded to each", ha="left")
    _alone(pen, streams, bottom - 250)
    pen.note(right + 24, bottom - 222, "feed-forward: the same\nnetwork on each stream\nalone, added to it", ha="left")
    pen.frame(left - 14, bottom - 262, right - left + 28, 206)
    pen.text(left - 22, bottom - 160, "layer 0", 10.5, QUIET, rotation=90, weight="bold")
    for layer in range(1, num_layers):
        y = bottom - 262 - 30 * layer
        pen.rectangle(left, y + 14, right - left, 9, facecolor=canvas.tint(canvas.role("weights"), 0.3),
                      edgecolor=canvas.role("weights"), linewidth=1, zorder=2)  # fmt: skip
        for x in streams:
            pen.rectangle(x - 9, y, 18, 8, facecolor=canvas.tint(canvas.role("feed_forward"), 0.35),
                          edgecolor=canvas.role("feed_forward"), linewidth=1, zorder=4)  # fmt: skip
    pen.note(right + 24, bottom - 262 - 15 * num_layers, f"layers 1 to {num_layers - 1}:\nthe same again", ha="left")
    pen.note(right + 24, 75, "memory: one vector\nfor each word", ha="left")
    return pen.picture(
        f"The encoder stack of {num_layers} layers as five vertical streams, one for each word of “{' '.join(words)}”. "
        "Each begins with a token's and a position's vector. In each layer attention takes something from every stream "
        "and adds to every stream; then a feed-forward network, the same one for all, reads each stream alone and adds "
        "to it. Nothing else connects two streams. At the top, one vector for each word is the memory."
    )


def _mixing(pen: Pen, streams: list[int], left: Number, right: Number, y: Number) -> None:
    """Attention across all streams, 92 high: what each gives to each, and the sums."""
    color = canvas.role("weights")
    pale = canvas.tint(color, 0.12)
    pen.rectangle(left, y, right - left, 92, facecolor=pale, edgecolor=color, linewidth=1.4, zorder=2)
    for source in streams:
        for target in streams:
            if source != target:
                pen.arrow((source, y + 84), (target, y + 28), role="weights", width=0.8, tip=False)
    for x in streams:
        pen.sum(x, y + 16)


def _alone(pen: Pen, streams: list[int], y: Number) -> None:
    """A feed-forward network beside each stream, 70 high: it reads the stream, and its output is added to it."""
    for x in streams:
        pen.arrow((x, y + 62), (x + 38, y + 62), (x + 38, y + 48), role="feed_forward")
        pen.box(x + 16, y + 22, 46, 26, "FFN", "feed_forward", size=10)
        pen.arrow((x + 38, y + 22), (x + 38, y + 8), (x + 10, y + 8), role="feed_forward")
        pen.sum(x, y + 8)


@look()
def block_lengths(lengths: Mapping[str, float], additions: Mapping[str, tuple[str, str]], title: str) -> Picture:
    """A vector on its way through a layer: its length after each step, and which two vectors make each sum.

    Args:
        lengths: step → length of the vector, the first step first.
        additions: step → the two steps whose vectors it adds.
        title: of the picture.
    """
    names, longest = list(lengths), max(lengths.values())
    pen = Pen(640, 96 + 44 * len(names), title, "length of the vector after each step")
    place = {name: 72 + 44 * (len(names) - 1 - number) for number, name in enumerate(names)}
    for name, y in place.items():
        added = name in additions
        color = canvas.role("value" if added else {"attended": "weights", "fed": "feed_forward"}.get(name, "residual"))
        pen.text(150, y + 12, name, 11.5, ha="right", weight="bold" if added else "normal")
        pen.rectangle(212, y, 340 * lengths[name] / longest, 24, facecolor=canvas.tint(color, 0.35), edgecolor=color,
                      linewidth=1.4, zorder=4)  # fmt: skip
        pen.text(222 + 340 * lengths[name] / longest, y + 12, f"{lengths[name]:.1f}", 11, ha="left")
        for number, part in enumerate(additions.get(name, ())):
            start, x = place[part] + 12, 172 + 18 * number
            pen.arrow((208, start), (x, start), (x, y + 12), (208, y + 12), role="value")
    pen.note(212, 72 + 44 * len(names), "Arrows: two vectors are added. Lengths do not add; vectors do.", ha="left")
    told = ", ".join(f"{name} {length:.1f}" for name, length in lengths.items())
    sums = "; ".join(f"{name} is {first} plus {second}" for name, (first, second) in additions.items())
    return pen.picture(f"{title}. Length of the vector, from the bottom: {told}. {sums}.")


def _norm_column(pen: Pen, x: Number, down: Number, post: bool) -> None:
    steps = ["attention", "add", "norm", "feed-forward", "add", "norm"] if post else [
        "norm", "attention", "add", "norm", "feed-forward", "add"]  # fmt: skip
    roles = {"attention": "weights", "feed-forward": "feed_forward", "norm": "residual"}
    y, middle, branch = 340.0 + down, x + 80, 0.0
    pen.arrow((middle, 404 + down), (middle, y + 32))
    for i, step in enumerate(steps):
        if i == 0 or steps[i - 1] == ("norm" if post else "add"):
            branch = y + 44
        if step == "add":
            pen.arrow((middle, branch), (x - 18, branch), (x - 18, y + 16), (middle - 10, y + 16), kind="residual")
            pen.sum(middle, y + 16)
        else:
            pen.box(x, y, 160, 32, step, roles[step], size=11.5)
        if i + 1 < len(steps):
            low = y + (6 if step == "add" else 0)
            high = y - 22 + (-4 if steps[i + 1] == "add" else 0)
            pen.arrow((middle, low), (middle, high))
        y -= 54
    pen.arrow((middle, y + 54 + (6 if steps[-1] == "add" else 0)), (middle, 46 + down))


@look()
def norm_places() -> Picture:
    """The block of 2017 with its norms after the sums, beside that of most models since, with its norms before."""
    rules = {"Post-norm": "x ← norm(x + sublayer(x))", "Pre-norm": "x ← x + sublayer(norm(x))"}
    told = (
        "Norm after the sum (2017). The path from\nbottom to top passes through every norm.",
        "Norm before the sub-layer (GPT-2 and most\nsince). The dashed path has no norm from bottom\n"
        "to top; one last norm comes after the stack.",
    )
    pen = Pen(690, 540, "Where the norm is")
    for n, (name, rule) in enumerate(rules.items()):
        x: Number = 60 + 350 * n
        pen.text(x - 18, 58, name, 12, ha="left", weight="bold")
        pen.text(x + 62, 58, rule, 12, ha="left")
        _norm_column(pen, x, 36, not n)
        pen.text(x - 18, 470, told[n], 11, ha="left")
    pen.arrow((42, 520), (76, 520), kind="residual")
    pen.note(84, 520, "residual connection, d_model wide", ha="left")
    return pen.picture(
        f"Two blocks side by side. Post-norm, {rules['Post-norm']}: from below attention, sum, norm, "
        f"feed-forward, sum, norm. Pre-norm, {rules['Pre-norm']}: norm, attention, sum, norm, feed-forward, sum. "
        "Dashed residual paths lead around each sub-layer to the sums."
    )
