"""Which modules hold an organ, and how each runs with a learner's function in its place.

A module keeps its weights and everything around the organ. For as long as the transplant lasts, one of its methods is
set aside for a version that is written with the learner's function; nobody else pays for the possibility.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.lab.transplant.replaceable import Calls, Function
from anatomy_utils.functional import attention, embeddings, masks
from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.multi_head import share_heads, split_heads
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.cache import KeyValue, LayerCache
from anatomy_utils.nn.decoder import DecoderLayer, ParallelLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import FeedForward, GatedFeedForward
from anatomy_utils.nn.layer import Layer
from anatomy_utils.nn.norm import LayerNorm, NormPlaces, RMSNorm
from anatomy_utils.nn.positions import RotaryPositions, SinusoidalPositions
from anatomy_utils.nn.relative_positions import DisentangledPositions
from anatomy_utils.objectives.prefix_lm import PrefixMask
from anatomy_utils.tap import tap

Heads = tuple[Tensor, Tensor, Tensor]
"""Queries, keys and values of all heads."""


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
    context = (_whole if whole else _in_steps)(module, calls, (query, key, value), allowed, bias)
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


def _whole(module: MultiHeadAttention, calls: Calls, heads: Heads, allowed: Tensor, bias: Tensor | None) -> Tensor:
    """By one function that knows nothing of scales and biases, and was promised that each query has a key."""
    query, key, value = heads
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


def _in_steps(module: MultiHeadAttention, calls: Calls, heads: Heads, allowed: Tensor, bias: Tensor | None) -> Tensor:
    """As `MultiHeadAttention` writes it out, with some steps replaced."""
    query, key, value = heads
    if module.scale is not None:
        query = query * (module.scale * math.sqrt(query.shape[-1]))
    matches = tap(module, "scores", calls.get("scores", attention.scores)(query, key))
    if bias is not None:
        matches = matches + bias
    weights = tap(module, "weights", calls.get("softmax", attention.masked_softmax)(matches, allowed))
    dropped = F.dropout(weights, module.dropout, module.training)
    if "weighted_average" not in calls:
        return attention.weighted_average(dropped, value)
    by_head = zip(dropped.flatten(0, 1), value.flatten(0, 1), strict=True)
    averages = [calls["weighted_average"](of_head, values) for of_head, values in by_head]
    return torch.stack(averages).unflatten(0, query.shape[:2])


def _split(module: MultiHeadAttention, calls: Calls, projected: Tensor) -> Tensor:
    """In the steps of a generation queries, keys and values come side by side: their heads are split together."""
    return calls.get("split_heads", split_heads)(projected, projected.shape[-1] // module.d_head)


def _with_cache(
    module: MultiHeadAttention, calls: Calls, *arguments: Any, cache: LayerCache | None = None, **more: Any
) -> Tensor:
    """A cache brings the three projections as one matrix: during a transplant each goes its own way, as without."""
    if cache is not None:
        parts = (module.to_query, module.to_key, module.to_value)
        one_by_one = lambda states: torch.cat([part(states) for part in parts], dim=-1)  # noqa: E731
        cache = cache._replace(projection=cast("Any", one_by_one))
    return type(module).forward(module, *arguments, cache=cache, **more)


def _matrix_and_bias(module: nn.Linear) -> tuple[Tensor, Tensor]:
    """Torch stores the transposed matrix, and a model without biases adds 0."""
    weight = module.weight
    return weight.T, weight.new_zeros(len(weight)) if module.bias is None else module.bias


def _project(module: nn.Linear, calls: Calls, states: Tensor) -> Tensor:
    return calls["project"](states, *_matrix_and_bias(module))


def _layer_norm(module: LayerNorm, calls: Calls, states: Tensor) -> Tensor:
    return calls["layer_norm"](states, module.weight, module.bias, module.epsilon)


def _rms_norm(module: RMSNorm, calls: Calls, states: Tensor) -> Tensor:
    return calls["rms_norm"](states, module.stretch(), module.epsilon)


def _activation(module: FeedForward | GatedFeedForward, calls: Calls, values: Tensor) -> Tensor:
    return calls["activation"](values)


def _feed_forward(module: FeedForward, calls: Calls, states: Tensor) -> Tensor:
    expand, contract = _matrix_and_bias(module.expand), _matrix_and_bias(module.contract)
    return calls["feed_forward"](states, *expand, *contract, module.activation)


def _gated(module: GatedFeedForward, calls: Calls, hidden_states: Tensor) -> Tensor:
    """Biases, which few models have, are the weights of one more feature that is always 1."""
    first = [module.gate, module.expand]
    weights = [part.weight.T for part in first]
    if module.gate.bias is not None:
        hidden_states = F.pad(hidden_states, (0, 1), value=1.0)
        weights = [torch.cat([part.weight.T, part.bias[None]]) for part in first]
    contract, bias = _matrix_and_bias(module.contract)
    return calls["gated_feed_forward"](hidden_states, *weights, contract, module.activation) + bias


def _look_up(module: nn.Embedding, calls: Calls, input_ids: Tensor) -> Tensor:
    embeddings.check_ids(input_ids, module.num_embeddings)
    return calls["lookup"](module.weight, input_ids)


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


def _turn(module: RotaryPositions, calls: Calls, positions: Tensor) -> Rotation:
    angles = type(module).forward(module, positions)
    return _Turn(angles.cosines, angles.sines, angles.layout, calls["rotary"])


def placements(layer: Layer) -> set[str]:
    """Where the norms stand in the residual connections of a layer; two sub-layers beside each other have none."""
    return set() if layer.is_parallel else {norms.placement for norms in _norms(layer).values()}


def _norms(layer: Layer) -> dict[str, NormPlaces]:
    return {name: part for name, part in layer._modules.items() if isinstance(part, NormPlaces)}


def in_residual_connections(layer: Layer, calls: Calls) -> Calls:
    """Norms around which a learner's function adds and normalizes."""
    return {name: _around(norms, calls[norms.placement]) for name, norms in _norms(layer).items()
            if norms.placement in calls}  # fmt: skip


def _around(norms: NormPlaces, function: Function) -> NormPlaces:
    norm = norms.before if norms.placement == "pre_norm" else norms.after
    replaced = copy(norms)
    replaced.__dict__["around"] = lambda hidden_states, sublayer, dropout: function(
        hidden_states, lambda states: dropout(sublayer(states)), norm
    )
    return replaced


def held_by(layer: DecoderLayer) -> set[str]:
    """Both organs, where a layer reads a memory; the layer as a whole only where all its norms stand in front."""
    if layer.cross_attention is None:
        return set()
    return {"attend_to_memory", "decoder_layer"} if placements(layer) == {"pre_norm"} else {"attend_to_memory"}


def _attend_to_memory(
    module: MultiHeadAttention,
    calls: Calls,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Mask | None,
    causal: bool,
) -> Tensor:
    """Attention over all heads at once, which knows the source's padding and no other mask."""
    if module.scale is not None:
        query = query * (module.scale * math.sqrt(query.shape[-1]))
    real = torch.ones(len(key), key.shape[2], dtype=torch.long, device=key.device)
    return calls["attend_to_memory"](query, key, value, real if mask is None else mask[:, 0, 0].long().expand_as(real))


def _decoder_layer(
    layer: DecoderLayer,
    calls: Calls,
    hidden_states: Tensor,
    *,
    causal: bool = True,
    memory: Tensor | KeyValue | None = None,
    memory_mask: Mask | None = None,
    **more: Any,
) -> Tensor:
    """`DecoderLayer.forward` by one function; `more` goes to self-attention. The states between are the function's."""
    assert layer.cross_attention is not None and layer.cross_attention_norms is not None
    mix, read = partial(layer.self_attention, causal=causal, **more), partial(layer.cross_attention, mask=memory_mask)
    output = calls["decoder_layer"](
        hidden_states,
        memory,
        lambda states: layer.dropout(mix(states)),
        lambda states, memory: layer.dropout(read(states, memory)),
        lambda states: layer.dropout(layer.feed_forward(states)),
        layer.self_attention_norms.before,
        layer.cross_attention_norms.before,
        layer.feed_forward_norms.before,
    )
    return tap(layer, "output", output)


def _offset_scores(module: DisentangledPositions, calls: Calls, query: Tensor, key: Tensor) -> Tensor:
    """All three products by one function; the layer adds the first by itself, so that one is taken off again."""
    offset_query, offset_key = (table.expand(len(query), -1, -1, -1) for table in module.offset_vectors())
    scores = calls["disentangled_scores"](query, key, offset_query, offset_key, module.rows(query, key))
    return scores - query @ key.transpose(-2, -1) / (3 * query.shape[-1]) ** 0.5


def _parallel_layer(
    layer: ParallelLayer,
    calls: Calls,
    hidden_states: Tensor,
    *,
    causal: bool = True,
    memory: object = None,
    memory_mask: object = None,
    **more: Any,
) -> Tensor:
    attend = partial(layer.self_attention, causal=causal, **more)
    output = calls["parallel_layer"](
        hidden_states,
        lambda states: layer.dropout(attend(states)),
        lambda states: layer.dropout(layer.feed_forward(states)),
        layer.self_attention_norms.before,
    )
    return tap(layer, "output", output)


def _prefix_mask(module: PrefixMask, calls: Calls, prefix_lengths: Tensor, length: int) -> Tensor:
    return calls["prefix_mask"](prefix_lengths, length)


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


def replaced_by(**methods: Function) -> Callable[[Any, Calls], Calls]:
    """Methods of a module and the functions in their place, which are given the module and the calls as well."""
    return lambda module, calls: {name: partial(function, module, calls) for name, function in methods.items()}


_IN_ATTENTION = replaced_by(_explicit=_attend, _fused=_attend, _split=_split)
_PARTS_OF_ATTENTION = ("attention", "scores", "softmax", "weighted_average", "split_heads", "merge_heads")
_ACTIVATION = replaced_by(activation=_activation)
HOSTS = (
    Host(MultiHeadAttention, _PARTS_OF_ATTENTION, _IN_ATTENTION),
    Host(
        MultiHeadAttention, ("share_heads",), _IN_ATTENTION, some=lambda m: ("share_heads",) if _shares_heads(m) else ()
    ),
    Host(DecoderLayer, ("causal_mask",), _IN_ATTENTION, parts=("self_attention",)),
    Host(Layer, ("post_norm", "pre_norm"), in_residual_connections, some=placements),
    Host(
        DecoderLayer,
        ("attend_to_memory",),
        replaced_by(_explicit=_attend_to_memory, _fused=_attend_to_memory),
        ("cross_attention",),
        held_by,
    ),
    Host(DecoderLayer, ("decoder_layer",), replaced_by(forward=_decoder_layer), some=held_by),
    Host(
        MultiHeadAttention,
        ("project",),
        replaced_by(forward=_project),
        parts=("to_query", "to_key", "to_value", "to_output"),
    ),
    Host(MultiHeadAttention, ("project",), replaced_by(forward=_with_cache)),
    Host(LayerNorm, ("layer_norm",), replaced_by(forward=_layer_norm)),
    Host(RMSNorm, ("rms_norm",), replaced_by(forward=_rms_norm)),
    Host(FeedForward, ("feed_forward",), replaced_by(forward=_feed_forward)),
    Host(FeedForward, ("activation",), _ACTIVATION),
    Host(GatedFeedForward, ("gated_feed_forward",), replaced_by(forward=_gated)),
    Host(GatedFeedForward, ("activation",), _ACTIVATION),
    Host(Embeddings, ("lookup",), replaced_by(forward=_look_up), parts=("tokens",)),
    Host(SinusoidalPositions, ("sinusoids",), replaced_by(forward=_waves)),
    Host(RotaryPositions, ("rotary",), replaced_by(forward=_turn)),
    Host(DisentangledPositions, ("disentangled_scores",), replaced_by(forward=_offset_scores)),
    Host(ParallelLayer, ("parallel_layer",), replaced_by(forward=_parallel_layer)),
    Host(PrefixMask, ("prefix_mask",), replaced_by(forward=_prefix_mask)),
)
