"""The logit lens: what a decoder would say if it stopped after each of its layers.

Every layer adds to one residual stream, and the last norm and the token table can read that stream anywhere on the way
up: nostalgebraist 2020, "interpreting GPT: the logit lens" (LessWrong). Only after the last layer is it what the model
was trained to say. Notebook 05 reads SmolLM2 and the street's writer through it.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.tap import watch

MOST = 5
"""Tokens named for each layer and position."""


@dataclass(frozen=True)
class LogitLensReading:
    """A decoder's readings; layer 0 is before the first layer, the last one is the model's own output.

    Attributes:
        top_ids: the likeliest next tokens, likeliest first.
        top_probabilities: theirs.
        final_ids: what the model says in the end, after each position.
        final_probabilities: of that token, after each layer.
        final_ranks: of that token: 1 is the likeliest.
    """

    top_ids: Int[Tensor, "layer position most"]
    top_probabilities: Float[Tensor, "layer position most"]
    final_ids: Int[Tensor, " position"]
    final_probabilities: Float[Tensor, "layer position"]
    final_ranks: Int[Tensor, "layer position"]

    @property
    def settled(self) -> Int[Tensor, " position"]:
        """The layer from which on the final token is the likeliest, and stays it."""
        is_final = self.top_ids[:, :, 0] == self.final_ids
        stays = is_final.flip(0).cumprod(dim=0).sum(dim=0)  # from the last layer downwards
        return len(is_final) - stays


def apply_logit_lens(
    model: LanguageModel, input_ids: Int[Tensor, "1 position"], *, most: int = MOST
) -> LogitLensReading:
    """Read the residual stream of one text after every layer: softmax(norm(states) · token table).

    Args:
        model: a decoder with its projection onto the vocabulary.
        input_ids: one text.
        most: how many tokens to name at each place.

    Returns:
        One reading per layer and position, that before the first layer included.

    Raises:
        ValueError: more than one text.
    """
    if len(input_ids) != 1:
        raise ValueError(f"The lens reads one text, but input_ids has {len(input_ids)} rows; give one.")
    places = ["embeddings.output", *(f"layers.{i}.output" for i in range(len(model.decoder.layers)))]
    readings: list[tuple[Tensor, ...]] = []
    with torch.no_grad():
        with watch(model.decoder, *places) as seen:
            last = model.vocabulary(model.decoder(input_ids))[0]
        final_ids = last.argmax(dim=-1)
        for place in places:  # one after the other: a vocabulary is wide
            logits = model.vocabulary(model.decoder.norm(seen[place]))[0]
            readings.append(_reading(logits.float(), final_ids, most))
    top_ids, top_probabilities, probabilities, ranks = (torch.stack(parts) for parts in zip(*readings, strict=True))
    return LogitLensReading(top_ids, top_probabilities, final_ids, probabilities, ranks)


def _reading(
    logits: Float[Tensor, "position vocab_size"], final_ids: Int[Tensor, " position"], most: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    probabilities = logits.softmax(dim=-1)
    top = probabilities.topk(min(most, probabilities.shape[-1]), dim=-1)
    final = final_ids[:, None]
    ranks = 1 + (logits > logits.gather(-1, final)).sum(dim=-1)
    return top.indices, top.values, probabilities.gather(-1, final)[:, 0], ranks
