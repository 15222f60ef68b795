"""Where a built model keeps what the taxonomy asks for: its stacks, and what goes in."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.segment_recurrence import RecurrentDecoder
from anatomy_utils.nn.signals import ImagePatches, SoundFrames
from anatomy_utils.zoo.clip import TwoTowers
from anatomy_utils.zoo.recurrent import RecurrentTranslator

SIGNALS = {ImagePatches: "image", SoundFrames: "sound"}


def stacks_of(model: nn.Module) -> list[tuple[str, Any]]:
    """The stacks of a model in the order of the data, each with its name: "encoder" or "decoder"."""
    if isinstance(model, TwoTowers):
        return [("text", model.text), ("image", model.image)]
    found = [part for part in model.modules() if isinstance(part, Encoder | Decoder | RecurrentDecoder)]
    return [("encoder" if isinstance(part, Encoder) else "decoder", part) for part in found]


def inputs_of(model: nn.Module) -> tuple[str, ...]:
    """What goes in, in the order in which a model is called: a "text", an "image" or a "sound" for each stack."""
    if isinstance(model, RecurrentTranslator):
        return "text", "text"
    kinds = tuple(SIGNALS.get(type(stack.embeddings), "text") for _, stack in stacks_of(model))
    return kinds or ("text",)


def length_of(model: nn.Module, wanted: int) -> int:
    """How many positions a model is given: as wanted, but an image has as many as it has patches, and one more."""
    images = [stack.embeddings for _, stack in stacks_of(model) if isinstance(stack.embeddings, ImagePatches)]
    return images[0].positions.max_positions if images else wanted


def example(model: nn.Module, ids: Int[Tensor, "batch position"]) -> tuple[Tensor, ...]:
    """What a model can be called with: these ids for each text, and numbers that rise for an image or a sound.

    A sound has a position for each id.
    """

    def rising(*shape: int) -> Tensor:
        numbers = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
        return (numbers / numbers.max()).expand(len(ids), *shape)

    stacks = [stack for _, stack in stacks_of(model)] or [None] * len(inputs_of(model))
    embeddings = [getattr(stack, "embeddings", None) for stack in stacks]
    return tuple(
        rising(*each.image_shape)
        if isinstance(each, ImagePatches)
        else rising(each.listen.in_channels, 2 * ids.shape[1])
        if isinstance(each, SoundFrames)
        else ids
        for each in embeddings
    )
