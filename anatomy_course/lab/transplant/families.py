"""Functions that only some families have, from notebook 06, and the modules that hold them.

DeBERTa's scores, GPT-J's layer, and the mask of a prefix language model. They go in with `transplant` and are judged by
`reject` like any other; the capstone's body does without them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import Tensor

from anatomy_course.lab.transplant.modules import Host
from anatomy_course.lab.transplant.replaceable import WEIGHTS, Calls, Function, new_organ
from anatomy_utils.functional import attention, layers
from anatomy_utils.nn.decoder import ParallelLayer
from anatomy_utils.nn.relative_positions import DisentangledPositions
from anatomy_utils.objectives.prefix_lm import PrefixMask, prefix_mask
from anatomy_utils.tap import tap

FAMILY_ORGANS = {
    organ.name: organ
    for organ in (
        new_organ(
            "disentangled_scores(query, key, offset_query, offset_key, rows)",
            " ".join(WEIGHTS),
            lambda query, key, *rest: (*query.shape[:-1], key.shape[-2]),
            attention.disentangled_scores,
        ),
        new_organ(
            "parallel_layer(hidden_states, self_attention, feed_forward, norm)",
            "text position feature",
            lambda hidden_states, *rest: tuple(hidden_states.shape),
            layers.parallel_layer,
        ),
        new_organ(
            "prefix_mask(prefix_lengths, length)",
            " ".join(WEIGHTS),
            lambda prefix_lengths, length: (len(prefix_lengths), 1, length, length),
            prefix_mask,
            gives_truths=True,
        ),
    )
}
"""Name → function."""


def in_disentangled(module: DisentangledPositions, calls: Calls) -> Calls:
    """All three products by one function; the layer adds the first by itself, so that one is taken off again."""
    return {"forward": partial(_offset_scores, module, calls["disentangled_scores"])}


def _offset_scores(module: DisentangledPositions, function: Function, query: Tensor, key: Tensor) -> Tensor:
    offset_query, offset_key = (table.expand(len(query), -1, -1, -1) for table in module.offset_vectors())
    scores = function(query, key, offset_query, offset_key, module.rows(query, key))
    return scores - query @ key.transpose(-2, -1) / (3 * query.shape[-1]) ** 0.5


def in_parallel_layer(layer: ParallelLayer, calls: Calls) -> Calls:
    """A whole layer, with its two sub-layers and its norm as arguments."""
    return {"forward": partial(_side_by_side, layer, calls["parallel_layer"])}


def _side_by_side(
    layer: ParallelLayer,
    function: Function,
    hidden_states: Tensor,
    *,
    causal: bool = True,
    memory: object = None,
    memory_mask: object = None,
    **more: Any,
) -> Tensor:
    attend = partial(layer.self_attention, causal=causal, **more)
    output = function(
        hidden_states,
        lambda states: layer.dropout(attend(states)),
        lambda states: layer.dropout(layer.feed_forward(states)),
        layer.self_attention_norms.before,
    )
    return tap(layer, "output", output)


def in_prefix_mask(module: PrefixMask, calls: Calls) -> Calls:
    """Who may attend to whom."""
    return {"forward": calls["prefix_mask"]}


FAMILY_HOSTS = (
    Host(DisentangledPositions, ("disentangled_scores",), in_disentangled),
    Host(ParallelLayer, ("parallel_layer",), in_parallel_layer),
    Host(PrefixMask, ("prefix_mask",), in_prefix_mask),
)
