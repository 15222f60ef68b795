"""When a word was said: where the cross-attention of a model that listens looks as it writes each token.

Some of Whisper's heads look at the sound of the token that comes next. Their maps, cleaned and averaged, are a rough
diagonal; the best path through it that never turns back gives each token its time. Sakoe and Chiba 1978 (dynamic time
warping); the cleaning is that of Whisper's published code, whose path is not the best where two ways are equal.
"""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

SMOOTHED = 7
"""Positions over which a median is taken."""
WHISPER_TINY_EN = ((1, 0), (2, 0), (2, 5), (3, 0), (3, 1), (3, 2), (3, 3), (3, 4))
"""(layer, head) of the published alignment heads of Whisper tiny.en."""


def monotonic_path(scores: Float[Tensor, "token position"]) -> Int[Tensor, " token"]:
    """Where each token begins on the best path from the first pair to the last.

    A step of the path goes to the next token, to the next position, or to both; the path with the largest sum of
    scores wins.

    Args:
        scores: how well a token fits a position, any real numbers.

    Returns:
        The first position of each token, never falling; the first token's is 0 by definition.

    Raises:
        ValueError: there is no token or no position, or a score is no finite number.

    >>> monotonic_path(torch.tensor([[5.0, 4.0, 0.0, 0.0], [0.0, -1.0, 3.0, 0.0], [1.0, 0.0, 0.0, 2.0]])).tolist()
    [0, 2, 3]
    """
    if not scores.numel() or not scores.isfinite().all():
        raise ValueError(
            f"A path needs finite scores for at least one token and position, not these of shape {tuple(scores.shape)}."
        )
    costs = -scores.double().cpu().numpy()
    tokens, positions = costs.shape
    total = np.full((tokens + 1, positions + 1), np.inf, dtype=np.float32)
    total[0, 0] = 0
    for position in range(1, positions + 1):
        for token in range(1, tokens + 1):
            before = min(total[token - 1, position - 1], total[token - 1, position], total[token, position - 1])
            total[token, position] = costs[token - 1, position - 1] + before
    starts = torch.zeros(tokens, dtype=torch.long)
    token, position = tokens, positions
    while token:
        starts[token - 1] = position - 1
        both, only_token = total[token - 1, position - 1], total[token - 1, position]
        only_position = total[token, position - 1]
        if both <= min(only_token, only_position):
            token, position = token - 1, position - 1
        elif only_token <= only_position:
            token -= 1
        else:
            position -= 1
    return starts


def token_times(
    weights: Float[Tensor, "head token position"], *, seconds_per_position: float = 0.02
) -> Float[Tensor, " token"]:
    """When each token begins, in seconds; the first is taken to begin with the sound, whatever silence there is.

    Weights become their distance from the position's mean, in standard deviations, so that a position at which all
    tokens look counts no more than another; a median over seven positions takes single peaks away; heads are averaged.

    Args:
        weights: of the heads that look at the sound of the next token. Rows are the queries at which the tokens were
            written: the first is that of the last prompt token. Positions behind the end of the sound are left out.
        seconds_per_position: 0.02 for Whisper.

    Raises:
        ValueError: there is no head, no token or no position.
    """
    if not weights.numel():
        raise ValueError(f"The weights have shape {tuple(weights.shape)}; each of head, token, position is needed.")
    spread = weights.std(dim=-2, keepdim=True, correction=0).clamp(min=torch.finfo(weights.dtype).tiny)
    distances = (weights - weights.mean(dim=-2, keepdim=True)) / spread
    aside = SMOOTHED // 2
    if distances.shape[-1] > aside:
        padded = F.pad(distances, (aside, aside), mode="reflect")
        distances = padded.unfold(-1, SMOOTHED, 1).median(dim=-1).values
    return monotonic_path(distances.mean(dim=0)) * seconds_per_position
