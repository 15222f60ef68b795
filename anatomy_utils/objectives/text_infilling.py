"""Text infilling and sentence permutation: BART's two ways to damage a text; the decoder writes all of it again.

A hidden span of any length becomes one single mask, so the model must find out how much is missing; an empty span puts
a mask where nothing is. Lewis et al. 2020, section 2.2 (arXiv:1910.13461). Notebook 07.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from anatomy_utils.objectives.span_sampling import Span, check_spans, kept_pieces, place_spans


def infill(input_ids: Int[Tensor, " position"], spans: Sequence[Span], mask_id: int) -> Int[Tensor, " damaged"]:
    """Put one mask in the place of each span, however long or short.

    Args:
        input_ids: one text.
        spans: what to hide, in order and without overlap; an empty one, start = stop, only puts a mask in.
        mask_id: the id of the mask.

    Raises:
        ValueError: spans out of order.

    >>> infill(torch.tensor([5, 6, 7, 8]), [(0, 0), (1, 3)], mask_id=99).tolist()
    [99, 5, 99, 8]
    """
    check_spans(spans, len(input_ids))
    mask = input_ids.new_tensor([mask_id])
    before, *others = kept_pieces(input_ids, spans)
    return torch.cat([before, *(part for kept in others for part in (mask, kept))])


def draw_infilling_spans(
    length: int, generator: torch.Generator, *, rate: float | int = 0.3, mean_length: float | int = 3.0
) -> list[Span]:
    """Spans with lengths from a Poisson distribution until a share of the text is hidden; the last one is cut to fit.

    Args:
        length: of the text, at least 1.
        generator: the source of chance.
        rate: the share of tokens to hide, from 0 to 1.
        mean_length: of a span, above 0.
    """
    budget = round(length * rate)
    lengths: list[int] = []
    while sum(lengths) < budget:
        drawn = int(torch.poisson(torch.tensor(float(mean_length)), generator=generator))
        lengths.append(min(drawn, budget - sum(lengths)))
    lengths = lengths[: length - budget + 1]  # a short text has no room for many empty ones
    return place_spans(lengths, length - sum(lengths), generator)


def permute_sentences(
    input_ids: Int[Tensor, " position"], stop_ids: Int[Tensor, " stop"], order: Sequence[int]
) -> Int[Tensor, " position"]:
    """The sentences of a text in another order; a sentence ends with one of the stops.

    Args:
        input_ids: one text of whole sentences.
        stop_ids: the ids of ".", and "?" where there is one.
        order: a permutation; the k-th sentence of the result is sentence `order[k]` of the text.

    Raises:
        ValueError: the order does not name each sentence once.

    >>> permute_sentences(torch.tensor([5, 6, 1, 7, 1]), torch.tensor([1]), [1, 0]).tolist()
    [7, 1, 5, 6, 1]
    """
    ends = (torch.isin(input_ids, stop_ids).nonzero().flatten() + 1).tolist()
    pieces = [piece for piece in input_ids.tensor_split(ends) if len(piece)]
    if sorted(order) != list(range(len(pieces))):
        raise ValueError(
            f"order is {list(order)}; the text has {len(pieces)} sentences, and each must stand there once."
        )
    return torch.cat([pieces[number] for number in order])
