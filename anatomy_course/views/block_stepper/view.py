"""The block stepper: one token on its way through a Transformer block, with the real vectors at every stage.

Attention, add, norm, feed-forward, add, norm (post-norm, 2017), or norm, attention, add, norm, feed-forward, add
(pre-norm). Notebook 03. The class knows no model: it is given `compute`, a function from a sentence and the number of
a layer to a `BlockVectors`; everything else happens in the browser.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import traitlets
from jaxtyping import Float
from torch import Tensor

from anatomy_course.figures import diagrams
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import buffer_trait, float_bytes
from anatomy_course.views._kit.checks import OneOf, Whole, numbers, word_list
from anatomy_course.views._kit.request import Asking, usable_sentence
from anatomy_utils.interpret import activations
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.tap import watch
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_TOKENS = 24
STAGES = {
    "post": ("input", "attended", "added", "normed", "fed", "added again", "normed again"),
    "pre": ("input", "normed", "attended", "added", "normed again", "fed", "added again"),
}
"""Norm placement → the vectors in the order in which they are made."""


@dataclass(frozen=True)
class BlockVectors:
    """What one layer makes of a sentence, with its norms in either place."""

    tokens: Sequence[str]
    stages: Mapping[str, Mapping[str, Any]]
    """"post" and "pre" → name of each of `STAGES` → (position, d_model)."""
    norms: Any
    """(norm, 2, d_model): the stretch γ and the shift β of attention's norm and of feed-forward's."""
    epsilon: float = 1e-5
    """Of the norms."""


class BlockStepper(Asking):
    """Six steps through one block: the vectors drawn, their mean, standard deviation and length, one number by hand.

    Args:
        compute: (sentence, layer) → `BlockVectors`. A `ValueError` it raises is shown as its one sentence.
        sentence: the first sentence.
        num_layers: how many layers there are to choose from.
        layer: the first one shown, counted from 0.
        token: position of the first token; the last word if None.
        norm: "post" or "pre", shown at first.
        trained_with: the placement that the weights were trained with; the other one is marked as an experiment.

    Raises:
        ValueError: `compute` refuses the first sentence, or an argument is out of range.
    """

    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    vectors = buffer_trait()
    """(placement, stage, position, d_model) as float32, in the order of `STAGES`."""
    norms = buffer_trait()
    epsilon = traitlets.Float(1e-5).tag(sync=True)
    num_layers = traitlets.Int(1).tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    """The layer whose vectors are shown."""
    shown = traitlets.Unicode().tag(sync=True)
    """The sentence whose vectors are shown."""
    token = Whole("tokens").tag(sync=True)
    step = Whole(6, low=1).tag(sync=True)
    norm = OneOf("post pre").tag(sync=True)
    trained_with = OneOf("post pre").tag(sync=True)

    def __init__(
        self,
        compute: Callable[[str, int], BlockVectors],
        sentence: str = "The animal didn't cross the street because it was too tired.",
        *,
        num_layers: int = 1,
        layer: int = 0,
        token: int | None = None,
        norm: str = "post",
        trained_with: str = "post",
        label: str = "One token through one block",
    ) -> None:
        self._compute, self._layers = compute, num_layers
        question = {"sentence": sentence, "layer": layer}
        first = self.answer(question)
        first["token"] = max(len(first["tokens"]) - 3, 0) if token is None else token
        super().__init__(
            **first, num_layers=num_layers, norm=norm, trained_with=trained_with, label=label, question=question
        )

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """The vectors of a sentence and layer."""
        sentence = usable_sentence(question.get("sentence"))
        layer: Any = question.get("layer")
        if layer not in range(self._layers):
            raise ValueError(f"Layer {layer!r} was asked for; there are layers 0 to {self._layers - 1}.")
        block = self._compute(sentence, layer)
        tokens, vectors, norms = _checked(block)
        told = {"tokens": tokens, "vectors": float_bytes(vectors), "norms": float_bytes(norms), "shown": sentence,
                "layer": layer, "epsilon": float(block.epsilon)}  # fmt: skip
        return told if self.token < len(tokens) else {**told, "token": len(tokens) - 1}

    def stage(self, name: str, norm: str | None = None) -> npt.NDArray[np.float32]:
        """The vectors of one stage as the browser has them, (position, d_model); of the shown placement by default."""
        order = STAGES[norm or self.norm]
        flat = np.frombuffer(self.vectors, "<f4").reshape(2, len(order), len(self.tokens), -1)
        return flat[list(STAGES).index(norm or self.norm), order.index(name)].copy()

    def still_picture(self) -> Picture:
        """How long the chosen token's vector is after each step, and which two vectors make each sum."""
        order = STAGES[self.norm]
        lengths = {name: float(np.linalg.norm(self.stage(name)[self.token])) for name in order}
        second = "normed" if self.norm == "post" else "added"
        return diagrams.block_lengths(
            lengths, {"added": ("input", "attended"), "added again": (second, "fed")},
            f"“{self.tokens[self.token]}” through layer {self.layer}, {self.norm}-norm",
        )  # fmt: skip


def _checked(block: BlockVectors) -> tuple[list[str], npt.NDArray[Any], npt.NDArray[Any]]:
    """Tokens, (placement, stage, position, d_model) and (norm, 2, d_model), or one sentence on what does not fit."""
    tokens = word_list(block.tokens, "tokens", at_most=MOST_TOKENS)
    norms = numbers(block.norms, "norms", "norm 2 d_model")
    sizes = {"position": len(tokens), "d_model": norms.shape[2]}
    placements = []
    for placement, order in STAGES.items():
        stages = block.stages.get(placement, {})
        if missing := [name for name in order if name not in stages]:
            raise ValueError(f"The {placement}-norm stages lack {missing[0]!r}; expected {', '.join(order)}.")
        of_stages = [numbers(stages[name], f"{placement}-norm {name}", "position d_model", **sizes) for name in order]
        placements.append(np.stack(of_stages))
    return tokens, np.stack(placements), norms


def block_stepper(
    encoder: Encoder,
    tokenizer: Tokenizer,
    sentence: str = "The animal didn't cross the street because it was too tired.",
    *,
    layer: int = 0,
    word: str = "",
) -> BlockStepper:
    """One token through one layer of a post-norm encoder, beside the same weights with their norms moved in front."""

    def compute(text: str, number: int) -> BlockVectors:
        tokens, seen = activations.read_activations(encoder, tokenizer, text)
        before = seen["embeddings.output"] if number == 0 else seen[f"layers.{number - 1}.output"]
        layers: list[Any] = list(encoder.layers)
        return block_of(layers[number], before, tokens)

    tokens = compute(sentence, layer).tokens
    return BlockStepper(
        compute, sentence, num_layers=len(encoder.layers), layer=layer,
        token=list(tokens).index(word) if word in tokens else None,
    )  # fmt: skip


def block_of(
    layer: EncoderLayer, hidden_states: Float[Tensor, "1 position d_model"], tokens: list[str]
) -> BlockVectors:
    """What a post-norm layer makes of its input, and what the same weights make of it pre-norm.

    Raises:
        ValueError: the layer is not post-norm.
    """
    both = layer.self_attention_norms.after, layer.feed_forward_norms.after
    norms = [norm for norm in both if isinstance(norm, LayerNorm)]
    if len(norms) < 2:
        raise ValueError(
            "The layer has no LayerNorm after each sub-layer; give one of a post-norm encoder: MiniLM, say."
        )
    moved = EncoderLayer(
        layer.self_attention,
        layer.feed_forward,
        self_attention_norms=NormPlaces(before=norms[0]),
        feed_forward_norms=NormPlaces(before=norms[1]),
    ).eval()
    with torch.no_grad():
        stages = {"post": _post_norm(layer, hidden_states), "pre": _pre_norm(moved, hidden_states)}
    stretch_and_shift = torch.stack([torch.stack([norm.weight, norm.bias]) for norm in norms])
    return BlockVectors(tokens, stages, stretch_and_shift, norms[0].epsilon)


def _post_norm(layer: EncoderLayer, hidden_states: Tensor) -> dict[str, Tensor]:
    with watch(layer) as seen:
        layer(hidden_states)
    attended, normed = seen["self_attention.output"], seen["after_attention"]
    fed = layer.feed_forward(normed)
    made = hidden_states, attended, hidden_states + attended, normed, fed, normed + fed, seen["output"]
    return {name: vectors[0] for name, vectors in zip(STAGES["post"], made, strict=True)}


def _pre_norm(layer: EncoderLayer, hidden_states: Tensor) -> dict[str, Tensor]:
    with watch(layer) as seen:
        layer(hidden_states)
    normed, added = layer.self_attention_norms.before(hidden_states), seen["after_attention"]
    again = layer.feed_forward_norms.before(added)
    made = hidden_states, normed, seen["self_attention.output"], added, again, layer.feed_forward(again), seen["output"]
    return {name: vectors[0] for name, vectors in zip(STAGES["pre"], made, strict=True)}
