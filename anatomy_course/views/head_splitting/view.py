"""The head traveller: one number's way from d_model into its head and back, and the way that `view` alone sends it.

Two lanes show the same module on the same sentence. On the right way the vectors are cut (`view`) and the axes change
places (`transpose`); on the wrong way only the shape is made to fit, and every head gets its own part of the sentence
instead of its own part of every word (Vaswani et al. 2017, section 3.2.2, arXiv:1706.03762).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import traitlets
from jaxtyping import Float
from torch import Tensor

from anatomy_course.figures.diagrams.heads import split_heads
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget, buffer_trait, float_bytes
from anatomy_course.views._kit.checks import Whole, arrays_of, numbers, word_list
from anatomy_utils.interpret import head_ablation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.tap import watch

MOST_TOKENS = 8
MOST_FEATURES = 16
LAST_STEP = 8
LANES = ("right", "wrong")
SHARED = {
    "hidden_states": "position d_model",
    "value_weight": "d_model d_model",
    "value": "position d_model",
    "output_weight": "d_model d_model",
}
OF_A_LANE = {"weights": "heads query key", "context": "heads position d_head", "output": "position d_model"}


@dataclass(frozen=True)
class Lane:
    """What attention made of the heads of one lane, with the axes in `OF_A_LANE`."""

    weights: Any
    context: Any
    """Before the heads are joined."""
    output: Any


@dataclass(frozen=True)
class SplitHeads:
    """One sentence through one module's heads, split the right way and the wrong way, with the axes in `SHARED`."""

    tokens: Sequence[str]
    hidden_states: Any
    """What the module reads."""
    value_weight: Any
    """W_V: values are hidden_states · W_V."""
    value: Any
    """Before they are split."""
    output_weight: Any
    """W_O"""
    right: Lane
    wrong: Lane


def _checked(journey: SplitHeads) -> tuple[list[str], dict[str, np.ndarray]]:
    """The tokens and tensors of `journey`, or one sentence saying what does not fit."""
    tokens = word_list(journey.tokens, "tokens", at_most=MOST_TOKENS)
    count = len(tokens)
    d_model = numbers(journey.hidden_states, "hidden_states", SHARED["hidden_states"], position=count).shape[1]
    heads = len(numbers(journey.right.weights, "right.weights", OF_A_LANE["weights"]))
    if d_model > MOST_FEATURES or d_model % heads:
        raise ValueError(
            f"d_model is {d_model} for {heads} heads; the drawing has room for {MOST_FEATURES} features, and the heads "
            "must divide them: take a smaller module."
        )
    sizes = {"position": count, "query": count, "key": count, "d_model": d_model, "heads": heads,
             "d_head": d_model // heads}  # fmt: skip
    arrays = arrays_of(journey, SHARED, **sizes)
    for lane in LANES:
        arrays |= arrays_of(getattr(journey, lane), OF_A_LANE, f"{lane}.", **sizes)
    return tokens, arrays


class HeadSplitting(AnatomyWidget):
    """Eight steps of one number on the right way and on the wrong way, side by side, with every tensor's shape.

    Args:
        journey: the tensors of both ways.
        position, feature: the token, and which of its d_model numbers is followed at first.
        step: the first step shown, 1 to 8.

    Raises:
        ValueError: the tensors do not fit together, or a place or step does not exist.
    """

    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    heads = traitlets.Int(1).tag(sync=True)
    d_model = traitlets.Int(1).tag(sync=True)
    tensors = buffer_trait()
    """All tensors one after the other, as float32: `SHARED`, then `OF_A_LANE` of the right and of the wrong lane."""
    position = Whole("tokens").tag(sync=True)
    feature = Whole("d_model").tag(sync=True)
    step = Whole(LAST_STEP, low=1).tag(sync=True)

    def __init__(
        self,
        journey: SplitHeads,
        *,
        position: int = 0,
        feature: int = 0,
        step: int = 1,
        label: str = "Follow one number through its head and back",
    ) -> None:
        tokens, arrays = _checked(journey)
        super().__init__(
            tokens=tokens, heads=len(arrays["right.weights"]), d_model=arrays["value"].shape[1],
            tensors=b"".join(float_bytes(array) for array in arrays.values()), label=label,
            position=position, feature=feature, step=step,
        )  # fmt: skip
        self._arrays = arrays

    def still_picture(self) -> Picture:
        """Values, weights and contexts of every head on both ways, with the chosen word's numbers marked."""
        arrays = self._arrays
        return split_heads(
            self.tokens, arrays["value"],
            {lane: (arrays[f"{lane}.weights"], arrays[f"{lane}.context"]) for lane in LANES}, self.position,
        )  # fmt: skip


def head_splitting(
    attention: MultiHeadAttention,
    hidden_states: Float[Tensor, "1 position d_model"],
    tokens: Sequence[str],
    *,
    position: int = 0,
    feature: int = 0,
) -> HeadSplitting:
    """One number's way through a small module's heads and back, and the way that a wrong `view` sends it.

    Args:
        attention: a module with as many key/value heads as heads, and at most 16 features.
        hidden_states: what it reads, at most 8 positions.
        tokens: a word for each position.
        position, feature: see `HeadSplitting`.

    Raises:
        ValueError: the heads share keys and values, or there is no room to draw so much.
    """
    if attention.num_kv_heads != attention.num_heads:
        raise ValueError(
            f"{attention.num_heads} heads share {attention.num_kv_heads} key/value heads here; "
            "give a module in which each head has its own."
        )

    def lane() -> Lane:
        with torch.no_grad(), watch(attention) as seen:
            attention(hidden_states)
        weights, value, output = (seen[name][0] for name in ("weights", "value", "output"))
        return Lane(weights, weights @ value, output)

    right = lane()
    with head_ablation.scrambled_heads(attention):
        wrong = lane()
    with torch.no_grad():
        value = attention.to_value(hidden_states)[0]
    journey = SplitHeads(
        tokens, hidden_states[0], attention.to_value.weight.T, value, attention.to_output.weight.T, right, wrong
    )
    return HeadSplitting(journey, position=position, feature=feature)
