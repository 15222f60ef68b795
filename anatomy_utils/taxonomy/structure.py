"""Where a built model keeps what the taxonomy asks for: its stacks, and how many texts go in."""

from __future__ import annotations

from typing import Any

from torch import nn

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.segment_recurrence import RecurrentDecoder
from anatomy_utils.zoo.recurrent import RecurrentTranslator


def stacks_of(model: nn.Module) -> list[tuple[str, Any]]:
    """The stacks of a model in the order of the data, each with its name: "encoder" or "decoder"."""
    found = [part for part in model.modules() if isinstance(part, Encoder | Decoder | RecurrentDecoder)]
    return [("encoder" if isinstance(part, Encoder) else "decoder", part) for part in found]


def texts_of(model: nn.Module) -> int:
    """How many texts go in: one, or a source and a target."""
    return 2 if isinstance(model, RecurrentTranslator) or len(stacks_of(model)) == 2 else 1
