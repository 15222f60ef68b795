"""What the two exercises on blocks share: their stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from anatomy_course.judge.effects.module import ModuleDrive


def halves(drive: ModuleDrive, names: str) -> Callable[..., Mapping[str, Tensor]]:
    """The stages of a block in pre-norm: normed, attended, the sum; normed again, fed forward.

    Args:
        drive: of the block, whose only input are the states.
        names: of these five, with semicolons between them.
    """

    def stages(*arguments: Any) -> Mapping[str, Tensor]:
        block: Any = drive.reference(*arguments[: len(drive.construct)])
        block.load_state_dict(drive.weights(*arguments))
        block.requires_grad_(False)
        states = arguments[len(drive.construct)]
        normed = block.attention_norm(states)
        attended = block.attention(normed)
        again = block.feed_forward_norm(states + attended)
        passed = (normed, attended, states + attended, again, block.feed_forward(again))
        return dict(zip(names.split("; "), passed, strict=True))

    return stages
