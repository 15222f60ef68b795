"""The word that *it* attends to most, and the word without which a tagger tags *it* differently.

Notebook 07 counts how often the two are one. `interpret.attention_as_explanation` does the same for all words of any
encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from anatomy_course.lab.street.batches import tagging
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.vocabulary import BOS
from anatomy_utils.functional.comparison import leave_one_out
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.heads import WithHead
from anatomy_utils.tap import watch

Effects = Callable[[Callable[[Tensor], Tensor], int], Float[Tensor, " position"]]
"""As `functional.comparison.leave_one_out`."""


class AttendedAndNeeded(NamedTuple):
    """Two words of one sentence; *it* itself is neither.

    Attributes:
        looked_at: has the largest weight in the row of *it*, in the last layer, mean over its heads.
        needed: moves the logits of *it* most when it is hidden.
        reason: the adjective at the end, which decides what *it* stands for.
    """

    looked_at: str
    needed: str
    reason: str


@torch.no_grad()
def attended_and_needed_words(
    model: WithHead, scenes: Sequence[Scene], effects: Effects = leave_one_out
) -> list[AttendedAndNeeded]:
    """Both words of each scene's sentence.

    Args:
        model: from `small_models.train_tagger`.
        scenes: what is said in the sentences.
        effects: `leave_one_out`, or your own.
    """
    body: Encoder = model.body  # type: ignore[assignment]
    name = f"body.layers.{len(body.layers) - 1}.self_attention.weights"
    found = []
    for scene in scenes:
        sentence, ids = say(scene, "english"), tagging([scene]).input_ids
        it = 1 + sentence.clause.start  # behind <bos>
        with watch(model, name) as seen:
            model(ids)
        weights = seen[name][0, :, it].mean(dim=0)
        moved = effects(_reader(model, ids, it), ids.shape[1])
        others = torch.arange(ids.shape[1]) != it
        words = [BOS, *sentence.tokens]
        looked_at, needed = (words[int(n.masked_fill(~others, -1).argmax())] for n in (weights, moved))
        found.append(AttendedAndNeeded(looked_at, needed, scene.reason))
    return found


def _reader(model: WithHead, ids: Tensor, place: int) -> Callable[[Tensor], Tensor]:
    """The logits at one place, for each row of a mask."""
    return lambda mask: model(ids.expand(len(mask), -1), mask)[:, place]
