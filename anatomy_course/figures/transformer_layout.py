"""The transformer map as data: every part with its place, its role, and where the course teaches it.

The static diagram (`diagrams.transformer`) and the clickable map of notebook 00 both draw from these lists, so that
they cannot differ. Places are CSS pixels from the top left corner of a page of `WIDTH` × `HEIGHT`; data flows
upwards, as in figure 1 of Vaswani et al. 2017 (arXiv:1706.03762), whose parts these are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from anatomy_course.figures.canvas import Number
from anatomy_course.page.notebooks import FILE

WIDTH, HEIGHT = 700, 800

Point = tuple[Number, Number]


@dataclass(frozen=True)
class DrawnPart:
    """One part of the transformer: a labelled box, or a frame around the parts of one block."""

    id: str
    label: str
    role: str
    """A name from the palette's roles, or "ink" for what has no color of its own."""
    x: Number
    y: Number
    width: Number
    height: Number
    notebook: str
    """Name of the notebook that teaches it, without `.ipynb`."""
    section: str
    text: str
    shape_in: str
    shape_out: str
    frame: bool = False
    """True for a frame, which holds other parts and is drawn behind them."""


@dataclass(frozen=True)
class Arrow:
    """A way from part to part along straight pieces, with the place and words of its label if it has one."""

    start: str
    end: str
    kind: Literal["flow", "residual", "memory"]
    points: tuple[Point, ...]
    label: str = ""
    label_at: Point | None = None


ENCODER_X, DECODER_X, COLUMN = 130.0, 412.0, 180.0
VECTORS = "(batch, position, d_model)"
TARGETS = "(batch, target, d_model)"
SOURCE = "(batch, source, d_model)"
N_LABELS: tuple[tuple[str, Point], ...] = (("× N", (82, 500)), ("× N", (648, 440)))
"""How often each block is stacked: the words and where they stand."""

SUMS: tuple[Point, ...] = ((ENCODER_X + COLUMN / 2, 660), (DECODER_X + COLUMN / 2, 660))
"""Where token vectors and position vectors are added."""


def parts() -> list[DrawnPart]:
    """All parts in the order in which data meets them: encoder from below, decoder from below, then the output."""
    return [*_encoder(), *_decoder(), *_output()]


def _encoder() -> list[DrawnPart]:
    x, w = ENCODER_X, COLUMN
    return [
        DrawnPart(
            "source_tokens", "source tokens", "ink", x, 754, w, 30, FILE["attention"], "From words to vectors",
            "A tokenizer cuts the text into tokens and gives each of them its number in the vocabulary. "
            "From here on the model sees numbers only, never letters.",
            "text", "(batch, source)",
        ),
        DrawnPart(
            "source_embedding", "token embedding", "residual", x, 696, w, 36, FILE["attention"],
            "From words to vectors",
            "Each token id picks its own row from a learned table. "
            "The row is the same wherever the token appears, so it cannot know its neighbors yet.",
            "(batch, source)", SOURCE,
        ),
        DrawnPart(
            "encoder_positions", "positions", "residual", 12, 644, 88, 32, FILE["positions"], "Positions",
            "Attention by itself cannot tell first from last, so every position gets its own vector. "
            "It is added to the token's vector before the first block.",
            "(source)", "(source, d_model)",
        ),
        DrawnPart(
            "encoder_block", "encoder block", "ink", x - 28, 392, w + 56, 234, FILE["encoder"],
            "The layer and the stack",
            "One block lets the words look at each other and then works on each of them alone. "
            "Its output has the size of its input, so blocks can be stacked: six in 2017.",
            SOURCE, SOURCE, frame=True,
        ),
        DrawnPart(
            "encoder_self_attention", "self-attention", "weights", x, 560, 118, 46, FILE["attention"],
            "One word at a time, in six steps",
            "Every word compares its query with every word's key and takes a weighted average of their values. "
            "Here the word called flies finds out whether it is an insect or a verb.",
            SOURCE, SOURCE,
        ),
        DrawnPart(
            "heads", "heads", "weights", x + 122, 560, w - 122, 46, FILE["multi_head"], "Why several heads",
            "Attention runs several times side by side, each time in a smaller space of its own. "
            "The results are joined end to end and mixed by one matrix, W_O.",
            "(batch, heads, position, d_head)", VECTORS,
        ),
        DrawnPart(
            "encoder_add_norm_1", "add & norm", "residual", x, 516, w, 28, FILE["encoder"], "The residual connection",
            "What the sub-layer found is added to its input: the residual or skip connection. "
            "Then each vector is rescaled to mean 0 and variance 1.",
            SOURCE, SOURCE,
        ),
        DrawnPart(
            "encoder_feed_forward", "feed-forward", "feed_forward", x, 454, w, 44, FILE["encoder"], "Feed-forward",
            "Two linear layers with an activation between them work on each position alone. "
            "The middle is usually four times as wide, and most parameters of a block are here.",
            SOURCE, SOURCE,
        ),
        DrawnPart(
            "encoder_add_norm_2", "add & norm", "residual", x, 410, w, 28, FILE["encoder"], "The residual connection",
            "The second sum of the block: the feed-forward result is added to the stream that went around it. "
            "Whether the norm comes after the sum or before the sub-layer decides how deep a stack can be trained.",
            SOURCE, SOURCE,
        ),
        DrawnPart(
            "memory", "memory", "memory", x, 330, w, 32, FILE["encoder_decoder"], "Cross-attention",
            "The last encoder block's output, one vector per source token. "
            "It is computed once and read by every decoder block at every step.",
            SOURCE, SOURCE,
        ),
    ]  # fmt: skip


def _decoder() -> list[DrawnPart]:
    x, w = DECODER_X, COLUMN
    return [
        DrawnPart(
            "target_tokens", "target so far", "ink", x, 754, w, 30, FILE["decoder"], "Shift: a text is its own answer",
            "The words written so far, shifted one place to the right after a start token. "
            "So each position is asked for a word that it has not been shown.",
            "text", "(batch, target)",
        ),
        DrawnPart(
            "target_embedding", "token embedding", "residual", x, 696, w, 36, FILE["attention"],
            "From words to vectors",
            "The same kind of table as on the source side, often even the same table. "
            "Its rows can be used again at the very end, where vectors become words.",
            "(batch, target)", TARGETS,
        ),
        DrawnPart(
            "decoder_positions", "positions", "residual", 602, 644, 88, 32, FILE["positions"], "Positions",
            "The decoder's words need an order, too. "
            "The vectors are made as in the encoder and added in the same way.",
            "(target)", "(target, d_model)",
        ),
        DrawnPart(
            "decoder_block", "decoder block", "ink", x - 28, 268, w + 56, 358, FILE["encoder_decoder"],
            "Three sub-layers",
            "A decoder block has one more sub-layer than an encoder block: it also looks at the source. "
            "Decoder-only models such as GPT leave that one out.",
            TARGETS, TARGETS, frame=True,
        ),
        DrawnPart(
            "decoder_self_attention", "masked self-attention", "weights", x, 560, w, 46, FILE["decoder"],
            "See: only the past",
            "Self-attention in which no word may look to its right. "
            "The mask hides those cells before the softmax, so the future gets a weight of exactly 0.",
            TARGETS, TARGETS,
        ),
        DrawnPart(
            "decoder_add_norm_1", "add & norm", "residual", x, 516, w, 28, FILE["encoder"], "The residual connection",
            "Sum and norm as in the encoder. "
            "The stream that passes around each sub-layer runs unbroken from the embedding to the output.",
            TARGETS, TARGETS,
        ),
        DrawnPart(
            "cross_attention", "cross-attention", "weights", x, 440, w, 46, FILE["encoder_decoder"], "Cross-attention",
            "Queries come from the target below, keys and values from the memory of the source. "
            "Each word being written can thus look back at every word being translated.",
            f"{TARGETS} and {SOURCE}", TARGETS,
        ),
        DrawnPart(
            "decoder_add_norm_2", "add & norm", "residual", x, 396, w, 28, FILE["encoder"], "The residual connection",
            "What was read from the source is added to what is known about the target. "
            "The sum has the same shape as before, ready for the next sub-layer.",
            TARGETS, TARGETS,
        ),
        DrawnPart(
            "decoder_feed_forward", "feed-forward", "feed_forward", x, 334, w, 44, FILE["encoder"], "Feed-forward",
            "The same two-layer network at every target position, with weights of its own in every block. "
            "Positions do not meet here; they met in the attention below.",
            TARGETS, TARGETS,
        ),
        DrawnPart(
            "decoder_add_norm_3", "add & norm", "residual", x, 290, w, 28, FILE["encoder"], "The residual connection",
            "The third sum of a decoder block. "
            "Its output feeds the next block, and after the last block the final linear layer.",
            TARGETS, TARGETS,
        ),
    ]  # fmt: skip


def _output() -> list[DrawnPart]:
    x, w = DECODER_X, COLUMN
    return [
        DrawnPart(
            "final_linear", "linear", "ink", x, 196, w, 34, FILE["decoder"], "Loss: from a vector to a word",
            "One matrix turns each vector into a score for every token of the vocabulary. "
            "10,000 tokens mean 10,000 logits at each position.",
            TARGETS, "(batch, target, vocab_size)",
        ),
        DrawnPart(
            "softmax", "softmax", "ink", x, 138, w, 34, FILE["decoder"], "Loss: from a vector to a word",
            "The logits become probabilities that are never negative and sum to 1. "
            "A temperature can make them bolder or more careful.",
            "(batch, target, vocab_size)", "(batch, target, vocab_size)",
        ),
        DrawnPart(
            "next_token", "next token", "ink", x, 82, w, 30, FILE["decoder"], "Choose a token",
            "One token is chosen from the probabilities: the likeliest, or one drawn at random. "
            "It is appended to the target, and the decoder runs again.",
            "(batch, vocab_size)", "(batch)",
        ),
    ]  # fmt: skip


def arrows() -> list[Arrow]:
    """All ways between the parts: the flow upwards, around each sub-layer, and from the memory to cross-attention."""
    by_id = {part.id: part for part in parts()}
    return [
        *_climb(by_id, ["source_tokens", "source_embedding", "encoder_self_attention", "encoder_add_norm_1",
                        "encoder_feed_forward", "encoder_add_norm_2", "memory"]),
        *_climb(by_id, ["target_tokens", "target_embedding", "decoder_self_attention", "decoder_add_norm_1",
                        "cross_attention", "decoder_add_norm_2", "decoder_feed_forward", "decoder_add_norm_3",
                        "final_linear", "softmax", "next_token"]),
        Arrow("encoder_positions", "encoder_self_attention", "flow", ((100, 660), (SUMS[0][0] - 11, 660))),
        Arrow("decoder_positions", "decoder_self_attention", "flow", ((602, 660), (SUMS[1][0] + 11, 660))),
        _around(by_id["encoder_self_attention"], by_id["encoder_add_norm_1"], ENCODER_X - 15),
        _around(by_id["encoder_feed_forward"], by_id["encoder_add_norm_2"], ENCODER_X - 15),
        _around(by_id["decoder_self_attention"], by_id["decoder_add_norm_1"], DECODER_X + COLUMN + 15),
        _around(by_id["cross_attention"], by_id["decoder_add_norm_2"], DECODER_X + COLUMN + 15),
        _around(by_id["decoder_feed_forward"], by_id["decoder_add_norm_3"], DECODER_X + COLUMN + 15),
        Arrow("memory", "cross_attention", "memory",
              ((ENCODER_X + COLUMN, 346), (352, 346), (352, 463), (DECODER_X, 463)), "key, value", (313, 337)),
    ]  # fmt: skip


def _climb(by_id: dict[str, DrawnPart], ids: list[str]) -> list[Arrow]:
    """Straight arrows up one column; an embedding's arrow passes the place where positions are added."""
    found = []
    for start, end in zip(ids, ids[1:], strict=False):
        lower, upper = by_id[start], by_id[end]
        middle = (ENCODER_X if lower.x < 350 else DECODER_X) + COLUMN / 2
        found.append(Arrow(start, end, "flow", ((middle, lower.y), (middle, upper.y + upper.height))))
    return found


def _around(layer: DrawnPart, norm: DrawnPart, beside: Number) -> Arrow:
    """The residual way: it leaves the stream under a sub-layer and joins it again in the norm above."""
    left = beside < layer.x
    middle = (ENCODER_X if left else DECODER_X) + COLUMN / 2
    below, above = layer.y + layer.height + 9, norm.y + norm.height / 2
    edge = norm.x if left else norm.x + norm.width
    return Arrow(layer.id, norm.id, "residual", ((middle, below), (beside, below), (beside, above), (edge, above)))
