"""How far back a model really looks: the effect of each token on the last position's vector. Notebook 07."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.nn.segment_recurrence import RecurrentDecoder


@torch.no_grad()
def token_influence(
    decoder: RecurrentDecoder, input_ids: Int[Tensor, " position"], segment: int, *, remembering: bool = True
) -> Float[Tensor, " position"]:
    """How far the last position's vector moves when the token at each place is exchanged for the next one in the table.

    No gradient flows back through memories, so that only an edit shows how far back a model really looks.

    Args:
        decoder: reads the text.
        input_ids: one text.
        segment: how many tokens it reads at a time.
        remembering: whether it is given the memories of the segments before.

    Returns:
        One distance per position; 0 where the token makes no difference.
    """

    def last_vector(text: Tensor) -> Tensor:
        memories = None
        for part in text[None].split(segment, dim=1):
            states, memories = decoder(part, memories if remembering else None)
        return states[0, -1]

    unmoved, distances = last_vector(input_ids), []
    for place in range(len(input_ids)):
        edited = input_ids.clone()
        edited[place] = (edited[place] + 1) % decoder.embeddings.tokens.num_embeddings
        distances.append((last_vector(edited) - unmoved).norm())
    return torch.stack(distances)
