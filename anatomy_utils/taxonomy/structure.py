"""Where a built model keeps what the taxonomy asks for: its stacks, their layers, and how far a layer sees."""

from __future__ import annotations

from typing import Any

from torch import nn

from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.zoo.recurrent import RecurrentTranslator

Layer = Any
"""A layer of a stack: an `EncoderLayer`, a `DecoderLayer`, or one that a family built from the same parts."""


def stacks_of(model: nn.Module) -> list[tuple[str, Any]]:
    """The stacks of a model in the order of the data, each with its name: "encoder" or "decoder"."""
    found = [part for part in model.modules() if hasattr(part, "embeddings") and hasattr(part, "layers")]
    return [("encoder" if isinstance(part, Encoder) else "decoder", part) for part in found]


def texts_of(model: nn.Module) -> int:
    """How many texts go in: one, or a source and a target."""
    return 2 if isinstance(model, RecurrentTranslator) or len(stacks_of(model)) == 2 else 1


def layers_of(stack: Any) -> list[Layer]:
    """The layers as they are run: a layer that is shared comes as often as it runs."""
    return list(stack.layers)


def reach_of(layer: Layer, stack: Any) -> int | None:
    """How many positions a layer's self-attention sees at most, itself included; None for all.

    In a pattern of blocks it is what a block in the middle sees: itself and its neighbours, the first, the last, and
    the random ones.
    """
    if is_sparse(layer):
        return (5 + layer.num_random) * layer.block_size  # type: ignore[no-any-return]
    if getattr(stack, "windowed", False):
        return stack.memory_length  # type: ignore[no-any-return]
    window: int | None = getattr(layer, "window", None)
    return window


def is_sparse(layer: Layer) -> bool:
    """Whether only certain blocks of positions meet."""
    return hasattr(layer, "block_size")


def is_parallel(layer: Layer) -> bool:
    """Whether attention and feed-forward read the same vectors, instead of the one what the other gives."""
    return type(layer).__name__ == "ParallelLayer"
