"""A case of notebook 03: a layer whose norms are on the wrong side of a residual connection.

It was meant to be a pre-norm layer. Every sub-layer works on normed states, all shapes are right, and a shallow model
with it learns as well as any. `symptoms_of_norm_placement` shows what happens to the states as a stack grows;
`depth_trial` what a deep model with it does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from anatomy_course.lab.debugging.colleague.symptoms import compared, yes
from anatomy_course.lab.experiments.norm_placement import BATCH, LEARNING_RATE, narrow_encoder
from anatomy_course.lab.street.batches import Labeled, in_batches, tagging
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.page.page import CellOutput
from anatomy_utils.functional.layers import Part, pre_norm_layer
from anatomy_utils.functional.masks import padding
from anatomy_utils.nn.heads import WithHead
from anatomy_utils.training.history import History
from anatomy_utils.training.loop import fit
from anatomy_utils.training.losses import cross_entropy
from anatomy_utils.training.threads import threads

Layer = Callable[..., Tensor]
"""(hidden states, self-attention, feed-forward, attention's norm, feed-forward's norm) → hidden states."""


def colleagues_layer(
    hidden_states: Tensor, self_attention: Part, feed_forward: Part, attention_norm: Part, feed_forward_norm: Part
) -> Tensor:
    """The patient: a layer that was meant to be `pre_norm_layer`."""
    hidden_states = attention_norm(hidden_states)
    hidden_states = hidden_states + self_attention(hidden_states)
    hidden_states = feed_forward_norm(hidden_states)
    return hidden_states + feed_forward(hidden_states)


def symptoms_of_norm_placement(depths: tuple[int, ...] = (1, 2, 6, 12), *, seed: int = 0) -> CellOutput:
    """What can be measured before the first step of training: both layers, in stacks of growing height.

    Args:
        depths: numbers of layers.
        seed: of weights and sentences.

    Returns:
        A table: the shape, how large features are at the top and where attention reads them, how much of the input is
        left at the top, the output of a layer whose sub-layers give nothing, and whether its norms let words meet.
    """
    layers = {"healthy": pre_norm_layer, "patient": colleagues_layer}
    title = f"{', '.join(map(str, depths))} layers, not trained"
    return compared(title, "tried on 32 sentences", layers, lambda layer: _examine(layer, depths, seed))


def _examine(layer: Layer, depths: tuple[int, ...], seed: int) -> dict[str, str]:
    sizes, cosines = [], []
    for depth in depths:
        generator = torch.Generator().manual_seed(seed)
        model = narrow_encoder(depth, "pre", generator)
        batch = tagging(sample_scenes(BATCH, generator))
        stack: Any = model.body
        with torch.no_grad():
            states, top = stack.embeddings(batch.input_ids), _states(model, layer, batch)
        sizes.append(f"{top.square().mean().sqrt():.1f}")
        cosines.append(f"{torch.cosine_similarity(states, top, dim=-1).mean():.2f}".replace("-", "−"))
    norms = stack.layers[0].self_attention_norms.before, stack.layers[0].feed_forward_norms.before
    read: list[Tensor] = []

    def attention(given: Tensor) -> Tensor:
        read.append(given)
        return torch.zeros_like(given)

    silent = layer(states, attention, torch.zeros_like, *norms)
    other_words = states.clone()
    other_words[:, 1:] += 1.0
    apart = all(torch.equal(norm(other_words)[:, 0], norm(states)[:, 0]) for norm in norms)
    return {
        "shape of the output": str(tuple(top.shape)),
        "size of a feature at the top, before the last norm (root mean square)": ", ".join(sizes),
        "size of a feature that attention reads in layer 0": f"{read[0].square().mean().sqrt():.1f}",
        "cosine similarity of the top with the input": ", ".join(cosines),
        "output of a layer whose sub-layers give 0": _named(silent, states, *norms),
        "a norm's result for one word changes with other words": yes(not apart),
    }


def _named(output: Tensor, states: Tensor, first: Part, second: Part) -> str:
    if torch.allclose(output, states):
        return "the input"
    return "the input, normed" if torch.allclose(output, second(first(states)), atol=1e-5) else "something else"


def depth_trial(layer: Layer, depth: int, *, steps: int = 100, seed: int = 0) -> History:
    """Train a narrow encoder of such layers on the street's tags, without warm-up, as `depth_experiment` does.

    Args:
        layer: `pre_norm_layer`, `colleagues_layer`, or your own.
        depth: number of layers.
        steps: of 32 sentences each.
        seed: of weights and sentences: the same for every layer.
    """
    generator = torch.Generator().manual_seed(seed)
    model = narrow_encoder(depth, "pre", generator)
    sentences = tagging(sample_scenes(steps * BATCH, generator))
    with threads(1):
        return fit(
            model,
            in_batches(sentences, BATCH),
            lambda model, batch: _loss(model, _states(model, layer, batch), batch),
            learning_rate=LEARNING_RATE,
            clip=None,
            progress=False,
        )


def _states(model: WithHead, layer: Layer, batch: Labeled) -> Tensor:
    """What comes out at the top of the stack, before its last norm."""
    stack: Any = model.body
    mask = padding(batch.attention_mask)
    hidden_states: Tensor = stack.embeddings(batch.input_ids)
    for block in stack.layers:
        norms = block.self_attention_norms.before, block.feed_forward_norms.before
        hidden_states = layer(hidden_states, partial(block.self_attention, mask=mask), block.feed_forward, *norms)
    return hidden_states


def _loss(model: WithHead, states: Tensor, batch: Labeled) -> Tensor:
    stack: Any = model.body
    return cross_entropy(model.head(stack.norm(states)), batch.labels)
