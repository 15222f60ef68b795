"""Which modules hold an organ, and how each runs with a learner's function in its place.

A module keeps its weights and everything around the organ. For as long as the transplant lasts, one of its methods is
set aside for a version that is written with the learner's function; nobody else pays for the possibility.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.lab.transplant import layers
from anatomy_course.lab.transplant.replaceable import Calls, Function
from anatomy_utils.functional import attention, embeddings, masks
from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.multi_head import share_heads
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.cache import LayerCache
from anatomy_utils.nn.decoder import DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import FeedForward, GatedFeedForward
from anatomy_utils.nn.layer import Layer
from anatomy_utils.nn.norm import LayerNorm, RMSNorm
from anatomy_utils.nn.positions import RotaryPositions, SinusoidalPositions
from anatomy_utils.tap import tap


def in_attention(module: MultiHeadAttention, calls: Calls) -> Calls:
    """Attention over all heads at once, whole or in its parts."""
    attend = partial(_attend, module, calls)
    methods: Calls = {"_explicit": attend, "_fused": attend}
    if "split_heads" in calls:
        # In the steps of a generation queries, keys and values come side by side: their heads are split together.
        methods["_split"] = lambda projected: calls["split_heads"](projected, projected.shape[-1] // module.d_head)
    return methods


def _attend(
    module: MultiHeadAttention,
    calls: Calls,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Mask | None,
    causal: bool,
) -> Tensor:
    if _shares_heads(module):
        share = calls.get("share_heads", share_heads)
        key, value = share(key, module.num_heads), share(value, module.num_heads)
    allowed, bias = _allowed_and_bias(mask)
    if causal:
        past = calls.get("causal_mask", masks.causal)(query.shape[2]).to(query.device)
        allowed = past if allowed is None else allowed & past
    everything = torch.ones((), dtype=torch.bool, device=query.device)
    allowed = (everything if allowed is None else allowed).expand(*query.shape[:3], key.shape[2])
    whole = "attention" in calls
    context = (_whole if whole else _in_steps)(module, calls, query, key, value, allowed, bias)
    if "merge_heads" in calls:  # the module merges by itself: give it what it will merge into the same
        context = calls["merge_heads"](context).unflatten(-1, (module.num_heads, -1)).transpose(1, 2)
    return context


def _shares_heads(module: MultiHeadAttention) -> bool:
    return module.num_kv_heads != module.num_heads


def _allowed_and_bias(mask: Mask | None) -> tuple[Tensor | None, Tensor | None]:
    """A mask that is True and False, and the numbers to add to the scores."""
    if mask is None or mask.dtype == torch.bool:
        return mask, None
    allowed = mask > -math.inf
    return allowed, mask.masked_fill(~allowed, 0.0)


def _whole(
    module: MultiHeadAttention,
    calls: Calls,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    allowed: Tensor,
    bias: Tensor | None,
) -> Tensor:
    """By one function that knows nothing of scales and biases, and was promised that each query has a key."""
    something = allowed.any(dim=-1, keepdim=True)
    if bias is not None:
        query, key = _with_bias(query, key, bias, module.scale)
    elif module.scale is not None:
        query = query * (module.scale * math.sqrt(query.shape[-1]))
    outcome = calls["attention"](query, key, value, allowed | ~something)
    if not isinstance(outcome, tuple):
        return outcome.masked_fill(~something, 0.0)
    context, weights = (part.masked_fill(~something, 0.0) for part in outcome)
    edited = tap(module, "weights", weights)
    return context if edited is weights else attention.weighted_average(edited, value)


def _with_bias(query: Tensor, key: Tensor, bias: Tensor, scale: float | None) -> tuple[Tensor, Tensor]:
    """Queries and keys whose scaled dot product is scale · q·k + bias: one more feature per key carries the bias."""
    d_head, keys = key.shape[-1], key.shape[2]
    root = math.sqrt(d_head + keys)
    own = torch.eye(keys, dtype=key.dtype, device=key.device).expand(*key.shape[:2], -1, -1)
    asked = bias.expand(*query.shape[:3], keys).to(query.dtype)
    scale = 1 / math.sqrt(d_head) if scale is None else scale
    return torch.cat([query * scale, asked], dim=-1) * root, torch.cat([key, own], dim=-1)


def _in_steps(
    module: MultiHeadAttention,
    calls: Calls,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    allowed: Tensor,
    bias: Tensor | None,
) -> Tensor:
    """As `MultiHeadAttention` writes it out, with some steps replaced."""
    if module.scale is not None:
        query = query * (module.scale * math.sqrt(query.shape[-1]))
    matches = tap(module, "scores", calls.get("scores", attention.scores)(query, key))
    if bias is not None:
        matches = matches + bias
    weights = tap(module, "weights", calls.get("softmax", attention.masked_softmax)(matches, allowed))
    dropped = F.dropout(weights, module.dropout, module.training)
    if "weighted_average" not in calls:
        return attention.weighted_average(dropped, value)
    heads = zip(dropped.flatten(0, 1), value.flatten(0, 1), strict=True)
    averages = [calls["weighted_average"](of_head, values) for of_head, values in heads]
    return torch.stack(averages).unflatten(0, query.shape[:2])


def in_linear(module: nn.Linear, calls: Calls) -> Calls:
    """One projection; torch stores the transposed matrix, and a model without biases adds 0."""
    return {"forward": lambda states: calls["project"](states, *_matrix_and_bias(module))}


def in_cached_projections(module: MultiHeadAttention, calls: Calls) -> Calls:
    """A cache brings the three projections as one matrix: during a transplant each goes its own way, as without."""
    return {"forward": partial(_with_cache, module)}


def _with_cache(module: MultiHeadAttention, *arguments: Any, cache: LayerCache | None = None, **more: Any) -> Tensor:
    if cache is not None:
        parts = (module.to_query, module.to_key, module.to_value)
        one_by_one = lambda states: torch.cat([part(states) for part in parts], dim=-1)  # noqa: E731
        cache = cache._replace(projection=cast("Any", one_by_one))
    return type(module).forward(module, *arguments, cache=cache, **more)


def _matrix_and_bias(module: nn.Linear) -> tuple[Tensor, Tensor]:
    weight = module.weight
    return weight.T, weight.new_zeros(len(weight)) if module.bias is None else module.bias


def in_layer_norm(module: LayerNorm, calls: Calls) -> Calls:
    """A layer norm, with its own weight, bias and epsilon."""
    return {"forward": lambda states: calls["layer_norm"](states, module.weight, module.bias, module.epsilon)}


def in_rms_norm(module: RMSNorm, calls: Calls) -> Calls:
    """An RMS norm, with its own weight and epsilon."""
    return {"forward": lambda states: calls["rms_norm"](states, module.stretch(), module.epsilon)}


def in_feed_forward(module: FeedForward, calls: Calls) -> Calls:
    """The network as a whole, its activation, or both."""
    methods: Calls = {"activation": calls.get("activation", module.activation)}
    if "feed_forward" in calls:
        methods["forward"] = lambda states: calls["feed_forward"](
            states, *_matrix_and_bias(module.expand), *_matrix_and_bias(module.contract), module.activation
        )
    return methods


def in_gated_feed_forward(module: GatedFeedForward, calls: Calls) -> Calls:
    """The network as a whole, its activation, or both."""
    methods: Calls = {"activation": calls.get("activation", module.activation)}
    if "gated_feed_forward" in calls:
        methods["forward"] = partial(_gated, module, calls)
    return methods


def _gated(module: GatedFeedForward, calls: Calls, hidden_states: Tensor) -> Tensor:
    """Biases, which few models have, are the weights of one more feature that is always 1."""
    first = [module.gate, module.expand]
    weights = [part.weight.T for part in first]
    if module.gate.bias is not None:
        hidden_states = F.pad(hidden_states, (0, 1), value=1.0)
        weights = [torch.cat([part.weight.T, part.bias[None]]) for part in first]
    contract, bias = _matrix_and_bias(module.contract)
    return calls["gated_feed_forward"](hidden_states, *weights, contract, module.activation) + bias


def in_table(module: nn.Embedding, calls: Calls) -> Calls:
    """The look-up in a table of embeddings."""
    return {"forward": partial(_look_up, module, calls)}


def _look_up(module: nn.Embedding, calls: Calls, input_ids: Tensor) -> Tensor:
    embeddings.check_ids(input_ids, module.num_embeddings)
    return calls["lookup"](module.weight, input_ids)


def in_sinusoids(module: SinusoidalPositions, calls: Calls) -> Calls:
    """The waves of fixed positions, in the order in which the module wants them."""
    return {"forward": partial(_waves, module, calls)}


def _waves(module: SinusoidalPositions, calls: Calls, positions: Tensor) -> Tensor:
    waves = calls["sinusoids"](positions, module.d_model)
    return waves if module.interleaved else torch.cat([waves[..., 0::2], waves[..., 1::2]], dim=-1)


@dataclass(frozen=True)
class _Turn(Rotation):
    """A rotation by a learner's function, which pairs feature i with i + d_head/2."""

    function: Function

    def __call__(self, vectors: Tensor) -> Tensor:
        cosines, sines = self.cosines.to(vectors.dtype), self.sines.to(vectors.dtype)
        width = cosines.shape[-1]
        turned, rest = vectors[..., :width], vectors[..., width:]
        if self.layout == "halves":
            turned = self.function(turned, cosines, sines)
        else:  # 2i and 2i + 1 make a pair: bring all first ones to the front, and back afterwards
            halves = (torch.cat([part[..., 0::2], part[..., 1::2]], -1) for part in (turned, cosines, sines))
            turned = self.function(*halves).unflatten(-1, (2, -1)).transpose(-2, -1).flatten(-2)
        return torch.cat([turned, rest], dim=-1)


def in_rotary(module: RotaryPositions, calls: Calls) -> Calls:
    """The rotation of queries and keys by their positions."""
    return {"forward": partial(_turn, module, calls)}


def _turn(module: RotaryPositions, calls: Calls, positions: Tensor) -> Rotation:
    angles = type(module).forward(module, positions)
    return _Turn(angles.cosines, angles.sines, angles.layout, calls["rotary"])


@dataclass(frozen=True)
class Host:
    """A kind of module that holds organs.

    Attributes:
        kind: of the module.
        organs: their names.
        methods: (module, calls) → what stands in the module during a transplant.
        parts: names of the submodules in which the organs stand; the module itself when there are none.
        some: module → which of the organs it really has; all of them when left out.
    """

    kind: type[nn.Module]
    organs: tuple[str, ...]
    methods: Callable[[Any, Calls], Calls]
    parts: tuple[str, ...] = ()
    some: Callable[[Any], Collection[str]] | None = None

    def held_by(self, module: nn.Module) -> list[str]:
        """The names of the organs that a module of this kind has."""
        return [name for name in self.organs if self.some is None or name in self.some(module)]

    def places(self, path: str, module: nn.Module) -> Iterator[tuple[str, nn.Module]]:
        """Path and module of all places in this module that hold the organs."""
        if not self.parts:
            yield path, module
        for name in self.parts:
            yield f"{path}.{name}" if path else name, module.get_submodule(name)


_IN_ATTENTION = ("attention", "scores", "softmax", "weighted_average", "split_heads", "merge_heads")
HOSTS = (
    Host(MultiHeadAttention, _IN_ATTENTION, in_attention),
    Host(
        MultiHeadAttention, ("share_heads",), in_attention, some=lambda m: ("share_heads",) if _shares_heads(m) else ()
    ),
    Host(DecoderLayer, ("causal_mask",), in_attention, parts=("self_attention",)),
    Host(Layer, ("post_norm", "pre_norm"), layers.in_residual_connections, some=layers.placements),
    Host(DecoderLayer, ("attend_to_memory",), layers.in_cross_attention, ("cross_attention",), layers.held_by),
    Host(DecoderLayer, ("decoder_layer",), layers.in_whole_layer, some=layers.held_by),
    Host(MultiHeadAttention, ("project",), in_linear, parts=("to_query", "to_key", "to_value", "to_output")),
    Host(MultiHeadAttention, ("project",), in_cached_projections),
    Host(LayerNorm, ("layer_norm",), in_layer_norm),
    Host(RMSNorm, ("rms_norm",), in_rms_norm),
    Host(FeedForward, ("feed_forward", "activation"), in_feed_forward),
    Host(GatedFeedForward, ("gated_feed_forward", "activation"), in_gated_feed_forward),
    Host(Embeddings, ("lookup",), in_table, parts=("tokens",)),
    Host(SinusoidalPositions, ("sinusoids",), in_sinusoids),
    Host(RotaryPositions, ("rotary",), in_rotary),
)
