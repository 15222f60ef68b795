"""What a model costs: parameters, work per token, bytes of its cache, all read off the built modules.

Work is counted as everybody counts it: a product of matrices is two operations for each pair that it multiplies; norms,
activations and softmax are left out. Notebook 07 compares models by it.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch import nn

from anatomy_utils.interpret.parameter_count import parameters_by_part
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.cache import RecurrentState
from anatomy_utils.nn.delta_rule import GatedDeltaRule
from anatomy_utils.nn.experts import MixtureOfExperts, StackedLinear
from anatomy_utils.nn.heads import SequenceHead
from anatomy_utils.nn.layer import Layer
from anatomy_utils.nn.relative_positions import DisentangledPositions, TransformerXLPositions
from anatomy_utils.nn.segment_recurrence import RecurrentDecoder
from anatomy_utils.nn.signals import ImagePatches, SoundFrames
from anatomy_utils.nn.simple_recurrence import SimpleRecurrence
from anatomy_utils.taxonomy import recurrent
from anatomy_utils.taxonomy.row import Counted
from anatomy_utils.taxonomy.scaling import LengthFormula
from anatomy_utils.taxonomy.structure import stacks_of
from anatomy_utils.zoo.clip import TwoTowers


def parameters(model: nn.Module, part: Counted = "all") -> int:
    """How many numbers training changes; what modules share counts once.

    Args:
        model: a built model, on any device.
        part: "body" leaves the head out, "all but the token table" what most of a large vocabulary costs.
    """
    counted = {id(each): each.numel() for each in model.parameters() if each.requires_grad}
    if part == "body":
        bodies = recurrent.bodies_of(model) if recurrent.is_root(model) else [stack for _, stack in stacks_of(model)]
        inside = {id(each) for body in bodies for each in body.parameters()}
        return sum(number for which, number in counted.items() if which in inside)
    if part == "all but the token table":
        tables = {id(each) for _, stack in stacks_of(model) for each in stack.embeddings.tokens.parameters()}
        return sum(number for which, number in counted.items() if which not in tables)
    return sum(counted.values())


def organs(model: nn.Module) -> dict[str, int]:
    """The same, organ by organ; see `parameters_by_part`. A root's cells are among the rest."""
    return recurrent.organs_of(model) if recurrent.is_root(model) else parameters_by_part(model)


def work_per_token(model: nn.Module) -> LengthFormula:
    """Operations (multiplications and additions) for one token of a text, by the length of that text.

    A token is compared with every position in its layer's reach, as the kernels do it: causal models skip nothing.
    In an encoder–decoder the source is as long as the target, and the work is the mean over both: each token passes
    through one of the two stacks. So it is with a text and an image.
    """
    if recurrent.is_root(model):
        return recurrent.work_of(model)
    stacks = stacks_of(model)
    fixed = sum(_product(linear) for linear in _products(model))
    for part in model.modules():
        if isinstance(part, MixtureOfExperts):
            experts = part.experts
            each = _product(experts.gate) + _product(experts.expand) + _product(experts.contract)
            fixed += part.router.per_token * each
    once = sum(_product(head.labels) + (_product(head.dense) if isinstance(head.dense, nn.Linear) else 0)
               for head in model.modules() if isinstance(head, SequenceHead))  # fmt: skip
    seen = []
    if isinstance(model, TwoTowers):  # one vector of each is projected, and one angle is computed
        ends = _product(model.from_text) + _product(model.from_image)
        fixed, once = fixed - ends, once + ends + 2 * model.from_text.out_features
    for _, stack in stacks:
        if isinstance(stack.embeddings, ImagePatches):
            once -= _product(stack.embeddings.patches)  # the first position is no patch
        if isinstance(stack.embeddings, SoundFrames):
            fixed += 2 * (2 * stack.embeddings.listen.weight.numel() + stack.embeddings.halve.weight.numel())
        for layer in stack.layers:
            for attention, reach in _attentions(layer):
                if isinstance(attention, GatedDeltaRule):  # what the state answers, what is written, what is read
                    states = attention.num_heads * attention.d_head * attention.d_value
                    fixed += 6 * states + 2 * attention.mixing.numel()
                    continue
                if isinstance(attention, SimpleRecurrence):  # number by number, without a matrix
                    continue
                width = attention.num_heads * (attention.d_head + attention.d_value)  # scored, then averaged
                offsets = _work_on_offsets(attention)
                fixed, once = fixed + offsets.fixed, once + offsets.once
                seen.append(((2 * width + sum(each for each, _ in offsets.growing)) // len(stacks), reach))
    return LengthFormula(fixed // len(stacks), _gathered(seen), once // len(stacks))


def cache_bytes(model: nn.Module, *, bytes_per_number: int = 2) -> LengthFormula:
    """What a model that writes keeps of its past: keys and values of every layer, or its state.

    An encoder by itself keeps nothing.

    Args:
        model: a built model.
        bytes_per_number: 2 in half precision, 4 in float32.

    Returns:
        Bytes by the length of the text. An encoder–decoder keeps a source of the same length as well.
    """
    if recurrent.is_root(model):
        return recurrent.cache_of(model, bytes_per_number)
    kept: list[tuple[int, int | None]] = []
    states = 0
    for name, stack in stacks_of(model):
        if isinstance(stack, RecurrentDecoder):  # keeps what went into each layer, and makes keys and values of it anew
            kept += [(layer.self_attention.to_key.in_features * bytes_per_number, stack.memory_length)
                     for layer in stack.layers]  # fmt: skip
        elif name == "decoder":
            for layer in stack.layers:
                for attention, reach in _attentions(layer):
                    room = attention.room(batch=1, capacity=1)
                    if isinstance(room, RecurrentState):  # which stays in float32
                        states += room.state.element_size() * room.state.numel()
                        states += bytes_per_number * room.recent.numel()
                    else:
                        kept.append((sum(part.numel() for part in room) * bytes_per_number, reach))
    return LengthFormula(states, _gathered(kept))


def _products(module: nn.Module) -> Iterator[nn.Linear]:
    """Every matrix product that a token passes through, those of shared layers as often as they run."""
    for name, child in module._modules.items():
        if child is None or isinstance(child, SequenceHead) or name == "score_positions":
            continue
        if isinstance(child, nn.Linear):
            yield child
        yield from _products(child)


def _product(linear: nn.Linear | StackedLinear) -> int:
    return 2 * linear.in_features * linear.out_features


def _work_on_offsets(attention: MultiHeadAttention) -> LengthFormula:
    """What relative positions cost that are matched with queries and keys."""
    positions, width = attention.score_positions, attention.num_heads * attention.d_head
    if isinstance(positions, DisentangledPositions):  # both projections of the table, then queries and keys with them
        rows = positions.num_rows  # a learned vector for each offset
        once = rows * (_product(attention.to_query) + _product(attention.to_key))
        return LengthFormula(4 * width * rows, (), once=once)
    if isinstance(positions, TransformerXLPositions):  # 2n − 1 offsets, one key for each, asked by every query
        wave_key = _product(positions.to_wave_key)
        return LengthFormula(2 * wave_key, ((4 * width, None),), once=-wave_key)
    return LengthFormula(0, ())


def _attentions(layer: Layer) -> list[tuple[MultiHeadAttention, int | None]]:
    """The attentions of a layer, each with how many positions it sees; a source is always seen as a whole."""
    cross = layer.cross_attention
    return [(layer.self_attention, layer.window), *([] if cross is None else [(cross, None)])]


def _gathered(pairs: list[tuple[int, int | None]]) -> tuple[tuple[int, int | None], ...]:
    """Amounts of equal reach added up."""
    total: dict[int | None, int] = {}
    for each, reach in pairs:
        total[reach] = total.get(reach, 0) + each
    return tuple((each, reach) for reach, each in total.items())
