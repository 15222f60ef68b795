"""What a model costs: parameters, work per token, bytes of its cache, all read off the built modules.

Work is counted as everybody counts it: a product of matrices is two operations for each pair that it multiplies; norms,
activations and softmax are left out. Formulas are kept as formulas, so that a curve over the length needs no model.
Notebook 06 compares them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torch import nn

from anatomy_utils.attention import MultiHeadAttention
from anatomy_utils.heads import SequenceHead
from anatomy_utils.parameters import parameters_by_organ
from anatomy_utils.taxonomy.record import Counted
from anatomy_utils.taxonomy.stacks import Layer, layers_of, reach_of, stacks_of


@dataclass(frozen=True)
class Growing:
    """A quantity that depends on the length of the text: fixed + each · length, but no further than a layer reaches.

    Attributes:
        fixed: what does not depend on the length.
        growing: pairs of an amount per position in sight, and how many positions a layer sees at most; None for all.
    """

    fixed: int
    growing: tuple[tuple[int, int | None], ...]

    def at(self, length: int) -> int:
        """The quantity at that length.

        >>> Growing(7, ((2, None), (5, 4))).at(10)  # 7 + 2 · 10 + 5 · 4
        47
        """
        return self.fixed + sum(each * min(length, reach or length) for each, reach in self.growing)


def parameters(model: nn.Module, part: Counted = "all") -> int:
    """How many numbers training changes; what modules share counts once.

    Args:
        model: a built model, on any device.
        part: "body" leaves the head out, "all but the token table" what most of a large vocabulary costs.
    """
    counted = {id(each): each.numel() for each in model.parameters() if each.requires_grad}
    if part == "body":
        inside = {id(each) for _, stack in stacks_of(model) for each in stack.parameters()}
        return sum(number for which, number in counted.items() if which in inside)
    if part == "all but the token table":
        tables = {id(stack.embeddings.tokens.weight) for _, stack in stacks_of(model)}
        return sum(number for which, number in counted.items() if which not in tables)
    return sum(counted.values())


def organs(model: nn.Module) -> dict[str, int]:
    """The same, organ by organ; see `parameters_by_organ`."""
    return parameters_by_organ(model)


def work_per_token(model: nn.Module) -> Growing:
    """Operations (multiplications and additions) for one token of a text, by the length of that text.

    A token is compared with every position in its layer's reach, as the kernels do it: causal models skip nothing.
    In an encoder–decoder the source is as long as the target, and the work is the mean over both: each token passes
    through one of the two stacks.
    """
    stacks = stacks_of(model)
    products = sum(2 * linear.in_features * linear.out_features for linear in _products(model))
    seen = []
    for _, stack in stacks:
        for layer in layers_of(stack):
            for attention, reach in _attentions(layer):
                seen.append((4 * attention.num_heads * attention.d_head // len(stacks), reach))
    return Growing(products // len(stacks), _gathered(seen))


def cache_bytes(model: nn.Module, *, bytes_per_number: int = 2) -> Growing:
    """What a model that writes keeps of its past: keys and values of every layer; nothing in an encoder by itself.

    Args:
        model: a built model.
        bytes_per_number: 2 in half precision, 4 in float32.

    Returns:
        Bytes by the length of the text. An encoder–decoder keeps a source of the same length as well.
    """
    kept = []
    for name, stack in stacks_of(model):
        if name == "decoder":
            for layer in layers_of(stack):
                for attention, reach in _attentions(layer):
                    kept.append((2 * attention.num_kv_heads * attention.d_head * bytes_per_number, reach))
    return Growing(0, _gathered(kept))


def _products(module: nn.Module) -> Iterator[nn.Linear]:
    """Every matrix product that a token passes through, those of shared layers as often as they run."""
    for name, child in module._modules.items():
        if child is None or isinstance(child, SequenceHead) or name == "score_positions":
            continue
        if isinstance(child, nn.Linear):
            yield child
        yield from _products(child)


def _attentions(layer: Layer) -> list[tuple[MultiHeadAttention, int | None]]:
    """The attentions of a layer, each with how many positions it sees; a source is always seen as a whole."""
    cross = getattr(layer, "cross_attention", None)
    return [(layer.self_attention, reach_of(layer)), *([] if cross is None else [(cross, None)])]


def _gathered(pairs: list[tuple[int, int | None]]) -> tuple[tuple[int, int | None], ...]:
    """Amounts of equal reach added up."""
    total: dict[int | None, int] = {}
    for each, reach in pairs:
        total[reach] = total.get(reach, 0) + each
    return tuple((each, reach) for reach, each in total.items())
