"""Span corruption: spans of a text are taken out, a numbered sentinel stands for each, and the model writes them.

It writes only what is missing, so its targets are short. Raffel et al. 2020, sections 3.1.4 and 3.3.4
(arXiv:1910.10683), whose figure 2 is the test's example. Their code differs a little: its texts always begin with kept
and end with hidden tokens, and then no last sentinel is needed. Notebook 07.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from anatomy_utils.objectives.span_sampling import Span, check_spans, kept_pieces, place_spans, split_randomly


class CorruptedSpans(NamedTuple):
    """What the encoder reads, and what the decoder should write."""

    input_ids: Int[Tensor, " shorter"]
    target_ids: Int[Tensor, " target"]


def corrupt_spans(
    input_ids: Int[Tensor, " position"], spans: Sequence[Span], sentinel_ids: Int[Tensor, " sentinel"]
) -> CorruptedSpans:
    """Put one sentinel in the place of each span, and ask for what stood there.

    Args:
        input_ids: one text.
        spans: what to hide, in order and without overlap.
        sentinel_ids: ids that no text holds, at least one more than there are spans.

    Returns:
        The text with sentinels, and sentinel + span, span by span, with one more sentinel at the end.

    Raises:
        ValueError: too few sentinels, or spans out of order.

    >>> corrupted = corrupt_spans(torch.tensor([5, 6, 7, 8]), [(1, 3)], torch.tensor([90, 91]))
    >>> corrupted.input_ids.tolist(), corrupted.target_ids.tolist()
    ([5, 90, 8], [90, 6, 7, 91])
    """
    check_spans(spans, len(input_ids))
    if len(sentinel_ids) <= len(spans):
        needed = f"{len(spans)} spans need {len(spans) + 1} sentinels, one for each and one at the end"
        raise ValueError(f"{needed}; there are {len(sentinel_ids)}.")
    before, *others = kept_pieces(input_ids, spans)
    text, answer = [before], []
    for number, ((start, stop), kept) in enumerate(zip(spans, others, strict=True)):
        sentinel = sentinel_ids[number : number + 1]
        text += [sentinel, kept]
        answer += [sentinel, input_ids[start:stop]]
    return CorruptedSpans(torch.cat(text), torch.cat([*answer, sentinel_ids[len(spans) : len(spans) + 1]]))


def draw_spans(
    length: int, generator: torch.Generator, *, rate: float | int = 0.15, mean_length: float | int = 3.0
) -> list[Span]:
    """Spans that hide a share of a text; their number follows from their mean length.

    Args:
        length: of the text, at least 2.
        generator: the source of chance.
        rate: the share of tokens to hide, from 0 to 1; at least one is hidden, and one kept.
        mean_length: of a span, at least 1.

    >>> spans = draw_spans(100, torch.Generator().manual_seed(0))
    >>> len(spans), sum(stop - start for start, stop in spans)
    (5, 15)
    """
    hidden = min(max(round(length * rate), 1), length - 1)
    kept = length - hidden
    count = min(max(round(hidden / mean_length), 1), kept + 1)
    return place_spans(split_randomly(hidden, count, generator), kept, generator)
