"""Notebook 10: an adapter merged into the layer that it is around, which leaves an ordinary linear layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from anatomy_course.content.workshop.low_rank_adapter import LowRankAdapter
from anatomy_course.content.writing import Case, Cases, Generator, Objection, Output, Tensor, normal, primes, written


def merged(adapter) -> torch.nn.Linear:
    """adapter has `linear`, a torch.nn.Linear, `down` (rank, features in), `up` (features out, rank) and the
    number `scale`. Returns a new torch.nn.Linear that computes what the adapter does, to rounding; it has a
    bias if `linear` has one. The adapter and its `linear` stay as they are.
    """
    linear = adapter.linear
    result = torch.nn.Linear(linear.in_features, linear.out_features, bias=linear.bias is not None)
    with torch.no_grad():
        result.weight.copy_(linear.weight + adapter.scale * adapter.up @ adapter.down)
        if linear.bias is not None:
            result.bias.copy_(linear.bias)
    return result


def drive(
    answer: Callable[..., Any], weight: Tensor, bias: Tensor | None, down: Tensor, up: Tensor, alpha: float
) -> tuple[Tensor, ...] | Objection | None:
    """The merged layer's weight and bias, and what the adapter holds afterward."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        linear = torch.nn.Linear(weight.shape[1], len(weight), bias=bias is not None)
        adapter = LowRankAdapter(linear, len(down), alpha)
        given = {"linear.weight": weight, "linear.bias": bias, "down": down, "up": up}
        adapter.load_state_dict({name: each for name, each in given.items() if each is not None})
        result = answer(adapter)
    if result is None:
        return None
    if not isinstance(result, torch.nn.Linear):
        return Objection("type", f"You return a {type(result).__name__}; a torch.nn.Linear is wanted.")
    if (result.bias is None) != (bias is None):
        have, want = ("has a bias", "has none") if bias is None else ("has no bias", "has one")
        return Objection("bias", f"Your layer {have}; that of the adapter {want}.")
    if (result.out_features, result.in_features) != tuple(result.weight.shape):
        said = f"Your layer was made for {result.in_features} features in and {result.out_features} features out, but "
        shape = tuple(result.weight.shape)
        return Objection("sizes", f"{said}its weight, which is (features out, features in), is of shape {shape}.")
    if adapter.linear is not linear:
        return Objection("replaced", "You change the adapter: its `linear` is another layer afterward.")
    own_weight = result.weight.data_ptr() == linear.weight.data_ptr()
    if bias is not None and not own_weight and result.bias.data_ptr() == linear.bias.data_ptr():
        said = "Your new layer and the adapter's `linear` share one bias: whoever changes one changes both. Give your "
        return Objection("shared", f"{said}layer numbers of its own (`copy_` or `clone()`).")
    kept = [linear.weight, adapter.down, adapter.up, *([] if bias is None else [linear.bias])]
    none = torch.zeros(len(weight))
    return (
        result.weight.detach().clone(),
        none if bias is None else result.bias.detach().clone(),
        torch.cat([each.detach().flatten() for each in kept]),
        torch.tensor(float(own_weight)),
    )


def cases(generator: Generator) -> Cases:
    kinds = {"a bias": 7.0, "no bias": 5.0, "a large alpha": 40.0, "rank 1, a small alpha": 0.4}
    for kind, alpha in kinds.items():
        d_in, d_out = primes(generator, 2, (5, 7, 11))
        rank = 1 if kind.startswith("rank 1") else primes(generator, 1, (2, 3))[0]
        arguments = {
            "weight": normal(generator, d_out, d_in),
            "bias": None if kind == "no bias" else normal(generator, d_out),
            "down": normal(generator, rank, d_in),
            "up": normal(generator, d_out, rank),
            "alpha": alpha,
        }
        yield Case(arguments, kind, {"d_in": d_in, "d_out": d_out, "rank": rank})


EXERCISE = written(
    merged,
    title="Merged back",
    task="Make one ordinary linear layer of an adapter and the layer that it is around.",
    level="easy, 4 minutes",
    returns=(
        Output("weight", "d_out d_in"),
        Output("bias", "d_out"),
        Output("numbers of the adapter afterward"),
        Output("whether the weight is the adapter's own"),
    ),
    cases=cases,
    observe=drive,
    mistakes="""
    in_place:
        linear = adapter.linear
        with torch.no_grad():
            linear.weight += adapter.scale * adapter.up @ adapter.down
        return linear
        “Your sum is right, but it is written into the adapter's own layer: the adapter would add its path once more.
        Make a new torch.nn.Linear with numbers of its own (`copy_` or `clone()`).”
    copied_afterwards:
        import copy
        with torch.no_grad():
            adapter.linear.weight += adapter.scale * adapter.up @ adapter.down
        return copy.deepcopy(adapter.linear)
        “What you return is a copy, but the sum was written into the adapter's own layer first: copy, then add.”
    no_scale: adapter.scale * ⇒
        “Your layer's weight has up @ down added as it is; multiply it by `scale`.”
    scaled_weight:
        linear.weight + adapter.scale * adapter.up @ adapter.down ⇒
            adapter.scale * (linear.weight + adapter.up @ adapter.down)
        “You multiply the layer's own weight by `scale` too; only up @ down is multiplied.”
    change_alone: linear.weight + adapter.scale ⇒ adapter.scale
        “Your weight is the change alone: add it to the layer's own weight.”
    weight_alone: linear.weight + adapter.scale * adapter.up @ adapter.down ⇒ linear.weight
        “Your layer is a copy of the adapter's `linear`; nothing of `down` and `up` is in it.”
    bias_read_off: linear.weight + ⇒ linear(torch.eye(linear.in_features)).T +
        “Your weight is read off `linear` with its bias in it, so the bias counts twice: take `linear.weight`.”
    subtracted: linear.weight + ⇒ linear.weight -
        “You subtract the change; the adapter adds it.”
    scale_divides: adapter.scale * adapter.up @ adapter.down ⇒ adapter.up @ adapter.down / adapter.scale
        “You divide by `scale`; the adapter multiplies by it, and it is alpha / rank already.”
    over_rank: adapter.scale * ⇒ adapter.scale / len(adapter.down) *
        “You divide by the rank once more: `scale` is alpha / rank already.”
    bias_lost:
        result.bias.copy_(linear.bias) ⇒ pass
        “Your new layer's bias is the one that it was drawn with; copy that of `linear`.”
    bias_zero: result.bias.copy_(linear.bias) ⇒ result.bias.zero_()
        “Your new layer's bias is zeros; copy that of `linear`.”
    no_bias_at_all:
        result = torch.nn.Linear(adapter.linear.in_features, adapter.linear.out_features, bias=False)
        with torch.no_grad():
            result.weight.copy_(adapter.linear.weight + adapter.scale * adapter.up @ adapter.down)
        return result
        “Your new layer has no bias, and the bias of `linear` is lost.”
    bias_scaled: result.bias.copy_(linear.bias) ⇒ result.bias.copy_((1 + adapter.scale) * linear.bias)
        “You multiply the bias by 1 + `scale`; it is kept as it is, since `down` and `up` have none.”
    bias_times_scale: result.bias.copy_(linear.bias) ⇒ result.bias.copy_(adapter.scale * linear.bias)
        “You multiply the bias by `scale`; it is kept as it is, since `down` and `up` have none.”
    """,
    also_right="""
    a copy that is changed:
        import copy
        result = copy.deepcopy(adapter.linear)
        result.weight.data += adapter.scale * (adapter.up @ adapter.down).detach()
        return result
    new parameters:
        linear = adapter.linear
        result = torch.nn.Linear(linear.in_features, linear.out_features, bias=linear.bias is not None)
        result.weight = torch.nn.Parameter((linear.weight + adapter.scale * adapter.up @ adapter.down).detach())
        if linear.bias is not None:
            result.bias = torch.nn.Parameter(linear.bias.detach().clone())
        return result
    a state that is loaded:
        d_out, d_in = adapter.linear.weight.shape
        state = dict(adapter.linear.state_dict())
        state["weight"] = state["weight"] + adapter.scale * (adapter.up @ adapter.down).detach()
        result = torch.nn.Linear(d_in, d_out, bias="bias" in state)
        result.load_state_dict(state)
        return result
    """,
    again="""
    linear.weight + adapter.scale ⇒ linear.weight - adapter.scale
        “This time the adapter has been merged into its `linear` before: return a new layer that is `linear` as it
        was without the adapter.”
        Not here: no_scale
    """,
    hints="""
    - W x + scale · up (down x) = (W + scale · up down) x: one matrix does it all. The bias is in `linear` already.
    - `torch.nn.Linear(d_in, d_out, bias=…)` makes a layer, `result.weight.copy_(…)` fills it, and that has to be inside
      `with torch.no_grad():`.
    - The weight is `linear.weight + adapter.scale * adapter.up @ adapter.down`, in this order, since a weight is
      (features out, features in).
    """,
    explanation="""
    This is why LoRA has no activation in its path. After training nothing of it is left at run time: no more work, no
    more memory than before. Kept apart, many adapters can share one model, each in a small file of its own.
    """,
)
